// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a shell text would do, as far as constants tell: every program that it may start, with decoded arguments,
// assignments, redirections, directory and the flow of data between programs. Rules and path guard look at this and
// never at raw text (except for rules of kind `text`).

#include "runner/base/span.h"
#include "runner/base/vocabulary.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::shell {

/// A word after expansion. Where a part cannot be known, `text` has nothing and `gaps` has the position.
struct Value {
    std::string text; ///< decoded bytes
    std::vector<std::uint32_t> gaps; ///< ascending offsets into `text` at which unknown bytes may stand
    std::vector<std::uint32_t> globs; ///< offsets in `text` of active glob characters (* ? [ and extglob openers)
    bool quotedData = false; ///< written wholly inside quotes (a hint for messages, never for a verdict)
    Span span; ///< where it was written, in the raw command

    [[nodiscard]] bool known() const { return gaps.empty(); }
    [[nodiscard]] bool isPattern() const { return !globs.empty(); }
};

/// A variable that is set: before a command, exported, by `env`, `export`, `declare -x`, `printf -v`, `read`, ….
struct Assignment {
    std::string name;
    Value value;
    bool exported = false; ///< reaches the environment of a program
    Span span;
};

struct Redirection {
    std::string op; ///< as in shell::Redirect
    std::string fd;
    Value target; ///< file or descriptor; for here-documents and here-strings the text itself
    Span span;
};

/// One program (or builtin) that the text would start.
struct Invocation {
    Value program; ///< the command word
    /// Base name of the program where it is known, else empty. A pattern that can only be one well-known program
    /// (`/usr/bin/sud[o]`) has that name; of several, each is an invocation of its own.
    std::string name;
    std::vector<Value> args; ///< without the command word
    std::vector<Assignment> assigns; ///< set for this program alone
    std::vector<Redirection> redirects;
    std::optional<Value> input; ///< text of standard input where constants tell it
    std::optional<std::string> cwd; ///< logical directory at that point; nothing when unknown
    std::vector<std::string> via; ///< launchers that were opened to reach it, outermost first: `env`, `timeout`, `sh`
    Dialect dialect = Dialect::Bash;
    bool builtin = false; ///< run by the shell itself
    bool background = false;
    /// Started by code of another language (awk system(), python os.system, …) rather than by a shell.
    bool fromInterpreter = false;
    /// A launcher whose command was opened: what it starts follows as an invocation of its own (`env FOO=1 make`:
    /// `env` opens, `make` follows). Rules about the launcher doing its own work (`env` alone) skip it.
    bool opens = false;
    /// The name of a known program standing as an argument of an unknown program (`mywrap sudo id`): may be run by it.
    bool guessed = false;
    Span span; ///< the whole simple command
};

/// Bytes that go from one program into another. Flows into code are closed over data on the way: `curl | tee x | sh`
/// has one from curl to sh too.
struct Flow {
    std::uint32_t from = 0; ///< index into Evaluation::invocations
    std::uint32_t to = 0;
    /// The receiver runs what it gets as code: `… | sh`, `bash <(…)`, `sh -c "$(…)"`, `eval "$(…)"`, `python3 - <<< …`.
    bool asCode = false;
    /// The receiver gets it as an argument: `curl "https://x/?q=$(…)"`.
    bool asArgument = false;
};

/// The content of a file that goes into a program without another program's help: `$(<file)`, `< file`,
/// `read x < file`. Never as code: that a script is run is a note of its own. A variable of the gateway (GOCLAW_…) that
/// the text has not set itself counts as a file called `$NAME`.
struct FileFlow {
    Value file; ///< as it was opened
    std::uint32_t to = 0; ///< index into Evaluation::invocations
    bool asArgument = false; ///< as in Flow; otherwise on standard input
};

/// A stretch of code in another language that a program is given (`python3 -c`, `awk`, `node -e`, `perl -e`, here-doc
/// into an interpreter). Rules of kind `code` look at it.
struct EmbeddedCode {
    std::string language; ///< python, node, perl, ruby, php, lua, awk, sed
    Value text;
    std::uint32_t invocation = 0;
    Span span;
};

/// Something that constants do not tell.
struct DynamicNote {
    DynamicReason reason = DynamicReason::Program;
    Span span;
    std::string detail; ///< the word or program concerned, as written
};

/// Constructs that are a finding by themselves.
enum class Construct {
    ForkBomb, ///< a function that starts itself twice in the background or in a pipe
    EvalUnknown, ///< eval / sh -c / source of text that is not known
    HiddenCharacter, ///< a bidi, zero-width or control character outside quotes
    BeyondLimits, ///< something runs behind the place where depth, steps or number of programs ended the reading
};
struct ConstructUse {
    Construct construct = Construct::EvalUnknown;
    Span span;
    std::string detail;
};

struct Evaluation {
    std::string cwd; ///< of the context: where the command starts
    std::vector<Invocation> invocations;
    std::vector<Flow> flows;
    std::vector<FileFlow> fileFlows;
    std::vector<Assignment> assignments; ///< assignments to shell variables that stay (`x=1`, `export X=1`)
    /// Redirections of no single program: `> file`, `{ …; } > file`, `done < file`.
    std::vector<Redirection> redirections;
    std::vector<EmbeddedCode> code;
    std::vector<DynamicNote> dynamic;
    std::vector<ConstructUse> constructs;
    std::uint64_t steps = 0;
};

/// What the evaluator is told of the place where the text will run.
struct EvaluationContext {
    /// `Sh` is dash or another plain POSIX shell. Where /bin/sh may be something else (bash, busybox), `dialectUnknown`
    /// has to be set; `sh` inside the text is always taken so.
    Dialect dialect = Dialect::Bash;
    bool dialectUnknown = false; ///< evaluate nested and top text in both dialects, strictest wins
    std::string cwd; ///< absolute directory in which the command starts
    std::map<std::string, std::string, std::less<>> variables; ///< the environment that the plan gives the command
};

struct EvaluationLimits {
    std::uint32_t nesting = 100;
    std::uint64_t steps = 8'000'000;
    std::uint32_t invocations = 20'000;
    std::uint32_t valueBytes = 256 * 1024;
};

/// Whether the bytes `text` can be what this value stands for at run time, by its glob characters. Gaps match nothing.
[[nodiscard]] bool patternCanBe(const Value &value, std::string_view text);

/// Reads and evaluates a whole command. Total, pure, deterministic; past a limit the rest is `dynamic: budget`.
[[nodiscard]] Evaluation evaluate(std::string_view text, const EvaluationContext &context,
                                  const EvaluationLimits &limits = {});

} // namespace portcullis::shell
