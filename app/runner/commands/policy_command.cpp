// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_command.h"

#include "app/runner/commands/policy_exemptions.h"
#include "app/runner/commands/policy_publish.h"
#include "app/runner/commands/policy_test.h"
#include "app/runner/commands/policy_validate.h"
#include "app/runner/commands/record_access.h"
#include "runner/audit/audit_reader.h"
#include "runner/base/nearest.h"
#include "ui/text/visible_text.h"

#include <array>

namespace portcullis::cli {
namespace {

constexpr std::array<std::string_view, 8> actions{"validate", "test",      "effective", "diff",
                                                  "publish",  "revisions", "exempt",    "exemptions"};

Result<record::Event, Exit> findInRecord(CommandContext &context, std::string_view id)
{
    const auto reader = audit::AuditReader::open(context.auditDb());
    if (!reader) {
        context.err(recordWords(reader.error()) + '\n');
        return failure(Exit::Record);
    }
    auto event = (*reader)->eventById(id);
    if (event)
        return std::move(*event);
    const auto wrong = event.error().code;
    const std::string shown = text::visibleText(id).toStdString();
    if (wrong == audit::AuditError::Code::NotFound)
        context.err("policy: the record has no row \"" + shown + "\"\n");
    else if (wrong == audit::AuditError::Code::Ambiguous)
        context.err("policy: \"" + shown + "\" fits several rows; give more of the id\n");
    else
        context.err(recordWords(event.error()) + '\n');
    const bool idIsWrong = wrong == audit::AuditError::Code::NotFound || wrong == audit::AuditError::Code::Ambiguous;
    return failure(idIsWrong ? Exit::BadInput : Exit::Record);
}

int unknownAction(CommandContext &context, std::string_view word)
{
    const std::string_view nearest = nearestName(word, actions);
    std::string line = word.empty() ? "policy: say what to do: "
                                    : "policy: unknown action \"" + text::visibleText(word).toStdString() + "\": ";
    line += nearest.empty() ? "validate, test, effective, diff, publish, revisions, exempt or exemptions"
                            : "did you mean \"" + std::string(nearest) + "\"?";
    context.err(line + '\n');
    return code(Exit::Usage);
}

} // namespace

int policyCommand(CommandContext &context)
{
    const std::vector<std::string> &operands = context.arguments().operands;
    const std::string_view action = operands.empty() ? std::string_view() : std::string_view(operands.front());
    if (action == "validate")
        return policyValidate(context);
    if (action == "test")
        return policyTest(context);
    if (action == "effective")
        return policyEffective(context);
    if (action == "diff")
        return policyDiff(context);
    if (action == "publish")
        return policyPublish(context);
    if (action == "revisions")
        return policyRevisions(context);
    if (action == "exempt")
        return policyExempt(context, findInRecord);
    if (action == "exemptions")
        return policyExemptions(context);
    return unknownAction(context, action);
}

} // namespace portcullis::cli
