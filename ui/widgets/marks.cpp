// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/marks.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainterPath>
#include <QPixmap>
#include <QPolygonF>

#include <array>
#include <cmath>
#include <numbers>

namespace portcullis::ui {

namespace {

/// All shapes live in a square from 0 to 16.
constexpr double grid = 16.0;

QPolygonF octagon()
{
    QPolygonF corners;
    for (int i = 0; i < 8; ++i) {
        const double angle = (i + 0.5) * std::numbers::pi / 4;
        corners << QPointF(8 + 7.2 * std::cos(angle), 8 + 7.2 * std::sin(angle));
    }
    return corners;
}

/// What is cut out of a filled shape, so that it reads on every background.
QPainterPath bar()
{
    QPainterPath path;
    path.addRoundedRect(QRectF(4, 6.8, 8, 2.4), 0.6, 0.6);
    return path;
}

QPainterPath exclamation(double top)
{
    QPainterPath path;
    path.addRoundedRect(QRectF(7.1, top, 1.8, 4.6), 0.6, 0.6);
    path.addEllipse(QRectF(7, top + 5.6, 2, 2));
    return path;
}

QPainterPath dot()
{
    QPainterPath path;
    path.addEllipse(QRectF(6, 6, 4, 4));
    return path;
}

QPainterPath polygon(const QPolygonF &corners)
{
    QPainterPath path;
    path.addPolygon(corners);
    path.closeSubpath();
    return path;
}

QPainterPath rectangles(std::initializer_list<QRectF> all)
{
    QPainterPath path;
    for (const QRectF &each : all)
        path.addRect(each);
    return path;
}

QPainterPath tick()
{
    QPainterPath line;
    line.moveTo(2.8, 8.6);
    line.lineTo(6.4, 12.2);
    line.lineTo(13.2, 4.4);
    QPainterPathStroker stroker;
    stroker.setWidth(2.1);
    stroker.setCapStyle(Qt::RoundCap);
    stroker.setJoinStyle(Qt::RoundJoin);
    return stroker.createStroke(line);
}

QPainterPath ring()
{
    QPainterPath path;
    path.addEllipse(QRectF(1.4, 1.4, 13.2, 13.2));
    QPainterPath hole;
    hole.addEllipse(QRectF(3, 3, 10, 10));
    path -= hole;
    path.addRoundedRect(QRectF(7.1, 7, 1.8, 4.8), 0.6, 0.6);
    path.addEllipse(QRectF(7, 4.2, 2, 2));
    return path;
}

QPainterPath shapeOf(Mark mark)
{
    switch (mark) {
    case Mark::Stop:
        return polygon(octagon()) - bar();
    case Mark::Diamond:
        return polygon(QPolygonF{{8, 0.4}, {15.6, 8}, {8, 15.6}, {0.4, 8}}) - dot();
    case Mark::Check:
        return tick();
    case Mark::Warning:
        return polygon(QPolygonF{{8, 1.2}, {15.4, 14.6}, {0.6, 14.6}}) - exclamation(5.2);
    case Mark::Note:
        return ring();
    case Mark::Play:
        return polygon(QPolygonF{{4, 2}, {14, 8}, {4, 14}});
    case Mark::Pause:
        return rectangles({{3.5, 2, 3, 12}, {9.5, 2, 3, 12}});
    case Mark::Lines:
        return rectangles(
            {{1, 2.5, 2, 2}, {5, 2.5, 10, 2}, {1, 7, 2, 2}, {5, 7, 10, 2}, {1, 11.5, 2, 2}, {5, 11.5, 10, 2}});
    case Mark::Skip:
        break;
    }
    QPainterPath dash;
    dash.addRoundedRect(QRectF(4, 7.2, 8, 1.6), 0.8, 0.8);
    return dash;
}

class MarkEngine : public QIconEngine
{
public:
    MarkEngine(Mark mark, const QColor &color) : m_mark(mark), m_color(color) { }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        QColor color = m_color;
        if (mode == QIcon::Disabled)
            color.setAlphaF(0.5F);
        if (mode == QIcon::Selected)
            color = QGuiApplication::palette().color(QPalette::HighlightedText);
        const int side = std::min(rect.width(), rect.height());
        const QRectF square(rect.center().x() - side / 2.0 + 0.5, rect.center().y() - side / 2.0 + 0.5, side, side);
        drawMark(*painter, square, m_mark, color);
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }

    [[nodiscard]] QIconEngine *clone() const override { return new MarkEngine(m_mark, m_color); }

private:
    Mark m_mark;
    QColor m_color;
};

} // namespace

void drawMark(QPainter &painter, const QRectF &square, Mark mark, const QColor &color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(square.topLeft());
    painter.scale(square.width() / grid, square.height() / grid);
    painter.fillPath(shapeOf(mark), color);
    painter.restore();
}

QIcon markIcon(Mark mark, const QColor &color)
{
    return QIcon(new MarkEngine(mark, color));
}

Mark markOf(Verdict verdict)
{
    static constexpr std::array marks{Mark::Check, Mark::Diamond, Mark::Stop};
    return marks.at(static_cast<std::size_t>(verdict));
}

Tone toneOf(Verdict verdict)
{
    static constexpr std::array tones{Tone::Allowed, Tone::Asks, Tone::Refused};
    return tones.at(static_cast<std::size_t>(verdict));
}

Mark markOf(ports::Severity severity)
{
    static constexpr std::array marks{Mark::Check, Mark::Note, Mark::Warning, Mark::Stop};
    return marks.at(static_cast<std::size_t>(severity));
}

Tone toneOf(ports::Severity severity)
{
    static constexpr std::array tones{Tone::Allowed, Tone::Quiet, Tone::Asks, Tone::Refused};
    return tones.at(static_cast<std::size_t>(severity));
}

} // namespace portcullis::ui
