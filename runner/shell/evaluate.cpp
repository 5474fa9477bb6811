// SPDX-License-Identifier: Apache-2.0

// Texts that are read, the budget, and what is said of things that constants do not tell.

#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell {

namespace {

/// Bytes of one character that shows nothing or turns the line around, at the start of `text`; 0 when it is none.
/// Unicode 16: bidi controls, zero-width characters, byte order mark; C0 and C1 controls except tab and newline.
std::size_t hiddenCharacter(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(0);
    if (first < 0x80)
        return (first < 0x20 && first != '\t' && first != '\n') || first == 0x7f ? 1 : 0;
    if (first == 0xc2)
        return (byte(1) >= 0x80 && byte(1) < 0xa0) || byte(1) == 0xad ? 2 : 0;
    if (first == 0xd8)
        return byte(1) == 0x9c ? 2 : 0; // Arabic letter mark
    if (first == 0xe2 && byte(1) == 0x80)
        return (byte(2) >= 0x8b && byte(2) <= 0x8f) || (byte(2) >= 0xaa && byte(2) <= 0xae) ? 3 : 0;
    if (first == 0xe2 && byte(1) == 0x81)
        return byte(2) >= 0xa0 && byte(2) <= 0xaf ? 3 : 0;
    if (first == 0xef)
        return byte(1) == 0xbb && byte(2) == 0xbf ? 3 : 0;
    return 0;
}

} // namespace

Evaluator::Evaluator(const EvaluationContext &context, const EvaluationLimits &limits)
    : m_context(context), m_limits(limits), m_variables(context.variables)
{
    std::vector<std::optional<std::string>> cwds;
    cwds.push_back(context.cwd.empty() ? std::nullopt : std::optional(context.cwd));
    m_state.cwds = std::make_shared<const std::vector<std::optional<std::string>>>(std::move(cwds));
    static const auto nothing = std::make_shared<const std::vector<Positional>>(1);
    m_state.positional = nothing;
}

bool Evaluator::spend(std::uint64_t steps)
{
    if (m_stopped)
        return false;
    m_result.steps += steps;
    if (m_result.steps <= m_limits.steps)
        return true;
    m_stopped = true;
    beyondLimits({0, static_cast<std::uint32_t>(m_raw.size())}, {});
    return false;
}

void Evaluator::note(DynamicReason reason, Span span, std::string detail)
{
    const auto same = [&](const DynamicNote &note) { return note.reason == reason && note.span == span; };
    const auto first = m_result.dynamic.size() > 64 ? m_result.dynamic.end() - 64 : m_result.dynamic.begin();
    if (std::find_if(first, m_result.dynamic.end(), same) == m_result.dynamic.end())
        m_result.dynamic.push_back({reason, span, std::move(detail)});
}

void Evaluator::construct(Construct construct, Span span, std::string detail)
{
    const auto same = [&](const ConstructUse &use) { return use.construct == construct && use.span == span; };
    const auto first = m_result.constructs.size() > 64 ? m_result.constructs.end() - 64 : m_result.constructs.begin();
    if (std::find_if(first, m_result.constructs.end(), same) == m_result.constructs.end())
        m_result.constructs.push_back({construct, span, std::move(detail)});
}

void Evaluator::beyondLimits(Span span, std::string detail)
{
    // One is enough to be refused, and each costs every rule that looks at them.
    constexpr std::ptrdiff_t most = 16;
    const auto is = [](const ConstructUse &use) { return use.construct == Construct::BeyondLimits; };
    const auto &said = m_result.constructs;
    if (std::ssize(said) >= most && std::all_of(said.end() - most, said.end(), is))
        return;
    construct(Construct::BeyondLimits, span, detail);
    note(DynamicReason::Budget, span, std::move(detail));
}

void Evaluator::noteHidden(const Piece &piece)
{
    for (std::size_t i = 0; i < piece.text.size(); ++i) {
        if (hiddenCharacter(std::string_view(piece.text).substr(i)) > 0
            && (piece.text[i] != unknownByte || !m_text->source.marked)) {
            construct(Construct::HiddenCharacter, map(piece.span), {});
            return;
        }
    }
}

std::string_view Evaluator::written(Span local) const
{
    const std::string_view text = m_text->source.text;
    return local.start > text.size() ? std::string_view{} : text.substr(local.start, local.length);
}

const ReadText &Evaluator::readText(std::string text, Dialect dialect, const TextSource &source,
                                    std::vector<std::uint32_t> sources)
{
    ReadText &entry = m_texts.emplace_back();
    entry.text = std::move(text);
    entry.source = source;
    entry.source.text = entry.text;
    entry.dialect = dialect;
    entry.sources = std::move(sources);
    const std::uint64_t left = m_limits.steps - std::min(m_limits.steps, m_result.steps);
    entry.reading = read(entry.text, dialect, {.nesting = m_limits.nesting, .steps = left});
    spend(entry.reading.steps * 6 + 50);
    if (entry.reading.stop) {
        const auto at = entry.reading.stop->offset;
        const Span rest{at,
                        static_cast<std::uint32_t>(entry.text.size())
                            - std::min(at, static_cast<std::uint32_t>(entry.text.size()))};
        if (entry.reading.stop->reason == DynamicReason::Budget)
            beyondLimits(entry.source.map(rest), {});
        else
            note(entry.reading.stop->reason, entry.source.map(rest), {});
    }
    return entry;
}

TextSource Evaluator::sourceOf(const Gapped &text, Span span) const
{
    TextSource source;
    source.whole = span;
    source.marked = !text.known();
    if (text.known() && span.end() <= m_raw.size()) {
        // A quoted or plain word stands verbatim in the raw command.
        for (const std::uint32_t skip : {1U, 0U, 2U}) {
            if (text.text.size() + skip <= span.length
                && m_raw.substr(span.start + skip, text.text.size()) == text.text) {
                source.exact = true;
                source.base = span.start + skip;
                break;
            }
        }
    }
    return source;
}

const ReadText &Evaluator::readGapped(const Gapped &text, Dialect dialect, Span span)
{
    std::string marked;
    std::vector<std::uint32_t> sources;
    std::size_t done = 0;
    for (const Gap &gap : text.gaps) {
        marked.append(text.text, done, gap.offset - done);
        marked += unknownByte;
        sources.push_back(gap.source);
        done = gap.offset;
    }
    marked.append(text.text, done);
    return readText(std::move(marked), dialect, sourceOf(text, span), std::move(sources));
}

void Evaluator::runText(const Gapped &text, Dialect dialect, Span span)
{
    if (!spend(text.text.size() + text.gaps.size()))
        return;
    if (text.text.find_first_not_of(" \t\n") == std::string::npos) {
        if (!text.known())
            note(DynamicReason::Program, span, {});
        return;
    }
    const ReadText &read = readGapped(text, dialect, span);
    const ReadText *outer = std::exchange(m_text, &read);
    const Dialect outerDialect = std::exchange(m_dialect, dialect);
    const auto outerAliases = m_lineAliases;
    wholeText(read.reading.script);
    m_lineAliases = outerAliases;
    m_text = outer;
    m_dialect = outerDialect;
}

void Evaluator::runDeferred()
{
    ++m_repeats;
    // The shell may end, or get a signal, at any place behind the trap.
    const Variables::Delta held = m_deferred.empty() ? Variables::Delta() : m_variables.everHeld();
    for (const auto &[name, value] : held)
        m_variables.edit(name).add(value);
    if (m_deferred.size() > maxDeferred)
        beyondLimits(m_deferred[maxDeferred].span, "trap");
    for (std::size_t i = 0; i < m_deferred.size() && i < maxDeferred; ++i) {
        const Deferred deferred = m_deferred[i];
        const Subshell copy(*this);
        m_state.ended = ShellState::Ended::No;
        if (deferred.anywhere)
            m_state.positional = anyParameters();
        m_via.emplace_back("trap");
        runText(deferred.text, deferred.dialect, deferred.span);
        m_via.pop_back();
    }
    uncalledFunctions();
    --m_repeats;
}

void Evaluator::run(std::string_view text, Dialect dialect)
{
    m_raw = text;
    m_dialect = dialect;
    for (std::size_t i = 0; i < text.size() && !m_hasHidden; ++i)
        m_hasHidden = hiddenCharacter(text.substr(i)) > 0;
    TextSource source;
    source.exact = true;
    const ReadText &read = readText(std::string(text), dialect, source, {});
    m_text = &read;
    wholeText(read.reading.script);
    runDeferred();
    closeFlows();
    m_text = nullptr;
}

namespace {

bool sameInvocation(const Invocation &a, const Invocation &b)
{
    return a.span == b.span && a.name == b.name && a.program.text == b.program.text && a.cwd == b.cwd && a.via == b.via
        && a.args.size() == b.args.size() && std::ranges::equal(a.args, b.args, [](const Value &x, const Value &y) {
               return x.text == y.text && x.gaps == y.gaps;
           });
}

/// Adds what the other reading saw and this one did not.
void merge(Evaluation &into, Evaluation more)
{
    std::vector<std::uint32_t> index;
    std::multimap<Span, std::uint32_t> known;
    for (std::uint32_t i = 0; i < into.invocations.size(); ++i)
        known.emplace(into.invocations[i].span, i);
    for (Invocation &invocation : more.invocations) {
        const auto [first, last] = known.equal_range(invocation.span);
        const auto same = std::find_if(
            first, last, [&](const auto &entry) { return sameInvocation(into.invocations[entry.second], invocation); });
        if (same != last) {
            index.push_back(same->second);
            continue;
        }
        index.push_back(static_cast<std::uint32_t>(into.invocations.size()));
        into.invocations.push_back(std::move(invocation));
    }
    for (const Flow &flow : more.flows)
        into.flows.push_back({index[flow.from], index[flow.to], flow.asCode, flow.asArgument});
    for (FileFlow &flow : more.fileFlows) {
        flow.to = index[flow.to];
        into.fileFlows.push_back(std::move(flow));
    }
    for (EmbeddedCode &code : more.code) {
        code.invocation = index[code.invocation];
        into.code.push_back(std::move(code));
    }
    std::ranges::move(more.assignments, std::back_inserter(into.assignments));
    std::ranges::move(more.redirections, std::back_inserter(into.redirections));
    std::ranges::move(more.dynamic, std::back_inserter(into.dynamic));
    std::ranges::move(more.constructs, std::back_inserter(into.constructs));
    into.steps += more.steps;
}

} // namespace

Evaluation evaluate(std::string_view text, const EvaluationContext &context, const EvaluationLimits &limits)
{
    Evaluator evaluator(context, limits);
    evaluator.run(text, context.dialect);
    Evaluation result = evaluator.take();
    if (context.dialectUnknown) {
        Evaluator other(context, limits);
        other.run(text, context.dialect == Dialect::Bash ? Dialect::Sh : Dialect::Bash);
        merge(result, other.take());
    }
    result.cwd = context.cwd;
    return result;
}

bool patternCanBe(const Value &value, std::string_view text)
{
    if (!value.known())
        return false;
    if (!value.isPattern())
        return value.text == text;
    Pattern pattern;
    std::size_t next = 0;
    bool bracket = false;
    for (std::uint32_t i = 0; i < value.text.size(); ++i) {
        const bool active = next < value.globs.size() && value.globs[next] == i;
        next += active ? 1 : 0;
        bracket = bracket || (active && value.text[i] == '[');
        pattern.add(value.text[i], !active && !bracket);
        if (bracket && value.text[i] == ']')
            bracket = false;
    }
    std::int64_t steps = 1'000'000;
    return matches(pattern, text, steps).value_or(true);
}

} // namespace portcullis::shell
