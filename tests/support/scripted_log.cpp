// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_log.h"

#include <algorithm>

namespace portcullis::test {

namespace {

constexpr std::int64_t storageRow(int index)
{
    return (std::int64_t{index} + 1) * 10;
}

} // namespace

ScriptedLog::ScriptedLog(int rows, bool immediate) : m_immediate(immediate)
{
    for (int i = 0; i < rows; ++i)
        m_rows.append(makeEvent(i));
}

record::Event ScriptedLog::makeEvent(int index)
{
    record::Event event;
    event.row = storageRow(index);
    event.id = "0193776c-0000-7000-8000-" + QString::number(index).rightJustified(12, u'0').toStdString();
    event.timeUs = 1'700'000'000'000'000 + index * 1'000'000LL;
    event.tenant = "acme";
    event.agent = "main";
    event.command = "echo " + std::to_string(index);
    event.backend = "host";
    event.level = "full";
    if (index % 10 == 0) {
        event.verdict = Verdict::Deny;
        event.check = "deny_rules";
        event.rule = "download-into-shell";
        event.group = "data_exfiltration";
        event.title = "Download into shell";
    } else {
        event.verdict = Verdict::Allow;
        event.outcome = Outcome::Exited;
        event.exitCode = 0;
    }
    return event;
}

void ScriptedLog::setFilter(ports::Generation generation, const record::Filter &)
{
    latest = generation;
    ++filtersSet;
    if (m_immediate)
        answerIndex(generation);
}

void ScriptedLog::requestPages(ports::Generation generation, const QList<int> &pages)
{
    asked.append({generation, pages});
    if (!m_immediate)
        return;
    for (const int page : pages)
        answerPage(generation, page);
}

void ScriptedLog::requestDetail(std::uint64_t request, const std::string &eventId)
{
    ports::LogDetail detail;
    const auto found = std::ranges::find(m_rows, eventId, &record::Event::id);
    if (found != m_rows.end()) {
        detail.event = *found;
        detail.output = output;
    }
    Q_EMIT detailReady(request, detail);
}

void ScriptedLog::requestDenial(ports::Generation generation, std::int64_t fromRow, ports::Direction direction)
{
    std::optional<std::int64_t> found;
    for (const record::Event &event : std::as_const(m_rows)) {
        if (event.verdict != Verdict::Deny)
            continue;
        if (direction == ports::Direction::Older && event.row < fromRow)
            found = event.row;
        if (direction == ports::Direction::Newer && event.row > fromRow && !found)
            found = event.row;
    }
    Q_EMIT neighbourFound(generation, found);
}

void ScriptedLog::requestHistogram(ports::Generation generation, int bars)
{
    ++histogramsAsked;
    ports::LogHistogram histogram;
    if (!m_rows.isEmpty()) {
        const auto [first, last] = std::ranges::minmax_element(m_rows, {}, &record::Event::timeUs);
        histogram.fromUs = first->timeUs;
        histogram.toUs = last->timeUs + 1;
        histogram.bars.resize(bars);
        const std::int64_t width = std::max<std::int64_t>(1, (histogram.toUs - histogram.fromUs + bars - 1) / bars);
        for (const record::Event &event : std::as_const(m_rows))
            ++histogram.bars[static_cast<int>((event.timeUs - histogram.fromUs) / width)].at(
                static_cast<std::size_t>(event.verdict));
    }
    Q_EMIT histogramReady(generation, histogram);
}

void ScriptedLog::answerIndex(ports::Generation generation)
{
    ports::LogIndex index;
    index.count = m_rows.size();
    for (int i = 0; i < m_rows.size(); i += ports::pageRows)
        index.firstRows.append(m_rows.at(i).row);
    Q_EMIT indexed(generation, index);
}

void ScriptedLog::answerPage(ports::Generation generation, int page)
{
    Q_EMIT pageReady(generation, page, m_rows.mid(qsizetype{page} * ports::pageRows, ports::pageRows));
}

void ScriptedLog::append(record::Event event)
{
    addUnannounced(std::move(event));
    announceLast();
}

void ScriptedLog::addUnannounced(record::Event event)
{
    event.row = storageRow(rowCount());
    m_rows.append(std::move(event));
}

void ScriptedLog::announceLast()
{
    answerPage(latest, (rowCount() - 1) / ports::pageRows);
    QList<std::int64_t> began;
    if (rowCount() % ports::pageRows == 1)
        began.append(m_rows.last().row);
    Q_EMIT tailGrew(latest, rowCount(), began);
}

void ScriptedLog::grow(int rows, bool pageAhead)
{
    QList<std::int64_t> began;
    for (int i = 0; i < rows; ++i) {
        m_rows.append(makeEvent(rowCount()));
        if (rowCount() % ports::pageRows == 1)
            began.append(m_rows.last().row);
    }
    if (pageAhead)
        answerPage(latest, (rowCount() - 1) / ports::pageRows);
    Q_EMIT tailGrew(latest, rowCount(), began);
}

} // namespace portcullis::test
