// SPDX-License-Identifier: Apache-2.0
#include "app/runner/load_options.h"

#include "runner/resources/resource_locator.h"

namespace portcullis::cli {

resources::LoadOptions loadOptions(const Arguments &arguments)
{
    resources::LoadOptions options = resources::optionsOfProcess();
    options.configFile = arguments.value("config").value_or(std::string());
    options.policiesDir = arguments.value("policies").value_or(std::string());
    options.dataDir = arguments.value("data-dir").value_or(std::string());
    options.auditDb = arguments.value("audit-db").value_or(std::string());
    options.resourcesDir = resources::locateResources(resources::ownExecutable()).dataDir;
    return options;
}

} // namespace portcullis::cli
