// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace portcullis {

/// Why nothing ran although the verdict was to allow it.
enum class RunFailureKind { None, Plan, Confinement, Record, Backend, Internal };

} // namespace portcullis
