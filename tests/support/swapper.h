// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exchanges folders of a tenant with links to what is not the tenant's, as fast as it can, until it is told to stop.

#include "runner/confinement/unique_fd.h"

#include <QByteArray>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <random>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace portcullis::test {

/// A folder, found by its parent's descriptor whatever happens to the names above it, and the link beside it.
class Swap
{
public:
    Swap(const std::string &parent, std::string name, const std::string &leadsTo)
        : m_parent(open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
        , m_name(std::move(name))
        , m_link(m_name + ".link")
        , m_aside(m_name + ".aside")
        , m_leadsTo(leadsTo)
    {
        if (!m_parent || (mkdirat(m_parent.get(), m_name.c_str(), 0755) != 0 && errno != EEXIST)
            || symlinkat(leadsTo.c_str(), m_parent.get(), m_link.c_str()) != 0)
            std::abort();
    }

    bool exchange() const
    {
        return renameat2(m_parent.get(), m_link.c_str(), m_parent.get(), m_name.c_str(), RENAME_EXCHANGE) == 0;
    }

    /// There is a moment without any entry before the link comes and after it goes, in which the folder may be made.
    bool leaveAndReturn() const
    {
        if (renameat2(m_parent.get(), m_name.c_str(), m_parent.get(), m_aside.c_str(), RENAME_NOREPLACE) != 0)
            return false;
        const bool linked = symlinkat(m_leadsTo.c_str(), m_parent.get(), m_name.c_str()) == 0;
        if (linked)
            unlinkat(m_parent.get(), m_name.c_str(), 0);
        // A folder that was made meanwhile goes; one that something was put into stays, and the old one beside it.
        unlinkat(m_parent.get(), m_name.c_str(), AT_REMOVEDIR);
        if (renameat(m_parent.get(), m_aside.c_str(), m_parent.get(), m_name.c_str()) != 0)
            renameat2(m_parent.get(), m_aside.c_str(), m_parent.get(), m_name.c_str(), RENAME_EXCHANGE);
        return linked;
    }

private:
    confinement::UniqueFd m_parent;
    std::string m_name;
    std::string m_link;
    std::string m_aside;
    std::string m_leadsTo;
};

class Swapper
{
public:
    explicit Swapper(std::vector<Swap> swaps) : m_swaps(std::move(swaps)), m_thread([this] { work(); }) { }
    Swapper(const Swapper &) = delete;
    Swapper &operator=(const Swapper &) = delete;
    ~Swapper()
    {
        m_stop = true;
        m_thread.join();
    }
    std::uint64_t count() const { return m_count; }

private:
    void work()
    {
        std::minstd_rand random(static_cast<unsigned>(getpid()));
        while (!m_stop) {
            const Swap &swap = m_swaps[random() % m_swaps.size()];
            constexpr unsigned oneIn = 8;
            if (random() % oneIn == 0 ? swap.leaveAndReturn() : swap.exchange())
                ++m_count;
        }
    }

    std::vector<Swap> m_swaps;
    std::atomic<std::uint64_t> m_count = 0;
    std::atomic<bool> m_stop = false;
    std::thread m_thread;
};

} // namespace portcullis::test
