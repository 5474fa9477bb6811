// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the evaluator knows of programs by name: which are run by the shell itself, which start another program, which
// take code, and which take nothing but data.

#include "runner/base/vocabulary.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace portcullis::shell {

enum class Builtin {
    None,
    Other, ///< known to shells, without effect on what runs
    Echo,
    Printf,
    Test,
    Cd,
    Pushd,
    Popd,
    Eval,
    Source,
    Exec,
    Exit,
    Return,
    Set,
    Shift,
    Shopt,
    Alias,
    Unalias,
    Trap,
    Declare, ///< declare, typeset
    Local,
    Export,
    Readonly,
    Unset,
    Read,
    Mapfile,
    Getopts,
    Hash,
    Complete, ///< complete, compgen
    Let,
    Command,
    BuiltinWord
};

/// A program that starts the command given in its arguments.
struct Launcher {
    enum class Kind {
        Words, ///< options, `skip` operands, then the command
        Text, ///< options, then words that are joined and given to a shell
        EachText, ///< each operand is a text for a shell
        Find,
        Xargs,
        Parallel,
        Git,
        Applet, ///< busybox: the first operand is the program
        Loader, ///< ld.so: the first operand is the program file
        OptionsOnly, ///< `textOptions`; without one of them, what stands behind `skip` operands when `skip` is not 0
        Behind, ///< the command stands behind the first word of `behind` (`gdb --args`)
        Tmux,
        Screen,
        CMake ///< `cmake -E`: a tool of its own or a launcher
    };
    std::string_view name{};
    Kind kind = Kind::Words;
    unsigned skip = 0;
    bool assignments = false; ///< NAME=value operands before the command
    std::vector<std::string_view> verbs{}; ///< the first operand must be one of these (`poetry run`)
    std::vector<std::string_view> textOptions{}; ///< options whose value is a text for a shell
    /// Options without a value with which the operands are joined to a text for a shell (`entr -s`).
    std::vector<std::string_view> textFlags{};
    std::vector<std::string_view> valueOptions{}; ///< other options with a value, beside those of the option table
    std::vector<std::string_view> behind{};
    std::vector<std::string_view> idleOptions{}; ///< with one of these nothing is started (`chrt -p`)
};

/// A program that takes code of a language of its own.
struct Interpreter {
    enum class Operand { Script, Code, None };
    std::string_view name{};
    std::string_view language;
    std::vector<std::string_view> codeOptions{}; ///< their value is code
    std::vector<std::string_view> verbs{}; ///< the operand behind one of these is code (`deno eval`)
    std::vector<std::string_view> scriptOptions{}; ///< their value names code elsewhere: `-f`, `-m`
    std::vector<std::string_view> moduleOptions{}; ///< their value names a module to load first: `-r`, `-M`
    Operand operand = Operand::Script; ///< what the first operand is when no code option was given
    bool stdinCode = true; ///< without an operand, standard input is code
};

struct ProgramInfo {
    Builtin builtin = Builtin::None;
    const Launcher *launcher = nullptr;
    const Interpreter *interpreter = nullptr;
    bool shell = false;
    std::optional<Dialect> dialect; ///< of a shell; nothing when neither reading fits for sure
    bool data = false; ///< arguments are data, never programs
    bool wellKnown = false; ///< its name as an argument of an unknown program may be run by it
    bool runsScript = false; ///< runs code from files that the text does not show
};

/// What is known of a base name, or null.
[[nodiscard]] const ProgramInfo *programInfo(std::string_view name);
/// `python3.11` → `python`, `gcc-14` → `gcc`: without a version, for programs that carry one.
[[nodiscard]] std::string_view withoutVersion(std::string_view name);
/// All names with `wellKnown`, ascending.
[[nodiscard]] std::span<const std::string_view> wellKnownPrograms();

} // namespace portcullis::shell
