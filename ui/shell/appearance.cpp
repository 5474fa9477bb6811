// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/appearance.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleHints>

namespace portcullis::ui {

namespace {

QPalette darkPalette()
{
    const QColor window(0x2b, 0x2f, 0x34);
    const QColor base(0x1b, 0x1d, 0x20);
    const QColor text(0xee, 0xef, 0xf0);
    const QColor faint(0x8e, 0x94, 0x9a);
    QPalette palette(QColor(0x3c, 0x42, 0x48), window);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::AlternateBase, QColor(0x20, 0x23, 0x27));
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::PlaceholderText, QColor(0xa3, 0xa9, 0xb0));
    palette.setColor(QPalette::Highlight, QColor(0x2d, 0x6c, 0xa8));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::ToolTipBase, QColor(0x3a, 0x40, 0x46));
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::Link, QColor(0x6c, 0xb4, 0xee));
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faint);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(0x45, 0x4a, 0x50));
    return palette;
}

bool isDark(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

} // namespace

void applyAppearance(Qt::ColorScheme scheme)
{
    QApplication::setPalette(QPalette()); // an own palette would hide what the platform does
    QGuiApplication::styleHints()->setColorScheme(scheme);
    const bool dark = isDark(QGuiApplication::palette());
    if (scheme == Qt::ColorScheme::Unknown || dark == (scheme == Qt::ColorScheme::Dark))
        return;
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setPalette(scheme == Qt::ColorScheme::Dark ? darkPalette()
                                                             : QApplication::style()->standardPalette());
}

} // namespace portcullis::ui
