// SPDX-License-Identifier: Apache-2.0

// Policies as a gate of CI and of a careful operator: nothing looks well that is not.

#include "tests/support/gateway.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace Qt::StringLiterals;
using portcullis::test::Done;
using portcullis::test::Gateway;

class TstPolicyGate : public QObject
{
    Q_OBJECT

    std::unique_ptr<Gateway> m_gateway;

    [[nodiscard]] Done policy(const QStringList &words) const
    {
        return m_gateway->runner(QStringList{u"policy"_s} + words);
    }

    [[nodiscard]] Done publish(const QString &draft, const QStringList &more = {}) const
    {
        return policy(QStringList{u"publish"_s, draft, u"--message"_s, u"m"_s} + more);
    }

    [[nodiscard]] QString policyPath(const QString &tenant) const
    {
        return m_gateway->root() + u"/policies/"_s + tenant + u".json"_s;
    }

    /// A folder of policies in which that of one tenant does not load.
    [[nodiscard]] QString brokenFolder() const
    {
        const QString folder = m_gateway->root() + u"/drafts"_s;
        if (!QDir().mkpath(folder))
            return {};
        std::ignore = m_gateway->writeFile(u"drafts/acme.json"_s, "{version: 1, tenant: 'acme'}");
        return m_gateway->writeFile(u"drafts/globex.json"_s, "{version: 1, tenant: 'globex', network: none}").isEmpty()
            ? QString()
            : folder;
    }

private Q_SLOTS:
    void init()
    {
        m_gateway = std::make_unique<Gateway>();
        QVERIFY(m_gateway->isValid());
    }

    void a_test_that_an_exemption_answers_has_not_failed_and_is_told_apart()
    {
        constexpr const char *tests = "tests: [{command: 'npm install x', expect: 'deny'}]";
        m_gateway->setPolicy(u"acme"_s, QByteArray("{version: 1, tenant: 'acme', ") + tests + "}");
        const QString id = m_gateway->exec(u"npm install x"_s).result[u"id"].toString();
        QCOMPARE(policy({u"exempt"_s, id, u"--expires"_s, u"8h"_s, u"--message"_s, u"reviewed"_s}).exitCode, 0);
        QCOMPARE(m_gateway->check(u"npm install x"_s)[u"verdict"].toString(), u"allow"_s);

        const Done tested = policy({u"test"_s, u"--tenant"_s, u"acme"_s});
        QVERIFY2(tested.exitCode == 0, tested.out);
        QVERIFY2(tested.out.contains("exempted until 20") && tested.out.contains(" by ")
                     && tested.out.contains("expected deny, got allow: npm install x\n"),
                 tested.out);
        QVERIFY2(tested.out.endsWith("0 of 1 tests as expected, 1 exempted\n"), tested.out);
        const QJsonObject json =
            QJsonDocument::fromJson(policy({u"test"_s, u"--tenant"_s, u"acme"_s, u"--json"_s}).out).object();
        QCOMPARE(json[u"failed"].toArray().size(), 0);
        QVERIFY(!json[u"exempted"].toArray()[0].toObject()[u"exemption"].toString().isEmpty());

        // The same text with one key more can be published.
        QFile file(policyPath(u"acme"_s));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString draft =
            m_gateway->writeFile(u"draft.json"_s, file.readAll().replace("version: 1", "version: 1, network: 'none'"));
        for (const QStringList &more : {QStringList{u"--dry-run"_s}, QStringList{}}) {
            const Done done = publish(draft, more);
            QVERIFY2(done.exitCode == 0 && done.err.contains("exempted until 20"), done.err);
        }
    }

    void a_test_that_fails_without_the_exemption_too_has_failed()
    {
        m_gateway->setPolicy(u"acme"_s,
                             "{version: 1, tenant: 'acme', tests: [{command: 'npm install x', expect: 'ask'}]}");
        const QString id = m_gateway->exec(u"npm install x"_s).result[u"id"].toString();
        QCOMPARE(policy({u"exempt"_s, id, u"--expires"_s, u"8h"_s, u"--message"_s, u"reviewed"_s}).exitCode, 0);
        const Done tested = policy({u"test"_s, u"--tenant"_s, u"acme"_s});
        QVERIFY2(tested.exitCode == 1 && tested.out.endsWith("\n0 of 1 tests as expected\n"), tested.out);
        QVERIFY2(!tested.out.contains("exempted"), tested.out);
    }

    void publishing_says_what_validation_warns_of()
    {
        const QString draft = m_gateway->writeFile(u"draft.json"_s,
                                                   "{version: 1, tenant: 'acme',\n host_policy: 'allow',\n"
                                                   " extra_read: ['/no/such/folder']}");
        for (const QStringList &more : {QStringList{u"--dry-run"_s}, QStringList{}}) {
            const Done done = publish(draft, more);
            QCOMPARE(done.exitCode, 0);
            QVERIFY2(done.err.contains("draft.json:2:") && done.err.contains("cannot loosen this key"), done.err);
            QVERIFY2(done.err.contains("draft.json:3:") && done.err.contains("does not exist here"), done.err);
        }
        const Done clean = publish(m_gateway->writeFile(u"clean.json"_s, "{version: 1, tenant: 'acme'}"));
        QCOMPARE(clean.exitCode, 0);
        QVERIFY2(!clean.err.contains("warning"), clean.err);
    }

    void what_a_policy_asks_for_in_vain_stands_beside_what_is_in_force()
    {
        const QStringList words{u"effective"_s, u"--tenant"_s, u"acme"_s, u"host_policy"_s};
        m_gateway->setPolicy(u"acme"_s, "{version: 1, tenant: 'acme',\n host_policy: 'allow'}");
        const Done loose = policy(words);
        QVERIFY2(loose.out.startsWith("host_policy = \"warn\"")
                     && loose.out.contains("\n  not taken: \"allow\" of " + policyPath(u"acme"_s).toUtf8() + ":2"),
                 loose.out);
        const QJsonObject row = QJsonDocument::fromJson(policy(words + QStringList{u"--json"_s}).out)
                                    .object()[u"values"]
                                    .toArray()[0]
                                    .toObject();
        QCOMPARE(row[u"overruled"].toArray()[0].toObject()[u"value"].toString(), u"allow"_s);
        const Done other = policy({u"effective"_s, u"--tenant"_s, u"acme"_s, u"network"_s});
        QVERIFY2(!other.out.contains("not taken"), other.out);
        m_gateway->setPolicy(u"acme"_s, "{version: 1, tenant: 'acme',\n host_policy: 'deny'}");
        const Done strict = policy(words);
        QVERIFY2(strict.out.startsWith("host_policy = \"deny\"") && !strict.out.contains("not taken"), strict.out);
    }

    void what_one_agent_asks_for_in_vain_is_told_of_that_agent_alone()
    {
        m_gateway->setPolicy(u"acme"_s, "{version: 1, tenant: 'acme', agents: {build: {host_policy: 'allow'}}}");
        const QStringList words{u"effective"_s, u"--tenant"_s, u"acme"_s, u"host_policy"_s};
        QVERIFY(policy(words + QStringList{u"--agent"_s, u"build"_s}).out.contains("not taken: \"allow\""));
        QVERIFY(!policy(words).out.contains("not taken"));
    }

    void a_policy_that_does_not_load_is_78_wherever_it_is_compared()
    {
        QCOMPARE(m_gateway->exec(u"true"_s).exitCode, 0);
        const QString folder = brokenFolder();
        QVERIFY(!folder.isEmpty());
        const QString file = folder + u"/globex.json"_s;
        for (const QString &against : {u"policies:"_s + folder, u"policy:"_s + file}) {
            for (const QStringList &more : {QStringList{}, QStringList{u"--fail-on"_s, u"loosened"_s}}) {
                const Done done = m_gateway->runner(QStringList{u"replay"_s, u"--against"_s, against} + more);
                QVERIFY2(done.exitCode == 78 && done.err.contains("globex.json:1:"), done.err);
            }
        }
        for (const QString &other : {folder, file}) {
            const Done done = policy({u"diff"_s, u"current"_s, other});
            QVERIFY2(done.exitCode == 78 && done.err.contains("globex.json:1:"), done.err);
        }
        // What loads is compared all the same.
        const Done good = m_gateway->runner(
            {u"replay"_s, u"--against"_s, u"policy:"_s + folder + u"/acme.json"_s, u"--fail-on"_s, u"loosened"_s});
        QVERIFY2(good.exitCode == 0, good.err);
        QCOMPARE(policy({u"diff"_s, u"current"_s, folder + u"/acme.json"_s}).exitCode, 0);
        m_gateway->setPolicy(u"globex"_s, "{version: 1, tenant: 'globex', network: none}");
        QCOMPARE(policy({u"test"_s}).exitCode, 78);
        QCOMPARE(policy({u"test"_s, u"--tenant"_s, u"acme"_s}).exitCode, 0);
    }

    void a_gate_that_looks_at_nothing_says_so()
    {
        const QString empty = m_gateway->root() + u"/empty"_s;
        QVERIFY(QDir().mkpath(empty));
        const Done tested = policy({u"test"_s, u"--tenant"_s, u"master"_s});
        QCOMPARE(tested.exitCode, 0);
        QVERIFY2(tested.err.contains("note: there are no tests in the policy of master"), tested.err);
        const Done validated = policy({u"validate"_s, empty});
        QCOMPARE(validated.exitCode, 0);
        QVERIFY2(validated.err.contains("note: there is no policy in " + empty.toUtf8()), validated.err);
        m_gateway->setPolicy(u"acme"_s, "{version: 1, tenant: 'acme', tests: [{command: 'id', expect: 'allow'}]}");
        QCOMPARE(policy({u"test"_s, u"--tenant"_s, u"acme"_s}).err, QByteArray());
        QCOMPARE(policy({u"validate"_s, m_gateway->root() + u"/policies"_s}).err, QByteArray());
    }

    void who_tests_one_draft_is_told_how()
    {
        const QString draft = m_gateway->writeFile(u"draft.json"_s, "{version: 1, tenant: 'acme'}");
        const Done operand = policy({u"test"_s, draft});
        QCOMPARE(operand.exitCode, 64);
        QVERIFY2(operand.err.contains("policy publish FILE --message TEXT --dry-run"), operand.err);
    }

    void a_policy_that_is_gone_is_warned_of_where_the_record_keeps_it()
    {
        QVERIFY(QFile::remove(policyPath(u"globex"_s)));
        const Done plain = m_gateway->runner({u"doctor"_s});
        QVERIFY2(plain.out.contains("note     Tenants without a policy file\n")
                     && plain.out.contains("nothing stricter: globex."),
                 plain.out);
        QVERIFY(!policy({u"validate"_s}).out.contains("is gone"));

        QCOMPARE(publish(m_gateway->writeFile(u"d.json"_s, "{version: 1, tenant: 'globex', network: 'none'}")).exitCode,
                 0);
        QVERIFY(!m_gateway->runner({u"doctor"_s}).out.contains("without a policy"));
        QVERIFY(QFile::remove(policyPath(u"globex"_s)));
        const Done lost = m_gateway->runner({u"doctor"_s});
        QVERIFY2(lost.out.contains("WARNING  Policies that were there are gone\n")
                     && lost.out.contains("whose file is gone: globex."),
                 lost.out);
        const Done validated = policy({u"validate"_s});
        QVERIFY2(validated.out.contains("globex.json: warning: the policy of \"globex\" is gone"), validated.out);
        QCOMPARE(validated.exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(TstPolicyGate)
#include "tst_policy_gate.moc"
