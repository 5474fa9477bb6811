// SPDX-License-Identifier: Apache-2.0

// Who listens: loopback is no boundary, so a tenant's script may try every socket of this machine. Ours is none.

#include "tests/support/gateway.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSet>
#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace portcullis::test;
using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int patience = 60'000;

/// A process and everything below it.
QList<qint64> familyOf(qint64 first)
{
    QMultiHash<qint64, qint64> children;
    for (const QString &entry : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        QFile file(u"/proc/"_s + entry + u"/stat"_s);
        if (!entry.at(0).isDigit() || !file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray stat = file.readAll();
        children.insert(stat.mid(stat.lastIndexOf(')') + 4).split(' ').value(0).toLongLong(), entry.toLongLong());
    }
    QList<qint64> family{first};
    for (qsizetype i = 0; i < family.size(); ++i)
        family += children.values(family[i]);
    return family;
}

QSet<QByteArray> socketsOf(qint64 pid)
{
    QSet<QByteArray> inodes;
    const QDir folder(u"/proc/%1/fd"_s.arg(pid));
    for (const QString &entry : folder.entryList(QDir::System | QDir::Files | QDir::NoDotAndDotDot)) {
        char target[64] = {};
        const QByteArray path = QFile::encodeName(folder.filePath(entry));
        if (::readlink(path.constData(), target, sizeof target - 1) > 0
            && QByteArrayView(target).startsWith("socket:["))
            inodes.insert(QByteArray(target + 8).chopped(1));
    }
    return inodes;
}

/// Lines of a table of sockets, as the process sees it, without their heading.
QList<QByteArrayList> table(qint64 pid, const char *name)
{
    QFile file(u"/proc/%1/net/%2"_s.arg(pid).arg(QLatin1StringView(name)));
    QList<QByteArrayList> rows;
    if (!file.open(QIODevice::ReadOnly))
        return rows;
    for (const QByteArray &line : file.readAll().split('\n').sliced(1)) {
        if (!line.isEmpty())
            rows.append(line.simplified().split(' '));
    }
    return rows;
}

/// Sockets of a process that somebody else could connect or send to, e.g. `tcp 0100007F:1F90` (proc_net(5)).
QByteArrayList listenersOf(qint64 pid)
{
    const QSet<QByteArray> own = socketsOf(pid);
    QByteArrayList found;
    for (const char *name : {"tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6"}) {
        for (const QByteArrayList &row : table(pid, name)) {
            const bool takesAny = !QByteArrayView(name).startsWith("tcp") || row.value(3) == "0A";
            if (takesAny && own.contains(row.value(9)))
                found.append(QByteArray(name) + ' ' + row.value(1));
        }
    }
    constexpr uint accepting = 0x10000;
    for (const QByteArrayList &row : table(pid, "unix")) {
        const bool stream = row.value(4) == "0001" || row.value(4) == "0005"; // and its packets; 0002 are datagrams
        const bool listens = stream ? (row.value(3).toUInt(nullptr, 16) & accepting) != 0 : row.size() > 7;
        if (listens && own.contains(row.value(6)))
            found.append("unix " + row.value(7));
    }
    return found;
}

int listenOn(int family, int type, const sockaddr *address, socklen_t size)
{
    const int fd = ::socket(family, type | SOCK_CLOEXEC, 0);
    if (fd < 0 || ::bind(fd, address, size) != 0 || (type == SOCK_STREAM && ::listen(fd, 1) != 0))
        qFatal("cannot listen");
    return fd;
}

} // namespace

class TstListeners : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A search that finds nothing anywhere would pass the test below.
    void the_search_finds_each_kind_of_listener()
    {
        QCOMPARE(listenersOf(::getpid()), QByteArrayList());
        sockaddr_in loopback{};
        loopback.sin_family = AF_INET;
        loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        sockaddr_un automatic{}; // without a name the kernel gives an abstract one
        automatic.sun_family = AF_UNIX;
        const auto *inet = reinterpret_cast<const sockaddr *>(&loopback);
        const auto *unixName = reinterpret_cast<const sockaddr *>(&automatic);
        QList<int> sockets;
        sockets << listenOn(AF_INET, SOCK_STREAM, inet, sizeof loopback)
                << listenOn(AF_INET, SOCK_DGRAM, inet, sizeof loopback)
                << listenOn(AF_UNIX, SOCK_STREAM, unixName, sizeof(sa_family_t))
                << listenOn(AF_UNIX, SOCK_DGRAM, unixName, sizeof(sa_family_t));
        int pair[2] = {};
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
        sockets << pair[0] << pair[1];
        const QByteArrayList found = listenersOf(::getpid());
        for (const int fd : sockets)
            ::close(fd);
        QCOMPARE(found.size(), 4);
        QVERIFY2(found[0].startsWith("tcp 0100007F:") && found[1].startsWith("udp 0100007F:"), found.join(' '));
        QVERIFY2(found[2].startsWith("unix @") && found[3].startsWith("unix @"), found.join(' '));
    }

    void none_of_our_programs_listens()
    {
        const Gateway gateway;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
        environment.insert(u"XDG_CONFIG_HOME"_s, gateway.root() + u"/settings"_s);
        const QString console = QStringLiteral(TEST_BIN_DIR "/portcullis");
        QProcess window;
        window.setProcessEnvironment(environment);
        QProcess follower;
        const auto command = gateway.startExec(u"touch started; exec sleep 600"_s);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(gateway.tenantWorkspace(u"acme"_s) + u"/started"_s), patience);
        follower.start(QStringLiteral(TEST_BIN_DIR "/portcullis-runner"),
                       QStringList{u"log"_s, u"--follow"_s, u"--json"_s} + gateway.options());
        QByteArray followed;
        QTRY_VERIFY_WITH_TIMEOUT((followed += follower.readAllStandardOutput()).contains("sleep 600"), patience);
        QList<QProcess *> programs{command.get(), &follower};
        if (QFile::exists(console)) { // else this build has none
            window.start(console, gateway.options());
            // The settings are read and the window is there when its engine has opened the record.
            const auto holdsTheRecord = [&] { return openFilesOf(window.processId()).contains(gateway.auditDb()); };
            QTRY_VERIFY_WITH_TIMEOUT(holdsTheRecord(), patience);
            programs << &window;
        }
        QByteArrayList listening;
        qsizetype looked = 0;
        for (const QProcess *program : programs) {
            for (const qint64 pid : familyOf(program->processId())) {
                looked += socketsOf(pid).size();
                for (const QByteArray &each : listenersOf(pid))
                    listening.append(QByteArray::number(pid) + ": " + each);
            }
        }
        QVERIFY2(listening.isEmpty(), listening.join('\n').constData());
        QVERIFY(looked > 0); // the runner and its guard have a pair between them
        for (QProcess *program : programs) {
            program->kill();
            QVERIFY(program->waitForFinished(patience));
        }
    }

private:
    static QStringList openFilesOf(qint64 pid)
    {
        QStringList files;
        const QDir folder(u"/proc/%1/fd"_s.arg(pid));
        for (const QFileInfo &entry : folder.entryInfoList(QDir::System | QDir::Files | QDir::NoDotAndDotDot))
            files.append(entry.symLinkTarget());
        return files;
    }
};

QTEST_GUILESS_MAIN(TstListeners)
#include "tst_listeners.moc"
