// SPDX-License-Identifier: Apache-2.0

// The way back from JSON: traces, blockers and host facts of the record.

#include "runner/config/json5.h"
#include "runner/decision/decision_json.h"

namespace portcullis::decision {
namespace {

using config::Json;

std::string textOf(const Json &object, std::string_view key)
{
    const Json *value = object.find(key);
    return value && value->isString() ? value->string : std::string();
}

template <class E>
std::optional<E> nameIn(const Json &object, std::string_view key)
{
    return fromName<E>(textOf(object, key));
}

bool truthOf(const Json &object, std::string_view key, bool otherwise)
{
    const Json *value = object.find(key);
    return value && value->isBool() ? value->boolean : otherwise;
}

template <class T>
std::optional<T> wholeNumber(const Json *value, double most)
{
    if (!value || !value->isNumber() || !(value->number >= 0) || value->number > most)
        return std::nullopt;
    return static_cast<T>(value->number);
}

std::uint32_t countOf(const Json &object, std::string_view key)
{
    return wholeNumber<std::uint32_t>(object.find(key), 4e9).value_or(0);
}

std::vector<Span> spansOf(const Json &object)
{
    std::vector<Span> spans;
    const Json *list = object.find("spans");
    if (!list || !list->isArray())
        return spans;
    for (const Json &pair : list->array) {
        if (!pair.isArray() || pair.array.size() != 2)
            continue;
        const auto start = wholeNumber<std::uint32_t>(pair.array.data(), 1e9);
        const auto length = wholeNumber<std::uint32_t>(&pair.array[1], 1e9);
        if (start && length)
            spans.push_back({*start, *length});
    }
    return spans;
}

policy::Source sourceOf(const Json &object)
{
    policy::Source source;
    source.pointer = textOf(object, "key");
    const Json *origin = object.find("origin");
    if (!origin || !origin->isObject())
        return source;
    source.layer = nameIn<Layer>(*origin, "layer").value_or(Layer::Default);
    source.file = textOf(*origin, "file");
    source.line = countOf(*origin, "line");
    source.column = countOf(*origin, "column");
    return source;
}

std::optional<TraceEntry> entryOf(const Json &object)
{
    const auto check = nameIn<Check>(object, "check");
    const auto outcome = nameIn<CheckOutcome>(object, "outcome");
    if (!check || !outcome)
        return std::nullopt;
    return TraceEntry{*check,
                      *outcome,
                      nameIn<Verdict>(object, "verdict").value_or(Verdict::Allow),
                      nameIn<Group>(object, "group"),
                      textOf(object, "rule"),
                      textOf(object, "title"),
                      textOf(object, "code"),
                      textOf(object, "detail"),
                      spansOf(object),
                      textOf(object, "exemption"),
                      sourceOf(object)};
}

std::optional<Blocker> blockerOf(const Json &object)
{
    const auto check = nameIn<Check>(object, "check");
    if (!check)
        return std::nullopt;
    return Blocker{*check, nameIn<Verdict>(object, "verdict").value_or(Verdict::Deny), nameIn<Group>(object, "group"),
                   textOf(object, "rule"), textOf(object, "code")};
}

template <class T, class Reader>
std::optional<std::vector<T>> readList(std::string_view json, Reader read)
{
    const auto list = config::readJson5(json);
    if (!list || !list->isArray())
        return std::nullopt;
    std::vector<T> out;
    for (const Json &each : list->array) {
        std::optional<T> value = each.isObject() ? read(each) : std::nullopt;
        if (!value)
            return std::nullopt;
        out.push_back(std::move(*value));
    }
    return out;
}

} // namespace

std::optional<std::vector<TraceEntry>> readTrace(std::string_view json)
{
    return readList<TraceEntry>(json, entryOf);
}

std::optional<std::vector<Blocker>> readBlockers(std::string_view json)
{
    return readList<Blocker>(json, blockerOf);
}

std::optional<HostFacts> readHostFacts(std::string_view json)
{
    const auto object = config::readJson5(json);
    if (!object || !object->isObject())
        return std::nullopt;
    const auto abi = wholeNumber<int>(object->find("landlock"), 1000);
    const auto engine = nameIn<EngineState>(*object, "engine");
    if (!abi || !engine)
        return std::nullopt;
    HostFacts facts;
    facts.landlockAbi = *abi;
    facts.viewWorks = truthOf(*object, "view", false);
    facts.viewFailedStep = textOf(*object, "view_failed_step");
    facts.viewErrno = wholeNumber<int>(object->find("view_errno"), 4095).value_or(0);
    facts.unknownStep = textOf(*object, "unknown_step");
    facts.unknownErrno = wholeNumber<int>(object->find("unknown_errno"), 4095).value_or(0);
    facts.root = truthOf(*object, "root", false);
    facts.commandUidNonZero = truthOf(*object, "command_uid_nonzero", true);
    facts.bashPresent = truthOf(*object, "bash", true);
    facts.engine = *engine;
    if (const Json *resolved = object->find("resolved"); resolved && resolved->isObject()) {
        for (const Json::Member &member : resolved->object)
            facts.answers[{PathQuestion::Kind::Resolve, member.key}] = member.value.string;
    }
    return facts;
}

} // namespace portcullis::decision
