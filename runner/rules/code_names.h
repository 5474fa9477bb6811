// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace portcullis::rules {

/// A Python or JavaScript text with the names of other modules written out: `from os import environ as e; print(e)`
/// becomes `… print(os.environ)`, `const {env} = process; f(env)` becomes `… f(process.env)`. Follows imports,
/// `require`, plain assignments, destructuring and `with … as`, each name wherever it stands. Empty when nothing
/// changes.
[[nodiscard]] std::string withFullNames(std::string_view language, std::string_view text);

} // namespace portcullis::rules
