// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QFile>
#include <QtTest>

namespace portcullis::test {

namespace {

rules::RuleMatches matchesOf(const QByteArray &command, Dialect dialect)
{
    shell::EvaluationContext context;
    context.dialect = dialect;
    context.cwd = "/home/agent/project";
    context.variables = {{"HOME", "/home/agent"},
                         {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                         {"PWD", "/home/agent/project"},
                         {"TMPDIR", "/tmp"},
                         {"USER", "agent"}};
    const std::string text = command.toStdString();
    return shippedRules()->match(shell::evaluate(text, context), text);
}

} // namespace

std::vector<rules::Rule> readShippedRules()
{
    std::vector<rules::Rule> all;
    for (std::size_t i = 0; i < denyGroupCount; ++i) {
        const std::string_view group = nameOf(static_cast<Group>(i));
        QFile file(QStringLiteral(PORTCULLIS_TEST_RESOURCE_DIR "/rules/%1.json").arg(QLatin1StringView(group)));
        if (!file.open(QIODevice::ReadOnly)) {
            QTest::qFail(qPrintable(file.fileName() + QStringLiteral(" is missing")), __FILE__, __LINE__);
            continue;
        }
        auto rules = rules::parseRules(file.readAll().toStdString());
        if (!rules) {
            const rules::RuleError &error = rules.error();
            const std::string text = std::string(group) + ":" + std::to_string(error.line) + ":"
                + std::to_string(error.column) + ": " + error.rule + " " + error.key + " " + error.detail;
            QTest::qFail(text.c_str(), __FILE__, __LINE__);
            continue;
        }
        all.insert(all.end(), rules->begin(), rules->end());
    }
    return all;
}

std::shared_ptr<const rules::RuleSet> shippedRules()
{
    static const auto set = [] {
        const auto compiled = rules::RuleSet::compile(readShippedRules(), false);
        if (!compiled) {
            for (const rules::RuleError &error : compiled.error())
                qWarning("%s: %s: %s", error.rule.c_str(), error.key.c_str(), error.detail.c_str());
        }
        return compiled ? *compiled : nullptr;
    }();
    return set;
}

QStringList refusingGroups(const QByteArray &command, Dialect dialect)
{
    QStringList groups;
    for (const rules::RuleHit &hit : matchesOf(command, dialect).hits) {
        const std::string_view name = nameOf(*hit.rule->group);
        if (!groups.contains(QLatin1StringView(name)))
            groups << QLatin1StringView(name);
    }
    return groups;
}

QStringList refusingRules(const QByteArray &command, Dialect dialect)
{
    QStringList ids;
    for (const rules::RuleHit &hit : matchesOf(command, dialect).hits)
        ids << QString::fromStdString(hit.rule->id);
    return ids;
}

void addCommandRows(std::span<const char *const> commands)
{
    QTest::addColumn<QByteArray>("command");
    for (const char *const command : commands)
        QTest::addRow("%s", command) << QByteArray(command);
}

} // namespace portcullis::test
