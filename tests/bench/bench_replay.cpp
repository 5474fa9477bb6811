// SPDX-License-Identifier: Apache-2.0

// The built runner replays a record of 100,000 commands against the configuration in force. Peer: the same commands
// decided once more by `check --batch` of the same runner, in one thread and without a record.

#include "runner/audit/audit_writer.h"
#include "runner/resources/config_loader.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_events.h"
#include "tests/support/gateway.h"

#include <QCoreApplication>
#include <QJsonDocument>

#include <sys/resource.h>

using namespace portcullis;

namespace {

constexpr std::uint64_t rows = 100'000;

std::shared_ptr<const policy::Configuration> configurationOf(const test::Gateway &gateway)
{
    resources::LoadOptions options = resources::optionsOfProcess();
    options.configFile = (gateway.root() + QStringLiteral("/config.json")).toStdString();
    options.policiesDir = (gateway.root() + QStringLiteral("/policies")).toStdString();
    options.auditDb = gateway.auditDb().toStdString();
    options.resourcesDir = TEST_RESOURCE_DIR;
    auto loaded = resources::loadConfiguration(options);
    return loaded ? std::move(*loaded) : nullptr;
}

bool fill(const test::Gateway &gateway, const bench::RecordedCommands &commands)
{
    auto writer = audit::AuditWriter::open({.path = gateway.auditDb().toStdString()});
    if (!writer)
        return false;
    for (std::uint64_t n = 1; n <= rows;) {
        std::vector<audit::WriteRequest> requests;
        for (int i = 0; i < 5000 && n <= rows; ++i, ++n) {
            record::Event event = commands.event(n);
            event.outcome = Outcome::NotStarted;
            requests.emplace_back(audit::Append{std::move(event), {}});
        }
        for (const audit::WriteResult &result : (*writer)->commit(std::move(requests))) {
            if (!result)
                return false;
        }
    }
    return true;
}

struct Took {
    double wall = 0; ///< seconds
    double processor = 0;
    test::Done done;
};

double processorOfChildren()
{
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto of = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return of(usage.ru_utime) + of(usage.ru_stime);
}

Took run(const test::Gateway &gateway, const QStringList &words, const QByteArray &input = {})
{
    Took took;
    const double before = processorOfChildren();
    const double start = bench::wallMicroseconds();
    took.done = gateway.runner(words, input);
    took.wall = (bench::wallMicroseconds() - start) / 1e6;
    took.processor = processorOfChildren() - before;
    return took;
}

QByteArray batchOf(const bench::RecordedCommands &commands)
{
    QByteArray lines;
    for (std::uint64_t n = 1; n <= rows; ++n) {
        const record::Event event = commands.event(n);
        lines += "{\"id\":\"" + QByteArray::number(static_cast<qulonglong>(n)) + "\",\"tenant\":\"acme\",\"cwd\":\""
            + QByteArray::fromStdString(event.cwd) + "\",\"command_base64\":\""
            + QByteArray::fromStdString(event.command).toBase64() + "\"}\n";
    }
    return lines;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    const test::Gateway gateway;
    const auto configuration = configurationOf(gateway);
    if (!gateway.isValid() || !configuration)
        return 1;
    const bench::RecordedCommands commands(configuration,
                                           gateway.tenantWorkspace(QStringLiteral("acme")).toStdString());
    if (!fill(gateway, commands))
        return 1;
    const Took replayed = run(gateway,
                              {QStringLiteral("replay"), QStringLiteral("--against"), QStringLiteral("current"),
                               QStringLiteral("--only"), QStringLiteral("loosened"), QStringLiteral("--json")});
    if (replayed.done.exitCode != 0 || !replayed.done.out.contains("100000")) {
        std::fprintf(stderr, "%s%s", replayed.done.out.right(2000).constData(), replayed.done.err.constData());
        return 1;
    }
    const Took decided = run(
        gateway, {QStringLiteral("check"), QStringLiteral("--batch"), QStringLiteral("-"), QStringLiteral("--json")},
        batchOf(commands));
    const double count = static_cast<double>(rows);
    bench::row("replay of 100,000 rows, field cases, by the clock", {count / replayed.wall, "/s"},
               bench::Peer{"check --batch", count / decided.wall}, bench::atLeast(50'000));
    bench::row("replay, by processor time of 2 cores", {2 * count / replayed.processor, "/s"},
               bench::Peer{"check --batch", 2 * count / decided.processor}, bench::atLeast(50'000));
    return 0;
}
