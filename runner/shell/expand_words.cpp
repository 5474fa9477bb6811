// SPDX-License-Identifier: Apache-2.0

// Words: pieces to drafts, drafts to fields. Order as in the shells: braces, tilde, parameters, commands, arithmetic,
// then splitting and globbing (bash manual, 3.5; POSIX 2.6). Braces are found after the others here; only bytes that
// were written literally take part, so the result is the same.

#include "runner/shell/arrays.h"
#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell {

namespace {

bool plain(std::string_view text, bool quoted)
{
    return quoted || text.find_first_of("*?[{~\x01") == std::string_view::npos;
}

/// The length of a `NAME=` at the start of a word, or 0.
std::size_t assignmentPrefix(std::string_view text)
{
    std::size_t i = 0;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_'))
        ++i;
    return i > 0 && i < text.size() && text[i] == '=' && std::isdigit(static_cast<unsigned char>(text[0])) == 0 ? i + 1
                                                                                                                : 0;
}

/// "$@" or "${a[@]}"
bool isQuotedList(const Piece &piece)
{
    if (piece.kind != Piece::Kind::Parameter || !piece.quoted || !piece.parameter || piece.parameter->length)
        return false;
    const Parameter &parameter = *piece.parameter;
    const auto &subscript = parameter.subscript.pieces;
    const bool whole = parameter.subscripted && subscript.size() == 1 && subscript.front().text == "@";
    const bool replaced = !parameter.op.empty() && std::string_view("-=?+").contains(parameter.op.back());
    return (parameter.name == "@" || whole) && !replaced;
}

bool sameTexts(const std::vector<Field> &a, const std::vector<Field> &b)
{
    return std::ranges::equal(a, b, [](const Field &x, const Field &y) {
        return x.value.text == y.value.text && x.value.gaps == y.value.gaps;
    });
}

} // namespace

void Evaluator::expandArgument(const Word &word, Lines &lines, bool whole)
{
    if (!spend(8 + word.span.length / 4))
        return;
    const Span span = map(word.span);
    if (word.pieces.size() == 1) {
        const Piece &only = word.pieces.front();
        if (only.kind == Piece::Kind::Text && plain(only.text, only.quoted) && !m_text->source.marked && !m_hasHidden) {
            for (auto &line : lines) {
                Field &field = line.emplace_back();
                field.value.text = only.text;
                field.value.quotedData = only.quoted;
                field.value.span = span;
            }
            return;
        }
    }
    std::vector<Draft> alternatives = drafts(word.pieces, WordUse::Argument);
    const std::vector<std::string> separators = separatorChoices();
    std::vector<std::vector<Field>> fields;
    for (Draft &draft : alternatives) {
        std::vector<Draft> braced;
        if (m_dialect == Dialect::Bash && draft.text.find('{') != std::string::npos) {
            const std::uint64_t left = m_limits.steps - std::min(m_limits.steps, m_result.steps);
            const std::size_t limit = std::min<std::uint64_t>(m_limits.valueBytes, left);
            if (!expandBraces(draft, limit, braced)) {
                note(DynamicReason::Budget, span, {});
                m_wordsLeftOut = true;
                braced.assign(1, Draft());
                braced.front().gaps.push_back({});
            }
            for (const Draft &each : braced)
                spend(each.text.size() + 8);
        } else {
            braced.push_back(std::move(draft));
        }
        for (Draft &each : braced)
            tilde(each, WordUse::Argument);
        for (const std::string &ifs : separators) {
            std::vector<Field> made;
            for (const Draft &each : braced) {
                const std::size_t before = made.size();
                if (whole)
                    made.push_back(wholeField(each, span));
                else
                    splitFields(each, ifs, span, made);
                spend((made.size() - before) * 30); // a field of one byte takes more room than its byte
            }
            if (std::ranges::none_of(fields, [&](const auto &other) { return sameTexts(other, made); }))
                fields.push_back(std::move(made));
        }
        if (m_stopped)
            return;
    }
    const auto globs = [](const Field &field) { return field.value.isPattern() || !field.value.known(); };
    if (m_globsFail && std::ranges::any_of(fields, [&](const auto &line) { return std::ranges::any_of(line, globs); }))
        mayLeave();
    if (fields.size() == 1) {
        for (std::size_t i = 1; i < lines.size(); ++i)
            lines[i].insert(lines[i].end(), fields.front().begin(), fields.front().end());
        std::ranges::move(fields.front(), std::back_inserter(lines.front()));
        return;
    }
    // Every line with every alternative, until there are too many: then one by one.
    const std::size_t before = lines.size();
    const bool all = before * fields.size() <= 2 * maxChoices;
    const std::size_t count = all ? before * fields.size() : std::max(before, fields.size());
    Lines result;
    for (std::size_t i = 0; i < count; ++i) {
        auto line = lines[i % before];
        const auto &more = fields[all ? i / before : i % fields.size()];
        line.insert(line.end(), more.begin(), more.end());
        spend(line.size() * 4);
        result.push_back(std::move(line));
    }
    lines = std::move(result);
}

Choices Evaluator::expandText(const Word &word, WordUse use)
{
    if (word.pieces.size() == 1 && word.pieces.front().kind == Piece::Kind::Text && !m_text->source.marked
        && plain(word.pieces.front().text, word.pieces.front().quoted)) {
        spend(8 + word.pieces.front().text.size());
        return {Gapped(word.pieces.front().text)};
    }
    if (word.pieces.empty())
        return {Gapped()};
    Choices result;
    for (Draft &draft : drafts(word.pieces, use)) {
        tilde(draft, use);
        addChoice(result, draft.gapped());
    }
    return result;
}

std::vector<Draft> Evaluator::drafts(const std::vector<Piece> &pieces, WordUse use)
{
    std::vector<Draft> result(1);
    for (std::size_t i = 0; i < pieces.size() && !m_stopped; ++i) {
        // Quotes around "$@" alone make no word when there are no parameters.
        const Piece &each = pieces[i];
        const bool opens = each.kind == Piece::Kind::Text && each.quoted && each.text.empty();
        if (!opens || i + 1 >= pieces.size() || !isQuotedList(pieces[i + 1]))
            piece(each, use, result);
    }
    for (Draft &draft : result) {
        spend(draft.text.size() + draft.gaps.size() * 4);
        if (draft.text.size() > m_limits.valueBytes || draft.gaps.size() > 4096) {
            beyondLimits({}, {});
            draft = Draft();
            draft.gaps.push_back({});
        }
    }
    return result;
}

void Evaluator::addText(Draft &draft, std::string_view text, Mark mark) const
{
    if (!m_text->source.marked || text.find(unknownByte) == std::string_view::npos) {
        draft.add(text, mark);
        return;
    }
    const auto source = m_text->sources.size() == 1 ? m_text->sources.front() : noSource;
    for (const char c : text) {
        if (c == unknownByte)
            draft.gaps.push_back({static_cast<std::uint32_t>(draft.text.size()), source});
        else
            draft.add(std::string_view(&c, 1), mark);
    }
}

void Evaluator::piece(const Piece &piece, WordUse use, std::vector<Draft> &drafts)
{
    spend(4);
    const Mark mark = piece.quoted ? Mark::Quoted : Mark::Literal;
    switch (piece.kind) {
    case Piece::Kind::Text:
        if (m_hasHidden && !piece.quoted)
            noteHidden(piece);
        for (Draft &draft : drafts) {
            addText(draft, piece.text, mark);
            draft.quoted = draft.quoted || piece.quoted;
        }
        break;
    case Piece::Kind::ExtGlob:
        for (const Piece &operand : piece.operands) {
            std::vector<Draft> ignored(1);
            this->piece(operand, WordUse::Single, ignored);
        }
        for (Draft &draft : drafts)
            draft.gaps.push_back({static_cast<std::uint32_t>(draft.text.size()), noSource});
        break;
    case Piece::Kind::Arithmetic: {
        const Choices values = arithmeticText(piece);
        std::vector<Draft> tails;
        for (const Gapped &value : values) {
            Draft &tail = tails.emplace_back();
            tail.add(value, piece.quoted ? Mark::Quoted : Mark::Expanded);
            tail.quoted = piece.quoted;
        }
        drafts = product(drafts, tails);
        break;
    }
    case Piece::Kind::Parameter:
        if (piece.parameter)
            parameter(piece, use, drafts);
        break;
    case Piece::Kind::CommandSub:
        commandSub(piece, drafts);
        break;
    case Piece::Kind::ProcessIn:
    case Piece::Kind::ProcessOut:
        processSub(piece, drafts);
        break;
    }
}

std::vector<Draft> Evaluator::product(const std::vector<Draft> &heads, const std::vector<Draft> &tails)
{
    std::vector<Draft> result;
    for (const Draft &head : heads) {
        for (const Draft &tail : tails) {
            if (result.size() > maxChoices)
                break;
            Draft &joined = result.emplace_back(head);
            joined.append(tail);
            spend(joined.text.size() * 2 + joined.gaps.size() * 8 + 30);
        }
    }
    if (heads.size() * tails.size() > result.size()) {
        Draft &unknown = result.back();
        unknown = Draft();
        unknown.gaps.push_back({});
        unknown.bare = true;
    }
    return result;
}

void Evaluator::tilde(Draft &draft, WordUse use) const
{
    if (draft.text.find('~') == std::string::npos)
        return;
    std::vector<std::size_t> places{0};
    std::size_t from = use == WordUse::Assignment ? 1 : assignmentPrefix(draft.text);
    if (use == WordUse::Argument && from > 0)
        places.push_back(from);
    if (from > 0) {
        while ((from = draft.text.find(':', from)) != std::string::npos)
            places.push_back(++from);
    }
    for (std::size_t i = places.size(); i > 0; --i) {
        const std::size_t at = places[i - 1];
        if (at >= draft.text.size() || draft.text[at] != '~' || draft.mark(at) != Mark::Literal)
            continue;
        std::size_t end = at + 1;
        while (end < draft.text.size() && draft.mark(end) == Mark::Literal && draft.text[end] != '/'
               && draft.text[end] != ':')
            ++end;
        if (end < draft.text.size() && draft.mark(end) != Mark::Literal && draft.text[end] != '/')
            continue;
        const std::string user = draft.text.substr(at + 1, end - at - 1);
        Gapped home = Gapped::unknown();
        if (user == "root")
            home = Gapped("/root");
        else if (user.empty() || user == "+" || user == "-") {
            const auto values = lookup(user.empty() ? "HOME" : user == "+" ? "PWD" : "OLDPWD");
            if (values.front().set && !values.front().elements.empty())
                home = values.front().elements.front();
        }
        const Draft head = draft.slice(0, at);
        const Draft tail = draft.slice(end, draft.text.size());
        Draft joined = head;
        joined.add(home, Mark::Quoted);
        joined.append(tail);
        joined.bare = draft.bare;
        draft = std::move(joined);
    }
}

std::vector<std::string> Evaluator::separatorChoices() const
{
    const Variable *ifs = m_variables.find(referent("IFS").value_or("IFS"), m_level);
    std::vector<std::string> result;
    for (const Datum &datum : ifs != nullptr ? ifs->choices : Variable::unset().choices) {
        const Gapped *value = datum.set ? firstElement(datum) : nullptr;
        std::string each = value == nullptr || !value->known() ? " \t\n" : std::string();
        each += value != nullptr ? value->text : std::string();
        if (!std::ranges::contains(result, each))
            result.push_back(std::move(each));
    }
    return result;
}

std::string Evaluator::separators() const
{
    const Variable *ifs = m_variables.find(referent("IFS").value_or("IFS"), m_level);
    if (ifs == nullptr || !ifs->choices.front().set || ifs->choices.front().elements.empty())
        return " \t\n";
    std::string result;
    for (const Datum &datum : ifs->choices) {
        for (const Gapped &value : datum.elements)
            result += value.known() ? value.text : " \t\n" + value.text;
    }
    return result;
}

Choices Evaluator::capture(const Script &body, std::vector<std::uint32_t> *producers)
{
    Sink sink;
    Sink *outer = std::exchange(m_sink, &sink);
    const Gapped lastArgument = m_lastArgument;
    {
        const Subshell copy(*this);
        script(body);
    }
    m_lastArgument = lastArgument;
    m_sink = outer;
    if (producers != nullptr)
        *producers = std::move(sink.producers);
    return std::move(sink.text);
}

void Evaluator::commandSub(const Piece &piece, std::vector<Draft> &drafts)
{
    if (!piece.script)
        return;
    Choices output;
    const auto &lists = piece.script->lists;
    const bool readsFile = lists.size() == 1 && lists.front().pipelines.size() == 1
        && lists.front().pipelines.front().commands.size() == 1
        && lists.front().pipelines.front().commands.front().kind == Command::Kind::Simple
        && lists.front().pipelines.front().commands.front().words.empty()
        && lists.front().pipelines.front().commands.front().assigns.empty()
        && !lists.front().pipelines.front().commands.front().redirects.empty();
    m_bareInput.reset();
    output = capture(*piece.script, nullptr);
    if (readsFile && m_bareInput && m_dialect == Dialect::Bash) // $(<file)
        output = m_bareInput->text;
    std::vector<Draft> tails;
    for (Gapped &value : output) {
        std::erase(value.text, '\0');
        value.chopNewlines();
        Draft &tail = tails.emplace_back();
        tail.add(value, piece.quoted ? Mark::Quoted : Mark::Expanded);
        tail.quoted = piece.quoted;
        tail.bare = !piece.quoted;
    }
    drafts = product(drafts, tails);
}

void Evaluator::processSub(const Piece &piece, std::vector<Draft> &drafts)
{
    if (!piece.script)
        return;
    const std::string path = "/dev/fd/" + std::to_string(63 + m_processInputs.size());
    Input &input = m_processInputs[path];
    if (piece.kind == Piece::Kind::ProcessIn) {
        std::vector<std::uint32_t> producers;
        Choices text = capture(*piece.script, &producers);
        Input &made = m_processInputs[path];
        made.text = std::move(text);
        made.producers = std::move(producers);
    } else {
        input.text = {Gapped::unknown()};
        m_pendingOutputs.push_back({piece.script.get(), m_text});
    }
    for (Draft &draft : drafts)
        draft.add(path, Mark::Quoted);
}

void Evaluator::pendingOutputs(std::uint32_t invocation, std::size_t from, const Choices &written)
{
    while (m_pendingOutputs.size() > from) {
        const Pending pending = m_pendingOutputs.back();
        m_pendingOutputs.pop_back();
        Input input{written, {}};
        if (invocation != noSource)
            input.producers.push_back(invocation);
        const Input *outerInput = std::exchange(m_input, &input);
        const ReadText *outerText = std::exchange(m_text, pending.text);
        Sink *outerSink = std::exchange(m_sink, nullptr);
        {
            const Subshell copy(*this);
            script(*pending.script);
        }
        m_sink = outerSink;
        m_text = outerText;
        m_input = outerInput;
    }
}

} // namespace portcullis::shell
