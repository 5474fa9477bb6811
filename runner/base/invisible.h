// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace portcullis {

/// Whether a character is a control, has no width, changes the direction of text, or separates lines: what must not be
/// shown or written as it is where people read text of others. Unicode 16: general categories Cc, Cf, Zl and Zp, and
/// the default-ignorable code points, which fonts draw as nothing.
[[nodiscard]] bool isInvisible(char32_t code);

} // namespace portcullis
