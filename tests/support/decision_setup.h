// SPDX-License-Identifier: Apache-2.0
#pragma once

// A request, a configuration and a host as values, to be changed by a test in one or two places.

#include "runner/decision/decision.h"
#include "tests/support/configuration_builder.h"

#include <QByteArray>
#include <QTest>

#include <memory>
#include <string>

namespace portcullis::test {

/// Host facts of the everyday kinds.
[[nodiscard]] inline decision::HostFacts bothWalls()
{
    decision::HostFacts facts;
    facts.landlockAbi = 7;
    facts.viewWorks = true;
    return facts;
}
[[nodiscard]] inline decision::HostFacts landlockAlone(int abi = 7)
{
    decision::HostFacts facts;
    facts.landlockAbi = abi;
    facts.viewFailedStep = "unshare";
    return facts;
}
[[nodiscard]] inline decision::HostFacts noLandlock()
{
    return {};
}

/// The gateway of the field cases: /srv/gateway with the tenants acme, acme-corp and globex; an agent of acme asks.
class DecisionSetup
{
public:
    explicit DecisionSetup(decision::HostFacts hostFacts = bothWalls()) : facts(std::move(hostFacts))
    {
        request.tenant = "acme";
        request.timeUs = 1'800'000'000'000'000;
    }

    decision::ExecRequest request;
    decision::HostFacts facts;
    std::string gatewayKeys; ///< more top-level members of the gateway's file
    std::string sandbox = "mode: 'off'"; ///< members of agents.defaults.sandbox
    std::string hostPolicy = "allow";
    std::string policyKeys; ///< more members of acme's policy
    std::string rules; ///< members of a `rules` array, built in

    [[nodiscard]] std::shared_ptr<const policy::Configuration> configuration() const
    {
        ConfigurationBuilder builder;
        builder.gateway("{data_dir: '/srv/gateway/data', agents: {defaults: {workspace: '/srv/gateway/workspace', "
                        "sandbox: {"
                        + sandbox + "}}}, tools: {exec: {tenant_host_policy: '" + hostPolicy + "'}}" + gatewayKeys
                        + "}");
        builder.policy("acme", policyKeys).policy("acme-corp").policy("globex");
        builder.rules("{\"version\": 1, \"rules\": [" + rules + "]}");
        std::shared_ptr<const policy::Configuration> loaded = builder.load();
        if (!loaded) {
            for (const policy::Problem &problem : builder.problems())
                qWarning("configuration: %s %s %s", problem.code.c_str(), problem.pointer.c_str(),
                         problem.found.c_str());
            qFatal("the test's configuration does not load");
        }
        return loaded;
    }

    [[nodiscard]] decision::Decision decide(std::string command) const
    {
        decision::ExecRequest asked = request;
        asked.command = std::move(command);
        return decision::decide(asked, *configuration(), facts);
    }
};

/// What decided, as `deny path_guard other_tenant` or `allow`.
[[nodiscard]] inline QByteArray summary(const decision::Decision &decision)
{
    QByteArray text = QByteArray::fromStdString(std::string(nameOf(decision.verdict)));
    if (decision.check)
        text += ' ' + QByteArray::fromStdString(std::string(nameOf(*decision.check)));
    const std::string &what = decision.rule.empty() ? decision.code : decision.rule;
    if (!what.empty())
        text += ' ' + QByteArray::fromStdString(what);
    return text;
}

/// The first entry of the trace with this check and code, or an empty one.
[[nodiscard]] inline decision::TraceEntry entryOf(const decision::Decision &decision, Check check,
                                                  std::string_view code = {})
{
    for (const decision::TraceEntry &entry : decision.trace) {
        if (entry.check == check && (code.empty() || entry.code == code))
            return entry;
    }
    return {};
}

[[nodiscard]] inline bool blockedBy(const decision::Decision &decision, Check check)
{
    return std::ranges::contains(decision.blockers, check, &decision::Blocker::check);
}

} // namespace portcullis::test
