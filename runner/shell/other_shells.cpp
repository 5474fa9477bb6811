// SPDX-License-Identifier: Apache-2.0

// zshexpn(1) "=" expansion; fish-doc(1) "command substitution"; nushell book "external commands"; elvish language
// reference "external command capture"; xonsh tutorial "running commands"; about_Operators of PowerShell; rc(1).

#include "runner/shell/other_shells.h"

#include "runner/shell/evaluator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace portcullis::shell {

namespace {

struct OtherShell {
    std::string_view name;
    std::string_view around; ///< single signs around or before a command
};

constexpr std::array<OtherShell, 9> others{{{.name = "fish", .around = "()"},
                                            {.name = "nu", .around = "^(){}"},
                                            {.name = "elvish", .around = "(){}"},
                                            {.name = "xonsh", .around = "()[]!$@"},
                                            {.name = "pwsh", .around = "&(){}"},
                                            {.name = "csh", .around = ""},
                                            {.name = "tcsh", .around = ""},
                                            {.name = "rc", .around = "`{}"},
                                            {.name = "es", .around = "`{}"}}};

const OtherShell *otherShell(std::string_view name)
{
    const auto found = std::ranges::find(others, name, &OtherShell::name);
    return found == others.end() ? nullptr : found;
}

bool startsWord(std::string_view text, std::size_t at)
{
    return at == 0 || std::string_view(" \t\n;&|(){}`\"'").contains(text[at - 1]);
}

bool isLetter(std::string_view text, std::size_t at)
{
    return at < text.size() && (std::isalpha(static_cast<unsigned char>(text[at])) != 0 || text[at] == '/');
}

} // namespace

bool readsOtherwise(std::string_view shell, const Gapped &text)
{
    // Words, their separators and quotes mean the same everywhere.
    const auto same = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view(" \t\n./_,-:+%;|\"'").contains(c);
    };
    return otherShell(shell) != nullptr && !(text.known() && std::ranges::all_of(text.text, same));
}

std::optional<Gapped> withoutSigns(std::string_view shell, const Gapped &text)
{
    const OtherShell *other = otherShell(shell);
    if (other == nullptr && shell != "zsh")
        return std::nullopt;
    Gapped plain = text;
    for (std::size_t i = 0; i < text.text.size(); ++i) {
        const char c = text.text[i];
        if (other != nullptr && other->around.contains(c))
            plain.text[i] = '\n';
        if (shell == "zsh" && c == '=' && startsWord(text.text, i) && isLetter(text.text, i + 1))
            plain.text[i] = ' ';
        if (shell == "elvish" && c == 'e' && startsWord(text.text, i) && text.text.substr(i, 2) == "e:")
            plain.text[i] = plain.text[i + 1] = ' ';
    }
    return plain.text == text.text ? std::nullopt : std::optional(std::move(plain));
}

void Evaluator::shellText(std::string_view shell, const Gapped &text, Span span)
{
    const std::size_t before = m_result.dynamic.size();
    runText(text, m_dialect, span);
    if (const auto plain = withoutSigns(shell, text))
        runText(*plain, m_dialect, span);
    if (!readsOtherwise(shell, text))
        return;
    // What is no sentence of a POSIX shell may well be one of this shell.
    std::erase_if(m_result.dynamic, [&, at = std::size_t{0}](const DynamicNote &each) mutable {
        return at++ >= before && each.reason == DynamicReason::Syntax;
    });
    note(DynamicReason::Program, span, std::string(shell));
}

} // namespace portcullis::shell
