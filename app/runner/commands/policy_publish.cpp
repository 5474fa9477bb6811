// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_publish.h"

#include "app/runner/commands/policy_change.h"
#include "app/runner/commands/policy_test.h"
#include "app/runner/commands/policy_validate.h"
#include "app/runner/commands/record_access.h"
#include "app/runner/commands/replay_source.h"
#include "runner/base/utf8.h"
#include "runner/config/json5.h"
#include "runner/policy/canonical.h"
#include "runner/record/event_json.h"
#include "runner/resources/trusted_file.h"
#include "ui/text/difference_text.h"
#include "ui/text/event_text.h"
#include "ui/text/problem_text.h"
#include "ui/text/visible_text.h"

#include <filesystem>
#include <format>
#include <unistd.h>

namespace portcullis::cli {
namespace {

using config::quoteJson;
using policy::Configuration;
using policy::Difference;
using Loaded = Result<std::shared_ptr<const Configuration>, int>;

constexpr int revisionsShown = 100;

/// A configuration of `replay`, or a path.
std::optional<ReplaySource> comparedSource(const std::string &word)
{
    const auto named = parseReplaySource(word);
    if (named)
        return named->kind == ReplaySource::Kind::Recorded ? std::nullopt : named;
    std::error_code error;
    return ReplaySource{
        std::filesystem::is_directory(word, error) ? ReplaySource::Kind::Policies : ReplaySource::Kind::Policy, word};
}

Loaded compared(CommandContext &context, const std::string &word, bool &broken)
{
    const auto source = comparedSource(word);
    if (!source) {
        context.err("policy: '" + word + "' is many configurations; name one\n");
        return failure(code(Exit::Usage));
    }
    std::unique_ptr<audit::AuditReader> reader;
    if (source->kind == ReplaySource::Kind::Revision) {
        auto opened = openRecord(context);
        if (!opened)
            return failure(opened.error());
        reader = std::move(*opened);
    }
    auto loaded = loadReplaySource(context, *source, reader.get());
    broken = broken || (loaded && hasBrokenPolicy(*source, **loaded));
    return loaded;
}

/// A draft as it would be in force.
struct Draft {
    PolicyChange change;
    std::vector<Difference> differences;
};

Result<Draft, ChangeFailure> readDraft(CommandContext &context, const std::string &file)
{
    const auto configuration = context.configuration();
    if (!configuration)
        return failure(ChangeFailure{Exit::Configuration, {}});
    const auto text = resources::readOwnFile(file, resources::maxPolicyBytes);
    if (!text)
        return failure(ChangeFailure{Exit::BadInput, text::problemLine(text.error()).toStdString()});
    const std::string named = tenantIn(text->text);
    const std::string tenant = named.empty() ? policy::slugOf(*text) : named;
    const std::string wanted = context.arguments().value("tenant").value_or(tenant);
    if (wanted != tenant)
        return failure(
            ChangeFailure{Exit::BadInput, file + " is the policy of \"" + tenant + "\", not of \"" + wanted + "\""});
    if (!policy::isSlug(tenant))
        return failure(ChangeFailure{Exit::BadInput, file + " does not say whose policy it is: \"tenant\": \"…\""});
    auto change = readBefore(*configuration, tenant);
    if (!change)
        return failure(std::move(change.error()));
    change->after = text->text;
    change->draft = file;
    if (auto loaded = loadWith(context.arguments(), *change); !loaded)
        return failure(std::move(loaded.error()));
    std::vector<Difference> differences = policy::differences(*configuration, *change->configuration);
    return Draft{std::move(*change), std::move(differences)};
}

enum class Outcome { Published, DryRun, AlreadyInForce };

std::string outcomeLine(const PolicyChange &change, std::int64_t revision, Outcome outcome)
{
    switch (outcome) {
    case Outcome::AlreadyInForce:
        return "nothing was changed: " + change.path + " has this text already\n";
    case Outcome::DryRun:
        return "would be published as " + change.path + "; nothing was changed\n";
    case Outcome::Published:
        break;
    }
    return "published as " + change.path + (revision == 0 ? std::string() : std::format(", revision {}", revision))
        + '\n';
}

int reportPublished(CommandContext &context, const Draft &draft, std::int64_t revision, Outcome outcome)
{
    const std::string digest = policy::digestOf(draft.change.after);
    if (context.arguments().has("json")) {
        context.out(
            std::format(R"({{"tenant":{},"file":{},"published":{},"revision":{},"digest":{},"differences":{}}})",
                        quoteJson(draft.change.tenant), quoteJson(draft.change.path), outcome == Outcome::Published,
                        revision == 0 ? "null" : std::to_string(revision), quoteJson(digest),
                        differencesJson(draft.differences))
            + '\n');
        return code(Exit::Ok);
    }
    std::string out;
    if (outcome != Outcome::AlreadyInForce)
        out = draft.differences.empty() ? "nothing that decides differs\n"
                                        : text::differenceLines(draft.differences).toStdString();
    context.out(out + outcomeLine(draft.change, revision, outcome));
    return code(Exit::Ok);
}

std::string revisionJson(const audit::Revision &revision)
{
    return std::format(R"({{"id":{},"tenant":{},"time":{},"author":{},"message":{},"source":{},"digest":{}}})",
                       revision.id, quoteJson(revision.tenant), quoteJson(record::rfc3339(revision.timeUs)),
                       quoteJson(revision.author), quoteJson(revision.message), quoteJson(revision.source),
                       quoteJson(revision.digest));
}

std::string revisionLine(const audit::Revision &revision)
{
    const auto shown = [](const std::string &text) { return text::visibleText(text).toStdString(); };
    return std::format("{:>5}  {}  {:<12} {:<8} {:<10} {}\n", revision.id,
                       text::localTimeText(revision.timeUs).toStdString(), shown(revision.tenant), revision.source,
                       revision.author.empty() ? "–" : shown(revision.author), shown(revision.message));
}

std::string revisionHeader()
{
    return std::format("{:>5}  {:<19}  {:<12} {:<8} {:<10} {}\n", "id", "time", "tenant", "source", "author",
                       "message");
}

/// A tenant that is gone may have revisions still, so what the record keeps is asked first.
int reportNoRevisions(CommandContext &context, const std::string &tenant)
{
    if (!tenant.empty()) {
        const auto configuration = context.configuration();
        if (configuration && !configuration->isKnown(tenant)) {
            context.reportTenant(tenant);
            return code(Exit::Configuration);
        }
    }
    context.err("policy: no revision is kept yet: publish and exempt keep them\n");
    return code(Exit::Ok);
}

int listRevisions(CommandContext &context, audit::AuditReader &reader)
{
    const std::string tenant = context.arguments().value("tenant").value_or(std::string());
    const auto revisions = reader.revisions(tenant, revisionsShown);
    if (!revisions)
        return reportRecord(context, revisions.error());
    if (revisions->empty())
        return reportNoRevisions(context, tenant);
    const bool json = context.arguments().has("json");
    // Programs that read lines get nothing but revisions.
    if (!json && ::isatty(STDOUT_FILENO) == 1)
        context.out(revisionHeader());
    for (const audit::Revision &revision : *revisions)
        context.out(json ? revisionJson(revision) + '\n' : revisionLine(revision));
    return code(Exit::Ok);
}

} // namespace

std::string differencesJson(std::span<const Difference> differences)
{
    const auto jsonOrNull = [](const std::string &json) { return json.empty() ? std::string("null") : json; };
    std::string list;
    for (const Difference &each : differences)
        list +=
            std::format(R"({}{{"tenant":{},"agent":{},"what":"{}","name":{},"before":{},"after":{},"effect":"{}"}})",
                        list.empty() ? "" : ",", each.tenant.empty() ? "null" : quoteJson(each.tenant),
                        each.agent.empty() ? "null" : quoteJson(each.agent), each.what, quoteJson(each.name),
                        jsonOrNull(each.before), jsonOrNull(each.after), nameOf(each.effect));
    return '[' + list + ']';
}

int policyDiff(CommandContext &context)
{
    const std::vector<std::string> &operands = context.arguments().operands;
    if (operands.size() != 3)
        return fail(
            context,
            {Exit::Usage, "usage: policy diff A B; each a file, a folder, or " + std::string(replaySourceForms)});
    bool broken = false;
    const auto before = compared(context, operands[1], broken);
    if (!before)
        return before.error();
    const auto after = compared(context, operands[2], broken);
    if (!after)
        return after.error();
    const std::vector<Difference> differences = policy::differences(**before, **after);
    if (context.arguments().has("json"))
        context.out(std::format(R"({{"before":{},"after":{},"differences":{}}})", quoteJson((*before)->digest()),
                                quoteJson((*after)->digest()), differencesJson(differences))
                    + '\n');
    else
        context.out(differences.empty() ? "nothing that decides differs\n"
                                        : text::differenceLines(differences).toStdString());
    return code(broken ? Exit::Configuration : Exit::Ok);
}

int policyPublish(CommandContext &context)
{
    const Arguments &arguments = context.arguments();
    const std::string message = arguments.value("message").value_or(std::string());
    if (arguments.operands.size() != 2)
        return fail(context, {Exit::Usage, "usage: policy publish FILE --message TEXT [--tenant SLUG] [--dry-run]"});
    if (message.empty() || firstInvalidUtf8(message) != std::string::npos)
        return fail(context, {Exit::Usage, "--message says why, for those who read the policy later"});
    const auto draft = readDraft(context, arguments.operands[1]);
    if (!draft)
        return fail(context, draft.error());
    context.err(text::problemLines(problemsOf(*draft->change.configuration, draft->change.draft)));
    if (const int failed = testPolicy(context, *draft->change.configuration, draft->change.tenant); failed != 0)
        return failed;
    if (draft->change.before == draft->change.after)
        return reportPublished(context, *draft, 0, Outcome::AlreadyInForce);
    if (arguments.has("dry-run"))
        return reportPublished(context, *draft, 0, Outcome::DryRun);
    const auto revision = applyPublish(context, draft->change, message);
    return revision ? reportPublished(context, *draft, *revision, Outcome::Published) : fail(context, revision.error());
}

int policyRevisions(CommandContext &context)
{
    const std::vector<std::string> &operands = context.arguments().operands;
    if (operands.size() > 2)
        return fail(context, {Exit::Usage, "usage: policy revisions [ID] [--tenant SLUG]"});
    const auto reader = openRecord(context);
    if (!reader)
        return reader.error();
    if (operands.size() == 1)
        return listRevisions(context, **reader);
    const auto revision = (*reader)->revision(operands[1]);
    if (!revision && revision.error().code == audit::AuditError::Code::NotFound)
        return fail(context, {Exit::BadInput, "the record keeps no revision \"" + operands[1] + '"'});
    if (!revision)
        return reportRecord(context, revision.error());
    context.out(revision->content); // as it stood in the file, to be put back
    return code(Exit::Ok);
}

} // namespace portcullis::cli
