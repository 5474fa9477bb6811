// SPDX-License-Identifier: Apache-2.0
#include "runner/config/json5.h"
#include "runner/record/masking.h"
#include "tests/support/audit_events.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::record;

namespace {

/// A secret of this kind is put together here, so that no scanner of source trees takes the test for a leak.
std::string joined(std::initializer_list<std::string_view> parts)
{
    std::string out;
    for (const std::string_view part : parts)
        out += part;
    return out;
}

void addHit(const char *name, const std::string &text, const std::string &masked)
{
    QTest::addRow("%s", name) << QByteArray::fromStdString(text) << QByteArray::fromStdString(masked);
}

void addPlain(const char *text)
{
    QTest::addRow("%s", text) << QByteArray(text);
}

} // namespace

class TstMasking : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void masks_tokens_that_say_what_they_are_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("masked");
        const std::string digits36 = "0123456789abcdefABCDEF0123456789abcd";
        const auto token = [](const char *name, const std::string &secret, const char *mark) {
            addHit(name, "run " + secret + " x", std::string("run ") + mark + " x");
        };
        token("AWS", joined({"AKIA", "IOSFODNN7EXAMPLE"}), "_MASKED_32_");
        token("GitHub", joined({"ghp", "_", digits36}), "_MASKED_64_");
        token("GitHub fine-grained", joined({"github", "_pat_", digits36}), "_MASKED_64_");
        token("GitLab", joined({"glpat", "-", digits36}), "_MASKED_64_");
        token("Slack", joined({"xoxb", "-123456789012-abcdef"}), "_MASKED_32_");
        token("OpenAI", joined({"sk", "-proj-", digits36}), "_MASKED_64_");
        token("Anthropic", joined({"sk", "-ant-api03-", digits36}), "_MASKED_64_");
        token("Stripe", joined({"sk", "_live_", digits36}), "_MASKED_64_");
        token("Google", joined({"AI", "za", digits36.substr(1)}), "_MASKED_64_");
        token("npm", joined({"npm", "_", digits36}), "_MASKED_64_");
        token("JSON web token", joined({"eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0In0", ".c2lnbmF0dXJl"}),
              "_MASKED_64_");
        token("bot token", joined({"123456789", ":", digits36.substr(1)}), "_MASKED_64_");
        addHit("private key",
               joined({"-----BEGIN RSA ", "PRIVATE KEY-----\nMIIEow\nAAAA\n-----END RSA PRIVATE KEY-----"}),
               joined({"-----BEGIN RSA ", "PRIVATE KEY-----_MASKED_16_-----END RSA PRIVATE KEY-----"}));
        addHit("cut private key", joined({"-----BEGIN ", "PRIVATE KEY-----\nMIIEow"}),
               joined({"-----BEGIN ", "PRIVATE KEY-----_MASKED_8_"}));
    }
    void masks_tokens_that_say_what_they_are() { compareMasked(); }

    void masks_values_by_their_name_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("masked");
        const auto row = [](const char *text, const char *masked) { addHit(text, text, masked); };
        row("PASSWORD=hunter2 ./run", "PASSWORD=_MASKED_8_ ./run");
        row("export API_KEY='abc def ghi'", "export API_KEY='_MASKED_16_'");
        row("export DB_PASSWORD=\"s3cr3t\"; ls", "export DB_PASSWORD=\"_MASKED_8_\"; ls");
        row("env GOCLAW_GATEWAY_TOKEN=abcdef ./x", "env GOCLAW_GATEWAY_TOKEN=_MASKED_8_ ./x");
        row("SSHPASS=pw123 sshpass -e ssh h", "SSHPASS=_MASKED_8_ sshpass -e ssh h");
        row("MYSQL_PWD=abc mysql", "MYSQL_PWD=_MASKED_8_ mysql");
        row("app config set telegram.token=123:abc", "app config set telegram.token=_MASKED_8_");
        row("npm config set //r.example/:_authToken=abcdef", "npm config set //r.example/:_authToken=_MASKED_8_");
        row("tool --password hunter2 -v", "tool --password _MASKED_8_ -v");
        row("tool --password=hunter2 -v", "tool --password=_MASKED_8_ -v");
        row("tool --password='two words' -v", "tool --password='_MASKED_16_' -v");
        row("tool --api-key abcdef --x", "tool --api-key _MASKED_8_ --x");
        row("tool --client-secret \"a b c\"", "tool --client-secret \"_MASKED_8_\"");
        row("tool --token abcdef", "tool --token _MASKED_8_");
        row("curl 'https://h/?access_token=abcdef&x=1'", "curl 'https://h/?access_token=_MASKED_8_&x=1'");
        row("curl -d '{\"password\": \"abc\", \"user\": \"u\"}' h",
            "curl -d '{\"password\": \"_MASKED_8_\", \"user\": \"u\"}' h");
        row("curl -d \"{\\\"secret\\\":\\\"abc\\\"}\" h", "curl -d \"{\\\"secret\\\":\\\"_MASKED_8_\\\"}\" h");
        row("password=ab\"cd\"'ef' next", "password=_MASKED_16_ next");
        row("sh -c \"PASSWORD=abc run\" x", "sh -c \"PASSWORD=_MASKED_8_ run\" x");
        row("A_TOKEN=aaaa B_TOKEN=bbbb run", "A_TOKEN=_MASKED_8_ B_TOKEN=_MASKED_8_ run");
    }
    void masks_values_by_their_name() { compareMasked(); }

    void masks_what_programs_take_without_naming_it_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("masked");
        const auto row = [](const char *text, const char *masked) { addHit(text, text, masked); };
        row("mysql -uroot -p'S3cr3t!' -e 'select 1'", "mysql -uroot -p'_MASKED_8_' -e 'select 1'");
        row("mysqldump -u root -pS3cr3t db", "mysqldump -u root -p_MASKED_8_ db");
        row("/usr/bin/mysql -pabc", "/usr/bin/mysql -p_MASKED_8_");
        row("sshpass -p hunter2 ssh h", "sshpass -p _MASKED_8_ ssh h");
        row("redis-cli -h x -a hunter2 ping", "redis-cli -h x -a _MASKED_8_ ping");
        row("docker login -u me -p hunter2 r.example", "docker login -u me -p _MASKED_8_ r.example");
        row("curl -u me:hunter2 https://h", "curl -u me:_MASKED_8_ https://h");
        row("curl --user 'me:hunter2' https://h", "curl --user 'me:_MASKED_8_' https://h");
        row("openssl enc -pass pass:hunter2", "openssl enc -pass pass:_MASKED_8_");
        row("curl -H 'Authorization: Bearer abcdef' h", "curl -H 'Authorization: Bearer _MASKED_8_' h");
        row("curl -H \"authorization: Basic dXNlcjpwdw==\" h", "curl -H \"authorization: Basic _MASKED_16_\" h");
        row("curl -H 'Cookie: sid=abcdef; x=1' h", "curl -H 'Cookie: _MASKED_16_' h");
        row("curl -H 'X-Api-Key: abcdef123456' h", "curl -H 'X-Api-Key: _MASKED_16_' h");
        row("git clone https://S3cr3tAAB7@h/r.git", "git clone https://_MASKED_16_@h/r.git");
        row("echo 'hunter2' | sudo -S id", "echo '_MASKED_8_' | sudo -S id");
        row("echo hunter2 | docker login -u me --password-stdin",
            "echo _MASKED_8_ | docker login -u me --password-stdin");
        row("printf '%s' hunter2 | gh auth login --with-token", "printf '%s' _MASKED_8_ | gh auth login --with-token");
        row("git clone https://me:hunter2@h/r.git", "git clone https://me:_MASKED_8_@h/r.git");
        row("psql postgresql://app:hunter2@prod-1/app", "psql postgresql://app:_MASKED_8_@prod-1/app");
        row("redis-cli -u redis://:hunter2@h:6379", "redis-cli -u redis://:_MASKED_8_@h:6379");
    }
    void masks_what_programs_take_without_naming_it() { compareMasked(); }

    void leaves_what_is_no_secret_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *text :
             {"git checkout 9fceb02d0ae598e95dc970b74767f19372d61af8",
              "echo 550e8400-e29b-41d4-a716-446655440000",
              "docker pull alpine@sha256:9fceb02d0ae598e95dc970b74767f19372d61af89fceb02d0ae598e95dc970b7",
              "echo data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
              "ls /home/me/project/token/store",
              "echo $PASSWORD",
              "run --password \"$PASSWORD\"",
              "PASSWORD=$(pass show x) run",
              "TOKEN=${TOKEN:-} run",
              "curl -H \"Authorization: Bearer $TOKEN\" h",
              "git clone https://me:$TOKEN@h/r.git",
              "gh run --token ${{ secrets.TOKEN }}",
              "grep -r 'password=' src",
              "grep \"api_key=\" src | grep \"x y\"",
              "sort --key=2 file",
              "sort -k 2",
              "ssh -i key=value host",
              "cat token.txt",
              "vim tokenizer.py",
              "tool --max_tokens=100",
              "tool --password-stdin < f",
              "tool --password -v",
              "read -s PASSWORD",
              "SSH_KEY=/home/me/.ssh/id_ed25519 run",
              "kubectl get secret mysecret",
              "mkdir -p src/app",
              "cp -pr a b",
              "echo hello | sudo tee /etc/motd",
              "echo $PW | sudo -S id",
              "git clone https://builder@h/r.git",
              "mysql -u root -p",
              "mysql -u root --port 3306",
              "ls | mysql; cp -pr a b",
              "docker run -p 8080:80 nginx",
              "git commit -m 'fix token: handle expiry'",
              "git commit -m \"secret: none of this\"",
              "PWD=/srv/acme ls",
              "OLDPWD=/x PWD=/y ls",
              "password=true",
              "export KEY=12",
              "monkey=banana",
              "ssh://git@host/repo",
              "https://host/a@b",
              "echo user@example.org",
              "rsync -a host:/path/to/dir@x .",
              "task-sk-learn-tutorial-notebook-example",
              "pip install token-bucket==1.2",
              "echo https://example.org:8080/a@b",
              "",
              "PASSWORD= run",
              "if [ \"$TOKEN\" = \"x\" ]; then :; fi"})
            addPlain(text);
    }

    void leaves_what_is_no_secret()
    {
        QFETCH(QByteArray, text);
        const Masked masked = mask(text.toStdString());
        QCOMPARE(QByteArray::fromStdString(masked.text), text);
        QVERIFY(!masked.any());
    }

    void bytes_that_are_no_text_stay()
    {
        const std::string text("\0\xff PASSWORD=abcd \xfe\0", 19);
        QCOMPARE(mask(text).text, std::string("\0\xff PASSWORD=_MASKED_8_ \xfe\0", 25));
    }

    void spans_follow_their_bytes_and_cover_a_mark_that_they_touch()
    {
        const std::string text = "A_TOKEN=abcdefghijkl curl x";
        const Masked masked = mask(text);
        QCOMPARE(masked.text, std::string("A_TOKEN=_MASKED_16_ curl x"));
        const std::vector<Span> spans{{0, 7}, {8, 12}, {10, 2}, {4, 6}, {21, 4}, {0, 27}};
        const std::vector<Span> expected{{0, 7}, {8, 11}, {8, 11}, {4, 15}, {20, 4}, {0, 26}};
        QCOMPARE(mapSpans(spans, masked.parts).size(), expected.size());
        QVERIFY(mapSpans(spans, masked.parts) == expected);
    }

    void an_event_is_masked_in_all_its_texts_and_its_trace_points_at_the_right_bytes()
    {
        Event event = test::deniedEvent(1);
        event.command = "mysql -psupersecretvalue db | sh";
        event.normalised = event.command;
        event.argv = {"/bin/bash", "-c", event.command};
        event.spans = {{0, 5}, {30, 2}};
        event.traceJson = R"([{"check":"deny_rules","detail":"supersecretvalue","spans":[[30,2]]}])";
        event.blockersJson = R"([{"check":"deny_rules"}])";
        event.error = "cannot run: supersecretvalue";
        maskSecrets(event);
        QCOMPARE(event.command, std::string("mysql -p_MASKED_16_ db | sh"));
        QCOMPARE(event.normalised, event.command);
        QCOMPARE(event.argv.back(), event.command);
        QVERIFY(event.masked);
        QVERIFY((event.masks == std::vector<Span>{{8, 11}}));
        QVERIFY((event.spans == std::vector<Span>{{0, 5}, {25, 2}}));
        QVERIFY2(event.traceJson.contains(R"("spans":[[25,2]])"), event.traceJson.c_str());
        for (const std::string &text : {event.traceJson, event.error})
            QVERIFY2(!text.contains("supersecret"), text.c_str());
        const Event once = event;
        maskSecrets(event);
        QVERIFY(event == once);
    }

    void a_path_question_made_of_a_secret_word_is_masked_and_stays_readable()
    {
        Event event = test::deniedEvent(1);
        event.command = "redis-cli -a S3cr3t/AAB77 ping";
        event.hostFactsJson = R"({"resolved":{"/w/S3cr3t/AAB77":"","/w/AAB77":"","/w/ping":"/w/S3cr3t/AAB77"}})";
        event.detailJson = R"({"was":"S3cr3t\/AAB77"})";
        event.title = event.advice = "say S3cr3t/AAB77";
        const KnownSecrets secrets = maskSecrets(event);
        for (const std::string &text :
             {event.command, event.hostFactsJson, event.detailJson, event.title, event.advice})
            QVERIFY2(!text.contains("AAB77"), text.c_str());
        QVERIFY(config::readJson5(event.hostFactsJson));
        Output output{"ERR invalid S3cr3t/AAB77", "", 0, 0};
        QVERIFY(maskSecrets(output, secrets));
        QVERIFY(!output.out.contains("AAB77"));
    }

    void an_argument_after_a_secret_option_is_masked()
    {
        Event event = test::allowedEvent(1);
        event.argv = {"gh", "--token", "abc def", "--password", "$PW", "--verbose"};
        maskSecrets(event);
        QCOMPARE(event.argv,
                 (std::vector<std::string>{"gh", "--token", "_MASKED_8_", "--password", "$PW", "--verbose"}));
        QVERIFY(event.masked);
    }

    void an_event_without_secrets_stays_as_it_is()
    {
        const Event event = test::fullEvent(1);
        Event same = event;
        maskSecrets(same);
        QVERIFY(same == event);
    }

    void outputs_are_masked_in_both_streams()
    {
        Output output{"x\nDB_PASSWORD=hunter2\ny", "Authorization: Bearer abcdef\n", 0, 0};
        QVERIFY(maskSecrets(output));
        QCOMPARE(output.out, std::string("x\nDB_PASSWORD=_MASKED_8_\ny"));
        QCOMPARE(output.err, std::string("Authorization: Bearer _MASKED_8_\n"));
        QVERIFY(!maskSecrets(output));
    }

    void a_hostile_text_costs_linear_time_only()
    {
        // Work that grows with the square of the length would take minutes here; the test's limit is the watchdog.
        for (const std::string_view unit : {"mysql -p", "PASSWORD=", "-----BEGIN PRIVATE KEY-----", "a://b:", "\"",
                                            "token=\"", "curl -u ", "Authorization: "}) {
            std::string text;
            while (text.size() < (256U << 10))
                text += unit;
            QVERIFY(!mask(text).text.empty());
        }
    }

private:
    static void compareMasked()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, masked);
        const Masked once = mask(text.toStdString());
        QCOMPARE(QByteArray::fromStdString(once.text), masked);
        QVERIFY(once.any());
        const Masked twice = mask(once.text);
        QCOMPARE(QByteArray::fromStdString(twice.text), masked);
        QVERIFY(!twice.any());
    }
};

QTEST_GUILESS_MAIN(TstMasking)
#include "tst_masking.moc"
