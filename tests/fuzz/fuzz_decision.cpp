// SPDX-License-Identifier: Apache-2.0

// Any bytes as the command of an agent: read, evaluated and decided with all shipped rules.

#include "runner/decision/decision_json.h"
#include "runner/decision/readings.h"
#include "tests/fuzz/property.h"
#include "tests/support/decision_setup.h"
#include "tests/support/field_cases.h"

#include <algorithm>

using namespace portcullis;
using decision::Decision;

namespace {

decision::ExecRequest requestFor(std::string_view command, ShellChoice shell)
{
    decision::ExecRequest request = test::DecisionSetup().request;
    request.command = command;
    request.cwd = "/srv/gateway/data/tenants/acme/workspace";
    request.shell = shell;
    return request;
}

const policy::Configuration &configuration()
{
    static const auto loaded = test::fieldConfiguration();
    PORTCULLIS_HOLDS(loaded);
    return *loaded;
}

/// Every path leads where it says, as on a host without links.
Decision decide(std::string_view command, ShellChoice shell, decision::HostFacts facts)
{
    const decision::ExecRequest request = requestFor(command, shell);
    const auto questions = decision::questions(request, configuration(), facts);
    PORTCULLIS_HOLDS(questions.size() <= decision::maxPathQuestions);
    for (const decision::PathQuestion &question : questions) {
        PORTCULLIS_HOLDS(question.path.starts_with('/'));
        facts.answers[question] = question.path;
    }
    return decision::decide(request, configuration(), facts);
}

void makesSense(const Decision &decision, std::string_view command)
{
    Verdict strictest = Verdict::Allow;
    for (const decision::Blocker &blocker : decision.blockers)
        strictest = std::max(strictest, blocker.verdict);
    PORTCULLIS_HOLDS(decision.verdict == strictest);
    PORTCULLIS_HOLDS(decision.check.has_value() == (decision.verdict != Verdict::Allow));
    for (const decision::TraceEntry &entry : decision.trace) {
        for (const Span &span : entry.spans)
            PORTCULLIS_HOLDS(span.start <= command.size() && span.length <= command.size() - span.start);
    }
}

void isWrittenAndReadAgain(const Decision &decision)
{
    const auto blockers = decision::readBlockers(decision::blockersJson(decision.blockers));
    PORTCULLIS_HOLDS(blockers && *blockers == decision.blockers);
    const auto trace = decision::readTrace(decision::traceJson(decision.trace));
    PORTCULLIS_HOLDS(trace && !trace->empty());
    PORTCULLIS_HOLDS(decision::traceJson(decision.trace, 700).size() <= 700);
}

void isDecidedTheSameAgain(std::string_view command, const Decision &decision)
{
    const Decision again = decide(command, ShellChoice::Bash, test::bothWalls());
    PORTCULLIS_HOLDS(decision::toJson(decision, {}, {}, {}) == decision::toJson(again, {}, {}, {}));
}

/// Where nothing confines a command, one that was not read to its end is refused.
void isRefusedUnread(std::string_view command)
{
    const Decision unconfined = decide(command, ShellChoice::Sh, test::noLandlock());
    makesSense(unconfined, command);
    if (std::ranges::contains(unconfined.dynamic, DynamicReason::Budget))
        PORTCULLIS_HOLDS(unconfined.verdict == Verdict::Deny);
}

/// With less room the evaluation finds the same programs or says that it did not see everything.
void smallerLimitsAreSaid(std::string_view command)
{
    shell::EvaluationContext context;
    context.cwd = "/srv/gateway/data/tenants/acme/workspace";
    const shell::Evaluation whole = shell::evaluate(command, context);
    const std::size_t choice = fuzz::choiceOf(command);
    shell::EvaluationLimits limits;
    if (choice % 3 == 0)
        limits.steps = choice / 3 % 2000;
    else if (choice % 3 == 1)
        limits.nesting = static_cast<std::uint32_t>(choice / 3 % 6);
    else
        limits.invocations = static_cast<std::uint32_t>(choice / 3 % 6);
    const shell::Evaluation cut = shell::evaluate(command, context, limits);
    const auto reason = [](DynamicReason wanted) {
        return [wanted](const shell::DynamicNote &note) { return note.reason == wanted; };
    };
    if (std::ranges::any_of(cut.dynamic, reason(DynamicReason::Budget)))
        return;
    for (const shell::Invocation &invocation : whole.invocations)
        PORTCULLIS_HOLDS(std::ranges::contains(cut.invocations, invocation.name, &shell::Invocation::name));
}

/// A text that is the command with hidden or folded characters is never judged more mildly than the command.
void hidingNeverLoosens(std::string_view command, const Decision &plain)
{
    for (const decision::DerivedText &derived : decision::additionalTexts(command)) {
        const Decision seen = decide(derived.text, ShellChoice::Bash, test::bothWalls());
        PORTCULLIS_HOLDS(seen.verdict <= plain.verdict);
    }
    if (std::ranges::any_of(command, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
        return; // a character must not be split
    std::string hidden(command);
    hidden.insert(fuzz::choiceOf(command) % (hidden.size() + 1), "\xe2\x80\x8b"); // U+200B
    PORTCULLIS_HOLDS(decide(hidden, ShellChoice::Bash, test::bothWalls()).verdict >= plain.verdict);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
    return configuration().tenants().empty() ? 1 : 0; // not in the time of the first input
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view command = fuzz::asText(data, size);
    const Decision bash = decide(command, ShellChoice::Bash, test::bothWalls());
    makesSense(bash, command);
    isWrittenAndReadAgain(bash);
    switch (fuzz::choiceOf(command) / 64 % 3) { // each input pays for one of them
    case 0:
        isDecidedTheSameAgain(command, bash);
        isRefusedUnread(command);
        break;
    case 1:
        smallerLimitsAreSaid(command);
        break;
    default:
        hidingNeverLoosens(command, bash);
    }
    return 0;
}
