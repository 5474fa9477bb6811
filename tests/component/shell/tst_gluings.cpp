// SPDX-License-Identifier: Apache-2.0

// The evaluator against the shells themselves, with texts nobody thought of. What it does not see it must not be sure
// of: where the marker program ran, it was named or something was said to be unknown. Set PORTCULLIS_GLUINGS to the
// number of texts and PORTCULLIS_GLUINGS_SEED to where they begin, or to `now` for others each time.

#include "tests/support/describe_evaluation.h"
#include "tests/support/gluings.h"
#include "tests/support/must_work.h"
#include "tests/support/shell_corpus.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include <algorithm>
#include <random>

using namespace portcullis;
using namespace Qt::Literals::StringLiterals;

namespace {

struct Shell {
    QString program;
    Dialect dialect;
};

bool names(const shell::Evaluation &evaluation)
{
    return test::starts(evaluation, "sudo");
}

bool unsure(const shell::Evaluation &evaluation)
{
    return !evaluation.constructs.empty() || std::ranges::any_of(evaluation.dynamic, [](const auto &note) {
        return note.reason != DynamicReason::Option && note.reason != DynamicReason::Loop;
    });
}

shell::Evaluation evaluated(const std::string &text, Dialect dialect)
{
    return test::evaluated(text, dialect);
}

} // namespace

class TstGluings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        QDir root(m_dir.path());
        QVERIFY(root.mkdir(u"bin"_s) && root.mkdir(u"work"_s));
        for (const QString &name : {u"true"_s, u"cat"_s, u"env"_s, u"bash"_s, u"dash"_s}) {
            const QString real = QStandardPaths::findExecutable(name);
            PORTCULLIS_REQUIRE(!real.isEmpty(), "bash and dash are needed");
            const QString link = name == u"dash" ? u"sh"_s : name;
            QVERIFY(QFile::link(real, root.filePath(u"bin/"_s + link)));
        }
        QFile marker(root.filePath(u"bin/sudo"_s));
        QVERIFY(marker.open(QIODevice::WriteOnly));
        marker.write("#!/bin/sh\n: > '" + QFile::encodeName(m_dir.filePath(u"mark"_s)) + "'\n");
        marker.close();
        QVERIFY(marker.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        m_shells = {{root.filePath(u"bin/bash"_s), Dialect::Bash}, {root.filePath(u"bin/sh"_s), Dialect::Sh}};
    }

    void the_evaluator_is_never_sure_that_a_program_does_not_start_which_starts()
    {
        const int count = std::max(qEnvironmentVariable("PORTCULLIS_GLUINGS", u"1000"_s).toInt(), 1);
        const QString given = qEnvironmentVariable("PORTCULLIS_GLUINGS_SEED", u"20261130"_s);
        const quint64 seed = given == u"now" ? std::random_device()() : given.toULongLong();
        qInfo("seed %llu, %d texts", static_cast<unsigned long long>(seed), count);
        test::Gluings gluings(seed);
        int tried = 0;
        int ran = 0;
        int exact = 0;
        int sure = 0;
        int named = 0; ///< for sure
        int idle = 0; ///< … and it did not run
        QStringList hidden;
        for (int i = 0; i < count; ++i) {
            const std::vector<std::string> statements = gluings.next();
            for (const Shell &shell : m_shells) {
                const std::string text = test::Gluings::joined(statements);
                const shell::Evaluation evaluation = evaluated(text, shell.dialect);
                const bool seen = names(evaluation);
                if ((seen || unsure(evaluation)) && i % 8 != 0)
                    continue; // nothing that the shell does can show a fault
                const bool marked = runs(shell, text);
                ++tried;
                sure += unsure(evaluation) ? 0 : 1;
                ran += marked ? 1 : 0;
                exact += marked && seen ? 1 : 0;
                named += seen && !unsure(evaluation) ? 1 : 0;
                idle += seen && !unsure(evaluation) && !marked ? 1 : 0;
                if (marked && !seen && !unsure(evaluation)) {
                    hidden += shell.program.section(u'/', -1) + u": "_s + smallest(shell, statements);
                    qInfo("text %d: %s", i, qPrintable(hidden.back()));
                }
            }
        }
        qInfo("of %d readings tried the marker ran in %d and was named in %d of them; %d were sure", tried, ran, exact,
              sure);
        qInfo("of %d sure readings that named it, it did not run in %d: a branch that was not taken", named, idle);
        QVERIFY2(hidden.isEmpty(), qPrintable(u"hidden:\n"_s + hidden.join(u"----\n"_s)));
        QVERIFY2(ran * 40 > tried && exact * 2 > ran && sure * 10 > tried, "the texts show nothing");
    }

    /// Texts that were thought of, in both directions: nothing runs unseen, and what is said to start starts.
    void the_evaluator_says_of_known_texts_what_the_shells_start()
    {
        int ran = 0;
        int idle = 0;
        QStringList wrong;
        const std::vector<std::string> texts = test::startedTexts();
        QVERIFY(texts.size() > 200);
        for (const std::string &text : texts) {
            for (const Shell &shell : m_shells) {
                const shell::Evaluation evaluation = evaluated(text, shell.dialect);
                const bool marked = runs(shell, text);
                (marked ? ran : idle) += 1;
                if (marked != names(evaluation) && !unsure(evaluation))
                    wrong += shell.program.section(u'/', -1) + (marked ? u" hidden: "_s : u" phantom: "_s)
                        + QString::fromStdString(text);
            }
        }
        qInfo("the marker ran %d times and did not run %d times", ran, idle);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u"\n"_s)));
        QVERIFY(ran > 100 && idle > 50);
    }

private:
    /// As few of the statements as still show the fault.
    QString smallest(const Shell &shell, std::vector<std::string> statements)
    {
        for (std::size_t i = 0; i < statements.size() && statements.size() > 1;) {
            std::vector<std::string> fewer = statements;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            const std::string text = test::Gluings::joined(fewer);
            const shell::Evaluation evaluation = evaluated(text, shell.dialect);
            if (!names(evaluation) && !unsure(evaluation) && runs(shell, text))
                statements = std::move(fewer);
            else
                ++i;
        }
        return QString::fromStdString(test::Gluings::joined(statements));
    }

    /// Whether the marker program was started.
    bool runs(const Shell &shell, const std::string &text)
    {
        const QTemporaryDir work(m_dir.filePath(u"work/x"_s));
        const QString mark = m_dir.filePath(u"mark"_s);
        QFile::remove(mark);
        QProcess process;
        QProcessEnvironment environment;
        environment.insert(u"PATH"_s, m_dir.filePath(u"bin"_s));
        environment.insert(u"HOME"_s, work.path());
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(work.path());
        process.setStandardInputFile(QProcess::nullDevice());
        process.setStandardOutputFile(QProcess::nullDevice());
        process.setStandardErrorFile(QProcess::nullDevice());
        process.setChildProcessModifier([] {
            setsid();
            const rlimit time{1, 1};
            const rlimit stack{1 << 19, 1 << 19}; // functions that call themselves end soon
            const rlimit size{1 << 20, 1 << 20};
            const rlimit none{0, 0};
            setrlimit(RLIMIT_CPU, &time);
            setrlimit(RLIMIT_STACK, &stack);
            setrlimit(RLIMIT_FSIZE, &size);
            setrlimit(RLIMIT_CORE, &none);
        });
        process.start(shell.program, {u"-c"_s, QFile::decodeName(QByteArray::fromStdString(text))});
        const auto group = static_cast<pid_t>(process.processId());
        const bool finished = process.waitForFinished(5000);
        if (group > 0) // what it left in the background would leave its mark in the time of another text
            kill(-group, SIGKILL);
        if (!finished)
            process.waitForFinished();
        return QFile::exists(mark);
    }

    QTemporaryDir m_dir;
    std::vector<Shell> m_shells;
};

QTEST_GUILESS_MAIN(TstGluings)
#include "tst_gluings.moc"
