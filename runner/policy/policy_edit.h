// SPDX-License-Identifier: Apache-2.0
#pragma once

// Edits of a policy's text that change as little as possible: comments, order, spelling and unknown keys stay as the
// person wrote them.

#include "runner/base/result.h"
#include "runner/config/json5.h"
#include "runner/policy/policy.h"

#include <string>
#include <string_view>

namespace portcullis::policy {

struct EditError {
    enum class Code {
        NotReadable, ///< the text is no JSON5: see `json`
        WrongShape, ///< the policy is no object, or `exemptions` no list
        NotExpressible, ///< the value holds bytes that are no UTF-8
        Lost ///< the result would not be the old policy with the change; nothing was changed
    };
    Code code = Code::NotReadable;
    config::JsonError json;
};

/// The text with one more entry at the end of `exemptions`, which is made where it is missing. `source` is ignored.
[[nodiscard]] Result<std::string, EditError> addExemption(std::string_view text, const Exemption &exemption);

/// The text without the entries of `exemptions` that have this id, with their commas and, where an entry has lines of
/// its own, these lines; a list in which nothing is left goes too. Comments around it stay. The same text when there is
/// none.
[[nodiscard]] Result<std::string, EditError> removeExemption(std::string_view text, std::string_view id);

/// The smallest policy of a tenant.
[[nodiscard]] std::string emptyPolicy(std::string_view tenant);

/// One entry of `exemptions` as text; lines after the first begin with `indent`, or all in one line for an empty one.
[[nodiscard]] std::string exemptionText(const Exemption &exemption, std::string_view newline, std::string_view indent);

} // namespace portcullis::policy
