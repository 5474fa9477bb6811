// SPDX-License-Identifier: Apache-2.0
#include "app/console/audit_log_source.h"

namespace portcullis::console {

AuditLogSource::AuditLogSource(QObject *parent)
    : LogSource(parent), m_reader(new LogReader), m_stop(std::make_shared<std::atomic_bool>(false))
{
    m_thread.setObjectName(QStringLiteral("log reader"));
    m_reader->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_reader, &QObject::deleteLater);
    connect(m_reader, &LogReader::indexed, this, &LogSource::indexed);
    connect(m_reader, &LogReader::pageReady, this, &LogSource::pageReady);
    connect(m_reader, &LogReader::tailGrew, this, &LogSource::tailGrew);
    connect(m_reader, &LogReader::rowsCompleted, this, &LogSource::rowsCompleted);
    connect(m_reader, &LogReader::outdated, this, &LogSource::outdated);
    connect(m_reader, &LogReader::histogramReady, this, &LogSource::histogramReady);
    connect(m_reader, &LogReader::detailReady, this, &LogSource::detailReady);
    connect(m_reader, &LogReader::neighbourFound, this, &LogSource::neighbourFound);
    connect(m_reader, &LogReader::failed, this, &LogSource::failed);
    m_thread.start();
}

AuditLogSource::~AuditLogSource()
{
    *m_stop = true;
    m_thread.quit();
    m_thread.wait();
}

void AuditLogSource::setPath(const std::string &path)
{
    QMetaObject::invokeMethod(m_reader, [reader = m_reader, path] { reader->setPath(path); });
}

void AuditLogSource::setFilter(ports::Generation generation, const record::Filter &filter)
{
    *m_stop = true;
    m_stop = std::make_shared<std::atomic_bool>(false);
    QMetaObject::invokeMethod(m_reader, [reader = m_reader, generation, filter, stop = LogReader::Stop(m_stop)] {
        reader->setFilter(generation, filter, stop);
    });
}

void AuditLogSource::requestPages(ports::Generation generation, const QList<int> &pages)
{
    QMetaObject::invokeMethod(m_reader,
                              [reader = m_reader, generation, pages] { reader->readPages(generation, pages); });
}

void AuditLogSource::requestDetail(std::uint64_t request, const std::string &eventId)
{
    QMetaObject::invokeMethod(m_reader,
                              [reader = m_reader, request, eventId] { reader->readDetail(request, eventId); });
}

void AuditLogSource::requestDenial(ports::Generation generation, std::int64_t fromRow, ports::Direction direction)
{
    QMetaObject::invokeMethod(m_reader, [reader = m_reader, generation, fromRow, direction] {
        reader->findDenial(generation, fromRow, direction);
    });
}

void AuditLogSource::requestHistogram(ports::Generation generation, int bars)
{
    QMetaObject::invokeMethod(m_reader,
                              [reader = m_reader, generation, bars] { reader->readHistogram(generation, bars); });
}

} // namespace portcullis::console
