// SPDX-License-Identifier: Apache-2.0

// Any bytes as a tenant's policy and as the gateway's file.

#include "tests/fuzz/property.h"
#include "tests/support/configuration_builder.h"
#include "tests/support/decision_setup.h"

#include <algorithm>

using namespace portcullis;
using policy::Problem;

namespace {

constexpr const char *rules = R"({"version": 1, "group": "env_dump", "rules": [{"id": "dump", "title": "t",
    "reason": "r", "advice": "a", "program": "printenv", "match": ["printenv"], "not_match": ["ls"]}]})";

void problemsArePlaced(const std::vector<Problem> &problems, std::string_view text)
{
    const auto ends = std::ranges::count_if(text, [](char c) { return c == '\n' || c == '\r'; });
    for (const Problem &problem : problems) {
        PORTCULLIS_HOLDS(!problem.code.empty());
        PORTCULLIS_HOLDS(problem.line <= static_cast<std::size_t>(ends) + 1);
        PORTCULLIS_HOLDS(problem.column <= text.size() + 1);
        PORTCULLIS_HOLDS((problem.line == 0) == (problem.column == 0));
    }
}

/// What the record keeps of a configuration decides as the configuration did.
void isWrittenAndReadAgain(const policy::Configuration &loaded)
{
    const auto again = policy::Configuration::loadCanonical(loaded.canonicalText(), loaded.tenants());
    PORTCULLIS_HOLDS(again);
    PORTCULLIS_HOLDS((*again)->digest() == loaded.digest());
    PORTCULLIS_HOLDS((*again)->canonicalText() == loaded.canonicalText());
    decision::ExecRequest request = test::DecisionSetup().request;
    request.command = "printenv > /tmp/y";
    const auto before = decision::decide(request, loaded, test::bothWalls());
    const auto after = decision::decide(request, **again, test::bothWalls());
    // Why a policy is broken is not kept.
    PORTCULLIS_HOLDS(loaded.isBroken("acme") || before.blockers == after.blockers);
    PORTCULLIS_HOLDS(!loaded.isBroken("acme") || before.check == Check::Configuration);
    PORTCULLIS_HOLDS(before.check == after.check && before.verdict == after.verdict);
}

void asPolicy(const std::string &text)
{
    test::ConfigurationBuilder builder;
    const auto loaded = builder.rules(rules).policyFile("acme", text).load();
    PORTCULLIS_HOLDS(loaded); // one tenant's file does not harm the others
    problemsArePlaced(loaded->problems(), text);
    const bool wrong = std::ranges::contains(loaded->problems(), Problem::Severity::Error, &Problem::severity);
    PORTCULLIS_HOLDS(loaded->isBroken("acme") == wrong);
    isWrittenAndReadAgain(*loaded);
}

void asGateway(const std::string &text)
{
    test::ConfigurationBuilder builder;
    const auto loaded = builder.rules(rules).gateway(text).policy("acme").load();
    problemsArePlaced(builder.problems(), text);
    const bool wrong = std::ranges::contains(builder.problems(), Problem::Severity::Error, &Problem::severity);
    PORTCULLIS_HOLDS(wrong == !loaded);
    if (loaded)
        isWrittenAndReadAgain(*loaded);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text(fuzz::asText(data, size));
    asPolicy(text);
    asGateway(text);
    return 0;
}
