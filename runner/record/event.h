// SPDX-License-Identifier: Apache-2.0
#pragma once

// One row of the audit record, as a value. SQL is in `audit/`.

#include "runner/base/span.h"
#include "runner/base/vocabulary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portcullis::record {

enum class Kind { Exec, Replay, Edit, Publish, Export, Prune };

/// The state of one command in the record. All texts are bytes; times are UTC microseconds, 0 where not known.
///
/// Secrets are masked by `maskSecrets` (`masking.h`), once, by the writer, so that nobody can forget it and output is
/// masked with the secrets of its command. Verdict, trace and digest are of the original.
struct Event {
    std::int64_t row = 0; ///< storage order, ascending; 0 before it is written
    std::string id; ///< uuid v7
    Kind kind = Kind::Exec;
    std::int64_t timeUs = 0;
    std::string gateway;
    std::string tenant;
    std::string agent;
    std::string session;
    std::string parent;
    Origin origin = Origin::Agent;
    std::string command; ///< raw bytes, secrets masked
    std::string normalised; ///< as the shell reads it (`decision/command_words.h`), secrets masked; empty: not known
    bool masked = false; ///< something in this row was masked
    std::vector<Span> masks; ///< the marks in `command`, ascending: a replay whose rules touch one is not replayable
    std::vector<std::string> argv; ///< of the only program that the shell starts; else empty
    std::string cwd;
    std::string shell; ///< that reads the command: `bash` or `sh`
    std::optional<int> timeoutSeconds; ///< as requested
    SandboxSwitch sandbox = SandboxSwitch::Default; ///< as requested
    std::optional<ShellChoice> shellAsked; ///< as requested
    bool wantsStdin = false; ///< as requested
    Verdict verdict = Verdict::Deny;
    std::string check; ///< what decided, empty when allowed
    std::string group;
    std::string rule;
    std::string title;
    std::string code; ///< reason code where no rule decided (`Decision::code`)
    std::string reason;
    std::string advice;
    std::string blockersJson; ///< array as in `check --json`
    std::string traceJson; ///< whole trace as in `check --json`, bounded by `maxTraceBytes`
    std::vector<Span> spans; ///< of the deciding entry, in `command`
    bool wouldDeny = false;
    bool obfuscated = false;
    std::string dynamic; ///< reasons joined by ","
    std::string mode; ///< host policy in force: deny / warn / allow
    std::string backend;
    std::string level; ///< empty where it was not known, and then nothing ran
    std::string missing; ///< joined by ","
    Outcome outcome = Outcome::NotStarted;
    std::optional<int> exitCode;
    std::optional<int> signal;
    std::int64_t startedUs = 0;
    std::int64_t finishedUs = 0;
    std::string error; ///< why it did not start: step and errno
    std::string note; ///< hints, e.g. `probably_confinement:/etc/shadow`
    std::string configDigest;
    std::string engine; ///< version of this program
    std::string hostFactsJson;
    std::string runner; ///< process that owns the run: `pid:start-time`
    std::string detailJson; ///< what was replayed, edited, exported or pruned; of exec `limit_seconds`, in force
    std::int64_t outputBytes = 0; ///< written by the command, both streams
    std::int64_t droppedBytes = 0; ///< of these not kept

    friend bool operator==(const Event &, const Event &) = default;
};

/// Whether the command hides words that its normalised form shows.
[[nodiscard]] inline bool isRespelled(const Event &event)
{
    return !event.normalised.empty() && event.normalised != event.command;
}

/// A longer trace is cut by the writer of the trace at whole entries.
inline constexpr std::size_t maxTraceBytes = 64 * 1024;

/// How a run ended: what completes a row that `begin` wrote.
struct Ending {
    Outcome outcome = Outcome::Exited;
    std::optional<int> exitCode;
    std::optional<int> signal;
    std::int64_t startedUs = 0;
    std::int64_t finishedUs = 0;
    std::string error;
    std::string note;
    std::int64_t outputBytes = 0;
    std::int64_t droppedBytes = 0;
};

/// The kept part of a command's output: the first 256 KiB and the last 768 KiB of each stream, bytes between counted.
struct Output {
    std::string out;
    std::string err;
    std::int64_t outDropped = 0; ///< bytes missing after the first 256 KiB
    std::int64_t errDropped = 0;
    friend bool operator==(const Output &, const Output &) = default;
};

} // namespace portcullis::record

namespace portcullis {
template <>
struct Names<record::Kind> {
    static constexpr std::array<std::string_view, 6> all{"exec", "replay", "edit", "publish", "export", "prune"};
};
} // namespace portcullis
