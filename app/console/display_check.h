// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::console {

/// Whether the words of the command line or the value of QT_QPA_PLATFORM ask for Qt's own vnc platform. It listens on
/// all interfaces and asks for no password, so whoever reaches the port (a confined command too) owns the console.
[[nodiscard]] bool asksForVnc(std::span<const std::string> words, std::string_view platformVariable);

/// The words without Qt's own options and their values, as Qt takes them out when it has opened the display. For a look
/// at our own options before that.
[[nodiscard]] std::vector<std::string> withoutQtOptions(std::span<const std::string> words);

/// Whether a platform is named at all, on the command line or by the variable.
[[nodiscard]] bool namesPlatform(std::span<const std::string> words, std::string_view platformVariable);

} // namespace portcullis::console
