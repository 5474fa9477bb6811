// SPDX-License-Identifier: Apache-2.0
#include "runner/record/filter.h"
#include "runner/record/filter_sql.h"
#include "tests/support/audit_events.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::record;
using Code = FilterError::Code;

namespace {

constexpr std::int64_t hour = 3'600'000'000;

/// Saturday 2026-10-03 12:00:00 UTC, two hours behind local time until the last Sunday of October, then one.
FilterClock october()
{
    constexpr std::int64_t winter = 1'792'890'000'000'000; // 2026-10-25 01:00 UTC
    return {1'791'028'800'000'000, [](std::int64_t utcUs) { return utcUs < winter ? 7200 : 3600; }};
}

Event sample()
{
    Event event = test::deniedEvent(1);
    event.id = "019a0000-aaaa-7bbb-8ccc-0123456789ab";
    event.timeUs = october().nowUs - hour; // 13:00 local
    event.wouldDeny = true;
    event.dynamic = "option,script";
    event.level = "full";
    event.backend = "host";
    event.exitCode = 3;
    event.startedUs = event.timeUs;
    event.finishedUs = event.timeUs + 5'500'000;
    event.outputBytes = 4096;
    return event;
}

void addMatch(const char *filter, bool matches)
{
    QTest::addRow("%s: %s", matches ? "finds" : "leaves", filter) << QByteArray(filter) << matches;
}

void addError(const char *filter, Code code, int column, const char *nearest = "")
{
    QTest::addRow("%s", filter) << QByteArray(filter) << static_cast<int>(code) << column << QByteArray(nearest);
}

} // namespace

class TstFilter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void finds_what_is_meant_data()
    {
        QTest::addColumn<QByteArray>("filter");
        QTest::addColumn<bool>("matches");
        for (const char *filter : {"",
                                   "   ",
                                   "curl",
                                   "CURL",
                                   "\"| sh\"",
                                   "curl sh",
                                   "curl and sh",
                                   "wget or curl",
                                   "not wget",
                                   "-wget",
                                   "-(wget or python)",
                                   "(curl)",
                                   "/sh$/",
                                   "/cu[r]l .* sh/",
                                   "/(?i)CURL/",
                                   "/https:\\/\\//",
                                   "verdict:deny",
                                   "verdict:ask,deny",
                                   "verdict:d*",
                                   "kind:exec",
                                   "origin:agent",
                                   "check:deny_rules",
                                   "group:data_exfiltration",
                                   "rule:download-into-shell",
                                   "rule:download-*",
                                   "rule:*",
                                   "tenant:acme",
                                   "tenant:\"acme\"",
                                   "tenant:globex,ac*",
                                   "agent:main",
                                   "session:cli",
                                   "gateway:gw-01",
                                   "cwd:/srv/*",
                                   "cwd:/srv/acme",
                                   "would_deny:yes",
                                   "would_deny:true",
                                   "dynamic:script",
                                   "dynamic:loop,option",
                                   "dynamic:*",
                                   "backend:host",
                                   "level:full",
                                   "outcome:not_started",
                                   "exit:3",
                                   "exit:>2",
                                   "exit:<4",
                                   "exit:>=3",
                                   "exit:1..3",
                                   "took:5s",
                                   "took:>5s",
                                   "took:5s..6s",
                                   "took:<1m",
                                   "took:>5",
                                   "output:4K",
                                   "output:>1K",
                                   "output:4096",
                                   "config:sha256:0123456789ab",
                                   "config:012345",
                                   "config:sha256:0*",
                                   "id:019a0000",
                                   "id:019a0000-aaaa-7bbb-8ccc-0123456789ab",
                                   "id:6789ab",
                                   "id:0123456789AB",
                                   "since:2h",
                                   "since:61m",
                                   "-until:2h",
                                   "until:30m",
                                   "time:2026",
                                   "time:2026-10",
                                   "time:2026-10-03",
                                   "time:today",
                                   "time:13:00",
                                   "time:12:00..14:00",
                                   "time:2026-10-03..2026-10-05",
                                   "time:2026-10-01..2026-10-03",
                                   "since:2026-10-03",
                                   "until:2026-10-03",
                                   "time:>2026-10-02",
                                   "time:2026-10-03T11:00Z",
                                   "since:yesterday",
                                   "time:2026-10-03T13:00",
                                   "tenant:acme verdict:deny -python",
                                   "/nope/ or curl"})
            addMatch(filter, true);
        for (const char *filter : {"wget",
                                   "curl wget",
                                   "-curl",
                                   "not curl",
                                   "\"sh |\"",
                                   "/^sh/",
                                   "/CURL/",
                                   "verdict:allow",
                                   "verdict:allow,ask",
                                   "tenant:acme-corp",
                                   "tenant:acm",
                                   "tenant:ACME",
                                   "tenant:\"ac*\"",
                                   "would_deny:no",
                                   "dynamic:budget",
                                   "-dynamic:*",
                                   "level:none,partial,landlock",
                                   "exit:4",
                                   "exit:>3",
                                   "exit:<3",
                                   "took:>6s",
                                   "took:<5s",
                                   "output:<4K",
                                   "output:>4K",
                                   "config:abcdef",
                                   "config:\"\"",
                                   "id:019a0001",
                                   "id:ffffff",
                                   "since:30m",
                                   "until:2h",
                                   "time:2026-09",
                                   "time:2026-10-02",
                                   "time:14:00..15:00",
                                   "time:12:00..13:00",
                                   "time:yesterday",
                                   "since:2026-10-04",
                                   "until:2026-10-02",
                                   "time:<2026-10-03",
                                   "time:2026-10-03T11:00",
                                   "rule:\"\"",
                                   "check:\"\"",
                                   "cwd:/srv",
                                   "curl and (wget or python)"})
            addMatch(filter, false);
    }

    void finds_what_is_meant()
    {
        QFETCH(QByteArray, filter);
        QFETCH(bool, matches);
        const auto parsed = Filter::parse(filter.toStdString(), october());
        QVERIFY2(parsed, qPrintable(QString::number(parsed ? 0 : static_cast<int>(parsed.error().code))));
        QCOMPARE(parsed->matches(sample()), matches);
    }

    void says_where_and_what_is_wrong_data()
    {
        QTest::addColumn<QByteArray>("filter");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("column");
        QTest::addColumn<QByteArray>("nearest");
        addError("tennant:acme", Code::UnknownField, 1, "tenant");
        addError("curl verdikt:deny", Code::UnknownField, 6, "verdict");
        addError("Tenant:acme", Code::UnknownField, 1, "tenant");
        addError("https://x", Code::UnknownField, 1);
        addError("tenant2:acme", Code::UnknownField, 1, "tenant");
        addError("a verdict\x1b[0m:deny", Code::UnknownField, 3);
        addError("\xc5\xa3"
                 "enant:acme",
                 Code::UnknownField, 1, "tenant");
        addError("verdict:dney", Code::UnknownValue, 9, "deny");
        addError("verdict:edit", Code::UnknownValue, 9, "kind:edit");
        addError("verdict:PRUNE", Code::UnknownValue, 9, "kind:prune");
        addError("verdict:deny,alow", Code::UnknownValue, 14, "allow");
        addError("group:exfil*", Code::UnknownValue, 7);
        addError("would_deny:maybe", Code::UnknownValue, 12);
        addError("id:abc", Code::UnknownValue, 4);
        addError("config:xyz", Code::UnknownValue, 8);
        addError("tenant:", Code::MissingValue, 8);
        addError("tenant:a,", Code::MissingValue, 10);
        addError("tenant:>a", Code::NotComparable, 8);
        addError("exit:one", Code::BadNumber, 6);
        addError("exit:1..x", Code::BadNumber, 6);
        addError("exit:3..1", Code::BadRange, 6);
        addError("output:4X", Code::BadNumber, 8);
        addError("took:5parsec", Code::BadDuration, 6);
        addError("time:2026-13", Code::BadTime, 6);
        addError("time:2026-02-30", Code::BadTime, 6);
        addError("time:25:00", Code::BadTime, 6);
        addError("time:15:00..14:00", Code::BadRange, 6);
        addError("since:soon", Code::BadTime, 7);
        addError("a \"b", Code::OpenQuote, 3);
        addError("tenant:\"b", Code::OpenQuote, 8);
        addError("/a[/", Code::BadPattern, 1);
        addError("/a b/c", Code::OpenPattern, 1);
        addError("(a", Code::OpenParenthesis, 1);
        addError("a (b (c) ", Code::OpenParenthesis, 3);
        addError("a)", Code::UnexpectedParenthesis, 2);
        addError("()", Code::MissingTerm, 2);
        addError("a or", Code::MissingTerm, 5);
        addError("or a", Code::MissingTerm, 1);
        addError("a and and b", Code::MissingTerm, 7);
        addError("not", Code::MissingTerm, 4);
    }

    void says_where_and_what_is_wrong()
    {
        QFETCH(QByteArray, filter);
        QFETCH(int, code);
        QFETCH(int, column);
        QFETCH(QByteArray, nearest);
        const auto parsed = Filter::parse(filter.toStdString(), october());
        QVERIFY(!parsed);
        QCOMPARE(static_cast<int>(parsed.error().code), code);
        QCOMPARE(static_cast<int>(parsed.error().column), column);
        QCOMPARE(QByteArray::fromStdString(parsed.error().nearest), nearest);
    }

    void a_path_is_a_word_and_not_a_pattern()
    {
        Event event = sample();
        event.command = "cat /etc/passwd";
        for (const char *filter : {"/etc/passwd", "/etc/", "/etc"}) {
            const auto parsed = Filter::parse(filter, {});
            QVERIFY2(parsed && parsed->matches(event), filter);
        }
        event.command = "cat etc";
        QVERIFY(!Filter::parse("/etc/passwd", {})->matches(event));
    }

    void an_unfinished_run_took_no_time_and_has_no_exit_code()
    {
        Event event = sample();
        event.exitCode.reset();
        event.finishedUs = 0;
        for (const char *filter : {"exit:<1000", "exit:>-1000", "took:<1w", "took:>0"})
            QVERIFY2(!Filter::parse(filter, {})->matches(event), filter);
        for (const char *filter : {"-exit:0", "-took:<1w"})
            QVERIFY2(Filter::parse(filter, {})->matches(event), filter);
    }

    void days_are_local_on_both_sides_of_a_change_of_the_clocks()
    {
        Event event = sample();
        const auto day = Filter::parse("time:2026-10-25", october()); // has 25 hours
        QVERIFY(day);
        const std::int64_t begin = 1'792'879'200'000'000; // 2026-10-24 22:00 UTC
        for (const auto &[timeUs, inside] :
             {std::pair{begin - 1, false}, std::pair{begin, true}, std::pair{begin + 25 * hour - 1, true},
              std::pair{begin + 25 * hour, false}}) {
            event.timeUs = timeUs;
            QCOMPARE(day->matches(event), inside);
        }
    }

    void is_bounded_in_length_and_depth()
    {
        QCOMPARE(Filter::parse(std::string(9000, 'a'), {}).error().code, Code::TooLong);
        QVERIFY(Filter::parse(std::string(60, '(') + "a" + std::string(60, ')'), {}));
        QCOMPARE(Filter::parse(std::string(4000, '('), {}).error().code, Code::TooDeep);
    }

    void a_quoted_value_is_read_back_as_it_was_data()
    {
        QTest::addColumn<QByteArray>("value");
        for (const char *value :
             {"acme", "a b", "a\"b", "a\\b", "a*", "1..2", ">3", "-a", "or", "", "a,b", "a(b)", "é", "/x/", "a:b"})
            QTest::addRow("%s", value) << QByteArray(value);
    }

    void a_quoted_value_is_read_back_as_it_was()
    {
        QFETCH(QByteArray, value);
        Event event = sample();
        event.tenant = value.toStdString();
        event.command = value.toStdString();
        const std::string quoted = quotedForFilter(value.toStdString());
        const auto field = Filter::parse("tenant:" + quoted, {});
        QVERIFY2(field, quoted.c_str());
        QVERIFY(field->matches(event));
        const auto word = Filter::parse(quoted, {});
        QVERIFY(word && word->matches(event));
        event.tenant += "x";
        QVERIFY(!field->matches(event));
    }

    void finds_what_a_command_hides()
    {
        Event event = test::deniedEvent(1);
        event.command = "c\"\"url -s x | b\\ash";
        event.normalised = "curl -s x; bash";
        for (const char *text : {"curl", "bash", "CURL", "/^curl/", "\"b\\\\ash\"", "/ash$/"})
            QVERIFY2(Filter::parse(text, {})->matches(event), text);
        for (const char *text : {"wget", "-curl", "-/curl/"})
            QVERIFY2(!Filter::parse(text, {})->matches(event), text);
        event.normalised.clear(); // a row that does not know
        QVERIFY(!Filter::parse("curl", {})->matches(event));
        QVERIFY(!Filter::parse("/^$/", {})->matches(event));
    }

    void names_the_words_that_a_view_can_mark()
    {
        const auto filter = Filter::parse("CURL verdict:deny -wget (\"| sh\" or x)", {});
        QVERIFY(filter);
        QCOMPARE(filter->searchedWords(), (std::vector<std::string>{"curl", "| sh", "x"}));
    }

    void becomes_sql_with_bound_values_data()
    {
        QTest::addColumn<QByteArray>("filter");
        QTest::addColumn<QByteArray>("condition");
        QTest::addColumn<int>("values");
        QTest::addColumn<bool>("exact");
        const auto row = [](const char *filter, const QByteArray &condition, int values, bool exact) {
            QTest::addRow("%s", filter) << QByteArray(filter) << condition << values << exact;
        };
        row("", "1", 0, true);
        row("tenant:acme", "(e.tenant = CAST(? AS TEXT))", 1, true);
        row("tenant:acme,gl*", "(e.tenant = CAST(? AS TEXT) OR matches_glob(e.tenant, CAST(? AS TEXT)))", 2, true);
        row("-verdict:deny", "NOT (e.verdict = 'deny')", 0, true);
        row("verdict:deny outcome:running",
            "((e.verdict = 'deny') AND (e.outcome = 'running' AND e.outcome NOT IN ('exited', 'not_started')))", 0,
            true);
        row("rule:a", "(e.rule = CAST(? AS TEXT) AND e.rule <> '')", 1, true);
        row("exit:>0", "(e.exit_code IS NOT NULL AND ((e.exit_code >= ?)))", 1, true);
        const char *word = "(contains_word(e.command, ?) OR (e.respelled AND EXISTS (SELECT 1 FROM details n WHERE "
                           "n.row = e.row AND contains_word(n.normalised, ?))))";
        row("x';--", word, 2, true);
        row("\xc3\xa9", word, 2, true);
        row("-(a or b)", QByteArray("(NOT ") + word + " AND NOT " + word + ")", 4, true);
        row("-/a/ tenant:x", "(1 AND (e.tenant = CAST(? AS TEXT)))", 1, false);
    }

    void becomes_sql_with_bound_values()
    {
        QFETCH(QByteArray, filter);
        QFETCH(QByteArray, condition);
        QFETCH(int, values);
        QFETCH(bool, exact);
        const auto parsed = Filter::parse(filter.toStdString(), {});
        QVERIFY(parsed);
        const FilterSql sql = filterSql(*parsed);
        QCOMPARE(QByteArray::fromStdString(sql.condition), condition);
        QCOMPARE(static_cast<int>(sql.values.size()), values);
        QCOMPARE(sql.exact, exact);
        // A record of the first version does not know which commands hide words.
        const FilterSql older = filterSql(*parsed, false);
        QVERIFY(!older.condition.contains("respelled"));
        QCOMPARE(std::ranges::count(older.condition, '?'), static_cast<std::ptrdiff_t>(older.values.size()));
    }

    void knows_between_which_times_its_events_lie()
    {
        const FilterClock clock = october();
        const auto bounds = [&](const char *filter) { return timeBounds(*Filter::parse(filter, clock)); };
        QVERIFY(bounds("curl") == Interval{});
        QVERIFY((bounds("curl since:1h") == Interval{clock.nowUs - hour, Interval::highest}));
        QVERIFY((bounds("since:2h (until:1h x)") == Interval{clock.nowUs - 2 * hour, clock.nowUs - hour}));
        QVERIFY(bounds("since:2h or curl") == Interval{});
        QVERIFY(bounds("-since:2h") == Interval{});
    }
};

QTEST_GUILESS_MAIN(TstFilter)
#include "tst_filter.moc"
