// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/channel.h"
#include "app/guard/landlock.h"

#include <sys/types.h>

namespace portcullis::guard {

/// The second wall: a root of our own, built up from the grants, in which nothing else exists.
///
/// Everything on the way to a grant is a folder of mode 0111, and every other name there is closed: folders have mode
/// 000, other files are links into such a folder, so that read, write, stat and chmod all answer "Permission denied".
/// Build it in fresh namespaces, as the one who may mount there; it changes the root of the calling process.
class View
{
public:
    /// Finds the grants again in this mount namespace, puts the view together, and goes into it for good.
    [[nodiscard]] static Result<View, Failure> enter(const Received &received);

    /// The rules of the first wall for what stands in the view.
    [[nodiscard]] Done grantAll(Ruleset &ruleset) const;

    /// Descriptors, valid as long as the view, of the file systems in memory in which only this run can write.
    [[nodiscard]] std::vector<int> filesInMemory() const;

private:
    struct Mount {
        std::string target;
        wire::Rights rights = wire::Rights::Read;
        bool directory = true;
        UniqueFd fd{};
        bool granted = true; ///< false: closed names, or only parts of it are
        bool inMemory = false; ///< a tmpfs of this run
        bool optionalPlace = false; ///< may be left out where a link of the tenant stands inside another grant
    };
    struct Folder {
        std::string path;
        UniqueFd fd;
    };

    Done cloneGrants(const wire::GuardPlan &plan);
    Done cloneDevices();
    Done makeOwnFileSystems();
    Done addTemporary(const std::string &target);
    bool has(const std::string &target) const;
    Done makeRoot();
    Done placeMounts();
    Done remember(int fileSystem, Step step, const std::string &path);
    bool isInOwn(int folder) const;
    Result<UniqueFd, Failure> mountPoint(const Mount &mount);
    /// Valid until the next call.
    Result<int, Failure> parentFolder(const std::string &path);
    Result<UniqueFd, Failure> ancestor(int parent, const std::string &name, const std::string &path);
    Result<UniqueFd, Failure> shutFolder(UniqueFd place, const std::string &path);
    Done makeLinks(const wire::GuardPlan &plan);
    Done makeDeviceLinks();
    Done closeOtherNames();
    Done closeNamesIn(const Folder &made);
    Done closeName(int directory, int host, const char *name, unsigned char type, bool copyLinks);
    Done goIn();

    UniqueFd m_root;
    std::vector<dev_t> m_own; ///< file systems of this view alone, the only ones in which it makes entries
    UniqueFd m_queues; ///< POSIX message queues of this IPC namespace, where the kernel has them; mounted nowhere
    std::vector<Mount> m_mounts;
    std::vector<Mount> m_parts; ///< granted inside of mounts that are not; the descriptors are of the host's mounts
    std::vector<Folder> m_made;
    Folder m_parent; ///< of the last path: places come in order, so it is often that of the next one too
    std::vector<Folder> m_shut; ///< mounts that become read-only once everything is in place
};

} // namespace portcullis::guard
