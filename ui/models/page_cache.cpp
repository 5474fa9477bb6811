// SPDX-License-Identifier: Apache-2.0
#include "ui/models/page_cache.h"

#include <algorithm>
#include <array>

namespace portcullis::ui {

namespace {

std::int64_t sizeOf(const record::Event &event)
{
    const std::array texts{&event.command,      &event.normalised, &event.reason, &event.advice,
                           &event.blockersJson, &event.traceJson,  &event.cwd,    &event.hostFactsJson,
                           &event.note,         &event.error};
    std::int64_t bytes = sizeof(record::Event);
    for (const std::string *text : texts)
        bytes += static_cast<std::int64_t>(text->size());
    for (const std::string &argument : event.argv)
        bytes += static_cast<std::int64_t>(argument.size() + sizeof(std::string));
    return bytes;
}

} // namespace

void PageCache::insert(int page, const QList<record::Event> &rows)
{
    Page fresh{.rows = rows, .bytes = 0, .used = ++m_clock, .stale = false};
    for (const record::Event &event : rows)
        fresh.bytes += sizeOf(event);
    m_bytes += fresh.bytes - m_pages.value(page).bytes;
    m_pages.insert(page, fresh);
    evict(page);
}

void PageCache::clear()
{
    m_pages.clear();
    m_bytes = 0;
}

const record::Event *PageCache::row(int page, int indexInPage)
{
    const auto found = m_pages.find(page);
    if (found == m_pages.end() || indexInPage >= found->rows.size())
        return nullptr;
    found->used = ++m_clock;
    return &std::as_const(found->rows).at(indexInPage);
}

int PageCache::rowsOf(int page) const
{
    const auto found = m_pages.constFind(page);
    return found == m_pages.cend() ? 0 : static_cast<int>(found->rows.size());
}

bool PageCache::wanted(int page) const
{
    const auto found = m_pages.constFind(page);
    return found == m_pages.cend() || found->stale;
}

void PageCache::markStale(int page)
{
    if (const auto found = m_pages.find(page); found != m_pages.end())
        found->stale = true;
}

QList<int> PageCache::markUnfinishedStale()
{
    QList<int> marked;
    for (auto page = m_pages.begin(); page != m_pages.end(); ++page) {
        if (std::ranges::any_of(page->rows, [](const auto &event) { return event.outcome == Outcome::Running; })) {
            page->stale = true;
            marked.append(page.key());
        }
    }
    return marked;
}

int PageCache::indexOf(int page, std::int64_t storageRow) const
{
    const auto found = m_pages.constFind(page);
    if (found == m_pages.cend())
        return -1;
    const auto &rows = found->rows;
    const auto at = std::ranges::lower_bound(rows, storageRow, {}, &record::Event::row);
    return at != rows.end() && at->row == storageRow ? static_cast<int>(std::distance(rows.begin(), at)) : -1;
}

void PageCache::evict(int keep)
{
    while (m_pages.size() > 1 && (m_pages.size() > m_bounds.pages || m_bytes > m_bounds.bytes)) {
        auto oldest = m_pages.end();
        for (auto page = m_pages.begin(); page != m_pages.end(); ++page) {
            if (page.key() != keep && (oldest == m_pages.end() || page->used < oldest->used))
                oldest = page;
        }
        m_bytes -= oldest->bytes;
        m_pages.erase(oldest);
    }
}

} // namespace portcullis::ui
