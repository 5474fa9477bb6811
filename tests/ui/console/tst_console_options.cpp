// SPDX-License-Identifier: Apache-2.0
#include "app/console/console_options.h"
#include "app/console/display_check.h"

#include <QTest>

#include <string>
#include <vector>

using namespace portcullis::console;
using Words = std::vector<std::string>;
using Code = OptionError::Code;

Q_DECLARE_METATYPE(OptionError::Code)

class TstConsoleOptions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reads_the_same_options_as_the_runner();
    void refuses_what_it_does_not_know_data();
    void refuses_what_it_does_not_know();
    void notices_every_way_to_ask_for_vnc_data();
    void notices_every_way_to_ask_for_vnc();
};

void TstConsoleOptions::reads_the_same_options_as_the_runner()
{
    const auto options = parseOptions(
        Words{"--config", "/etc/g.json", "--audit-db=/x/a=b.db", "--read-only", "--policies", "p", "--data-dir", "d"});
    QVERIFY(options.has_value());
    QCOMPARE(options->config, std::string("/etc/g.json"));
    QCOMPARE(options->auditDb, std::string("/x/a=b.db"));
    QCOMPARE(options->policies, std::string("p"));
    QCOMPARE(options->dataDir, std::string("d"));
    QVERIFY(options->readOnly);
    QVERIFY(!parseOptions(Words{})->readOnly);
}

void TstConsoleOptions::refuses_what_it_does_not_know_data()
{
    QTest::addColumn<Words>("words");
    QTest::addColumn<Code>("code");
    QTest::addRow("an unknown option") << Words{"--tenant", "acme"} << Code::Unknown;
    QTest::addRow("a word") << Words{"file.db"} << Code::NotAnOption;
    QTest::addRow("an option without its value") << Words{"--config"} << Code::NoValue;
    QTest::addRow("a switch with a value") << Words{"--read-only=yes"} << Code::UnexpectedValue;
    QTest::addRow("an option twice") << Words{"--config=a", "--config", "b"} << Code::Repeated;
}

void TstConsoleOptions::refuses_what_it_does_not_know()
{
    QFETCH(const Words, words);
    QFETCH(const Code, code);
    const auto options = parseOptions(words);
    QVERIFY(!options);
    QCOMPARE(options.error().code, code);
    QVERIFY(describe(options.error()).contains("--") || code == Code::NotAnOption);
}

void TstConsoleOptions::notices_every_way_to_ask_for_vnc_data()
{
    QTest::addColumn<Words>("words");
    QTest::addColumn<QByteArray>("variable");
    QTest::addColumn<bool>("asked");
    QTest::addRow("-platform vnc") << Words{"-platform", "vnc"} << QByteArray() << true;
    QTest::addRow("--platform vnc") << Words{"--read-only", "--platform", "vnc"} << QByteArray() << true;
    QTest::addRow("with parameters") << Words{"-platform", "vnc:port=5901:size=800x600"} << QByteArray() << true;
    QTest::addRow("with an equals sign") << Words{"-platform=vnc"} << QByteArray() << true;
    QTest::addRow("second in a list") << Words{"-platform", "nothere;vnc:port=1"} << QByteArray() << true;
    QTest::addRow("in capitals") << Words{"-platform", "VNC"} << QByteArray() << true;
    QTest::addRow("by variable") << Words{} << QByteArray("vnc:port=5901") << true;
    QTest::addRow("by variable although the option says otherwise")
        << Words{"-platform", "xcb"} << QByteArray("vnc") << true;
    QTest::addRow("another platform") << Words{"-platform", "xcb"} << QByteArray("wayland") << false;
    QTest::addRow("a file of that name") << Words{"--config", "vnc"} << QByteArray() << false;
    QTest::addRow("another parameter") << Words{"-platform", "offscreen:name=vnc"} << QByteArray() << false;
    QTest::addRow("nothing") << Words{"-platform"} << QByteArray() << false;
}

void TstConsoleOptions::notices_every_way_to_ask_for_vnc()
{
    QFETCH(const Words, words);
    QFETCH(const QByteArray, variable);
    QFETCH(const bool, asked);
    QCOMPARE(asksForVnc(words, variable.toStdString()), asked);
}

QTEST_GUILESS_MAIN(TstConsoleOptions)
#include "tst_console_options.moc"
