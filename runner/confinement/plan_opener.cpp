// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/plan_opener.h"

#include "runner/confinement/closed_names.h"
#include "runner/confinement/crowds.h"
#include "runner/confinement/free_space.h"
#include "runner/confinement/leftovers.h"
#include "runner/confinement/open_files.h"
#include "runner/confinement/paths.h"
#include "runner/confinement/tenant_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>

namespace portcullis::confinement {

namespace {

using wire::Step;

constexpr std::uint64_t graceMs = 3000;

wire::Rights rightsOf(plan::Access access)
{
    switch (access) {
    case plan::Access::Read:
        return wire::Rights::Read;
    case plan::Access::ReadExecute:
        return wire::Rights::ReadExecute;
    case plan::Access::ReadWriteDevice:
        return wire::Rights::Device;
    case plan::Access::All:
        break;
    }
    return wire::Rights::All;
}

wire::Source sourceOf(plan::Form form)
{
    switch (form) {
    case plan::Form::Mount:
        break;
    case plan::Form::Shown:
    case plan::Form::Closed:
        return wire::Source::Shown;
    case plan::Form::Part:
        return wire::Source::Part;
    }
    return wire::Source::Host;
}

bool isMissing(int error)
{
    return error == ENOENT || error == EACCES;
}

/// Something else than the expected folder stands there.
bool isReplaced(int error)
{
    return error == ELOOP || error == ENOTDIR;
}

class Opener
{
public:
    explicit Opener(const plan::ExecPlan &plan) : m_plan(plan) { }

    Result<OpenedPlan, StartFailure> run()
    {
        // The guard refuses this too; but nothing shall be made for a run that cannot be.
        if (m_plan.uid == 0)
            return failure(StartFailure{Step::RefuseRoot, EPERM, {}});
        if (geteuid() != 0 && geteuid() != m_plan.uid)
            return failure(StartFailure{Step::SwitchUser, EPERM, {}});
        m_out.fds.emplace_back(); // the plan's own place
        for (const plan::Grant &grant : allGrants()) {
            if (auto done = open(grant); !done)
                return failure(done.error());
        }
        if (auto done = findRoom(); !done)
            return failure(done.error());
        for (const plan::TenantFile &file : m_plan.files)
            place(file);
        if (m_plan.view)
            prepareClosedNames();
        std::ranges::sort(m_out.plan.grants, outerFirst);
        dropCovered();
        std::ranges::sort(m_out.plan.links, {}, &wire::GuardLink::path);
        const auto [first, last] = std::ranges::unique(m_out.plan.links);
        m_out.plan.links.erase(first, last);
        fill();
        if (auto done = openWorkingDirectory(); !done)
            return failure(done.error());
        if (auto done = seal(); !done)
            return failure(done.error());
        return std::move(m_out);
    }

private:
    /// Where a grant was found, for the working directory.
    struct Found {
        std::string path; ///< as in the plan
        std::string canonical; ///< on the host
        std::string target; ///< in the view
        std::uint32_t fd = 0; ///< 0: a system path or a private tmpfs
        bool temporary = false;
    };

    std::vector<plan::Grant> allGrants() const
    {
        std::vector<plan::Grant> grants = m_plan.grants;
        if (m_plan.privateTmp.empty())
            return grants;
        plan::Grant tmp{.path = m_plan.privateTmp,
                        .root = m_plan.privateTmpRoot,
                        .target = {},
                        .access = plan::Access::All,
                        .owner = plan::Owner::Tenant,
                        .optional = false,
                        .create = true};
        if (!m_plan.view) {
            grants.push_back(tmp);
            return grants;
        }
        for (const char *target : {"/tmp", "/var/tmp"}) {
            if (holdsAnother(target))
                continue; // a fresh tmpfs, in which the path of the other grant can be made again
            tmp.target = target;
            grants.push_back(tmp);
        }
        return grants;
    }

    /// Whether a grant lies below a folder that the view replaces.
    bool holdsAnother(std::string_view folder) const
    {
        return std::ranges::any_of(m_plan.grants, [&](const plan::Grant &grant) {
            return below(grant.target.empty() ? grant.path : grant.target, folder).has_value();
        });
    }

    /// Refused before it starts: a run that finds the floor crossed could only be ended at once.
    Result<void, StartFailure> findRoom() const
    {
        const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(m_plan.limits.freeBytes, 0));
        for (const wire::GuardGrant &grant : m_out.plan.grants) {
            if (least == 0 || grant.rights != wire::Rights::All || grant.fd == 0)
                continue;
            const int fd = m_out.fds[grant.fd].get();
            if (roomOf(fd) < least)
                return failure(StartFailure{Step::FreeSpace, ENOSPC, grant.path});
            if (filesToSpare(fd) == 0)
                return failure(StartFailure{Step::FreeFiles, ENOSPC, grant.path});
        }
        return {};
    }

    Result<void, StartFailure> open(const plan::Grant &grant)
    {
        return grant.owner == plan::Owner::Tenant ? openTenant(grant) : openSystem(grant);
    }

    Result<void, StartFailure> openSystem(const plan::Grant &grant)
    {
        if (!m_plan.view && (grant.form == plan::Form::Shown || grant.form == plan::Form::Closed))
            return {};
        auto opened = openFollowing(grant.path, Step::OpenGrant);
        if (!opened)
            return skipOrFail(grant, opened.error());
        if (!isTrusted(grant, *opened)) {
            m_out.notes.push_back({RunNote::Kind::ForeignOwner, grant.path});
            return grant.optional ? Result<void, StartFailure>()
                                  : failure(StartFailure{Step::OpenGrant, EPERM, grant.path});
        }
        if (opened->canonical != tidy(grant.path)) {
            const auto links = linksOnTheWay(grant.path);
            m_out.plan.links.insert(m_out.plan.links.end(), links.begin(), links.end());
        }
        add(grant, *opened, 0, sourceOf(grant.form));
        return {};
    }

    /// Below their root folders of its owner are as good as the root itself: of a tenant is neither. But only where no
    /// link leads to them: where that user is also the one of the runs, one that runs without walls could have put it.
    bool isTrusted(const plan::Grant &grant, const OpenedPath &opened) const
    {
        if (opened.owner == 0 || opened.owner == geteuid())
            return true;
        if (grant.root.empty())
            return false;
        const auto root = openFollowing(grant.root, Step::OpenRoot);
        if (!root || root->owner != opened.owner)
            return false;
        const std::string path = tidy(grant.path);
        const auto rest = below(path, tidy(grant.root));
        return opened.canonical == (rest ? tidy(root->canonical + "/" + std::string(*rest)) : path);
    }

    Result<void, StartFailure> openTenant(const plan::Grant &grant)
    {
        const std::string path = tidy(grant.path);
        const std::string root = grant.root.empty() ? tidy(path.substr(0, path.rfind('/'))) : tidy(grant.root);
        const auto relative = below(path, root);
        if (!relative)
            return failure(StartFailure{Step::OpenRoot, EINVAL, grant.path});
        const auto base = openFollowing(root, Step::OpenRoot);
        if (!base)
            return skipOrFail(grant, base.error());
        if (base->canonical != root) {
            const auto links = linksOnTheWay(root);
            m_out.plan.links.insert(m_out.plan.links.end(), links.begin(), links.end());
        }
        if (grant.create) {
            const auto made = createBeneath(*base, *relative, {m_plan.uid, m_plan.gid});
            if (!made)
                return replacedOrFail(grant, *base, *relative, made.error());
        }
        auto opened = openBeneath(*base, *relative, Step::OpenGrant);
        if (!opened)
            return replacedOrFail(grant, *base, *relative, opened.error());
        m_out.fds.push_back(std::move(opened->fd));
        add(grant, *opened, static_cast<std::uint32_t>(m_out.fds.size() - 1));
        return {};
    }

    Result<void, StartFailure> skipOrFail(const plan::Grant &grant, const StartFailure &why)
    {
        if (!grant.optional || !isMissing(why.errorNumber))
            return failure(why);
        m_out.notes.push_back({RunNote::Kind::GrantSkipped, grant.path});
        return {};
    }

    /// A tenant that puts a link where its folder should be must neither widen its next run nor block it.
    Result<void, StartFailure> replacedOrFail(const plan::Grant &grant, const OpenedPath &base,
                                              std::string_view relative, const StartFailure &why)
    {
        if (!isReplaced(why.errorNumber))
            return skipOrFail(grant, why);
        if (!m_plan.view) {
            m_out.notes.push_back({RunNote::Kind::LinkRefused, grant.path});
            return {};
        }
        m_out.notes.push_back({RunNote::Kind::LinkReplaced, grant.path});
        OpenedPath nothing;
        nothing.canonical = tidy(base.canonical + "/" + std::string(relative));
        nothing.directory = true;
        add(grant, nothing, 0, wire::Source::Temporary);
        return {};
    }

    void add(const plan::Grant &grant, const OpenedPath &opened, std::uint32_t fd,
             wire::Source source = wire::Source::Host)
    {
        wire::GuardGrant out;
        out.path = opened.canonical;
        out.target = !m_plan.view || grant.target.empty() ? opened.canonical : tidy(grant.target);
        if (grant.form == plan::Form::Closed)
            out.target = std::string("/") + wire::closedFolder + opened.canonical.substr(opened.canonical.rfind('/'));
        out.rights = rightsOf(grant.access);
        out.source = source;
        out.fd = fd;
        out.device = opened.device;
        out.inode = opened.inode;
        out.directory = opened.directory;
        m_found.push_back({tidy(grant.path), out.path, out.target, fd, source == wire::Source::Temporary});
        m_out.plan.grants.push_back(std::move(out));
    }

    void place(const plan::TenantFile &file)
    {
        const auto folder = std::ranges::find(m_found, tidy(file.folder), &Found::path);
        if (folder == m_found.end() || folder->fd == 0)
            return;
        const auto base = describeHeld(*folder);
        const auto written = base ? writeTenantFile(*base, file, {m_plan.uid, m_plan.gid})
                                  : Result<void, StartFailure>(failure(base.error()));
        if (!written)
            m_out.notes.push_back(
                {isReplaced(written.error().errorNumber) ? RunNote::Kind::LinkRefused : RunNote::Kind::GrantSkipped,
                 file.folder + "/" + file.name});
    }

    /// Making the names of a crowded folder anew costs each run more than a mount: they are prepared.
    void prepareClosedNames()
    {
        const auto dataDir = openFollowing(m_plan.dataDir, Step::OpenRoot);
        if (m_plan.dataDir.empty() || !dataDir)
            return;
        Crowds crowds = findCrowds(m_out.plan);
        for (auto &[folder, crowd] : crowds) {
            if (!crowd.preparable || !addClosedNames(folder, crowd.open, *dataDir))
                leaveAround(crowds, folder);
        }
    }

    bool addClosedNames(const std::string &folder, const OpenNames &open, const OpenedPath &dataDir)
    {
        const auto names = closedNamesOf(folder, open, dataDir);
        if (!names)
            return false; // the guard makes them
        wire::GuardGrant out;
        out.path = names->canonical;
        out.target = folder;
        out.source = wire::Source::Names;
        out.device = names->device;
        out.inode = names->inode;
        m_out.plan.grants.push_back(std::move(out));
        return true;
    }

    /// A system path inside another with the same or more rights needs neither a mount nor a rule of its own.
    void dropCovered()
    {
        std::vector<wire::GuardGrant> kept;
        for (wire::GuardGrant &grant : m_out.plan.grants) {
            if (!std::ranges::any_of(kept, [&](const wire::GuardGrant &outer) { return covers(outer, grant); }))
                kept.push_back(std::move(grant));
        }
        m_out.plan.grants = std::move(kept);
    }

    static bool covers(const wire::GuardGrant &outer, const wire::GuardGrant &inner)
    {
        const auto plain = [](const wire::GuardGrant &grant) {
            return grant.fd == 0 && grant.source == wire::Source::Host && grant.path == grant.target;
        };
        const bool more = outer.rights == inner.rights
            || (outer.rights == wire::Rights::ReadExecute && inner.rights == wire::Rights::Read);
        return plain(outer) && plain(inner) && more && below(inner.path, outer.path).has_value();
    }

    /// Outer before inner; of two with the same place the one with more rights first.
    static bool outerFirst(const wire::GuardGrant &left, const wire::GuardGrant &right)
    {
        return left.target != right.target ? left.target < right.target : left.rights > right.rights;
    }

    void fill()
    {
        wire::GuardPlan &out = m_out.plan;
        out.argv = m_plan.argv;
        for (const auto &[name, value] : m_plan.environment)
            out.environment.push_back(name + "=" + value);
        out.environment.push_back(std::string(runIdVariable) + "=" + m_plan.id);
        out.uid = m_plan.uid;
        out.gid = m_plan.gid;
        out.view = m_plan.view;
        out.landlock = m_plan.landlock;
        out.probe = m_plan.setUpOnly;
        out.noNetwork = m_plan.network == Network::None;
        out.landlockAbi = static_cast<std::uint32_t>(std::max(m_plan.landlockAbi, 0));
        out.timeLimitMs = static_cast<std::uint64_t>(std::max(m_plan.timeoutSeconds, 0)) * 1000;
        out.graceMs = graceMs;
        out.processes = static_cast<std::uint64_t>(std::max(m_plan.limits.processes, 0));
        out.openFiles = mostOpenFiles(static_cast<std::uint64_t>(std::max(m_plan.limits.openFiles, 0)));
        out.fileBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(m_plan.limits.fileBytes, 0));
        out.dataBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(m_plan.limits.dataBytes, 0));
        out.memoryBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(m_plan.limits.memoryBytes, 0));
        out.freeBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(m_plan.limits.freeBytes, 0));
        out.mark = markFor(m_plan.id);
    }

    Result<void, StartFailure> openWorkingDirectory()
    {
        const std::string cwd = tidy(m_plan.cwd);
        const Found *nearest = nullptr;
        for (const Found &found : m_found) {
            if (below(cwd, found.path) && (!nearest || nearest->path.size() < found.path.size()))
                nearest = &found;
        }
        if (nearest)
            return openBelowGrant(cwd, *nearest);
        if (m_plan.landlock || m_plan.view)
            return failure(StartFailure{Step::OpenWorkingDirectory, EACCES, m_plan.cwd});
        auto opened = openFollowing(cwd, Step::OpenWorkingDirectory);
        return opened ? hold(std::move(*opened)) : failure(opened.error());
    }

    Result<void, StartFailure> openBelowGrant(const std::string &cwd, const Found &grant)
    {
        const std::string_view rest = *below(cwd, grant.path);
        if (grant.temporary) {
            m_out.plan.cwd = grant.target; // the folder that was replaced is empty
            return {};
        }
        const auto base =
            grant.fd > 0 ? describeHeld(grant) : openFollowing(grant.canonical, Step::OpenWorkingDirectory);
        if (!base)
            return failure(base.error());
        auto opened = openBeneath(*base, rest, Step::OpenWorkingDirectory);
        if (!opened)
            return failure(opened.error());
        return hold(std::move(*opened), tidy(grant.target + "/" + std::string(rest)));
    }

    Result<OpenedPath, StartFailure> describeHeld(const Found &grant) const
    {
        OpenedPath held;
        held.canonical = grant.canonical;
        held.fd.reset(fcntl(m_out.fds[grant.fd].get(), F_DUPFD_CLOEXEC, 3));
        if (!held.fd)
            return failure(StartFailure{Step::OpenWorkingDirectory, errno, grant.path});
        return held;
    }

    Result<void, StartFailure> hold(OpenedPath opened, std::string inView = {})
    {
        if (!opened.directory)
            return failure(StartFailure{Step::OpenWorkingDirectory, ENOTDIR, m_plan.cwd});
        m_out.plan.cwd = inView.empty() ? opened.canonical : std::move(inView);
        m_out.fds.push_back(std::move(opened.fd));
        m_out.plan.cwdFd = static_cast<std::uint32_t>(m_out.fds.size() - 1);
        return {};
    }

    Result<void, StartFailure> seal()
    {
        const std::string bytes = wire::encode(m_out.plan);
        if (bytes.size() > wire::maxPlanBytes || m_out.fds.size() > wire::maxFds)
            return failure(StartFailure{Step::SendPlan, E2BIG, {}});
        UniqueFd memory(memfd_create("portcullis-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (!memory || write(memory.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())
            || fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
            return failure(StartFailure{Step::SendPlan, errno, {}});
        m_out.fds.front() = std::move(memory);
        return {};
    }

    const plan::ExecPlan &m_plan;
    OpenedPlan m_out;
    std::vector<Found> m_found;
};

} // namespace

Result<OpenedPlan, StartFailure> openPlan(const plan::ExecPlan &plan)
{
    return Opener(plan).run();
}

} // namespace portcullis::confinement
