// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/decision_json.h"

#include "runner/config/json5.h"

#include <algorithm>

namespace portcullis::decision {
namespace {

using config::quoteJson;

/// Writes members of one object in order.
class ObjectWriter
{
public:
    void raw(std::string_view key, std::string_view json)
    {
        m_text += m_text.size() > 1 ? "," : "";
        ((m_text += quoteJson(key)) += ':') += json;
    }
    void text(std::string_view key, std::string_view value) { raw(key, quoteJson(value)); }
    void textOrNull(std::string_view key, std::string_view value)
    {
        raw(key, value.empty() ? std::string("null") : quoteJson(value));
    }
    void textIfAny(std::string_view key, std::string_view value)
    {
        if (!value.empty())
            text(key, value);
    }
    void boolean(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }
    void number(std::string_view key, std::int64_t value) { raw(key, std::to_string(value)); }
    [[nodiscard]] std::string take() { return m_text + '}'; }

private:
    std::string m_text = "{";
};

template <class Range, class Writer>
std::string arrayOf(const Range &range, Writer write)
{
    std::string out = "[";
    for (const auto &each : range)
        (out += out.size() > 1 ? "," : "") += write(each);
    return out + ']';
}

std::string spanJson(const Span &span)
{
    return '[' + std::to_string(span.start) + ',' + std::to_string(span.length) + ']';
}

std::string originJson(const policy::Source &source)
{
    ObjectWriter writer;
    writer.text("layer", nameOf(source.layer));
    writer.textIfAny("file", source.file);
    if (source.line > 0) {
        writer.number("line", source.line);
        writer.number("column", source.column);
    }
    return writer.take();
}

bool hasSource(const policy::Source &source)
{
    return !source.pointer.empty() || !source.file.empty() || source.line > 0;
}

/// How much of an entry is written.
enum class Detail { Full, Short };

std::string entryJson(const TraceEntry &entry, Detail detail)
{
    ObjectWriter writer;
    writer.text("check", nameOf(entry.check));
    writer.text("outcome", nameOf(entry.outcome));
    if (entry.outcome == CheckOutcome::Decided)
        writer.text("verdict", nameOf(entry.verdict));
    if (entry.group)
        writer.text("group", nameOf(*entry.group));
    writer.textIfAny("rule", entry.rule);
    writer.textIfAny("title", entry.title);
    writer.textIfAny("code", entry.code);
    if (detail == Detail::Full) {
        writer.textIfAny("detail", entry.detail);
        if (!entry.spans.empty())
            writer.raw("spans", arrayOf(entry.spans, spanJson));
    }
    writer.textIfAny("exemption", entry.exemption);
    if (hasSource(entry.source)) {
        writer.textIfAny("key", entry.source.pointer);
        writer.raw("origin", originJson(entry.source));
    }
    return writer.take();
}

std::string blockerJson(const Blocker &blocker)
{
    ObjectWriter writer;
    writer.text("check", nameOf(blocker.check));
    writer.textOrNull("rule", blocker.rule);
    if (blocker.group)
        writer.text("group", nameOf(*blocker.group));
    if (blocker.verdict != Verdict::Deny)
        writer.text("verdict", nameOf(blocker.verdict));
    writer.textIfAny("code", blocker.code);
    return writer.take();
}

constexpr std::string_view truncatedEntry = R"({"check":"input","outcome":"noted","code":"trace_truncated"})";

} // namespace

std::string toJson(const Decision &decision, std::string_view id, std::string_view engine, const DecisionWords &words)
{
    ObjectWriter writer;
    writer.textOrNull("id", id);
    writer.text("verdict", nameOf(decision.verdict));
    writer.textOrNull("check", decision.check ? nameOf(*decision.check) : std::string_view());
    writer.textOrNull("group", decision.group ? nameOf(*decision.group) : std::string_view());
    writer.textOrNull("rule", decision.rule);
    writer.text("backend", nameOf(decision.backend));
    writer.textOrNull("level", decision.levelKnown ? nameOf(decision.level) : std::string_view());
    writer.boolean("would_deny", decision.wouldDeny);
    writer.raw("dynamic", arrayOf(decision.dynamic, [](DynamicReason reason) { return quoteJson(nameOf(reason)); }));
    writer.text("reason", decision.reason.empty() ? words.reason : decision.reason);
    writer.text("advice", decision.advice.empty() ? words.advice : decision.advice);
    writer.text("config", decision.configDigest);
    writer.text("engine", engine);
    if (decision.obfuscated)
        writer.boolean("obfuscated", true);
    if (decision.timeoutClamped)
        writer.boolean("timeout_clamped", true);
    if (!decision.missing.empty())
        writer.raw("missing", arrayOf(decision.missing, quoteJson));
    writer.raw("blockers", blockersJson(decision.blockers));
    writer.raw("trace", traceJson(decision.trace));
    return writer.take();
}

std::string traceJson(const std::vector<TraceEntry> &trace, std::size_t maxBytes)
{
    std::string full = arrayOf(trace, [](const TraceEntry &entry) { return entryJson(entry, Detail::Full); });
    if (full.size() <= maxBytes)
        return full;
    // What decided matters most; what passed is known to have passed when it is not listed.
    std::string out = "[";
    for (const CheckOutcome outcome : {CheckOutcome::Decided, CheckOutcome::Noted}) {
        for (const TraceEntry &entry : trace) {
            if (entry.outcome != outcome)
                continue;
            const std::string text = entryJson(entry, Detail::Short);
            if (out.size() + text.size() + truncatedEntry.size() + 2 <= maxBytes)
                (out += text) += ',';
        }
    }
    return (out += truncatedEntry) + ']';
}

std::string blockersJson(const std::vector<Blocker> &blockers)
{
    return arrayOf(blockers, blockerJson);
}

std::string hostFactsJson(const HostFacts &facts)
{
    ObjectWriter writer;
    writer.number("landlock", facts.landlockAbi);
    writer.boolean("view", facts.viewWorks);
    writer.textIfAny("view_failed_step", facts.viewFailedStep);
    if (facts.viewErrno != 0)
        writer.number("view_errno", facts.viewErrno);
    writer.textIfAny("unknown_step", facts.unknownStep);
    if (facts.unknownErrno != 0)
        writer.number("unknown_errno", facts.unknownErrno);
    writer.boolean("root", facts.root);
    writer.boolean("command_uid_nonzero", facts.commandUidNonZero);
    writer.boolean("bash", facts.bashPresent);
    writer.text("engine", nameOf(facts.engine));
    ObjectWriter answers;
    for (const auto &[question, answer] : facts.answers)
        answers.text(question.path, answer);
    if (!facts.answers.empty())
        writer.raw("resolved", answers.take());
    return writer.take();
}

} // namespace portcullis::decision
