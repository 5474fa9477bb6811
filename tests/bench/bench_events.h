// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows as the engine records them: the field cases, decided once each, repeated with other ids and times.

#include "runner/decision/decision.h"
#include "runner/service/exec_event.h"
#include "tests/support/audit_events.h"
#include "tests/support/field_cases.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace portcullis::bench {

class RecordedCommands
{
public:
    /// `cwd` and the configuration of a gateway of one's own; else those of the field cases.
    explicit RecordedCommands(std::shared_ptr<const policy::Configuration> configuration = test::fieldConfiguration(),
                              const std::string &cwd = "/srv/gateway/workspace/tenants/acme")
    {
        for (const test::FieldCase &each : test::readFieldCases()) {
            decision::ExecRequest request;
            request.tenant = "acme";
            request.agent = "main";
            request.session = "bench";
            request.cwd = cwd;
            request.command = each.command.toStdString();
            request.timeUs = 1'790'000'000'000'000;
            decision::HostFacts facts;
            facts.landlockAbi = 7;
            facts.viewWorks = true;
            const decision::ReadCommands read = decision::readCommand(request, *configuration, facts);
            for (const decision::PathQuestion &question : decision::questions(request, *configuration, facts, read))
                facts.answers.emplace(question, question.path); // no links anywhere
            const decision::Decision decided = decision::decide(request, *configuration, facts, read);
            m_events.push_back(service::execEvent(request, decided, facts, "gw-01", "1:1"));
        }
    }

    /// The n-th of as many as one likes.
    [[nodiscard]] record::Event event(std::uint64_t n) const
    {
        record::Event event = m_events[n % m_events.size()];
        const record::Event other = test::deniedEvent(n);
        event.id = other.id;
        event.timeUs = other.timeUs;
        return event;
    }
    [[nodiscard]] const std::vector<record::Event> &distinct() const { return m_events; }

private:
    std::vector<record::Event> m_events;
};

} // namespace portcullis::bench
