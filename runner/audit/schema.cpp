// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/schema.h"

#include <array>
#include <format>
#include <tuple>

namespace portcullis::audit {
namespace {

// Names of the vocabulary are stored as text: they are stable, and an auditor can read them with any SQLite tool.
constexpr std::array<std::string_view, 13> version1{
    R"(CREATE TABLE configurations (
        id INTEGER PRIMARY KEY,
        digest TEXT NOT NULL UNIQUE,
        canonical TEXT,
        first_seen_us INTEGER NOT NULL))",

    R"(CREATE TABLE events (
        row INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        time_us INTEGER NOT NULL,
        kind TEXT NOT NULL,
        gateway TEXT NOT NULL,
        tenant TEXT NOT NULL,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        origin TEXT NOT NULL,
        command TEXT NOT NULL,
        masked INTEGER NOT NULL,
        cwd TEXT NOT NULL,
        verdict TEXT NOT NULL,
        check_name TEXT NOT NULL,
        group_name TEXT NOT NULL,
        rule TEXT NOT NULL,
        would_deny INTEGER NOT NULL,
        dynamic TEXT NOT NULL,
        backend TEXT NOT NULL,
        level TEXT NOT NULL,
        outcome TEXT NOT NULL,
        exit_code INTEGER,
        signal INTEGER,
        started_us INTEGER NOT NULL,
        finished_us INTEGER NOT NULL,
        output_bytes INTEGER NOT NULL,
        dropped_bytes INTEGER NOT NULL,
        config INTEGER REFERENCES configurations(id)))",

    R"(CREATE TABLE details (
        row INTEGER PRIMARY KEY REFERENCES events(row),
        parent TEXT NOT NULL,
        normalised TEXT,
        masks TEXT NOT NULL,
        argv BLOB NOT NULL,
        shell TEXT NOT NULL,
        timeout_s INTEGER,
        sandbox TEXT NOT NULL,
        shell_asked TEXT,
        wants_stdin INTEGER NOT NULL,
        title TEXT NOT NULL,
        code TEXT NOT NULL,
        reason TEXT NOT NULL,
        advice TEXT NOT NULL,
        blockers TEXT NOT NULL,
        trace TEXT NOT NULL,
        spans TEXT NOT NULL,
        obfuscated INTEGER NOT NULL,
        mode TEXT NOT NULL,
        missing TEXT NOT NULL,
        error TEXT NOT NULL,
        note TEXT NOT NULL,
        engine TEXT NOT NULL,
        host_facts TEXT NOT NULL,
        runner TEXT NOT NULL,
        detail TEXT NOT NULL))",

    R"(CREATE TABLE outputs (
        row INTEGER PRIMARY KEY REFERENCES events(row),
        out BLOB NOT NULL,
        err BLOB NOT NULL,
        out_dropped INTEGER NOT NULL,
        err_dropped INTEGER NOT NULL))",

    R"(CREATE TABLE heartbeats (
        runner TEXT PRIMARY KEY,
        config_digest TEXT NOT NULL,
        engine TEXT NOT NULL,
        role TEXT NOT NULL,
        time_us INTEGER NOT NULL) WITHOUT ROWID)",

    R"(CREATE TABLE policy_revisions (
        id INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        digest TEXT NOT NULL,
        content TEXT NOT NULL,
        author TEXT NOT NULL,
        message TEXT NOT NULL,
        source TEXT NOT NULL,
        time_us INTEGER NOT NULL))",

    "CREATE UNIQUE INDEX events_id ON events(id)",
    "CREATE INDEX events_time ON events(time_us, verdict)", // with the verdict it answers the histogram alone
    "CREATE INDEX events_tenant ON events(tenant)",
    "CREATE INDEX events_verdict ON events(verdict)",
    // Most rows have no rule and have ended normally: indexes of the others alone cost little when rows are written.
    "CREATE INDEX events_rule ON events(rule) WHERE rule <> ''",
    "CREATE INDEX events_outcome ON events(outcome) WHERE outcome NOT IN ('exited', 'not_started')",
    "CREATE INDEX policy_revisions_tenant ON policy_revisions(tenant)",
};

/// Which commands hide words (`record::isRespelled`), so that a search looks at the details of these alone. Cheap: rows
/// that are there are not written again.
constexpr std::array<std::string_view, 1> version2{
    "ALTER TABLE events ADD COLUMN respelled INTEGER NOT NULL DEFAULT 0",
};

constexpr std::array<Migration, 2> allSteps{Migration{1, version1}, Migration{2, version2}};

Result<void, AuditError> applyStep(const Connection &connection, const Migration &step)
{
    for (const std::string_view sql : step.statements) {
        if (auto done = connection.execute(sql, "migrate"); !done)
            return done;
    }
    return connection.execute(std::format("PRAGMA user_version = {}", step.version), "migrate");
}

/// Who made the file: its schema version, 0 for a new one. Read in one statement, that is in one transaction: another
/// process may be making the record at this moment.
Result<int, AuditError> identify(const Connection &connection, int newest)
{
    auto statement = connection.prepare("SELECT (SELECT application_id FROM pragma_application_id), "
                                        "(SELECT user_version FROM pragma_user_version), "
                                        "(SELECT count(*) FROM sqlite_schema)",
                                        "identify");
    if (!statement)
        return failure(statement.error());
    if (auto done = statement->run("identify"); !done)
        return failure(done.error());
    if (!statement->next())
        return failure(statement->failed("identify").value_or(connection.error(AuditError::Code::Corrupt, "identify")));
    const std::int64_t mark = statement->integerAt(0);
    const auto version = static_cast<int>(statement->integerAt(1));
    const std::int64_t tables = statement->integerAt(2);
    statement->finish();
    if (mark == applicationId && version > newest) {
        AuditError error = connection.error(AuditError::Code::NewerVersion, "identify");
        error.version = version;
        return failure(error);
    }
    if (mark != applicationId && (mark != 0 || version != 0 || tables != 0))
        return failure(connection.error(AuditError::Code::NotARecord, "identify"));
    return version;
}

Result<void, AuditError> migrateLocked(const Connection &connection, std::span<const Migration> steps)
{
    // Looked at again under the lock: another process may have been faster.
    const auto version = identify(connection, steps.back().version);
    if (!version)
        return failure(version.error());
    if (auto marked = connection.execute(std::format("PRAGMA application_id = {}", applicationId), "migrate"); !marked)
        return marked;
    for (const Migration &step : steps) {
        if (step.version <= *version)
            continue;
        if (auto done = applyStep(connection, step); !done)
            return done;
    }
    return {};
}

} // namespace

std::span<const Migration> migrations()
{
    return allSteps;
}

int schemaVersion()
{
    return allSteps.back().version;
}

Result<void, AuditError> migrate(const Connection &connection, std::span<const Migration> steps)
{
    const auto version = identify(connection, steps.back().version);
    if (!version)
        return failure(version.error());
    if (*version == steps.back().version)
        return {};
    if (auto begun = connection.execute("BEGIN IMMEDIATE", "migrate"); !begun)
        return begun;
    auto done = migrateLocked(connection, steps);
    if (done)
        done = connection.execute("COMMIT", "migrate");
    if (!done)
        std::ignore = connection.execute("ROLLBACK", "migrate");
    return done;
}

Result<void, AuditError> checkWritable(const Connection &connection)
{
    const auto version = identify(connection, schemaVersion());
    return version ? Result<void, AuditError>() : failure(version.error());
}

Result<void, AuditError> checkReadable(const Connection &connection)
{
    const auto version = identify(connection, schemaVersion());
    if (!version)
        return failure(version.error());
    if (*version < oldestReadable) {
        // Without a schema there is nothing to read; a writer brings an old one up to date.
        AuditError error = connection.error(AuditError::Code::CannotOpen, "identify");
        error.version = *version;
        return failure(error);
    }
    return {};
}

} // namespace portcullis::audit
