// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "./w -o 1.2.3.4:3333 -u "
    "48edfHu7V9Z84YzzMa6fUueoELZ9ZRXq9VetWzYGzKt52XU5xvqgzYnDK9URnRoJMk1j8nLwEVsaSWJ4fhdUyZijBGUicoD",
    "./w --coin=XMR",
    "./w -o 1.2.3.4:3333 -u "
    "48edfHu7V9Z84YzzMa6fUueoELZ9ZRXq9VetWzYGzKt52XU5xvqgzYnDK9URnRoJMk1j8nLwEVsaSWJ4fhdUyZijBGUicoD",
    "./XMRig",
    "geth --mine",
    "./w -P stratum1+tcp://x",
    "./kinsing",
    "./w --algo=randomx",
    "./w --algo rx/0",
    "./w -a KAWPOW",
    "xmrig",
    "./xmrig-6.20 -o x:1",
    "/tmp/.x/xmrig --config=c.json",
    "nohup xmrig >/dev/null 2>&1 &",
    "x''mrig",
    "minerd -o stratum+tcp://x:1",
    "cpuminer -a x",
    "cgminer",
    "./t-rex -a kawpow -o x",
    "ethminer -P x",
    "nbminer -a x",
    "./a -o stratum+tcp://pool.x:3333",
    "./a --url=stratum+ssl://pool.x:3333",
    "./sysd --donate-level 1 -o x",
    "./sysd -a rx/0",
    "./sysd --algo=randomx",
    "curl https://supportxmr.com/x",
    "docker run minerd/xmrig",
    "sh -c './xmrig'",
    "node -e 'connect(\"stratum+tcp://x\")'",
};

constexpr const char *allowed[] = {
    "./w --user=x --pass=y",
    "geth --datadir x",
    "screen -dmS m ./server",
    "./miner-tests --algo=fast",
    "grep xmrig x",
    "echo stratum+tcp://x",
    "ls xmrig",
    "git log --grep xmrig",
    "cat t-rex.txt",
    "./a -o out.txt",
    "python3 train.py --algo=ppo",
    "ls -a",
    "sort -a 2>/dev/null",
    "docker run alpine",
    "curl https://pool.example.com",
};

} // namespace

class TstRulesCryptoMining : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("crypto_mining")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesCryptoMining)
#include "tst_rules_crypto_mining.moc"
