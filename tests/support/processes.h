// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processes of this machine, as tests look for those of their commands.

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QList>
#include <QRandomGenerator>
#include <QString>
#include <QTest>

#include <sys/types.h>
#include <unistd.h>

namespace portcullis::test {

/// A number of seconds that no other process sleeps for: it marks the processes of one test.
inline QByteArray newMark()
{
    return "90000." + QByteArray::number(QRandomGenerator::global()->generate());
}

/// Process ids whose command line contains the mark, without ours; the dead have none.
inline QList<pid_t> processesWith(const QByteArray &mark)
{
    QList<pid_t> found;
    const QStringList entries = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString &entry : entries) {
        bool isPid = false;
        const pid_t pid = entry.toInt(&isPid);
        QFile file(QStringLiteral("/proc/") + entry + QStringLiteral("/cmdline"));
        if (isPid && pid != ::getpid() && file.open(QIODevice::ReadOnly) && file.readAll().contains(mark))
            found.append(pid);
    }
    return found;
}

/// Whether at least so many processes with these words came to run at the same time, within a minute. Asked once for
/// each look: a process that becomes another program has no words for a moment.
inline bool comeToRun(const QByteArray &words, qsizetype number)
{
    constexpr int mostMs = 60'000;
    return QTest::qWaitFor([&] { return processesWith(words).size() >= number; }, mostMs);
}

/// The fields of /proc/PID/stat from the state on (proc_pid_stat(5), field 3); none when there is no such process.
inline QList<QByteArray> statOf(pid_t pid)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray stat = file.readAll();
    return stat.isEmpty() ? QList<QByteArray>() : stat.mid(stat.lastIndexOf(')') + 2).split(' ');
}

/// A process that runs no code any more, whether or not somebody has waited for it.
inline bool isGone(pid_t pid)
{
    const QList<QByteArray> stat = statOf(pid);
    return stat.isEmpty() || stat.first() == "Z" || stat.first() == "X";
}

/// A living guard that this process has started; 0: none.
inline pid_t guardOf(qint64 runner)
{
    const QStringList entries = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString &entry : entries) {
        bool isPid = false;
        const pid_t pid = entry.toInt(&isPid);
        QFile name(QStringLiteral("/proc/") + entry + QStringLiteral("/comm"));
        if (!isPid || !name.open(QIODevice::ReadOnly) || name.readAll() != "portcullis-guar\n" || isGone(pid))
            continue;
        const QList<QByteArray> stat = statOf(pid);
        if (stat.size() > 1 && stat[1].toLongLong() == runner)
            return pid;
    }
    return 0;
}

} // namespace portcullis::test
