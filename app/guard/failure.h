// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/confinement/guard_wire.h"

#include <cerrno>
#include <string>

namespace portcullis::guard {

using wire::Step;

/// A step that did not work, with its errno and where.
struct Failure {
    Step step = Step::None;
    int error = 0;
    std::string path;
};

using Done = Result<void, Failure>;

/// The failure of the system call that was just made.
[[nodiscard]] inline std::unexpected<Failure> failed(Step step, std::string path = {})
{
    const int error = errno;
    return std::unexpected(Failure{step, error, std::move(path)});
}

[[nodiscard]] inline std::unexpected<Failure> failedWith(Step step, int error, std::string path = {})
{
    return std::unexpected(Failure{step, error, std::move(path)});
}

} // namespace portcullis::guard
