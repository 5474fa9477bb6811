// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace portcullis::test {

/// A small tmpfs over a folder, for full and read-only devices. Needs CAP_SYS_ADMIN: see `works`.
class SmallMount
{
public:
    /// `files`: how many it takes, folders too; 0: half as many as pages of memory.
    SmallMount(std::string folder, int kibibytes, int files = 0);
    ~SmallMount();
    SmallMount(const SmallMount &) = delete;
    SmallMount &operator=(const SmallMount &) = delete;

    [[nodiscard]] bool works() const { return m_mounted; }
    /// Makes the device read-only. False when the kernel refuses, e.g. because a file is open for writing.
    [[nodiscard]] bool makeReadOnly() const;

    /// Fills the device to the last byte with a file of this name.
    void fill(const std::string &name) const;

private:
    std::string m_folder;
    bool m_mounted = false;
};

} // namespace portcullis::test
