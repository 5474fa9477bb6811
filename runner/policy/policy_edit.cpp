// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/policy_edit.h"

#include "runner/base/utf8.h"
#include "runner/config/json5_characters.h"
#include "runner/policy/tenant_policy.h"

#include <algorithm>

namespace portcullis::policy {
namespace {

using config::Json;

constexpr std::size_t npos = std::string_view::npos;

std::string keyAndValue(std::string_view key, std::string_view value)
{
    return config::quoteJson(key) + ": " + config::quoteJson(value);
}

std::string subjectText(const Exemption &exemption)
{
    if (!exemption.command.empty())
        return keyAndValue("command", exemption.command);
    std::string args;
    for (const std::string &arg : exemption.args)
        args += (args.empty() ? "" : ", ") + config::quoteJson(arg);
    return keyAndValue("program", exemption.program) + ", \"args\": [" + args + "]";
}

std::string scopeText(const Exemption &exemption)
{
    std::string out;
    const auto add = [&out](std::string_view key, std::string_view value) {
        if (!value.empty())
            out += (out.empty() ? "" : ", ") + keyAndValue(key, value);
    };
    add("agent", exemption.agent);
    add("cwd", exemption.cwd);
    if (exemption.expiresUs)
        add("expires", writeTime(*exemption.expiresUs));
    return out;
}

/// Past white space without line ends and comments that end on this line: what belongs to the line of a value.
std::size_t endOfLineNotes(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (at < text.size()) {
        if (text[at] == ' ' || text[at] == '\t') {
            ++at;
            continue;
        }
        const std::size_t close = config::commentEnd(text, at);
        if (close == npos || close == at || text.substr(at, close - at).contains('\n'))
            break;
        const bool lastOfLine = text[at + 1] == '/';
        at = close;
        end = at;
        if (lastOfLine)
            break;
    }
    return end;
}

/// The white space before a place when nothing else stands before it on its line.
std::optional<std::string> indentOf(std::string_view text, std::size_t at)
{
    const std::size_t start = text.substr(0, at).find_last_of("\r\n");
    const std::size_t from = start == npos ? 0 : start + 1;
    const std::string_view before = text.substr(from, at - from);
    if (start == npos || before.find_first_not_of(" \t") != npos)
        return std::nullopt;
    return std::string(before);
}

/// Where in a list or object a new last item goes.
struct Slot {
    const Json &container;
    std::optional<std::pair<std::size_t, std::size_t>> last; ///< first byte and end of the last item
};

Slot slotOf(const Json &container)
{
    Slot slot{container, {}};
    if (!container.array.empty())
        slot.last = {container.array.back().place.offset, container.array.back().end};
    else if (!container.object.empty())
        slot.last = {container.object.back().keyPlace.offset, container.object.back().value.end};
    return slot;
}

class Editor
{
public:
    explicit Editor(std::string_view text) : m_text(text), m_newline(text.find("\r\n") == npos ? "\n" : "\r\n") { }

    [[nodiscard]] std::string newline() const { return m_newline; }

    /// `item` gives the text for an indentation, or for one line when there is none.
    template <class Item>
    std::string append(const Slot &slot, const std::string &outerIndent, bool linesWhenEmpty, Item item) const
    {
        return slot.last ? afterLast(slot, item) : intoEmpty(slot, outerIndent, linesWhenEmpty, item);
    }

private:
    template <class Item>
    std::string afterLast(const Slot &slot, Item item) const
    {
        const auto [start, end] = *slot.last;
        const std::size_t next = config::pastSpace(m_text, end);
        const bool trailingComma = next < m_text.size() && m_text[next] == ',';
        const std::optional<std::string> indent = indentOf(m_text, start);
        std::string out(m_text.substr(0, end));
        const std::size_t afterComma = trailingComma ? next + 1 : end;
        out += trailingComma ? std::string(m_text.substr(end, afterComma - end)) : ",";
        if (!indent)
            return out + ' ' + item(std::nullopt) + std::string(m_text.substr(afterComma));
        const std::size_t at = endOfLineNotes(m_text, afterComma);
        out += m_text.substr(afterComma, at - afterComma);
        out += m_newline + *indent + item(indent);
        return out + (trailingComma ? "," : "") + std::string(m_text.substr(at));
    }

    template <class Item>
    std::string intoEmpty(const Slot &slot, const std::string &outerIndent, bool lines, Item item) const
    {
        const std::size_t open = slot.container.place.offset + 1;
        const std::size_t close = slot.container.end - 1;
        const std::size_t last = m_text.substr(0, close).find_last_not_of(" \t\r\n");
        const std::size_t at = std::max(open, last + 1); // a comment inside stays before the new item
        const bool oneLine = !lines && m_text.substr(open, close - open).find_first_not_of(" \t") == npos;
        std::string out(m_text.substr(0, at));
        if (oneLine)
            return out + item(std::nullopt) + std::string(m_text.substr(close));
        const std::string indent = outerIndent + "  ";
        out += m_newline + indent + item(std::optional(indent)) + m_newline + outerIndent;
        return out + std::string(m_text.substr(close));
    }

    std::string_view m_text;
    std::string m_newline;
};

/// The policy as it should be afterwards; compared with what the edit really made.
std::optional<std::string> expectedValue(Json policy, const Exemption &exemption)
{
    auto entry = config::readJson5(exemptionText(exemption, "\n", {}));
    if (!entry)
        return std::nullopt;
    const auto list = std::ranges::find(policy.object, "exemptions", &Json::Member::key);
    if (list != policy.object.end()) {
        list->value.array.push_back(std::move(*entry));
    } else {
        Json fresh;
        fresh.type = Json::Type::Array;
        fresh.array.push_back(std::move(*entry));
        policy.object.push_back({"exemptions", {}, std::move(fresh)});
    }
    return config::writeJson(policy);
}

bool isText(const Exemption &exemption)
{
    const auto good = [](const std::string &text) { return firstInvalidUtf8(text) == npos; };
    return good(exemption.id) && good(exemption.rule) && good(exemption.command) && good(exemption.program)
        && std::ranges::all_of(exemption.args, good) && good(exemption.agent) && good(exemption.cwd)
        && good(exemption.reason) && good(exemption.by);
}

std::string edited(std::string_view text, const Json &policy, const Exemption &exemption)
{
    const Editor editor(text);
    const auto entry = [&](const std::optional<std::string> &indent) {
        return exemptionText(exemption, editor.newline(), indent ? *indent + "  " : std::string());
    };
    const std::string memberIndent =
        policy.object.empty() ? "  " : indentOf(text, policy.object.back().keyPlace.offset).value_or("");
    if (const auto list = std::ranges::find(policy.object, "exemptions", &Json::Member::key);
        list != policy.object.end()) {
        const std::optional<std::string> own = indentOf(text, list->keyPlace.offset);
        return editor.append(slotOf(list->value), own.value_or(memberIndent), own.has_value(), entry);
    }
    const auto member = [&](const std::optional<std::string> &indent) {
        if (!indent)
            return "\"exemptions\": [" + entry(std::nullopt) + "]";
        const std::string inner = *indent + (indent->empty() ? "  " : *indent);
        return "\"exemptions\": [" + editor.newline() + inner + entry(inner) + editor.newline() + *indent + "]";
    };
    return editor.append(slotOf(policy), {}, true, member);
}

bool hasId(const Json &entry, std::string_view id)
{
    const Json *found = entry.find("id");
    return found && found->isString() && found->string == id;
}

/// First byte and end of an item of a list, or of a member of an object with its key.
using Span = std::pair<std::size_t, std::size_t>;

/// Where an item stands, with its comma and, where nothing else stands there, its whole lines.
Span placeOf(std::string_view text, Span item)
{
    auto [from, to] = item;
    if (const std::size_t next = config::pastSpace(text, to); next < text.size() && text[next] == ',')
        to = next + 1;
    const std::optional<std::string> indent = indentOf(text, from);
    std::size_t lineEnd = endOfLineNotes(text, to);
    while (lineEnd < text.size() && (text[lineEnd] == ' ' || text[lineEnd] == '\t'))
        ++lineEnd;
    const bool endsLine = lineEnd < text.size() && (text[lineEnd] == '\n' || text[lineEnd] == '\r');
    if (!indent || !endsLine)
        return {from, to};
    from -= indent->size();
    to = lineEnd + (text.substr(lineEnd).starts_with("\r\n") ? 2 : 1);
    return {from, to};
}

std::string without(std::string_view text, const std::vector<Span> &items, std::size_t index)
{
    const auto [from, to] = placeOf(text, items[index]);
    std::string out(text);
    out.erase(from, to - from);
    const bool commaFollowed = text.substr(items[index].second, to - items[index].second).contains(',');
    if (index == 0 || index + 1 < items.size())
        return out;
    const bool wholeLines = text[to - 1] == '\n';
    const std::size_t comma = config::pastSpace(text, items[index - 1].second);
    if (text[comma] != ',')
        return out;
    // What follows on the line stands behind the item before again, where nothing but space is between.
    const std::string_view between = text.substr(comma + 1, from - comma - 1);
    const bool nothingBetween = between.find_first_not_of(wholeLines ? " \t" : " \t\r\n") == npos;
    if (!commaFollowed) // it was the last one: the comma before it goes too, which plain JSON does not allow there
        out.erase(comma, nothingBetween ? from - comma : 1);
    else if (!wholeLines && nothingBetween && between.contains('\n'))
        out.erase(comma + 1, from - comma - 1);
    return out;
}

std::string withoutEntry(std::string_view text, const Json &list, std::size_t index)
{
    std::vector<Span> items;
    items.reserve(list.array.size());
    for (const Json &item : list.array)
        items.emplace_back(item.place.offset, item.end);
    return without(text, items, index);
}

std::string withoutMember(std::string_view text, const Json &policy, std::size_t index)
{
    std::vector<Span> items;
    items.reserve(policy.object.size());
    for (const Json::Member &member : policy.object)
        items.emplace_back(member.keyPlace.offset, member.value.end);
    return without(text, items, index);
}

/// Whether a list has neither entries nor comments.
bool isBare(std::string_view text, const Json &list)
{
    const std::string_view inside = text.substr(list.place.offset + 1, list.end - list.place.offset - 2);
    return list.array.empty() && inside.find_first_not_of(" \t\r\n") == npos;
}

} // namespace

std::string exemptionText(const Exemption &exemption, std::string_view newline, std::string_view indent)
{
    const std::string separator = indent.empty() ? ", " : "," + std::string(newline) + std::string(indent);
    const std::string scope = scopeText(exemption);
    std::string out = "{ " + keyAndValue("id", exemption.id) + ", " + keyAndValue("check", nameOf(exemption.check))
        + ", " + keyAndValue("rule", exemption.rule);
    out += separator + subjectText(exemption);
    if (!scope.empty())
        out += separator + scope;
    out += separator + keyAndValue("reason", exemption.reason) + ", " + keyAndValue("by", exemption.by) + " }";
    return out;
}

std::string emptyPolicy(std::string_view tenant)
{
    return "{\n  \"version\": 1,\n  \"tenant\": " + config::quoteJson(tenant) + "\n}\n";
}

Result<std::string, EditError> addExemption(std::string_view text, const Exemption &exemption)
{
    if (!isText(exemption))
        return failure(EditError{EditError::Code::NotExpressible, {}});
    const auto policy = config::readJson5(text);
    if (!policy)
        return failure(EditError{EditError::Code::NotReadable, policy.error()});
    const Json *list = policy->find("exemptions");
    if (!policy->isObject() || (list && !list->isArray()))
        return failure(EditError{EditError::Code::WrongShape, {}});
    std::string result = edited(text, *policy, exemption);
    const auto reread = config::readJson5(result);
    if (!reread || config::writeJson(*reread) != expectedValue(*policy, exemption))
        return failure(EditError{EditError::Code::Lost, {}});
    return result;
}

Result<std::string, EditError> removeExemption(std::string_view text, std::string_view id)
{
    auto policy = config::readJson5(text);
    if (!policy)
        return failure(EditError{EditError::Code::NotReadable, policy.error()});
    std::string result(text);
    const auto reread = [&]() -> Result<void, EditError> {
        auto again = config::readJson5(result);
        if (!again || config::writeJson(*again) != config::writeJson(*policy))
            return failure(EditError{EditError::Code::Lost, {}});
        policy = std::move(*again);
        return {};
    };
    for (bool removed = false;; removed = true) {
        const auto member = std::ranges::find(policy->object, "exemptions", &Json::Member::key);
        if (member == policy->object.end())
            return result;
        if (!member->value.isArray())
            return failure(EditError{EditError::Code::WrongShape, {}});
        std::vector<Json> &entries = member->value.array;
        const auto entry = std::ranges::find_if(entries, [&](const Json &each) { return hasId(each, id); });
        const bool found = entry != entries.end();
        if (!found && (!removed || !isBare(result, member->value)))
            return result;
        if (found) {
            result = withoutEntry(result, member->value, static_cast<std::size_t>(entry - entries.begin()));
            entries.erase(entry);
        } else { // nothing is left of the list
            result = withoutMember(result, *policy, static_cast<std::size_t>(member - policy->object.begin()));
            policy->object.erase(member);
        }
        if (auto same = reread(); !same)
            return failure(same.error());
    }
}

} // namespace portcullis::policy
