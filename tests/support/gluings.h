// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random shell texts in which tricky pieces stand beside and inside one another, around uses that may start `sudo`.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::test {

class Gluings
{
public:
    explicit Gluings(std::uint64_t seed) : m_random(seed) { }

    /// The statements of the next text, each complete in itself.
    [[nodiscard]] std::vector<std::string> next();
    [[nodiscard]] static std::string joined(const std::vector<std::string> &statements);

private:
    [[nodiscard]] std::size_t below(std::size_t bound) { return static_cast<std::size_t>(m_random() % bound); }
    [[nodiscard]] std::string made(std::string_view piece, unsigned depth);
    [[nodiscard]] std::string filled(std::string_view pattern, unsigned depth);

    std::mt19937_64 m_random;
};

} // namespace portcullis::test
