// SPDX-License-Identifier: Apache-2.0

// Any bytes as a line of `replay --file`: read, written, masked, decided again.

#include "runner/decision/decision_json.h"
#include "runner/record/event_json.h"
#include "runner/record/masking.h"
#include "runner/replay/recorded_decision.h"
#include "runner/replay/replay.h"
#include "tests/fuzz/property.h"
#include "tests/support/field_cases.h"

#include <algorithm>

using namespace portcullis;
using record::Event;

namespace {

bool isOneLine(std::string_view text)
{
    return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void isWrittenAndReadAgain(const Event &event)
{
    const std::string written = record::toJson(event);
    PORTCULLIS_HOLDS(isOneLine(written));
    const auto again = record::eventFromJson(written);
    PORTCULLIS_HOLDS(again);
    PORTCULLIS_HOLDS(record::toJson(*again) == written);
    PORTCULLIS_HOLDS(again->command == event.command && again->verdict == event.verdict);
    PORTCULLIS_HOLDS(isOneLine(record::toCsv(event)));
}

void isMaskedOnce(Event event)
{
    record::maskSecrets(event);
    Event twice = event;
    record::maskSecrets(twice);
    PORTCULLIS_HOLDS(twice == event);
    for (const Span &mask : event.masks)
        PORTCULLIS_HOLDS(mask.start <= event.command.size() && mask.length <= event.command.size() - mask.start);
}

std::shared_ptr<const policy::Configuration> configuration()
{
    static const auto loaded = test::fieldConfiguration();
    PORTCULLIS_HOLDS(loaded);
    return loaded;
}

void isReplayed(const Event &event)
{
    replay::Plan plan;
    plan.against = [](const Event &) -> Result<std::shared_ptr<const policy::Configuration>, replay::Obstacle> {
        return configuration();
    };
    plan.baseline = plan.against;
    const replay::Row row = replay::replay(event, plan);
    PORTCULLIS_HOLDS(row.obstacle || row.change == replay::Change::Unchanged); // the same on both sides
    replay::Totals totals;
    totals.add(row);
    PORTCULLIS_HOLDS(totals.replayed == 1);
}

/// The texts inside a row are read by code of their own.
void partsAreReadAgain(std::string_view text)
{
    if (const auto facts = decision::readHostFacts(text)) {
        const std::string written = decision::hostFactsJson(*facts);
        const auto again = decision::readHostFacts(written);
        PORTCULLIS_HOLDS(again && decision::hostFactsJson(*again) == written);
    }
    if (const auto trace = decision::readTrace(text)) {
        const std::string written = decision::traceJson(*trace, std::string::npos);
        const auto again = decision::readTrace(written);
        PORTCULLIS_HOLDS(again && decision::traceJson(*again, std::string::npos) == written);
    }
    if (const auto blockers = decision::readBlockers(text))
        PORTCULLIS_HOLDS(decision::readBlockers(decision::blockersJson(*blockers)) == blockers);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
    return configuration()->tenants().empty() ? 1 : 0; // not in the time of the first input
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view line = fuzz::asText(data, size);
    partsAreReadAgain(line);
    const auto event = record::eventFromJson(line);
    if (!event)
        return 0;
    isWrittenAndReadAgain(*event);
    isMaskedOnce(*event);
    isReplayed(*event);
    const decision::Decision decision = replay::recordedDecision(*event);
    PORTCULLIS_HOLDS(decision.verdict == event->verdict);
    return 0;
}
