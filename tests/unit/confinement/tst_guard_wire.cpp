// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/guard_wire.h"

#include <QTest>

#include <random>

using namespace portcullis;
using namespace portcullis::wire;

namespace {

GuardPlan fullPlan()
{
    GuardPlan plan;
    plan.argv = {"/bin/bash", "-c", "echo \xff"};
    plan.environment = {"HOME=/w", "EMPTY="};
    plan.cwd = "/srv/w";
    plan.cwdFd = 2;
    plan.uid = 1000;
    plan.gid = 0xffffffff;
    plan.view = true;
    plan.landlock = true;
    plan.noNetwork = true;
    plan.probe = true;
    plan.landlockAbi = 7;
    plan.timeLimitMs = 60'000;
    plan.processes = 5;
    plan.openFiles = 6;
    plan.fileBytes = 1ULL << 40;
    plan.dataBytes = 8;
    plan.memoryBytes = 9;
    plan.freeBytes = 10;
    plan.mark = (1ULL << 61) + 1;
    plan.grants = {{.path = "/srv/t", .target = "/srv/t", .rights = Rights::All, .fd = 1, .device = ~0ULL, .inode = 9},
                   {.path = "/usr", .target = "/usr", .rights = Rights::ReadExecute, .directory = false},
                   {.path = "/x", .target = "/y", .source = Source::Names}};
    plan.links = {{"/bin", "usr/bin"}};
    return plan;
}

constexpr std::uint32_t fds = 3;

} // namespace

class TstGuardWire : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_plan_comes_out_as_it_went_in()
    {
        const auto decoded = decodePlan(encode(fullPlan()), fds);
        QVERIFY(decoded);
        QVERIFY(*decoded == fullPlan());
    }

    void a_report_comes_out_as_it_went_in()
    {
        const GuardReport report{.kind = Report::Failed,
                                 .step = Step::Execute,
                                 .error = -5,
                                 .path = "/bin/bash",
                                 .reason = EndReason::Cancelled,
                                 .exitCode = -1,
                                 .signal = 9,
                                 .killedBackground = true,
                                 .killForced = true,
                                 .memoryExceeded = true,
                                 .roomExceeded = true,
                                 .filesExceeded = true};
        const auto decoded = decodeReport(encode(report));
        QVERIFY(decoded);
        QVERIFY(*decoded == report);
    }

    void a_hello_of_another_version_is_refused()
    {
        QVERIFY(decodeHello(encode(GuardHello{.fds = 1})));
        QVERIFY(!decodeHello(encode(GuardHello{.version = guardVersion + 1, .fds = 1})));
        QVERIFY(!decodeHello(encode(GuardHello{.fds = 0})));
        QVERIFY(!decodeHello(encode(GuardHello{.fds = maxFds + 1})));
    }

    void every_cut_of_a_message_is_refused()
    {
        const std::string plan = encode(fullPlan());
        for (std::size_t size = 0; size < plan.size(); ++size)
            QVERIFY(!decodePlan(std::string_view(plan).substr(0, size), fds));
        QVERIFY(!decodePlan(plan + "x", fds));
        const std::string report = encode(GuardReport{});
        for (std::size_t size = 0; size < report.size(); ++size)
            QVERIFY(!decodeReport(std::string_view(report).substr(0, size)));
        QVERIFY(!decodeReport(report + "x"));
    }

    void every_changed_byte_gives_a_plan_or_nothing()
    {
        const std::string plan = encode(fullPlan());
        for (std::size_t at = 0; at < plan.size(); ++at) {
            for (const int bits : {0x01, 0x80, 0xff}) {
                std::string changed = plan;
                changed[at] = static_cast<char>(changed[at] ^ bits);
                if (const auto decoded = decodePlan(changed, fds))
                    QVERIFY(isSound(*decoded));
            }
        }
    }

    void random_bytes_give_nothing_bad()
    {
        std::mt19937 random(20261003); // always the same bytes
        for (int round = 0; round < 20'000; ++round) {
            std::string bytes(random() % 200, '\0');
            for (char &byte : bytes)
                byte = static_cast<char>(random() % 4 == 0 ? random() : 0);
            Encoder version;
            version.number(guardVersion);
            const auto decoded = decodePlan(version.take() + bytes, fds);
            QVERIFY(!decoded || isSound(*decoded));
            [[maybe_unused]] const auto report = decodeReport(bytes);
            [[maybe_unused]] const auto hello = decodeHello(bytes);
        }
    }

    void a_plan_may_not_name_descriptors_that_were_not_sent_data()
    {
        QTest::addColumn<int>("which");
        QTest::newRow("working directory") << 0;
        QTest::newRow("grant") << 1;
    }
    void a_plan_may_not_name_descriptors_that_were_not_sent()
    {
        QFETCH(int, which);
        GuardPlan plan = fullPlan();
        (which == 0 ? plan.cwdFd : plan.grants.front().fd) = fds;
        QVERIFY(!decodePlan(encode(plan), fds));
    }

    void text_with_a_nul_is_refused()
    {
        GuardPlan plan = fullPlan();
        plan.argv[2] = std::string("a\0b", 3);
        QVERIFY(!decodePlan(encode(plan), fds));
    }

    void a_plan_without_program_is_refused()
    {
        GuardPlan plan = fullPlan();
        plan.argv.clear();
        QVERIFY(!decodePlan(encode(plan), fds));
        plan.argv = {""};
        QVERIFY(!decodePlan(encode(plan), fds));
    }

    void only_canonical_paths_are_taken_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<bool>("good");
        QTest::newRow("root") << QByteArray("/") << true;
        QTest::newRow("deep") << QByteArray("/a/b..c/.d") << true;
        QTest::newRow("empty") << QByteArray() << false;
        QTest::newRow("relative") << QByteArray("a") << false;
        QTest::newRow("parent") << QByteArray("/a/../b") << false;
        QTest::newRow("parent at the end") << QByteArray("/a/..") << false;
        QTest::newRow("this folder") << QByteArray("/a/./b") << false;
        QTest::newRow("two slashes") << QByteArray("/a//b") << false;
        QTest::newRow("slash at the end") << QByteArray("/a/") << false;
    }
    void only_canonical_paths_are_taken()
    {
        QFETCH(QByteArray, path);
        QFETCH(bool, good);
        GuardPlan plan = fullPlan();
        plan.grants.front().path = path.toStdString();
        QCOMPARE(decodePlan(encode(plan), fds).has_value(), good);
        plan = fullPlan();
        plan.grants.front().target = path.toStdString();
        QCOMPARE(decodePlan(encode(plan), fds).has_value(), good);
        plan = fullPlan();
        plan.cwd = path.toStdString();
        QCOMPARE(decodePlan(encode(plan), fds).has_value(), good);
        plan = fullPlan();
        plan.links.front().path = path.toStdString();
        QCOMPARE(decodePlan(encode(plan), fds).has_value(), good);
    }

    void every_step_has_a_name_of_its_own()
    {
        QSet<QByteArray> names;
        for (int step = 0; step < static_cast<int>(Step::Count); ++step)
            names.insert(QByteArray(nameOf(static_cast<Step>(step)).data()));
        QCOMPARE(names.size(), static_cast<int>(Step::Count));
        QCOMPARE(nameOf(Step::OpenWorkingDirectory), std::string_view("open_working_directory"));
        QCOMPARE(nameOf(Step::Execute), std::string_view("execute"));
    }

private:
    static bool isSound(const GuardPlan &plan)
    {
        for (const GuardGrant &grant : plan.grants) {
            if (grant.fd >= fds || !isCanonical(grant.path) || !isCanonical(grant.target) || grant.rights > Rights::All)
                return false;
        }
        return plan.cwdFd < fds && isCanonical(plan.cwd) && !plan.argv.empty();
    }
};

QTEST_APPLESS_MAIN(TstGuardWire)
#include "tst_guard_wire.moc"
