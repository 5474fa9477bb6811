// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/arguments.h"
#include "app/runner/request_options.h"
#include "runner/confinement/unique_fd.h"
#include "runner/policy/policy.h"
#include "runner/resources/trusted_place.h"

#include <optional>
#include <string>
#include <string_view>

namespace portcullis::cli {

/// Where `exec --result` puts its object. A file is written when the object is there and not touched before.
class ExecResult
{
public:
    /// Looks at the target before anything runs, so that a bad name does not cost an outcome. 64 for a file that
    /// somebody else could exchange.
    [[nodiscard]] static Result<ExecResult, RequestError> from(const Arguments &arguments);

    /// 64 for a file of the gateway or of the record, and for one below a folder that commands of a tenant may write
    /// (they could exchange it) or that is closed to them.
    [[nodiscard]] Result<void, RequestError> checkPlace(const policy::GatewayPaths &gateway,
                                                        const std::string &auditDb) const;

    /// 0, also where no result is wanted; or the errno.
    [[nodiscard]] int write(std::string_view line) const;

private:
    confinement::UniqueFd m_fd;
    std::optional<resources::NewText> m_file;
    std::string m_target;
};

} // namespace portcullis::cli
