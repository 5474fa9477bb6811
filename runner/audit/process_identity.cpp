// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/process_identity.h"

#include <QByteArray>
#include <QFile>
#include <QList>

#include <optional>

#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::audit {
namespace {

/// Field 22 of /proc/PID/stat, or nothing when there is no such process.
std::optional<std::string> startTime(std::string_view pid)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(QLatin1StringView(pid.data(), static_cast<qsizetype>(pid.size()))));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QByteArray stat = file.readAll();
    // The name (field 2) may hold blanks and parentheses: count from behind its last parenthesis, where field 3 is.
    const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
    constexpr qsizetype startField = 22 - 3;
    if (fields.size() <= startField)
        return std::nullopt;
    if (fields.first() == "Z" || fields.first() == "X") // what is dead and not yet waited for completes nothing
        return std::nullopt;
    return fields.at(startField).toStdString();
}

std::string pidNamespace()
{
    struct stat info{};
    return ::stat("/proc/self/ns/pid", &info) == 0 ? std::to_string(info.st_ino) : std::string("0");
}

} // namespace

std::string thisRunner()
{
    const std::string pid = std::to_string(::getpid());
    return pid + ':' + startTime(pid).value_or("0") + ':' + pidNamespace();
}

Liveness livenessOf(std::string_view runner)
{
    const std::size_t first = runner.find(':');
    const std::size_t second = runner.find(':', first == std::string_view::npos ? first : first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos)
        return Liveness::Unknown;
    const std::string_view pid = runner.substr(0, first);
    if (pid.empty() || pid.find_first_not_of("0123456789") != std::string_view::npos
        || runner.substr(second + 1) != pidNamespace())
        return Liveness::Unknown;
    const std::optional<std::string> now = startTime(pid);
    return now && *now == runner.substr(first + 1, second - first - 1) ? Liveness::Alive : Liveness::Dead;
}

} // namespace portcullis::audit
