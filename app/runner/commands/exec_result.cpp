// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/exec_result.h"

#include "app/runner/write_all.h"
#include "runner/plan/exec_plan.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <utility>
#include <vector>

namespace portcullis::cli {
namespace {

/// What must not be written over: all that tenants must not read (their own folders lie below it), and what belongs to
/// the record.
std::vector<std::string> placesToKeep(const policy::GatewayPaths &gateway, const std::string &auditDb)
{
    std::vector<std::string> places{gateway.configFile, gateway.environmentFile};
    for (const std::string &database : {auditDb, gateway.auditDb, gateway.database}) {
        for (const std::string_view end : {"", "-wal", "-shm", "-journal", "-reserve"}) {
            if (!database.empty())
                places.push_back(database + std::string(end));
        }
    }
    // The narrow ones first: the message names what it hits.
    places.push_back(gateway.policiesDir);
    const std::vector<std::string> closed = plan::protectedPaths(gateway);
    places.insert(places.end(), closed.rbegin(), closed.rend());
    return places;
}

} // namespace

Result<ExecResult, RequestError> ExecResult::from(const Arguments &arguments)
{
    ExecResult out;
    const std::optional<std::string> target = arguments.value("result");
    if (!target)
        return out;
    out.m_target = *target;
    if (target->starts_with("fd:")) {
        int number = -1;
        const char *end = target->data() + target->size();
        const auto parsed = std::from_chars(target->data() + 3, end, number);
        if (parsed.ec == std::errc() && parsed.ptr == end && number > 2)
            out.m_fd.reset(::fcntl(number, F_DUPFD_CLOEXEC, 3));
        if (!out.m_fd)
            return failure(RequestError{Exit::Usage, "result", *target, "fd:N with an open descriptor above 2"});
        return out;
    }
    auto file = resources::NewText::at(*target);
    if (file) {
        out.m_file.emplace(std::move(*file));
        return out;
    }
    if (file.error().code == resources::PlaceError::Code::NotTrusted)
        return failure(RequestError{Exit::Usage, "result", *target,
                                    "a regular file of ours, no link, in a folder that is ours and that nobody else "
                                    "can write, or fd:N"});
    return failure(
        RequestError{Exit::BadInput, "result", *target,
                     std::string("a file that can be written (") + std::strerror(file.error().errnoValue) + ")"});
}

Result<void, RequestError> ExecResult::checkPlace(const policy::GatewayPaths &gateway, const std::string &auditDb) const
{
    if (!m_file)
        return {};
    const auto place = m_file->within(placesToKeep(gateway, auditDb));
    if (!place)
        return {};
    return failure(RequestError{Exit::Usage, "result", m_target,
                                "a file outside of " + *place
                                    + ", which belongs to the gateway, its tenants or the record, or fd:N"});
}

int ExecResult::write(std::string_view line) const
{
    if (m_file)
        return m_file->write(line);
    return !m_fd || writeAll(m_fd.get(), line) ? 0 : EPIPE;
}

} // namespace portcullis::cli
