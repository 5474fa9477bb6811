// SPDX-License-Identifier: Apache-2.0
#include "tests/support/must_work.h"
