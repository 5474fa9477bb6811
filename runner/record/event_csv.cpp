// SPDX-License-Identifier: Apache-2.0
#include "runner/config/json5.h"
#include "runner/record/event_json.h"

#include <array>
#include <optional>

namespace portcullis::record {
namespace {

/// What a spreadsheet may take for a formula, also behind blanks and in full width.
bool looksLikeFormula(std::string_view text)
{
    constexpr std::array<std::string_view, 8> starts{
        "=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return false;
    const std::string_view rest = text.substr(first);
    for (const std::string_view start : starts) {
        if (rest.starts_with(start))
            return true;
    }
    return false;
}

std::string textCell(std::string_view text)
{
    const std::string escaped = config::quoteJson(text);
    std::string cell = looksLikeFormula(text) ? "\"'" : "\"";
    for (std::size_t i = 1; i + 1 < escaped.size(); ++i) {
        if (escaped[i] == '\\' && escaped[i + 1] == '"') { // a quote is doubled in CSV, not escaped
            cell += "\"\"";
            ++i;
        } else {
            cell += escaped[i];
            if (escaped[i] == '\\') // an escaped backslash is no escape of what follows
                cell += escaped[++i];
        }
    }
    return cell + '"';
}

std::string numberCell(std::optional<std::int64_t> number)
{
    return number ? std::to_string(*number) : std::string();
}

std::string timeCell(std::int64_t timeUs)
{
    return timeUs > 0 ? rfc3339(timeUs) : std::string();
}

std::string flagCell(bool flag)
{
    return flag ? "yes" : "no";
}

struct CsvColumn {
    std::string_view name;
    std::string (*cell)(const Event &);
};

constexpr std::array columns{
    CsvColumn{"id", [](const Event &e) { return textCell(e.id); }},
    CsvColumn{"time", [](const Event &e) { return timeCell(e.timeUs); }},
    CsvColumn{"kind", [](const Event &e) { return std::string(nameOf(e.kind)); }},
    CsvColumn{"gateway", [](const Event &e) { return textCell(e.gateway); }},
    CsvColumn{"tenant", [](const Event &e) { return textCell(e.tenant); }},
    CsvColumn{"agent", [](const Event &e) { return textCell(e.agent); }},
    CsvColumn{"session", [](const Event &e) { return textCell(e.session); }},
    CsvColumn{"origin", [](const Event &e) { return std::string(nameOf(e.origin)); }},
    CsvColumn{"verdict", [](const Event &e) { return std::string(nameOf(e.verdict)); }},
    CsvColumn{"command", [](const Event &e) { return textCell(e.command); }},
    CsvColumn{"masked", [](const Event &e) { return flagCell(e.masked); }},
    CsvColumn{"cwd", [](const Event &e) { return textCell(e.cwd); }},
    CsvColumn{"check", [](const Event &e) { return textCell(e.check); }},
    CsvColumn{"group", [](const Event &e) { return textCell(e.group); }},
    CsvColumn{"rule", [](const Event &e) { return textCell(e.rule); }},
    CsvColumn{"title", [](const Event &e) { return textCell(e.title); }},
    CsvColumn{"would_deny", [](const Event &e) { return flagCell(e.wouldDeny); }},
    CsvColumn{"dynamic", [](const Event &e) { return textCell(e.dynamic); }},
    CsvColumn{"backend", [](const Event &e) { return textCell(e.backend); }},
    CsvColumn{"level", [](const Event &e) { return textCell(e.level); }},
    CsvColumn{"missing", [](const Event &e) { return textCell(e.missing); }},
    CsvColumn{"outcome", [](const Event &e) { return std::string(nameOf(e.outcome)); }},
    CsvColumn{"exit", [](const Event &e) { return numberCell(e.exitCode); }},
    CsvColumn{"signal", [](const Event &e) { return numberCell(e.signal); }},
    CsvColumn{"started", [](const Event &e) { return timeCell(e.startedUs); }},
    CsvColumn{"finished", [](const Event &e) { return timeCell(e.finishedUs); }},
    CsvColumn{"output", [](const Event &e) { return numberCell(e.outputBytes); }},
    CsvColumn{"error", [](const Event &e) { return textCell(e.error); }},
    CsvColumn{"note", [](const Event &e) { return textCell(e.note); }},
    CsvColumn{"config", [](const Event &e) { return textCell(e.configDigest); }},
    CsvColumn{"engine", [](const Event &e) { return textCell(e.engine); }},
    CsvColumn{"reason", [](const Event &e) { return textCell(e.reason); }},
    CsvColumn{"detail", [](const Event &e) { return textCell(e.detailJson); }},
};

} // namespace

std::string csvHeader()
{
    std::string line;
    for (const CsvColumn &column : columns)
        line.append(line.empty() ? "" : ",").append(column.name);
    return line;
}

std::string toCsv(const Event &event)
{
    std::string line;
    for (const CsvColumn &column : columns) {
        line += &column == columns.data() ? "" : ",";
        line += column.cell(event);
    }
    return line;
}

} // namespace portcullis::record
