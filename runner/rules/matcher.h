// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/rules/compiled_rule.h"
#include "runner/rules/subject.h"

#include <vector>

namespace portcullis::rules {

/// Whether a rule matches a subject. On Yes, `spans` has the bytes that made it match, unordered; else nothing is said
/// about them.
[[nodiscard]] Match matchRule(const CompiledRule &rule, Subject &subject, std::vector<Span> &spans);

} // namespace portcullis::rules
