// SPDX-License-Identifier: Apache-2.0

// Checks on the text itself: what is accepted at all, and whether it reads differently to different eyes.

#include "runner/base/utf8.h"
#include "runner/decision/case_file.h"

#include <algorithm>

namespace portcullis::decision {
namespace {

/// The longest argument that execve(2) takes is 128 KiB with its NUL (MAX_ARG_STRLEN), so `sh -c` takes one byte less.
constexpr std::size_t longestCommand = 128 * 1024 - 1;

Finding at(Finding finding, std::size_t offset, std::size_t length)
{
    finding.entry.spans.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(length)});
    return finding;
}

/// The characters that look like others or like nothing, as raw spans, neighbours joined.
std::vector<Span> foldingSpans(std::string_view raw)
{
    std::vector<Span> spans;
    std::size_t offset = 0;
    while (offset < raw.size()) {
        const std::uint32_t length = utf8At(raw, offset).length;
        const std::string_view character = raw.substr(offset, length);
        const bool plain = length == 1;
        const std::vector<DerivedText> other = plain ? std::vector<DerivedText>() : additionalTexts(character);
        if (!other.empty()) {
            const auto start = static_cast<std::uint32_t>(offset);
            if (!spans.empty() && spans.back().end() == start)
                spans.back().length += length;
            else
                spans.push_back({start, length});
        }
        offset += length;
    }
    return spans;
}

} // namespace

Findings checkInput(const ExecRequest &request)
{
    Findings findings;
    const std::string_view command = request.command;
    if (const std::size_t nul = command.find('\0'); nul != std::string_view::npos)
        findings.push_back(at(refused(Check::Input, "nul_byte"), nul, 1));
    if (const std::size_t bad = firstInvalidUtf8(command); bad != std::string_view::npos)
        findings.push_back(at(refused(Check::Input, "invalid_utf8"), bad, 1));
    if (command.size() > longestCommand)
        findings.push_back(refused(Check::Input, "too_long", std::to_string(command.size())));
    if (findings.empty())
        findings.push_back(passed(Check::Input));
    return findings;
}

Findings checkReadings(const CaseFile &file, std::span<const ReadCommand> readings)
{
    const bool differ = std::ranges::any_of(readings, [&](const ReadCommand &reading) {
        return !reading.raw && readingsDiffer(readings.front().evaluation, reading.evaluation);
    });
    if (!differ)
        return {passed(Check::Readings)};
    Finding finding = noted(Check::Readings, "obfuscated");
    finding.entry.spans = foldingSpans(file.request.command);
    return {finding};
}

} // namespace portcullis::decision
