// SPDX-License-Identifier: Apache-2.0

// Packages of the gateway and of tenants: who sees which, and in which order.

#include "tests/support/gateway.h"
#include "tests/support/look.h"
#include "tests/support/must_work.h"
#include "tests/support/tools.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <array>
#include <utility>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis::test;

class TstPackages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void packages_are_found_in_their_order_data()
    {
        QTest::addColumn<bool>("namespaces");
        QTest::addColumn<QString>("tool");
        for (const bool namespaces : {true, false}) {
            for (const char *tool : {"python3", "node"})
                QTest::addRow("%s, %s", namespaces ? "both walls" : "Landlock alone", tool)
                    << namespaces << QString::fromLatin1(tool);
        }
    }
    /// The tenant's own before the shared ones, and neither in the way of a project that has its own.
    void packages_are_found_in_their_order()
    {
        QFETCH(bool, namespaces);
        QFETCH(QString, tool);
        const bool python = tool == u"python3";
        PORTCULLIS_REQUIRE(isInstalled(tool) && isInstalled(python ? u"pip3"_s : u"npm"_s), "not installed");
        Gateway gateway;
        allowPackages(gateway, namespaces);
        share(gateway);
        const QString show = python ? u"python3 -c 'import tiny; print(tiny.version)'"_s
                                    : u"node -e 'console.log(require(\"tiny\").version)'"_s;
        const QString install = python ? wheel(u"2"_s)
                + u"pip3 install -q --no-index ./tiny-2-py3-none-any.whl 2>&1 | "
                  "grep -v notice; true"_s
                                       : module(u"2"_s) + u"npm install -g --offline --silent ./tiny >/dev/null"_s;
        const QString project = python
            ? wheel(u"3"_s)
                + u"python3 -m venv --without-pip v && pip3 --python v/bin/python install -q --no-index ./tiny-3-py3-none-any.whl && v/bin/"_s
                + show
            : u"mkdir -p p/node_modules && cp -r tiny p/node_modules/ && cd p/node_modules/tiny && "
              "sed -i s/2/3/ i.js && cd ../.. && "_s
                + show;
        const std::array<std::pair<QString, QByteArray>, 4> steps{
            {{show, "shared\n"}, {install, ""}, {show, "2\n"}, {project, "3\n"}}};
        for (const auto &[command, prints] : steps) {
            const Done done = gateway.exec(command, {u"--timeout"_s, u"120"_s});
            QVERIFY2(done.exitCode == 0 && done.out == prints, (done.out + done.err).constData());
        }
        // Nobody else sees what one tenant installed.
        const Done other = gateway.exec(show, {}, u"globex"_s);
        QVERIFY2(other.out == "shared\n", (other.out + other.err).constData());
        const Done bridge = gateway.exec(show, {u"--origin"_s, u"mcp_bridge"_s}, u"globex"_s);
        QVERIFY2(bridge.out == "shared\n", (bridge.out + bridge.err).constData());
        // Nor can a tenant change what is shared.
        const QString file = gateway.data() + u"/.runtime"_s
            + (python ? u"/pip/tiny.py"_s : u"/npm-global/lib/node_modules/tiny/i.js"_s);
        QVERIFY(::chmod(QFile::encodeName(file).constData(), 0666) == 0);
        const Done changed = lookAt(gateway, {QFile::encodeName(file)});
        QVERIFY2(changed.out.startsWith("read ") && changed.out.contains("\nwrite errno "), changed.out.constData());
        QCOMPARE(gateway.exec(show, {}, u"globex"_s).out, "shared\n");
    }

    void a_tenant_that_puts_a_link_in_the_way_of_shared_packages_harms_only_itself()
    {
        Gateway gateway;
        allowPackages(gateway, true);
        share(gateway);
        QVERIFY(QDir(gateway.tenantDir(u"acme"_s) + u"/.runtime"_s).removeRecursively());
        QVERIFY(QFile::link(gateway.data() + u"/tenants/globex"_s, gateway.tenantDir(u"acme"_s) + u"/.runtime"_s));
        QCOMPARE(gateway.exec(u"echo runs"_s).out, "runs\n");
        QVERIFY(!QFile::exists(gateway.tenantDir(u"globex"_s) + u"/pip"_s));
    }

private:
    /// Shared packages as the operator installs them: `pip install --target`, `npm install -g --prefix`.
    static void share(const Gateway &gateway)
    {
        const QString runtime = gateway.data() + u"/.runtime"_s;
        const QString modules = runtime + u"/npm-global/lib/node_modules/tiny"_s;
        for (const QString &folder : {runtime + u"/pip"_s, modules})
            QVERIFY(QDir().mkpath(folder));
        write(runtime + u"/pip/tiny.py"_s, "version = 'shared'\n");
        write(modules + u"/package.json"_s, R"({"name":"tiny","version":"0.1.0","main":"i.js"})");
        write(modules + u"/i.js"_s, "exports.version = 'shared'\n");
    }

    static void write(const QString &path, const QByteArray &bytes)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
};

QTEST_GUILESS_MAIN(TstPackages)
#include "tst_packages.moc"
