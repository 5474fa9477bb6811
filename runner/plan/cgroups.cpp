// SPDX-License-Identifier: Apache-2.0
#include "runner/plan/cgroups.h"

#include "runner/base/paths.h"

#include <algorithm>
#include <array>
#include <optional>

namespace portcullis::plan {
namespace {

/// Where runtimes look, and every distribution mounts (file-hierarchy(7)).
constexpr std::string_view usualPlace = "/sys/fs/cgroup";

struct Controller {
    std::string_view name; ///< of version 1
    std::vector<std::string_view> limits;
};

/// Java wants all but `pids` to be mounted before it believes one of them.
const std::vector<Controller> &controllers()
{
    static const std::vector<Controller> all{{"memory",
                                              {"memory.limit_in_bytes", "memory.use_hierarchy",
                                               "memory.soft_limit_in_bytes", "memory.memsw.limit_in_bytes"}},
                                             {"cpu", {"cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.shares"}},
                                             {"cpuacct", {}},
                                             {"cpuset", {"cpuset.cpus", "cpuset.effective_cpus"}},
                                             {"pids", {"pids.max"}}};
    return all;
}

constexpr std::array<std::string_view, 9> unifiedLimits{"memory.max",      "memory.high", "memory.low",
                                                        "memory.swap.max", "cpu.max",     "cpu.weight",
                                                        "pids.max",        "cpuset.cpus", "cpuset.cpus.effective"};

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> out;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        out.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return out;
}

/// mountinfo writes space, tab, newline and backslash as three octal digits.
std::string decoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view digits = text.substr(std::min(i + 1, text.size()), 3);
        const bool octal = digits.size() == 3 && digits.find_first_not_of("01234567") == std::string_view::npos;
        if (text[i] != '\\' || !octal) {
            out += text[i];
            continue;
        }
        out += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
        i += 3;
    }
    return out;
}

/// The path of the process's group in a hierarchy. Nothing when it has none there.
std::optional<std::string> groupIn(std::string_view cgroup, bool unified, const std::vector<std::string_view> &names)
{
    for (const std::string_view line : split(cgroup, '\n')) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos)
            continue;
        const std::string_view joined = line.substr(first + 1, second - first - 1);
        const auto its = split(joined, ',');
        const bool wanted =
            unified ? joined.empty() && line.starts_with("0:") : std::ranges::any_of(its, [&](std::string_view one) {
                return !one.empty() && std::ranges::contains(names, one);
            });
        if (wanted)
            return std::string(line.substr(second + 1));
    }
    return std::nullopt;
}

bool isNormal(std::string_view path)
{
    return path.starts_with('/') && !std::ranges::contains(split(path, '/'), "..");
}

/// Where `group` is seen when `root` of its hierarchy is mounted at `place`.
std::optional<std::string> folderOf(const std::string &group, const std::string &root, const std::string &place)
{
    if (!isNormal(group) || !isNormal(root) || !paths::isWithin(group, root))
        return std::nullopt;
    const std::string_view rest = root == "/" ? std::string_view(group) : std::string_view(group).substr(root.size());
    return rest.empty() || rest == "/" ? place : place + std::string(rest);
}

std::optional<Cgroup> cgroupAt(std::string_view line, std::string_view cgroup)
{
    const std::size_t dash = line.find(" - cgroup");
    if (dash == std::string_view::npos)
        return std::nullopt;
    const auto before = split(line.substr(0, dash), ' ');
    const auto after = split(line.substr(dash + 3), ' '); // type, source, options of the file system
    if (before.size() < 6 || after.size() < 3)
        return std::nullopt;
    Cgroup out;
    out.second = after[0] == "cgroup2";
    std::vector<std::string_view> names;
    if (out.second)
        out.limits.assign(unifiedLimits.begin(), unifiedLimits.end());
    const auto options = split(after[2], ',');
    for (const Controller &each : controllers()) {
        if (out.second || !std::ranges::contains(options, each.name))
            continue;
        names.push_back(each.name);
        out.limits.insert(out.limits.end(), each.limits.begin(), each.limits.end());
    }
    out.hierarchy = decoded(before[4]);
    const auto group = groupIn(cgroup, out.second, names);
    const auto folder = group ? folderOf(*group, decoded(before[3]), out.hierarchy) : std::nullopt;
    if (!folder || !paths::isWithin(out.hierarchy, usualPlace) || (!out.second && after[0] != "cgroup"))
        return std::nullopt;
    out.folder = *folder;
    return out;
}

} // namespace

std::vector<Cgroup> cgroupsOf(std::string_view cgroup, std::string_view mountinfo)
{
    std::vector<Cgroup> out;
    for (const std::string_view line : split(mountinfo, '\n')) {
        auto found = cgroupAt(line, cgroup);
        if (found && !std::ranges::contains(out, found->hierarchy, &Cgroup::hierarchy))
            out.push_back(std::move(*found));
    }
    return out;
}

} // namespace portcullis::plan
