// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit_check.h"

#include "runner/audit/connection.h"

#include <cerrno>
#include <sys/stat.h>

namespace portcullis::audit {

Result<RecordHealth, AuditError> checkRecord(const std::string &path, std::int64_t mostBytes)
{
    constexpr int busyMilliseconds = 5'000;
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
        AuditError error;
        error.code = AuditError::Code::CannotOpen;
        error.step = "check";
        error.path = path;
        error.systemErrno = errno;
        return failure(std::move(error));
    }
    if (info.st_size > mostBytes)
        return RecordHealth::NotChecked;
    const auto connection = Connection::open(path, OpenMode::ReadOnly, busyMilliseconds);
    if (!connection)
        return failure(connection.error());
    auto statement = (*connection)->prepare("PRAGMA quick_check(1)", "check");
    auto ran = statement ? statement->run("check") : Result<void, AuditError>(failure(statement.error()));
    if (!ran)
        return ran.error().code == AuditError::Code::Corrupt ? Result<RecordHealth, AuditError>(RecordHealth::Damaged)
                                                             : failure(ran.error());
    return statement->next() && statement->bytesAt(0) == "ok" ? RecordHealth::Sound : RecordHealth::Damaged;
}

} // namespace portcullis::audit
