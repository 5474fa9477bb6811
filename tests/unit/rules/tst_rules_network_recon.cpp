// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "nmap 192.0.2.1",
    "nmap -sV x.example",
    "masscan 192.0.2.0/24 -p80",
    "zmap -p 80",
    "/usr/bin/nmap x",
    "for i in 1 2; do nmap 192.0.2.$i; done",
    "ssh bob@x.example",
    "ssh x.example ls",
    "ssh -p 22 bob@x ls",
    "ssh -i key bob@x",
    "ssh -N -L 1:x:2 bob@x",
    "ssh -fNR 1:x:2 bob@x",
    "scp a bob@x:b",
    "scp bob@x:b .",
    "sftp bob@x",
    "sshpass -p x ssh bob@x",
    "mosh bob@x",
    "ngrok http 80",
    "cloudflared tunnel run",
    "chisel client x:1 R:2",
    "bore local 80 --to x",
    "frpc -c x.ini",
    "npx localtunnel --port 80",
    "tailscale up",
    "nc -zv x.example 1-100",
    "traceroute x.example",
    "tcpdump -i any",
    "nikto -h x",
    "sqlmap -u x",
    "hydra -l x ssh://y",
    "python3 -c 'import socket\nfor p in range(99): socket.socket().connect_ex((\"x\",p))'",
};

constexpr const char *allowed[] = {
    "grep nmap x",
    "ping -c 1 x.example",
    "ip addr",
    "ss -tlnp",
    "netstat -an",
    "ifconfig",
    "git clone git@x.example:a/b.git",
    "git remote add o git@x.example:a/b.git",
    "ssh-keygen -l -f k",
    "ssh-add -l",
    "ssh -V",
    "echo bob@x.example",
    "cp a b@c",
    "ls ngrok",
    "cat ssh.md",
    "npm run tunnel",
    "man ssh",
    "scp.txt 2>/dev/null; ls",
    "tailscale status",
};

} // namespace

class TstRulesNetworkRecon : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("network_recon")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesNetworkRecon)
#include "tst_rules_network_recon.moc"
