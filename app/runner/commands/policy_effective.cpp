// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_validate.h"
#include "runner/base/nearest.h"
#include "runner/config/json5.h"
#include "runner/policy/keys.h"
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

std::string rowJson(const Row &row)
{
    return std::format(
        R"({{"key":{},"value":{},"origin":{{"layer":"{}","file":{},"line":{},"column":{},"pointer":{}}}}})",
        config::quoteJson(row.key), row.value, nameOf(row.source.layer), config::quoteJson(row.source.file),
        row.source.line, row.source.column, config::quoteJson(row.source.pointer));
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
                + "  " + text::sourceText(row.source).toStdString() + '\n';
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
    const std::vector<Row> rows = rowsFor(configuration->effective(tenant, agent), word);
    if (rows.empty())
        return unknownKey(context, word);
    print(context, rows, tenant, agent, configuration->digest());
    return code(Exit::Ok);
}

} // namespace portcullis::cli
