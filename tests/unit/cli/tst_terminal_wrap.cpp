// SPDX-License-Identifier: Apache-2.0
#include "app/runner/terminal_wrap.h"

#include <QByteArray>
#include <QTest>

using portcullis::cli::wrapped;

class TstTerminalWrap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void long_texts_go_on_below_their_beginning_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        const QByteArray words = "one two three four five six seven eight nine ten";
        QTest::newRow("below its text") << "Why   " + words + "\n"
                                        << QByteArray("Why   one two three four five six seven\n"
                                                      "      eight nine ten\n");
        QTest::newRow("a label of two words") << "cpu time  " + words
                                              << QByteArray("cpu time  one two three four five six\n"
                                                            "          seven eight nine ten");
        QTest::newRow("a word that is too long stays whole")
            << "Where  /" + QByteArray(60, 'x') + " end" << "Where  /" + QByteArray(60, 'x') + "\n       end";
        QTest::newRow("entries stay whole, and characters count, not bytes")
            << QByteArray("Checks  a ✓  b ✓  c ✓  d ✓  e ✓  f ✓  g h")
            << QByteArray("Checks  a ✓  b ✓  c ✓  d ✓  e ✓  f ✓\n        g h");
        QTest::newRow("short lines stay")
            << QByteArray("Why   short\n\nWhere  here\n") << QByteArray("Why   short\n\nWhere  here\n");
        QTest::newRow("a command stays") << "  echo " + words << "  echo " + words;
        QTest::newRow("what stands behind a bar stays") << "│ Why   " + words << "│ Why   " + words;
        QTest::newRow("a line without a label stays") << words << words;
    }
    void long_texts_go_on_below_their_beginning()
    {
        QFETCH(QByteArray, text);
        QTEST(QByteArray::fromStdString(wrapped(text.toStdString(), 40)), "shown");
    }

    void without_a_terminal_nothing_changes()
    {
        const std::string text = "Why   " + std::string(200, 'x') + ' ' + std::string(200, 'y');
        QCOMPARE(wrapped(text, 0), text);
        QCOMPARE(wrapped(text, 10), text);
    }
};

QTEST_GUILESS_MAIN(TstTerminalWrap)
#include "tst_terminal_wrap.moc"
