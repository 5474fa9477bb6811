// SPDX-License-Identifier: Apache-2.0
#include "runner/base/uuid.h"

#include <QTest>

#include <limits>

using namespace portcullis;

namespace {

std::array<std::byte, uuidRandomBytes> filled(unsigned value)
{
    std::array<std::byte, uuidRandomBytes> bytes{};
    bytes.fill(static_cast<std::byte>(value));
    return bytes;
}

} // namespace

class TstUuid : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void has_the_layout_of_rfc_9562()
    {
        // The RFC's own example (appendix A.6) has the time 0x017F22E279B0 milliseconds.
        const std::int64_t timeUs = std::int64_t{0x017F22E279B0} * 1000;
        QCOMPARE(uuidV7(timeUs, filled(0)), std::string("017f22e2-79b0-7000-8000-000000000000"));
        QCOMPARE(uuidV7(timeUs, filled(0xff)), std::string("017f22e2-79b0-7000-bfff-ffffffffffff"));
    }

    void sorts_by_microseconds_whatever_the_random_part()
    {
        const std::int64_t base = 1'790'000'000'000'000;
        for (std::int64_t us = 0; us < 2000; ++us)
            QVERIFY(uuidV7(base + us, filled(0xff)) < uuidV7(base + us + 1, filled(0)));
    }

    void a_time_outside_the_field_is_clamped_and_stays_a_uuid()
    {
        QCOMPARE(uuidV7(-1, filled(0)), std::string("00000000-0000-7000-8000-000000000000"));
        QVERIFY(uuidV7(std::numeric_limits<std::int64_t>::max(), filled(0)).starts_with("ffffffff-ffff-7"));
    }

    void is_recognised_in_its_text_form_only()
    {
        QVERIFY(isUuid(uuidV7(1, filled(7))));
        QVERIFY(isUuid("017F22E2-79B0-7000-8000-000000000000"));
        QVERIFY(!isUuid(""));
        QVERIFY(!isUuid("017f22e279b070008000000000000000"));
        QVERIFY(!isUuid("017f22e2-79b0-7000-8000-00000000000g"));
        QVERIFY(!isUuid("017f22e2-79b0-7000-8000-000000000000 "));
        QVERIFY(!isUuid("017f22e2a79b0-7000-8000-000000000000"));
    }

    void the_short_form_is_the_random_end()
    {
        QCOMPARE(shortId("017f22e2-79b0-7000-8000-0000deadbeef"), std::string_view("deadbeef"));
        QCOMPARE(shortId("abc"), std::string_view("abc"));
    }
};

QTEST_GUILESS_MAIN(TstUuid)
#include "tst_uuid.moc"
