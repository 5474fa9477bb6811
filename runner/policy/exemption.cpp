// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/exemption.h"

#include "runner/policy/argument_pattern.h"
#include "runner/shell/made_links.h"

#include <algorithm>

namespace portcullis::policy {
namespace {

/// Redirections and assignments are no arguments: an exemption for a program does not reach them.
bool hasShape(const shell::Invocation &invocation, const Exemption &exemption, const ArgumentPlace &place)
{
    return invocation.name == exemption.program && invocation.program.known() && !invocation.guessed
        && invocation.assigns.empty() && invocation.redirects.empty()
        && argumentsMatch(exemption.args, invocation, place);
}

bool contains(const Span &outer, const Span &inner)
{
    return inner.start >= outer.start && inner.end() <= outer.end();
}

class Cover
{
public:
    Cover(const Exemption &exemption, const Finding &finding)
        : m_exemption(exemption)
        , m_finding(finding)
        , m_place{finding.evaluation->cwd, shell::madeLinks(*finding.evaluation), finding.resolve}
    {
    }

    /// The span must lie in an invocation of the shape, and in no other that is as narrow. What a launcher of the shape
    /// starts stands in the launcher's own words: it counts only where the rule has found something in it.
    bool covers(const Span &span) const
    {
        const std::vector<shell::Invocation> &all = m_finding.evaluation->invocations;
        std::uint32_t narrowest = UINT32_MAX;
        for (const shell::Invocation &invocation : all) {
            if (contains(invocation.span, span))
                narrowest = std::min(narrowest, invocation.span.length);
        }
        bool covered = false;
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            if (!contains(all[i].span, span) || all[i].span.length != narrowest)
                continue;
            if (hasShape(all[i], m_exemption, m_place))
                covered = true;
            else if (!startedByShape(i))
                return false;
        }
        return covered;
    }

private:
    bool startedByShape(std::uint32_t index) const
    {
        const shell::Invocation &invocation = m_finding.evaluation->invocations[index];
        return std::ranges::contains(invocation.via, m_exemption.program)
            && !std::ranges::contains(m_finding.invocations, index) && !m_finding.invocations.empty();
    }

    const Exemption &m_exemption;
    const Finding &m_finding;
    ArgumentPlace m_place;
};

bool shapeCovers(const Exemption &exemption, const Finding &finding)
{
    if (!finding.evaluation || finding.spans.empty() || !finding.complete)
        return false;
    const Cover cover(exemption, finding);
    return std::ranges::all_of(finding.spans, [&](const Span &span) { return cover.covers(span); });
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
