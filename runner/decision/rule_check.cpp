// SPDX-License-Identifier: Apache-2.0

// Check 4: the deny rules of the engine and of the tenant's policy, over every reading.

#include "runner/decision/case_file.h"

#include <algorithm>

namespace portcullis::decision {
namespace {

class RuleCheck
{
public:
    RuleCheck(const CaseFile &file, std::vector<shell::DynamicNote> &notes) : m_file(file), m_notes(notes) { }

    void look(const rules::RuleSet &rules, bool tenantRules, const ReadCommand &reading);
    /// In the order of the groups, rules without a group last, whichever reading showed them: so the same rule is named
    /// for the same command, however it is disguised.
    Findings take()
    {
        if (m_findings.empty())
            m_findings.push_back(passed(Check::DenyRules));
        std::ranges::stable_sort(m_findings, {}, [](const Finding &finding) {
            return finding.entry.group ? static_cast<std::size_t>(*finding.entry.group) : Names<Group>::all.size();
        });
        return std::move(m_findings);
    }

private:
    Finding judge(const rules::RuleHit &hit, bool tenantRules, const ReadCommand &reading) const;
    [[nodiscard]] policy::Source sourceOf(const rules::Rule &rule, bool tenantRules) const;
    [[nodiscard]] bool known(const rules::Rule &rule) const
    {
        return std::ranges::contains(m_findings, &rule, &Finding::rule);
    }

    const CaseFile &m_file;
    std::vector<shell::DynamicNote> &m_notes;
    Findings m_findings;
};

void RuleCheck::look(const rules::RuleSet &rules, bool tenantRules, const ReadCommand &reading)
{
    rules::RuleMatches matches = rules.match(reading.evaluation, reading.text(m_file.request));
    for (const rules::RuleHit &hit : matches.hits) {
        if (!known(*hit.rule))
            m_findings.push_back(judge(hit, tenantRules, reading));
    }
    if (reading.raw)
        m_notes.insert(m_notes.end(), std::move_iterator(matches.dynamic.begin()),
                       std::move_iterator(matches.dynamic.end()));
}

/// The key that makes a rule refuse: the group's switch, or the rule's place in the tenant's policy.
policy::Source RuleCheck::sourceOf(const rules::Rule &rule, bool tenantRules) const
{
    if (tenantRules) {
        policy::Source source;
        source.layer = Layer::Tenant;
        if (!m_file.paths.policiesDir.empty())
            source.file = m_file.paths.policiesDir + '/' + m_file.request.tenant + ".json";
        source.line = rule.line;
        source.column = rule.column;
        source.pointer = "/rules";
        return source;
    }
    if (!rule.group)
        return {};
    policy::Source source = m_file.effective.denyGroups.at(static_cast<std::size_t>(*rule.group)).source;
    if (source.pointer.empty())
        source.pointer = "/deny_groups/" + std::string(nameOf(*rule.group));
    return source;
}

Finding RuleCheck::judge(const rules::RuleHit &hit, bool tenantRules, const ReadCommand &reading) const
{
    const rules::Rule &rule = *hit.rule;
    Finding finding = refused(Check::DenyRules, reading.raw ? "" : "hidden_reading");
    finding.rule = &rule;
    finding.entry.verdict = rule.verdict;
    finding.entry.group = rule.group;
    finding.entry.rule = rule.id;
    finding.entry.title = rule.title;
    finding.entry.spans = reading.rawSpans(hit.spans);
    finding.entry.source = sourceOf(rule, tenantRules);
    const bool off = rule.group && *rule.group != Group::PathGuard
        && !m_file.effective.denyGroups.at(static_cast<std::size_t>(*rule.group)).value;
    if (off)
        finding.entry.code = "group_off";
    else
        finding.entry.exemption = exemptionFor(m_file, hit, reading);
    if (off || !finding.entry.exemption.empty() || rule.verdict == Verdict::Allow) {
        finding.entry.outcome = CheckOutcome::Noted;
        finding.entry.verdict = Verdict::Allow;
    }
    return finding;
}

} // namespace

Findings checkRules(const CaseFile &file, std::span<const ReadCommand> readings, std::vector<shell::DynamicNote> &notes)
{
    RuleCheck check(file, notes);
    for (const ReadCommand &reading : readings) {
        check.look(file.configuration.builtinRules(), false, reading);
        if (file.effective.tenantRules)
            check.look(*file.effective.tenantRules, true, reading);
    }
    return check.take();
}

} // namespace portcullis::decision
