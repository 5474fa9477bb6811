// SPDX-License-Identifier: Apache-2.0
#include "app/console/application.h"
#include "app/console/display_check.h"
#include "runner/confinement/open_files.h"
#include "runner/host/locale.h"
#include "runner/host/signal_watch.h"

#include <QApplication>
#include <QIcon>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

// sysexits.h
constexpr int usageError = 64;
constexpr int unavailable = 69;

int refuseVnc()
{
    std::fputs(
        "portcullis: Qt's vnc platform is refused: it listens on all interfaces without a password, and whoever\n"
        "connects, a confined command included, could operate this console. Use X11 over SSH (ssh -X), waypipe, or\n"
        "Xvnc on a Unix socket (Xvnc -localhost -rfbunixpath SOCKET -SecurityTypes VncAuth).\n",
        stderr);
    return usageError;
}

int noDisplay()
{
    std::fputs(
        "portcullis: there is no display (DISPLAY and WAYLAND_DISPLAY are not set). From another machine use ssh -X\n"
        "or waypipe. Everything can also be done without a window: see portcullis-runner --help.\n",
        stderr);
    return unavailable;
}

/// In force while Qt opens the display. Where it cannot, it aborts after several lines about its plugins; a person
/// needs one sentence, and a script an exit code.
void onMessageWhileOpening(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (type == QtFatalMsg) {
        std::fputs(
            "portcullis: no window can be opened on the display that DISPLAY, WAYLAND_DISPLAY or -platform names.\n"
            "From another machine use ssh -X or waypipe. Everything can also be done without a window: see\n"
            "portcullis-runner --help.\n",
            stderr);
        std::_Exit(unavailable);
    }
    if (!std::string_view(context.category == nullptr ? "" : context.category).starts_with("qt.qpa"))
        std::fprintf(stderr, "%s\n", qUtf8Printable(text));
}

int refuseOptions(const portcullis::console::OptionError &error)
{
    const std::string message = "portcullis: " + describe(error) + " (see --help)\n";
    std::fputs(message.c_str(), stderr);
    return usageError;
}

bool has(const std::vector<std::string> &words, std::string_view word)
{
    return std::ranges::find(words, word) != words.end();
}

} // namespace

int main(int argc, char **argv)
{
    using namespace portcullis::console;

    const std::vector<std::string> words(argv + 1, argv + argc);
    if (has(words, "--help")) {
        std::fputs(usage().c_str(), stdout);
        return 0;
    }
    if (has(words, "--version")) {
        std::puts("portcullis " PORTCULLIS_VERSION);
        return 0;
    }
    const QByteArray platform = qgetenv("QT_QPA_PLATFORM");
    if (asksForVnc(words, platform.toStdString()))
        return refuseVnc();
    if (const auto own = parseOptions(withoutQtOptions(words)); !own)
        return refuseOptions(own.error());
    if (!namesPlatform(words, platform.toStdString()) && !qEnvironmentVariableIsSet("DISPLAY")
        && !qEnvironmentVariableIsSet("WAYLAND_DISPLAY"))
        return noDisplay();

    portcullis::host::SignalWatch::block();
    portcullis::confinement::raiseOpenFiles();
    portcullis::host::useUtf8Locale();
    qInstallMessageHandler(onMessageWhileOpening);
    QApplication application(argc, argv);
    qInstallMessageHandler(nullptr);
    QApplication::setApplicationName(QStringLiteral("portcullis"));
    QApplication::setApplicationDisplayName(QString());
    QGuiApplication::setDesktopFileName(QStringLiteral("portcullis"));
    QApplication::setWindowIcon(QIcon::fromTheme(QStringLiteral("portcullis")));
    QApplication::setApplicationVersion(QStringLiteral(PORTCULLIS_VERSION));
    // The window may go before the engine has ended its commands.
    QApplication::setQuitOnLastWindowClosed(false);
    if (QGuiApplication::platformName() == QLatin1StringView("vnc"))
        return refuseVnc();
    const std::vector<std::string> rest(argv + 1, argv + argc); // without Qt's own options
    const auto options = parseOptions(rest);
    if (!options)
        return refuseOptions(options.error());
    Application console(*options);
    console.start();
    return QApplication::exec();
}
