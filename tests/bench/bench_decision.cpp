// SPDX-License-Identifier: Apache-2.0

// The decision with all shipped rules: everyday commands, and commands that are made to keep the gate busy.

#include "runner/decision/decision.h"
#include "tests/bench/bench.h"
#include "tests/support/configuration_builder.h"
#include "tests/support/hostile_commands.h"

#include <QDir>
#include <QFile>

#include <array>
#include <string_view>

#include <sys/resource.h>

using namespace portcullis;

namespace {

constexpr std::array<std::string_view, 10> everyday{
    "git status --short",
    "npm run build && npm test",
    "python3 -m pytest -q tests/unit",
    "grep -rn 'TODO' src --include='*.cpp' | head -20",
    "cd build && cmake .. -G Ninja && ninja -j4",
    "find . -name '*.py' -not -path './node_modules/*' | xargs wc -l",
    "sed -i 's/foo/bar/g' src/main.cpp",
    "for f in *.md; do echo \"$f: $(wc -w < \"$f\")\"; done",
    "cat > notes.txt <<'EOF'\nremember the milk\nEOF",
    "python3 -c \"import json,sys; print(json.load(open('package.json'))['version'])\"",
};

std::shared_ptr<const policy::Configuration> configuration()
{
    test::ConfigurationBuilder builder;
    builder.gateway("{data_dir: '/srv/gateway/data', agents: {defaults: {workspace: '/srv/gateway/workspace'}}}");
    builder.policy("acme");
    const QDir folder(QStringLiteral(TEST_RESOURCE_DIR "/rules"));
    for (const QString &name : folder.entryList({QStringLiteral("*.json")}, QDir::Files)) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            builder.input().builtinRules.push_back({name.toStdString(), file.readAll().toStdString(), {}});
    }
    return builder.load();
}

double peakMegabytes()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

} // namespace

int main()
{
    const std::shared_ptr<const policy::Configuration> config = configuration();
    if (!config)
        return 1;
    decision::HostFacts facts;
    facts.landlockAbi = 7;
    facts.viewWorks = true;
    decision::ExecRequest request;
    request.tenant = "acme";
    const auto decide = [&](std::string_view command) {
        request.command = command;
        const decision::ReadCommands read = decision::readCommand(request, *config, facts);
        static_cast<void>(decision::questions(request, *config, facts, read));
        return decision::decide(request, *config, facts, read);
    };
    std::vector<double> all;
    for (const std::string_view command : everyday) {
        const auto taken = bench::measured(500, bench::threadMicroseconds, [&] { static_cast<void>(decide(command)); });
        std::printf("%8.1f µs median %8.1f µs p99  %.*s\n", bench::quantile(taken, 0.5), bench::quantile(taken, 0.99),
                    static_cast<int>(std::min<std::size_t>(command.size(), 60)), command.data());
        all.insert(all.end(), taken.begin(), taken.end());
    }
    std::ranges::sort(all);
    std::printf("%8.1f µs median %8.1f µs p99  all of these (goal: 20, 100)\n\n", bench::quantile(all, 0.5),
                bench::quantile(all, 0.99));
    const double before = peakMegabytes();
    for (const test::HostileCommand &hostile : test::hostileCommands()) {
        const auto taken =
            bench::measured(3, bench::threadMicroseconds, [&] { static_cast<void>(decide(hostile.text)); });
        const auto half = bench::measured(3, bench::threadMicroseconds, [&] {
            static_cast<void>(decide(std::string_view(hostile.text).substr(0, hostile.text.size() / 2)));
        });
        std::printf("%8.1f ms, %4.1f × half of it, %6.1f MB more  %s\n", taken[0] / 1000, taken[0] / half[0],
                    peakMegabytes() - before, hostile.name);
    }
    std::puts("goal: 50 ms, 64 MB");
    return 0;
}
