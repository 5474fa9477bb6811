// SPDX-License-Identifier: Apache-2.0
#include "runner/resources/resource_locator.h"

#include "runner/base/paths.h"

#include <array>
#include <filesystem>
#include <unistd.h>

namespace portcullis::resources {
namespace {

/// CMake may make the installation folders absolute; then they stand as they are.
std::string below(const std::string &prefix, const char *folder, const char *name)
{
    return paths::normalised(std::string(folder) + '/' + name, prefix);
}

} // namespace

Resources locateResources(const std::string &executable)
{
    const std::string bin = paths::parentOf(executable);
    const std::string prefix = paths::parentOf(bin);
    Resources out;
    for (const std::string &candidate :
         {below(prefix, PORTCULLIS_LIBEXECDIR, "portcullis/portcullis-guard"), bin + "/portcullis-guard"}) {
        if (out.guard.empty() && ::access(candidate.c_str(), X_OK) == 0)
            out.guard = candidate;
    }
    for (const std::string &candidate :
         {below(prefix, PORTCULLIS_DATADIR, "portcullis"), prefix + "/share/portcullis"}) {
        std::error_code error;
        if (out.dataDir.empty() && std::filesystem::is_directory(candidate + "/rules", error))
            out.dataDir = candidate;
    }
    return out;
}

std::string ownExecutable()
{
    std::error_code error;
    const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string() : path.string();
}

} // namespace portcullis::resources
