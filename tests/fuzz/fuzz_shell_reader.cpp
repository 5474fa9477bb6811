// SPDX-License-Identifier: Apache-2.0

// Any bytes as shell text, in both dialects.

#include "runner/shell/reader.h"
#include "tests/fuzz/property.h"
#include "tests/support/describe_script.h"
#include "tests/support/walk_script.h"

#include <algorithm>

using namespace portcullis;
using namespace portcullis::shell;

namespace {

void staysInside(Span span, std::string_view text)
{
    PORTCULLIS_HOLDS(span.start <= text.size() && span.length <= text.size() - span.start);
}

void spansStayInside(const Reading &reading, std::string_view text)
{
    for (const Command *command : test::allCommands(reading.script)) {
        staysInside(command->span, text);
        for (const Word &word : command->words) {
            staysInside(word.span, text);
            for (const Piece &piece : word.pieces)
                staysInside(piece.span, text);
        }
        for (const Assign &assign : command->assigns)
            staysInside(assign.span, text);
        for (const Redirect &redirect : command->redirects)
            staysInside(redirect.span, text);
    }
    PORTCULLIS_HOLDS(!reading.stop || reading.stop->offset <= text.size());
}

/// With less room, either the same comes out or the reading says that it stopped.
void smallerLimitsAreSaid(std::string_view text, Dialect dialect, const Reading &whole, const ReadLimits &limits)
{
    const Reading cut = read(text, dialect, limits);
    spansStayInside(cut, text);
    PORTCULLIS_HOLDS(cut.steps <= limits.steps + 8 * (text.size() + 2));
    if (test::describe(cut.script) != test::describe(whole.script))
        PORTCULLIS_HOLDS(cut.stop.has_value());
    if (!whole.stop && cut.stop)
        PORTCULLIS_HOLDS(cut.stop->reason == DynamicReason::Budget);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text = fuzz::asText(data, size);
    for (const Dialect dialect : {Dialect::Bash, Dialect::Sh}) {
        const Reading whole = read(text, dialect);
        spansStayInside(whole, text);
        PORTCULLIS_HOLDS(test::describe(read(text, dialect).script) == test::describe(whole.script));
        const std::size_t choice = fuzz::choiceOf(text);
        smallerLimitsAreSaid(text, dialect, whole, {.nesting = 1 + static_cast<std::uint32_t>(choice % 5)});
        smallerLimitsAreSaid(text, dialect, whole, {.steps = choice % (4 * size + 1)});
    }
    return 0;
}
