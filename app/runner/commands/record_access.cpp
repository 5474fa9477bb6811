// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/record_access.h"

#include "runner/service/leftovers.h"
#include "ui/text/event_text.h"
#include "ui/text/filter_text.h"
#include "ui/text/run_text.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <format>
#include <unistd.h>

namespace portcullis::cli {
namespace {

using audit::AuditError;
using audit::AuditReader;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::cli::RecordAccess)
};

/// Of a record that is somebody else's, which is why it cannot be used.
std::string foreignOwner(const AuditError &error)
{
    const QFileInfo file(QFile::decodeName(error.path.c_str()));
    const bool closed = error.code == AuditError::Code::ReadOnly || error.code == AuditError::Code::CannotOpen;
    if (!closed || !file.exists() || file.ownerId() == ::geteuid())
        return {};
    return file.owner().isEmpty() ? std::to_string(file.ownerId()) : file.owner().toStdString();
}

} // namespace

record::FilterClock clockNow()
{
    return {CommandContext::nowUs(), &text::localOffset};
}

int reportUsage(CommandContext &context, const LogOptionError &error)
{
    const std::string &name = context.arguments().command;
    if (error.filter) {
        context.err(std::format("{}: filter, column {}: {}\n", name, error.filter->column,
                                text::filterErrorSentence(*error.filter).toStdString()));
    } else if (error.found.empty()) {
        context.err(std::format("{}: --{} takes {}\n", name, error.option, error.allowed));
    } else {
        context.err(std::format("{}: --{}: '{}' is not accepted; it takes {}\n", name, error.option,
                                text::visibleText(error.found).toStdString(), error.allowed));
    }
    return code(Exit::Usage);
}

std::string recordWords(const AuditError &error)
{
    return text::recordFailureLine({.code = std::string(nameOf(error.code)),
                                    .path = error.path,
                                    .errorNumber = error.systemErrno,
                                    .version = error.version,
                                    .owner = foreignOwner(error)})
        .toStdString();
}

int reportRecord(CommandContext &context, const AuditError &error)
{
    if (error.code == AuditError::Code::NotFound || error.code == AuditError::Code::Ambiguous) {
        const QString what = error.code == AuditError::Code::NotFound
            ? Words::tr("no event has this id")
            : Words::tr("several events have an id like this: give more of it");
        context.err(context.arguments().command + ": " + what.toStdString() + '\n');
        return code(Exit::BadInput);
    }
    context.err(context.arguments().command + ": " + recordWords(error) + '\n');
    return code(Exit::Record);
}

Result<std::unique_ptr<AuditReader>, int> openRecord(CommandContext &context)
{
    const std::string path = context.auditDb();
    if (path.empty())
        return failure(code(Exit::Configuration));
    auto reader = AuditReader::open(path);
    if (!reader)
        return failure(reportRecord(context, reader.error()));
    return std::move(*reader);
}

Result<std::unique_ptr<audit::AuditWriter>, AuditError> openToWrite(CommandContext &context)
{
    auto writer = audit::AuditWriter::open(service::recordOptions(context.auditDb()));
    if (writer) {
        for (const std::string &line : service::leftoverLines((*writer)->unfinishedRuns()))
            context.err(line + '\n');
    }
    return writer;
}

} // namespace portcullis::cli
