// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words for what became of a run: why it did not start, what was noted, why the record could not be used.

#include "runner/base/run_failure.h"

#include <QString>

#include <string>
#include <string_view>

namespace portcullis::text {

/// Why an allowed command did not run. Mirrors the engine's result without depending on the engine.
struct RunFailure {
    using Kind = RunFailureKind;
    Kind kind = Kind::None;
    std::string step; ///< stable code
    int errorNumber = 0;
    std::string path;
};

struct RunFailureWords {
    QString what;
    QString why;
    QString instead;
};
[[nodiscard]] RunFailureWords runFailureWords(const RunFailure &failure);

/// A note of a run (`kind` or `kind:path`) as a sentence; an unknown kind is shown as it is.
[[nodiscard]] QString runNoteSentence(std::string_view note);

/// A failure of the record: stable code (`locked`, `full`, …), path and errno (0: none).
struct RecordFailure {
    std::string code;
    std::string path;
    int errorNumber = 0;
    int version = 0; ///< schema of the file, for `newer_version`
};
/// One line: what was tried on which file, why it failed, what to do.
[[nodiscard]] QString recordFailureLine(const RecordFailure &failure);

} // namespace portcullis::text
