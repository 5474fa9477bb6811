// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_writer_thread.h"
#include "runner/service/recorder.h"

#include <QByteArray>
#include <QList>
#include <QObject>

#include <memory>
#include <unordered_map>

namespace portcullis::service {

/// Writes through a writer thread, so that the engine's own thread never waits for the disk. Make and use it in the
/// engine's thread.
class ThreadRecorder final : public QObject, public Recorder
{
    Q_OBJECT

public:
    explicit ThreadRecorder(audit::WriterOptions options);
    ~ThreadRecorder() override;
    void begin(const record::Event &event, Answer answer) override;
    void finish(std::int64_t row, const record::Ending &ending, const record::Output &output, Answer answer) override;
    void heartbeat(const audit::Heartbeat &beat, const std::string &canonicalText) override;

Q_SIGNALS:
    /// Whether the record can be written: an empty code, or the error's.
    void stateChanged(const std::string &errorCode);
    /// Something of an earlier run was still there and has been ended: one slog line for each such run.
    void leftoversEnded(const QList<QByteArray> &lines);

private:
    void resolve(quint64 request, const audit::WriteResult &result);

    audit::AuditWriterThread m_thread;
    std::unordered_map<quint64, Answer> m_waiting;
};

} // namespace portcullis::service
