// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/layer.h"

#include "runner/base/nearest.h"
#include "runner/base/paths.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace portcullis::policy {
namespace {

using config::Json;
using config::Place;
using Kind = KeySpec::Kind;

Json::Type jsonType(const KeySpec &key)
{
    switch (key.kind) {
    case Kind::Bool:
        return Json::Type::Bool;
    case Kind::Integer:
    case Kind::Number:
        return Json::Type::Number;
    case Kind::Word:
    case Kind::Text:
        return Json::Type::String;
    case Kind::Paths:
    case Kind::Names:
        break;
    }
    return Json::Type::Array;
}

std::optional<KeyValue> checkedWord(const KeySpec &key, std::string_view word, const Place &place,
                                    const std::string &pointer, ProblemSink &problems)
{
    if (std::ranges::find(key.words, word) != key.words.end())
        return std::string(word);
    Problem &problem = problems.error(ProblemCode::BadValue, place, pointer);
    problem.found = shown(word);
    problem.hint = nearestName(word, key.words);
    problem.allowed = asStrings(key.words);
    return std::nullopt;
}

std::optional<KeyValue> checkedNumber(const KeySpec &key, double number, std::string_view spelling, const Place &place,
                                      const std::string &pointer, ProblemSink &problems)
{
    const bool whole = key.kind == Kind::Number || number == std::floor(number);
    if (std::isfinite(number) && whole && number >= key.least && number <= key.greatest)
        return number;
    Problem &problem = problems.error(whole ? ProblemCode::OutOfRange : ProblemCode::BadValue, place, pointer);
    problem.found = shown(spelling);
    if (whole)
        problem.allowed = {config::writeJsonNumber(key.least), config::writeJsonNumber(key.greatest)};
    else
        problem.hint = config::writeJsonNumber(std::round(number));
    return std::nullopt;
}

std::optional<KeyValue> checkedText(std::string_view text, const Place &place, const std::string &pointer,
                                    ProblemSink &problems)
{
    if (!text.empty() && text.find('\0') == std::string_view::npos)
        return std::string(text);
    problems.error(ProblemCode::BadValue, place, pointer).found = shown(text);
    return std::nullopt;
}

/// Every command has its own of these; a grant of the whole tree would cover them, and names no folder.
bool isReserved(std::string_view path)
{
    constexpr std::array<std::string_view, 3> own{"/dev", "/proc", "/sys"};
    return path == "/"
        || std::ranges::any_of(own, [&](std::string_view folder) { return paths::isWithin(path, folder); });
}

std::optional<std::string> grantedPath(const KeySpec &key, const Json &item, const std::string &pointer,
                                       const std::string &home, ProblemSink &problems)
{
    std::optional<std::string> path = readPath(item.string, home, item.place, pointer, problems);
    if (!path || key.name != extraReadKey || !isReserved(*path))
        return path;
    problems.error(ProblemCode::ReservedPath, item.place, pointer).found = shown(item.string);
    return std::nullopt;
}

std::optional<KeyValue> readList(const KeySpec &key, const Json &json, const std::string &pointer,
                                 const std::string &home, ProblemSink &problems)
{
    std::vector<std::string> list;
    bool good = true;
    for (std::size_t i = 0; i < json.array.size(); ++i) {
        const Json &item = json.array[i];
        const std::string itemPointer = pointerTo(pointer, i);
        if (!expectType(item, Json::Type::String, itemPointer, problems)) {
            good = false;
        } else if (key.kind == Kind::Paths) {
            const std::optional<std::string> path = grantedPath(key, item, itemPointer, home, problems);
            good = good && path;
            list.push_back(path.value_or(std::string()));
        } else {
            good = checkedText(item.string, item.place, itemPointer, problems) && good;
            list.push_back(item.string);
        }
    }
    return good ? std::optional<KeyValue>(std::move(list)) : std::nullopt;
}

} // namespace

bool expectType(const Json &json, Json::Type type, const std::string &pointer, ProblemSink &problems)
{
    if (json.type == type)
        return true;
    Problem &problem = problems.error(ProblemCode::WrongType, json.place, pointer);
    problem.found = typeName(json.type);
    problem.allowed = {std::string(typeName(type))};
    return false;
}

std::optional<std::string> readPath(std::string_view text, const std::string &home, const Place &place,
                                    const std::string &pointer, ProblemSink &problems)
{
    const bool fromHome = text == "~" || text.starts_with("~/");
    const bool hasNul = text.find('\0') != std::string_view::npos;
    if (!hasNul && !fromHome && text.starts_with('/'))
        return paths::normalised(text);
    if (!hasNul && fromHome && home.starts_with('/'))
        return paths::normalised(home + std::string(text.substr(1)));
    const bool noHome = fromHome && !hasNul;
    problems.error(noHome ? ProblemCode::NoHome : ProblemCode::NotAbsolute, place, pointer).found = shown(text);
    return std::nullopt;
}

std::optional<KeyValue> readValue(const KeySpec &key, const Json &json, const std::string &pointer,
                                  const std::string &home, ProblemSink &problems)
{
    if (!expectType(json, jsonType(key), pointer, problems))
        return std::nullopt;
    switch (key.kind) {
    case Kind::Bool:
        return json.boolean;
    case Kind::Integer:
    case Kind::Number:
        return checkedNumber(key, json.number, json.string, json.place, pointer, problems);
    case Kind::Word:
        return checkedWord(key, json.string, json.place, pointer, problems);
    case Kind::Text:
        return checkedText(json.string, json.place, pointer, problems);
    case Kind::Paths:
    case Kind::Names:
        break;
    }
    return readList(key, json, pointer, home, problems);
}

std::optional<KeyValue> readVariable(const KeySpec &key, const std::string &text, ProblemSink &problems)
{
    const Place nowhere{.line = 0, .column = 0};
    if (key.kind == Kind::Integer || key.kind == Kind::Number) {
        double number = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
        if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size())
            return checkedNumber(key, number, text, nowhere, {}, problems);
        Problem &problem = problems.error(ProblemCode::WrongType, nowhere, {});
        problem.found = shown(text);
        problem.allowed = {"number"};
        return std::nullopt;
    }
    if (key.kind == Kind::Text)
        return checkedText(text, nowhere, {}, problems);
    if (key.flag && (text == "true" || text == "1"))
        return std::string(key.words.front());
    if (key.flag && (text == "false" || text == "0"))
        return std::string(key.words.back());
    return checkedWord(key, text, nowhere, {}, problems);
}

LayerValues readEnvironment(const std::map<std::string, std::string> &environment, std::vector<Problem> &problems)
{
    LayerValues values;
    for (std::size_t i = 0; i < keys().size(); ++i) {
        const KeySpec &key = keys()[i];
        const auto variable = environment.find(key.environment);
        if (key.environment.empty() || variable == environment.end() || variable->second.empty())
            continue;
        ProblemSink sink(problems, key.environment);
        if (std::optional<KeyValue> value = readVariable(key, variable->second, sink))
            values[i] = {std::move(*value), Source{Layer::Environment, key.environment, 0, 0, {}}};
    }
    return values;
}

bool leadsToKeys(const KeyPaths &paths, std::string_view path)
{
    const std::string prefix = std::string(path) + '.';
    const auto next = paths.lower_bound(prefix);
    return next != paths.end() && next->first.starts_with(prefix);
}

void LayerReader::read(const Json &object, const std::string &path, const std::string &pointer, LayerValues &out) const
{
    if (nullIsAbsent && object.type == Json::Type::Null)
        return;
    if (!expectType(object, Json::Type::Object, pointer, problems))
        return;
    for (const Json::Member &member : object.object) {
        const std::string memberPath = path.empty() ? member.key : path + '.' + member.key;
        const std::string memberPointer = pointerTo(pointer, member.key);
        if (member.key.find('.') == std::string::npos)
            readMember(member, memberPath, memberPointer, out);
        else if (unknown)
            unknown(member, memberPath, memberPointer); // a key with a dot is no path of two keys
    }
}

void LayerReader::readMember(const Json::Member &member, const std::string &path, const std::string &pointer,
                             LayerValues &out) const
{
    const auto found = paths.find(path);
    if (found == paths.end()) {
        if (leadsToKeys(paths, path))
            read(member.value, path, pointer, out);
        else if (unknown)
            unknown(member, path, pointer);
        return;
    }
    if (nullIsAbsent && member.value.type == Json::Type::Null)
        return;
    const KeySpec &key = keys()[found->second];
    taken.insert(&member.value);
    const Source source{layer, problems.file(), member.keyPlace.line, member.keyPlace.column, pointer};
    if (key.flag && layer != Layer::Tenant && layer != Layer::TenantAgent && member.value.isBool())
        out[found->second] = {std::string(member.value.boolean ? key.words.front() : key.words.back()), source};
    else if (std::optional<KeyValue> value = readValue(key, member.value, pointer, home, problems))
        out[found->second] = {std::move(*value), source};
}

} // namespace portcullis::policy
