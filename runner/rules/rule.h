// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rules are data (resources/rules/*.json and `rules` in a tenant policy). docs/rules.md explains the language to people
// who write rules; resources/schema/rules.schema.json describes it to editors.
//
// Three kinds of pattern:
//   name  a glob on a decoded word: `*` any bytes, `?` one, `[a-z]`, `{a,b}`; a leading `!` in a list excludes
//   path  a glob on a whole path: `*` and `?` stop at `/`, `**` does not; relative words are resolved first; `!./**`
//         excludes files below the directory in which the command starts
//   text  RE2 on bytes, `.` matches newlines too; an unknown part of a word stands as the byte 1A
//
// All conditions of a rule must hold for the same invocation; several values of one condition are alternatives.

#include "runner/base/result.h"
#include "runner/base/span.h"
#include "runner/base/vocabulary.h"
#include "runner/shell/evaluation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::config {
class Json;
}

namespace portcullis::rules {

/// Options that must be there, in any order and clustering: `-rf`, `-f -r`, `--recursive --force` are the same.
struct ArgumentCondition {
    std::vector<std::vector<std::string>> all; ///< of each inner list one must be given
    std::vector<std::string> option; ///< one of these must be given …
    std::vector<std::string> value; ///< … with a value that matches one of these names (empty: any value or none)
    std::vector<std::string> without; ///< none of these may be given
};

/// A variable that is set, exported or not.
struct AssignCondition {
    std::string name; ///< text, full match
    std::string value; ///< text, partial match; empty: any
    std::string notValue; ///< text, partial match: values that are fine
    /// Whether the folders of the value (with `:` between them) all are, or lie below, the one in which the command
    /// starts. Empty and wholly unknown entries, such as what the variable held before, do not count, nor do folders
    /// of the system (`/usr`, `/opt`), into which no tenant can put anything.
    std::optional<bool> own{};
};

/// What must hold for one invocation. An empty member asks nothing.
struct Conditions {
    std::vector<std::string> program; ///< names: base name of the program, any directory
    std::vector<std::string> subcommand; ///< names: the first operands, joined by a space (`install`, `pip install`)
    std::vector<ArgumentCondition> args; ///< any of them
    std::vector<std::string> operands; ///< text, full match on one operand
    std::optional<std::uint32_t> maxOperands; ///< at most so many operands
    std::vector<std::string> words; ///< text, partial match on one argument, options included
    std::vector<std::string> line; ///< text, partial match on all arguments joined by one space
    std::vector<std::string> hosts; ///< loopback, private, link_local: an operand or `hostOptions` value goes there
    std::vector<std::string> hostOptions; ///< options whose value names a host too
    std::vector<std::string> paths; ///< paths: an argument or a redirection names it (not where words are data)
    std::vector<std::string> writes; ///< paths: written by redirection or by a known writer (tee, cp, dd of=, …)
    std::vector<std::string> redirectsTo; ///< paths: target of an output redirection
    std::vector<std::string> pipesTo; ///< names: a program that gets its output as code, directly or through filters
    std::vector<std::string> pipedFrom; ///< names: a program whose output arrives on its standard input as data
    std::vector<std::string> codeFrom; ///< lines: a program whose output it runs as code that the text does not show
    std::vector<std::string> argumentFrom; ///< names: a program whose output stands in its arguments
    std::vector<std::string> via; ///< names: a launcher through which it is started (`xargs`, `find`, `sh`)
    std::vector<AssignCondition> assigns; ///< any of them
    std::vector<std::string> input; ///< text, partial match on standard input where constants tell it
    std::vector<std::string> code; ///< text, partial match on code in another language that it is given
    std::vector<std::string> language; ///< names: narrows `code`, and `construct` to what starts it (`sed`, `eval`)
    std::vector<std::string> construct; ///< fork_bomb, eval_unknown, hidden_character, beyond_limits
    std::vector<std::string> text; ///< text, partial match on the raw command; last resort
};

struct Rule {
    std::string id;
    std::optional<Group> group; ///< shipped rules have one; a tenant's rule need not
    Verdict verdict = Verdict::Deny; ///< deny or ask
    std::string title;
    std::string reason;
    std::string advice;
    Conditions when;
    std::vector<Conditions> any; ///< one of these must hold too
    std::vector<Conditions> unless; ///< none of these may hold
    /// Rules of the same set that say more of the same finding: where one of them matches, this one keeps silent about
    /// what that one has found, so that one finding is refused, shown and exempted once.
    std::vector<std::string> givesWayTo;
    bool guessed = false; ///< also for a program's name standing as an argument of an unknown program
    std::vector<std::string> match; ///< commands that must match
    std::vector<std::string> notMatch; ///< commands that must not match
    std::uint32_t line = 0; ///< place in the file, from 1
    std::uint32_t column = 0;
};

/// Why a rule or a rule file is refused, with the place in the JSON text.
struct RuleError {
    enum class Code {
        Json,
        UnknownKey,
        MissingKey,
        WrongType,
        BadPattern,
        BadGroup,
        BadVerdict,
        BadValue,
        DuplicateId,
        ExampleMissed, ///< a `match` example does not match
        ExampleHit, ///< a `not_match` example matches
        NoCondition
    };
    Code code = Code::Json;
    std::string rule;
    std::string key;
    std::string detail; ///< the offending value, pattern error or example
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string nearest{}; ///< of an unknown key: the key that it resembles
};

/// A rule that matched, with the bytes that made it match.
struct RuleHit {
    const Rule *rule = nullptr; ///< owned by the rule set
    std::vector<Span> spans; ///< ascending, disjoint, in the raw command
    std::vector<std::uint32_t> invocations; ///< of the evaluation, ascending: those in which it found something
    bool complete = true; ///< false: there is more, in invocations that were not looked at any more
};

struct RuleMatches {
    std::vector<RuleHit> hits; ///< in rule order, each rule once
    /// Unknown words where a rule looks (reason `option`, detail: the rule's id): notes, not hits. In rule order, each
    /// rule once and only rules that did not hit.
    std::vector<shell::DynamicNote> dynamic;
};

/// Compiled rules. Immutable, thread-safe.
class RuleSet
{
public:
    /// Compiles rules; refuses a rule whose own examples it does not fulfil when `checkExamples` is set.
    [[nodiscard]] static Result<std::shared_ptr<const RuleSet>, std::vector<RuleError>>
    compile(std::vector<Rule> rules, bool checkExamples = true);
    ~RuleSet();
    RuleSet(const RuleSet &) = delete;
    RuleSet &operator=(const RuleSet &) = delete;
    [[nodiscard]] const std::vector<Rule> &rules() const;
    /// Every rule that matches. `raw` is the text that was evaluated, for conditions of kind `text`.
    [[nodiscard]] RuleMatches match(const shell::Evaluation &evaluation, std::string_view raw) const;

private:
    struct Private;
    explicit RuleSet(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

/// Reads a rule file: `{"version": 1, "group": "…", "rules": [ … ]}`. The file's group is that of each rule.
[[nodiscard]] Result<std::vector<Rule>, RuleError> parseRules(std::string_view json);

/// Reads one rule of a tenant policy's `rules` list. Its keys are those of a rule file.
[[nodiscard]] Result<Rule, RuleError> readRule(const config::Json &json);

} // namespace portcullis::rules
