// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/reader.h"
#include "tests/support/describe_script.h"
#include "tests/support/shell_corpus.h"

#include <QTest>

#include <string>

using namespace portcullis;
using namespace portcullis::shell;

namespace {

constexpr std::size_t hostileBytes = 124 * 1024; // the longest command

std::string repeated(std::string_view part, std::size_t bytes)
{
    std::string text;
    while (text.size() < bytes)
        text += part;
    text.resize(bytes);
    return text;
}

const char *const hostileParts[] = {
    "$(",
    "$((",
    "$(( (",
    "((((",
    "`",
    "\\`",
    "${a:-",
    "\"${a:-",
    "\"${a:-'",
    "${a[",
    "${ ",
    "$[",
    "<(",
    "<((",
    "\"$(",
    "\"$((\"",
    "a[$(",
    "a[[",
    "a=(",
    "a=(@(\n",
    "a=(;\n",
    "{ ",
    "( ",
    "if ",
    "while ",
    "for i in ",
    "case x in x) ",
    "! ",
    "time ",
    "!(",
    "@(",
    "a@(b|",
    "f()",
    "f() { ",
    "function f ",
    "coproc ",
    "coproc $(",
    "[[ (",
    "[[ ! ",
    "[[ a =~ ((",
    "[[ a =~ (\"$(",
    "cat <<A;",
    "cat <<A\nA\n",
    "cat <<A ",
    "$(cat <<A\n",
    "$(cat <<A)\n",
    "$(cat <<A) ",
    "cat <<A\n$(",
    "cat <<A\n`",
    "x;",
    "x&&",
    "x|",
    "x\n",
    "\\\n",
    "#\n",
    "'",
    "\"",
    "$'\\",
    "$x",
    "1",
    "{a",
    "2>&1 ",
    "a=b ",
    "((a) ",
    "$((a) ",
    "$((a)+(",
    "$((\"$((",
    "$((\"${a:-$((",
    "$((`$((",
    "((((a) ",
    "$(((a) ",
    "[",
    "a[b]",
    ">f ",
    "<<<a ",
    "{x}>a ",
    "\xff",
    "\n;",
    "${a/",
    "${a:",
    "'\n",
};

} // namespace

class TstReaderLimits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hostile_text_costs_bounded_steps_data()
    {
        QTest::addColumn<QByteArray>("part");
        for (const char *part : hostileParts)
            QTest::addRow("%s", QByteArray(part).toPercentEncoding().constData()) << QByteArray(part);
    }
    void hostile_text_costs_bounded_steps()
    {
        QFETCH(QByteArray, part);
        const ReadLimits limits;
        for (const Dialect dialect : {Dialect::Bash, Dialect::Sh}) {
            const Reading reading = read(repeated(part.toStdString(), hostileBytes), dialect, limits);
            // One more step than the budget may be a long one: a line or a quoted string.
            QVERIFY2(reading.steps <= limits.steps + hostileBytes, std::to_string(reading.steps).c_str());
            if (reading.steps > limits.steps) {
                QVERIFY(reading.stop);
                QCOMPARE(reading.stop->reason, DynamicReason::Budget);
            }
        }
    }

    void work_grows_with_the_text_and_not_with_its_square_data() { hostile_text_costs_bounded_steps_data(); }
    void work_grows_with_the_text_and_not_with_its_square()
    {
        QFETCH(QByteArray, part);
        // Each of these documents reaches to the end of the text, and bash reads on behind the first one's start.
        const bool quadratic =
            part.startsWith("$(cat <<A\n") || part.startsWith("a=(@") || part.startsWith("$(cat <<A)\n");
        for (const Dialect dialect : {Dialect::Bash, Dialect::Sh}) {
            const std::uint64_t small = read(repeated(part.toStdString(), 4 * 1024), dialect).steps;
            const std::uint64_t large = read(repeated(part.toStdString(), 16 * 1024), dialect).steps;
            const std::uint64_t factor = quadratic ? 17 : 5;
            QVERIFY2(large <= factor * small + 1000,
                     qPrintable(QString::number(small) + QLatin1Char(' ') + QString::number(large)));
        }
    }

    void nesting_stops_at_its_limit_and_keeps_what_was_before()
    {
        std::string text = "a\n";
        for (int i = 0; i < 300; ++i)
            text += "$(";
        const Reading reading = read(text, Dialect::Bash);
        QCOMPARE(test::describe(reading.script), std::string("a"));
        QVERIFY(reading.stop);
        QCOMPARE(reading.stop->reason, DynamicReason::Budget);
        QVERIFY(reading.stop->offset > 2 && reading.stop->offset < text.size());
    }

    void the_step_budget_stops_and_keeps_what_was_before()
    {
        std::string text = "a\n";
        for (int i = 0; i < 1000; ++i)
            text += "echo b;";
        const Reading reading = read(text, Dialect::Bash, {.nesting = 100, .steps = 1000});
        QCOMPARE(test::describe(reading.script), std::string("a"));
        QVERIFY(reading.stop);
        QCOMPARE(reading.stop->reason, DynamicReason::Budget);
        QVERIFY(reading.steps < 1100);
    }

    void moderate_nesting_is_read()
    {
        std::string text = "sudo id";
        for (int i = 0; i < 30; ++i)
            text = "echo \"$(" + text + ")\"";
        QVERIFY(!read(text, Dialect::Bash).stop);
        QVERIFY(!read(text, Dialect::Sh).stop);
    }

    void a_reading_is_the_same_every_time()
    {
        for (const test::ShellText &entry : test::shellCorpus()) {
            for (const Dialect dialect : {Dialect::Bash, Dialect::Sh}) {
                const Reading one = read(entry.text, dialect);
                const Reading two = read(entry.text, dialect);
                QCOMPARE(test::describe(one.script), test::describe(two.script));
                QCOMPARE(one.steps, two.steps);
            }
        }
    }

    void every_prefix_and_every_tail_of_the_corpus_is_read()
    {
        QVERIFY(test::shellCorpus().size() >= 250);
        for (const test::ShellText &entry : test::shellCorpus()) {
            for (std::size_t i = 0; i <= entry.text.size(); ++i) {
                const std::string_view text = entry.text;
                for (const Dialect dialect : {Dialect::Bash, Dialect::Sh}) {
                    for (const std::string_view piece : {text.substr(0, i), text.substr(i)}) {
                        const Reading reading = read(piece, dialect);
                        QVERIFY(!reading.stop || reading.stop->offset <= piece.size());
                        QVERIFY(reading.script.span.end() <= piece.size());
                    }
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(TstReaderLimits)
#include "tst_reader_limits.moc"
