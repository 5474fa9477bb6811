// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/span.h"

#include <QList>
#include <QString>

#include <cstddef>
#include <span>
#include <string_view>

namespace portcullis::ui {

/// Bytes of others as text that is safe to show, with the marked stretches counted in its characters.
struct MarkedText {
    struct Stretch {
        int start = 0;
        int length = 0;
        friend bool operator==(const Stretch &, const Stretch &) = default;
    };
    QString text;
    QList<Stretch> marks;
    std::size_t hiddenBytes = 0; ///< left out of the middle
};

/// How much to show of a long text.
struct Excerpt {
    std::size_t head = 4096; ///< bytes from the beginning
    std::size_t tail = 0; ///< bytes from the end
    std::size_t around = 200; ///< bytes before and after a marked stretch
    bool countBlanks = false; ///< blanks and empty lines that push the rest out of view are counted, not shown

    [[nodiscard]] static constexpr Excerpt whole()
    {
        return {.head = SIZE_MAX, .tail = 0, .around = 0, .countBlanks = false};
    }
};

/// Line breaks stay line breaks; every other control, bidi or zero-width character becomes a visible token. Marks grow
/// to whole characters. What an excerpt leaves out stands as a line that says how many bytes.
[[nodiscard]] MarkedText markedText(std::string_view bytes, std::span<const Span> marks, const Excerpt &excerpt = {});

} // namespace portcullis::ui
