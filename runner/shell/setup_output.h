// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/evaluation.h"

namespace portcullis::shell {

/// Whether the program prints nothing but text of its own that sets up a shell and is meant to be evaluated:
/// `ssh-agent -s`, `pyenv init -`, `kubectl completion bash`.
[[nodiscard]] bool printsSetup(const Invocation &invocation);

} // namespace portcullis::shell
