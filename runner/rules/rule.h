// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rules are data (resources/rules/*.json and `rules` in a tenant policy). All conditions of a rule must hold for the
// same invocation; several values of one condition are alternatives.

#include "runner/base/result.h"
#include "runner/base/span.h"
#include "runner/base/vocabulary.h"
#include "runner/shell/evaluation.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::rules {

/// Options (and where wanted their values) that must be there, in any order and clustering.
/// `{"all": ["-r", "-f"]}` with each entry `-r|-R|--recursive` as alternatives; `{"option": […], "value": glob}`.
struct ArgumentCondition {
    std::vector<std::vector<std::string>> all; ///< each inner list: alternatives of which one must be given
    std::vector<std::string> option;           ///< one of these must be given …
    std::string value;                         ///< … with a value that matches this glob (empty: any value)
    std::vector<std::string> without;          ///< none of these may be given
};

struct Rule {
    std::string id;
    std::optional<Group> group; ///< built-in rules have one; a tenant's rule need not
    Verdict verdict = Verdict::Deny;
    std::string title;
    std::string reason;
    std::string advice;
    std::vector<std::string> program;          ///< base names, globs allowed
    std::vector<ArgumentCondition> args;       ///< any of them
    std::vector<std::string> operands;         ///< RE2, full match on one operand
    std::vector<std::string> words;            ///< RE2, partial match on one argument (options included)
    std::vector<std::string> pipesTo;          ///< program names that get its output as code (globs), through pipes
    std::vector<std::string> redirectsTo;      ///< RE2, full match on an output redirection's target
    std::vector<std::string> assigns;          ///< RE2, full match on the name of a variable that is set
    std::vector<std::string> code;             ///< RE2, partial match on embedded code; `language` narrows
    std::vector<std::string> language;
    std::vector<std::string> construct;        ///< fork_bomb, eval_unknown, hidden_character
    std::vector<std::string> text;             ///< RE2 on the raw command, last resort
    std::vector<std::string> match;            ///< examples that must match
    std::vector<std::string> notMatch;         ///< examples that must not match
};

/// Why a rule or a rule file is refused. `offset` is into the JSON text.
struct RuleError {
    enum class Code { Json, UnknownKey, MissingKey, WrongType, BadPattern, BadGroup, BadVerdict, DuplicateId, ExampleMissed, ExampleHit, NoCondition };
    Code code = Code::Json;
    std::string rule;
    std::string key;
    std::string detail; ///< the offending value, pattern error or example
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// A rule that matched, with the bytes that made it match.
struct RuleHit {
    const Rule *rule = nullptr; ///< owned by the rule set
    std::vector<Span> spans;    ///< ascending, in the raw command
    bool dynamicOption = false; ///< an unknown word stands where this rule looks (a note, not a hit)
};

/// Compiled rules. Immutable, thread-safe.
class RuleSet
{
public:
    /// Compiles rules; refuses a rule whose own examples it does not fulfil when `checkExamples` is set.
    [[nodiscard]] static Result<std::shared_ptr<const RuleSet>, std::vector<RuleError>> compile(std::vector<Rule> rules,
                                                                                                bool checkExamples = true);
    ~RuleSet();
    [[nodiscard]] const std::vector<Rule> &rules() const;
    /// Every rule that matches, in rule order. `raw` is the text for rules of kind `text`.
    [[nodiscard]] std::vector<RuleHit> match(const shell::Evaluation &evaluation, std::string_view raw) const;

private:
    struct Private;
    explicit RuleSet(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

/// Reads a rule file: `{"version": 1, "rules": [ … ]}`.
[[nodiscard]] Result<std::vector<Rule>, RuleError> parseRules(std::string_view json);

} // namespace portcullis::rules
