// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/log_source.h"

#include <QList>

#include <functional>

namespace portcullis::test {

/// A log in memory that answers when it is told to: late, out of order, or for a filter that was overtaken.
/// With `immediate` it answers inside the call, as a source in the same thread may.
class ScriptedLog : public ports::LogSource
{
    Q_OBJECT

public:
    struct Asked {
        ports::Generation generation = 0;
        QList<int> pages;
    };

    /// `rows` events with storage numbers 10, 20, 30 …; every tenth is refused.
    explicit ScriptedLog(int rows, bool immediate = true);

    static record::Event makeEvent(int index);

    void setFilter(ports::Generation generation, const record::Filter &filter) override;
    void requestPages(ports::Generation generation, const QList<int> &pages) override;
    void requestDetail(std::uint64_t request, const std::string &eventId) override;
    void requestDenial(ports::Generation generation, std::int64_t fromRow, ports::Direction direction) override;

    void requestHistogram(ports::Generation generation, int bars) override;

    void answerIndex(ports::Generation generation);
    void answerPage(ports::Generation generation, int page);
    /// Adds rows and announces them as a source does: last page first, then the new total.
    void grow(int rows, bool pageAhead = true);
    /// Adds a row that the test has made; its storage number is set.
    void append(record::Event event);
    /// The two halves of `append`.
    void addUnannounced(record::Event event);
    void announceLast();

    [[nodiscard]] int rowCount() const { return static_cast<int>(m_rows.size()); }
    QList<record::Event> &rows() { return m_rows; }

    QList<Asked> asked;
    int filtersSet = 0;
    int histogramsAsked = 0;
    ports::Generation latest = 0;
    record::Output output; ///< of every row

private:
    QList<record::Event> m_rows;
    bool m_immediate;
};

} // namespace portcullis::test
