// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/option_table.h"
#include "tests/support/describe_evaluation.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::shell;

class TstOptionTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void splits_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *sentence, const char *text, const char *expected) {
            QTest::newRow(sentence) << QByteArray(text) << QString::fromUtf8(expected);
        };
        row("clusters are letters", "rm -rfv build", "-r -f -v | build");
        row("options after operands count", "rm build -rf", "-r -f | build");
        row("two dashes end them", "rm -- -rf", "| -rf");
        row("one dash is an operand", "cat -", "| -");
        row("a known name is completed", "rm --recu --forc build", "--recursive --force | build");
        row("an ambiguous name stays", "rm --ver", "--ver |");
        row("a value glued to a letter", "curl -dtoken=1 u", "-d=token=1 | u");
        row("a value after a cluster", "curl -sSLd @f u", "-s -S -L -d=@f | u");
        row("a long value with an equals sign", "curl --data=@f u", "--data=@f | u");
        row("a long value as the next word", "curl --data @f u", "--data=@f | u");
        row("the letter of another program", "cut -d, -f2", "-d=, -f=2 |");
        row("names with one dash", "find . -type f -delete", "-type=f -delete | .");
        row("a first word without its dash", "tar xzf a.tar b", "-x -z -f=a.tar | b");
        row("signals are names", "kill -KILL 42", "-KILL | 42");
        row("a value only when glued", "sed -i.bak -e s/a/b/ f", "-i=.bak -e=s/a/b/ | f");
        row("… and not the next word", "sed -i f", "-i | f");
        row("a launcher stops at its command", "timeout -k 5 10 ls -l", "-k=5 | 10 ls -l");
        row("a program that nobody knows", "mytool -ab --c=d e", "-a -b --c=d | e");
        row("a version is no part of the name", "python3.12 -Bc 1 x", "-B -c=1 | x");
    }
    void splits()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        const auto invocation = test::evaluated(text.toStdString()).invocations.front();
        const SplitArguments split = splitArguments(optionTable(invocation.name), invocation.args);
        QString line;
        for (const GivenOption &option : split.options)
            line += QString::fromStdString(option.name)
                + (option.value ? u'=' + test::describe(*option.value) : QString()) + u' ';
        line += u'|';
        for (const Value &operand : split.operands)
            line += u' ' + test::describe(operand);
        QCOMPARE(line, expected);
    }

    void says_where_the_operands_begin()
    {
        const auto args = test::evaluated("timeout -k 5 10 ls").invocations.front().args;
        QCOMPARE(splitArguments(optionTable("timeout"), args).firstOperand, 2U);
        QCOMPARE(splitArguments(optionTable("timeout"), std::span(args).first(2)).firstOperand, 2U);
    }

    void tells_a_word_that_may_be_an_option()
    {
        const auto unknown = [](const char *text) {
            const auto invocation = test::evaluated(text).invocations.back();
            return splitArguments(optionTable(invocation.name), invocation.args).unknownWord;
        };
        QVERIFY(unknown("rm $(cat f)"));
        QVERIFY(unknown("rm -$(cat f)"));
        QVERIFY2(!unknown("rm x$(cat f)"), "it begins like a file");
        QVERIFY2(!unknown("rm -- $(cat f)"), "no options any more");
    }
};

QTEST_GUILESS_MAIN(TstOptionTable)
#include "tst_option_table.moc"
