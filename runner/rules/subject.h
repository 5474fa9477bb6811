// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/rules/compiled_rule.h"
#include "runner/rules/file_mentions.h"
#include "runner/rules/glob_set.h"
#include "runner/shell/evaluation.h"
#include "runner/shell/made_links.h"
#include "runner/shell/option_table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace portcullis::rules {

/// What a rule is compared with: an evaluation, and the parts of it that several subjects share.
struct Whole {
    Whole(const shell::Evaluation &evaluation, std::string_view raw, const GlobSet &paths);

    const shell::Evaluation &evaluation;
    std::string_view raw;
    const GlobSet &paths;
    std::vector<std::uint32_t> flowsByFrom; ///< indices into evaluation.flows
    std::vector<std::uint32_t> flowsByTo;
    std::vector<std::uint32_t> fileFlowsByTo; ///< indices into evaluation.fileFlows
    std::vector<std::uint32_t> codeByInvocation; ///< indices into evaluation.code
    std::vector<std::string> codeTexts; ///< beside evaluation.code: what rules of kind code look at
    std::vector<shell::MadeLink> links; ///< that the command makes
    std::vector<bool> inFlow; ///< by invocation

    /// Work on words with open places, shared by all subjects. What comes behind its end counts as unknown.
    mutable GlobSet::Progress progress;
    static constexpr std::uint64_t maxGlobSteps = 5'000'000;
    /// How a program takes its options when a rule knows more of them that take a value.
    struct Options {
        shell::OptionTable table;
        std::string letters; ///< what `table` points to
        bool own = false; ///< the program's own table knows them all
    };
    [[nodiscard]] const Options &optionsOf(std::string_view program, std::span<const std::string> valueOptions) const;
    /// By program and the place where the rule keeps its options.
    mutable std::map<std::pair<std::string, const void *>, Options, std::less<>> options;
    /// What conditions on the whole command found, looked for once and not once for each invocation.
    mutable std::unordered_map<const void *, std::optional<Span>> found;

    [[nodiscard]] bool overBudget() const { return progress.steps > maxGlobSteps; }
    /// The code that this invocation is given, as indices.
    [[nodiscard]] std::span<const std::uint32_t> codeOf(std::uint32_t invocation) const;
};

/// One invocation, or what stands in the command without one (assignments, bare redirections). Computes what rules ask
/// for when the first rule asks.
class Subject
{
public:
    struct NamedPath {
        GlobSet::Id id;
        Match match;
        const FileMention *file;
    };

    explicit Subject(const Whole &whole); ///< what stands without an invocation
    Subject(const Whole &whole, std::uint32_t invocation);

    [[nodiscard]] const Whole &whole() const { return m_whole; }
    [[nodiscard]] const shell::Invocation *invocation() const { return m_invocation; }
    [[nodiscard]] std::uint32_t index() const { return m_index; }
    [[nodiscard]] std::span<const shell::Value> args() const;
    [[nodiscard]] std::span<const shell::Assignment> assigns() const;

    /// The arguments as `program` takes them (for a command word that is a pattern, the program of the rule), with
    /// `valueOptions` taking a value even when the program's own table does not say so.
    [[nodiscard]] const shell::SplitArguments &split(std::string_view program,
                                                     std::span<const std::string> valueOptions);
    [[nodiscard]] const std::vector<NamedPath> &paths();
    /// The files of which nothing is known; paths() leaves them out.
    [[nodiscard]] const std::vector<FileMention> &unknownFiles();
    [[nodiscard]] Needs available();
    [[nodiscard]] const shell::Value &line(); ///< all arguments joined by a space

private:
    const Whole &m_whole;
    const shell::Invocation *m_invocation = nullptr;
    std::uint32_t m_index = 0;
    std::optional<shell::SplitArguments> m_split;
    std::optional<shell::SplitArguments> m_special; ///< the last split that is not the program's own
    std::optional<std::vector<FileMention>> m_files;
    std::optional<std::vector<NamedPath>> m_paths;
    std::vector<FileMention> m_unknownFiles;
    std::optional<shell::Value> m_line;
};

} // namespace portcullis::rules
