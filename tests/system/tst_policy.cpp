// SPDX-License-Identifier: Apache-2.0

// `policy` through the built runner.

#include "tests/support/gateway.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <sys/stat.h>

using namespace Qt::StringLiterals;
using portcullis::test::Done;
using portcullis::test::Gateway;

namespace {

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("<missing>");
}

void put(const QString &path, const QByteArray &text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
}

QString policyPath(const Gateway &gateway, const QString &tenant)
{
    return gateway.root() + u"/policies/"_s + tenant + u".json"_s;
}

} // namespace

class TstPolicy : public QObject
{
    Q_OBJECT

    std::unique_ptr<Gateway> m_gateway;

    [[nodiscard]] Done policy(const QStringList &words) const
    {
        return m_gateway->runner(QStringList{u"policy"_s} + words);
    }

private Q_SLOTS:
    void init()
    {
        m_gateway = std::make_unique<Gateway>();
        QVERIFY(m_gateway->isValid());
    }

    void a_gateway_without_mistakes_validates()
    {
        const Done done = policy({u"validate"_s});
        const QByteArray root = m_gateway->root().toUtf8();
        QCOMPARE(done.out,
                 "gateway: " + root + "/config.json\npolicies: " + root + "/policies\n3 files: 0 errors, 0 warnings\n");
        QCOMPARE(done.exitCode, 0);
    }

    void a_granted_folder_that_is_not_there_is_warned_of_with_its_place()
    {
        m_gateway->setPolicy(u"acme"_s,
                             "{version: 1, tenant: 'acme',\n  extra_read: ['/usr/share', '/no/such/folder']}");
        const QByteArray file = policyPath(*m_gateway, u"acme"_s).toUtf8();
        for (const QStringList &words :
             {QStringList{u"validate"_s}, QStringList{u"validate"_s, policyPath(*m_gateway, u"acme"_s)}}) {
            const Done done = policy(words);
            QVERIFY2(done.out.contains(
                         file + ":2:3: warning: \"/no/such/folder\" does not exist here, so it grants nothing"),
                     done.out.constData());
            QVERIFY(!done.out.contains("/usr/share"));
            QCOMPARE(done.exitCode, 0);
        }
    }

    void a_granted_file_is_warned_of_and_is_granted_alone()
    {
        const QString file = m_gateway->root() + u"/for-all"_s;
        for (const QString &each : {file, file + u"-not"_s}) {
            QFile one(each);
            QVERIFY(one.open(QIODevice::WriteOnly) && one.write("for all\n") > 0);
        }
        m_gateway->setPolicy(u"acme"_s,
                             "{version: 1, tenant: 'acme',\n  extra_read: ['/usr/share', '" + file.toUtf8() + "']}");
        const Done done = policy({u"validate"_s});
        QVERIFY2(done.out.contains("acme.json:2:3: warning: \"" + file.toUtf8() + "\" is no folder here"),
                 done.out.constData());
        QVERIFY(!done.out.contains("/usr/share"));
        QCOMPARE(done.exitCode, 0);
        QCOMPARE(m_gateway->exec(u"cat "_s + file).out, QByteArray("for all\n"));
        QVERIFY(m_gateway->exec(u"cat "_s + file + u"-not"_s).exitCode != 0);
    }

    void a_broken_policy_is_neither_tested_nor_taken_for_one_without_exemptions()
    {
        m_gateway->setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', network: none }");
        const Done test = policy({u"test"_s, u"--tenant"_s, u"acme"_s});
        QCOMPARE(test.exitCode, 78);
        QCOMPARE(test.out, QByteArray());
        QVERIFY2(test.err.contains("a text needs quotes"), test.err.constData());
        const Done listed = policy({u"exemptions"_s});
        QCOMPARE(listed.exitCode, 78);
        QVERIFY2(listed.err.contains("acme") && !listed.err.contains("there are no exemptions"),
                 listed.err.constData());
        const Done doctor = m_gateway->runner({u"doctor"_s});
        QVERIFY2(doctor.out.contains("1 of them has a policy with errors"), doctor.out.constData());
    }

    void an_exemption_that_has_ended_is_warned_of()
    {
        m_gateway->setPolicy(
            u"acme"_s,
            "{version: 1, tenant: 'acme', exemptions: [\n{id: 'old', rule: 'dump-environment', reason: "
            "'r', by: 'o', command: 'env', expires: '2020-01-01T00:00:00Z'},\n{id: 'new', rule: "
            "'dump-environment', reason: 'r', by: 'o', command: 'env', expires: "
            "'2999-01-01T00:00:00Z'}]}");
        const Done done = policy({u"validate"_s});
        QVERIFY2(done.out.contains(":2:1: warning: the exemption \"old\" ended at 2020-01-01T00:00:00Z"),
                 done.out.constData());
        QVERIFY(!done.out.contains("\"new\""));
    }

    void a_missing_policies_folder_is_said()
    {
        QDir(m_gateway->root() + u"/portcullis"_s).removeRecursively();
        const QStringList config{u"--config"_s, m_gateway->root() + u"/config.json"_s};
        const QByteArray folder = m_gateway->root().toUtf8() + "/portcullis/policies";
        for (const QStringList &words : {QStringList{u"policy"_s, u"validate"_s}, QStringList{u"doctor"_s}}) {
            QProcess process;
            process.start(QStringLiteral(TEST_BIN_DIR "/portcullis-runner"),
                          words + config + QStringList{u"--audit-db"_s, m_gateway->auditDb()});
            QVERIFY(process.waitForFinished());
            const QByteArray out = process.readAllStandardOutput();
            QVERIFY2(out.contains(folder + " does not exist"), out.constData());
        }
    }

    void doctor_and_check_say_that_there_is_no_gateway()
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"GOCLAW_CONFIG", "PORTCULLIS_POLICIES"})
            environment.remove(QLatin1StringView(name));
        environment.insert(u"HOME"_s, m_gateway->root());
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(TEST_BIN_DIR "/portcullis-runner"),
                      {u"doctor"_s, u"--audit-db"_s, m_gateway->auditDb()});
        QVERIFY(process.waitForFinished());
        const QByteArray out = process.readAllStandardOutput();
        QVERIFY2(out.contains("WARNING  There is no gateway configuration"), out.constData());
        process.start(QStringLiteral(TEST_BIN_DIR "/portcullis-runner"),
                      {u"check"_s, u"--tenant"_s, u"master"_s, u"--"_s, u"ls"_s});
        QVERIFY(process.waitForFinished());
        const QByteArray err = process.readAllStandardError();
        QVERIFY2(err.contains("check: note: there is no gateway configuration at " + m_gateway->root().toUtf8()),
                 err.constData());
        const Done with = m_gateway->runner({u"doctor"_s});
        QVERIFY2(!with.out.contains("There is no gateway"), with.out.constData());
        QVERIFY2(with.out.contains(m_gateway->root().toUtf8() + "/policies: 2 tenants are known."),
                 with.out.constData());
    }

    void a_broken_policy_says_which_file_and_what_is_wrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("mode");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no comma") << QByteArray("{ \"version\": 1\n  \"tenant\": \"acme\" }") << 0600
                                  << QByteArray(":2:3: error: a comma is missing before \"tenant\"");
        QTest::newRow("cut off") << QByteArray("{ \"version\": 1,\n") << 0600
                                 << QByteArray(":1:1: error: the text ends before \"{\" is closed or complete");
        QTest::newRow("others can write it") << QByteArray("{ \"version\": 1, \"tenant\": \"acme\" }") << 0666
                                             << QByteArray(": error: its group or others can write it (mode 0666)");
    }

    void a_broken_policy_says_which_file_and_what_is_wrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, mode);
        QFETCH(QByteArray, says);
        m_gateway->setPolicy(u"acme"_s, text);
        const QString path = policyPath(*m_gateway, u"acme"_s);
        QCOMPARE(::chmod(path.toLocal8Bit().constData(), static_cast<mode_t>(mode)), 0);
        const QByteArray line = path.toUtf8() + says;
        const Done check = m_gateway->runner({u"check"_s, u"--tenant"_s, u"acme"_s, u"--"_s, u"true"_s});
        QCOMPARE(check.exitCode, 78);
        QVERIFY2(check.err.contains(line), check.err.constData());
        const Done exec = m_gateway->exec(u"true"_s);
        QCOMPARE(exec.exitCode, 78);
        QVERIFY2(exec.err.contains(line), exec.err.constData());
        const Done validate = policy({u"validate"_s});
        QCOMPARE(validate.exitCode, 78);
        QVERIFY2(validate.out.contains(line), validate.out.constData());
        const Done doctor = m_gateway->runner({u"doctor"_s});
        QVERIFY2(doctor.out.contains(line), doctor.out.constData());
    }

    void a_mistake_has_its_place_and_78()
    {
        m_gateway->setPolicy(
            u"acme"_s,
            "{\n  \"version\": 1, \"tenant\": \"acme\",\n  \"deny_groups\": { \"package_instal\": false }\n}");
        const Done done = policy({u"validate"_s});
        QCOMPARE(done.exitCode, 78);
        const QByteArray line = policyPath(*m_gateway, u"acme"_s).toUtf8()
            + ":3:20: error: unknown group \"package_instal\"; did you mean \"package_install\"?\n";
        QVERIFY2(done.out.contains('\n' + line), done.out.constData());
        const Done json = policy({u"validate"_s, u"--json"_s});
        const QJsonObject problem = QJsonDocument::fromJson(json.out).object()[u"problems"].toArray().at(0).toObject();
        QCOMPARE(problem[u"code"].toString(), u"unknown_group"_s);
        QCOMPARE(problem[u"line"].toInt(), 3);
        QCOMPARE(problem[u"tenant"].toString(), u"acme"_s);
        QCOMPARE(problem[u"pointer"].toString(), u"/deny_groups/package_instal"_s);
    }

    void a_broken_policy_stops_its_tenant_and_no_other()
    {
        m_gateway->setPolicy(u"acme"_s, "{");
        QCOMPARE(m_gateway->exec(u"true"_s).exitCode, 78);
        QCOMPARE(m_gateway->exec(u"true"_s, {}, u"globex"_s).exitCode, 0);
    }

    void a_draft_that_is_called_like_no_tenant_is_the_policy_of_the_one_in_it()
    {
        const QString draft = m_gateway->root() + u"/draft.json"_s;
        put(draft, "{ version: 1, tenant: 'acme' }");
        const Done done = policy({u"validate"_s, draft});
        QVERIFY2(done.exitCode == 0, done.out);
        put(draft, "{ version: 1 }");
        QCOMPARE(policy({u"validate"_s, draft}).exitCode, 78);
    }

    void named_files_and_folders_are_validated_whatever_their_mode()
    {
        const QString draft = m_gateway->root() + u"/acme.json"_s;
        put(draft, "{ version: 1, tenant: 'acme', host_policy: 'allow' }");
        QCOMPARE(::chmod(QFile::encodeName(draft).constData(), 0666), 0);
        const Done good = policy({u"validate"_s, draft});
        QCOMPARE(good.exitCode, 0);
        QVERIFY2(good.out.contains("warning: a tenant policy cannot loosen this key"), good.out.constData());
        put(draft, "{ version: 1, tenant: 'globex' }");
        QCOMPARE(policy({u"validate"_s, draft}).exitCode, 78);
        QCOMPARE(policy({u"validate"_s, m_gateway->root() + u"/policies"_s}).exitCode, 0);
        QCOMPARE(policy({u"validate"_s, m_gateway->root() + u"/nothing.json"_s}).exitCode, 65);
    }

    void an_unknown_host_policy_is_78_and_names_the_allowed_ones()
    {
        m_gateway->setEnvironment(u"GOCLAW_EXEC_TENANT_HOST_POLICY"_s, u"maybe"_s);
        const Done done = m_gateway->exec(u"true"_s);
        QCOMPARE(done.exitCode, 78);
        QVERIFY2(done.err.contains("\"maybe\" is not a value of this key (allowed: allow, warn, deny)"),
                 done.err.constData());
    }

    void effective_values_say_where_they_come_from()
    {
        m_gateway->setPolicy(
            u"acme"_s, "{\n  version: 1, tenant: 'acme',\n  network: 'none',\n  agents: { build: { shell: 'sh' } }\n}");
        m_gateway->setEnvironment(u"GOCLAW_SANDBOX_IMAGE"_s, u"box:2"_s);
        const Done network = policy({u"effective"_s, u"--tenant"_s, u"acme"_s, u"network"_s});
        QCOMPARE(network.exitCode, 0);
        QCOMPARE(network.out, "network = \"none\"  " + policyPath(*m_gateway, u"acme"_s).toUtf8() + ":3\n");
        const Done shell =
            policy({u"effective"_s, u"--tenant"_s, u"acme"_s, u"--agent"_s, u"build"_s, u"shell"_s, u"--json"_s});
        const QJsonObject value = QJsonDocument::fromJson(shell.out).object()[u"values"].toArray().at(0).toObject();
        QCOMPARE(value[u"value"].toString(), u"sh"_s);
        QCOMPARE(value[u"origin"].toObject()[u"layer"].toString(), u"tenant_agent"_s);
        QCOMPARE(value[u"origin"].toObject()[u"line"].toInt(), 4);
        const Done sandbox = policy({u"effective"_s, u"--tenant"_s, u"globex"_s, u"sandbox"_s});
        QVERIFY2(sandbox.out.contains("sandbox.image = \"box:2\""), sandbox.out.constData());
        QVERIFY2(sandbox.out.contains("GOCLAW_SANDBOX_IMAGE\n"), sandbox.out.constData());
        QVERIFY2(!sandbox.out.contains("host_policy"), sandbox.out.constData());
    }

    void wrong_usage_and_unknown_tenants_have_their_codes_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no action") << QStringList{} << 64 << QByteArray("say what to do");
        QTest::newRow("mistyped action") << QStringList{u"validat"_s} << 64 << QByteArray("did you mean \"validate\"?");
        QTest::newRow("no tenant") << QStringList{u"effective"_s} << 64 << QByteArray("--tenant");
        QTest::newRow("bad tenant") << QStringList{u"effective"_s, u"--tenant"_s, u"../x"_s} << 64
                                    << QByteArray("--tenant");
        QTest::newRow("unknown tenant") << QStringList{u"effective"_s, u"--tenant"_s, u"initech"_s} << 78
                                        << QByteArray("there is no tenant \"initech\"; there are acme");
        QTest::newRow("unknown key") << QStringList{u"effective"_s, u"--tenant"_s, u"acme"_s, u"netwrk"_s} << 64
                                     << QByteArray("did you mean \"network\"?");
        QTest::newRow("exempt without a reason") << QStringList{u"exempt"_s, u"abc"_s} << 64 << QByteArray("--message");
        QTest::newRow("exempt for no time")
            << QStringList{u"exempt"_s, u"abc"_s, u"--message"_s, u"m"_s, u"--expires"_s, u"soon"_s} << 64
            << QByteArray("--expires");
        QTest::newRow("exempt without a record")
            << QStringList{u"exempt"_s, u"abcdef12"_s, u"--message"_s, u"m"_s} << 74 << QByteArray();
    }

    void wrong_usage_and_unknown_tenants_have_their_codes()
    {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, says);
        const Done done = policy(words);
        QTEST(done.exitCode, "code");
        QVERIFY2(done.err.contains(says), done.err.constData());
    }

    void an_exemption_lets_exactly_the_recorded_command_through()
    {
        m_gateway->setPolicy(u"acme"_s, "{\n  // ours\n  version: 1,\n  tenant: 'acme', // it\n}\n");
        const Done first = m_gateway->exec(u"env"_s);
        QCOMPARE(first.exitCode, 77);
        const QString id = first.result[u"id"].toString();
        QVERIFY(!id.isEmpty());

        const Done dry = policy({u"exempt"_s, id, u"--message"_s, u"look at it"_s, u"--dry-run"_s});
        QCOMPARE(dry.exitCode, 0);
        QVERIFY2(dry.out.contains("+    { \"id\": ") && dry.out.contains("with it: ALLOW"), dry.out.constData());
        QVERIFY(!contents(policyPath(*m_gateway, u"acme"_s)).contains("exemptions"));

        const Done done = policy({u"exempt"_s, id, u"--message"_s, u"look at it"_s, u"--expires"_s, u"2h"_s});
        QVERIFY2(done.exitCode == 0, done.err.constData());
        QVERIFY2(done.out.contains("now: ALLOW"), done.out.constData());
        const QByteArray text = contents(policyPath(*m_gateway, u"acme"_s));
        QVERIFY2(text.startsWith("{\n  // ours\n  version: 1,\n  tenant: 'acme', // it\n  \"exemptions\": ["),
                 text.constData());
        QCOMPARE(policy({u"validate"_s}).exitCode, 0);

        QCOMPARE(m_gateway->exec(u"env"_s).exitCode, 0);
        QCOMPARE(m_gateway->exec(u"env "_s).exitCode, 77);
        QCOMPARE(m_gateway->exec(u"env"_s, {u"--agent"_s, u"other"_s}).exitCode, 77);
        QCOMPARE(m_gateway->exec(u"env"_s, {}, u"globex"_s).exitCode, 77);
    }

    void a_short_id_and_a_missing_policy_file_are_enough()
    {
        QVERIFY(QFile::remove(policyPath(*m_gateway, u"acme"_s)));
        const QString id = m_gateway->exec(u"env"_s).result[u"id"].toString();
        const Done done = policy({u"exempt"_s, id.right(8), u"--message"_s, u"m"_s, u"--json"_s});
        QVERIFY2(done.exitCode == 0, done.err.constData());
        const QJsonObject json = QJsonDocument::fromJson(done.out).object();
        QVERIFY(json[u"written"].toBool());
        QCOMPARE(json[u"verdict"].toString(), u"allow"_s);
        QVERIFY(contents(policyPath(*m_gateway, u"acme"_s))
                    .startsWith("{\n  \"version\": 1,\n  \"tenant\": \"acme\",\n  \"exemptions\": ["));
    }

    void an_exemption_is_listed_not_doubled_and_taken_back()
    {
        const QByteArray before = contents(policyPath(*m_gateway, u"acme"_s));
        QVERIFY(policy({u"exemptions"_s}).err.contains("no exemptions"));
        const QString id = m_gateway->exec(u"env"_s).result[u"id"].toString();
        QCOMPARE(policy({u"exempt"_s, id, u"--message"_s, u"look at it"_s}).exitCode, 0);
        const QByteArray once = contents(policyPath(*m_gateway, u"acme"_s));
        const Done again = policy({u"exempt"_s, id, u"--message"_s, u"look at it"_s});
        QCOMPARE(again.exitCode, 0);
        QVERIFY2(again.out.startsWith("nothing was changed") && again.out.contains("now: ALLOW"),
                 again.out.constData());
        QCOMPARE(contents(policyPath(*m_gateway, u"acme"_s)), once);

        const Done list = policy({u"exemptions"_s});
        QVERIFY2(list.out.contains("lets    env\n") && list.out.contains(": look at it\n"), list.out.constData());
        QCOMPARE(policy({u"exemptions"_s, u"--tenant"_s, u"globex"_s}).out, QByteArray());
        const Done json = policy({u"exemptions"_s, u"--json"_s});
        const QString name = QJsonDocument::fromJson(json.out).object()[u"id"].toString();
        QVERIFY2(!name.isEmpty() && json.out.contains("\"in_force\":true"), json.out.constData());

        QCOMPARE(policy({u"exempt"_s, u"--remove"_s, u"none"_s}).exitCode, 65);
        QCOMPARE(policy({u"exempt"_s, u"--remove"_s, name, u"--dry-run"_s}).exitCode, 0);
        QCOMPARE(contents(policyPath(*m_gateway, u"acme"_s)), once);
        const Done removed = policy({u"exempt"_s, u"--remove"_s, name});
        QVERIFY2(removed.exitCode == 0, removed.err.constData());
        QVERIFY(!contents(policyPath(*m_gateway, u"acme"_s)).contains("\"env\""));
        QCOMPARE(m_gateway->exec(u"env"_s).exitCode, 77);
        QVERIFY(!before.contains("exemptions"));

        const QByteArray log = m_gateway->runner({u"log"_s, u"kind:edit"_s}).out;
        QCOMPARE(log.count('\n'), 2);
        QVERIFY2(log.contains(" added an exemption for acme: look at it (exemption \"" + name.toUtf8() + "\", rule ")
                     && log.contains(" removed an exemption of acme (exemption \"" + name.toUtf8() + '"')
                     && log.contains("EDIT"),
                 log.constData());
    }

    void the_removal_of_an_exemption_is_recorded_with_its_own_message_data()
    {
        QTest::addColumn<QStringList>("message");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("more");
        QTest::newRow("with a message") << QStringList{u"--message"_s, u"looked at"_s} << u"looked at"_s
                                        << u": looked at"_s;
        QTest::newRow("without one") << QStringList{} << QString() << QString();
    }

    void the_removal_of_an_exemption_is_recorded_with_its_own_message()
    {
        QFETCH(QStringList, message);
        QFETCH(QString, reason);
        QFETCH(QString, more);
        const QString id = m_gateway->exec(u"env"_s).result[u"id"].toString();
        QCOMPARE(policy({u"exempt"_s, id, u"--message"_s, u"look at it"_s}).exitCode, 0);
        const QString name =
            QJsonDocument::fromJson(policy({u"exemptions"_s, u"--json"_s}).out).object()[u"id"].toString();
        QCOMPARE(policy(QStringList{u"exempt"_s, u"--remove"_s, name} + message).exitCode, 0);

        const QList<QByteArray> edits = m_gateway->runner({u"log"_s, u"kind:edit"_s, u"--json"_s}).out.split('\n');
        QCOMPARE(edits.size(), 3); // and nothing behind the last line break
        QCOMPARE(QJsonDocument::fromJson(edits[0]).object()[u"reason"].toString(), u"look at it"_s);
        QCOMPARE(QJsonDocument::fromJson(edits[1]).object()[u"reason"].toString(), reason);

        const QList<QByteArray> kept = policy({u"revisions"_s, u"--json"_s}).out.split('\n');
        QVERIFY(kept.size() > 2);
        const QJsonObject removed = QJsonDocument::fromJson(kept[0]).object();
        QCOMPARE(removed[u"source"].toString(), u"exempt"_s);
        QCOMPARE(removed[u"message"].toString(), u"removed exemption "_s + name + more);
        QCOMPARE(QJsonDocument::fromJson(kept[1]).object()[u"message"].toString(), u"look at it"_s);
    }

    void an_exemption_for_a_tenant_without_a_policy_that_loads_says_why()
    {
        const QString id = m_gateway->exec(u"env"_s).result[u"id"].toString();
        m_gateway->setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', network: none }");
        const Done broken = policy({u"exempt"_s, id, u"--message"_s, u"m"_s});
        QCOMPARE(broken.exitCode, 78);
        QVERIFY2(broken.err.contains("the policy of \"acme\" does not load")
                     && broken.err.contains("acme.json:1:40: error:") && !broken.err.contains("no tenant"),
                 broken.err.constData());
        QVERIFY(QFile::remove(policyPath(*m_gateway, u"acme"_s)));
        for (const QString &folder : {m_gateway->tenantDir(u"acme"_s), m_gateway->tenantWorkspace(u"acme"_s)})
            QVERIFY(QDir(folder).removeRecursively());
        const Done gone = policy({u"exempt"_s, id, u"--message"_s, u"m"_s});
        QCOMPARE(gone.exitCode, 78);
        QVERIFY2(gone.err.contains("there is no tenant \"acme\"") && !gone.err.contains("does not load"),
                 gone.err.constData());
    }

    void what_no_exemption_answers_is_not_sent_to_a_sandbox_that_is_not_there()
    {
        const auto advice = [this](const QStringList &more) {
            const Done refused = m_gateway->exec(u"true"_s, more);
            return policy({u"exempt"_s, refused.result[u"id"].toString(), u"--message"_s, u"m"_s}).err;
        };
        const QByteArray backend = advice({u"--sandbox"_s, u"on"_s});
        QVERIFY2(backend.contains("(backend): this version has no sandbox; call without --sandbox on"),
                 backend.constData());
        m_gateway->setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', host_policy: 'deny' }");
        const QByteArray host = advice({});
        QVERIFY2(host.contains("(host_policy): only the operator can let it run") && !host.contains("sandbox"),
                 host.constData());
    }

    void what_cannot_be_exempted_says_what_would_help()
    {
        const Done refused = m_gateway->exec(u"cat "_s + m_gateway->data() + u"/goclaw.db"_s);
        QCOMPARE(refused.exitCode, 77);
        const QByteArray before = contents(policyPath(*m_gateway, u"acme"_s));
        const Done done = policy({u"exempt"_s, refused.result[u"id"].toString(), u"--message"_s, u"m"_s});
        QCOMPARE(done.exitCode, 65);
        QVERIFY2(done.err.contains("no exemption can answer this refusal (path_guard)"), done.err.constData());
        QCOMPARE(contents(policyPath(*m_gateway, u"acme"_s)), before);
        const QString ran = m_gateway->exec(u"true"_s).result[u"id"].toString();
        QCOMPARE(policy({u"exempt"_s, ran, u"--message"_s, u"m"_s}).exitCode, 65);
        QCOMPARE(policy({u"exempt"_s, u"ffffffff"_s, u"--message"_s, u"m"_s}).exitCode, 65);
    }

    void tests_of_a_policy_are_decided()
    {
        m_gateway->setPolicy(u"acme"_s,
                             "{ version: 1, tenant: 'acme',\n tests: [ { command: 'ls', expect: 'allow' },\n"
                             " { command: 'env', expect: 'deny' } ] }");
        const Done good = policy({u"test"_s});
        QCOMPARE(good.out, QByteArray("2 of 2 tests as expected\n"));
        QCOMPARE(good.exitCode, 0);
        m_gateway->setPolicy(u"acme"_s,
                             "{ version: 1, tenant: 'acme',\n tests: [ { command: 'ls', expect: 'allow' },\n"
                             " { command: 'env', expect: 'allow' } ] }");
        const Done bad = policy({u"test"_s, u"--tenant"_s, u"acme"_s});
        QCOMPARE(bad.exitCode, 1);
        QVERIFY2(bad.out.startsWith(policyPath(*m_gateway, u"acme"_s).toUtf8() + ":3:2: expected allow, got deny (")
                     && bad.out.contains("; rule ") && bad.out.contains(", group env_dump)"),
                 bad.out.constData());
        QVERIFY2(bad.out.endsWith("1 of 2 tests as expected\n"), bad.out.constData());
        QCOMPARE(policy({u"test"_s, u"--tenant"_s, u"initech"_s}).exitCode, 78);
    }
};

QTEST_GUILESS_MAIN(TstPolicy)
#include "tst_policy.moc"
