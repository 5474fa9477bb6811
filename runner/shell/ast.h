// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree that the shell reader makes of a text. Everything is a value; the tree owns its nodes. Texts are decoded
// bytes (quotes and backslashes removed), spans are byte offsets into the text that was read.
//
// Grammar: POSIX.1-2024, Shell Command Language (2.10), and the bash 5.2 manual for the bash dialect.

#include "runner/base/span.h"
#include "runner/base/vocabulary.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace portcullis::shell {

struct Script;
struct Parameter;

/// One piece of a word. Pieces stand in source order; their concatenation is the word.
struct Piece {
    enum class Kind {
        Text, ///< `text`; when not `quoted`, globs, braces and tilde in it are still active
        Parameter, ///< `parameter`: $x, ${x…}
        CommandSub, ///< `script`: $(…), `…`, ${ …; } and ${| …; }
        ProcessIn, ///< `script`: <(…)  (its output is read)
        ProcessOut, ///< `script`: >(…)
        Arithmetic, ///< $((…)) and $[…]; `text` is the raw expression, `operands` its pieces, expansions included
        ExtGlob ///< bash ?(…) *(…) +(…) @(…) !(…); `text` is the raw pattern with opener, `operands` its pieces
    };
    Kind kind = Kind::Text;
    bool quoted = false; ///< inside quotes or escaped: no field splitting, no globbing, no brace or tilde expansion
    Span span;
    std::string text;
    std::unique_ptr<Parameter> parameter;
    std::unique_ptr<Script> script;
    std::vector<Piece> operands;
};

/// A word as written; an empty quoted string is one quoted Text piece with empty text.
struct Word {
    Span span;
    std::vector<Piece> pieces;
};

/// A parameter expansion.
struct Parameter {
    std::string name; ///< variable name, a digit sequence, or one of @ * # ? - $ ! _
    bool length = false; ///< ${#x}
    bool indirect = false; ///< ${!x}, ${!x@}, ${!x*}, ${!x[@]}
    bool subscripted = false;
    Word subscript; ///< ${x[subscript]}, its expansions included
    /// Operator: "" or one of  :- - := = :? ? :+ +  # ## % %%  / // /# /%  ^ ^^ , ,,  : (substring)  @ (transform)
    /// With op "" and a non-empty operand, or an empty name, the shell says "bad substitution" when it gets there.
    std::string op;
    Word operand; ///< default, pattern, offset or transform letter
    Word second; ///< replacement, length
    bool hasSecond = false;
};

/// `name=value`, `name+=value`, `name[i]=value`, `name=(…)` before a command word or as an argument of `declare`.
struct Assign {
    Span span;
    std::string name;
    bool append = false;
    bool subscripted = false;
    Word subscript;
    bool array = false;
    Word value;
    std::vector<Word> elements; ///< of an array literal; `[k]=v` elements are kept as words
};

struct Redirect {
    Span span;
    /// Operator: < > >> >| <> <& >& &> &>> << <<- <<<
    std::string op;
    std::string fd; ///< digits or `{name}` before the operator, else empty
    Word target; ///< file, descriptor or here-string word; for a here-document its decoded delimiter
    bool bodyQuoted = false; ///< here-document: delimiter was quoted, the body is literal
    /// Here-documents only, else null: the body with its expansions; all its Text pieces are quoted. Tabs that `<<-`
    /// removes and joined lines are gone. (Behind a pointer because the body is read after the command was.)
    std::unique_ptr<Word> body;
};

struct Command {
    enum class Kind {
        Simple,
        Group, ///< { …; }
        Subshell, ///< ( … )
        If, ///< bodies: condition, then, condition, then, …, [else]; `hasElse`
        While, ///< bodies: condition, body
        Until,
        For, ///< `name`, `words`, bodies[0]; `hasWords` false means "$@"
        ForArith, ///< `words[0]` is one Arithmetic piece, the header `a; b; c`; bodies[0]
        Select,
        Case, ///< `words[0]` is the subject; `cases`
        Function, ///< `name`, bodies[0] (one command, which has the function's redirections)
        Test, ///< [[ … ]]: `words` are all its operands and operators
        Arith, ///< (( … )): `words[0]` is one Arithmetic piece
        Coproc ///< bodies[0]; `name` when given
    };
    struct Case {
        std::vector<Word> patterns;
        std::unique_ptr<Script> body;
        std::string terminator; ///< ;; ;& ;;& or empty at the end
    };
    struct AssignArg {
        std::uint32_t index = 0; ///< into `words`; the word there is the raw spelling of the name
        Assign assign;
    };
    Kind kind = Kind::Simple;
    Span span;
    std::vector<Assign> assigns; ///< Simple: before the command word
    std::vector<Word> words;
    /// Simple, bash: arguments of declare/typeset/local/export/readonly that are assignments with arrays.
    std::vector<AssignArg> assignArgs;
    std::vector<Redirect> redirects;
    std::string name;
    bool hasWords = false;
    bool hasElse = false;
    std::vector<std::unique_ptr<Script>> bodies;
    std::vector<Case> cases;
};

/// May have no commands at all: `!` or `time` alone.
struct Pipeline {
    Span span;
    bool negated = false;
    bool timed = false;
    std::vector<Command> commands;
    std::vector<bool> pipesStderr; ///< per joint: |& instead of |
};

/// Pipelines joined by && and ||, closed by ; & or a newline.
struct AndOr {
    Span span;
    std::vector<Pipeline> pipelines;
    std::vector<bool> isAnd; ///< per joint: && (true) or || (false)
    bool background = false;
    /// Number of the complete command (line) that this belongs to, ascending from 0 within its Script. A shell reads a
    /// whole complete command, then runs it, then reads the next: an alias holds from the next one on.
    std::uint32_t unit = 0;
};

/// A list of commands in source order.
struct Script {
    Span span;
    std::vector<AndOr> lists;
};

} // namespace portcullis::shell
