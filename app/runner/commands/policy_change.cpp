// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_change.h"

#include "app/runner/commands/policy_exempt_words.h"
#include "app/runner/load_options.h"
#include "runner/audit/audit_writer.h"
#include "runner/base/utf8.h"
#include "runner/config/json5.h"
#include "runner/policy/tenant_policy.h"
#include "runner/resources/policy_writer.h"
#include "runner/resources/trusted_file.h"
#include "runner/service/engine.h"
#include "ui/text/problem_text.h"

#include <algorithm>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace portcullis::cli {
namespace {

std::string detailOf(const PolicyChange &change, const ExemptionEdit &edit)
{
    const auto pair = [](std::string_view key, std::string_view value) {
        return config::quoteJson(key) + ':' + config::quoteJson(value);
    };
    std::string out = '{' + pair("action", edit.action) + ',' + pair("file", change.path) + ',' + pair("by", edit.by)
        + ',' + pair("exemption", edit.exemption.id) + ',' + pair("rule", edit.exemption.rule);
    if (edit.exemption.expiresUs)
        out += ',' + pair("expires", policy::writeTime(*edit.exemption.expiresUs));
    return out + '}';
}

} // namespace

Result<PolicyChange, ChangeFailure> readBefore(const policy::Configuration &configuration, const std::string &tenant)
{
    PolicyChange change;
    change.tenant = tenant;
    change.path = configuration.paths().policiesDir + '/' + tenant + ".json";
    auto text = resources::readTrustedFile(change.path, resources::maxPolicyBytes);
    if (text)
        change.before = std::move(text->text);
    else if (text.error().code != "not_found")
        return failure(ChangeFailure{Exit::Configuration, text::problemLine(text.error()).toStdString()});
    return change;
}

Result<void, ChangeFailure> loadWith(const Arguments &arguments, PolicyChange &change)
{
    auto input = resources::readInput(loadOptions(arguments));
    if (!input)
        return failure(ChangeFailure{Exit::Configuration, text::problemLines(input.error())});
    std::erase_if(input->policies, [&](const policy::NamedText &text) { return text.path == change.path; });
    input->policies.push_back({change.path, change.after, change.tenant});
    auto loaded = policy::Configuration::load(*input);
    if (!loaded)
        return failure(ChangeFailure{Exit::Configuration, text::problemLines(loaded.error())});
    if ((*loaded)->isBroken(change.tenant))
        return failure(ChangeFailure{Exit::Configuration, text::problemLines((*loaded)->problems())});
    change.configuration = *loaded;
    return {};
}

Result<void, ChangeFailure> write(const PolicyChange &change)
{
    if (const auto written = resources::writePolicy(change.path, change.before, change.after); !written)
        return failure(ChangeFailure{Exit::Configuration, writeFailure(written.error())});
    return {};
}

void recordEdit(CommandContext &context, const PolicyChange &change, const ExemptionEdit &edit)
{
    auto writer = audit::AuditWriter::open({.path = context.auditDb()});
    record::Event event;
    event.id = service::newRequestId();
    event.kind = record::Kind::Edit;
    event.timeUs = CommandContext::nowUs();
    event.gateway = edit.gateway;
    event.tenant = change.tenant;
    event.agent = edit.exemption.agent;
    event.session = "cli";
    event.origin = Origin::Operator;
    event.parent = edit.parent;
    event.verdict = Verdict::Allow;
    event.reason = edit.exemption.reason;
    event.configDigest = change.configuration->digest();
    event.engine = PORTCULLIS_VERSION;
    event.detailJson = detailOf(change, edit);
    if (!writer || !(*writer)->append(event))
        context.err("policy: warning: the change could not be recorded\n");
}

std::string personName()
{
    const char *behindSudo = ::geteuid() == 0 ? ::secure_getenv("SUDO_USER") : nullptr;
    const struct passwd *entry = ::getpwuid(::getuid());
    std::string name = behindSudo ? behindSudo : entry && entry->pw_name ? entry->pw_name : std::to_string(::getuid());
    return firstInvalidUtf8(name) == std::string::npos && !name.empty() ? name : std::to_string(::getuid());
}

int fail(CommandContext &context, const ChangeFailure &failure)
{
    if (!failure.words.empty())
        context.err("policy: " + failure.words + (failure.words.ends_with('\n') ? "" : "\n"));
    return code(failure.exit);
}

} // namespace portcullis::cli
