// SPDX-License-Identifier: Apache-2.0
#include "runner/base/slog.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <format>

namespace portcullis {
namespace {

constexpr std::array<std::string_view, 4> levelNames{"DEBUG", "INFO", "WARN", "ERROR"};

bool isPlain(unsigned char c)
{
    return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\';
}

/// Only printable ASCII leaves unescaped: a log line is read on terminals, and commands come from strangers.
std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char raw : text) {
        const auto c = static_cast<unsigned char>(raw);
        if (c == '"' || c == '\\')
            out += {'\\', raw};
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '\r')
            out += "\\r";
        else if (c < ' ' || c >= 0x7f)
            out += std::format("\\x{:02x}", c);
        else
            out += raw;
    }
    return out + '"';
}

std::string value(std::string_view text)
{
    const bool plain = !text.empty() && std::ranges::all_of(text, isPlain);
    return plain ? std::string(text) : quoted(text);
}

} // namespace

std::string slogLine(std::int64_t timeUs, LogLevel level, std::string_view message,
                     std::span<const LogAttribute> attributes)
{
    const std::chrono::sys_time<std::chrono::milliseconds> when{std::chrono::milliseconds{timeUs / 1000}};
    std::string line = std::format("time={:%FT%T}Z level={} msg={}", when,
                                   levelNames.at(static_cast<std::size_t>(level)), value(message));
    for (const auto &[key, text] : attributes)
        line += std::format(" {}={}", key, value(text));
    return line;
}

} // namespace portcullis
