// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/reader.h"
#include "tests/support/describe_script.h"
#include "tests/support/walk_script.h"

#include <QTest>

#include <string>

using namespace portcullis;
using namespace portcullis::shell;
using portcullis::test::describe;

namespace {

constexpr Dialect bash = Dialect::Bash;
constexpr Dialect sh = Dialect::Sh;

std::string tree(std::string_view text, Dialect dialect = bash)
{
    const Reading reading = read(text, dialect);
    const std::string shown = describe(reading.script);
    return reading.stop ? shown + " stop@" + std::to_string(reading.stop->offset) : shown;
}

std::string slice(std::string_view text, Span span)
{
    return std::string(text.substr(span.start, span.length));
}

} // namespace

class TstReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void builds_the_tree_that_the_text_means_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("inBash");
        QTest::addColumn<QByteArray>("inSh");
        const auto row = [](const char *name, const char *text, const char *inBash, const char *inSh = nullptr) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(inBash) << QByteArray(inSh ? inSh : inBash);
        };
        row("quotes decode to one word", "c\"\"u'r'\\l x", "c''u'rl' x");
        row("a joined line is no separator", "su\\\ndo id", "sudo id");
        row("separators in quotes are text", "echo 'a;b' \"c|d\"", "echo 'a;b' 'c|d'");
        row("and, or, background", "a && b || c & d", "a && b || c &; d");
        row("pipeline of three", "a | b | c", "a | b | c");
        row("ANSI-C quoting is bash's", "$'\\x73u' x", "'su' x", "$'\\x73u' x");
        row("a NUL ends an ANSI-C string", "$'su\\0x'do", "'su'do", "$'su\\0x'do");
        row("locale quoting is bash's", "$\"su\" x", "'su' x", "$'su' x");
        row("a here-document waits for the line after a brace with lines inside", "cat <<A ${\ny}\nb\nA\nls",
            "cat ${\\ny} <<{'A'|'b\\n'}; ls");
        row("and for the line after commands in braces", "cat <<A ${ x\ny; }\nb\nA\nls",
            "cat $(x; y) <<{'A'|'b\\n'}; ls", "cat ${ x\\ny; } <<{'A'|'b\\n'}; ls");
        row("an unread here-document inside of braces is gone with them", "${ $(cat <<A) (; } y\nA\nls", " stop@0",
            "${ $(cat <<{'A'|}) (; } y; A; ls");
        row("default value", "${x:-a b}", "${x:-a b}");
        row("default value in quotes", "\"${x:-a 'b'}\"", "''${x:-'a 'b''}", "''${x:-'a 'b''}");
        row("a brace in quotes does not close", "${x:-'}'} y", "${x:-'}'} y");
        row("replacement", "${x//a/b}", "${x//a|b}", "${x//a/b}");
        row("substring", "${x:1:2}", "${x:'1'|'2'}", "${x:1:2}");
        row("length and its look-alikes", "${#x} ${#} ${##} ${#-1}", "${#x} ${#} ${##} ${#-1}");
        row("indirection", "${!x} ${!x@}", "${!x} ${!x@}", "${!x} ${!x@}");
        row("subscript", "${a[$(b)]}", "${a[$(b)]}", "${a[$(b)]}");
        row("nested substitutions", "a $(b `c \\`d\\``)", "a $(b $(c $(d)))");
        row("shift in arithmetic opens no document", "a $((1<<2))\nb\n2", "a $(('1<<2')); b; 2");
        row("two subshells that look like arithmetic", "a $((b) | (c))", "a $(subshell({b}) | subshell({c}))",
            " stop@14");
        row("arithmetic command", "((a))", "arith($(('a')))", "subshell({subshell({a})})");
        row("two subshells", "((a); b)", "subshell({subshell({a}); b})");
        row("test command", "[[ a || b ]]", "test(a || b)", "[[ a || b ]]");
        row("regular expression", "[[ a =~ (b|c d) ]] && e", "test(a =~ (b|c d)) && e", " stop@8");
        row("both streams to a file", "a &>b", "a &>{b}", "a &; >{b}");
        row("descriptor numbers", "a 12>b", "a 12>{b}", "a 12 >{b}");
        row("descriptor variable", "{x}>a b", "b {x}>{a}", "{x} b >{a}");
        row("closing is a token of its own in bash", "a >&-b", "a b >&{-}", "a >&{-b}");
        row("redirections anywhere", ">a b <c d 2>&1", "b d >{a} <{c} 2>&{1}");
        row("process substitution", "a <(b) >(c)", "a <(b) >(c)", " stop@3");
        row("assignments", "a=1 b+=2 c", "a=1 b+=2 c", "a=1 b+=2 c");
        row("array", "a=(b $(c)\nd) e", "a=(b $(c) d) e", " stop@2");
        row("array argument", "declare a=(b c) d", "declare a=(b c) d", " stop@10");
        row("what follows an array belongs to it", "a=(b)c d", "a=(b) d", " stop@2");
        row("element assignment", "a[$(b)]=c d", "a[$(b)]=c d", "a[$(b)]=c d");
        row("function", "f() { a; }; f", "function(f {group({a})}); f");
        row("function of a simple command", "f() a", " stop@4", "function(f {a})");
        row("function keyword", "function f { a; }", "function(f {group({a})})", " stop@16");
        row("if", "if a; then b; elif c; then d; else e; fi", "if({a} {b} {c} {d} else {e})");
        row("while and until", "while a; do b; done; until c; do d; done", "while({a} {b}); until({c} {d})");
        row("for", "for i in a b; do c; done", "for(i a b {c})");
        row("for with braces", "for i in a; { c; }", "for(i a {c})", " stop@12");
        row("for without in", "for i; do c; done", "for(i {c})");
        row("arithmetic for", "for ((i=0;i<1;i++)); do c; done", "forarith($(('i=0;i<1;i++')) {c})", " stop@4");
        row("case", "case a in (b|c) d;; *) e; esac", "case(a b|c) d;; *) e)");
        row("case fall through", "case a in b) c;& d) e;;& f) g;; esac", "case(a b) c;& d) e;;& f) g;;)", " stop@15");
        row("coproc", "coproc x { a; }", "coproc(x {group({a})})", " stop@14");
        row("negation and time", "! time -p a", "! time a", "! time -p a");
        row("negated subshell, not a pattern", "!(a)", "! subshell({a})");
        row("pattern list", "a @(b|c)", "a glob@[b|c]", " stop@3");
        row("extended function name", "f@() { a; }", "function(f@ {group({a})})", " stop@4");
        row("carriage return is a byte of the word", "a\r b", "a\r b");
        row("a comment ends at its line", "a # b\\\nc", "a; c");
        row("no comment inside a word", "a#b", "a#b");
    }
    void builds_the_tree_that_the_text_means()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, inBash);
        QFETCH(QByteArray, inSh);
        QCOMPARE(tree(text.toStdString(), bash), inBash.toStdString());
        QCOMPARE(tree(text.toStdString(), sh), inSh.toStdString());
    }

    void reads_here_documents_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("inBash");
        QTest::addColumn<QByteArray>("inSh");
        const auto row = [](const char *name, const char *text, const char *inBash, const char *inSh = nullptr) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(inBash) << QByteArray(inSh ? inSh : inBash);
        };
        row("expansions in the body", "a <<E\nx $(b) \\$y\nE\nc", "a <<{'E'|'x '$(b)' $y\\n'}; c");
        row("literal body", "a <<'E'\nx $(b)\nE\nc", "a <<{'E'|'x $(b)\\n'}; c");
        row("two on a line", "a <<E && b <<F\n1\nE\n2\nF\nc", "a <<{'E'|'1\\n'} && b <<{'F'|'2\\n'}; c");
        row("tabs go", "a <<-E\n\t1\n\tE\nc", "a <<-{'E'|'1\\n'}; c");
        row("spaces stay", "a <<-E\n E\nE\nc", "a <<-{'E'|' E\\n'}; c");
        row("the delimiter is compared decoded", "a <<E\"F\"\\G\n1\nEFG\nc", "a <<{'EFG'|'1\\n'}; c");
        row("no end", "a <<E\n1\nb", "a <<{'E'|'1\\nb'}");
        row("joined line is no end", "a <<E\nx\\\nE\nE\nc", "a <<{'E'|'xE\\n'}; c");
        row("end inside a substitution", "a <<E\n$(b <<F\nE\nF\n)\nE\n", "a <<{'E'|}; F stop@16",
            "a <<{'E'|$(b <<{'F'|'E\\n'})'\\n'}");
        row("document of a substitution", "a $(b <<E\n)\nE\n) c", "a $(b <<{'E'|')\\n'}) c");
        row("taken from the lines after", "a $(b <<E) c\nd\nE\ne", "a $(b <<{'E'|'d\\n'}) c; e",
            "a $(b <<{'E'|}) c; d; E; e");
        row("closed with the parenthesis", "a $(b <<E\n1\nE)\nc", "a $(b <<{'E'|'1\\n'}); c", " stop@16");
        row("expansion that does not end", "a <<E\n$(\nE\nb", "a <<{'E'|}; b stop@11", " stop@12");
        row("command on the same line", "a <<E; b\n1\nE", "a <<{'E'|'1\\n'}; b");
    }
    void reads_here_documents()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, inBash);
        QFETCH(QByteArray, inSh);
        QCOMPARE(tree(text.toStdString(), bash), inBash.toStdString());
        QCOMPARE(tree(text.toStdString(), sh), inSh.toStdString());
    }

    void keeps_complete_lines_before_an_error_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        const auto row = [](const char *name, const char *text, const char *shown) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(shown);
        };
        row("the line before", "a\n)", "a stop@2");
        row("not what stands on the same line", "a; b; )", " stop@6");
        row("the document belongs to its line", "a <<E\n1\nE\nb; (", "a <<{'E'|'1\\n'} stop@14");
        row("an open quote", "a\nb 'c\nd", "a stop@4");
        row("an open group", "a\n{\nb\n", "a stop@6");
        row("a stray reserved word", "a\nfi\nb", "a stop@2");
        row("two separators", "a\nb ; ; c", "a stop@6");
    }
    void keeps_complete_lines_before_an_error()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(tree(text.toStdString(), bash), shown.toStdString());
        QCOMPARE(tree(text.toStdString(), sh), shown.toStdString());
    }

    void goes_on_where_the_shell_goes_on_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isBash");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("error in backticks, bash")
            << QByteArray("a `b\n)`; c") << true << QByteArray("a $(b); c stop@5");
        QTest::newRow("error in backticks, dash") << QByteArray("a `(`; c") << false << QByteArray(" stop@4");
        QTest::newRow("dash ends a list in backticks silently")
            << QByteArray("a `b; ) x`; c") << false << QByteArray("a $(b); c");
        QTest::newRow("broken array") << QByteArray("a=(b;)\nc") << true << QByteArray("c stop@4");
        QTest::newRow("pattern list in an array") << QByteArray("a=(@(b)\nc\n)") << true << QByteArray("c stop@3");
    }
    void goes_on_where_the_shell_goes_on()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, isBash);
        QFETCH(QByteArray, shown);
        QCOMPARE(tree(text.toStdString(), isBash ? bash : sh), shown.toStdString());
    }

    void numbers_complete_commands()
    {
        const Reading reading = read("a; b\nc\n\n# x\nd &\n{\ne\nf; }", bash);
        std::vector<std::uint32_t> units;
        for (const AndOr &list : reading.script.lists)
            units.push_back(list.unit);
        QCOMPARE(units, (std::vector<std::uint32_t>{0, 0, 1, 2, 3}));
        const Script &group = *reading.script.lists.back().pipelines.front().commands.front().bodies.front();
        QCOMPARE(group.lists.back().unit, 1U);
    }

    void spans_are_offsets_of_the_text()
    {
        const std::string_view text = "a  \"b c\" >f; `d \\`e\\``\ng <<-E\n\t$(h)\n\tE\n";
        const Reading reading = read(text, bash);
        QVERIFY(!reading.stop);
        const Command &first = reading.script.lists[0].pipelines[0].commands[0];
        QCOMPARE(slice(text, first.span), std::string("a  \"b c\" >f"));
        QCOMPARE(slice(text, first.words[1].span), std::string("\"b c\""));
        QCOMPARE(slice(text, first.redirects[0].span), std::string(">f"));
        const std::vector<const Command *> commands = test::allCommands(reading.script);
        QCOMPARE(slice(text, commands.at(2)->words[0].span), std::string("d"));
        QCOMPARE(slice(text, commands.at(3)->words[0].span), std::string("e"));
        QCOMPARE(slice(text, commands.at(5)->span), std::string("h"));
    }

    void an_empty_text_is_an_empty_script()
    {
        for (const std::string_view text : {"", "\n", "# x", " \t", "\\\n"}) {
            QVERIFY(read(text, bash).script.lists.empty());
            QVERIFY(!read(text, bash).stop);
        }
    }

    void any_byte_is_accepted()
    {
        for (int byte = 0; byte < 256; ++byte) {
            const std::string text = std::string("a ") + static_cast<char>(byte) + " b\n$'" + static_cast<char>(byte);
            for (const Dialect dialect : {bash, sh})
                QVERIFY(read(text, dialect).steps > 0);
        }
    }
};

QTEST_GUILESS_MAIN(TstReader)
#include "tst_reader.moc"
