// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/vocabulary.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::rules {

/// Where a host name or address leads, as far as its text tells.
enum class HostClass {
    Loopback, ///< this machine: 127.0.0.0/8, 0.0.0.0, ::1, ::, localhost and names that are known to resolve to it
    Private, ///< RFC 1918, RFC 6598, RFC 4193; the container host's names
    LinkLocal ///< RFC 3927, fe80::/10; the metadata services of clouds
};

/// The class of a host as clients understand it: short, octal, hexadecimal and single-number IPv4 (inet_aton), mapped
/// IPv6, percent-encoding, a trailing dot, any case. Nothing for every other name.
[[nodiscard]] std::optional<HostClass> hostClass(std::string_view host);

/// The hosts that a URL or `[user@]host[:port][/path]` names: one, or several where curl's `{a,b}` lists them. Bounded:
/// where there are more, the last one is `unknownMark` (`open_text.h`) and stands for the others.
[[nodiscard]] std::vector<std::string> hostsOf(std::string_view target);

} // namespace portcullis::rules

namespace portcullis {
template <>
struct Names<rules::HostClass> {
    static constexpr std::array<std::string_view, 3> all{"loopback", "private", "link_local"};
};
} // namespace portcullis
