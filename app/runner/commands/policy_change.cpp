// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_change.h"

#include "app/runner/commands/policy_exempt_words.h"
#include "app/runner/commands/record_access.h"
#include "app/runner/load_options.h"
#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "runner/audit/process_identity.h"
#include "runner/base/utf8.h"
#include "runner/config/json5.h"
#include "runner/policy/canonical.h"
#include "runner/policy/tenant_policy.h"
#include "runner/resources/policy_writer.h"
#include "runner/resources/trusted_file.h"
#include "runner/service/engine.h"
#include "ui/text/problem_text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <pwd.h>
#include <unistd.h>

namespace portcullis::cli {
namespace {

std::string pair(std::string_view key, std::string_view value)
{
    return config::quoteJson(key) + ':' + config::quoteJson(value);
}

std::string detailOf(const PolicyChange &change, const ExemptionEdit &edit)
{
    std::string out = '{' + pair("action", edit.action) + ',' + pair("file", change.path) + ',' + pair("by", edit.by)
        + ',' + pair("exemption", edit.exemption.id) + ',' + pair("rule", edit.exemption.rule);
    if (edit.exemption.expiresUs)
        out += ',' + pair("expires", policy::writeTime(*edit.exemption.expiresUs));
    return out + '}';
}

/// A list of revisions shows the message alone, so it says of a removal that it is one.
std::string revisionMessage(const ExemptionEdit &edit)
{
    if (edit.action != removeExemptionAction)
        return edit.message;
    return "removed exemption " + edit.exemption.id + (edit.message.empty() ? "" : ": " + edit.message);
}

record::Event changeEvent(record::Kind kind, const PolicyChange &change)
{
    record::Event event;
    event.id = service::newRequestId();
    event.kind = kind;
    event.timeUs = CommandContext::nowUs();
    event.tenant = change.tenant;
    event.session = "cli";
    event.origin = Origin::Operator;
    event.verdict = Verdict::Allow;
    event.outcome = Outcome::Running;
    event.runner = audit::thisRunner();
    event.configDigest = change.configuration->digest();
    event.engine = PORTCULLIS_VERSION;
    return event;
}

/// The text before, when it came by an editor and is in no revision yet: rolling back must find it.
Result<void, audit::AuditError> keepEditOnDisk(audit::AuditWriter &writer, const std::string &record,
                                               const PolicyChange &change, std::int64_t timeUs)
{
    if (!change.before)
        return {};
    const auto reader = audit::AuditReader::open(record);
    if (!reader)
        return failure(reader.error());
    const std::string digest = policy::digestOf(*change.before);
    const auto newest = (*reader)->revisions(change.tenant, 1);
    if (!newest)
        return failure(newest.error());
    if (!newest->empty() && newest->front().digest == digest)
        return {};
    const auto stored = writer.storeRevision({.tenant = change.tenant,
                                              .digest = digest,
                                              .content = *change.before,
                                              .author = {},
                                              .message = {},
                                              .source = "disk",
                                              .timeUs = timeUs});
    return stored ? Result<void, audit::AuditError>() : failure(stored.error());
}

/// A change that the record already holds, as running: it is carried out next.
struct Begun {
    std::unique_ptr<audit::AuditWriter> writer;
    std::int64_t row = 0;
    std::int64_t revision = 0;
};

/// Writes the row and the new text as a revision.
Result<Begun, audit::AuditError> begin(CommandContext &context, const PolicyChange &change, const record::Event &event,
                                       audit::Revision revision)
{
    auto writer = openToWrite(context);
    if (!writer)
        return failure(writer.error());
    if (auto kept = keepEditOnDisk(**writer, context.auditDb(), change, event.timeUs); !kept)
        return failure(kept.error());
    const auto row = (*writer)->begin(event);
    if (!row)
        return failure(row.error());
    revision.tenant = change.tenant;
    revision.content = change.after;
    revision.digest = policy::digestOf(change.after);
    revision.timeUs = event.timeUs;
    const auto id = (*writer)->storeRevision(revision);
    if (!id) {
        record::Ending ending;
        ending.outcome = Outcome::NotStarted;
        ending.error = "record";
        (void)(*writer)->finish(*row, ending);
        return failure(id.error());
    }
    return Begun{std::move(*writer), *row, *id};
}

/// What the system answered, as the record keeps it.
std::string errorOf(const resources::WriteError &error)
{
    if (error.code == resources::WriteError::Code::Changed)
        return "changed";
    const char *name = ::strerrorname_np(error.errnoValue);
    return error.step + ": " + (name ? name : std::to_string(error.errnoValue));
}

/// The newest revision is then the text that stands in the file, not the one that did not get there.
bool keepWhatStands(audit::AuditWriter &writer, const PolicyChange &change)
{
    const auto text = resources::readTrustedFile(change.path, resources::maxPolicyBytes);
    if (!text)
        return true; // none, or none that can be in force
    return writer
        .storeRevision({.tenant = change.tenant,
                        .digest = policy::digestOf(text->text),
                        .content = text->text,
                        .author = {},
                        .message = "the change before was not put in force",
                        .source = "disk",
                        .timeUs = CommandContext::nowUs()})
        .has_value();
}

/// Records the change, replaces the file, and completes the row with what came of it. The answer is the revision.
Result<std::int64_t, ChangeFailure> carryOut(CommandContext &context, const PolicyChange &change,
                                             const record::Event &event, audit::Revision revision)
{
    const auto begun = begin(context, change, event, std::move(revision));
    if (!begun)
        return failure(ChangeFailure{Exit::Record, "nothing was changed: " + recordWords(begun.error())});
    const auto written = resources::writePolicy(change.path, change.before, change.after);
    const bool made = written || written.error().step == "sync_folder";
    record::Ending ending;
    ending.outcome = made ? Outcome::Exited : Outcome::NotStarted;
    ending.error = written ? std::string() : errorOf(written.error());
    const auto finished = begun->writer->finish(begun->row, ending);
    if (!finished || (!made && !keepWhatStands(*begun->writer, change)))
        context.err("policy: warning: the record does not say how the change ended\n");
    if (!written)
        return failure(ChangeFailure{Exit::Configuration, writeFailure(written.error())});
    return begun->revision;
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
    input->policies.push_back({change.draft.empty() ? change.path : change.draft, change.after, change.tenant});
    auto loaded = policy::Configuration::load(*input);
    if (!loaded)
        return failure(ChangeFailure{Exit::Configuration, text::problemLines(loaded.error())});
    if ((*loaded)->isBroken(change.tenant))
        return failure(ChangeFailure{Exit::Configuration, text::problemLines((*loaded)->problems())});
    change.configuration = *loaded;
    return {};
}

Result<std::int64_t, ChangeFailure> applyEdit(CommandContext &context, const PolicyChange &change,
                                              const ExemptionEdit &edit)
{
    record::Event event = changeEvent(record::Kind::Edit, change);
    event.gateway = edit.gateway;
    event.agent = edit.exemption.agent;
    event.parent = edit.parent;
    event.reason = edit.message;
    event.detailJson = detailOf(change, edit);
    return carryOut(context, change, event, {.author = edit.by, .message = revisionMessage(edit), .source = "exempt"});
}

Result<std::int64_t, ChangeFailure> applyPublish(CommandContext &context, const PolicyChange &change,
                                                 const std::string &message)
{
    record::Event event = changeEvent(record::Kind::Publish, change);
    event.reason = message;
    const std::string by = personName();
    event.detailJson = '{' + pair("file", change.path) + ',' + pair("by", by) + ',' + pair("message", message) + ','
        + pair("digest", policy::digestOf(change.after)) + '}';
    return carryOut(context, change, event, {.author = by, .message = message, .source = "publish"});
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
