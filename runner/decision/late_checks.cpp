// SPDX-License-Identifier: Apache-2.0

// Checks 10 and 11: what the text does not show, and whether a person has to agree.

#include "runner/decision/case_file.h"
#include "runner/rules/glob.h"

#include <algorithm>

namespace portcullis::decision {
namespace {

/// Reasons on which `on_dynamic` acts; the others are notes.
bool acts(DynamicReason reason)
{
    return reason == DynamicReason::Program || reason == DynamicReason::Budget || reason == DynamicReason::Syntax;
}

Verdict verdictFor(const CaseFile &file)
{
    switch (file.effective.onDynamic.value) {
    case OnDynamic::Allow:
        return Verdict::Allow;
    case OnDynamic::Ask:
        return Verdict::Ask;
    case OnDynamic::Deny:
        return Verdict::Deny;
    case OnDynamic::Backend:
        break;
    }
    return file.level.level == Level::None ? Verdict::Deny : Verdict::Allow;
}

void sortUnique(std::vector<Span> &spans)
{
    std::ranges::sort(spans);
    const auto repeated = std::ranges::unique(spans);
    spans.erase(repeated.begin(), repeated.end());
}

/// One entry for all notes of a reason.
Finding gathered(DynamicReason reason, const std::vector<const shell::DynamicNote *> &notes)
{
    Finding finding = noted(Check::Dynamic, "dynamic_" + std::string(nameOf(reason)));
    finding.entry.rule = nameOf(reason);
    for (const shell::DynamicNote *note : notes) {
        if (note->reason != reason)
            continue;
        if (finding.entry.detail.empty())
            finding.entry.detail = note->detail;
        if (note->span.length > 0)
            finding.entry.spans.push_back(note->span);
    }
    sortUnique(finding.entry.spans);
    return finding;
}

/// The allow-list of goclaw's approval settings.
class Allowlist
{
public:
    explicit Allowlist(const std::vector<std::string> &patterns)
    {
        for (const std::string &pattern : patterns) {
            // A pattern that cannot be read lists nothing.
            if (auto globs = rules::Glob::parse(pattern, rules::Glob::Flavour::Name))
                m_globs.insert(m_globs.end(), globs->begin(), globs->end());
        }
    }
    [[nodiscard]] bool has(std::string_view text) const
    {
        return std::ranges::any_of(m_globs, [&](const rules::Glob &glob) { return glob.matches(text); });
    }

private:
    std::vector<rules::Glob> m_globs;
};

/// What is not on the list: neither the command as a whole nor, by base name, each of its programs.
std::optional<std::vector<Span>> unlisted(const CaseFile &file, const ReadCommand &raw)
{
    const Allowlist list(file.effective.approval.allowlist.value);
    if (list.has(file.request.command))
        return std::nullopt;
    std::vector<Span> spans;
    for (const shell::Invocation &invocation : raw.evaluation.invocations) {
        if (!invocation.builtin && (invocation.name.empty() || !list.has(invocation.name)))
            spans.push_back(invocation.span);
    }
    for (const shell::DynamicNote &note : raw.evaluation.dynamic) {
        if (acts(note.reason))
            spans.push_back(note.span);
    }
    if (spans.empty())
        return std::nullopt;
    std::ranges::sort(spans);
    return spans;
}

/// What goclaw's approval keys say; an entry that is `Passed` when they ask nothing.
Finding approvalFinding(const CaseFile &file, const ReadCommand &raw)
{
    const policy::ApprovalSettings &approval = file.effective.approval;
    if (approval.security.value == ApprovalSecurity::Deny) {
        Finding finding = refused(Check::Approval, "approval_refuses_all");
        finding.entry.source = approval.security.source;
        return finding;
    }
    if (approval.ask.value == ApprovalAsk::Always) {
        Finding finding = refused(Check::Approval, "approval_always");
        finding.entry.verdict = Verdict::Ask;
        finding.entry.source = approval.ask.source;
        return finding;
    }
    const bool listed =
        approval.security.value == ApprovalSecurity::Allowlist || approval.ask.value == ApprovalAsk::OnMiss;
    std::optional<std::vector<Span>> spans = listed ? unlisted(file, raw) : std::nullopt;
    if (!spans)
        return passed(Check::Approval);
    Finding finding = refused(Check::Approval, "approval_not_listed");
    finding.entry.verdict = approval.ask.value == ApprovalAsk::OnMiss ? Verdict::Ask : Verdict::Deny;
    finding.entry.spans = std::move(*spans);
    finding.entry.source = approval.allowlist.source;
    return finding;
}

} // namespace

Findings checkDynamic(const CaseFile &file, const ReadCommand &raw, const std::vector<shell::DynamicNote> &notes,
                      std::vector<DynamicReason> &reasons)
{
    std::vector<const shell::DynamicNote *> all;
    for (const std::vector<shell::DynamicNote> *list : {&raw.evaluation.dynamic, &notes}) {
        for (const shell::DynamicNote &note : *list)
            all.push_back(&note);
    }
    Findings findings;
    for (std::size_t i = 0; i < Names<DynamicReason>::all.size(); ++i) {
        const auto reason = static_cast<DynamicReason>(i);
        if (std::ranges::none_of(all, [&](const shell::DynamicNote *note) { return note->reason == reason; }))
            continue;
        reasons.push_back(reason);
        Finding finding = gathered(reason, all);
        const Verdict verdict = acts(reason) ? verdictFor(file) : Verdict::Allow;
        if (verdict != Verdict::Allow) {
            finding.entry.source = file.effective.onDynamic.source;
            finding.entry.exemption = exemptionFor(file, Check::Dynamic, nameOf(reason), finding.entry.spans, raw);
            if (finding.entry.exemption.empty()) {
                finding.entry.outcome = CheckOutcome::Decided;
                finding.entry.verdict = verdict;
            }
        }
        findings.push_back(std::move(finding));
    }
    if (findings.empty())
        findings.push_back(passed(Check::Dynamic));
    return findings;
}

Findings checkApproval(const CaseFile &file, const ReadCommand &raw)
{
    Finding finding = approvalFinding(file, raw);
    if (finding.entry.outcome != CheckOutcome::Decided)
        return {finding};
    finding.entry.rule = finding.entry.code;
    finding.entry.exemption = exemptionFor(file, Check::Approval, finding.entry.rule, finding.entry.spans, raw);
    if (!finding.entry.exemption.empty()) {
        finding.entry.outcome = CheckOutcome::Noted;
        finding.entry.verdict = Verdict::Allow;
    }
    return {finding};
}

} // namespace portcullis::decision
