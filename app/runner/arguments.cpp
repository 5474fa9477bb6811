// SPDX-License-Identifier: Apache-2.0
#include "app/runner/arguments.h"

#include "app/runner/filter_help.h"
#include "runner/base/nearest.h"
#include "runner/base/shell_quoted.h"

#include <algorithm>
#include <array>

namespace portcullis::cli {
namespace {

struct CommandSpec {
    std::string_view name;
    std::string_view synopsis;
    std::string_view summary;
    bool takesCommandLine = false; ///< after `--`; elsewhere what stands there are operands
};

constexpr std::array commands{
    CommandSpec{"exec", "exec --tenant T [options] -- COMMAND", "decide, confine, run and record one command", true},
    CommandSpec{"check", "check --tenant T [options] -- COMMAND | check --batch FILE|- --json",
                "the decision alone: nothing runs, nothing is written", true},
    CommandSpec{"log", "log [FILTER…] | log show ID | log prune", "query and follow the record"},
    CommandSpec{"replay", "replay [FILTER…|--file F] --against C [--baseline C]",
                "decide recorded commands again with another configuration; nothing runs"},
    CommandSpec{"policy",
                "policy validate [FILE|DIR]… | policy test | policy effective --tenant T [KEY] | policy diff A B | "
                "policy publish FILE | policy revisions [ID] | policy exempt ID | "
                "policy exempt --remove EXEMPTION | policy exemptions",
                "look at and change tenant policies"},
    CommandSpec{"doctor", "doctor [--probe]", "what this machine can enforce, and what deserves a look"},
};

struct OptionSpec {
    std::string_view name;
    std::string_view value; ///< name of its value in help; empty for a flag
    /// Space-separated; empty: everywhere. `policy` is every form of it, `policy:test` that subcommand, `log:` the form
    /// without a subcommand.
    std::string_view commands;
    std::string_view help;
};

constexpr std::array options{
    OptionSpec{"config", "FILE", "", "the gateway's configuration (else GOCLAW_CONFIG, else ~/.goclaw/config.json)"},
    OptionSpec{"policies", "DIR", "", "folder of tenant policies"},
    OptionSpec{"data-dir", "DIR", "", "data dir of the gateway"},
    OptionSpec{"audit-db", "FILE", "", "the audit record"},
    OptionSpec{"json", "", "check log replay policy doctor", "machine-readable output"},
    OptionSpec{"version", "", "", "print the version"},
    OptionSpec{"help", "", "", "print this help"},
    OptionSpec{
        "tenant", "SLUG",
        "exec check policy:test policy:effective policy:publish policy:revisions policy:exempt policy:exemptions",
        "the tenant; `master` is the operator's own"},
    OptionSpec{"agent", "ID", "exec check policy:effective", "the agent (main)"},
    OptionSpec{"session", "ID", "exec check", "the session (cli)"},
    OptionSpec{"origin", "O", "exec check", "agent, subagent, native_worker, mcp_bridge or operator (agent)"},
    OptionSpec{"cwd", "DIR", "exec check", "working directory (the tenant's workspace)"},
    OptionSpec{"timeout", "SECONDS", "exec check",
               "time limit, from 1 (60, or the policy's); at most what the policy allows"},
    OptionSpec{"sandbox", "on|off|default", "exec check", "the sandbox switch of this call; agents can only tighten"},
    OptionSpec{"shell", "auto|sh|bash", "exec check", "the shell that runs the command"},
    OptionSpec{"stdin", "", "exec", "hand standard input to the command"},
    OptionSpec{"result", "FILE|fd:N", "exec", "write one JSON object about the run at its end"},
    OptionSpec{"explain", "", "check", "show every check with the matched bytes"},
    OptionSpec{"assume", "FACTS", "check replay policy:test",
               "host facts: landlock=7|none,view=yes|no,engine=up|down,shell=sh|bash"},
    OptionSpec{"batch", "FILE|-", "check", "decide one JSON request a line"},
    OptionSpec{"since", "WHEN", "log: replay", "only events since: 2h, 3d or a date"},
    OptionSpec{"until", "WHEN", "log: replay", "only events until"},
    OptionSpec{"limit", "N", "log:", "at most N events, the newest (100; with --json and --csv all)"},
    OptionSpec{"follow", "", "log:", "go on as events arrive"},
    OptionSpec{"csv", "", "log:", "comma-separated values"},
    OptionSpec{"older-than", "AGE", "log:prune", "prune: events older than 30d, 12h, …"},
    OptionSpec{"max-size", "SIZE", "log:prune", "prune: until the record is at most 1G, 500M, …"},
    OptionSpec{"expires", "AGE", "policy:exempt", "exempt: how long it holds (8h)"},
    OptionSpec{"message", "TEXT", "policy:exempt policy:publish", "exempt, publish: why"},
    OptionSpec{"remove", "EXEMPTION", "policy:exempt", "exempt: take this exemption out again"},
    OptionSpec{"dry-run", "", "log:prune policy:exempt policy:publish",
               "prune, exempt, publish: say what would change, change nothing"},
    OptionSpec{"against", "C", "replay",
               "the configuration: recorded, current, policies:DIR, policy:FILE, tenant:SLUG, revision:ID"},
    OptionSpec{"baseline", "C", "replay", "what to compare with, the same forms (recorded: the stored verdicts)"},
    OptionSpec{"file", "F", "replay", "events as log --json writes them, instead of the record"},
    OptionSpec{"only", "CHANGE", "replay", "list only loosened, tightened, changed or not_replayable"},
    OptionSpec{"fail-on", "CHANGES", "replay",
               "exit 1 on loosened, tightened, changed or not_replayable; several with commas"},
    OptionSpec{"probe", "", "doctor", "really start a confined command and try to break out"},
};

const OptionSpec *findOption(std::string_view name)
{
    const auto it = std::ranges::find(options, name, &OptionSpec::name);
    return it == options.end() ? nullptr : &*it;
}

const CommandSpec *findCommand(std::string_view name)
{
    const auto it = std::ranges::find(commands, name, &CommandSpec::name);
    return it == commands.end() ? nullptr : &*it;
}

/// Whether the command has the subcommand: its synopsis has a form that begins with both.
bool hasSubcommand(const CommandSpec &command, std::string_view word)
{
    const std::string form = std::string(command.name) + ' ' + std::string(word) + ' ';
    return !word.empty() && (std::string(command.synopsis) + ' ').contains(form);
}

/// Whether the option is one of this form of the command; of any form where `subcommand` is nothing.
bool belongsTo(const OptionSpec &option, std::string_view command, std::optional<std::string_view> subcommand)
{
    if (option.commands.empty())
        return true;
    for (std::string_view left = option.commands; !left.empty();) {
        const std::string_view entry = left.substr(0, left.find(' '));
        const std::size_t colon = entry.find(':');
        if (entry.substr(0, colon) == command
            && (colon == std::string_view::npos || !subcommand || entry.substr(colon + 1) == *subcommand))
            return true;
        left.remove_prefix(std::min(entry.size() + 1, left.size()));
    }
    return false;
}

template <class Specs>
std::string nearestIn(std::string_view word, const Specs &specs)
{
    std::vector<std::string_view> names;
    names.reserve(specs.size());
    for (const auto &spec : specs)
        names.push_back(spec.name);
    return std::string(nearestName(word, names));
}

/// Takes one `--option` (and its value) out of `words` at `at`.
Result<void, ArgumentError> takeOption(Arguments &arguments, std::span<const std::string> words, std::size_t &at)
{
    const std::string &word = words[at];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const OptionSpec *spec = findOption(name);
    if (spec == nullptr)
        return failure(ArgumentError{ArgumentError::Code::UnknownOption, word, {}, nearestIn(name, options)});
    std::string value;
    if (spec->value.empty()) {
        if (equals != std::string::npos)
            return failure(ArgumentError{ArgumentError::Code::UnexpectedValue, word, {}, {}});
    } else if (equals != std::string::npos) {
        value = word.substr(equals + 1);
    } else {
        if (at + 1 >= words.size() || words[at + 1] == "--")
            return failure(ArgumentError{ArgumentError::Code::MissingValue, word, {}, std::string(spec->value)});
        value = words[++at];
    }
    if (!arguments.options.emplace(name, std::move(value)).second)
        return failure(ArgumentError{ArgumentError::Code::RepeatedOption, word, {}, {}});
    return {};
}

/// The subcommand that was given; "" where the command has a form without one, nothing where one is missing.
std::optional<std::string_view> subcommandOf(const Arguments &arguments)
{
    const CommandSpec *command = findCommand(arguments.command);
    const std::string_view first = arguments.operands.empty() ? std::string_view() : arguments.operands.front();
    if (command != nullptr && hasSubcommand(*command, first))
        return first;
    return arguments.command == "policy" ? std::nullopt : std::optional<std::string_view>("");
}

Result<void, ArgumentError> checkOptions(const Arguments &arguments)
{
    const std::optional<std::string_view> subcommand = subcommandOf(arguments);
    for (const auto &[name, value] : arguments.options) {
        if (belongsTo(*findOption(name), arguments.command, subcommand))
            continue;
        std::string form = arguments.command;
        if (subcommand && !subcommand->empty())
            form += ' ' + std::string(*subcommand);
        else if (arguments.command == "log")
            form = "a query of the log";
        const bool hasResult = name == "json" && belongsTo(*findOption("result"), arguments.command, subcommand);
        return failure(ArgumentError{ArgumentError::Code::NotForCommand, "--" + name, std::move(form),
                                     hasResult ? "--result FILE" : ""});
    }
    return {};
}

/// Of forms that stand between ` | `, those of one subcommand; all where there is no such subcommand.
std::string synopsisOf(const CommandSpec &command, std::string_view subcommand)
{
    constexpr std::string_view between = " | ";
    const std::string wanted = std::string(command.name) + ' ' + std::string(subcommand);
    std::string out;
    for (std::string_view left = command.synopsis; !subcommand.empty() && !left.empty();) {
        const std::string_view form = left.substr(0, left.find(between));
        if (form == wanted || form.starts_with(wanted + ' '))
            (out += out.empty() ? std::string_view() : between) += form;
        left.remove_prefix(std::min(form.size() + between.size(), left.size()));
    }
    return out.empty() ? std::string(command.synopsis) : out;
}

std::string optionLine(const OptionSpec &option)
{
    std::string head = "  --" + std::string(option.name);
    if (!option.value.empty())
        head += ' ' + std::string(option.value);
    if (head.size() < 26)
        head.resize(26, ' ');
    return head + ' ' + std::string(option.help) + '\n';
}

} // namespace

std::optional<std::string> Arguments::value(std::string_view option) const
{
    const auto it = options.find(option);
    if (it == options.end())
        return std::nullopt;
    return it->second;
}

Result<Arguments, ArgumentError> parseArguments(std::span<const std::string> words)
{
    Arguments arguments;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string &word = words[at];
        if (word == "--") {
            arguments.hasSeparator = true;
            arguments.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
            break;
        }
        if (word.starts_with("--")) {
            if (auto taken = takeOption(arguments, words, at); !taken)
                return failure(taken.error());
        } else if (arguments.command.empty()) {
            if (findCommand(word) == nullptr)
                return failure(ArgumentError{ArgumentError::Code::UnknownCommand, word, {}, nearestIn(word, commands)});
            arguments.command = word;
        } else {
            arguments.operands.push_back(word);
        }
    }
    const CommandSpec *command = findCommand(arguments.command);
    if (command != nullptr && !command->takesCommandLine) {
        arguments.operands.insert(arguments.operands.end(), arguments.rest.begin(), arguments.rest.end());
        arguments.rest.clear();
    }
    if (arguments.command.empty() && !arguments.has("help") && !arguments.has("version"))
        return failure(ArgumentError{ArgumentError::Code::NoCommand, {}, {}, {}});
    if (!arguments.command.empty()) {
        if (auto checked = checkOptions(arguments); !checked)
            return failure(checked.error());
    }
    return arguments;
}

std::optional<std::string> commandText(const Arguments &arguments)
{
    if (!arguments.hasSeparator || arguments.rest.empty())
        return std::nullopt;
    if (arguments.rest.size() == 1) {
        if (arguments.rest.front().find_first_not_of(" \t\n") == std::string::npos)
            return std::nullopt;
        return arguments.rest.front();
    }
    std::string out;
    for (const std::string &word : arguments.rest) {
        if (!out.empty())
            out += ' ';
        out += shellQuoted(word);
    }
    return out;
}

std::string usage(std::string_view command, std::string_view subcommand)
{
    const CommandSpec *spec = findCommand(command);
    std::string out;
    if (spec != nullptr) {
        const std::string synopsis = synopsisOf(*spec, subcommand);
        const auto form = hasSubcommand(*spec, subcommand) ? std::optional(subcommand) : std::nullopt;
        out = "Usage: portcullis-runner " + synopsis + "\n\n" + std::string(spec->summary) + "\n\nOptions:\n";
        for (const OptionSpec &option : options) {
            if (!option.commands.empty() && belongsTo(option, command, form))
                out += optionLine(option);
        }
        out += "\nEverywhere:\n";
    } else {
        out = "Usage: portcullis-runner COMMAND [options] [-- COMMAND LINE]\n\nCommands:\n";
        for (const CommandSpec &each : commands) {
            std::string head = "  " + std::string(each.name);
            head.resize(10, ' ');
            out += head + std::string(each.summary) + '\n';
        }
        out += "\nOptions of every command:\n";
    }
    for (const OptionSpec &option : options) {
        if (option.commands.empty())
            out += optionLine(option);
    }
    if (command == "log" || command == "replay")
        out += filterHelp();
    if (spec == nullptr)
        out += "\nportcullis-runner COMMAND --help tells more. Exit codes and formats: docs/command-line.md\n";
    return out;
}

} // namespace portcullis::cli
