// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/confinement/unique_fd.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

namespace portcullis::resources {

struct PlaceError {
    enum class Code {
        NotTrusted, ///< somebody else decides where `path` leads, or what stands there; nothing was made or changed
        Failed, ///< `errnoValue` says what the system refused
    };
    Code code = Code::Failed;
    int errnoValue = 0;
    std::string path; ///< the folder, link or file that is the reason
};

/// A file that is to be written anew, looked at before and written as a whole: until `write` nothing is made or
/// changed. It must be missing or a regular file that belongs to us or to root, no link, in a folder of ours or root's
/// that others cannot write (the group may, where we are not root; the sticky bit protects). The same holds for the
/// folders that hold a link on the way, and for these links. Every condition is asked of what has been opened, and the
/// folder stays open, so nothing can be exchanged in between.
class NewText
{
public:
    /// Never blocks: nothing but folders is opened.
    [[nodiscard]] static Result<NewText, PlaceError> at(const std::string &path);

    /// Where it is, all links followed.
    [[nodiscard]] const std::string &realPath() const { return m_realPath; }
    /// Whether it is one of these files, or lies in one of these folders, whatever they are called here (links, hard
    /// links, other mounts of the same folder). Answers which.
    [[nodiscard]] std::optional<std::string> within(std::span<const std::string> places) const;
    /// Writes the text into the file where that is empty, else puts a new one (mode 0600, or as it was) in its place:
    /// whole or not at all. 0, or the errno.
    [[nodiscard]] int write(std::string_view text) const;

private:
    NewText(confinement::UniqueFd folder, std::string name, std::string realPath, mode_t mode)
        : m_folder(std::move(folder)), m_name(std::move(name)), m_realPath(std::move(realPath)), m_mode(mode)
    {
    }
    [[nodiscard]] int replace(std::string_view text) const;
    confinement::UniqueFd m_folder;
    std::string m_name;
    std::string m_realPath;
    mode_t m_mode;
};

/// Whether the links on the way to a file are ours or root's and stand in folders where nobody else can exchange them,
/// and where there is one, whether the file stands in such a folder too. A path without a link is always good.
[[nodiscard]] Result<void, PlaceError> checkLinks(const std::string &path);

} // namespace portcullis::resources
