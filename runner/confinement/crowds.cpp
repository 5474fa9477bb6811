// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/crowds.h"

#include <algorithm>
#include <vector>

namespace portcullis::confinement {

namespace {

std::string parentOf(const std::string &path)
{
    return path.substr(0, path.rfind('/'));
}

/// Inside another grant, or inside a fresh folder of the view, of which no name is closed; or the root.
bool isOpen(const wire::GuardPlan &plan, const std::string &folder)
{
    for (const char *fresh : {"/tmp", "/var/tmp", "/dev", "/proc", "/sys"}) {
        if (below(folder, fresh))
            return true;
    }
    return folder.empty() || std::ranges::any_of(plan.grants, [&](const wire::GuardGrant &grant) {
               return below(folder, grant.target).has_value();
           });
}

/// Folders of which nothing is known but that they lie between two crowds are made by the guard.
void leaveAroundGaps(Crowds &crowds)
{
    std::vector<std::string> gaps;
    for (const auto &crowd : crowds) {
        const std::string around = parentOf(crowd.first);
        if (!around.empty() && !crowds.contains(around))
            gaps.push_back(around);
    }
    for (const std::string &gap : gaps)
        leaveAround(crowds, gap);
}

} // namespace

Crowds findCrowds(const wire::GuardPlan &plan)
{
    Crowds crowds;
    for (const wire::GuardGrant &grant : plan.grants) {
        const std::string folder = parentOf(grant.target);
        if (isOpen(plan, folder))
            continue;
        Crowd &crowd = crowds[folder];
        if (grant.path != grant.target || grant.source == wire::Source::Temporary)
            crowd.preparable = false;
        else if (!grant.directory)
            crowd.open.files.insert(grant.path.substr(folder.size() + 1));
    }
    for (const wire::GuardLink &link : plan.links) {
        const std::string folder = parentOf(link.path);
        if (!isOpen(plan, folder))
            crowds[folder].open.links.emplace(link.path.substr(folder.size() + 1), link.text);
    }
    leaveAroundGaps(crowds);
    return crowds;
}

void leaveAround(Crowds &crowds, const std::string &folder)
{
    for (std::string outer = parentOf(folder); !outer.empty(); outer = parentOf(outer)) {
        if (const auto around = crowds.find(outer); around != crowds.end())
            around->second.preparable = false;
    }
}

} // namespace portcullis::confinement
