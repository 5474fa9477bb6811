// SPDX-License-Identifier: Apache-2.0
#include "runner/base/slog.h"

#include <QTest>

using namespace portcullis;

class TstSlog : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writes_plain_values_without_quotes()
    {
        const std::array<LogAttribute, 2> attributes{{{"agent_id", "main"}, {"tenant_id", "acme"}}};
        QCOMPARE(slogLine(1'759'480'262'123'456, LogLevel::Warn, "security.exec_denied", attributes),
                 std::string(
                     "time=2025-10-03T08:31:02.123Z level=WARN msg=security.exec_denied agent_id=main tenant_id=acme"));
    }

    void a_value_cannot_forge_a_second_line_or_key()
    {
        const std::array<LogAttribute, 1> attributes{{{"command_prefix", "a\nlevel=INFO b=\"c\" \x1b[2J"}}};
        QCOMPARE(slogLine(0, LogLevel::Info, "x", attributes),
                 std::string("time=1970-01-01T00:00:00.000Z level=INFO msg=x "
                             "command_prefix=\"a\\nlevel=INFO b=\\\"c\\\" \\x1b[2J\""));
    }
};

QTEST_GUILESS_MAIN(TstSlog)
#include "tst_slog.moc"
