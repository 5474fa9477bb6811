// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/file_mentions.h"

#include "runner/rules/data_words.h"
#include "runner/rules/writers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_set>

namespace portcullis::rules {

namespace {

class Collector
{
public:
    Collector(const std::optional<std::string> &cwd, const Links &links) : m_cwd(cwd), m_links(links) { }

    void add(const shell::Value &value, bool written, bool redirected = false)
    {
        if (value.text.empty() && value.known())
            return;
        if (value.isPattern() && value.known() && !m_patterns.insert(keyOf(value, written, redirected)).second)
            return;
        m_files.push_back({resolvePath(value, m_cwd), value.span, written, redirected});
        if (!m_links.made.empty())
            addLed(value, written, redirected);
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
    /// The same file where links lead.
    void addLed(const shell::Value &value, bool written, bool redirected)
    {
        constexpr std::size_t longest = 4096;
        const bool absolute = value.text.starts_with('/') && (value.known() || value.gaps.front() > 0);
        if ((!absolute && !m_cwd) || value.text.size() > longest)
            return;
        const shell::Value path = absolute ? value : joined(*m_cwd + '/', value);
        const std::size_t literal = shell::literalBytes(path.text, path.globs, path.gaps);
        if (literal == std::string::npos)
            return;
        const bool last = m_links.followLast || literal < path.text.size();
        const auto led = shell::ledByLinks(std::string_view(path.text).substr(0, literal), m_links.made, last);
        if (led)
            m_files.push_back(
                {resolvePath(joined(led->empty() ? "/" : *led, slice(path, literal, path.text.size())), "/"),
                 value.span, written, redirected});
    }

    static shell::Value joined(std::string front, const shell::Value &back)
    {
        shell::Value out = back;
        const auto shift = static_cast<std::uint32_t>(front.size());
        for (std::uint32_t &at : out.gaps)
            at += shift;
        for (std::uint32_t &at : out.globs)
            at += shift;
        out.text = std::move(front) + back.text;
        return out;
    }

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
    const Links &m_links;
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

} // namespace

Links linksFor(const shell::Invocation &invocation, std::span<const shell::MadeLink> made)
{
    static constexpr std::array<std::string_view, 5> linkPrograms{"rm", "rmdir", "unlink", "mv", "ln"};
    Links links;
    links.followLast = !std::ranges::contains(linkPrograms, invocation.name);
    std::ranges::copy_if(made, std::back_inserter(links.made), [&](const shell::MadeLink &link) {
        return !std::ranges::contains(invocation.args, link.targetSpan, &shell::Value::span);
    });
    return links;
}

std::vector<FileMention> redirectedFiles(std::span<const shell::Redirection> redirects,
                                         const std::optional<std::string> &cwd, const Links &links)
{
    Collector files(cwd, links);
    addRedirects(files, redirects);
    return files.take();
}

std::vector<FileMention> mentionedFiles(const shell::Invocation &invocation, const shell::SplitArguments &split,
                                        const Links &links)
{
    Collector files(invocation.cwd, links);
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
    for (const shell::Value &file : writtenWords(invocation, split))
        files.add(file, true);
    return files.take();
}

std::vector<FileMention> writtenFiles(std::span<const shell::Value> names, const std::optional<std::string> &cwd,
                                      const Links &links)
{
    Collector files(cwd, links);
    for (const shell::Value &name : names)
        files.add(name, true);
    return files.take();
}

} // namespace portcullis::rules
