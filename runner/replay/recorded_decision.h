// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/decision/decision.h"
#include "runner/record/event.h"

namespace portcullis::replay {

/// The decision that a row of the record holds, as a value again: what `ui/text` explains and the detail pane draws.
/// Names that this version does not know are left out; nothing is decided anew.
[[nodiscard]] decision::Decision recordedDecision(const record::Event &event);

} // namespace portcullis::replay
