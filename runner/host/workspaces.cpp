// SPDX-License-Identifier: Apache-2.0
#include "runner/host/workspaces.h"

#include "runner/decision/decision.h"

#include <sys/stat.h>

namespace portcullis::host {

std::vector<std::string> rootOwnedWorkspaces(const policy::Configuration &configuration)
{
    std::vector<std::string> tenants;
    for (const std::string &tenant : configuration.tenants()) {
        struct stat info{};
        const std::string workspace = decision::workspaceOf(configuration, tenant);
        const bool named = !configuration.effective(tenant, "main").runAs.value.empty();
        if (!named && ::stat(workspace.c_str(), &info) == 0 && info.st_uid == 0)
            tenants.push_back(tenant);
    }
    return tenants;
}

} // namespace portcullis::host
