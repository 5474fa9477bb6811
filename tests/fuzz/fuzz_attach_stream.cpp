// SPDX-License-Identifier: Apache-2.0

// The first byte says in what pieces the rest arrives. Whatever they are, they mean what the whole means.

#include "runner/wire/attach_stream.h"
#include "tests/fuzz/property.h"

#include <algorithm>
#include <array>
#include <string>

using namespace portcullis;
using wire::AttachReader;

namespace {

struct Heard {
    std::array<std::string, 4> streams;
    std::optional<wire::AttachError> error;
    friend bool operator==(const Heard &, const Heard &) = default;
};

Heard read(std::string_view bytes, std::size_t pieceSize)
{
    Heard heard;
    AttachReader reader;
    while (!bytes.empty()) {
        std::string_view piece = bytes.substr(0, pieceSize);
        bytes.remove_prefix(piece.size());
        while (const auto part = reader.next(piece)) {
            PORTCULLIS_HOLDS(!part->bytes.empty());
            heard.streams.at(static_cast<std::size_t>(part->stream)) += part->bytes;
        }
        PORTCULLIS_HOLDS(piece.empty() || reader.error());
    }
    heard.error = reader.finish();
    PORTCULLIS_HOLDS(heard.error == reader.finish());
    return heard;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes = fuzz::asText(data + 1, size - 1);
    const Heard whole = read(bytes, std::max<std::size_t>(1, bytes.size()));
    PORTCULLIS_HOLDS(read(bytes, 1 + data[0]) == whole);
    PORTCULLIS_HOLDS(read(bytes, 1) == whole);
    std::size_t heard = 0;
    for (const std::string &stream : whole.streams)
        heard += stream.size();
    PORTCULLIS_HOLDS(heard <= bytes.size());
    PORTCULLIS_HOLDS(!whole.error || whole.error->offset < bytes.size());
    return 0;
}
