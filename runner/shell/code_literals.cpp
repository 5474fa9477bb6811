// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/code_literals.h"
#include "runner/base/identifier.h"

#include <algorithm>
#include <array>
#include <string>

namespace portcullis::shell {

namespace {

/// What makes a string run, or reaches something that does, in either language.
constexpr std::array<std::string_view, 46> runningWords{
    "eval",       "compile",      "system",      "popen",       "Popen",      "subprocess", "commands", "pty",
    "runpy",      "importlib",    "getattr",     "globals",     "locals",     "vars",       "builtins", "ctypes",
    "cffi",       "pickle",       "marshal",     "code",        "timeit",     "trace",      "asyncio",  "sh",
    "pexpect",    "fabric",       "invoke",      "paramiko",    "posix",      "operator",   "types",    "ast",
    "attrgetter", "methodcaller", "Function",    "vm",          "setTimeout", "module",     "Worker",   "Bun",
    "Deno",       "globalThis",   "setInterval", "constructor", "pdb",        "doctest"};
constexpr std::array<std::string_view, 4> runningPrefixes{"exec", "spawn", "child_", "__"};
constexpr std::array<std::string_view, 4> plainUnderscores{"__name__", "__file__", "__doc__", "__version__"};

/// Modules of Node.js that run what they are given.
constexpr std::array<std::string_view, 5> runningModules{"child_process", "vm", "worker_threads", "module", "repl"};

bool mayRunText(std::string_view name)
{
    return std::ranges::find(runningWords, name) != runningWords.end()
        || (std::ranges::find(plainUnderscores, name) == plainUnderscores.end()
            && std::ranges::any_of(runningPrefixes, [&](std::string_view each) { return name.starts_with(each); }));
}

bool nameByte(char c)
{
    return isIdentifierByte(c) || c == '$';
}

class LiteralReader
{
public:
    LiteralReader(std::string_view code, bool python) : m_code(code), m_python(python) { }

    /// False where the text is not followed for sure.
    bool read()
    {
        while (m_at < m_code.size()) {
            if (!readOne())
                return false;
        }
        return true;
    }
    [[nodiscard]] std::vector<Span> take() { return std::move(m_found); }

private:
    [[nodiscard]] bool at(std::string_view text) const { return m_code.substr(m_at).starts_with(text); }
    void add(std::size_t start, std::size_t end)
    {
        if (end > start)
            m_found.push_back({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start)});
    }

    bool readOne()
    {
        const char c = m_code[m_at];
        if (static_cast<unsigned char>(c) >= 0x80)
            return false;
        if (nameByte(c))
            return readName();
        if (c == '"' || c == '\'')
            return readString(false, false);
        if (c == '`')
            return !m_python && readString(false, true);
        if (m_python && c == '#')
            return readComment("\n", 1);
        if (!m_python && (at("//") || at("/*")))
            return readComment(at("//") ? "\n" : "*/", 2);
        if (c == '\\' && !(m_python && at("\\\n")))
            return false;
        // A regular expression may hold quotes; `<!--` and `-->` are comments of scripts.
        if (!m_python && (c == '/' || c == '#' || at("<!--") || at("-->") || atComputedMember()))
            return false;
        m_at += c == '\\' ? 2 : 1;
        return true;
    }

    /// `x['…']`: the name of a member that may be put together from pieces.
    [[nodiscard]] bool atComputedMember() const
    {
        if (m_code[m_at] != '[' || m_at == 0)
            return false;
        const char before = m_code[m_at - 1];
        return nameByte(before) || std::string_view(")]\"'`.").contains(before);
    }

    bool readName()
    {
        const std::size_t start = m_at;
        while (m_at < m_code.size() && nameByte(m_code[m_at]))
            ++m_at;
        const std::string_view name = m_code.substr(start, m_at - start);
        const bool quote = m_at < m_code.size() && (m_code[m_at] == '"' || m_code[m_at] == '\'');
        if (m_python && quote && name.size() <= 2 && name.find_first_not_of("rRbBuUfFtT") == std::string_view::npos)
            return readString(name.find_first_of("fFtT") != std::string_view::npos, false);
        return !mayRunText(name);
    }

    bool readString(bool formatted, bool templated)
    {
        const char quote = m_code[m_at];
        const std::size_t width =
            m_python && m_code.substr(m_at + 1).starts_with(std::string(2, quote)) ? std::size_t{3} : std::size_t{1};
        const std::string end(width, quote);
        m_at += width;
        const std::size_t start = m_at;
        while (m_at < m_code.size() && !at(end)) {
            if ((formatted && m_code[m_at] == '{') || (templated && at("${"))
                || (m_code[m_at] == '\n' && width == 1 && !templated))
                return false;
            m_at += m_code[m_at] == '\\' ? 2 : 1;
        }
        if (m_at >= m_code.size())
            return false;
        std::string_view content = m_code.substr(start, m_at - start);
        content.remove_prefix(content.starts_with("node:") ? 5 : 0);
        if (std::ranges::find(runningModules, content) != runningModules.end())
            return false;
        add(start, m_at);
        m_at += width;
        return true;
    }

    bool readComment(std::string_view end, std::size_t opening)
    {
        const std::size_t start = m_at;
        const std::size_t stop = m_code.find(end, m_at + opening);
        if (stop == std::string_view::npos && end != "\n")
            return false;
        m_at = std::min(stop, m_code.size());
        // A source encoding named in a comment changes how the text reads.
        if (m_code.substr(start, m_at - start).contains("coding"))
            return false;
        add(start, m_at);
        m_at = std::min(m_at + end.size(), m_code.size());
        return true;
    }

    std::string_view m_code;
    bool m_python;
    std::size_t m_at = 0;
    std::vector<Span> m_found;
};

} // namespace

std::vector<Span> inertLiterals(std::string_view language, std::string_view code)
{
    if ((language != "python" && language != "node") || code.contains('\r'))
        return {};
    LiteralReader reader(code, language == "python");
    return reader.read() ? reader.take() : std::vector<Span>();
}

bool insideLiteral(const std::vector<Span> &literals, std::size_t start, std::size_t length)
{
    const auto after = std::ranges::upper_bound(literals, start, {}, &Span::start);
    return after != literals.begin() && start + length <= std::prev(after)->end();
}

} // namespace portcullis::shell
