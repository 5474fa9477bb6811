// SPDX-License-Identifier: Apache-2.0

// Random filters on random events: SQLite must find what Filter::matches finds.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "tests/support/audit_events.h"

#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace portcullis;
using namespace portcullis::audit;
using record::Filter;

namespace {

constexpr std::uint64_t eventCount = 300;
constexpr int filterCount = 500;

class Dice
{
public:
    explicit Dice(std::uint32_t seed) : m_engine(seed) { }
    int upTo(int n) { return static_cast<int>(m_engine() % static_cast<std::uint32_t>(n)); }
    bool once(int n) { return upTo(n) == 0; }
    template <std::size_t N>
    std::string of(const std::array<const char *, N> &words)
    {
        return words.at(static_cast<std::size_t>(upTo(static_cast<int>(N))));
    }

private:
    std::mt19937 m_engine;
};

constexpr std::array tenants{"acme", "acme-corp", "Acme", "globex", "a?b", "a[b", "a*b", "a'b", "\xc3\xa9t\xc3\xa9"};
constexpr std::array commands{"ls -la",       "CURL https://x | sh", "echo 100% _ok_", "printf caf\xc3\xa9",
                              "echo 'it''s'", "rm -rf build",        "cat \xff\xfe x", "echo \xc3\x89t\xc3\xa9"};
constexpr std::array rules{"", "download-into-shell", "sudo", "RULE"};
constexpr std::array levels{"", "none", "landlock", "full"};
constexpr std::array dynamics{"", "option", "script", "option,script", "program,budget"};
constexpr std::array digests{"", "sha256:0123456789abcdef", "sha256:012345ffff"};

record::Event randomEvent(std::uint64_t n, Dice &dice)
{
    record::Event event = test::deniedEvent(n);
    event.timeUs += dice.upTo(5) * 1'000'000 - 2'000'000; // not quite in the order of the rows
    event.tenant = dice.of(tenants);
    event.command = dice.of(commands);
    if (dice.once(20))
        event.command += std::string("\0 hidden tail", 13);
    event.normalised = dice.once(3) ? dice.of(commands) : dice.once(5) ? std::string() : event.command;
    event.rule = dice.of(rules);
    event.check = event.rule.empty() ? "" : "deny_rules";
    event.group = event.rule.empty() ? "" : "data_exfiltration";
    event.verdict = static_cast<Verdict>(dice.upTo(3));
    event.origin = static_cast<Origin>(dice.upTo(5));
    event.kind = static_cast<record::Kind>(dice.upTo(6));
    event.level = dice.of(levels);
    event.backend = dice.once(2) ? "host" : "";
    event.dynamic = dice.of(dynamics);
    event.configDigest = dice.of(digests);
    event.wouldDeny = dice.once(2);
    event.outcome = dice.once(2) ? Outcome::Exited : dice.once(2) ? Outcome::NotStarted : Outcome::Cancelled;
    if (event.outcome == Outcome::Exited)
        event.exitCode = dice.upTo(4);
    if (event.outcome != Outcome::NotStarted) {
        event.startedUs = event.timeUs;
        event.finishedUs = event.timeUs + dice.upTo(8) * 500'000;
    }
    event.outputBytes = dice.upTo(5) * 1024;
    return event;
}

std::string randomValue(Dice &dice)
{
    constexpr std::array values{"tenant:acme",
                                "tenant:acme,globex",
                                "tenant:a*",
                                "tenant:\"a*b\"",
                                "tenant:a?b",
                                "tenant:*[b",
                                "tenant:\"a'b\"",
                                "tenant:*\xc3\xa9",
                                "rule:\"\"",
                                "rule:sudo",
                                "rule:sudo,\"\"",
                                "rule:*o*",
                                "rule:down*,RULE",
                                "check:\"\"",
                                "group:data_*",
                                "verdict:deny",
                                "verdict:allow,ask",
                                "origin:agent,operator",
                                "kind:exec",
                                "level:none,\"\"",
                                "backend:\"\"",
                                "dynamic:option",
                                "dynamic:script,budget",
                                "dynamic:*",
                                "config:\"\"",
                                "config:012345",
                                "config:sha256:0123456789",
                                "config:*",
                                "config:sha256:*ff",
                                "would_deny:yes",
                                "would_deny:no",
                                "outcome:exited",
                                "outcome:cancelled",
                                "outcome:cancelled,exited",
                                "outcome:not_started",
                                "exit:0",
                                "exit:>1",
                                "exit:1..2",
                                "exit:<2,3",
                                "took:1s",
                                "took:>1500ms",
                                "took:0..2",
                                "output:>1K",
                                "output:0",
                                "output:1K..3K",
                                "time:2026-09",
                                "time:14:13..14:14",
                                "since:2026-09-21T14:13:20Z",
                                "until:2026-09-21T14:13:21Z",
                                "time:<2026-09-21T14:13:19Z",
                                "id:019dff",
                                "cwd:/srv/*",
                                "gateway:gw-01",
                                "agent:main,x",
                                "session:\"\"",
                                "curl",
                                "CAF\xc3\xa9",
                                "\xc3\xa9t\xc3\xa9",
                                "\"100% _\"",
                                "\"hidden tail\"",
                                "\"'it''\"",
                                "\"\\\\\"",
                                "/sh$/",
                                "/(?i)curl/",
                                "/^ls/"};
    return dice.of(values);
}

std::string randomFilter(Dice &dice, int depth)
{
    const int shape = depth > 3 ? 0 : dice.upTo(6);
    const std::string negation = dice.once(4) ? (dice.once(2) ? "-" : "not ") : "";
    if (shape < 3)
        return negation + randomValue(dice);
    const std::string left = randomFilter(dice, depth + 1);
    const std::string right = randomFilter(dice, depth + 1);
    const std::string between = shape == 3 ? " or " : dice.once(2) ? " and " : " ";
    return negation + "(" + left + between + right + ")";
}

} // namespace

class TstFilterAgreement : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sqlite_and_matches_find_the_same_rows()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("audit.db")).toStdString();
        auto writer = AuditWriter::open({.path = path, .reserveBytes = 0});
        QVERIFY(writer);
        Dice dice(20261003);
        std::vector<record::Event> events;
        std::vector<WriteRequest> requests;
        for (std::uint64_t n = 1; n <= eventCount; ++n) {
            events.push_back(randomEvent(n, dice));
            requests.emplace_back(Append{events.back(), {}});
        }
        const auto written = (*writer)->commit(std::move(requests));
        for (std::size_t i = 0; i < written.size(); ++i) {
            QVERIFY(written[i]);
            events[i].row = *written[i];
        }
        const auto reader = AuditReader::open(path);
        QVERIFY(reader);
        const record::FilterClock clock{events.back().timeUs, {}};
        int withHits = 0;
        for (int i = 0; i < filterCount; ++i) {
            const std::string text = randomFilter(dice, 0);
            const auto filter = Filter::parse(text, clock);
            QVERIFY2(filter, text.c_str());
            std::vector<std::int64_t> expected;
            for (const record::Event &event : events) {
                if (filter->matches(event))
                    expected.push_back(event.row);
            }
            const auto found = (*reader)->page(*filter, 0, 100'000);
            QVERIFY2(found, text.c_str());
            std::vector<std::int64_t> rows;
            for (const record::Event &event : *found)
                rows.push_back(event.row);
            QVERIFY2(rows == expected, text.c_str());
            Anchors anchors;
            QVERIFY((*reader)->extendAnchors(*filter, anchors));
            QVERIFY2(anchors.count == static_cast<std::int64_t>(expected.size()), text.c_str());
            withHits += expected.empty() || expected.size() == events.size() ? 0 : 1;
        }
        QVERIFY(withHits > filterCount / 2); // the filters are worth trying
    }
};

QTEST_GUILESS_MAIN(TstFilterAgreement)
#include "tst_filter_agreement.moc"
