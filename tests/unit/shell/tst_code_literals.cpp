// SPDX-License-Identifier: Apache-2.0

// What stands in a string of a program text is data, unless something in the text may run it.

#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

class TstCodeLiterals : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void calls_in_strings_and_comments_are_none_data();
    void calls_in_strings_and_comments_are_none();
    void calls_that_may_run_are_seen_data();
    void calls_that_may_run_are_seen();
};

void TstCodeLiterals::calls_in_strings_and_comments_are_none_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::newRow("an edit by replace") << QByteArray(
        "python3 - <<'E'\ns = s.replace(\"os.system('rm -rf build')\", 'clean()')\nE");
    QTest::newRow("a comment") << QByteArray("python3 - <<'E'\n# not os.system('rm -rf build')\nprint(1)\nE");
    QTest::newRow("a docstring") << QByteArray("python3 - <<'E'\n\"\"\"\nshutil.rmtree('build')\n\"\"\"\nE");
    QTest::newRow("a raw string") << QByteArray(
        "python3 - <<'E'\nimport re\nprint(re.findall(r'os\\.system\\(\"sudo id\"\\)', s))\nE");
    QTest::newRow("written to a file") << QByteArray(
        "node -e \"fs.writeFileSync('x.txt', 'rmSync(1, {recursive: true})')\"");
    QTest::newRow("a comment of JavaScript") << QByteArray("node -e '/* fetch(u, {method: \"POST\"}) */ f()'");
}

void TstCodeLiterals::calls_in_strings_and_comments_are_none()
{
    QFETCH(QByteArray, command);
    QCOMPARE(test::refusingRules(command).join(u' '), QString());
}

void TstCodeLiterals::calls_that_may_run_are_seen_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::newRow("beside a string") << QByteArray("python3 -c \"import os; x = 'os'; os.system('rm -rf build')\"");
    QTest::newRow("a string that is run")
        << QByteArray("python3 -c \"exec('import os; os.system(\\\"rm -rf build\\\")')\"");
    QTest::newRow("run under another name")
        << QByteArray("python3 - <<'E'\ne = __builtins__.exec\ne(\"os.system('rm -rf build')\")\nE");
    QTest::newRow("a formatted string") << QByteArray("python3 - <<'E'\nprint(f\"{os.system('rm -rf build')}\")\nE");
    QTest::newRow("a string that ends before")
        << QByteArray("python3 - <<'E'\nx = \"\\\\\"; os.system('rm -rf build')\nE");
    QTest::newRow("a quote in a regular expression")
        << QByteArray("node -e 'a = /\"/; require(\"child_process\"); execSync(\"rm -rf build\"); b = \"\"'");
    QTest::newRow("a template") << QByteArray("node -e 'x = `${fs.rmSync(\"b\", {recursive: true})}`'");
    QTest::newRow("a module that runs text")
        << QByteArray("node -e 'require(\"vm\").runInThisContext(\"fs.rmSync(1, {recursive: true})\")'");
    QTest::newRow("a member from pieces")
        << QByteArray("node -e 'x[\"const\" + \"ructor\"](\"fs.rmSync(1, {recursive: true})\")()'");
}

void TstCodeLiterals::calls_that_may_run_are_seen()
{
    QFETCH(QByteArray, command);
    QVERIFY(!test::refusingRules(command).isEmpty());
}

QTEST_APPLESS_MAIN(TstCodeLiterals)

#include "tst_code_literals.moc"
