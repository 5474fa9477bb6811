// SPDX-License-Identifier: Apache-2.0
#include "ui/log/filter_line.h"

#include "ui/text/filter_text.h"
#include "ui/widgets/marks.h"
#include "ui/widgets/tones.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QRegularExpression>
#include <QTextCharFormat>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

using namespace std::chrono_literals;

namespace portcullis::ui {

namespace {

/// A filter is applied when typing pauses for so long.
constexpr auto pause = 300ms;

/// Position in UTF-16 of a byte column that counts from 1.
int positionOf(const QString &text, std::size_t column)
{
    const QByteArray bytes = text.toUtf8();
    const auto before = static_cast<qsizetype>(std::min(column - 1, static_cast<std::size_t>(bytes.size())));
    return static_cast<int>(QString::fromUtf8(bytes.first(before)).size());
}

} // namespace

FilterLine::FilterLine(std::function<record::FilterClock()> clock, QWidget *parent)
    : QWidget(parent), m_clock(std::move(clock)), m_edit(new QLineEdit), m_message(new QLabel)
{
    m_edit->setPlaceholderText(tr("Filter: verdict:deny tenant:acme since:2h \"curl\""));
    m_edit->setAccessibleName(tr("Filter of the log"));
    m_edit->setAccessibleDescription(tr("Words of the command, or fields such as verdict, tenant, agent, group, since. "
                                        "Return applies, Escape clears."));
    m_edit->setClearButtonEnabled(true);
    m_edit->installEventFilter(this);
    setFocusProxy(m_edit);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setAccessibleName(tr("Mistake in the filter"));
    m_message->hide();

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_edit);
    layout->addWidget(m_message);

    m_pause.setSingleShot(true);
    m_pause.setInterval(pause);
    connect(&m_pause, &QTimer::timeout, this, [this] { read(true); });
    connect(m_edit, &QLineEdit::textChanged, this, [this] {
        read(false);
        m_pause.start();
    });
    connect(m_edit, &QLineEdit::returnPressed, this, [this] {
        read(true);
        if (m_message->isHidden())
            Q_EMIT left();
    });
}

QString FilterLine::mistake() const
{
    return m_message->isHidden() ? QString() : m_message->text();
}

QString FilterLine::text() const
{
    return m_edit->text();
}

void FilterLine::setText(const QString &text)
{
    m_edit->setText(text);
    read(true);
}

void FilterLine::addTerm(const QString &term)
{
    const QString present = m_edit->text().trimmed();
    const bool alternatives = present.contains(QStringLiteral(" or "));
    if (present.isEmpty())
        setText(term);
    else
        setText((alternatives ? u'(' + present + u')' : present) + u' ' + term);
}

void FilterLine::replaceTerm(const QString &field, const QString &value)
{
    const QRegularExpression present(QStringLiteral("(^|\\s)%1:[^\\s()\"]+").arg(QRegularExpression::escape(field)));
    QString text = m_edit->text();
    if (text.contains(QStringLiteral(" or ")) || !text.contains(present)) {
        addTerm(field + u':' + value);
        return;
    }
    setText(text.replace(present, QStringLiteral("\\1") + field + u':' + value));
}

void FilterLine::takeFocus()
{
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void FilterLine::read(bool apply)
{
    const QString text = m_edit->text();
    const auto filter = record::Filter::parse(text.toStdString(), m_clock());
    const QString before = mistake();
    showError(filter ? std::nullopt : std::optional(filter.error()));
    if (mistake() != before)
        Q_EMIT mistakeChanged();
    if (!apply)
        return;
    m_pause.stop();
    if (filter && text != m_applied) {
        m_applied = text;
        Q_EMIT applied(*filter);
    }
}

void FilterLine::showError(const std::optional<record::FilterError> &error)
{
    if (!error) {
        underline(0, 0);
        m_message->hide();
        return;
    }
    const int start = positionOf(m_edit->text(), error->column);
    const auto length = static_cast<int>(QString::fromStdString(error->found).size());
    underline(start, std::max(length, 1));
    m_message->setText(tr("Column %1: %2").arg(start + 1).arg(text::filterErrorSentence(*error)));
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, toneColor(Tone::Refused, palette()));
    m_message->setPalette(colors);
    m_message->show();
}

/// A line edit draws formats only for text that an input method composes; an event without text and with formats marks
/// what is there. See QInputMethodEvent::TextFormat.
void FilterLine::underline(int start, int length)
{
    if (length == 0 && !m_marked)
        return;
    m_marked = length > 0;
    QList<QInputMethodEvent::Attribute> attributes;
    if (m_marked) {
        QTextCharFormat format;
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(toneColor(Tone::Refused, palette()));
        attributes.append({QInputMethodEvent::TextFormat, start - m_edit->cursorPosition(), length, format});
    }
    QInputMethodEvent event(QString(), attributes);
    QCoreApplication::sendEvent(m_edit, &event);
}

bool FilterLine::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Escape) {
            if (m_edit->text().isEmpty())
                Q_EMIT left();
            else
                setText(QString());
            return true;
        }
        if (key->key() == Qt::Key_Down && key->modifiers() == Qt::NoModifier) {
            Q_EMIT left();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace portcullis::ui
