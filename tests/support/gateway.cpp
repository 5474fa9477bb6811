// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gateway.h"

#include "tests/support/refuse_calls.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTemporaryFile>
#include <QUuid>

#include <array>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::test {
namespace {

constexpr unsigned ordinaryUser = 65534;

QString binary()
{
    return QStringLiteral(PORTCULLIS_TEST_BIN_DIR "/portcullis-runner");
}

void writeBytes(const QString &path, const QByteArray &bytes, mode_t mode)
{
    QFile file(path);
    if (file.open(QIODevice::WriteOnly | QIODevice::Truncate))
        file.write(bytes);
    file.close();
    ::chmod(QFile::encodeName(path).constData(), mode);
}

void makeFolder(const QString &path, mode_t mode)
{
    QDir().mkpath(path);
    ::chmod(QFile::encodeName(path).constData(), mode);
}

void give(const QString &path)
{
    if (::geteuid() == 0)
        (void)!::chown(QFile::encodeName(path).constData(), ordinaryUser, ordinaryUser);
}

} // namespace

unsigned Gateway::owner()
{
    return ::geteuid() == 0 ? ordinaryUser : ::geteuid();
}

Gateway::Gateway(const QString &base)
{
    if (base.isEmpty()) {
        m_temporary = std::make_unique<QTemporaryDir>();
        m_root = m_temporary->path();
    } else {
        m_root = base + QStringLiteral("/portcullis-test-") + QUuid::createUuid().toString(QUuid::Id128).left(12);
        m_remove = QDir().mkpath(m_root);
    }
    ::chmod(QFile::encodeName(m_root).constData(), 0711);
    for (const QString &folder : {data(), workspace()}) {
        makeFolder(folder, 0711);
        makeFolder(folder + QStringLiteral("/tenants"), 0711);
    }
    makeFolder(m_root + QStringLiteral("/policies"), 0700);
    for (const QString &tenant : {QStringLiteral("acme"), QStringLiteral("globex")}) {
        for (const QString &folder : {tenantDir(tenant), tenantWorkspace(tenant)}) {
            makeFolder(folder, 0700);
            give(folder);
            // World-readable on purpose: what refuses it must be confinement, not the mode.
            writeBytes(folder + QStringLiteral("/secret.txt"), "secret of " + tenant.toUtf8() + '\n', 0644);
            give(folder + QStringLiteral("/secret.txt"));
        }
        setPolicy(tenant, "{ \"version\": 1, \"tenant\": \"" + tenant.toUtf8() + "\" }");
    }
    writeBytes(data() + QStringLiteral("/goclaw.db"), "database\n", 0644);
    writeBytes(workspace() + QStringLiteral("/main.txt"), "main workspace\n", 0644);
    setConfig({});
}

Gateway::~Gateway()
{
    if (m_remove)
        QDir(m_root).removeRecursively();
}

bool Gateway::isValid() const
{
    return QFile::exists(m_root + QStringLiteral("/config.json")) && QFile::exists(binary());
}

void Gateway::setConfig(const QByteArray &text) const
{
    const QByteArray standard =
        "{ data_dir: '" + data().toUtf8() + "', agents: { defaults: { workspace: '" + workspace().toUtf8() + "' } } }";
    writeBytes(m_root + QStringLiteral("/config.json"), text.isEmpty() ? standard : text, 0600);
}

QString Gateway::writeFile(const QString &name, const QByteArray &text) const
{
    const QString path = m_root + QLatin1Char('/') + name;
    writeBytes(path, text, 0600);
    return path;
}

void Gateway::setPolicy(const QString &tenant, const QByteArray &text) const
{
    writeBytes(m_root + QStringLiteral("/policies/") + tenant + QStringLiteral(".json"), text, 0600);
}

void Gateway::setEnvironment(const QString &name, const QString &value)
{
    m_environment.append(name + QLatin1Char('=') + value);
}

QStringList Gateway::options() const
{
    return {QStringLiteral("--config"),   m_root + QStringLiteral("/config.json"),
            QStringLiteral("--policies"), m_root + QStringLiteral("/policies"),
            QStringLiteral("--audit-db"), auditDb()};
}

void Gateway::refuseNamespaces()
{
    setUpRunner(test::refuseNamespaces);
}

void Gateway::refuseLandlock()
{
    setUpRunner(test::refuseLandlock);
}

void Gateway::prepare(QProcess &process) const
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PORTCULLIS_TEST_MARKER"), QStringLiteral("marker-of-the-runner"));
    for (const QString &each : m_environment)
        environment.insert(each.section(QLatin1Char('='), 0, 0), each.section(QLatin1Char('='), 1));
    process.setProcessEnvironment(environment);
    if (m_setUps.empty())
        return;
    process.setChildProcessModifier([this, &process] {
        for (const auto &action : m_setUps) {
            if (!action())
                process.failChildProcessModifier("set-up", errno);
        }
    });
}

Done Gateway::runner(const QStringList &words, const QByteArray &input) const
{
    QProcess process;
    process.setProgram(binary());
    process.setArguments(words + options());
    // Options are allowed behind the command word, but not behind `--`.
    if (const qsizetype separator = words.indexOf(QStringLiteral("--")); separator >= 0)
        process.setArguments(words.first(separator) + options() + words.sliced(separator));
    prepare(process);
    process.start();
    process.write(input);
    process.closeWriteChannel();
    Done done;
    if (!process.waitForFinished(120'000))
        process.kill();
    process.waitForFinished(5'000);
    done.exitCode = process.exitCode();
    done.crashed = process.exitStatus() != QProcess::NormalExit;
    done.out = process.readAllStandardOutput();
    done.err = process.readAllStandardError();
    return done;
}

Done Gateway::exec(const QString &command, const QStringList &more, const QString &tenant) const
{
    QTemporaryFile result;
    if (!result.open())
        return {};
    Done done = runner(QStringList{QStringLiteral("exec"), QStringLiteral("--tenant"), tenant,
                                   QStringLiteral("--result"), result.fileName()}
                       + more + QStringList{QStringLiteral("--"), command});
    done.result = QJsonDocument::fromJson(result.readAll()).object();
    return done;
}

QJsonObject Gateway::check(const QString &command, const QStringList &more, const QString &tenant) const
{
    const Done done =
        runner(QStringList{QStringLiteral("check"), QStringLiteral("--json"), QStringLiteral("--tenant"), tenant} + more
               + QStringList{QStringLiteral("--"), command});
    return QJsonDocument::fromJson(done.out).object();
}

std::unique_ptr<QProcess> Gateway::startExec(const QString &command, const QStringList &more,
                                             const QString &input) const
{
    auto process = std::make_unique<QProcess>();
    if (!input.isEmpty())
        process->setStandardInputFile(input);
    prepare(*process);
    process->start(binary(),
                   QStringList{QStringLiteral("exec"), QStringLiteral("--tenant"), QStringLiteral("acme")} + more
                       + options() + QStringList{QStringLiteral("--"), command});
    return process;
}

} // namespace portcullis::test
