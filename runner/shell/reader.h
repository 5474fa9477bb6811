// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/ast.h"

#include <optional>
#include <string_view>

namespace portcullis::shell {

/// Where and why reading stopped.
struct ReadStop {
    DynamicReason reason = DynamicReason::Syntax; ///< Syntax or Budget
    std::uint32_t offset = 0; ///< first byte that was not understood
};

/// Bounds of the work, in steps and never in time, so that the answer is the same on every machine.
struct ReadLimits {
    std::uint32_t nesting = 100;
    std::uint64_t steps = 8'000'000; ///< a step is about one byte looked at
};

struct Reading {
    /// Everything that the shell would run before it met the error: a shell runs every complete line (with the
    /// here-documents that belong to it) before it reads the next one. In the few places where it goes on after an
    /// error (bash in backticks, here-document bodies, `$((…)` that is none, and after a broken `a=(…)`) that too.
    Script script;
    /// The first place that was not understood, also where the shell goes on.
    std::optional<ReadStop> stop;
    std::uint64_t steps = 0;
};

/// Reads shell text as `bash` or `sh` (dash) would. Total: never throws, never aborts, any bytes are accepted.
/// Thread-safe, no global state. Recursion is bounded by `limits.nesting`.
[[nodiscard]] Reading read(std::string_view text, Dialect dialect, const ReadLimits &limits = {});

} // namespace portcullis::shell
