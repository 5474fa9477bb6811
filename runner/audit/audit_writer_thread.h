// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_writer.h"

#include <QMetaType>
#include <QObject>
#include <QStringList>

#include <memory>

namespace portcullis::audit {

/// The record's writer thread of a process with an event loop. Requests are numbered values and return at once; what
/// gathers while a transaction is being committed goes into the next one together. Answers arrive as signals in the
/// thread of this object, in the order of the requests, exactly one each.
class AuditWriterThread : public QObject
{
    Q_OBJECT

public:
    explicit AuditWriterThread(WriterOptions options, QObject *parent = nullptr);
    /// Writes what is queued, then ends the thread.
    ~AuditWriterThread() override;

    /// Opens the record in the thread; answered by `opened` or `openFailed`. Requests made earlier wait for it; after
    /// `openFailed` they fail with its error, and `start` may be called again.
    void start();
    /// Takes no more requests, writes what is queued, ends the thread. Waits for the disk: call it at shutdown only.
    void stop();

    quint64 begin(record::Event event);
    quint64 finish(std::int64_t row, record::Ending ending, record::Output output = {});
    quint64 append(record::Event event, record::Output output = {});
    quint64 storeConfiguration(std::string digest, std::string canonicalText, std::int64_t timeUs);
    quint64 heartbeat(Heartbeat beat);

Q_SIGNALS:
    void opened(qint64 unfinishedFound);
    /// Before `opened`, when there are some: the runs of dead processes.
    void unfinishedRuns(const std::vector<portcullis::audit::UnfinishedRun> &runs);
    void openFailed(const portcullis::audit::AuditError &error);
    /// The decision of `request` is committed: its command may start.
    void begun(quint64 request, qint64 row);
    /// Finish, append, storeConfiguration (row 0) or heartbeat (row 0) is committed.
    void written(quint64 request, qint64 row);
    void failed(quint64 request, const portcullis::audit::AuditError &error);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace portcullis::audit

Q_DECLARE_METATYPE(portcullis::audit::AuditError)
