// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace portcullis::resources {

/// The files that belong to the program. Absolute; empty when not found.
struct Resources {
    std::string guard; ///< portcullis-guard
    std::string dataDir; ///< share/portcullis: rules/, schema/, etc-grants.json
};

/// Looks beside `executable` (absolute): `<bin>/../share/portcullis`; the guard in
/// `<bin>/../<libexecdir>/portcullis/`, then `<bin>/`. The same in the build tree and when installed. Neither PATH nor
/// the environment nor the working directory is asked: who controls those must not choose the guard.
[[nodiscard]] Resources locateResources(const std::string &executable);

/// The running program, all links followed. Empty when /proc is not there.
[[nodiscard]] std::string ownExecutable();

} // namespace portcullis::resources
