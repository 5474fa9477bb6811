// SPDX-License-Identifier: Apache-2.0
#pragma once

// The gateway's own configuration file: goclaw's keys that concern us, and our keys below `portcullis`. Keys of goclaw
// that we do not read are ignored; nothing of them reaches the record, which matters for secrets.

#include "runner/policy/layer.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portcullis::policy {

struct GatewayFile {
    LayerValues values;
    std::map<std::string, LayerValues, std::less<>> agents; ///< `agents.list.<id>` and `agents.<id>`
    std::optional<Sourced<std::string>> dataDir;
    std::optional<Sourced<std::string>> workspace;
    std::optional<Sourced<std::string>> auditDb;
    std::optional<Sourced<std::string>> environmentFile;
    config::Json taken; ///< what was read of it
};

/// Reads as much as can be read; with an error among the problems the file is unusable.
[[nodiscard]] GatewayFile readGatewayFile(const NamedText &text, const std::string &home,
                                          std::vector<Problem> &problems);

/// A copy with nothing but the taken nodes and the objects that lead to them.
[[nodiscard]] config::Json prune(const config::Json &json, const TakenNodes &taken);

} // namespace portcullis::policy
