// SPDX-License-Identifier: Apache-2.0

// Runs at build time and prints the guard's seccomp filters as C++ tables. libseccomp takes half a millisecond to make
// such a filter, which would be a third of a whole confined run; a table costs nothing.

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

/// Where a set-group-id bit is refused.
enum class SetgidRule {
    NewFiles, ///< in the view no group but the command's own exists, and a shared folder may need the bit
    Always ///< the command's group is root's, or it has supplementary groups: a program would give them away
};

/// What differs between runs.
struct Variant {
    const char *name;
    bool alone = false; ///< no private view: host sockets, SysV IPC and other processes are in reach
    bool unixSockets = true;
    bool internet = true; ///< without a network namespace only the absence of sockets closes the network
    bool traceable = true; ///< ptrace is harmless inside a Landlock domain, and sanitizers and debuggers need it
    SetgidRule setgid = SetgidRule::Always;
};

constexpr std::array variants{
    Variant{.name = "View", .setgid = SetgidRule::NewFiles},
    Variant{.name = "ViewRootGroup"},
    Variant{.name = "ViewWithoutUnix", .unixSockets = false, .setgid = SetgidRule::NewFiles},
    Variant{.name = "ViewWithoutUnixRootGroup", .unixSockets = false},
    Variant{.name = "Alone", .alone = true, .unixSockets = false},
    Variant{.name = "AloneWithoutNetwork", .alone = true, .unixSockets = false, .internet = false},
    Variant{.name = "Unconfined", .traceable = false},
    Variant{.name = "UnconfinedWithoutNetwork", .internet = false, .traceable = false},
};

constexpr std::uint64_t low32 = 0xffffffff; // the kernel looks at 32 bits of these arguments, so must we

/// Never needed by a command of a tenant; each widens what it could reach or learn.
constexpr const char *refused[] = {
    // mounts and namespaces
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick",
    "open_tree", "open_tree_attr", "move_mount", "mount_setattr",
    // keyrings, other processes, kernel surface
    "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "process_madvise", "process_mrelease",
    "move_pages", "migrate_pages", "kcmp", "pidfd_getfd", "lookup_dcookie", "nfsservctl",
    // files by handle, events of whole mounts, quotas
    "fanotify_init", "fanotify_mark", "open_by_handle_at", "name_to_handle_at", "quotactl", "quotactl_fd",
    // the machine
    "syslog", "acct", "swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module", "settimeofday", "clock_settime", "stime", "sethostname", "setdomainname", "vhangup", "ioperm",
    "iopl"};

/// Programs ask for these and have another way when they do not exist. Memory of memfd_secret(2) is in no process's
/// count and cannot be swapped out; memfd_create(2) does without. Requests of io_setup(2) are counted for the whole
/// machine (fs.aio-max-nr), so one command could take them from every database on it.
constexpr const char *absent[] = {"io_uring_setup", "io_uring_enter", "io_uring_register", "clone3",
                                  "openat2",        "memfd_secret",   "io_setup",          "file_setattr"};

/// Without an IPC namespace these reach the memory of other programs of the same user.
constexpr const char *sharedIpc[] = {"shmget",          "shmat",     "shmdt",        "shmctl",    "semget",
                                     "semop",           "semctl",    "semtimedop",   "msgget",    "msgsnd",
                                     "msgrcv",          "msgctl",    "mq_open",      "mq_unlink", "mq_timedsend",
                                     "mq_timedreceive", "mq_notify", "mq_getsetattr"};

constexpr const char *tracing[] = {"ptrace", "process_vm_readv", "process_vm_writev"};

class Filter
{
public:
    Filter() : m_context(seccomp_init(SCMP_ACT_ALLOW))
    {
        seccomp_attr_set(m_context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        seccomp_attr_set(m_context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    }
    Filter(const Filter &) = delete;
    Filter &operator=(const Filter &) = delete;
    ~Filter() { seccomp_release(m_context); }

    void refuse(const char *call, int error, std::vector<scmp_arg_cmp> conditions = {})
    {
        const int number = numberOf(call);
        if (number == __NR_SCMP_ERROR)
            return; // this architecture has no such call
        const int result = seccomp_rule_add_array(m_context, SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), number,
                                                  static_cast<unsigned>(conditions.size()), conditions.data());
        if (result != 0) {
            std::fprintf(stderr, "make_filters: rule for %s: %d\n", call, result);
            std::exit(1);
        }
    }

    std::vector<sock_filter> program() const
    {
        const int memory = memfd_create("filter", MFD_CLOEXEC);
        struct stat about{};
        if (seccomp_export_bpf(m_context, memory) != 0 || fstat(memory, &about) != 0)
            std::exit(1);
        std::vector<sock_filter> instructions(static_cast<std::size_t>(about.st_size) / sizeof(sock_filter));
        if (pread(memory, instructions.data(), static_cast<std::size_t>(about.st_size), 0) != about.st_size)
            std::exit(1);
        close(memory);
        return instructions;
    }

private:
    static int numberOf(const char *call)
    {
        if (std::string_view(call) == "open_tree_attr")
            return 467; // newer than most copies of libseccomp; the same number on every architecture
        if (std::string_view(call) == "file_setattr")
            return 469;
        const int number = seccomp_syscall_resolve_name(call);
        return number < 0 ? __NR_SCMP_ERROR : number;
    }

    scmp_filter_ctx m_context;
};

scmp_arg_cmp equals(unsigned argument, std::uint64_t value)
{
    return {argument, SCMP_CMP_MASKED_EQ, low32, value};
}

scmp_arg_cmp has(unsigned argument, std::uint64_t bits)
{
    return {argument, SCMP_CMP_MASKED_EQ, bits, bits};
}

/// A pair of datagram sockets can be connected again, to any path. Only the types that cannot are left: for a unix
/// socket the kernel takes SOCK_RAW for SOCK_DGRAM (unix_create in net/unix/af_unix.c).
void refuseDatagramPairs(Filter &filter)
{
    constexpr unsigned typeMask =
        0xf; // SOCK_TYPE_MASK of linux/net.h; above it are only SOCK_CLOEXEC and SOCK_NONBLOCK
    for (unsigned type = 0; type <= typeMask; ++type) {
        if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
            filter.refuse("socketpair", EPERM, {{1, SCMP_CMP_MASKED_EQ, typeMask, type}});
    }
}

/// Only these families. Netlink only for routes and addresses. The kernel looks at the low 32 bits of a family: one
/// that is larger as 64 bits is refused whatever its low half says.
void refuseSockets(Filter &filter, const Variant &variant)
{
    constexpr unsigned beyondAll = 64;
    for (unsigned family = 0; family < beyondAll; ++family) {
        const bool allowed = family == AF_NETLINK || (family == AF_UNIX && variant.unixSockets)
            || ((family == AF_INET || family == AF_INET6) && variant.internet);
        if (!allowed)
            filter.refuse("socket", EAFNOSUPPORT, {equals(0, family)});
    }
    filter.refuse("socket", EAFNOSUPPORT, {{0, SCMP_CMP_GE, beyondAll, 0}});
    filter.refuse("socket", EAFNOSUPPORT, {equals(0, AF_NETLINK), {2, SCMP_CMP_NE, 0, 0}});
    if (!variant.unixSockets)
        refuseDatagramPairs(filter);
}

void refuseNamespaces(Filter &filter)
{
    // CLONE_NEWTIME is not among them: in clone(2) its bit belongs to the exit signal.
    for (const unsigned flag :
         {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET})
        filter.refuse("clone", EPERM, {has(0, flag)});
}

void refuseOnNewFiles(Filter &filter, std::uint64_t bit)
{
    filter.refuse("creat", EPERM, {has(1, bit)});
    filter.refuse("mknod", EPERM, {has(1, bit)});
    filter.refuse("mknodat", EPERM, {has(2, bit)});
    for (const std::uint64_t creating : {std::uint64_t(O_CREAT), std::uint64_t(O_TMPFILE & ~O_DIRECTORY)}) {
        filter.refuse("open", EPERM, {has(1, creating), has(2, bit)}); // else the mode is not looked at
        filter.refuse("openat", EPERM, {has(2, creating), has(3, bit)});
    }
}

void refuseOnOldFiles(Filter &filter, std::uint64_t bit)
{
    filter.refuse("chmod", EPERM, {has(1, bit)});
    filter.refuse("fchmod", EPERM, {has(1, bit)});
    filter.refuse("fchmodat", EPERM, {has(2, bit)});
    filter.refuse("fchmodat2", EPERM, {has(2, bit)});
}

/// A file with the set-user-id or set-group-id bit outlives the run; it can be made in more ways than chmod.
void refuseSetidFiles(Filter &filter, SetgidRule setgid)
{
    refuseOnNewFiles(filter, S_ISUID);
    refuseOnOldFiles(filter, S_ISUID);
    refuseOnNewFiles(filter, S_ISGID);
    if (setgid != SetgidRule::Always)
        return;
    refuseOnOldFiles(filter, S_ISGID);
    filter.refuse("mkdir", EPERM, {has(1, S_ISGID)});
    filter.refuse("mkdirat", EPERM, {has(2, S_ISGID)});
}

/// The limit on file locks marks the processes of a run (run_mark.h).
void keepMark(Filter &filter)
{
    filter.refuse("setrlimit", EPERM, {equals(0, RLIMIT_LOCKS)});
    filter.refuse("prlimit64", EPERM, {equals(1, RLIMIT_LOCKS), {2, SCMP_CMP_NE, 0, 0}});
}

/// Limits and scheduling of other processes of the same user; in the view the supervisor is one of them, and with fewer
/// descriptors or less processor time it could not watch. A program names itself by 0. setpriority(2), ioprio_set(2).
/// Not sched_setaffinity: pthread_setaffinity_np names the program's own threads by their numbers.
void refuseOtherProcesses(Filter &filter)
{
    constexpr unsigned ioprioWhoUser = 3; // linux/ioprio.h
    for (const char *call : {"prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr"})
        filter.refuse(call, EPERM, {{0, SCMP_CMP_NE, 0, 0}});
    for (const char *call : {"setpriority", "ioprio_set"})
        filter.refuse(call, EPERM, {{1, SCMP_CMP_NE, 0, 0}});
    filter.refuse("setpriority", EPERM, {equals(0, PRIO_USER)}); // here 0 is everything of this user
    filter.refuse("ioprio_set", EPERM, {equals(0, ioprioWhoUser)});
}

/// Only what `setarch` and debuggers use: 0, 0x8, 0x20000, 0x40000, and 0xffffffff, which asks.
void refusePersonalities(Filter &filter)
{
    constexpr std::uint64_t allowed = 0x8 | 0x20000 | 0x40000;
    constexpr std::uint64_t top = 1ULL << 31;
    for (unsigned bit = 0; bit < 31; ++bit) {
        const std::uint64_t one = 1ULL << bit;
        if (!(allowed & one))
            filter.refuse("personality", EPERM, {{0, SCMP_CMP_MASKED_EQ, one | top, one}});
        filter.refuse("personality", EPERM, {{0, SCMP_CMP_MASKED_EQ, one | top, top}});
    }
}

/// A call that takes gigabytes in a moment is over before anybody has looked at what is left. EOPNOTSUPP is what many
/// file systems answer; posix_fallocate(3) then writes, and others go on without. Holes may be made and ranges moved:
/// that takes nothing. The kernel knows the ioctls for every file system (ioctl_preallocate in fs/ioctl.c). A hint
/// about the extents of a file (FS_IOC_FSSETXATTR, file_setattr) makes XFS take as much for its first byte.
void refuseToTakeRoomAtOnce(Filter &filter)
{
    constexpr std::uint64_t takesNothing = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE;
    filter.refuse("fallocate", EOPNOTSUPP, {{1, SCMP_CMP_MASKED_EQ, takesNothing, 0}});
    for (const std::uint64_t request : {0x40305828 /* FS_IOC_RESVSP */, 0x4030582A /* FS_IOC_RESVSP64 */,
                                        0x40305839 /* FS_IOC_ZERO_RANGE */, 0x401C5820 /* FS_IOC_FSSETXATTR */})
        filter.refuse("ioctl", EOPNOTSUPP, {equals(1, request)});
}

std::vector<sock_filter> filterFor(const Variant &variant)
{
    Filter filter;
    for (const char *call : refused)
        filter.refuse(call, EPERM);
    for (const char *call : absent)
        filter.refuse(call, ENOSYS);
    refuseSockets(filter, variant);
    refuseNamespaces(filter);
    refuseSetidFiles(filter, variant.setgid);
    refusePersonalities(filter);
    keepMark(filter);
    refuseToTakeRoomAtOnce(filter);
    // It leaves a character device behind, for which neither a capability nor Landlock's right to make one is asked.
    filter.refuse("renameat2", EPERM, {has(4, RENAME_WHITEOUT)});
    for (const std::uint64_t request : {0x5412 /* TIOCSTI */, 0x541C /* TIOCLINUX */, 0x5423 /* TIOCSETD */})
        filter.refuse("ioctl", EPERM, {equals(1, request)});
    if (variant.traceable) // without a wall the supervisor can be killed as well
        refuseOtherProcesses(filter);
    if (variant.alone) {
        for (const char *call : sharedIpc)
            filter.refuse(call, EPERM);
    }
    if (!variant.traceable) {
        for (const char *call : tracing)
            filter.refuse(call, EPERM);
    }
    return filter.program();
}

void print(const char *name, const std::vector<sock_filter> &program)
{
    std::printf("inline constexpr sock_filter filter%s[] = {", name);
    for (std::size_t i = 0; i < program.size(); ++i) {
        const sock_filter &one = program[i];
        std::printf("%s{%u, %u, %u, 0x%xU},", i % 4 ? " " : "\n    ", one.code, one.jt, one.jf, one.k);
    }
    std::printf("\n};\n");
}

} // namespace

int main()
{
    std::printf("// Made by make_filters. Do not edit.\n");
    for (const Variant &variant : variants)
        print(variant.name, filterFor(variant));
    return std::fflush(stdout) == 0 ? 0 : 1;
}
