// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line of `check --batch` as a request.

#include "runner/base/result.h"
#include "runner/decision/request.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::cli {

struct BatchError {
    std::optional<std::string> id; ///< where the line has one
    std::string code; ///< stable: invalid_utf8, duplicate_key, syntax, not_object, missing_field, wrong_type,
                      ///< bad_value, bad_base64, two_commands
    std::string field; ///< concerned, or empty
    std::string allowed; ///< the allowed form or values, or empty
    std::uint32_t column = 1; ///< in bytes, from 1
};

struct BatchRequest {
    decision::ExecRequest request; ///< without time
    std::vector<std::string> unknownFields; ///< ignored
};

/// Reads one line. `tenant` is taken for lines without one; empty: such lines are wrong.
[[nodiscard]] Result<BatchRequest, BatchError> readBatchLine(std::string_view line, std::string_view tenant);

/// The error as the object that stands in the place of a decision.
[[nodiscard]] std::string batchErrorJson(const BatchError &error, std::uint64_t line);

} // namespace portcullis::cli
