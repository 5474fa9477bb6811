// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/rules/glob.h"
#include "runner/rules/glob_set.h"
#include "runner/rules/host_class.h"
#include "runner/rules/rule.h"
#include "runner/rules/text_patterns.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portcullis::rules {

struct CompiledArguments {
    std::vector<std::vector<std::string>> all;
    std::vector<std::string> option;
    NameList value;
    std::vector<std::string> without;
};

struct CompiledAssign {
    TextPatterns name;
    TextPatterns value;
    TextPatterns notValue;
    std::optional<bool> own{};
};

/// The conditions in the order in which they are compared: cheap ones first.
enum class Condition : std::uint8_t {
    Program,
    Assigns,
    Via,
    Flows,
    Subcommand,
    Args,
    MaxOperands,
    Operands,
    Words,
    Line,
    Hosts,
    Paths,
    Input,
    Code,
    Construct,
    Text
};

/// What a subject must have for conditions to hold at all, as bits.
using Needs = std::uint8_t;
namespace needs {
inline constexpr Needs invocation = 1;
inline constexpr Needs assigns = 2;
inline constexpr Needs code = 4;
inline constexpr Needs paths = 8; ///< names a file that some rule looks for
inline constexpr Needs flows = 16;
inline constexpr std::size_t count = 32; ///< of their combinations
} // namespace needs

/// Conditions ready to be compared. Paths are kept as ids of the rule set's GlobSet.
struct CompiledConditions {
    NameList program;
    NameList subcommand;
    std::size_t subcommandWords = 0; ///< the most words of one subcommand
    std::vector<CompiledArguments> args;
    std::vector<std::string> valueOptions; ///< options whose value the conditions look at
    TextPatterns operands;
    std::optional<std::uint32_t> maxOperands;
    TextPatterns words;
    TextPatterns line;
    std::vector<HostClass> hosts;
    std::vector<std::string> hostOptions;
    std::vector<GlobSet::Id> paths;
    std::vector<GlobSet::Id> writes;
    std::vector<GlobSet::Id> redirectsTo;
    bool notOwn = false; ///< not files below the directory in which the command starts
    NameList pipesTo;
    NameList pipedFrom;
    NameList codeFrom;
    NameList argumentFrom;
    NameList via;
    std::vector<CompiledAssign> assigns;
    TextPatterns input;
    TextPatterns code;
    NameList language;
    std::vector<shell::Construct> construct;
    TextPatterns text;

    std::vector<Condition> asked; ///< the conditions that are not empty

    [[nodiscard]] Needs needs() const;
    /// Asks something of an invocation, not only of the whole command (`construct`, `text`).
    [[nodiscard]] bool looksAtInvocation() const;
};

struct CompiledRule {
    CompiledConditions when;
    std::vector<CompiledConditions> any;
    std::vector<CompiledConditions> unless;
    std::vector<Needs> alternatives; ///< one of these must be there in full
    bool guessed = false;
    bool namesProgram = false; ///< an unknown word then is worth a note
    bool wholeOnly = false; ///< looks at the whole command only
};

/// Compiles one rule, adding its path patterns to `paths`. Errors name rule and key.
[[nodiscard]] Result<CompiledRule, RuleError> compileRule(const Rule &rule, GlobSet &paths);

} // namespace portcullis::rules
