// SPDX-License-Identifier: Apache-2.0
#include "app/guard/landlock.h"

#include "app/guard/devices.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

// From linux/landlock.h, spelled out because the header of the build machine may be older than the running kernel.
struct RulesetAttributes {
    std::uint64_t handledFs = 0;
    std::uint64_t handledNet = 0;
    std::uint64_t scoped = 0;
};
struct [[gnu::packed]] PathRule {
    std::uint64_t allowed = 0;
    std::int32_t parent = -1;
};
constexpr int pathBeneath = 1;

enum Fs : std::uint64_t {
    Execute = 1U << 0,
    WriteFile = 1U << 1,
    ReadFile = 1U << 2,
    ReadDir = 1U << 3,
    RemoveDir = 1U << 4,
    RemoveFile = 1U << 5,
    MakeChar = 1U << 6,
    MakeDir = 1U << 7,
    MakeReg = 1U << 8,
    MakeSock = 1U << 9,
    MakeFifo = 1U << 10,
    MakeBlock = 1U << 11,
    MakeSym = 1U << 12,
    Refer = 1U << 13,
    Truncate = 1U << 14,
    IoctlDev = 1U << 15
};
constexpr std::uint64_t onFiles = Execute | WriteFile | ReadFile | Truncate | IoctlDev;
constexpr std::uint64_t tcpBind = 1U << 0;
constexpr std::uint64_t tcpConnect = 1U << 1;
constexpr std::uint64_t scopeAbstractSockets = 1U << 0;
constexpr std::uint64_t scopeSignals = 1U << 1;

} // namespace

std::uint64_t handledRights(std::uint32_t abi)
{
    std::uint64_t rights = (Refer << 1) - 1;
    if (abi < 2)
        rights &= ~static_cast<std::uint64_t>(Refer);
    if (abi >= 3)
        rights |= Truncate;
    if (abi >= 5)
        rights |= IoctlDev;
    return rights;
}

std::uint64_t rightBits(wire::Rights rights, bool directory, std::uint32_t abi)
{
    std::uint64_t bits = 0;
    switch (rights) {
    case wire::Rights::Read:
        bits = ReadFile | ReadDir;
        break;
    case wire::Rights::ReadExecute:
        bits = ReadFile | ReadDir | Execute;
        break;
    case wire::Rights::Device:
        bits = ReadFile | ReadDir | WriteFile | IoctlDev;
        break;
    case wire::Rights::All:
        bits = handledRights(abi) & ~std::uint64_t(MakeChar | MakeBlock | IoctlDev);
        break;
    }
    bits &= handledRights(abi);
    return directory ? bits : bits & onFiles; // a directory right on a file is EINVAL
}

Result<Ruleset, Failure> Ruleset::create(std::uint32_t abi, bool noNetwork)
{
    RulesetAttributes attributes;
    attributes.handledFs = handledRights(abi);
    std::size_t size = sizeof attributes.handledFs;
    if (abi >= 4) {
        attributes.handledNet = noNetwork ? tcpBind | tcpConnect : 0;
        size += sizeof attributes.handledNet;
    }
    if (abi >= 6) {
        attributes.scoped = scopeAbstractSockets | scopeSignals;
        size += sizeof attributes.scoped;
    }
    Ruleset ruleset;
    ruleset.m_abi = abi;
    ruleset.m_fd.reset(static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, size, 0U)));
    if (!ruleset.m_fd)
        return failed(Step::Ruleset);
    return ruleset;
}

Done Ruleset::grant(int fd, wire::Rights rights, bool directory, const std::string &path)
{
    PathRule rule;
    rule.allowed = rightBits(rights, directory, m_abi);
    rule.parent = fd;
    if (syscall(SYS_landlock_add_rule, m_fd.get(), pathBeneath, &rule, 0U) != 0)
        return failed(Step::RulesetRule, path);
    return {};
}

Done grantHostBasics(Ruleset &ruleset)
{
    const UniqueFd proc(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!proc)
        return failed(Step::RulesetRule, "/proc");
    if (Done done = ruleset.grant(proc.get(), wire::Rights::Read, true, "/proc"); !done)
        return done;
    for (const char *name : deviceNames) {
        const std::string path = std::string("/dev/") + name;
        const UniqueFd device(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        if (!device)
            return failed(Step::RulesetRule, path);
        if (Done done = ruleset.grant(device.get(), wire::Rights::Device, false, path); !done)
            return done;
    }
    return {};
}

Done restrictSelf(int ruleset)
{
    if (syscall(SYS_landlock_restrict_self, ruleset, 0U) != 0)
        return failed(Step::RestrictSelf);
    return {};
}

} // namespace portcullis::guard
