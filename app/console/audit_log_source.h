// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/console/log_reader.h"
#include "runner/ports/log_source.h"

#include <QThread>

#include <atomic>
#include <memory>

namespace portcullis::console {

/// The record as the log page's port: hands every request to a reader in a thread of its own and passes its answers on.
class AuditLogSource : public ports::LogSource
{
    Q_OBJECT

public:
    explicit AuditLogSource(QObject *parent = nullptr);
    /// Stops what the reader does and waits for its thread, some milliseconds.
    ~AuditLogSource() override;

    void setPath(const std::string &path);

    void setFilter(ports::Generation generation, const record::Filter &filter) override;
    void requestPages(ports::Generation generation, const QList<int> &pages) override;
    void requestDetail(std::uint64_t request, const std::string &eventId) override;
    void requestDenial(ports::Generation generation, std::int64_t fromRow,
                       portcullis::ports::Direction direction) override;
    void requestHistogram(ports::Generation generation, int bars) override;

private:
    QThread m_thread;
    LogReader *m_reader;
    std::shared_ptr<std::atomic_bool> m_stop; ///< of the filter in force
};

} // namespace portcullis::console
