// SPDX-License-Identifier: Apache-2.0
#include "ui/text/event_text.h"

#include "tests/support/audit_events.h"
#include "ui/text/action_text.h"

#include <QRegularExpression>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace portcullis;
using record::Event;
using record::Kind;

namespace {

/// What an operator did, as `policy` and `log prune` write it.
Event act(Kind kind, std::string detail)
{
    Event event;
    event.id = test::eventId(1);
    event.kind = kind;
    event.timeUs = 1'790'000'000'000'000;
    event.tenant = "acme";
    event.session = "cli";
    event.origin = Origin::Operator;
    event.verdict = Verdict::Allow;
    event.detailJson = std::move(detail);
    return event;
}

Event exemptionAdded()
{
    Event event = act(Kind::Edit,
                      R"({"action":"add_exemption","file":"/p/acme.json","by":"anna","exemption":"x",)"
                      R"("rule":"env","expires":"2026-12-01T08:00:00Z"})");
    event.agent = "main";
    event.reason = "reviewed";
    return event;
}

Event published()
{
    Event event = act(Kind::Publish, R"({"file":"/p/acme.json","by":"anna","message":"open the mirror","digest":"d"})");
    event.reason = "open the mirror";
    return event;
}

QString shown(const Event &event)
{
    return text::eventForTerminal(event, {});
}

/// Whether a line begins with this label and has this value.
bool hasFact(const QString &text, const QString &label, const QString &value)
{
    return text.contains(QRegularExpression(u'^' + QRegularExpression::escape(label) + u" +"_s
                                                + QRegularExpression::escape(value) + u'$',
                                            QRegularExpression::MultilineOption));
}

bool hasLabel(const QString &text, const QString &label)
{
    return text.contains(QRegularExpression(u'^' + label + u" "_s, QRegularExpression::MultilineOption));
}

Event failedToStart(const std::string &error)
{
    Event event = test::allowedEvent(1);
    event.outcome = Outcome::NotStarted;
    event.error = error;
    return event;
}

} // namespace

class TstEventText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void what_was_allowed_and_did_not_start_has_failed()
    {
        const Event event = failedToStart("open_root:2:/srv/gone");
        QCOMPARE(text::outcomeWords(event), u"failed to start"_s);
        QVERIFY(text::eventLine(event).contains(u"failed to start"));
        QCOMPARE(text::outcomeWords(test::deniedEvent(1)), u"not run"_s);
        QVERIFY(!text::eventLine(test::deniedEvent(1)).contains(u"failed"));
    }

    void the_command_stands_below_its_title_whatever_the_result()
    {
        const qsizetype column = text::eventLineHeader().indexOf(u"command");
        for (const Event &event : {failedToStart("open_root:2:/x"), test::allowedEvent(2)})
            QCOMPARE(text::eventLine(event).indexOf(u"python3"), column);
    }

    void a_narrow_terminal_gets_two_lines_and_nothing_is_cut()
    {
        Event event = test::allowedEvent(2);
        event.wouldDeny = true;
        const QStringList lines = text::eventLine(event, 80).split(u'\n');
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].size() <= 80, qPrintable(lines[0]));
        QVERIFY2(lines[1].contains(u"would be refused by deny"), qPrintable(lines[1]));
        const QStringList header = text::eventLineHeader(80).split(u'\n');
        QCOMPARE(header.size(), 2);
        QCOMPARE(header[0].indexOf(u"result"), lines[0].indexOf(text::outcomeWords(event)));
        QCOMPARE(header[1].indexOf(u"command"), lines[1].indexOf(u"python3"));
        Event denied = test::deniedEvent(1);
        QVERIFY(text::eventLine(denied, 80).contains(text::decidedByWords(denied)));
    }

    void a_wide_terminal_gets_one_line_as_a_file_does()
    {
        const Event event = test::deniedEvent(1);
        for (const std::size_t columns : {std::size_t(0), std::size_t(140), std::size_t(200)})
            QVERIFY(!text::eventLine(event, columns).contains(u'\n'));
        QVERIFY(text::eventLineHeader(200).size() > text::eventLineHeader(140).size());
        QCOMPARE(text::eventLineHeader(140), text::eventLineHeader());
    }

    void a_failed_start_is_told_in_a_sentence()
    {
        const QString text = shown(failedToStart("open_root:2:/srv/gone"));
        QVERIFY2(hasFact(text, u"error"_s, u"Step \"open_root\" failed on /srv/gone: No such file or directory."_s),
                 qPrintable(text));
        QVERIFY(hasLabel(text, u"instead"_s) && !text.contains(u"open_root:2"));
        const QString plan = shown(failedToStart("no_user:0:/srv/acme"));
        QVERIFY2(plan.contains(u"The workspace /srv/acme belongs to root"), qPrintable(plan));
        const QString other = shown(failedToStart("something else"));
        QVERIFY2(hasFact(other, u"error"_s, u"something else"_s), qPrintable(other));
    }

    void only_what_ran_has_a_place()
    {
        Event ran = test::allowedEvent(1);
        ran.outcome = Outcome::Exited;
        ran.exitCode = 0;
        QVERIFY(shown(ran).contains(u"Where    host, both walls\n"));
        Event refused = test::deniedEvent(2);
        refused.backend = "host";
        refused.level = "full";
        for (const Event &event : {refused, failedToStart("open_root:2:/x")}) {
            const QString text = shown(event);
            QVERIFY2(!hasLabel(text, u"Where"_s) && !hasLabel(text, u"where"_s), qPrintable(text));
        }
    }

    void the_host_policy_is_noted_where_it_alone_lets_through()
    {
        Event event = test::deniedEvent(1);
        event.traceJson = R"([{"check":"host_policy","outcome":"noted","code":"host_policy_warn"}])";
        QVERIFY(!shown(event).contains(u"With host policy deny"));
        event.verdict = Verdict::Allow;
        event.wouldDeny = true;
        QVERIFY2(shown(event).contains(u"With host policy deny"), qPrintable(shown(event)));
    }

    void checks_that_were_not_reached_are_not_called_passed()
    {
        Event event = test::deniedEvent(1);
        QVERIFY(shown(event).contains(u"Also in the way  nothing else"));
        event.traceJson = R"([{"check":"configuration","outcome":"decided","verdict":"deny","code":"broken_policy"},)"
                          R"({"check":"input","outcome":"not_reached"}])";
        QVERIFY2(shown(event).contains(u"Also in the way  not known: the other checks were not reached"),
                 qPrintable(shown(event)));
    }

    void tenant_and_reason_stand_before_what_is_long()
    {
        QCOMPARE(text::actionWords(published()),
                 u"anna published the policy of acme: open the mirror (/p/acme.json)"_s);
        QCOMPARE(text::actionWords(exemptionAdded()),
                 u"anna added an exemption for acme: reviewed (exemption \"x\", rule \"env\", agent \"main\", "
                 "until 2026-12-01T08:00:00Z)"_s);
        Event edited = act(Kind::Edit, R"({"by":"anna","file":"/p/acme.json"})");
        QCOMPARE(text::actionWords(edited), u"anna edited the policy of acme (/p/acme.json)"_s);
        QCOMPARE(text::actionWords(act(Kind::Prune, R"({"by":"anna","rows":3})")), u"anna removed 3 rows"_s);
    }

    void an_act_of_an_operator_is_shown_line_by_line()
    {
        const QString text = shown(exemptionAdded());
        QVERIFY(hasFact(text, u"what"_s, text::actionWords(exemptionAdded())));
        QVERIFY(hasFact(text, u"reason"_s, u"reviewed"_s) && hasFact(text, u"by"_s, u"anna"_s)
                && hasFact(text, u"file"_s, u"/p/acme.json"_s)
                && hasFact(text, u"expires"_s, u"2026-12-01T08:00:00Z"_s));
        for (const char *label : {"agent", "where", "detail", "result"})
            QVERIFY2(!hasLabel(text, QString::fromLatin1(label)), label);
        QVERIFY2(!text.contains(u'{'), qPrintable(text));
        const QString publish = shown(published());
        QVERIFY(hasFact(publish, u"message"_s, u"open the mirror"_s) && !hasLabel(publish, u"reason"_s));
    }

    void numbers_and_moments_of_a_detail_are_readable()
    {
        Event event =
            act(Kind::Prune,
                R"({"before_us":1790000000000000,"max_bytes":null,"rows":3,"not_replayable":0,"first_us":1e300})");
        event.outcome = Outcome::Exited;
        const QString text = shown(event);
        QVERIFY(hasFact(text, u"rows"_s, u"3"_s) && hasFact(text, u"not replayable"_s, u"0"_s));
        QVERIFY2(text.contains(QRegularExpression(u"\nbefore +2026-09-2[0-9] "_s)), qPrintable(text));
        QVERIFY(!hasLabel(text, u"max bytes"_s) && !hasLabel(text, u"where"_s));
        QVERIFY(hasFact(text, u"first"_s, u"1e300"_s));
    }

    void a_change_that_was_not_made_does_not_pass_for_one_that_was()
    {
        for (Event event : {published(), exemptionAdded()}) {
            event.outcome = Outcome::Exited;
            const QString made = text::actionWords(event);
            QVERIFY2(!made.contains(u"in force"_s), qPrintable(made));
            event.outcome = Outcome::NotStarted;
            event.error = "rename: EROFS";
            QCOMPARE(text::actionWords(event), made + u" (not put in force: rename: EROFS)"_s);
            event.error.clear();
            event.outcome = Outcome::Running;
            QCOMPARE(text::actionWords(event), made + u" (being put in force)"_s);
            event.outcome = Outcome::Unfinished;
            QVERIFY(text::actionWords(event).startsWith(made + u" (unfinished"_s));
        }
    }

    void a_detail_that_cannot_be_read_is_shown_as_it_is()
    {
        for (const char *detail : {"[1]", "{\"a\":", "plain"}) {
            const QString text = shown(act(Kind::Publish, detail));
            QVERIFY2(hasFact(text, u"detail"_s, QString::fromLatin1(detail)), qPrintable(text));
        }
        const QString forged = shown(act(Kind::Edit, R"({"by":"a\nid: forged"})"));
        QVERIFY2(!forged.contains(u"\nid: forged"), qPrintable(forged));
    }
};

QTEST_GUILESS_MAIN(TstEventText)
#include "tst_event_text.moc"
