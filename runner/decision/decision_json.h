// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decisions, traces and host facts as JSON: for `check --json`, for the record and back from the record for replays.
// Pure. Texts of rules and commands are bytes; what is not UTF-8 becomes U+FFFD in JSON.

#include "runner/decision/decision.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::decision {

/// Words for a decision without a rule, made by `ui/text` (this library has codes only).
struct DecisionWords {
    std::string reason;
    std::string advice;
};

/// One compact line: id, verdict, check, group, rule, backend, level, would_deny, dynamic, reason, advice, config,
/// engine, blockers, trace. `check`, `group` and `rule` are null when allowed, `id` when it is empty; `engine` is this
/// program's version.
[[nodiscard]] std::string toJson(const Decision &decision, std::string_view id, std::string_view engine,
                                 const DecisionWords &words);

/// The `trace` array alone, at most `maxBytes` long. A longer one is cut to what decided and what was noted, without
/// details and spans, as far as it fits, and ends with an entry of code `trace_truncated`.
[[nodiscard]] std::string traceJson(const std::vector<TraceEntry> &trace, std::size_t maxBytes = 64 * 1024);
/// The `blockers` array alone.
[[nodiscard]] std::string blockersJson(const std::vector<Blocker> &blockers);
/// Host facts with the answers to path questions: what a replay needs to know of the machine.
[[nodiscard]] std::string hostFactsJson(const HostFacts &facts);

/// The way back; nothing when the text is not what the writers above make. Unknown keys are ignored.
[[nodiscard]] std::optional<std::vector<TraceEntry>> readTrace(std::string_view json);
[[nodiscard]] std::optional<std::vector<Blocker>> readBlockers(std::string_view json);
[[nodiscard]] std::optional<HostFacts> readHostFacts(std::string_view json);

/// What is wrong in an `--assume` text: the part `name=value` concerned.
struct AssumeError {
    std::string part;
    std::string allowed; ///< the values or names allowed, joined by ", "
};

/// Applies `landlock=7|none,view=yes|no,engine=up|down,shell=sh|bash` (any of them) to facts.
[[nodiscard]] Result<HostFacts, AssumeError> assume(HostFacts facts, std::string_view text);

} // namespace portcullis::decision
