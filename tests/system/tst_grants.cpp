// SPDX-License-Identifier: Apache-2.0

// What a command may read, list, write and create, place by place, in every state of the walls.

#include "tests/support/look.h"
#include "tests/support/tool_matrix.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMap>
#include <QRegularExpression>
#include <QThread>
#include <QUuid>

#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <ranges>
#include <tuple>
#include <unistd.h>

using namespace portcullis::test;

namespace {

/// What is tried: `read`, `list`, `write` (opens it for writing and leaves it as it is) or `create` (below a folder).
struct Try {
    const char *how;
    QString path;
};

constexpr int works = 0;
constexpr int refused = -1; ///< Permission denied, or the file system cannot be written
constexpr int hidden = -2; ///< … or it is not there at all

/// errno of each try, as a command of acme sees it, 0 where it worked.
QList<int> answers(const Gateway &gateway, const QList<Try> &tries, const QStringList &options = {})
{
    QByteArray lines;
    for (const Try &each : tries)
        lines += QByteArray(each.how) + ' ' + QFile::encodeName(each.path) + '\n';
    const QString workspace = gateway.tenantWorkspace(u"acme"_s);
    if (!writeFile(workspace + u"/tries"_s, lines)
        || !writeFile(workspace + u"/try.py"_s,
                      "import os\n"
                      "def opened(path, flags):\n"
                      "    os.close(os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o644))\n"
                      "acts = {'read': lambda p: opened(p, os.O_RDONLY), 'list': os.listdir,\n"
                      "        'write': lambda p: opened(p, os.O_WRONLY),\n"
                      "        'create': lambda p: opened(p + '/made', os.O_WRONLY | os.O_CREAT)}\n"
                      "for line in open('tries'):\n"
                      "    how, path = line.rstrip('\\n').split(' ', 1)\n"
                      "    path = os.path.expandvars(path)\n"
                      "    try:\n"
                      "        acts[how](path)\n"
                      "        print(0)\n"
                      "    except OSError as e:\n"
                      "        print(e.errno)\n"))
        return {};
    const Done done = gateway.exec(u"python3 try.py"_s, options);
    QList<int> out;
    for (const QByteArray &line : done.out.simplified().split(' '))
        out.append(line.toInt());
    if (out.size() != tries.size())
        qWarning("%s", (done.out + done.err).constData());
    return out.size() == tries.size() ? out : QList<int>();
}

void verifyAnswers(const QList<Try> &tries, const QList<int> &answered, const QList<int> &expected)
{
    QCOMPARE(answered.size(), tries.size());
    for (qsizetype i = 0; i < tries.size(); ++i) {
        const int got = answered[i];
        const bool isRefused = got == EACCES || got == EROFS;
        const bool right = expected[i] == refused ? isRefused
            : expected[i] == hidden               ? isRefused || got == ENOENT
                                                  : got == expected[i];
        QVERIFY2(right,
                 (QByteArray(tries[i].how) + ' ' + tries[i].path.toUtf8() + ": errno " + QByteArray::number(got))
                     .constData());
    }
}

/// Entries of a folder that everybody may use as far as modes say, links left out.
QFileInfoList openEntries(const QString &folder)
{
    QFileInfoList out;
    for (const QFileInfo &each :
         QDir(folder).entryInfoList(QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot)) {
        const bool open = each.permission(each.isDir() ? QFile::ReadOther | QFile::ExeOther : QFile::ReadOther);
        if (open && !each.isSymLink())
            out.append(each);
    }
    return out;
}

/// The list of what is granted below /etc, as patterns.
QList<QRegularExpression> etcPatterns()
{
    QFile file(QStringLiteral(TEST_RESOURCE_DIR "/etc-grants.json"));
    QList<QRegularExpression> out;
    if (!file.open(QIODevice::ReadOnly))
        return out;
    for (const QJsonValue &each : QJsonDocument::fromJson(file.readAll()).object().value(u"read"_s).toArray())
        out.append(QRegularExpression::fromWildcard(each.toString()));
    return out;
}

/// A control group for one processor, with one beside it and one below it.
class LimitedGroup
{
public:
    LimitedGroup()
    {
        const QString name = u"/portcullis-test-"_s + QUuid::createUuid().toString(QUuid::Id128).left(12);
        for (const auto &[hierarchy, limit, value] :
             {std::tuple(u"/sys/fs/cgroup/cpu"_s, u"/cpu.cfs_quota_us"_s, "100000\n"),
              std::tuple(u"/sys/fs/cgroup"_s, u"/cpu.max"_s, "100000 100000\n")}) {
            m_hierarchy = hierarchy;
            m_folder = hierarchy + name;
            m_limit = limit;
            m_value = value;
            for (const QString &each : folders())
                QDir().mkdir(each);
            if (QFile::exists(m_folder + limit) && writeFile(m_folder + limit, value))
                return;
            removeAll();
        }
        m_folder.clear();
    }
    ~LimitedGroup() { removeAll(); }
    LimitedGroup(const LimitedGroup &) = delete;
    LimitedGroup &operator=(const LimitedGroup &) = delete;

    bool isMade() const { return !m_folder.isEmpty(); }
    QString hierarchy() const { return m_hierarchy; }
    QString folder() const { return m_folder; }
    QString beside() const { return m_folder + u"-beside"_s; }
    QString limit() const { return m_limit; }
    QByteArray value() const { return m_value; }
    /// The process that asks becomes a member; safe between fork and exec.
    std::function<bool()> joining() const
    {
        return [path = QFile::encodeName(m_folder + u"/cgroup.procs"_s)] {
            const int file = ::open(path.constData(), O_WRONLY | O_CLOEXEC);
            const bool joined = file >= 0 && ::write(file, "0", 1) == 1;
            ::close(file);
            return joined;
        };
    }

private:
    QStringList folders() const { return {m_folder, beside(), m_folder + u"/below"_s}; }
    void removeAll() const
    {
        for (const QString &each : folders() | std::views::reverse)
            QDir().rmdir(each);
    }

    QString m_hierarchy;
    QString m_folder;
    QString m_limit;
    QByteArray m_value;
};

} // namespace

class TstGrants : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void own_folders_are_writable_data() { addStates(); }
    void own_folders_are_writable()
    {
        QFETCH(State, state);
        Gateway gateway;
        bringAbout(gateway, state);
        QVERIFY(QDir().mkpath(gateway.tenantWorkspace(u"acme"_s) + u"/below"_s));
        QVERIFY(::chmod(QFile::encodeName(gateway.tenantWorkspace(u"acme"_s) + u"/below"_s).constData(), 0777) == 0);
        const QString own = gateway.tenantDir(u"acme"_s);
        const QString workspace = gateway.tenantWorkspace(u"acme"_s);
        QList<Try> tries{{"list", workspace},
                         {"create", workspace},
                         {"read", workspace + u"/secret.txt"_s},
                         {"create", workspace + u"/below"_s},
                         {"create", u"$TMPDIR"_s},
                         {"list", u"$TMPDIR"_s}};
        QList<int> expected(6, works);
        if (state != State::NoLandlock) { // else T is not there for the run, as far as the text of commands goes
            tries += {{"list", own}, {"create", own}, {"write", own + u"/secret.txt"_s}};
            expected += {works, works, works};
        }
        if (state == State::BothWalls) { // the temporary folders are the tenant's own; alone they are everybody's
            tries += {{"create", u"/tmp"_s}, {"create", u"/var/tmp"_s}, {"create", u"/dev/shm"_s}};
            expected += {works, works, works};
        }
        if (state == State::LandlockAlone) {
            tries += {{"create", u"/tmp"_s}, {"create", u"/var/tmp"_s}, {"create", u"/dev/shm"_s}, {"list", u"/tmp"_s}};
            expected += {refused, refused, refused, refused};
        }
        verifyAnswers(tries, answers(gateway, tries), expected);
    }

    void what_is_the_gateways_or_anothers_is_closed_data() { addStates(); }
    void what_is_the_gateways_or_anothers_is_closed()
    {
        QFETCH(State, state);
        Gateway gateway;
        bringAbout(gateway, state);
        QVERIFY(!gateway.exec(u"true"_s).crashed); // makes the record
        openUp(gateway);
        QList<Try> tries;
        for (const QString &folder :
             {gateway.data(), gateway.workspace(), gateway.data() + u"/tenants"_s, gateway.workspace() + u"/tenants"_s,
              gateway.tenantDir(u"globex"_s), gateway.tenantWorkspace(u"globex"_s)})
            tries += {{"list", folder}, {"create", folder}};
        for (const QString &file :
             {gateway.data() + u"/goclaw.db"_s, gateway.data() + u"/goclaw.db-wal"_s,
              gateway.workspace() + u"/main.txt"_s, gateway.tenantDir(u"globex"_s) + u"/secret.txt"_s,
              gateway.tenantWorkspace(u"globex"_s) + u"/secret.txt"_s})
            tries += {{"read", file}, {"write", file}};
        // Without Landlock modes alone are left: that all of it is open there shows that the walls closed it.
        QList<int> expected(tries.size(), state == State::NoLandlock ? works : refused);
        // These are never open to everybody.
        for (const QString &file :
             {gateway.root() + u"/config.json"_s, gateway.auditDb(), gateway.root() + u"/policies/acme.json"_s})
            tries += {{"read", file}, {"write", file}};
        expected.resize(tries.size(), refused);
        if (::geteuid() != 0 && state == State::NoLandlock) {
            tries.resize(tries.size() - 6); // there the command's user is the operator
            expected.resize(tries.size());
        }
        verifyAnswers(tries, answers(gateway, tries), expected);
    }

    void of_etc_only_the_list_can_be_read_data() { addStates(); }
    void of_etc_only_the_list_can_be_read()
    {
        QFETCH(State, state);
        Gateway gateway;
        bringAbout(gateway, state);
        const QList<QRegularExpression> patterns = etcPatterns();
        QVERIFY(patterns.size() > 10);
        QList<Try> tries;
        QList<int> expected;
        for (const QFileInfo &each : openEntries(u"/etc"_s)) {
            const bool listed = std::ranges::any_of(
                patterns, [&](const QRegularExpression &one) { return one.match(each.filePath()).hasMatch(); });
            tries.append({each.isDir() ? "list" : "read", each.filePath()});
            expected.append((listed && each.ownerId() == 0) || state == State::NoLandlock ? works : EACCES);
        }
        QVERIFY(expected.contains(works) && (state == State::NoLandlock || expected.contains(EACCES)));
        verifyAnswers(tries, answers(gateway, tries), expected);
    }

    void of_devices_only_the_harmless_are_there_data() { addStates(); }
    void of_devices_only_the_harmless_are_there()
    {
        QFETCH(State, state);
        Gateway gateway;
        bringAbout(gateway, state);
        QList<Try> tries;
        QList<int> expected;
        for (const char *name : {"null", "zero", "full", "random", "urandom"}) {
            tries +=
                {{"read", u"/dev/"_s + QString::fromLatin1(name)}, {"write", u"/dev/"_s + QString::fromLatin1(name)}};
            expected += {works, works};
        }
        tries.append({"read", u"/dev/tty"_s});
        expected.append(ENXIO); // it has none
        static const QStringList harmless{u"null"_s,    u"zero"_s, u"full"_s, u"random"_s,
                                          u"urandom"_s, u"tty"_s,  u"ptmx"_s};
        for (const QFileInfo &each : QDir(u"/dev"_s).entryInfoList(QDir::System | QDir::NoDotAndDotDot)) {
            struct stat about{};
            if (harmless.contains(each.fileName()) || each.isSymLink()
                || ::stat(QFile::encodeName(each.filePath()).constData(), &about) != 0 || S_ISREG(about.st_mode))
                continue;
            tries.append({"read", each.filePath()});
            expected.append(hidden);
        }
        if (state != State::NoLandlock)
            verifyAnswers(tries, answers(gateway, tries), expected);
        else
            verifyAnswers(tries.first(11), answers(gateway, tries.first(11)), expected.first(11));
    }

    void of_the_kernels_files_those_are_there_that_programs_need_data() { addStates(); }
    void of_the_kernels_files_those_are_there_that_programs_need()
    {
        QFETCH(State, state);
        Gateway gateway;
        bringAbout(gateway, state);
        const int closed = state == State::NoLandlock ? works : hidden;
        const QList<Try> tries{{"read", u"/proc/self/status"_s},
                               {"read", u"/proc/meminfo"_s},
                               {"read", u"/proc/cpuinfo"_s},
                               {"list", u"/proc/self/fd"_s},
                               {"write", u"/proc/self/comm"_s},
                               {"list", u"/sys/devices/system/cpu"_s},
                               {"read", u"/sys/devices/system/cpu/online"_s},
                               {"list", u"/sys/class"_s},

                               {"list", u"/sys/fs"_s}};
        QList<int> expected{works, works, works, works, closed, works, works, closed, closed};
        verifyAnswers(tries, answers(gateway, tries), expected);
    }

    void of_control_groups_the_own_limits_can_be_read_and_nothing_else_data() { addStates(); }
    void of_control_groups_the_own_limits_can_be_read_and_nothing_else()
    {
        QFETCH(State, state);
        const LimitedGroup group;
        if (!group.isMade())
            QSKIP("control groups cannot be made here");
        Gateway gateway;
        bringAbout(gateway, state);
        gateway.setUpRunner(group.joining());
        // In the view a hierarchy begins with the own group.
        const QString own = state == State::BothWalls ? group.hierarchy() : group.folder();
        const QString below = own + u"/below"_s;
        const int closed = state == State::NoLandlock ? works : refused;
        const QList<Try> tries{{"read", own + group.limit()},
                               {"write", own + group.limit()},
                               {"create", own},
                               {"list", own},
                               {"read", own + u"/cgroup.procs"_s},
                               {"read", own + u"/tasks"_s},
                               {"list", below},
                               {"read", below + group.limit()},
                               {"read", group.beside() + group.limit()},
                               {"read", group.beside() + u"/cgroup.procs"_s},
                               {"list", group.hierarchy()}};
        const int elsewhere = state == State::NoLandlock ? works : hidden;
        const bool hasTasks = QFile::exists(group.folder() + u"/tasks"_s);
        QList<int> expected{works,  refused, refused,   closed,    closed, hasTasks ? closed : hidden,
                            closed, closed,  elsewhere, elsewhere, closed};
        verifyAnswers(tries, answers(gateway, tries), expected);
        QCOMPARE(gateway.exec(u"cat "_s + own + group.limit()).out, group.value());
    }

    void java_takes_as_many_processors_as_its_control_group_has_data()
    {
        QTest::addColumn<State>("state");
        QTest::newRow("both walls") << State::BothWalls;
        QTest::newRow("Landlock alone") << State::LandlockAlone;
    }
    void java_takes_as_many_processors_as_its_control_group_has()
    {
        QFETCH(State, state);
        PORTCULLIS_REQUIRE(isInstalled(u"java"_s), "java is not installed");
        const LimitedGroup group;
        if (!group.isMade() || QThread::idealThreadCount() < 2)
            QSKIP("control groups cannot be made here, or there is one processor");
        Gateway gateway;
        allowPackages(gateway, true);
        bringAbout(gateway, state);
        const QString ask = u"java -XshowSettings:system -version 2>&1 | grep 'Effective CPU Count'"_s;
        QVERIFY(!gateway.exec(ask).out.contains("Count: 1\n"));
        gateway.setUpRunner(group.joining());
        const Done done = gateway.exec(ask);
        QVERIFY2(done.out.contains("Count: 1\n"), (done.out + done.err).constData());
    }

    void of_the_rest_of_the_system_programs_are_there_and_nothing_else_data() { addStates(); }
    void of_the_rest_of_the_system_programs_are_there_and_nothing_else()
    {
        QFETCH(State, state);
        Gateway gateway;
        bringAbout(gateway, state);
        QList<Try> tries{{"list", u"/usr"_s}, {"list", u"/usr/bin"_s}, {"list", u"/bin"_s}, {"list", u"/lib"_s}};
        QList<int> expected(4, works);
        for (const QFileInfo &each : openEntries(u"/"_s)) {
            static const QStringList others{u"usr"_s,   u"bin"_s,    u"sbin"_s, u"lib"_s, u"lib64"_s,
                                            u"lib32"_s, u"libx32"_s, u"proc"_s, u"tmp"_s, u"dev"_s};
            if (!each.isDir() || others.contains(each.fileName()))
                continue;
            tries.append({"list", each.filePath()});
            expected.append(state == State::NoLandlock ? works : refused);
        }
        verifyAnswers(tries, answers(gateway, tries), expected);
    }

private:
    static void addStates()
    {
        QTest::addColumn<State>("state");
        QTest::newRow("both walls") << State::BothWalls;
        QTest::newRow("Landlock alone") << State::LandlockAlone;
        QTest::newRow("no Landlock") << State::NoLandlock;
    }

    /// Gives everything of the gateway and of the other tenant to everybody, as far as modes go.
    static void openUp(const Gateway &gateway)
    {
        QVERIFY(writeFile(gateway.data() + u"/goclaw.db-wal"_s, "log\n"));
        QDirIterator each(gateway.root(), QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                          QDirIterator::Subdirectories);
        while (each.hasNext()) {
            const QFileInfo about = each.nextFileInfo();
            const QString path = about.filePath();
            // What is checked for it must stay as it is: the configuration, the policies, the record.
            const bool checked = path.startsWith(gateway.root() + u"/policies"_s)
                || path == gateway.root() + u"/config.json"_s || path.startsWith(gateway.auditDb());
            if (!checked && !about.isSymLink())
                ::chmod(QFile::encodeName(path).constData(), about.isDir() ? 0777 : 0666);
        }
    }
};

QTEST_GUILESS_MAIN(TstGrants)
#include "tst_grants.moc"
