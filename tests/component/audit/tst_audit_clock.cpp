// SPDX-License-Identifier: Apache-2.0

// The clock of the host is set back by three hours in the middle of a record.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "runner/base/uuid.h"
#include "tests/support/audit_events.h"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <set>

using namespace portcullis;
using namespace portcullis::audit;
using record::Filter;

namespace {

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t hour = 3600 * second;
constexpr std::int64_t startUs = 1'790'000'000 * second;
constexpr int before = 700; ///< events before the step, and as many after it
constexpr int rowsInAll = 2 * before;

/// One event every ten seconds. The second half begins before the first and goes over a part of it again, to the
/// microsecond.
constexpr std::int64_t timeOf(int n)
{
    return startUs + n * 10 * second - (n < before ? 0 : 3 * hour);
}

/// A time that the second half passes as well.
constexpr std::int64_t bothHave = timeOf(before / 4);

std::string idAt(std::int64_t timeUs)
{
    std::array<quint32, uuidRandomBytes / sizeof(quint32)> random{};
    QRandomGenerator::system()->fillRange(random.data(), static_cast<qsizetype>(random.size()));
    std::array<std::byte, uuidRandomBytes> bytes{};
    std::ranges::copy(std::as_bytes(std::span(random)), bytes.begin());
    return uuidV7(timeUs, bytes);
}

record::Event eventAt(int n)
{
    record::Event event = test::deniedEvent(1);
    event.timeUs = timeOf(n);
    event.id = idAt(event.timeUs);
    event.tenant = n % 3 == 0 ? "acme" : "globex";
    event.command = "echo " + std::to_string(n);
    return event;
}

record::Event pruneEvent()
{
    record::Event event = eventAt(rowsInAll);
    event.command = "log prune";
    return event;
}

std::vector<std::int64_t> rowNumbers(const std::vector<record::Event> &events)
{
    std::vector<std::int64_t> rows;
    for (const record::Event &event : events)
        rows.push_back(event.row);
    return rows;
}

} // namespace

class TstAuditClock : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<AuditWriter> m_writer;
    std::unique_ptr<AuditReader> m_reader;
    std::vector<record::Event> m_events; ///< as they were written, with their rows

    void write(int from, int to)
    {
        std::vector<WriteRequest> requests;
        for (int n = from; n < to; ++n) {
            m_events.push_back(eventAt(n));
            requests.emplace_back(Append{m_events.back(), {}});
        }
        std::size_t at = m_events.size() - requests.size();
        for (const WriteResult &row : m_writer->commit(std::move(requests))) {
            QVERIFY(row);
            m_events[at++].row = *row;
        }
    }

    /// What a filter must find, in the order of the record.
    [[nodiscard]] std::vector<std::int64_t> expected(const Filter &filter) const
    {
        std::vector<std::int64_t> rows;
        for (const record::Event &event : m_events) {
            if (filter.matches(event))
                rows.push_back(event.row);
        }
        return rows;
    }

    [[nodiscard]] std::vector<std::int64_t> all(const Filter &filter) const
    {
        const auto events = m_reader->page(filter, 0, 100'000);
        return events ? rowNumbers(*events) : std::vector<std::int64_t>{-1};
    }

    [[nodiscard]] Anchors anchors(const Filter &filter) const
    {
        Anchors anchors;
        while (!anchors.complete) {
            if (!m_reader->extendAnchors(filter, anchors, 100))
                return {};
        }
        return anchors;
    }

private Q_SLOTS:
    void init()
    {
        m_events.clear();
        m_folder = std::make_unique<QTemporaryDir>();
        const std::string path = m_folder->filePath(QStringLiteral("audit.db")).toStdString();
        auto writer = AuditWriter::open({.path = path, .reserveBytes = 0});
        QVERIFY(writer);
        m_writer = std::move(*writer);
        auto reader = AuditReader::open(path);
        QVERIFY(reader);
        m_reader = std::move(*reader);
    }

    void cleanup()
    {
        m_reader.reset();
        m_writer.reset();
    }

    void ids_stay_unique_and_each_event_is_found_by_its_own()
    {
        write(0, rowsInAll);
        std::set<std::string> ids;
        std::set<std::int64_t> times;
        for (const record::Event &event : m_events) {
            ids.insert(event.id);
            times.insert(event.timeUs);
            for (const std::string_view name : {std::string_view(event.id), shortId(event.id)}) {
                const auto found = m_reader->eventById(name);
                QVERIFY2(found && found->row == event.row, event.id.c_str());
            }
        }
        QCOMPARE(ids.size(), static_cast<std::size_t>(rowsInAll));
        QVERIFY(times.size() < static_cast<std::size_t>(rowsInAll)); // or nothing here is tried
    }

    void pages_lose_and_repeat_no_row_data()
    {
        QTest::addColumn<Filter>("filter");
        QTest::addRow("without a filter") << Filter();
        QTest::addRow("by tenant") << *Filter::parse("tenant:acme", {});
        QTest::addRow("by a pattern, row by row") << *Filter::parse("/echo .*[02468]$/", {});
        QTest::addRow("the time that was twice") << Filter::between(timeOf(0), timeOf(rowsInAll - 1) + 1);
        QTest::addRow("the minutes before the step") << Filter::between(timeOf(before - 30), timeOf(before - 1) + 1);
        QTest::addRow("from the middle of both on") << Filter::between(bothHave, timeOf(before - 1) + hour);
        QTest::addRow("up to the middle of both") << Filter::between(0, bothHave);
        QTest::addRow("an hour before all of them") << Filter::between(startUs - 4 * hour, startUs - 3 * hour);
    }

    void pages_lose_and_repeat_no_row()
    {
        QFETCH(Filter, filter);
        write(0, rowsInAll);
        const std::vector<std::int64_t> wanted = expected(filter);
        QVERIFY(std::ranges::is_sorted(wanted));
        QCOMPARE(all(filter), wanted);
        QCOMPARE(m_reader->count(filter).value_or(-1), static_cast<std::int64_t>(wanted.size()));

        std::vector<std::int64_t> up;
        const Anchors index = anchors(filter);
        for (const std::int64_t first : index.firstRows) {
            const auto page = m_reader->page(filter, first);
            QVERIFY(page);
            const auto rows = rowNumbers(*page);
            up.insert(up.end(), rows.begin(), rows.end());
        }
        QCOMPARE(up, wanted);
        std::vector<std::int64_t> down;
        for (std::int64_t from = 0; from == 0 || !down.empty();) {
            const auto page = m_reader->pageBackward(filter, from, 99);
            QVERIFY(page);
            if (page->empty())
                break;
            const auto rows = rowNumbers(*page);
            down.insert(down.end(), rows.begin(), rows.end());
            from = down.back();
        }
        std::ranges::reverse(down);
        QCOMPARE(down, wanted);
    }

    void a_reader_that_asked_before_the_step_finds_what_came_after_it()
    {
        const Filter past = Filter::between(0, timeOf(before / 2));
        const Filter late = Filter::between(bothHave, timeOf(before - 1) + hour);
        write(0, before);
        for (const Filter &filter : {past, late})
            QCOMPARE(all(filter), expected(filter));
        Anchors index = anchors(past);
        const std::int64_t count = index.count;
        QVERIFY(m_reader->changed().value_or(false));
        QVERIFY(!m_reader->changed().value_or(true));

        write(before, rowsInAll);
        QVERIFY(m_reader->changed().value_or(false)); // asked by commits, never by a time
        QCOMPARE(m_reader->changes()->lastRow, m_events.back().row);
        for (const Filter &filter : {past, late})
            QCOMPARE(all(filter), expected(filter));
        QVERIFY(m_reader->extendAnchors(past, index, 100'000));
        QVERIFY(index.count > count);
        QCOMPARE(index.count, static_cast<std::int64_t>(expected(past).size()));
    }

    void the_bars_of_an_index_hold_every_event()
    {
        write(0, rowsInAll);
        for (const std::string_view text : {"", "tenant:acme", "/echo .*[02468]$/"}) {
            const Filter filter = *Filter::parse(text, {});
            const Anchors index = anchors(filter);
            QVERIFY(index.count > 0);
            const auto bars = m_reader->histogram(filter, index.earliestUs, index.latestUs + 1, 50);
            QVERIFY(bars);
            std::int64_t counted = 0;
            for (const Bucket &bar : *bars)
                counted += bar.counts[0] + bar.counts[1] + bar.counts[2];
            QCOMPARE(counted, index.count);
        }
        const auto totals = m_reader->totals();
        QVERIFY(totals);
        QCOMPARE(totals->firstUs, timeOf(before));
        QCOMPARE(totals->lastUs, timeOf(before - 1));
    }

    void pruning_by_age_goes_by_each_rows_own_time()
    {
        write(0, rowsInAll);
        const std::int64_t cut = bothHave;
        const std::vector<std::int64_t> kept = expected(Filter::between(cut, timeOf(before - 1) + 1));
        QVERIFY(!kept.empty());
        QVERIFY(kept.front() < m_events[before].row && kept.back() > m_events[before].row);
        const auto result = m_writer->prune({.beforeUs = cut, .maxBytes = {}}, pruneEvent());
        QVERIFY(result);
        QCOMPARE(result->rows, static_cast<std::int64_t>(m_events.size() - kept.size()));
        QCOMPARE(result->oldestUs.value_or(0), cut);
        QCOMPARE(all(*Filter::parse("kind:exec", {})), kept);
    }

    void a_pruning_between_rows_that_stay_is_noticed()
    {
        write(0, rowsInAll);
        const auto seen = m_reader->changes();
        QVERIFY(seen);
        QCOMPARE(m_reader->prunedBetween(*seen, *seen).value_or(true), false);
        // The first row is younger than those just after the step.
        const auto result = m_writer->prune({.beforeUs = timeOf(0), .maxBytes = {}}, pruneEvent());
        QVERIFY(result && result->rows > 0);
        const auto now = m_reader->changes();
        QVERIFY(now);
        QCOMPARE(now->firstRow, seen->firstRow);
        QCOMPARE(m_reader->prunedBetween(*seen, *now).value_or(false), true);
        QCOMPARE(m_reader->prunedBetween(*now, *now).value_or(true), false);
        write(0, 1);
        const auto later = m_reader->changes();
        QVERIFY(later);
        QCOMPARE(m_reader->prunedBetween(*now, *later).value_or(true), false);
    }
};

QTEST_GUILESS_MAIN(TstAuditClock)
#include "tst_audit_clock.moc"
