// SPDX-License-Identifier: Apache-2.0
#include "tests/confinement/calls/call.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace portcullis::test {

namespace {

constexpr const char *own = "own-name"; ///< in the working directory
constexpr long fchmodat2Number = 452; // younger than most headers; the same on every architecture

/// Something new beside the foreign file, or in the foreign folder.
std::string beside(const char *path)
{
    return std::string(path) + "-new";
}

/// A descriptor that names the file without opening it, which Landlock does not watch over.
Handle named(const char *path)
{
    return Handle(open(path, O_PATH | O_CLOEXEC));
}

long opens(int folder, const char *path, int flags)
{
    return Handle(openat(folder, path, flags | O_CLOEXEC, 0644)).get();
}

long opensAgain(const char *path)
{
    const Handle file = named(path);
    return file ? opens(AT_FDCWD, ("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY) : -1;
}

long opensBelowNamedFolder(const char *path)
{
    const std::string whole(path);
    const auto slash = whole.rfind('/');
    const Handle folder = named(whole.substr(0, slash).c_str());
    return folder ? opens(folder.get(), whole.substr(slash + 1).c_str(), O_RDONLY) : -1;
}

long opensFromItsFolder(const char *path)
{
    const std::string whole(path);
    const auto slash = whole.rfind('/');
    return chdir(whole.substr(0, slash).c_str()) == 0 ? opens(AT_FDCWD, whole.substr(slash + 1).c_str(), O_RDONLY) : -1;
}

long opensByOpenat2(const char *path)
{
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC;
    return Handle(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how))).get();
}

long linksNamed(const char *path)
{
    const Handle file = named(path);
    if (!file)
        return -1;
    return linkat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(file.get())).c_str(), AT_FDCWD, own, AT_SYMLINK_FOLLOW);
}

long runsNamed(const char *path)
{
    const Handle file(open(path, O_PATH)); // the interpreter of a script finds it by its number
    char *words[] = {const_cast<char *>("x"), nullptr};
    return file ? execs([&] { syscall(SYS_execveat, file.get(), "", words, environ, AT_EMPTY_PATH); }) : -1;
}

long runs(const char *path)
{
    char *words[] = {const_cast<char *>("x"), nullptr};
    return execs([&] { execve(path, words, environ); });
}

long binds(const char *path)
{
    const Handle fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return fd ? bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) : -1;
}

long exchanges(const char *path)
{
    if (opens(AT_FDCWD, own, O_CREAT | O_WRONLY) < 0)
        return -1;
    return renameat2(AT_FDCWD, own, AT_FDCWD, path, RENAME_EXCHANGE);
}

long replaces(const char *path)
{
    if (opens(AT_FDCWD, own, O_CREAT | O_WRONLY) < 0)
        return -1;
    return rename(own, path);
}

long watches(const char *path)
{
    const Handle watch(inotify_init1(IN_CLOEXEC));
    return watch ? inotify_add_watch(watch.get(), path, IN_ALL_EVENTS) : -1;
}

/// Where the file system keeps no attributes the call still got through.
long unlessUnsupported(long result)
{
    return result < 0 && errno == EOPNOTSUPP ? 0 : result;
}

long makesFolder(const char *path)
{
    return mkdir(beside(path).c_str(), 0755);
}

long runsFromMemory(const char *)
{
    const Handle memory(memfd_create("program", MFD_CLOEXEC));
    const Handle program(open("/bin/true", O_RDONLY | O_CLOEXEC));
    char bytes[65536];
    for (ssize_t got = 0; (got = read(program.get(), bytes, sizeof bytes)) > 0;) {
        if (write(memory.get(), bytes, static_cast<std::size_t>(got)) != got)
            return -1;
    }
    char *words[] = {const_cast<char *>("true"), nullptr};
    return execs([&] { fexecve(memory.get(), words, environ); });
}

constexpr Call calls[] = {
    {"open_named", [](const char *path) -> long { return named(path).get(); }},
    {"open_named_again", opensAgain},
    {"openat_below_named", opensBelowNamedFolder},
    {"open_from_its_folder", opensFromItsFolder},
    {"openat2", opensByOpenat2},
    {"open_folder", [](const char *path) { return opens(AT_FDCWD, path, O_RDONLY | O_DIRECTORY); }},
    {"open_temporary", [](const char *path) { return opens(AT_FDCWD, path, O_TMPFILE | O_WRONLY); }},
    {"creat", [](const char *path) -> long { return Handle(creat(path, 0644)).get(); }},
    {"access", [](const char *path) -> long { return access(path, R_OK); }},
    {"faccessat2", [](const char *path) { return syscall(SYS_faccessat2, AT_FDCWD, path, R_OK, AT_EACCESS); }},
    {"lstat",
     [](const char *path) -> long {
         struct stat about{};
         return lstat(path, &about);
     }},
    {"statx",
     [](const char *path) -> long {
         struct statx about{};
         return statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &about);
     }},
    {"statfs",
     [](const char *path) -> long {
         struct statfs about{};
         return statfs(path, &about);
     }},
    {"readlink",
     [](const char *path) -> long {
         char target[8];
         return readlink(path, target, sizeof target);
     }},
    {"open_through_link", [](const char *path) { return opens(AT_FDCWD, path, O_RDONLY); }},
    {"chdir", [](const char *path) -> long { return chdir(path); }},
    {"chmod", [](const char *path) -> long { return chmod(path, 0640); }},
    {"fchmodat", [](const char *path) -> long { return syscall(SYS_fchmodat, AT_FDCWD, path, 0640); }},
    {"fchmodat2", [](const char *path) { return syscall(fchmodat2Number, AT_FDCWD, path, 0640, 0); }},
    {"chown", [](const char *path) -> long { return chown(path, getuid(), getgid()); }},
    {"lchown", [](const char *path) -> long { return lchown(path, getuid(), getgid()); }},
    {"fchownat", [](const char *path) -> long { return fchownat(AT_FDCWD, path, getuid(), getgid(), 0); }},
    {"utimes", [](const char *path) -> long { return utimes(path, nullptr); }},
    {"utimensat", [](const char *path) -> long { return utimensat(AT_FDCWD, path, nullptr, 0); }},
    {"setxattr", [](const char *path) { return unlessUnsupported(setxattr(path, "user.x", "x", 1, 0)); }},
    {"listxattr", [](const char *path) { return unlessUnsupported(listxattr(path, nullptr, 0)); }},
    {"truncate", [](const char *path) -> long { return truncate(path, 1); }},
    {"unlink", [](const char *path) -> long { return unlink(path); }},
    {"unlinkat", [](const char *path) -> long { return unlinkat(AT_FDCWD, path, 0); }},
    {"rmdir", [](const char *path) -> long { return rmdir(path); }},
    {"mkdir", makesFolder},
    {"mkdirat", [](const char *path) -> long { return mkdirat(AT_FDCWD, beside(path).c_str(), 0755); }},
    {"mkfifo", [](const char *path) -> long { return mkfifo(beside(path).c_str(), 0644); }},
    {"mknod_file", [](const char *path) -> long { return mknod(beside(path).c_str(), S_IFREG | 0644, 0); }},
    {"mknod_socket", [](const char *path) -> long { return mknod(beside(path).c_str(), S_IFSOCK | 0644, 0); }},
    {"symlink", [](const char *path) -> long { return symlink("/", beside(path).c_str()); }},
    {"symlinkat", [](const char *path) -> long { return symlinkat("/", AT_FDCWD, beside(path).c_str()); }},
    {"link_from", [](const char *path) -> long { return link(path, own); }},
    {"link_named", linksNamed},
    {"rename_from", [](const char *path) -> long { return rename(path, own); }},
    {"rename_onto", replaces},
    {"renameat2_exchange", exchanges},
    {"bind_beside", [](const char *path) { return binds(beside(path).c_str()); }},
    {"inotify", watches},
    {"execve", runs},
    {"execveat", runsNamed},
    // of the command's own
    {"own_temporary_file", [](const char *) { return opens(AT_FDCWD, ".", O_TMPFILE | O_WRONLY); }},
    {"own_socket", [](const char *) { return binds(own); }},
    {"own_pipe", [](const char *) -> long { return mkfifo(own, 0644); }},
    {"own_watch", [](const char *) { return watches("."); }},
    {"own_program_in_memory", runsFromMemory},
};

} // namespace

std::span<const Call> fileCalls()
{
    return calls;
}

} // namespace portcullis::test
