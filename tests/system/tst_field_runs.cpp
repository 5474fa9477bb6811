// SPDX-License-Identifier: Apache-2.0

// How runs behave that have gone wrong elsewhere: processes that stay behind, output that is cut or mistaken, limits
// that mean something else, walls that are there in name only.

#include "tests/support/look.h"
#include "tests/support/must_work.h"
#include "tests/support/tool_matrix.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <csignal>

using namespace portcullis::test;

namespace {

/// A number of seconds that nothing else on this machine sleeps for.
QString newSleep()
{
    static int count = 0;
    return u"sleep 9%1.%2"_s.arg(::getpid()).arg(++count);
}

bool runs(const QString &sleep)
{
    const QStringList entries = QDir(u"/proc"_s).entryList(QDir::Dirs);
    return std::ranges::any_of(entries, [&](const QString &entry) {
        QFile file(u"/proc/"_s + entry + u"/cmdline"_s);
        return entry.at(0).isDigit() && file.open(QIODevice::ReadOnly)
            && file.readAll().replace('\0', ' ').trimmed() == sleep.toUtf8();
    });
}

/// The newest row of the record.
QJsonObject recorded(const Gateway &gateway)
{
    const QByteArray rows = gateway.runner({u"log"_s, u"--json"_s}).out.trimmed();
    return QJsonDocument::fromJson(rows.mid(rows.lastIndexOf('\n') + 1)).object();
}

QByteArray everything(const Done &done)
{
    return "exit " + QByteArray::number(done.exitCode) + '\n' + done.out.left(2000) + done.err
        + QJsonDocument(done.result).toJson();
}

} // namespace

class TstFieldRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // What stays behind

    void what_is_left_in_the_background_hangs_nothing_and_is_ended_data()
    {
        addStateRows({{"with only one stream held", u"%1 </dev/null >/dev/null & echo started"_s},
                      {"in a session of its own", u"setsid %1 & echo started"_s},
                      {"by a double fork",
                       u"python3 -c \"import os\n"
                       "if os.fork(): os._exit(0)\n"
                       "os.setsid()\n"
                       "if os.fork(): os._exit(0)\n"
                       "os.execvp('sleep', '%1'.split())\"; echo started"_s}});
    }
    void what_is_left_in_the_background_hangs_nothing_and_is_ended()
    {
        QFETCH(State, state);
        QFETCH(QString, command);
        Gateway gateway;
        allowPackages(gateway, true);
        bringAbout(gateway, state);
        const QString sleep = newSleep();
        const Done done = gateway.exec(command.arg(sleep));
        // It ended by itself, not at its time limit.
        QVERIFY2(done.exitCode == 0 && done.out == "started\n", everything(done).constData());
        QTRY_VERIFY(!runs(sleep));
    }

    void the_time_limit_ends_what_hides_from_it_data()
    {
        addStateRows({{"behind a session of its own", u"setsid -w %1"_s},
                      {"behind deaf ears", u"trap '' TERM INT; while :; do %1; done"_s},
                      {"behind an endless stream", u"%1 & yes"_s}});
    }
    void the_time_limit_ends_what_hides_from_it()
    {
        QFETCH(State, state);
        QFETCH(QString, command);
        Gateway gateway;
        allowPackages(gateway, true);
        bringAbout(gateway, state);
        const QString sleep = newSleep();
        const Done done = gateway.exec(command.arg(sleep), {u"--timeout=1"_s});
        QVERIFY2(done.exitCode == 124, everything(done).constData());
        QCOMPARE(done.result.value(u"outcome"_s).toString(), u"timed_out"_s);
        QCOMPARE(done.result.value(u"notes"_s).toArray().contains(u"kill_forced"_s), command.startsWith(u"trap"_s));
        QTRY_VERIFY(!runs(sleep));
        const QJsonObject row = recorded(gateway);
        QCOMPARE(row.value(u"outcome"_s).toString(), u"timed_out"_s);
        if (command.endsWith(u"yes"_s)) { // it is read to the end and kept in part
            QVERIFY(row.value(u"dropped"_s).toInteger() > 0);
            QVERIFY(row.value(u"output"_s).toInteger() - row.value(u"dropped"_s).toInteger() <= 1 << 20);
        }
    }

    void the_output_before_the_time_limit_is_kept()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"echo early; sleep 60; echo late"_s, {u"--timeout=1"_s});
        QVERIFY2(done.exitCode == 124 && done.out == "early\n", everything(done).constData());
    }

    // Output

    void of_a_background_writer_the_beginning_is_there_or_the_cut_is_said()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"(echo early; sleep 2; echo late) & until false; do sleep 0.2; break; done"_s);
        QVERIFY2(done.exitCode == 0 && done.out.startsWith("early\n"), everything(done).constData());
        const QJsonArray notes = done.result.value(u"notes"_s).toArray();
        QVERIFY2(done.out.contains("late") || notes.contains(u"background_killed"_s) || notes.contains(u"output_cut"_s),
                 everything(done).constData());
    }

    void output_is_recorded_as_it_was_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QByteArray>("out");
        QTest::newRow("nothing to read") << u"cat"_s << QByteArray();
        QTest::newRow("invalid bytes") << u"printf '\\377\\376\\200abc\\n'"_s << QByteArray("\377\376\200abc\n");
        QTest::newRow("a character in two parts")
            << u"printf '\\342\\202'; sleep 0.3; printf '\\254\\n'"_s << QByteArray("\342\202\254\n");
        QTest::newRow("half a character at the end") << u"printf '\\342\\202'; exit 0"_s << QByteArray("\342\202");
        QTest::newRow("a NUL and what follows") << u"printf 'a\\0b\\n'; echo end"_s << QByteArray("a\0b\nend\n", 8);
    }
    void output_is_recorded_as_it_was()
    {
        QFETCH(QString, command);
        QFETCH(QByteArray, out);
        const Gateway gateway;
        const Done done = gateway.exec(command);
        QVERIFY2(done.exitCode == 0 && done.out == out, everything(done).constData());
        const QJsonObject row = recorded(gateway);
        QCOMPARE(row.value(u"output"_s).toInteger(), out.size());
        QVERIFY(!shownOutput(gateway).isEmpty());
    }

    void random_bytes_leave_the_record_readable()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"head -c 100000 /dev/urandom; echo; seq 4 6"_s);
        QVERIFY(done.exitCode == 0 && done.out.size() == 100'007 && done.out.endsWith("\n4\n5\n6\n"));
        QVERIFY2(shownOutput(gateway).contains("4\n5\n6"), "what came after them is not there");
    }

    void the_first_and_the_last_line_of_much_output_are_kept()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"seq 1 400000"_s);
        QVERIFY(done.exitCode == 0 && done.out.endsWith("\n400000\n"));
        QVERIFY(recorded(gateway).value(u"dropped"_s).toInteger() > 0);
        const QByteArray shown = shownOutput(gateway);
        QVERIFY2(shown.contains("1\n2\n3\n") && shown.contains("\n399999\n400000"), shown.right(300).constData());
    }

    void a_line_that_does_not_parse_ends_at_once()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"cat <(echo hi"_s);
        QVERIFY2(done.exitCode != 0 && done.exitCode != 124, everything(done).constData());
    }

    void a_signal_is_no_exit_code_and_no_time_limit()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"kill -SEGV $$"_s);
        QCOMPARE(done.exitCode, 128 + SIGSEGV);
        QCOMPARE(done.result.value(u"outcome"_s).toString(), u"signalled"_s);
        const QJsonObject row = recorded(gateway);
        QCOMPARE(row.value(u"signal"_s).toInt(), SIGSEGV);
        QVERIFY(row.value(u"exit"_s).isNull());
    }

    // Requests

    void a_time_limit_in_milliseconds_is_clamped_and_said()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"echo ok"_s, {u"--timeout=180000"_s});
        QVERIFY2(done.exitCode == 0 && done.out == "ok\n" && done.err.contains("3600"), everything(done).constData());
    }

    void the_environment_of_the_runner_is_not_that_of_the_command()
    {
        Gateway gateway;
        gateway.setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', deny_groups: { env_dump: false } }");
        gateway.setEnvironment(u"GATEWAY_TOKEN"_s, u"secret-token"_s);
        const Done done = gateway.exec(u"echo \"[$GATEWAY_TOKEN]\"; env"_s);
        QVERIFY2(done.exitCode == 0 && done.out.startsWith("[]\n"), everything(done).constData());
        QVERIFY(!done.out.contains("secret-token"));
    }

    void a_refusal_names_what_refused_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("check");
        QTest::addColumn<QString>("group");
        QTest::newRow("the host policy") << u"deny"_s << u"ls"_s << u"host_policy"_s << QString();
        QTest::newRow("a group, which a permissive host policy leaves on")
            << u"allow"_s << u"sudo id"_s << u"deny_rules"_s << u"privilege_escalation"_s;
        QTest::newRow("a rule with the place that it matched")
            << u"allow"_s << u"echo x && rm -rf build"_s << u"deny_rules"_s << u"destructive_ops"_s;
    }
    void a_refusal_names_what_refused()
    {
        QFETCH(QString, policy);
        QFETCH(QString, command);
        QFETCH(QString, check);
        QFETCH(QString, group);
        Gateway gateway;
        gateway.setEnvironment(u"GOCLAW_EXEC_TENANT_HOST_POLICY"_s, policy);
        const Done done = gateway.exec(command);
        QVERIFY2(done.exitCode == 77 && done.out.isEmpty(), everything(done).constData());
        QCOMPARE(gateway.runner({u"log"_s, u"--json"_s}).out.count('\n'), 1);
        const QJsonObject row = recorded(gateway);
        QCOMPARE(row.value(u"check"_s).toString(), check);
        QCOMPARE(row.value(u"group"_s).toString(), group);
        QCOMPARE(row.value(u"outcome"_s).toString(), u"not_started"_s);
        if (!group.isEmpty()) {
            QVERIFY(!row.value(u"rule"_s).toString().isEmpty());
            const QJsonArray span = row.value(u"spans"_s).toArray().first().toArray();
            QCOMPARE(span.size(), 2);
            const QString first = command.section(u"&& "_s, -1).section(u' ', 0, 0);
            QCOMPARE(span.first().toInt(), command.indexOf(first));
            QVERIFY2(done.err.contains(group.toUtf8()), done.err.constData());
        }
        QVERIFY2(!done.err.contains("globex"), done.err.constData());
    }

    // Walls

    void confinement_that_is_required_and_missing_is_the_reason_of_the_refusal()
    {
        Gateway gateway;
        gateway.refuseLandlock();
        gateway.setEnvironment(u"PORTCULLIS_CONFINEMENT"_s, u"required"_s);
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == 77 && done.out.isEmpty() && done.err.contains("Landlock"),
                 everything(done).constData());
        QCOMPARE(recorded(gateway).value(u"check"_s).toString(), u"confinement"_s);
    }

    void a_run_without_landlock_is_recorded_as_such_with_the_fact()
    {
        Gateway gateway;
        gateway.refuseLandlock();
        QCOMPARE(gateway.exec(u"echo ran"_s).out, QByteArray("ran\n"));
        const QJsonObject row = recorded(gateway);
        QCOMPARE(row.value(u"level"_s).toString(), u"none"_s);
        QCOMPARE(row.value(u"host_facts"_s).toObject().value(u"landlock"_s).toVariant().toInt(), 0);
    }

    void files_move_between_own_folders_also_without_network_data() { addConfinedStates(); }
    void files_move_between_own_folders_also_without_network()
    {
        QFETCH(State, state);
        Gateway gateway;
        bringAbout(gateway, state);
        for (const QByteArray &network : {QByteArray("host"), QByteArray("none")}) {
            gateway.setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', network: '" + network + "' }");
            const Done done = gateway.exec(u"mkdir -p s1 s2; echo a > s1/a; "
                                           "python3 -c \"import os; os.rename('s1/a','s2/a')\" && cat s2/a"_s);
            QVERIFY2(done.exitCode == 0 && done.out == "a\n", everything(done).constData());
        }
    }

    void the_service_manager_runs_nothing_for_a_command_data() { addConfinedStates(); }
    void the_service_manager_runs_nothing_for_a_command()
    {
        QFETCH(State, state);
        PORTCULLIS_REQUIRE(isInstalled(u"python3"_s), "no Python");
        Gateway gateway;
        bringAbout(gateway, state);
        // What systemd-run and its like connect to: no such socket is in reach, whatever is there on the host.
        const QString workspace = gateway.tenantWorkspace(u"acme"_s);
        QVERIFY(writeFile(workspace + u"/s.py"_s,
                          "import socket as s\n"
                          "for path in open('sockets').read().split():\n"
                          "    try:\n"
                          "        s.socket(s.AF_UNIX).connect(path)\n"
                          "        print('connected', path)\n"
                          "    except OSError as e:\n"
                          "        print(e.errno in (1, 2, 13, 97))\n"
                          "import os\n"
                          "print([name for name in os.environ if 'DBUS' in name or 'XDG_RUNTIME' in name])\n"));
        QVERIFY(writeFile(workspace + u"/sockets"_s,
                          "/run/systemd/private /run/dbus/system_bus_socket /run/user/0/bus /run/docker.sock "
                          "/run/systemd/journal/stdout /var/run/docker.sock"));
        const Done done = gateway.exec(u"python3 s.py"_s);
        QCOMPARE(done.out, QByteArray("True\nTrue\nTrue\nTrue\nTrue\nTrue\n[]\n"));
    }

    void of_another_tenants_temporary_files_none_is_seen_data() { addConfinedStates(); }
    void of_another_tenants_temporary_files_none_is_seen()
    {
        QFETCH(State, state);
        PORTCULLIS_REQUIRE(QFileInfo(u"/srv"_s).isWritable(), "no folder to write to outside of /tmp");
        Gateway gateway(u"/srv"_s); // below /tmp the view has an empty one for each run
        bringAbout(gateway, state);
        const QString make = u"echo theirs > $TMPDIR/theirs; mktemp > /dev/null; ls -A $TMPDIR | wc -l"_s;
        QCOMPARE(gateway.exec(make, {}, u"globex"_s).out, QByteArray("2\n"));
        const Done done = gateway.exec(u"ls -A $TMPDIR; ls -A /tmp; true"_s);
        QVERIFY2(done.out.isEmpty(), everything(done).constData());
        // Its own are there again.
        QCOMPARE(gateway.exec(u"cat $TMPDIR/theirs"_s, {}, u"globex"_s).out, QByteArray("theirs\n"));
    }

    void a_refusal_by_the_walls_is_explained_data() { addConfinedStates(); }
    void a_refusal_by_the_walls_is_explained()
    {
        QFETCH(State, state);
        Gateway gateway;
        bringAbout(gateway, state);
        const QString foreign = gateway.tenantDir(u"globex"_s) + u"/secret.txt"_s;
        QVERIFY(writeFile(gateway.tenantWorkspace(u"acme"_s) + u"/path"_s, foreign.toUtf8()));
        const Done done = gateway.exec(u"xargs cat < path"_s);
        QVERIFY2(done.exitCode != 0 && done.err.contains("probably confinement"), everything(done).constData());
        QVERIFY2(recorded(gateway).value(u"note"_s).toString().contains(u"probably_confinement"_s),
                 everything(done).constData());
    }

private:
    /// What `log show` has of the newest run, without what stands before its lines. Empty if it is no text.
    static QByteArray shownOutput(const Gateway &gateway)
    {
        const QString id = recorded(gateway).value(u"id"_s).toString();
        if (QJsonDocument::fromJson(gateway.runner({u"log"_s, u"show"_s, id, u"--json"_s}).out).isNull())
            return {};
        const QByteArray shown = gateway.runner({u"log"_s, u"show"_s, id}).out;
        QByteArrayList lines;
        for (const QByteArray &line : shown.split('\n'))
            lines.append(QByteArray(line.trimmed()).replace("│ ", ""));
        return shown.isValidUtf8() ? lines.join('\n') : QByteArray();
    }

    struct Row {
        const char *sentence;
        QString command;
    };

    static void addStateRows(const QList<Row> &rows)
    {
        QTest::addColumn<State>("state");
        QTest::addColumn<QString>("command");
        for (const Row &row : rows) {
            QTest::addRow("both walls: %s", row.sentence) << State::BothWalls << row.command;
            QTest::addRow("Landlock alone: %s", row.sentence) << State::LandlockAlone << row.command;
            QTest::addRow("no Landlock: %s", row.sentence) << State::NoLandlock << row.command;
        }
    }

    static void addConfinedStates()
    {
        QTest::addColumn<State>("state");
        QTest::newRow("both walls") << State::BothWalls;
        QTest::newRow("Landlock alone") << State::LandlockAlone;
    }
};

QTEST_GUILESS_MAIN(TstFieldRuns)
#include "tst_field_runs.moc"
