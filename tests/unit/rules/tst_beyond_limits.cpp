// SPDX-License-Identifier: Apache-2.0

// Where depth or work ends the reading, a rule refuses the command; what people and agents write stays far from there.

#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

QByteArray joined(int count, const char *part, const QByteArray &behind = {})
{
    return QByteArray(part).repeated(count) + behind;
}

QByteArray numbered(int count, const char *before, const char *after)
{
    QByteArray text;
    for (int i = 0; i < count; ++i)
        text += before + QByteArray::number(i) + after;
    return text;
}

QByteArray doublingFunctions()
{
    QByteArray text;
    for (int i = 0; i < 14; ++i) {
        const QByteArray next = QByteArray::number(i + 1);
        text += "f" + QByteArray::number(i) + "(){ f" + next + ";f" + next + ";};";
    }
    return text + "f14(){ :;:;:;:;};f0;f0;f0;f0;sudo id";
}

} // namespace

class TstBeyondLimits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_what_is_not_read_to_its_end_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::newRow("a launcher started by itself") << joined(64, "env ", "sudo id");
        QTest::newRow("… with nothing bad in it") << joined(64, "env ", "ls");
        QTest::newRow("eval of eval") << joined(64, "eval ", "sudo id");
        QTest::newRow("groups") << joined(101, "{ ", "sudo id") + QByteArray("; }").repeated(101);
        QTest::newRow("substitutions") << "echo " + joined(101, "$(", "sudo id") + QByteArray(")").repeated(101);
        QTest::newRow("conditions") << joined(101, "if :; then ", "sudo id; ") + QByteArray("fi; ").repeated(101);
        QTest::newRow("loops in loops") << joined(7, "for i in 1 2 3 4 5 6 7 8 9; do ", ":")
                + QByteArray("; done").repeated(7) + "; sudo id";
        QTest::newRow("functions that double") << doublingFunctions();
        QTest::newRow("more process starts in one program text than are followed")
            << "python3 - <<'E'\nimport os\n" + numbered(300, "os.system('echo ", "')\n") + "os.system('sudo id')\nE";
        QTest::newRow("more patterns than are compared") << "cat" + numbered(20000, " a", "*") + " ~/.ss*/id_rsa";
        QTest::newRow("more programs than are listed") << numbered(25000, "a", ";") + "sudo id";
    }
    void refuses_what_is_not_read_to_its_end()
    {
        QFETCH(QByteArray, command);
        const QStringList rules = test::refusingRules(command);
        QVERIFY2(rules.contains(QStringLiteral("beyond-limits")), qPrintable(rules.join(u' ')));
    }

    void long_everyday_commands_are_read_to_their_end_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::newRow("a thousand file names") << "git add" + numbered(1000, " src/module_", ".cpp");
        QTest::newRow("a thousand patterns") << "ls" + numbered(1000, " src/module_", "*.[ch]pp");
        QTest::newRow("three hundred commands") << numbered(300, "mkdir -p out/d", " && ") + "ls out";
        QTest::newRow("three hundred lines") << numbered(300, "echo \"step ", "\" >> log.txt\n");
        QTest::newRow("a loop over a thousand names")
            << "for f in" + numbered(1000, " f", ".txt") + "; do wc -l \"$f\"; grep -c x \"$f\"; done";
        QTest::newRow("a counted loop") << QByteArray("for i in {1..1000}; do curl -s https://x.example/p/$i; done");
        QTest::newRow("a long counted loop") << QByteArray("for i in {1..100000}; do echo $i; done");
        QTest::newRow("loops in loops") << QByteArray(
            "for a in {1..10}; do for b in {1..10}; do for c in {1..10}; do echo $a $b $c; done; done; done");
        QTest::newRow("a long text written to a file")
            << "cat > notes.md <<'E'\n" + numbered(200, "## Section ", "\nSome text with `code` and $names.\n") + "E\n";
        QTest::newRow("a long program text") << "python3 - <<'E'\n" + numbered(200, "print('line ", "')\n") + "E\n";
        QTest::newRow("a long awk program") << "awk '" + numbered(150, "/x", "/ { n++ } ") + "END { print n }' f";
        QTest::newRow("a long chain of edits") << "sed -i" + numbered(150, " -e 's/a", "/b/'") + " f.txt";
        QTest::newRow("a long case") << "case $x in" + numbered(150, " a", ") echo a;;") + " esac";
        QTest::newRow("a long pipeline") << "cat f" + numbered(60, " | grep -v x", "");
        QTest::newRow("many conditions") << "if true; then :" + numbered(150, "; elif test -f f", "; then echo x")
                + "; fi";
        QTest::newRow("many functions") << numbered(100, "f", "() { echo one; echo two; }; ") + "f1; f2; f99";
        QTest::newRow("a function defined in a loop")
            << QByteArray("for i in {1..20}; do log() { echo \"$i $1\"; }; log x; done");
        QTest::newRow("launchers in one another")
            << QByteArray("nohup nice -n 5 env A=1 timeout 60 stdbuf -oL setsid sh -c 'sh -c \"make test\"'");
        QTest::newRow("many actions of find") << "find ." + numbered(200, " -name '*.x", "' -exec grep -l x {} \\;");
    }
    void long_everyday_commands_are_read_to_their_end()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstBeyondLimits)
#include "tst_beyond_limits.moc"
