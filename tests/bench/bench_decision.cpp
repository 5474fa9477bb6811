// SPDX-License-Identifier: Apache-2.0

// The decision with all shipped rules: everyday commands, the field cases, and commands that are made to keep the gate
// busy. Peers: bash, which only reads (`bash -n`), and one RE2::Set of patterns, which reads nothing.

#include "runner/decision/decision.h"
#include "tests/bench/bench.h"
#include "tests/support/field_cases.h"
#include "tests/support/hostile_commands.h"

#include <QProcess>
#include <QTemporaryFile>

#include <re2/set.h>

#include <array>
#include <string_view>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace portcullis;

namespace {

constexpr std::array<std::string_view, 20> everyday{
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
    "ls -la",
    "cat README.md",
    "git diff HEAD~1 -- src/app.ts",
    "git add -A && git commit -m 'Fix the parser of dates'",
    "mkdir -p out/reports && cp -r templates/. out/reports/",
    "cargo test --workspace 2>&1 | tail -n 40",
    "go vet ./... && go test ./internal/...",
    "jq -r '.items[] | .name' data.json | sort -u",
    "test -f .env.example || echo missing",
    "node scripts/generate.js --input data.csv --output data.json",
};

/// What a filter by patterns looks for.
constexpr std::array<std::string_view, 20> patterns{
    R"(\brm\s+-[rf]{1,2}\b)",       R"(\bsudo\b)",    R"(\bsu\s+-)",         R"(curl[^|]*\|\s*(ba|z)?sh)",
    R"(wget[^|]*\|\s*(ba|z)?sh)",   R"(/dev/tcp/)",   R"(\bnc\s+.*-e\b)",    R"(\bmkfs)",
    R"(\bdd\s+.*of=/dev/)",         R"(:\(\)\s*\{)",  R"(\beval\b)",         R"(base64\s+(-d|--decode))",
    R"(\bchmod\s+[0-7]*777)",       R"(LD_PRELOAD=)", R"(\bnsenter\b)",      R"(\bnmap\b)",
    R"(\b(apt|yum|dnf)\s+install)", R"(\bcrontab\b)", R"(\b(kill|pkill)\b)", R"(\b(env|printenv)\b)",
};

decision::HostFacts bothWalls()
{
    decision::HostFacts facts;
    facts.landlockAbi = 7;
    facts.viewWorks = true;
    return facts;
}

class Gate
{
public:
    Gate() : m_configuration(test::fieldConfiguration()), m_facts(bothWalls())
    {
        m_request.tenant = "acme";
        m_request.timeUs = 1'800'000'000'000'000;
    }
    [[nodiscard]] bool isReady() const { return m_configuration != nullptr; }

    /// As a run does it: read, what to ask the host, decide.
    void decide(std::string_view command)
    {
        m_request.command = command;
        const decision::ReadCommands read = decision::readCommand(m_request, *m_configuration, m_facts);
        static_cast<void>(decision::questions(m_request, *m_configuration, m_facts, read));
        static_cast<void>(decision::decide(m_request, *m_configuration, m_facts, read));
    }

private:
    std::shared_ptr<const policy::Configuration> m_configuration;
    decision::HostFacts m_facts;
    decision::ExecRequest m_request;
};

/// Sorted times of all decisions, a few times each.
std::vector<double> timesOf(Gate &gate, const std::vector<std::string> &commands, int times, bool print)
{
    std::vector<double> all;
    for (const std::string &command : commands) {
        const auto taken = bench::measured(times, bench::threadMicroseconds, [&] { gate.decide(command); });
        if (print)
            std::printf("%8.1f µs median  %.60s\n", bench::quantile(taken, 0.5), command.c_str());
        all.insert(all.end(), taken.begin(), taken.end());
    }
    std::ranges::sort(all);
    return all;
}

/// Microseconds a command, of one script with all of them many times; nothing where bash refuses it.
std::optional<double> bashReads(const std::vector<std::string> &commands)
{
    constexpr int copies = 2000;
    QTemporaryFile script;
    QTemporaryFile empty;
    if (!script.open() || !empty.open())
        return std::nullopt;
    for (int i = 0; i < copies; ++i) {
        for (const std::string &command : commands)
            script.write(QByteArray::fromStdString(command) + '\n');
    }
    script.close();
    empty.close();
    const auto seconds = [](const QString &file) {
        rusage before{};
        rusage after{};
        ::getrusage(RUSAGE_CHILDREN, &before);
        if (QProcess::execute(QStringLiteral("bash"), {QStringLiteral("-n"), file}) != 0)
            return -1.0;
        ::getrusage(RUSAGE_CHILDREN, &after);
        const auto of = [](const timeval &time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
        };
        return of(after.ru_utime) - of(before.ru_utime) + of(after.ru_stime) - of(before.ru_stime);
    };
    const double start = seconds(empty.fileName());
    const double all = seconds(script.fileName());
    if (start < 0 || all < start)
        return std::nullopt;
    return (all - start) * 1e6 / (copies * static_cast<double>(commands.size()));
}

double patternsMatch(const std::vector<std::string> &commands)
{
    RE2::Set set(RE2::Options(RE2::Quiet), RE2::UNANCHORED);
    for (const std::string_view pattern : patterns)
        set.Add(std::string(pattern), nullptr);
    if (!set.Compile())
        return 0;
    std::vector<int> found;
    const auto taken = bench::measured(200, bench::threadMicroseconds, [&] {
        for (const std::string &command : commands)
            set.Match(command, &found);
    });
    return bench::quantile(taken, 0.5) / static_cast<double>(commands.size());
}

struct Cost {
    double milliseconds = 0;
    double megabytes = 0;
};

double peakMegabytes()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// In a process of its own: the peak of one command must not hide that of the next.
Cost costOf(Gate &gate, std::string_view command)
{
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        return {};
    const pid_t child = ::fork();
    if (child == 0) {
        const double before = peakMegabytes();
        const auto taken = bench::measured(1, bench::threadMicroseconds, [&] { gate.decide(command); });
        const Cost cost{taken.front() / 1000, peakMegabytes() - before};
        ::_exit(::write(ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
    }
    ::close(ends[1]);
    Cost cost;
    if (::read(ends[0], &cost, sizeof cost) != sizeof cost)
        cost = {};
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return cost;
}

void hostile(Gate &gate, bool print)
{
    Cost worst;
    std::string slowest;
    std::string largest;
    for (const test::HostileCommand &hostile : test::hostileCommands()) {
        Cost best = costOf(gate, hostile.text);
        for (int i = 0; i < 2; ++i)
            best.milliseconds = std::min(best.milliseconds, costOf(gate, hostile.text).milliseconds);
        if (print)
            std::printf("%8.1f ms %8.1f MB  %s\n", best.milliseconds, best.megabytes, hostile.name);
        if (best.milliseconds > worst.milliseconds)
            slowest = hostile.name;
        if (best.megabytes > worst.megabytes)
            largest = hostile.name;
        worst = {std::max(worst.milliseconds, best.milliseconds), std::max(worst.megabytes, best.megabytes)};
    }
    bench::row("decision, hostile 128 KiB, slowest: " + slowest, {worst.milliseconds, "ms"}, {}, bench::atMost(50));
    bench::row("decision, hostile 128 KiB, largest: " + largest, {worst.megabytes, "MB"}, {}, bench::atMost(64));
}

} // namespace

/// `--each` also prints what each command takes; `--typical` decides the typical ones alone, for a profiler.
int main(int argc, char **argv)
{
    const std::string_view option = argc > 1 ? argv[1] : "";
    const bool print = option == "--each";
    Gate gate;
    if (!gate.isReady())
        return 1;
    const std::vector<std::string> typical(everyday.begin(), everyday.end());
    if (option == "--typical") {
        const std::vector<double> taken = timesOf(gate, typical, 5000, true);
        std::printf("%8.1f µs median\n", bench::quantile(taken, 0.5));
        return 0;
    }
    const std::vector<double> taken = timesOf(gate, typical, 300, print);
    const double middle = bench::quantile(taken, 0.5);
    bench::row("decision, typical command, median", {middle, "µs"}, {}, bench::atMost(20));
    bench::row("decision, typical command, p99", {bench::quantile(taken, 0.99), "µs"}, {}, bench::atMost(100));
    if (const auto bash = bashReads(typical))
        bench::row("decision, typical command, median", {middle, "µs"}, bench::Peer{"bash -n, reading alone", *bash},
                   {});
    bench::row("decision, typical command, median", {middle, "µs"},
               bench::Peer{"one RE2::Set of 20 patterns", patternsMatch(typical)}, {});
    std::vector<std::string> field;
    for (const test::FieldCase &each : test::readFieldCases())
        field.push_back(each.command.toStdString());
    const std::vector<double> all = timesOf(gate, field, 5, false);
    bench::row("decision, " + std::to_string(field.size()) + " field cases, median", {bench::quantile(all, 0.5), "µs"},
               {}, bench::atMost(20));
    bench::row("decision, field cases, p99", {bench::quantile(all, 0.99), "µs"}, {}, bench::atMost(100));
    hostile(gate, print);
    return 0;
}
