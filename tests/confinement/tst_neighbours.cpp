// SPDX-License-Identifier: Apache-2.0

// What a command can learn from other processes of its own user that run at the same time.

#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/two_users.h"

#include <QSignalSpy>

#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

const QByteArray secret = "secret of a neighbour";

/// The process with this name whose environment holds the text; 0: none.
pid_t processWith(const QByteArray &name, const QByteArray &environment)
{
    const QStringList entries = QDir(u"/proc"_s).entryList(QDir::Dirs);
    for (const QString &entry : entries) {
        if (entry.at(0).isDigit() && contents(u"/proc/"_s + entry + u"/comm"_s) == name + '\n'
            && contents(u"/proc/"_s + entry + u"/environ"_s).contains(environment))
            return entry.toInt();
    }
    return 0;
}

/// A process of the commands' user that holds an open file without a name, as number 9.
class Holder
{
public:
    Holder() : m_pid(fork())
    {
        if (m_pid != 0)
            return;
        if (geteuid() == 0
            && (setresgid(tenantUid, tenantUid, tenantUid) != 0 || setresuid(tenantUid, tenantUid, tenantUid) != 0))
            _exit(1);
        const int file = memfd_create("secret", 0);
        if (file < 0 || write(file, secret.constData(), static_cast<std::size_t>(secret.size())) != secret.size()
            || dup2(file, 9) != 9)
            _exit(1);
        execl("/bin/sleep", "sleep", "600", nullptr);
        _exit(1);
    }
    Holder(const Holder &) = delete;
    Holder &operator=(const Holder &) = delete;
    ~Holder()
    {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
    pid_t pid() const { return m_pid; }

private:
    pid_t m_pid;
};

/// The plan for the other tenant.
plan::ExecPlan forGlobex(plan::ExecPlan plan)
{
    const auto rename = [](std::string &path) {
        if (const std::size_t at = path.rfind("/acme"); at != std::string::npos)
            path.replace(at, std::string_view("/acme").size(), "/globex");
    };
    for (plan::Grant &grant : plan.grants)
        rename(grant.path);
    rename(plan.privateTmp);
    rename(plan.cwd);
    return plan;
}

} // namespace

class TstNeighbours : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void open_files_of_another_process_cannot_be_opened_data() { addWalls(); }
    void open_files_of_another_process_cannot_be_opened()
    {
        QFETCH(Walls, walls);
        requireLandlock(walls);
        const Tenancy tenancy;
        const Holder holder;
        const QString file = u"/proc/%1/fd/9"_s.arg(holder.pid());
        QTRY_COMPARE_WITH_TIMEOUT(contents(file), secret, patience);
        QTRY_COMPARE_WITH_TIMEOUT(contents(u"/proc/%1/comm"_s.arg(holder.pid())), "sleep\n"_ba, patience);
        const auto outcome =
            runPlan(tenancy, tenancy.plan(walls, "cat " + file.toLatin1() + "; readlink " + file.toLatin1()));
        if (walls == Walls::None) // what the walls keep off is really there
            QVERIFY2(out(outcome).startsWith(secret), describe(outcome).constData());
        else
            QVERIFY2(out(outcome).isEmpty() && outcome.exitCode != 0, describe(outcome).constData());
        QCOMPARE(contents(file), secret);
    }

    void a_command_of_another_tenant_that_runs_at_the_same_time_is_closed_data() { addWalls(); }
    void a_command_of_another_tenant_that_runs_at_the_same_time_is_closed()
    {
        QFETCH(Walls, walls);
        requireLandlock(walls);
        const Tenancy tenancy;
        tenancy.fileAt(u"workspace/tenants/globex/theirs"_s, secret);
        plan::ExecPlan theirs = forGlobex(tenancy.plan(walls, "exec 9<theirs; exec sleep 600"));
        const QByteArray token = "TOKEN=" + secret + QByteArray::fromStdString(theirs.id);
        theirs.environment.emplace_back("TOKEN", token.mid(6).toStdString());
        confinement::GuardProcess neighbour(tenancy.guard());
        QSignalSpy finished(&neighbour, &confinement::GuardProcess::finished);
        neighbour.start(theirs);
        QTRY_VERIFY_WITH_TIMEOUT(processWith("sleep", token) != 0 || !finished.isEmpty(), patience);
        const QByteArray process = "/proc/" + QByteArray::number(processWith("sleep", token));
        QCOMPARE(contents(QString::fromLatin1(process + "/fd/9")), secret);
        const auto outcome = runPlan(
            tenancy,
            tenancy.plan(walls,
                         "cd @; cat @/environ; cat @/fd/9; cat @/cwd/theirs; cat @/root$D/tenants/globex/secret.txt\n"
                         "head -c 100 @/maps; cat @/auxv; readlink @/exe @/fd/9; ls @/map_files\n"
                         "python3 -c \"open('@/mem','rb'); print('opened')\"; true"_ba.replace("@", process)));
        if (walls == Walls::None) {
            QCOMPARE(out(outcome).count(secret), 3);
            QVERIFY2(out(outcome).contains(token) && out(outcome).contains("opened"), describe(outcome).constData());
        } else {
            QVERIFY2(outcome.outcome == Outcome::Exited && out(outcome).isEmpty(), describe(outcome).constData());
            QVERIFY2(err(outcome).count('\n') >= 8, describe(outcome).constData());
        }
        neighbour.cancel();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
    }

private:
    static void requireLandlock(Walls walls)
    {
        PORTCULLIS_REQUIRE(walls == Walls::None || confinement::landlockAbi().abi >= confinement::leastUsableAbi,
                           "no Landlock on this kernel");
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstNeighbours)
#include "tst_neighbours.moc"
