// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace portcullis::ui {

/// A tool tip that shows exactly this text. Qt takes a tool tip that looks like markup for markup, so the text is
/// escaped and wrapped into markup of our own.
[[nodiscard]] QString plainTip(const QString &text);

} // namespace portcullis::ui
