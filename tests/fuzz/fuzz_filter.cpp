// SPDX-License-Identifier: Apache-2.0

// Any bytes as a filter of the log: SQLite finds what the filter itself finds.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "runner/record/filter_sql.h"
#include "tests/fuzz/property.h"
#include "tests/support/audit_events.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <algorithm>
#include <memory>

using namespace portcullis;
using record::Filter;

namespace {

std::vector<record::Event> differentEvents()
{
    std::vector<record::Event> events{test::deniedEvent(1), test::allowedEvent(2), test::fullEvent(3)};
    events[1].outcome = Outcome::Exited; // a running one is not written whole
    constexpr std::int64_t day = 86'400'000'000;
    for (std::uint64_t n = 4; n < 20; ++n) {
        record::Event event = n % 2 == 0 ? test::deniedEvent(n) : test::fullEvent(n);
        event.timeUs += static_cast<std::int64_t>(n) * day - 10 * day;
        event.tenant = std::array{"globex", "a*b", "a'b", "\xc3\xa9t\xc3\xa9"}.at(n % 4);
        event.command = std::array{"", "CURL x", "echo 100% _ok_", "cat \xff\xfe x", "it''s \\ \""}.at(n % 5);
        event.rule = std::array{"", "sudo", "RULE"}.at(n % 3);
        event.exitCode = static_cast<int>(n) - 10;
        event.outputBytes = static_cast<std::int64_t>(n) << n;
        event.configDigest = std::array{"", "sha256:012345ffff"}.at(n % 2);
        events.push_back(std::move(event));
    }
    events.back().command += std::string("\0 tail", 6);
    return events;
}

/// A record with some events, as SQLite and as values.
struct Record {
    QTemporaryDir folder;
    std::vector<record::Event> events = differentEvents();
    std::unique_ptr<audit::AuditReader> reader;

    Record()
    {
        const std::string path = folder.filePath(QStringLiteral("audit.db")).toStdString();
        {
            const auto writer = audit::AuditWriter::open({.path = path, .reserveBytes = 0});
            PORTCULLIS_HOLDS(writer);
            for (record::Event &event : events) {
                const auto row = (*writer)->append(event);
                PORTCULLIS_HOLDS(row);
                event.row = *row;
            }
        }
        auto opened = audit::AuditReader::open(path);
        PORTCULLIS_HOLDS(opened);
        reader = std::move(*opened);
        for (record::Event &event : events) { // as they are kept: the writer has masked them
            const auto kept = reader->event(event.row);
            PORTCULLIS_HOLDS(kept);
            event = *kept;
        }
    }
};

Record &keptRecord()
{
    static Record all;
    return all;
}

void errorIsPlaced(const record::FilterError &error, std::string_view text)
{
    PORTCULLIS_HOLDS(error.column >= 1 && error.column <= text.size() + 1);
    std::string_view rest = text.substr(error.column - 1);
    if (error.code == record::FilterError::Code::BadPattern || error.code == record::FilterError::Code::OpenPattern)
        rest.remove_prefix(1); // the slash
    const bool decoded = rest.starts_with('"'); // what is found in quotes is said without them
    PORTCULLIS_HOLDS(decoded || rest.starts_with(error.found));
}

void sqlIsClosed(const record::FilterSql &sql)
{
    const auto places = static_cast<std::size_t>(std::ranges::count(sql.condition, '?'));
    PORTCULLIS_HOLDS(places == sql.values.size());
    PORTCULLIS_HOLDS(!sql.condition.contains(';') && !sql.condition.contains("--"));
}

void bothFindTheSame(const Filter &filter)
{
    std::vector<std::int64_t> expected;
    for (const record::Event &event : keptRecord().events) {
        if (filter.matches(event))
            expected.push_back(event.row);
    }
    const auto found = keptRecord().reader->page(filter, 0, 1000);
    PORTCULLIS_HOLDS(found);
    std::vector<std::int64_t> rows;
    for (const record::Event &event : *found)
        rows.push_back(event.row);
    PORTCULLIS_HOLDS(rows == expected);
    const auto count = keptRecord().reader->count(filter);
    PORTCULLIS_HOLDS(count && *count == static_cast<std::int64_t>(expected.size()));
}

/// A text that a program puts into a filter is looked for as it stands.
void quotingKeepsTheText(std::string_view text, const record::FilterClock &clock)
{
    const auto quoted = Filter::parse(record::quotedForFilter(text), clock);
    if (!quoted) {
        PORTCULLIS_HOLDS(quoted.error().code == record::FilterError::Code::TooLong);
        return;
    }
    record::Event event;
    event.command = "before " + std::string(text) + " behind";
    PORTCULLIS_HOLDS(quoted->matches(event));
    event.command = "x";
    PORTCULLIS_HOLDS(text.size() <= 1 || !quoted->matches(event));
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    // SQL drivers ask for one. It is never destroyed: Qt's list of drivers, which is gone by then, would be told.
    static const auto *const application = new QCoreApplication(*argc, *argv);
    return application && !keptRecord().events.empty() ? 0 : 1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text = fuzz::asText(data, size);
    const record::FilterClock clock{keptRecord().events.front().timeUs, [](std::int64_t) { return 3600; }};
    if (const auto filter = Filter::parse(text, clock)) {
        sqlIsClosed(record::filterSql(*filter));
        bothFindTheSame(*filter);
        PORTCULLIS_HOLDS(record::timeBounds(*filter) == record::timeBounds(filter->narrowedBy({})));
    } else {
        errorIsPlaced(filter.error(), text);
    }
    quotingKeepsTheText(text, clock);
    return 0;
}
