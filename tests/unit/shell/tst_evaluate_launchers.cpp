// SPDX-License-Identifier: Apache-2.0
#include "tests/support/describe_evaluation.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::shell;

class TstEvaluateLaunchers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void opens_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("started");
        QTest::newRow("env with assignments") << QByteArray("env -i A=1 sudo id") << QStringLiteral("sudo id");
        QTest::newRow("env with a lone dash") << QByteArray("env - A=1 sudo id") << QStringLiteral("sudo id");
        QTest::newRow("env -S with a lone dash") << QByteArray("env -S '- A=1 sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("output of which") << QByteArray("$(which sudo) id") << QStringLiteral("/usr/bin/sudo id");
        QTest::newRow("output of command -v")
            << QByteArray("S=$(command -v sudo || true); $S id") << QStringLiteral("/usr/bin/sudo id");
        QTest::newRow("quoted output of type -P")
            << QByteArray("\"$(type -P sudo)\" id") << QStringLiteral("/usr/bin/sudo id");
        QTest::newRow("sed e behind a label") << QByteArray("sed ':a;N;$!ba;e sudo id' f") << QStringLiteral("sudo id");
        QTest::newRow("sed e behind a label and a blank")
            << QByteArray("sed ':a N;e sudo id' f") << QStringLiteral("sudo id");
        QTest::newRow("a makefile on standard input")
            << QByteArray("printf 'x:\\n\\tsudo id\\n' | make -f -") << QStringLiteral("sudo id");
        QTest::newRow("a makefile by its device")
            << QByteArray("make -f /dev/stdin <<< 'x:;@sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("awk -f -") << QByteArray("awk -f - <<< 'BEGIN{system(\"sudo id\")}'")
                                  << QStringLiteral("sudo id");
        QTest::newRow("awk -f of a process substitution")
            << QByteArray("awk -f <(echo 'BEGIN{system(\"sudo id\")}')") << QStringLiteral("sudo id");
        QTest::newRow("sed -nf-") << QByteArray("sed -nf- f <<< 'e sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("env -S") << QByteArray("env -S 'A=1 sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("env -u") << QByteArray("env -u X sudo id") << QStringLiteral("sudo id");
        QTest::newRow("nice with a number") << QByteArray("nice -n 10 sudo id") << QStringLiteral("sudo id");
        QTest::newRow("timeout with options")
            << QByteArray("timeout -k 5 --signal=KILL 10 sudo id") << QStringLiteral("sudo id");
        QTest::newRow("time keyword") << QByteArray("time -p sudo id") << QStringLiteral("sudo id");
        QTest::newRow("time program") << QByteArray("/usr/bin/time -f %e sudo id") << QStringLiteral("sudo id");
        QTest::newRow("nohup") << QByteArray("nohup sudo id &") << QStringLiteral("sudo id");
        QTest::newRow("stdbuf and setsid") << QByteArray("stdbuf -oL setsid -w sudo id") << QStringLiteral("sudo id");
        QTest::newRow("ionice glued") << QByteArray("ionice -c3 sudo id") << QStringLiteral("sudo id");
        QTest::newRow("flock with words") << QByteArray("flock -w 5 /l sudo id") << QStringLiteral("sudo id");
        QTest::newRow("flock -c") << QByteArray("flock /l -c 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("script") << QByteArray("script -qec 'sudo id' /dev/null") << QStringLiteral("sudo id");
        QTest::newRow("chrt") << QByteArray("chrt -f 10 sudo id") << QStringLiteral("sudo id");
        QTest::newRow("taskset") << QByteArray("taskset -c 0 sudo id") << QStringLiteral("sudo id");
        QTest::newRow("xargs with known input") << QByteArray("echo sudo id | xargs env") << QStringLiteral("sudo id");
        QTest::newRow("xargs -I") << QByteArray("echo 'sudo id' | xargs -I{} sh -c '{}'") << QStringLiteral("sudo id");
        QTest::newRow("watch") << QByteArray("watch -n1 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("parallel") << QByteArray("parallel sudo ::: id") << QStringLiteral("sudo id");
        QTest::newRow("parallel of lines") << QByteArray("echo 'sudo id' | parallel") << QStringLiteral("sudo id");
        QTest::newRow("find -exec") << QByteArray("find . -name x -exec sudo id \\;") << QStringLiteral("sudo id");
        QTest::newRow("find -execdir +") << QByteArray("find . -execdir sudo id {} +") << QStringLiteral("sudo id <?>");
        QTest::newRow("busybox") << QByteArray("busybox sudo id") << QStringLiteral("sudo id");
        QTest::newRow("the loader") << QByteArray("/lib64/ld-linux-x86-64.so.2 --preload ./x.so /usr/bin/sudo id")
                                    << QStringLiteral("/usr/bin/sudo id");
        QTest::newRow("chroot") << QByteArray("chroot --userspec=u / sudo id") << QStringLiteral("sudo id");
        QTest::newRow("unshare") << QByteArray("unshare -rm sudo id") << QStringLiteral("sudo id");
        QTest::newRow("nsenter") << QByteArray("nsenter -t 1 -m sudo id") << QStringLiteral("sudo id");
        QTest::newRow("systemd-run") << QByteArray("systemd-run --uid=0 --pipe sudo id") << QStringLiteral("sudo id");
        QTest::newRow("su -c") << QByteArray("su root -c 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("strace") << QByteArray("strace -f -o log sudo id") << QStringLiteral("sudo id");
        QTest::newRow("gdb") << QByteArray("gdb -batch -ex 'shell sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("git alias") << QByteArray("git -c alias.z='!sudo id' z") << QStringLiteral("sudo id");
        QTest::newRow("git ssh command") << QByteArray("git -c core.sshCommand='sudo id' fetch")
                                         << QStringLiteral("sudo id");
        QTest::newRow("git ssh variable")
            << QByteArray("GIT_SSH_COMMAND='sudo id' git fetch") << QStringLiteral("sudo id");
        QTest::newRow("git rebase -x") << QByteArray("git rebase -x 'sudo id' main") << QStringLiteral("sudo id");
        QTest::newRow("git bisect run") << QByteArray("git bisect run sudo id") << QStringLiteral("sudo id");
        QTest::newRow("git submodule foreach")
            << QByteArray("git submodule foreach 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("git upload pack") << QByteArray("git ls-remote --upload-pack='sudo id' .")
                                         << QStringLiteral("sudo id");
        QTest::newRow("ssh proxy") << QByteArray("ssh -o ProxyCommand='sudo id' h") << QStringLiteral("sudo id");
        QTest::newRow("ssh proxy glued") << QByteArray("ssh -oProxyCommand='sudo id' h") << QStringLiteral("sudo id");
        QTest::newRow("rsync -e") << QByteArray("rsync -e 'sudo id' a b:") << QStringLiteral("sudo id");
        QTest::newRow("tar --to-command") << QByteArray("tar xf a --to-command='sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("tar checkpoint") << QByteArray("tar cf a . --checkpoint=1 --checkpoint-action=exec='sudo id'")
                                        << QStringLiteral("sudo id");
        QTest::newRow("tar -I") << QByteArray("tar -I 'sudo id' -xf a") << QStringLiteral("sudo id");
        QTest::newRow("sort compress program abbreviated")
            << QByteArray("sort --compress-pr 'sudo id' x") << QStringLiteral("sudo id");
        QTest::newRow("nc -e") << QByteArray("nc -e 'sudo id' h 1") << QStringLiteral("sudo id");
        QTest::newRow("sh -c") << QByteArray("sh -c 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("sh with options after -c") << QByteArray("sh -c -e 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("bash clustered") << QByteArray("bash -lc 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("bash -o") << QByteArray("bash -o pipefail -c 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("positional parameters of sh -c")
            << QByteArray("sh -c '\"$0\" \"$@\"' sudo id") << QStringLiteral("sudo id");
        QTest::newRow("zsh") << QByteArray("zsh -c 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("a here-document into sh") << QByteArray("sh <<E\nsudo id\nE") << QStringLiteral("sudo id");
        QTest::newRow("a here-string into bash") << QByteArray("bash <<< 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("printf into sh") << QByteArray("printf 'sudo id\\n' | sh") << QStringLiteral("sudo id");
        QTest::newRow("a pipe through cat and tee")
            << QByteArray("echo 'sudo id' | cat | tee log | sh") << QStringLiteral("sudo id");
        QTest::newRow("a process substitution") << QByteArray("bash <(echo sudo id)") << QStringLiteral("sudo id");
        QTest::newRow("input from a process substitution")
            << QByteArray("sh < <(echo sudo id)") << QStringLiteral("sudo id");
        QTest::newRow("a file that was written") << QByteArray("echo 'sudo id' > x; sh x") << QStringLiteral("sudo id");
        QTest::newRow("a file that was written and copied")
            << QByteArray("echo 'sudo id' > x; cp x y; chmod +x y; ./y") << QStringLiteral("sudo id");
        QTest::newRow("a here-document into a file that is sourced")
            << QByteArray("cat > e <<E\nsudo id\nE\n. ./e") << QStringLiteral("sudo id");
        QTest::newRow("a group into a file")
            << QByteArray("{ echo sudo id; } > x; bash x") << QStringLiteral("sudo id");
        QTest::newRow("output of tee into a shell")
            << QByteArray("tee >(sh) <<< 'sudo id'") << QStringLiteral("sudo id");
        QTest::newRow("exported variables reach a child")
            << QByteArray("export x=sudo; sh -c '$x id'") << QStringLiteral("sudo id");
        QTest::newRow("a variable before a child") << QByteArray("x=sudo sh -c '$x id'") << QStringLiteral("sudo id");
        QTest::newRow("env before a child") << QByteArray("env x=sudo sh -c '$x id'") << QStringLiteral("sudo id");
        QTest::newRow("python os.system")
            << QByteArray("python3 -c 'import os; os.system(\"sudo id\")'") << QStringLiteral("sudo id");
        QTest::newRow("python subprocess list")
            << QByteArray("python3 -c \"import subprocess; subprocess.run(['sudo', 'id'])\"")
            << QStringLiteral("sudo id");
        QTest::newRow("python in a here-document")
            << QByteArray("python3 - <<E\nimport os\nos.execlp('sudo', 'sudo', 'id')\nE") << QStringLiteral("sudo id");
        QTest::newRow("node child process")
            << QByteArray("node -e \"require('child_process').execSync('sudo id')\"") << QStringLiteral("sudo id");
        QTest::newRow("node spawn") << QByteArray("node -e \"require('child_process').spawn('sudo', ['id'])\"")
                                    << QStringLiteral("sudo id");
        QTest::newRow("perl system with a list")
            << QByteArray("perl -e 'system(\"sudo\", \"id\")'") << QStringLiteral("sudo id");
        QTest::newRow("perl backticks") << QByteArray("perl -ne 'print `sudo id`'") << QStringLiteral("sudo id");
        QTest::newRow("perl open") << QByteArray("perl -e 'open(F, \"sudo id|\")'") << QStringLiteral("sudo id");
        QTest::newRow("ruby %x") << QByteArray("ruby -e 'puts %x(sudo id)'") << QStringLiteral("sudo id");
        QTest::newRow("php") << QByteArray("php -r 'passthru(\"sudo id\");'") << QStringLiteral("sudo id");
        QTest::newRow("awk system") << QByteArray("awk 'BEGIN { system(\"sudo id\") }'") << QStringLiteral("sudo id");
        QTest::newRow("awk pipe") << QByteArray("awk '{ print | \"sudo id\" }'") << QStringLiteral("sudo id");
        QTest::newRow("awk getline") << QByteArray("awk 'BEGIN { \"sudo id\" | getline x }'")
                                     << QStringLiteral("sudo id");
        QTest::newRow("sed e") << QByteArray("sed -n '1e sudo id' f") << QStringLiteral("sudo id");
        QTest::newRow("vim") << QByteArray("vim -c ':!sudo id' f") << QStringLiteral("sudo id");
        QTest::newRow("lua") << QByteArray("lua -e 'os.execute(\"sudo id\")'") << QStringLiteral("sudo id");
    }
    void opens()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, started);
        const QStringList all = test::programs(test::evaluated(text.toStdString())).split(QStringLiteral("; "));
        QVERIFY2(all.contains(started), qPrintable(all.join(u'|')));
    }

    void data_is_no_program_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("a commit message") << QByteArray("git commit -m 'run sudo id'");
        QTest::newRow("a grep pattern") << QByteArray("grep -rn sudo docs/");
        QTest::newRow("echo") << QByteArray("echo sudo id");
        QTest::newRow("a manual page") << QByteArray("man 8 sudo");
        QTest::newRow("a comment") << QByteArray("echo hi # sudo id");
        QTest::newRow("a here-document into a file") << QByteArray("cat > d.sh <<'E'\nsudo id\nE");
        QTest::newRow("a file name") << QByteArray("git diff -- src/sudo.c");
        QTest::newRow("an argument of gh") << QByteArray("gh issue comment 1 --body 'sudo -u app'");
        QTest::newRow("a name that is looked up") << QByteArray("which sudo; type sudo; command -v sudo");
        QTest::newRow("a package name") << QByteArray("mytool install sudo");
        QTest::newRow("JSON") << QByteArray("echo '{\"c\":\"sudo id\"}' | jq .");
        QTest::newRow("a remote command") << QByteArray("ssh h sudo id");
        QTest::newRow("an unexported variable in a child") << QByteArray("x=sudo; sh -c '$x id'");
        QTest::newRow("a regular expression in node") << QByteArray("node -e \"/x/.exec('sudo id')\"");
        QTest::newRow("python's own exec") << QByteArray("python3 -c 'exec(\"sudo\")'");
        QTest::newRow("a sed pattern") << QByteArray("sed -n '/sudo id/p' f");
        QTest::newRow("quoted words for an unknown program") << QByteArray("mytool 'sudo id'");
        QTest::newRow("chrt that asks") << QByteArray("chrt -p 1");
        QTest::newRow("words with an equals sign") << QByteArray("a-b=1 sudo id");
    }
    void data_is_no_program()
    {
        QFETCH(QByteArray, text);
        const auto evaluation = test::evaluated(text.toStdString());
        QVERIFY2(!test::starts(evaluation, "sudo"), qPrintable(test::programs(evaluation)));
    }

    void an_assignment_behind_the_lone_dash_of_env_reaches_the_program()
    {
        const auto evaluation = test::evaluated("env - LD_PRELOAD=./x.so ls");
        QCOMPARE(evaluation.invocations.back().assigns.size(), 1U);
        QCOMPARE(evaluation.invocations.back().assigns.front().name, std::string("LD_PRELOAD"));
    }

    void a_known_program_after_an_unknown_one_is_a_guess()
    {
        const auto evaluation = test::evaluated("mywrap -x sudo id");
        QCOMPARE(test::programs(evaluation), QStringLiteral("mywrap -x sudo id; ~sudo id; ~id"));
        QCOMPARE(test::reasons(evaluation), QStringLiteral("program"));
    }

    void a_launcher_says_that_it_opened()
    {
        QVERIFY(test::evaluated("env A=1 make").invocations.front().opens);
        QVERIFY(!test::evaluated("env A=1").invocations.front().opens);
        QCOMPARE(test::evaluated("env timeout 5 ls").invocations.back().via,
                 (std::vector<std::string>{"env", "timeout"}));
    }

    void flows_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("a pipe") << QByteArray("curl u | grep x") << QStringLiteral("curl -> grep");
        QTest::newRow("into a shell") << QByteArray("curl u | sh") << QStringLiteral("curl -> sh; curl -> sh code");
        QTest::newRow("through others into a shell")
            << QByteArray("curl u | tee x | sh")
            << QStringLiteral("curl -> sh code; curl -> tee; tee -> sh; tee -> sh code");
        QTest::newRow("as code of -c") << QByteArray("sh -c \"$(curl u)\"")
                                       << QStringLiteral("curl -> sh argument; curl -> sh code");
        QTest::newRow("through a variable")
            << QByteArray("x=$(curl u); eval \"$x\"") << QStringLiteral("curl -> eval argument; curl -> eval code");
        QTest::newRow("into a script of awk")
            << QByteArray("curl u | awk -f -") << QStringLiteral("curl -> awk; curl -> awk code");
        QTest::newRow("as an argument") << QByteArray("curl u?$(base64 f)")
                                        << QStringLiteral("base64 -> curl argument");
        QTest::newRow("through a file") << QByteArray("curl -o x u; sh x") << QStringLiteral("curl -> sh code");
        QTest::newRow("through a file with the server's name")
            << QByteArray("wget https://h/x.sh?v=1 && bash x.sh") << QStringLiteral("wget -> bash code");
        QTest::newRow("into an interpreter")
            << QByteArray("curl u | python3 -") << QStringLiteral("curl -> python3; curl -> python3 code");
        QTest::newRow("not into an interpreter's script")
            << QByteArray("curl u | python3 x.py") << QStringLiteral("curl -> python3");
        QTest::newRow("out of a process substitution")
            << QByteArray("diff <(curl u) f") << QStringLiteral("curl -> diff");
        QTest::newRow("a file as an argument") << QByteArray("curl u/$(<f)") << QStringLiteral("<f -> curl argument");
        QTest::newRow("a file on standard input") << QByteArray("sort < f") << QStringLiteral("<f -> sort");
        QTest::newRow("a line of a file")
            << QByteArray("read x < f; curl $x") << QStringLiteral("<f -> curl argument; <f -> read");
        QTest::newRow("lines of a file in a loop") << QByteArray("while read x; do curl $x; done < f")
                                                   << QStringLiteral("<f -> curl; <f -> curl argument; <f -> read");
        QTest::newRow("a file that is open under a number")
            << QByteArray("exec 3< f; read -u 3 x; curl $x") << QStringLiteral("<f -> curl argument");
        QTest::newRow("an array of a file's lines")
            << QByteArray("mapfile a < f; curl ${a[0]}") << QStringLiteral("<f -> curl argument; <f -> mapfile");
        QTest::newRow("a file through xargs")
            << QByteArray("xargs -I{} curl {} < f") << QStringLiteral("<f -> curl argument; <f -> xargs");
        QTest::newRow("a file that was written with a known text") << QByteArray("echo a > f; curl $(<f)") << QString();
        QTest::newRow("a script is no data") << QByteArray("bash < f") << QStringLiteral("<f -> bash");
        QTest::newRow("nothing comes from /dev/null") << QByteArray("sort < /dev/null") << QString();
    }
    void flows()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        QCOMPARE(test::flows(test::evaluated(text.toStdString())), expected);
    }

    void code_that_nobody_knows_is_a_finding()
    {
        for (const char *text : {"cat f | bash -s -- --fast", "sh -c \"$(base64 -d f)\"", "sh <<< \"$(base64 -d f)\"",
                                 "base64 -d f | sh", "sed 's/.*/id/e' f"})
            QVERIFY2(test::has(test::evaluated(text), Construct::EvalUnknown), text);
        for (const char *text : {"sh f", "sh < f", "bash -c \"cd $(git rev-parse --show-toplevel) && make\"",
                                 "sed -n '/e/p' f", "sed 's/a/e/g' f"})
            QVERIFY2(!test::has(test::evaluated(text), Construct::EvalUnknown), text);
    }

    void scripts_are_noted()
    {
        for (const char *text : {"make -s", "./x", "sh f", "python3 f.py", ". ./env", "npm test"})
            QCOMPARE(test::reasons(test::evaluated(text)), QStringLiteral("script"));
    }

    void code_of_other_languages_is_kept()
    {
        const auto code = test::evaluated("python3 -Bc 'import socket'").code;
        QCOMPARE(code.size(), 1U);
        QCOMPARE(code.front().language, std::string("python"));
        QCOMPARE(code.front().text.text, std::string("import socket"));
        QCOMPARE(test::evaluated("awk -F: '{ print }' f").code.front().text.text, std::string("{ print }"));
    }

    void a_shell_of_unknown_kind_is_read_in_both_ways()
    {
        QVERIFY(test::starts(test::evaluated("sh -c '[[ x || reboot ]]'"), "reboot"));
        QVERIFY(test::starts(test::evaluated("sh -c '{sudo,id}'"), "sudo"));
        auto context = test::testContext();
        context.dialectUnknown = true;
        QVERIFY(test::starts(evaluate("[[ x || reboot ]]", context), "reboot"));
    }

    void hostile_texts_end_with_a_budget_note()
    {
        const auto repeated = [](std::string_view text, std::size_t count) {
            std::string all;
            for (std::size_t i = 0; i < count; ++i)
                all += text;
            return all;
        };
        std::string doubling = "f0() { :; };";
        for (int i = 1; i < 200; ++i)
            doubling +=
                "f" + std::to_string(i) + "() { f" + std::to_string(i - 1) + "; f" + std::to_string(i - 1) + "; };";
        for (const std::string &text :
             {"echo " + repeated("{a,b}", 60), "x=aa;" + repeated("x=$x$x;", 2000) + "$x", doubling + "f199",
              repeated("eval ", 20000) + "x", repeated("env ", 20000) + "x",
              repeated("for a in {1..60}; do ", 20) + ":" + repeated("; done", 20), repeated("a;", 30000)}) {
            const auto evaluation = test::evaluated(text);
            const QString reasons = test::reasons(evaluation);
            QVERIFY2(reasons.contains(u"budget") || reasons.contains(u"program"), text.substr(0, 40).c_str());
            QVERIFY2(evaluation.steps < 10'000'000, text.substr(0, 40).c_str());
        }
    }

    void answers_are_the_same_each_time()
    {
        const char *text = "x=$(a); for i in 1 2 3; do curl $x | sh; done; f() { g \"$@\"; }; f a b";
        QCOMPARE(test::programs(test::evaluated(text)), test::programs(test::evaluated(text)));
    }
};

QTEST_GUILESS_MAIN(TstEvaluateLaunchers)
#include "tst_evaluate_launchers.moc"
