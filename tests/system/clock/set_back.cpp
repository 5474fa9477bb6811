// SPDX-License-Identifier: Apache-2.0

// Loaded before the C library (LD_PRELOAD): the clock of the machine as its program sees it, moved by as many seconds
// as stand in the file that PORTCULLIS_TEST_CLOCK names. The other clocks are as they are, as when somebody sets it.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

long moved()
{
    const char *name = std::getenv("PORTCULLIS_TEST_CLOCK");
    std::FILE *file = name != nullptr ? std::fopen(name, "re") : nullptr;
    if (file == nullptr)
        return 0;
    long seconds = 0;
    if (std::fscanf(file, "%ld", &seconds) != 1)
        seconds = 0;
    std::fclose(file);
    return seconds;
}

} // namespace

extern "C" int clock_gettime(clockid_t clock, timespec *now) noexcept
{
    const long result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += moved();
    return static_cast<int>(result);
}

extern "C" int gettimeofday(timeval *now, void *) noexcept
{
    timespec exact{};
    const int result = clock_gettime(CLOCK_REALTIME, &exact);
    *now = {exact.tv_sec, exact.tv_nsec / 1000}; // declared to be never null
    return result;
}

extern "C" time_t time(time_t *now) noexcept
{
    timespec exact{};
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now != nullptr)
        *now = exact.tv_sec;
    return exact.tv_sec;
}
