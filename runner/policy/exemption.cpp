// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/exemption.h"

#include <algorithm>

namespace portcullis::policy {
namespace {

/// `*` any bytes, `?` one byte. Linear in the text for each `*`, no recursion.
bool globMatches(std::string_view pattern, std::string_view text)
{
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t retry = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            retry = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool argumentsMatch(const std::vector<std::string> &patterns, const std::vector<shell::Value> &args)
{
    const bool open = !patterns.empty() && patterns.back() == "**";
    const std::size_t fixed = patterns.size() - (open ? 1 : 0);
    if (open ? args.size() < fixed : args.size() != fixed)
        return false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const bool plain = args[i].known() && !args[i].isPattern();
        if (!plain || (i < fixed && !globMatches(patterns[i], args[i].text)))
            return false;
    }
    return true;
}

/// Redirections and assignments are no arguments: an exemption for a program does not reach them.
bool hasShape(const shell::Invocation &invocation, const Exemption &exemption)
{
    return invocation.name == exemption.program && invocation.program.known() && !invocation.guessed
        && invocation.assigns.empty() && invocation.redirects.empty()
        && argumentsMatch(exemption.args, invocation.args);
}

bool contains(const Span &outer, const Span &inner)
{
    return inner.start >= outer.start && inner.end() <= outer.end();
}

/// Every span must lie in an invocation of the shape, and in no other invocation that is as narrow.
bool shapeCovers(const Exemption &exemption, const Finding &finding)
{
    if (!finding.evaluation || finding.spans.empty())
        return false;
    return std::ranges::all_of(finding.spans, [&](const Span &span) {
        std::uint32_t narrowest = UINT32_MAX;
        bool covered = false;
        for (const shell::Invocation &invocation : finding.evaluation->invocations) {
            if (!contains(invocation.span, span) || invocation.span.length > narrowest)
                continue;
            const bool shaped = hasShape(invocation, exemption);
            covered = invocation.span.length < narrowest ? shaped : covered && shaped;
            narrowest = invocation.span.length;
        }
        return covered;
    });
}

} // namespace

bool answers(const Exemption &exemption, const Finding &finding)
{
    if (exemption.check != finding.check || !isExemptable(finding.check) || exemption.rule != finding.rule)
        return false;
    if (exemption.expiresUs && finding.timeUs >= *exemption.expiresUs)
        return false;
    if (!exemption.agent.empty() && exemption.agent != finding.agent)
        return false;
    if (!exemption.cwd.empty() && exemption.cwd != finding.cwd)
        return false;
    if (!exemption.command.empty())
        return exemption.command == finding.command;
    return !exemption.program.empty() && shapeCovers(exemption, finding);
}

} // namespace portcullis::policy
