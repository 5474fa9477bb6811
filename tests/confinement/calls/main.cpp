// SPDX-License-Identifier: Apache-2.0
#include "tests/confinement/calls/call.h"

#include <cstdio>

using namespace portcullis::test;

int main(int argc, char **argv)
{
    for (const std::span<const Call> &calls : {fileCalls(), processCalls(), kernelCalls()}) {
        for (const Call &call : calls) {
            if (argc < 2)
                std::printf("%s\n", call.name.data());
            if (argc < 2 || call.name != argv[1])
                continue;
            errno = 0;
            const bool refused = call.make(argc > 2 ? argv[2] : "") < 0;
            const int error = refused ? errno : 0;
            std::printf("%s %s %d\n", argv[1], refused ? "refused" : "succeeded", error);
            return 0;
        }
    }
    if (argc < 2)
        return 0;
    std::fprintf(stderr, "unknown call %s\n", argv[1]);
    return 64;
}
