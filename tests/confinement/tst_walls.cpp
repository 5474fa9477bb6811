// SPDX-License-Identifier: Apache-2.0
#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/two_users.h"

#include <QProcess>
#include <QStandardPaths>

using namespace portcullis;
using namespace portcullis::test;

namespace {

struct Case {
    const char *sentence;
    QByteArray command;
    const char *needs = nullptr; ///< a program
    bool viewOnly = false;
};

void addRows(const QList<Case> &cases)
{
    QTest::addColumn<Walls>("walls");
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QString>("needs");
    for (const Case &one : cases) {
        QTest::addRow("both walls: %s", one.sentence) << Walls::Both << one.command << QString::fromLatin1(one.needs);
        if (!one.viewOnly)
            QTest::addRow("Landlock alone: %s", one.sentence)
                << Walls::LandlockAlone << one.command << QString::fromLatin1(one.needs);
    }
}

unsigned modeOf(const QString &path)
{
    struct stat about{};
    return ::stat(text(path).c_str(), &about) == 0 ? about.st_mode & 07777U : 0;
}

void requireWalls(Walls walls)
{
    PORTCULLIS_REQUIRE(walls == Walls::None || confinement::landlockAbi().abi >= confinement::leastUsableAbi,
                       "no Landlock on this kernel");
}

} // namespace

class TstWalls : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyday_work_succeeds_data()
    {
        addRows({
            {"reads and writes its own directory and workspace",
             "echo hi > $W/a && cat $W/a && grep -q own.txt $T/own.txt && echo hi > $T/b && rm $T/b"},
            {"renames across its own folders", "mkdir s1 s2 && echo a > s1/a && mv s1/a s2/a && cat s2/a"},
            {"makes and fills a new folder", "mkdir -p n/m && touch n/m/x && rm -r n"},
            {"uses the harmless devices",
             "echo x > /dev/null && head -c4 /dev/zero | od -An -tx1 && head -c4 /dev/urandom"},
            {"keeps a git repository",
             "git init -q r && cd r && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m x && "
             "test $(git log --oneline | wc -l) = 1",
             "git"},
            {"makes a Python environment", "python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1)'",
             "/usr/bin/python3"},
            {"runs Node", "node -e 'console.log(process.pid > 0)'", "/usr/bin/node"},
            {"runs npm", "npm --version", "/usr/bin/npm"},
            {"runs a script of its own", "printf '#!/bin/sh\\necho ok\\n' > s && chmod 755 s && ./s"},
            {"uses a temporary file", "f=$(mktemp) && echo x > $f && cat $f && rm $f"},
            {"reads its own process", "cat /proc/self/status > /dev/null && ls /proc/self/fd > /dev/null"},
            {"makes POSIX semaphores", "python3 -c 'import multiprocessing as m; m.Semaphore()'", "/usr/bin/python3",
             true},
            {"opens a pseudo terminal", "python3 -c 'import pty; pty.openpty()'", "/usr/bin/python3", true},
            {"has unix sockets of its own",
             "python3 -c 'import socket as s; a=s.socket(s.AF_UNIX); a.bind(\"sock\"); a.listen(); "
             "b=s.socket(s.AF_UNIX); b.connect(\"sock\")'",
             "/usr/bin/python3", true},
            {"uses Python's fork server",
             "printf 'import multiprocessing as m\\ndef f(x): return x+1\\nif __name__==\"__main__\":\\n "
             "print(m.get_context(\"forkserver\").Pool(2).map(f,[1,2]))\\n' > f.py && python3 f.py",
             "/usr/bin/python3", true},
            {"uses a terminal multiplexer",
             "tmux -f /dev/null -L x new-session -d 'sleep 5' && tmux -L x list-sessions && tmux -L x kill-server",
             "/usr/bin/tmux", true},
            {"gets shared memory of its own", "echo x > /dev/shm/x && cat /dev/shm/x", nullptr, true},
        });
    }

    void everyday_work_succeeds()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        QFETCH(QString, needs);
        requireWalls(walls);
        PORTCULLIS_REQUIRE(needs.isEmpty() || !QStandardPaths::findExecutable(needs).isEmpty(),
                           "a program is not installed");
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, command));
        QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode == 0, describe(outcome).constData());
    }

    void sanitized_programs_run_data() { addRows({{"AddressSanitizer", "./asan", "gcc"}}); }

    void sanitized_programs_run()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        requireWalls(walls);
        const QString compiler = QStandardPaths::findExecutable(QStringLiteral("gcc"));
        PORTCULLIS_REQUIRE(!compiler.isEmpty(), "no compiler");
        const Tenancy tenancy;
        const QString source =
            tenancy.fileAt(QStringLiteral("workspace/tenants/acme/a.c"), "int main(void){return 0;}");
        const int built = QProcess::execute(compiler,
                                            {QStringLiteral("-fsanitize=address"), source, QStringLiteral("-o"),
                                             tenancy.workspace() + QStringLiteral("/asan")});
        PORTCULLIS_REQUIRE(built == 0, "no sanitizer library");
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, command));
        QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode == 0, describe(outcome).constData());
    }

    void what_is_not_granted_answers_permission_denied_data()
    {
        addRows({
            {"another tenant's file by its path", "cat $FOREIGN"},
            {"another tenant's file by a relative path", "cd $T && cat ../globex/secret.txt"},
            {"another tenant's file from its own folder", "cd $T/../globex && cat secret.txt"},
            {"another tenant's file through a link", "ln -s $D/tenants/globex leak; cat leak/secret.txt"},
            {"another tenant's file through /proc", "cat /proc/self/root$FOREIGN"},
            {"another tenant's file from a script", "printf 'cat %s\\n' $FOREIGN > s; sh s"},
            {"another tenant's file from Python", "/usr/bin/python3 -c \"open('$FOREIGN')\"", "/usr/bin/python3"},
            {"writing another tenant's file", "echo x >> $FOREIGN"},
            {"emptying another tenant's file", "echo x > $FOREIGN"},
            {"truncating another tenant's file", "/usr/bin/python3 -c \"import os; os.truncate('$FOREIGN',0)\"",
             "/usr/bin/python3"},
            {"another tenant's folder", "ls $D/tenants/globex"},
            {"another tenant's workspace", "ls ${W%acme}globex"},
            {"the main workspace", "cat $MAIN/notes.txt"},
            {"the gateway's database", "cat $D/goclaw.db"},
            {"overwriting the gateway's database", "echo x > $D/goclaw.db"},
            {"the gateway's config", "cat $CONFIG"},
            {"the password file", "cat /etc/shadow"},
            {"listing the root", "ls /"},
            {"listing the tenants", "ls $D/tenants"},
            {"listing the data dir", "ls $D"},
            {"the supervisor's environment", "cat /proc/$PPID/environ"},
            {"the supervisor's memory", "cat /proc/$PPID/mem"},
        });
    }

    void what_is_not_granted_answers_permission_denied()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        QFETCH(QString, needs);
        requireWalls(walls);
        PORTCULLIS_REQUIRE(needs.isEmpty() || !QStandardPaths::findExecutable(needs).isEmpty(),
                           "a program is not installed");
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, command));
        QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode != 0, describe(outcome).constData());
        QVERIFY2(err(outcome).contains("Permission denied") || err(outcome).contains("PermissionError"),
                 describe(outcome).constData());
        QVERIFY2(!out(outcome).contains("secret of"), describe(outcome).constData());
        QCOMPARE(contents(tenancy.foreignFile()), QByteArray("secret of data/tenants/globex/secret.txt"));
        QCOMPARE(contents(tenancy.path("data/goclaw.db")), QByteArray("secret of data/goclaw.db"));
    }

    void other_changes_outside_the_grants_fail_data()
    {
        addRows({
            {"hard link of another tenant's file", "ln $FOREIGN mine"},
            {"removing another tenant's file", "rm -f $FOREIGN"},
            {"moving another tenant's file", "mv $FOREIGN ."},
            {"a new entry in the data dir", "touch $D/new"},
            {"a new entry among the tenants", "mkdir $D/tenants/new"},
            {"a new entry in the root", "touch /new"},
            {"a new entry in a read-only grant", "touch /usr/new"},
            {"another's file by the folder above the working directory",
             "chmod 777 ../../../data/tenants/globex/secret.txt && cat ../../../data/tenants/globex/secret.txt"},
        });
    }

    void other_changes_outside_the_grants_fail()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        requireWalls(walls);
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, command));
        QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode != 0, describe(outcome).constData());
        QCOMPARE(contents(tenancy.foreignFile()), QByteArray("secret of data/tenants/globex/secret.txt"));
        if (walls == Walls::Both) // Landlock alone does not cover metadata
            QCOMPARE(modeOf(tenancy.foreignFile()), 0644U);
        QVERIFY(!QFile::exists(tenancy.path("data/new")));
        QVERIFY(!QFile::exists(tenancy.path("data/tenants/new")));
    }

    void a_grant_to_read_cannot_be_changed_where_modes_would_allow_it_data()
    {
        addRows({
            {"writing a file", "echo x > $R/file"},
            {"appending to a file", "echo x >> $R/file"},
            {"truncating a file", "truncate -s 0 $R/file"},
            {"a new file", "touch $R/new"},
            {"a new folder", "mkdir $R/new"},
            {"a new link", "ln -s / $R/new"},
            {"a second name", "ln $R/file $R/new"},
            {"another name", "mv $R/file $R/new"},
            {"moving a file away", "mv $R/file . "},
            {"moving a file there", "touch new; mv new $R/new"},
            {"a pipe", "mkfifo $R/new"},
            {"removing a file", "rm -f $R/file"},
            {"removing a folder", "rmdir $R/folder"},
        });
    }
    void a_grant_to_read_cannot_be_changed_where_modes_would_allow_it()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        requireWalls(walls);
        const Tenancy tenancy;
        Tenancy::own(tenancy.folderAt(QStringLiteral("shared"), 0777));
        Tenancy::own(tenancy.folderAt(QStringLiteral("shared/folder"), 0777));
        Tenancy::own(tenancy.fileAt(QStringLiteral("shared/file"), "shared"));
        for (const Walls each : {walls, Walls::None}) {
            plan::ExecPlan plan = tenancy.plan(each, "cat $R/file && " + command);
            // Root trusts the folder, which is the run's own, because its root is that user's too.
            plan.grants.push_back({.path = text(tenancy.path("shared")),
                                   .root = text(tenancy.path("shared")),
                                   .access = plan::Access::ReadExecute,
                                   .optional = false});
            plan.environment.emplace_back("R", text(tenancy.path("shared")));
            const auto outcome = runPlan(tenancy, plan);
            QVERIFY2(out(outcome) == "shared", describe(outcome).constData());
            QVERIFY2((outcome.exitCode == 0) == (each == Walls::None), describe(outcome).constData());
            if (each == Walls::None)
                continue;
            QCOMPARE(contents(tenancy.path("shared/file")), QByteArray("shared"));
            QCOMPARE(QDir(tenancy.path("shared")).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot),
                     (QStringList{QStringLiteral("file"), QStringLiteral("folder")}));
        }
    }

    void what_is_granted_to_be_read_is_no_program_data() { addBothWalls(); }
    void what_is_granted_to_be_read_is_no_program()
    {
        QFETCH(Walls, walls);
        requireWalls(walls);
        const Tenancy tenancy;
        const QString program = tenancy.fileAt(QStringLiteral("program"), "#!/bin/sh\necho ran\n");
        ::chmod(text(program).c_str(), 0755);
        for (const plan::Access access : {plan::Access::Read, plan::Access::ReadExecute}) {
            plan::ExecPlan plan = tenancy.plan(walls, "head -c2 $P && $P");
            plan.environment.emplace_back("P", text(program));
            plan.grants.push_back({.path = text(program), .access = access, .optional = false});
            const auto outcome = runPlan(tenancy, plan);
            const bool runs = access == plan::Access::ReadExecute;
            QVERIFY2(out(outcome) == (runs ? "#!ran\n" : "#!"), describe(outcome).constData());
            QVERIFY2(outcome.exitCode == (runs ? 0 : 126), describe(outcome).constData());
        }
    }

    void in_the_view_metadata_of_others_is_out_of_reach_too()
    {
        requireWalls(Walls::Both);
        const Tenancy tenancy;
        const auto outcome =
            runPlan(tenancy,
                    tenancy.plan(Walls::Both,
                                 "stat $FOREIGN; chmod 777 $FOREIGN; stat -L $D/goclaw.db; chmod 777 $D/goclaw.db"));
        QCOMPARE(err(outcome).count("Permission denied"), 4);
        QCOMPARE(modeOf(tenancy.foreignFile()), 0644U);
    }

    void the_view_shows_no_process_and_no_file_of_the_host()
    {
        requireWalls(Walls::Both);
        const Tenancy tenancy;
        const auto outcome = runPlan(
            tenancy,
            tenancy.plan(Walls::Both, "ls -d /proc/[0-9]* | wc -l; ls -A /tmp /dev/shm | grep -c portcullis-guard"));
        QVERIFY2(out(outcome).split('\n').first().toInt() <= 4, describe(outcome).constData());
    }

    void the_working_directory_is_the_workspace()
    {
        const Tenancy tenancy;
        for (const Walls walls : {Walls::Both, Walls::LandlockAlone, Walls::None}) {
            const auto outcome = runPlan(tenancy, tenancy.plan(walls, "pwd -P"));
            QCOMPARE(out(outcome).trimmed(), QFile::encodeName(tenancy.workspace()));
        }
    }

    void nobody_is_root_and_nobody_has_a_capability_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::newRow("both walls") << Walls::Both;
        QTest::newRow("Landlock alone") << Walls::LandlockAlone;
        QTest::newRow("no wall") << Walls::None;
    }

    void nobody_is_root_and_nobody_has_a_capability()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, "cat /proc/self/status; id -G; umask; trap"));
        const QByteArray text = out(outcome);
        const QByteArray uid = QByteArray::number(::geteuid() == 0 ? tenantUid : ::geteuid());
        QVERIFY2(text.contains("Uid:\t" + uid + "\t" + uid + "\t" + uid + "\t" + uid), describe(outcome).constData());
        for (const char *set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
            QVERIFY2(text.contains(QByteArray(set) + ":\t0000000000000000"), set);
        if (::geteuid() == 0)
            QVERIFY(text.contains("CapBnd:\t0000000000000000"));
        for (const char *line :
             {"NoNewPrivs:\t1", "Seccomp:\t2", "SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000", "\n0027\n"})
            QVERIFY2(text.contains(line), line);
        QVERIFY2(text.contains("Groups:\t" + (::geteuid() == 0 ? QByteArray(" \n") : QByteArray())),
                 describe(outcome).constData());
    }

    void the_environment_is_the_plan_and_nothing_else()
    {
        qputenv("GATEWAY_TOKEN", "marker-of-the-runner");
        const Tenancy tenancy;
        for (const Walls walls : {Walls::Both, Walls::LandlockAlone, Walls::None}) {
            plan::ExecPlan plan = tenancy.plan(walls, {});
            plan.argv = {"/usr/bin/env"};
            plan.environment = {{"A", "1"}, {"B", "x y"}};
            const auto outcome = runPlan(tenancy, plan);
            QCOMPARE(out(outcome), "A=1\nB=x y\nPORTCULLIS_RUN=" + QByteArray::fromStdString(plan.id) + "\n");
            const auto looked = runPlan(
                tenancy, tenancy.plan(walls, "cat /proc/*/environ 2>/dev/null | grep -ac marker-of-the-runner"));
            if (walls != Walls::None)
                QCOMPARE(out(looked).trimmed(), QByteArray("0"));
        }
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstWalls)
#include "tst_walls.moc"
