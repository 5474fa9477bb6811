// SPDX-License-Identifier: Apache-2.0

// tools/attack against the built runner: every case right, and it tells when one is not.

#include "tests/support/must_work.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;

namespace {

struct Attacked {
    int exitCode = -1;
    QByteArray out;
    QByteArray err;
};

Attacked attack(const QStringList &words)
{
    QProcess process;
    process.start(u"python3"_s, QStringList{QStringLiteral(TEST_SOURCE_DIR "/tools/attack")} + words);
    process.waitForFinished(120'000);
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

void put(const QString &path, const QByteArray &text)
{
    QVERIFY(QDir().mkpath(path.section(u'/', 0, -2)));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
}

/// A folder of cases with one command of this kind and verdict, and one shell text.
void putCases(const QString &folder, const QByteArray &command, const QByteArray &verdict, bool ran)
{
    put(folder + u"/gateway.json5"_s, "{ data_dir: '/srv/gateway/data' }");
    put(folder + u"/policies/acme.json"_s, "{ version: 1, tenant: 'acme' }");
    put(folder + u"/field-cases.json"_s,
        "[{\"id\": \"D1\", \"kind\": \"deny\", \"command\": \"" + command
            + "\", \"context\": \"tenant acme\", \"verdict\": \"" + verdict
            + "\", \"groups\": [\"destructive_ops\"]}, {\"id\": \"X1\", \"kind\": \"exec\", \"verdict\": "
              "\"behaviour\"}]");
    put(folder + u"/shell/readings.json"_s,
        R"([{"id": "S1", "name": "n", "text": "true && sudo id", "bash": true, "dash": )"
            + QByteArray(ran ? "true" : "false") + "}]");
}

} // namespace

class TstAttack : public QObject
{
    Q_OBJECT

    const QString m_runner = QStringLiteral(TEST_BIN_DIR "/portcullis-runner");

private Q_SLOTS:
    void initTestCase()
    {
        PORTCULLIS_REQUIRE(!QStandardPaths::findExecutable(u"python3"_s).isEmpty(), "python3 is not installed");
    }

    void every_case_of_the_repository_is_right_and_plain_patterns_are_not()
    {
        const Attacked done = attack({m_runner});
        QVERIFY2(done.exitCode == 0, done.out + done.err);
        for (const char *row : {"bypasses", "everyday", "undecidable", "none hidden"}) {
            const qsizetype start = done.out.indexOf(row);
            const QByteArray line = done.out.mid(start, done.out.indexOf('\n', start) - start);
            QVERIFY2(start >= 0 && line.count("100.0 %") == 1, done.out); // ours, not theirs
        }
        QVERIFY(done.out.contains("\nplain patterns, wrong: "));
    }

    void the_cases_of_a_folder_are_asked_and_a_wrong_answer_is_told_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArray>("verdict");
        QTest::addColumn<bool>("ran");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("wrong");
        const QByteArray none;
        QTest::newRow("all right") << QByteArray("rm -rf x") << QByteArray("deny") << true << 0 << none;
        QTest::newRow("a bypass") << QByteArray("ls") << QByteArray("deny") << true << 1 << QByteArray("D1");
        QTest::newRow("a bypass that is refused for another reason")
            << QByteArray("sudo id") << QByteArray("deny") << true << 1 << QByteArray("D1");
        QTest::newRow("a false alarm") << QByteArray("rm -rf x") << QByteArray("allow") << true << 1
                                       << QByteArray("D1");
        QTest::newRow("a sure answer where there is none")
            << QByteArray("ls") << QByteArray("undecidable") << true << 1 << QByteArray("D1");
        QTest::newRow("a call that no shell makes")
            << QByteArray("rm -rf x") << QByteArray("deny") << false << 1 << QByteArray("S1-dash");
    }
    void the_cases_of_a_folder_are_asked_and_a_wrong_answer_is_told()
    {
        QFETCH(QByteArray, command);
        QFETCH(QByteArray, verdict);
        QFETCH(bool, ran);
        QFETCH(QByteArray, wrong);
        QTemporaryDir folder;
        putCases(folder.path(), command, verdict, ran);
        const Attacked done = attack({u"--cases"_s, folder.path(), m_runner});
        QVERIFY2(done.err.isEmpty(), done.err);
        QTEST(done.exitCode, "exitCode");
        QCOMPARE(done.out.contains("\nPortcullis, wrong: 1\n"), !wrong.isEmpty());
        QVERIFY2(wrong.isEmpty() || done.out.contains("\n  " + wrong + ' '), done.out);
    }

    void a_runner_that_does_not_answer_is_no_success()
    {
        const Attacked done = attack({u"/bin/false"_s});
        QCOMPARE(done.exitCode, 2);
        QVERIFY2(done.err.contains("0 answers to"), done.err);
        for (const QString &other : {u"/nonexistent"_s, u"/bin/echo"_s}) {
            const Attacked none = attack({other});
            QCOMPARE(none.exitCode, 2);
            QVERIFY2(none.err.startsWith("attack: ") && !none.err.contains("Traceback"), none.err);
        }
    }
};

QTEST_GUILESS_MAIN(TstAttack)
#include "tst_attack.moc"
