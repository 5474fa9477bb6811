// SPDX-License-Identifier: Apache-2.0
#include "runner/base/invisible.h"
#include "runner/base/utf8.h"
#include "ui/text/visible_text.h"

#include <QTest>

using namespace portcullis::text;

class TstVisibleText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shows_what_would_not_be_seen_data();
    void shows_what_would_not_be_seen();
    void a_command_on_one_line_hides_nothing_behind_blanks_or_length_data();
    void a_command_on_one_line_hides_nothing_behind_blanks_or_length();
    void a_text_is_cut_between_characters();
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
    QTest::addRow("a letter with its marks stays") << QByteArray("e\u0302\u0301n") << QStringLiteral("e\u0302\u0301n");
    QTest::addRow("more marks than a line has room for")
        << QByteArray("a\u0300\u0301\u0302\u0303\u0304b\u0300")
        << QStringLiteral("a\u0300\u0301\u0302<U+0303><U+0304>b\u0300");
    QTest::addRow("a mark with no letter before it") << QByteArray("\u0300a") << QStringLiteral("<U+0300>a");
    QTest::addRow("a mark behind a token") << QByteArray("a\u202E\u0300") << QStringLiteral("a<U+202E><U+0300>");
    QTest::addRow("an enclosing mark is one of them")
        << QByteArray("a\u20DD\u20DD\u20DD\u20DD") << QStringLiteral("a\u20DD\u20DD\u20DD<U+20DD>");
    QTest::addRow("many of the same mark")
        << "a" + QByteArray("\u0300").repeated(500) + "b" << QStringLiteral("a\u0300\u0300\u0300<U+0300>×497b");
    QTest::addRow("many zero bytes") << QByteArray(64, '\0') << QStringLiteral("<U+0000>×64");
    QTest::addRow("many tabs") << QByteArray(6, '\t') << QString(6, u'⇥');
    QTest::addRow("vowel signs of other scripts stay") << QByteArray("नमस्ते ที่นี่") << QStringLiteral("नमस्ते ที่นี่");
    QTest::addRow("an overlong slash") << QByteArray("\xc0\xaf") << QStringLiteral("<C0><AF>");
}

void TstVisibleText::shows_what_would_not_be_seen()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, shown);
    QCOMPARE(visibleText(bytes.toStdString()), shown);
}

void TstVisibleText::a_command_on_one_line_hides_nothing_behind_blanks_or_length_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QString>("line");
    const auto row = [](const char *name, const QByteArray &command, const QString &line) {
        QTest::addRow("%s", name) << command << line;
    };
    row("an ordinary command", "ls -la  src", QStringLiteral("ls -la  src"));
    row("blanks", "true" + QByteArray(4000, ' ') + "; id", QStringLiteral("true (4000 blanks) ; id"));
    row("line breaks", "true;" + QByteArray(300, '\n') + "rm -rf x",
        QStringLiteral("true; (300 blanks and line breaks) rm -rf x"));
    row("length", QByteArray(1000, 'a') + "; id",
        QString(300, u'a') + QStringLiteral(" … 604 bytes … ") + QString(96, u'a') + QStringLiteral("; id"));
    row("blanks behind what is not shown", QByteArray(390, 'a') + QByteArray(4000, ' ') + "; id",
        QString(300, u'a') + QStringLiteral(" … 3994 bytes …  (96 blanks) ; id"));
    row("a border inside of a character", QByteArray(299, 'a') + "文" + QByteArray(1000, 'b'),
        QString(299, u'a') + QStringLiteral(" … 903 bytes … ") + QString(100, u'b'));
    row("nothing", "", QString());
}

void TstVisibleText::a_command_on_one_line_hides_nothing_behind_blanks_or_length()
{
    QFETCH(const QByteArray, command);
    QFETCH(const QString, line);
    QCOMPARE(commandLine(command.toStdString()), line);
}

void TstVisibleText::a_text_is_cut_between_characters()
{
    using portcullis::utf8Head;
    using portcullis::utf8Tail;
    QCOMPARE(utf8Head("a文b", 2), std::string_view("a"));
    QCOMPARE(utf8Head("a文b", 4), std::string_view("a文"));
    QCOMPARE(utf8Head("a文b", 9), std::string_view("a文b"));
    QCOMPARE(utf8Tail("a文b", 2), std::string_view("b"));
    QCOMPARE(utf8Tail("a文b", 4), std::string_view("文b"));
    QCOMPARE(utf8Head("\x80\x80\x80\x80\x80", 3), std::string_view("\x80\x80\x80"));
    QCOMPARE(utf8Tail("", 3), std::string_view());
    QCOMPARE(shortened(QStringLiteral("abcd"), 4), QStringLiteral("abcd"));
    QCOMPARE(shortened(QStringLiteral("a😀bc"), 3), QStringLiteral("a…"));
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
