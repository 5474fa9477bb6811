// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_validate.h"
#include "runner/base/nearest.h"
#include "runner/config/json5.h"
#include "runner/policy/keys.h"
#include "runner/policy/problem.h"
#include "ui/text/problem_text.h"
#include "ui/text/visible_text.h"

#include <algorithm>
#include <format>

namespace portcullis::cli {
namespace {

using policy::KeySpec;

struct Row {
    std::string key;
    std::string value; ///< JSON
    policy::Source source;
    std::vector<const policy::Problem *> overruled{}; ///< what the tenant's policy asks for and does not get
};

/// The keys that a word means: one key, or all below it (`sandbox`).
std::vector<Row> rowsFor(const policy::Effective &effective, std::string_view word)
{
    std::vector<Row> rows;
    for (const KeySpec &key : policy::keys()) {
        if (!word.empty() && key.name != word && !key.name.starts_with(std::string(word) + '.'))
            continue;
        const policy::Sourced<policy::KeyValue> value = key.load(effective);
        rows.push_back({key.name, policy::toJson(value.value), value.source});
    }
    return rows;
}

/// `/limits/timeout_seconds` of `limits.timeout_seconds`, below `parent`.
std::string pointerOf(std::string parent, std::string_view key)
{
    while (!key.empty()) {
        const std::size_t end = std::min(key.find('.'), key.size());
        parent = policy::pointerTo(parent, key.substr(0, end));
        key.remove_prefix(std::min(end + 1, key.size()));
    }
    return parent;
}

void addOverruled(const policy::Configuration &configuration, const std::string &tenant, const std::string &agent,
                  std::vector<Row> &rows)
{
    const std::string ofAgent = policy::pointerTo("/agents", agent);
    for (const policy::Problem &problem : configuration.problems()) {
        if (problem.tenant != tenant || problem.code != nameOf(policy::ProblemCode::CannotLoosen))
            continue;
        const auto row = std::ranges::find_if(rows, [&](const Row &each) {
            return problem.pointer == pointerOf({}, each.key) || problem.pointer == pointerOf(ofAgent, each.key);
        });
        if (row != rows.end())
            row->overruled.push_back(&problem);
    }
}

std::string overruledJson(const Row &row)
{
    std::string out;
    for (const policy::Problem *problem : row.overruled)
        out += (out.empty() ? "" : ",")
            + std::format(R"({{"value":{},"file":{},"line":{},"column":{},"pointer":{}}})",
                          config::quoteJson(problem->found), config::quoteJson(problem->file), problem->line,
                          problem->column, config::quoteJson(problem->pointer));
    return out.empty() ? out : R"(,"overruled":[)" + out + ']';
}

std::string overruledLines(const Row &row)
{
    std::string out;
    for (const policy::Problem *problem : row.overruled)
        out += std::format("  not taken: \"{}\" of {}:{}, since a policy cannot loosen this\n",
                           text::visibleText(problem->found).toStdString(),
                           text::visibleText(problem->file).toStdString(), problem->line);
    return out;
}

std::string rowJson(const Row &row)
{
    return std::format(
        R"({{"key":{},"value":{},"origin":{{"layer":"{}","file":{},"line":{},"column":{},"pointer":{}}}{}}})",
        config::quoteJson(row.key), row.value, nameOf(row.source.layer), config::quoteJson(row.source.file),
        row.source.line, row.source.column, config::quoteJson(row.source.pointer), overruledJson(row));
}

void print(CommandContext &context, const std::vector<Row> &rows, const std::string &tenant, const std::string &agent,
           const std::string &digest)
{
    std::string out;
    if (context.arguments().has("json")) {
        for (const Row &row : rows)
            out += (out.empty() ? "" : ",") + rowJson(row);
        out = std::format(R"({{"tenant":{},"agent":{},"config":{},"values":[{}]}})", config::quoteJson(tenant),
                          config::quoteJson(agent), config::quoteJson(digest), out)
            + '\n';
    } else {
        std::size_t width = 0;
        for (const Row &row : rows)
            width = std::max(width, row.key.size() + row.value.size() + 3);
        for (const Row &row : rows) {
            const std::string left = row.key + " = " + row.value;
            out += left
                + std::string(std::min<std::size_t>(width, 60) > left.size()
                                  ? std::min<std::size_t>(width, 60) - left.size()
                                  : 0,
                              ' ')
                + "  " + text::sourceText(row.source).toStdString() + '\n' + overruledLines(row);
        }
    }
    context.out(out);
}

int unknownKey(CommandContext &context, const std::string &word)
{
    std::vector<std::string_view> names;
    for (const KeySpec &key : policy::keys())
        names.push_back(key.name);
    const std::string_view nearest = nearestName(word, names);
    context.err("policy: there is no key \"" + text::visibleText(word).toStdString() + '"'
                + (nearest.empty() ? "" : "; did you mean \"" + std::string(nearest) + "\"?") + '\n');
    return code(Exit::Usage);
}

} // namespace

int policyEffective(CommandContext &context)
{
    const Arguments &arguments = context.arguments();
    const std::string tenant = arguments.value("tenant").value_or(std::string());
    const std::string agent = arguments.value("agent").value_or("main");
    if (!policy::isSlug(tenant) || arguments.operands.size() > 2) {
        context.err("policy: usage: policy effective --tenant SLUG [--agent ID] [KEY]\n");
        return code(Exit::Usage);
    }
    const std::string word = arguments.operands.size() > 1 ? arguments.operands[1] : std::string();
    const auto configuration = context.configuration();
    if (!configuration)
        return code(Exit::Configuration);
    if (!configuration->isKnown(tenant)) {
        context.reportTenant(tenant);
        return code(Exit::Configuration);
    }
    if (configuration->isBroken(tenant)) {
        std::vector<policy::Problem> own;
        std::ranges::copy_if(configuration->problems(), std::back_inserter(own),
                             [&](const policy::Problem &problem) { return problem.tenant == tenant; });
        context.err(text::problemLines(own));
        return code(Exit::Configuration);
    }
    std::vector<Row> rows = rowsFor(configuration->effective(tenant, agent), word);
    if (rows.empty())
        return unknownKey(context, word);
    addOverruled(*configuration, tenant, agent, rows);
    print(context, rows, tenant, agent, configuration->digest());
    return code(Exit::Ok);
}

} // namespace portcullis::cli
