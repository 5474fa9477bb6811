// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words for what became of a run: why it did not start, what was noted, why the record could not be used.

#include "runner/base/run_failure.h"

#include <QString>
#include <QStringList>

#include <string>
#include <string_view>
#include <vector>

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

/// What the record keeps of a failure (`step:errno:path`) in the words of runFailureWords(). What has another form is
/// shown as it is, as `why`.
[[nodiscard]] RunFailureWords recordedFailureWords(std::string_view recorded);

/// A note of a run (`kind` or `kind:path`) as a sentence; an unknown kind is shown as it is.
[[nodiscard]] QString runNoteSentence(std::string_view note);

/// The notes of a recorded run, which the record joins by commas; a comma in a path is part of it.
[[nodiscard]] std::vector<std::string_view> runNotes(std::string_view recorded);

/// The paths that a failed run was probably refused by its confinement, shown safely; empty: it was probably not that.
[[nodiscard]] QStringList refusedPaths(std::string_view recordedNotes);

/// A failure of the record: stable code (`locked`, `full`, …), path and errno (0: none).
struct RecordFailure {
    std::string code;
    std::string path;
    int errorNumber = 0;
    int version = 0; ///< schema of the file, for `newer_version`
    std::string owner{}; ///< of a file that is somebody else's, or empty
};
/// What failed, and what to do, each without an end mark.
struct RecordFailureWords {
    QString what;
    QString instead;
};
[[nodiscard]] RecordFailureWords recordFailureWords(const RecordFailure &failure);
/// One line: what was tried on which file, why it failed, what to do.
[[nodiscard]] QString recordFailureLine(const RecordFailure &failure);
/// The same as sentences, for a window.
[[nodiscard]] QString recordFailureSentences(const RecordFailure &failure);

/// Words with a capital letter and an end mark; nothing stays nothing.
[[nodiscard]] QString asSentence(QString words);

} // namespace portcullis::text
