// SPDX-License-Identifier: Apache-2.0

// Any bytes as a text in which secrets are masked.

#include "runner/record/masking.h"
#include "runner/record/secret_finder.h"
#include "tests/fuzz/property.h"

using namespace portcullis;
using record::Masked;
using record::MaskedPart;

namespace {

/// Outside its parts the text is what it was; each part is a mark.
void replacesNothingElse(const Masked &masked, std::string_view original)
{
    std::string rebuilt;
    std::size_t from = 0;
    for (const MaskedPart &part : masked.parts) {
        PORTCULLIS_HOLDS(part.original.start >= from && part.original.length > 0);
        PORTCULLIS_HOLDS(part.original.end() <= original.size());
        rebuilt += original.substr(from, part.original.start - from);
        PORTCULLIS_HOLDS(part.mark.start == rebuilt.size() && part.mark.end() <= masked.text.size());
        const std::string mark = masked.text.substr(part.mark.start, part.mark.length);
        PORTCULLIS_HOLDS(mark.starts_with(record::markStart) && mark.ends_with("_"));
        rebuilt += mark;
        from = part.original.end();
    }
    rebuilt += original.substr(from);
    PORTCULLIS_HOLDS(rebuilt == masked.text);
}

void spansStayInside(const Masked &masked, std::string_view original)
{
    const std::size_t choice = fuzz::choiceOf(original);
    const auto start = static_cast<std::uint32_t>(choice % (original.size() + 1));
    const auto length = static_cast<std::uint32_t>(choice / 7 % (original.size() - start + 1));
    for (const Span &span :
         record::mapSpans({{start, length}, {0, static_cast<std::uint32_t>(original.size())}}, masked.parts))
        PORTCULLIS_HOLDS(span.start <= masked.text.size() && span.length <= masked.text.size() - span.start);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text = fuzz::asText(data, size);
    const Masked plain = record::mask(text);
    replacesNothingElse(plain, text);
    spansStayInside(plain, text);
    PORTCULLIS_HOLDS(record::mask(plain.text).text == plain.text);
    for (const Dialect dialect : {Dialect::Bash, Dialect::Sh}) {
        const Masked command = record::maskCommand(text, dialect);
        replacesNothingElse(command, text);
        spansStayInside(command, text);
        PORTCULLIS_HOLDS(record::maskCommand(command.text, dialect).text == command.text);
    }
    record::Output output{.out = std::string(text), .err = std::string(text.substr(size / 2))};
    const bool any = record::maskSecrets(output);
    PORTCULLIS_HOLDS(any == (output.out != text || output.err != text.substr(size / 2)));
    PORTCULLIS_HOLDS(!record::maskSecrets(output));
    return 0;
}
