// SPDX-License-Identifier: Apache-2.0

// Bash manual, 4.1 to 4.3; dash(1).

#include "runner/shell/builtin_options.h"

#include <algorithm>

namespace portcullis::shell {

bool BuiltinOptions::has(char letter) const
{
    return std::ranges::contains(given, letter, &BuiltinOption::letter);
}

const Field *BuiltinOptions::value(char letter) const
{
    const Field *found = nullptr;
    for (const BuiltinOption &option : given) {
        if (option.letter == letter && option.value)
            found = &*option.value;
    }
    return found;
}

BuiltinOptions builtinOptions(std::span<const Field> words, std::string_view flags, std::string_view valued)
{
    BuiltinOptions result;
    for (std::size_t i = 1; i < words.size(); result.operand = ++i) {
        const Value &word = words[i].value;
        const bool dash = !word.text.empty() && (word.text[0] == '-' || word.text[0] == '+');
        if (!word.known() && (dash || word.gaps.front() == 0)) {
            result.unsure = true;
            if (!dash)
                return result;
        }
        if (!dash || word.text.size() < 2)
            return result;
        if (word.text == "--") {
            ++result.operand;
            return result;
        }
        for (std::size_t at = 1; at < word.text.size(); ++at) {
            BuiltinOption option{.letter = word.text[at], .plus = word.text[0] == '+', .value = {}};
            if (valued.contains(option.letter)) {
                const bool glued = at + 1 < word.text.size();
                if (glued)
                    option.value = words[i].from(at + 1);
                else if (i + 1 < words.size())
                    option.value = words[++i];
                at = glued ? word.text.size() : at;
            } else if (!flags.contains(option.letter)) {
                result.unsure = true;
            }
            const bool valueTaken = option.value.has_value();
            result.given.push_back(std::move(option));
            if (valueTaken)
                break;
        }
    }
    return result;
}

bool mayRefuseOptions(Builtin builtin, std::span<const Field> words, Dialect dialect)
{
    const bool bash = dialect == Dialect::Bash;
    const auto unsure = [&](std::string_view flags, std::string_view valued = {}) {
        return builtinOptions(words, flags, valued).unsure;
    };
    switch (builtin) {
    case Builtin::Declare: // -p and -F show
        return !bash || unsure("aAfgiIlnrtucx");
    case Builtin::Local:
        return unsure(bash ? "aAgiIlnrtucx" : "");
    case Builtin::Export:
        return unsure(bash ? "fn" : "");
    case Builtin::Readonly:
        return unsure(bash ? "aAf" : "");
    case Builtin::Unset:
        return unsure(bash ? "fnv" : "fv");
    case Builtin::Read:
        return bash ? unsure("ersE", "adinNptu") : unsure("r", "p");
    case Builtin::Mapfile:
        return !bash || unsure("t", "duCcnOs");
    case Builtin::Cd:
        return unsure(bash ? "LPe@" : "LP");
    case Builtin::Set:
        return unsure("abefhkmnptuvxBCEHPTVI", "o");
    case Builtin::Printf:
        return !bash && words.size() > 1 && words[1].value.text.starts_with("-v");
    default:
        return false;
    }
}

} // namespace portcullis::shell
