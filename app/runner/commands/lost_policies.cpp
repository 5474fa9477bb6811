// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/lost_policies.h"

#include "runner/audit/audit_reader.h"
#include "runner/resources/config_loader.h"

#include <algorithm>
#include <filesystem>

namespace portcullis::cli {

MissingPolicies missingPolicies(CommandContext &context, const policy::Configuration &configuration)
{
    const std::vector<std::string> files = resources::policyNames(configuration.paths().policiesDir);
    const std::vector<std::string> &tenants = configuration.tenants();
    MissingPolicies out;
    std::ranges::copy_if(tenants, std::back_inserter(out.tenants), [&](const std::string &tenant) {
        return !configuration.isBroken(tenant) && !std::ranges::contains(files, tenant + ".json");
    });
    std::error_code error;
    const std::string record = context.auditDb();
    if (record.empty() || !std::filesystem::exists(record, error))
        return out;
    const auto reader = audit::AuditReader::open(record);
    if (!reader)
        return out;
    for (const std::string &tenant : out.tenants) {
        const auto newest = (*reader)->revisions(tenant, 1);
        if (newest && !newest->empty())
            out.lost.push_back(tenant);
    }
    return out;
}

} // namespace portcullis::cli
