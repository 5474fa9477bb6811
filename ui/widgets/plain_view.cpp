// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/plain_view.h"

#include <QEvent>
#include <QFontDatabase>
#include <QScrollBar>
#include <QTextBlock>

#include <algorithm>
#include <cmath>

namespace portcullis::ui {

PlainView::PlainView(QWidget *parent) : QPlainTextEdit(parent)
{
    setReadOnly(true);
    setTabChangesFocus(true);
    setUndoRedoEnabled(false);
    setLayoutDirection(Qt::LeftToRight);
    setWordWrapMode(QTextOption::WrapAnywhere);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
}

void PlainView::setMarked(const MarkedText &marked, Tone tone)
{
    m_marks = marked.marks;
    m_tone = tone;
    setPlainText(marked.text);
    drawMarks();
    fit();
}

void PlainView::drawMarks()
{
    QList<QTextEdit::ExtraSelection> selections;
    for (const MarkedText::Stretch &stretch : std::as_const(m_marks)) {
        QTextEdit::ExtraSelection selection;
        selection.cursor = QTextCursor(document());
        selection.cursor.setPosition(stretch.start);
        selection.cursor.setPosition(stretch.start + stretch.length, QTextCursor::KeepAnchor);
        selection.format.setUnderlineStyle(QTextCharFormat::SingleUnderline);
        selection.format.setUnderlineColor(toneColor(m_tone, palette()));
        selection.format.setBackground(toneWash(m_tone, palette()));
        selection.format.setForeground(palette().color(QPalette::Text));
        selections.append(selection);
    }
    setExtraSelections(selections);
}

void PlainView::appendAtEnd(const QString &text)
{
    QScrollBar *bar = verticalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();
    QTextCursor end(document());
    end.movePosition(QTextCursor::End);
    end.insertText(text);
    if (atEnd)
        bar->setValue(bar->maximum());
}

void PlainView::fitLines(int most)
{
    m_mostLines = most;
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    fit();
}

void PlainView::fit()
{
    if (m_mostLines == 0)
        return;
    // The layout of plain text counts its height in lines.
    const int all = static_cast<int>(std::ceil(document()->size().height()));
    const int lines = std::clamp(all, 1, m_mostLines);
    setVerticalScrollBarPolicy(all > m_mostLines ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    const int margins = static_cast<int>(std::ceil(2 * document()->documentMargin())) + 2 * frameWidth();
    setFixedHeight(lines * fontMetrics().lineSpacing() + margins + 2);
    Q_EMIT fitted(all > m_mostLines);
}

void PlainView::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    fit();
}

void PlainView::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        drawMarks();
    if (event->type() == QEvent::FontChange)
        fit();
}

} // namespace portcullis::ui
