// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit_writer_thread.h"

#include <QCoreApplication>
#include <QThread>
#include <QTimer>

#include <chrono>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace portcullis::audit {
namespace {

struct StoreConfiguration {
    std::string digest;
    std::string canonicalText;
    std::int64_t timeUs = 0;
};

using Task = std::variant<WriteRequest, StoreConfiguration, Heartbeat>;

struct Numbered {
    quint64 request = 0;
    Task task;
};

struct Answer {
    quint64 request = 0;
    bool begin = false;
    WriteResult result;
};

bool isBegin(const Task &task)
{
    const auto *write = std::get_if<WriteRequest>(&task);
    return write != nullptr && std::holds_alternative<Begin>(*write);
}

struct Place {
    std::int64_t finished = 0; ///< row, or 0
    bool begins = false; ///< a row that will be finished
};

Place placeOf(const WriteRequest &request)
{
    if (const auto *finish = std::get_if<Finish>(&request))
        return {.finished = finish->row};
    const auto *begin = std::get_if<Begin>(&request);
    return {.begins = begin != nullptr && begin->event.outcome == Outcome::Running};
}

constexpr std::chrono::milliseconds watchInterval{500};

/// Lives in the writer thread. What is queued while it writes is there, as posted calls, when it comes back to its
/// event loop: these gather in `m_batch` before the flush that the first of them has posted behind them.
class Worker : public QObject
{
    Q_OBJECT

public:
    explicit Worker(WriterOptions options) : m_options(std::move(options))
    {
        m_watch.setInterval(watchInterval);
        connect(&m_watch, &QTimer::timeout, this, &Worker::watch);
    }

    void open()
    {
        if (m_writer)
            return;
        auto writer = AuditWriter::open(m_options);
        m_tried = true;
        if (writer)
            adopt(std::move(*writer));
        else
            lose(writer.error());
        flush();
    }

    void take(Numbered task)
    {
        m_batch.push_back(std::move(task));
        if (m_flushPosted)
            return;
        m_flushPosted = true;
        QMetaObject::invokeMethod(this, &Worker::flush, Qt::QueuedConnection);
    }

    void flush()
    {
        m_flushPosted = false;
        if (!m_tried || m_batch.empty())
            return;
        std::vector<Answer> answers;
        answers.reserve(m_batch.size());
        std::vector<Numbered> batch = std::exchange(m_batch, {});
        for (const Numbered &numbered : batch)
            remember(numbered.task);
        for (std::size_t i = 0; i < batch.size();)
            i = m_writer ? write(batch, i, answers) : refuse(batch, i, answers);
        Q_EMIT answered(answers);
    }

    /// The last thing that the thread does.
    void close()
    {
        m_tried = true;
        if (!m_writer && m_error.step.empty())
            m_error.code = AuditError::Code::Stopped;
        flush();
        m_writer.reset(); // its connection belongs to this thread
    }

Q_SIGNALS:
    void opened(qint64 unfinishedFound);
    void unfinishedRuns(const std::vector<UnfinishedRun> &runs);
    void openFailed(const portcullis::audit::AuditError &error);
    void answered(const std::vector<Answer> &answers);

private:
    void adopt(std::unique_ptr<AuditWriter> writer)
    {
        m_writer = std::move(writer);
        m_lost = false;
        m_damaged = false;
        // What is in force belongs into each record: a replay reads the configuration of a row from there.
        for (const Task &task : m_standing)
            std::ignore = writeOther(task); // a record that fails shows itself at the next begin
        m_watch.start();
        const std::vector<UnfinishedRun> &runs = m_writer->unfinishedRuns();
        if (!runs.empty())
            Q_EMIT unfinishedRuns(runs);
        Q_EMIT opened(static_cast<qint64>(runs.size()));
    }

    /// Keeps the last of each kind that is no event.
    void remember(const Task &task)
    {
        if (std::holds_alternative<WriteRequest>(task))
            return;
        std::erase_if(m_standing, [&](const Task &kept) { return kept.index() == task.index(); });
        m_standing.push_back(task);
    }

    void lose(const AuditError &error)
    {
        if (std::exchange(m_lost, true) && m_error == error)
            return;
        m_error = error;
        Q_EMIT openFailed(m_error);
    }

    /// The record can be moved, removed or replaced while it is open. The next one is taken when nothing runs any more
    /// whose row is in the old one: row numbers mean nothing in another record.
    void watch()
    {
        if (m_writer) {
            const auto there = m_writer->inPlace();
            if (there && m_damaged)
                return; // until it is taken away: opened again it may look sound
            if (!there)
                lose(there.error());
            else if (std::exchange(m_lost, false)) // it was moved back
                Q_EMIT opened(0);
        }
        if (!m_lost || !m_running.empty())
            return;
        m_writer.reset();
        auto writer = AuditWriter::open(m_options);
        if (writer)
            adopt(std::move(*writer));
        else
            lose(writer.error());
    }

    /// A finish follows for every row that says `running`.
    void follow(const WriteResult &result, std::int64_t finished, bool begins)
    {
        m_running.erase(finished);
        if (result && begins)
            m_running.insert(*result);
        if (result)
            return;
        const AuditError::Code code = result.error().code;
        m_damaged = m_damaged || code == AuditError::Code::Corrupt;
        if (code == AuditError::Code::Corrupt || code == AuditError::Code::Replaced)
            lose(result.error());
    }

    std::size_t refuse(const std::vector<Numbered> &batch, std::size_t i, std::vector<Answer> &answers) const
    {
        answers.push_back({batch[i].request, isBegin(batch[i].task), failure(m_error)});
        return i + 1;
    }

    /// Writes from place `i` on: a run of events in one transaction, or one of the other tasks. Returns the next place.
    std::size_t write(std::vector<Numbered> &batch, std::size_t i, std::vector<Answer> &answers)
    {
        const std::size_t first = i;
        std::vector<WriteRequest> events;
        std::vector<Place> places;
        for (; i < batch.size() && std::holds_alternative<WriteRequest>(batch[i].task); ++i) {
            answers.push_back({batch[i].request, isBegin(batch[i].task), {}});
            places.push_back(placeOf(std::get<WriteRequest>(batch[i].task)));
            events.push_back(std::move(std::get<WriteRequest>(batch[i].task)));
        }
        if (i > first) {
            std::vector<WriteResult> results = m_writer->commit(std::move(events));
            for (std::size_t n = 0; n < results.size(); ++n) {
                follow(results[n], places[n].finished, places[n].begins);
                answers[answers.size() - results.size() + n].result = std::move(results[n]);
            }
            return i;
        }
        const auto done = writeOther(batch[i].task);
        answers.push_back({batch[i].request, false, done ? WriteResult(0) : WriteResult(failure(done.error()))});
        return i + 1;
    }

    Result<void, AuditError> writeOther(const Task &task)
    {
        if (const auto *beat = std::get_if<Heartbeat>(&task))
            return m_writer->heartbeat(*beat);
        const auto &store = std::get<StoreConfiguration>(task);
        return m_writer->storeConfiguration(store.digest, store.canonicalText, store.timeUs);
    }

    WriterOptions m_options;
    std::unique_ptr<AuditWriter> m_writer;
    AuditError m_error;
    std::vector<Numbered> m_batch;
    std::vector<Task> m_standing; ///< configuration in force and sign of life, for the next record
    QTimer m_watch{this};
    std::set<std::int64_t> m_running; ///< rows begun by `m_writer` that have no ending yet
    bool m_lost = false; ///< the path leads to no record, or to another than `m_writer` writes
    bool m_damaged = false; ///< a write into `m_writer` found the record damaged
    bool m_tried = false; ///< to open
    bool m_flushPosted = false;
};

} // namespace

struct AuditWriterThread::Private {
    quint64 post(AuditWriterThread *self, Task task);
    QThread thread;
    Worker *worker = nullptr; ///< deleted by its thread
    quint64 lastRequest = 0;
    bool stopped = false;
};

quint64 AuditWriterThread::Private::post(AuditWriterThread *self, Task task)
{
    const quint64 request = ++lastRequest;
    if (stopped) {
        QMetaObject::invokeMethod(
            self,
            [self, request] {
                AuditError error;
                error.code = AuditError::Code::Stopped;
                Q_EMIT self->failed(request, error);
            },
            Qt::QueuedConnection);
        return request;
    }
    QMetaObject::invokeMethod(
        worker,
        [to = worker, numbered = Numbered{request, std::move(task)}]() mutable { to->take(std::move(numbered)); },
        Qt::QueuedConnection);
    return request;
}

AuditWriterThread::AuditWriterThread(WriterOptions options, QObject *parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->thread.setObjectName(QStringLiteral("audit writer"));
    d->worker = new Worker(std::move(options));
    d->worker->moveToThread(&d->thread);
    connect(&d->thread, &QThread::finished, d->worker, &QObject::deleteLater);
    connect(d->worker, &Worker::unfinishedRuns, this, &AuditWriterThread::unfinishedRuns);
    connect(d->worker, &Worker::opened, this, &AuditWriterThread::opened);
    connect(d->worker, &Worker::openFailed, this, &AuditWriterThread::openFailed);
    connect(d->worker, &Worker::answered, this, [this](const std::vector<Answer> &answers) {
        for (const Answer &answer : answers) {
            if (!answer.result)
                Q_EMIT failed(answer.request, answer.result.error());
            else if (answer.begin)
                Q_EMIT begun(answer.request, *answer.result);
            else
                Q_EMIT written(answer.request, *answer.result);
        }
    });
    d->thread.start();
}

AuditWriterThread::~AuditWriterThread()
{
    stop();
}

void AuditWriterThread::start()
{
    if (!d->stopped)
        QMetaObject::invokeMethod(d->worker, &Worker::open, Qt::QueuedConnection);
}

void AuditWriterThread::stop()
{
    if (std::exchange(d->stopped, true))
        return;
    // Posted calls run in order, so this one comes after every request.
    QMetaObject::invokeMethod(
        d->worker,
        [worker = d->worker] {
            worker->close();
            worker->thread()->quit();
        },
        Qt::QueuedConnection);
    d->thread.wait();
    QCoreApplication::sendPostedEvents(this, QEvent::MetaCall); // the answers to what was queued
}

quint64 AuditWriterThread::begin(record::Event event)
{
    return d->post(this, WriteRequest(Begin{std::move(event)}));
}

quint64 AuditWriterThread::finish(std::int64_t row, record::Ending ending, record::Output output)
{
    return d->post(this, WriteRequest(Finish{row, std::move(ending), std::move(output)}));
}

quint64 AuditWriterThread::append(record::Event event, record::Output output)
{
    return d->post(this, WriteRequest(Append{std::move(event), std::move(output)}));
}

quint64 AuditWriterThread::storeConfiguration(std::string digest, std::string canonicalText, std::int64_t timeUs)
{
    return d->post(this, StoreConfiguration{std::move(digest), std::move(canonicalText), timeUs});
}

quint64 AuditWriterThread::heartbeat(Heartbeat beat)
{
    return d->post(this, std::move(beat));
}

} // namespace portcullis::audit

#include "audit_writer_thread.moc"
