// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/path_walks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace portcullis::decision {
namespace {

using shell::Invocation;
using shell::Value;

/// When a program walks, and which of its operands are trees.
struct Walker {
    std::string_view name;
    std::string_view letters; ///< short options of which one must be given; empty: it always walks
    std::string_view longNames; ///< long ones, with a space around each
    std::string_view depthLetter; ///< option with the number of levels
    std::string_view depthName;
    bool contents = true;
    bool lastIsTarget = false; ///< the last operand is where things go
};

constexpr std::array walkers{
    Walker{"grep", "rR", " --recursive --dereference-recursive ", "", ""},
    Walker{"egrep", "rR", " --recursive --dereference-recursive ", "", ""},
    Walker{"fgrep", "rR", " --recursive --dereference-recursive ", "", ""},
    Walker{"zgrep", "rR", " --recursive ", "", ""},
    Walker{"rg", "", "", "d", "--max-depth"},
    Walker{"ag", "", "", "", "--depth"},
    Walker{"ack", "", "", "", ""},
    Walker{"ls", "R", " --recursive ", "", "", false},
    Walker{"tree", "", "", "L", "", false},
    Walker{"du", "", "", "d", "--max-depth", false},
    Walker{"fd", "", "", "d", "--max-depth", false},
    Walker{"fdfind", "", "", "d", "--max-depth", false},
    Walker{"cp", "rRa", " --recursive --archive ", "", "", true, true},
    Walker{"mv", "", "", "", "", true, true},
    Walker{"rsync", "ra", " --recursive --archive ", "", "", true, true},
    Walker{"scp", "r", "", "", "", true, true},
    Walker{"chmod", "R", " --recursive ", "", ""},
    Walker{"chown", "R", " --recursive ", "", ""},
    Walker{"chgrp", "R", " --recursive ", "", ""},
    Walker{"diff", "r", " --recursive ", "", ""},
    Walker{"zip", "r", " --recurse-paths ", "", ""},
    Walker{"ugrep", "rR", " --recursive --dereference-recursive ", "", ""},
    Walker{"gzip", "r", " --recursive ", "", ""},
    Walker{"zstd", "r", "", "", ""},
    Walker{"ctags", "R", " --recurse ", "", ""},
    Walker{"pax", "w", "", "", ""},
    Walker{"jar", "", "", "", ""},
    Walker{"borg", "", "", "", ""},
    Walker{"restic", "", "", "", ""},
    Walker{"mksquashfs", "", "", "", ""},
    Walker{"genisoimage", "", "", "", ""},
    Walker{"mkisofs", "", "", "", ""},
    Walker{"xorriso", "", "", "", ""},
};

bool isOption(std::string_view text)
{
    return text.size() > 1 && text[0] == '-';
}

/// A cluster of short options that has one of these letters.
bool hasLetter(std::string_view text, std::string_view letters)
{
    return isOption(text) && text[1] != '-' && text.find_first_of(letters, 1) != std::string_view::npos;
}

std::optional<std::uint32_t> number(std::string_view text)
{
    std::uint32_t value = 0;
    const char *end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

/// The number of levels that an option of this spelling gives: `-L 2`, `-L2`, `--max-depth=2`, `-maxdepth 2`.
std::optional<std::uint32_t> depthOf(const std::vector<Value> &args, std::string_view letter, std::string_view name)
{
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string_view text = args[i].text;
        const std::string_view next = i + 1 < args.size() ? std::string_view(args[i + 1].text) : std::string_view();
        if (!name.empty() && text == name)
            return number(next);
        if (!name.empty() && text.starts_with(name) && text.substr(name.size()).starts_with('='))
            return number(text.substr(name.size() + 1));
        if (letter.empty() || !text.starts_with('-') || text.substr(0, 2).size() < 2 || text[1] != letter[0])
            continue;
        return number(text.size() == 2 ? next : text.substr(2));
    }
    return std::nullopt;
}

void markOperands(WalkedArguments &walked, const std::vector<Value> &args, const std::vector<bool> &data,
                  bool lastIsTarget)
{
    std::size_t last = args.size();
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (isOption(args[i].text) || data[i])
            continue;
        walked.starts[i] = true;
        last = i;
    }
    const bool targetGiven = std::ranges::any_of(args, [](const Value &value) {
        return value.text.starts_with("-t") || value.text.starts_with("--target-directory");
    });
    if (lastIsTarget && !targetGiven && last < args.size())
        walked.starts[last] = false;
    walked.here = !lastIsTarget && last == args.size();
}

/// find(1): starting points stand before the expression. It reads or changes files only by its actions.
WalkedArguments walkOfFind(const std::vector<Value> &args)
{
    static constexpr std::array<std::string_view, 9> actions{"-exec",   "-execdir", "-ok",      "-okdir",  "-delete",
                                                             "-fprint", "-fls",     "-fprintf", "-fprint0"};
    WalkedArguments walked;
    walked.starts.assign(args.size(), false);
    walked.walk.contents =
        std::ranges::any_of(args, [](const Value &value) { return std::ranges::contains(actions, value.text); });
    walked.walk.depth = depthOf(args, "", "-maxdepth");
    walked.here = true;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string_view text = args[i].text;
        if (text == "-H" || text == "-L" || text == "-P")
            continue;
        if (text.starts_with('-') || text == "(" || text == "!")
            break;
        walked.starts[i] = true;
        walked.here = false;
    }
    return walked;
}

/// Whether one of the first operands is this subcommand.
bool hasVerb(const std::vector<Value> &args, std::string_view verb)
{
    return std::ranges::contains(args, verb, &Value::text);
}

/// What a container gets to see: bind sources, the context of a build, what is copied in. The daemon reads it with its
/// own rights, outside every wall.
std::optional<WalkedArguments> walkOfContainer(const std::vector<Value> &args, const std::vector<bool> &data)
{
    static constexpr std::array<std::string_view, 3> names{"-v", "--volume", "--mount"};
    WalkedArguments walked;
    walked.starts.assign(args.size(), false);
    if (hasVerb(args, "build") || hasVerb(args, "cp"))
        markOperands(walked, args, data, false);
    walked.here = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string_view text = args[i].text;
        if (std::ranges::contains(names, text) && i + 1 < args.size())
            walked.starts[i + 1] = true;
        else if (text.starts_with("--volume=") || text.starts_with("--mount=")
                 || (text.starts_with("-v") && text.size() > 2))
            walked.starts[i] = true;
    }
    if (std::ranges::contains(walked.starts, true))
        return walked;
    return std::nullopt;
}

/// git reads whole trees into its own, or beside it.
std::optional<WalkedArguments> walkOfGit(const std::vector<Value> &args, const std::vector<bool> &data)
{
    if (!hasVerb(args, "add") && !hasVerb(args, "--no-index"))
        return std::nullopt;
    WalkedArguments walked;
    walked.starts.assign(args.size(), false);
    markOperands(walked, args, data, false);
    walked.here = false;
    return walked;
}

/// tar(1) and 7z(1): the first word says what is done.
bool addsToArchive(const Invocation &invocation)
{
    if (invocation.args.empty())
        return false;
    const std::string_view first = invocation.args.front().text;
    if (invocation.name == "7z" || invocation.name == "7za")
        return first == "a" || first == "u";
    const bool cluster = !first.starts_with("--") && !first.contains('/');
    return (cluster && first.find_first_of("cru") != std::string_view::npos)
        || std::ranges::any_of(invocation.args, [](const Value &value) {
               const std::string_view text = value.text;
               return hasLetter(text, "cru") || text == "--create" || text == "--append" || text == "--update";
           });
}

} // namespace

std::optional<WalkedArguments> walkedArguments(const Invocation &invocation, const std::vector<bool> &data)
{
    static constexpr std::array<std::string_view, 5> archivers{"tar", "gtar", "bsdtar", "7z", "7za"};
    const std::vector<Value> &args = invocation.args;
    static constexpr std::array<std::string_view, 4> containers{"docker", "podman", "nerdctl", "docker-compose"};
    if (invocation.name == "find")
        return walkOfFind(args);
    if (std::ranges::contains(containers, invocation.name))
        return walkOfContainer(args, data);
    if (invocation.name == "git")
        return walkOfGit(args, data);
    WalkedArguments walked;
    walked.starts.assign(args.size(), false);
    if (std::ranges::contains(archivers, invocation.name)) {
        if (!addsToArchive(invocation))
            return std::nullopt;
        markOperands(walked, args, data, false);
        walked.here = false;
        return walked;
    }
    const auto walker = std::ranges::find(walkers, std::string_view(invocation.name), &Walker::name);
    if (walker == walkers.end())
        return std::nullopt;
    const bool asked = walker->letters.empty() || std::ranges::any_of(args, [&](const Value &value) {
                           return hasLetter(value.text, walker->letters)
                               || (value.text.starts_with("--") && walker->longNames.contains(' ' + value.text + ' '));
                       });
    if (!asked)
        return std::nullopt;
    walked.walk = {walker->contents, depthOf(args, walker->depthLetter, walker->depthName)};
    markOperands(walked, args, data, walker->lastIsTarget);
    return walked;
}

} // namespace portcullis::decision
