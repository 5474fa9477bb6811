// SPDX-License-Identifier: Apache-2.0

// Any bytes as what runner and guard say to each other. What is understood is exactly what its meaning is written as:
// two spellings of one plan would be two plans for whoever compares bytes.

#include "runner/confinement/guard_wire.h"
#include "tests/fuzz/property.h"

#include <algorithm>

using namespace portcullis;

namespace {

void plan(std::string_view bytes, std::uint32_t fds)
{
    const auto decoded = wire::decodePlan(bytes, fds);
    if (!decoded)
        return;
    PORTCULLIS_HOLDS(wire::encode(*decoded) == bytes);
    PORTCULLIS_HOLDS(wire::decodePlan(bytes, fds) == decoded);
    PORTCULLIS_HOLDS(!decoded->argv.empty() && wire::isCanonical(decoded->cwd) && decoded->cwdFd < fds);
    const auto hasNul = [](const std::string &text) { return text.contains('\0'); };
    PORTCULLIS_HOLDS(std::ranges::none_of(decoded->argv, hasNul));
    PORTCULLIS_HOLDS(std::ranges::none_of(decoded->environment, hasNul));
    for (const wire::GuardGrant &grant : decoded->grants) {
        PORTCULLIS_HOLDS(grant.fd < fds && wire::isCanonical(grant.path) && wire::isCanonical(grant.target));
        PORTCULLIS_HOLDS(!hasNul(grant.path) && !hasNul(grant.target));
    }
    for (const wire::GuardLink &link : decoded->links)
        PORTCULLIS_HOLDS(wire::isCanonical(link.path) && !hasNul(link.path) && !hasNul(link.text));
}

} // namespace

/// The first byte is the number of descriptors that came with it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes = fuzz::asText(data + 1, size - 1);
    plan(bytes, data[0]);
    if (const auto report = wire::decodeReport(bytes))
        PORTCULLIS_HOLDS(wire::encode(*report) == bytes);
    if (const auto hello = wire::decodeHello(bytes)) {
        PORTCULLIS_HOLDS(wire::encode(*hello) == bytes);
        PORTCULLIS_HOLDS(hello->fds > 0 && hello->fds <= wire::maxFds);
    }
    return 0;
}
