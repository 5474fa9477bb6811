// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/launcher_table.h"

namespace portcullis::shell {

void addLooseInterpreters(std::vector<Interpreter> &table)
{
    using Operand = Interpreter::Operand;
    const auto add = [&](std::string_view name, std::string_view language, std::vector<std::string_view> options) {
        table.push_back({.name = name, .language = language, .codeOptions = std::move(options)});
    };
    table.push_back(
        {.name = "R", .language = "r", .codeOptions = {"-e"}, .scriptOptions = {"-f"}, .operand = Operand::None});
    add("Rscript", "r", {"-e"});
    add("julia", "julia", {"-e", "--eval", "-E", "--print"});
    add("osascript", "applescript", {"-e"});
    for (const std::string_view name : {"octave", "octave-cli"})
        add(name, "octave", {"--eval"});
    for (const std::string_view name : {"groovy", "kotlin", "scala", "amm"})
        add(name, "groovy", {"-e"});
    add("jshell", "java", {});
    for (const std::string_view name : {"elixir", "iex"})
        add(name, "beam", {"-e", "--eval", "--rpc-eval"});
    add("erl", "beam", {"-eval", "-run"});
    add("mix", "beam", {"-e", "--eval"});
    for (const std::string_view name : {"ghc", "ghci", "runghc", "runhaskell"})
        add(name, "haskell", {"-e"});
    for (const std::string_view name : {"ocaml", "utop"})
        add(name, "ocaml", {"-e"});
    add("swift", "swift", {"-e"});
    add("nim", "nim", {"--eval"});
    for (const std::string_view name : {"guile", "csi", "gsi", "gosh", "chibi-scheme"})
        add(name, "lisp", {"-c", "-e", "-p"});
    for (const std::string_view name : {"racket", "sbcl", "ecl", "ccl", "clisp", "abcl", "janet", "fennel", "chez"})
        add(name, "lisp", {"-e", "--eval", "-eval", "-x"});
    for (const std::string_view name : {"clojure", "clj", "lumo", "planck"})
        add(name, "clojure", {"-e", "--eval", "-M:e"});
    table.push_back({.name = "bb", .language = "clojure", .codeOptions = {"-e", "--eval"}, .operand = Operand::Code});
    for (const std::string_view name : {"raku", "perl6"})
        add(name, "raku", {"-e"});
    table.push_back(
        {.name = "crystal", .language = "crystal", .verbs = {"eval"}, .operand = Operand::None, .stdinCode = false});
    table.push_back({.name = "flask", .language = "python", .operand = Operand::None});
    table.push_back(
        {.name = "django-admin", .language = "python", .codeOptions = {"-c", "--command"}, .operand = Operand::None});
    table.push_back({.name = "rails", .language = "ruby", .verbs = {"runner", "r"}, .operand = Operand::None});
    for (const std::string_view name : {"swipl", "yap", "gprolog"})
        add(name, "prolog", {"-g", "-t", "--query-goal"});
}

} // namespace portcullis::shell
