// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/finding_popover.h"
#include "ui/shell/status_strip.h"

#include <QLabel>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

using namespace portcullis;
using portcullis::ui::FindingPopover;
using portcullis::ui::StatusStrip;

namespace {

class GivenHealth : public ports::HealthSource
{
public:
    [[nodiscard]] QList<ports::Finding> findings() const override { return list; }
    void refresh() override { Q_EMIT changed(); }
    QList<ports::Finding> list;
};

ports::Finding finding(const char *id, ports::Severity severity, const char *label)
{
    ports::Finding found;
    found.id = id;
    found.severity = severity;
    found.label = label;
    found.title = std::string("title of ") + id;
    found.tried = "tried <b>this</b>";
    found.happened = "found that";
    found.todo = "do this";
    found.onStrip = true;
    return found;
}

QStringList labels(const StatusStrip &strip)
{
    QStringList texts;
    for (const auto *button : strip.findChildren<QToolButton *>())
        texts.append(button->text());
    return texts;
}

} // namespace

class TstStatusStrip : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shows_a_button_for_each_finding_of_the_strip_only();
    void follows_changes();
    void opens_the_finding_and_closes_it_with_escape();
    void wraps_in_a_narrow_window();
    void puts_first_what_is_worst();
    void shows_every_item_however_small_the_window();
};

void TstStatusStrip::shows_a_button_for_each_finding_of_the_strip_only()
{
    GivenHealth health;
    health.list = {finding("record", ports::Severity::Good, "recording to R&D.db"),
                   finding("x", ports::Severity::Good, "hidden")};
    health.list[1].onStrip = false;
    const StatusStrip strip(health);
    QCOMPARE(labels(strip), QStringList{QStringLiteral("recording to R&&D.db")});
    const auto *button = strip.findChild<QToolButton *>();
    QCOMPARE(button->accessibleName(), QStringLiteral("good: recording to R&D.db"));
    QVERIFY(!button->icon().isNull());
}

void TstStatusStrip::follows_changes()
{
    GivenHealth health;
    const StatusStrip strip(health);
    QVERIFY(labels(strip).isEmpty());
    health.list = {finding("walls", ports::Severity::Good, "both walls")};
    health.refresh();
    QCOMPARE(labels(strip), QStringList{QStringLiteral("both walls")});
    health.list = {finding("walls", ports::Severity::Problem, "NOT CONFINED")};
    health.refresh();
    QCOMPARE(labels(strip), QStringList{QStringLiteral("NOT CONFINED")});
    QCOMPARE(strip.findChild<QToolButton *>()->accessibleName(), QStringLiteral("problem: NOT CONFINED"));
}

void TstStatusStrip::opens_the_finding_and_closes_it_with_escape()
{
    GivenHealth health;
    health.list = {finding("walls", ports::Severity::Warning, "one wall")};
    StatusStrip strip(health);
    strip.show();
    QVERIFY(QTest::qWaitForWindowActive(&strip));
    auto *button = strip.findChild<QToolButton *>();
    button->setFocus();
    QTest::keyClick(button, Qt::Key_Space);
    const QPointer<FindingPopover> popover = strip.findChild<FindingPopover *>();
    QVERIFY(popover);
    QVERIFY(popover->isVisible());
    QString text;
    for (const auto *label : popover->findChildren<QLabel *>())
        text += label->text() + u'|';
    for (const char *part : {"title of walls", "tried <b>this</b>", "found that", "do this"})
        QVERIFY2(text.contains(QLatin1StringView(part)), part);
    QTest::keyClick(popover, Qt::Key_Escape);
    QTRY_VERIFY(!popover);
}

void TstStatusStrip::wraps_in_a_narrow_window()
{
    GivenHealth health;
    for (int i = 0; i < 6; ++i)
        health.list.append(finding(std::to_string(i).c_str(), ports::Severity::Good, "a label of some length"));
    StatusStrip strip(health);
    const int wide = strip.heightForWidth(5000);
    QVERIFY(strip.heightForWidth(300) > 2 * wide);
}

void TstStatusStrip::puts_first_what_is_worst()
{
    GivenHealth health;
    health.list = {finding("record", ports::Severity::Good, "recording"),
                   finding("walls", ports::Severity::Note, "one wall"),
                   finding("sandbox", ports::Severity::Note, "no sandbox")};
    StatusStrip strip(health);
    strip.resize(1000, strip.heightForWidth(1000));
    strip.show();
    const auto drawn = [&strip] {
        QList<QToolButton *> buttons = strip.findChildren<QToolButton *>();
        std::ranges::sort(buttons, {}, [](const QToolButton *button) { return button->x(); });
        QStringList texts;
        for (const QToolButton *button : buttons)
            texts.append(button->text());
        return texts;
    };
    QTRY_COMPARE(drawn().join(u','), QStringLiteral("one wall,no sandbox,recording"));
    health.list.append(finding("configuration", ports::Severity::Problem, "1 configuration error"));
    health.refresh();
    QTRY_COMPARE(drawn().join(u','), QStringLiteral("1 configuration error,one wall,no sandbox,recording"));
}

void TstStatusStrip::shows_every_item_however_small_the_window()
{
    GivenHealth health;
    for (int i = 0; i < 9; ++i)
        health.list.append(finding(std::to_string(i).c_str(), ports::Severity::Good, "a label of some length"));
    QWidget window;
    auto *page = new QWidget;
    page->setMinimumHeight(200);
    auto *strip = new StatusStrip(health);
    auto *layout = new QVBoxLayout(&window);
    layout->addWidget(page, 1);
    layout->addWidget(strip);
    window.resize(400, 220);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    for (const QToolButton *button : strip->findChildren<QToolButton *>()) {
        QTRY_VERIFY(window.rect().contains(QRect(button->mapTo(&window, QPoint()), button->size())));
        QVERIFY(strip->rect().contains(button->geometry()));
    }
}

QTEST_MAIN(TstStatusStrip)
#include "tst_status_strip.moc"
