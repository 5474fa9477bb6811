// SPDX-License-Identifier: Apache-2.0
#pragma once

// Problems of configuration files in words.

#include "runner/policy/policy.h"

#include <QString>

#include <span>
#include <string>

namespace portcullis::text {

/// What is wrong and what would be right, in one line without the place:
/// `unknown group "package_instal"; did you mean "package_install"?`.
[[nodiscard]] QString problemSentence(const policy::Problem &problem);

/// What to do about a problem that the file's text does not show (owner, mode, missing file); else empty.
[[nodiscard]] QString problemRemedy(const policy::Problem &problem);

/// `file:line:column: error: sentence`, as compilers write it; editors jump to it. Parts that are not known are left
/// out.
[[nodiscard]] QString problemLine(const policy::Problem &problem);

/// All lines, each with its newline, errors before warnings of the same file.
[[nodiscard]] std::string problemLines(std::span<const policy::Problem> problems);

/// Where a value comes from: `default`, `file:line`, or the name of the environment variable.
[[nodiscard]] QString sourceText(const policy::Source &source);

} // namespace portcullis::text
