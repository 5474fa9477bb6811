// SPDX-License-Identifier: Apache-2.0
#include "tests/support/container.h"

#include <QFile>
#include <QJsonDocument>
#include <QProcess>

namespace portcullis::test {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr int endMilliseconds = 280'000; // a container that hangs; QTest itself gives a function 300 seconds

const QString engineFolder = QStringLiteral(PORTCULLIS_TEST_ENGINE_DIR);
const QString sourceDir = QStringLiteral(PORTCULLIS_TEST_SOURCE_DIR);
const QString buildDir = QStringLiteral(PORTCULLIS_TEST_BUILD_DIR);

QStringList wordsOf(const ContainerOptions &options)
{
    QStringList words{u"run"_s, engineFolder};
    for (const QString &path : {u"/usr"_s, u"/etc/alternatives"_s, sourceDir, buildDir})
        words << u"--bind"_s << path;
    if (!options.user.isEmpty())
        words << u"--user"_s << options.user;
    if (options.privileged)
        words << u"--privileged"_s;
    for (const QString &capability : options.capabilities)
        words << u"--cap-add"_s << capability;
    for (const QString &capability : options.withoutCapabilities)
        words << u"--cap-drop"_s << capability;
    if (options.readOnly)
        words << u"--read-only"_s << u"--tmpfs"_s << u"/tmp"_s;
    for (const QString &option : options.securityOptions)
        words << u"--security-opt"_s << option;
    for (const QString &variable : QStringList(u"LANG=C.UTF-8"_s) + options.environment)
        words << u"--env"_s << variable;
    return words << u"--"_s;
}

} // namespace

QString whyNoContainer()
{
    QFile file(engineFolder + u"/engine.json"_s);
    if (!file.open(QIODevice::ReadOnly))
        return u"no engine was started: tests/docker/engine start "_s + engineFolder;
    const QJsonObject state = QJsonDocument::fromJson(file.readAll()).object();
    return state.contains(u"image") ? QString() : state.value(u"reason").toString(u"the engine has no image"_s);
}

Done runAsFirstProcess(const ContainerOptions &options, const QStringList &command)
{
    QProcess process;
    process.start(sourceDir + u"/tests/docker/engine"_s, wordsOf(options) + command);
    process.closeWriteChannel();
    Done done;
    if (!process.waitForFinished(endMilliseconds)) {
        process.terminate(); // it removes the container
        process.waitForFinished(10'000);
    }
    done.exitCode = process.exitCode();
    done.crashed = process.exitStatus() != QProcess::NormalExit;
    done.out = process.readAllStandardOutput();
    done.err = process.readAllStandardError();
    return done;
}

Done runInContainer(const ContainerOptions &options, const QStringList &command)
{
    return runAsFirstProcess(options, QStringList{u"sh"_s, u"-c"_s, u"\"$@\"; exit $?"_s, u"sh"_s} + command);
}

} // namespace portcullis::test
