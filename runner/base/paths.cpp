// SPDX-License-Identifier: Apache-2.0
#include "runner/base/paths.h"

#include <algorithm>

namespace portcullis::paths {

namespace {

/// Absolute, without empty components, `.` and `..`, and without a slash at the end: most paths are.
bool isNormal(std::string_view path)
{
    if (!path.starts_with('/') || path.ends_with('/'))
        return false;
    for (std::size_t slash = 0; slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
        const std::string_view rest = path.substr(slash + 1);
        const std::size_t dots = std::min(rest.find_first_not_of('.'), rest.size());
        if (rest.starts_with('/') || (dots > 0 && dots < 3 && (dots == rest.size() || rest[dots] == '/')))
            return false;
    }
    return true;
}

} // namespace

bool isWithin(std::string_view path, std::string_view folder)
{
    if (folder.empty())
        return false;
    if (folder == "/")
        return path.starts_with('/');
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string normalised(std::string_view path, std::string_view base)
{
    if (isNormal(path))
        return std::string(path);
    std::string joined = path.starts_with('/') ? std::string(path) : std::string(base) + '/' + std::string(path);
    std::string out;
    std::size_t at = 0;
    while (at < joined.size()) {
        const std::size_t end = std::min(joined.find('/', at), joined.size());
        const std::string_view part = std::string_view(joined).substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            if (out == "/dev/fd") // a link of every system, proc(5)
                out = "/proc/self/fd";
            out.erase(out.empty() ? 0 : out.rfind('/'));
            continue;
        }
        (out += '/') += part;
    }
    return out.empty() ? "/" : out;
}

std::string parentOf(std::string_view path)
{
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash == 0)
        return "/";
    return std::string(path.substr(0, slash));
}

std::string_view baseName(std::string_view path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace portcullis::paths
