// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small drawn signs that tell states apart by shape, at any scale and in any palette.

#include "runner/base/vocabulary.h"
#include "runner/ports/health_source.h"
#include "ui/widgets/tones.h"

#include <QIcon>
#include <QPainter>
#include <QPalette>
#include <QRectF>

namespace portcullis::ui {

enum class Mark {
    Stop, ///< octagon with a bar: refused
    Diamond, ///< diamond with a dot: needs approval
    Check, ///< tick: allowed, passed, good
    Warning, ///< triangle with an exclamation mark
    Note, ///< ring with a dot: worth knowing
    Play,
    Pause,
    Lines, ///< a list
    Skip ///< short dash: was not reached
};

void drawMark(QPainter &painter, const QRectF &square, Mark mark, const QColor &color);

/// The sign as an icon, sharp at every device pixel ratio; it follows the palette that it is given.
[[nodiscard]] QIcon markIcon(Mark mark, const QColor &color);

[[nodiscard]] Mark markOf(Verdict verdict);
[[nodiscard]] Tone toneOf(Verdict verdict);
[[nodiscard]] Mark markOf(ports::Severity severity);
[[nodiscard]] Tone toneOf(ports::Severity severity);

} // namespace portcullis::ui
