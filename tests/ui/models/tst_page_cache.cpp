// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_log.h"
#include "ui/models/page_cache.h"

#include <QTest>

using namespace portcullis;
using portcullis::test::ScriptedLog;
using portcullis::ui::PageCache;

class TstPageCache : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keeps_no_more_pages_than_allowed();
    void forgets_the_page_that_was_used_least_recently();
    void keeps_no_more_bytes_than_allowed_but_always_the_page_just_added();
    void counts_a_replaced_page_once();
    void wants_missing_and_outdated_pages_only();
    void marks_only_pages_with_running_commands();
    void finds_a_storage_row_in_its_page();
};

namespace {

QList<record::Event> pageOf(int first, int rows = 4)
{
    QList<record::Event> events;
    for (int i = 0; i < rows; ++i)
        events.append(ScriptedLog::makeEvent(first + i));
    return events;
}

} // namespace

void TstPageCache::keeps_no_more_pages_than_allowed()
{
    PageCache cache({.pages = 3, .bytes = 1 << 30});
    for (int page = 0; page < 100; ++page)
        cache.insert(page, pageOf(page));
    QCOMPARE(cache.pageCount(), 3);
    QVERIFY(cache.row(99, 0) != nullptr);
    QVERIFY(cache.row(96, 0) == nullptr);
}

void TstPageCache::forgets_the_page_that_was_used_least_recently()
{
    PageCache cache({.pages = 2, .bytes = 1 << 30});
    cache.insert(1, pageOf(1));
    cache.insert(2, pageOf(2));
    QVERIFY(cache.row(1, 0) != nullptr);
    cache.insert(3, pageOf(3));
    QVERIFY(cache.row(1, 0) != nullptr);
    QVERIFY(cache.row(2, 0) == nullptr);
}

void TstPageCache::keeps_no_more_bytes_than_allowed_but_always_the_page_just_added()
{
    PageCache cache({.pages = 100, .bytes = 200'000});
    QList<record::Event> heavy = pageOf(0, 1);
    heavy.first().command = std::string(128 * 1024, 'x');
    for (int page = 0; page < 10; ++page)
        cache.insert(page, heavy);
    QVERIFY(cache.bytes() <= 200'000);
    QCOMPARE(cache.pageCount(), 1);

    heavy.first().command = std::string(500'000, 'x');
    cache.insert(10, heavy);
    QCOMPARE(cache.pageCount(), 1);
    QVERIFY(cache.row(10, 0) != nullptr);
}

void TstPageCache::counts_a_replaced_page_once()
{
    PageCache cache;
    cache.insert(0, pageOf(0));
    const auto once = cache.bytes();
    cache.insert(0, pageOf(0));
    QCOMPARE(cache.bytes(), once);
    cache.clear();
    QCOMPARE(cache.bytes(), 0);
}

void TstPageCache::wants_missing_and_outdated_pages_only()
{
    PageCache cache;
    QVERIFY(cache.wanted(7));
    cache.insert(7, pageOf(7));
    QVERIFY(!cache.wanted(7));
    cache.markStale(7);
    QVERIFY(cache.wanted(7));
    QVERIFY(cache.row(7, 0) != nullptr); // shown until the new one is here
    cache.insert(7, pageOf(7));
    QVERIFY(!cache.wanted(7));
}

void TstPageCache::marks_only_pages_with_running_commands()
{
    PageCache cache;
    QList<record::Event> running = pageOf(1);
    running[2].outcome = Outcome::Running;
    cache.insert(0, pageOf(0));
    cache.insert(1, running);
    QCOMPARE(cache.markUnfinishedStale(), QList<int>{1});
    QVERIFY(!cache.wanted(0));
    QVERIFY(cache.wanted(1));
}

void TstPageCache::finds_a_storage_row_in_its_page()
{
    PageCache cache;
    cache.insert(0, pageOf(0));
    QCOMPARE(cache.indexOf(0, 30), 2);
    QCOMPARE(cache.indexOf(0, 31), -1);
    QCOMPARE(cache.indexOf(5, 30), -1);
}

QTEST_GUILESS_MAIN(TstPageCache)
#include "tst_page_cache.moc"
