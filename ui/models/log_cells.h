// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words of one row of the log: what stands in each column, in its tool tip, and which filter term it stands for.

#include "runner/record/event.h"
#include "ui/models/exec_log_model.h"

#include <QDate>
#include <QString>

namespace portcullis::ui {

[[nodiscard]] QString columnTitle(ExecLogModel::Column column);

/// What stands in a column, as a sentence for its header.
[[nodiscard]] QString columnTip(ExecLogModel::Column column);

/// Text of a cell, one line, plain, made safe to show. Times are local; a row of another day than `today` carries its
/// date.
[[nodiscard]] QString cellText(const record::Event &event, ExecLogModel::Column column, QDate today);

/// More than the cell has room for: time with zone and date, the whole beginning of a long command, what a short word
/// means.
[[nodiscard]] QString cellTip(const record::Event &event, ExecLogModel::Column column);

/// The cell as a term of the filter language, empty where none makes sense.
[[nodiscard]] QString cellFilter(const record::Event &event, ExecLogModel::Column column);

/// How a run ended, in a few words, e.g. `exit 0`, `not run`, `timed out`.
[[nodiscard]] QString resultWords(const record::Event &event);

/// Text as a quoted word of the filter language.
[[nodiscard]] QString filterQuoted(const QString &text);

} // namespace portcullis::ui
