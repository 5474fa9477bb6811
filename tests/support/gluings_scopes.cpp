// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gluings_pieces.h"

#include <array>

namespace portcullis::test {

namespace {

/// Which variable a name means: functions with variables of their own over one another, references, bad names.
constexpr auto scopes = std::to_array<std::string_view>({
    "f() { local <:variable:>=<:value:>; g <:value:>; <:use:>; }",
    "f() { local <:variable:>; <:scope:>; <:use:>; }; f <:value:>",
    "f() { <:scope:>; <:scope:>; }; f <:variable:>",
    "g() { unset <:variable:>; <:use:>; }",
    "g() { unset x; x=<:value:>; }",
    "g() { local -n z=$1; z=<:value:>; }; g <:variable:>",
    "g() { local <:variable:>=<:value:>; unset <:variable:>; f; <:use:>; }",
    "h() { unset x y; }; f() { local x=<:value:>; h; <:use:>; }; f",
    "h() { unset x; }; f() { local x=<:value:>; <:condition:> && h; <:use:>; }; f; <:use:>",
    "h() { unset x; }; f() { local x=<:value:>; (h); <:use:>; }; f",
    "h() { unset x; x=<:value:>; }; f() { local x=ls; h; }; f; <:use:>",
    "h() { <:use:>; }; f() { local x=<:value:>; h; unset x; h; }; f",
    "f() { unset x; <:use:>; x=<:value:>; }; x=<:value:> f; <:use:>",
    "f() { local x; <:use:>; }; x=<:value:> f",
    "x=<:value:> eval 'unset x; <:plain:>'",
    "f() { local -I x; <:use:>; }; f",
    "f() { local -I x=<:value:>; g; }; f",
    "f() { local x=ls; declare -g x=<:value:>; <:use:>; }; f",
    "f() { local x=ls; declare -g x+=<:value:>; unset x; <:use:>; }; f",
    "f() { declare -ga a=(ls <:value:>); local a=ls; }; f",
    "f() { local -A a=([1]=<:value:>); <:use:>; }; f",
    "f() { local a=(ls <:value:>); <:use:>; }; f",
    "declare -n z=<:reference:>",
    "declare -n z=<:reference:>; z=<:value:>; <:use:>",
    "declare -n z=<:reference:> y=z; y=<:value:>",
    "declare -n z=<:reference:>; unset z; <:use:>",
    "declare -n z=<:reference:>; unset -n z; z=<:value:>",
    "declare -n z=<:reference:>; z=(<:value:> <:value:>)",
    "declare -n z=<:reference:>; z[1]=<:value:>",
    "declare -n z=<:reference:>; z+=<:value:>",
    "declare -n z=<:reference:>; declare z=<:value:>",
    "declare -n z=<:reference:>; export z; sh -c '$x id'",
    "declare -n z=<:reference:>; : ${z:=<:value:>}",
    "declare -n z=<:reference:>; for z in x y; do :; done; y=<:value:>; <:use:>",
    "declare -n z=<:reference:>; for z in <:value:> <:value:>; do <:use:>; done",
    "declare -n z=<:reference:>; select z in <:value:> ls; do break; done <<< 1",
    "declare -n z=<:reference:>; read z <<< <:value:>",
    "declare -n z=<:reference:>; mapfile -t z <<< <:value:>",
    "declare -n z=<:reference:>; printf -v z %s <:value:>",
    "declare -n z=<:reference:>; printf -v 'z[1]' %s <:value:>",
    "declare -n z=<:reference:>; <:condition:> && declare -n z=y; z=<:value:>",
    "if <:condition:>; then declare -n z=<:reference:>; else z=<:value:>; fi; z=<:value:>",
    "z=<:reference:>; declare -n z; z=<:value:>",
    "declare +n z",
    "declare +n z; z=<:value:>",
    "declare -n z; z=<:reference:>; z=<:value:>",
    "local -n z=<:reference:>",
    "for i in x y; do declare -n z=$i; z=<:value:>; done",
    "<:condition:> && local -n z=<:reference:>; read z <<< <:value:>",
    "f() { local -n z=x; local x=<:value:>; $z id; }; f",
    "f() { local -n x=$1; x=<:value:>; }; f <:variable:>",
    "f() { local -n p=$1 q=$2; local t=$p; p=$q; q=$t; }; f x y; <:use:>",
    "read <:bad:> x <<< 'a <:value:>'",
    "read x <:bad:> y <<< \"<:value:> ls sudo\"",
    "read -a <:bad:> <<< <:value:>",
    "printf -v <:bad:> %s <:value:>",
    "mapfile -t <:bad:> <<< <:value:>",
    "getopts a <:bad:> -a; <:use:>",
    "unset <:bad:> x",
    "declare <:bad:>=1 x=<:value:>",
    "export <:bad:>=1 x=<:value:>",
    "readonly -f f; f() { <:use:>; }; f",
    "f() { <:use:>; }; readonly -f f; f() { :; }; f",
    "f() { <:use:>; }; readonly -f f; unset -f f; f",
    "exec {x}</dev/null; ${x:+sudo} id",
    "true & wait -n -p x; <:use:>",
    "coproc C { :; }; ${C_PID:+<:value:>} id",
    "declare +x x; sh -c '${x:-sudo} id'",
    "shopt -s localvar_unset; f() { local x=<:value:>; h; <:use:>; }; h() { unset x; }; f",
    "<:use:>",
});

constexpr auto references = std::to_array<std::string_view>(
    {"x", "y", "a", "'a[1]'", "'a[i]'", "m", "'m[k]'", "z", "$x", "1x", "''", "q", "'a[@]'"});

constexpr auto bad = std::to_array<std::string_view>(
    {"1x", "'x['", "'x[]'", "'a[0'", "'a[0]y'", "'a[1]'", "''", "x-y", "$x", "'a[[0]]'", "'a[0]]'"});

} // namespace

std::span<const std::string_view> scopePieces(std::string_view name)
{
    if (name == "scope")
        return scopes;
    if (name == "reference")
        return references;
    if (name == "bad")
        return bad;
    return {};
}

} // namespace portcullis::test
