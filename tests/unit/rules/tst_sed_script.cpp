// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/sed_script.h"

#include <QTest>

using namespace portcullis::rules;

class TstSedScript : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lists_the_commands_of_a_script_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QByteArray>("commands");
        const auto row = [](const char *name, const char *script, const char *commands) {
            QTest::newRow(name) << QByteArray(script) << QByteArray(commands);
        };
        row("an address is no command", "/e/p", "p\n");
        row("flags of a substitution", "s/.*/id/e", "s e\n");
        row("another delimiter", "s|a/b|c|ge", "s ge\n");
        row("a delimiter in brackets", "s/[/]/x/", "s \n");
        row("an escaped delimiter", "s/a\\/b/e/g", "s g\n");
        row("two commands on a line", "s/this/that/;s/e/x/", "s \ns \n");
        row("the e command with an address", "1e id", "e id\n");
        row("inside braces", "/x/{s/a/b/;e id\n}", "s \ne id\n");
        row("writing", "w out.txt", "w out.txt\n");
        row("the w flag takes the rest of the line", "s/a/b/w out;e", "s w out;e\n");
        row("text of a is no command", "a e id", "a\n");
        row("text of a goes on behind a backslash", "a\\\ne id\np", "a\np\n");
        row("a range and a negation", "1,/e/!d", "d\n");
        row("an address with its own delimiter", "\\,e,p", "p\n");
        row("a comment", "# e id\np", "p\n");
        row("a label", ":e\nbe", ":\nb\n");
        row("a label ends at a semicolon", ":a;N;$!ba;e id", ":\nN\nb\ne id\n");
        row("… and at a blank", ":a N;e id", ":\nN\ne id\n");
        row("an unfinished substitution", "s/a", "s \n");
        row("nothing", "", "");
        row("a lone backslash", "\\", "");
    }
    void lists_the_commands_of_a_script()
    {
        QFETCH(QByteArray, script);
        QTEST(QByteArray::fromStdString(sedCommands(script.toStdString())), "commands");
    }
};

QTEST_GUILESS_MAIN(TstSedScript)
#include "tst_sed_script.moc"
