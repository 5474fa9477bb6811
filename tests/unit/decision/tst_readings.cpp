// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/readings.h"
#include "tests/support/decision_setup.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::decision;
using namespace portcullis::test;

class TstReadings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void input_that_no_shell_takes_is_refused_data();
    void input_that_no_shell_takes_is_refused();
    void the_longest_command_is_accepted();
    void what_runs_is_judged_whatever_it_looks_like_data();
    void what_runs_is_judged_whatever_it_looks_like();
    void a_look_alike_is_refused_although_it_would_not_run_data();
    void a_look_alike_is_refused_although_it_would_not_run();
    void additional_readings_only_tighten_data();
    void additional_readings_only_tighten();
    void ordinary_text_of_any_language_is_not_obfuscated_data();
    void ordinary_text_of_any_language_is_not_obfuscated();
    void look_alikes_are_marked_where_they_stand();
    void spans_of_a_derived_text_lead_back_to_whole_characters_data();
    void spans_of_a_derived_text_lead_back_to_whole_characters();
    void the_shell_that_runs_decides_the_dialect_data();
    void the_shell_that_runs_decides_the_dialect();
};

namespace {

constexpr const char *sudoRule = R"({"id": "no-sudo", "group": "privilege_escalation", "title": "Sudo", "reason": "R.",
    "advice": "A.", "program": ["sudo"], "match": ["sudo id"], "not_match": ["echo sudo"]})";

DecisionSetup withSudoRule()
{
    DecisionSetup setup;
    setup.rules = sudoRule;
    return setup;
}

QByteArray bytes(const char8_t *text)
{
    return QByteArray(reinterpret_cast<const char *>(text));
}

} // namespace

void TstReadings::input_that_no_shell_takes_is_refused_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("NUL byte") << QByteArray("echo hi\0; sudo id", 17) << QByteArray("nul_byte");
    QTest::newRow("a byte that is no UTF-8") << QByteArray("echo \xff") << QByteArray("invalid_utf8");
    QTest::newRow("an overlong slash") << QByteArray("cat ..\xc0\xaf..") << QByteArray("invalid_utf8");
    QTest::newRow("one byte too long") << "echo " + QByteArray(128 * 1024 - 5, 'a') << QByteArray("too_long");
}

void TstReadings::input_that_no_shell_takes_is_refused()
{
    QFETCH(QByteArray, command);
    QFETCH(QByteArray, code);
    const Decision decision = withSudoRule().decide(command.toStdString());
    QCOMPARE(summary(decision), "deny input " + code);
    QCOMPARE(decision.blockers.size(), std::size_t(1));
    QCOMPARE(entryOf(decision, Check::DenyRules).outcome, CheckOutcome::NotReached);
}

void TstReadings::the_longest_command_is_accepted()
{
    QCOMPARE(summary(withSudoRule().decide("echo " + std::string(128 * 1024 - 6, 'a'))), "allow");
}

void TstReadings::what_runs_is_judged_whatever_it_looks_like_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::newRow("a full-width comment sign") << bytes(u8"true ＃; sudo id");
    QTest::newRow("full-width quotes") << bytes(u8"echo ＂; sudo id; echo ＂");
    QTest::newRow("full-width apostrophes") << bytes(u8"echo ＇; sudo id; echo ＇");
    QTest::newRow("a full-width here-document") << bytes(u8"cat ＜＜＇E＇\nsudo id\nE");
}

void TstReadings::what_runs_is_judged_whatever_it_looks_like()
{
    QFETCH(QByteArray, command);
    const Decision decision = withSudoRule().decide(command.toStdString());
    QCOMPARE(summary(decision), "deny deny_rules no-sudo");
    QVERIFY(decision.obfuscated);
}

void TstReadings::a_look_alike_is_refused_although_it_would_not_run_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::newRow("zero width space in the program") << bytes(u8"su\u200bdo id");
    QTest::newRow("word joiner") << bytes(u8"su\u2060do id");
    QTest::newRow("byte order mark before the program") << bytes(u8"\ufeffsudo id");
    QTest::newRow("full-width letters") << bytes(u8"ｓｕｄｏ id");
    QTest::newRow("both") << bytes(u8"ｓu\u200bｄo id");
    QTest::newRow("a full-width semicolon") << bytes(u8"echo a； sudo id");
}

void TstReadings::a_look_alike_is_refused_although_it_would_not_run()
{
    QFETCH(QByteArray, command);
    const Decision decision = withSudoRule().decide(command.toStdString());
    QCOMPARE(summary(decision), "deny deny_rules no-sudo");
    QCOMPARE(decision.group, Group::PrivilegeEscalation);
    QVERIFY(decision.obfuscated);
}

void TstReadings::additional_readings_only_tighten_data()
{
    QTest::addColumn<QByteArray>("command");
    for (const char8_t *command :
         {u8"sudo id", u8"sudo ｉd", u8"\u200bsudo id", u8"sudo id ＃", u8"sudo\u200b id", u8"＃ sudo id\nsudo id"})
        QTest::newRow(reinterpret_cast<const char *>(command)) << bytes(command);
}

void TstReadings::additional_readings_only_tighten()
{
    QFETCH(QByteArray, command);
    const DecisionSetup setup = withSudoRule();
    // The raw reading alone: the rule set on the raw evaluation.
    shell::EvaluationContext context;
    context.cwd = "/srv/gateway/workspace/tenants/acme";
    const auto configuration = setup.configuration();
    const bool rawHit = !configuration->builtinRules()
                             .match(shell::evaluate(command.toStdString(), context), command.toStdString())
                             .hits.empty();
    const Decision decision = setup.decide(command.toStdString());
    QVERIFY(!rawHit || decision.verdict == Verdict::Deny);
}

void TstReadings::ordinary_text_of_any_language_is_not_obfuscated_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::newRow("a ligature in a message") << bytes(u8"git commit -m 'ﬁx the oﬃce'");
    QTest::newRow("a fraction") << bytes(u8"echo '½ cup'");
    QTest::newRow("a family of people") << bytes(u8"echo '👨\u200d👩\u200d👧'");
    QTest::newRow("Persian") << bytes(u8"echo 'می\u200cخواهم'");
    QTest::newRow("Japanese in full width") << bytes(u8"echo 'ＡＢＣ、テスト'");
    QTest::newRow("accents") << bytes(u8"cat 'Müller façade.txt'");
    QTest::newRow("decomposed accents") << bytes(u8"cat 'Mu\u0308ller.txt'");
    QTest::newRow("no-break space in a message") << bytes(u8"echo 'prix\u00a0: 3\u00a0€'");
}

void TstReadings::ordinary_text_of_any_language_is_not_obfuscated()
{
    QFETCH(QByteArray, command);
    const Decision decision = withSudoRule().decide(command.toStdString());
    QCOMPARE(summary(decision), "allow");
    QVERIFY(!decision.obfuscated);
}

void TstReadings::look_alikes_are_marked_where_they_stand()
{
    const QByteArray command = bytes(u8"su\u200bdo id");
    const Decision decision = withSudoRule().decide(command.toStdString());
    const TraceEntry entry = entryOf(decision, Check::Readings);
    QCOMPARE(entry.code, std::string("obfuscated"));
    QCOMPARE(entry.spans, (std::vector{Span{2, 3}}));
    const TraceEntry rule = entryOf(decision, Check::DenyRules);
    QCOMPARE(rule.code, std::string("hidden_reading"));
    QCOMPARE(rule.spans.front(), (Span{0, 7}));
}

void TstReadings::spans_of_a_derived_text_lead_back_to_whole_characters_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<int>("start");
    QTest::addColumn<int>("length");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("ASCII") << bytes(u8"abc") << 1 << 1 << QByteArray("b");
    QTest::newRow("one character became two") << bytes(u8"aﬁb") << 1 << 2 << bytes(u8"ﬁ");
    QTest::newRow("half of what one became") << bytes(u8"aﬁb") << 1 << 1 << bytes(u8"ﬁ");
    QTest::newRow("behind it") << bytes(u8"aﬁb") << 3 << 1 << QByteArray("b");
    QTest::newRow("full width") << bytes(u8"ｓudo") << 0 << 4 << bytes(u8"ｓudo");
    QTest::newRow("past the end") << bytes(u8"ab") << 1 << 9 << QByteArray("b");
}

void TstReadings::spans_of_a_derived_text_lead_back_to_whole_characters()
{
    QFETCH(QByteArray, raw);
    QFETCH(int, start);
    QFETCH(int, length);
    QFETCH(QByteArray, expected);
    const DerivedText derived = foldCompatibility(raw.toStdString());
    const Span span = derived.rawSpan({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(length)});
    QCOMPARE(raw.mid(span.start, span.length), expected);
}

void TstReadings::the_shell_that_runs_decides_the_dialect_data()
{
    QTest::addColumn<QByteArray>("shell");
    QTest::addColumn<bool>("bashPresent");
    QTest::addColumn<int>("dialect");
    QTest::newRow("auto with bash") << QByteArray("auto") << true << int(Dialect::Bash);
    QTest::newRow("auto without bash") << QByteArray("auto") << false << int(Dialect::Sh);
    QTest::newRow("sh") << QByteArray("sh") << true << int(Dialect::Sh);
    QTest::newRow("bash") << QByteArray("bash") << true << int(Dialect::Bash);
}

void TstReadings::the_shell_that_runs_decides_the_dialect()
{
    QFETCH(QByteArray, shell);
    QFETCH(bool, bashPresent);
    QFETCH(int, dialect);
    DecisionSetup setup = withSudoRule();
    setup.request.shell = fromName<ShellChoice>(shell.toStdString());
    setup.facts.bashPresent = bashPresent;
    const Decision decision = setup.decide("[[ x || sudo ]]");
    QCOMPARE(int(decision.dialect), dialect);
    // dash knows no [[: it runs what stands behind ||.
    QCOMPARE(decision.verdict, dialect == int(Dialect::Sh) ? Verdict::Deny : Verdict::Allow);
}

QTEST_APPLESS_MAIN(TstReadings)
#include "tst_readings.moc"
