// SPDX-License-Identifier: Apache-2.0

// Revisions of tenant policies: writing and reading.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "runner/audit/reader_private.h"
#include "runner/audit/writer_private.h"

#include <charconv>

namespace portcullis::audit {
namespace {

constexpr std::string_view columns =
    "SELECT id, tenant, digest, content, author, message, source, time_us FROM policy_revisions ";

Revision readRevision(const Statement &statement)
{
    return {statement.integerAt(0), statement.bytesAt(1), statement.bytesAt(2), statement.bytesAt(3),
            statement.bytesAt(4),   statement.bytesAt(5), statement.bytesAt(6), statement.integerAt(7)};
}

} // namespace

Result<std::int64_t, AuditError> AuditWriter::storeRevision(const Revision &revision)
{
    if (auto there = inPlace(); !there)
        return failure(there.error());
    auto statement = d->connection->prepare(
        "INSERT INTO policy_revisions (tenant, digest, content, author, message, source, time_us) VALUES "
        "(?, ?, ?, ?, ?, ?, ?)",
        "revision");
    if (!statement)
        return failure(statement.error());
    statement->text(revision.tenant).text(revision.digest).text(revision.content).text(revision.author);
    statement->text(revision.message).text(revision.source).integer(revision.timeUs);
    if (auto done = statement->run("revision"); !done)
        return failure(done.error());
    return statement->lastInsertRow();
}

Result<Revision, AuditError> AuditReader::revision(std::string_view id)
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (error != std::errc() || end != id.data() + id.size())
        return failure(d->error(AuditError::Code::NotFound, "revision"));
    auto statement = d->connection->prepare(std::string(columns) + "WHERE id = ?", "revision");
    if (!statement)
        return failure(statement.error());
    if (auto done = statement->integer(number).run("revision"); !done)
        return failure(done.error());
    if (!statement->next())
        return failure(statement->failed("revision").value_or(d->error(AuditError::Code::NotFound, "revision")));
    Revision revision = readRevision(*statement);
    statement->finish();
    return revision;
}

Result<std::vector<Revision>, AuditError> AuditReader::revisions(std::string_view tenant, int limit)
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    auto statement = d->connection->prepare(
        std::string(columns)
            + (tenant.empty() ? "ORDER BY id DESC LIMIT ?" : "WHERE tenant = ? ORDER BY id DESC LIMIT ?"),
        "revisions");
    if (!statement)
        return failure(statement.error());
    if (!tenant.empty())
        statement->text(tenant);
    if (auto done = statement->integer(limit).run("revisions"); !done)
        return failure(done.error());
    std::vector<Revision> found;
    while (statement->next())
        found.push_back(readRevision(*statement));
    const auto failed = statement->failed("revisions");
    statement->finish();
    if (failed)
        return failure(*failed);
    return found;
}

} // namespace portcullis::audit
