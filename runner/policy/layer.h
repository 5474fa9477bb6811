// SPDX-License-Identifier: Apache-2.0
#pragma once

// The values that one layer (gateway, tenant, environment …) gives to keys, and how a file becomes a layer.

#include "runner/policy/keys.h"
#include "runner/policy/problem.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

namespace portcullis::policy {

/// Values by index into keys().
using LayerValues = std::map<std::size_t, Sourced<KeyValue>>;

/// The nodes of a file that were read; the rest does not take part in decisions and in the digest.
using TakenNodes = std::unordered_set<const config::Json *>;

/// Which names a file uses for the keys: path → index into keys().
using KeyPaths = std::map<std::string, std::size_t, std::less<>>;

/// How one object of a file becomes a layer.
struct LayerReader {
    const KeyPaths &paths;
    Layer layer = Layer::Default;
    const std::string &home; ///< for `~` in paths
    ProblemSink &problems;
    TakenNodes &taken;
    bool nullIsAbsent = false; ///< goclaw writes null for what is not set
    /// Called for a member that is no key and leads to none.
    std::function<void(const config::Json::Member &member, const std::string &path, const std::string &pointer)>
        unknown;

    /// Reads `object`, which stands at `path` (dots) and `pointer`, and everything below it that leads to keys.
    void read(const config::Json &object, const std::string &path, const std::string &pointer, LayerValues &out) const;

private:
    void readMember(const config::Json::Member &member, const std::string &path, const std::string &pointer,
                    LayerValues &out) const;
};

/// True when some key path starts with `path` and a dot.
[[nodiscard]] bool leadsToKeys(const KeyPaths &paths, std::string_view path);

/// One value of a file. Nothing when it is wrong; then a problem was added.
[[nodiscard]] std::optional<KeyValue> readValue(const KeySpec &key, const config::Json &json,
                                                const std::string &pointer, const std::string &home,
                                                ProblemSink &problems);

/// One value of the environment. Nothing when it is wrong; then a problem was added.
[[nodiscard]] std::optional<KeyValue> readVariable(const KeySpec &key, const std::string &text, ProblemSink &problems);

/// The values that environment variables give.
[[nodiscard]] LayerValues readEnvironment(const std::map<std::string, std::string> &environment,
                                          std::vector<Problem> &problems);

/// A path with `~` expanded, normalised. Nothing when it stays relative or no home is known; then a problem was added.
[[nodiscard]] std::optional<std::string> readPath(std::string_view text, const std::string &home,
                                                  const config::Place &place, const std::string &pointer,
                                                  ProblemSink &problems);

/// Checks that a value is a string and not empty; else adds a problem.
[[nodiscard]] bool expectType(const config::Json &json, config::Json::Type type, const std::string &pointer,
                              ProblemSink &problems);

} // namespace portcullis::policy
