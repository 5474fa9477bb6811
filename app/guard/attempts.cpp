// SPDX-License-Identifier: Apache-2.0
#include "app/guard/attempts.h"

#include "runner/confinement/unique_fd.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

using confinement::UniqueFd;

constexpr const char *scratch = "portcullis-attempt"; // in the working directory, removed again

/// Each returns what the system call returned: negative is a refusal with errno.
using Try = long (*)(const char *argument);

struct Attempt {
    std::string_view name;
    Try attempt;
};

long opens(const std::string &path, int flags)
{
    const UniqueFd fd(open(path.c_str(), flags | O_CLOEXEC, 0600));
    return fd.get();
}

pid_t pidOf(const char *text)
{
    return static_cast<pid_t>(std::strtol(text, nullptr, 10));
}

long opensOf(const char *pid, const char *file, int flags = O_RDONLY)
{
    return opens("/proc/" + std::string(pid) + "/" + file, flags);
}

/// The result of a call that leaves a file behind when it works.
long cleaned(long result)
{
    const int error = errno;
    unlink(scratch);
    errno = error;
    return result;
}

long withFile(long (*change)(int fd))
{
    const UniqueFd fd(open(scratch, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    return cleaned(fd ? change(fd.get()) : -1);
}

/// Changes the mode of a new file, which is removed again.
long changesMode(mode_t mode, long (*change)(int fd, mode_t mode))
{
    const UniqueFd fd(open(scratch, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    return cleaned(fd ? change(fd.get(), mode) : -1);
}

long makesFolder(mode_t mode)
{
    const long result = mkdir(scratch, mode);
    const int error = errno;
    rmdir(scratch);
    errno = error;
    return result;
}

/// Two new files, renamed in a way that only renameat2(2) knows.
long renames(unsigned flags)
{
    constexpr const char *other = "portcullis-attempt-2";
    for (const char *name : {scratch, other})
        UniqueFd(open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    const long result = cleaned(syscall(SYS_renameat2, AT_FDCWD, scratch, AT_FDCWD, other, flags));
    const int error = errno;
    unlink(other);
    errno = error;
    return result;
}

long throughLink(const char *path)
{
    unlink(scratch);
    return cleaned(symlink(path, scratch) == 0 ? opens(scratch, O_RDONLY) : -1);
}

long setuidByOpenat2()
{
    open_how how{};
    how.flags = O_CREAT | O_WRONLY | O_CLOEXEC;
    how.mode = 04755;
    const UniqueFd fd(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, scratch, &how, sizeof how)));
    return cleaned(fd.get());
}

long cloneInto(unsigned long flags)
{
    const long pid = syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid(static_cast<pid_t>(pid), nullptr, 0);
    return pid;
}

long clone3UserNamespace()
{
    struct {
        unsigned long long flags, pidfd, childTid, parentTid, exitSignal, stack, stackSize, tls;
    } arguments{CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0};
    const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid(static_cast<pid_t>(pid), nullptr, 0);
    return pid;
}

/// `family` may have bits beyond 32, at which the kernel does not look.
long socketOf(unsigned long family, long type = SOCK_STREAM, long protocol = 0)
{
    const UniqueFd fd(static_cast<int>(syscall(SYS_socket, family, type | SOCK_CLOEXEC, protocol)));
    return fd.get();
}

long pairOf(int type)
{
    int ends[2] = {-1, -1};
    const long result = socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends);
    UniqueFd one(ends[0]);
    UniqueFd other(ends[1]);
    return result;
}

/// The kernel makes datagram sockets of SOCK_RAW, and a datagram socket can be connected again.
long connectOneOfPairTo(const char *path)
{
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_RAW | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    const UniqueFd one(ends[0]);
    const UniqueFd other(ends[1]);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return connect(one.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address);
}

long connectTo(const char *path)
{
    const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd)
        return -1;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, *path ? path : "/run/docker.sock", sizeof address.sun_path - 1);
    return connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address);
}

long connectAbstract(const char *name)
{
    const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd)
        return -1;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + strlen(name));
    return connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), size);
}

long traces(const char *pid)
{
    const long result = ptrace(PTRACE_SEIZE, pidOf(pid), nullptr, nullptr);
    if (result == 0)
        ptrace(PTRACE_DETACH, pidOf(pid), nullptr, nullptr);
    return result;
}

long stealsDescriptor(const char *pid)
{
    const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pidOf(pid), 0)));
    const UniqueFd stolen(process ? static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), 0, 0)) : -1);
    return stolen.get();
}

/// Sets what is set already: only the right to do so is tried.
long changesLimits(const char *pid)
{
    rlimit limit{};
    if (syscall(SYS_prlimit64, pidOf(pid), RLIMIT_CORE, nullptr, &limit) != 0)
        return -1;
    return syscall(SYS_prlimit64, pidOf(pid), RLIMIT_CORE, &limit, nullptr);
}

/// Sets what is set already, like all that follow.
long changesPriority(const char *pid)
{
    const auto who = static_cast<id_t>(pidOf(pid));
    errno = 0;
    const int now = getpriority(PRIO_PROCESS, who);
    return errno == 0 ? setpriority(PRIO_PROCESS, who, now) : -1;
}

long changesScheduling(const char *pid)
{
    const sched_param parameters{};
    return sched_setscheduler(pidOf(pid), SCHED_OTHER, &parameters);
}

long changesSchedulingParameters(const char *pid)
{
    const sched_param parameters{};
    return sched_setparam(pidOf(pid), &parameters);
}

long changesSchedulingAttributes(const char *pid)
{
    struct {
        std::uint32_t size, policy;
        std::uint64_t flags;
        std::int32_t nice;
        std::uint32_t priority;
        std::uint64_t runtime, deadline, period;
    } attributes{};
    static_assert(sizeof attributes == 48); // SCHED_ATTR_SIZE_VER0 in linux/sched/types.h
    attributes.size = sizeof attributes;
    return syscall(SYS_sched_setattr, pidOf(pid), &attributes, 0);
}

long changesDiskPriority(const char *pid)
{
    constexpr int whoProcess = 1;
    constexpr int bestEffort = 2 << 13 | 4;
    return syscall(SYS_ioprio_set, whoProcess, pidOf(pid), bestEffort);
}

long attachesMemory(const char *id)
{
    void *memory = shmat(static_cast<int>(std::strtol(id, nullptr, 10)), nullptr, SHM_RDONLY);
    if (reinterpret_cast<std::intptr_t>(memory) == -1)
        return -1;
    return shmdt(memory);
}

long pushes(unsigned long request)
{
    char byte = 'x';
    const UniqueFd terminal(open("/dev/tty", O_RDWR | O_CLOEXEC));
    return ioctl(terminal ? terminal.get() : 0, request, &byte);
}

/// A call of another architecture: its numbers mean other calls. The filter kills for it.
long callsForeignArchitecture()
{
#if defined(__x86_64__)
    long result = 20; // getpid of i386
    asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    return result;
#else
    errno = ENOSYS;
    return -1;
#endif
}

constexpr Attempt attempts[] = {
    // files of others
    {"read_foreign_file", [](const char *path) { return opens(path, O_RDONLY); }},
    {"write_foreign_file", [](const char *path) { return opens(path, O_WRONLY); }},
    {"rewrite_foreign_file", [](const char *path) { return opens(path, O_WRONLY | O_CREAT | O_TRUNC); }},
    {"truncate_foreign_file", [](const char *path) -> long { return truncate(path, 0); }},
    {"remove_foreign_file", [](const char *path) -> long { return unlink(path); }},
    {"link_foreign_file", [](const char *path) { return cleaned(link(path, scratch)); }},
    {"rename_foreign_file", [](const char *path) { return cleaned(rename(path, scratch)); }},
    {"read_through_link", [](const char *path) { return throughLink(path); }},
    {"read_through_proc", [](const char *path) { return opens("/proc/self/root" + std::string(path), O_RDONLY); }},
    {"stat_foreign_file",
     [](const char *path) -> long {
         struct stat about{};
         return stat(path, &about);
     }},
    {"chmod_foreign_file", [](const char *path) -> long { return chmod(path, 0644); }},
    {"list_root", [](const char *) { return opens("/", O_RDONLY | O_DIRECTORY); }},
    {"read_shadow", [](const char *) { return opens("/etc/shadow", O_RDONLY); }},
    {"watch_foreign_folder",
     [](const char *path) -> long {
         const UniqueFd watch(inotify_init1(IN_CLOEXEC));
         return inotify_add_watch(watch.get(), path, IN_CREATE);
     }},
    {"create_beside", [](const char *path) { return opens(path, O_WRONLY | O_CREAT | O_EXCL); }},
    // privileges
    {"become_root", [](const char *) -> long { return setuid(0); }},
    {"setuid_by_chmod", [](const char *) { return withFile([](int) -> long { return chmod(scratch, 04755); }); }},
    {"setuid_by_fchmod", [](const char *) { return withFile([](int fd) -> long { return fchmod(fd, 04755); }); }},
    {"setuid_by_fchmodat2",
     [](const char *) { return withFile([](int) { return syscall(452, AT_FDCWD, scratch, 04755, 0); }); }},
    {"setuid_by_open",
     [](const char *) { return cleaned(UniqueFd(open(scratch, O_CREAT | O_WRONLY | O_CLOEXEC, 04755)).get()); }},
    {"setuid_by_mknod", [](const char *) -> long { return cleaned(mknod(scratch, S_IFREG | 04755, 0)); }},
    {"setuid_by_openat2", [](const char *) { return setuidByOpenat2(); }},
    {"setgid_by_chmod",
     [](const char *) { return changesMode(02755, [](int, mode_t mode) -> long { return chmod(scratch, mode); }); }},
    {"setgid_by_fchmod",
     [](const char *) { return changesMode(02755, [](int fd, mode_t mode) -> long { return fchmod(fd, mode); }); }},
    {"setgid_by_fchmodat",
     [](const char *) {
         return changesMode(02755, [](int, mode_t mode) { return syscall(SYS_fchmodat, AT_FDCWD, scratch, mode); });
     }},
    {"setgid_by_fchmodat2",
     [](const char *) {
         return changesMode(02755, [](int, mode_t mode) { return syscall(452, AT_FDCWD, scratch, mode, 0); });
     }},
    {"setgid_by_open",
     [](const char *) { return cleaned(UniqueFd(open(scratch, O_CREAT | O_WRONLY | O_CLOEXEC, 02755)).get()); }},
    {"setgid_by_temporary_file",
     [](const char *) -> long { return UniqueFd(open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 02755)).get(); }},
    {"setgid_by_creat", [](const char *) { return cleaned(UniqueFd(creat(scratch, 02755)).get()); }},
    {"setgid_by_mknod", [](const char *) -> long { return cleaned(mknod(scratch, S_IFREG | 02755, 0)); }},
    {"setgid_by_mkdir", [](const char *) { return makesFolder(02755); }},
    {"plain_by_chmod",
     [](const char *) { return changesMode(01755, [](int, mode_t mode) -> long { return chmod(scratch, mode); }); }},
    {"plain_by_open",
     [](const char *) { return cleaned(UniqueFd(open(scratch, O_CREAT | O_WRONLY | O_CLOEXEC, 0755)).get()); }},
    {"plain_by_mkdir", [](const char *) { return makesFolder(01755); }},
    {"leave_whiteout", [](const char *) { return renames(RENAME_WHITEOUT); }},
    {"exchange_names", [](const char *) { return renames(RENAME_EXCHANGE); }},
    {"make_device", [](const char *) -> long { return cleaned(mknod(scratch, S_IFCHR | 0666, 0x103)); }},
    // other processes
    {"read_process_environment", [](const char *pid) { return opensOf(pid, "environ"); }},
    {"read_process_maps", [](const char *pid) { return opensOf(pid, "maps"); }},
    {"read_process_memory", [](const char *pid) { return opensOf(pid, "mem"); }},
    {"enter_process_root", [](const char *pid) { return opensOf(pid, "root/etc/shadow"); }},
    {"signal_process", [](const char *pid) -> long { return kill(pidOf(pid), 0); }},
    {"signal_supervisor", [](const char *) -> long { return kill(getppid(), 0); }},
    {"trace_process", [](const char *pid) { return traces(pid); }},
    {"trace_supervisor", [](const char *) { return traces(std::to_string(getppid()).c_str()); }},
    {"read_supervisor_memory", [](const char *) { return opensOf(std::to_string(getppid()).c_str(), "mem"); }},
    {"steal_descriptor", [](const char *pid) { return stealsDescriptor(pid); }},
    {"change_process_limits", [](const char *pid) { return changesLimits(pid); }},
    {"change_process_priority", [](const char *pid) { return changesPriority(pid); }},
    {"change_process_scheduling", [](const char *pid) { return changesScheduling(pid); }},
    {"change_process_scheduling_parameters", [](const char *pid) { return changesSchedulingParameters(pid); }},
    {"change_process_scheduling_attributes", [](const char *pid) { return changesSchedulingAttributes(pid); }},
    {"change_process_disk_priority", [](const char *pid) { return changesDiskPriority(pid); }},
    {"change_user_priority", [](const char *) -> long { return setpriority(PRIO_USER, 0, 19); }},
    {"change_own_priority", [](const char *) { return changesPriority("0"); }},
    {"change_own_scheduling", [](const char *) { return changesScheduling("0"); }},
    {"change_own_disk_priority", [](const char *) { return changesDiskPriority("0"); }},
    {"attach_shared_memory", [](const char *id) { return attachesMemory(id); }},
    // namespaces and mounts
    {"new_user_namespace", [](const char *) -> long { return unshare(CLONE_NEWUSER); }},
    {"clone_user_namespace", [](const char *) { return cloneInto(CLONE_NEWUSER); }},
    {"clone_mount_namespace", [](const char *) { return cloneInto(CLONE_NEWUSER | CLONE_NEWNS); }},
    {"clone3_user_namespace", [](const char *) { return clone3UserNamespace(); }},
    {"mount_file_system", [](const char *) -> long { return mount("none", ".", "tmpfs", 0, nullptr); }},
    {"open_mount_tree", [](const char *) -> long { return open_tree(AT_FDCWD, ".", OPEN_TREE_CLONE); }},
    {"new_file_system", [](const char *) -> long { return fsopen("tmpfs", 0); }},
    {"change_root", [](const char *) -> long { return chroot("."); }},
    {"open_by_handle",
     [](const char *) -> long {
         file_handle handle{};
         return open_by_handle_at(AT_FDCWD, &handle, O_RDONLY);
     }},
    // sockets
    {"stream_socket", [](const char *) { return socketOf(AF_INET); }},
    {"stream_socket_6", [](const char *) { return socketOf(AF_INET6); }},
    {"wide_stream_socket", [](const char *) { return socketOf(0x1'0000'0000UL | AF_INET); }},
    {"multipath_socket", [](const char *) { return socketOf(AF_INET, SOCK_STREAM, IPPROTO_MPTCP); }},
    {"datagram_socket", [](const char *) { return socketOf(AF_INET, SOCK_DGRAM); }},
    {"datagram_socket_6", [](const char *) { return socketOf(AF_INET6, SOCK_DGRAM); }},
    {"light_datagram_socket", [](const char *) { return socketOf(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE); }},
    {"packet_socket", [](const char *) { return socketOf(AF_PACKET, SOCK_RAW); }},
    {"wide_packet_socket", [](const char *) { return socketOf(0x1'0000'0000UL | AF_PACKET, SOCK_RAW); }},
    {"unix_socket", [](const char *) { return socketOf(AF_UNIX); }},
    {"wide_unix_socket", [](const char *) { return socketOf(0x1'0000'0000UL | AF_UNIX); }},
    {"stream_pair", [](const char *) { return pairOf(SOCK_STREAM); }},
    {"sequenced_pair", [](const char *) { return pairOf(SOCK_SEQPACKET); }},
    {"datagram_pair", [](const char *) { return pairOf(SOCK_DGRAM); }},
    {"raw_pair", [](const char *) { return pairOf(SOCK_RAW); }},
    {"vsock_socket", [](const char *) { return socketOf(AF_VSOCK); }},
    {"alg_socket", [](const char *) { return socketOf(AF_ALG, SOCK_SEQPACKET); }},
    {"netfilter_socket", [](const char *) { return socketOf(AF_NETLINK, SOCK_RAW, 12); }},
    {"host_unix_socket", [](const char *path) { return connectTo(path); }},
    {"host_datagram_socket", [](const char *path) { return connectOneOfPairTo(path); }},
    {"host_abstract_socket", [](const char *name) { return connectAbstract(name); }},
    // terminal and kernel
    {"push_terminal_input", [](const char *) { return pushes(TIOCSTI); }},
    {"paste_terminal_input", [](const char *) { return pushes(TIOCLINUX); }},
    {"read_kernel_log", [](const char *) -> long { return klogctl(10, nullptr, 0); }},
    {"load_program", [](const char *) { return syscall(SYS_bpf, 0, nullptr, 0); }},
    {"watch_performance", [](const char *) { return syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
    {"use_keyring", [](const char *) { return syscall(SYS_keyctl, 0, -3, 1); }},
    {"user_fault", [](const char *) { return syscall(SYS_userfaultfd, O_CLOEXEC); }},
    {"io_ring", [](const char *) { return syscall(SYS_io_uring_setup, 1, nullptr); }},
    {"foreign_architecture", [](const char *) { return callsForeignArchitecture(); }},
};

} // namespace

int runAttempt(const char *name, const char *argument)
{
    for (const Attempt &attempt : attempts) {
        if (attempt.name != name)
            continue;
        errno = 0;
        const bool refused = attempt.attempt(argument) < 0;
        const int error = refused ? errno : 0;
        std::printf("%s %s %d\n", name, refused ? "refused" : "succeeded", error);
        return refused ? 0 : 1;
    }
    std::fprintf(stderr, "unknown attempt %s\n", name);
    return 64;
}

} // namespace portcullis::guard
