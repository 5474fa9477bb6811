// SPDX-License-Identifier: Apache-2.0

// A tenant whose folders become links to what is not its own, and folders again, before, between and during its runs:
// a run may fail and says why, but it never reaches what the links lead to, and nor does what the runner itself writes.
//
// PORTCULLIS_SWAPS and PORTCULLIS_RACE_RUNS make it longer.

#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/swapper.h"
#include "tests/support/two_users.h"

#include <QDirIterator>
#include <QMap>
#include <QSignalSpy>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

std::uint64_t wantedSwaps()
{
    return static_cast<std::uint64_t>(std::max(qEnvironmentVariableIntValue("PORTCULLIS_SWAPS"), 2000));
}

int wantedRuns()
{
    return std::max(qEnvironmentVariableIntValue("PORTCULLIS_RACE_RUNS"), 25);
}

/// Everything that no run of acme may change: path → owner, mode, content or where it leads.
QMap<QString, QByteArray> foreignEntries(const Tenancy &tenancy)
{
    QMap<QString, QByteArray> out;
    for (const char *top : {"data", "workspace"}) {
        QDirIterator each(tenancy.path(top), QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                          QDirIterator::Subdirectories);
        while (each.hasNext()) {
            const QFileInfo about = each.nextFileInfo();
            const QString path = about.filePath();
            if (path.contains(u"/tenants/acme"_s) || path.contains(u"/data/.portcullis"_s))
                continue;
            struct stat found{};
            if (::lstat(text(path).c_str(), &found) != 0)
                continue;
            out.insert(path,
                       QByteArray::number(found.st_uid) + ' ' + QByteArray::number(found.st_mode, 8) + ' '
                           + (about.isFile() ? contents(path) : about.symLinkTarget().toUtf8()));
        }
    }
    return out;
}

/// Looks and writes wherever it is and wherever its own names lead, and leaves a mark that would be found again.
QByteArray lookAround(Walls walls, int run)
{
    // Asked of the kernel: a shell follows names to find out where it is.
    // Landlock alone does not cover modes, whether a link leads there or the path itself.
    const QByteArray change = walls == Walls::Both ? "chmod 777" : ":";
    return "readlink /proc/self/cwd; ls -A . $T $T/.runtime $W $W/agents $W/agents/one $W/inner\n"
           "for place in . $T $T/.runtime $T/.runtime/pip $W $W/agents $W/agents/one $W/inner /tmp; do\n"
           "  cat $place/secret.txt $place/notes.txt $place/goclaw.db $place/globex/secret.txt\n"
           "  echo x > $place/mark-"
        + QByteArray::number(run % 4) + "\n  " + change
        + " $place/secret.txt $place/notes.txt $place/goclaw.db\n"
          "done 2>/dev/null\n"
          "true";
}

/// The same from inside of a run: it exchanges its own names until the file `stop` is there.
QByteArray swapInside()
{
    return "/usr/bin/python3 -c '\n"
           "import ctypes, os, random\n"
           "call = ctypes.CDLL(None, use_errno=True).renameat2\n"
           "T, W, D = (os.environ[x] for x in \"TWD\")\n"
           "os.makedirs(W + \"/agents/one\", exist_ok=True)\n"
           "os.makedirs(W + \"/inner\", exist_ok=True)\n"
           "os.makedirs(T + \"/.runtime/pip\", exist_ok=True)\n"
           "pairs = []\n"
           "for parent, name, to in ((T, \".runtime\", D), (T + \"/.runtime\", \"pip\", D + \"/tenants/globex\"),\n"
           "    (W, \"agents\", os.environ[\"MAIN\"]), (W + \"/agents\", \"one\", D + \"/tenants\"),\n"
           "    (W, \"inner\", os.environ[\"MAIN\"])):\n"
           "  pairs.append((os.open(parent, os.O_PATH), name.encode(), name.encode() + b\".link\"))\n"
           "  os.symlink(to, name + \".link\", dir_fd=pairs[-1][0])\n"
           "stop = os.open(W, os.O_PATH)\n"
           "count = 0\n"
           "print(\"ready\", flush=True)\n"
           "while True:\n"
           "  parent, one, other = random.choice(pairs)\n"
           "  count += call(parent, one, parent, other, 2) == 0\n"
           "  if count % 64 == 0:\n"
           "    try: os.stat(\"stop\", dir_fd=stop); break\n"
           "    except FileNotFoundError: pass\n"
           "print(count)'";
}

} // namespace

class TstRaces : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void names_that_are_exchanged_from_outside_lead_no_run_astray_data() { addWalls(); }
    void names_that_are_exchanged_from_outside_lead_no_run_astray()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        prepare(tenancy);
        const QMap<QString, QByteArray> before = foreignEntries(tenancy);
        const Swapper swapper(swapsOf(tenancy));
        int runs = 0;
        for (; runs < wantedRuns() || swapper.count() < wantedSwaps() || m_started < leastStarted; ++runs)
            QVERIFY(raced(tenancy, walls, runs));
        conclude(tenancy, before, runs, swapper.count());
    }

    void names_that_the_tenant_exchanges_itself_lead_no_run_astray_data() { addBothWalls(); }
    void names_that_the_tenant_exchanges_itself_lead_no_run_astray()
    {
        QFETCH(Walls, walls);
        PORTCULLIS_REQUIRE(QFileInfo::exists(u"/usr/bin/python3"_s), "no Python");
        const Tenancy tenancy;
        prepare(tenancy);
        const QMap<QString, QByteArray> before = foreignEntries(tenancy);
        plan::ExecPlan hostile = tenancy.plan(walls, swapInside());
        hostile.timeoutSeconds = 3600;
        confinement::GuardProcess inside(tenancy.guard());
        QByteArray said;
        QSignalSpy finished(&inside, &confinement::GuardProcess::finished);
        connect(&inside, &confinement::GuardProcess::output, this,
                [&](auto, const QByteArray &bytes) { said += bytes; });
        inside.start(hostile);
        QTRY_VERIFY_WITH_TIMEOUT(said.startsWith("ready\n") || finished.count() > 0, patience);
        QVERIFY2(said.startsWith("ready\n"), said.constData());
        int runs = 0;
        for (; runs < wantedRuns() || m_started < leastStarted; ++runs)
            QVERIFY(raced(tenancy, walls, runs));
        QVERIFY(QFile(tenancy.workspace() + u"/stop"_s).open(QIODevice::WriteOnly));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        const std::uint64_t swaps = said.mid(6).trimmed().toULongLong();
        QVERIFY2(swaps >= 100, said.constData());
        conclude(tenancy, before, runs, swaps);
    }

private:
    static void prepare(const Tenancy &tenancy)
    {
        for (const char *folder :
             {"data/tenants/acme/.runtime", "data/tenants/acme/.runtime/pip", "workspace/tenants/acme/agents",
              "workspace/tenants/acme/agents/one", "workspace/tenants/acme/inner"})
            Tenancy::own(tenancy.folderAt(QString::fromLatin1(folder), 0755));
        // Where a write that goes astray would succeed, as far as modes say.
        for (const char *folder : {"data/tenants/globex", "workspace/tenants/globex", "workspace/main"})
            tenancy.folderAt(QString::fromLatin1(folder), 0777);
    }

    /// T and W as well, which a tenant cannot exchange where their parents are not its own.
    static std::vector<Swap> swapsOf(const Tenancy &tenancy)
    {
        const std::string data = text(tenancy.path("data"));
        const std::string tenants = data + "/tenants";
        const std::string workspaces = text(tenancy.path("workspace/tenants"));
        const std::string main = text(tenancy.path("workspace/main"));
        std::vector<Swap> swaps;
        swaps.emplace_back(tenants + "/acme/.runtime", "pip", tenants + "/globex");
        swaps.emplace_back(tenants + "/acme", ".runtime", data);
        swaps.emplace_back(workspaces + "/acme/agents", "one", tenants);
        swaps.emplace_back(workspaces + "/acme", "agents", workspaces + "/globex");
        swaps.emplace_back(workspaces + "/acme", "inner", main);
        swaps.emplace_back(tenants, "acme", tenants + "/globex");
        swaps.emplace_back(workspaces, "acme", main);
        return swaps;
    }

    /// One run in the middle of it: it ends well or says at which step it could not start.
    bool raced(const Tenancy &tenancy, Walls walls, int run)
    {
        // Without walls a command follows links like any other program: there only what the runner does counts.
        plan::ExecPlan plan = tenancy.plan(walls, walls == Walls::None ? ":" : lookAround(walls, run));
        const std::array<std::string, 4> places{"", "/inner", "/agents/one", "/agents"};
        plan.cwd += places[static_cast<std::size_t>(run) % places.size()];
        plan.files = {
            {.folder = text(tenancy.tenantDir()),
             .name = ".runtime/pip/lib/python3/shared.pth",
             .content = "run " + std::to_string(run)},
            {.folder = text(tenancy.workspace()), .name = "inner/shared.pth", .content = std::to_string(run)}};
        plan.grants.push_back({.path = text(tenancy.workspace()) + "/agents/one",
                               .root = text(tenancy.path("workspace")),
                               .access = plan::Access::All,
                               .owner = plan::Owner::Tenant,
                               .create = true});
        const auto outcome = runPlan(tenancy, plan);
        const bool started = outcome.outcome == Outcome::Exited;
        const bool refused = outcome.outcome == Outcome::NotStarted && outcome.failure
            && outcome.failure->step != wire::Step::None && outcome.failure->errorNumber != 0;
        m_started += started ? 1 : 0;
        const QByteArray all = out(outcome) + err(outcome);
        for (const char *foreign :
             {"secret of data/tenants/globex", "secret of workspace/main", "secret of data/goclaw", "secret of config",
              "notes.txt", "globex\n", "goclaw.db"}) {
            if (out(outcome).contains(foreign)) {
                qWarning("reached %s\n%s", foreign, describe(outcome).constData());
                return false;
            }
        }
        if (!started && !refused)
            qWarning("%s", describe(outcome).constData());
        return started || refused;
    }

    void conclude(const Tenancy &tenancy, const QMap<QString, QByteArray> &before, int runs, std::uint64_t swaps)
    {
        QCOMPARE(foreignEntries(tenancy), before);
        qInfo("%d runs, of which %d started, and %llu exchanges", runs, m_started,
              static_cast<unsigned long long>(swaps));
        m_started = 0;
    }

    static constexpr int leastStarted = 5; ///< of a run that is refused only the runner is tried
    int m_started = 0;
};

PORTCULLIS_TWO_USERS_MAIN(TstRaces)
#include "tst_races.moc"
