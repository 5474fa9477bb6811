// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the commands that read the record have in common.

#include "app/runner/command_context.h"
#include "app/runner/commands/log_options.h"
#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"

#include <memory>
#include <string>

namespace portcullis::cli {

/// Now and the local zone, for filters.
[[nodiscard]] record::FilterClock clockNow();

/// Says what is wrong with the arguments; the answer is the exit code.
[[nodiscard]] int reportUsage(CommandContext &context, const LogOptionError &error);
/// Why the record cannot be used, as one sentence.
[[nodiscard]] std::string recordWords(const audit::AuditError &error);
/// Says why the record cannot be used; the answer is the exit code.
[[nodiscard]] int reportRecord(CommandContext &context, const audit::AuditError &error);

/// The record to read, or the exit code when there is none; why has then been said.
[[nodiscard]] Result<std::unique_ptr<audit::AuditReader>, int> openRecord(CommandContext &context);
/// The record to write. Says what runs of killed runners had left.
[[nodiscard]] Result<std::unique_ptr<audit::AuditWriter>, audit::AuditError> openToWrite(CommandContext &context);

} // namespace portcullis::cli
