// SPDX-License-Identifier: Apache-2.0
#include "ui/log/time_bars.h"

#include "ui/widgets/plain_tip.h"
#include "ui/widgets/tones.h"

#include <QAccessible>
#include <QDateTime>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleOptionFocusRect>
#include <QStylePainter>
#include <QTimeZone>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace portcullis::ui {

namespace {

constexpr int barWidth = 5; ///< with its gap, in device-independent pixels
constexpr int mostBars = 400;

std::int64_t sum(const std::array<std::int64_t, 3> &counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

/// Heights grow with the root of the count, so that one refusal beside a thousand allowed commands is still seen.
double scaled(std::int64_t count)
{
    return std::sqrt(static_cast<double>(count));
}

QString timeWords(std::int64_t timeUs)
{
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(timeUs / 1000, QTimeZone::LocalTime),
                              QStringLiteral("d MMM HH:mm:ss"));
}

} // namespace

TimeBars::TimeBars(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Commands over time"));
    setMouseTracking(true);
}

QSize TimeBars::sizeHint() const
{
    return {200, 2 * fontMetrics().height() + QFontMetrics(scaleFont()).height()};
}

QRect TimeBars::area() const
{
    return rect().adjusted(2, 2, -2, -2 - QFontMetrics(scaleFont()).height());
}

QFont TimeBars::scaleFont() const
{
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    return small;
}

void TimeBars::paintScale(QPainter &painter) const
{
    if (m_histogram.bars.isEmpty())
        return;
    painter.setFont(scaleFont());
    painter.setPen(toneColor(Tone::Quiet, palette()));
    const QRect line = rect().adjusted(4, area().bottom() + 1, -4, 0);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, timeWords(m_histogram.fromUs));
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, timeWords(m_histogram.toUs));
}

int TimeBars::wantedBars() const
{
    return std::clamp(area().width() / barWidth, 1, mostBars);
}

void TimeBars::setHistogram(const ports::LogHistogram &histogram)
{
    if (histogram == m_histogram)
        return;
    if (histogram.bars.size() != m_histogram.bars.size())
        m_anchor = m_current = -1;
    m_histogram = histogram;
    setAccessibleDescription(m_histogram.bars.isEmpty() ? QString()
                                                        : words(0, static_cast<int>(m_histogram.bars.size()) - 1));
    update();
}

QRectF TimeBars::barRect(int bar) const
{
    const QRect room = area();
    const double width = static_cast<double>(room.width()) / static_cast<double>(m_histogram.bars.size());
    return {room.left() + bar * width, static_cast<double>(room.top()), width, static_cast<double>(room.height())};
}

int TimeBars::barAt(int x) const
{
    const int bars = static_cast<int>(m_histogram.bars.size());
    const QRect room = area();
    if (bars == 0 || room.width() == 0)
        return -1;
    return std::clamp((x - room.left()) * bars / room.width(), 0, bars - 1);
}

std::int64_t TimeBars::startOf(int bar) const
{
    const auto share = static_cast<double>(bar) / static_cast<double>(m_histogram.bars.size());
    return m_histogram.fromUs
        + static_cast<std::int64_t>(share * static_cast<double>(m_histogram.toUs - m_histogram.fromUs));
}

QString TimeBars::words(int first, int last) const
{
    std::array<std::int64_t, 3> counts{};
    for (int bar = first; bar <= last; ++bar) {
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts.at(i) += m_histogram.bars.at(bar).at(i);
    }
    const QLocale locale;
    return tr("%1 to %2: %3 refused, %4 asking, %5 allowed")
        .arg(timeWords(startOf(first)), timeWords(startOf(last + 1)),
             locale.toString(static_cast<qlonglong>(counts[2])), locale.toString(static_cast<qlonglong>(counts[1])),
             locale.toString(static_cast<qlonglong>(counts[0])));
}

void TimeBars::paintEvent(QPaintEvent *)
{
    QStylePainter painter(this);
    painter.fillRect(rect(), palette().base());
    const int bars = static_cast<int>(m_histogram.bars.size());
    std::int64_t highest = 1;
    for (const auto &counts : std::as_const(m_histogram.bars))
        highest = std::max(highest, sum(counts));
    if (m_anchor >= 0) {
        const QRectF stretch = barRect(std::min(m_anchor, m_current)).united(barRect(std::max(m_anchor, m_current)));
        painter.fillRect(stretch, toneWash(Tone::Quiet, palette()));
    }
    static constexpr std::array tones{Tone::Refused, Tone::Asks, Tone::Allowed};
    for (int bar = 0; bar < bars; ++bar) {
        const auto &counts = m_histogram.bars.at(bar);
        const std::int64_t total = sum(counts);
        if (total == 0)
            continue;
        QRectF room = barRect(bar).adjusted(0, 0, -1, 0);
        const double height = std::max(2.0, room.height() * scaled(total) / scaled(highest));
        double bottom = room.bottom();
        // Refusals stand at the bottom, on the line, so that they compare from bar to bar.
        for (std::size_t i = 0; i < tones.size(); ++i) {
            const std::int64_t count = counts.at(2 - i);
            if (count == 0)
                continue;
            const double part = std::max(2.0, height * static_cast<double>(count) / static_cast<double>(total));
            const double top = std::max(room.top(), bottom - part);
            painter.fillRect(QRectF(room.left(), top, room.width(), bottom - top), toneColor(tones.at(i), palette()));
            bottom = top;
        }
    }
    paintScale(painter);
    if (hasFocus()) {
        QStyleOptionFocusRect option;
        option.initFrom(this);
        painter.drawPrimitive(QStyle::PE_FrameFocusRect, option);
    }
}

void TimeBars::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    Q_EMIT wantedBarsChanged();
}

void TimeBars::choose(int anchor, int current)
{
    m_anchor = anchor;
    m_current = current;
    if (m_anchor >= 0) {
        setAccessibleDescription(words(std::min(anchor, current), std::max(anchor, current)));
        QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&changed);
    }
    update();
}

void TimeBars::zoom()
{
    if (m_anchor < 0)
        return;
    const int first = std::min(m_anchor, m_current);
    const int last = std::max(m_anchor, m_current);
    Q_EMIT rangeChosen(startOf(first), startOf(last + 1));
    choose(-1, -1);
}

void TimeBars::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        choose(barAt(event->position().toPoint().x()), barAt(event->position().toPoint().x()));
}

void TimeBars::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons().testFlag(Qt::LeftButton) && m_anchor >= 0)
        choose(m_anchor, barAt(event->position().toPoint().x()));
}

void TimeBars::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && m_anchor != m_current)
        zoom();
}

void TimeBars::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_histogram.bars.size()) - 1;
    const bool extend = event->modifiers().testFlag(Qt::ShiftModifier);
    const auto move = [&](int to) {
        const int bar = std::clamp(to, 0, last);
        choose(extend && m_anchor >= 0 ? m_anchor : bar, bar);
    };
    if (last < 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Left:
        move(m_current < 0 ? last : m_current - 1);
        return;
    case Qt::Key_Right:
        move(m_current < 0 ? last : m_current + 1);
        return;
    case Qt::Key_Home:
        move(0);
        return;
    case Qt::Key_End:
        move(last);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        zoom();
        return;
    case Qt::Key_Escape:
        choose(-1, -1);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

bool TimeBars::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip && !m_histogram.bars.isEmpty()) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const int bar = barAt(help->pos().x());
        QToolTip::showText(help->globalPos(), plainTip(words(bar, bar)), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace portcullis::ui
