// SPDX-License-Identifier: Apache-2.0
#include "tests/confinement/calls/call.h"

#include <ctime>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/quota.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>

namespace portcullis::test {

namespace {

long socketOf(int family, int type, int protocol = 0)
{
    return Handle(socket(family, type | SOCK_CLOEXEC, protocol)).get();
}

/// The raw call: a child in a namespace of its own that ends at once.
long clones(unsigned long flags)
{
    const long child = syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (child == 0)
        _exit(0);
    if (child > 0)
        waitpid(static_cast<pid_t>(child), nullptr, 0);
    return child;
}

long entersNamespace()
{
    const Handle own(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
    return own ? setns(own.get(), 0) : -1;
}

long opens(const char *path, int flags)
{
    return Handle(open(path, flags | O_CLOEXEC)).get();
}

long setsClock()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return clock_settime(CLOCK_REALTIME, &now);
}

long callsSeccomp()
{
    // An operation that does not exist: the call itself is let through.
    const long result = syscall(SYS_seccomp, 77, 0, nullptr);
    return result < 0 && errno == EINVAL ? 0 : result;
}

constexpr Call calls[] = {
    // mounts and namespaces
    {"mount_bind", [](const char *path) -> long { return mount(path, ".", nullptr, MS_BIND, nullptr); }},
    {"remount", [](const char *) -> long { return mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr); }},
    {"umount", [](const char *) -> long { return umount2("/proc", MNT_DETACH); }},
    {"pivot_root", [](const char *) { return syscall(SYS_pivot_root, ".", "."); }},
    {"move_mount", [](const char *) { return syscall(SYS_move_mount, AT_FDCWD, ".", AT_FDCWD, ".", 0); }},
    {"mount_setattr", [](const char *) { return syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, nullptr, 0); }},
    {"fsconfig", [](const char *) { return syscall(SYS_fsconfig, -1, 0, nullptr, nullptr, 0); }},
    {"fsmount", [](const char *) { return syscall(SYS_fsmount, -1, 0, 0); }},
    {"fspick", [](const char *) { return syscall(SYS_fspick, AT_FDCWD, "/", 0); }},
    {"open_tree_attr", [](const char *) { return syscall(467, AT_FDCWD, ".", 0, nullptr, 0); }},
    {"setns", [](const char *) { return entersNamespace(); }},
    {"unshare_mounts", [](const char *) -> long { return unshare(CLONE_NEWUSER | CLONE_NEWNS); }},
    {"unshare_network", [](const char *) -> long { return unshare(CLONE_NEWUSER | CLONE_NEWNET); }},
    {"unshare_processes", [](const char *) -> long { return unshare(CLONE_NEWUSER | CLONE_NEWPID); }},
    {"clone_ipc", [](const char *) { return clones(CLONE_NEWUSER | CLONE_NEWIPC); }},
    {"clone_names", [](const char *) { return clones(CLONE_NEWUSER | CLONE_NEWUTS); }},
    {"clone_groups", [](const char *) { return clones(CLONE_NEWUSER | CLONE_NEWCGROUP); }},
    {"clone_network", [](const char *) { return clones(CLONE_NEWUSER | CLONE_NEWNET); }},
    {"clone_processes", [](const char *) { return clones(CLONE_NEWUSER | CLONE_NEWPID); }},
    {"clone_plain", [](const char *) { return clones(0); }},
    // the machine
    {"swapon", [](const char *) -> long { return swapon("own-name", 0); }},
    {"acct", [](const char *) -> long { return acct(nullptr); }},
    {"quotactl", [](const char *) { return syscall(SYS_quotactl, 0, nullptr, 0, nullptr); }},
    {"quotactl_fd", [](const char *) { return syscall(SYS_quotactl_fd, -1, 0, 0, nullptr); }},
    {"fanotify", [](const char *) -> long { return Handle(fanotify_init(FAN_REPORT_FID, O_RDONLY)).get(); }},
    {"name_to_handle", [](const char *) { return syscall(SYS_name_to_handle_at, AT_FDCWD, ".", nullptr, nullptr, 0); }},
    {"reboot", [](const char *) { return syscall(SYS_reboot, 0, 0, 0, nullptr); }},
    {"kexec_load", [](const char *) { return syscall(SYS_kexec_load, 0, 0, nullptr, 0); }},
    {"init_module", [](const char *) { return syscall(SYS_init_module, nullptr, 0, ""); }},
    {"finit_module", [](const char *) { return syscall(SYS_finit_module, -1, "", 0); }},
    {"delete_module", [](const char *) { return syscall(SYS_delete_module, "x", 0); }},
    {"clock_settime", [](const char *) { return setsClock(); }},
    {"settimeofday",
     [](const char *) -> long {
         timeval now{};
         gettimeofday(&now, nullptr);
         return settimeofday(&now, nullptr);
     }},
    {"sethostname", [](const char *) -> long { return sethostname("x", 1); }},
    {"setdomainname", [](const char *) -> long { return setdomainname("x", 1); }},
    {"vhangup", [](const char *) -> long { return vhangup(); }},
    {"add_key", [](const char *) { return syscall(SYS_add_key, "user", "x", "x", 1, -2); }},
    {"request_key", [](const char *) { return syscall(SYS_request_key, "user", "x", nullptr, -2); }},
    {"io_uring_enter", [](const char *) { return syscall(SYS_io_uring_enter, -1, 0, 0, 0, nullptr, 0); }},
    {"io_uring_register", [](const char *) { return syscall(SYS_io_uring_register, -1, 0, nullptr, 0); }},
    {"personality_ask", [](const char *) -> long { return personality(0xffffffff); }},
    {"personality_of_debuggers", [](const char *) -> long { return personality(ADDR_NO_RANDOMIZE); }},
    {"personality_other", [](const char *) -> long { return personality(READ_IMPLIES_EXEC); }},
    {"personality_wide", [](const char *) { return syscall(SYS_personality, 0x1'0040'0000UL); }},
    {"line_discipline",
     [](const char *) -> long {
         const int discipline = 0;
         return ioctl(0, TIOCSETD, &discipline);
     }},
    // sockets
    {"raw_socket", [](const char *) { return socketOf(AF_INET, SOCK_RAW, IPPROTO_ICMP); }},
    {"raw_socket_6", [](const char *) { return socketOf(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6); }},
    {"netlink_route", [](const char *) { return socketOf(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE); }},
    {"netlink_sock_diag", [](const char *) { return socketOf(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG); }},
    {"netlink_connector", [](const char *) { return socketOf(AF_NETLINK, SOCK_DGRAM, NETLINK_CONNECTOR); }},
    {"netlink_audit", [](const char *) { return socketOf(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT); }},
    {"netlink_events", [](const char *) { return socketOf(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT); }},
    {"netlink_generic", [](const char *) { return socketOf(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC); }},
    {"netlink_xfrm", [](const char *) { return socketOf(AF_NETLINK, SOCK_RAW, NETLINK_XFRM); }},
    {"netlink_wide",
     [](const char *) -> long {
         return Handle(static_cast<int>(syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0x1'0000'0000UL | NETLINK_SOCK_DIAG)))
             .get();
     }},
    {"can_socket", [](const char *) { return socketOf(AF_CAN, SOCK_RAW, 1); }},
    {"bluetooth_socket", [](const char *) { return socketOf(AF_BLUETOOTH, SOCK_RAW, 1); }},
    {"tipc_socket", [](const char *) { return socketOf(AF_TIPC, SOCK_STREAM); }},
    {"rds_socket", [](const char *) { return socketOf(AF_RDS, SOCK_SEQPACKET); }},
    {"kcm_socket", [](const char *) { return socketOf(AF_KCM, SOCK_DGRAM); }},
    {"xdp_socket", [](const char *) { return socketOf(AF_XDP, SOCK_RAW); }},
    // files of the kernel
    {"proc_sys", [](const char *) { return opens("/proc/sys/kernel/hostname", O_WRONLY); }},
    {"proc_sysrq", [](const char *) { return opens("/proc/sysrq-trigger", O_WRONLY); }},
    {"proc_kcore", [](const char *) { return opens("/proc/kcore", O_RDONLY); }},
    {"sys_kernel", [](const char *) { return opens("/sys/kernel", O_RDONLY | O_DIRECTORY); }},
    {"sys_processors", [](const char *) { return opens("/sys/devices/system/cpu/online", O_RDONLY); }},
    {"sys_processors_write", [](const char *) { return opens("/sys/devices/system/cpu/uevent", O_WRONLY); }},
    {"device_kmsg", [](const char *) { return opens("/dev/kmsg", O_RDONLY); }},
    {"device_memory", [](const char *) { return opens("/dev/mem", O_RDONLY); }},
    {"own_filter", [](const char *) { return callsSeccomp(); }},
    {"own_landlock",
     [](const char *) { return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION); }},
};

} // namespace

std::span<const Call> kernelCalls()
{
    return calls;
}

} // namespace portcullis::test
