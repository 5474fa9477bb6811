// SPDX-License-Identifier: Apache-2.0

// The record of 1,000,000 rows that the log page reads: first page, any page, a filter by an indexed field, a text
// search; in processor time, since nothing else happens in that thread. Peer: SQLite alone with the question that comes
// closest.

#include "runner/audit/audit_reader.h"
#include "tests/bench/bench.h"
#include "tests/bench/large_record.h"

#include <sqlite3.h>

#include <QCoreApplication>
#include <QTemporaryDir>

#include <random>

using namespace portcullis;

namespace {

record::Filter filterOf(std::string_view text)
{
    auto filter = record::Filter::parse(text, {});
    if (!filter)
        qFatal("filter");
    return std::move(*filter);
}

std::unique_ptr<audit::AuditReader> openReader(const std::string &path)
{
    auto reader = audit::AuditReader::open(path);
    if (!reader)
        qFatal("reader");
    return std::move(*reader);
}

audit::Anchors indexOf(audit::AuditReader &reader, const record::Filter &filter)
{
    audit::Anchors anchors;
    while (!anchors.complete) {
        if (!reader.extendAnchors(filter, anchors))
            qFatal("anchors");
    }
    return anchors;
}

/// As the log page does it: index of all pages, then the last page.
void indexAndPage(audit::AuditReader &reader, const record::Filter &filter)
{
    const audit::Anchors anchors = indexOf(reader, filter);
    if (!anchors.firstRows.empty() && !reader.page(filter, anchors.firstRows.back(), audit::pageRows))
        qFatal("page");
}

/// Runs one statement to its end.
class Bare
{
public:
    explicit Bare(const std::string &path)
    {
        if (sqlite3_open_v2(path.c_str(), &m_database, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK)
            qFatal("sqlite");
    }
    ~Bare() { sqlite3_close(m_database); }
    Bare(const Bare &) = delete;
    Bare &operator=(const Bare &) = delete;

    void run(const std::string &sql) const
    {
        sqlite3_stmt *statement = nullptr;
        if (sqlite3_prepare_v2(m_database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
            qFatal("%s", sqlite3_errmsg(m_database));
        while (sqlite3_step(statement) == SQLITE_ROW) {
            for (int i = 0; i < sqlite3_column_count(statement); ++i)
                static_cast<void>(sqlite3_column_blob(statement, i));
        }
        sqlite3_finalize(statement);
    }

private:
    sqlite3 *m_database = nullptr;
};

template <class Ours, class Theirs>
void inTurns(const char *what, int times, Ours ours, Theirs theirs, bench::Goal goal)
{
    std::vector<double> mine;
    std::vector<double> bare;
    ours();
    theirs();
    for (int i = 0; i < times; ++i) {
        mine.push_back(bench::measured(1, bench::threadMicroseconds, ours).front());
        bare.push_back(bench::measured(1, bench::threadMicroseconds, theirs).front());
    }
    bench::row(what, {bench::median(mine) / 1000, "ms"}, bench::Peer{"SQLite alone", bench::median(bare) / 1000}, goal);
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("audit.db")).toStdString();
    if (!bench::makeLargeRecord(path))
        return 1;
    const auto reader = openReader(path);
    const Bare bare(path);
    const record::Filter all;
    const audit::Anchors anchors = indexOf(*reader, all);
    std::mt19937_64 random(1);
    const auto anyRow = [&] { return anchors.firstRows[random() % anchors.firstRows.size()]; };
    const std::string page = "SELECT * FROM events e JOIN details d ON d.row = e.row WHERE e.row >= ";

    inTurns(
        "log, 1,000,000 rows: open and index", 5, [&] { indexAndPage(*openReader(path), all); },
        [&] { Bare(path).run("SELECT row FROM events"); }, bench::atMost(300));
    inTurns(
        "log: any page", 100, [&] { static_cast<void>(reader->page(all, anyRow(), audit::pageRows)); },
        [&] { bare.run(page + std::to_string(anyRow()) + " LIMIT 256"); }, bench::atMost(10));
    const record::Filter rule = filterOf("rule:rare-rule");
    inTurns(
        "log: filter by rule (indexed)", 20, [&] { indexAndPage(*reader, rule); },
        [&] { bare.run("SELECT row FROM events WHERE rule = 'rare-rule' AND rule <> ''"); }, bench::atMost(50));
    const record::Filter tenant = filterOf("tenant:globex");
    inTurns(
        "log: filter by tenant (indexed, a third of the rows)", 10, [&] { indexAndPage(*reader, tenant); },
        [&] { bare.run("SELECT row FROM events WHERE tenant = 'globex'"); }, bench::atMost(50));
    const record::Filter text = filterOf("needle");
    inTurns(
        "log: text search", 10, [&] { indexAndPage(*reader, text); },
        [&] { bare.run("SELECT row FROM events WHERE command LIKE '%needle%'"); }, bench::atMost(200));
    return 0;
}
