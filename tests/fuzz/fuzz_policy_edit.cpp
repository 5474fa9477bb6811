// SPDX-License-Identifier: Apache-2.0

// A policy's text before the first NUL byte; behind it what is exempted. Adding an exemption leaves a text that reads
// as the policy with that exemption, taking it away again one that reads as the policy was.

#include "runner/base/utf8.h"
#include "runner/policy/policy_edit.h"
#include "tests/fuzz/property.h"

#include <string>

using namespace portcullis;
using config::Json;
using policy::EditError;

namespace {

constexpr const char *freshId = "an-id-of-this-test";

/// Members of a policy that must not change, and the entries of its list.
std::string others(Json json)
{
    std::erase_if(json.object, [](const Json::Member &member) { return member.key == "exemptions"; });
    return config::writeJson(json);
}

std::vector<std::string> entries(const Json &json)
{
    std::vector<std::string> out;
    if (const Json *list = json.find("exemptions")) {
        for (const Json &entry : list->array)
            out.push_back(config::writeJson(entry));
    }
    return out;
}

Json reread(const std::string &text)
{
    auto json = config::readJson5(text);
    PORTCULLIS_HOLDS(json);
    return std::move(*json);
}

/// An edit may only be refused for what the text is, never because the edit itself went wrong.
void refusalIsRight(const EditError &error, std::string_view text, std::string_view exempted)
{
    const auto json = config::readJson5(text);
    switch (error.code) {
    case EditError::Code::NotReadable:
        PORTCULLIS_HOLDS(!json);
        return;
    case EditError::Code::NotExpressible:
        PORTCULLIS_HOLDS(firstInvalidUtf8(exempted) != std::string_view::npos);
        return;
    case EditError::Code::WrongShape:
        PORTCULLIS_HOLDS(json
                         && (!json->isObject() || (json->find("exemptions") && !json->find("exemptions")->isArray())));
        return;
    case EditError::Code::Lost:
        PORTCULLIS_HOLDS(error.code != EditError::Code::Lost);
    }
}

void isTakenAwayAgain(const std::string &added, const Json &before)
{
    const auto removed = policy::removeExemption(added, freshId);
    PORTCULLIS_HOLDS(removed);
    const Json after = reread(*removed);
    PORTCULLIS_HOLDS(others(after) == others(before) && entries(after) == entries(before));
    PORTCULLIS_HOLDS(policy::removeExemption(*removed, freshId) == *removed);
}

/// Takes every entry away that has an id, one after the other.
void allAreTakenAway(std::string text)
{
    const Json before = reread(text);
    const Json *list = before.find("exemptions");
    for (const Json &entry : list ? list->array : std::vector<Json>()) {
        const Json *id = entry.find("id");
        if (!id || !id->isString())
            continue;
        auto removed = policy::removeExemption(text, id->string);
        PORTCULLIS_HOLDS(removed);
        text = std::move(*removed);
        PORTCULLIS_HOLDS(others(reread(text)) == others(before));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view all = fuzz::asText(data, size);
    const std::string text(all.substr(0, all.find('\0')));
    const std::string_view exempted = all.substr(std::min(all.size(), text.size() + 1));
    policy::Exemption exemption;
    exemption.id = freshId;
    exemption.rule = "dump";
    exemption.command = exempted;
    exemption.program = "printenv";
    const auto added = policy::addExemption(text, exemption);
    if (!added) {
        refusalIsRight(added.error(), text, exempted);
        return 0;
    }
    const Json before = reread(text);
    const Json after = reread(*added);
    PORTCULLIS_HOLDS(others(after) == others(before));
    auto expected = entries(before);
    expected.push_back(config::writeJson(reread(policy::exemptionText(exemption, "\n", {}))));
    PORTCULLIS_HOLDS(entries(after) == expected);
    isTakenAwayAgain(*added, before);
    allAreTakenAway(*added);
    return 0;
}
