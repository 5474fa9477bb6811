// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/tones.h"

#include <algorithm>
#include <cmath>

namespace portcullis::ui {

namespace {

bool isDark(const QPalette &palette)
{
    return palette.color(QPalette::Base).lightness() < 128;
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

QColor mixed(const QColor &over, const QColor &under, double share)
{
    const auto channel = [share](int a, int b) { return static_cast<int>(std::lround(a * share + b * (1 - share))); };
    return {channel(over.red(), under.red()), channel(over.green(), under.green()), channel(over.blue(), under.blue())};
}

} // namespace

QColor toneColor(Tone tone, const QPalette &palette)
{
    const bool dark = isDark(palette);
    switch (tone) {
    case Tone::Refused:
        return dark ? QColor(0xff9189) : QColor(0xb3121d);
    case Tone::Asks:
        return dark ? QColor(0xf2c14e) : QColor(0x7a4b00);
    case Tone::Allowed:
        return dark ? QColor(0x7fd6a0) : QColor(0x126b3a);
    case Tone::Quiet:
        break;
    }
    return mixed(palette.color(QPalette::Text), palette.color(QPalette::Base), dark ? 0.66 : 0.68);
}

QColor toneWash(Tone tone, const QPalette &palette)
{
    return mixed(toneColor(tone, palette), palette.color(QPalette::Base), isDark(palette) ? 0.22 : 0.13);
}

double contrast(const QColor &first, const QColor &second)
{
    const double one = luminance(first);
    const double other = luminance(second);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

} // namespace portcullis::ui
