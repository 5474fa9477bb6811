// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_reader.h"
#include "runner/ports/log_source.h"

#include <QObject>
#include <QTimer>

#include <atomic>
#include <memory>
#include <vector>

namespace portcullis::console {

/// Reads the record for the log page. Lives in a thread of its own, where it may wait for the disk; every answer is a
/// signal. A flag that is set from outside stops a look through many rows that nobody wants any more.
class LogReader : public QObject
{
    Q_OBJECT

public:
    using Stop = std::shared_ptr<const std::atomic_bool>;

    explicit LogReader(QObject *parent = nullptr);

    /// The record to read; until it exists the log is empty.
    void setPath(const std::string &path);
    void setFilter(ports::Generation generation, const record::Filter &filter, const Stop &stop);
    void readPages(ports::Generation generation, const QList<int> &pages);
    void readDetail(std::uint64_t request, const std::string &eventId);
    void readHistogram(ports::Generation generation, int bars);
    void findDenial(ports::Generation generation, std::int64_t fromRow, ports::Direction direction);

Q_SIGNALS:
    void indexed(portcullis::ports::Generation generation, const portcullis::ports::LogIndex &index);
    void pageReady(portcullis::ports::Generation generation, int page, const QList<portcullis::record::Event> &rows);
    void tailGrew(portcullis::ports::Generation generation, std::int64_t count,
                  const QList<std::int64_t> &newFirstRows);
    void rowsCompleted(portcullis::ports::Generation generation);
    void outdated(portcullis::ports::Generation generation);
    void histogramReady(portcullis::ports::Generation generation, const portcullis::ports::LogHistogram &histogram);
    void detailReady(std::uint64_t request, const portcullis::ports::LogDetail &detail);
    void neighbourFound(portcullis::ports::Generation generation, std::optional<std::int64_t> row);
    void failed(portcullis::ports::Generation generation, const portcullis::ports::LogError &error);

private:
    enum class Opened { Yes, NotThere, Failed };

    Opened open();
    void retryOpening();
    void index();
    void poll();
    void look(const audit::Changes &changes);
    void extendTail();
    bool completedChangeMatch(const std::vector<std::int64_t> &completed);
    bool sendPage(int page);
    void fail(const audit::AuditError &error);

    std::string m_path;
    std::unique_ptr<audit::AuditReader> m_reader;
    record::Filter m_filter;
    ports::Generation m_generation = 0;
    Stop m_stop;
    audit::Anchors m_anchors;
    audit::Changes m_seen;
    audit::AuditError m_openError;
    int m_openFailures = 0;
    bool m_wanted = false; ///< a filter was set
    bool m_indexed = false; ///< and is in force
    QTimer m_indexing;
    QTimer m_poll;
};

} // namespace portcullis::console
