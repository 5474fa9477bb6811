// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every input of a fuzz target must leave true. A broken property ends the process, as a crash does: the drivers
// then say which input it was.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace portcullis::fuzz {

[[noreturn]] inline void broken(const char *property, const char *file, int line)
{
    std::fprintf(stderr, "%s:%d: broken: %s\n", file, line, property);
    std::abort();
}

[[nodiscard]] inline std::string_view asText(const std::uint8_t *data, std::size_t size)
{
    return {reinterpret_cast<const char *>(data), size};
}

/// A number that depends on every byte, for choices that an input makes about itself (FNV-1a).
[[nodiscard]] inline std::size_t choiceOf(std::string_view bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : bytes)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return static_cast<std::size_t>(hash ^ hash >> 32);
}

} // namespace portcullis::fuzz

#define PORTCULLIS_HOLDS(property)                                                                                     \
    do {                                                                                                               \
        if (!(property))                                                                                               \
            portcullis::fuzz::broken(#property, __FILE__, __LINE__);                                                   \
    } while (false)

/// The entry point that libFuzzer asks for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
/// Called once before the first input, where a target needs it.
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv);
