// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace portcullis::confinement {

/// Something that did not stop the run but belongs in the record.
struct RunNote {
    enum class Kind {
        LinkReplaced, ///< a tenant folder was a link: an empty private one stood in its place (view)
        LinkRefused, ///< … or it was left out (no view)
        GrantSkipped, ///< an optional grant is missing
        ForeignOwner, ///< an optional system path belongs neither to root nor to the operator: left out
        BackgroundKilled, ///< processes that the command left behind were killed at its end
        KillForced, ///< TERM was not enough, KILL was sent
        MemoryExceeded, ///< killed for taking more memory than the run may
        RoomExceeded, ///< killed because less disk space was left than the run must leave
        FilesExceeded, ///< killed because fewer files could be made than the run must leave to others
        GuardLost, ///< the guard died; what it left was killed by the runner
        OutputCut, ///< a process still held a pipe when we stopped reading
        SignalsNotCovered ///< Landlock below ABI 6 without a view
    };
    Kind kind = Kind::GrantSkipped;
    std::string path;
};

} // namespace portcullis::confinement
