// SPDX-License-Identifier: Apache-2.0

// Checks 10 and 11: what the text does not show, and whether a person has to agree.

#include "runner/decision/case_file.h"

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
        if (note->span.length > 0 && !std::ranges::contains(finding.entry.spans, note->span))
            finding.entry.spans.push_back(note->span);
    }
    std::ranges::sort(finding.entry.spans);
    return finding;
}

/// A shell glob on a whole text: `*` and `?`.
bool globMatches(std::string_view glob, std::string_view text)
{
    std::size_t g = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t mark = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            mark = t;
        } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g;
            ++t;
        } else if (star != std::string_view::npos) {
            g = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    return glob.substr(g).find_first_not_of('*') == std::string_view::npos;
}

/// Every program is on the list, by base name, or the command as a whole is. A program that is not known is not.
bool isListed(const CaseFile &file, const ReadCommand &raw)
{
    const std::vector<std::string> &list = file.effective.approval.allowlist.value;
    const auto listed = [&](std::string_view text) {
        return std::ranges::any_of(list, [&](const std::string &glob) { return globMatches(glob, text); });
    };
    if (listed(file.request.command))
        return true;
    const auto unknown = [](const shell::DynamicNote &note) { return acts(note.reason); };
    return std::ranges::none_of(raw.evaluation.dynamic, unknown)
        && std::ranges::all_of(raw.evaluation.invocations, [&](const shell::Invocation &invocation) {
               return invocation.builtin || (!invocation.name.empty() && listed(invocation.name));
           });
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
    const policy::ApprovalSettings &approval = file.effective.approval;
    Finding finding = passed(Check::Approval);
    if (approval.security.value == ApprovalSecurity::Deny) {
        finding = refused(Check::Approval, "approval_refuses_all");
        finding.entry.source = approval.security.source;
    } else if (approval.ask.value == ApprovalAsk::Always) {
        finding = refused(Check::Approval, "approval_always");
        finding.entry.verdict = Verdict::Ask;
        finding.entry.source = approval.ask.source;
    } else if ((approval.security.value == ApprovalSecurity::Allowlist || approval.ask.value == ApprovalAsk::OnMiss)
               && !isListed(file, raw)) {
        finding = refused(Check::Approval, "approval_not_listed");
        finding.entry.verdict = approval.ask.value == ApprovalAsk::OnMiss ? Verdict::Ask : Verdict::Deny;
        finding.entry.source = approval.allowlist.source;
    }
    if (finding.entry.outcome == CheckOutcome::Decided) {
        finding.entry.exemption = exemptionFor(file, Check::Approval, finding.entry.code, {}, raw);
        if (!finding.entry.exemption.empty()) {
            finding.entry.outcome = CheckOutcome::Noted;
            finding.entry.verdict = Verdict::Allow;
        }
    }
    return {finding};
}

} // namespace portcullis::decision
