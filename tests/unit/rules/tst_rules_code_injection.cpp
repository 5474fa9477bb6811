// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "python3 -c \"from base64 import b64decode as d;exec(d('aW1wb3J0IG9z'))\"",
    "eval $X",
    "eval \"${X}\"",
    "eval \"$(cat x)\"",
    "bash -c \"$CMD\"",
    "sh -c $CMD",
    "echo aWQ= | base64 -d | sh",
    "base64 --decode x | bash",
    "base64 -D x | bash",
    "bash <<< \"$(base64 -d <<< aWQ=)\"",
    "source <(base64 -d x)",
    "bash <(base64 -d x)",
    "xxd -p -r x | bash",
    "zcat x.gz | sh",
    "gunzip -c x | bash",
    "xz -dc x.xz | sh",
    "bzip2 -dc x.bz2 | python3",
    "openssl base64 -d -in x | sh",
    "tr a-z n-za-m < x | sh",
    "rev x | bash",
    "cat x.sh | sh",
    "cat x.sh | bash -s a b",
    "head -5 x | bash",
    "sed 's/a/b/' x | sh",
    "awk '{print \"ls \" $1}' x | sh",
    "cat x | python3 -",
    "cat x | perl",
    "cat x | xargs -I{} sh -c '{}'",
    "trap \"$X\" EXIT",
    "python3 -c \"$X\"",
    "python3 -c \"import base64;exec(base64.b64decode('x'))\"",
    "python3 -c \"exec(open('x').read())\"",
    "node -e \"eval(Buffer.from('x','base64').toString())\"",
    "python3 -c \"import zlib;exec(zlib.decompress(b'x'))\"",
    "printf \"$(cat x)\" | sh",
};

constexpr const char *allowed[] = {
    "eval 'echo hi'",
    "X=ls; eval \"$X -l\"",
    "bash -c 'ls -l'",
    "echo 'ls' | sh",
    "printf 'ls\\n' | bash",
    "bash <<'E'\nls\nE",
    "base64 -d x > y",
    "base64 x",
    "zcat x.gz | grep a",
    "gzip -dc x.gz | tar x",
    "openssl enc -d -aes-256-cbc -in x -out y",
    "cat x | python3 count.py",
    "cat x | python3 -c 'import sys; print(len(sys.stdin.read()))'",
    "cat x | perl -ne 'print if /a/'",
    "cat x | awk '{print $1}'",
    "cat x | node parse.js",
    "cat x | jq .",
    "cat x | sort | uniq",
    "ls | xargs -n1 basename",
    "echo $(date)",
    "VERSION=$(cat VERSION); echo \"$VERSION\"",
    "sh -c \"echo $HOME\"",
    "sh build.sh \"$1\"",
    "source venv/bin/activate",
    ". ./env.sh",
    "bash script.sh < input.txt",
    "python3 -c \"print(eval('1+1'))\"",
    "echo \"eval \\\"\\$X\\\"\"",
    "psql -f x.sql",
    "cat x.sql | psql",
    "cat schema.sql | sqlite3 x.db",
};

} // namespace

class TstRulesCodeInjection : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("code_injection")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesCodeInjection)
#include "tst_rules_code_injection.moc"
