// SPDX-License-Identifier: Apache-2.0
#include "app/runner/write_all.h"

#include <cerrno>
#include <unistd.h>

namespace portcullis::cli {

bool writeAll(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

} // namespace portcullis::cli
