// SPDX-License-Identifier: Apache-2.0
#include "app/guard/channel.h"

#include <array>
#include <cstring>
#include <span>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace portcullis::guard {

namespace {

/// One packet of descriptors, appended to `fds`. recvmsg(2), cmsg(3).
Done receiveFds(int control, std::vector<UniqueFd> &fds)
{
    std::array<char, 8> data{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * wire::maxFdsPerPacket)> space{};
    iovec part{data.data(), data.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    const ssize_t got = TEMP_FAILURE_RETRY(recvmsg(control, &message, MSG_CMSG_CLOEXEC));
    if (got < 0)
        return failed(Step::ReceivePlan);
    const std::size_t before = fds.size();
    for (cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        std::vector<int> raw((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(raw.data(), CMSG_DATA(header), raw.size() * sizeof(int));
        for (const int fd : raw)
            fds.emplace_back(fd);
    }
    if (got == 0 || (message.msg_flags & MSG_CTRUNC) || fds.size() == before)
        return failedWith(Step::ReceivePlan, EPROTO);
    return {};
}

Result<wire::GuardPlan, Failure> readPlan(int memory, std::uint32_t fds)
{
    struct stat about{};
    if (fstat(memory, &about) != 0)
        return failed(Step::ReceivePlan);
    if (about.st_size <= 0 || about.st_size > static_cast<off_t>(wire::maxPlanBytes))
        return failedWith(Step::ReceivePlan, EMSGSIZE);
    std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
    if (pread(memory, bytes.data(), bytes.size(), 0) != about.st_size)
        return failedWith(Step::ReceivePlan, EIO);
    std::optional<wire::GuardPlan> plan = wire::decodePlan(bytes, fds);
    if (!plan)
        return failedWith(Step::ReceivePlan, EBADMSG);
    return std::move(*plan);
}

} // namespace

Result<Received, Failure> receivePlan(int control)
{
    std::array<char, 64> bytes{};
    const ssize_t got = TEMP_FAILURE_RETRY(recv(control, bytes.data(), bytes.size(), 0));
    if (got < 0)
        return failed(Step::ReceivePlan);
    const auto hello = wire::decodeHello({bytes.data(), static_cast<std::size_t>(got)});
    if (!hello)
        return failedWith(Step::ReceivePlan, EPROTO);
    Received received;
    while (received.fds.size() < hello->fds) {
        if (Done done = receiveFds(control, received.fds); !done)
            return std::unexpected(done.error());
    }
    if (received.fds.size() != hello->fds)
        return failedWith(Step::ReceivePlan, EPROTO);
    auto plan = readPlan(received.fds.front().get(), hello->fds);
    if (!plan)
        return std::unexpected(plan.error());
    received.plan = std::move(*plan);
    return received;
}

bool sendReport(int control, const wire::GuardReport &report)
{
    const std::string bytes = wire::encode(report);
    return TEMP_FAILURE_RETRY(send(control, bytes.data(), bytes.size(), MSG_NOSIGNAL)) >= 0;
}

} // namespace portcullis::guard
