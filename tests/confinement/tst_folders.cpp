// SPDX-License-Identifier: Apache-2.0
#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/two_users.h"

#include <QFileInfo>

#include <array>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

/// Where the tenants' folders lie, who makes them, and what a tenant may put in their place.
class TstFolders : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void missing_tenant_folders_are_made_for_the_user_of_the_run_data() { addBothWalls(); }
    void missing_tenant_folders_are_made_for_the_user_of_the_run()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        for (const char *folder : {"data/tenants/acme", "workspace/tenants/acme"})
            QVERIFY(QDir(tenancy.path(folder)).removeRecursively());
        const plan::ExecPlan plan = tenancy.plan(walls, "echo x > $T/a && echo x > $W/a");
        const auto outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.exitCode == 0, describe(outcome).constData());
        for (const char *folder : {"data/tenants/acme", "workspace/tenants/acme", "data/.portcullis/tmp/acme"}) {
            struct stat about{};
            QCOMPARE(::stat(text(tenancy.path(folder)).c_str(), &about), 0);
            QCOMPARE(about.st_uid, plan.uid);
            QCOMPARE(about.st_mode & 07777U, 0700U);
        }
    }

    void a_link_where_a_tenant_folder_should_be_neither_widens_nor_blocks()
    {
        const Tenancy tenancy;
        QVERIFY(QDir().mkpath(tenancy.workspace() + QStringLiteral("/agents")));
        QVERIFY(
            QFile::link(tenancy.path("workspace/tenants/globex"), tenancy.workspace() + QStringLiteral("/agents/one")));
        plan::ExecPlan plan = tenancy.plan(Walls::Both, "ls -A $W/agents/one/; true");
        plan.grants.push_back({.path = text(tenancy.workspace() + QStringLiteral("/agents/one")),
                               .root = text(tenancy.path("workspace")),
                               .access = plan::Access::All,
                               .owner = plan::Owner::Tenant,
                               .create = true});
        tenancy.fileAt(QStringLiteral("workspace/tenants/globex/theirs"), "x");
        auto outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode == 0, describe(outcome).constData());
        QVERIFY(!out(outcome).contains("theirs"));
        QVERIFY(has(outcome, confinement::RunNote::Kind::LinkReplaced));
        plan.view = false;
        outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode == 0, describe(outcome).constData());
        QVERIFY(!out(outcome).contains("theirs"));
        QVERIFY(has(outcome, confinement::RunNote::Kind::LinkRefused));
    }

    void nothing_is_made_in_a_tenants_folder_to_build_the_view_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<bool>("removed");
        QTest::newRow("a folder on the way to a grant") << u"/way/there"_s << true;
        QTest::newRow("the place of a grant") << u"/there"_s << true;
        QTest::newRow("both are there") << u"/way/there"_s << false;
    }
    /// As when the tenant removes the folder while the view is built.
    void nothing_is_made_in_a_tenants_folder_to_build_the_view()
    {
        QFETCH(QString, place);
        QFETCH(bool, removed);
        const Tenancy tenancy;
        const QString target = tenancy.workspace() + place;
        if (!removed)
            QVERIFY(QDir().mkpath(target));
        plan::ExecPlan plan = tenancy.plan(Walls::Both, "cat " + QFile::encodeName(target) + "/globex/secret.txt");
        plan.grants.push_back({.path = text(tenancy.path("data/tenants")), .target = text(target)});
        const auto outcome = runPlan(tenancy, plan);
        if (!removed) {
            QVERIFY2(out(outcome).startsWith("secret of"), describe(outcome).constData());
            return;
        }
        QVERIFY2(outcome.outcome == Outcome::NotStarted, describe(outcome).constData());
        QCOMPARE(outcome.failure->step, wire::Step::MakeMountPoint);
        QCOMPARE(outcome.failure->errorNumber, ENOENT);
        QVERIFY(QDir(tenancy.workspace()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
    }

    void a_link_in_place_of_the_temporary_folder_gives_an_empty_one()
    {
        const QString place = homeLikePlace();
        PORTCULLIS_REQUIRE(!place.isEmpty(), "no folder to write to outside of /tmp");
        const Tenancy tenancy(place);
        tenancy.folderAt(QStringLiteral("data/.portcullis/tmp"), 0711);
        QVERIFY(QFile::link(tenancy.path("data"), tenancy.path("data/.portcullis/tmp/acme")));
        const auto outcome = runPlan(tenancy, tenancy.plan(Walls::Both, "echo x > /tmp/mine && ls -A /tmp"));
        QVERIFY2(out(outcome) == "mine\n", describe(outcome).constData());
        QVERIFY(has(outcome, confinement::RunNote::Kind::LinkReplaced));
        QVERIFY(!QFile::exists(tenancy.path("data/mine")));
    }

    void the_temporary_folder_is_the_tenants_own_and_stays()
    {
        const QString place = homeLikePlace();
        PORTCULLIS_REQUIRE(!place.isEmpty(), "no folder to write to outside of /tmp");
        const Tenancy tenancy(place);
        QCOMPARE(runPlan(tenancy, tenancy.plan(Walls::Both, "echo x > /tmp/kept")).exitCode, 0);
        const auto outcome = runPlan(tenancy, tenancy.plan(Walls::Both, "ls /tmp; ls /var/tmp"));
        QVERIFY2(out(outcome) == "kept\nkept\n", describe(outcome).constData());
        QCOMPARE(contents(tenancy.path("data/.portcullis/tmp/acme/kept")), "x\n"_ba);
    }

    void layouts_of_the_data_dir_data()
    {
        QTest::addColumn<QString>("place");
        QTest::newRow("below /tmp") << QDir::tempPath();
        QTest::newRow("below /var/tmp") << QStringLiteral("/var/tmp");
        QTest::newRow("below /dev/shm") << QStringLiteral("/dev/shm");
        if (::geteuid() == 0) {
            QTest::newRow("below /opt") << QStringLiteral("/opt");
            QTest::newRow("below a home") << QStringLiteral("/root");
        }
    }
    void layouts_of_the_data_dir()
    {
        QFETCH(QString, place);
        const Tenancy tenancy(place);
        for (const Walls walls : {Walls::Both, Walls::LandlockAlone}) {
            if (walls == Walls::LandlockAlone && place == u"/root")
                continue; // as another user it could not pass /root
            const auto outcome =
                runPlan(tenancy, tenancy.plan(walls, "cat $T/own.txt; echo x > $W/a; cat $FOREIGN; cat $D/goclaw.db"));
            QVERIFY2(out(outcome) == "secret of data/tenants/acme/own.txt", describe(outcome).constData());
            QCOMPARE(err(outcome).count("Permission denied"), 2);
            QVERIFY(QFile::remove(tenancy.workspace() + QStringLiteral("/a")));
        }
    }

    void on_the_way_to_a_data_dir_in_a_temporary_folder_nothing_can_be_opened_up_data()
    {
        QTest::addColumn<QString>("place");
        for (const char *place : {"/tmp", "/var/tmp", "/dev/shm"})
            QTest::newRow(place) << QString::fromLatin1(place);
    }
    void on_the_way_to_a_data_dir_in_a_temporary_folder_nothing_can_be_opened_up()
    {
        QFETCH(QString, place);
        const Tenancy tenancy(place);
        plan::ExecPlan plan = tenancy.plan(
            Walls::Both,
            "ls -A $P; echo mine > $P/mine && cat $P/mine || exit 1\n"
            "for folder in ${D%/data} $D $D/tenants $D/tenants/globex $D/.portcullis ${D%/data}/workspace/main; do\n"
            "  chmod 777 $folder && echo opened $folder; ls -A $folder && echo listed $folder\n"
            "  touch $folder/new && echo made in $folder; mv $folder $P/moved && echo moved $folder\n"
            "done");
        plan.environment.emplace_back("P", text(place));
        const auto outcome = runPlan(tenancy, plan);
        const QByteArray name = QFileInfo(tenancy.path("data")).dir().dirName().toLatin1();
        QVERIFY2(out(outcome) == name + "\nmine\n", describe(outcome).constData());
    }

    void the_operators_home_is_closed_when_the_data_dir_lies_in_it_data() { addBothWalls(); }
    void the_operators_home_is_closed_when_the_data_dir_lies_in_it()
    {
        QFETCH(Walls, walls);
        // As root below a folder that another user can pass.
        const QString place = ::geteuid() == 0 ? u"/srv"_s : homeLikePlace();
        PORTCULLIS_REQUIRE(QFileInfo(place).isWritable(), "no folder to write to outside of /tmp");
        const Tenancy home(place);
        Tenancy::own(home.path("")); // as the operator who runs the gateway: modes would allow it all
        Tenancy::own(home.folderAt(u".ssh"_s, 0755));
        Tenancy::own(home.fileAt(u".ssh/key"_s, "secret"));
        plan::ExecPlan plan =
            home.plan(walls,
                      "ls -A $H && echo listed; touch $H/new && echo made; mkdir $H/new && echo made\n"
                      "cat $H/.ssh/key; ls $H/.ssh; cat $H/config.json; echo x >> $H/.profile\n"
                      "cat $T/own.txt");
        plan.environment.emplace_back("H", text(home.path("")));
        const auto outcome = runPlan(home, plan);
        QVERIFY2(out(outcome) == "secret of data/tenants/acme/own.txt", describe(outcome).constData());
        // The folders of the view are of a file system that nobody can write.
        QCOMPARE(err(outcome).count("Permission denied") + err(outcome).count("Read-only file system"), 7);
        QVERIFY(!QFile::exists(home.path("new")) && !QFile::exists(home.path(".profile")));
        // Without walls it is open.
        plan.view = plan.landlock = false;
        plan.level = Level::None;
        const auto open = runPlan(home, plan);
        QVERIFY2(out(open).contains("listed") && out(open).contains("made"), describe(open).constData());
    }

    void a_workspace_inside_the_tenant_directory_works()
    {
        const Tenancy tenancy;
        tenancy.folderAt(QStringLiteral("data/tenants/acme/work"), 0755);
        Tenancy::own(tenancy.path("data/tenants/acme/work"));
        plan::ExecPlan plan = tenancy.plan(Walls::Both, "echo x > a && cat $T/work/a && ! cat $FOREIGN");
        plan.grants.push_back({.path = text(tenancy.path("data/tenants/acme/work")),
                               .root = text(tenancy.path("data")),
                               .access = plan::Access::All,
                               .owner = plan::Owner::Tenant,
                               .optional = false});
        plan.cwd = plan.grants.back().path;
        for (const bool view : {true, false}) {
            plan.view = view;
            const auto outcome = runPlan(tenancy, plan);
            QVERIFY2(outcome.exitCode == 0 && out(outcome) == "x\n", describe(outcome).constData());
        }
    }

    void the_names_of_other_tenants_are_closed_also_when_they_are_many_and_change()
    {
        const QString place = homeLikePlace();
        PORTCULLIS_REQUIRE(!place.isEmpty(), "no folder to write to outside of /tmp");
        const Tenancy tenancy(place);
        for (int i = 0; i < 300; ++i)
            tenancy.folderAt(QStringLiteral("data/tenants/crowd-%1").arg(i), 0755);
        tenancy.fileAt(QStringLiteral("data/tenants/file"), "x");
        const plan::ExecPlan plan = tenancy.plan(
            Walls::Both,
            "cd $D/tenants; for n in crowd-7 crowd-299 file late globex; do cat $n/x; done; ls; touch new; "
            "cat acme/own.txt");
        for (const bool late : {false, true}) {
            if (late) {
                tenancy.folderAt(QStringLiteral("data/tenants/late"), 0755);
                QVERIFY(QDir().rmdir(tenancy.path("data/tenants/crowd-7")));
            }
            const auto outcome = runPlan(tenancy, plan);
            const QByteArray text = err(outcome);
            for (const char *name : {"crowd-299", "file", "globex", late ? "late" : "crowd-7"})
                QVERIFY2(text.contains(QByteArray(name) + "/x: Permission denied"), describe(outcome).constData());
            QVERIFY2(text.contains((late ? "crowd-7"_ba : "late"_ba) + "/x: No such file"),
                     describe(outcome).constData());
            QVERIFY2(out(outcome) == "secret of data/tenants/acme/own.txt", describe(outcome).constData());
        }
        QVERIFY(!QFile::exists(tenancy.path("data/tenants/new")));
        const QStringList prepared =
            QDir(tenancy.path("data/.portcullis/names")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QCOMPARE(prepared.size(), 3); // beside T, beside W, and those of /etc
    }

    void a_folder_in_which_single_files_are_granted_shows_these_and_closes_the_others()
    {
        const QString place = homeLikePlace();
        PORTCULLIS_REQUIRE(!place.isEmpty(), "no folder to write to outside of /tmp");
        const Tenancy tenancy(place);
        tenancy.folderAt(u"conf"_s, 0755);
        tenancy.folderAt(u"conf/inner"_s, 0755);
        const auto first = text(tenancy.fileAt(u"conf/first"_s, "1\n"));
        const auto second = text(tenancy.fileAt(u"conf/second"_s, "2\n"));
        const auto inner = text(tenancy.fileAt(u"conf/inner/third"_s, "3\n"));
        QVERIFY(QFile::link(u"first"_s, tenancy.path("conf/link")));
        plan::ExecPlan plan =
            tenancy.plan(Walls::Both,
                         "cd $D/../conf; cat first second link inner/third; cat late inner/fourth; ls; "
                         "echo x > first; chmod 777 second");
        const std::vector<plan::Grant> usual = plan.grants;
        const auto run = [&](const std::vector<std::string> &files) {
            plan.grants = usual;
            for (const std::string &file : files)
                plan.grants.push_back({.path = file, .access = plan::Access::Read});
            return runPlan(tenancy, plan);
        };
        const auto link = text(tenancy.path("conf/link"));
        for (int round = 0; round < 2; ++round) {
            const auto one = run({first, link});
            QVERIFY2(out(one) == "1\n1\n", describe(one).constData());
            QVERIFY2(err(one).contains("second: Permission denied"), describe(one).constData());
            QVERIFY2(err(one).contains("late: No such file"), describe(one).constData());
            const auto all = run({first, second, inner});
            QVERIFY2(out(all) == "1\n2\n3\n", describe(all).constData());
            QVERIFY2(err(all).contains("link: Permission denied"), describe(all).constData());
            QVERIFY2(err(all).contains("inner/fourth: No such file"), describe(all).constData());
        }
        QCOMPARE(contents(tenancy.path("conf/first")), "1\n");
        // T, W, /etc; conf with the one list, conf and conf/inner with the other.
        QCOMPARE(QDir(tenancy.path("data/.portcullis/names")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 6);
    }

    void the_operators_links_are_followed_data() { addBothWalls(); }
    void the_operators_links_are_followed()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        QVERIFY(QFile::link(tenancy.path("data"), tenancy.path("srv")));
        plan::ExecPlan plan = tenancy.plan(walls, "cat $L/tenants/acme/own.txt; cat $L/tenants/globex/secret.txt");
        plan.environment.emplace_back("L", text(tenancy.path("srv")));
        for (plan::Grant &grant : plan.grants) {
            if (grant.path == text(tenancy.tenantDir())) {
                grant.path = text(tenancy.path("srv/tenants/acme"));
                grant.root = text(tenancy.path("srv"));
            }
        }
        plan.cwd = text(tenancy.path("srv/tenants/acme"));
        const auto outcome = runPlan(tenancy, plan);
        QVERIFY2(out(outcome) == "secret of data/tenants/acme/own.txt", describe(outcome).constData());
        QVERIFY2(err(outcome).contains("Permission denied"), describe(outcome).constData());
    }

    void a_system_path_of_somebody_else_is_left_out()
    {
        if (::geteuid() != 0)
            QSKIP("needs a file of another user");
        const Tenancy tenancy;
        tenancy.fileAt(QStringLiteral("shared"), "x");
        QCOMPARE(::chown(text(tenancy.path("shared")).c_str(), 1234, 1234), 0);
        plan::ExecPlan plan = tenancy.plan(Walls::LandlockAlone, "! cat " + QFile::encodeName(tenancy.path("shared")));
        plan.grants.push_back({.path = text(tenancy.path("shared"))});
        const auto outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.exitCode == 0, describe(outcome).constData());
        QVERIFY(has(outcome, confinement::RunNote::Kind::ForeignOwner));
    }

private:
    /// A place for a data dir that is not below one of the folders that the view replaces; empty: there is none.
    static QString homeLikePlace()
    {
        const auto isReplaced = [](const QString &place) {
            return std::ranges::any_of(std::array{u"/tmp"_s, u"/var/tmp"_s, u"/dev"_s}, [&](const QString &folder) {
                return place == folder || place.startsWith(folder + u'/');
            });
        };
        for (const QString &place : {QDir::homePath(), u"/srv"_s, u"/opt"_s, QDir::currentPath()}) {
            if (QFileInfo(place).isWritable() && !isReplaced(QFileInfo(place).canonicalFilePath()))
                return place;
        }
        return {};
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstFolders)
#include "tst_folders.moc"
