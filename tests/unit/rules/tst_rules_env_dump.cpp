// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "python3 -c \"from os import environ as e;print(e)\"",
    "python3 -c \"from os import environ as e;print(dict(e))\"",
    "python3 -c \"print(__import__('os').environ)\"",
    "python3 -c \"import os;print(getattr(os,'environ'))\"",
    "python3 -c \"import os;print(vars(os)['environ'])\"",
    "node -e \"const {env}=process;console.log(env)\"",
    "node -e \"console.log(require('process').env)\"",
    "deno eval 'console.log(Deno.env.toObject())'",
    "bun -e 'console.log(Bun.env)'",
    "python3 -c \"import os as o;print(o.environ)\"",
    "python3 -c \"import os;e=os.environ;print(e)\"",
    "python3 -c \"import os;print({**os.environ})\"",
    "python3 -c \"import os,json;print(json.dumps(dict(os.environ)))\"",
    "python3 -c \"import os;[print(k,os.environ[k]) for k in os.environ]\"",
    "node -e \"const e=process.env;console.log(e)\"",
    "node -e \"console.log({...process.env})\"",
    "node -e \"for(const k in process.env)console.log(k,process.env[k])\"",
    "node -e \"Object.entries(process.env).forEach(x=>console.log(x))\"",
    "perl -e 'print \"$_=$ENV{$_}\\n\" for keys %ENV'",
    "perl -e 'my $e=\\%ENV; print $$e{x}'",
    "ruby -e 'puts ENV.to_a'",
    "ruby -e 'ENV.each{|k,v| puts v}'",
    "php -r 'print_r(getenv());'",
    "env",
    "env | grep TOKEN",
    "env > x",
    "/usr/bin/env",
    "env -0",
    "env -u A",
    "env A=1",
    "env -i A=1",
    "e''nv",
    "printenv",
    "printenv | sort",
    "printenv -0",
    "set",
    "set | grep x",
    "export",
    "export -p",
    "declare",
    "declare -p",
    "declare -x",
    "declare -xp",
    "typeset -p",
    "readonly -p",
    "compgen -v",
    "compgen -A variable",
    "cat /proc/self/environ",
    "cat /proc/$$/environ",
    "cat /proc/1/environ",
    "tr '\\0' '\\n' < /proc/self/environ",
    "xargs -0 < /proc/self/environ",
    "strings /proc/1234/environ",
    "cat /proc/self/envir*",
    "cat /proc/*/environ",
    "cd /proc/self; cat environ",
    "grep -z . /proc/self/environ",
    "sh -c env",
    "bash -c 'set'",
    "echo env | sh",
    "busybox env",
    "xargs env < /dev/null",
    "echo \"$(env)\"",
    "(env)",
    "command env",
    "python3 -c 'import os; print(os.environ)'",
    "python3 -c 'import os; print(dict(os.environ))'",
    "python3 -c 'from os import environ; print(environ)'",
    "python3 -c 'import os,json; print(json.dumps(dict(os.environ)))'",
    "python3 -c 'import os; [print(k,v) for k,v in os.environ.items()]'",
    "python3 -c 'import os\nfor k in os.environ: print(k, os.environ[k])'",
    "python3 -c 'import os; os.system(\"env\")'",
    "node -e 'console.log(process.env)'",
    "node -p 'JSON.stringify(process.env)'",
    "node -e 'for (const k in process.env) console.log(k)'",
    "node -p process.env",
    "ruby -e 'puts ENV.to_h'",
    "perl -e 'print %ENV'",
    "perl -e 'foreach (keys %ENV) { print \"$_=$ENV{$_}\\n\" }'",
    "php -r 'print_r($_ENV);'",
    "php -i",
    "awk 'BEGIN{for (k in ENVIRON) print k}'",
    "jq -n env",
    "jq -n '$ENV'",
    "jq -rn '$ENV | to_entries'",
    "jq -n 'env|keys'",
    "ps eww",
    "ps auxe",
    "printenv GOCLAW_GATEWAY_TOKEN",
    "echo $GOCLAW_GATEWAY_TOKEN",
    "echo \"${GOCLAW_ENCRYPTION_KEY}\"",
    "printf '%s' \"$GOCLAW_POSTGRES_DSN\"",
    "python3 -c 'import os; print(os.getenv(\"GOCLAW_GATEWAY_TOKEN\"))'",
    "cat <<< \"$GOCLAW_GATEWAY_TOKEN\"",
};

constexpr const char *allowed[] = {
    "python3 -c \"import os;print('HOME' in os.environ)\"",
    "node -e \"const {HOME}=process.env;console.log(HOME)\"",
    "ruby -e 'puts ENV.fetch(\"HOME\")'",
    "python3 -c \"import requests;print(requests.get('https://x').text)\"",
    "python3 -c \"import requests as r;print(r.get('https://x').json())\"",
    "python3 -c \"from urllib.request import urlopen;print(urlopen('https://x').read())\"",
    "python3 -c \"from urllib.request import urlopen;print(urlopen('https://x', timeout=5).read())\"",
    "python3 -c \"import os;print(os.environ.get('HOME'))\"",
    "python3 -c \"import os;e=os.environ['HOME'];print(e)\"",
    "python3 -c \"from os import environ;print(environ['HOME'])\"",
    "python3 -c \"import os;os.environ['X']='1';print(1)\"",
    "node -e \"console.log(process.env.HOME)\"",
    "node -e \"const {env}=process;console.log(env.HOME)\"",
    "node -e \"fetch('https://x').then(r=>r.text()).then(console.log)\"",
    "node -e \"fs.rmSync('a.txt')\"",
    "node -e \"app.post('/x',(q,r)=>r.end())\"",
    "node -e \"const e=process.env.NODE_ENV;console.log(e)\"",
    "php -r 'echo getenv(\"HOME\");'",
    "python3 -c \"client.post('/api/x')\"",
    "python3 -m pytest -k 'test_post'",
    "env FOO=1 make",
    "env -u FOO make",
    "env -i PATH=/usr/bin ls",
    "env python3 x.py",
    "printenv HOME",
    "printenv PATH USER",
    "set -e",
    "set -euxo pipefail; ls",
    "set +x",
    "set -- a b",
    "set -o",
    "export A=1",
    "export A B",
    "declare A=1",
    "declare -i n=1",
    "declare -A m",
    "declare -p A",
    "declare -f f",
    "typeset -i x",
    "echo $HOME",
    "echo \"$PATH\"",
    "cat .env",
    "ls env",
    "cat environ",
    "grep environ x",
    "cat /proc/self/status",
    "python3 -c 'import os; print(os.environ[\"HOME\"])'",
    "python3 -c 'import os; print(os.environ.get(\"HOME\"))'",
    "python3 -c 'import os; os.environ[\"A\"]=\"1\"'",
    "python3 -c 'import os; os.environ.setdefault(\"A\",\"1\")'",
    "node -p process.env.HOME",
    "node -e 'console.log(process.env[\"HOME\"])'",
    "ruby -e 'puts ENV[\"HOME\"]'",
    "perl -e 'print $ENV{HOME}'",
    "awk 'BEGIN{print ENVIRON[\"HOME\"]}'",
    "jq .env x.json",
    "jq '.a.env' x.json",
    "jq -n '$ENV.HOME'",
    "jq -n 'env.HOME'",
    "ps aux",
    "ps -ef",
    "ps -e",
    "echo env",
    "echo 'printenv'",
    "git commit -m 'env'",
    "docker run -e A=1 alpine",
    "unset A",
    "echo '$GOCLAW_GATEWAY_TOKEN'",
    "grep GOCLAW_GATEWAY_TOKEN docs",
};

} // namespace

class TstRulesEnvDump : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("env_dump")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesEnvDump)
#include "tst_rules_env_dump.moc"
