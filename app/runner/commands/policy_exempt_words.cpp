// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_exempt_words.h"

#include "runner/config/json5.h"
#include "runner/policy/tenant_policy.h"
#include "ui/text/decision_text.h"
#include "ui/text/problem_text.h"
#include "ui/text/visible_text.h"

#include <algorithm>
#include <cstring>
#include <format>
#include <vector>

namespace portcullis::cli {
namespace {

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1);
        lines.push_back(text.substr(0, end + 1));
        text.remove_prefix(end + 1);
    }
    return lines;
}

std::string_view withoutComma(std::string_view line)
{
    const std::size_t last = line.find_last_not_of(", \t\r\n");
    return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string markedLine(char mark, std::string_view line)
{
    while (line.ends_with('\n') || line.ends_with('\r'))
        line.remove_suffix(1);
    return std::string(1, mark) + text::visibleText(line).toStdString() + '\n';
}

/// What the refused command gets, and what is still in its way.
std::string verdictLines(std::string_view start, const decision::Decision &now)
{
    const text::Explanation words = text::explain(now);
    std::string out = std::string(start) + text::verdictName(now.verdict).toStdString();
    if (now.verdict != Verdict::Allow)
        out += ", still in the way: " + words.title.toStdString();
    out += '\n';
    for (const QString &other : words.also)
        out += "also in the way: " + other.toStdString() + '\n';
    return out;
}

} // namespace

std::string helpFor(Check check)
{
    switch (check) {
    case Check::PathGuard:
        return "the gateway's own files and other tenants' folders stay closed; copy what is needed into the tenant's "
               "workspace";
    case Check::HostPolicy:
        return "only the operator can let it run, by the host policy; `portcullis-runner policy effective --tenant "
               "SLUG host_policy` says where it comes from";
    case Check::Confinement:
        return "see `portcullis-runner doctor` for what this machine cannot enforce";
    case Check::Backend:
        return "this version has no sandbox; call without --sandbox on; where the configuration asks for it, the "
               "operator has to set sandbox.mode to off, and the host policy decides";
    case Check::Cwd:
        return "add the folder to \"allowed_paths\"";
    case Check::Configuration:
        return "see `portcullis-runner policy validate`";
    default:
        return "the command itself has to change";
    }
}

std::string writeFailure(const resources::WriteError &error)
{
    if (error.code == resources::WriteError::Code::Changed)
        return error.path + " was changed by somebody else in the meantime; nothing was written, try again";
    if (error.step == "sync_folder")
        return std::format("the change is made, but {} could not be synced to disk: {}", error.path,
                           std::strerror(error.errnoValue));
    return std::format("cannot write {}: {} failed: {}; nothing was changed", error.path, error.step,
                       std::strerror(error.errnoValue));
}

std::string changedLines(std::string_view before, std::string_view after)
{
    const std::vector<std::string_view> a = linesOf(before);
    const std::vector<std::string_view> b = linesOf(after);
    std::size_t head = 0;
    while (head < a.size() && head < b.size() && a[head] == b[head])
        ++head;
    // A line that only got or lost its comma has changed: the next entry's equal line does not stand for it.
    const bool comma = head < a.size() && head < b.size() && withoutComma(a[head]) == withoutComma(b[head]);
    const std::size_t first = head + (comma ? 1 : 0);
    std::size_t tail = 0;
    while (tail + first < a.size() && tail + first < b.size() && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    std::string out = std::format("@@ line {} @@\n", head + 1);
    for (std::size_t i = head; i + tail < a.size(); ++i)
        out += markedLine('-', a[i]);
    for (std::size_t i = head; i + tail < b.size(); ++i)
        out += markedLine('+', b[i]);
    return out;
}

std::string exemptLines(const std::string &path, std::string_view before, std::string_view after,
                        const policy::Exemption &exemption, const decision::Decision &now, bool dryRun)
{
    std::string out = (dryRun ? "would change " : "changed ") + path + '\n' + changedLines(before, after);
    if (exemption.expiresUs)
        out += "ends: " + policy::writeTime(*exemption.expiresUs) + '\n';
    return out + verdictLines(dryRun ? "with it: " : "now: ", now);
}

std::string presentLines(const policy::Exemption &exemption, const decision::Decision &now)
{
    std::string out = "nothing was changed: exemption \"" + text::visibleText(exemption.id).toStdString()
        + "\" of this tenant says this already (" + text::sourceText(exemption.source).toStdString() + ")\n";
    out += exemption.expiresUs ? "ends: " + policy::writeTime(*exemption.expiresUs) + '\n' : "ends: never\n";
    out += "for another end, remove it first: portcullis-runner policy exempt --remove "
        + text::visibleText(exemption.id).toStdString() + '\n';
    return out + verdictLines("now: ", now);
}

std::string exemptJson(const std::string &path, const policy::Exemption &exemption, const decision::Decision &now,
                       bool dryRun)
{
    const std::string expires =
        exemption.expiresUs ? config::quoteJson(policy::writeTime(*exemption.expiresUs)) : "null";
    std::string rest;
    for (const decision::Blocker &blocker : now.blockers)
        rest += (rest.empty() ? "" : ",")
            + std::format(R"({{"check":"{}","rule":{}}})", nameOf(blocker.check), config::quoteJson(blocker.rule));
    return std::format(R"({{"file":{},"id":{},"rule":{},"expires":{},"written":{},"verdict":"{}","blockers":[{}]}})",
                       config::quoteJson(path), config::quoteJson(exemption.id), config::quoteJson(exemption.rule),
                       expires, !dryRun, nameOf(now.verdict), rest)
        + '\n';
}

} // namespace portcullis::cli
