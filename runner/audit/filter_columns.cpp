// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/reader_private.h"

namespace portcullis::audit {
namespace {

using record::Event;
using record::Field;

std::string_view numberColumns(Field field)
{
    switch (field) {
    case Field::WouldDeny:
        return "e.would_deny";
    case Field::Exit:
        return "e.exit_code";
    case Field::Took:
        return "e.started_us, e.finished_us";
    case Field::Output:
        return "e.output_bytes";
    default:
        return "e.time_us";
    }
}

template <class E>
void setName(E &value, const std::string &name)
{
    value = fromName<E>(name).value_or(value);
}

void setText(Event &event, Field field, std::string text)
{
    switch (field) {
    case Field::Id:
        event.id = std::move(text);
        break;
    case Field::Gateway:
        event.gateway = std::move(text);
        break;
    case Field::Tenant:
        event.tenant = std::move(text);
        break;
    case Field::Agent:
        event.agent = std::move(text);
        break;
    case Field::Session:
        event.session = std::move(text);
        break;
    case Field::Origin:
        setName(event.origin, text);
        break;
    case Field::Kind:
        setName(event.kind, text);
        break;
    case Field::Verdict:
        setName(event.verdict, text);
        break;
    case Field::Check:
        event.check = std::move(text);
        break;
    case Field::Group:
        event.group = std::move(text);
        break;
    case Field::Rule:
        event.rule = std::move(text);
        break;
    case Field::Dynamic:
        event.dynamic = std::move(text);
        break;
    case Field::Backend:
        event.backend = std::move(text);
        break;
    case Field::Level:
        event.level = std::move(text);
        break;
    case Field::Outcome:
        setName(event.outcome, text);
        break;
    case Field::Cwd:
        event.cwd = std::move(text);
        break;
    case Field::Config:
        event.configDigest = std::move(text);
        break;
    default:
        break;
    }
}

/// Reads the columns of a number field; returns how many there were.
int setNumber(Event &event, Field field, const Statement &statement, int column)
{
    switch (field) {
    case Field::WouldDeny:
        event.wouldDeny = statement.integerAt(column) != 0;
        return 1;
    case Field::Exit:
        if (const auto code = statement.optionalAt(column))
            event.exitCode = static_cast<int>(*code);
        return 1;
    case Field::Took:
        event.startedUs = statement.integerAt(column);
        event.finishedUs = statement.integerAt(column + 1);
        return 2;
    case Field::Output:
        event.outputBytes = statement.integerAt(column);
        return 1;
    default:
        event.timeUs = statement.integerAt(column);
        return 1;
    }
}

} // namespace

std::string filterColumns(const record::FilterSql &filter)
{
    std::string sql = "e.command, ";
    sql += filter.respelled
        ? "CASE WHEN e.respelled THEN (SELECT n.normalised FROM details n WHERE n.row = e.row) ELSE '' END"
        : "''";
    for (const Field field : filter.fields) {
        const std::string_view text = record::textColumn(field);
        sql += text.empty() ? ", " + std::string(numberColumns(field)) : ", " + std::string(text);
    }
    return sql;
}

Event readFilterColumns(const Statement &statement, int first, const record::FilterSql &filter)
{
    Event event;
    int column = first;
    event.command = statement.bytesAt(column++);
    event.normalised = statement.bytesAt(column++);
    for (const Field field : filter.fields) {
        if (record::textColumn(field).empty())
            column += setNumber(event, field, statement, column);
        else
            setText(event, field, statement.bytesAt(column++));
    }
    return event;
}

} // namespace portcullis::audit
