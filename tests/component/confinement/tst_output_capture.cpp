// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/output_capture.h"

#include <QTest>

using portcullis::confinement::OutputCapture;

namespace {

/// Bytes that show where they came from.
QByteArray numbered(qsizetype size)
{
    QByteArray bytes(size, Qt::Uninitialized);
    for (qsizetype i = 0; i < size; ++i)
        bytes[i] = static_cast<char>((i * 7 + i / 251) & 0xff);
    return bytes;
}

} // namespace

class TstOutputCapture : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keeps_head_and_tail_whatever_the_pieces_data()
    {
        QTest::addColumn<qsizetype>("size");
        QTest::addColumn<qsizetype>("piece");
        constexpr qsizetype limit = OutputCapture::headLimit + OutputCapture::tailLimit;
        for (const qsizetype size :
             {qsizetype(0), qsizetype(1), OutputCapture::headLimit - 1, OutputCapture::headLimit,
              OutputCapture::headLimit + 1, limit - 1, limit, limit + 1, limit * 2, limit * 3 + 77}) {
            for (const qsizetype piece : {qsizetype(999), qsizetype(65536), OutputCapture::tailLimit + 5, limit * 4})
                QTest::addRow("%lld bytes in pieces of %lld", static_cast<long long>(size),
                              static_cast<long long>(piece))
                    << size << piece;
        }
    }

    void keeps_head_and_tail_whatever_the_pieces()
    {
        QFETCH(qsizetype, size);
        QFETCH(qsizetype, piece);
        const QByteArray all = numbered(size);
        OutputCapture capture;
        for (qsizetype at = 0; at < size; at += piece)
            capture.append(all.sliced(at, std::min(piece, size - at)));
        QCOMPARE(capture.total(), static_cast<std::uint64_t>(size));
        QCOMPARE(capture.head(), all.first(std::min(size, OutputCapture::headLimit)));
        const qsizetype afterHead = std::max(qsizetype(0), size - OutputCapture::headLimit);
        QCOMPARE(capture.tail(), all.last(std::min(afterHead, OutputCapture::tailLimit)));
        QCOMPARE(capture.dropped(),
                 static_cast<std::uint64_t>(std::max(qsizetype(0), afterHead - OutputCapture::tailLimit)));
    }
};

QTEST_APPLESS_MAIN(TstOutputCapture)
#include "tst_output_capture.moc"
