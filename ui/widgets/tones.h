// SPDX-License-Identifier: Apache-2.0
#pragma once

// The few colours beside the palette's own. Each has a light and a dark form, chosen by the background that it stands
// on, with a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3) on Base, AlternateBase and Window. None carries a meaning
// alone: a word and a shape always stand with it.

#include <QColor>
#include <QPalette>

namespace portcullis::ui {

enum class Tone { Refused, Asks, Allowed, Quiet };

[[nodiscard]] QColor toneColor(Tone tone, const QPalette &palette);

/// A faint background in the tone, to stand behind text in the palette's text colour.
[[nodiscard]] QColor toneWash(Tone tone, const QPalette &palette);

/// Contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2, "contrast ratio").
[[nodiscard]] double contrast(const QColor &first, const QColor &second);

} // namespace portcullis::ui
