// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/replay_report.h"

#include "runner/base/uuid.h"
#include "runner/config/json5.h"
#include "runner/record/event_json.h"
#include "ui/text/event_text.h"
#include "ui/text/replay_text.h"
#include "ui/text/visible_text.h"

#include <algorithm>
#include <array>
#include <format>
#include <set>

namespace portcullis::cli {
namespace {

using config::quoteJson;
using replay::Change;
using replay::Row;
using replay::Side;
using replay::Totals;

constexpr std::size_t keptGroups = 20'000;
constexpr std::size_t shownGroups = 200; ///< per section
constexpr std::array<std::string_view, 4> sectionTitles{"Loosened", "Tightened", "Other reason", "Not replayable"};

/// The dangerous direction first.
int sectionOf(const Row &row)
{
    if (row.obstacle)
        return 3;
    return row.change == Change::Loosened ? 0 : row.change == Change::Tightened ? 1 : 2;
}

std::string nullOr(std::string_view text)
{
    return text.empty() ? "null" : quoteJson(text);
}

std::string sideJson(const Side &side)
{
    return std::format(R"({{"verdict":"{}","check":{},"group":{},"rule":{},"code":{},"config":{}}})",
                       nameOf(side.verdict), nullOr(side.check), nullOr(side.group), nullOr(side.rule),
                       nullOr(side.code), nullOr(side.configDigest));
}

std::string rowJson(const Row &row)
{
    std::string line =
        std::format(R"({{"id":{},"time":{},"tenant":{},"agent":{},"command":{},)", quoteJson(row.event.id),
                    quoteJson(record::rfc3339(row.event.timeUs)), quoteJson(row.event.tenant),
                    quoteJson(row.event.agent), quoteJson(row.event.command));
    if (row.obstacle)
        return line + std::format(R"("change":"not_replayable","obstacle":"{}"}})", nameOf(*row.obstacle));
    return line
        + std::format(R"("change":"{}","cause":"{}","before":{},"after":{}}})", nameOf(row.change), nameOf(row.cause),
                      sideJson(row.before), sideJson(row.after));
}

std::string listJson(const std::set<std::string> &values)
{
    std::string list;
    for (const std::string &value : values)
        list += (list.empty() ? "" : ",") + quoteJson(value);
    return '[' + list + ']';
}

std::string timeJson(std::int64_t timeUs)
{
    return timeUs == 0 ? "null" : quoteJson(record::rfc3339(timeUs));
}

std::string totalsJson(const Totals &totals, const Coverage &coverage)
{
    std::string obstacles;
    for (const auto &[obstacle, count] : totals.obstacles)
        obstacles += std::format(R"({}"{}":{})", obstacles.empty() ? "" : ",", nameOf(obstacle), count);
    std::string matrix;
    for (std::size_t before = 0; before < totals.matrix.size(); ++before) {
        const auto &line = totals.matrix.at(before);
        matrix += std::format(R"({}"{}":{{"allow":{},"ask":{},"deny":{}}})", matrix.empty() ? "" : ",",
                              nameOf(static_cast<Verdict>(before)), line[0], line[1], line[2]);
    }
    return std::format(
        R"({{"totals":{{"replayed":{},"unchanged":{},"changed_reason":{},"loosened":{},"tightened":{},"not_replayable":{},)"
        R"("obstacles":{{{}}},"by_host":{},"by_engine":{},"matrix":{{{}}},"oldest":{},"newest":{},)"
        R"("record_begins":{},"pruned":{{"events":{},"until":{}}},"config_before":{},"config_after":{},"engine":"{}"}}}})",
        totals.replayed, totals.of(Change::Unchanged), totals.of(Change::ChangedReason), totals.of(Change::Loosened),
        totals.of(Change::Tightened), totals.notReplayable(), obstacles, totals.byHost, totals.byEngine, matrix,
        timeJson(totals.oldestUs), timeJson(totals.newestUs), timeJson(coverage.firstUs), coverage.prunedEvents,
        timeJson(coverage.prunedToUs), listJson(totals.digestsBefore), listJson(totals.digestsAfter),
        PORTCULLIS_VERSION);
}

std::string digestsLine(std::string_view name, const std::set<std::string> &digests)
{
    constexpr std::size_t shown = 3;
    std::string line = std::string(name) + ": ";
    std::size_t number = 0;
    for (const std::string &digest : digests) {
        if (number++ < shown)
            line +=
                (number == 1 ? "" : ", ") + text::visibleText(digest.substr(0, digest.find(':') + 13)).toStdString();
    }
    if (number > shown)
        line += std::format(" and {} more", number - shown);
    return line + (digests.empty() ? "none\n" : "\n");
}

std::string coverageLines(const Totals &totals, const Coverage &coverage)
{
    std::string text;
    if (totals.replayed > 0)
        text += "events from " + text::localTimeText(totals.oldestUs).toStdString() + " to "
            + text::localTimeText(totals.newestUs).toStdString() + '\n';
    if (coverage.prunedEvents > 0)
        text += std::format("pruned from the record: {} events, the newest of {}\n", coverage.prunedEvents,
                            text::localTimeText(coverage.prunedToUs).toStdString());
    return text;
}

} // namespace

ReplayReport::ReplayReport(CommandContext &context, const ReplayOptions &options)
    : m_context(context), m_options(options)
{
}

bool ReplayReport::isListed(const Row &row) const
{
    if (!m_options.only.empty())
        return isOfKind(row, m_options.only);
    return row.obstacle || row.change != Change::Unchanged;
}

void ReplayReport::add(const Row &row)
{
    m_failed = m_failed || fails(row, m_options.failOn);
    if (!isListed(row))
        return;
    if (m_context.arguments().has("json")) {
        m_context.out(rowJson(row) + '\n');
        return;
    }
    const QString because = row.obstacle ? text::obstacleSentence(*row.obstacle)
        : row.after.check.empty()        ? text::sideReason(row.before)
                                         : text::sideReason(row.after);
    const QString change = row.obstacle ? text::obstacleName(*row.obstacle) : text::changeWords(row);
    Key key{sectionOf(row), row.event.tenant, change.toStdString(), because.toStdString(), row.event.command};
    const auto found = m_groups.find(key);
    if (found != m_groups.end())
        ++found->second.count;
    else if (m_groups.size() < keptGroups)
        m_groups.emplace(std::move(key), Group{1, text::visibleText(shortId(row.event.id)).toStdString()});
    else
        ++m_notKept;
}

void ReplayReport::printGroups()
{
    int section = -1;
    std::size_t shown = 0;
    std::size_t hidden = 0;
    const auto endSection = [&] {
        if (hidden > 0)
            m_context.out(std::format("  … and {} more shapes; --json lists every event\n", hidden));
    };
    for (const auto &[key, group] : m_groups) {
        const auto &[which, tenant, change, because, command] = key;
        if (which != section) {
            endSection();
            section = which;
            shown = hidden = 0;
            m_context.out(std::string(sectionTitles.at(static_cast<std::size_t>(which))) + '\n');
        }
        if (++shown > shownGroups) {
            ++hidden;
            continue;
        }
        const std::string times = group.count > 1 ? std::format("  ×{}", group.count) : std::string();
        m_context.out(std::format("  {}  {}  {}  {}{}\n      {}\n", change, group.example,
                                  text::visibleText(tenant).toStdString(), text::commandLine(command).toStdString(),
                                  times, because));
    }
    endSection();
    if (m_notKept > 0)
        m_context.out(std::format("{} further events are only in the totals; --json lists them\n", m_notKept));
}

void ReplayReport::finish(const Totals &totals, const Coverage &coverage)
{
    if (m_context.arguments().has("json")) {
        m_context.out(totalsJson(totals, coverage) + '\n');
        return;
    }
    printGroups();
    std::string text = (m_groups.empty() ? "" : "\n") + text::totalsLine(totals).toStdString() + '\n';
    text += text::matrixLines(totals).toStdString();
    text += coverageLines(totals, coverage);
    text += digestsLine("before", totals.digestsBefore) + digestsLine("after", totals.digestsAfter);
    if (totals.byHost > 0)
        text += std::format("{} of the changes come from the assumed host, not from policy\n", totals.byHost);
    if (totals.byEngine > 0)
        text += std::format("{} of the changes come from this version ({}): it decides them differently with the "
                            "configuration of then\n",
                            totals.byEngine, PORTCULLIS_VERSION);
    m_context.out(text);
}

} // namespace portcullis::cli
