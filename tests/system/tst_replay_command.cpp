// SPDX-License-Identifier: Apache-2.0

// `replay` through the built runner, over commands that `exec` recorded.

#include "tests/support/gateway.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace Qt::StringLiterals;
using portcullis::test::Done;
using portcullis::test::Gateway;

namespace {

QList<QJsonObject> objects(const QByteArray &lines)
{
    QList<QJsonObject> found;
    for (const QByteArray &line : lines.trimmed().split('\n'))
        found += QJsonDocument::fromJson(line).object();
    return found;
}

} // namespace

class TstReplayCommand : public QObject
{
    Q_OBJECT

    std::unique_ptr<Gateway> m_gateway;

    [[nodiscard]] Done replay(const QStringList &words) const
    {
        return m_gateway->runner(QStringList{u"replay"_s} + words);
    }
    /// The totals of a replay with --json.
    [[nodiscard]] QJsonObject totals(const QStringList &words) const
    {
        return objects(replay(words + QStringList{u"--json"_s}).out).last()[u"totals"].toObject();
    }
    [[nodiscard]] QString write(const QString &name, const QByteArray &text) const
    {
        return m_gateway->writeFile(name, text);
    }

private Q_SLOTS:
    void init()
    {
        m_gateway = std::make_unique<Gateway>();
        QVERIFY(m_gateway->isValid());
        for (const QString &command : {u"npm install left-pad"_s, u"pip install x"_s, u"true"_s, u"sudo id"_s})
            QVERIFY(!m_gateway->exec(command).crashed);
    }

    void the_configuration_in_force_changes_nothing()
    {
        const Done done = replay({u"--against"_s, u"current"_s});
        QCOMPARE(done.exitCode, 0);
        QVERIFY2(done.out.startsWith("4 replayed: 4 unchanged · 0 loosened · 0 tightened"), done.out);
    }

    void the_record_keeps_the_configuration_that_decided()
    {
        // A policy that would change every answer is in force now; what was recorded is decided as it was then.
        m_gateway->setPolicy(u"acme"_s, R"({"version": 1, "tenant": "acme", "host_policy": "deny"})");
        QCOMPARE(totals({u"--against"_s, u"recorded"_s})[u"unchanged"].toInt(), 4);
        const QJsonObject now = totals({u"--against"_s, u"current"_s});
        QCOMPARE(now[u"tightened"].toInt(), 1);
        QCOMPARE(now[u"matrix"][u"allow"][u"deny"].toInt(), 1);
    }

    void a_draft_of_any_name_is_compared_and_what_it_loosens_fails()
    {
        const QString draft =
            write(u"draft.txt"_s, R"({version: 1, tenant: "acme", deny_groups: {package_install: false}})");
        const Done done = replay(
            {u"tenant:acme"_s, u"--against"_s, u"policy:"_s + draft, u"--json"_s, u"--fail-on"_s, u"loosened"_s});
        QCOMPARE(done.exitCode, 1);
        const QList<QJsonObject> rows = objects(done.out);
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows[0][u"command"].toString(), u"npm install left-pad"_s);
        QCOMPARE(rows[0][u"change"].toString(), u"loosened"_s);
        QCOMPARE(rows[0][u"cause"].toString(), u"policy"_s);
        QCOMPARE(rows[0][u"before"][u"rule"].toString(), u"npm-install"_s);
        QCOMPARE(rows[0][u"after"][u"verdict"].toString(), u"allow"_s);
        QCOMPARE(rows[2][u"totals"][u"loosened"].toInt(), 2);
        QVERIFY(rows[2][u"totals"][u"config_before"].toArray() != rows[2][u"totals"][u"config_after"].toArray());

        const Done people = replay({u"--against"_s, u"policy:"_s + draft});
        QCOMPARE(people.exitCode, 0);
        QVERIFY2(people.out.startsWith("Loosened\n  deny→allow"), people.out);
        QCOMPARE(
            replay({u"verdict:allow"_s, u"--against"_s, u"policy:"_s + draft, u"--fail-on"_s, u"loosened"_s}).exitCode,
            0);
        const auto gate = [&](const QString &changes) {
            return replay({u"tenant:acme"_s, u"--against"_s, u"policy:"_s + draft, u"--fail-on"_s, changes}).exitCode;
        };
        QCOMPARE(gate(u"loosened,not_replayable"_s), 1);
        QCOMPARE(gate(u"not_replayable,loosened"_s), 1);
        QCOMPARE(gate(u"tightened,not_replayable"_s), 0);
        QCOMPARE(gate(u"loosened,"_s), 64);
        QCOMPARE(gate(u"loosened,nothing"_s), 64);
    }

    void another_tenants_policy_can_stand_for_everybodys()
    {
        m_gateway->setPolicy(u"globex"_s,
                             R"({"version": 1, "tenant": "globex", "deny_groups": {"package_install": false}})");
        QCOMPARE(totals({u"--against"_s, u"tenant:globex"_s})[u"loosened"].toInt(), 2);
        const Done done = replay({u"--against"_s, u"tenant:globx"_s});
        QCOMPARE(done.exitCode, 78);
        QVERIFY2(done.err.contains("did you mean globex?"), done.err);
    }

    void a_folder_of_policies_is_a_configuration()
    {
        QVERIFY(QDir().mkpath(m_gateway->root() + u"/drafts"_s));
        const QString file = write(u"drafts/acme.json"_s,
                                   R"({"version": 1, "tenant": "acme", "deny_groups": {"package_install": false}})");
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
        QCOMPARE(totals({u"--against"_s, u"policies:"_s + m_gateway->root() + u"/drafts"_s})[u"loosened"].toInt(), 2);
    }

    void a_draft_with_a_mistake_says_where_and_nothing_is_compared()
    {
        const QString draft = write(u"draft.json"_s, "{\n version: 1, tenant: \"acme\",\n deny_group: {}\n}");
        const Done done = replay({u"--against"_s, u"policy:"_s + draft});
        QCOMPARE(done.exitCode, 78);
        QVERIFY2(done.err.contains("draft.json:3:2: error:"), done.err);
        QVERIFY(done.out.isEmpty());
    }

    void a_file_folder_or_revision_that_is_not_there_is_a_bad_input_data()
    {
        QTest::addColumn<QString>("against");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("file") << u"policy:%1/none.json"_s << QByteArray("/none.json: error: ");
        QTest::newRow("folder in place of a file") << u"policy:%1/policies"_s << QByteArray("/policies: error: ");
        QTest::newRow("folder") << u"policies:%1/none"_s << QByteArray("/none: error: ");
        QTest::newRow("revision") << u"revision:99"_s << QByteArray("the record keeps no revision 99");
    }
    void a_file_folder_or_revision_that_is_not_there_is_a_bad_input()
    {
        QFETCH(QString, against);
        QFETCH(QByteArray, said);
        const QString source = against.contains(u"%1"_s) ? against.arg(m_gateway->root()) : against;
        for (const QStringList &words : {QStringList{u"replay"_s, u"--against"_s, source},
                                         QStringList{u"policy"_s, u"diff"_s, source, u"current"_s}}) {
            const Done done = m_gateway->runner(words);
            QCOMPARE(done.exitCode, 65);
            QVERIFY2(done.err.contains(said), done.err);
            QVERIFY(done.out.isEmpty());
        }
    }

    void a_replay_is_recorded_and_no_stored_verdict_changes()
    {
        const QByteArray before = m_gateway->runner({u"log"_s, u"--json"_s}).out;
        const QString draft =
            write(u"draft.json"_s, R"({version: 1, tenant: "acme", deny_groups: {package_install: false}})");
        QCOMPARE(replay({u"--against"_s, u"policy:"_s + draft}).exitCode, 0);
        const QByteArray after = m_gateway->runner({u"log"_s, u"--json"_s}).out;
        QVERIFY(after.startsWith(before));
        const QJsonObject event = objects(after).last();
        QCOMPARE(event[u"kind"].toString(), u"replay"_s);
        QCOMPARE(event[u"detail"][u"loosened"].toInt(), 2);
        QCOMPARE(event[u"detail"][u"against"].toString(), u"policy:"_s + draft);
        QVERIFY(!event[u"detail"][u"by"].toString().isEmpty());
    }

    void exported_events_are_replayed_without_their_record()
    {
        QByteArray lines = m_gateway->runner({u"log"_s, u"--json"_s}).out;
        const QString file = write(u"events.jsonl"_s, lines);
        QVERIFY(QFile::remove(m_gateway->auditDb()));
        QCOMPARE(totals({u"--file"_s, file, u"--against"_s, u"current"_s})[u"unchanged"].toInt(), 4);

        const Done done =
            replay({u"--file"_s, write(u"bad.jsonl"_s, lines + "no event\n"), u"--against"_s, u"current"_s});
        QCOMPARE(done.exitCode, 65);
        QVERIFY2(done.err.contains("bad.jsonl:5:"), done.err);
        QVERIFY2(done.out.contains("4 replayed"), done.out);
    }

    void an_event_of_a_version_that_is_not_known_is_no_event()
    {
        const QByteArray line = m_gateway->runner({u"log"_s, u"verdict:deny"_s, u"--limit"_s, u"1"_s, u"--json"_s}).out;
        for (const auto &[from, to] : {std::pair("\"verdict\":\"deny\"", "\"verdict\":\"quarantine\""),
                                       std::pair("\"kind\":\"exec\"", "\"kind\":\"exec2\""),
                                       std::pair("\"verdict\":\"deny\"", "\"said\":\"deny\"")}) {
            QByteArray other = line;
            other.replace(from, to);
            QVERIFY2(other != line, from);
            const Done done = replay({u"--file"_s, write(u"other.jsonl"_s, other), u"--against"_s, u"current"_s});
            QCOMPARE(done.exitCode, 65);
            QVERIFY2(done.out.contains("0 replayed"), done.out);
        }
        QCOMPARE(replay({u"--file"_s, m_gateway->root(), u"--against"_s, u"current"_s}).exitCode, 65);
    }

    void what_a_terminal_would_obey_is_shown_as_text()
    {
        QByteArray line = m_gateway->runner({u"log"_s, u"verdict:deny"_s, u"--limit"_s, u"1"_s, u"--json"_s}).out;
        line.replace("\"config\":\"sha256:", "\"config\":\"\\u001b[2J\\u202e");
        const Done done = replay({u"--file"_s, write(u"e.jsonl"_s, line), u"--against"_s, u"current"_s});
        QCOMPARE(done.exitCode, 0);
        QVERIFY2(!done.out.contains('\x1b') && !done.out.contains("\xe2\x80\xae"), done.out);
    }

    void a_gate_does_not_open_for_a_policy_that_does_not_load()
    {
        m_gateway->setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', netwrok: 'none' }");
        QCOMPARE(replay({u"--against"_s, u"current"_s, u"--fail-on"_s, u"loosened"_s}).exitCode, 78);
        QCOMPARE(replay({u"--against"_s, u"current"_s}).exitCode, 78);
    }

    void wrong_words_are_named_with_what_is_right_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("no configuration") << QStringList{} << QByteArray("--against takes recorded, current, ");
        QTest::newRow("no such form") << QStringList{u"--against"_s, u"yesterday"_s}
                                      << QByteArray("'yesterday' is not accepted");
        QTest::newRow("only what?") << QStringList{u"--against"_s, u"current"_s, u"--only"_s, u"better"_s}
                                    << QByteArray("it takes loosened, tightened, changed, not_replayable");
        QTest::newRow("filter") << QStringList{u"--against"_s, u"current"_s, u"tennant:acme"_s}
                                << QByteArray("filter, column 1: ");
        QTest::newRow("assumption") << QStringList{u"--against"_s, u"current"_s, u"--assume"_s, u"landlock=maybe"_s}
                                    << QByteArray("--assume: 'landlock=maybe' is not accepted");
    }
    void wrong_words_are_named_with_what_is_right()
    {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, said);
        const Done done = replay(words);
        QCOMPARE(done.exitCode, 64);
        QVERIFY2(done.err.contains(said), done.err);
        QVERIFY(done.out.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TstReplayCommand)
#include "tst_replay_command.moc"
