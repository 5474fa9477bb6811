// SPDX-License-Identifier: Apache-2.0
#include "runner/config/json5.h"
#include "runner/policy/tenant_policy.h"
#include "tests/support/configuration_builder.h"

#include <QFile>
#include <QTest>

#include <set>

using namespace portcullis;
using namespace portcullis::policy;
using config::Json;

namespace {

using NameSet = std::set<std::string>;

NameSet propertiesOf(const Json *schema)
{
    NameSet names;
    const Json *properties = schema ? schema->find("properties") : nullptr;
    for (const Json::Member &member : properties ? properties->object : std::vector<Json::Member>{})
        names.insert(member.key);
    return names;
}

const Json *at(const Json &json, std::initializer_list<std::string_view> path)
{
    const Json *here = &json;
    for (const std::string_view key : path) {
        here = here ? here->find(key) : nullptr;
    }
    return here;
}

/// The schema of a key, by its path with dots.
const Json *schemaOf(const Json &schema, std::string name)
{
    const Json *here = &schema;
    while (here && !name.empty()) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        const Json *properties = here->find("properties");
        here = properties ? properties->find(name.substr(0, dot)) : nullptr;
        name.erase(0, dot + 1);
    }
    return here;
}

std::string jsonOf(const Json *json)
{
    return json ? config::writeJson(*json) : std::string("<missing>");
}

} // namespace

/// The published schema and the reader must know the same keys, words, bounds and defaults.
class TstPolicySchema : public QObject
{
    Q_OBJECT

    Json m_schema;

private Q_SLOTS:
    void initTestCase()
    {
        QFile file(QStringLiteral(TEST_RESOURCE_DIR "/schema/policy.schema.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto json = config::readJson5(file.readAll().toStdString());
        QVERIFY(json);
        m_schema = *json;
    }

    void has_exactly_the_keys_that_the_reader_knows()
    {
        NameSet top(structuralKeys.begin(), structuralKeys.end());
        std::map<std::string, NameSet> inner;
        for (const KeySpec &key : keys()) {
            if (key.gatewayOnly)
                continue;
            const std::size_t dot = key.name.find('.');
            top.insert(key.name.substr(0, dot));
            if (dot != std::string::npos)
                inner[key.name.substr(0, dot)].insert(key.name.substr(dot + 1));
        }
        QCOMPARE(propertiesOf(&m_schema), top);
        for (const auto &[folder, names] : inner)
            QCOMPARE(propertiesOf(schemaOf(m_schema, folder)), names);
        for (const std::string_view structural : structuralKeys)
            top.erase(std::string(structural));
        QCOMPARE(propertiesOf(at(m_schema, {"$defs", "agent"})), top);
        QCOMPARE(propertiesOf(at(m_schema, {"$defs", "exemption"})),
                 NameSet(exemptionKeys.begin(), exemptionKeys.end()));
        QCOMPARE(propertiesOf(at(m_schema, {"$defs", "test"})), NameSet(testKeys.begin(), testKeys.end()));
    }

    void has_the_words_bounds_and_defaults_of_every_key()
    {
        const Effective standard;
        for (const KeySpec &key : keys()) {
            if (key.gatewayOnly)
                continue;
            const Json *schema = schemaOf(m_schema, key.name);
            QVERIFY2(schema, key.name.c_str());
            if (!key.words.empty()) {
                std::vector<std::string> words;
                for (const Json &word : schema->find("enum")->array)
                    words.push_back(word.string);
                QCOMPARE(words, std::vector<std::string>(key.words.begin(), key.words.end()));
            }
            if (key.kind == KeySpec::Kind::Integer || key.kind == KeySpec::Kind::Number) {
                QCOMPARE(schema->find("minimum")->number, key.least);
                QCOMPARE(schema->find("maximum")->number, key.greatest);
            }
            if (key.kind != KeySpec::Kind::Paths)
                QVERIFY2(jsonOf(schema->find("default")) == toJson(key.load(standard).value), key.name.c_str());
        }
    }

    void names_the_exemptable_checks_and_the_verdicts()
    {
        std::string checks;
        for (std::size_t i = 0; i < Names<Check>::all.size(); ++i) {
            if (isExemptable(static_cast<Check>(i)))
                checks += (checks.empty() ? "\"" : ",\"") + std::string(Names<Check>::all[i]) + "\"";
        }
        QCOMPARE(jsonOf(at(m_schema, {"$defs", "exemption", "properties", "check", "enum"})), "[" + checks + "]");
        QCOMPARE(jsonOf(at(m_schema, {"$defs", "test", "properties", "expect", "enum"})),
                 std::string("[\"allow\",\"ask\",\"deny\"]"));
        QCOMPARE(at(m_schema, {"properties", "version", "const"})->number, double(policyVersion));
        QCOMPARE(at(m_schema, {"properties", "rules", "maxItems"})->number, double(maxPolicyRules));
        QCOMPARE(at(m_schema, {"properties", "exemptions", "maxItems"})->number, double(maxExemptions));
    }

    void the_documentation_names_every_key()
    {
        QFile file(QStringLiteral(TEST_SOURCE_DIR "/docs/policy-format.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        for (const KeySpec &key : keys()) {
            const QByteArray name = QByteArray::fromStdString(key.name.substr(key.name.rfind('.') + 1));
            QVERIFY2(text.contains('`' + name + '`'), name.constData());
            if (!key.environment.empty())
                QVERIFY2(text.contains(QByteArray::fromStdString(key.environment)), key.environment.c_str());
        }
        for (const std::string_view name : environmentNames())
            QVERIFY2(text.contains(QByteArray(name.data(), qsizetype(name.size()))), std::string(name).c_str());
        for (const std::string_view name : exemptionKeys)
            QVERIFY2(text.contains('`' + QByteArray(name.data(), qsizetype(name.size())) + '`'),
                     std::string(name).c_str());
    }

    void the_sample_of_the_documentation_loads_without_a_problem()
    {
        QFile file(QStringLiteral(TEST_SOURCE_DIR "/docs/policy-format.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        const qsizetype start = text.indexOf("```json5\n") + 9;
        const qsizetype end = text.indexOf("```", start);
        QVERIFY(start > 9 && end > start);
        test::ConfigurationBuilder builder;
        builder.policyFile("acme", text.mid(start, end - start).toStdString());
        const auto configuration = builder.load();
        QVERIFY(configuration);
        for (const Problem &problem : builder.problems())
            QVERIFY2(problem.code == "unknown_rule" || problem.code == "cannot_loosen", problem.code.c_str());
        QVERIFY(!configuration->isBroken("acme"));
    }
};

QTEST_GUILESS_MAIN(TstPolicySchema)
#include "tst_policy_schema.moc"
