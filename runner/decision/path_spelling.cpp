// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/path_spelling.h"

#include "runner/base/hex.h"
#include "runner/base/paths.h"

#include <algorithm>

namespace portcullis::decision {
namespace {

std::string percentDecoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hexValue(text[i + 1]) >= 0 && hexValue(text[i + 2]) >= 0) {
            out += static_cast<char>(hexValue(text[i + 1]) * 16 + hexValue(text[i + 2]));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool startsWithNoCase(std::string_view text, std::string_view prefix)
{
    return text.size() >= prefix.size()
        && std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

} // namespace

std::optional<std::string> localFileUrl(std::string_view text)
{
    if (!startsWithNoCase(text, "file:"))
        return std::nullopt;
    text.remove_prefix(5);
    if (text.starts_with("//")) {
        const std::size_t path = text.find('/', 2);
        if (path == std::string_view::npos)
            return std::nullopt;
        text.remove_prefix(path); // with any host: one that is not this machine fails by itself
    }
    text = text.substr(0, text.find_first_of("?#"));
    if (!text.starts_with('/'))
        return std::nullopt;
    return percentDecoded(text);
}

bool isRemoteUrl(std::string_view text)
{
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos || colon == 0)
        return false;
    const std::string_view scheme = text.substr(0, colon);
    const bool word = std::ranges::all_of(scheme, [](char c) {
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-';
    });
    if (!word || startsWithNoCase(scheme, "file") || startsWithNoCase(scheme, "unix"))
        return false;
    return colon + 3 < text.size() && text[colon + 3] != '/';
}

Spelling urlPattern(std::string_view path)
{
    Spelling spelling;
    std::size_t at = 0;
    while (at < path.size()) {
        const std::size_t end = std::min(path.find('/', at + 1), path.size());
        const std::string_view component = path.substr(at, end - at);
        if (component.find_first_of("{[") == std::string_view::npos) {
            spelling.text += component;
        } else {
            spelling.text += "/*";
            spelling.globs.push_back(static_cast<std::uint32_t>(spelling.text.size() - 1));
        }
        at = end;
    }
    return spelling;
}

std::optional<ProcessPath> processPath(std::string_view text)
{
    if (!text.starts_with("/proc/"))
        return std::nullopt;
    std::size_t link = text.find('/', 6);
    // A thread has the links of its process.
    constexpr std::string_view threads = "/task/";
    if (link != std::string_view::npos && text.substr(link).starts_with(threads))
        link = text.find('/', link + threads.size());
    for (const std::string_view name : {"/root", "/cwd"}) {
        if (link != std::string_view::npos && text.substr(link).starts_with(name)
            && (text.size() == link + name.size() || text[link + name.size()] == '/'))
            return ProcessPath{name == "/root", link + name.size()};
    }
    return std::nullopt;
}

Spelling throughSystemLinks(Spelling spelling)
{
    std::size_t literal = spelling.text.size();
    for (const std::vector<std::uint32_t> *marks : {&spelling.globs, &spelling.gaps}) {
        if (!marks->empty())
            literal = std::min<std::size_t>(literal, marks->front());
    }
    const std::string_view text = std::string_view(spelling.text).substr(0, literal);
    std::string prefix;
    std::size_t at = 0;
    while (at < text.size() && !processPath(prefix)) {
        const std::size_t end = text.find('/', at);
        if (end == std::string_view::npos)
            break; // the last component may go on behind a glob
        const std::string_view part = text.substr(at, end - at);
        at = end + 1;
        if (!part.empty() && part != ".")
            prefix = paths::normalised(part, prefix.empty() ? "/" : prefix);
        const std::string_view parent = std::string_view(prefix).substr(0, prefix.rfind('/'));
        const bool descriptor =
            prefix == "/dev/stdin" || parent == "/dev/fd" || (parent.starts_with("/proc/") && parent.ends_with("/fd"));
        if (descriptor)
            prefix = "/proc/self/cwd";
    }
    if (!processPath(prefix) || processPath(spelling.text))
        return spelling;
    Spelling result = spelling.part(at);
    result.prepend(prefix + '/');
    return result;
}

std::vector<Spelling> withParents(const Spelling &spelling)
{
    constexpr std::size_t most = 8;
    std::vector<Spelling> out;
    Spelling done;
    std::size_t at = 0;
    for (std::size_t slash = 0; out.size() < most; at = slash + 1) {
        slash = spelling.text.find('/', at);
        if (slash == std::string::npos || slash + 1 == spelling.text.size())
            break;
        Spelling part = spelling.part(at, slash - at);
        if (part.text.starts_with('.') && !part.globs.empty() && part.globs.front() > 0 && part.gaps.empty()
            && partMatches({part.text, part.globs}, "..")) {
            Spelling other = spelling.part(slash);
            other.prepend(done.text + "..");
            other.globs.insert(other.globs.begin(), done.globs.begin(), done.globs.end());
            out.push_back(std::move(other));
            part = {"..", {}, {}};
        }
        part.prepend(done.text);
        part.globs.insert(part.globs.begin(), done.globs.begin(), done.globs.end());
        part.text += '/';
        done = std::move(part);
    }
    return out;
}

bool isNameByte(char c)
{
    constexpr std::string_view others = "_.~/$-*?]})";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || others.contains(c)
        || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t writtenHome(std::string_view text)
{
    for (const std::string_view home : {"~", "$HOME", "${HOME}"}) {
        if (text.starts_with(home) && (text.size() == home.size() || text[home.size()] == '/'))
            return home.size();
    }
    return 0;
}

bool looksLikePath(std::string_view text)
{
    return text.contains('/') || text == ".." || text == "." || text == "~";
}

bool listsAfter(const Spelling &spelling, std::string_view root)
{
    const std::string_view text = spelling.text;
    return !root.empty() && text.size() > root.size() && text.starts_with(root)
        && listSeparators.contains(text[root.size()]) && !text.substr(root.size()).contains("..")
        && (spelling.gaps.empty() || spelling.gaps.front() > root.size());
}

} // namespace portcullis::decision
