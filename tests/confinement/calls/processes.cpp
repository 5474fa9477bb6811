// SPDX-License-Identifier: Apache-2.0
#include "tests/confinement/calls/call.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/kcmp.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace portcullis::test {

namespace {

pid_t pidOf(const char *text)
{
    return static_cast<pid_t>(std::strtol(text, nullptr, 10));
}

long opensOf(const char *pid, const char *entry, int flags = O_RDONLY)
{
    return Handle(open(("/proc/" + std::string(pid) + "/" + entry).c_str(), flags | O_CLOEXEC)).get();
}

long signalsByDescriptor(const char *pid)
{
    const Handle process(static_cast<int>(syscall(SYS_pidfd_open, pidOf(pid), 0)));
    return process ? syscall(SYS_pidfd_send_signal, process.get(), 0, nullptr, 0) : -1;
}

/// Four bytes at an address that is mapped in nearly no process: refused before it is looked at, or EFAULT.
template <long number>
long copies(const char *pid)
{
    char bytes[4]{};
    const iovec here{bytes, sizeof bytes};
    const iovec there{reinterpret_cast<void *>(0x10000), sizeof bytes};
    const long result = syscall(number, pidOf(pid), &here, 1, &there, 1, 0);
    return result < 0 && errno == EFAULT ? 0 : result;
}

/// A child that waits to be looked at.
template <class Look>
long onChild(Look look)
{
    const pid_t child = fork();
    if (child == 0) {
        for (;;)
            pause();
    }
    const long result = child < 0 ? -1 : look(child);
    const int error = errno;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    errno = error;
    return result;
}

long tracesChild(const char *)
{
    return onChild([](pid_t child) -> long { return ptrace(PTRACE_SEIZE, child, nullptr, nullptr); });
}

long readsChild(const char *)
{
    static char marker[4] = "yes";
    return onChild([](pid_t child) -> long {
        char bytes[4]{};
        const iovec here{bytes, sizeof bytes};
        const iovec there{marker, sizeof bytes};
        return process_vm_readv(child, &here, 1, &there, 1, 0);
    });
}

long queue()
{
    const std::string name = "/portcullis-" + std::to_string(getpid());
    const mqd_t opened = mq_open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600, nullptr);
    if (opened < 0)
        return -1;
    mq_close(opened);
    return mq_unlink(name.c_str());
}

template <class Remove>
long removed(int id, Remove remove)
{
    return id < 0 ? -1 : remove(id);
}

constexpr Call calls[] = {
    {"tgkill", [](const char *pid) { return syscall(SYS_tgkill, pidOf(pid), pidOf(pid), 0); }},
    {"tkill", [](const char *pid) { return syscall(SYS_tkill, pidOf(pid), 0); }},
    {"sigqueue", [](const char *pid) -> long { return sigqueue(pidOf(pid), 0, sigval{}); }},
    {"pidfd_send_signal", signalsByDescriptor},
    {"process_vm_readv", copies<SYS_process_vm_readv>},
    {"process_vm_writev", copies<SYS_process_vm_writev>},
    {"ptrace_attach", [](const char *pid) -> long { return ptrace(PTRACE_ATTACH, pidOf(pid), nullptr, nullptr); }},
    {"kcmp", [](const char *pid) { return syscall(SYS_kcmp, pidOf(pid), getpid(), KCMP_VM, 0, 0); }},
    {"move_pages",
     [](const char *pid) { return syscall(SYS_move_pages, pidOf(pid), 0, nullptr, nullptr, nullptr, 0); }},
    {"migrate_pages", [](const char *pid) { return syscall(SYS_migrate_pages, pidOf(pid), 0, nullptr, nullptr); }},
    {"process_madvise", [](const char *) { return syscall(SYS_process_madvise, -1, nullptr, 0, 0, 0); }},
    {"process_mrelease", [](const char *) { return syscall(SYS_process_mrelease, -1, 0); }},
    {"proc_auxv", [](const char *pid) { return opensOf(pid, "auxv"); }},
    {"proc_smaps", [](const char *pid) { return opensOf(pid, "smaps"); }},
    {"proc_task_environment",
     [](const char *pid) { return opensOf(pid, ("task/" + std::string(pid) + "/environ").c_str()); }},
    {"proc_cwd", [](const char *pid) { return opensOf(pid, "cwd/", O_RDONLY | O_DIRECTORY); }},
    {"proc_exe", [](const char *pid) { return opensOf(pid, "exe"); }},
    {"proc_oom_score", [](const char *pid) { return opensOf(pid, "oom_score_adj", O_WRONLY); }},
    // of the command's own
    {"own_child_traced", tracesChild},
    {"own_child_read", readsChild},
    {"own_memory_segment",
     [](const char *) {
         return removed(shmget(IPC_PRIVATE, 4096, 0600), [](int id) { return shmctl(id, IPC_RMID, nullptr); });
     }},
    {"own_semaphores",
     [](const char *) {
         return removed(semget(IPC_PRIVATE, 1, 0600), [](int id) { return semctl(id, 0, IPC_RMID); });
     }},
    {"own_messages",
     [](const char *) {
         return removed(msgget(IPC_PRIVATE, 0600), [](int id) { return msgctl(id, IPC_RMID, nullptr); });
     }},
    {"own_queue", [](const char *) { return queue(); }},
    {"own_unnamed_memory", [](const char *) -> long { return Handle(memfd_create("x", MFD_CLOEXEC)).get(); }},
    {"own_asynchronous_requests",
     [](const char *) {
         unsigned long context = 0;
         const long result = syscall(SYS_io_setup, 1, &context);
         return result < 0 ? result : syscall(SYS_io_destroy, context);
     }},
    {"own_hint_of_extents",
     [](const char *) -> long {
         const Handle file(open("own-hint", O_CREAT | O_RDWR | O_CLOEXEC, 0600));
         fsxattr hint{};
         return ioctl(file.get(), FS_IOC_FSSETXATTR, &hint);
     }},
    {"own_attributes", [](const char *) { return syscall(469, AT_FDCWD, ".", nullptr, 0, 0); }},
    {"own_secret_memory",
     [](const char *) -> long { return Handle(static_cast<int>(syscall(SYS_memfd_secret, 0))).get(); }},
    {"own_affinity",
     [](const char *) -> long {
         cpu_set_t set;
         return sched_getaffinity(0, sizeof set, &set) == 0 ? sched_setaffinity(0, sizeof set, &set) : -1;
     }},
};

} // namespace

std::span<const Call> processCalls()
{
    return calls;
}

} // namespace portcullis::test
