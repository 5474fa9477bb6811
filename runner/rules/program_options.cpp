// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/program_options.h"

#include "runner/rules/data_words.h"
#include "runner/rules/writers.h"
#include "runner/shell/git_options.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string>
#include <unordered_map>
#include <vector>

namespace portcullis::rules {

namespace {

struct KnownTable {
    shell::OptionTable table;
    std::string letters; ///< what `table` points to
};

using KnownTables = std::unordered_map<std::string_view, KnownTable>;

std::vector<std::string_view> optionsOf(const Writer &writer)
{
    std::vector<std::string_view> options;
    for (const std::string_view list : {writer.options, writer.folders, writer.prefixes, writer.base}) {
        for (const auto word : std::views::split(list, ' ')) {
            if (!word.empty())
                options.emplace_back(word);
        }
    }
    return options;
}

/// Tables of the programs that the shell's table does not know well enough. Options behind a subcommand are known
/// there.
KnownTables makeTables()
{
    KnownTables tables;
    for (const Writer &writer : allWriters()) {
        if (subcommandOptions(writer.program) != nullptr)
            continue;
        const auto [entry, added] = tables.try_emplace(writer.program);
        KnownTable &known = entry->second;
        if (added)
            known.table = shell::optionTable(writer.program);
        addValueOptions(known.table, optionsOf(writer), known.letters);
    }
    return tables;
}

} // namespace

bool takesValue(const shell::OptionTable &table, std::string_view option)
{
    if (option.starts_with("--"))
        return std::ranges::contains(table.longWithValue, option.substr(2));
    if (option.size() == 2 && !table.singleDashLong)
        return table.shortWithValue.contains(option[1]);
    return option.empty() || std::ranges::contains(table.longWithValue, option.substr(1));
}

void addValueOptions(shell::OptionTable &table, std::span<const std::string_view> options, std::string &letters)
{
    std::string all(table.shortWithValue);
    for (const std::string_view name : options) {
        if (takesValue(table, name))
            continue;
        if (name.starts_with("--"))
            table.longWithValue.push_back(name.substr(2));
        else if (name.size() == 2 && !table.singleDashLong)
            all.push_back(name[1]);
        else if (name.size() > 1)
            table.longWithValue.push_back(name.substr(1));
    }
    letters = std::move(all);
    table.shortWithValue = letters;
}

const shell::OptionTable &programOptions(std::string_view program)
{
    static const KnownTables tables = makeTables();
    const auto found = tables.find(program);
    return found == tables.end() ? shell::optionTable(program) : found->second.table;
}

shell::SplitArguments splitWith(std::string_view program, const shell::OptionTable &table,
                                std::span<const std::string> valueOptions, std::span<const shell::Value> args)
{
    shell::SplitArguments split = shell::splitArguments(table, args);
    const shell::OptionTable *inner = subcommandOptions(program);
    if (!inner || split.firstOperand + 1 >= args.size())
        return split;
    const bool git = program == "git" && args[split.firstOperand].known();
    const shell::OptionTable *exact = git ? shell::gitCommandOptions(args[split.firstOperand].text) : nullptr;
    shell::OptionTable extended = exact ? *exact : *inner;
    std::string letters;
    if (!exact)
        addValueOptions(extended, std::vector<std::string_view>(valueOptions.begin(), valueOptions.end()), letters);
    shell::SplitArguments rest = shell::splitArguments(extended, args.subspan(split.firstOperand + 1));
    split.operands.resize(1);
    std::ranges::move(rest.operands, std::back_inserter(split.operands));
    std::ranges::move(rest.options, std::back_inserter(split.options));
    split.unknownWord = split.unknownWord || rest.unknownWord;
    return split;
}

shell::SplitArguments splitAsProgram(std::string_view program, std::span<const shell::Value> args)
{
    return splitWith(program, programOptions(program), {}, args);
}

} // namespace portcullis::rules
