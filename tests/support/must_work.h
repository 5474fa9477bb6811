// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>
#include <QtTest>

namespace portcullis::test {

/// In CI (PORTCULLIS_MUST_WORK=1) a test may not be skipped for want of a kernel feature or a program.
inline bool mustWork()
{
    return qEnvironmentVariableIntValue("PORTCULLIS_MUST_WORK") != 0;
}

} // namespace portcullis::test

/// Skips with a reason, or fails where CI says that it must work.
#define PORTCULLIS_REQUIRE(condition, reason)                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            if (::portcullis::test::mustWork())                                                                        \
                QFAIL(reason);                                                                                         \
            QSKIP(reason);                                                                                             \
        }                                                                                                              \
    } while (false)
