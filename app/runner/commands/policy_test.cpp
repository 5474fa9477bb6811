// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_test.h"

#include "runner/config/json5.h"
#include "runner/decision/decision_json.h"
#include "runner/policy/tenant_policy.h"
#include "ui/text/decision_text.h"
#include "ui/text/problem_text.h"
#include "ui/text/visible_text.h"

#include <algorithm>
#include <format>

namespace portcullis::cli {
namespace {

using policy::PolicyTest;

/// A test with another verdict than it expects.
struct Differing {
    std::string tenant;
    const PolicyTest *test = nullptr;
    decision::Decision decision;
    const policy::Exemption *exemption = nullptr; ///< what lets the command through, where nothing else is different
};

struct Tally {
    std::size_t run = 0;
    std::vector<Differing> failed;
    std::vector<Differing> exempted; ///< as expected but for an exemption: no failures
};

decision::HostFacts idealHost()
{
    decision::HostFacts facts;
    facts.landlockAbi = 7;
    facts.viewWorks = true;
    facts.engine = decision::EngineState::Up;
    return facts;
}

/// The same configuration with no exemptions; null where it cannot be made.
std::shared_ptr<const policy::Configuration> withoutExemptions(const policy::Configuration &configuration)
{
    auto json = config::readJson5(configuration.canonicalText());
    if (!json)
        return nullptr;
    for (config::Json::Member &part : json->object) {
        if (part.key != "policies")
            continue;
        for (config::Json::Member &policy : part.value.object)
            std::erase_if(policy.value.object, [](const auto &member) { return member.key == "exemptions"; });
    }
    auto loaded = policy::Configuration::loadCanonical(config::writeJson(*json), configuration.tenants());
    return loaded ? std::move(*loaded) : nullptr;
}

/// The exemption that took part in a decision.
const policy::Exemption *exemptionOf(const policy::Configuration &configuration, const decision::ExecRequest &request,
                                     const decision::Decision &decision)
{
    const auto entry = std::ranges::find_if(decision.trace, [](const auto &each) { return !each.exemption.empty(); });
    if (entry == decision.trace.end())
        return nullptr;
    const auto &all = configuration.effective(request.tenant, request.agent).exemptions;
    const auto found = std::ranges::find(all, entry->exemption, &policy::Exemption::id);
    return found == all.end() ? nullptr : &*found;
}

void testTenant(const policy::Configuration &configuration, const std::string &tenant, const decision::HostFacts &facts,
                std::int64_t nowUs, Tally &tally)
{
    std::shared_ptr<const policy::Configuration> plain; // made where a test needs it
    for (const PolicyTest &test : configuration.effective(tenant, {}).tests) {
        decision::ExecRequest request;
        request.command = test.command;
        request.tenant = tenant;
        request.timeUs = nowUs;
        if (!test.agent.empty())
            request.agent = test.agent;
        decision::Decision decision = decision::decide(request, configuration, facts);
        ++tally.run;
        if (decision.verdict == test.expect)
            continue;
        const policy::Exemption *exemption = exemptionOf(configuration, request, decision);
        if (exemption && !plain)
            plain = withoutExemptions(configuration);
        const bool exempted = exemption && plain && decision::decide(request, *plain, facts).verdict == test.expect;
        (exempted ? tally.exempted : tally.failed)
            .push_back({tenant, &test, std::move(decision), exempted ? exemption : nullptr});
    }
}

/// What a policy can name: the rule and its group, else the check.
std::string nameOfDecider(const decision::Decision &decision)
{
    if (decision.rule.empty())
        return decision.check ? "; check " + std::string(nameOf(*decision.check)) : std::string();
    return "; rule " + decision.rule + (decision.group ? ", group " + std::string(nameOf(*decision.group)) : "");
}

std::string exemptedWords(const policy::Exemption &exemption)
{
    const auto shown = [](const std::string &text) { return text::visibleText(text).toStdString(); };
    return "exempted " + (exemption.expiresUs ? "until " + policy::writeTime(*exemption.expiresUs) : "without an end")
        + (exemption.by.empty() ? std::string() : " by " + shown(exemption.by)) + " (exemption " + shown(exemption.id)
        + ")";
}

std::string differingLine(const Differing &differing)
{
    const policy::Source &source = differing.test->source;
    std::string line = text::sourceText(source).toStdString()
        + (source.line > 0 ? std::format(":{}", source.column) : "") + ": "
        + (differing.exemption ? exemptedWords(*differing.exemption) + ": " : std::string()) + "expected "
        + std::string(nameOf(differing.test->expect)) + ", got " + std::string(nameOf(differing.decision.verdict));
    if (differing.decision.verdict != Verdict::Allow)
        line += " (" + text::explain(differing.decision).title.toStdString() + nameOfDecider(differing.decision) + ")";
    return line + ": " + text::visibleText(differing.test->command).toStdString() + '\n';
}

std::string linesOf(const std::vector<Differing> &list)
{
    std::string out;
    for (const Differing &differing : list)
        out += differingLine(differing);
    return out;
}

std::string exemptionJson(const policy::Exemption &exemption)
{
    return std::format(R"(,"exemption":{},"expires":{},"by":{})", config::quoteJson(exemption.id),
                       exemption.expiresUs ? config::quoteJson(policy::writeTime(*exemption.expiresUs)) : "null",
                       config::quoteJson(exemption.by));
}

std::string listJson(const std::vector<Differing> &list)
{
    std::string out;
    for (const Differing &each : list)
        out +=
            (out.empty() ? "" : ",")
            + std::format(
                R"({{"tenant":{},"file":{},"line":{},"command":{},"expected":"{}","verdict":"{}","rule":{}{}}})",
                config::quoteJson(each.tenant), config::quoteJson(each.test->source.file), each.test->source.line,
                config::quoteJson(each.test->command), nameOf(each.test->expect), nameOf(each.decision.verdict),
                config::quoteJson(each.decision.rule), each.exemption ? exemptionJson(*each.exemption) : std::string());
    return '[' + out + ']';
}

void report(CommandContext &context, const Tally &tally)
{
    if (context.arguments().has("json")) {
        context.out(std::format(R"({{"tests":{},"failed":{},"exempted":{}}})", tally.run, listJson(tally.failed),
                                listJson(tally.exempted))
                    + '\n');
        return;
    }
    const std::size_t good = tally.run - tally.failed.size() - tally.exempted.size();
    context.out(linesOf(tally.exempted) + linesOf(tally.failed)
                + std::format("{} of {} tests as expected", good, tally.run)
                + (tally.exempted.empty() ? "" : std::format(", {} exempted", tally.exempted.size())) + '\n');
}

/// A gate must not open unseen because it looked in the wrong place.
void noteNoTests(CommandContext &context, const std::string &tenant, const std::string &folder)
{
    context.err("policy: note: there are no tests in "
                + (tenant.empty() ? "the policies of " + folder : "the policy of " + tenant + " in " + folder)
                + "; a policy holds them under \"tests\"\n");
}

} // namespace

int testPolicy(CommandContext &context, const policy::Configuration &configuration, const std::string &tenant)
{
    Tally tally;
    testTenant(configuration, tenant, idealHost(), CommandContext::nowUs(), tally);
    context.err(linesOf(tally.exempted) + linesOf(tally.failed));
    if (tally.failed.empty())
        return code(Exit::Ok);
    context.err(std::format("policy: {} of {} tests of the draft fail, so it was not published\n", tally.failed.size(),
                            tally.run));
    return code(Exit::Findings);
}

int policyTest(CommandContext &context)
{
    const Arguments &arguments = context.arguments();
    const std::string tenant = arguments.value("tenant").value_or(std::string());
    const auto facts = decision::assume(idealHost(), arguments.value("assume").value_or(std::string()));
    if (!facts || arguments.operands.size() > 1) {
        context.err(facts ? "policy: usage: policy test [--tenant SLUG] [--assume FACTS]; a draft is tested with "
                            "policy publish FILE "
                            "--message TEXT --dry-run, a folder of drafts with --policies DIR\n"
                          : "policy: --assume: '" + facts.error().part + "' is not accepted; it takes "
                            + facts.error().allowed + '\n');
        return code(Exit::Usage);
    }
    const auto configuration = context.configuration();
    if (!configuration)
        return code(Exit::Configuration);
    std::vector<std::string> tenants = tenant.empty() ? configuration->tenants() : std::vector<std::string>{tenant};
    if (tenant.empty())
        tenants.emplace_back(policy::masterTenant);
    Tally tally;
    bool loads = true;
    for (const std::string &slug : tenants) {
        if (configuration->isKnown(slug) && !configuration->isBroken(slug))
            testTenant(*configuration, slug, *facts, CommandContext::nowUs(), tally);
        else
            loads = false; // tests of a policy that cannot be read are not counted
    }
    if (loads || tally.run > 0)
        report(context, tally);
    if (loads && tally.run == 0)
        noteNoTests(context, tenant, configuration->paths().policiesDir);
    if (!loads) {
        if (tenant.empty())
            context.err(text::problemLines(configuration->problems()));
        else
            context.reportTenant(tenant);
        return code(Exit::Configuration);
    }
    return code(tally.failed.empty() ? Exit::Ok : Exit::Findings);
}

} // namespace portcullis::cli
