// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/file_mentions.h"

#include "runner/rules/data_words.h"
#include "runner/rules/unpacked_files.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace portcullis::rules {

namespace {

class Collector
{
public:
    explicit Collector(const std::optional<std::string> &cwd) : m_cwd(cwd) { }

    void add(const shell::Value &value, bool written, bool redirected = false)
    {
        if (value.text.empty() && value.known())
            return;
        if (value.isPattern() && value.known() && !m_patterns.insert(keyOf(value, written, redirected)).second)
            return;
        m_files.push_back({resolvePath(value, m_cwd), value.span, written, redirected});
    }

    /// A word and the parts of it that may be names of their own.
    void addWithParts(const shell::Value &value, bool written)
    {
        add(value, written);
        constexpr std::string_view separators = "=:,@";
        constexpr int maxParts = 1000; // no mount option and no address has more
        const std::string &text = value.text;
        std::size_t at = text.find_first_of(separators);
        if (at == std::string::npos)
            return;
        add(slice(value, 0, at), written);
        for (int part = 0; at != std::string::npos && part < maxParts; ++part) {
            const std::size_t from = at + 1;
            at = text.find_first_of(separators, from);
            const bool url = text[from - 1] == ':' && text.compare(from, 2, "//") == 0;
            if (!url || namesFile(std::string_view(text).substr(0, from - 1)))
                add(slice(value, from, std::min(at, text.size())), written);
        }
    }

    std::vector<FileMention> take() { return std::move(m_files); }

private:
    static bool namesFile(std::string_view scheme)
    {
        return scheme.ends_with("file") || scheme.ends_with("unix") || scheme.ends_with("FILE");
    }

    static std::string keyOf(const shell::Value &value, bool written, bool redirected)
    {
        std::string key = value.text;
        for (const std::uint32_t at : value.globs)
            (key += '\0') += std::to_string(at);
        return key + (written ? "w" : "r") + (redirected ? ">" : "");
    }

    const std::optional<std::string> &m_cwd;
    std::unordered_set<std::string> m_patterns; ///< the same one again costs nothing
    std::vector<FileMention> m_files;
};

void addRedirects(Collector &files, std::span<const shell::Redirection> redirects)
{
    for (const shell::Redirection &redirect : redirects) {
        if (redirect.op.starts_with("<<"))
            continue;
        const bool output = redirect.op.contains('>');
        const bool duplicates = redirect.op == ">&" || redirect.op == "<&";
        const bool descriptor =
            !redirect.target.text.empty() && redirect.target.text.find_first_not_of("0123456789-") == std::string::npos;
        if (!duplicates || !descriptor)
            files.add(redirect.target, output, output);
    }
}

/// Whether a lone source may be copied into `target` rather than to it: a plain relative name and one with an extension
/// are hardly folders.
bool mayBeFolder(const shell::Value &target)
{
    const std::string_view text = target.text;
    if (!target.known() || text.ends_with('/') || text.ends_with('.'))
        return true;
    const std::size_t base = text.rfind('/') + 1;
    const std::size_t dot = text.rfind('.');
    return text.starts_with('/') && (dot == std::string_view::npos || dot <= base);
}

/// `cp a b DIR` also writes DIR/a and DIR/b.
void addInside(Collector &files, const shell::Value &folder, std::span<const shell::Value> sources)
{
    for (const shell::Value &source : sources) {
        const std::size_t end = source.text.find_last_not_of('/');
        if (end == std::string::npos)
            continue;
        const std::size_t from = source.text.find_last_of('/', end) + 1;
        const shell::Value name = slice(source, from, end + 1);
        shell::Value joined = folder;
        joined.text += '/';
        const auto shift = static_cast<std::uint32_t>(joined.text.size());
        joined.text += name.text;
        std::ranges::transform(name.gaps, std::back_inserter(joined.gaps),
                               [shift](std::uint32_t at) { return at + shift; });
        std::ranges::transform(name.globs, std::back_inserter(joined.globs),
                               [shift](std::uint32_t at) { return at + shift; });
        files.add(joined, true);
    }
}

void addTargets(Collector &files, const Writer &known, const shell::SplitArguments &split)
{
    // Sources times targets stays small: no everyday command copies more at once.
    constexpr std::size_t maxSources = 64;
    const std::span<const shell::Value> operands = split.operands;
    const auto sources = operands.first(std::min(operands.size(), maxSources));
    for (const shell::GivenOption &option : split.options) {
        if (!option.value || !listsOption(known.options, option.name))
            continue;
        files.add(*option.value, true);
        if (known.operands == WriterOperands::Last)
            addInside(files, *option.value, sources);
    }
    if (!known.onlyWith.empty() && !givesOption(split, known.onlyWith))
        return;
    if (known.operands == WriterOperands::First && !operands.empty()) {
        files.add(operands.front(), true);
    } else if (known.operands == WriterOperands::All) {
        for (const shell::Value &operand : operands)
            files.add(operand, true);
    } else if (known.operands == WriterOperands::Last && operands.size() > 1) {
        files.add(operands.back(), true);
        if (operands.size() > 2 || mayBeFolder(operands.back()))
            addInside(files, operands.back(), sources.first(std::min(sources.size(), operands.size() - 1)));
    }
    for (const shell::Value &operand : operands) {
        const std::size_t prefix = known.operandPrefix.size();
        if (prefix > 0 && operand.text.starts_with(known.operandPrefix))
            files.add(slice(operand, prefix, operand.text.size()), true);
    }
}

} // namespace

std::vector<FileMention> redirectedFiles(std::span<const shell::Redirection> redirects,
                                         const std::optional<std::string> &cwd)
{
    Collector files(cwd);
    addRedirects(files, redirects);
    return files.take();
}

std::vector<FileMention> mentionedFiles(const shell::Invocation &invocation, const shell::SplitArguments &split)
{
    Collector files(invocation.cwd);
    addRedirects(files, invocation.redirects);
    const DataOperands data = dataOperands(invocation.name, split);
    const std::size_t firstFile = data == DataOperands::All ? split.operands.size()
        : data == DataOperands::First                       ? 1
                                                            : 0;
    for (std::size_t i = firstFile; i < split.operands.size(); ++i)
        files.addWithParts(split.operands[i], false);
    for (const shell::GivenOption &option : split.options) {
        if (option.value && !takesData(invocation.name, option.name))
            files.addWithParts(*option.value, false);
    }
    if (const Writer *known = writer(invocation.name))
        addTargets(files, *known, split);
    for (const shell::Value &file : unpackedFiles(invocation, split))
        files.add(file, true);
    return files.take();
}

std::vector<FileMention> writtenFiles(std::span<const shell::Value> names, const std::optional<std::string> &cwd)
{
    Collector files(cwd);
    for (const shell::Value &name : names)
        files.add(name, true);
    return files.take();
}

} // namespace portcullis::rules
