// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_test.h"

#include "runner/config/json5.h"
#include "runner/decision/decision_json.h"
#include "ui/text/decision_text.h"
#include "ui/text/problem_text.h"
#include "ui/text/visible_text.h"

#include <algorithm>
#include <format>

namespace portcullis::cli {
namespace {

using policy::PolicyTest;

struct Failed {
    std::string tenant;
    const PolicyTest *test = nullptr;
    decision::Decision decision;
};

struct Tally {
    std::size_t run = 0;
    std::vector<Failed> failed;
};

decision::HostFacts idealHost()
{
    decision::HostFacts facts;
    facts.landlockAbi = 7;
    facts.viewWorks = true;
    facts.engine = decision::EngineState::Up;
    return facts;
}

void testTenant(const policy::Configuration &configuration, const std::string &tenant, const decision::HostFacts &facts,
                std::int64_t nowUs, Tally &tally)
{
    for (const PolicyTest &test : configuration.effective(tenant, {}).tests) {
        decision::ExecRequest request;
        request.command = test.command;
        request.tenant = tenant;
        request.timeUs = nowUs;
        if (!test.agent.empty())
            request.agent = test.agent;
        decision::Decision decision = decision::decide(request, configuration, facts);
        ++tally.run;
        if (decision.verdict != test.expect)
            tally.failed.push_back({tenant, &test, std::move(decision)});
    }
}

/// What a policy can name: the rule and its group, else the check.
std::string nameOfDecider(const decision::Decision &decision)
{
    if (decision.rule.empty())
        return decision.check ? "; check " + std::string(nameOf(*decision.check)) : std::string();
    return "; rule " + decision.rule + (decision.group ? ", group " + std::string(nameOf(*decision.group)) : "");
}

std::string failedLine(const Failed &failed)
{
    std::string line = text::sourceText(failed.test->source).toStdString()
        + (failed.test->source.line > 0 ? std::format(":{}", failed.test->source.column) : "") + ": expected "
        + std::string(nameOf(failed.test->expect)) + ", got " + std::string(nameOf(failed.decision.verdict));
    if (failed.decision.verdict != Verdict::Allow)
        line += " (" + text::explain(failed.decision).title.toStdString() + nameOfDecider(failed.decision) + ")";
    return line + ": " + text::visibleText(failed.test->command).toStdString() + '\n';
}

std::string failedJson(const Failed &failed)
{
    return std::format(R"({{"tenant":{},"file":{},"line":{},"command":{},"expected":"{}","verdict":"{}","rule":{}}})",
                       config::quoteJson(failed.tenant), config::quoteJson(failed.test->source.file),
                       failed.test->source.line, config::quoteJson(failed.test->command), nameOf(failed.test->expect),
                       nameOf(failed.decision.verdict), config::quoteJson(failed.decision.rule));
}

void report(CommandContext &context, const Tally &tally)
{
    std::string out;
    if (context.arguments().has("json")) {
        for (const Failed &failed : tally.failed)
            out += (out.empty() ? "" : ",") + failedJson(failed);
        context.out(std::format(R"({{"tests":{},"failed":[{}]}})", tally.run, out) + '\n');
        return;
    }
    for (const Failed &failed : tally.failed)
        out += failedLine(failed);
    context.out(out + std::format("{} of {} tests as expected\n", tally.run - tally.failed.size(), tally.run));
}

} // namespace

int testPolicy(CommandContext &context, const policy::Configuration &configuration, const std::string &tenant)
{
    Tally tally;
    testTenant(configuration, tenant, idealHost(), CommandContext::nowUs(), tally);
    for (const Failed &failed : tally.failed)
        context.err(failedLine(failed));
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
        context.err(facts ? "policy: usage: policy test [--tenant SLUG] [--assume FACTS]\n"
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
