// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/evaluation.h"

namespace portcullis::rules {

/// Whether what a program prints is only what it is given on standard input or in its arguments: a launcher, `echo`, or
/// a filter such as `tr` and `cut` that opens no file. Encoders (`base64`, `xxd`) are none: what they are for is to
/// hide what passes.
[[nodiscard]] bool onlyPassesOn(const shell::Invocation &invocation);

} // namespace portcullis::rules
