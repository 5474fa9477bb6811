// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/row_codec.h"

#include "runner/record/spans_text.h"

#include <array>
#include <string_view>

namespace portcullis::audit {
namespace {

using record::Event;

// Order of bindEvent and readEventColumns.
constexpr std::array<std::string_view, 26> eventColumns{
    "id",     "time_us",    "kind",        "gateway",      "tenant",        "agent",      "session",
    "origin", "command",    "masked",      "cwd",          "verdict",       "check_name", "group_name",
    "rule",   "would_deny", "dynamic",     "backend",      "level",         "outcome",    "exit_code",
    "signal", "started_us", "finished_us", "output_bytes", "dropped_bytes",
};

// Details that a list shows, then those that only a whole event has; order of bindDetails and the readers.
constexpr std::array<std::string_view, 21> listDetailColumns{
    "parent",  "masks", "shell",  "timeout_s", "sandbox", "shell_asked", "wants_stdin",
    "title",   "code",  "reason", "advice",    "spans",   "obfuscated",  "mode",
    "missing", "error", "note",   "engine",    "runner",  "detail",      "normalised",
};
constexpr std::array<std::string_view, 4> wholeDetailColumns{"argv", "blockers", "trace", "host_facts"};

template <std::size_t N>
void appendSelected(std::string &sql, std::string_view alias, const std::array<std::string_view, N> &columns)
{
    for (const std::string_view column : columns) {
        sql += sql.empty() ? "" : ", ";
        sql.append(alias).append(".").append(column);
    }
}

template <std::size_t N>
void appendInserted(std::string &names, std::string &values, const std::array<std::string_view, N> &columns)
{
    for (const std::string_view column : columns) {
        names.append(names.empty() ? "" : ", ").append(column);
        values.append(values.empty() ? "?" : ", ?");
    }
}

/// Each argument ends with a NUL, which no argument can hold.
std::string joinArgv(const std::vector<std::string> &argv)
{
    std::string out;
    for (const std::string &word : argv)
        out.append(word).push_back('\0');
    return out;
}

std::vector<std::string> splitArgv(std::string_view text)
{
    std::vector<std::string> argv;
    while (!text.empty()) {
        const std::size_t end = text.find('\0');
        argv.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return argv;
}

template <class E>
E named(const std::string &name, E otherwise)
{
    return fromName<E>(name).value_or(otherwise);
}

std::optional<int> optionalInt(const Statement &statement, int column)
{
    const std::optional<std::int64_t> value = statement.optionalAt(column);
    return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

/// Reads columns one after the other, so that the order stands in one place.
class Cursor
{
public:
    explicit Cursor(const Statement &statement) : m_statement(statement) { }
    std::string bytes() { return m_statement.bytesAt(m_column++); }
    std::string bytesOr(const std::string &otherwise)
    {
        return m_statement.isNullAt(m_column) ? (++m_column, otherwise) : bytes();
    }
    std::int64_t integer() { return m_statement.integerAt(m_column++); }
    std::optional<int> optional() { return optionalInt(m_statement, m_column++); }
    bool flag() { return integer() != 0; }

private:
    const Statement &m_statement;
    int m_column = 0;
};

Event readEventColumns(Cursor &cursor)
{
    Event event;
    event.row = cursor.integer();
    event.configDigest = cursor.bytes();
    event.id = cursor.bytes();
    event.timeUs = cursor.integer();
    event.kind = named(cursor.bytes(), record::Kind::Exec);
    event.gateway = cursor.bytes();
    event.tenant = cursor.bytes();
    event.agent = cursor.bytes();
    event.session = cursor.bytes();
    event.origin = named(cursor.bytes(), Origin::Agent);
    event.command = cursor.bytes();
    event.masked = cursor.flag();
    event.cwd = cursor.bytes();
    event.verdict = named(cursor.bytes(), Verdict::Deny);
    event.check = cursor.bytes();
    event.group = cursor.bytes();
    event.rule = cursor.bytes();
    event.wouldDeny = cursor.flag();
    event.dynamic = cursor.bytes();
    event.backend = cursor.bytes();
    event.level = cursor.bytes();
    event.outcome = named(cursor.bytes(), Outcome::Unfinished);
    event.exitCode = cursor.optional();
    event.signal = cursor.optional();
    event.startedUs = cursor.integer();
    event.finishedUs = cursor.integer();
    event.outputBytes = cursor.integer();
    event.droppedBytes = cursor.integer();
    return event;
}

void readListDetails(Cursor &cursor, Event &event)
{
    event.parent = cursor.bytes();
    event.masks = record::spansFromText(cursor.bytes());
    event.shell = cursor.bytes();
    event.timeoutSeconds = cursor.optional();
    event.sandbox = named(cursor.bytes(), SandboxSwitch::Default);
    event.shellAsked = fromName<ShellChoice>(cursor.bytes());
    event.wantsStdin = cursor.flag();
    event.title = cursor.bytes();
    event.code = cursor.bytes();
    event.reason = cursor.bytes();
    event.advice = cursor.bytes();
    event.spans = record::spansFromText(cursor.bytes());
    event.obfuscated = cursor.flag();
    event.mode = cursor.bytes();
    event.missing = cursor.bytes();
    event.error = cursor.bytes();
    event.note = cursor.bytes();
    event.engine = cursor.bytes();
    event.runner = cursor.bytes();
    event.detailJson = cursor.bytes();
    event.normalised = cursor.bytesOr(event.command);
}

} // namespace

std::string insertEventSql()
{
    std::string names;
    std::string values;
    appendInserted(names, values, eventColumns);
    return "INSERT INTO events (" + names + ", config, respelled) VALUES (" + values + ", ?, ?)";
}

std::string insertDetailsSql()
{
    std::string names;
    std::string values;
    appendInserted(names, values, listDetailColumns);
    appendInserted(names, values, wholeDetailColumns);
    return "INSERT INTO details (" + names + ", row) VALUES (" + values + ", ?)";
}

void bindEvent(Statement &statement, const Event &event, std::optional<std::int64_t> configuration)
{
    statement.text(event.id).integer(event.timeUs).text(nameOf(event.kind)).text(event.gateway);
    statement.text(event.tenant).text(event.agent).text(event.session).text(nameOf(event.origin));
    statement.text(event.command).integer(event.masked ? 1 : 0).text(event.cwd).text(nameOf(event.verdict));
    statement.text(event.check).text(event.group).text(event.rule).integer(event.wouldDeny ? 1 : 0);
    statement.text(event.dynamic).text(event.backend).text(event.level).text(nameOf(event.outcome));
    statement.integer(std::optional<std::int64_t>(event.exitCode)).integer(std::optional<std::int64_t>(event.signal));
    statement.integer(event.startedUs).integer(event.finishedUs);
    statement.integer(event.outputBytes).integer(event.droppedBytes).integer(configuration);
    statement.integer(isRespelled(event) ? 1 : 0);
}

void bindDetails(Statement &statement, std::int64_t row, const Event &event)
{
    statement.text(event.parent).textCopy(record::spansToText(event.masks)).text(event.shell);
    statement.integer(std::optional<std::int64_t>(event.timeoutSeconds)).text(nameOf(event.sandbox));
    if (event.shellAsked)
        statement.text(nameOf(*event.shellAsked));
    else
        statement.null();
    statement.integer(event.wantsStdin ? 1 : 0).text(event.title).text(event.code).text(event.reason);
    statement.text(event.advice).textCopy(record::spansToText(event.spans)).integer(event.obfuscated ? 1 : 0);
    statement.text(event.mode).text(event.missing).text(event.error).text(event.note).text(event.engine);
    statement.text(event.runner).text(event.detailJson);
    if (event.normalised == event.command) // the usual case takes no room
        statement.null();
    else
        statement.text(event.normalised);
    statement.bytesCopy(joinArgv(event.argv)).text(event.blockersJson).text(event.traceJson);
    statement.text(event.hostFactsJson).integer(row);
}

std::string listColumns()
{
    std::string sql = "e.row, c.digest";
    appendSelected(sql, "e", eventColumns);
    appendSelected(sql, "d", listDetailColumns);
    return sql;
}

std::string decisionColumns()
{
    return listColumns() + ", d.host_facts";
}

std::string wholeColumns()
{
    std::string sql = listColumns();
    appendSelected(sql, "d", wholeDetailColumns);
    return sql;
}

Event readListRow(const Statement &statement)
{
    Cursor cursor(statement);
    Event event = readEventColumns(cursor);
    readListDetails(cursor, event);
    return event;
}

Event readDecisionRow(const Statement &statement)
{
    Cursor cursor(statement);
    Event event = readEventColumns(cursor);
    readListDetails(cursor, event);
    event.hostFactsJson = cursor.bytes();
    return event;
}

Event readWholeRow(const Statement &statement)
{
    Cursor cursor(statement);
    Event event = readEventColumns(cursor);
    readListDetails(cursor, event);
    event.argv = splitArgv(cursor.bytes());
    event.blockersJson = cursor.bytes();
    event.traceJson = cursor.bytes();
    event.hostFactsJson = cursor.bytes();
    return event;
}

} // namespace portcullis::audit
