// SPDX-License-Identifier: Apache-2.0
#pragma once

// Spans as they stand in records and JSON: `[[0,4],[31,2]]`, start and length in bytes.

#include "runner/base/span.h"

#include <string>
#include <string_view>
#include <vector>

namespace portcullis::record {

[[nodiscard]] std::string spansToText(const std::vector<Span> &spans);
/// The way back; what is not of this form ends the list.
[[nodiscard]] std::vector<Span> spansFromText(std::string_view text);

} // namespace portcullis::record
