// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structured log lines in the text form of Go's log/slog, so that log pipelines of goclaw read them unchanged:
//   time=2026-10-03T08:31:02.123Z level=WARN msg=security.exec_denied agent_id=main tenant_id=acme
// Format: https://pkg.go.dev/log/slog#TextHandler

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace portcullis {

enum class LogLevel { Debug, Info, Warn, Error };

using LogAttribute = std::pair<std::string_view, std::string_view>;

/// One line without its newline. Values with spaces, quotes, `=` or anything unprintable are quoted as Go would.
[[nodiscard]] std::string slogLine(std::int64_t timeUs, LogLevel level, std::string_view message,
                                   std::span<const LogAttribute> attributes);

} // namespace portcullis
