// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "runner/base/uuid.h"
#include "tests/support/audit_events.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace portcullis;
using namespace portcullis::audit;
using record::Filter;
using Code = AuditError::Code;

namespace {

Filter parsed(std::string_view text)
{
    auto filter = Filter::parse(text, {});
    return filter ? *filter : Filter::between(1, 0);
}

std::vector<std::int64_t> rowNumbers(const std::vector<record::Event> &events)
{
    std::vector<std::int64_t> rows;
    for (const record::Event &event : events)
        rows.push_back(event.row);
    return rows;
}

/// 1,000 events: every third is refused, tenants take turns, one in a hundred is of tenant rare.
record::Event mixedEvent(std::uint64_t n)
{
    record::Event event = n % 3 == 0 ? test::deniedEvent(n) : test::allowedEvent(n);
    if (event.verdict == Verdict::Allow) {
        event.outcome = Outcome::Exited;
        event.exitCode = static_cast<int>(n % 2);
    }
    event.tenant = n % 100 == 7 ? "rare" : n % 2 == 0 ? "acme" : "globex";
    return event;
}

} // namespace

class TstAuditReader : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string m_path = m_folder.filePath(QStringLiteral("audit.db")).toStdString();
    std::unique_ptr<AuditWriter> m_writer;
    std::unique_ptr<AuditReader> m_reader;
    static constexpr std::uint64_t eventCount = 1000;

    /// All rows of a filter, read in one page.
    std::vector<std::int64_t> allRows(const Filter &filter)
    {
        const auto events = m_reader->page(filter, 0, 100'000);
        return events ? rowNumbers(*events) : std::vector<std::int64_t>{-1};
    }

private Q_SLOTS:
    void initTestCase()
    {
        auto writer = AuditWriter::open({.path = m_path, .reserveBytes = 0});
        QVERIFY(writer);
        m_writer = std::move(*writer);
        std::vector<WriteRequest> requests;
        for (std::uint64_t n = 1; n <= eventCount; ++n)
            requests.emplace_back(Append{mixedEvent(n), {}});
        for (const WriteResult &result : m_writer->commit(std::move(requests)))
            QVERIFY(result);
        auto reader = AuditReader::open(m_path);
        QVERIFY(reader);
        m_reader = std::move(*reader);
    }

    void gives_back_every_field_that_was_written()
    {
        record::Event event = test::fullEvent(eventCount + 5);
        const auto row = m_writer->append(event, {std::string("a\0b\xff", 4), "err", 5, 6});
        QVERIFY(row);
        const auto read = m_reader->event(*row);
        QVERIFY(read);
        event.row = *row;
        QVERIFY(*read == event);
        QVERIFY((m_reader->output(*row) == record::Output{std::string("a\0b\xff", 4), "err", 5, 6}));

        // A list row has all but what only one event at a time needs.
        record::Event listed = event;
        listed.blockersJson = listed.traceJson = listed.hostFactsJson = {};
        listed.argv = {};
        const auto rows = m_reader->rows({*row, *row + 1000});
        QVERIFY(rows && rows->size() == 1);
        QVERIFY(rows->front() == listed);
    }

    void pages_from_anchors_are_the_whole_listing_data()
    {
        QTest::addColumn<QByteArray>("filter");
        QTest::addRow("without a filter") << QByteArray();
        QTest::addRow("by an indexed field") << QByteArray("tenant:acme");
        QTest::addRow("by a value in few rows") << QByteArray("tenant:rare");
        QTest::addRow("by two fields") << QByteArray("tenant:acme verdict:deny");
        QTest::addRow("by a word") << QByteArray("BUILD");
        QTest::addRow("by a pattern") << QByteArray("/i . sh$/ or exit:1");
        QTest::addRow("by time") << QByteArray("since:2026-09-21 until:2100");
        QTest::addRow("by what nothing has") << QByteArray("tenant:nobody");
    }

    void pages_from_anchors_are_the_whole_listing()
    {
        QFETCH(QByteArray, filter);
        const Filter wanted = parsed(filter.toStdString());
        std::vector<std::int64_t> expected;
        const auto everything = m_reader->page({}, 0, 100'000);
        QVERIFY(everything);
        for (const record::Event &event : *everything) {
            if (wanted.matches(event))
                expected.push_back(event.row);
        }

        Anchors anchors;
        int calls = 0;
        while (!anchors.complete && calls++ < 100)
            QVERIFY(m_reader->extendAnchors(wanted, anchors, 97));
        QCOMPARE(anchors.count, static_cast<std::int64_t>(expected.size()));
        QCOMPARE(m_reader->count(wanted).value_or(-1), anchors.count);
        std::vector<std::int64_t> paged;
        for (const std::int64_t first : anchors.firstRows) {
            const auto page = m_reader->page(wanted, first);
            QVERIFY(page);
            QVERIFY(!page->empty() && page->front().row == first);
            std::ranges::copy(rowNumbers(*page), std::back_inserter(paged));
        }
        QVERIFY(paged == expected);
    }

    void pages_backward_are_the_same_listing_from_its_end()
    {
        const Filter wanted = parsed("verdict:deny");
        std::vector<std::int64_t> backward;
        std::int64_t before = 0;
        while (true) {
            const auto page = m_reader->pageBackward(wanted, before, 50);
            QVERIFY(page);
            if (page->empty())
                break;
            std::ranges::copy(rowNumbers(*page), std::back_inserter(backward));
            before = page->back().row;
        }
        std::ranges::reverse(backward);
        QVERIFY(!backward.empty());
        QVERIFY(backward == allRows(wanted));
    }

    void neighbours_are_the_next_matching_rows()
    {
        const Filter denied = parsed("verdict:deny tenant:acme");
        const std::vector<std::int64_t> rows = allRows(denied);
        QVERIFY(rows.size() > 3);
        QCOMPARE(m_reader->next(denied, rows[1]).value_or(std::nullopt), std::optional(rows[2]));
        QCOMPARE(m_reader->previous(denied, rows[1]).value_or(std::nullopt), std::optional(rows[0]));
        QCOMPARE(m_reader->previous(denied, rows[0]).value_or(-1), std::optional<std::int64_t>());
        QCOMPARE(m_reader->next(denied, rows.back()).value_or(-1), std::optional<std::int64_t>());
    }

    void new_rows_extend_the_anchors_at_the_tail()
    {
        Anchors anchors;
        QVERIFY(m_reader->extendAnchors({}, anchors));
        QVERIFY(anchors.complete);
        QVERIFY(m_reader->changed());
        QVERIFY(!m_reader->changed().value_or(true));
        const auto row = m_writer->append(test::deniedEvent(eventCount + 10));
        QVERIFY(row);
        QVERIFY(m_reader->changed().value_or(false));
        const Anchors before = anchors;
        QVERIFY(m_reader->extendAnchors({}, anchors));
        QCOMPARE(anchors.count, before.count + 1);
        QCOMPARE(anchors.lastRow, *row);
    }

    void a_filter_by_time_finds_rows_that_came_after_it_was_first_asked()
    {
        const Filter late = parsed("since:2026-09-21");
        const auto before = m_reader->count(late);
        QVERIFY(before);
        QVERIFY(m_writer->append(test::deniedEvent(eventCount + 11)));
        QCOMPARE(m_reader->count(late).value_or(-1), *before + 1);
    }

    void running_rows_are_listed_until_they_are_completed()
    {
        const auto row = m_writer->begin(test::allowedEvent(eventCount + 20, thisRunner()));
        QVERIFY(row);
        auto changes = m_reader->changes();
        QVERIFY(changes);
        QCOMPARE(changes->running, std::vector<std::int64_t>{*row});
        QCOMPARE(changes->lastRow, *row);
        QVERIFY(m_writer->finish(*row, {}));
        changes = m_reader->changes();
        QVERIFY(changes && changes->running.empty());
    }

    void an_event_is_found_by_whole_id_by_its_beginning_and_by_its_end()
    {
        const std::string id = test::eventId(42);
        for (const std::string &wanted : {id, id.substr(0, 23), std::string(shortId(id)), id.substr(id.size() - 6)}) {
            const auto event = m_reader->eventById(wanted);
            QVERIFY2(event, wanted.c_str());
            QCOMPARE(event->id, id);
        }
        QString upper = QString::fromStdString(id).toUpper();
        QVERIFY(m_reader->eventById(upper.toStdString()));
    }

    void a_part_of_an_id_that_says_too_little_is_an_error()
    {
        const std::string id = test::eventId(42);
        QCOMPARE(m_reader->eventById(id.substr(0, 8)).error().code, Code::Ambiguous);
        QCOMPARE(m_reader->eventById(id.substr(id.size() - 5)).error().code, Code::NotFound);
        QCOMPARE(m_reader->eventById("").error().code, Code::NotFound);
        QCOMPARE(m_reader->eventById("ffffffffffff").error().code, Code::NotFound);
        QCOMPARE(m_reader->event(999'999).error().code, Code::NotFound);
    }

    void the_histogram_counts_every_event_of_its_range_once()
    {
        const std::int64_t from = test::deniedEvent(1).timeUs;
        const std::int64_t to = test::deniedEvent(eventCount).timeUs + 1;
        for (const std::string_view text : {"", "tenant:acme", "/sh$/"}) {
            const auto bars = m_reader->histogram(parsed(text), from, to, 7);
            QVERIFY(bars);
            QCOMPARE(bars->size(), std::size_t{7});
            std::array<std::int64_t, 3> sums{};
            for (const Bucket &bar : *bars) {
                for (std::size_t i = 0; i < sums.size(); ++i)
                    sums[i] += bar.counts[i];
            }
            const Filter inRange = parsed(text).narrowedBy(Filter::between(from, to));
            QCOMPARE(sums[0], m_reader->count(inRange.narrowedBy(parsed("verdict:allow"))).value_or(-1));
            QCOMPARE(sums[2], m_reader->count(inRange.narrowedBy(parsed("verdict:deny"))).value_or(-1));
            QVERIFY(sums[2] > 0);
        }
    }

    void distinct_values_come_with_their_numbers()
    {
        const auto tenants = m_reader->distinct(record::Field::Tenant, 2);
        QVERIFY(tenants);
        QCOMPARE(tenants->size(), std::size_t{2});
        QCOMPARE(tenants->front().value, std::string("acme"));
        QCOMPARE(tenants->front().count, m_reader->count(parsed("tenant:acme")).value_or(-1));
        QCOMPARE(m_reader->distinct(record::Field::Exit).error().code, Code::Refused);
    }

    void a_set_stop_flag_ends_a_scan()
    {
        const std::atomic_bool stop = true;
        QCOMPARE(m_reader->count(parsed("x"), &stop).error().code, Code::Stopped);
        Anchors anchors;
        QCOMPARE(m_reader->extendAnchors({}, anchors, 100, &stop).error().code, Code::Stopped);
        QCOMPARE(anchors.scannedTo, std::int64_t{0});
    }

    void configurations_and_heartbeats_are_kept_once()
    {
        QVERIFY(m_writer->storeConfiguration("sha256:aa", "text one", 1));
        QVERIFY(m_writer->storeConfiguration("sha256:aa", "another", 2));
        QCOMPARE(m_reader->configuration("sha256:aa").value_or(""), std::string("text one"));
        QCOMPARE(m_reader->configuration("sha256:bb").error().code, Code::NotFound);
        QVERIFY(m_writer->heartbeat({"1:2:3", "sha256:aa", "0.1.0", "cli", 10}));
        QVERIFY(m_writer->heartbeat({"1:2:3", "sha256:bb", "0.1.0", "cli", 20}));
        const auto beats = m_reader->heartbeats();
        QVERIFY(beats && beats->size() == 1);
        QCOMPARE(beats->front().configDigest, std::string("sha256:bb"));
    }
};

QTEST_GUILESS_MAIN(TstAuditReader)
#include "tst_audit_reader.moc"
