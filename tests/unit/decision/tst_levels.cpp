// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/levels.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::decision;

class TstLevels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void level_follows_from_abi_view_and_uid_data();
    void level_follows_from_abi_view_and_uid();
    void a_closed_network_that_cannot_be_held_is_named_data();
    void a_closed_network_that_cannot_be_held_is_named();
    void the_failed_step_of_the_probe_is_named();
    void an_unconfined_tenant_has_no_level_on_any_host();
};

namespace {

QByteArray joined(const std::vector<std::string> &parts)
{
    QByteArrayList list;
    for (const std::string &part : parts)
        list.append(QByteArray::fromStdString(part));
    return list.join(',');
}

QByteArray levelText(const LevelAnswer &answer)
{
    return QByteArray::fromStdString(std::string(nameOf(answer.level)));
}

} // namespace

void TstLevels::level_follows_from_abi_view_and_uid_data()
{
    QTest::addColumn<int>("abi");
    QTest::addColumn<bool>("view");
    QTest::addColumn<bool>("ordinaryUser");
    QTest::addColumn<QByteArray>("level");
    QTest::addColumn<QByteArray>("missing");

    for (int abi = 0; abi <= 8; ++abi) {
        for (const bool view : {false, true}) {
            for (const bool user : {false, true}) {
                QByteArray level = "none";
                QByteArray missing = "landlock";
                if (abi >= 3 && view) {
                    level = "full";
                    missing = "";
                } else if (abi >= 3) {
                    level = user ? "landlock" : "partial";
                    missing = "view,metadata";
                    missing += abi < 6 ? ",signals" : "";
                    missing += user ? "" : ",uid";
                }
                QTest::addRow("Landlock ABI %d, view %s, %s", abi, view ? "works" : "fails", user ? "user" : "root")
                    << abi << view << user << level << missing;
            }
        }
    }
}

void TstLevels::level_follows_from_abi_view_and_uid()
{
    QFETCH(int, abi);
    QFETCH(bool, view);
    QFETCH(bool, ordinaryUser);
    HostFacts facts;
    facts.landlockAbi = abi;
    facts.viewWorks = view;
    facts.commandUidNonZero = ordinaryUser;
    const LevelAnswer answer = levelFor(facts, true, Network::Host);
    QTEST(levelText(answer), "level");
    QTEST(joined(answer.missing), "missing");
}

void TstLevels::a_closed_network_that_cannot_be_held_is_named_data()
{
    QTest::addColumn<int>("abi");
    QTest::addColumn<bool>("view");
    QTest::addColumn<QByteArray>("level");
    QTest::addColumn<QByteArray>("missing");
    QTest::addRow("the view has its own network namespace") << 3 << true << QByteArray("full") << QByteArray();
    QTest::addRow("without the view no internet socket can be made")
        << 6 << false << QByteArray("landlock") << QByteArray("view,metadata");
    QTest::addRow("which needs no TCP rules of Landlock")
        << 3 << false << QByteArray("landlock") << QByteArray("view,metadata,signals");
    QTest::addRow("nothing without Landlock") << 0 << true << QByteArray("none") << QByteArray("landlock,network");
}

void TstLevels::a_closed_network_that_cannot_be_held_is_named()
{
    QFETCH(int, abi);
    QFETCH(bool, view);
    HostFacts facts;
    facts.landlockAbi = abi;
    facts.viewWorks = view;
    const LevelAnswer answer = levelFor(facts, true, Network::None);
    QTEST(levelText(answer), "level");
    QTEST(joined(answer.missing), "missing");
}

void TstLevels::the_failed_step_of_the_probe_is_named()
{
    HostFacts facts;
    facts.landlockAbi = 7;
    facts.viewFailedStep = "unshare";
    QCOMPARE(joined(levelFor(facts, true, Network::Host).missing), "view:unshare,metadata");
}

void TstLevels::an_unconfined_tenant_has_no_level_on_any_host()
{
    HostFacts facts;
    facts.landlockAbi = 7;
    facts.viewWorks = true;
    const LevelAnswer answer = levelFor(facts, false, Network::Host);
    QCOMPARE(levelText(answer), "none");
    QCOMPARE(joined(answer.missing), "master");
}

QTEST_APPLESS_MAIN(TstLevels)
#include "tst_levels.moc"
