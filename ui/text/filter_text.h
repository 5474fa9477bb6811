// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is wrong in a filter, in words.

#include "runner/record/filter.h"

#include <QString>

namespace portcullis::text {

/// One sentence with what was found and, where one is near, the name that was probably meant. Without the column.
[[nodiscard]] QString filterErrorSentence(const record::FilterError &error);

} // namespace portcullis::text
