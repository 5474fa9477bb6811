// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/replay_command.h"

#include "app/runner/commands/policy_change.h"
#include "app/runner/commands/record_access.h"
#include "app/runner/commands/replay_options.h"
#include "app/runner/commands/replay_report.h"
#include "runner/audit/audit_writer.h"
#include "runner/audit/process_identity.h"
#include "runner/config/json5.h"
#include "runner/decision/decision_json.h"
#include "runner/record/event_json.h"
#include "runner/service/engine.h"
#include "runner/service/replay_run.h"

#include <algorithm>
#include <filesystem>
#include <format>
#include <fstream>
#include <thread>

namespace portcullis::cli {
namespace {

using audit::AuditReader;
using policy::Configuration;
using service::RecordedConfigurations;

constexpr std::size_t fileBatch = 1024;

/// Everything that a replay needs, loaded before the first row.
struct Prepared {
    std::unique_ptr<AuditReader> reader; ///< null with a file, where nothing of the record is needed
    std::unique_ptr<RecordedConfigurations> recorded;
    replay::Plan plan;
    bool broken = false; ///< a policy of a configuration that was named does not load
};

bool needsRecord(const ReplayOptions &options)
{
    const auto inRecord = [](const ReplaySource &source) {
        return source.kind == ReplaySource::Kind::Recorded || source.kind == ReplaySource::Kind::Revision;
    };
    return options.file.empty() || inRecord(options.against) || (options.baseline && inRecord(*options.baseline));
}

/// The slugs that the record knows: they existed then.
std::vector<std::string> recordedTenants(AuditReader &reader)
{
    constexpr int most = 100'000;
    std::vector<std::string> tenants;
    if (const auto values = reader.distinct(record::Field::Tenant, most)) {
        for (const audit::ValueCount &value : *values) {
            if (policy::isSlug(value.value))
                tenants.push_back(value.value);
        }
    }
    return tenants;
}

replay::ConfigurationFor always(std::shared_ptr<const Configuration> configuration)
{
    return [configuration = std::move(configuration)](
               const record::Event &) -> Result<std::shared_ptr<const Configuration>, replay::Obstacle> {
        return configuration;
    };
}

Result<replay::ConfigurationFor, int> configurationFor(CommandContext &context, const ReplaySource &source,
                                                       Prepared &prepared)
{
    if (source.kind == ReplaySource::Kind::Recorded)
        return prepared.plan.recorded;
    auto loaded = loadReplaySource(context, source, prepared.reader.get());
    if (!loaded)
        return failure(loaded.error());
    prepared.broken = prepared.broken || hasBrokenPolicy(source, **loaded);
    return always(std::move(*loaded));
}

replay::ChangeFacts assumption(const std::string &text)
{
    if (text.empty())
        return nullptr;
    return [text](const decision::HostFacts &recorded) {
        auto assumed = decision::assume(recorded, text); // its text was read before
        return assumed ? std::move(*assumed) : recorded;
    };
}

Result<Prepared, int> prepare(CommandContext &context, const ReplayOptions &options)
{
    Prepared prepared;
    if (needsRecord(options)) {
        auto reader = openRecord(context);
        if (!reader)
            return failure(reader.error());
        prepared.reader = std::move(*reader);
        prepared.recorded =
            std::make_unique<RecordedConfigurations>(*prepared.reader, recordedTenants(*prepared.reader));
        prepared.plan.recorded = [recorded = prepared.recorded.get()](const record::Event &event) {
            return recorded->find(event);
        };
    }
    auto against = configurationFor(context, options.against, prepared);
    if (!against)
        return failure(against.error());
    prepared.plan.against = std::move(*against);
    if (options.baseline) {
        auto baseline = configurationFor(context, *options.baseline, prepared);
        if (!baseline)
            return failure(baseline.error());
        prepared.plan.baseline = std::move(*baseline);
    }
    prepared.plan.assume = assumption(options.assume);
    return prepared;
}

int deciders()
{
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()) - 1);
}

/// What came of the rows.
struct Done {
    replay::Totals totals;
    Coverage coverage;
    std::string onlyId; ///< of the last event
    bool bad = false; ///< a line of the file was no event
};

/// Events as `log --json` writes them, one a line.
class EventFile
{
public:
    EventFile(CommandContext &context, const std::string &path)
        : m_context(context), m_path(path), m_file(path, std::ios::binary)
    {
    }
    [[nodiscard]] bool isOpen() const { return m_file.is_open(); }
    [[nodiscard]] bool bad() const { return m_bad; }

    /// The next commands; empty at the end. A line that is no event is said with its number, and the rest goes on.
    std::vector<record::Event> next(std::size_t most)
    {
        std::vector<record::Event> events;
        std::string line;
        while (events.size() < most && std::getline(m_file, line)) {
            ++m_number;
            if (line.find_first_not_of(" \t\r") == std::string::npos)
                continue;
            auto event = record::eventFromJson(line);
            if (!event) {
                m_bad = true;
                m_context.err(std::format("replay: {}:{}: not an event as log --json writes it\n", m_path, m_number));
            } else if (event->kind == record::Kind::Exec) { // as from the record: commands alone
                events.push_back(std::move(*event));
            }
        }
        return events;
    }

private:
    CommandContext &m_context;
    std::string m_path;
    std::ifstream m_file;
    std::size_t m_number = 0;
    bool m_bad = false;
};

Result<Done, int> replayFile(CommandContext &context, const ReplayOptions &options, const Prepared &prepared,
                             ReplayReport &report)
{
    EventFile file(context, options.file);
    std::error_code error;
    if (!file.isOpen() || !std::filesystem::is_regular_file(options.file, error)) {
        context.err("replay: cannot read '" + options.file + "': it must be a regular file\n");
        return failure(code(Exit::BadInput));
    }
    Done done;
    for (auto events = file.next(fileBatch); !events.empty(); events = file.next(fileBatch)) {
        if (prepared.recorded) {
            if (auto ready = prepared.recorded->prepare(events); !ready)
                return failure(reportRecord(context, ready.error()));
        }
        for (const replay::Row &row : service::replayAll(std::move(events), prepared.plan, deciders())) {
            done.totals.add(row);
            report.add(row);
        }
    }
    done.bad = file.bad();
    return done;
}

/// What was pruned, from the prunings that the record keeps.
Coverage coverageOf(AuditReader &reader)
{
    Coverage coverage;
    if (const auto totals = reader.totals())
        coverage.firstUs = totals->firstUs;
    const auto prunings = record::Filter::parse("kind:prune", clockNow());
    const auto events = prunings ? reader.page(*prunings, 0) : reader.page(record::Filter::between(0, 0), 0);
    if (!events)
        return coverage;
    for (const record::Event &event : *events) {
        const auto detail = config::readJson5(event.detailJson);
        const config::Json *rows = detail ? detail->find("rows") : nullptr;
        const config::Json *last = detail ? detail->find("last_us") : nullptr;
        if (rows && rows->isNumber())
            coverage.prunedEvents += static_cast<std::int64_t>(rows->number);
        if (last && last->isNumber())
            coverage.prunedToUs = std::max(coverage.prunedToUs, static_cast<std::int64_t>(last->number));
    }
    return coverage;
}

std::string digestOf(const std::set<std::string> &digests)
{
    return digests.size() == 1 ? *digests.begin() : std::string();
}

/// A replay is an event of its own: who compared what, and what came out.
void recordReplay(CommandContext &context, const ReplayOptions &options, const replay::Totals &totals,
                  const std::string &onlyId)
{
    record::Event event;
    event.id = service::newRequestId();
    event.kind = record::Kind::Replay;
    event.timeUs = CommandContext::nowUs();
    event.session = "cli";
    event.origin = Origin::Operator;
    event.parent = onlyId;
    event.verdict = Verdict::Allow;
    event.outcome = Outcome::Exited;
    event.runner = audit::thisRunner();
    event.engine = PORTCULLIS_VERSION;
    event.configDigest = digestOf(totals.digestsAfter);
    const Arguments &arguments = context.arguments();
    const auto pair = [](std::string_view key, const std::string &value) {
        return config::quoteJson(key) + ':' + config::quoteJson(value);
    };
    event.detailJson = '{' + pair("by", personName()) + ',' + pair("filter", options.filterText) + ','
        + pair("file", options.file) + ',' + pair("against", arguments.value("against").value_or("")) + ','
        + pair("baseline", arguments.value("baseline").value_or("recorded")) + ',' + pair("assume", options.assume)
        + std::format(R"(,"replayed":{},"loosened":{},"tightened":{},"changed_reason":{},"not_replayable":{}}})",
                      totals.replayed, totals.of(replay::Change::Loosened), totals.of(replay::Change::Tightened),
                      totals.of(replay::Change::ChangedReason), totals.notReplayable());
    auto writer = openToWrite(context);
    if (!writer || !(*writer)->append(event))
        context.err("replay: note: the record cannot be written, so this replay is not in it\n");
}

Result<Done, int> replayRecord(CommandContext &context, const ReplayOptions &options, const Prepared &prepared,
                               ReplayReport &report)
{
    Done done;
    const auto result = service::runReplay(*prepared.reader,
                                           {.filter = options.filter,
                                            .plan = prepared.plan,
                                            .recorded = prepared.recorded.get(),
                                            .threads = deciders(),
                                            .row = [&](const replay::Row &row) {
                                                done.onlyId = row.event.id;
                                                report.add(row);
                                            }});
    if (!result)
        return failure(reportRecord(context, result.error()));
    done.totals = result->totals;
    done.coverage = coverageOf(*prepared.reader);
    return done;
}

} // namespace

int replayCommand(CommandContext &context)
{
    const auto options = replayOptions(context.arguments(), clockNow());
    if (!options)
        return reportUsage(context, options.error());
    auto prepared = prepare(context, *options);
    if (!prepared)
        return prepared.error();
    ReplayReport report(context, *options);
    const bool ofRecord = options->file.empty();
    const auto done = ofRecord ? replayRecord(context, *options, *prepared, report)
                               : replayFile(context, *options, *prepared, report);
    if (!done)
        return done.error();
    report.finish(done->totals, done->coverage);
    if (ofRecord)
        recordReplay(context, *options, done->totals, done->totals.replayed == 1 ? done->onlyId : std::string());
    if (done->bad)
        return code(Exit::BadInput);
    if (prepared->broken) // the tenants of the others were compared, but a gate must not open for it
        return code(Exit::Configuration);
    return code(report.failed() ? Exit::Findings : Exit::Ok);
}

} // namespace portcullis::cli
