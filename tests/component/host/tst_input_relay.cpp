// SPDX-License-Identifier: Apache-2.0
#include "runner/host/input_relay.h"

#include <QSignalSpy>
#include <QTemporaryFile>
#include <QTest>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using portcullis::confinement::UniqueFd;
using portcullis::host::InputRelay;

namespace {

struct Terminal {
    UniqueFd ours;
    UniqueFd theirs;
};

Terminal newTerminal()
{
    Terminal terminal;
    terminal.ours.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!terminal.ours || ::grantpt(terminal.ours.get()) != 0 || ::unlockpt(terminal.ours.get()) != 0)
        qFatal("no terminal");
    terminal.theirs.reset(::open(::ptsname(terminal.ours.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    return terminal;
}

/// What can be read now; sets `end` at the end.
QByteArray readNow(int fd, bool *end = nullptr)
{
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    QByteArray all;
    for (;;) {
        QByteArray bytes(65536, Qt::Uninitialized);
        const ssize_t got = ::read(fd, bytes.data(), static_cast<std::size_t>(bytes.size()));
        if (end != nullptr)
            *end = got == 0;
        if (got <= 0)
            return all;
        all += bytes.first(got);
    }
}

void type(const Terminal &terminal, const QByteArray &text)
{
    QCOMPARE(::write(terminal.ours.get(), text.constData(), static_cast<std::size_t>(text.size())), text.size());
}

} // namespace

class TstInputRelay : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void only_what_gives_more_than_reading_is_relayed()
    {
        const Terminal terminal = newTerminal();
        QVERIFY(InputRelay::isNeeded(terminal.theirs.get()));
        const UniqueFd readOnly(::open(::ptsname(terminal.ours.get()), O_RDONLY | O_NOCTTY | O_CLOEXEC));
        QVERIFY2(InputRelay::isNeeded(readOnly.get()), "a terminal takes new settings through any descriptor");
        const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        QVERIFY(!InputRelay::isNeeded(null.get()));
        QTemporaryFile file;
        QVERIFY(file.open());
        QVERIFY2(InputRelay::isNeeded(file.handle()), "it is open for writing as well");
        const UniqueFd reading(::open(qPrintable(file.fileName()), O_RDONLY | O_CLOEXEC));
        QVERIFY(!InputRelay::isNeeded(reading.get()));
    }

    void lines_that_are_typed_come_through_until_the_end()
    {
        const Terminal terminal = newTerminal();
        InputRelay relay(UniqueFd(::fcntl(terminal.theirs.get(), F_DUPFD_CLOEXEC, 3)));
        const UniqueFd input = relay.takeReadingEnd();
        QVERIFY(input);
        QVERIFY(::isatty(input.get()) != 1);
        QByteArray all;
        type(terminal, "one\n");
        QTRY_VERIFY((all += readNow(input.get())) == "one\n");
        type(terminal, "two\n");
        QTRY_VERIFY((all += readNow(input.get())) == "one\ntwo\n");
        type(terminal, "\x04"); // Ctrl-D
        bool end = false;
        QTRY_VERIFY((readNow(input.get(), &end), end));
    }

    void a_terminal_that_hangs_up_is_the_end()
    {
        Terminal terminal = newTerminal();
        InputRelay relay(std::move(terminal.theirs));
        const UniqueFd input = relay.takeReadingEnd();
        terminal.ours.reset();
        bool end = false;
        QTRY_VERIFY((readNow(input.get(), &end), end));
    }

    void more_than_a_pipe_holds_comes_through_whole()
    {
        QTemporaryFile file;
        QVERIFY(file.open());
        QByteArray content;
        for (int i = 0; i < 200'000; ++i)
            content += QByteArray::number(i) + '\n';
        QCOMPARE(file.write(content), content.size());
        QVERIFY(file.flush() && file.seek(0));
        InputRelay relay(UniqueFd(::fcntl(file.handle(), F_DUPFD_CLOEXEC, 3)));
        const UniqueFd input = relay.takeReadingEnd();
        QByteArray all;
        bool end = false;
        QTRY_VERIFY((all += readNow(input.get(), &end), end));
        QCOMPARE(all.size(), content.size());
        QVERIFY(all == content);
    }

    void a_reader_that_goes_away_ends_it()
    {
        const Terminal terminal = newTerminal();
        InputRelay relay(UniqueFd(::fcntl(terminal.theirs.get(), F_DUPFD_CLOEXEC, 3)));
        UniqueFd input = relay.takeReadingEnd();
        input.reset();
        type(terminal, "nobody reads this\n");
        QTest::qWait(0);
        QCoreApplication::processEvents();
        const UniqueFd other(::fcntl(terminal.theirs.get(), F_DUPFD_CLOEXEC, 3));
        QVERIFY2(other, "our terminal is still there");
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    std::signal(SIGPIPE, SIG_IGN); // as SignalWatch does for the programs
    TstInputRelay test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_input_relay.moc"
