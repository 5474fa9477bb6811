// SPDX-License-Identifier: Apache-2.0

// What the gateway has for all its tenants, as a command finds it: packages, system skills, folders to read.

#include "tests/support/look.h"
#include "tests/support/must_work.h"

#include <QDir>
#include <QDirIterator>
#include <QTest>

#include <cerrno>

using namespace portcullis::test;

namespace {

/// Neither the gateway's user nor one of a tenant.
constexpr unsigned gatewayUser = 43219;
constexpr unsigned anybody = 43220;

void giveTree(const QString &folder, unsigned owner)
{
    QVERIFY(::chown(QFile::encodeName(folder).constData(), owner, owner) == 0);
    QDirIterator entries(folder, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
    while (entries.hasNext())
        QVERIFY(::lchown(QFile::encodeName(entries.next()).constData(), owner, owner) == 0);
}

/// A folder with a file, both of which everybody may write as far as modes say.
void makeOpen(const QString &folder)
{
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(::chmod(QFile::encodeName(folder).constData(), 0777) == 0);
    QVERIFY(writeFile(folder + u"/file"_s, "shared\n", 0666));
}

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

/// Whether an attempt was refused because of what is granted: by the mount or by Landlock.
bool isRefused(const QByteArray &line)
{
    return line.endsWith(" errno " + QByteArray::number(EACCES))
        || line.endsWith(" errno " + QByteArray::number(EROFS));
}

/// Looks at a folder made by makeOpen: it can be read, and not written.
void verifyReadOnly(const Gateway &gateway, const QString &folder, const QStringList &options = {})
{
    const Done done = lookAt(gateway, {QFile::encodeName(folder) + "/file", QFile::encodeName(folder) + '/'}, options);
    const QByteArrayList lines = done.out.trimmed().split('\n');
    QVERIFY2(lines.size() == 4, (done.out + done.err).constData());
    QVERIFY2(lines[0] == "read shared", (done.out + done.err).constData());
    QVERIFY2(isRefused(lines[1]), done.out.constData());
    QVERIFY2(lines[2] == "list 1", done.out.constData());
    QVERIFY2(isRefused(lines[3]), done.out.constData());
    QCOMPARE(contents(folder + u"/file"_s), QByteArray("shared\n"));
    QVERIFY(!QFile::exists(folder + u"/new"_s));
}

void verifyClosed(const Gateway &gateway, const QString &folder)
{
    const Done done = lookAt(gateway, {QFile::encodeName(folder) + "/file", QFile::encodeName(folder) + '/'});
    const QByteArrayList lines = done.out.trimmed().split('\n');
    QVERIFY2(lines.size() == 4, (done.out + done.err).constData());
    for (const QByteArray &line : lines)
        QVERIFY2(line.endsWith(" errno " + QByteArray::number(EACCES)), done.out.constData());
}

} // namespace

class TstShared : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shared_packages_cannot_be_written_where_modes_would_allow_it_data() { addWallRows(); }
    void shared_packages_cannot_be_written_where_modes_would_allow_it()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        for (const QString &name : {u"pip"_s, u"npm-global"_s, u"bin"_s}) {
            makeOpen(gateway.data() + u"/.runtime/"_s + name);
            verifyReadOnly(gateway, gateway.data() + u"/.runtime/"_s + name);
        }
    }

    void system_skills_can_be_read_and_not_written_data() { addWallRows(); }
    void system_skills_can_be_read_and_not_written()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        configure(gateway, "system_skills: ['pdf']");
        const QString store = gateway.data() + u"/skills-store"_s;
        for (const QString &skill : {store + u"/pdf"_s, store + u"/private"_s})
            makeOpen(skill);
        verifyReadOnly(gateway, store + u"/pdf"_s);
        verifyClosed(gateway, store + u"/private"_s);
        // Its programs run, and a command may name them.
        QVERIFY(writeFile(store + u"/pdf/run.sh"_s, "echo from the skill\n"));
        const Done done = gateway.exec(u"sh "_s + store + u"/pdf/run.sh"_s);
        QVERIFY2(done.out == "from the skill\n", (done.out + done.err).constData());
    }

    /// Where nothing names them, those that came with the gateway are system skills.
    void bundled_skills_are_system_skills_data() { addWallRows(); }
    void bundled_skills_are_system_skills()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        const QString bundled = gateway.root() + u"/bundled"_s;
        const QString store = gateway.data() + u"/skills-store"_s;
        QVERIFY(QDir().mkpath(bundled + u"/pdf"_s));
        for (const QString &skill : {store + u"/pdf"_s, store + u"/private"_s})
            makeOpen(skill);
        verifyClosed(gateway, store + u"/pdf"_s);
        gateway.setEnvironment(u"GOCLAW_BUNDLED_SKILLS_DIR"_s, bundled);
        verifyReadOnly(gateway, store + u"/pdf"_s);
        verifyClosed(gateway, store + u"/private"_s);
        // Somebody else could add a name there, and so open any folder of the store.
        QVERIFY(::chmod(QFile::encodeName(bundled).constData(), 0777) == 0);
        verifyClosed(gateway, store + u"/pdf"_s);
    }

    void folders_of_extra_read_cannot_be_written_where_modes_would_allow_it_data() { addWallRows(); }
    void folders_of_extra_read_cannot_be_written_where_modes_would_allow_it()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        const QString folder = gateway.root() + u"/for-all"_s;
        makeOpen(folder);
        verifyClosed(gateway, folder);
        configure(gateway, "extra_read: ['" + folder.toUtf8() + "']");
        verifyReadOnly(gateway, folder);
    }

    void what_belongs_to_the_gateways_own_user_is_there_when_root_runs_the_program_data()
    {
        QTest::addColumn<bool>("namespaces");
        QTest::addColumn<unsigned>("owner");
        for (const bool namespaces : {true, false}) {
            const char *walls = namespaces ? "both walls" : "Landlock alone";
            QTest::addRow("%s, a user of its own", walls) << namespaces << gatewayUser;
            QTest::addRow("%s, the user of the runs", walls) << namespaces << Gateway::owner();
        }
    }
    void what_belongs_to_the_gateways_own_user_is_there_when_root_runs_the_program()
    {
        QFETCH(bool, namespaces);
        QFETCH(unsigned, owner);
        PORTCULLIS_REQUIRE(::geteuid() == 0, "for root only");
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        configure(gateway, "system_skills: ['pdf']");
        const QString packages = gateway.data() + u"/.runtime/pip"_s;
        const QString skill = gateway.data() + u"/skills-store/pdf"_s;
        for (const QString &folder : {packages, skill}) {
            makeOpen(folder);
            giveTree(folder.section(u'/', 0, -2), owner);
        }
        QVERIFY(::chown(QFile::encodeName(gateway.data()).constData(), owner, owner) == 0);
        verifyReadOnly(gateway, packages);
        verifyReadOnly(gateway, skill);
    }

    /// Only what is the gateway's own is for all: not what somebody else put there or a link leads to.
    void what_belongs_to_somebody_else_is_left_out_data()
    {
        QTest::addColumn<bool>("namespaces");
        QTest::addColumn<unsigned>("dataDir");
        QTest::addColumn<unsigned>("packages");
        QTest::addColumn<bool>("link");
        for (const bool namespaces : {true, false}) {
            const char *walls = namespaces ? "both walls" : "Landlock alone";
            const auto row = [&](const char *sentence, unsigned dataDir, unsigned packages, bool link) {
                QTest::addRow("%s, %s", walls, sentence) << namespaces << dataDir << packages << link;
            };
            row("of the tenant, in a data dir of root", 0, Gateway::owner(), false);
            row("of the tenant, in a data dir of the gateway's user", gatewayUser, Gateway::owner(), false);
            row("of anybody else", gatewayUser, anybody, false);
            row("of the gateway's user, behind a link", gatewayUser, gatewayUser, true);
            row("of the user of gateway and runs, behind a link", Gateway::owner(), Gateway::owner(), true);
        }
    }
    void what_belongs_to_somebody_else_is_left_out()
    {
        QFETCH(bool, namespaces);
        QFETCH(unsigned, dataDir);
        QFETCH(unsigned, packages);
        QFETCH(bool, link);
        PORTCULLIS_REQUIRE(::geteuid() == 0, "for root only");
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        const QString runtime = gateway.data() + u"/.runtime"_s;
        const QString folder = link ? gateway.data() + u"/elsewhere"_s : runtime + u"/pip"_s;
        makeOpen(folder);
        giveTree(folder, packages);
        QVERIFY(QDir().mkpath(runtime));
        if (link)
            QVERIFY(QFile::link(folder, runtime + u"/pip"_s));
        QVERIFY(::chown(QFile::encodeName(gateway.data()).constData(), dataDir, dataDir) == 0);
        verifyClosed(gateway, folder);
        const Done done = gateway.exec(u"true"_s);
        QVERIFY2(done.exitCode == 0 && (done.out + done.err).contains(".runtime/pip"), done.err.constData());
    }

private:
    static void configure(const Gateway &gateway, const QByteArray &keys)
    {
        gateway.setConfig("{ data_dir: '" + gateway.data().toUtf8() + "', agents: { defaults: { workspace: '"
                          + gateway.workspace().toUtf8() + "' } }, portcullis: { " + keys + " } }");
    }
};

QTEST_GUILESS_MAIN(TstShared)
#include "tst_shared.moc"
