// SPDX-License-Identifier: Apache-2.0

// What another process of the same user takes away must never lower the level of a run.

#include "tests/support/look.h"
#include "tests/support/two_users.h"

#include <QTest>

#include <array>
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace portcullis::test;

namespace {

bool limitOpenFiles(rlim_t most)
{
    const rlimit limits{most, most};
    return setrlimit(RLIMIT_NOFILE, &limits) == 0;
}

/// Sends itself descriptors that nobody receives until the kernel takes no more; how many there are.
int fill(int socket)
{
    constexpr std::size_t atOnce = 250;
    std::array<int, atOnce> fds{};
    fds.fill(socket);
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof fds)> space{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fds);
    std::memcpy(CMSG_DATA(header), fds.data(), sizeof fds);
    int sent = 0;
    while (sendmsg(socket, &message, MSG_DONTWAIT) >= 0)
        sent += static_cast<int>(atOnce);
    return sent;
}

/// A process that holds descriptors in flight as long as this lives.
class Holder
{
public:
    Holder()
    {
        std::array<int, 2> ready{};
        if (pipe(ready.data()) != 0)
            return;
        m_pid = fork();
        if (m_pid == 0) {
            int total = 0;
            for (int more = 1; more > 0;) {
                std::array<int, 2> pair{};
                more = socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) == 0 ? fill(pair[0]) : 0;
                total += more;
            }
            [[maybe_unused]] const ssize_t told = write(ready[1], &total, sizeof total);
            for (;;)
                pause();
        }
        close(ready[1]);
        if (read(ready[0], &m_held, sizeof m_held) != static_cast<ssize_t>(sizeof m_held))
            m_held = 0;
        close(ready[0]);
    }
    Holder(const Holder &) = delete;
    Holder &operator=(const Holder &) = delete;
    ~Holder()
    {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
    [[nodiscard]] int held() const { return m_held; }

private:
    pid_t m_pid = -1;
    int m_held = 0;
};

} // namespace

class TstInFlight : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_run_is_refused_and_never_confined_less()
    {
        if (geteuid() == 0)
            QSKIP("root may send as many descriptors as it likes");
        Gateway gateway;
        gateway.setUpRunner([] { return limitOpenFiles(1000); });
        QCOMPARE(gateway.exec(u"echo ran"_s).exitCode, 0);
        const Holder holder;
        QVERIFY2(holder.held() > 1000, "nothing is in flight");
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == 71 && done.out.isEmpty(), (done.out + done.err).constData());
        QVERIFY2(done.err.contains("could not be found out") && done.err.contains("send_plan"), done.err.constData());
        QVERIFY2(!done.err.contains("confinement_unavailable"), done.err.constData());
        const QByteArray log = gateway.runner({u"log"_s, u"--json"_s}).out;
        QVERIFY2(log.contains("probe_send_plan") && !log.contains(R"("level":"none")"), log.constData());
        // What is not known is no reason of the policy, whatever level it asks for.
        for (const QByteArray &demand : {"best_effort"_ba, "required"_ba, "full"_ba}) {
            gateway.setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', confinement: '" + demand + "' }");
            const Done asked = gateway.exec(u"echo ran"_s);
            QVERIFY2(asked.exitCode == 71 && asked.out.isEmpty(), (demand + ": " + asked.err).constData());
            const Done checked = gateway.runner({u"check"_s, u"--tenant"_s, u"acme"_s, u"--json"_s, u"--"_s, u"ls"_s});
            QVERIFY2(checked.exitCode == 0 && checked.err.contains("could not be found out"), checked.err.constData());
            QVERIFY2(checked.out.contains("\"level\":null") && checked.out.contains("confinement_unknown"),
                     checked.out.constData());
        }
        const QByteArray said = gateway.runner({u"doctor"_s}).out;
        QVERIFY2(said.contains("could not be found out") && !said.contains("ABI 0"), said.constData());
    }

    void without_descriptors_nothing_runs_at_a_lower_level()
    {
        for (const rlim_t most : {12U, 16U, 20U, 30U, 60U}) {
            Gateway gateway;
            gateway.setUpRunner([most] { return limitOpenFiles(most); });
            const Done done = gateway.exec(u"echo ran"_s);
            QVERIFY2(done.exitCode != 0 || done.out == "ran\n", done.err.constData());
            QVERIFY2(done.exitCode == 0 || done.exitCode == 71 || done.exitCode == 74, done.err.constData());
            gateway.setUpNothing();
            QVERIFY(!gateway.runner({u"log"_s, u"--json"_s}).out.contains(R"("level":"none")"));
        }
    }
};

int main(int argc, char **argv)
{
    return runAsTwoUsers<TstInFlight>(argc, argv);
}
#include "tst_in_flight.moc"
