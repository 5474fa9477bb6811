// SPDX-License-Identifier: Apache-2.0
#include "tests/support/describe_evaluation.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::shell;

class TstEvaluateWords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void expands_words_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<bool>("sh");
        QTest::newRow("quotes and backslashes vanish")
            << QByteArray("r''m -'r'\"f\" b\\uild") << QStringLiteral("rm -rf build") << false;
        QTest::newRow("an ANSI-C string is decoded")
            << QByteArray("$'\\x72\\x6d' $'\\55rf' build") << QStringLiteral("rm -rf build") << false;
        QTest::newRow("an unset variable is empty")
            << QByteArray("su$nope'do' id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("an empty unquoted word vanishes from the command word")
            << QByteArray("$nope sudo id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a quoted empty word stays")
            << QByteArray("echo \"\" ''") << QStringLiteral("echo '' ''") << false;
        QTest::newRow("$IFS separates words")
            << QByteArray("rm${IFS}-rf${IFS}build") << QStringLiteral("rm -rf build") << false;
        QTest::newRow("a value is split where it is not quoted")
            << QByteArray("x='sudo id'; $x") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a value is not split inside quotes")
            << QByteArray("x='sudo id'; \"$x\"") << QStringLiteral("'sudo id'") << false;
        QTest::newRow("IFS set to another byte splits there")
            << QByteArray("IFS=_; x=sudo_id; $x") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a blank at the end of a value ends the word")
            << QByteArray("x=sudo$IFS; $x") << QStringLiteral("sudo") << false;
        QTest::newRow("variables are joined")
            << QByteArray("a=r; b=m; $a$b -rf build") << QStringLiteral("rm -rf build") << false;
        QTest::newRow("braces make words") << QByteArray("{sudo,id}") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("braces make alternatives inside a word")
            << QByteArray("cat /srv/{a,b{1,2}}/x") << QStringLiteral("cat /srv/a/x /srv/b1/x /srv/b2/x") << false;
        QTest::newRow("a brace sequence counts with zeros")
            << QByteArray("echo {08..10}") << QStringLiteral("echo 08 09 10") << false;
        QTest::newRow("a brace sequence counts letters down")
            << QByteArray("echo {c..a}") << QStringLiteral("echo c b a") << false;
        QTest::newRow("braces with quotes stay") << QByteArray("echo '{a,b}'") << QStringLiteral("echo {a,b}") << false;
        QTest::newRow("braces without a comma stay")
            << QByteArray("echo {a} a{") << QStringLiteral("echo {a} a{") << false;
        QTest::newRow("dash knows no braces") << QByteArray("echo {a,b}") << QStringLiteral("echo {a,b}") << true;
        QTest::newRow("a tilde is home") << QByteArray("cat ~/x ~root/y") << QStringLiteral("cat /srv/w/x /root/y")
                                         << false;
        QTest::newRow("a quoted tilde is a tilde")
            << QByteArray("cat '~/x' \\~/y") << QStringLiteral("cat ~/x ~/y") << false;
        QTest::newRow("a tilde after the equals sign of an assignment word")
            << QByteArray("make p=~/x") << QStringLiteral("make p=/srv/w/x") << false;
        QTest::newRow("the name of another user's home is not known")
            << QByteArray("cat ~bob/x") << QStringLiteral("cat <?>/x") << false;
        QTest::newRow("a default stands for an unset variable")
            << QByteArray("${x:-sudo} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a default is split") << QByteArray("${nope-sudo id}") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a default with a quoted part")
            << QByteArray("FOO=${UNSET:-a;b}x sudo id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("an assigning default sets the variable")
            << QByteArray(": ${x:=sudo}; $x id") << QStringLiteral(": sudo; sudo id; id") << false;
        QTest::newRow("an alternative stands for a set variable")
            << QByteArray("x=1; ${x:+sudo} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a prefix is removed")
            << QByteArray("x=aasudo; echo ${x#a} ${x##a*a}") << QStringLiteral("echo asudo sudo") << false;
        QTest::newRow("a suffix is removed")
            << QByteArray("cat \"${PWD%/*}/x\"") << QStringLiteral("cat /srv/x") << false;
        QTest::newRow("a pattern with a bracket is removed")
            << QByteArray("x=s1udo; ${x/[0-9]} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("all hits are replaced")
            << QByteArray("x=s-u-do; ${x//-/} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a substring is cut")
            << QByteArray("x=xsudox; ${x:1:4} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a substring counts from the end")
            << QByteArray("x=xsudo; ${x: -4} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("case is changed") << QByteArray("x=SUDO; ${x,,} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("length is a number") << QByteArray("x=abc; echo ${#x}") << QStringLiteral("echo 3") << false;
        QTest::newRow("a name in a variable is followed")
            << QByteArray("y=sudo; x=y; ${!x} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("$@ keeps words apart")
            << QByteArray("set -- 'a b' c; echo \"$@\"") << QStringLiteral("set -- 'a b' c; echo 'a b' c") << false;
        QTest::newRow("$* joins them") << QByteArray("set -- a b; echo \"$*\"")
                                       << QStringLiteral("set -- a b; echo 'a b'") << false;
        QTest::newRow("positional parameters are cut")
            << QByteArray("set -- x sudo id; ${@:2}") << QStringLiteral("set -- x sudo id; sudo id; id") << false;
        QTest::newRow("shift moves them") << QByteArray("set -- x sudo id; shift; \"$@\"")
                                          << QStringLiteral("set -- x sudo id; shift; sudo id; id") << false;
        QTest::newRow("an array is a command line")
            << QByteArray("a=(sudo id); \"${a[@]}\"") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("an element of an array")
            << QByteArray("a=(x sudo); ${a[1]} id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("an element by a name") << QByteArray("declare -A a=([k]=sudo); ${a[k]} id")
                                              << QStringLiteral("declare -A a; sudo id; id") << false;
        QTest::newRow("an array grows") << QByteArray("a=(sudo); a+=(id); ${a[@]}") << QStringLiteral("sudo id; id")
                                        << false;
        QTest::newRow("a value grows") << QByteArray("x=su; x+=do; $x id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("arithmetic is a number")
            << QByteArray("echo $((2*3+1)) $((16#ff))") << QStringLiteral("echo 7 255") << false;
        QTest::newRow("arithmetic sets variables")
            << QByteArray("((i=4)); echo $((i+=2)) $i") << QStringLiteral("echo 6 6") << false;
        QTest::newRow("what a constant command prints is known")
            << QByteArray("$(echo su)do id") << QStringLiteral("echo su; sudo id; id") << false;
        QTest::newRow("printf prints its format over all arguments")
            << QByteArray("$(printf '%s' su do) id") << QStringLiteral("printf %s su do; sudo id; id") << false;
        QTest::newRow("printf decodes octal escapes")
            << QByteArray("$(printf '\\163\\165do') id") << QStringLiteral("printf \\163\\165do; sudo id; id") << false;
        QTest::newRow("echo -e decodes") << QByteArray("$(echo -e '\\x73udo') id")
                                         << QStringLiteral("echo -e \\x73udo; sudo id; id") << false;
        QTest::newRow("dash's echo decodes by itself")
            << QByteArray("$(echo '\\0163udo') id") << QStringLiteral("echo \\0163udo; sudo id; id") << true;
        QTest::newRow("what other commands print is not known")
            << QByteArray("echo a$(date)b") << QStringLiteral("date; echo a<?>b") << false;
        QTest::newRow("a function's output is known")
            << QByteArray("f() { echo sudo; }; $(f) id") << QStringLiteral("echo sudo; sudo id; id") << false;
        QTest::newRow("cat hands a here-document on")
            << QByteArray("$(cat <<E\nsudo\nE\n) id") << QStringLiteral("cat; sudo id; id") << false;
        QTest::newRow("globs stay patterns") << QByteArray("cat /srv/*/x") << QStringLiteral("cat /srv/*/x") << false;
        QTest::newRow("the last argument of the command before")
            << QByteArray("echo sudo; $_ id") << QStringLiteral("echo sudo; sudo id; id") << false;
        QTest::newRow("$0 is the shell") << QByteArray("$0 -c 'sudo id'")
                                         << QStringLiteral("bash -c 'sudo id'; sudo id; id") << false;
        QTest::newRow("$SHELL is a shell")
            << QByteArray("$SHELL -c 'sudo id'") << QStringLiteral("/bin/bash -c 'sudo id'; sudo id; id") << false;
        QTest::newRow("a transformed prompt is evaluated")
            << QByteArray("x='$(sudo id)'; echo ${x@P}") << QStringLiteral("sudo id; id; echo <?>") << false;
        QTest::newRow("a default of a set variable is not evaluated")
            << QByteArray("x=1; echo ${x:-$(sudo id)}") << QStringLiteral("echo 1") << false;
        QTest::newRow("the replacement in an unset variable is not evaluated")
            << QByteArray("echo ${x//a/$(sudo id)}") << QStringLiteral("echo") << false;
    }
    void expands_words()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        QFETCH(bool, sh);
        QCOMPARE(test::programs(test::evaluated(text.toStdString(), sh ? Dialect::Sh : Dialect::Bash)), expected);
    }

    void knows_which_bytes_of_a_word_are_patterns()
    {
        const auto words = test::evaluated("ls a*'*'[x] \\? [").invocations.front().args;
        QCOMPARE(words[0].globs, (std::vector<std::uint32_t>{1, 3}));
        QVERIFY(words[1].globs.empty());
        QVERIFY2(words[2].globs.empty(), "a bracket without its end is itself");
    }

    void a_pattern_in_the_command_word_finds_the_program()
    {
        const auto invocation = test::evaluated("/usr/bin/sud[o] id").invocations.front();
        QCOMPARE(invocation.name, std::string("sudo"));
        QCOMPARE(invocation.program.text, std::string("/usr/bin/sud[o]"));
        QVERIFY(patternCanBe(invocation.program, "/usr/bin/sudo"));
        QVERIFY(!patternCanBe(invocation.program, "/usr/bin/sudp"));
        QVERIFY2(test::starts(test::evaluated("/bin/n[c] 203.0.113.9 4444"), "nc"), "also as a bracket");
        QVERIFY2(test::starts(test::evaluated("/bin/s?d?"), "sudo"), "also with several");
    }

    void a_pattern_that_fits_many_programs_is_an_unknown_program()
    {
        const auto evaluation = test::evaluated("/usr/bin/* id");
        QCOMPARE(evaluation.invocations.front().name, std::string());
        QCOMPARE(test::reasons(evaluation), QStringLiteral("program"));
    }

    void names_found_by_a_loop_stay_patterns_inside_quotes()
    {
        const auto evaluation = test::evaluated("for f in /srv/gate*/x; do cat \"$f\"; done");
        QCOMPARE(evaluation.invocations.front().args.front().globs, (std::vector<std::uint32_t>{9}));
    }

    void a_gap_stands_where_the_unknown_bytes_are()
    {
        const auto word = test::evaluated("cat a$(date)b").invocations.back().args.front();
        QCOMPARE(word.text, std::string("ab"));
        QCOMPARE(word.gaps, (std::vector<std::uint32_t>{1}));
        QVERIFY(!word.known());
    }

    void spans_point_into_the_raw_command()
    {
        const std::string text = "true; sh -c 'rm  -rf  \"x y\"'";
        const auto invocation = test::evaluated(text).invocations.back();
        QCOMPARE(invocation.name, std::string("rm"));
        QCOMPARE(text.substr(invocation.args[0].span.start, invocation.args[0].span.length), std::string("-rf"));
        QCOMPARE(text.substr(invocation.args[1].span.start, invocation.args[1].span.length), std::string("\"x y\""));
    }

    void a_text_that_was_put_together_is_attributed_to_its_word()
    {
        const std::string text = "eval r\"m -r\"f x";
        const auto invocation = test::evaluated(text).invocations.back();
        QCOMPARE(invocation.name, std::string("rm"));
        QCOMPARE(text.substr(invocation.span.start, invocation.span.length), std::string("r\"m -r\"f x"));
    }

    void characters_that_show_nothing_are_told()
    {
        QVERIFY(test::has(test::evaluated("su\xe2\x80\x8b"
                                          "do id"),
                          Construct::HiddenCharacter));
        QVERIFY2(!test::has(test::evaluated("echo 'a\xe2\x80\x8b'"), Construct::HiddenCharacter),
                 "inside quotes they are data");
        QVERIFY(!test::has(test::evaluated("echo \xe4\xb8\xad"), Construct::HiddenCharacter));
    }

    void parameters_with_numbers_of_any_spelling_are_read()
    {
        for (const char *name : {"00", "000", "18446744073709551616", "99999999999999999999", "0x"}) {
            const std::string text = std::string("x=") + name + "; set -- a b; echo ${" + name + "} ${!x}; sudo id";
            QVERIFY2(test::starts(test::evaluated(text), "sudo"), name);
        }
    }
};

QTEST_GUILESS_MAIN(TstEvaluateWords)
#include "tst_evaluate_words.moc"
