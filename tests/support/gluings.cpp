// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gluings.h"

#include "tests/support/gluings_pieces.h"

#include <algorithm>
#include <array>
#include <span>

namespace portcullis::test {

namespace {

using Pieces = std::span<const std::string_view>;

// In all of them `<:name:>` stands for one of the pieces called so. The first of each list ends a text that is deep.

constexpr auto variables = std::to_array<std::string_view>({"x", "y", "x", "z"});

constexpr auto values = std::to_array<std::string_view>(
    {"sudo",     "sudo",       "ls",        "'sudo'",       "\"sudo\"",      "$'sudo'",    "$'\\x73udo'", "su\"\"do",
     "s\\udo",   "'s\\udo'",   "xsudo",     "sudox",        "SUDO",          "Sudo",       "'ls sudo'",   "'sudo id'",
     "' sudo'",  "ls:sudo",    "$y",        "\"$x\"",       "${y}",          "${x:-sudo}", "${y:+sudo}",  "${x-ls}",
     "${y#x}",   "\"${x%x}\"", "${x//l/s}", "${x/#l/s}",    "${x/%/o}",      "${x,,}",     "${y^^}",      "${x:1}",
     "${x:0:4}", "${a[0]}",    "${a[1]}",   "$(echo sudo)", "`printf sudo`", "${!y}",      "$1",          "{su,l}do"});

constexpr auto conditions = std::to_array<std::string_view>(
    {"true", "false", ":", "[ $x = sudo ]", "[ -n \"$y\" ]", "[[ $x == s* ]]", "[[ <:value:> =~ (s.*) ]]", "! true",
     "((i > 0))", "test -z $z", "cd /nope", "cd .", "read z <<< <:value:>", "unset -z x", "x=<:value:>", "shift"});

constexpr auto redirections =
    std::to_array<std::string_view>({">/dev/null", ">/nope/x", "</nope/x", "2>/dev/null", "<<< <:value:>", ">s", ">>s",
                                     "<s", "3<<< <:value:>", ">&2", "<&-", ">/dev/null 2>&1"});

constexpr auto targets = std::to_array<std::string_view>({"x", "y", "a", "'a[1]'", "x", "z", "REPLY", "m"});

constexpr auto changes = std::to_array<std::string_view>({"<:variable:>=<:value:>",
                                                          "<:variable:>=<:value:>",
                                                          "<:variable:>=<:value:>",
                                                          "x=<:value:> y=<:value:>",
                                                          "<:variable:>+=<:value:>",
                                                          "export <:variable:>=<:value:>",
                                                          "readonly <:variable:>=<:value:>",
                                                          "declare <:variable:>=<:value:>",
                                                          "declare -l <:variable:>=<:value:>",
                                                          "declare -u <:variable:>=<:value:>",
                                                          "declare -c <:variable:>=<:value:>",
                                                          "declare -l x",
                                                          "declare +l x",
                                                          "declare -i <:variable:>=<:value:>",
                                                          "declare -n z=x",
                                                          "declare -n y='a[1]'",
                                                          "typeset -r <:variable:>=<:value:>",
                                                          "declare -a a='(<:value:> sudo)'",
                                                          "declare 'a[1]=<:value:>'",
                                                          "unset <:variable:>",
                                                          "unset -f <:variable:>",
                                                          "unset -n z",
                                                          "unset 'a[0]'",
                                                          "printf -v <:target:> %s <:value:>",
                                                          "printf -v <:target:> '%.4s' <:value:>",
                                                          "read <:target:> <<< <:value:>",
                                                          "read -r <:target:> <<< <:value:>",
                                                          "read x y <<< \"<:variable:> <:value:>\"",
                                                          "IFS=: read x y <<< ls:sudo",
                                                          "read -n <:number:> <:target:> <<< <:value:>",
                                                          "read -N 4 <:target:> <<< <:value:>",
                                                          "read -d x <:target:> <<< <:value:>",
                                                          "read -t 1 <:target:> <<< <:value:>",
                                                          "read -a a <<< \"ls <:value:>\"",
                                                          "read -ra a <<< 'ls sudo'",
                                                          "mapfile -t a <<< <:value:>",
                                                          "mapfile -t -n<:number:> a <<< $'ls\\nsudo\\nid'",
                                                          "mapfile -t -s <:number:> a <<< $'ls\\nsudo\\nid'",
                                                          "mapfile -t -O <:number:> a <<< <:value:>",
                                                          "mapfile -td : a <<< ls:sudo:id",
                                                          "a=(<:value:> <:value:>)",
                                                          "a=([1]=<:value:> <:value:>)",
                                                          "a+=(<:value:>)",
                                                          "a[<:number:>]=<:value:>",
                                                          "a[-1]=<:value:>",
                                                          "declare -A m=([k]=<:value:>)",
                                                          "declare -A m=(k <:value:>)",
                                                          "m[k]=<:value:>",
                                                          "m+=([k]=<:value:>)",
                                                          "set -- <:value:> <:value:>",
                                                          "set -- $x",
                                                          "set - <:value:>",
                                                          "set -u",
                                                          "shift",
                                                          "shift <:number:>",
                                                          "f() { <:statement:>; }",
                                                          "f() { local x=<:value:>; <:use:>; }",
                                                          "f() { <:use:>; }",
                                                          "f() { x=$1; return; x=ls; }",
                                                          "function g { <:statement:>; <:use:>; }",
                                                          "alias <:variable:>=<:value:>",
                                                          "shopt -s extglob",
                                                          "shopt -s nocasematch",
                                                          "shopt -s lastpipe",
                                                          "IFS=<:value:>",
                                                          "IFS=",
                                                          "((i = <:number:>))",
                                                          "let i+=1",
                                                          "i=$((i + 1))",
                                                          ": ${<:variable:>:=<:value:>}",
                                                          ": ${a[1]:=<:value:>}",
                                                          "printf '%s id\\n' <:value:> > s",
                                                          "echo <:value:> | read x",
                                                          "getopts a: o -a <:value:>"});

constexpr auto compounds =
    std::to_array<std::string_view>({"<:change:>",
                                     "<:change:>",
                                     "<:change:>",
                                     "<:change:> <:redirection:>",
                                     "{ <:statement:>; } <:redirection:>",
                                     "{ <:statement:>; <:statement:>; }",
                                     "( <:statement:> )",
                                     "if <:condition:>; then <:statement:>; else <:statement:>; fi",
                                     "if <:condition:>; then <:statement:>; fi <:redirection:>",
                                     "case <:value:> in s*) <:statement:>;; *) <:statement:>;; esac",
                                     "case <:value:> in (ls) <:statement:>;& sudo) <:statement:>;; esac",
                                     "for x in <:value:> <:value:>; do <:statement:>; done",
                                     "for x in <:value:> <:value:>; do <:use:>; done",
                                     "for x; do <:use:>; done",
                                     "for ((i = 0; i < 2; i++)); do <:statement:>; done",
                                     "for i in 0 1 2; do ${a[i]} id; done",
                                     "for i in 1 2; do <:use:>; x=$y; y=$z; done",
                                     "while read y; do <:use:>; done <<< <:value:>",
                                     "while read -r x; do <:statement:>; done < <(echo <:value:>)",
                                     "echo <:value:> | while read x; do <:use:>; done",
                                     "<:condition:> && <:statement:>",
                                     "<:condition:> || <:statement:>",
                                     "<:condition:> && <:statement:> || <:statement:>",
                                     "eval '<:plain:>'",
                                     "eval \"x=<:value:>\"",
                                     "trap '<:plain:>' EXIT",
                                     "f <:value:>",
                                     "f <:value:> <:redirection:>",
                                     "<:variable:>=<:value:> f <:value:>",
                                     "<:use:>"});

/// Without single quotes, to stand inside of them.
constexpr auto plains = std::to_array<std::string_view>({"$x id", "x=sudo", "x=ls", "$1 id", "${a[1]} id", "shift",
                                                         "unset x", "set -- sudo", "f sudo", "x=$y; $x id", "exit",
                                                         "return", "${x#x} id", "readonly x"});

constexpr auto uses = std::to_array<std::string_view>({"$x id",
                                                       "$x id",
                                                       "$y id",
                                                       "$z id",
                                                       "\"$x\" id",
                                                       "\"$y\"",
                                                       "$x",
                                                       "${a[0]} id",
                                                       "${a[1]} id",
                                                       "$a id",
                                                       "${a[-1]} id",
                                                       "\"${a[@]}\"",
                                                       "${a[*]:1}",
                                                       "${a[i]} id",
                                                       "${m[k]} id",
                                                       "$1 id",
                                                       "$2 id",
                                                       "$*",
                                                       "\"$@\"",
                                                       "\"${@:2}\"",
                                                       "${!#} id",
                                                       "${!x} id",
                                                       "${x:-sudo} id",
                                                       "${x:+$y} id",
                                                       "${x:=sudo} id",
                                                       "${x#x} id",
                                                       "${x%x} id",
                                                       "${x##*:} id",
                                                       "${x%%:*} id",
                                                       "${x#+(x)} id",
                                                       "${x/l/s} id",
                                                       "${x/x} id",
                                                       "${x//[lx]/} id",
                                                       "${x/#/s} id",
                                                       "${x/%x/} id",
                                                       "${x/ud/&} id",
                                                       "${x,,} id",
                                                       "${x,} id",
                                                       "${x~~} id",
                                                       "${x@L} id",
                                                       "${x:1} id",
                                                       "${x:0:4} id",
                                                       "su${x#su}",
                                                       "$REPLY id",
                                                       "$_ id",
                                                       "${MAPFILE[0]} id",
                                                       "${BASH_REMATCH[1]} id",
                                                       "eval $x id",
                                                       "eval \"\\$x id\"",
                                                       "sh -c \"$x id\"",
                                                       "bash -c '$x id'",
                                                       "bash -c '$0 id' $x",
                                                       "echo \"$x\" | sh",
                                                       "command $x id",
                                                       "env $x id",
                                                       "bash <<< \"$x id\"",
                                                       "$(echo $x) id",
                                                       ". ./s"});

constexpr auto numbers = std::to_array<std::string_view>({"1", "0", "2", "4"});

Pieces piecesOf(std::string_view name)
{
    if (name == "variable")
        return variables;
    if (name == "value")
        return values;
    if (name == "condition")
        return conditions;
    if (name == "redirection")
        return redirections;
    if (name == "target")
        return targets;
    if (name == "change")
        return changes;
    if (name == "statement")
        return compounds;
    if (name == "plain")
        return plains;
    if (name == "use")
        return uses;
    if (name == "number")
        return numbers;
    return {};
}

} // namespace

std::string Gluings::made(std::string_view piece, unsigned depth)
{
    constexpr unsigned deepest = 5;
    const Pieces some = piecesOf(piece);
    const Pieces more = morePieces(piece);
    const bool others = some.empty() || (!more.empty() && below(3) == 0);
    const Pieces pieces = others ? more : some;
    return filled(depth > deepest ? pieces.front() : pieces[below(pieces.size())], depth);
}

std::string Gluings::filled(std::string_view pattern, unsigned depth)
{
    std::string text;
    while (!pattern.empty()) {
        const std::size_t open = std::min(pattern.find("<:"), pattern.size());
        text += pattern.substr(0, open);
        if (open == pattern.size())
            break;
        const std::size_t close = pattern.find(":>", open);
        text += made(pattern.substr(open + 2, close - open - 2), depth + 1);
        pattern.remove_prefix(close + 2);
    }
    return text;
}

std::vector<std::string> Gluings::next()
{
    std::vector<std::string> statements;
    const std::size_t count = 1 + below(6);
    for (std::size_t i = 0; i < count; ++i)
        statements.push_back(made("line", 0));
    statements.push_back(made("use", 0));
    return statements;
}

std::string Gluings::joined(const std::vector<std::string> &statements)
{
    std::string text;
    for (const std::string &statement : statements)
        text += statement + "\n";
    return text;
}

} // namespace portcullis::test
