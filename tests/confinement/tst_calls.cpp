// SPDX-License-Identifier: Apache-2.0

// System calls from inside of a run, with what each answers in every state of the walls: with both, with Landlock
// alone, and on a host without Landlock, where only the filter of system calls and the user of the run are left.

#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/stand_in.h"
#include "tests/support/two_users.h"

#include <QProcess>

#include <cerrno>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

constexpr int works = -1; ///< of the command's own, harmless, or not covered in this state and documented so
constexpr int fails = 0; ///< with one error or another
constexpr int either = -2; ///< the machine decides

enum class About { Nothing, File, Folder, EmptyFolder, Link, Program, Process };

struct Row {
    const char *name;
    About about;
    int inView;
    int alone;
    int without;
};

// Landlock does not cover metadata (chmod, times, attributes, names that are watched): rows that work there say so.
constexpr Row fileRows[] = {
    {"open_named", About::File, EACCES, works, works},
    {"open_named_again", About::File, EACCES, EACCES, works},
    {"openat_below_named", About::File, EACCES, EACCES, works},
    {"open_from_its_folder", About::File, EACCES, EACCES, works},
    {"openat2", About::File, ENOSYS, ENOSYS, ENOSYS},
    {"open_folder", About::Folder, EACCES, EACCES, works},
    {"open_temporary", About::Folder, EROFS, EACCES, works},
    {"creat", About::File, EACCES, EACCES, works},
    {"access", About::File, EACCES, works, works},
    {"faccessat2", About::File, EACCES, works, works},
    {"lstat", About::File, EACCES, works, works},
    {"statx", About::File, EACCES, works, works},
    {"statfs", About::File, EACCES, works, works},
    {"readlink", About::Link, EACCES, works, works},
    {"open_through_link", About::Link, EACCES, EACCES, works},
    {"chdir", About::Folder, EACCES, works, works},
    {"chmod", About::File, EACCES, works, works},
    {"fchmodat", About::File, EACCES, works, works},
    {"fchmodat2", About::File, EACCES, works, works},
    {"chown", About::File, EACCES, works, works},
    {"lchown", About::File, EACCES, works, works},
    {"fchownat", About::File, EACCES, works, works},
    {"utimes", About::File, EACCES, works, works},
    {"utimensat", About::File, EACCES, works, works},
    {"setxattr", About::File, EACCES, works, works},
    {"listxattr", About::File, EACCES, works, works},
    {"truncate", About::File, EACCES, EACCES, works},
    {"unlink", About::File, EACCES, EACCES, works},
    {"unlinkat", About::File, EACCES, EACCES, works},
    {"rmdir", About::EmptyFolder, EACCES, EACCES, works},
    {"mkdir", About::File, EACCES, EACCES, works},
    {"mkdirat", About::File, EACCES, EACCES, works},
    {"mkfifo", About::File, EACCES, EACCES, works},
    {"mknod_file", About::File, EACCES, EACCES, works},
    {"mknod_socket", About::File, EACCES, EACCES, works},
    {"symlink", About::File, EACCES, EACCES, works},
    {"symlinkat", About::File, EACCES, EACCES, works},
    {"link_from", About::File, EACCES, EXDEV, works},
    {"link_named", About::File, EACCES, EXDEV, works},
    {"rename_from", About::File, EACCES, fails, works},
    {"rename_onto", About::File, EACCES, fails, works},
    {"renameat2_exchange", About::File, EACCES, fails, works},
    {"bind_beside", About::File, EACCES, EAFNOSUPPORT, works},
    {"inotify", About::Folder, EACCES, works, works},
    {"execve", About::Program, EACCES, EACCES, works},
    {"execveat", About::Program, EACCES, EACCES, works},
    {"own_temporary_file", About::Nothing, works, works, works},
    {"own_socket", About::Nothing, works, EAFNOSUPPORT, works},
    {"own_pipe", About::Nothing, works, works, works},
    {"own_watch", About::Nothing, works, works, works},
    {"own_program_in_memory", About::Nothing, works, works, works},
};

constexpr Row processRows[] = {
    {"tgkill", About::Process, ESRCH, EPERM, works},
    {"tkill", About::Process, ESRCH, EPERM, works},
    {"sigqueue", About::Process, ESRCH, EPERM, works},
    {"pidfd_send_signal", About::Process, ESRCH, EPERM, works},
    {"process_vm_readv", About::Process, ESRCH, EPERM, EPERM},
    {"process_vm_writev", About::Process, ESRCH, EPERM, EPERM},
    {"ptrace_attach", About::Process, ESRCH, EPERM, EPERM},
    {"kcmp", About::Process, EPERM, EPERM, EPERM},
    {"move_pages", About::Process, EPERM, EPERM, EPERM},
    {"migrate_pages", About::Process, EPERM, EPERM, EPERM},
    {"process_madvise", About::Nothing, EPERM, EPERM, EPERM},
    {"process_mrelease", About::Nothing, EPERM, EPERM, EPERM},
    {"proc_auxv", About::Process, ENOENT, EACCES, works},
    {"proc_smaps", About::Process, ENOENT, EACCES, works},
    {"proc_task_environment", About::Process, ENOENT, EACCES, works},
    {"proc_cwd", About::Process, ENOENT, EACCES, works},
    {"proc_exe", About::Process, ENOENT, EACCES, works},
    {"proc_oom_score", About::Process, ENOENT, EACCES, works},
    {"own_child_traced", About::Nothing, works, works, EPERM},
    {"own_child_read", About::Nothing, works, works, EPERM},
    {"own_memory_segment", About::Nothing, works, EPERM, works},
    {"own_semaphores", About::Nothing, works, EPERM, works},
    {"own_messages", About::Nothing, works, EPERM, works},
    {"own_queue", About::Nothing, works, EPERM, works},
    {"own_unnamed_memory", About::Nothing, works, works, works},
    {"own_secret_memory", About::Nothing, ENOSYS, ENOSYS, ENOSYS},
    {"own_asynchronous_requests", About::Nothing, ENOSYS, ENOSYS, ENOSYS},
    {"own_hint_of_extents", About::Nothing, EOPNOTSUPP, EOPNOTSUPP, EOPNOTSUPP},
    {"own_attributes", About::Nothing, ENOSYS, ENOSYS, ENOSYS},
    {"own_affinity", About::Nothing, works, works, works},
};

constexpr Row kernelRows[] = {
    {"mount_bind", About::Folder, EPERM, EPERM, EPERM},
    {"remount", About::Nothing, EPERM, EPERM, EPERM},
    {"umount", About::Nothing, EPERM, EPERM, EPERM},
    {"pivot_root", About::Nothing, EPERM, EPERM, EPERM},
    {"move_mount", About::Nothing, EPERM, EPERM, EPERM},
    {"mount_setattr", About::Nothing, EPERM, EPERM, EPERM},
    {"fsconfig", About::Nothing, EPERM, EPERM, EPERM},
    {"fsmount", About::Nothing, EPERM, EPERM, EPERM},
    {"fspick", About::Nothing, EPERM, EPERM, EPERM},
    {"open_tree_attr", About::Nothing, EPERM, EPERM, EPERM},
    {"setns", About::Nothing, EPERM, EPERM, EPERM},
    {"unshare_mounts", About::Nothing, EPERM, EPERM, EPERM},
    {"unshare_network", About::Nothing, EPERM, EPERM, EPERM},
    {"unshare_processes", About::Nothing, EPERM, EPERM, EPERM},
    {"clone_ipc", About::Nothing, EPERM, EPERM, EPERM},
    {"clone_names", About::Nothing, EPERM, EPERM, EPERM},
    {"clone_groups", About::Nothing, EPERM, EPERM, EPERM},
    {"clone_network", About::Nothing, EPERM, EPERM, EPERM},
    {"clone_processes", About::Nothing, EPERM, EPERM, EPERM},
    {"clone_plain", About::Nothing, works, works, works},
    {"swapon", About::Nothing, EPERM, EPERM, EPERM},
    {"acct", About::Nothing, EPERM, EPERM, EPERM},
    {"quotactl", About::Nothing, EPERM, EPERM, EPERM},
    {"quotactl_fd", About::Nothing, EPERM, EPERM, EPERM},
    {"fanotify", About::Nothing, EPERM, EPERM, EPERM},
    {"name_to_handle", About::Nothing, EPERM, EPERM, EPERM},
    {"reboot", About::Nothing, EPERM, EPERM, EPERM},
    {"kexec_load", About::Nothing, EPERM, EPERM, EPERM},
    {"init_module", About::Nothing, EPERM, EPERM, EPERM},
    {"finit_module", About::Nothing, EPERM, EPERM, EPERM},
    {"delete_module", About::Nothing, EPERM, EPERM, EPERM},
    {"clock_settime", About::Nothing, EPERM, EPERM, EPERM},
    {"settimeofday", About::Nothing, EPERM, EPERM, EPERM},
    {"sethostname", About::Nothing, EPERM, EPERM, EPERM},
    {"setdomainname", About::Nothing, EPERM, EPERM, EPERM},
    {"vhangup", About::Nothing, EPERM, EPERM, EPERM},
    {"add_key", About::Nothing, EPERM, EPERM, EPERM},
    {"request_key", About::Nothing, EPERM, EPERM, EPERM},
    {"io_uring_enter", About::Nothing, ENOSYS, ENOSYS, ENOSYS},
    {"io_uring_register", About::Nothing, ENOSYS, ENOSYS, ENOSYS},
    {"personality_ask", About::Nothing, works, works, works},
    {"personality_of_debuggers", About::Nothing, works, works, works},
    {"personality_other", About::Nothing, EPERM, EPERM, EPERM},
    {"personality_wide", About::Nothing, EPERM, EPERM, EPERM},
    {"line_discipline", About::Nothing, EPERM, EPERM, EPERM},
    {"raw_socket", About::Nothing, EPERM, EPERM, EPERM},
    {"raw_socket_6", About::Nothing, EPERM, EPERM, EPERM},
    {"netlink_route", About::Nothing, works, works, works},
    {"netlink_sock_diag", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"netlink_connector", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"netlink_audit", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"netlink_events", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"netlink_generic", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"netlink_xfrm", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"netlink_wide", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"can_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"bluetooth_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"tipc_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"rds_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"kcm_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"xdp_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"proc_sys", About::Nothing, fails, fails, fails},
    {"proc_sysrq", About::Nothing, fails, fails, fails},
    {"proc_kcore", About::Nothing, fails, fails, fails},
    {"sys_kernel", About::Nothing, fails, EACCES, works},
    {"sys_processors", About::Nothing, works, works, works},
    {"sys_processors_write", About::Nothing, fails, fails, fails},
    {"device_kmsg", About::Nothing, fails, fails, either},
    {"device_memory", About::Nothing, fails, fails, fails},
    {"own_filter", About::Nothing, works, works, works},
    {"own_landlock", About::Nothing, works, works, works},
};

} // namespace

class TstCalls : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_process = std::make_unique<StandIn>(::geteuid() == 0 ? tenantUid : ::geteuid());
        // As an ordinary user the build folder may be closed.
        PORTCULLIS_REQUIRE(QFile::exists(program()), "the build folder is not readable for this user");
    }

    void each_call_answers_as_its_state_says_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("about");
        QTest::addColumn<int>("expected");
        for (const std::span<const Row> &rows : all()) {
            for (const Row &row : rows) {
                const auto add = [&](const char *state, Walls walls, int expected) {
                    QTest::addRow("%s: %s", state, row.name)
                        << walls << QByteArray(row.name) << static_cast<int>(row.about) << expected;
                };
                add("both walls", Walls::Both, row.inView);
                add("Landlock alone", Walls::LandlockAlone, row.alone);
                add("no wall", Walls::None, row.without);
            }
        }
    }
    void each_call_answers_as_its_state_says()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, name);
        QFETCH(int, about);
        QFETCH(int, expected);
        PORTCULLIS_REQUIRE(confinement::landlockAbi().abi >= 6, "the table is for Landlock ABI 6 and newer");
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls, {});
        QVERIFY(QFile::copy(program(), tenancy.path("calls")));
        ::chmod(text(tenancy.path("calls")).c_str(), 0755);
        plan.argv = {text(tenancy.path("calls")), name.toStdString(),
                     argumentFor(tenancy, static_cast<About>(about)).toStdString()};
        plan.grants.push_back({.path = plan.argv.front(), .access = plan::Access::ReadExecute});
        const QStringList before = entries(tenancy);
        const auto outcome = runPlan(tenancy, plan);
        const QList<QByteArray> words = out(outcome).simplified().split(' ');
        QVERIFY2(words.size() == 3 && words[0] == name, describe(outcome).constData());
        if (expected == either)
            return;
        QVERIFY2(words[1] == (expected == works ? "succeeded" : "refused"), describe(outcome).constData());
        if (expected > 0)
            QVERIFY2(words[2].toInt() == expected, describe(outcome).constData());
        if (walls == Walls::None)
            return;
        QCOMPARE(contents(tenancy.foreignFile()), QByteArray("secret of data/tenants/globex/secret.txt"));
        QCOMPARE(entries(tenancy), before);
    }

    void every_call_of_the_program_has_a_row()
    {
        QProcess list;
        list.start(program(), QStringList());
        QVERIFY(list.waitForFinished());
        QList<QByteArray> known;
        for (const std::span<const Row> &rows : all()) {
            for (const Row &row : rows)
                known.append(row.name);
        }
        QList<QByteArray> names = list.readAllStandardOutput().simplified().split(' ');
        std::ranges::sort(names);
        std::ranges::sort(known);
        QCOMPARE(names, known);
    }

private:
    static std::vector<std::span<const Row>> all() { return {fileRows, processRows, kernelRows}; }

    static QStringList entries(const Tenancy &tenancy)
    {
        return QDir(tenancy.path("data/tenants/globex"))
            .entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot, QDir::Name);
    }

    static QString program() { return QStringLiteral(QT_TESTCASE_BUILDDIR "/confinement/portcullis-test-calls"); }

    QByteArray argumentFor(const Tenancy &tenancy, About about) const
    {
        const QString folder = tenancy.path("data/tenants/globex");
        switch (about) {
        case About::Nothing:
            return {};
        case About::File:
            return QFile::encodeName(tenancy.foreignFile());
        case About::Folder:
            return QFile::encodeName(folder);
        case About::EmptyFolder:
            Tenancy::own(tenancy.folderAt(u"data/tenants/globex/empty"_s, 0755));
            return QFile::encodeName(folder) + "/empty";
        case About::Link:
            QFile::link(u"secret.txt"_s, folder + u"/link"_s);
            return QFile::encodeName(folder) + "/link";
        case About::Program:
            Tenancy::own(tenancy.fileAt(u"data/tenants/globex/program"_s, "#!/bin/sh\nexit 0\n"));
            ::chmod(text(folder + u"/program"_s).c_str(), 0755);
            return QFile::encodeName(folder) + "/program";
        case About::Process:
            return m_process->pid();
        }
        return {};
    }

    std::unique_ptr<StandIn> m_process;
};

PORTCULLIS_TWO_USERS_MAIN(TstCalls)
#include "tst_calls.moc"
