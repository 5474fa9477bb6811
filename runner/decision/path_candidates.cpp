// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/path_candidates.h"

#include "runner/base/paths.h"
#include "runner/decision/nested_words.h"
#include "runner/decision/path_code.h"
#include "runner/decision/path_links.h"
#include "runner/decision/path_spelling.h"
#include "runner/decision/path_words.h"
#include "runner/rules/file_mentions.h"
#include "runner/rules/writers.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>

namespace portcullis::decision {
namespace {

using shell::EmbeddedCode;
using shell::Evaluation;
using shell::Invocation;
using shell::Redirection;
using shell::Value;

using Bases = std::vector<std::optional<std::string>>;

constexpr std::string_view whitespace = " \t\n\r\v\f";
constexpr std::string_view tokenEnds = " \t\n\r\v\f'\"`;|&()<>,:";

Spelling spellingOf(const Value &value)
{
    return {value.text, value.gaps, value.globs};
}

class Collector
{
public:
    Collector(const Evaluation &evaluation, const CandidateContext &context)
        : m_evaluation(evaluation)
        , m_context(context)
        , m_nested(evaluation)
        , m_piped(evaluation.invocations.size(), false)
    {
        for (const shell::Flow &flow : evaluation.flows)
            m_piped.at(flow.from) = true;
        for (const EmbeddedCode &code : evaluation.code)
            m_code.emplace(code.invocation, code.span, code.text.text);
        m_links = shell::madeLinks(evaluation);
    }

    PathCandidates collect();

private:
    void invocation(std::size_t index);
    void arguments(std::size_t index, const Bases &bases);
    void argument(const Value &value, const Bases &bases);
    void optionValue(const Spelling &spelling, const Bases &bases, Span span);
    void whole(const Spelling &spelling, const Bases &bases, Span span, bool writing = false);
    void embedded(const Spelling &spelling, const Bases &bases, Span span);
    std::size_t embeddedAt(const Spelling &spelling, std::size_t at, const Bases &bases, Span span);
    void strings(const Spelling &spelling, const Bases &bases, Span span, bool onlyOpened);
    void code(const EmbeddedCode &code);
    void redirection(const Redirection &redirection, const Bases &bases);
    void assignment(const Value &value, const Bases &bases);
    void add(Spelling spelling, const Bases &bases, Span span, bool writing, bool onlyPath = false);
    void push(Spelling spelling, const Bases &bases, Span span, bool writing, bool written);
    void pushOne(const Spelling &spelling, const Bases &bases, Span span, bool writing, bool written);
    void pushLinked(Spelling spelling, const std::string &base, Span span, bool writing);
    void unknown(const Value &value);

    [[nodiscard]] bool isCode(std::size_t index, const Value &value) const;
    [[nodiscard]] Bases basesOf(const Value &value, const Invocation &invocation, const Bases &bases) const;
    [[nodiscard]] bool mentionsHome(Span span) const;

    const Evaluation &m_evaluation;
    const CandidateContext &m_context;
    std::set<std::pair<Span, std::string>>
        m_entered; ///< words of the present invocation that are directories for the others
    NestedWords m_nested; ///< words of what launchers start
    std::vector<bool> m_piped; ///< by invocation: somebody reads its output
    /// Words that are code in another language. Words of a text that came out of one word all have its span.
    std::set<std::tuple<std::uint32_t, Span, std::string>> m_code;
    std::unordered_set<std::string> m_seen;
    std::vector<MadeLink> m_links;
    std::optional<Walk> m_walk; ///< of the word at hand
    bool m_globsFindParent = false; ///< of the program at hand: its shell lets `.*` stand for `..`
    PathCandidates m_out;
};

PathCandidates Collector::collect()
{
    const Bases start{m_context.cwd};
    push({m_context.cwd, {}, {}}, start, {}, false, true);
    for (std::size_t i = 0; i < m_evaluation.invocations.size(); ++i)
        invocation(i);
    const Bases everywhere = allDirectories(m_evaluation, m_context.cwd);
    m_globsFindParent = std::ranges::contains(m_evaluation.invocations, Dialect::Sh, &Invocation::dialect);
    for (const Redirection &each : m_evaluation.redirections)
        redirection(each, everywhere);
    for (const shell::Assignment &each : m_evaluation.assignments) {
        // What no program gets counts where it is used, and there the directory is known.
        if (each.exported || each.value.text.starts_with('/') || each.value.text.starts_with('~'))
            assignment(each.value, everywhere);
    }
    for (const EmbeddedCode &each : m_evaluation.code)
        code(each);
    return std::move(m_out);
}

void Collector::invocation(std::size_t index)
{
    const Invocation &invocation = m_evaluation.invocations[index];
    const Bases own{invocation.cwd};
    if (invocation.cwd && *invocation.cwd != m_context.cwd)
        push({*invocation.cwd, {}, {}}, own, invocation.program.span, false, true);
    if (invocation.program.text.contains('/'))
        add(spellingOf(invocation.program), own, invocation.program.span, false, true);

    m_globsFindParent = invocation.dialect == Dialect::Sh;
    Bases bases = own;
    bool unknownBase = false;
    m_entered.clear();
    for (const Value &directory : enteredDirectories(invocation)) {
        m_entered.emplace(directory.span, directory.text);
        if (!directory.known() || bases.size() > mostDirectories)
            unknownBase = true;
        else if (directory.text.starts_with('/') || invocation.cwd)
            bases.emplace_back(paths::normalised(directory.text, invocation.cwd.value_or("/")));
    }
    if (unknownBase)
        bases.emplace_back(std::nullopt);
    arguments(index, bases);
    // `ln -s target name` does not write to the target.
    std::vector<MadeLink> others = m_links.empty() ? m_links : rules::linksFor(invocation, m_links).made;
    std::swap(m_links, others);
    for (const Value &file : rules::writtenWords(invocation)) {
        if (file.known())
            add(spellingOf(file), own, file.span, true);
    }
    std::swap(m_links, others);
    for (const Redirection &each : invocation.redirects)
        redirection(each, own);
    for (const shell::Assignment &each : invocation.assigns)
        assignment(each.value, own);
    if (invocation.input && readsNamesFromInput(invocation)) {
        const Spelling text = spellingOf(*invocation.input);
        embedded(text, bases, invocation.input->span);
        std::size_t at = 0;
        while ((at = text.text.find_first_not_of(whitespace, at)) != std::string::npos) {
            const std::size_t end = std::min(text.text.find_first_of(whitespace, at), text.text.size());
            whole(text.part(at, end - at), bases, invocation.input->span);
            at = end;
        }
    }
}

void Collector::arguments(std::size_t index, const Bases &bases)
{
    const Invocation &invocation = m_evaluation.invocations[index];
    const std::vector<bool> data = dataArguments(invocation);
    const bool prints = printsArguments(invocation);
    const std::optional<WalkedArguments> walked = walkedArguments(invocation, data);
    for (std::size_t i = 0; i < invocation.args.size(); ++i) {
        const Value &value = invocation.args[i];
        if (invocation.name.ends_with("jq")) {
            for (std::string &module : jqModules(value.text))
                add({std::move(module), {}, {}}, bases, value.span, false, true);
        }
        if (isCode(index, value) || (data[i] && !value.isPattern()))
            continue;
        if (invocation.opens && m_entered.empty() && m_nested.standIn(index, value))
            continue;
        // What is only printed names nothing, unless the shell expands it or somebody reads the output. A word that is
        // a path and nothing else counts all the same.
        if (prints && !value.isPattern() && !m_piped[index]) {
            if (value.known() && value.text.starts_with('/'))
                add(spellingOf(value), bases, value.span, false);
            continue;
        }
        m_walk = walked && walked->starts[i] ? std::optional(walked->walk) : std::nullopt;
        argument(value, basesOf(value, invocation, bases));
        m_walk.reset();
        if (!value.known()
            && (!invocation.builtin || invocation.name == "cd" || invocation.name == "source" || invocation.name == "."
                || invocation.name == "pushd"))
            unknown(value);
    }
    if (walked && walked->here) {
        m_walk = walked->walk;
        add({".", {}, {}}, bases, invocation.program.span, false);
        m_walk.reset();
    }
}

/// The directory in which the target of a link starts is the link's.
Bases Collector::basesOf(const Value &value, const Invocation &invocation, const Bases &bases) const
{
    if (invocation.name == "ln") {
        const auto link = std::ranges::find(m_links, value.span, &MadeLink::targetSpan);
        if (link != m_links.end())
            return {link->folder};
    }
    return m_entered.contains({value.span, value.text}) ? Bases{invocation.cwd} : bases;
}

void Collector::argument(const Value &value, const Bases &bases)
{
    const Spelling spelling = spellingOf(value);
    const std::string_view text = value.text;
    if (text.starts_with('-') && text.size() > 1)
        optionValue(spelling, bases, value.span);
    else
        whole(spelling, bases, value.span);
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos && !isRemoteUrl(text))
        whole(spelling.part(equals + 1), bases, value.span);
    embedded(spelling, bases, value.span);
}

/// `-I/dir`, `-f../x`, `-xzf../x`: a value glued to a letter, or to a cluster of letters.
void Collector::optionValue(const Spelling &spelling, const Bases &bases, Span span)
{
    const std::string_view text = spelling.text;
    if (text.starts_with("--") || text.size() < 3)
        return;
    std::size_t start = text.find('/');
    if (text.ends_with("..") && start == std::string_view::npos)
        start = text.size();
    if (start == std::string_view::npos)
        return;
    whole(spelling.part(2), bases, span);
    while (start > 2 && (text[start - 1] == '.' || text[start - 1] == '~'))
        --start;
    whole(spelling.part(start), bases, span);
}

/// A text that as a whole may be a path, an `@file`, a list of paths, a URL.
void Collector::whole(const Spelling &spelling, const Bases &bases, Span span, bool writing)
{
    const std::string_view text = spelling.text;
    if (text.empty() || isRemoteUrl(text))
        return;
    if (const std::optional<std::string> local = localFileUrl(text)) {
        add(urlPattern(*local), bases, span, writing, true);
        return;
    }
    if (text.starts_with('@') && text.size() > 1)
        whole(spelling.part(1), bases, span, writing);
    if (text.find_first_of(listSeparators) != std::string_view::npos) {
        std::size_t at = 0;
        const bool list = text[0] == '/' || text[0] == '.' || text[0] == '~' || text[0] == ':';
        while (list && at < text.size()) {
            const std::size_t end = std::min(text.find_first_of(listSeparators, at), text.size());
            if (end > at)
                add(spelling.part(at, end - at), bases, span, writing);
            at = end + 1;
        }
    }
    add(spelling, bases, span, writing);
}

/// Paths inside of longer texts: nested commands, lists, structured values. Only spellings that cannot be words.
void Collector::embedded(const Spelling &spelling, const Bases &bases, Span span)
{
    const std::string_view text = spelling.text;
    if (!text.contains('/'))
        return;
    std::size_t at = 0;
    while (at < text.size()) {
        const bool boundary = at == 0 || !isNameByte(text[at - 1]);
        const bool starts = boundary
            && (text[at] == '/' || text.substr(at).starts_with("../") || text.substr(at).starts_with("./")
                || writtenHome(text.substr(at, text.find_first_of(tokenEnds, at) - at)) > 0);
        at = starts ? embeddedAt(spelling, at, bases, span) : at + 1;
    }
}

/// Takes the token that starts at `at`; returns where to go on.
std::size_t Collector::embeddedAt(const Spelling &spelling, std::size_t at, const Bases &bases, Span span)
{
    const std::string_view text = spelling.text;
    const std::size_t end = std::min(text.find_first_of(tokenEnds, at), text.size());
    if (at > 0 && text[at - 1] == ':' && text[at] == '/') {
        std::size_t word = at - 1;
        while (word > 0 && isNameByte(text[word - 1]))
            --word;
        const std::string_view before = text.substr(word, at - 1 - word);
        if (text.substr(at).starts_with("//")) {
            const std::size_t urlEnd = std::min(text.find_first_of(" \t\n'\"`<>", at), text.size());
            if (const auto local = localFileUrl(text.substr(word, urlEnd - word)))
                add(urlPattern(*local), bases, span, false, true);
            return urlEnd;
        }
        if (const auto local = localFileUrl(text.substr(word, end - word)))
            add(urlPattern(*local), bases, span, false, true);
        // `host:/path` is on another machine, `/a:/b` is a list.
        if (!before.empty() && before[0] != '/' && before[0] != '.' && before[0] != '~')
            return end;
    }
    add(spelling.part(at, end - at), bases, span, false);
    return end;
}

void Collector::code(const EmbeddedCode &code)
{
    const Bases bases{m_evaluation.invocations.at(code.invocation).cwd};
    if (code.language == "sed") {
        for (const SedFile &file : sedFiles(code.text))
            add({file.name, {}, {}}, bases, code.span, file.written, true);
        return;
    }
    const bool onlyLiterals = opensOnlyLiterals(code, m_evaluation);
    for (const CodeStretch &stretch : stretchesOf(spellingOf(code.text), bases.front())) {
        strings(stretch.text, stretch.directories, code.span, onlyLiterals);
        // In languages without regular expressions between slashes every absolute spelling counts.
        constexpr std::string_view others[] = {"awk", "perl", "ruby", "node"};
        if (!onlyLiterals && !std::ranges::contains(others, code.language))
            embedded(stretch.text, stretch.directories, code.span);
        for (CodePath &path : onlyLiterals ? std::vector<CodePath>() : joinedPaths(stretch.text.text, code.language)) {
            m_walk = path.walked ? std::optional(Walk{}) : std::nullopt;
            add(std::move(path.spelling), stretch.directories, code.span, false);
            m_walk.reset();
        }
    }
}

/// String literals of a program text.
void Collector::strings(const Spelling &spelling, const Bases &bases, Span span, bool onlyOpened)
{
    const std::string_view text = spelling.text;
    for (std::size_t at = 0, end = 0; (at = text.find_first_of("'\"`", at)) != std::string_view::npos
         && (end = text.find(text[at], at + 1)) != std::string_view::npos;) {
        const Spelling literal = withoutEscapes(spelling.part(at + 1, end - at - 1));
        const bool data = onlyOpened && literal.text.contains("..") && !isOpened(text, at);
        if (literal.text.contains('/') && !data) {
            whole(literal, bases, span);
            embedded(literal, bases, span);
        }
        at = end + 1;
    }
}

void Collector::redirection(const Redirection &redirection, const Bases &bases)
{
    if (redirection.op == "<<" || redirection.op == "<<-" || redirection.op == "<<<")
        return;
    const std::string_view text = redirection.target.text;
    if (redirection.op == ">&" || redirection.op == "<&") {
        const bool descriptor = redirection.target.known() && !text.empty()
            && text.find_first_not_of("0123456789-") == std::string_view::npos;
        if (descriptor)
            return;
    }
    const bool writing = redirection.op.contains('>');
    add(spellingOf(redirection.target), bases, redirection.target.span, writing, true);
    if (!redirection.target.known())
        unknown(redirection.target);
}

/// A variable may hold one path, a list, or anything else; only what is spelled as a path counts.
void Collector::assignment(const Value &value, const Bases &bases)
{
    const Spelling spelling = spellingOf(value);
    if (!looksLikePath(value.text) || isRemoteUrl(value.text))
        return;
    std::size_t at = 0;
    while (at <= value.text.size()) {
        const std::size_t end = std::min(value.text.find(':', at), value.text.size());
        const Spelling part = spelling.part(at, end - at);
        if (!part.text.empty() && looksLikePath(part.text))
            add(part, bases, value.span, false);
        at = end + 1;
    }
    whole(spelling, bases, value.span);
    embedded(spelling, bases, value.span);
}

/// `onlyPath`: the position takes nothing but a path, so a plain word is one.
void Collector::add(Spelling spelling, const Bases &bases, Span span, bool writing, bool onlyPath)
{
    const std::string_view text = spelling.text;
    const bool written = onlyPath || looksLikePath(text);
    if (const std::size_t home = writtenHome(text); home > 0) {
        const Spelling rest = spelling.part(home);
        for (const std::string *directory : {&m_context.home, &m_context.operatorHome}) {
            if (directory->empty())
                continue;
            Spelling expanded = rest;
            expanded.prepend(*directory);
            push(std::move(expanded), bases, span, writing, true);
        }
        return;
    }
    // `~` and `$HOME` are the workspace for the command, but may mean the operator's home to their writer.
    if (!m_context.operatorHome.empty() && paths::isWithin(text, m_context.home) && mentionsHome(span)) {
        Spelling other = spelling.part(m_context.home.size());
        other.prepend(m_context.operatorHome);
        push(std::move(other), bases, span, writing, true);
    }
    push(std::move(spelling), bases, span, writing, written);
}

void Collector::push(Spelling spelling, const Bases &bases, Span span, bool writing, bool written)
{
    if (spelling.text.empty())
        return;
    for (const std::string_view root : {std::string_view(m_context.home), std::string_view(m_context.cwd)}) {
        if (!writing && listsAfter(spelling, root))
            spelling = spelling.part(0, root.size());
    }
    if (spelling.text.starts_with("/dev/") || spelling.text.starts_with("/proc/"))
        spelling = throughSystemLinks(std::move(spelling));
    if (const std::optional<ProcessPath> process = processPath(spelling.text)) {
        Spelling rest = spelling.part(process->rest);
        if (process->root)
            push(std::move(rest), bases, span, writing, written);
        else
            push(rest.part(std::min<std::size_t>(1, rest.text.size())), bases, span, writing, written);
    }
    if (m_globsFindParent && !spelling.globs.empty()) {
        for (Spelling &other : withParents(spelling))
            pushOne(other, bases, span, writing, written);
    }
    pushOne(spelling, bases, span, writing, written);
}

void Collector::pushOne(const Spelling &spelling, const Bases &bases, Span span, bool writing, bool written)
{
    const bool absolute = spelling.text.starts_with('/');
    for (const std::optional<std::string> &base : bases) {
        std::string key = (absolute ? std::string() : base.value_or("?")) + '\n' + spelling.text;
        for (const std::uint32_t glob : spelling.globs)
            (key += '\0') += std::to_string(glob);
        if (writing)
            key += written ? "\nwritten" : "\nnamed";
        if (spelling.gaps.empty() && !m_walk && !m_seen.insert(std::move(key)).second)
            continue;
        m_out.paths.push_back({spelling, base, span, writing, written, m_walk});
        if (!m_links.empty() && (absolute || base))
            pushLinked(spelling, absolute ? std::string() : *base, span, writing);
        if (absolute)
            return;
    }
}

/// The same path as it goes through links that the command makes.
void Collector::pushLinked(Spelling spelling, const std::string &base, Span span, bool writing)
{
    if (!base.empty())
        spelling.prepend(base + '/');
    Spelling led = throughMadeLinks(spelling, m_links);
    if (led.text != spelling.text)
        m_out.paths.push_back({std::move(led), std::nullopt, span, writing, true, m_walk});
}

void Collector::unknown(const Value &value)
{
    const std::size_t start = std::min<std::size_t>(value.span.start, m_context.raw.size());
    m_out.unknown.push_back({value.span, std::string(m_context.raw.substr(start, value.span.length))});
}

bool Collector::isCode(std::size_t index, const Value &value) const
{
    return m_code.contains({static_cast<std::uint32_t>(index), value.span, value.text});
}

bool Collector::mentionsHome(Span span) const
{
    const std::size_t start = std::min<std::size_t>(span.start, m_context.raw.size());
    const std::string_view written = m_context.raw.substr(start, span.length);
    return written.contains('~') || written.contains("HOME");
}

} // namespace

PathCandidates pathCandidates(const Evaluation &evaluation, const CandidateContext &context)
{
    return Collector(evaluation, context).collect();
}

} // namespace portcullis::decision
