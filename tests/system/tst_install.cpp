// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gateway.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using portcullis::test::Gateway;

namespace {

struct Ended {
    int code = -1;
    QByteArray out;
    QByteArray err;
};

Ended run(const QString &program, const QStringList &words)
{
    QProcess process;
    process.start(program, words);
    process.waitForFinished(120'000);
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace

class TstInstall : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void installed_programs_find_guard_rules_and_grants()
    {
        const QTemporaryDir prefix;
        const Ended installed = run(QStringLiteral("cmake"),
                                    {QStringLiteral("--install"), QStringLiteral(TEST_BIN_DIR "/.."),
                                     QStringLiteral("--prefix"), prefix.path()});
        QVERIFY2(installed.code == 0, installed.err.constData());
        const QString runner = prefix.path() + QStringLiteral("/bin/portcullis-runner");
        const Gateway gateway;
        const QStringList exec = QStringList{QStringLiteral("exec"), QStringLiteral("--tenant=acme")}
            + gateway.options() + QStringList{QStringLiteral("--")};
        const Ended allowed = run(runner, exec + QStringList{QStringLiteral("id -u; cat /etc/os-release | wc -l")});
        QVERIFY2(allowed.code == 0 && !allowed.out.startsWith("0"), allowed.err.constData());
        QCOMPARE(run(runner, exec + QStringList{QStringLiteral("sudo id")}).code, 77);
        const Ended refused = run(runner, exec + QStringList{QStringLiteral("cat /etc/shadow")});
        QVERIFY2(refused.code == 1 && refused.err.contains("Permission denied"), refused.err.constData());
    }

    void the_console_can_be_started_from_a_desktops_menu()
    {
        if (!QFile::exists(QStringLiteral(TEST_BIN_DIR "/portcullis")))
            QSKIP("this build has no console");
        const QTemporaryDir prefix;
        const Ended installed = run(QStringLiteral("cmake"),
                                    {QStringLiteral("--install"), QStringLiteral(TEST_BIN_DIR "/.."),
                                     QStringLiteral("--prefix"), prefix.path()});
        QVERIFY2(installed.code == 0, installed.err.constData());
        QFile entry(prefix.path() + QStringLiteral("/share/applications/portcullis.desktop"));
        QVERIFY(entry.open(QIODevice::ReadOnly));
        const QByteArray text = entry.readAll();
        QVERIFY(text.contains("\nExec=portcullis\n") && text.contains("\nIcon=portcullis\n"));
        QVERIFY(QFile::exists(prefix.path() + QStringLiteral("/bin/portcullis")));
        QVERIFY(QFile::exists(prefix.path() + QStringLiteral("/share/icons/hicolor/scalable/apps/portcullis.svg")));
    }

    void the_manual_tells_every_command_and_option()
    {
        const QTemporaryDir prefix;
        const Ended installed = run(QStringLiteral("cmake"),
                                    {QStringLiteral("--install"), QStringLiteral(TEST_BIN_DIR "/.."),
                                     QStringLiteral("--prefix"), prefix.path()});
        QVERIFY2(installed.code == 0, installed.err.constData());
        QFile file(prefix.path() + QStringLiteral("/share/man/man1/portcullis-runner.1"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString manual = QString::fromUtf8(file.readAll()).replace(QStringLiteral("\\-"), QStringLiteral("-"));
        const QString runner = prefix.path() + QStringLiteral("/bin/portcullis-runner");
        QStringList commands;
        static const QRegularExpression command(QStringLiteral("^  ([a-z]+) "), QRegularExpression::MultilineOption);
        static const QRegularExpression option(QStringLiteral("^  --([a-z-]+) "), QRegularExpression::MultilineOption);
        const QString help = QString::fromUtf8(run(runner, {QStringLiteral("--help")}).out);
        for (const QRegularExpressionMatch &match : command.globalMatch(help)) {
            QVERIFY2(manual.contains(QStringLiteral("\n.B ") + match.captured(1) + QLatin1Char('\n')),
                     qPrintable(match.captured(1)));
            commands.append(match.captured(1));
        }
        QVERIFY(commands.size() > 5);
        for (const QString &each : std::as_const(commands)) {
            const QString text = QString::fromUtf8(run(runner, {each, QStringLiteral("--help")}).out);
            for (const QRegularExpressionMatch &match : option.globalMatch(text))
                QVERIFY2(manual.contains(QStringLiteral("--") + match.captured(1)), qPrintable(match.captured(1)));
        }
    }

    void a_program_without_its_guard_runs_nothing()
    {
        const QTemporaryDir prefix;
        QVERIFY(run(QStringLiteral("cmake"),
                    {QStringLiteral("--install"), QStringLiteral(TEST_BIN_DIR "/.."), QStringLiteral("--prefix"),
                     prefix.path()})
                    .code
                == 0);
        QVERIFY(QFile::remove(prefix.path() + QStringLiteral("/libexec/portcullis/portcullis-guard")));
        const Gateway gateway;
        const Ended ended = run(prefix.path() + QStringLiteral("/bin/portcullis-runner"),
                                QStringList{QStringLiteral("exec"), QStringLiteral("--tenant=acme")} + gateway.options()
                                    + QStringList{QStringLiteral("--"), QStringLiteral("echo ran")});
        QVERIFY2(ended.code == 71, ended.err.constData());
        QVERIFY(ended.out.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TstInstall)
#include "tst_install.moc"
