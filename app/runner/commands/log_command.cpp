// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/log_command.h"

#include "app/runner/commands/log_options.h"
#include "app/runner/commands/log_printer.h"
#include "app/runner/commands/policy_change.h"
#include "app/runner/commands/record_access.h"
#include "app/runner/terminal_wrap.h"
#include "runner/audit/audit_reader.h"
#include "runner/audit/process_identity.h"
#include "runner/config/json5.h"
#include "runner/service/engine.h"
#include "ui/text/event_text.h"
#include "ui/text/run_text.h"

#include <QCoreApplication>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <format>

namespace portcullis::cli {
namespace {

using audit::AuditError;
using audit::AuditReader;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::cli::LogCommand)
};

/// Whether the place of the record comes from no option and no variable, and nothing has been recorded there yet.
bool isBeforeFirstRun(CommandContext &context)
{
    std::error_code error;
    return !context.arguments().has("audit-db") && ::secure_getenv("PORTCULLIS_AUDIT_DB") == nullptr
        && !context.auditDb().empty() && !std::filesystem::exists(context.auditDb(), error) && !error;
}

int query(CommandContext &context)
{
    const auto wanted = logQuery(context.arguments(), clockNow());
    if (!wanted)
        return reportUsage(context, wanted.error());
    if (!wanted->follow && isBeforeFirstRun(context)) {
        context.err("log: nothing is recorded yet: the first command makes " + context.auditDb() + '\n');
        return code(Exit::Ok);
    }
    auto reader = openRecord(context);
    if (!reader)
        return reader.error();
    LogPrinter printer(context, **reader, *wanted);
    auto done = printer.printExisting();
    if (done && !printer.printedAny() && !wanted->follow)
        context.err(wanted->filter.matchesEverything() ? "log: nothing is recorded yet in " + context.auditDb() + '\n'
                                                       : "log: nothing in " + context.auditDb() + " matches\n");
    if (done && wanted->follow)
        done = printer.follow();
    return done ? code(Exit::Ok) : reportRecord(context, done.error());
}

int show(CommandContext &context)
{
    if (context.arguments().operands.size() != 2) {
        context.err("log show: give one id, or the end of it as a refusal shows it\n");
        return code(Exit::Usage);
    }
    auto reader = openRecord(context);
    if (!reader)
        return reader.error();
    const auto event = (*reader)->eventById(context.arguments().operands[1]);
    if (!event)
        return reportRecord(context, event.error());
    if (context.arguments().has("json")) {
        context.out(record::toJson(*event) + '\n');
        return code(Exit::Ok);
    }
    const auto output = (*reader)->output(event->row);
    if (!output)
        return reportRecord(context, output.error());
    context.out(wrapped(text::eventForTerminal(*event, *output).toStdString(), terminalColumns()));
    return code(Exit::Ok);
}

record::Event pruneEvent(CommandContext &context)
{
    record::Event event;
    event.id = service::newRequestId();
    event.timeUs = CommandContext::nowUs();
    event.origin = Origin::Operator;
    event.session = "cli";
    event.runner = audit::thisRunner();
    event.engine = PORTCULLIS_VERSION;
    event.command = "log prune";
    for (const char *option : {"older-than", "max-size"}) {
        if (const auto value = context.arguments().value(option))
            event.command += std::format(" --{} {}", option, *value);
    }
    event.normalised = event.command;
    event.detailJson = R"({"by":)" + config::quoteJson(personName()) + '}';
    return event;
}

/// In the unit that the size fills: `932 KiB`, `1.5 GiB`.
std::string sizeText(std::int64_t bytes)
{
    constexpr std::array units{"KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit)
        value /= 1024;
    return unit == 0 ? std::format("{} KiB", bytes / 1024) : std::format("{:.1f} {}", value, units.at(unit));
}

/// What an order would remove, as far as that is known without removing it.
int foretellPrune(CommandContext &context, AuditReader &reader, const audit::PruneOrder &order)
{
    const auto totals = reader.totals();
    if (!totals)
        return reportRecord(context, totals.error());
    std::string line;
    if (order.beforeUs) {
        const auto older = record::Filter::parse(
            "-outcome:running until:" + context.arguments().value("older-than").value(), clockNow());
        const auto count = older ? reader.count(*older) : Result<std::int64_t, AuditError>(0);
        if (!count)
            return reportRecord(context, count.error());
        line += std::format("{} of {} events are older and would be removed. ", *count, totals->rows);
    }
    if (order.maxBytes && totals->bytes <= *order.maxBytes)
        line += std::format("The record has {}, not more than {}: nothing would be removed for its size. ",
                            sizeText(totals->bytes), sizeText(*order.maxBytes));
    else if (order.maxBytes)
        line += std::format("The record has {}; the oldest events would be removed until it has {}. ",
                            sizeText(totals->bytes), sizeText(*order.maxBytes));
    context.out(line + "Nothing was changed.\n");
    return code(Exit::Ok);
}

void reportPrune(CommandContext &context, const audit::PruneOrder &order, const audit::PruneResult &result)
{
    if (context.arguments().has("json"))
        context.out(std::format("{{\"rows\":{},\"bytes_before\":{},\"bytes_after\":{}}}\n", result.rows,
                                result.bytesBefore, result.bytesAfter));
    else
        context.out(Words::tr("%n events removed", nullptr, static_cast<int>(result.rows)).toStdString()
                    + std::format(", {} KiB now {} KiB\n", result.bytesBefore / 1024, result.bytesAfter / 1024));
    if (order.maxBytes && result.bytesAfter > *order.maxBytes)
        context.err(std::format("log: that is still more than {} KiB: running commands, the entry of this pruning and "
                                "the empty tables stay\n",
                                *order.maxBytes / 1024));
}

int prune(CommandContext &context)
{
    if (context.arguments().operands.size() != 1) {
        context.err("log prune: takes --older-than or --max-size, no filter\n");
        return code(Exit::Usage);
    }
    const auto order = pruneOrder(context.arguments(), CommandContext::nowUs());
    if (!order)
        return reportUsage(context, order.error());
    { // Only what exists is pruned: a mistyped path must not make a record.
        const auto reader = openRecord(context);
        if (!reader)
            return reader.error();
        if (context.arguments().has("dry-run"))
            return foretellPrune(context, **reader, *order);
    }
    auto writer = openToWrite(context);
    if (!writer)
        return reportRecord(context, writer.error());
    const auto result = (*writer)->prune(*order, pruneEvent(context));
    if (!result)
        return reportRecord(context, result.error());
    reportPrune(context, *order, *result);
    return code(Exit::Ok);
}

} // namespace

int logCommand(CommandContext &context)
{
    const std::vector<std::string> &operands = context.arguments().operands;
    if (!operands.empty() && operands.front() == "show")
        return show(context);
    if (!operands.empty() && operands.front() == "prune")
        return prune(context);
    return query(context);
}

} // namespace portcullis::cli
