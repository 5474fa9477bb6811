// SPDX-License-Identifier: Apache-2.0
#include "tests/support/small_mount.h"

#include <QByteArray>
#include <QFile>

#include <sys/mount.h>

namespace portcullis::test {

SmallMount::SmallMount(std::string folder, int kibibytes, int files) : m_folder(std::move(folder))
{
    std::string size = "size=" + std::to_string(kibibytes) + "k,mode=0700";
    if (files > 0)
        size += ",nr_inodes=" + std::to_string(files);
    m_mounted = ::mount("tmpfs", m_folder.c_str(), "tmpfs", MS_NODEV | MS_NOSUID, size.c_str()) == 0;
}

SmallMount::~SmallMount()
{
    if (m_mounted)
        ::umount2(m_folder.c_str(), MNT_DETACH);
}

bool SmallMount::makeReadOnly() const
{
    return ::mount(nullptr, m_folder.c_str(), nullptr, MS_REMOUNT | MS_RDONLY | MS_NODEV | MS_NOSUID, nullptr) == 0;
}

void SmallMount::fill(const std::string &name) const
{
    QFile file(QString::fromStdString(m_folder + '/' + name));
    if (!file.open(QIODevice::WriteOnly | QIODevice::Append | QIODevice::Unbuffered))
        return;
    for (const int chunk : {65536, 4096, 512, 1}) {
        while (file.write(QByteArray(chunk, 'x')) == chunk) { }
    }
}

} // namespace portcullis::test
