// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/health_source.h"

#include <QFrame>

namespace portcullis::ui {

/// One finding, opened from the strip: what was tried, what happened, what to do. Closes by Escape or a click
/// elsewhere.
class FindingPopover : public QFrame
{
    Q_OBJECT

public:
    FindingPopover(const ports::Finding &finding, QWidget *parent);

    /// Opens above this widget, inside of its screen.
    void openAbove(const QWidget &anchor);

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace portcullis::ui
