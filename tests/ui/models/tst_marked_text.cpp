// SPDX-License-Identifier: Apache-2.0
#include "ui/models/marked_text.h"

#include <QTest>

using namespace portcullis;
using portcullis::ui::Excerpt;
using portcullis::ui::MarkedText;
using portcullis::ui::markedText;

namespace {

QStringList marked(const MarkedText &text)
{
    QStringList parts;
    for (const MarkedText::Stretch &stretch : text.marks)
        parts.append(text.text.mid(stretch.start, stretch.length));
    return parts;
}

} // namespace

class TstMarkedText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void counts_marks_in_the_characters_that_are_shown();
    void keeps_line_breaks_and_drops_their_carriage_returns();
    void grows_a_mark_to_whole_characters();
    void joins_marks_that_overlap_and_forgets_marks_outside();
    void shows_head_and_marked_part_of_a_long_command();
    void shows_head_and_tail_of_a_long_output();
    void shows_everything_when_asked_to();
    void says_how_many_blanks_and_line_breaks_lie_before_the_rest();
};

void TstMarkedText::counts_marks_in_the_characters_that_are_shown()
{
    const std::string command = "\u202E echo größe; rm x";
    const auto start = static_cast<std::uint32_t>(command.find("rm"));
    const MarkedText text = markedText(command, std::vector<Span>{{start, 2}});
    QCOMPARE(text.text, QStringLiteral("<U+202E> echo größe; rm x"));
    QCOMPARE(marked(text), QStringList{QStringLiteral("rm")});
}

void TstMarkedText::keeps_line_breaks_and_drops_their_carriage_returns()
{
    QCOMPARE(markedText("a\r\nb\n\rc", {}).text, QStringLiteral("a\nb\n<U+000D>c"));
}

void TstMarkedText::grows_a_mark_to_whole_characters()
{
    const MarkedText text = markedText("a文b", std::vector<Span>{{2, 1}});
    QCOMPARE(marked(text), QStringList{QStringLiteral("文")});
}

void TstMarkedText::joins_marks_that_overlap_and_forgets_marks_outside()
{
    const MarkedText text =
        markedText("curl x | sh", std::vector<Span>{{9, 2}, {0, 3}, {2, 2}, {400, 5}, {0xFFFFFFF0, 1}});
    QCOMPARE(marked(text), (QStringList{QStringLiteral("curl"), QStringLiteral("sh")}));
}

void TstMarkedText::shows_head_and_marked_part_of_a_long_command()
{
    std::string command(100'000, 'a');
    command.replace(60'000, 2, "rm");
    const MarkedText text = markedText(command, std::vector<Span>{{60'000, 2}}, {.head = 100, .tail = 0, .around = 10});
    QCOMPARE(marked(text), QStringList{QStringLiteral("rm")});
    QVERIFY(text.text.startsWith(QString(100, u'a') + u'\n'));
    QVERIFY(text.text.contains(QStringLiteral("\naaaaaaaaaarmaaaaaaaaaa\n")));
    QCOMPARE(text.hiddenBytes, 100'000U - 100 - 22);
}

void TstMarkedText::shows_head_and_tail_of_a_long_output()
{
    const std::string output = std::string(1000, 'a') + std::string(1000, 'b');
    const MarkedText text = markedText(output, {}, {.head = 3, .tail = 4, .around = 0});
    QVERIFY(text.text.startsWith(QStringLiteral("aaa\n")));
    QVERIFY(text.text.endsWith(QStringLiteral("\nbbbb")));
    QCOMPARE(text.hiddenBytes, 1993U);
}

void TstMarkedText::shows_everything_when_asked_to()
{
    const std::string command(128 * 1024, 'a');
    const MarkedText text = markedText(command, {}, Excerpt::whole());
    QCOMPARE(text.text.size(), 128 * 1024);
    QCOMPARE(text.hiddenBytes, 0U);
}

void TstMarkedText::says_how_many_blanks_and_line_breaks_lie_before_the_rest()
{
    const Excerpt counted{.countBlanks = true};
    const std::string lines = "true;" + std::string(300, '\n') + "rm -rf x";
    const MarkedText text = markedText(lines, std::vector<Span>{{305, 2}}, counted);
    QCOMPARE(text.text, QStringLiteral("true;\n… 300 blanks and line breaks …\nrm -rf x"));
    QCOMPARE(marked(text), QStringList{QStringLiteral("rm")});
    QCOMPARE(text.hiddenBytes, std::size_t{300});
    QCOMPARE(markedText("true" + std::string(70, ' ') + "; id", {}, counted).text,
             QStringLiteral("true\n… 70 blanks …\n; id"));
    // Indented code is no trick.
    const std::string code = "cat <<X\n\n\n        deep\nX";
    QCOMPARE(markedText(code, {}, counted).text, QString::fromStdString(code));
    QCOMPARE(markedText(lines, {}, Excerpt::whole()).text, QString::fromStdString(lines));
}

QTEST_GUILESS_MAIN(TstMarkedText)
#include "tst_marked_text.moc"
