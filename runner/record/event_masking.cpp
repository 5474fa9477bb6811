// SPDX-License-Identifier: Apache-2.0
#include "runner/config/json5.h"
#include "runner/record/known_secrets.h"
#include "runner/record/masking.h"
#include "runner/record/secret_finder.h"

#include <algorithm>
#include <set>
#include <utility>

namespace portcullis::record {
namespace {

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

/// Two paths can become one by masking, and an object with a key twice is none for our reader. The first one stays.
void dropRepeatedKeys(config::Json &json)
{
    std::set<std::string, std::less<>> seen;
    std::erase_if(json.object, [&](const config::Json::Member &member) { return !seen.insert(member.key).second; });
}

/// Depth is bounded by the reader of the JSON text.
void maskJson(config::Json &json, const KnownSecrets &secrets, const std::vector<MaskedPart> &parts)
{
    if (json.isString())
        secrets.apply(json.string);
    for (config::Json &element : json.array)
        maskJson(element, secrets, parts);
    for (config::Json::Member &member : json.object) {
        // Keys are names of ours, except where a map tells of paths: command words were asked for as paths.
        if (member.key.contains('/'))
            secrets.apply(member.key);
        if (member.key == "spans" && member.value.isArray())
            member.value = writeSpans(mapSpans(readSpans(member.value), parts));
        else
            maskJson(member.value, secrets, parts);
    }
    dropRepeatedKeys(json);
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

/// Words as the shell read them may spell a secret out that the command hides, and that is found by its name only
/// there.
void maskRead(Event &event, Dialect dialect)
{
    Masked read = maskCommand(event.normalised, dialect);
    if (!read.any())
        return;
    const KnownSecrets spelledOut(event.normalised, read);
    event.normalised = std::move(read.text);
    for (std::string &word : event.argv)
        spelledOut.apply(word);
    event.masked = true;
}

} // namespace

KnownSecrets maskSecrets(Event &event)
{
    const Dialect dialect = fromName<Dialect>(event.shell).value_or(Dialect::Bash);
    Masked command = maskCommand(event.command, dialect);
    const KnownSecrets secrets(event.command, command);
    if (command.any()) {
        event.spans = mapSpans(event.spans, command.parts);
        event.masks = mapSpans(event.masks, command.parts);
        for (const MaskedPart &part : command.parts)
            event.masks.push_back(part.mark);
        std::ranges::sort(event.masks);
        // What the decision says of the command can repeat its words; without a secret there is nothing to repeat.
        for (std::string *json : {&event.blockersJson, &event.traceJson, &event.hostFactsJson, &event.detailJson})
            maskJsonText(*json, secrets, command.parts);
        event.masked = true;
    }
    if (event.normalised == event.command) {
        event.normalised = command.text;
    } else {
        maskRead(event, dialect);
        event.masked = secrets.apply(event.normalised) || event.masked;
    }
    event.command = std::move(command.text);
    event.masked = maskArguments(event.argv, secrets) || event.masked;
    for (std::string *text : {&event.agent, &event.session, &event.parent, &event.cwd, &event.error, &event.note,
                              &event.title, &event.reason, &event.advice, &event.detailJson, &event.hostFactsJson})
        event.masked = secrets.apply(*text) || event.masked;
    return secrets;
}

bool maskSecrets(Output &output, const KnownSecrets &secrets)
{
    bool any = false;
    for (std::string *stream : {&output.out, &output.err})
        any = secrets.apply(*stream) || any;
    return any;
}

} // namespace portcullis::record
