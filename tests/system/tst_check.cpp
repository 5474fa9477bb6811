// SPDX-License-Identifier: Apache-2.0

// `check` through the built runner.

#include "tests/support/gateway.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace Qt::StringLiterals;
using portcullis::test::Done;
using portcullis::test::Gateway;

class TstCheck : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_exit_code_tells_the_verdict_data();
    void the_exit_code_tells_the_verdict();
    void an_allowed_command_that_is_not_fully_read_says_so();
    void a_refusal_says_why_and_what_instead();
    void explain_draws_the_command_and_every_check();
    void assumptions_change_the_host();
    void a_link_to_another_tenant_is_followed();
    void nothing_is_run_and_nothing_is_written();
    void wrong_usage_is_64_data();
    void wrong_usage_is_64();
    void a_batch_answers_in_order_and_takes_directories_to_exist();
    void a_bad_line_has_an_answer_of_its_own_and_65_at_the_end_data();
    void a_bad_line_has_an_answer_of_its_own_and_65_at_the_end();
    void a_missing_or_unknown_tenant_says_which_there_are();
    void says_nothing_of_its_own_whatever_the_locale_data();
    void says_nothing_of_its_own_whatever_the_locale();
    void a_single_answer_has_no_id_because_nothing_is_recorded();
    void unknown_fields_are_named_once();
    void bytes_that_are_no_text_come_as_base64();
    void a_batch_file_is_read_too();
};

namespace {

QList<QJsonObject> objects(const QByteArray &lines)
{
    QList<QJsonObject> list;
    for (const QByteArray &line : lines.split('\n')) {
        if (!line.isEmpty())
            list.append(QJsonDocument::fromJson(line).object());
    }
    return list;
}

Done batch(const Gateway &gateway, const QByteArray &lines)
{
    return gateway.runner({u"check"_s, u"--batch"_s, u"-"_s, u"--json"_s}, lines);
}

} // namespace

void TstCheck::the_exit_code_tells_the_verdict_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::newRow("allowed") << QStringList{u"--tenant"_s, u"acme"_s, u"--"_s, u"ls -l"_s} << 0;
    QTest::newRow("denied") << QStringList{u"--tenant"_s, u"acme"_s, u"--"_s, u"sudo id"_s} << 77;
    QTest::newRow("several words are quoted")
        << QStringList{u"--tenant"_s, u"acme"_s, u"--"_s, u"echo"_s, u"a; sudo id"_s} << 0;
    QTest::newRow("unknown tenant") << QStringList{u"--tenant"_s, u"nobody"_s, u"--"_s, u"ls"_s} << 78;
}

void TstCheck::the_exit_code_tells_the_verdict()
{
    QFETCH(QStringList, words);
    QFETCH(int, code);
    const Gateway gateway;
    const Done done = gateway.runner(QStringList{u"check"_s} + words);
    QVERIFY2(done.exitCode == code, (done.out + done.err).constData());
}

void TstCheck::an_allowed_command_that_is_not_fully_read_says_so()
{
    const Gateway gateway;
    const QStringList check{u"check"_s, u"--tenant"_s, u"acme"_s, u"--"_s};
    QCOMPARE(gateway.runner(check + QStringList{u"ls -l"_s}).out, "allowed\n");
    QCOMPARE(gateway.runner(check + QStringList{u"make all"_s}).out, "allowed, not fully read: unseen code\n");
}

void TstCheck::a_refusal_says_why_and_what_instead()
{
    const Gateway gateway;
    const Done done = gateway.runner({u"check"_s, u"--tenant"_s, u"acme"_s, u"--"_s, u"sudo id"_s});
    const QList<QByteArray> lines = done.out.split('\n');
    QVERIFY2(lines.value(0).startsWith("denied: "), done.out.constData());
    QVERIFY(lines.value(1).startsWith("why: ") && lines.value(1).size() > 10);
    QVERIFY(lines.value(2).startsWith("instead: ") && lines.value(2).size() > 14);
}

void TstCheck::explain_draws_the_command_and_every_check()
{
    const Gateway gateway;
    const Done done = gateway.runner({u"check"_s, u"--tenant"_s, u"acme"_s, u"--explain"_s, u"--"_s, u"sudo id"_s});
    const QString text = QString::fromUtf8(done.out);
    QVERIFY(text.startsWith(u"  sudo id\n  ‾‾‾‾"));
    for (const auto part : {u"Denied · ", u"Why ", u"Instead ", u"Also in the way", u"Checks ", u"path guard ✓"})
        QVERIFY2(text.contains(part), done.out.constData());
}

void TstCheck::assumptions_change_the_host()
{
    const Gateway gateway;
    const QString own = u"ls "_s + gateway.tenantDir(u"acme"_s);
    QCOMPARE(gateway.check(own, {u"--assume"_s, u"landlock=7,view=yes"_s})[u"verdict"].toString(), u"allow");
    const QJsonObject none = gateway.check(own, {u"--assume"_s, u"landlock=none"_s});
    QCOMPARE(none[u"verdict"].toString(), u"deny");
    QCOMPARE(none[u"check"].toString(), u"path_guard");
    QCOMPARE(none[u"level"].toString(), u"none");
}

void TstCheck::a_link_to_another_tenant_is_followed()
{
    const Gateway gateway;
    const QString link = gateway.tenantWorkspace(u"acme"_s) + u"/link"_s;
    QVERIFY(QFile::link(gateway.tenantDir(u"globex"_s), link));
    const QJsonObject followed = gateway.check(u"cat link/secret.txt"_s);
    QCOMPARE(followed[u"check"].toString(), u"path_guard");
    QCOMPARE(followed[u"rule"].toString(), u"other_tenant");
    QVERIFY(QFile::remove(link));
    QCOMPARE(gateway.check(u"cat link/secret.txt"_s)[u"verdict"].toString(), u"allow");
}

void TstCheck::nothing_is_run_and_nothing_is_written()
{
    const Gateway gateway;
    const QString marker = gateway.tenantWorkspace(u"acme"_s) + u"/marker"_s;
    QCOMPARE(gateway.check(u"touch marker"_s)[u"verdict"].toString(), u"allow");
    QVERIFY(!QFile::exists(marker));
    QVERIFY(!QFile::exists(gateway.auditDb()));
}

void TstCheck::wrong_usage_is_64_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("no command") << QStringList{u"--tenant"_s, u"acme"_s};
    QTest::newRow("an empty command") << QStringList{u"--tenant"_s, u"acme"_s, u"--"_s, u""_s};
    QTest::newRow("no tenant") << QStringList{u"--"_s, u"ls"_s};
    QTest::newRow("no slug") << QStringList{u"--tenant"_s, u"../x"_s, u"--"_s, u"ls"_s};
    QTest::newRow("a wrong assumption") << QStringList{u"--tenant"_s,       u"acme"_s, u"--assume"_s,
                                                       u"landlock=maybe"_s, u"--"_s,   u"ls"_s};
    QTest::newRow("a command beside a batch") << QStringList{u"--batch"_s, u"-"_s, u"--"_s, u"ls"_s};
}

void TstCheck::wrong_usage_is_64()
{
    QFETCH(QStringList, words);
    const Gateway gateway;
    const Done done = gateway.runner(QStringList{u"check"_s} + words);
    QVERIFY2(done.exitCode == 64, (done.out + done.err).constData());
    QVERIFY(!done.err.isEmpty());
}

void TstCheck::a_batch_answers_in_order_and_takes_directories_to_exist()
{
    const Gateway gateway;
    const QByteArray cwd = gateway.tenantWorkspace(u"acme"_s).toUtf8() + "/not/yet/there";
    const Done done = batch(gateway,
                            R"({"id":"1","tenant":"acme","command":"ls"})"
                            "\n\n"
                            R"({"id":"2","tenant":"acme","command":"sudo id","shell":"sh"})"
                            "\n"
                            R"({"id":"3","tenant":"acme","command":"ls","cwd":")"
                                + cwd
                                + "\"}\n"
                                  R"({"id":"4","tenant":"nobody","command":"ls"})");
    QCOMPARE(done.exitCode, 0);
    const QList<QJsonObject> answers = objects(done.out);
    QCOMPARE(answers.size(), 4);
    for (int i = 0; i < 4; ++i)
        QCOMPARE(answers[i][u"id"].toString(), QString::number(i + 1));
    QCOMPARE(answers[0][u"verdict"].toString(), u"allow");
    QCOMPARE(answers[1][u"group"].toString(), u"privilege_escalation");
    QCOMPARE(answers[2][u"verdict"].toString(), u"allow");
    QCOMPARE(answers[3][u"check"].toString(), u"configuration");
}

void TstCheck::a_bad_line_has_an_answer_of_its_own_and_65_at_the_end_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("id");
    const auto row = [](const char *what, const char *line, const char *code, const char *id = "") {
        QTest::newRow(what) << QByteArray(line) << QString::fromLatin1(code) << QString::fromLatin1(id);
    };
    row("no JSON", "{\"id\":", "syntax");
    row("no JSON after the id", R"({"id":"x","command": nope})", "syntax", "x");
    row("bytes that are not UTF-8", "{\"id\":\"x\",\"tenant\":\"acme\",\"command\":\"a, \xff\"}", "invalid_utf8", "x");
    row("a field twice", R"({"id":"x","tenant":"acme","command":"ls","command":"sudo id"})", "duplicate_key", "x");
    row("blanks for a command", R"({"id":"x","tenant":"acme","command":" \t "})", "bad_value", "x");
    row("no object", "[1]", "not_object");
    row("no id", R"({"tenant":"acme","command":"ls"})", "missing_field");
    row("no command", R"({"id":"x","tenant":"acme"})", "missing_field", "x");
    row("no tenant", R"({"id":"x","command":"ls"})", "missing_field", "x");
    row("two commands", R"({"id":"x","tenant":"acme","command":"ls","command_base64":"bHM="})", "two_commands", "x");
    row("no base64", R"({"id":"x","tenant":"acme","command_base64":"@@"})", "bad_base64", "x");
    row("a number for a command", R"({"id":"x","tenant":"acme","command":7})", "wrong_type", "x");
    row("an unknown shell", R"({"id":"x","tenant":"acme","command":"ls","shell":"zsh"})", "bad_value", "x");
    row("no time", R"({"id":"x","tenant":"acme","command":"ls","timeout":0})", "bad_value", "x");
    row("a relative directory", R"({"id":"x","tenant":"acme","command":"ls","cwd":"a"})", "bad_value", "x");
    row("an empty command", R"({"id":"x","tenant":"acme","command":""})", "bad_value", "x");
}

void TstCheck::a_bad_line_has_an_answer_of_its_own_and_65_at_the_end()
{
    QFETCH(QByteArray, line);
    QFETCH(QString, code);
    QFETCH(QString, id);
    const Gateway gateway;
    const QByteArray good = R"({"id":"good","tenant":"acme","command":"ls"})";
    const Done done = batch(gateway, good + "\n" + line + "\n" + good + "\n");
    QCOMPARE(done.exitCode, 65);
    const QList<QJsonObject> answers = objects(done.out);
    QCOMPARE(answers.size(), 3);
    QCOMPARE(answers[1][u"id"].toString(), id);
    QCOMPARE(answers[1][u"id"].isNull(), id.isEmpty());
    QCOMPARE(answers[1][u"line"].toInt(), 2);
    const QJsonObject error = answers[1][u"error"].toObject();
    QCOMPARE(error[u"code"].toString(), code);
    QVERIFY(!error[u"message"].toString().isEmpty());
    QVERIFY(error[u"column"].toInt() > 0);
    QCOMPARE(answers[2][u"verdict"].toString(), u"allow");
}

void TstCheck::a_missing_or_unknown_tenant_says_which_there_are()
{
    const Gateway gateway;
    for (const QString &command : {u"check"_s, u"exec"_s}) {
        const Done missing = gateway.runner({command, u"--"_s, u"ls"_s});
        QCOMPARE(missing.exitCode, 64);
        QVERIFY2(missing.err.contains("--tenant SLUG is missing; there are acme, globex, master"),
                 missing.err.constData());
        const Done unknown = gateway.runner({command, u"--tenant"_s, u"nobody"_s, u"--"_s, u"ls"_s});
        QCOMPARE(unknown.exitCode, 78);
        QVERIFY2(unknown.err.contains("; there are acme, globex, master"), unknown.err.constData());
        QVERIFY2(unknown.err.toLower().count("there is no tenant") == 1, unknown.err.constData());
    }
}

void TstCheck::says_nothing_of_its_own_whatever_the_locale_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::newRow("none") << QString() << QString();
    QTest::newRow("LC_ALL=C") << u"LC_ALL"_s << u"C"_s;
    QTest::newRow("LANG=POSIX") << u"LANG"_s << u"POSIX"_s;
    QTest::newRow("one that is not installed") << u"LANG"_s << u"xx_XX.ISO-8859-1"_s;
}

void TstCheck::says_nothing_of_its_own_whatever_the_locale()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    const Gateway gateway;
    QProcessEnvironment environment;
    environment.insert(u"PATH"_s, qEnvironmentVariable("PATH"));
    environment.insert(u"HOME"_s, gateway.root());
    if (!name.isEmpty())
        environment.insert(name, value);
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TEST_BIN_DIR "/portcullis-runner"),
                  QStringList{u"check"_s, u"--tenant"_s, u"acme"_s} + gateway.options()
                      + QStringList{u"--"_s, u"ls"_s});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 0);
    QCOMPARE(process.readAllStandardError(), QByteArray());
}

void TstCheck::a_single_answer_has_no_id_because_nothing_is_recorded()
{
    const Gateway gateway;
    const QJsonObject answer = gateway.check(u"ls"_s);
    QVERIFY(answer.contains(u"id"_s) && answer[u"id"].isNull());
}

void TstCheck::unknown_fields_are_named_once()
{
    const Gateway gateway;
    const QByteArray line = R"({"id":"1","tenant":"acme","command":"ls","colour":"red"})";
    const Done done = batch(gateway, line + "\n" + line + "\n");
    QCOMPARE(done.exitCode, 0);
    QCOMPARE(done.err.count("colour"), 1);
}

void TstCheck::bytes_that_are_no_text_come_as_base64()
{
    const Gateway gateway;
    const QByteArray command = QByteArray("echo \xff").toBase64();
    const Done done = batch(gateway, R"({"id":"1","tenant":"acme","command_base64":")" + command + "\"}\n");
    QCOMPARE(done.exitCode, 0);
    QCOMPARE(objects(done.out).value(0)[u"check"].toString(), u"input");
}

void TstCheck::a_batch_file_is_read_too()
{
    const Gateway gateway;
    QFile file(gateway.root() + u"/lines.jsonl"_s);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"id":"1","tenant":"acme","command":"ls"})");
    file.close();
    const Done done = gateway.runner({u"check"_s, u"--batch"_s, file.fileName(), u"--json"_s});
    QCOMPARE(objects(done.out).value(0)[u"verdict"].toString(), u"allow");
    QCOMPARE(gateway.runner({u"check"_s, u"--batch"_s, u"/not/there"_s, u"--json"_s}).exitCode, 65);
}

QTEST_GUILESS_MAIN(TstCheck)
#include "tst_check.moc"
