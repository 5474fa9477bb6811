// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/channel.h"
#include "app/guard/command.h"
#include "app/guard/memory_watch.h"

#include <optional>
#include <vector>

namespace portcullis::guard {

/// Gives up the command's pipes, whose end would otherwise be ours: only the command shall hold them.
[[nodiscard]] Done leaveStandardStreams();

/// Stands outside the command's domain, and is either init of its pid namespace or the subreaper of its tree:
/// starts the command, ends it on time limit, order or hang-up, reaps everything, and reports.
class Supervisor
{
public:
    /// `lifeline`: a pipe whose hang-up means the same as that of `control`; −1: none.
    /// `isInit`: first process of a pid namespace.
    Supervisor(int control, int lifeline, bool isInit);

    /// Runs the command to its end and reports it, or says which step failed before anything was executed.
    [[nodiscard]] Done run(const CommandContext &context);

private:
    enum class Phase { Running, Terminating, Over };
    static constexpr std::uint64_t never = UINT64_MAX;

    Done startCommand(const CommandContext &context);
    Done settle(const CommandContext &context);
    void watch();
    int untilDeadline() const;
    void onControl();
    void onChildren();
    void onDeadline();
    int untilLook() const;
    void watchMemory();
    void stopForMemory();
    void lookAtRoom();
    void terminate(wire::EndReason reason);
    void endTree();
    void reap();
    void reportEnd();

    int m_control = -1;
    int m_lifeline = -1;
    bool m_isInit = false;
    UniqueFd m_signals;
    pid_t m_command = -1;
    Phase m_phase = Phase::Running;
    bool m_commandEnded = false;
    bool m_nothingLeft = false;
    int m_status = 0;
    std::uint64_t m_deadline = 0; ///< ms of the monotonic clock; 0: none
    std::uint64_t m_grace = 0;
    std::optional<MemoryWatch> m_memory; ///< none: any number of bytes
    std::uint64_t m_room = 0; ///< bytes that must be left free; 0: none
    std::vector<int> m_ownFolders;
    std::uint64_t m_nextRoomLook = never; ///< ms of the monotonic clock
    std::uint64_t m_nextMemoryLook = never;
    wire::GuardReport m_report;
};

} // namespace portcullis::guard
