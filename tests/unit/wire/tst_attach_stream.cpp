// SPDX-License-Identifier: Apache-2.0
#include "runner/wire/attach_stream.h"

#include <QTest>

#include <string>
#include <utility>
#include <vector>

using namespace portcullis::wire;

namespace {

std::string header(unsigned char stream, std::uint32_t length)
{
    std::string out{static_cast<char>(stream), '\0', '\0', '\0'};
    for (int shift = 24; shift >= 0; shift -= 8)
        out += static_cast<char>(length >> shift & 0xff);
    return out;
}

std::string frame(AttachStream stream, const std::string &payload)
{
    return header(static_cast<unsigned char>(stream), static_cast<std::uint32_t>(payload.size())) + payload;
}

/// What the four streams said, and the end.
struct Heard {
    std::array<std::string, 4> streams;
    std::optional<AttachError> error;
    friend bool operator==(const Heard &, const Heard &) = default;
};

Heard read(const std::vector<std::string_view> &parts)
{
    Heard heard;
    AttachReader reader;
    for (std::string_view part : parts) {
        while (const auto piece = reader.next(part))
            heard.streams.at(static_cast<std::size_t>(piece->stream)) += piece->bytes;
    }
    heard.error = reader.finish();
    return heard;
}

/// Three lengths of payload, an empty one, all streams, bytes that look like headers, and both ends of a byte.
std::string sample()
{
    return frame(AttachStream::Output, "one\n") + frame(AttachStream::Error, "") + frame(AttachStream::Input, "echo")
        + frame(AttachStream::Error, std::string("\x01\0\0\0\0\0\0\x05", 8)) + frame(AttachStream::Engine, "gone")
        + frame(AttachStream::Output, std::string(300, 'x')) + frame(AttachStream::Output, "\xff");
}

Heard wholeSample()
{
    return {{"echo", "one\n" + std::string(300, 'x') + "\xff", std::string("\x01\0\0\0\0\0\0\x05", 8), "gone"}, {}};
}

} // namespace

class TstAttachStream : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gives_each_stream_its_bytes() { QCOMPARE(read({sample()}), wholeSample()); }

    void means_the_same_at_every_split()
    {
        const std::string bytes = sample();
        const std::string_view all = bytes;
        for (std::size_t i = 0; i <= all.size(); ++i) {
            for (std::size_t j = i; j <= all.size(); j += j < 60 ? 1 : 37)
                QVERIFY(read({all.substr(0, i), all.substr(i, j - i), all.substr(j)}) == wholeSample());
        }
        std::vector<std::string_view> single;
        for (std::size_t i = 0; i < all.size(); ++i)
            single.push_back(all.substr(i, 1));
        QCOMPARE(read(single), wholeSample());
    }

    void refuses_a_wrong_header_at_every_split_and_keeps_what_came_before_data()
    {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<AttachError::Code>("code");
        const auto row = [](const char *name, const std::string &bytes, AttachError::Code code) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << code;
        };
        row("a stream that there is not", header(4, 1), AttachError::Code::UnknownStream);
        row("a terminal's plain text", "plain text, no frames", AttachError::Code::UnknownStream);
        row("first of the zero bytes", std::string("\x01\x01\0\0\0\0\0\x01", 8), AttachError::Code::BadHeader);
        row("second of the zero bytes", std::string("\x01\0\x80\0\0\0\0\x01", 8), AttachError::Code::BadHeader);
        row("third of the zero bytes", std::string("\x02\0\0\xff\0\0\0\0", 8), AttachError::Code::BadHeader);
    }
    void refuses_a_wrong_header_at_every_split_and_keeps_what_came_before()
    {
        QFETCH(QByteArray, header);
        QFETCH(AttachError::Code, code);
        const std::string before = sample();
        const std::string bytes = before + header.toStdString() + frame(AttachStream::Output, "never");
        Heard expected = wholeSample();
        expected.error = AttachError{code, before.size()};
        const std::string_view all = bytes;
        for (std::size_t i = 0; i <= all.size(); ++i)
            QVERIFY(read({all.substr(0, i), all.substr(i)}) == expected);
    }

    void says_when_the_connection_ends_inside_a_frame()
    {
        const std::string bytes = sample();
        std::vector<std::size_t> starts{0};
        for (const std::size_t payload : {4U, 0U, 4U, 8U, 4U, 300U, 1U})
            starts.push_back(starts.back() + 8 + payload);
        for (std::size_t size = 0; size <= bytes.size(); ++size) {
            const Heard heard = read({std::string_view(bytes).substr(0, size)});
            const auto next = std::ranges::lower_bound(starts, size);
            if (*next == size) { // between two frames
                QVERIFY(!heard.error);
            } else {
                const AttachError expected{AttachError::Code::Truncated, *std::prev(next)};
                QVERIFY(heard.error == expected);
            }
        }
    }

    void reports_a_wrong_stream_before_its_header_is_complete()
    {
        AttachReader reader;
        std::string_view first = "H";
        QVERIFY(!reader.next(first));
        QVERIFY(reader.error().has_value());
        QCOMPARE(reader.error()->code, AttachError::Code::UnknownStream);
    }

    void reads_nothing_after_an_error()
    {
        AttachReader reader;
        std::string_view wrong = "HTTP/1.1";
        QVERIFY(!reader.next(wrong));
        const std::string good = frame(AttachStream::Output, "x");
        std::string_view rest = good;
        QVERIFY(!reader.next(rest));
        QCOMPARE(rest.size(), good.size());
        QCOMPARE(reader.finish(), reader.error());
    }

    void gives_out_a_frame_of_four_gigabytes_as_it_arrives()
    {
        AttachReader reader;
        const std::string start = header(1, 0xffff'ffff);
        std::string_view rest = start;
        QVERIFY(!reader.next(rest));
        const std::string block(1 << 20, 'b');
        std::uint64_t heard = 0;
        for (int i = 0; i < 4096; ++i) {
            rest = block;
            const auto piece = reader.next(rest);
            QVERIFY(piece.has_value());
            QCOMPARE(static_cast<const void *>(piece->bytes.data()), static_cast<const void *>(block.data()));
            heard += piece->bytes.size();
            if (heard == 0xffff'ffff)
                break;
        }
        QCOMPARE(heard, std::uint64_t(0xffff'ffff));
        QCOMPARE(rest.size(), std::size_t(1)); // the block's last byte begins the next header
        QVERIFY(!reader.next(rest));
        QCOMPARE(reader.error(), (AttachError{AttachError::Code::UnknownStream, 8 + std::uint64_t(0xffff'ffff)}));
    }
};

QTEST_APPLESS_MAIN(TstAttachStream)
#include "tst_attach_stream.moc"
