// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options that `exec` and `check` share, as a request.

#include "app/runner/command_context.h"
#include "runner/decision/request.h"

#include <string>

namespace portcullis::cli {

/// All names of an enumeration, for a message: `on, off, default`.
template <class E>
[[nodiscard]] std::string allowedNames()
{
    std::string out;
    for (const std::string_view name : Names<E>::all)
        out += (out.empty() ? "" : ", ") + std::string(name);
    return out;
}

struct RequestError {
    Exit exit = Exit::Usage;
    std::string option; ///< without dashes
    std::string found;
    std::string allowed; ///< the allowed values or form
};

/// Everything but id and time. The tenant is required; its slug's form is checked here, whether it is known is not.
[[nodiscard]] Result<decision::ExecRequest, RequestError> requestFromOptions(const Arguments &arguments);

/// Says what is wrong, for a missing tenant also which there are, and returns the exit code.
[[nodiscard]] int reportRequest(CommandContext &context, const RequestError &error);

} // namespace portcullis::cli
