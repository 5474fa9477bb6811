// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an evaluation carries along: texts, functions, streams, and the program about to be started. Private to
// runner/shell.

#include "runner/shell/ast.h"
#include "runner/shell/evaluation.h"
#include "runner/shell/gapped.h"
#include "runner/shell/reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portcullis::shell {

/// Where a text that is read stands in the raw command.
struct TextSource {
    std::string_view text;
    bool exact = false; ///< byte i of the text is byte `base + i` of the raw command
    std::uint32_t base = 0;
    Span whole; ///< otherwise: what everything in it is attributed to
    bool marked = false; ///< unknownByte in it stands for unknown bytes

    [[nodiscard]] Span map(Span span) const { return exact ? Span{base + span.start, span.length} : whole; }
};

/// Stands for unknown bytes in a text that is read again.
inline constexpr char unknownByte = '\x01';

/// A text that was read; kept until the end because functions point into it.
struct ReadText {
    std::string text;
    Reading reading;
    TextSource source;
    Dialect dialect = Dialect::Bash;
    std::vector<std::uint32_t> sources; ///< invocations that made the unknown bytes
};

struct Alias {
    Choices texts; ///< the newest first
    bool perhaps = false; ///< or the word is none
};
using Aliases = std::map<std::string, Alias, std::less<>>;

struct Function {
    const Command *body = nullptr;
    const ReadText *text = nullptr;
    std::shared_ptr<const Aliases> aliases; ///< of the time when it was read
    std::uint32_t level = 0;
    bool exported = false;
    bool certain = true; ///< defined on every way that leads here
    bool called = false;
    std::uint32_t active = 0;
};

/// What a stretch of script writes to its standard output.
struct Sink {
    Choices text{Gapped()};
    std::vector<std::uint32_t> producers;
};

/// What a stretch of script reads from its standard input.
struct Input {
    Choices text{Gapped()};
    std::vector<std::uint32_t> producers; ///< programs
    std::uint32_t file = noSource; ///< the file that it is

    /// What made its unknown bytes.
    [[nodiscard]] std::uint32_t source() const { return producers.empty() ? file : producers.back(); }
};

struct Positional {
    Gapped zero; ///< $0; empty: the shell's own name
    std::vector<Gapped> values;
    bool openEnded = false; ///< more may follow

    friend bool operator==(const Positional &, const Positional &) = default;
};

/// Parameters of which nothing is known.
[[nodiscard]] inline std::shared_ptr<const std::vector<Positional>> anyParameters()
{
    Positional any;
    any.openEnded = true;
    return std::make_shared<const std::vector<Positional>>(1, std::move(any));
}

/// What `declare` and its like give a variable.
struct Attributes {
    bool exported = false;
    bool local = false;
    bool integer = false;
    bool reference = false;
    bool fixed = false;
    bool array = false;
    bool associative = false;
    char fold = 0; ///< as in Variable
    bool global = false;
    bool inherits = false;
    bool functions = false;
    std::string taken; ///< letters behind a `+`
};

/// What a subshell gets a copy of and a branch joins, apart from variables.
struct ShellState {
    enum class Ended { No, Return, Exit };
    std::shared_ptr<const std::vector<std::optional<std::string>>> cwds;
    std::shared_ptr<const std::vector<Positional>> positional;
    Ended ended = Ended::No;
};

/// A program about to be started: words after expansion and what goes with them.
struct Run {
    std::vector<Field> words;
    std::vector<Assignment> assigns;
    std::vector<Redirection> redirects;
    Span span;
    bool noFunctions = false;
    bool noBuiltins = false;
    bool fromInterpreter = false;
    bool guessed = false;
    bool hidesOutput = false; ///< standard output goes elsewhere
    bool hasStdin = false; ///< a redirection of standard input (in `stdinText`)
    Input stdinText;
    bool stdinFile = false; ///< … and it is a file
    std::size_t pending = 0; ///< >(…) of this command are those from here on
    const Command *command = nullptr; ///< as written, for aliases; null after a launcher
};

} // namespace portcullis::shell
