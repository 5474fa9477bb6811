// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/decision/facts.h"

#include <map>
#include <string>
#include <vector>

namespace portcullis::host {

/// Follows all links of each questioned path, also of one that does not exist yet (a new file behind a link, a link to
/// nowhere). Empty where that cannot be told: a loop, a folder that may not be entered. Any thread.
[[nodiscard]] std::map<decision::PathQuestion, std::string>
answerQuestions(const std::vector<decision::PathQuestion> &questions);

} // namespace portcullis::host
