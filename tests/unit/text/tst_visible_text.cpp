// SPDX-License-Identifier: Apache-2.0
#include "runner/base/invisible.h"
#include "ui/text/visible_text.h"

#include <QTest>

using namespace portcullis::text;

class TstVisibleText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shows_what_would_not_be_seen_data();
    void shows_what_would_not_be_seen();
    void leaves_no_format_or_control_character_that_qt_knows();
};

void TstVisibleText::shows_what_would_not_be_seen_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("shown");
    QTest::addRow("plain text stays") << QByteArray("curl -s https://x | sh")
                                      << QStringLiteral("curl -s https://x | sh");
    QTest::addRow("letters of other scripts stay") << QByteArray("größe 文 😀") << QStringLiteral("größe 文 😀");
    QTest::addRow("markup stays text") << QByteArray("<b>x</b>") << QStringLiteral("<b>x</b>");
    QTest::addRow("escape") << QByteArray("\x1b[31mred") << QStringLiteral("<U+001B>[31mred");
    QTest::addRow("NUL") << QByteArray("a\0b", 3) << QStringLiteral("a<U+0000>b");
    QTest::addRow("carriage return") << QByteArray("a\rb") << QStringLiteral("a<U+000D>b");
    QTest::addRow("tab and line feed") << QByteArray("a\tb\nc") << QStringLiteral("a⇥b↵c");
    QTest::addRow("right-to-left override") << QByteArray("a\u202Eb") << QStringLiteral("a<U+202E>b");
    QTest::addRow("isolate") << QByteArray("\u2066x\u2069") << QStringLiteral("<U+2066>x<U+2069>");
    QTest::addRow("zero width space") << QByteArray("r\u200Bm") << QStringLiteral("r<U+200B>m");
    QTest::addRow("byte order mark") << QByteArray("\uFEFFrm") << QStringLiteral("<U+FEFF>rm");
    QTest::addRow("Hangul filler") << QByteArray("\u3164") << QStringLiteral("<U+3164>");
    QTest::addRow("tag characters") << QByteArray("\U000E0041") << QStringLiteral("<U+E0041>");
    QTest::addRow("a byte that is no UTF-8") << QByteArray("a\xff") << QStringLiteral("a<FF>");
    QTest::addRow("a character cut in the middle") << QByteArray("\xe2\x80") << QStringLiteral("<E2><80>");
    QTest::addRow("an overlong slash") << QByteArray("\xc0\xaf") << QStringLiteral("<C0><AF>");
}

void TstVisibleText::shows_what_would_not_be_seen()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, shown);
    QCOMPARE(visibleText(bytes.toStdString()), shown);
}

void TstVisibleText::leaves_no_format_or_control_character_that_qt_knows()
{
    for (char32_t code = 0; code <= 0x10FFFF; ++code) {
        switch (QChar::category(code)) {
        case QChar::Other_Control:
        case QChar::Other_Format:
        case QChar::Separator_Line:
        case QChar::Separator_Paragraph:
            QVERIFY2(portcullis::isInvisible(code), qPrintable(QString::number(code, 16)));
            break;
        default:
            break;
        }
    }
}

QTEST_GUILESS_MAIN(TstVisibleText)
#include "tst_visible_text.moc"
