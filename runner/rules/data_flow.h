// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/rules/glob.h"
#include "runner/rules/subject.h"

#include <cstdint>
#include <optional>

namespace portcullis::rules {

/// How what a program gets reaches it.
enum class FlowKind {
    Data, ///< on standard input or in a file
    Argument, ///< inside its arguments
    UnseenCode ///< as code that constants do not tell
};

/// A program whose output, or a file whose content, ends up in `invocation` that way, directly or through other
/// programs. A program is compared by its name and by its whole line (`git describe --tags`), a file as `< name`. The
/// span is of the name.
[[nodiscard]] std::optional<Span> findSource(const Whole &whole, std::uint32_t invocation, const NameList &names,
                                             FlowKind kind);

/// A program that runs the output of `invocation` as code, directly or at the end of a chain.
[[nodiscard]] std::optional<Span> findRunner(const Whole &whole, std::uint32_t invocation, const NameList &names);

} // namespace portcullis::rules
