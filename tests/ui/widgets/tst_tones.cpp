// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/appearance.h"
#include "ui/widgets/tones.h"

#include <QApplication>
#include <QStyleFactory>
#include <QTest>

using namespace portcullis::ui;

class TstTones : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reads_well_on_every_ground_data();
    void reads_well_on_every_ground();
    void switches_between_light_and_dark();
};

void TstTones::reads_well_on_every_ground_data()
{
    QTest::addColumn<Qt::ColorScheme>("scheme");
    QTest::addRow("light") << Qt::ColorScheme::Light;
    QTest::addRow("dark") << Qt::ColorScheme::Dark;
}

void TstTones::reads_well_on_every_ground()
{
    QFETCH(const Qt::ColorScheme, scheme);
    applyAppearance(scheme);
    const QPalette palette = QGuiApplication::palette();
    constexpr double readable = 4.5; // WCAG 2.2, 1.4.3
    for (const Tone tone : {Tone::Refused, Tone::Asks, Tone::Allowed, Tone::Quiet}) {
        for (const auto ground : {QPalette::Base, QPalette::AlternateBase, QPalette::Window}) {
            const double ratio = contrast(toneColor(tone, palette), palette.color(ground));
            QVERIFY2(ratio >= readable,
                     qPrintable(QStringLiteral("tone %1, ground %2: %3").arg(int(tone)).arg(int(ground)).arg(ratio)));
        }
        QVERIFY(contrast(palette.color(QPalette::Text), toneWash(tone, palette)) >= readable);
    }
    QVERIFY(contrast(palette.color(QPalette::Text), palette.color(QPalette::Base)) >= readable);
    QVERIFY(contrast(palette.color(QPalette::WindowText), palette.color(QPalette::Window)) >= readable);
    QVERIFY(contrast(palette.color(QPalette::ToolTipText), palette.color(QPalette::ToolTipBase)) >= readable);
}

void TstTones::switches_between_light_and_dark()
{
    const auto ground = [] { return QGuiApplication::palette().color(QPalette::Base).lightness(); };
    applyAppearance(Qt::ColorScheme::Dark);
    QVERIFY(ground() < 80);
    applyAppearance(Qt::ColorScheme::Light);
    QVERIFY(ground() > 200);
}

QTEST_MAIN(TstTones)
#include "tst_tones.moc"
