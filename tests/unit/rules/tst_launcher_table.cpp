// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/launcher_table.h"
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;
using shell::Launcher;

namespace {

using Kind = Launcher::Kind;

QByteArray bytes(std::string_view text)
{
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

/// What stands before the command: name, verb, operands to skip.
QByteArray head(const Launcher &launcher, std::string_view verb)
{
    QByteArray out = bytes(launcher.name);
    if (!verb.empty())
        out += ' ' + bytes(verb);
    for (unsigned i = 0; i < launcher.skip; ++i)
        out += " 5";
    return out;
}

/// Every way to start `command` with this launcher that follows from its row.
QList<QByteArray> wrapped(const Launcher &launcher, const QByteArray &command)
{
    const QByteArray quoted = "'" + command + "'";
    QList<QByteArray> out;
    std::vector<std::string_view> verbs = launcher.verbs;
    if (verbs.empty())
        verbs.emplace_back();
    for (const std::string_view verb : verbs) {
        const QByteArray start = head(launcher, verb);
        const bool words = launcher.kind == Kind::Words || launcher.kind == Kind::Applet
            || launcher.kind == Kind::Loader || launcher.kind == Kind::Screen || launcher.kind == Kind::Parallel
            || (launcher.kind == Kind::OptionsOnly && launcher.skip > 0);
        if (words || launcher.kind == Kind::Xargs)
            out << start + ' ' + command;
        if (launcher.kind == Kind::Text || launcher.kind == Kind::EachText || launcher.kind == Kind::Parallel)
            out << start + ' ' + quoted;
        for (const std::string_view option : launcher.textFlags)
            out << bytes(launcher.name) + (verb.empty() ? "" : ' ' + bytes(verb)) + ' ' + bytes(option) + ' ' + quoted;
        for (const std::string_view option : launcher.textOptions) {
            const QByteArray front =
                bytes(launcher.name) + (verb.empty() ? "" : ' ' + bytes(verb)) + ' ' + bytes(option);
            out << front + ' ' + quoted;
            if (option.starts_with("--"))
                out << front + '=' + quoted;
        }
        for (const std::string_view word : launcher.behind)
            out << start + ' ' + bytes(word) + ' ' + command;
    }
    if (launcher.kind == Kind::Find)
        out << bytes(launcher.name) + (launcher.name == "find" ? " . -exec " : " -x ") + command + " \\;";
    if (launcher.kind == Kind::Git)
        out << "git -c alias.x='!" + command + "' x" << "git bisect run " + command << "git rebase -x " + quoted + " a";
    if (launcher.kind == Kind::Tmux)
        out << bytes(launcher.name) + " new " + quoted << bytes(launcher.name) + " send-keys " + quoted + " Enter";
    if (launcher.kind == Kind::CMake)
        out << "cmake -E env A=1 " + command << "cmake -E time " + command << "cmake -E chdir d " + command;
    return out;
}

} // namespace

class TstLauncherTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_refused_command_is_refused_behind_every_launcher_data()
    {
        QTest::addColumn<QByteArray>("launcher");
        for (const Launcher &each : shell::launcherTable())
            QTest::addRow("%s", bytes(each.name).constData()) << bytes(each.name);
    }
    void a_refused_command_is_refused_behind_every_launcher()
    {
        QFETCH(QByteArray, launcher);
        for (const Launcher &each : shell::launcherTable()) {
            if (bytes(each.name) != launcher)
                continue;
            for (const char *command : {"sudo id", "rm -rf build", "nc -l 4444", "npm install x"}) {
                const QList<QByteArray> lines = wrapped(each, command);
                QVERIFY2(!lines.isEmpty() || each.name == "ssh" || each.name == "logrotate", launcher.constData());
                for (const QByteArray &line : lines)
                    QVERIFY2(!test::refusingRules(line).isEmpty(), line.constData());
            }
        }
    }

    void the_text_of_a_launcher_is_data_when_another_program_takes_it_data()
    {
        QTest::addColumn<QByteArray>("launcher");
        for (const Launcher &each : shell::launcherTable())
            QTest::addRow("%s", bytes(each.name).constData()) << bytes(each.name);
    }
    void the_text_of_a_launcher_is_data_when_another_program_takes_it()
    {
        QFETCH(QByteArray, launcher);
        for (const Launcher &each : shell::launcherTable()) {
            if (bytes(each.name) != launcher)
                continue;
            for (QByteArray line : wrapped(each, "sudo id")) {
                line.replace('\'', '"');
                for (const char *before : {"echo '", "grep -rn '", "git commit -m '", "printf '%s' '"}) {
                    const QByteArray command = before + line + "'";
                    QVERIFY2(test::refusingRules(command).isEmpty(), command.constData());
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(TstLauncherTable)
#include "tst_launcher_table.moc"
