// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/batch_line.h"

#include "app/runner/request_options.h"

#include "runner/base/paths.h"
#include "runner/config/json5.h"
#include "runner/policy/policy.h"

#include <QByteArray>

#include <algorithm>
#include <array>

namespace portcullis::cli {
namespace {

using config::Json;

constexpr std::array<std::string_view, 10> knownFields{"id",     "command", "command_base64", "tenant", "agent",
                                                       "origin", "cwd",     "sandbox",        "shell",  "timeout"};

/// Takes the fields of one object; the first error wins.
class LineReader
{
public:
    explicit LineReader(const Json &object) : m_object(object) { }

    std::optional<std::string> text(std::string_view field)
    {
        const Json *value = m_object.find(field);
        if (!value)
            return std::nullopt;
        if (!value->isString()) {
            fail("wrong_type", field, "a string", *value);
            return std::nullopt;
        }
        return value->string;
    }

    template <class E>
    std::optional<E> name(std::string_view field)
    {
        const std::optional<std::string> given = text(field);
        if (!given)
            return std::nullopt;
        const std::optional<E> value = fromName<E>(*given);
        if (!value)
            fail("bad_value", field, allowedNames<E>(), *m_object.find(field));
        return value;
    }

    std::string required(std::string_view field)
    {
        if (!m_object.find(field))
            fail("missing_field", field, {}, m_object);
        return text(field).value_or(std::string());
    }

    void command(decision::ExecRequest &request);
    void timeout(decision::ExecRequest &request);

    void fail(std::string_view code, std::string_view field, std::string allowed, const Json &place)
    {
        if (!m_error)
            m_error = BatchError{{}, std::string(code), std::string(field), std::move(allowed), place.place.column};
    }
    void failAt(std::string_view code, std::string_view field, std::string allowed)
    {
        const Json *value = m_object.find(field);
        fail(code, field, std::move(allowed), value ? *value : m_object);
    }
    [[nodiscard]] const std::optional<BatchError> &error() const { return m_error; }

private:
    const Json &m_object;
    std::optional<BatchError> m_error;
};

void LineReader::command(decision::ExecRequest &request)
{
    const std::optional<std::string> plain = text("command");
    const std::optional<std::string> encoded = text("command_base64");
    if (plain && encoded)
        failAt("two_commands", "command_base64", "command or command_base64");
    else if (plain)
        request.command = *plain;
    else if (!encoded)
        failAt("missing_field", "command", "command or command_base64");
    else {
        const auto decoded = QByteArray::fromBase64Encoding(QByteArray::fromStdString(*encoded),
                                                            QByteArray::AbortOnBase64DecodingErrors);
        if (!decoded)
            failAt("bad_base64", "command_base64", {});
        else
            request.command = (*decoded).toStdString();
    }
    if (!m_error && request.command.find_first_not_of(" \t\n") == std::string::npos)
        failAt("bad_value", plain ? "command" : "command_base64", "a command that is not blank");
}

void LineReader::timeout(decision::ExecRequest &request)
{
    constexpr double most = 1e6; // more is clamped anyway
    const Json *value = m_object.find("timeout");
    if (!value)
        return;
    if (!value->isNumber())
        fail("wrong_type", "timeout", "a number of seconds", *value);
    else if (!(value->number >= 1))
        fail("bad_value", "timeout", "1–3600 (seconds)", *value);
    else
        request.timeoutSeconds = static_cast<int>(std::min(value->number, most));
}

/// The id of a line that is no good as a whole, where it stands before the mistake: the members before it, closed
/// again, are an object of their own.
std::optional<std::string> idBefore(std::string_view line, std::size_t end)
{
    constexpr int tries = 16; // the last comma may stand inside a string
    std::string_view head = line.substr(0, end);
    for (int i = 0; i < tries; ++i) {
        const std::size_t comma = head.find_last_of(',');
        if (comma == std::string_view::npos)
            break;
        head = head.substr(0, comma);
        const auto part = config::readJson5(std::string(head) + '}');
        const Json *id = part ? part->find("id") : nullptr;
        if (id && id->isString())
            return id->string;
    }
    return std::nullopt;
}

BatchError syntaxError(std::string_view line, const config::JsonError &error)
{
    using Code = config::JsonError::Code;
    const std::string code = error.code == Code::BadUtf8 ? "invalid_utf8"
        : error.code == Code::DuplicateKey               ? "duplicate_key"
                                                         : "syntax";
    const std::string field = error.code == Code::BadUtf8 ? std::string() : error.found;
    return {idBefore(line, error.place.offset), code, field, {}, error.place.column};
}

std::string sentenceFor(const BatchError &error)
{
    const std::string field = '`' + error.field + '`';
    const std::string allowed = error.allowed.empty() ? "" : "; it takes " + error.allowed;
    if (error.code == "invalid_utf8")
        return "The line holds bytes that are not UTF-8; give such a command as `command_base64`.";
    if (error.code == "duplicate_key")
        return "The field " + field + " stands here twice.";
    if (error.code == "syntax")
        return "The line is not JSON" + (error.field.empty() ? "." : ": " + field + " is wrong here.");
    if (error.code == "not_object")
        return "The line is JSON, but not an object.";
    if (error.code == "missing_field")
        return "The field " + field + " is missing" + (error.allowed.empty() ? "" : " (" + error.allowed + ')') + '.';
    if (error.code == "two_commands")
        return "Both `command` and `command_base64` are given; give one.";
    if (error.code == "bad_base64")
        return "The field " + field + " is not base64.";
    if (error.code == "wrong_type")
        return "The field " + field + " has the wrong type" + allowed + '.';
    return "The field " + field + " has a value that is not accepted" + allowed + '.';
}

} // namespace

Result<BatchRequest, BatchError> readBatchLine(std::string_view line, std::string_view tenant)
{
    const auto json = config::readJson5(line);
    if (!json)
        return failure(syntaxError(line, json.error()));
    if (!json->isObject())
        return failure(BatchError{{}, "not_object", {}, {}, json->place.column});

    LineReader reader(*json);
    BatchRequest result;
    decision::ExecRequest &request = result.request;
    request.id = reader.required("id");
    reader.command(request);
    if (!json->find("tenant") && !tenant.empty())
        request.tenant = tenant;
    else
        request.tenant = reader.required("tenant");
    if (!reader.error() && !policy::isSlug(request.tenant))
        reader.failAt("bad_value", "tenant", "a slug ([a-z0-9][a-z0-9._-]{0,63}), a UUID, or master");
    request.agent = reader.text("agent").value_or(request.agent);
    request.origin = reader.name<Origin>("origin").value_or(request.origin);
    request.sandbox = reader.name<SandboxSwitch>("sandbox").value_or(request.sandbox);
    request.shell = reader.name<ShellChoice>("shell");
    request.cwd = reader.text("cwd").value_or(std::string());
    if (!request.cwd.empty() && !request.cwd.starts_with('/'))
        reader.failAt("bad_value", "cwd", "an absolute path");
    else if (!request.cwd.empty())
        request.cwd = paths::normalised(request.cwd);
    reader.timeout(request);
    if (reader.error()) {
        BatchError error = *reader.error();
        if (!request.id.empty())
            error.id = request.id;
        return failure(std::move(error));
    }
    for (const Json::Member &member : json->object) {
        if (!std::ranges::contains(knownFields, std::string_view(member.key)))
            result.unknownFields.push_back(member.key);
    }
    return result;
}

std::string batchErrorJson(const BatchError &error, std::uint64_t line)
{
    return "{\"id\":" + (error.id ? config::quoteJson(*error.id) : std::string("null")) + ",\"line\":"
        + std::to_string(line) + ",\"error\":{\"code\":" + config::quoteJson(error.code) + ",\"message\":"
        + config::quoteJson(sentenceFor(error)) + ",\"column\":" + std::to_string(error.column) + "}}";
}

} // namespace portcullis::cli
