// SPDX-License-Identifier: Apache-2.0

// The words for reason codes: a title, why, and what would work instead.

#include "ui/text/decision_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace portcullis::text {
namespace {

struct CodeWords {
    std::string_view code;
    const char *title;
    const char *why; ///< %1: the path, program or value concerned
    const char *instead;
};

constexpr char context[] = "Decision";

constexpr auto words = std::to_array<CodeWords>({
    {"nul_byte", QT_TRANSLATE_NOOP("Decision", "NUL byte"),
     QT_TRANSLATE_NOOP("Decision",
                       "The command contains a NUL byte. A shell would stop reading there, so what runs "
                       "is not what was sent."),
     QT_TRANSLATE_NOOP("Decision", "Send the command without NUL bytes; put binary data into a file.")},
    {"invalid_utf8", QT_TRANSLATE_NOOP("Decision", "Not UTF-8"),
     QT_TRANSLATE_NOOP("Decision", "The command is not valid UTF-8, so it cannot be shown and recorded faithfully."),
     QT_TRANSLATE_NOOP("Decision", "Encode the command as UTF-8; write other bytes with printf escapes.")},
    {"too_long", QT_TRANSLATE_NOOP("Decision", "Too long"),
     QT_TRANSLATE_NOOP("Decision", "The command has %1 bytes; a shell takes at most 131071 in one argument."),
     QT_TRANSLATE_NOOP("Decision", "Write the long part to a file in the workspace and use the file.")},
    {"obfuscated", QT_TRANSLATE_NOOP("Decision", "Look-alike characters"),
     QT_TRANSLATE_NOOP("Decision",
                       "The command holds characters that look like others or like nothing, and reads "
                       "differently without them."),
     QT_TRANSLATE_NOOP("Decision", "Write the command in plain characters.")},
    {"names_data_dir", QT_TRANSLATE_NOOP("Decision", "Gateway data"),
     QT_TRANSLATE_NOOP("Decision", "The command names or starts in %1, which lies in the gateway's data directory."),
     QT_TRANSLATE_NOOP("Decision",
                       "Work in your own workspace. Nothing in the data directory is for commands, apart "
                       "from your own tenant directory, shared runtime packages and system skills.")},
    {"names_workspace", QT_TRANSLATE_NOOP("Decision", "Main workspace"),
     QT_TRANSLATE_NOOP("Decision",
                       "The command names or starts in %1, which lies in the main workspace, outside your own."),
     QT_TRANSLATE_NOOP("Decision", "Work in your own workspace ($HOME).")},
    {"names_config_file", QT_TRANSLATE_NOOP("Decision", "Gateway configuration"),
     QT_TRANSLATE_NOOP("Decision", "The command names %1, the gateway's configuration."),
     QT_TRANSLATE_NOOP("Decision", "Ask the operator for the setting that you need.")},
    {"names_environment_file", QT_TRANSLATE_NOOP("Decision", "Gateway secrets"),
     QT_TRANSLATE_NOOP("Decision", "The command names %1, which holds the gateway's environment."),
     QT_TRANSLATE_NOOP("Decision", "Ask the operator for the setting that you need.")},
    {"names_database", QT_TRANSLATE_NOOP("Decision", "Gateway database"),
     QT_TRANSLATE_NOOP("Decision", "The command names %1, which belongs to the gateway's database."),
     QT_TRANSLATE_NOOP("Decision", "Use the gateway's own tools; keep data of your own in your workspace.")},
    {"names_audit_db", QT_TRANSLATE_NOOP("Decision", "Audit record"),
     QT_TRANSLATE_NOOP("Decision", "The command names %1, which belongs to the audit record."),
     QT_TRANSLATE_NOOP("Decision", "Operators read the record with the console or with `portcullis-runner log`.")},
    {"names_policies", QT_TRANSLATE_NOOP("Decision", "Tenant policies"),
     QT_TRANSLATE_NOOP("Decision", "The command names or starts in %1, which holds the policies that judge commands."),
     QT_TRANSLATE_NOOP("Decision", "Ask the operator to change the policy.")},
    {"names_state_dir", QT_TRANSLATE_NOOP("Decision", "Runner state"),
     QT_TRANSLATE_NOOP("Decision", "The command names or starts in %1, which holds the runner's own state."),
     QT_TRANSLATE_NOOP("Decision", "Work in your own workspace ($HOME).")},
    {"names_socket", QT_TRANSLATE_NOOP("Decision", "Runner socket"),
     QT_TRANSLATE_NOOP("Decision", "The command names %1, a socket of the runner."),
     QT_TRANSLATE_NOOP("Decision", "Ask for commands through the gateway.")},
    {"names_other_tenant", QT_TRANSLATE_NOOP("Decision", "Another tenant's directory"),
     QT_TRANSLATE_NOOP("Decision", "The command names or starts in %1, which is where other tenants have their files."),
     QT_TRANSLATE_NOOP("Decision", "Work in your own workspace ($HOME) or your own tenant directory.")},
    {"above_workspace", QT_TRANSLATE_NOOP("Decision", "Above your workspace"),
     QT_TRANSLATE_NOOP("Decision",
                       "The command names or starts in %1, in the folder above your workspace, where all tenants have "
                       "theirs."),
     QT_TRANSLATE_NOOP("Decision", "Stay in your own workspace ($HOME) and use names without `..` that leave it.")},
    {"writes_shared", QT_TRANSLATE_NOOP("Decision", "Shared packages"),
     QT_TRANSLATE_NOOP("Decision", "The command writes to %1, which all tenants share read-only."),
     QT_TRANSLATE_NOOP("Decision", "Install packages of your own with pip or npm; they go to your tenant directory.")},
    {"tenant_dir_bridge", QT_TRANSLATE_NOOP("Decision", "Tenant directory on the bridge"),
     QT_TRANSLATE_NOOP("Decision",
                       "The command names %1. On the host, commands through the MCP bridge never get the "
                       "tenant directory."),
     QT_TRANSLATE_NOOP("Decision", "Use the workspace: the tenant directory is for the agent's own runs.")},
    {"tenant_dir_needs_sandbox", QT_TRANSLATE_NOOP("Decision", "Tenant directory without the sandbox"),
     QT_TRANSLATE_NOOP("Decision",
                       "The command names %1. This host cannot confine commands, and the sandbox was "
                       "switched off for this call."),
     QT_TRANSLATE_NOOP("Decision", "Use the workspace only.")},
    {"tenant_dir_unavailable", QT_TRANSLATE_NOOP("Decision", "Tenant directory without confinement"),
     QT_TRANSLATE_NOOP("Decision",
                       "The command names %1. This host has no Landlock, so commands cannot be kept to "
                       "their own tenant directory and do not get it."),
     QT_TRANSLATE_NOOP("Decision", "Use the workspace only, or ask the operator for a kernel with Landlock.")},
    {"bridge_needs_sandbox", QT_TRANSLATE_NOOP("Decision", "Bridge without the sandbox"),
     QT_TRANSLATE_NOOP("Decision",
                       "The sandbox is on for this agent and was switched off for this call. Commands "
                       "through the MCP bridge then fail; they never run on the host instead."),
     QT_TRANSLATE_NOOP("Decision", "Call again without switching the sandbox off.")},
    {"sandbox_image_missing", QT_TRANSLATE_NOOP("Decision", "Sandbox image missing"),
     QT_TRANSLATE_NOOP("Decision",
                       "This command has to run in the sandbox, and its image %1 is missing. It does not "
                       "run on the host instead."),
     QT_TRANSLATE_NOOP("Decision", "Ask the operator to build the image.")},
    {"sandbox_unavailable", QT_TRANSLATE_NOOP("Decision", "Sandbox unavailable"),
     QT_TRANSLATE_NOOP("Decision",
                       "This command has to run in the sandbox, and there is none here. It does not run on the host "
                       "instead."),
     QT_TRANSLATE_NOOP("Decision",
                       "Call without --sandbox on; where the configuration asks for it, the operator has to "
                       "set sandbox.mode to off.")},
    {"host_policy_deny", QT_TRANSLATE_NOOP("Decision", "Host policy"),
     QT_TRANSLATE_NOOP("Decision", "The host policy does not let tenant agents run commands on the host."),
     QT_TRANSLATE_NOOP("Decision", "Nothing else would work: the operator decides this (host_policy).")},
    {"confinement_full_required", QT_TRANSLATE_NOOP("Decision", "Confinement"),
     QT_TRANSLATE_NOOP("Decision", "The policy asks for both walls, and this host cannot give them (missing: %1)."),
     QT_TRANSLATE_NOOP("Decision",
                       "Ask the operator: portcullis-runner doctor says what is missing and how to get it.")},
    {"confinement_required", QT_TRANSLATE_NOOP("Decision", "Confinement"),
     QT_TRANSLATE_NOOP("Decision", "The policy asks for Landlock, and this host cannot give it (missing: %1)."),
     QT_TRANSLATE_NOOP("Decision",
                       "Ask the operator: portcullis-runner doctor says what is missing and how to get it.")},
    {"confinement_unknown", nullptr,
     QT_TRANSLATE_NOOP("Decision",
                       "What this host can confine could not be found out (step %1). No command of a tenant starts "
                       "before that is known."),
     nullptr},
    {"would_run_as_root", QT_TRANSLATE_NOOP("Decision", "Would run as root"),
     QT_TRANSLATE_NOOP("Decision", "The command would run as root without the private view; commands never do."),
     QT_TRANSLATE_NOOP("Decision", "The operator has to give the workspace to another user, or set `run_as`.")},
    {"cwd_not_absolute", QT_TRANSLATE_NOOP("Decision", "Working directory"),
     QT_TRANSLATE_NOOP("Decision", "The working directory %1 is not an absolute path."),
     QT_TRANSLATE_NOOP("Decision", "Give an absolute path, or none for the workspace.")},
    {"cwd_outside", QT_TRANSLATE_NOOP("Decision", "Working directory"),
     QT_TRANSLATE_NOOP("Decision", "The working directory %1 is not in a directory where this tenant may start."),
     QT_TRANSLATE_NOOP("Decision", "Start in the workspace.")},
    {"cwd_leads_outside", QT_TRANSLATE_NOOP("Decision", "Working directory"),
     QT_TRANSLATE_NOOP("Decision", "The working directory is a link out of the permitted directories: %1."),
     QT_TRANSLATE_NOOP("Decision", "Start in the workspace.")},
    {"dynamic_program", QT_TRANSLATE_NOOP("Decision", "Unknown program"),
     QT_TRANSLATE_NOOP("Decision", "Which program would run cannot be told from the text."),
     QT_TRANSLATE_NOOP("Decision", "Write the program's name in the command.")},
    {"dynamic_budget", QT_TRANSLATE_NOOP("Decision", "Too complex"),
     QT_TRANSLATE_NOOP("Decision", "The command is too deeply nested or too large to be judged as a whole."),
     QT_TRANSLATE_NOOP("Decision", "Split it into several commands.")},
    {"dynamic_syntax", QT_TRANSLATE_NOOP("Decision", "Syntax error"),
     QT_TRANSLATE_NOOP("Decision",
                       "The shell would run the first part and then meet a syntax error; what follows "
                       "cannot be judged."),
     QT_TRANSLATE_NOOP("Decision", "Correct the syntax: look for an open quote, bracket or here-document.")},
    {"approval_refuses_all", QT_TRANSLATE_NOOP("Decision", "Commands are switched off"),
     QT_TRANSLATE_NOOP("Decision", "The gateway's approval settings refuse every command."),
     QT_TRANSLATE_NOOP("Decision", "Ask the operator to change `tools.execApproval.security`.")},
    {"approval_always", QT_TRANSLATE_NOOP("Decision", "Approval"),
     QT_TRANSLATE_NOOP("Decision", "Every command of this agent needs a person's approval."),
     QT_TRANSLATE_NOOP("Decision", "Ask a person to approve it.")},
    {"approval_not_listed", QT_TRANSLATE_NOOP("Decision", "Not on the list"),
     QT_TRANSLATE_NOOP("Decision", "The command is not on the list of commands that may run without approval."),
     QT_TRANSLATE_NOOP("Decision", "Use a listed program, or ask a person to approve it.")},
    {"unknown_tenant", QT_TRANSLATE_NOOP("Decision", "Unknown tenant"),
     QT_TRANSLATE_NOOP("Decision", "There is no tenant %1: it has neither a directory nor a policy."),
     QT_TRANSLATE_NOOP("Decision", "Check the tenant's name.")},
    {"broken_policy", QT_TRANSLATE_NOOP("Decision", "Broken policy"),
     QT_TRANSLATE_NOOP("Decision", "The policy of tenant %1 cannot be read, so nothing runs for it."),
     QT_TRANSLATE_NOOP("Decision",
                       "The operator has to correct the file; `portcullis-runner policy validate` shows "
                       "where.")},
});

/// Codes that only note something; their sentence stands among the notes.
constexpr auto notes = std::to_array<CodeWords>({
    {"hidden_reading", nullptr,
     QT_TRANSLATE_NOOP("Decision", "The rule matches what the command looks like, not its raw characters."), nullptr},
    {"group_off", nullptr,
     QT_TRANSLATE_NOOP("Decision", "A rule matches, but its group is switched off for this tenant."), nullptr},
    {"sandbox_switch_ignored", nullptr,
     QT_TRANSLATE_NOOP("Decision", "The call asked to leave the sandbox; agents may not do that here."), nullptr},
    {"sandbox_disabled_for_call", nullptr, QT_TRANSLATE_NOOP("Decision", "The sandbox was switched off for this call."),
     nullptr},
    {"host_policy_warn", nullptr, QT_TRANSLATE_NOOP("Decision", "With host policy deny this command would be refused."),
     nullptr},
    {"fs_confinement_unavailable", nullptr,
     QT_TRANSLATE_NOOP("Decision",
                       "This host has no Landlock: the command runs unconfined, without its tenant "
                       "directory."),
     nullptr},
    {"master_not_confined", nullptr, QT_TRANSLATE_NOOP("Decision", "The master tenant is not confined."), nullptr},
    {"level_landlock", nullptr, QT_TRANSLATE_NOOP("Decision", "Confined by Landlock alone, without the private view."),
     nullptr},
    {"level_partial", nullptr, QT_TRANSLATE_NOOP("Decision", "Confined in part; missing: %1."), nullptr},
    {"dynamic_option", nullptr, QT_TRANSLATE_NOOP("Decision", "A word of the command is not known from the text: %1."),
     nullptr},
    {"dynamic_script", nullptr, QT_TRANSLATE_NOOP("Decision", "It runs code that the text does not show: %1."),
     nullptr},
    {"dynamic_loop", nullptr, QT_TRANSLATE_NOOP("Decision", "How often a loop runs is not known from the text."),
     nullptr},
    {"trace_truncated", nullptr, QT_TRANSLATE_NOOP("Decision", "The trace was too long and is cut."), nullptr},
});

const CodeWords *find(std::string_view code)
{
    for (const auto list : {std::span<const CodeWords>(words), std::span<const CodeWords>(notes)}) {
        const auto it = std::ranges::find(list, code, &CodeWords::code);
        if (it != list.end())
            return &*it;
    }
    return nullptr;
}

QString translated(const char *text)
{
    return text ? QCoreApplication::translate(context, text) : QString();
}

QString filled(const char *text, const QString &detail)
{
    QString sentence = translated(text);
    if (detail.isEmpty())
        sentence.remove(QLatin1String(" (%1)")); // nothing to name
    return sentence.contains(QLatin1String("%1")) ? sentence.arg(detail) : sentence;
}

} // namespace

QString whySentence(std::string_view code, const QString &detail)
{
    const CodeWords *found = find(code);
    return found ? filled(found->why, detail) : QString();
}

QString insteadSentence(std::string_view code, const QString &detail)
{
    const CodeWords *found = find(code);
    return found ? filled(found->instead, detail) : QString();
}

QString codeTitle(std::string_view code)
{
    const CodeWords *found = find(code);
    return found ? translated(found->title) : QString();
}

} // namespace portcullis::text
