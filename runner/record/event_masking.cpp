// SPDX-License-Identifier: Apache-2.0
#include "runner/config/json5.h"
#include "runner/record/masking.h"
#include "runner/record/secret_finder.h"

#include <algorithm>
#include <utility>

namespace portcullis::record {
namespace {

/// Shorter originals are not looked for elsewhere: they would hit ordinary text.
constexpr std::size_t shortestRepeated = 4;

/// The secrets of a command with their marks: they may stand alone in other texts, where no name gives them away.
class KnownSecrets
{
public:
    KnownSecrets(std::string_view original, const Masked &masked)
    {
        for (const MaskedPart &part : masked.parts) {
            const std::string_view secret = original.substr(part.original.start, part.original.length);
            if (secret.size() >= shortestRepeated)
                m_pairs.emplace_back(secret, masked.text.substr(part.mark.start, part.mark.length));
        }
        // Longest first, so that a secret inside another does not leave a rest of it.
        std::ranges::sort(m_pairs, std::greater(), [](const auto &pair) { return pair.first.size(); });
    }

    /// Masks by pattern and by known secret. Whether anything was masked.
    bool apply(std::string &text) const
    {
        Masked masked = mask(text);
        bool any = masked.any();
        text = std::move(masked.text);
        for (const auto &[secret, mark] : m_pairs) {
            for (std::size_t at = text.find(secret); at != std::string::npos;
                 at = text.find(secret, at + mark.size())) {
                text.replace(at, secret.size(), mark);
                any = true;
            }
        }
        return any;
    }

private:
    std::vector<std::pair<std::string, std::string>> m_pairs;
};

std::vector<Span> readSpans(const config::Json &array)
{
    std::vector<Span> spans;
    for (const config::Json &pair : array.array) {
        if (pair.isArray() && pair.array.size() == 2 && pair.array[0].isNumber() && pair.array[1].isNumber())
            spans.push_back(
                {static_cast<std::uint32_t>(pair.array[0].number), static_cast<std::uint32_t>(pair.array[1].number)});
    }
    return spans;
}

config::Json number(std::uint32_t value)
{
    config::Json json;
    json.type = config::Json::Type::Number;
    json.number = value;
    return json;
}

config::Json writeSpans(const std::vector<Span> &spans)
{
    config::Json array;
    array.type = config::Json::Type::Array;
    for (const Span &span : spans) {
        config::Json pair;
        pair.type = config::Json::Type::Array;
        pair.array = {number(span.start), number(span.length)};
        array.array.push_back(std::move(pair));
    }
    return array;
}

/// Depth is bounded by the reader of the JSON text.
void maskJson(config::Json &json, const KnownSecrets &secrets, const std::vector<MaskedPart> &parts)
{
    if (json.isString())
        secrets.apply(json.string);
    for (config::Json &element : json.array)
        maskJson(element, secrets, parts);
    for (config::Json::Member &member : json.object) {
        if (member.key == "spans" && member.value.isArray())
            member.value = writeSpans(mapSpans(readSpans(member.value), parts));
        else
            maskJson(member.value, secrets, parts);
    }
}

void maskJsonText(std::string &text, const KnownSecrets &secrets, const std::vector<MaskedPart> &parts)
{
    if (text.empty())
        return;
    auto json = config::readJson5(text);
    if (!json) { // not ours: as plain text
        secrets.apply(text);
        return;
    }
    maskJson(*json, secrets, parts);
    text = config::writeJson(*json);
}

bool maskArguments(std::vector<std::string> &argv, const KnownSecrets &secrets)
{
    bool any = false;
    for (std::size_t i = 0; i < argv.size(); ++i) {
        any = secrets.apply(argv[i]) || any;
        if (i == 0 || !isSecretOption(argv[i - 1]) || argv[i].empty() || argv[i].starts_with('-'))
            continue;
        // The option and its value together read as they would on a command line.
        const std::string_view prefix = "--password='";
        Masked masked = mask(std::string(prefix) + argv[i] + "'");
        if (!masked.any())
            continue;
        argv[i] = masked.text.substr(prefix.size(), masked.text.size() - prefix.size() - 1);
        any = true;
    }
    return any;
}

} // namespace

void maskSecrets(Event &event)
{
    Masked command = mask(event.command);
    const KnownSecrets secrets(event.command, command);
    if (command.any()) {
        event.spans = mapSpans(event.spans, command.parts);
        event.masks = mapSpans(event.masks, command.parts);
        for (const MaskedPart &part : command.parts)
            event.masks.push_back(part.mark);
        std::ranges::sort(event.masks);
        // What the decision says of the command can repeat its words; without a secret there is nothing to repeat.
        for (std::string *json : {&event.blockersJson, &event.traceJson, &event.hostFactsJson})
            maskJsonText(*json, secrets, command.parts);
        event.masked = true;
    }
    if (event.normalised == event.command)
        event.normalised = command.text;
    else
        event.masked = secrets.apply(event.normalised) || event.masked;
    event.command = std::move(command.text);
    event.masked = maskArguments(event.argv, secrets) || event.masked;
    for (std::string *text : {&event.cwd, &event.error, &event.note, &event.reason, &event.detailJson})
        event.masked = secrets.apply(*text) || event.masked;
}

bool maskSecrets(Output &output)
{
    bool any = false;
    for (std::string *stream : {&output.out, &output.err}) {
        Masked masked = mask(*stream);
        if (masked.any())
            *stream = std::move(masked.text);
        any = any || masked.any();
    }
    return any;
}

} // namespace portcullis::record
