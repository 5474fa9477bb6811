// SPDX-License-Identifier: Apache-2.0

// Rows per second into the record, in batches, and what one commit of a decision takes before its command may start.

#include "runner/audit/audit_writer.h"
#include "tests/bench/bench.h"
#include "tests/support/audit_events.h"

#include <QCoreApplication>
#include <QTemporaryDir>

using namespace portcullis;

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    const QTemporaryDir folder;
    auto writer = audit::AuditWriter::open({.path = folder.filePath(QStringLiteral("audit.db")).toStdString()});
    if (!writer)
        return 1;
    constexpr std::uint64_t batch = 1000;
    constexpr std::uint64_t batches = 50;
    std::uint64_t next = 1;
    std::vector<std::vector<audit::WriteRequest>> requests(batches);
    for (std::vector<audit::WriteRequest> &each : requests) {
        for (std::uint64_t i = 0; i < batch; ++i)
            each.emplace_back(audit::Append{test::deniedEvent(next++), {}});
    }
    const double start = bench::wallMicroseconds();
    for (std::vector<audit::WriteRequest> &each : requests)
        static_cast<void>((*writer)->commit(std::move(each)));
    const double seconds = (bench::wallMicroseconds() - start) / 1e6;
    std::printf("%9.0f rows/s in batches of %d (goal: 100000)\n", static_cast<double>(batch * batches) / seconds,
                static_cast<int>(batch));
    const auto single = bench::measured(500, bench::wallMicroseconds,
                                        [&] { static_cast<void>((*writer)->begin(test::allowedEvent(next++))); });
    std::printf("%9.2f ms median for the commit before a start (goal: 1)\n", bench::quantile(single, 0.5) / 1000);
    return 0;
}
