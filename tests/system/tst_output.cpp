// SPDX-License-Identifier: Apache-2.0

// What commands write, how they hang, and how many there are: through the built runner, at both walls and with Landlock
// alone.

#include "runner/audit/audit_reader.h"
#include "tests/support/gateway.h"
#include "tests/support/processes.h"

#include <QJsonDocument>
#include <QTest>

#include <algorithm>
#include <set>
#include <vector>

using namespace Qt::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

constexpr int patience = 120'000;

void addBothWalls()
{
    QTest::addColumn<bool>("namespaces");
    QTest::newRow("both walls") << true;
    QTest::newRow("Landlock alone") << false;
}

/// Peak resident memory of a living process, in KiB (proc_pid_status(5)).
qint64 peakMemory(qint64 process)
{
    QFile file(u"/proc/%1/status"_s.arg(process));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray status = file.readAll();
    const qsizetype at = status.indexOf("VmHWM:");
    return at < 0 ? 0 : status.mid(at + 6, status.indexOf("kB", at) - at - 6).trimmed().toLongLong();
}

/// A stream that is checked and thrown away as it arrives: lines of the same 16 bytes.
struct Lines {
    qint64 bytes = 0;
    bool intact = true;

    void take(const QByteArray &part)
    {
        static const QByteArray line = "0123456789abcde\n";
        static const QByteArray block = line.repeated(1 << 13);
        for (qsizetype at = 0; at < part.size();) {
            const qsizetype into = (bytes + at) % line.size();
            const qsizetype length = std::min(part.size() - at, block.size() - into);
            intact = intact && QByteArrayView(part).sliced(at, length) == QByteArrayView(block).sliced(into, length);
            at += length;
        }
        bytes += part.size();
    }
};

} // namespace

class TstOutput : public QObject
{
    Q_OBJECT

    std::unique_ptr<Gateway> m_gateway;

    [[nodiscard]] QString file(const char *name) const
    {
        return m_gateway->tenantWorkspace(u"acme"_s) + u'/' + QLatin1String(name);
    }

    void write(const char *name, const QByteArray &content) const
    {
        QFile out(file(name));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(content);
    }

    [[nodiscard]] QJsonObject lastRow() const
    {
        const Done log = m_gateway->runner({u"log"_s, u"--json"_s, u"--limit"_s, u"1"_s});
        return QJsonDocument::fromJson(log.out.trimmed()).object();
    }

    [[nodiscard]] record::Output lastOutput() const
    {
        const auto reader = audit::AuditReader::open(m_gateway->auditDb().toStdString());
        const auto last = reader ? (*reader)->changes() : Result<audit::Changes, audit::AuditError>(audit::Changes());
        return last ? (*reader)->output(last->lastRow).value_or(record::Output()) : record::Output();
    }

private Q_SLOTS:
    void init()
    {
        m_gateway = std::make_unique<Gateway>();
        QFETCH(bool, namespaces);
        if (!namespaces)
            m_gateway->refuseNamespaces();
    }

    void two_hundred_megabytes_pass_unchanged_are_counted_and_not_kept_data() { addBothWalls(); }
    void two_hundred_megabytes_pass_unchanged_are_counted_and_not_kept()
    {
        constexpr qint64 total = 200 << 20;
        constexpr qint64 kept = 1 << 20;
        // The runner stands still with everything behind it, so that its peak can be read.
        const auto peakAfter = [&](qint64 bytes, Lines &lines) {
            const QByteArray command = "yes 0123456789abcde | head -c " + QByteArray::number(bytes)
                + "; touch written; while [ ! -e go ]; do sleep 0.05; done";
            const auto runner = m_gateway->startExec(QString::fromLatin1(command), {u"--timeout=300"_s});
            const auto read = [&] { lines.take(runner->readAllStandardOutput()); };
            connect(runner.get(), &QProcess::readyReadStandardOutput, this, read);
            [&] { QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("written")) && lines.bytes == bytes, patience); }();
            const qint64 peak = peakMemory(runner->processId());
            write("go", {});
            runner->waitForFinished(patience);
            for (const char *name : {"go", "written"})
                QFile::remove(file(name));
            return runner->exitCode() == 0 ? peak : 0;
        };
        Lines few;
        const qint64 before = peakAfter(2 * kept, few);
        Lines lines;
        const qint64 after = peakAfter(total, lines);
        QVERIFY(before > 0 && after > 0);
        QVERIFY(lines.intact);
        QCOMPARE(lines.bytes, total);
        qInfo("peak %lld KiB with 2 MiB of output, %lld KiB with 200 MiB", before, after);
        QVERIFY2(after - before < 16 << 10, QByteArray::number(after - before).constData());
        const QJsonObject row = lastRow();
        QCOMPARE(row.value("output"_L1).toInteger(), total);
        QCOMPARE(row.value("dropped"_L1).toInteger(), total - kept);
        QCOMPARE(static_cast<qint64>(lastOutput().out.size()), kept);
    }

    void bytes_that_are_no_text_come_through_and_stay_in_the_record_data() { addBothWalls(); }
    void bytes_that_are_no_text_come_through_and_stay_in_the_record()
    {
        // Characters in two parts, with a pause between them; NULs; bytes that no character has; no newline at the end.
        const Done done = m_gateway->exec(u"printf '\\303'; sleep 0.2; printf '\\251\\000\\360\\237'; sleep 0.2; "
                                          "printf '\\230\\200\\r\\n\\377\\376x\\000'; printf 'e\\302' >&2; sleep 0.2; "
                                          "printf '\\265\\200' >&2"_s,
                                          {u"--timeout=100"_s});
        const QByteArray out("\303\251\0\360\237\230\200\r\n\377\376x\0", 13);
        const QByteArray err("e\302\265\200");
        QCOMPARE(done.exitCode, 0);
        QCOMPARE(done.out, out);
        QVERIFY2(done.err.contains(err), done.err.toPercentEncoding().constData());
        const record::Output kept = lastOutput();
        QCOMPARE(QByteArray::fromStdString(kept.out), out);
        QCOMPARE(QByteArray::fromStdString(kept.err), err);
        // … and are shown as text.
        const Done shown = m_gateway->runner({u"log"_s, u"show"_s, done.result.value("id"_L1).toString()});
        QCOMPARE(shown.exitCode, 0);
        QVERIFY2(!shown.out.contains('\0') && !shown.out.contains('\377') && shown.out.contains("\303\251"),
                 shown.out.constData());
    }

    void a_child_that_holds_one_pipe_does_not_hang_the_run_data()
    {
        QTest::addColumn<bool>("namespaces");
        QTest::addColumn<QByteArray>("holds");
        for (const bool namespaces : {true, false}) {
            const char *walls = namespaces ? "both walls" : "Landlock alone";
            QTest::addRow("%s, standard output", walls) << namespaces << "sleep @ 2>/dev/null & "_ba;
            QTest::addRow("%s, standard error", walls) << namespaces << "sleep @ >/dev/null & "_ba;
            QTest::addRow("%s, both, in a session of its own", walls) << namespaces << "setsid sleep @ & "_ba;
        }
    }
    void a_child_that_holds_one_pipe_does_not_hang_the_run()
    {
        QFETCH(QByteArray, holds);
        const QByteArray mark = newMark();
        const Done done = m_gateway->exec(QString::fromLatin1(holds.replace("@", mark)) + u"echo up; exit 3"_s);
        QCOMPARE(done.exitCode, 3);
        QCOMPARE(done.out, QByteArray("up\n"));
        QVERIFY2(QJsonDocument(done.result).toJson().contains("background_killed"), done.err.constData());
        QCOMPARE(processesWith(mark), QList<pid_t>());
        QCOMPARE(lastRow().value("outcome"_L1).toString(), u"exited"_s);
    }

    void who_ignores_the_polite_signal_is_killed_and_told_so_data() { addBothWalls(); }
    void who_ignores_the_polite_signal_is_killed_and_told_so()
    {
        const QByteArray mark = newMark();
        const Done done =
            m_gateway->exec(u"trap '' TERM INT HUP; echo up; while :; do sleep %1; done"_s.arg(QLatin1String(mark)),
                            {u"--timeout=1"_s});
        QCOMPARE(done.exitCode, 124);
        QCOMPARE(done.out, QByteArray("up\n"));
        QVERIFY2(done.err.contains("timed out: ") && done.err.contains("was killed"), done.err.constData());
        QCOMPARE(processesWith(mark), QList<pid_t>());
        QCOMPARE(lastRow().value("outcome"_L1).toString(), u"timed_out"_s);
    }

    void a_fork_bomb_ends_with_its_run_data() { addBothWalls(); }
    void a_fork_bomb_ends_with_its_run()
    {
        const QByteArray mark = newMark();
        m_gateway->setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', limits: { processes: 40 } }");
        write("bomb.sh", "while :; do sleep " + mark + " & done\n");
        const Done done = m_gateway->exec(u"bash bomb.sh 2>/dev/null; sleep 60"_s, {u"--timeout=2"_s});
        QVERIFY2(done.exitCode == 124 || done.exitCode == 128 + 15, done.err.constData());
        QTRY_COMPARE_WITH_TIMEOUT(processesWith(mark), QList<pid_t>(), patience);
        QCOMPARE(m_gateway->exec(u"true"_s).exitCode, 0);
    }

    void fifty_runners_at_once_all_say_and_record_their_own_data() { addBothWalls(); }
    void fifty_runners_at_once_all_say_and_record_their_own()
    {
        constexpr int runs = 50;
        std::vector<std::unique_ptr<QProcess>> runners;
        for (int i = 0; i < runs; ++i)
            runners.push_back(m_gateway->startExec(u"echo number %1; exit %1"_s.arg(i)));
        for (int i = 0; i < runs; ++i) {
            QProcess &runner = *runners[static_cast<std::size_t>(i)];
            QVERIFY(runner.waitForFinished(patience));
            const QByteArray said = runner.readAllStandardError();
            QVERIFY2(runner.exitCode() == i, said.constData());
            QCOMPARE(runner.readAllStandardOutput(), "number " + QByteArray::number(i) + "\n");
        }
        const Done log = m_gateway->runner({u"log"_s, u"--json"_s});
        std::set<int> exits;
        for (const QByteArray &line : log.out.trimmed().split('\n')) {
            const QJsonObject row = QJsonDocument::fromJson(line).object();
            QCOMPARE(row.value("outcome"_L1).toString(), u"exited"_s);
            QVERIFY(exits.insert(row.value("exit"_L1).toInt(-1)).second);
        }
        QCOMPARE(exits.size(), std::size_t{runs});
    }
};

QTEST_GUILESS_MAIN(TstOutput)
#include "tst_output.moc"
