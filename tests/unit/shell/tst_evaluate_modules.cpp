// SPDX-License-Identifier: Apache-2.0

// Code that loads other code: what the text does not show is marked, what the language itself brings is not.

#include "tests/support/describe_evaluation.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::shell;

namespace {

QString reasonsOf(const QByteArray &text)
{
    return test::reasons(test::evaluated(text.toStdString()));
}

} // namespace

class TstEvaluateModules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void code_that_is_loaded_from_elsewhere_is_marked_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("a module of the project", "python3 -c 'import mytool'");
        row("behind one of python's own", "python3 -c 'import os, mytool'");
        row("behind another statement", "python3 -c 'x=1; from mytool import run'");
        row("in an indented block", "python3 -c 'if 1:\n  import mytool'");
        row("a relative import", "python3 -c 'from . import x'");
        row("by a function", "python3 -c '__import__(\"mytool\").run()'");
        row("by a function with a name that is not known", "python3 -c 'import importlib; importlib.import_module(x)'");
        row("in a text on standard input", "python3 <<< 'import mytool'");
        row("a file of node", "node -e 'require(\"./x\")'");
        row("a package of node", "node -e 'const x = require(\"left-pad\")'");
        row("an import of node", "node --input-type=module -e 'import x from \"./x.mjs\"'");
        row("a late import of node", "node -e 'import(\"./x.mjs\")'");
        row("a module before the program", "node -r ./x -e 1");
        row("a loader", "node --import ./x.mjs -e 1");
        row("a gem", "ruby -e 'require \"rails\"'");
        row("a file of ruby", "ruby -e 'require_relative \"x\"'");
        row("a file of ruby before the program", "ruby -r./x -e 1");
        row("a module of perl", "perl -e 'use Evil; run()'");
        row("a module of perl before the program", "perl -MEvil -e 1");
        row("a folder of modules", "perl -Mlib=. -e 1");
        row("a file of perl", "perl -e 'do \"./x.pl\"'");
        row("a file of php", "php -r 'include \"x.php\";'");
        row("a file of lua", "lua -e 'dofile(\"x.lua\")'");
        row("a module of lua before the program", "lua -l x -e 'f()'");
        row("a file of tcl", "tclsh <<< 'source x.tcl'");
        row("an unknown program that is given a command line", "mywrap 'sudo id'");
        row("a project's own shell", "flask shell");
        row("a task of deno", "deno task start");
        row("a script of uv", "uv run x.py");
    }
    void code_that_is_loaded_from_elsewhere_is_marked()
    {
        QFETCH(QByteArray, text);
        QVERIFY(reasonsOf(text).contains(QStringLiteral("script")));
    }

    void code_that_loads_the_languages_own_is_shown_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("modules of python", "python3 -c 'import os, sys as s; from os.path import join'");
        row("a text about an import", "python3 -c 'print(\"import mytool\")'");
        row("a name that begins so", "python3 -c 'important = 1; fromage = 2'");
        row("modules of node", "node -e 'const fs = require(\"fs\"), p = require(\"node:path\")'");
        row("a text for deno", "deno eval 'console.log(1)'");
        row("data of node", "node -p 'require(\"./package.json\").version'");
        row("modules of ruby", "ruby -rjson -e 'require \"net/http\"; p 1'");
        row("modules of perl", "perl -MList::Util=sum -e 'use strict; use v5.36; use POSIX qw(floor); print sum(1)'");
        row("a block of perl", "perl -e 'do { print 1 } while ($i++ < 3)'");
        row("a text that perl replaces", "perl -pi -e 's/use Foo/use Bar/' f");
        row("an unknown program that is given a text", "mywrap 'no command'");
    }
    void code_that_loads_the_languages_own_is_shown()
    {
        QFETCH(QByteArray, text);
        QVERIFY2(!reasonsOf(text).contains(QStringLiteral("script")), qPrintable(reasonsOf(text)));
    }

    void a_shell_of_a_project_or_interpreter_is_followed_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("a shell line of ipython", "ipython -c '!sudo id'");
        row("a later one", "ipython -c 'x = 1\n  !sudo id'");
        row("flask's", "echo 'import os; os.system(\"sudo id\")' | flask shell");
        row("an option of Django's", "python3 manage.py shell -c 'import os; os.system(\"sudo id\")'");
        row("the input of Django's",
            "echo 'import os; os.system(\"sudo id\")' | ./manage.py shell | cat; "
            "python manage.py shell <<< 'import os; os.system(\"sudo id\")'");
        row("rails'", "rails runner 'system(\"sudo id\")'");
    }
    void a_shell_of_a_project_or_interpreter_is_followed()
    {
        QFETCH(QByteArray, text);
        QVERIFY(test::starts(test::evaluated(text.toStdString()), "sudo"));
    }

    void other_lines_of_these_are_no_command_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("a comparison of ipython", "ipython -c 'print(1 != 2)'");
        row("another program's text", "python3 -c 'x = \"!sudo id\"'");
        row("another verb of Django", "python3 manage.py migrate -c 'sudo id'");
    }
    void other_lines_of_these_are_no_command()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!test::starts(test::evaluated(text.toStdString()), "sudo"));
    }
};

QTEST_APPLESS_MAIN(TstEvaluateModules)
#include "tst_evaluate_modules.moc"
