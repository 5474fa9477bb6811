// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options of shell builtins: one letter each, in clusters, as getopt(3) reads them.

#include "runner/base/vocabulary.h"
#include "runner/shell/gapped.h"
#include "runner/shell/known_programs.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace portcullis::shell {

struct BuiltinOption {
    char letter = 0;
    bool plus = false; ///< given with `+`
    std::optional<Field> value;
};

struct BuiltinOptions {
    std::vector<BuiltinOption> given;
    std::size_t operand = 1; ///< index of the first operand
    bool unsure = false; ///< a letter that the builtin does not have, or a word that may be an option

    [[nodiscard]] bool has(char letter) const;
    [[nodiscard]] const Field *value(char letter) const; ///< of the last one, or null
};

/// Reads the options of `words` (the builtin's name first). Letters of `flags` take no value, those of `valued` do.
[[nodiscard]] BuiltinOptions builtinOptions(std::span<const Field> words, std::string_view flags,
                                            std::string_view valued);

/// Whether the builtin may refuse its options, or do something else than to set what its operands name.
[[nodiscard]] bool mayRefuseOptions(Builtin builtin, std::span<const Field> words, Dialect dialect);

} // namespace portcullis::shell
