// SPDX-License-Identifier: Apache-2.0
#include "runner/service/run_notes.h"

#include "runner/base/paths.h"

#include <algorithm>
#include <array>

namespace portcullis::service {
namespace {

constexpr std::size_t maxRefusedPaths = 8;

std::string_view kindName(confinement::RunNote::Kind kind)
{
    using enum confinement::RunNote::Kind;
    switch (kind) {
    case LinkReplaced:
        return "link_replaced";
    case LinkRefused:
        return "link_refused";
    case GrantSkipped:
        return "grant_skipped";
    case ForeignOwner:
        return "foreign_owner";
    case BackgroundKilled:
        return "background_killed";
    case KillForced:
        return "kill_forced";
    case MemoryExceeded:
        return "memory_exceeded";
    case GuardLost:
        return "guard_lost";
    case OutputCut:
        return "output_cut";
    case SignalsNotCovered:
        return "signals_not_covered";
    }
    return "unknown";
}

bool endsPath(char c)
{
    return c == ' ' || c == '\'' || c == '"' || c == ':' || c == '`' || c == ')' || c == '\n' || c == '\r' || c == ',';
}

bool isGranted(const plan::ExecPlan &plan, const std::string &path)
{
    return std::ranges::any_of(plan.grants,
                               [&](const plan::Grant &grant) { return paths::isWithin(path, grant.path); });
}

/// Absolute paths in one line of output.
void collectPaths(const plan::ExecPlan &plan, std::string_view line, std::vector<std::string> &out)
{
    for (std::size_t at = line.find('/'); at != std::string_view::npos && out.size() < maxRefusedPaths;
         at = line.find('/', at)) {
        const bool startsWord = at == 0 || endsPath(line[at - 1]) || line[at - 1] == '(';
        std::size_t end = at;
        while (end < line.size() && !endsPath(line[end]))
            ++end;
        std::string path = paths::normalised(line.substr(at, end - at));
        if (startsWord && path != "/" && !isGranted(plan, path) && std::ranges::find(out, path) == out.end())
            out.push_back(std::move(path));
        at = end;
    }
}

} // namespace

std::vector<std::string> noteTexts(const std::vector<confinement::RunNote> &notes)
{
    std::vector<std::string> out;
    for (const confinement::RunNote &note : notes) {
        // An optional grant that does not exist on this machine is no news.
        if (note.kind == confinement::RunNote::Kind::GrantSkipped)
            continue;
        std::string text(kindName(note.kind));
        if (!note.path.empty())
            text += ':' + note.path;
        out.push_back(std::move(text));
    }
    return out;
}

std::vector<std::string> refusedPaths(const plan::ExecPlan &plan, std::string_view output)
{
    std::vector<std::string> out;
    while (!output.empty() && out.size() < maxRefusedPaths) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        const std::string_view line = output.substr(0, end);
        if (line.contains("Permission denied"))
            collectPaths(plan, line, out);
        output.remove_prefix(std::min(end + 1, output.size()));
    }
    return out;
}

} // namespace portcullis::service
