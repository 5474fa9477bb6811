// SPDX-License-Identifier: Apache-2.0
#include "runner/record/event_json.h"

#include "runner/base/utf8.h"
#include "runner/base/uuid.h"
#include "runner/config/json5.h"
#include "runner/record/spans_text.h"

#include <QByteArray>

#include <algorithm>
#include <cmath>

namespace portcullis::record {
namespace {

using config::Json;

/// Puts an object together, member by member.
class Writer
{
public:
    void text(std::string_view key, std::string_view value) { raw(key, config::quoteJson(value)); }
    void textOrNull(std::string_view key, std::string_view value)
    {
        raw(key, value.empty() ? "null" : config::quoteJson(value));
    }
    void number(std::string_view key, std::int64_t value) { raw(key, std::to_string(value)); }
    void numberOrNull(std::string_view key, std::optional<int> value)
    {
        raw(key, value ? std::to_string(*value) : "null");
    }
    void flag(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }
    void time(std::string_view key, std::int64_t timeUs)
    {
        raw(key, timeUs > 0 ? config::quoteJson(rfc3339(timeUs)) : "null");
    }
    /// JSON that we wrote earlier; what is none is kept as a text.
    void json(std::string_view key, std::string_view value)
    {
        const auto parsed = config::readJson5(value);
        raw(key, value.empty() ? "null" : parsed ? config::writeJson(*parsed) : config::quoteJson(value));
    }
    void list(std::string_view key, const std::vector<std::string> &values)
    {
        std::string array;
        for (const std::string &value : values)
            array += (array.empty() ? "" : ",") + config::quoteJson(value);
        raw(key, "[" + array + "]");
    }
    /// A list that is joined by commas in the event.
    void parts(std::string_view key, std::string_view joined)
    {
        std::vector<std::string> values;
        while (!joined.empty()) {
            const std::size_t comma = std::min(joined.find(','), joined.size());
            values.emplace_back(joined.substr(0, comma));
            joined.remove_prefix(std::min(comma + 1, joined.size()));
        }
        list(key, values);
    }
    void raw(std::string_view key, std::string_view json)
    {
        m_text += m_text.empty() ? "{\"" : ",\"";
        m_text.append(key).append("\":").append(json);
    }
    [[nodiscard]] std::string take() { return std::move(m_text) + "}"; }

private:
    std::string m_text;
};

void writeRequest(Writer &out, const Event &event)
{
    out.text("id", event.id);
    out.time("time", event.timeUs);
    out.text("kind", nameOf(event.kind));
    out.text("gateway", event.gateway);
    out.text("tenant", event.tenant);
    out.text("agent", event.agent);
    out.text("session", event.session);
    out.text("origin", nameOf(event.origin));
    out.textOrNull("parent", event.parent);
    out.text("command", event.command);
    if (firstInvalidUtf8(event.command) != std::string_view::npos)
        out.text("command_base64", QByteArray::fromStdString(event.command).toBase64().toStdString());
    out.text("normalised", event.normalised);
    out.flag("masked", event.masked);
    out.raw("masks", spansToText(event.masks));
    out.list("argv", event.argv);
    out.text("cwd", event.cwd);
    out.text("shell", event.shell);
    out.numberOrNull("timeout", event.timeoutSeconds);
    out.text("sandbox", nameOf(event.sandbox));
    out.textOrNull("shell_asked", event.shellAsked ? nameOf(*event.shellAsked) : std::string_view());
    out.flag("stdin", event.wantsStdin);
}

void writeDecision(Writer &out, const Event &event)
{
    out.text("verdict", nameOf(event.verdict));
    out.textOrNull("check", event.check);
    out.textOrNull("group", event.group);
    out.textOrNull("rule", event.rule);
    out.text("title", event.title);
    out.text("code", event.code);
    out.text("reason", event.reason);
    out.text("advice", event.advice);
    out.json("blockers", event.blockersJson);
    out.json("trace", event.traceJson);
    out.raw("spans", spansToText(event.spans));
    out.flag("would_deny", event.wouldDeny);
    out.flag("obfuscated", event.obfuscated);
    out.parts("dynamic", event.dynamic);
    out.text("mode", event.mode);
    out.text("backend", event.backend);
    out.text("level", event.level);
    out.parts("missing", event.missing);
}

std::optional<std::int64_t> tookUs(const Event &event)
{
    if (event.startedUs > 0 && event.finishedUs > 0)
        return event.finishedUs - event.startedUs;
    return std::nullopt;
}

void writeOutcome(Writer &out, const Event &event)
{
    out.text("outcome", nameOf(event.outcome));
    out.numberOrNull("exit", event.exitCode);
    out.numberOrNull("signal", event.signal);
    out.time("started", event.startedUs);
    out.time("finished", event.finishedUs);
    const auto took = tookUs(event);
    out.raw("took_us", took ? std::to_string(*took) : "null");
    out.text("error", event.error);
    out.text("note", event.note);
    out.number("output", event.outputBytes);
    out.number("dropped", event.droppedBytes);
    out.textOrNull("config", event.configDigest);
    out.text("engine", event.engine);
    out.json("host_facts", event.hostFactsJson);
    out.text("runner", event.runner);
    out.json("detail", event.detailJson);
}

/// Reads members of an object; what is missing or of another type leaves the value as it was.
class Reader
{
public:
    explicit Reader(const Json &object) : m_object(object) { }

    void text(std::string_view key, std::string &value) const
    {
        const Json *json = m_object.find(key);
        if (json != nullptr && json->isString())
            value = json->string;
    }
    /// A word of a vocabulary. One that this version does not know is no default: another version wrote it.
    template <class E>
    void name(std::string_view key, E &value) const
    {
        const Json *json = m_object.find(key);
        if (json == nullptr)
            return;
        const std::optional<E> known = json->isString() ? fromName<E>(json->string) : std::nullopt;
        m_understood = m_understood && known;
        value = known.value_or(value);
    }
    void flag(std::string_view key, bool &value) const
    {
        const Json *json = m_object.find(key);
        if (json != nullptr && json->isBool())
            value = json->boolean;
    }
    template <class Number>
    void number(std::string_view key, Number &value) const
    {
        constexpr double largest = 9007199254740992.0; // a double is exact up to here
        const Json *json = m_object.find(key);
        if (json != nullptr && json->isNumber() && std::abs(json->number) <= largest)
            value = static_cast<std::int64_t>(json->number);
    }
    void number(std::string_view key, std::optional<int> &value) const
    {
        const Json *json = m_object.find(key);
        if (json != nullptr && json->isNumber() && std::abs(json->number) < 2e9)
            value = static_cast<int>(json->number);
    }
    void time(std::string_view key, std::int64_t &timeUs) const
    {
        const Json *json = m_object.find(key);
        if (json == nullptr || json->type == Json::Type::Null)
            return;
        const std::optional<std::int64_t> read = json->isString() ? fromRfc3339(json->string) : std::nullopt;
        m_understood = m_understood && read;
        timeUs = read.value_or(timeUs);
    }
    void json(std::string_view key, std::string &value) const
    {
        const Json *json = m_object.find(key);
        if (json == nullptr || json->type == Json::Type::Null)
            return;
        value = json->isString() ? json->string : config::writeJson(*json);
    }
    void spans(std::string_view key, std::vector<Span> &value) const
    {
        if (const Json *json = m_object.find(key); json != nullptr && json->isArray())
            value = spansFromText(config::writeJson(*json));
    }
    void list(std::string_view key, std::vector<std::string> &values) const
    {
        const Json *json = m_object.find(key);
        if (json == nullptr || !json->isArray())
            return;
        for (const Json &element : json->array) {
            if (element.isString())
                values.push_back(element.string);
        }
    }
    void parts(std::string_view key, std::string &joined) const
    {
        std::vector<std::string> values;
        list(key, values);
        for (const std::string &value : values)
            joined += (joined.empty() ? "" : ",") + value;
    }

    [[nodiscard]] bool has(std::string_view key) const { return m_object.find(key) != nullptr; }
    /// Whether every value so far was one that this version knows.
    [[nodiscard]] bool understood() const { return m_understood; }

private:
    const Json &m_object;
    mutable bool m_understood = true;
};

void readRequest(const Reader &in, Event &event)
{
    in.text("id", event.id);
    in.time("time", event.timeUs);
    in.name("kind", event.kind);
    in.text("gateway", event.gateway);
    in.text("tenant", event.tenant);
    in.text("agent", event.agent);
    in.text("session", event.session);
    in.name("origin", event.origin);
    in.text("parent", event.parent);
    in.text("command", event.command);
    std::string encoded;
    in.text("command_base64", encoded);
    if (!encoded.empty())
        event.command = QByteArray::fromBase64(QByteArray::fromStdString(encoded)).toStdString();
    in.text("normalised", event.normalised);
    in.flag("masked", event.masked);
    in.spans("masks", event.masks);
    in.list("argv", event.argv);
    in.text("cwd", event.cwd);
    in.text("shell", event.shell);
    in.number("timeout", event.timeoutSeconds);
    in.name("sandbox", event.sandbox);
    std::string asked;
    in.text("shell_asked", asked); // null where nobody asked
    if (ShellChoice shell{}; !asked.empty()) {
        in.name("shell_asked", shell);
        event.shellAsked = shell;
    }
    in.flag("stdin", event.wantsStdin);
}

void readDecision(const Reader &in, Event &event)
{
    in.name("verdict", event.verdict);
    in.text("check", event.check);
    in.text("group", event.group);
    in.text("rule", event.rule);
    in.text("title", event.title);
    in.text("code", event.code);
    in.text("reason", event.reason);
    in.text("advice", event.advice);
    in.json("blockers", event.blockersJson);
    in.json("trace", event.traceJson);
    in.spans("spans", event.spans);
    in.flag("would_deny", event.wouldDeny);
    in.flag("obfuscated", event.obfuscated);
    in.parts("dynamic", event.dynamic);
    in.text("mode", event.mode);
    in.text("backend", event.backend);
    in.text("level", event.level);
    in.parts("missing", event.missing);
}

void readOutcome(const Reader &in, Event &event)
{
    in.name("outcome", event.outcome);
    in.number("exit", event.exitCode);
    in.number("signal", event.signal);
    in.time("started", event.startedUs);
    in.time("finished", event.finishedUs);
    in.text("error", event.error);
    in.text("note", event.note);
    in.number("output", event.outputBytes);
    in.number("dropped", event.droppedBytes);
    in.text("config", event.configDigest);
    in.text("engine", event.engine);
    in.json("host_facts", event.hostFactsJson);
    in.text("runner", event.runner);
    in.json("detail", event.detailJson);
}

} // namespace

std::string toJson(const Event &event)
{
    Writer out;
    writeRequest(out, event);
    writeDecision(out, event);
    writeOutcome(out, event);
    return out.take();
}

std::optional<Event> eventFromJson(std::string_view line)
{
    const auto json = config::readJson5(line);
    if (!json || !json->isObject())
        return std::nullopt;
    const Reader in(*json);
    Event event;
    readRequest(in, event);
    readDecision(in, event);
    readOutcome(in, event);
    const bool decided = in.has("kind") && in.has("verdict") && in.has("time");
    const bool masksInside = std::ranges::all_of(event.masks, [size = event.command.size()](const Span &mask) {
        return mask.start <= size && mask.length <= size - mask.start;
    });
    if (!isUuid(event.id) || !decided || !masksInside || !in.understood())
        return std::nullopt;
    return event;
}

} // namespace portcullis::record
