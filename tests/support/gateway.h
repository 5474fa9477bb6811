// SPDX-License-Identifier: Apache-2.0
#pragma once

// A gateway for tests: data dir, workspace, two tenants with a secret each, policies, a record of its own, and the
// built runner to use it with.

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace portcullis::test {

struct Done {
    int exitCode = -1;
    bool crashed = false;
    QByteArray out;
    QByteArray err;
    QJsonObject result; ///< of --result, with exec
};

class Gateway
{
public:
    /// Below `base` (a temporary folder when empty), e.g. to put the data dir below /usr/local.
    explicit Gateway(const QString &base = {});
    ~Gateway();
    Gateway(const Gateway &) = delete;
    Gateway &operator=(const Gateway &) = delete;

    [[nodiscard]] bool isValid() const;
    [[nodiscard]] QString root() const { return m_root; }
    [[nodiscard]] QString data() const { return m_root + QStringLiteral("/data"); }
    [[nodiscard]] QString workspace() const { return m_root + QStringLiteral("/workspace"); }
    [[nodiscard]] QString auditDb() const
    {
        return m_auditDb.isEmpty() ? m_root + QStringLiteral("/audit.db") : m_auditDb;
    }
    void setAuditDb(const QString &path) { m_auditDb = path; }
    [[nodiscard]] QString tenantDir(const QString &slug) const { return data() + QStringLiteral("/tenants/") + slug; }
    [[nodiscard]] QString tenantWorkspace(const QString &slug) const
    {
        return workspace() + QStringLiteral("/tenants/") + slug;
    }

    /// Writes a file below the root, for the operator alone; the answer is its path.
    [[nodiscard]] QString writeFile(const QString &name, const QByteArray &text) const;
    void setPolicy(const QString &tenant, const QByteArray &text) const;
    void setConfig(const QByteArray &text) const;
    /// From now on the runner is started where no namespace can be made: it has Landlock alone.
    void refuseNamespaces();
    /// From now on the runner is started where there is no Landlock.
    void refuseLandlock();
    /// From now on this is done in each runner process, between fork and exec; false: the start fails.
    void setUpRunner(std::function<bool()> action) { m_setUps.push_back(std::move(action)); }
    /// From now on runners are started as usual.
    void setUpNothing() { m_setUps.clear(); }
    void setEnvironment(const QString &name, const QString &value);

    /// Options that make the runner use this gateway.
    [[nodiscard]] QStringList options() const;
    /// Runs the built runner with these words, waits for its end.
    [[nodiscard]] Done runner(const QStringList &words, const QByteArray &input = {}) const;
    /// `exec` of a command as a tenant.
    [[nodiscard]] Done exec(const QString &command, const QStringList &more = {},
                            const QString &tenant = QStringLiteral("acme")) const;
    /// `check --json` of a command.
    [[nodiscard]] QJsonObject check(const QString &command, const QStringList &more = {},
                                    const QString &tenant = QStringLiteral("acme")) const;
    /// A runner process that has been started and not waited for.
    /// Its standard input is a pipe, or the file named.
    [[nodiscard]] std::unique_ptr<QProcess> startExec(const QString &command, const QStringList &more = {},
                                                      const QString &input = {}) const;

    /// uid and gid that own the tenants' folders: an ordinary user when the tests run as root, else us.
    [[nodiscard]] static unsigned owner();

private:
    void prepare(QProcess &process) const;
    std::unique_ptr<QTemporaryDir> m_temporary;
    QString m_root;
    QString m_auditDb;
    bool m_remove = false;
    std::vector<std::function<bool()>> m_setUps;
    QStringList m_environment;
};

} // namespace portcullis::test
