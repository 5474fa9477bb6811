// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <expected>
#include <utility>

namespace portcullis {

/// The outcome of something that can fail: a value or a small typed error.
///
/// Errors are data (a code, a place, an errno), never prose: words are made in `ui/text`. No exception crosses a
/// function of this project; a programming mistake asserts.
template <class T, class E>
using Result = std::expected<T, E>;

template <class E>
constexpr auto failure(E &&error)
{
    return std::unexpected<std::remove_cvref_t<E>>(std::forward<E>(error));
}

} // namespace portcullis
