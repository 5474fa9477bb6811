// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/span.h"
#include "runner/policy/argument_pattern.h"
#include "runner/policy/policy.h"
#include "runner/shell/evaluation.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace portcullis::policy {

/// One finding that an exemption might answer.
struct Finding {
    Check check = Check::DenyRules;
    std::string_view rule{}; ///< rule id; for check `dynamic` the reason
    std::span<const Span> spans{}; ///< what the finding is about
    std::string_view command{}; ///< raw
    const shell::Evaluation *evaluation = nullptr; ///< of that command; null: no exemption by program answers
    std::string_view agent{};
    std::string_view cwd{};
    std::int64_t timeUs = 0; ///< of the request
    std::span<const std::uint32_t> invocations{}; ///< of the evaluation: those in which the rule found something
    bool complete = true; ///< spans and invocations are all that there are
    ResolvePath resolve{}; ///< where paths lead on the host; may be empty
};

/// Whether the exemption answers the whole finding. By program: every span of the finding must lie in an invocation of
/// that program with those arguments (argumentsMatch()), so `rm -rf build; rm -rf /` is not answered by an exemption
/// for the first half. The arguments of a launcher are all that stands behind it: `sudo` with `id`. An expired
/// exemption answers nothing.
[[nodiscard]] bool answers(const Exemption &exemption, const Finding &finding);

} // namespace portcullis::policy
