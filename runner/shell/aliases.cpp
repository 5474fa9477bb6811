// SPDX-License-Identifier: Apache-2.0

// Aliases: bash manual, 6.6; POSIX 2.3.1. They are put in when a shell reads a line, so that one holds from the next
// line on, and a function has those of the time when it was read. Where either may be so, both ways are followed.

#include "runner/shell/evaluator.h"

#include <algorithm>
#include <array>

namespace portcullis::shell {

namespace {

/// Words that the reader takes as grammar.
bool reserved(std::string_view word)
{
    static constexpr std::array<std::string_view, 22> words{
        "if",  "then", "else", "elif", "fi", "do", "done", "case",   "esac",     "while", "until",
        "for", "{",    "}",    "!",    "in", "[[", "]]",   "select", "function", "time",  "coproc"};
    return std::ranges::contains(words, word);
}

} // namespace

void Evaluator::aliasBuiltin(const Run &run)
{
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        const Gapped word = run.words[i].gapped();
        const std::size_t equals = word.text.find('=');
        if (equals == std::string::npos || equals == 0 || (!word.known() && word.gaps.front().offset <= equals))
            continue;
        const std::string name = word.text.substr(0, equals);
        addAlias(name, run.words[i].from(equals + 1).gapped());
        if (reserved(name) && (m_dialect == Dialect::Sh || m_expandAliases)) {
            // What comes behind is not what was read.
            beyondLimits(run.span, name);
        }
    }
}

void Evaluator::addAlias(const std::string &name, Gapped text)
{
    spend(m_aliases->size() * 20 + text.text.size());
    auto next = std::make_shared<Aliases>(*m_aliases);
    const auto [at, fresh] = next->try_emplace(name);
    Choices texts{std::move(text)};
    const bool sure = m_conditional == 0 && !mayHaveLeft();
    if (!sure)
        addChoices(texts, at->second.texts);
    at->second = {.texts = std::move(texts), .perhaps = !sure && (fresh || at->second.perhaps)};
    m_aliases = std::move(next);
}

void Evaluator::unaliasBuiltin(const Run &run)
{
    auto next = std::make_shared<Aliases>(*m_aliases);
    const bool sure = m_conditional == 0 && !mayHaveLeft();
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        const bool all = run.words[i].value.text == "-a";
        for (auto &[name, alias] : *next)
            alias.perhaps = alias.perhaps || (!sure && (all || name == run.words[i].value.text));
        if (sure && all)
            next->clear();
        else if (sure)
            next->erase(run.words[i].value.text);
    }
    m_aliases = std::move(next);
}

Alias Evaluator::aliasOf(std::string_view name) const
{
    // What stands in $(…) is read again when it runs.
    Alias alias;
    for (const auto &aliases : {m_lineAliases, m_aliases}) {
        const auto found = aliases->find(name);
        if (found != aliases->end())
            addChoices(alias.texts, found->second.texts);
    }
    const auto found = m_lineAliases->find(name);
    alias.perhaps = m_aliasDoubt || found == m_lineAliases->end() || found->second.perhaps;
    return alias;
}

bool Evaluator::tryAlias(const Run &run)
{
    if (run.command == nullptr || run.command->words.empty() || (m_dialect == Dialect::Bash && !m_expandAliases))
        return false;
    const Word &first = run.command->words.front();
    if (first.pieces.size() != 1 || first.pieces.front().kind != Piece::Kind::Text || first.pieces.front().quoted)
        return false;
    const std::string name = first.pieces.front().text;
    const Alias alias = aliasOf(name);
    if (alias.texts.empty() || m_busyAliases.contains(name))
        return false;
    m_busyAliases.insert(name);
    const auto all = [&] {
        for (const Gapped &text : alias.texts)
            runText(aliasLine(text, *run.command), m_dialect, run.span);
    };
    if (alias.perhaps || alias.texts.size() > 1)
        perhaps(all);
    else
        all();
    m_busyAliases.erase(name);
    return !alias.perhaps;
}

Gapped Evaluator::aliasLine(Gapped text, const Command &command) const
{
    const std::string_view source = m_text->source.text;
    const std::size_t end = std::min<std::size_t>(command.span.end(), source.size());
    std::size_t from = std::min<std::size_t>(command.words.front().span.end(), end);
    if (text.text.ends_with(' ') && command.words.size() > 1) {
        // A value that ends with a blank makes the next word an alias too.
        const Word &second = command.words[1];
        const Alias next = aliasOf(written(second.span));
        if (!next.texts.empty()) {
            text.append(next.texts.front());
            from = std::min<std::size_t>(second.span.end(), end);
        }
    }
    text.append(Gapped(" " + std::string(source.substr(from, end - from))));
    return text;
}

} // namespace portcullis::shell
