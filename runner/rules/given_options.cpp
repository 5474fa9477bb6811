// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/given_options.h"

#include "runner/rules/data_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace portcullis::rules {

namespace {

/// Whether the program has this very option, so that it is no abbreviation of a longer one.
bool hasOption(std::string_view program, std::string_view name)
{
    const shell::OptionTable *of = subcommandOptions(program);
    const shell::OptionTable &table = of ? *of : shell::optionTable(program);
    return std::ranges::contains(table.longFlags, name) || std::ranges::contains(table.longWithValue, name);
}

/// Spellings of no: those of strconv.ParseBool of Go, StringToBool of apt and nopt of npm, also zeros and nothing.
bool saysNo(std::string_view value)
{
    static constexpr std::array<std::string_view, 9> words{"false", "no",      "off",     "null", "n",
                                                           "f",     "without", "disable", "never"};
    std::string lowered(value);
    std::ranges::transform(lowered, lowered.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find_first_not_of("0.+-") == std::string_view::npos || std::ranges::contains(words, lowered);
}

bool switchedOff(const shell::GivenOption &option, std::span<const shell::Value> args)
{
    const bool isShort = !option.name.starts_with("--");
    for (std::size_t at = 0; at < args.size() && !(isShort && option.value); ++at) {
        const shell::Value &word = args[at];
        if (word.span != option.span || !word.text.starts_with('-'))
            continue;
        const std::size_t equals = word.text.find('=');
        if (equals != std::string::npos)
            return !word.known() || saysNo(std::string_view(word.text).substr(equals + 1));
        const bool last = at + 1 == args.size() || args[at + 1].text.starts_with('-') || args[at + 1].text.empty();
        return !last && args[at + 1].known() && args[at + 1].text != "." && saysNo(args[at + 1].text);
    }
    return false;
}

} // namespace

bool isOption(std::string_view program, std::string_view given, std::string_view wanted)
{
    if (given == wanted)
        return true;
    return given.size() > 3 && given.starts_with("--") && wanted.starts_with(given) && !program.empty()
        && !hasOption(program, given.substr(2));
}

bool inForce(std::string_view program, std::span<const std::string> names, const shell::SplitArguments &split,
             std::span<const shell::Value> args)
{
    bool on = false;
    for (const shell::GivenOption &option : split.options) {
        const auto is = [&](const std::string &name) { return isOption(program, option.name, name); };
        const auto negates = [&](const std::string &name) {
            return is("--no-" + name.substr(std::min(name.find_first_not_of('-'), name.size())));
        };
        if (std::ranges::any_of(names, is))
            on = !switchedOff(option, args);
        else if (std::ranges::any_of(names, negates))
            on = false;
    }
    return on;
}

} // namespace portcullis::rules
