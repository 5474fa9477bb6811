// SPDX-License-Identifier: Apache-2.0
#include "runner/base/nearest.h"

#include <algorithm>
#include <vector>

namespace portcullis {
namespace {

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before;
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = last;
        std::swap(last, row);
    }
    return last[b.size()];
}

} // namespace

std::string_view nearestName(std::string_view word, std::span<const std::string_view> names)
{
    if (word.size() > 64)
        return {};
    std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string_view found;
    for (const std::string_view name : names) {
        const std::size_t d = distance(word, name);
        if (d < best) {
            best = d;
            found = name;
        }
    }
    return found;
}

} // namespace portcullis
