// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stream in which a container engine sends both outputs of a process that has no terminal: frames of an eight-byte
// header and its payload. Docker Engine API, "Attach to a container", "Stream format":
//
//   byte 0       stream: 0 standard input (echoed), 1 standard output, 2 standard error; 3 is an error of the engine
//                itself (moby, api/pkg/stdcopy)
//   bytes 1–3    zero
//   bytes 4–7    length of the payload, big endian
//
// The same format comes from exec and from the logs of a container. With a terminal there are no frames.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace portcullis::wire {

enum class AttachStream : std::uint8_t { Input, Output, Error, Engine };

/// Bytes of one stream. They need not be whole frames, lines or characters.
struct AttachPiece {
    AttachStream stream = AttachStream::Output;
    std::string_view bytes; ///< never empty; part of what was handed in
    friend bool operator==(const AttachPiece &, const AttachPiece &) = default;
};

struct AttachError {
    enum class Code {
        UnknownStream, ///< byte 0 of a header is none of the four
        BadHeader, ///< one of the bytes 1–3 is not zero: these are no frames, or their beat is lost
        Truncated ///< the connection ended inside a header or a payload
    };
    Code code = Code::BadHeader;
    std::uint64_t offset = 0; ///< of the frame's first byte, counted from the first byte of the connection
    friend bool operator==(const AttachError &, const AttachError &) = default;
};

/// Takes such a stream apart as it arrives, in pieces of any size. Keeps at most one header and copies no payload, so a
/// frame of four gigabytes costs nothing. Total: any bytes are accepted. Not thread-safe.
///
///     std::string_view rest = arrived;
///     while (const auto piece = reader.next(rest))
///         take(piece->stream, piece->bytes);
///     if (reader.error()) …
class AttachReader
{
public:
    /// The next piece at the front of `bytes`, which is moved past it. Nothing when all of `bytes` is used up, or from
    /// the first wrong header on; see error(). Everything before a wrong header is given out.
    [[nodiscard]] std::optional<AttachPiece> next(std::string_view &bytes);

    /// Why reading stopped. It never goes on after that.
    [[nodiscard]] const std::optional<AttachError> &error() const { return m_error; }

    /// The connection has ended: an error if that happened earlier or happens inside a frame. Nothing more is read.
    [[nodiscard]] std::optional<AttachError> finish();

private:
    static constexpr std::size_t headerBytes = 8;
    void addHeader(std::string_view &bytes);
    void readHeader();
    void stop(AttachError::Code code);

    std::array<unsigned char, headerBytes> m_header{};
    std::size_t m_headerFilled = 0; ///< all of it while its payload is read
    std::uint32_t m_left = 0; ///< bytes of the payload that are still to come
    std::uint64_t m_frameStart = 0;
    std::uint64_t m_nextFrame = 0; ///< where the frame at hand ends
    std::optional<AttachError> m_error;
};

} // namespace portcullis::wire
