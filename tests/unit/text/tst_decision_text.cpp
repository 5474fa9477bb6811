// SPDX-License-Identifier: Apache-2.0
#include "tests/support/decision_setup.h"
#include "ui/text/decision_text.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::decision;
using namespace portcullis::test;

class TstDecisionText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void every_refusal_says_why_and_what_instead_data();
    void every_refusal_says_why_and_what_instead();
    void other_blockers_are_listed_in_words();
    void the_drawing_underlines_what_matched_data();
    void the_drawing_underlines_what_matched();
    void the_drawing_shows_no_raw_control_characters();
    void a_huge_command_is_drawn_around_its_match();
    void what_would_run_is_told_where();
    void checks_behind_a_refused_input_are_not_called_passed();
    void nothing_is_called_blocked_by_a_user();
};

namespace {

constexpr const char *sudoRule = R"({"id": "no-sudo", "group": "privilege_escalation", "title": "Sudo",
    "reason": "Root is off limits.", "advice": "Work without it.", "program": ["sudo"], "match": ["sudo id"],
    "not_match": ["ls"]})";

DecisionSetup withRule()
{
    DecisionSetup setup;
    setup.rules = sudoRule;
    return setup;
}

/// The line with the marks: the one that holds nothing but spaces and marks.
QString marksOf(const QString &drawing)
{
    for (const QString &line : drawing.split(QLatin1Char('\n'))) {
        if (line.contains(u'‾'))
            return line;
    }
    return {};
}

} // namespace

void TstDecisionText::every_refusal_says_why_and_what_instead_data()
{
    QTest::addColumn<QByteArray>("code");
    for (const char *code : {"nul_byte",
                             "invalid_utf8",
                             "too_long",
                             "names_data_dir",
                             "names_workspace",
                             "names_config_file",
                             "names_environment_file",
                             "names_database",
                             "names_audit_db",
                             "names_policies",
                             "names_state_dir",
                             "names_socket",
                             "names_other_tenant",
                             "above_workspace",
                             "writes_shared",
                             "tenant_dir_bridge",
                             "tenant_dir_needs_sandbox",
                             "tenant_dir_unavailable",
                             "bridge_needs_sandbox",
                             "sandbox_image_missing",
                             "sandbox_unavailable",
                             "host_policy_deny",
                             "confinement_full_required",
                             "confinement_required",
                             "would_run_as_root",
                             "cwd_not_absolute",
                             "cwd_outside",
                             "cwd_leads_outside",
                             "dynamic_program",
                             "dynamic_budget",
                             "dynamic_syntax",
                             "approval_refuses_all",
                             "approval_always",
                             "approval_not_listed",
                             "unknown_tenant",
                             "broken_policy"})
        QTest::newRow(code) << QByteArray(code);
}

void TstDecisionText::every_refusal_says_why_and_what_instead()
{
    QFETCH(QByteArray, code);
    const QString detail = QStringLiteral("/some/place");
    QVERIFY(!text::codeTitle(code.toStdString()).isEmpty());
    QVERIFY(text::whySentence(code.toStdString(), detail).endsWith(QLatin1Char('.')));
    QVERIFY(text::insteadSentence(code.toStdString(), detail).endsWith(QLatin1Char('.')));
    QVERIFY(!text::whySentence(code.toStdString(), detail).contains(QLatin1Char('%')));
}

void TstDecisionText::other_blockers_are_listed_in_words()
{
    DecisionSetup setup = withRule();
    setup.hostPolicy = "deny";
    const text::Explanation words = text::explain(setup.decide("sudo cat /srv/gateway/data/x"));
    QCOMPARE(words.headline, u"Denied");
    QCOMPARE(words.title, u"Sudo");
    QCOMPARE(words.group, u"privilege escalation");
    QCOMPARE(words.why, u"Root is off limits.");
    QCOMPARE(words.instead, u"Work without it.");
    QCOMPARE(words.also,
             (QStringList{QStringLiteral("Gateway data (path guard)"), QStringLiteral("Host policy (host policy)")}));
    QVERIFY(text::explain(withRule().decide("sudo id")).also.isEmpty());
}

void TstDecisionText::the_drawing_underlines_what_matched_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QString>("marks");
    QTest::newRow("at the start") << QByteArray("sudo id") << QStringLiteral("  ‾‾‾‾");
    QTest::newRow("behind wide characters") << QByteArray("echo 日本; sudo id") << QStringLiteral("             ‾‾‾‾");
    QTest::newRow("behind an accent that stands alone")
        << QByteArray("echo u\xCC\x88; sudo id") << QStringLiteral("          ‾‾‾‾");
    QTest::newRow("behind an invisible character")
        << QByteArray("echo '\xE2\x80\xAE'; sudo id") << QStringLiteral("                   ‾‾‾‾");
    QTest::newRow("on the second line") << QByteArray("ls\nsudo id") << QStringLiteral("│ ‾‾‾‾");
}

void TstDecisionText::the_drawing_underlines_what_matched()
{
    QFETCH(QByteArray, command);
    QFETCH(QString, marks);
    const Decision decision = withRule().decide(command.toStdString());
    QString got = marksOf(text::explainForTerminal(command.toStdString(), decision));
    // A rule may mark its arguments too; what counts is where the program stands.
    QVERIFY2(got.startsWith(marks), qPrintable(got));
}

void TstDecisionText::the_drawing_shows_no_raw_control_characters()
{
    const QByteArray command = "sudo id \x1b]0;owned\x07\r\xE2\x80\xAE\x7f";
    const QString drawing = text::explainForTerminal(command.toStdString(), withRule().decide(command.toStdString()));
    for (const QChar character : drawing)
        QVERIFY(character == QLatin1Char('\n')
                || (character.unicode() >= 0x20 && character.unicode() != 0x7f && character.unicode() != 0x202e));
    QVERIFY(drawing.contains(u"Denied · Sudo (privilege escalation)"));
    QVERIFY(drawing.contains(u"Also in the way  nothing else"));
    QVERIFY(drawing.contains(u"deny rules ⛔ refuses"));
    QVERIFY(drawing.endsWith(QLatin1Char('\n')));
}

void TstDecisionText::a_huge_command_is_drawn_around_its_match()
{
    std::string command;
    for (int i = 0; i < 2000; ++i)
        command += "echo " + std::string(20, 'a') + "\n";
    command += "true " + std::string(20000, 'b') + "; sudo id";
    const QString drawing = text::explainForTerminal(command, withRule().decide(command));
    QVERIFY(drawing.size() < 4000);
    QVERIFY(drawing.contains(u"sudo id"));
    QVERIFY(marksOf(drawing).contains(u'‾'));
}

void TstDecisionText::what_would_run_is_told_where()
{
    DecisionSetup setup = withRule();
    setup.hostPolicy = "warn";
    const Decision allowed = setup.decide("ls");
    QVERIFY(text::explainForTerminal("ls", allowed).contains(u"\nWhere    would run on the host, "));
    QVERIFY(text::explainForTerminal("ls", allowed, text::RunTense::Past).contains(u"\nWhere    host, "));
    QVERIFY(!text::explainForTerminal("ls", allowed, text::RunTense::Never).contains(u"\nWhere"));
    const Decision refused = setup.decide("sudo id");
    QVERIFY(!text::explainForTerminal("sudo id", refused).contains(u"\nWhere"));
    const QString warning = QStringLiteral("With host policy deny this command would be refused.");
    QVERIFY(allowed.wouldDeny && text::explain(allowed).notes.contains(warning));
    QVERIFY(!text::explain(refused).notes.contains(warning));
}

void TstDecisionText::checks_behind_a_refused_input_are_not_called_passed()
{
    const std::string command("ls \0x", 5);
    const QString drawing = text::explainForTerminal(command, withRule().decide(command));
    QVERIFY2(drawing.contains(u"Also in the way  not known: the other checks were not reached"), qPrintable(drawing));
}

void TstDecisionText::nothing_is_called_blocked_by_a_user()
{
    QCOMPARE(text::verdictName(Verdict::Deny), u"DENY");
    for (const char *command : {"sudo id", "ls /srv/gateway/data", "ls"}) {
        const QString drawing = text::explainForTerminal(command, withRule().decide(command));
        QVERIFY(!drawing.contains(u"user", Qt::CaseInsensitive));
    }
}

QTEST_APPLESS_MAIN(TstDecisionText)
#include "tst_decision_text.moc"
