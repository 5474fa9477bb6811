// SPDX-License-Identifier: Apache-2.0
#include "runner/service/thread_recorder.h"

#include "runner/service/leftovers.h"

namespace portcullis::service {

using audit::AuditError;
using audit::AuditWriterThread;

ThreadRecorder::ThreadRecorder(audit::WriterOptions options) : m_thread(std::move(options))
{
    connect(&m_thread, &AuditWriterThread::unfinishedRuns, this, [this](const std::vector<audit::UnfinishedRun> &runs) {
        QList<QByteArray> lines;
        for (const std::string &line : leftoverLines(runs))
            lines.append(QByteArray::fromStdString(line));
        if (!lines.isEmpty())
            Q_EMIT leftoversEnded(lines);
    });
    connect(&m_thread, &AuditWriterThread::opened, this, [this] { Q_EMIT stateChanged({}); });
    connect(&m_thread, &AuditWriterThread::openFailed, this,
            [this](const AuditError &error) { Q_EMIT stateChanged(std::string(nameOf(error.code))); });
    connect(&m_thread, &AuditWriterThread::begun, this, [this](quint64 request, qint64 row) { resolve(request, row); });
    connect(&m_thread, &AuditWriterThread::written, this,
            [this](quint64 request, qint64 row) { resolve(request, row); });
    connect(&m_thread, &AuditWriterThread::failed, this,
            [this](quint64 request, const AuditError &error) { resolve(request, failure(error)); });
    m_thread.start();
}

ThreadRecorder::~ThreadRecorder() = default;

void ThreadRecorder::begin(const record::Event &event, Answer answer)
{
    m_waiting.emplace(m_thread.begin(event), std::move(answer));
}

void ThreadRecorder::finish(std::int64_t row, const record::Ending &ending, const record::Output &output, Answer answer)
{
    m_waiting.emplace(m_thread.finish(row, ending, output), std::move(answer));
}

void ThreadRecorder::heartbeat(const audit::Heartbeat &beat, const std::string &canonicalText)
{
    // Neither is needed for a decision to be complete; a failing record shows itself at the next begin.
    m_thread.storeConfiguration(beat.configDigest, canonicalText, beat.timeUs);
    m_thread.heartbeat(beat);
}

void ThreadRecorder::resolve(quint64 request, const audit::WriteResult &result)
{
    const auto it = m_waiting.find(request);
    if (it == m_waiting.end())
        return;
    const Answer answer = std::move(it->second);
    m_waiting.erase(it);
    answer(result);
}

} // namespace portcullis::service
