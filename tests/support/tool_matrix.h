// SPDX-License-Identifier: Apache-2.0
#pragma once

// What agents work with all day, through the built runner: each row a tool, with what is expected of it in each state
// of the walls.

#include "tests/support/gateway.h"
#include "tests/support/must_work.h"
#include "tests/support/tools.h"

#include <QTest>

namespace portcullis::test {

enum class State {
    BothWalls,
    LandlockAlone, ///< no namespace can be made, as in a container with the engine's own filter
    NoLandlock ///< the kernel has none: level `none`, the tenant directory is not there
};

enum class Expect { Works, Fails };

struct ToolRow {
    const char *sentence;
    const char *program; ///< empty: every system has it
    QString command;
    QByteArray prints;
    Expect alone = Expect::Works; ///< with both walls every tool works
    Expect without = Expect::Works;
};

inline void addToolRows(const QList<ToolRow> &rows)
{
    QTest::addColumn<State>("state");
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("command");
    QTest::addColumn<QByteArray>("prints");
    QTest::addColumn<Expect>("expected");
    for (const ToolRow &row : rows) {
        const auto add = [&row](const char *state, State which, Expect expected) {
            QTest::addRow("%s: %s", state, row.sentence)
                << which << QString::fromLatin1(row.program) << row.command << row.prints << expected;
        };
        add("both walls", State::BothWalls, Expect::Works);
        add("Landlock alone", State::LandlockAlone, row.alone);
        add("no Landlock", State::NoLandlock, row.without);
    }
}

inline void bringAbout(Gateway &gateway, State state)
{
    if (state == State::LandlockAlone)
        gateway.refuseNamespaces();
    if (state == State::NoLandlock)
        gateway.refuseLandlock();
}

inline QString levelOf(State state)
{
    return state == State::BothWalls ? u"full"_s : state == State::LandlockAlone ? u"landlock"_s : u"none"_s;
}

/// The test of each row that addToolRows made.
inline void verifyTool()
{
    QFETCH(State, state);
    QFETCH(QString, program);
    QFETCH(QString, command);
    QFETCH(QByteArray, prints);
    QFETCH(Expect, expected);
    PORTCULLIS_REQUIRE(isInstalled(program), "a program is not installed");
    Gateway gateway;
    allowPackages(gateway, true);
    bringAbout(gateway, state);
    const Done done = gateway.exec(command, {u"--timeout"_s, u"120"_s});
    const QByteArray all = done.out + done.err;
    QVERIFY2(done.result.value(u"outcome"_s).toString() == u"exited"_s, all.constData());
    QVERIFY2(done.result.value(u"level"_s).toString() == levelOf(state), all.constData());
    if (expected == Expect::Works)
        QVERIFY2(done.exitCode == 0 && done.out == prints, all.constData());
    else
        QVERIFY2(done.exitCode != 0 && done.out != prints, all.constData());
}

/// Files for a command, as text of a shell that writes them.
inline QString fileOf(const QString &name, const QString &content)
{
    return u"cat > %1 <<'END'\n%2\nEND\n"_s.arg(name, content);
}

} // namespace portcullis::test
