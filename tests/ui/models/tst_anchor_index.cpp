// SPDX-License-Identifier: Apache-2.0
#include "ui/models/anchor_index.h"

#include <QTest>

using namespace portcullis;
using portcullis::ui::AnchorIndex;

class TstAnchorIndex : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void finds_the_page_of_a_row();
    void grows_inside_and_past_the_last_page();
    void refuses_numbers_that_contradict_each_other_data();
    void refuses_numbers_that_contradict_each_other();
};

namespace {

AnchorIndex twoPages()
{
    AnchorIndex index;
    index.reset({.count = 300, .firstRows = {10, 5000}});
    return index;
}

} // namespace

void TstAnchorIndex::finds_the_page_of_a_row()
{
    const AnchorIndex index = twoPages();
    QCOMPARE(index.pageCount(), 2);
    QVERIFY(!index.pageOf(9));
    QCOMPARE(index.pageOf(10), 0);
    QCOMPARE(index.pageOf(4999), 0);
    QCOMPARE(index.pageOf(5000), 1);
    QCOMPARE(index.pageOf(1'000'000), 1);
    QVERIFY(!AnchorIndex().pageOf(1));
}

void TstAnchorIndex::grows_inside_and_past_the_last_page()
{
    AnchorIndex index = twoPages();
    QVERIFY(index.grow(512, {}));
    QCOMPARE(index.count(), 512);
    QVERIFY(index.grow(1024, {9000, 12000}));
    QCOMPARE(index.pageOf(12001), 3);
}

void TstAnchorIndex::refuses_numbers_that_contradict_each_other_data()
{
    QTest::addColumn<qint64>("count");
    QTest::addColumn<QList<std::int64_t>>("began");
    QTest::addRow("fewer rows than before") << qint64{299} << QList<std::int64_t>{};
    QTest::addRow("a page that is missing") << qint64{513} << QList<std::int64_t>{};
    QTest::addRow("a page too many") << qint64{400} << QList<std::int64_t>{9000};
    QTest::addRow("a page that begins before the last one") << qint64{600} << QList<std::int64_t>{4000};
    QTest::addRow("two pages that begin at the same row") << qint64{600} << QList<std::int64_t>{5000};
}

void TstAnchorIndex::refuses_numbers_that_contradict_each_other()
{
    QFETCH(const qint64, count);
    QFETCH(const QList<std::int64_t>, began);
    AnchorIndex index = twoPages();
    QVERIFY(!index.grow(count, began));
    QCOMPARE(index.count(), 300);
    QCOMPARE(index.pageCount(), 2);

    index.reset({.count = count, .firstRows = QList<std::int64_t>{10, 5000} + began});
    QVERIFY(index.count() == 0 || index.pageCount() == 2);
}

QTEST_GUILESS_MAIN(TstAnchorIndex)
#include "tst_anchor_index.moc"
