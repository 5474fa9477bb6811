// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/unpacked_files.h"

#include "runner/rules/data_words.h"
#include "runner/rules/open_text.h"
#include "runner/rules/program_table.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace portcullis::rules {

namespace {

using shell::SplitArguments;
using shell::Value;

// Members times folders stays small: no everyday command unpacks more at once.
constexpr std::size_t maxMembers = 64;

enum class Kind { Tar, Members, Verb, Target, Addresses, Folder };

struct Unpacker {
    std::string_view program;
    Kind kind;
    std::string_view folders; ///< options that name the folder, each followed by a space
    std::string_view only; ///< it writes only with one of these; empty: always
    std::string_view never; ///< it writes nothing with one of these
};

// Sorted by program.
constexpr std::array unpackers = std::to_array<Unpacker>({
    {"7z", Kind::Verb, "-o ", "", ""},
    {"7za", Kind::Verb, "-o ", "", ""},
    {"7zr", Kind::Verb, "-o ", "", ""},
    {"7zz", Kind::Verb, "-o ", "", ""},
    {"ar", Kind::Folder, "--output ", "", ""},
    {"aria2c", Kind::Addresses, "-d --dir ", "", "-o --out "},
    {"bsdcpio", Kind::Folder, "-D --directory ", "", ""},
    {"bsdtar", Kind::Tar, "-C --directory --one-top-level ", "", ""},
    {"cmake", Kind::Folder, "--prefix ", "--install ", ""},
    {"cpio", Kind::Folder, "-D --directory ", "-i -p --extract --pass-through ", ""},
    {"curl", Kind::Addresses, "--output-dir ", "-O --remote-name --remote-name-all ", ""},
    {"dpkg", Kind::Target, "", "-x -X --extract --vextract ", ""},
    {"dpkg-deb", Kind::Target, "", "-x -X -R --extract --vextract --raw-extract ", ""},
    {"gtar", Kind::Tar, "-C --directory --one-top-level ", "", ""},
    {"patch", Kind::Folder, "-d --directory ", "", "--dry-run "},
    {"tar", Kind::Tar, "-C --directory --one-top-level ", "", ""},
    {"unrar", Kind::Target, "", "", ""},
    {"unsquashfs", Kind::Folder, "-d -dest ", "", "-l -ls "},
    {"unzip", Kind::Members, "-d ", "", "-l -v -t -p -c -z -Z "},
    {"wget", Kind::Addresses, "-P --directory-prefix ", "", "-O --output-document --spider "},
    {"wget2", Kind::Addresses, "-P --directory-prefix ", "", "-O --output-document --spider "},
});
static_assert(std::ranges::is_sorted(unpackers, {}, &Unpacker::program));

void append(Value &to, const Value &part)
{
    const auto base = static_cast<std::uint32_t>(to.text.size());
    for (const std::uint32_t gap : part.gaps)
        to.gaps.push_back(base + gap);
    for (const std::uint32_t glob : part.globs)
        to.globs.push_back(base + glob);
    to.text += part.text;
}

Value inside(const Value &folder, const Value &name)
{
    if (name.text.starts_with('/'))
        return name;
    Value joined = folder;
    joined.text += '/';
    append(joined, name);
    return joined;
}

Value unknownName(const Value &near)
{
    Value name;
    name.gaps.push_back(0);
    name.span = near.span;
    return name;
}

/// The name under which a downloader saves an address.
Value nameOf(const Value &address)
{
    const std::size_t end = std::min(address.text.find_first_of("?#"), address.text.size());
    const std::size_t scheme = address.text.find("://");
    const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t slash = address.text.rfind('/', end == 0 ? 0 : end - 1);
    if (slash == std::string::npos || slash < host || slash + 1 >= end)
        return unknownName(address);
    return slice(address, slash + 1, end);
}

class Unpacking
{
public:
    Unpacking(const Unpacker &unpacker, const SplitArguments &split) : m_unpacker(unpacker), m_split(split)
    {
        m_folder.text = ".";
        for (const shell::GivenOption &option : split.options) {
            if (option.value && !option.value->text.empty() && listsOption(unpacker.folders, option.name)) {
                m_folder = *option.value;
                m_named = true;
            }
        }
    }

    std::vector<Value> files()
    {
        const std::span<const Value> operands = m_split.operands;
        switch (m_unpacker.kind) {
        case Kind::Tar:
            tar();
            break;
        case Kind::Members:
            members(operands.subspan(std::min<std::size_t>(1, operands.size())));
            break;
        case Kind::Verb:
            if (!operands.empty() && (operands.front().text == "x" || operands.front().text == "e"))
                members(operands.subspan(std::min<std::size_t>(2, operands.size())));
            break;
        case Kind::Target:
            if (operands.size() > 1 && (!m_unpacker.only.empty() || operands.back().text.ends_with('/')))
                m_files.push_back(inside(operands.back(), unknownName(operands.back())));
            break;
        case Kind::Addresses:
            addresses(operands);
            break;
        case Kind::Folder:
            members({});
            break;
        }
        return std::move(m_files);
    }

private:
    void tar()
    {
        if (givesOption(m_split, "-x --extract --get ")) {
            members(m_split.operands);
            return;
        }
        for (const shell::GivenOption &option : m_split.options) {
            if (option.value && (option.name == "-f" || option.name == "--file")
                && givesOption(m_split, "-c -r -u -A --create --append --update --concatenate --catenate --delete "))
                m_files.push_back(*option.value);
        }
    }

    void members(std::span<const Value> names)
    {
        for (const Value &name : names.first(std::min(names.size(), maxMembers)))
            m_files.push_back(inside(m_folder, name));
        if (names.empty() && m_named)
            m_files.push_back(inside(m_folder, unknownName(m_folder)));
    }

    void addresses(std::span<const Value> operands)
    {
        for (const Value &address : operands.first(std::min(operands.size(), maxMembers))) {
            const Value name = nameOf(address);
            if (m_named || name.known())
                m_files.push_back(inside(m_folder, name));
        }
    }

    const Unpacker &m_unpacker;
    const SplitArguments &m_split;
    Value m_folder;
    bool m_named = false;
    std::vector<Value> m_files;
};

} // namespace

bool isUnpacker(std::string_view program)
{
    return rowOf(unpackers, program) != nullptr;
}

std::vector<Value> unpackedFiles(const shell::Invocation &invocation, const SplitArguments &split)
{
    const Unpacker *known = rowOf(unpackers, invocation.name);
    if (known == nullptr || (!known->only.empty() && !givesOption(split, known->only))
        || givesOption(split, known->never))
        return {};
    return Unpacking(*known, split).files();
}

} // namespace portcullis::rules
