// SPDX-License-Identifier: Apache-2.0

// The built console, as far as it can be seen without a window.

#include "tests/support/gateway.h"

#include <QFile>
#include <QProcess>
#include <QTest>

#include <csignal>

class TstConsoleProgram : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void refuses_the_vnc_platform_data();
    void refuses_the_vnc_platform();
    void answers_without_a_display();
    void says_that_there_is_no_display();
    void says_which_option_it_does_not_know_data();
    void says_which_option_it_does_not_know();
    void says_in_a_sentence_that_a_display_cannot_be_reached();
    void ends_cleanly_on_a_signal_data();
    void ends_cleanly_on_a_signal();

private:
    struct Done {
        int exitCode = -1;
        QByteArray out;
        QByteArray err;
    };
    static Done run(const QStringList &words, const QHash<QString, QString> &variables = {});
};

void TstConsoleProgram::initTestCase()
{
    if (!QFile::exists(QStringLiteral(TEST_BIN_DIR "/portcullis")))
        QSKIP("this build has no console");
}

TstConsoleProgram::Done TstConsoleProgram::run(const QStringList &words, const QHash<QString, QString> &variables)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QLatin1StringView(name));
    for (const auto &[name, value] : variables.asKeyValueRange())
        environment.insert(name, value);
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TEST_BIN_DIR "/portcullis"), words);
    if (!process.waitForFinished()) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

void TstConsoleProgram::refuses_the_vnc_platform_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("variable");
    QTest::addRow("by option") << QStringList{QStringLiteral("-platform"), QStringLiteral("vnc:port=59017")}
                               << QString();
    QTest::addRow("by option with two dashes")
        << QStringList{QStringLiteral("--platform"), QStringLiteral("vnc")} << QString();
    QTest::addRow("by variable") << QStringList{} << QStringLiteral("vnc:port=59017");
}

void TstConsoleProgram::refuses_the_vnc_platform()
{
    QFETCH(const QStringList, words);
    QFETCH(const QString, variable);
    QHash<QString, QString> variables;
    if (!variable.isEmpty())
        variables.insert(QStringLiteral("QT_QPA_PLATFORM"), variable);
    const Done done = run(words, variables);
    QCOMPARE(done.exitCode, 64);
    QVERIFY(done.err.contains("without a password"));
    QVERIFY(done.err.contains("ssh -X"));
}

void TstConsoleProgram::answers_without_a_display()
{
    QCOMPARE(run({QStringLiteral("--version")}).exitCode, 0);
    const Done help = run({QStringLiteral("--help")});
    QCOMPARE(help.exitCode, 0);
    QVERIFY(help.out.contains("--read-only"));
}

void TstConsoleProgram::says_that_there_is_no_display()
{
    const Done done = run({});
    QCOMPARE(done.exitCode, 69);
    QVERIFY(done.err.contains("no display"));
}

void TstConsoleProgram::says_which_option_it_does_not_know_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("display");
    const QStringList own{QStringLiteral("--tenant"), QStringLiteral("acme")};
    QTest::newRow("with a display") << own << QStringLiteral("offscreen");
    QTest::newRow("without one, which is not needed to see a mistake") << own << QString();
    QTest::newRow("behind options of Qt")
        << (QStringList{QStringLiteral("-style"), QStringLiteral("Fusion"), QStringLiteral("--platform=offscreen")}
            + own)
        << QString();
}

void TstConsoleProgram::says_which_option_it_does_not_know()
{
    QFETCH(const QStringList, words);
    QFETCH(const QString, display);
    QHash<QString, QString> variables;
    if (!display.isEmpty())
        variables.insert(QStringLiteral("QT_QPA_PLATFORM"), display);
    const Done done = run(words, variables);
    QCOMPARE(done.exitCode, 64);
    QVERIFY(done.err.contains("unknown option --tenant"));
}

void TstConsoleProgram::says_in_a_sentence_that_a_display_cannot_be_reached()
{
    const Done done = run({}, {{QStringLiteral("DISPLAY"), QStringLiteral(":59017")}});
    QCOMPARE(done.exitCode, 69);
    QVERIFY2(done.err.startsWith("portcullis: no window can be opened"), done.err.constData());
    QVERIFY2(!done.err.contains("plugin"), done.err.constData());
}

void TstConsoleProgram::ends_cleanly_on_a_signal_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGTERM, from a service manager or at logout") << SIGTERM;
    QTest::newRow("SIGINT, Ctrl-C in the terminal it was started from") << SIGINT;
    QTest::newRow("SIGHUP, that terminal is closed") << SIGHUP;
}

void TstConsoleProgram::ends_cleanly_on_a_signal()
{
    QFETCH(int, signal);
    const portcullis::test::Gateway gateway;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), gateway.root() + QStringLiteral("/settings"));
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TEST_BIN_DIR "/portcullis"), gateway.options());
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(gateway.auditDb()), 30'000); // its engine is there
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    QVERIFY2(QFile::exists(gateway.root() + QStringLiteral("/settings/portcullis/console.ini")),
             "the layout was not kept: it did not end by way of its own shutdown");
}

QTEST_GUILESS_MAIN(TstConsoleProgram)
#include "tst_console_program.moc"
