// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/host_class.h"

#include "runner/rules/open_text.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::rules;

class TstHostClass : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void classifies_addresses_in_every_spelling_data()
    {
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char *target, const char *expected) {
            QTest::newRow(target) << QByteArray(target) << QByteArray(expected);
        };
        row("http://127.0.0.1:8080/health", "loopback");
        row("http://127.1/", "loopback");
        row("http://0x7f.1/", "loopback");
        row("http://0177.0.0.1/", "loopback");
        row("http://2130706433/", "loopback");
        row("http://0x7f000001:80/", "loopback");
        row("0.0.0.0:8080", "loopback");
        row("localhost", "loopback");
        row("LOCALHOST.:80", "loopback");
        row("http://a.localhost/", "loopback");
        row("http://[::1]:8080/", "loopback");
        row("http://[0:0:0:0:0:0:0:1]/", "loopback");
        row("http://[::ffff:127.0.0.1]/", "loopback");
        row("http://[::ffff:7f00:1]/", "loopback");
        row("http://user:pw@127.0.0.1/", "loopback");
        row("http://x.example@localhost/", "loopback");
        row("http://%6cocalhost/", "loopback");
        row("http://127%2e0.0.1/", "loopback");
        row("http://127.0.0.1.nip.io/", "loopback");
        row(":8080", "loopback");
        row("http:///localhost/", "loopback");
        row("http://10.0.0.1/", "private");
        row("http://172.31.255.255/", "private");
        row("http://192.168.1.1/", "private");
        row("http://100.64.0.1/", "private");
        row("http://[fd00::1]/", "private");
        row("http://host.docker.internal/", "private");
        row("http://169.254.169.254/latest/", "link_local");
        row("http://[fe80::1%25eth0]/", "link_local");
        row("http://metadata.google.internal/", "link_local");
        row("http://{127.0.0.1/a,x.example}/", "loopback");
        row("http://127.0.0.[1-2]:80/", "loopback");
        row("http://127.0.0.\x1A/", "loopback");
        row("http://127\xE3\x80\x82"
            "0\xEF\xBC\x8E"
            "0\xEF\xBD\xA1"
            "1/",
            "loopback");
        row("http://\xEF\xBC\x91\xEF\xBC\x90.0.0.1/", "private");
        row("http://10.0.0.[1-254]/", "private");
        row("http://10.\x1A.0.1/", "private");
        row("http://192.168.1\x1A/", "private");
        row("http://192.168.\x1A.1/", "private");
        row("http://169.254.169.\x1A/", "link_local");
        row("http://10.\x1A.x.example/", "");
        row("http://192.\x1A/", "");
        row("http://x.example/{a,b}/[1-9]", "");
        row("http://172.32.0.1/", "");
        row("http://11.0.0.1/", "");
        row("https://example.com/127.0.0.1", "");
        row("https://example.com/?q=localhost", "");
        row("https://localhost.example.com/", "");
        row("https://notlocalhost/", "");
        row("127.0.0.1.example", "");
        row("256.0.0.1", "");
        row("1.2.3.4.5", "");
        row("", "");
        row("http://[::2]/", "");
        row("http://[2001:db8::1]/", "");
    }
    void classifies_addresses_in_every_spelling()
    {
        QFETCH(QByteArray, target);
        QFETCH(QByteArray, expected);
        const std::vector<std::string> hosts = hostsOf(target.toStdString());
        QCOMPARE(hosts.size(), std::size_t{1});
        const auto found = hostClass(hosts.front());
        QCOMPARE(found ? QByteArray::fromStdString(std::string(nameOf(*found))) : QByteArray(), expected);
    }

    void a_file_has_no_host()
    {
        QVERIFY(hostsOf("file://localhost/etc/hosts").empty());
        QVERIFY(hostsOf("FILE:///etc/hosts").empty());
        QCOMPARE(hostsOf("files.example/x"), (std::vector<std::string>{"files.example"}));
    }

    void reads_every_host_of_a_curl_list()
    {
        QCOMPARE(hostsOf("http://{x.example,127.0.0.1}/a"), (std::vector<std::string>{"x.example", "127.0.0.1"}));
        QCOMPARE(hostsOf("http://127.0.0.{1,2}/"), (std::vector<std::string>{"127.0.0.1", "127.0.0.2"}));
        QCOMPARE(hostsOf("http://{x.example:1,127.0.0.1:2}/"), (std::vector<std::string>{"x.example", "127.0.0.1"}));
        QCOMPARE(hostsOf("http://{a,b}.{c,d}/"), (std::vector<std::string>{"a.c", "a.d", "b.c", "b.d"}));
        QCOMPARE(hostsOf("http://10.0.0.[1-9]:80/"), (std::vector<std::string>{"10.0.0.\x1A"}));
        QCOMPARE(hostsOf("http://{a"), (std::vector<std::string>{"a"})); // a path may cut a list off
    }

    void says_that_there_are_more_hosts_than_it_reads()
    {
        std::string list = "http://{h0";
        for (int i = 1; i < 100; ++i)
            list += ",h" + std::to_string(i);
        const std::vector<std::string> hosts = hostsOf(list + "}/");
        QCOMPARE(hosts.size(), std::size_t{65});
        QCOMPARE(hosts.front(), "h0");
        QCOMPARE(hosts.back(), std::string(1, unknownMark));
        QVERIFY(!hostsOf("http://{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}/").back().contains(unknownMark)); // 64 are not too many
    }

    void reads_many_lists_in_proportion_to_their_length()
    {
        for (const std::size_t lists : {100, 1'000, 26'000}) {
            std::string url = "http://";
            for (std::size_t i = 0; i < lists; ++i)
                url += "{a,b}";
            std::size_t bytes = 0;
            for (const std::string &host : hostsOf(url))
                bytes += host.size();
            QVERIFY2(bytes <= 2 * url.size() + 64 * 1024, std::to_string(bytes).c_str());
            QCOMPARE(hostsOf(url).back(), std::string(1, unknownMark));
        }
    }
};

QTEST_GUILESS_MAIN(TstHostClass)
#include "tst_host_class.moc"
