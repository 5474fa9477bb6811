// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/pass_through.h"

#include "runner/rules/data_words.h"
#include "runner/rules/program_table.h"
#include "runner/rules/sed_script.h"
#include "runner/shell/option_table.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace portcullis::rules {

namespace {

using shell::Value;

struct Filter {
    std::string_view program;
    std::size_t operands; ///< that are no files
    std::string_view reading; ///< options that make it open a file, each followed by a space
};

// Sorted by program.
constexpr std::array filters = std::to_array<Filter>({
    {"awk", 1, "-f --file -i --include -l --load -v --assign "},
    {"cat", 0, ""},
    {"column", 0, ""},
    {"cut", 0, ""},
    {"egrep", 1, "-f --file -r -R --recursive --dereference-recursive -d --directories "},
    {"fgrep", 1, "-f --file -r -R --recursive --dereference-recursive -d --directories "},
    {"gawk", 1, "-f --file -i --include -l --load -v --assign "},
    {"grep", 1, "-f --file -r -R --recursive --dereference-recursive -d --directories "},
    {"head", 0, ""},
    {"jq", 1, "-f --from-file --slurpfile --rawfile --argfile -L -n --null-input "},
    {"mawk", 1, "-f -v "},
    {"sed", 1, "-f --file "},
    {"sort", 0, "--files0-from "},
    {"tail", 0, ""},
    {"tee", 0, ""},
    {"tr", 2, ""},
    {"uniq", 0, ""},
});
static_assert(std::ranges::is_sorted(filters, {}, &Filter::program));

bool isGlob(const Value &word)
{
    return word.isPattern();
}

/// Whether a script of the filter gets at more than its input.
bool reachesOut(std::string_view program, std::string_view script)
{
    // Nobody filters with a longer script.
    constexpr std::size_t longest = 4096;
    if (script.size() > longest)
        return true;
    if (program == "sed") {
        const std::string commands = sedCommands(script);
        for (std::size_t at = 0; at < commands.size();) {
            const std::size_t end = std::min(commands.find('\n', at), commands.size());
            const std::string_view command = std::string_view(commands).substr(at, end - at);
            if (command.find_first_of("erR") == 0 || (command.starts_with('s') && command.contains('e')))
                return true;
            at = end + 1;
        }
        return false;
    }
    if (program == "jq")
        return script.contains("env") || script.contains("ENV") || script.contains("input_filename");
    return program.ends_with("awk")
        && (script.contains("getline") || script.contains("system") || script.contains('|')
            || script.contains("ENVIRON") || script.contains("ARGV"));
}

} // namespace

bool onlyPassesOn(const shell::Invocation &invocation)
{
    if (invocation.opens)
        return true; // what it starts stands for itself
    if (invocation.name == "echo" || invocation.name == "printf")
        return std::ranges::none_of(invocation.args, isGlob); // a glob gives names of files
    const Filter *filter = rowOf(filters, invocation.name);
    if (filter == nullptr)
        return false;
    const shell::SplitArguments split = shell::splitArguments(shell::optionTable(invocation.name), invocation.args);
    const auto reads = [&](const shell::GivenOption &option) { return listsOption(filter->reading, option.name); };
    const bool scriptInOption = std::ranges::any_of(split.options, [](const shell::GivenOption &option) {
        return option.name == "-e" || option.name == "--expression" || option.name == "--regexp";
    });
    const std::size_t data = scriptInOption ? 0 : filter->operands;
    if (split.unknownWord || split.operands.size() > data || std::ranges::any_of(split.operands, isGlob)
        || std::ranges::any_of(split.options, reads))
        return false;
    return std::ranges::none_of(invocation.args,
                                [&](const Value &word) { return reachesOut(invocation.name, word.text); });
}

} // namespace portcullis::rules
