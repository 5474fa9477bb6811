// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit_writer.h"
#include "tests/support/audit_events.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace portcullis;
using namespace portcullis::audit;
using Code = AuditError::Code;

namespace {

WriterOptions optionsFor(const QTemporaryDir &folder)
{
    return {.path = folder.filePath(QStringLiteral("audit.db")).toStdString(),
            .busyMilliseconds = 200,
            .reserveBytes = 1 << 20};
}

/// A value through another connection, as any SQLite tool would read it.
QVariant asked(const std::string &path, const QString &sql)
{
    QVariant value;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("other"));
        database.setDatabaseName(QString::fromStdString(path));
        if (database.open()) {
            QSqlQuery query(database);
            if (query.exec(sql) && query.next())
                value = query.value(0);
        }
    }
    QSqlDatabase::removeDatabase(QStringLiteral("other"));
    return value;
}

} // namespace

class TstAuditWriter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_decision_is_committed_when_begin_returns()
    {
        QTemporaryDir folder;
        const WriterOptions options = optionsFor(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        const auto row = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(row);
        QCOMPARE(asked(options.path, QStringLiteral("SELECT outcome FROM events")).toString(),
                 QStringLiteral("running"));
        QCOMPARE(asked(options.path, QStringLiteral("SELECT verdict FROM events")).toString(), QStringLiteral("allow"));
    }

    void a_finished_run_keeps_its_verdict_and_gets_its_outcome()
    {
        QTemporaryDir folder;
        const WriterOptions options = optionsFor(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        const auto row = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(row);
        record::Ending ending;
        ending.exitCode = 3;
        QVERIFY((*writer)->finish(*row, ending, {"out", "err", 0, 0}));
        QCOMPARE(asked(options.path, QStringLiteral("SELECT outcome || exit_code FROM events")).toString(),
                 QStringLiteral("exited3"));
        QCOMPARE(asked(options.path, QStringLiteral("SELECT err FROM outputs")).toByteArray(), QByteArray("err"));
        // Once is enough: a second end, or the end of a refused command, is a mistake of the caller.
        QCOMPARE((*writer)->finish(*row, ending).error().code, Code::NotFound);
        QCOMPARE((*writer)->finish(*row + 1, ending).error().code, Code::NotFound);
    }
};

QTEST_GUILESS_MAIN(TstAuditWriter)
#include "tst_audit_writer.moc"
