// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/vocabulary.h"

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace portcullis::decision {

/// A question about one path of the host. At most `maxPathQuestions` per request.
struct PathQuestion {
    enum class Kind {
        /// Where does this absolute path (which may hold `.` and `..`) lead for the kernel, all links followed? The
        /// answer is absolute and normal; a part that does not exist is appended as it stands (as `realpath -m`). Empty
        /// when it cannot be told (a loop, no permission).
        Resolve,
    };
    Kind kind = Kind::Resolve;
    std::string path;
    friend auto operator<=>(const PathQuestion &, const PathQuestion &) = default;
};
inline constexpr std::size_t maxPathQuestions = 64;

enum class EngineState { NotAsked, Up, Down, ImageMissing };

/// What a decision needs to know of the machine. A value: replays and tests make their own.
struct HostFacts {
    int landlockAbi = 0; ///< 0: not available; the design asks for 3 or more
    bool viewWorks = false; ///< the private view was built in a probe
    std::string viewFailedStep; ///< empty, or the step of the probe that failed
    int viewErrno = 0;
    /// Empty, or where a probe of the walls ended without an answer. Then no tenant's command may start on the host:
    /// what is missing may be missing only now, and another tenant may be the one who took it.
    std::string unknownStep;
    int unknownErrno = 0;
    bool root = false; ///< the runner has uid 0
    bool commandUidNonZero = true; ///< the command would have a uid other than 0
    bool bashPresent = true;
    EngineState engine = EngineState::Down; ///< until the sandbox backend exists: always Down
    /// Answers to the questions of this request. A question without an answer here is unknown: noted, never a reason
    /// to allow something that an answer would refuse.
    std::map<PathQuestion, std::string> answers;

    [[nodiscard]] bool isKnown() const { return unknownStep.empty(); }
    [[nodiscard]] bool landlockWorks() const { return landlockAbi >= 3; }
};

} // namespace portcullis::decision

namespace portcullis {
template <>
struct Names<decision::EngineState> {
    static constexpr std::array<std::string_view, 4> all{"not_asked", "up", "down", "image_missing"};
};
} // namespace portcullis
