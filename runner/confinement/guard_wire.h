// SPDX-License-Identifier: Apache-2.0
#pragma once

// What runner and guard say to each other: one plain C++ header, compiled into both.
//
// The two are joined by one SOCK_SEQPACKET pair. Its life is the life of the run: when the runner's end closes, the
// guard kills the command.
//
//   runner → guard   hello      version, number of fds that follow (the first is a memfd with the encoded plan)
//                    fds        packets of at most `maxFdsPerPacket` descriptors (SCM_RIGHTS), one byte of data each
//                    order      one byte: Cancel
//   guard  → runner  report     Starting (from now on something may run), Started, then one of Failed (nothing was
//   executed)
//                               or Ended
//
// Encoding is pure and checks every bound, so hostile bytes give "nothing", never a crash. Numbers are little endian.

#include "runner/base/vocabulary.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::wire {

/// First word of everything; guard and runner of different builds refuse each other. Change it with the format.
inline constexpr std::uint32_t guardVersion = 0x50470009;

inline constexpr std::uint32_t maxFdsPerPacket = 200; ///< the kernel takes 253 (SCM_MAX_FD)
inline constexpr std::uint32_t maxFds = 1000; ///< must fit an RLIMIT_NOFILE of 1024
inline constexpr std::uint32_t maxPlanBytes = 4U << 20;
inline constexpr std::uint32_t maxListEntries = 65536;

/// Where the links lead that stand for closed names: into a folder of mode 000 of the view.
inline constexpr const char *closedFolder = ".closed";
inline constexpr const char *closedDoor = "/.closed/door";

/// The step that failed. Names are part of the record: add, never rename.
enum class Step {
    None,
    // runner
    FindGuard,
    OpenRoot,
    OpenGrant,
    CreateFolder,
    OpenWorkingDirectory,
    FreeSpace, ///< less than the run must leave free
    FreeFiles, ///< fewer files can be made than the run must leave to others
    MakePipes,
    SpawnGuard,
    SendPlan,
    GuardLost,
    // guard
    ReceivePlan,
    RefuseRoot,
    NewSession,
    Unshare,
    MapIds,
    ForkInit,
    PrivatePropagation,
    ReopenGrant,
    CompareGrant,
    CloneGrant,
    MountRoot,
    MakePlaceholder,
    MakeMountPoint,
    MoveMount,
    ProtectMount,
    MountProc,
    MountDevices,
    MountTerminals,
    MountTemporary,
    ReadOnlyRoot,
    PivotRoot,
    DetachOldRoot,
    Loopback,
    WorkingDirectory,
    DropGroups,
    SwitchUser,
    DropCapabilities,
    NoNewPrivileges,
    Ruleset,
    RulesetRule,
    ForkCommand,
    Limits,
    RestrictSelf,
    Seccomp,
    StandardStreams,
    CloseDescriptors,
    Execute,
    Count
};

/// How a command ended, as the guard saw it.
enum class EndReason : std::uint32_t { Finished, TimedOut, Cancelled };

enum class Report : std::uint32_t { Starting = 1, Started = 2, Failed = 3, Ended = 4 };
enum class Order : std::uint8_t { Cancel = 1 };

/// What may be done below a granted path.
enum class Rights : std::uint32_t { Read, ReadExecute, Device, All };

/// Where a mount of the view comes from.
enum class Source : std::uint32_t {
    Host, ///< what was verified, found again at `path`
    Temporary, ///< a fresh private tmpfs (a folder that was replaced by a link)
    Names, ///< a prepared folder of closed names, in place of `target`; grants nothing
    Shown, ///< as `Host`; grants nothing
    Part ///< inside one that is `Shown`: granted where it is, no mount of its own
};

struct GuardGrant {
    std::string path; ///< canonical, on the host
    std::string target; ///< canonical, in the view; the same as `path` without a view
    Rights rights = Rights::Read;
    Source source = Source::Host;
    std::uint32_t fd = 0; ///< index into the descriptors that were sent (tenant paths); 0: none, open `path`
    std::uint64_t device = 0; ///< st_dev and st_ino as verified by the runner; whatever is opened must be this
    std::uint64_t inode = 0;
    bool directory = true;
    friend bool operator==(const GuardGrant &, const GuardGrant &) = default;
};

/// A link that leads to a grant, e.g. `/bin` → `usr/bin`: made again in the view.
struct GuardLink {
    std::string path;
    std::string text;
    friend bool operator==(const GuardLink &, const GuardLink &) = default;
};

struct GuardPlan {
    std::vector<std::string> argv;
    std::vector<std::string> environment; ///< NAME=value
    std::string cwd; ///< canonical; in the view when there is one
    std::uint32_t cwdFd = 0; ///< verified descriptor, used without a view; 0: open `cwd`
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    bool view = false;
    bool landlock = false;
    bool noNetwork = false;
    bool probe = false; ///< set everything up, then end with success instead of executing
    std::uint32_t landlockAbi = 0; ///< what to use, at most what the kernel has
    std::uint64_t timeLimitMs = 0; ///< 0: none
    std::uint64_t graceMs = 3000; ///< between TERM and KILL
    std::uint64_t processes = 0; ///< 0: no limit
    std::uint64_t openFiles = 0;
    std::uint64_t fileBytes = 0;
    std::uint64_t dataBytes = 0;
    std::uint64_t memoryBytes = 0; ///< resident, all processes of the run together
    std::uint64_t freeBytes = 0; ///< on the file systems of the descriptors that may be written to
    std::uint64_t mark = 0; ///< of the run: becomes a limit that no process of it can change (run_mark.h); 0: none
    std::vector<GuardGrant> grants; ///< outer before inner
    std::vector<GuardLink> links;
    friend bool operator==(const GuardPlan &, const GuardPlan &) = default;
};

struct GuardHello {
    std::uint32_t version = guardVersion;
    std::uint32_t fds = 0;
};

struct GuardReport {
    Report kind = Report::Started;
    Step step = Step::None; ///< Failed
    std::int32_t error = 0; ///< Failed: errno
    std::string path; ///< Failed: where, may be empty
    EndReason reason = EndReason::Finished;
    std::int32_t exitCode = -1; ///< Ended: −1 when it died by a signal
    std::int32_t signal = 0;
    bool killedBackground = false; ///< processes that the command left behind were killed
    bool killForced = false; ///< TERM was not enough
    bool memoryExceeded = false; ///< killed for taking more than its memory
    bool roomExceeded = false; ///< killed because less room was left than must be
    bool filesExceeded = false; ///< … because fewer files could be made
    friend bool operator==(const GuardReport &, const GuardReport &) = default;
};

/// Appends numbers and byte strings.
class Encoder
{
public:
    void number(std::uint64_t value)
    {
        for (int shift = 0; shift < 64; shift += 8)
            m_bytes.push_back(static_cast<char>((value >> shift) & 0xff));
    }
    void text(std::string_view value)
    {
        number(value.size());
        m_bytes.append(value);
    }
    void list(const std::vector<std::string> &values)
    {
        number(values.size());
        for (const std::string &value : values)
            text(value);
    }
    [[nodiscard]] std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// Reads what `Encoder` wrote. After the first bound that does not hold, everything reads as zero and `ok()` is false.
class Decoder
{
public:
    explicit Decoder(std::string_view bytes) : m_rest(bytes) { }
    [[nodiscard]] std::uint64_t number()
    {
        if (m_rest.size() < 8)
            return fail();
        std::uint64_t value = 0;
        for (unsigned i = 0; i < 8; ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_rest[i])) << (8 * i);
        m_rest.remove_prefix(8);
        return value;
    }
    /// A number that is at most `most`.
    [[nodiscard]] std::uint64_t atMost(std::uint64_t most)
    {
        const std::uint64_t value = number();
        return value <= most ? value : fail();
    }
    [[nodiscard]] std::uint32_t word() { return static_cast<std::uint32_t>(atMost(UINT32_MAX)); }
    [[nodiscard]] bool flag() { return atMost(1) != 0; }
    template <class E>
    [[nodiscard]] E choice(E last)
    {
        return static_cast<E>(atMost(static_cast<std::uint64_t>(last)));
    }
    /// Text without NUL: everything that is sent ends up as a C string.
    [[nodiscard]] std::string text()
    {
        const std::uint64_t size = atMost(m_rest.size());
        if (m_failed || size > m_rest.size())
            return fail(), std::string();
        std::string value(m_rest.substr(0, size));
        m_rest.remove_prefix(size);
        if (value.find('\0') != std::string::npos)
            return fail(), std::string();
        return value;
    }
    /// A count of entries of which each takes at least eight bytes.
    [[nodiscard]] std::size_t count()
    {
        const std::uint64_t entries = atMost(maxListEntries);
        return entries <= m_rest.size() / 8 ? entries : fail();
    }
    [[nodiscard]] std::vector<std::string> list()
    {
        std::vector<std::string> values;
        for (std::size_t left = count(); left > 0 && !m_failed; --left)
            values.push_back(text());
        return values;
    }
    [[nodiscard]] bool ok() const { return !m_failed; }
    [[nodiscard]] bool atEnd() const { return !m_failed && m_rest.empty(); }

private:
    std::uint64_t fail()
    {
        m_failed = true;
        m_rest = {};
        return 0;
    }

    std::string_view m_rest;
    bool m_failed = false;
};

[[nodiscard]] inline std::string encode(const GuardHello &hello)
{
    Encoder out;
    out.number(hello.version);
    out.number(hello.fds);
    return out.take();
}

[[nodiscard]] inline std::optional<GuardHello> decodeHello(std::string_view bytes)
{
    Decoder in(bytes);
    GuardHello hello;
    hello.version = in.word();
    hello.fds = static_cast<std::uint32_t>(in.atMost(maxFds));
    if (!in.atEnd() || hello.version != guardVersion || hello.fds == 0)
        return std::nullopt;
    return hello;
}

[[nodiscard]] inline std::string encode(const GuardPlan &plan)
{
    Encoder out;
    out.number(guardVersion);
    out.list(plan.argv);
    out.list(plan.environment);
    out.text(plan.cwd);
    for (const std::uint64_t value : {plan.cwdFd, plan.uid, plan.gid})
        out.number(value);
    for (const bool value : {plan.view, plan.landlock, plan.noNetwork, plan.probe})
        out.number(value ? 1 : 0);
    out.number(plan.landlockAbi);
    for (const std::uint64_t value : {plan.timeLimitMs, plan.graceMs, plan.processes, plan.openFiles, plan.fileBytes,
                                      plan.dataBytes, plan.memoryBytes, plan.freeBytes, plan.mark})
        out.number(value);
    out.number(plan.grants.size());
    for (const GuardGrant &grant : plan.grants) {
        out.text(grant.path);
        out.text(grant.target);
        out.number(static_cast<std::uint64_t>(grant.rights));
        out.number(static_cast<std::uint64_t>(grant.source));
        out.number(grant.fd);
        out.number(grant.device);
        out.number(grant.inode);
        out.number(grant.directory ? 1 : 0);
    }
    out.number(plan.links.size());
    for (const GuardLink &link : plan.links) {
        out.text(link.path);
        out.text(link.text);
    }
    return out.take();
}

/// An absolute path without empty, `.` and `..` components, as everything canonical is.
[[nodiscard]] inline bool isCanonical(std::string_view path)
{
    if (path.empty() || path.front() != '/')
        return false;
    if (path.size() == 1)
        return true;
    for (std::size_t start = 1; start <= path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        const std::string_view part = path.substr(start, end - start);
        if (part.empty() || part == "." || part == "..")
            return false;
        start = end + 1;
    }
    return true;
}

[[nodiscard]] inline GuardGrant decodeGrant(Decoder &in, std::uint32_t fds)
{
    GuardGrant grant;
    grant.path = in.text();
    grant.target = in.text();
    grant.rights = in.choice(Rights::All);
    grant.source = in.choice(Source::Part);
    grant.fd = static_cast<std::uint32_t>(in.atMost(fds - 1));
    grant.device = in.number();
    grant.inode = in.number();
    grant.directory = in.flag();
    return grant;
}

/// Nothing unless every field is in range, every path is canonical and every descriptor number is below `fds`.
[[nodiscard]] inline std::optional<GuardPlan> decodePlan(std::string_view bytes, std::uint32_t fds)
{
    if (bytes.size() > maxPlanBytes || fds == 0)
        return std::nullopt;
    Decoder in(bytes);
    if (in.word() != guardVersion)
        return std::nullopt;
    GuardPlan plan;
    plan.argv = in.list();
    plan.environment = in.list();
    plan.cwd = in.text();
    plan.cwdFd = static_cast<std::uint32_t>(in.atMost(fds - 1));
    plan.uid = in.word();
    plan.gid = in.word();
    for (bool *value : {&plan.view, &plan.landlock, &plan.noNetwork, &plan.probe})
        *value = in.flag();
    plan.landlockAbi = in.word();
    for (std::uint64_t *value : {&plan.timeLimitMs, &plan.graceMs, &plan.processes, &plan.openFiles, &plan.fileBytes,
                                 &plan.dataBytes, &plan.memoryBytes, &plan.freeBytes, &plan.mark})
        *value = in.atMost(INT64_MAX);
    for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
        plan.grants.push_back(decodeGrant(in, fds));
        if (!isCanonical(plan.grants.back().path) || !isCanonical(plan.grants.back().target))
            return std::nullopt;
    }
    for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
        GuardLink link;
        link.path = in.text();
        link.text = in.text();
        if (!isCanonical(link.path))
            return std::nullopt;
        plan.links.push_back(std::move(link));
    }
    if (!in.atEnd() || plan.argv.empty() || plan.argv.front().empty() || !isCanonical(plan.cwd))
        return std::nullopt;
    return plan;
}

[[nodiscard]] inline std::string encode(const GuardReport &report)
{
    Encoder out;
    out.number(guardVersion);
    out.number(static_cast<std::uint64_t>(report.kind));
    out.number(static_cast<std::uint64_t>(report.step));
    out.number(static_cast<std::uint32_t>(report.error));
    out.text(report.path);
    out.number(static_cast<std::uint64_t>(report.reason));
    out.number(static_cast<std::uint32_t>(report.exitCode));
    out.number(static_cast<std::uint32_t>(report.signal));
    out.number(report.killedBackground ? 1 : 0);
    out.number(report.killForced ? 1 : 0);
    out.number(report.memoryExceeded ? 1 : 0);
    out.number(report.roomExceeded ? 1 : 0);
    out.number(report.filesExceeded ? 1 : 0);
    return out.take();
}

[[nodiscard]] inline std::optional<GuardReport> decodeReport(std::string_view bytes)
{
    Decoder in(bytes);
    if (in.word() != guardVersion)
        return std::nullopt;
    GuardReport report;
    report.kind = in.choice(Report::Ended);
    report.step = in.choice(static_cast<Step>(static_cast<int>(Step::Count) - 1));
    report.error = static_cast<std::int32_t>(in.word());
    report.path = in.text();
    report.reason = in.choice(EndReason::Cancelled);
    report.exitCode = static_cast<std::int32_t>(in.word());
    report.signal = static_cast<std::int32_t>(in.word());
    report.killedBackground = in.flag();
    report.killForced = in.flag();
    report.memoryExceeded = in.flag();
    report.roomExceeded = in.flag();
    report.filesExceeded = in.flag();
    if (!in.atEnd() || static_cast<std::uint32_t>(report.kind) == 0)
        return std::nullopt;
    return report;
}

} // namespace portcullis::wire

namespace portcullis {
template <>
struct Names<wire::Step> {
    static constexpr std::array<std::string_view, static_cast<std::size_t>(wire::Step::Count)> all{
        "none",
        "find_guard",
        "open_root",
        "open_grant",
        "create_folder",
        "open_working_directory",
        "free_space",
        "free_files",
        "make_pipes",
        "spawn_guard",
        "send_plan",
        "guard_lost",
        "receive_plan",
        "refuse_root",
        "new_session",
        "unshare",
        "map_ids",
        "fork_init",
        "private_propagation",
        "reopen_grant",
        "compare_grant",
        "clone_grant",
        "mount_root",
        "make_placeholder",
        "make_mount_point",
        "move_mount",
        "protect_mount",
        "mount_proc",
        "mount_devices",
        "mount_terminals",
        "mount_temporary",
        "read_only_root",
        "pivot_root",
        "detach_old_root",
        "loopback",
        "working_directory",
        "drop_groups",
        "switch_user",
        "drop_capabilities",
        "no_new_privileges",
        "ruleset",
        "ruleset_rule",
        "fork_command",
        "limits",
        "restrict_self",
        "seccomp",
        "standard_streams",
        "close_descriptors",
        "execute"};
};
} // namespace portcullis
