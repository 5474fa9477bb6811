// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_validate.h"

#include "app/runner/commands/replay_source.h"
#include "app/runner/load_options.h"
#include "runner/config/json5.h"
#include "runner/policy/policy.h"
#include "runner/policy/problem.h"
#include "runner/policy/tenant_policy.h"
#include "runner/resources/trusted_file.h"
#include "runner/service/missing_policies.h"
#include "ui/text/problem_text.h"
#include "ui/text/visible_text.h"

#include <algorithm>
#include <filesystem>
#include <format>
#include <set>

namespace portcullis::cli {
namespace {

using config::quoteJson;
using policy::Problem;
using Problems = std::vector<Problem>;

struct Findings {
    Problems problems;
    std::size_t files = 0;
    std::optional<policy::GatewayPaths> paths; ///< that were looked at, where that is known
    bool unreadable = false; ///< an operand of the command line
};

std::string problemJson(const Problem &problem)
{
    std::string allowed;
    for (const std::string &value : problem.allowed)
        allowed += (allowed.empty() ? "" : ",") + quoteJson(value);
    const bool error = problem.severity == Problem::Severity::Error;
    return std::format(
        R"({{"severity":"{}","code":{},"tenant":{},"file":{},"line":{},"column":{},"pointer":{},"found":{},"hint":{},)"
        R"("allowed":[{}],"message":{}}})",
        error ? "error" : "warning", quoteJson(problem.code), quoteJson(problem.tenant), quoteJson(problem.file),
        problem.line, problem.column, quoteJson(problem.pointer), quoteJson(problem.found), quoteJson(problem.hint),
        allowed, quoteJson(text::problemSentence(problem).toStdString()));
}

std::size_t errorsIn(const Problems &problems)
{
    return static_cast<std::size_t>(std::ranges::count(problems, Problem::Severity::Error, &Problem::severity));
}

/// Where was looked: a folder that is not there has no mistakes in it either.
std::string placeLines(const policy::GatewayPaths &paths)
{
    const resources::PlacesFound found = resources::placesFound(paths);
    const auto line = [](std::string_view what, const std::string &path, bool there, std::string_view otherwise) {
        return std::format("{}: {}{}\n", what, text::visibleText(path).toStdString(),
                           there ? std::string() : " does not exist; " + std::string(otherwise));
    };
    return line("gateway", paths.configFile, found.gatewayFile, "defaults are in force")
        + line("policies", paths.policiesDir, found.policiesDir, "no tenant has a policy");
}

std::string placesJson(const policy::GatewayPaths &paths)
{
    const resources::PlacesFound found = resources::placesFound(paths);
    return std::format(R"("gateway":{{"file":{},"found":{}}},"policies":{{"folder":{},"found":{}}},)",
                       quoteJson(paths.configFile), found.gatewayFile, quoteJson(paths.policiesDir), found.policiesDir);
}

int report(CommandContext &context, const Findings &findings)
{
    const std::size_t errors = errorsIn(findings.problems);
    const std::size_t warnings = findings.problems.size() - errors;
    if (context.arguments().has("json")) {
        std::string list;
        for (const Problem &problem : findings.problems)
            list += (list.empty() ? "" : ",") + problemJson(problem);
        context.out(std::format(R"({{"files":{},"errors":{},"warnings":{},{}"problems":[{}]}})", findings.files, errors,
                                warnings, findings.paths ? placesJson(*findings.paths) : "", list)
                    + '\n');
    } else {
        const auto counted = [](std::size_t n, std::string_view word) {
            return std::format("{} {}{}", n, word, n == 1 ? "" : "s");
        };
        context.out((findings.paths ? placeLines(*findings.paths) : std::string())
                    + text::problemLines(findings.problems)
                    + (findings.files > 0 ? counted(findings.files, "file") + ": " : std::string())
                    + std::format("{}, {}\n", counted(errors, "error"), counted(warnings, "warning")));
    }
    if (findings.unreadable)
        return code(Exit::BadInput);
    return code(errors > 0 ? Exit::Configuration : Exit::Ok);
}

/// Warns of folders that a policy grants and that are not there, or are none. What the machine has is no mistake of the
/// text, so the reader of policies does not ask. Each path once, at the place of its key.
void addMissingPaths(const policy::Configuration &configuration, std::string_view onlyFile, Problems &problems)
{
    std::vector<std::string> tenants = configuration.tenants();
    tenants.emplace_back(policy::masterTenant);
    std::set<std::pair<std::string, std::string>> said;
    for (const std::string &tenant : tenants) {
        const auto &granted = configuration.effective(tenant, "main").extraRead;
        if (granted.source.file.empty() || (!onlyFile.empty() && granted.source.file != onlyFile))
            continue;
        for (const std::string &path : granted.value) {
            std::error_code error;
            const auto type = std::filesystem::status(path, error).type();
            const bool missing = type == std::filesystem::file_type::not_found;
            if (type == std::filesystem::file_type::directory || (error && !missing)
                || !said.emplace(granted.source.file, path).second)
                continue;
            policy::ProblemSink(problems, granted.source.file)
                .warning(missing ? policy::ProblemCode::NoSuchPath : policy::ProblemCode::FileGranted,
                         {.line = granted.source.line, .column = granted.source.column}, granted.source.pointer)
                .found = path;
        }
    }
}

/// Warns of exemptions that let nothing through any more. Of each tenant once: agents have the same ones.
void addEndedExemptions(const policy::Configuration &configuration, std::string_view onlyFile, Problems &problems)
{
    const std::int64_t now = CommandContext::nowUs();
    for (const std::string &tenant : configuration.tenants()) {
        for (const policy::Exemption &exemption : configuration.effective(tenant, "main").exemptions) {
            const policy::Source &source = exemption.source;
            if (!exemption.expiresUs || *exemption.expiresUs > now || (!onlyFile.empty() && source.file != onlyFile))
                continue;
            Problem &problem = policy::ProblemSink(problems, source.file, tenant)
                                   .warning(policy::ProblemCode::ExemptionOver,
                                            {.line = source.line, .column = source.column}, source.pointer);
            problem.found = exemption.id;
            problem.hint = policy::writeTime(*exemption.expiresUs);
        }
    }
}

/// What only this machine and this moment know; all files, or one.
void addWarnings(const policy::Configuration &configuration, std::string_view onlyFile, Problems &problems)
{
    addMissingPaths(configuration, onlyFile, problems);
    addEndedExemptions(configuration, onlyFile, problems);
}

/// Warns of tenants whose policy is kept by the record and is in force no more, since its file is gone.
void addLostPolicies(CommandContext &context, const policy::Configuration &configuration, Problems &problems)
{
    const std::string &folder = configuration.paths().policiesDir;
    for (const std::string &tenant : service::missingPolicies(configuration, context.auditDb()).lost)
        policy::ProblemSink(problems, folder + '/' + tenant + ".json", tenant)
            .warning(policy::ProblemCode::PolicyLost, {.line = 0, .column = 0}, {})
            .found = tenant;
}

/// Everything that would be in force.
Findings validateAll(CommandContext &context, const resources::LoadOptions &options)
{
    Findings out;
    const auto input = resources::readInput(options);
    if (!input) {
        out.problems = input.error();
        return out;
    }
    if (auto places = policy::gatewayPaths(*input))
        out.paths = std::move(*places);
    out.files = input->policies.size() + input->refusedPolicies.size() + (input->gateway ? 1 : 0);
    const auto loaded = policy::Configuration::load(*input);
    out.problems = loaded ? (*loaded)->problems() : loaded.error();
    if (loaded) {
        addWarnings(**loaded, {}, out.problems);
        addLostPolicies(context, **loaded, out.problems);
    }
    return out;
}

/// The policies that the operands name. They are not in force here, so owner and mode are not asked.
Findings readOperands(const std::vector<std::string> &operands, std::vector<policy::NamedText> &texts)
{
    Findings out;
    std::vector<std::string> paths;
    for (const std::string &operand : operands) {
        std::error_code error;
        if (!std::filesystem::is_directory(operand, error)) {
            paths.push_back(operand);
            continue;
        }
        for (const std::string &name : resources::policyNames(operand))
            paths.push_back(operand + '/' + name);
    }
    for (const std::string &path : paths) {
        auto read = resources::readOwnFile(path, resources::maxPolicyBytes);
        if (read) {
            texts.push_back(std::move(*read));
            continue;
        }
        out.problems.push_back(std::move(read.error()));
        out.unreadable = true;
    }
    out.files = paths.size();
    return out;
}

/// A file that is called like no tenant is a draft: whose policy it is, its text says.
void nameDrafts(const policy::ConfigurationInput &input, std::vector<policy::NamedText> &texts)
{
    for (policy::NamedText &text : texts) {
        const std::string name = policy::slugOf(text);
        const bool known = std::ranges::contains(input.tenantFolders, name)
            || std::ranges::contains(input.policies, name, &policy::slugOf)
            || std::ranges::contains(input.refusedPolicies, name, &Problem::tenant);
        if (!known)
            text.tenant = tenantIn(text.text);
    }
}

Findings validateOperands(const resources::LoadOptions &options, const std::vector<std::string> &operands)
{
    std::vector<policy::NamedText> texts;
    Findings out = readOperands(operands, texts);
    auto input = resources::readInput(options);
    if (!input) {
        out.problems.insert(out.problems.end(), input.error().begin(), input.error().end());
        return out;
    }
    nameDrafts(*input, texts);
    input->refusedPolicies.clear();
    // Each on its own: several drafts for one tenant are no conflict.
    for (const policy::NamedText &text : texts) {
        input->policies = {text};
        const auto loaded = policy::Configuration::load(*input);
        const Problems found = loaded ? problemsOf(**loaded, text.path) : loaded.error();
        out.problems.insert(out.problems.end(), found.begin(), found.end());
        if (!loaded)
            break;
    }
    return out;
}

/// A folder without policies has no mistakes in it, and may be the wrong one.
void noteEmptyOperands(CommandContext &context, const std::vector<std::string> &operands)
{
    for (const std::string &operand : operands) {
        std::error_code error;
        if (std::filesystem::is_directory(operand, error) && resources::policyNames(operand).empty())
            context.err("policy: note: there is no policy in " + operand + ": files there are called TENANT.json\n");
    }
}

} // namespace

std::vector<Problem> problemsOf(const policy::Configuration &configuration, std::string_view file)
{
    Problems out;
    std::ranges::copy_if(configuration.problems(), std::back_inserter(out),
                         [&](const Problem &problem) { return problem.file == file; });
    addWarnings(configuration, file, out);
    return out;
}

int policyValidate(CommandContext &context)
{
    const std::vector<std::string> &all = context.arguments().operands;
    const resources::LoadOptions options = loadOptions(context.arguments());
    if (all.size() < 2)
        return report(context, validateAll(context, options));
    const std::vector<std::string> operands(all.begin() + 1, all.end());
    noteEmptyOperands(context, operands);
    return report(context, validateOperands(options, operands));
}

} // namespace portcullis::cli
