// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/argument_pattern.h"

#include "runner/base/paths.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace portcullis::policy {
namespace {

/// `*` and `?` stop at `/`, `**` does not. No recursion; quadratic in the worst case, and both texts are short.
bool textMatches(std::string_view pattern, std::string_view text)
{
    std::vector<bool> reached(text.size() + 1, false); // offsets of `text` that the pattern so far can end at
    reached[0] = true;
    for (std::size_t p = 0; p < pattern.size(); ++p) {
        const bool any = pattern[p] == '*';
        const bool deep = any && p + 1 < pattern.size() && pattern[p + 1] == '*';
        std::vector<bool> next(text.size() + 1, false);
        for (std::size_t t = 0; t <= text.size(); ++t) {
            if (any)
                next[t] = reached[t] || (t > 0 && next[t - 1] && (deep || text[t - 1] != '/'));
            else if (t > 0 && reached[t - 1])
                next[t] = pattern[p] == '?' ? text[t - 1] != '/' : pattern[p] == text[t - 1];
        }
        reached = std::move(next);
        p += deep ? 1 : 0;
    }
    return reached.back();
}

bool isWild(std::string_view text)
{
    return text.find_first_of("*?") != std::string_view::npos;
}

std::vector<std::string_view> partsOf(std::string_view path)
{
    std::vector<std::string_view> parts;
    for (const auto part : std::views::split(path, '/')) {
        const std::string_view name(part);
        if (!name.empty() && name != ".")
            parts.push_back(name);
    }
    return parts;
}

/// Absolute and normalised. A pattern `**` stands for one component or more.
bool pathMatches(std::string_view pattern, std::string_view path)
{
    const std::vector<std::string_view> wanted = partsOf(pattern);
    const std::vector<std::string_view> given = partsOf(path);
    std::vector<bool> reached(given.size() + 1, false);
    reached[0] = true;
    for (const std::string_view part : wanted) {
        std::vector<bool> next(given.size() + 1, false);
        for (std::size_t at = 1; at <= given.size(); ++at) {
            next[at] =
                part == "**" ? reached[at - 1] || next[at - 1] : reached[at - 1] && textMatches(part, given[at - 1]);
        }
        reached = std::move(next);
    }
    return reached.back();
}

/// Programs whose every operand is a file.
bool takesFiles(std::string_view program)
{
    static constexpr std::array<std::string_view, 22> programs{
        "cat", "chattr", "chgrp", "chmod", "chown", "cp",       "dd",  "install", "ln",     "mkdir", "mv",
        "rm",  "rmdir",  "rsync", "scp",   "shred", "truncate", "srm", "tee",     "unlink", "touch", "wipe"};
    return std::ranges::contains(programs, program);
}

bool isAddress(std::string_view text)
{
    return text.contains("://");
}

/// `@scope/name` is a package.
bool isPath(std::string_view program, std::string_view text)
{
    return !text.starts_with('-') && !isAddress(text)
        && (takesFiles(program) || (text.contains('/') && !text.starts_with('@')));
}

class ArgumentMatcher
{
public:
    ArgumentMatcher(const shell::Invocation &invocation, const ArgumentPlace &place)
        : m_invocation(invocation), m_place(place), m_moved(invocation.cwd != place.start)
    {
    }

    bool matches(std::string_view pattern, std::string_view text) const
    {
        if (text.starts_with('-'))
            return optionMatches(pattern, text);
        if (!isPath(m_invocation.name, text))
            return !(isWild(pattern) && climbs(text)) && textMatches(pattern, text);
        return !(isWild(pattern) && climbs(text)) && lies(pattern, text);
    }

private:
    static bool climbs(std::string_view text) { return std::ranges::contains(partsOf(text), ".."); }

    /// The value behind `=` is compared as an argument of its own; one that is glued to its letter only where it counts
    /// from the same folder.
    bool optionMatches(std::string_view pattern, std::string_view text) const
    {
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos && pattern.substr(0, equals + 1) == text.substr(0, equals + 1)
            && text.substr(equals).contains('/'))
            return matches(pattern.substr(equals + 1), text.substr(equals + 1));
        const bool relative = text.contains('/') && !text.contains("=/") && !isAddress(text);
        return !(relative && m_moved) && !(isWild(pattern) && climbs(text)) && textMatches(pattern, text);
    }

    /// Whether the path lies where the pattern says.
    bool lies(std::string_view pattern, std::string_view text) const
    {
        const bool absolute = text.starts_with('/');
        if (!absolute && !m_invocation.cwd)
            return false;
        const std::string spelled = absolute ? std::string(text) : *m_invocation.cwd + '/' + std::string(text);
        const std::string wanted =
            paths::normalised(pattern, m_place.start.starts_with('/') ? m_place.start : std::string("/"));
        const std::string path = paths::normalised(spelled);
        if (!pathMatches(wanted, path))
            return false;
        const auto led = shell::ledByLinks(spelled, m_place.links);
        if (led && !pathMatches(wanted, paths::normalised(*led)))
            return false;
        return !m_place.resolve || leadsThere(wanted, path, spelled);
    }

    /// Where the host has said where it leads: there, or as far below the folder in which the command really starts.
    bool leadsThere(std::string_view wanted, const std::string &path, const std::string &spelled) const
    {
        const std::optional<std::string> real = m_place.resolve(spelled);
        if (!real || *real == path || pathMatches(wanted, *real))
            return true;
        const std::optional<std::string> start = m_place.resolve(m_place.start);
        return start && paths::isWithin(path, m_place.start) && paths::isWithin(*real, *start)
            && path.substr(m_place.start.size()) == real->substr(start->size());
    }

    const shell::Invocation &m_invocation;
    const ArgumentPlace &m_place;
    bool m_moved;
};

} // namespace

bool argumentsMatch(const std::vector<std::string> &patterns, const shell::Invocation &invocation,
                    const ArgumentPlace &place)
{
    const std::vector<shell::Value> &args = invocation.args;
    const bool open = !patterns.empty() && patterns.back() == "**";
    const std::size_t fixed = patterns.size() - (open ? 1 : 0);
    if (open ? args.size() < fixed : args.size() != fixed)
        return false;
    const ArgumentMatcher matcher(invocation, place);
    for (std::size_t i = 0; i < args.size(); ++i) {
        const bool plain = args[i].known() && !args[i].isPattern();
        if (!plain || (i < fixed && !matcher.matches(patterns[i], args[i].text)))
            return false;
    }
    return true;
}

} // namespace portcullis::policy
