// SPDX-License-Identifier: Apache-2.0
#include "runner/service/missing_policies.h"

#include "runner/audit/audit_reader.h"
#include "runner/resources/config_loader.h"

#include <algorithm>
#include <filesystem>

namespace portcullis::service {

MissingPolicies missingPolicies(const policy::Configuration &configuration, const std::string &auditDb)
{
    const std::vector<std::string> files = resources::policyNames(configuration.paths().policiesDir);
    const std::vector<std::string> &tenants = configuration.tenants();
    MissingPolicies out;
    std::ranges::copy_if(tenants, std::back_inserter(out.tenants), [&](const std::string &tenant) {
        return !configuration.isBroken(tenant) && !std::ranges::contains(files, tenant + ".json");
    });
    std::error_code error;
    if (out.tenants.empty() || auditDb.empty() || !std::filesystem::exists(auditDb, error))
        return out;
    const auto reader = audit::AuditReader::open(auditDb);
    if (!reader)
        return out;
    for (const std::string &tenant : out.tenants) {
        const auto newest = (*reader)->revisions(tenant, 1);
        if (newest && !newest->empty())
            out.lost.push_back(tenant);
    }
    return out;
}

} // namespace portcullis::service
