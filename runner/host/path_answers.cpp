// SPDX-License-Identifier: Apache-2.0
#include "runner/host/path_answers.h"

#include "runner/base/paths.h"

#include <array>
#include <cerrno>
#include <climits>
#include <optional>

#include <unistd.h>

namespace portcullis::host {
namespace {

/// What a link leads to; empty for anything else. Nothing when it cannot be looked at.
std::optional<std::string> linkTarget(const std::string &path)
{
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length >= 0)
        return std::string(target.data(), static_cast<std::size_t>(length));
    const bool toldNotALink = errno == EINVAL || errno == ENOENT || errno == ENOTDIR;
    return toldNotALink ? std::optional(std::string()) : std::nullopt;
}

/// As the kernel would go, path_resolution(7); what does not exist is taken as it stands.
std::string followed(const std::string &path)
{
    constexpr int mostLinks = 40;
    std::string done;
    std::string rest = path;
    int links = 0;
    for (std::size_t at = 0; at < rest.size();) {
        const std::size_t end = std::min(rest.find('/', at), rest.size());
        const std::string part = rest.substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            done = paths::parentOf(done);
            done = done == "/" ? std::string() : done;
            continue;
        }
        const std::optional<std::string> target = linkTarget(done + '/' + part);
        if (!target || (!target->empty() && ++links > mostLinks))
            return {};
        if (target->empty()) {
            (done += '/') += part;
            continue;
        }
        if (target->starts_with('/'))
            done.clear();
        rest = *target + '/' + (at < rest.size() ? rest.substr(at) : std::string());
        at = 0;
    }
    return done.empty() ? "/" : done;
}

} // namespace

std::map<decision::PathQuestion, std::string> answerQuestions(const std::vector<decision::PathQuestion> &questions)
{
    std::map<decision::PathQuestion, std::string> answers;
    for (const decision::PathQuestion &question : questions)
        answers.emplace(question, followed(question.path));
    return answers;
}

} // namespace portcullis::host
