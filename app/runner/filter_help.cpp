// SPDX-License-Identifier: Apache-2.0
#include "app/runner/filter_help.h"

#include "runner/record/event.h"

#include <algorithm>
#include <string_view>

namespace portcullis::cli {
namespace {

constexpr std::size_t nameWidth = 28;
constexpr std::size_t lineWidth = 100;

/// One field and its values, wrapped between words.
void add(std::string &out, std::string_view field, std::string_view values)
{
    std::string line = "  " + std::string(field);
    line.resize(std::max(nameWidth, line.size() + 1), ' ');
    while (!values.empty()) {
        const std::size_t end = std::min(values.find(' '), values.size());
        const std::string_view word = values.substr(0, end);
        if (line.size() + word.size() > lineWidth) {
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + '\n';
            line.assign(nameWidth, ' ');
        }
        line += std::string(word) + ' ';
        values.remove_prefix(std::min(end + 1, values.size()));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
}

template <class E>
void addNames(std::string &out, std::string_view field)
{
    std::string values;
    for (const std::string_view name : Names<E>::all)
        values += (values.empty() ? "" : ", ") + std::string(name);
    add(out, field, values);
}

} // namespace

std::string filterHelp()
{
    std::string out = "\nFilter fields (field:value; field:a,b; -field:value; \"and\", \"or\", parentheses):\n";
    add(out, "tenant agent session rule", "exact, or with *");
    add(out, "cwd gateway", "exact, or with *");
    addNames<Verdict>(out, "verdict");
    addNames<record::Kind>(out, "kind");
    addNames<Outcome>(out, "outcome");
    addNames<Group>(out, "group");
    addNames<Check>(out, "check");
    addNames<Origin>(out, "origin");
    addNames<Backend>(out, "backend");
    addNames<Level>(out, "level");
    addNames<DynamicReason>(out, "dynamic");
    add(out, "would_deny", "yes, no");
    add(out, "exit", "a number: 0, >0, 1..9");
    add(out, "took", "a duration: 20ms, >5s, 2m, 1h");
    add(out, "output", "bytes written: 100, >4K, 1M, 2G");
    add(out, "time", "2026, 2026-10, 2026-10-03, 2026-10-03T14:00, 14:00, today, yesterday; ranges with ..");
    add(out, "since until", "2h, 3d, or a time");
    add(out, "id", "whole, its first 8 or last 6 characters");
    add(out, "config", "digest of the configuration, at least 6 digits");
    return out + "Other words are looked for in the command; /…/ is a regular expression.\n";
}

} // namespace portcullis::cli
