// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/log_printer.h"

#include "app/runner/terminal_wrap.h"
#include "ui/text/event_text.h"

#include <QEventLoop>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <unistd.h>

namespace portcullis::cli {
namespace {

using audit::AuditError;
using namespace std::chrono_literals;

constexpr auto pollInterval = 200ms;

} // namespace

LogPrinter::LogPrinter(CommandContext &context, audit::AuditReader &reader, const LogQuery &query)
    : m_context(context), m_reader(reader), m_query(query), m_columns(terminalColumns())
{
}

Result<void, AuditError> LogPrinter::print(const record::Event &event)
{
    m_printed = true;
    switch (m_query.format) {
    case LogFormat::Lines:
        m_context.out(text::eventLine(event, m_columns).toStdString() + '\n');
        break;
    case LogFormat::Csv:
        m_context.out(record::toCsv(event) + '\n');
        break;
    case LogFormat::Json: {
        const auto whole = m_reader.event(event.row); // with its trace
        if (!whole && whole.error().code != AuditError::Code::NotFound)
            return failure(whole.error());
        m_context.out(record::toJson(whole ? *whole : event) + '\n');
        break;
    }
    }
    return {};
}

Result<void, AuditError> LogPrinter::printRows(std::int64_t from, std::int64_t to)
{
    while (from <= to && !m_context.outClosed()) {
        const auto page = m_reader.page(m_query.filter, from);
        if (!page)
            return failure(page.error());
        for (const record::Event &event : *page) {
            if (event.row > to) // later ones are news
                return {};
            if (auto done = print(event); !done)
                return done;
        }
        if (static_cast<int>(page->size()) < audit::pageRows)
            break;
        from = page->back().row + 1;
    }
    return {};
}

Result<void, AuditError> LogPrinter::noteRunning()
{
    const auto changes = m_reader.changes();
    if (!changes)
        return failure(changes.error());
    m_lastRow = changes->lastRow;
    m_running = {changes->running.begin(), changes->running.end()};
    return {};
}

Result<void, AuditError> LogPrinter::printExisting()
{
    if (m_query.format == LogFormat::Csv)
        m_context.out(record::csvHeader() + '\n');
    // Programs that read lines get nothing but events.
    if (m_query.format == LogFormat::Lines && ::isatty(STDOUT_FILENO) == 1)
        m_context.out(text::eventLineHeader(m_columns).toStdString() + '\n');
    if (auto noted = noteRunning(); !noted)
        return noted;
    if (!m_query.limit)
        return printRows(0, m_lastRow);
    auto events = m_reader.pageBackward(m_query.filter, m_lastRow + 1, *m_query.limit);
    if (!events)
        return failure(events.error());
    std::ranges::reverse(*events);
    for (const record::Event &event : *events) {
        if (auto done = print(event); !done)
            return done;
    }
    return {};
}

Result<void, AuditError> LogPrinter::printNews()
{
    const auto changes = m_reader.changes();
    if (!changes)
        return failure(changes.error());
    std::vector<std::int64_t> ended;
    for (const std::int64_t row : m_running) {
        if (!std::ranges::binary_search(changes->running, row))
            ended.push_back(row);
    }
    const auto events = m_reader.rows(ended);
    if (!events)
        return failure(events.error());
    for (const record::Event &event : *events) {
        if (!m_query.filter.matches(event))
            continue;
        if (auto done = print(event); !done)
            return done;
    }
    const std::int64_t from = m_lastRow + 1;
    m_lastRow = changes->lastRow;
    m_running = {changes->running.begin(), changes->running.end()};
    return printRows(from, m_lastRow);
}

Result<void, AuditError> LogPrinter::follow()
{
    QEventLoop loop;
    QTimer timer;
    Result<void, AuditError> result;
    const auto look = [&] {
        const auto changed = m_reader.changed();
        if (!changed)
            result = failure(changed.error());
        else if (*changed)
            result = printNews();
        if (!result || m_context.outClosed())
            loop.quit();
    };
    QObject::connect(&timer, &QTimer::timeout, &loop, look);
    timer.start(pollInterval);
    loop.exec();
    return result;
}

} // namespace portcullis::cli
