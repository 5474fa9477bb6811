// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/problem.h"
#include "runner/resources/config_loader.h"
#include "runner/resources/trusted_file.h"
#include "tests/support/must_work.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace portcullis;
using namespace portcullis::resources;

namespace {

constexpr const char *noRules = R"({"version": 1, "group": "env_dump", "rules": []})";

std::string policyOf(const std::string &tenant, const std::string &keys = {})
{
    return "{\"version\": 1, \"tenant\": \"" + tenant + "\"" + keys + "}";
}

} // namespace

class TstConfigLoader : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    LoadOptions m_options;

    [[nodiscard]] std::string path(const std::string &name) const { return m_dir->path().toStdString() + "/" + name; }

    /// Writes a file below the temporary folder, mode 0600.
    void write(const std::string &name, const std::string &text) const
    {
        const QString full = QString::fromStdString(path(name));
        QVERIFY(QDir().mkpath(QFileInfo(full).path()));
        QFile file(full);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        QVERIFY(file.write(QByteArray::fromStdString(text)) >= 0);
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    }

    [[nodiscard]] std::shared_ptr<const policy::Configuration> load() const
    {
        auto loaded = loadConfiguration(m_options);
        return loaded ? *loaded : nullptr;
    }

    /// The code of the only problem that keeps the configuration from loading.
    [[nodiscard]] std::string failureCode() const
    {
        const auto loaded = loadConfiguration(m_options);
        return loaded || loaded.error().empty() ? std::string() : loaded.error().front().code;
    }

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
        m_options = LoadOptions();
        m_options.home = path("home");
        m_options.resourcesDir = path("share");
        write("share/rules/none.json", noRules);
        write("gw/config.json",
              "{data_dir: '" + path("data") + "', agents: {defaults: {workspace: '" + path("work") + "'}}}");
        write("gw/portcullis/policies/acme.json", policyOf("acme", R"(, "host_policy": "deny")"));
        m_options.configFile = path("gw/config.json");
    }

    void reads_config_policies_rules_and_tenant_folders()
    {
        QVERIFY(QDir().mkpath(QString::fromStdString(path("data/tenants/globex"))));
        QVERIFY(QDir().mkpath(QString::fromStdString(path("work/tenants/initech"))));
        write("data/tenants/file", "no folder");
        QVERIFY(QFile::link(QString::fromStdString(path("data")), QString::fromStdString(path("data/tenants/link"))));
        const auto configuration = load();
        QVERIFY(configuration);
        QCOMPARE(configuration->paths().dataDir, path("data"));
        QCOMPARE(configuration->tenants(), (std::vector<std::string>{"acme", "globex", "initech"}));
        QCOMPARE(configuration->effective("acme", "main").hostPolicy.value, HostPolicy::Deny);
        QCOMPARE(configuration->effective("acme", "main").hostPolicy.source.file,
                 path("gw/portcullis/policies/acme.json"));
        QVERIFY(configuration->problems().empty());
    }

    void takes_the_file_of_goclaw_config_then_the_home_folder()
    {
        write("home/.goclaw/config.json", "{data_dir: '/home-data'}");
        write("other/config.json", "{data_dir: '/other-data'}");
        m_options.configFile.clear();
        QCOMPARE(load()->paths().dataDir, std::string("/home-data"));
        m_options.environment["GOCLAW_CONFIG"] = path("other/config.json");
        QCOMPARE(load()->paths().dataDir, std::string("/other-data"));
        m_options.configFile = path("gw/config.json");
        QCOMPARE(load()->paths().dataDir, path("data"));
    }

    void never_takes_a_file_from_the_working_directory()
    {
        write("cwd/config.json", "{data_dir: '/evil'}");
        write("cwd/.goclaw/config.json", "{data_dir: '/evil'}");
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(QString::fromStdString(path("cwd"))));
        m_options.configFile.clear();
        const auto configuration = load();
        m_options.environment["GOCLAW_CONFIG"] = "config.json";
        const std::string relative = failureCode();
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(configuration);
        QCOMPARE(configuration->paths().dataDir, path("home/.goclaw/data"));
        QCOMPARE(relative, std::string("not_absolute"));
    }

    void takes_a_relative_path_that_the_operator_types()
    {
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(QString::fromStdString(path("gw"))));
        m_options.configFile = "config.json";
        m_options.dataDir = "../elsewhere";
        const auto configuration = load();
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(configuration);
        QCOMPARE(configuration->paths().configFile, path("gw/config.json"));
        QCOMPARE(configuration->paths().dataDir, path("elsewhere"));
    }

    void a_named_file_must_exist()
    {
        m_options.configFile = path("gw/nothing.json");
        QCOMPARE(failureCode(), std::string("not_found"));
        m_options.configFile.clear();
        m_options.environment["GOCLAW_CONFIG"] = path("gw/nothing.json");
        QCOMPARE(failureCode(), std::string("not_found"));
    }

    void refuses_a_config_that_others_can_write_data()
    {
        QTest::addColumn<uint>("mode");
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("owner alone") << 0600U << QByteArray();
        QTest::newRow("readable by all") << 0644U << QByteArray();
        QTest::newRow("writable by the group") << 0660U << QByteArray("writable_by_others");
        QTest::newRow("writable by others") << 0602U << QByteArray("writable_by_others");
    }

    void refuses_a_config_that_others_can_write()
    {
        QFETCH(uint, mode);
        QCOMPARE(::chmod(path("gw/config.json").c_str(), mode), 0);
        QTEST(QByteArray::fromStdString(failureCode()), "code");
    }

    void refuses_a_config_of_another_user()
    {
        PORTCULLIS_REQUIRE(::geteuid() == 0, "giving a file away takes root");
        QCOMPARE(::chown(path("gw/config.json").c_str(), 65534, 65534), 0);
        QCOMPARE(failureCode(), std::string("not_ours"));
    }

    void a_link_counts_as_the_file_that_it_leads_to()
    {
        write("real/config.json", "{data_dir: '/real-data'}");
        QVERIFY(QFile::link(QString::fromStdString(path("real/config.json")),
                            QString::fromStdString(path("gw/link.json"))));
        m_options.configFile = path("gw/link.json");
        QCOMPARE(load()->paths().dataDir, std::string("/real-data"));
        QCOMPARE(::chmod(path("real/config.json").c_str(), 0666), 0);
        QCOMPARE(failureCode(), std::string("writable_by_others"));
    }

    void the_folder_of_a_links_target_counts_too()
    {
        write("real/config.json", "{}");
        QVERIFY(QFile::link(QString::fromStdString(path("real/config.json")),
                            QString::fromStdString(path("gw/link.json"))));
        m_options.configFile = path("gw/link.json");
        QCOMPARE(::chmod(path("real").c_str(), 0777), 0);
        QCOMPARE(failureCode(), std::string("folder_writable_by_others"));
    }

    void every_folder_that_holds_a_link_on_the_way_counts()
    {
        const auto link = [this](const char *to, const char *from) {
            return QFile::link(QString::fromStdString(path(to)), QString::fromStdString(path(from)));
        };
        write("real/config.json", "{data_dir: '/real-data'}");
        write("between/mark", "");
        QVERIFY(link("real/config.json", "between/second.json"));
        QVERIFY(link("between/second.json", "gw/link.json"));
        QVERIFY(link("between", "folder"));
        for (const char *name : {"gw/link.json", "folder/second.json"}) {
            m_options.configFile = path(name);
            QCOMPARE(load()->paths().dataDir, std::string("/real-data"));
            QCOMPARE(::chmod(path("between").c_str(), 0777), 0);
            QCOMPARE(failureCode(), std::string("folder_writable_by_others"));
            QCOMPARE(::chmod(path("between").c_str(), 0755), 0);
            if (::geteuid() != 0)
                continue;
            QCOMPARE(::chown(path("between").c_str(), 65534, 65534), 0); // its owner sets the link
            QCOMPARE(failureCode(), std::string("not_ours"));
            QCOMPARE(::chown(path("between").c_str(), 0, 0), 0);
            QCOMPARE(::lchown(path("between/second.json").c_str(), 65534, 65534), 0);
            QCOMPARE(failureCode(), std::string("not_ours"));
            QCOMPARE(::lchown(path("between/second.json").c_str(), 0, 0), 0);
        }
        if (::geteuid() == 0) {
            QCOMPARE(::chown(path("real").c_str(), 65534, 65534), 0); // a file of root's, which another can exchange
            QCOMPARE(failureCode(), std::string("not_ours"));
        }
    }

    void refuses_a_config_in_a_folder_where_others_can_replace_it()
    {
        QCOMPARE(::chmod(path("gw").c_str(), 0777), 0);
        QCOMPARE(failureCode(), std::string("folder_writable_by_others"));
        QCOMPARE(::chmod(path("gw").c_str(), 0770), 0);
        QCOMPARE(failureCode(), std::string("folder_writable_by_others"));
        QCOMPARE(::chmod(path("gw").c_str(), 01777), 0);
        QCOMPARE(failureCode(), std::string());
    }

    void special_files_neither_block_nor_pass()
    {
        QCOMPARE(::mkfifo(path("fifo").c_str(), 0600), 0);
        for (const std::string &special : {path("fifo"), path("gw"), std::string("/dev/zero")}) {
            m_options.configFile = special;
            QCOMPARE(failureCode(), std::string("not_regular"));
        }
    }

    void refuses_a_file_of_endless_size()
    {
        QCOMPARE(::truncate(path("gw/config.json").c_str(), static_cast<off_t>(maxGatewayBytes) + 1), 0);
        QCOMPARE(failureCode(), std::string("file_too_large"));
    }

    void a_policy_that_may_not_be_used_breaks_its_tenant_alone()
    {
        write("gw/portcullis/policies/globex.json", policyOf("globex"));
        write("gw/portcullis/policies/initech.json", "{");
        QCOMPARE(::chmod(path("gw/portcullis/policies/acme.json").c_str(), 0666), 0);
        const auto configuration = load();
        QVERIFY(configuration);
        QVERIFY(configuration->isKnown("acme"));
        QVERIFY(configuration->isBroken("acme"));
        QVERIFY(configuration->isBroken("initech"));
        QVERIFY(!configuration->isBroken("globex"));
        QCOMPARE(configuration->problems().size(), std::size_t(2));
        const auto &problems = configuration->problems();
        const auto refused = std::ranges::find(problems, "acme", &policy::Problem::tenant);
        QVERIFY(refused != problems.end());
        QCOMPARE(refused->code, std::string("writable_by_others"));
        QCOMPARE(refused->file, path("gw/portcullis/policies/acme.json"));
        QCOMPARE(refused->found, std::string("0666"));
    }

    void leaves_out_what_editors_leave_behind()
    {
        for (const char *name : {"acme.json~", ".acme.json.swp", ".hidden.json", "README.md", "acme.json.bak"})
            write("gw/portcullis/policies/" + std::string(name), "{");
        const auto configuration = load();
        QVERIFY(configuration);
        QVERIFY(configuration->problems().empty());
        QCOMPARE(configuration->tenants(), std::vector<std::string>{"acme"});
    }

    void policies_folder_by_option_then_environment_then_beside_the_config()
    {
        write("by-env/globex.json", policyOf("globex"));
        write("by-option/initech.json", policyOf("initech"));
        QCOMPARE(load()->paths().policiesDir, path("gw/portcullis/policies"));
        m_options.environment["PORTCULLIS_POLICIES"] = path("by-env");
        QCOMPARE(load()->tenants(), std::vector<std::string>{"globex"});
        m_options.policiesDir = path("by-option");
        QCOMPARE(load()->tenants(), std::vector<std::string>{"initech"});
        m_options.policiesDir = path("nothing");
        QCOMPARE(failureCode(), std::string("not_found"));
    }

    void no_policies_folder_is_no_problem_where_none_is_named()
    {
        QVERIFY(QDir(QString::fromStdString(path("gw/portcullis"))).removeRecursively());
        QVERIFY(load());
    }

    void refuses_a_policies_folder_that_others_can_write()
    {
        for (const mode_t mode : {mode_t(0770), mode_t(0777), mode_t(01777)}) {
            QCOMPARE(::chmod(path("gw/portcullis/policies").c_str(), mode), 0);
            QCOMPARE(failureCode(), std::string("folder_writable_by_others"));
        }
    }

    void places_follow_the_role_of_the_process()
    {
        m_options.root = true;
        QCOMPARE(load()->paths().auditDb, std::string("/var/lib/portcullis/audit.db"));
        m_options.root = false;
        QCOMPARE(load()->paths().auditDb, path("home/.local/state/portcullis/audit.db"));
        m_options.environment["XDG_STATE_HOME"] = "/xdg";
        QCOMPARE(load()->paths().auditDb, std::string("/xdg/portcullis/audit.db"));
        m_options.environment["STATE_DIRECTORY"] = "/srv/state:/srv/other";
        QCOMPARE(load()->paths().stateDir, std::string("/srv/state"));
        m_options.auditDb = "/given/audit.db";
        QCOMPARE(load()->paths().auditDb, std::string("/given/audit.db"));
    }

    void without_rules_nothing_loads()
    {
        QVERIFY(QFile::remove(QString::fromStdString(path("share/rules/none.json"))));
        QCOMPARE(failureCode(), std::string("not_found"));
    }

    /// Its files can be opened by name, but nobody knows which there are: a policy that tightens must not be missed.
    void a_policies_folder_that_cannot_be_listed_is_an_error()
    {
        write("unlisted/acme.json", "{version: 1, tenant: 'acme', host_policy: 'deny'}");
        QCOMPARE(::chmod(path("unlisted").c_str(), 0311), 0);
        QCOMPARE(::chmod(path("").c_str(), 0711), 0);
        constexpr uid_t somebody = 43218;
        const bool root = ::geteuid() == 0; // who may list everything
        QVERIFY(!root || ::seteuid(somebody) == 0);
        const auto read = readPolicies(path("unlisted"));
        QVERIFY(!root || ::seteuid(0) == 0);
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string(nameOf(policy::ProblemCode::NotReadable)));
        QCOMPARE(::chmod(path("unlisted").c_str(), 0700), 0);
        QVERIFY(readPolicies(path("unlisted")));
    }

    void the_environment_of_this_process_is_read()
    {
        const LoadOptions options = optionsOfProcess();
        QVERIFY(options.home.starts_with('/'));
        QVERIFY(options.environment.contains("PATH"));
        QCOMPARE(options.root, ::geteuid() == 0);
    }
};

QTEST_GUILESS_MAIN(TstConfigLoader)
#include "tst_config_loader.moc"
