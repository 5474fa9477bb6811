// SPDX-License-Identifier: Apache-2.0
#include "runner/resources/policy_writer.h"
#include "runner/resources/resource_locator.h"
#include "tests/support/must_work.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace portcullis::resources;

class TstPolicyWriter : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;

    [[nodiscard]] std::string path(const std::string &name) const { return m_dir->path().toStdString() + "/" + name; }

    void put(const std::string &name, const QByteArray &text) const
    {
        QFile file(QString::fromStdString(path(name)));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        QCOMPARE(file.write(text), text.size());
    }

    [[nodiscard]] QByteArray text(const std::string &name) const
    {
        QFile file(QString::fromStdString(path(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("<missing>");
    }

    [[nodiscard]] QStringList entries() const
    {
        return QDir(m_dir->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
    }

    void replaces_the_file_and_leaves_nothing_behind()
    {
        put("acme.json", "old");
        QVERIFY(writePolicy(path("acme.json"), "old", "new text"));
        QCOMPARE(text("acme.json"), QByteArray("new text"));
        QCOMPARE(entries(), QStringList{QStringLiteral("acme.json")});
    }

    void keeps_mode_and_owner()
    {
        put("acme.json", "old");
        QCOMPARE(::chmod(path("acme.json").c_str(), 0640), 0);
        const bool root = ::geteuid() == 0;
        if (root)
            QCOMPARE(::chown(path("acme.json").c_str(), 65534, 65534), 0);
        QVERIFY(writePolicy(path("acme.json"), "old", "new"));
        struct stat status{};
        QCOMPARE(::stat(path("acme.json").c_str(), &status), 0);
        QCOMPARE(status.st_mode & 07777U, 0640U);
        QCOMPARE(status.st_uid, root ? 65534U : ::geteuid());
    }

    void a_new_file_is_for_its_owner_alone_and_its_folder_is_made()
    {
        QVERIFY(writePolicy(path("portcullis/policies/acme.json"), std::nullopt, "new"));
        struct stat status{};
        QCOMPARE(::stat(path("portcullis/policies/acme.json").c_str(), &status), 0);
        QCOMPARE(status.st_mode & 07777U, 0600U);
        QCOMPARE(text("portcullis/policies/acme.json"), QByteArray("new"));
    }

    void never_overwrites_what_somebody_else_wrote()
    {
        put("acme.json", "changed by hand");
        const auto written = writePolicy(path("acme.json"), "old", "new");
        QVERIFY(!written);
        QCOMPARE(written.error().code, WriteError::Code::Changed);
        QCOMPARE(text("acme.json"), QByteArray("changed by hand"));
        QVERIFY(!writePolicy(path("acme.json"), std::nullopt, "new"));
        QCOMPARE(text("acme.json"), QByteArray("changed by hand"));
        QCOMPARE(entries(), QStringList{QStringLiteral("acme.json")});
    }

    void does_not_bring_back_a_file_that_was_removed()
    {
        const auto written = writePolicy(path("acme.json"), "old", "new");
        QVERIFY(!written);
        QCOMPARE(written.error().code, WriteError::Code::Changed);
        QVERIFY(entries().isEmpty());
    }

    void a_link_stays_a_link()
    {
        QVERIFY(QDir(m_dir->path()).mkdir(QStringLiteral("real")));
        put("real/acme.json", "old");
        QVERIFY(QFile::link(QStringLiteral("real/acme.json"), QString::fromStdString(path("acme.json"))));
        QVERIFY(writePolicy(path("acme.json"), "old", "new"));
        QVERIFY(QFileInfo(QString::fromStdString(path("acme.json"))).isSymLink());
        QCOMPARE(text("real/acme.json"), QByteArray("new"));
    }

    void says_which_step_the_system_refused()
    {
        PORTCULLIS_REQUIRE(::geteuid() == 0 || ::access("/proc/sys", W_OK) != 0,
                           "a folder that cannot be written is needed");
        const auto written = writePolicy("/proc/acme.json", std::nullopt, "new");
        QVERIFY(!written);
        QCOMPARE(written.error().code, WriteError::Code::Failed);
        QCOMPARE(written.error().step, std::string("open"));
        QVERIFY(written.error().errnoValue != 0);
    }

    void programs_find_their_files_in_the_build_tree_and_when_installed_data()
    {
        QTest::addColumn<QString>("guard");
        QTest::newRow("build tree") << QStringLiteral("bin/portcullis-guard");
        QTest::newRow("installed") << QStringLiteral(PORTCULLIS_LIBEXECDIR "/portcullis/portcullis-guard");
    }

    void programs_find_their_files_in_the_build_tree_and_when_installed()
    {
        QFETCH(QString, guard);
        const QDir dir(m_dir->path());
        QVERIFY(dir.mkpath(QFileInfo(guard).path()) && dir.mkpath(QStringLiteral("bin")));
        QVERIFY(dir.mkpath(QStringLiteral("share/portcullis/rules")));
        put(guard.toStdString(), "#!");
        const std::string own = path("bin/portcullis-runner");
        QCOMPARE(locateResources(own).guard, std::string()); // not executable
        QCOMPARE(::chmod(path(guard.toStdString()).c_str(), 0755), 0);
        QCOMPARE(locateResources(own).guard, path(guard.toStdString()));
        QCOMPARE(locateResources(own).dataDir, path("share/portcullis"));
    }

    void this_program_knows_where_it_is()
    {
        QCOMPARE(QString::fromStdString(ownExecutable()), QCoreApplication::applicationFilePath());
    }
};

QTEST_GUILESS_MAIN(TstPolicyWriter)
#include "tst_policy_writer.moc"
