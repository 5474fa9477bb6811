// SPDX-License-Identifier: Apache-2.0

// Python, Node and Java with their packages and processes, in every state of the walls.

#include "tests/support/tool_matrix.h"

using namespace Qt::Literals::StringLiterals;
using namespace portcullis::test;

namespace {

/// A source package that pip builds without network: it brings its own build backend.
QString sourcePackage()
{
    return u"mkdir -p src && cat > src/pyproject.toml <<'END'\n"
           "[build-system]\n"
           "requires = []\n"
           "build-backend = 'backend'\n"
           "backend-path = ['.']\n"
           "END\n"
           "cat > src/backend.py <<'END'\n"
           "import os, zipfile\n"
           "def build_wheel(folder, settings=None, metadata=None):\n"
           "  name = 'tiny-5-py3-none-any.whl'\n"
           "  info = 'tiny-5.dist-info/'\n"
           "  with zipfile.ZipFile(os.path.join(folder, name), 'w') as z:\n"
           "    z.writestr('tiny.py', 'version = \"5\"\\n')\n"
           "    z.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 5\\n')\n"
           "    z.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n"
           "    z.writestr(info + 'RECORD', '')\n"
           "  return name\n"
           "END\n"_s;
}

} // namespace

class TstLanguages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void languages_work_data() { addToolRows(pythonRows() + processRows() + nodeRows() + javaRows()); }
    void languages_work() { verifyTool(); }

private:
    static QList<ToolRow> pythonRows()
    {
        return {
            {"a virtual environment has its own pip, which installs wheels and builds source packages", "pip3",
             wheel(u"3"_s) + sourcePackage()
                 + u"python3 -m venv v && v/bin/pip install -q --no-index ./tiny-3-py3-none-any.whl && "
                   "v/bin/python -c 'import tiny; print(tiny.version)' && v/bin/pip install -q --no-index ./src && "
                   "v/bin/python -c 'import tiny; print(tiny.version)'"_s,
             "3\n5\n"},
            {"pip installs for the tenant", "pip3",
             wheel(u"4"_s)
                 + u"/usr/bin/python3 -m pip install -q --no-index ./tiny-4-py3-none-any.whl && "
                   "/usr/bin/python3 -c 'import tiny; print(tiny.version)'"_s,
             "4\n", Expect::Works, Expect::Fails},
            {"sqlite keeps a database with a log", "python3",
             u"python3 -c \"import sqlite3; d = sqlite3.connect('a.db'); d.execute('pragma journal_mode=wal'); "
             "d.execute('create table t(x)'); d.execute('insert into t values (7)'); d.commit(); "
             "print(d.execute('select x from t').fetchone()[0])\""_s,
             "7\n"},
        };
    }

    /// They need semaphores in /dev/shm or unix sockets, of which there are none with Landlock alone.
    static QList<ToolRow> processRows()
    {
        QList<ToolRow> rows;
        const QString pool = u"import multiprocessing as m\ndef f(x): return x + 1\nif __name__ == '__main__':\n"
                             "  with m.get_context('%1').Pool(2) as p: print(p.map(f, [1, 2]))"_s;
        rows.append({"multiprocessing with fork", "python3", fileOf(u"p.py"_s, pool.arg(u"fork"_s)) + u"python3 p.py"_s,
                     "[2, 3]\n", Expect::Fails});
        rows.append({"multiprocessing with spawn", "python3",
                     fileOf(u"p.py"_s, pool.arg(u"spawn"_s)) + u"python3 p.py"_s, "[2, 3]\n", Expect::Fails});
        rows.append({"multiprocessing with forkserver", "python3",
                     fileOf(u"p.py"_s, pool.arg(u"forkserver"_s)) + u"python3 p.py"_s, "[2, 3]\n", Expect::Fails});
        rows.append({"multiprocessing with a manager", "python3",
                     fileOf(u"p.py"_s,
                            u"import multiprocessing as m\ndef f(d): d['x'] = 7\nif __name__ == '__main__':\n"
                            "  with m.Manager() as g:\n    d = g.dict(); p = m.Process(target=f, args=(d,))\n"
                            "    p.start(); p.join(); print(d['x'])"_s)
                         + u"python3 p.py"_s,
                     "7\n", Expect::Fails});
        return rows;
    }

    static QList<ToolRow> nodeRows()
    {
        const QString server =
            fileOf(u"s.js"_s,
                   u"const http = require('http');\n"
                   "const s = http.createServer((q, r) => r.end('served')).on('error', () => process.exit(1));\n"
                   "s.listen(%1, () => http.get(%2, r => r.on('data', d => { console.log(`${d}`); s.close(); })));"_s);
        return {
            {"node runs scripts", "node", u"node -e 'setTimeout(() => console.log([1,2].map(x => x*2)), 1)'"_s,
             "[ 2, 4 ]\n"},
            {"node has workers", "node",
             fileOf(u"w.js"_s,
                    u"const w = require('worker_threads');\n"
                    "if (w.isMainThread) new w.Worker('./w.js').on('message', m => console.log(m));\n"
                    "else w.parentPort.postMessage(42);"_s)
                 + u"node w.js"_s,
             "42\n"},
            {"node serves on a port", "node",
             server.arg(u"0, '127.0.0.1'"_s, u"{ host: '127.0.0.1', port: s.address().port, agent: false }"_s)
                 + u"node s.js"_s,
             "served\n"},
            {"node serves on a unix socket", "node",
             server.arg(u"'own.sock'"_s, u"{ socketPath: 'own.sock', agent: false }"_s) + u"node s.js"_s, "served\n",
             Expect::Fails},
            {"npm installs for the tenant", "npm",
             module(u"1"_s)
                 + u"npm install -g --offline --silent ./tiny >/dev/null && npm ls -g tiny | grep -o tiny@1"_s,
             "tiny@1\n", Expect::Works, Expect::Fails},
        };
    }

    static QList<ToolRow> javaRows()
    {
        const QString source =
            fileOf(u"A.java"_s,
                   u"public class A { public static void main(String[] a) throws Exception {\n"
                   "  var t = new Thread(() -> System.out.println(\"java\")); t.start(); t.join(); } }"_s);
        return {
            {"java compiles and runs", "javac", source + u"javac A.java && java -cp . A"_s, "java\n"},
            {"java runs a source file", "javac", source + u"java A.java"_s, "java\n"},
        };
    }
};

QTEST_GUILESS_MAIN(TstLanguages)
#include "tst_languages.moc"
