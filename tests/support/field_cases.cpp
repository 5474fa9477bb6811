// SPDX-License-Identifier: Apache-2.0
#include "tests/support/field_cases.h"

#include "tests/support/decision_setup.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace portcullis::test {

std::vector<FieldCase> readFieldCases()
{
    std::vector<FieldCase> cases;
    QFile file(QStringLiteral(PORTCULLIS_TEST_DATA_DIR "/field/cases.jsonl"));
    if (!file.open(QIODevice::ReadOnly))
        return cases;
    while (!file.atEnd()) {
        const QByteArray line = file.readLine().trimmed();
        const QJsonObject entry = QJsonDocument::fromJson(line).object();
        if (entry.isEmpty())
            continue;
        FieldCase each{.command = entry[u"command"].toString().toUtf8(),
                       .dialect = entry[u"shell"].toString() == u"bash" ? Dialect::Bash : Dialect::Sh,
                       .verdict = entry[u"verdict"].toString(),
                       .groups = {},
                       .line = line};
        for (const QJsonValue &group : entry[u"groups"].toArray())
            each.groups += group.toString();
        cases.push_back(std::move(each));
    }
    return cases;
}

std::shared_ptr<const policy::Configuration> fieldConfiguration(const std::string &policyKeys)
{
    ConfigurationBuilder builder;
    builder.gateway("{data_dir: '/srv/gateway/data', agents: {defaults: {workspace: '/srv/gateway/workspace', "
                    "sandbox: {mode: 'off'}}}, tools: {exec: {tenant_host_policy: 'allow'}}}");
    builder.policy("acme", policyKeys).policy("acme-corp").policy("globex");
    for (std::size_t i = 0; i < denyGroupCount; ++i) {
        const std::string_view group = nameOf(static_cast<Group>(i));
        QFile file(QStringLiteral(PORTCULLIS_TEST_RESOURCE_DIR "/rules/%1.json").arg(QLatin1StringView(group)));
        if (!file.open(QIODevice::ReadOnly))
            return nullptr;
        builder.rules(file.readAll().toStdString());
    }
    return builder.load();
}

decision::Decision decideFieldCase(const policy::Configuration &configuration, const QByteArray &command,
                                   Dialect dialect)
{
    decision::ExecRequest request = DecisionSetup().request;
    request.cwd = "/srv/gateway/data/tenants/acme/workspace";
    request.command = command.toStdString();
    request.shell = dialect == Dialect::Bash ? ShellChoice::Bash : ShellChoice::Sh;
    return decision::decide(request, configuration, bothWalls());
}

} // namespace portcullis::test
