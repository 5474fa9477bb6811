// SPDX-License-Identifier: Apache-2.0

// `policy diff`, `publish` and `revisions` through the built runner.

#include "runner/confinement/unique_fd.h"
#include "tests/support/gateway.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using portcullis::test::Done;
using portcullis::test::Gateway;

namespace {

constexpr const char *looser =
    "{\n  // installs are fine\n  version: 1, tenant: \"acme\",\n  deny_groups: {package_install: false}\n}\n";

} // namespace

class TstPublish : public QObject
{
    Q_OBJECT

    std::unique_ptr<Gateway> m_gateway;

    [[nodiscard]] Done policy(const QStringList &words) const
    {
        return m_gateway->runner(QStringList{u"policy"_s} + words);
    }
    [[nodiscard]] QString write(const QString &name, const QByteArray &text) const
    {
        return m_gateway->writeFile(name, text);
    }
    [[nodiscard]] QByteArray inForce() const
    {
        QFile file(m_gateway->root() + u"/policies/acme.json"_s);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    [[nodiscard]] QString verdict(const QString &command) const
    {
        return m_gateway->check(command)[u"verdict"].toString();
    }
    [[nodiscard]] QList<QJsonObject> revisions() const
    {
        QList<QJsonObject> found;
        for (const QByteArray &line : policy({u"revisions"_s, u"--json"_s}).out.trimmed().split('\n'))
            found += QJsonDocument::fromJson(line).object();
        return found;
    }

    /// What the runner writes when its standard output is a terminal.
    [[nodiscard]] QByteArray onTerminal(const QStringList &words) const
    {
        const portcullis::confinement::UniqueFd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
        if (!terminal || ::grantpt(terminal.get()) != 0 || ::unlockpt(terminal.get()) != 0)
            return {};
        const portcullis::confinement::UniqueFd end(::open(::ptsname(terminal.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
        QProcess process;
        process.setChildProcessModifier([&end] { ::dup2(end.get(), STDOUT_FILENO); });
        process.start(QStringLiteral(TEST_BIN_DIR "/portcullis-runner"), words + m_gateway->options());
        if (!process.waitForFinished())
            return {};
        QByteArray written(65536, '\0');
        written.truncate(std::max<ssize_t>(0, ::read(terminal.get(), written.data(), 65536)));
        return written;
    }

private Q_SLOTS:
    void init()
    {
        m_gateway = std::make_unique<Gateway>();
        QVERIFY(m_gateway->isValid());
    }

    void a_draft_is_in_force_once_it_is_published()
    {
        const QString draft = write(u"draft.json"_s, looser);
        QCOMPARE(verdict(u"npm install x"_s), u"deny"_s);
        const Done done = policy({u"publish"_s, draft, u"--message"_s, u"installs are fine"_s});
        QCOMPARE(done.exitCode, 0);
        QVERIFY2(done.out.contains("loosens   deny_groups.package_install: true → false"), done.out);
        QCOMPARE(inForce(), QByteArray(looser)); // comments and all
        QCOMPARE(verdict(u"npm install x"_s), u"allow"_s);
        const Done log = m_gateway->runner({u"log"_s, u"kind:publish"_s, u"--json"_s});
        const QJsonObject event = QJsonDocument::fromJson(log.out).object();
        QCOMPARE(event[u"detail"][u"message"].toString(), u"installs are fine"_s);
        QVERIFY(!event[u"detail"][u"by"].toString().isEmpty());
    }

    void the_text_that_an_editor_put_there_is_kept_too_and_can_be_put_back()
    {
        const QByteArray before = inForce();
        QCOMPARE(policy({u"publish"_s, write(u"draft.json"_s, looser), u"--message"_s, u"m"_s}).exitCode, 0);
        const QList<QJsonObject> kept = revisions();
        QCOMPARE(kept.size(), 2);
        QCOMPARE(kept[0][u"source"].toString(), u"publish"_s);
        QCOMPARE(kept[1][u"source"].toString(), u"disk"_s);
        const QString first = QString::number(kept[1][u"id"].toInt());
        const Done old = policy({u"revisions"_s, first});
        QCOMPARE(old.out, before);
        QCOMPARE(policy({u"publish"_s, write(u"back.json"_s, old.out), u"--message"_s, u"roll back"_s}).exitCode, 0);
        QCOMPARE(inForce(), before);
        QCOMPARE(verdict(u"npm install x"_s), u"deny"_s);
        QCOMPARE(revisions().size(), 3); // nothing that is kept already is kept twice
    }

    void a_text_that_is_in_force_already_is_not_published_again()
    {
        const QString draft = write(u"draft.json"_s, looser);
        QCOMPARE(policy({u"publish"_s, draft, u"--message"_s, u"m"_s}).exitCode, 0);
        const qsizetype kept = revisions().size();
        const QByteArray log = m_gateway->runner({u"log"_s, u"--json"_s}).out;
        for (const QStringList &more : {QStringList{}, QStringList{u"--dry-run"_s}}) {
            const Done again = policy(QStringList{u"publish"_s, draft, u"--message"_s, u"again"_s} + more);
            QCOMPARE(again.exitCode, 0);
            QCOMPARE(again.out,
                     "nothing was changed: " + m_gateway->root().toUtf8()
                         + "/policies/acme.json has this text already\n");
        }
        const Done json = policy({u"publish"_s, draft, u"--message"_s, u"again"_s, u"--json"_s});
        QCOMPARE(QJsonDocument::fromJson(json.out)[u"published"].toBool(true), false);
        QCOMPARE(revisions().size(), kept);
        QCOMPARE(m_gateway->runner({u"log"_s, u"--json"_s}).out, log);
        const QString comment = write(u"other.json"_s, QByteArray(looser) + "// said more\n"); // means the same
        QCOMPARE(policy({u"publish"_s, comment, u"--message"_s, u"m"_s}).exitCode, 0);
        QCOMPARE(revisions().size(), kept + 1);
    }

    void revisions_of_an_unknown_tenant_are_a_mistake_and_of_one_without_any_are_none()
    {
        QCOMPARE(policy({u"publish"_s, write(u"draft.json"_s, looser), u"--message"_s, u"m"_s}).exitCode, 0);
        const Done unknown = policy({u"revisions"_s, u"--tenant"_s, u"initech"_s});
        QCOMPARE(unknown.exitCode, 78);
        QVERIFY2(unknown.err.contains("there is no tenant \"initech\"; there are acme"), unknown.err);
        const Done none = policy({u"revisions"_s, u"--tenant"_s, u"globex"_s});
        QCOMPARE(none.exitCode, 0);
        QVERIFY2(none.out.isEmpty() && none.err.contains("no revision is kept yet"), none.err);
        QCOMPARE(policy({u"revisions"_s, u"--tenant"_s, u"acme"_s}).out.count('\n'), 2);
    }

    void a_terminal_gets_the_names_of_the_columns_and_a_pipe_does_not()
    {
        QCOMPARE(policy({u"publish"_s, write(u"draft.json"_s, looser), u"--message"_s, u"m"_s}).exitCode, 0);
        const QByteArray piped = policy({u"revisions"_s}).out;
        QVERIFY2(!piped.contains("author"), piped);
        const QByteArray shown = onTerminal({u"policy"_s, u"revisions"_s}).replace("\r\n", "\n");
        const QList<QByteArray> lines = shown.split('\n');
        QVERIFY2(lines[0].startsWith("   id  time ") && lines[0].endsWith("message"), shown);
        QCOMPARE(lines[0].indexOf("message"), lines[1].lastIndexOf('m'));
        QCOMPARE(shown.mid(shown.indexOf('\n') + 1), piped);
        const QByteArray json = onTerminal({u"policy"_s, u"revisions"_s, u"--json"_s});
        QVERIFY2(json.startsWith('{'), json);
    }

    void an_exemption_is_a_revision_too()
    {
        const Done denied = m_gateway->exec(u"npm install x"_s);
        QCOMPARE(denied.exitCode, 77);
        const QString id = denied.result[u"id"].toString();
        QCOMPARE(policy({u"exempt"_s, id, u"--message"_s, u"once"_s}).exitCode, 0);
        const QList<QJsonObject> kept = revisions();
        QCOMPARE(kept.size(), 2);
        QCOMPARE(kept[0][u"source"].toString(), u"exempt"_s);
        QCOMPARE(kept[0][u"message"].toString(), u"once"_s);
    }

    void nothing_is_written_when_the_draft_does_not_load_or_fails_its_own_tests()
    {
        const QByteArray before = inForce();
        const Done wrong = policy({u"publish"_s, write(u"d.json"_s, "{version: 1, tenant: 'acme',\n netwrok: 'none'}"),
                                   u"--message"_s, u"m"_s});
        QCOMPARE(wrong.exitCode, 78);
        QVERIFY2(wrong.err.contains("d.json:2:2: error:"), wrong.err);
        const Done failing =
            policy({u"publish"_s,
                    write(u"t.json"_s, "{version: 1, tenant: 'acme', tests: [{command: 'sudo id', expect: 'allow'}]}"),
                    u"--message"_s, u"m"_s});
        QCOMPARE(failing.exitCode, 1);
        QVERIFY2(failing.err.contains("t.json:1:") && failing.err.contains("expected allow, got deny"), failing.err);
        QCOMPARE(policy({u"publish"_s, write(u"ok.json"_s, looser)}).exitCode, 64); // no message
        QCOMPARE(policy({u"publish"_s, write(u"ok.json"_s, looser), u"--message"_s, u"m"_s, u"--dry-run"_s}).exitCode,
                 0);
        QCOMPARE(policy({u"publish"_s, write(u"ok.json"_s, looser), u"--message"_s, u"m"_s, u"--tenant"_s, u"globex"_s})
                     .exitCode,
                 65);
        QCOMPARE(inForce(), before);
        QVERIFY(!QFileInfo::exists(m_gateway->auditDb()));
    }

    void nothing_is_changed_when_the_record_cannot_be_written()
    {
        const Done denied = m_gateway->exec(u"npm install x"_s);
        const QString id = denied.result[u"id"].toString();
        QCOMPARE(policy({u"exempt"_s, id, u"--message"_s, u"once"_s}).exitCode, 0);
        const Done listed = policy({u"exemptions"_s, u"--json"_s});
        const QString exemption = QJsonDocument::fromJson(listed.out).object()[u"id"].toString();
        QVERIFY2(!exemption.isEmpty(), listed.out);
        const QByteArray before = inForce();
        QFile::remove(m_gateway->auditDb() + u"-wal"_s);
        QFile record(m_gateway->auditDb()); // a record that is no database
        QVERIFY(record.open(QIODevice::WriteOnly | QIODevice::Truncate));
        record.write(QByteArray(8192, 'x'));
        record.close();
        const QString draft = write(u"draft.json"_s, looser);
        for (const QStringList &words : {QStringList{u"publish"_s, draft, u"--message"_s, u"m"_s},
                                         QStringList{u"exempt"_s, u"--remove"_s, exemption}}) {
            const Done done = policy(words);
            QVERIFY2(done.exitCode == 74, done.err);
            QVERIFY2(done.err.contains("nothing was changed") && done.err.contains(m_gateway->auditDb().toUtf8()),
                     done.err);
            QVERIFY2(done.out.isEmpty(), done.out);
            QCOMPARE(inForce(), before);
        }
    }

    void a_change_that_could_not_be_made_is_not_recorded_as_made()
    {
        const QByteArray before = inForce();
        const QString draft = write(u"draft.json"_s, looser);
        // The file's name leaves no room for that of the new text beside it: it cannot be replaced.
        const QString real = m_gateway->root() + u"/policies/"_s + QString(251, u'p') + u".txt"_s;
        const QString name = m_gateway->root() + u"/policies/acme.json"_s;
        QVERIFY(QFile::rename(name, real));
        QVERIFY(QFile::link(real, name));
        const Done done = policy({u"publish"_s, draft, u"--message"_s, u"m"_s});
        QVERIFY2(done.exitCode == 78, done.out + done.err);
        QVERIFY2(done.err.contains("cannot write"), done.err);
        QCOMPARE(inForce(), before);
        const Done log = m_gateway->runner({u"log"_s, u"kind:publish"_s, u"--json"_s});
        const QJsonObject event = QJsonDocument::fromJson(log.out).object();
        QCOMPARE(event[u"outcome"].toString(), u"not_started"_s);
        QVERIFY2(!event[u"error"].toString().isEmpty(), log.out);
        QVERIFY(m_gateway->runner({u"log"_s, u"kind:publish"_s}).out.contains("not put in force"));
        const QList<QJsonObject> kept = revisions();
        QCOMPARE(kept[0][u"source"].toString(), u"disk"_s);
        QCOMPARE(policy({u"revisions"_s, QString::number(kept[0][u"id"].toInt())}).out, before);
        // and one that is made is
        QVERIFY(QFile::remove(name));
        QVERIFY(QFile::rename(real, name));
        QCOMPARE(policy({u"publish"_s, draft, u"--message"_s, u"again"_s}).exitCode, 0);
        const Done made = m_gateway->runner({u"log"_s, u"kind:publish"_s, u"outcome:exited"_s, u"--json"_s});
        QCOMPARE(QJsonDocument::fromJson(made.out).object()[u"detail"][u"message"].toString(), u"again"_s);
    }

    void a_first_policy_makes_a_new_tenant()
    {
        const QString draft = write(u"initech.json"_s, "{version: 1, tenant: 'initech', host_policy: 'deny'}");
        const Done done = policy({u"publish"_s, draft, u"--message"_s, u"welcome"_s});
        QCOMPARE(done.exitCode, 0);
        QVERIFY2(done.out.contains("tenant initech: added"), done.out);
        QVERIFY(QFileInfo::exists(m_gateway->root() + u"/policies/initech.json"_s));
    }

    void two_configurations_are_compared_by_meaning()
    {
        const QString draft = write(u"draft.json"_s, looser);
        const Done done = policy({u"diff"_s, u"current"_s, draft, u"--json"_s});
        QCOMPARE(done.exitCode, 0);
        const QJsonArray differences = QJsonDocument::fromJson(done.out).object()[u"differences"].toArray();
        QCOMPARE(differences.size(), 1);
        QCOMPARE(differences[0][u"name"].toString(), u"deny_groups.package_install"_s);
        QCOMPARE(differences[0][u"effect"].toString(), u"loosens"_s);
        QCOMPARE(policy({u"diff"_s, draft, draft}).out, QByteArray("nothing that decides differs\n"));
        QCOMPARE(policy({u"diff"_s, draft}).exitCode, 64);
        QCOMPARE(policy({u"diff"_s, u"current"_s, draft + u".not"_s}).exitCode, 65);
        QCOMPARE(policy({u"diff"_s, draft, u"recorded"_s}).exitCode, 64);
    }
};

QTEST_GUILESS_MAIN(TstPublish)
#include "tst_publish.moc"
