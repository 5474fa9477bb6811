// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/log_source.h"

#include <QWidget>

namespace portcullis::ui {

/// How the rows of the filter lie in time: bars of refused, asking and allowed commands. A stretch is chosen by
/// dragging, or with the arrow keys (Shift extends); Return zooms into it.
class TimeBars : public QWidget
{
    Q_OBJECT

public:
    explicit TimeBars(QWidget *parent = nullptr);

    void setHistogram(const ports::LogHistogram &histogram);
    /// How many bars fit.
    [[nodiscard]] int wantedBars() const;

    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    /// [fromUs, toUs) was chosen, UTC microseconds.
    void rangeChosen(std::int64_t fromUs, std::int64_t toUs);
    void wantedBarsChanged();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    [[nodiscard]] QRect area() const; ///< of the bars, above the scale
    [[nodiscard]] QFont scaleFont() const;
    void paintScale(QPainter &painter) const;
    [[nodiscard]] int barAt(int x) const;
    [[nodiscard]] QRectF barRect(int bar) const;
    [[nodiscard]] std::int64_t startOf(int bar) const;
    [[nodiscard]] QString words(int first, int last) const;
    void choose(int anchor, int current);
    void zoom();

    ports::LogHistogram m_histogram;
    int m_anchor = -1; ///< where the chosen stretch began, -1: none
    int m_current = -1; ///< where it ends
};

} // namespace portcullis::ui
