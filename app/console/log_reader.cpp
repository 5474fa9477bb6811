// SPDX-License-Identifier: Apache-2.0
#include "app/console/log_reader.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <unistd.h>

using namespace std::chrono_literals;

namespace portcullis::console {

namespace {

/// How often the record is asked whether somebody has written; the question costs some microseconds.
constexpr auto pollInterval = 150ms;

/// Attempts to open a record, one each poll interval, before an error counts.
constexpr int patience = 10;

QList<std::int64_t> firstRowsFrom(const audit::Anchors &anchors, std::size_t from)
{
    QList<std::int64_t> rows;
    for (std::size_t i = from; i < anchors.firstRows.size(); ++i)
        rows.append(anchors.firstRows[i]);
    return rows;
}

QList<record::Event> toList(std::vector<record::Event> events)
{
    return {std::make_move_iterator(events.begin()), std::make_move_iterator(events.end())};
}

/// A row as it was while its command ran.
record::Event asRunning(record::Event event)
{
    event.outcome = Outcome::Running;
    event.exitCode.reset();
    event.signal.reset();
    event.finishedUs = 0;
    event.outputBytes = 0;
    event.droppedBytes = 0;
    return event;
}

const record::Filter &deniedOnly()
{
    static const record::Filter filter = *record::Filter::parse("verdict:deny", {});
    return filter;
}

/// The bars count commands; what else is recorded has no verdict.
const record::Filter &commandsOnly()
{
    static const record::Filter filter = *record::Filter::parse("kind:exec", {});
    return filter;
}

/// A shorter stretch is shown in the middle of so much time: bars of less than that mean nothing.
constexpr std::int64_t shortestUs = 60'000'000;

} // namespace

LogReader::LogReader(QObject *parent) : QObject(parent), m_indexing(this), m_poll(this)
{
    m_indexing.setSingleShot(true);
    m_indexing.setInterval(0ms);
    m_poll.setInterval(pollInterval);
    connect(&m_indexing, &QTimer::timeout, this, &LogReader::index);
    connect(&m_poll, &QTimer::timeout, this, &LogReader::poll);
}

void LogReader::setPath(const std::string &path)
{
    if (path == m_path)
        return;
    m_path = path;
    m_reader.reset();
    if (m_wanted)
        m_indexing.start(0ms);
}

void LogReader::setFilter(ports::Generation generation, const record::Filter &filter, const Stop &stop)
{
    m_generation = generation;
    m_filter = filter;
    m_stop = stop;
    m_anchors = {};
    m_wanted = true;
    m_indexed = false;
    m_indexing.start(0ms);
}

LogReader::Opened LogReader::open()
{
    if (m_reader)
        return Opened::Yes;
    if (m_path.empty())
        return Opened::NotThere;
    auto reader = audit::AuditReader::open(m_path);
    if (reader) {
        m_reader = std::move(*reader);
        return Opened::Yes;
    }
    if (reader.error().code == audit::AuditError::Code::CannotOpen && reader.error().systemErrno == ENOENT)
        return Opened::NotThere;
    m_openError = reader.error();
    return Opened::Failed;
}

/// A record that somebody is just making is no record yet; it gets a moment before its state counts as an error.
void LogReader::retryOpening()
{
    if (++m_openFailures < patience)
        m_indexing.start(pollInterval);
    else
        fail(m_openError);
}

/// One slice of the index; requests that arrived in the meantime get their turn between slices.
void LogReader::index()
{
    const Opened opened = open();
    if (opened == Opened::Failed) {
        retryOpening();
        return;
    }
    m_openFailures = 0;
    m_poll.start();
    if (opened == Opened::NotThere) {
        if (!m_indexed && !m_path.empty())
            Q_EMIT indexed(m_generation, {});
        m_indexed = !m_path.empty();
        return;
    }
    if (m_anchors.scannedTo == 0) {
        const auto changes = m_reader->changes();
        if (!changes) {
            fail(changes.error());
            return;
        }
        m_seen = *changes;
    }
    const auto extended = m_reader->extendAnchors(m_filter, m_anchors, 100'000, m_stop.get());
    if (!extended) {
        if (extended.error().code != audit::AuditError::Code::Stopped)
            fail(extended.error());
        return;
    }
    if (!m_anchors.complete) {
        m_indexing.start(0ms);
        return;
    }
    m_indexed = true;
    Q_EMIT indexed(m_generation, {.count = m_anchors.count, .firstRows = firstRowsFrom(m_anchors, 0)});
}

void LogReader::poll()
{
    if (!m_indexed)
        return;
    if (!m_reader) {
        if (::access(m_path.c_str(), F_OK) == 0) { // the record was made in the meantime
            m_anchors = {};
            m_indexed = false;
            m_indexing.start(0ms);
        }
        return;
    }
    const auto changed = m_reader->changed();
    if (changed && !*changed)
        return;
    const auto changes = m_reader->changes();
    if (!changed || !changes) {
        const auto &error = changed ? changes.error() : changed.error();
        if (error.code != audit::AuditError::Code::Locked) // asked again at the next turn
            fail(error);
        return;
    }
    look(*changes);
}

void LogReader::look(const audit::Changes &changes)
{
    const auto pruned = m_reader->prunedBetween(m_seen, changes);
    if (!pruned) {
        if (pruned.error().code != audit::AuditError::Code::Locked)
            fail(pruned.error());
        return;
    }
    const audit::Changes before = std::exchange(m_seen, changes);
    if (*pruned) {
        Q_EMIT outdated(m_generation);
        return;
    }
    std::vector<std::int64_t> completed;
    std::ranges::set_difference(before.running, changes.running, std::back_inserter(completed));
    if (!completed.empty()) {
        if (completedChangeMatch(completed)) {
            Q_EMIT outdated(m_generation);
            return;
        }
        Q_EMIT rowsCompleted(m_generation);
    }
    if (changes.lastRow > m_anchors.lastRow)
        extendTail();
}

/// Whether commands that ended now match a filter that they did not match before, or the other way round.
bool LogReader::completedChangeMatch(const std::vector<std::int64_t> &completed)
{
    if (m_filter.matchesEverything())
        return false;
    const auto rows = m_reader->rows(completed);
    return rows && std::ranges::any_of(*rows, [this](const record::Event &event) {
               return m_filter.matches(event) != m_filter.matches(asRunning(event));
           });
}

void LogReader::extendTail()
{
    const auto pagesBefore = m_anchors.firstRows.size();
    const std::int64_t countBefore = m_anchors.count;
    do {
        const auto extended = m_reader->extendAnchors(m_filter, m_anchors, 100'000, m_stop.get());
        if (!extended) {
            if (extended.error().code != audit::AuditError::Code::Stopped)
                fail(extended.error());
            return;
        }
    } while (!m_anchors.complete);
    if (m_anchors.count == countBefore)
        return;
    if (sendPage(static_cast<int>(m_anchors.firstRows.size()) - 1))
        Q_EMIT tailGrew(m_generation, m_anchors.count, firstRowsFrom(m_anchors, pagesBefore));
}

bool LogReader::sendPage(int page)
{
    if (page < 0 || static_cast<std::size_t>(page) >= m_anchors.firstRows.size())
        return true;
    auto rows =
        m_reader->page(m_filter, m_anchors.firstRows[static_cast<std::size_t>(page)], ports::pageRows, m_stop.get());
    if (!rows) {
        if (rows.error().code != audit::AuditError::Code::Stopped)
            fail(rows.error());
        return false;
    }
    Q_EMIT pageReady(m_generation, page, toList(std::move(*rows)));
    return true;
}

void LogReader::readPages(ports::Generation generation, const QList<int> &pages)
{
    if (generation != m_generation || !m_indexed || !m_reader)
        return;
    for (const int page : pages) {
        if (!sendPage(page))
            return;
    }
}

void LogReader::readDetail(std::uint64_t request, const std::string &eventId)
{
    ports::LogDetail detail;
    if (open() == Opened::Yes) {
        if (auto event = m_reader->eventById(eventId)) {
            if (auto output = m_reader->output(event->row))
                detail.output = std::move(*output);
            detail.event = std::move(*event);
        }
    }
    Q_EMIT detailReady(request, detail);
}

void LogReader::readHistogram(ports::Generation generation, int bars)
{
    if (generation != m_generation || !m_indexed || !m_reader || m_anchors.firstRows.empty())
        return;
    ports::LogHistogram histogram;
    histogram.fromUs = m_anchors.earliestUs;
    histogram.toUs = m_anchors.latestUs + 1;
    if (const std::int64_t missing = shortestUs - (histogram.toUs - histogram.fromUs); missing > 0) {
        histogram.fromUs -= missing / 2;
        histogram.toUs += missing - missing / 2;
    }
    const auto buckets =
        m_reader->histogram(m_filter.narrowedBy(commandsOnly()), histogram.fromUs, histogram.toUs, bars, m_stop.get());
    if (!buckets) {
        if (buckets.error().code != audit::AuditError::Code::Stopped)
            fail(buckets.error());
        return;
    }
    for (const audit::Bucket &bucket : *buckets)
        histogram.bars.append(bucket.counts);
    Q_EMIT histogramReady(generation, histogram);
}

void LogReader::findDenial(ports::Generation generation, std::int64_t fromRow, ports::Direction direction)
{
    if (generation != m_generation || !m_indexed || !m_reader)
        return;
    const record::Filter denied = m_filter.narrowedBy(deniedOnly());
    const auto found = direction == ports::Direction::Older ? m_reader->previous(denied, fromRow, m_stop.get())
                                                            : m_reader->next(denied, fromRow, m_stop.get());
    if (found)
        Q_EMIT neighbourFound(generation, *found);
    else if (found.error().code != audit::AuditError::Code::Stopped)
        fail(found.error());
}

void LogReader::fail(const audit::AuditError &error)
{
    const std::int64_t last = m_anchors.scannedTo;
    m_reader.reset(); // the next filter opens it anew
    m_openFailures = 0;
    m_indexed = false;
    if (error.code
        == audit::AuditError::Code::Replaced) { // another record, or none: everything shown is of the old one
        Q_EMIT outdated(m_generation);
        return;
    }
    m_poll.stop();
    Q_EMIT failed(m_generation,
                  {.code = std::string(nameOf(error.code)),
                   .path = m_path,
                   .errorNumber = error.systemErrno,
                   .version = error.version,
                   .lastGoodRow = last});
}

} // namespace portcullis::console
