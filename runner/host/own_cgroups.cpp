// SPDX-License-Identifier: Apache-2.0
#include "runner/host/own_cgroups.h"

#include <QFile>

#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::host {
namespace {

std::string contentsOf(const char *path)
{
    QFile file(QString::fromLatin1(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

bool everybodyMayRead(const std::string &path)
{
    struct stat about{};
    return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & S_IROTH) != 0;
}

} // namespace

std::vector<plan::Cgroup> ownCgroups()
{
    std::vector<plan::Cgroup> groups =
        plan::cgroupsOf(contentsOf("/proc/self/cgroup"), contentsOf("/proc/self/mountinfo"));
    std::erase_if(groups, [](const plan::Cgroup &group) { return ::access(group.folder.c_str(), F_OK) != 0; });
    for (plan::Cgroup &group : groups) {
        std::erase_if(group.limits,
                      [&](const std::string &name) { return !everybodyMayRead(group.folder + '/' + name); });
        // Files that only the first group of the machine has, and that it alone has not (cgroup-v1, cgroup-v2).
        group.machines = group.second ? ::access((group.folder + "/cgroup.type").c_str(), F_OK) != 0
                                      : ::access((group.folder + "/release_agent").c_str(), F_OK) == 0;
    }
    return groups;
}

} // namespace portcullis::host
