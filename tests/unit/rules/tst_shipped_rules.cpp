// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <map>
#include <set>

using namespace portcullis;

class TstShippedRules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void every_example_of_every_rule_holds()
    {
        const auto compiled = rules::RuleSet::compile(test::readShippedRules(), true);
        if (compiled)
            return;
        for (const rules::RuleError &error : compiled.error())
            qWarning("%s: %s: %s", error.rule.c_str(), error.key.c_str(), error.detail.c_str());
        QFAIL("some examples do not hold");
    }

    void every_group_has_rules()
    {
        std::map<Group, int> count;
        for (const rules::Rule &rule : test::readShippedRules()) {
            QVERIFY(rule.group.has_value());
            ++count[*rule.group];
        }
        QCOMPARE(count.size(), denyGroupCount);
        for (const auto &[group, rules] : count)
            QVERIFY2(rules >= 6, std::string(nameOf(group)).c_str());
    }

    void every_rule_speaks_to_people_and_has_examples_in_both_directions()
    {
        std::set<std::string> ids;
        for (const rules::Rule &rule : test::readShippedRules()) {
            QVERIFY2(ids.insert(rule.id).second, rule.id.c_str());
            QVERIFY2(!rule.title.empty() && rule.reason.ends_with('.') && rule.advice.ends_with('.'), rule.id.c_str());
            QVERIFY2(!rule.match.empty() && !rule.notMatch.empty(), rule.id.c_str());
            QCOMPARE(rule.verdict, Verdict::Deny);
        }
    }

    void no_example_of_a_harmless_command_meets_another_rule_of_its_group()
    {
        for (const rules::Rule &rule : test::readShippedRules()) {
            for (const std::string &example : rule.notMatch) {
                const QStringList groups = test::refusingGroups(QByteArray::fromStdString(example));
                QVERIFY2(!groups.contains(QLatin1StringView(nameOf(*rule.group))), (rule.id + ": " + example).c_str());
            }
        }
    }

    void the_schema_knows_every_key_that_the_rules_use()
    {
        QFile schemaFile(QStringLiteral(TEST_RESOURCE_DIR "/schema/rules.schema.json"));
        QVERIFY(schemaFile.open(QIODevice::ReadOnly));
        const QJsonObject defs = QJsonDocument::fromJson(schemaFile.readAll()).object()[u"$defs"].toObject();
        const QJsonObject known = defs[u"rule"].toObject()[u"properties"].toObject();
        QVERIFY(!known.isEmpty());
        for (std::size_t i = 0; i < denyGroupCount; ++i) {
            const auto group = QLatin1StringView(nameOf(static_cast<Group>(i)));
            QFile file(QStringLiteral(TEST_RESOURCE_DIR "/rules/%1.json").arg(group));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QJsonArray rules = QJsonDocument::fromJson(file.readAll()).object()[u"rules"].toArray();
            QVERIFY(!rules.isEmpty());
            for (const QJsonValue &rule : rules) {
                for (const QString &key : rule.toObject().keys())
                    QVERIFY2(known.contains(key), qPrintable(group + QStringLiteral(": ") + key));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TstShippedRules)
#include "tst_shipped_rules.moc"
