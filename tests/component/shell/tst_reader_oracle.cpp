// SPDX-License-Identifier: Apache-2.0

// The reader against the shells themselves. The texts of the corpus call nothing but true, echo, cat and a marker
// program with the name `sudo`, which are the only programs on PATH; each runs in a directory of its own.

#include "runner/shell/reader.h"
#include "tests/support/describe_script.h"
#include "tests/support/must_work.h"
#include "tests/support/shell_corpus.h"
#include "tests/support/walk_script.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <set>

using namespace portcullis;
using namespace portcullis::shell;

namespace {

struct Shell {
    std::string name;
    QString program;
    Dialect dialect;
};

struct Ran {
    bool marked = false;
    bool syntaxError = false;
};

bool seesMarker(const Script &script)
{
    return std::ranges::any_of(test::callWords(script), [](const std::string &word) { return word.ends_with("sudo"); });
}

bool has(const std::vector<std::string> &names, const std::string &name)
{
    return std::ranges::contains(names, name);
}

/// The calls that shfmt sees: literal first words of its CallExpr nodes.
void collectCalls(const QJsonValue &value, std::vector<std::string> &calls)
{
    if (value.isArray()) {
        for (const QJsonValue &item : value.toArray())
            collectCalls(item, calls);
        return;
    }
    const QJsonObject node = value.toObject();
    if (node[u"Type"].toString() == u"CallExpr") {
        std::string text;
        bool known = node.contains(u"Args");
        for (const QJsonValue &part : node[u"Args"][0][u"Parts"].toArray()) {
            known = known && part[u"Type"].toString() == u"Lit";
            text += part[u"Value"].toString().toStdString();
        }
        if (known && !text.contains('\\'))
            calls.push_back(text);
    }
    for (const QJsonValue &child : node)
        collectCalls(child, calls);
}

} // namespace

class TstReaderOracle : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        QDir root(m_dir.path());
        QVERIFY(root.mkdir(QStringLiteral("bin")) && root.mkdir(QStringLiteral("work")));
        for (const QString &name : {QStringLiteral("true"), QStringLiteral("echo"), QStringLiteral("cat")}) {
            const QString real = QStandardPaths::findExecutable(name);
            QVERIFY(!real.isEmpty() && QFile::link(real, root.filePath(QStringLiteral("bin/") + name)));
        }
        QFile marker(root.filePath(QStringLiteral("bin/sudo")));
        QVERIFY(marker.open(QIODevice::WriteOnly));
        marker.write("#!/bin/sh\n: > \"$MARK\"\n");
        marker.close();
        QVERIFY(marker.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        for (const auto &[name, dialect] : {std::pair{"bash", Dialect::Bash}, std::pair{"dash", Dialect::Sh}}) {
            const QString program = QStandardPaths::findExecutable(QString::fromLatin1(name));
            if (!program.isEmpty())
                m_shells.push_back({name, program, dialect});
        }
        PORTCULLIS_REQUIRE(m_shells.size() == 2, "bash and dash are needed");
    }

    void the_reader_sees_what_the_shells_run()
    {
        int runs = 0;
        for (const test::ShellText &entry : test::shellCorpus()) {
            for (const Shell &shell : m_shells) {
                const Reading reading = read(entry.text, shell.dialect);
                const bool seen = seesMarker(reading.script);
                const bool certain = seen && !has(entry.mayNotRun, shell.name);
                const Ran ran = run(shell, entry.text, certain);
                const std::string what =
                    shell.name + ": " + entry.text + "\n  read as: " + test::describe(reading.script);
                QVERIFY2(seen || !ran.marked, ("hidden, " + what).c_str());
                if (certain)
                    QVERIFY2(ran.marked, ("phantom, " + what).c_str());
                // What the corpus says of it is what other tests and tools take for true without running anything.
                QVERIFY2(ran.marked == has(entry.ran, shell.name), ("not as its `ran` says, " + what).c_str());
                if (!has(entry.unclearSyntax, shell.name))
                    QVERIFY2(ran.syntaxError == reading.stop.has_value(), ("syntax, " + what).c_str());
                runs += ran.marked ? 1 : 0;
            }
        }
        QVERIFY2(runs > 500, std::to_string(runs).c_str()); // the marker really works
    }

    void the_reader_sees_every_call_that_shfmt_sees()
    {
        const QString shfmt = QStandardPaths::findExecutable(QStringLiteral("shfmt"));
        PORTCULLIS_REQUIRE(!shfmt.isEmpty(), "shfmt is not installed");
        int compared = 0;
        for (const auto &[path, dialect] : systemScripts()) {
            const std::optional<QByteArray> text = contents(path);
            QVERIFY(text);
            QProcess process;
            const QString language = dialect == Dialect::Bash ? QStringLiteral("bash") : QStringLiteral("posix");
            process.start(shfmt, {QStringLiteral("--to-json"), QStringLiteral("-ln"), language});
            QVERIFY(process.waitForStarted());
            process.write(*text);
            process.closeWriteChannel();
            QVERIFY(process.waitForFinished());
            if (process.exitCode() != 0)
                continue; // shfmt's own limits
            std::vector<std::string> theirs;
            collectCalls(QJsonDocument::fromJson(process.readAllStandardOutput()).object(), theirs);
            std::multiset<std::string> ours;
            const Reading reading = read(std::string_view(*text), dialect);
            for (std::string &word : test::callWords(reading.script))
                ours.insert(std::move(word));
            for (const std::string &word : theirs) {
                const auto found = ours.find(word);
                QVERIFY2(found != ours.end(), (path.toStdString() + ": " + word).c_str());
                ours.erase(found);
            }
            ++compared;
        }
        QVERIFY(compared > 0);
    }

    /// Of every program folder; the shells of this system start them each day.
    void scripts_of_this_system_are_read_to_the_end()
    {
        int clean = 0;
        QStringList refused;
        for (const auto &[path, dialect] : systemScripts()) {
            const std::optional<QByteArray> text = contents(path);
            QVERIFY(text);
            // Files may be larger than commands; the limits are those of a command by the byte.
            const auto size = static_cast<std::uint64_t>(text->size());
            const Reading reading =
                read(std::string_view(*text), dialect, {.steps = std::max(ReadLimits().steps, size * 64)});
            if (!reading.stop) {
                ++clean;
                continue;
            }
            QVERIFY2(reading.stop->reason == DynamicReason::Syntax, qPrintable(path));
            // What we do not understand the shell must refuse too (a Perl program that starts as a shell script, a file
            // of which only the first lines are for the shell).
            QProcess process;
            process.start(dialect == Dialect::Bash ? QStringLiteral("bash") : QStringLiteral("dash"),
                          {QStringLiteral("-n"), path});
            QVERIFY(process.waitForFinished());
            QVERIFY2(process.exitCode() != 0, qPrintable(path));
            refused += path;
        }
        qInfo("%d scripts read to the end; by the shell refused too: %s", clean, qPrintable(refused.join(u' ')));
        PORTCULLIS_REQUIRE(clean + refused.size() >= 20, "a system with shell scripts is needed");
        QVERIFY(clean > refused.size());
    }

private:
    static std::optional<QByteArray> contents(const QString &path)
    {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            return std::nullopt;
        return file.readAll();
    }

    /// Readable files below the usual folders whose first line names sh, dash or bash.
    static std::vector<std::pair<QString, Dialect>> systemScripts()
    {
        std::vector<std::pair<QString, Dialect>> scripts;
        std::set<QString> known; // by several names
        for (const QString &folder :
             {QStringLiteral("/usr/bin"), QStringLiteral("/usr/sbin"), QStringLiteral("/bin"), QStringLiteral("/sbin"),
              QStringLiteral("/usr/lib"), QStringLiteral("/usr/libexec"), QStringLiteral("/etc/init.d")}) {
            QDirIterator files(folder, QDir::Files | QDir::Readable, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                const QString real = QFileInfo(file).canonicalFilePath();
                if (known.contains(real) || !file.open(QIODevice::ReadOnly) || file.read(2) != "#!")
                    continue;
                known.insert(real);
                const QByteArrayList words = file.readLine(200).simplified().split(' ');
                QByteArray name = words.front().split('/').back();
                if (name == "env" && words.size() > 1)
                    name = words.at(1);
                if (name == "bash")
                    scripts.emplace_back(file.fileName(), Dialect::Bash);
                else if (name == "sh" || name == "dash")
                    scripts.emplace_back(file.fileName(), Dialect::Sh);
            }
        }
        return scripts;
    }

    /// Background commands and >(…) may still be at work when the shell has ended: longer when it must come.
    Ran run(const Shell &shell, const std::string &text, bool certain)
    {
        const QTemporaryDir work(m_dir.filePath(QStringLiteral("work/x")));
        const QString mark = m_dir.filePath(QStringLiteral("mark"));
        QFile::remove(mark);
        Ran ran;
        start(shell, work.path(), mark, {QStringLiteral("-c")}, text);
        const bool late = text.contains('>') || text.contains('&');
        ran.marked = QTest::qWaitFor([&mark] { return QFile::exists(mark); }, certain ? 5000 : late ? 50 : 0);
        ran.syntaxError = start(shell, work.path(), mark, {QStringLiteral("-n"), QStringLiteral("-c")}, text);
        return ran;
    }

    /// True when the shell says that the text has an error.
    bool start(const Shell &shell, const QString &directory, const QString &mark, QStringList arguments,
               const std::string &text)
    {
        QProcess process;
        QProcessEnvironment environment;
        environment.insert(QStringLiteral("PATH"), m_dir.filePath(QStringLiteral("bin")));
        environment.insert(QStringLiteral("MARK"), mark);
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(directory);
        process.setStandardInputFile(QProcess::nullDevice());
        process.setStandardOutputFile(QProcess::nullDevice());
        // Qt takes a byte order mark at the start for its own: it gets one, and that of the text stays.
        arguments.append(QFile::decodeName("\xEF\xBB\xBF" + QByteArray::fromStdString(text)));
        process.start(shell.program, arguments);
        if (!process.waitForFinished(5000)) {
            process.kill();
            process.waitForFinished();
        }
        const QByteArray said = process.readAllStandardError();
        return process.exitCode() != 0 || said.contains("syntax error") || said.contains("conditional");
    }

    QTemporaryDir m_dir;
    std::vector<Shell> m_shells;
};

QTEST_GUILESS_MAIN(TstReaderOracle)
#include "tst_reader_oracle.moc"
