// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/record/event.h"

#include <cstdint>
#include <string>

namespace portcullis::test {

/// The id of the n-th event: valid, ascending, distinct in their last characters too.
[[nodiscard]] std::string eventId(std::uint64_t n);

/// A refused command of tenant acme. Outcome `NotStarted`.
[[nodiscard]] record::Event deniedEvent(std::uint64_t n);
/// A command that is about to start, owned by `runner`.
[[nodiscard]] record::Event allowedEvent(std::uint64_t n, std::string runner = {});

/// The same with a command of 20,000 bytes, to fill a small device.
[[nodiscard]] record::Event bigEvent(std::uint64_t n, std::string runner);
/// An event in which no field has its default value.
[[nodiscard]] record::Event fullEvent(std::uint64_t n);

} // namespace portcullis::test
