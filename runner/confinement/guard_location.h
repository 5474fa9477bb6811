// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/confinement/start_failure.h"

#include <string>

namespace portcullis::confinement {

/// The guard's executable: beside ours in the build tree, in libexec when installed.
class GuardLocation
{
public:
    /// Looks for `portcullis-guard` in the folder of our own executable, then in `../libexec` beside it.
    [[nodiscard]] static Result<GuardLocation, StartFailure> find(const std::string &applicationDir);
    /// Takes this very file. It must be a regular file of root or ours that nobody else can write.
    [[nodiscard]] static Result<GuardLocation, StartFailure> at(const std::string &path);
    [[nodiscard]] const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

} // namespace portcullis::confinement
