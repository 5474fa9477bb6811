// SPDX-License-Identifier: Apache-2.0
#include "runner/record/event_json.h"
#include "tests/support/audit_events.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>

using namespace portcullis;
using namespace portcullis::record;

namespace {

bool isPlainLine(const std::string &text)
{
    return std::ranges::none_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

} // namespace

class TstEventJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void every_field_comes_back()
    {
        Event event = test::fullEvent(3);
        const std::string line = toJson(event);
        const auto read = eventFromJson(line);
        QVERIFY(read);
        event.row = 0;
        QVERIFY(*read == event);
        QVERIFY(eventFromJson(toJson(test::deniedEvent(4))) == test::deniedEvent(4));
    }

    void is_one_line_of_strict_json_whatever_the_command_holds()
    {
        Event event = test::fullEvent(3);
        event.command = "echo ok\n{\"verdict\":\"allow\"}\x1b[2J\x7f\xe2\x80\xae \xff";
        const std::string line = toJson(event);
        QVERIFY(isPlainLine(line));
        QVERIFY(!line.contains("\xe2\x80\xae"));
        QJsonParseError error;
        const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(line), &error).object();
        QCOMPARE(error.error, QJsonParseError::NoError);
        QCOMPARE(object.value(QStringLiteral("verdict")).toString(), QStringLiteral("ask"));
        QCOMPARE(QByteArray::fromBase64(object.value(QStringLiteral("command_base64")).toString().toLatin1()),
                 QByteArray::fromStdString(event.command));
        QVERIFY(object.value(QStringLiteral("trace")).isArray());
    }

    void what_does_not_apply_is_null()
    {
        Event event = test::allowedEvent(1);
        event.traceJson = "not json";
        const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(event))).object();
        for (const char *key : {"check", "group", "rule", "exit", "signal", "started", "finished", "took_us", "parent"})
            QVERIFY2(object.contains(QLatin1StringView(key)) && object.value(QLatin1StringView(key)).isNull(), key);
        QCOMPARE(object.value(QStringLiteral("trace")).toString(), QStringLiteral("not json"));
    }

    void what_is_no_event_is_refused()
    {
        for (const char *text : {"", "[]", "{}", "{\"id\":\"\"}", "{\"id\":3}", "{\"id\":\"a\"", "null"})
            QVERIFY2(!eventFromJson(text), text);
    }

    void masks_lie_inside_the_command()
    {
        Event event = test::fullEvent(3);
        event.command = "zip -P _MASKED_8_ x";
        const std::uint32_t end = static_cast<std::uint32_t>(event.command.size());
        for (const Span &inside : {Span{7, 10}, Span{0, end}, Span{end, 0}}) {
            event.masks = {inside};
            QVERIFY(eventFromJson(toJson(event)));
        }
        for (const Span &outside : {Span{7, end}, Span{end, 1}, Span{end + 1, 0}, Span{7, 0xffff'ffff}}) {
            event.masks = {{7, 10}, outside};
            QVERIFY(!eventFromJson(toJson(event)));
        }
    }

    void times_have_microseconds()
    {
        QCOMPARE(rfc3339(1'790'000'000'123'456), std::string("2026-09-21T14:13:20.123456Z"));
        QCOMPARE(fromRfc3339("2026-09-21T14:13:20.123456Z").value_or(0), std::int64_t{1'790'000'000'123'456});
        QCOMPARE(fromRfc3339("2026-09-21T14:13:20Z").value_or(0), std::int64_t{1'790'000'000'000'000});
        QCOMPARE(fromRfc3339("2026-09-21T14:13:20.5Z").value_or(0), std::int64_t{1'790'000'000'500'000});
        for (const char *text : {"", "2026-09-21", "2026-02-30T00:00:00Z", "2026-09-21T24:00:00Z",
                                 "2026-09-21T14:13:20", "2026-09-21T14:13:20.Z", "2026-09-21T14:13:20Zx"})
            QVERIFY2(!fromRfc3339(text), text);
    }

    void a_csv_row_is_one_line_with_the_columns_of_the_header()
    {
        Event event = test::fullEvent(3);
        event.command = "a,\"b\"\n\\c";
        const std::string line = toCsv(event);
        QVERIFY(isPlainLine(line));
        QVERIFY(line.contains(R"("a,""b""\n\\c")"));
        // No other cell of this event has a comma or quote, but dynamic has one comma.
        std::string rest = line;
        rest.erase(rest.find(R"("a,""b""\n\\c")"), 1);
        const auto columns = std::ranges::count(csvHeader(), ',');
        QCOMPARE(std::ranges::count(line, ','), columns + 2);
    }

    void a_csv_row_says_who_changed_what_and_why()
    {
        Event event = test::deniedEvent(1);
        event.kind = Kind::Publish;
        event.reason = "=open, the mirror";
        event.detailJson = "{\"by\":\"anna\",\"file\":\"/p/a\\\"b.json\"}";
        const std::string line = toCsv(event);
        QVERIFY(csvHeader().ends_with(",reason,detail"));
        const std::string cells =
            ",\"'=open, the mirror\",\"{\"\"by\"\":\"\"anna\"\",\"\"file\"\":\"\"/p/a\\\\\"\"b.json\"\"}\"";
        QVERIFY2(line.ends_with(cells), line.c_str());
        event.detailJson = "=1+1";
        QVERIFY(toCsv(event).ends_with(",\"'=1+1\""));
        event.detailJson.clear();
        QVERIFY(toCsv(event).ends_with(",\"\""));
    }

    void a_spreadsheet_sees_no_formula_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command : {"=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1",
                                    "\xef\xbc\x9d"
                                    "1"})
            QTest::addRow("%s", command) << QByteArray(command);
    }

    void a_spreadsheet_sees_no_formula()
    {
        QFETCH(QByteArray, command);
        Event event = test::deniedEvent(1);
        event.command = command.toStdString();
        QVERIFY(toCsv(event).contains(",\"'"));
        event.command = "ls -la =x";
        QVERIFY(!toCsv(event).contains(",\"'"));
    }
};

QTEST_GUILESS_MAIN(TstEventJson)
#include "tst_event_json.moc"
