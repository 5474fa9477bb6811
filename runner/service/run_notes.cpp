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
    case RoomExceeded:
        return "room_exceeded";
    case FilesExceeded:
        return "files_exceeded";
    case GuardLost:
        return "guard_lost";
    case OutputCut:
        return "output_cut";
    case SignalsNotCovered:
        return "signals_not_covered";
    }
    return "unknown";
}

/// What stands around paths in messages.
constexpr std::string_view aroundPaths = " '\":`(),\r\n\t";

bool isGranted(const plan::ExecPlan &plan, const std::string &path)
{
    // Messages begin with the name of who says them.
    if (!plan.argv.empty() && path == plan.argv.front())
        return true;
    const auto granted = [&plan](const std::string &each) {
        return std::ranges::any_of(plan.grants,
                                   [&](const plan::Grant &grant) { return paths::isWithin(each, grant.path); });
    };
    // Where /bin and the like are links into /usr, the grants have only that.
    constexpr std::array<std::string_view, 4> links{"/bin", "/sbin", "/lib", "/lib64"};
    const bool throughLink =
        std::ranges::any_of(links, [&](std::string_view link) { return paths::isWithin(path, link); });
    return granted(path) || (throughLink && granted("/usr" + path));
}

/// The paths in one line of output; those that are not absolute as seen from where the command started.
void collectPaths(const plan::ExecPlan &plan, std::string_view line, std::vector<std::string> &out)
{
    while (!line.empty() && out.size() < maxRefusedPaths) {
        const std::size_t start = std::min(line.find_first_not_of(aroundPaths), line.size());
        const std::size_t end = std::min(line.find_first_of(aroundPaths, start), line.size());
        const std::string_view word = line.substr(start, end - start);
        line.remove_prefix(end);
        if (!word.contains('/') || (!word.starts_with('/') && plan.cwd.empty()))
            continue;
        std::string path = paths::normalised(word, plan.cwd);
        if (path != "/" && !isGranted(plan, path) && std::ranges::find(out, path) == out.end())
            out.push_back(std::move(path));
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
