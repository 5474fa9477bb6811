// SPDX-License-Identifier: Apache-2.0
#include "app/runner/request_options.h"

#include "runner/base/paths.h"
#include "runner/policy/policy.h"

#include <charconv>

namespace portcullis::cli {
namespace {

template <class E>
Result<void, RequestError> readEnum(const Arguments &arguments, std::string_view option, E &target)
{
    const std::optional<std::string> text = arguments.value(option);
    if (!text)
        return {};
    const std::optional<E> value = fromName<E>(*text);
    if (!value)
        return failure(RequestError{Exit::Usage, std::string(option), *text, allowedNames<E>()});
    target = *value;
    return {};
}

Result<void, RequestError> readTimeout(const Arguments &arguments, decision::ExecRequest &request)
{
    const std::optional<std::string> text = arguments.value("timeout");
    if (!text)
        return {};
    long long seconds = 0;
    const char *end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, seconds);
    if (parsed.ec == std::errc::result_out_of_range && !text->starts_with('-'))
        seconds = 1'000'000;
    else if (parsed.ec != std::errc() || parsed.ptr != end || seconds <= 0)
        return failure(RequestError{Exit::Usage, "timeout", *text,
                                    "seconds, from 1; more than the policy allows is lowered to that"});
    request.timeoutSeconds = static_cast<int>(std::min(seconds, 1'000'000LL));
    return {};
}

} // namespace

Result<decision::ExecRequest, RequestError> requestFromOptions(const Arguments &arguments)
{
    decision::ExecRequest request;
    const std::string tenant = arguments.value("tenant").value_or("");
    if (!policy::isSlug(tenant) && tenant != policy::masterTenant)
        return failure(
            RequestError{Exit::Usage, "tenant", tenant, "a slug ([a-z0-9][a-z0-9._-]{0,63}), a UUID, or master"});
    request.tenant = tenant;
    request.agent = arguments.value("agent").value_or("main");
    request.session = arguments.value("session").value_or("cli");
    ShellChoice shell = ShellChoice::Auto;
    if (auto read = readEnum(arguments, "origin", request.origin); !read)
        return failure(read.error());
    if (auto read = readEnum(arguments, "sandbox", request.sandbox); !read)
        return failure(read.error());
    if (auto read = readEnum(arguments, "shell", shell); !read)
        return failure(read.error());
    if (arguments.has("shell"))
        request.shell = shell;
    if (auto read = readTimeout(arguments, request); !read)
        return failure(read.error());
    if (const auto cwd = arguments.value("cwd")) {
        if (!cwd->starts_with('/'))
            return failure(RequestError{Exit::Usage, "cwd", *cwd, "an absolute path"});
        request.cwd = paths::normalised(*cwd);
    }
    request.wantsStdin = arguments.has("stdin");
    return request;
}

int reportRequest(CommandContext &context, const RequestError &error)
{
    const std::string start = context.arguments().command + ": ";
    if (error.option == "tenant" && error.found.empty())
        context.err(start + "--tenant SLUG is missing" + context.knownTenants() + '\n');
    else
        context.err(start + "--" + error.option + ": '" + error.found + "' is not accepted; it takes " + error.allowed
                    + '\n');
    return code(error.exit);
}

} // namespace portcullis::cli
