// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::record {

struct Masked;

/// The secrets of a command with their marks: they may stand alone in other texts (a path question, an error, the
/// output), where no name gives them away. Knows them as they are written in the command, without the shell's quotes,
/// as JSON writes them, and the parts between slashes of a secret that is taken for a path. Pure; holds the secrets.
class KnownSecrets
{
public:
    KnownSecrets() = default;
    /// `masked` is what `mask` made of `original`.
    KnownSecrets(std::string_view original, const Masked &masked);

    [[nodiscard]] bool isEmpty() const { return m_pairs.empty(); }
    /// Masks by pattern and by known secret. Whether anything was masked.
    bool apply(std::string &text) const;

private:
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    void add(Pairs &pairs, std::string secret, const std::string &mark);

    Pairs m_pairs; ///< secret and mark, longest first
    Pairs m_pathParts; ///< looked for only in texts with a slash
};

} // namespace portcullis::record
