// SPDX-License-Identifier: Apache-2.0
#include "runner/base/identifier.h"
#include "runner/shell/foreign_lines.h"
#include "runner/shell/foreign_literals.h"

#include <algorithm>
#include <array>

namespace portcullis::shell {

namespace {

struct Language {
    std::string_view name;
    std::string_view quotes; ///< what opens a string
    bool ticksRun = false; ///< `…` is a command
    bool dashes = false; ///< names may have - and *
};

constexpr std::array<Language, 18> languages{{
    {"applescript", "\""},
    {"beam", "\"'"},
    {"c", "\""},
    {"clojure", "\"", false, true},
    {"crystal", "\"", true},
    {"groovy", "\"'"},
    {"haskell", "\""},
    {"java", "\""},
    {"julia", "\"", true},
    {"lisp", "\"", false, true},
    {"m4", "`"},
    {"nim", "\""},
    {"ocaml", "\""},
    {"octave", "\"'"},
    {"prolog", "\"'"},
    {"r", "\"'"},
    {"raku", "\"'"},
    {"swift", "\""},
}};

// Names that start processes, over all these languages.
constexpr std::string_view starters[] = {"system",
                                         "system2",
                                         "shell",
                                         "exec",
                                         "spawn",
                                         "run",
                                         "execute",
                                         "popen",
                                         "cmd",
                                         "command",
                                         "callCommand",
                                         "callProcess",
                                         "readProcess",
                                         "rawSystem",
                                         "proc",
                                         "script",
                                         "syscmd",
                                         "esyscmd",
                                         "run-program",
                                         "launch-program",
                                         "call-process",
                                         "start-process",
                                         "shell-command",
                                         "system*",
                                         "sh",
                                         "Process",
                                         "ProcessBuilder",
                                         "fileURLWithPath",
                                         "launchPath",
                                         "execCmd",
                                         "execCmdEx",
                                         "execShellCmd",
                                         "startProcess",
                                         "open_process_in",
                                         "open_process",
                                         "create_process",
                                         "execv",
                                         "execvp",
                                         "spawnCommand",
                                         "spawnProcess",
                                         "unix",
                                         "shell_cmd",
                                         "getOutput",
                                         "dos",
                                         "process_create",
                                         "shell-command-to-string",
                                         "open-input-pipe",
                                         "process*",
                                         "spawn_executable",
                                         "execvpe",
                                         "execFile",
                                         "Command",
                                         "readCreateProcess",
                                         "pipe"};

class LooseReader
{
public:
    LooseReader(const Language &language, std::string_view code, std::vector<ProcessStart> &out)
        : m_language(language), m_code(code), m_out(out)
    {
    }

    void read()
    {
        while (m_at < m_code.size() && m_out.size() < mostStarts) {
            if (opensString(m_at)) {
                const std::size_t open = m_at;
                const std::string text = literal();
                if (runsItself(open))
                    add({text});
                continue;
            }
            if (!nameAt(m_at)) {
                ++m_at;
                continue;
            }
            const std::size_t begin = m_at;
            while (m_at < m_code.size() && nameAt(m_at))
                ++m_at;
            if (std::ranges::contains(starters, m_code.substr(begin, m_at - begin)))
                arguments();
        }
        groovyLists();
    }

private:
    [[nodiscard]] bool nameAt(std::size_t at) const
    {
        return isIdentifierByte(m_code[at]) || (m_language.dashes && (m_code[at] == '-' || m_code[at] == '*'));
    }
    [[nodiscard]] bool opensString(std::size_t at) const
    {
        return at < m_code.size()
            && (m_language.quotes.contains(m_code[at]) || (m_language.ticksRun && m_code[at] == '`'));
    }

    /// The literal at m_at, which moves behind it.
    std::string literal()
    {
        const char quote = m_code[m_at++];
        const char close = quote == '`' && m_language.name == "m4" ? '\'' : quote;
        std::string text;
        for (; m_at < m_code.size() && m_code[m_at] != close; ++m_at) {
            if (m_code[m_at] == '\\' && m_at + 1 < m_code.size())
                ++m_at;
            text += m_code[m_at];
        }
        m_at = std::min(m_at + 1, m_code.size());
        return text;
    }

    /// `…` in julia and crystal, "…".execute(), "…".!
    [[nodiscard]] bool runsItself(std::size_t open) const
    {
        const std::string_view rest = m_code.substr(std::min(m_at, m_code.size()));
        return m_code[open] == '`' ? m_language.ticksRun
                                   : rest.starts_with(".execute") || rest.starts_with(".!") || rest.starts_with(" !");
    }

    void arguments()
    {
        std::size_t at = m_at;
        // Sigils, brackets and short words may stand before the first string: ~c"…", {:spawn, "…"}, = URL(…
        constexpr std::size_t far = 16;
        while (at < m_code.size() && at - m_at < far && !opensString(at)
               && (std::string_view(" \t([{,:=~<.").contains(m_code[at]) || isIdentifierByte(m_code[at])))
            ++at;
        if (m_language.name == "raku" && m_code.substr(m_at).starts_with(" <")) {
            const std::size_t close = std::min(m_code.find('>', m_at), m_code.size());
            add(blankSeparated(m_code.substr(m_at + 2, close - m_at - 2)));
            m_at = close;
            return;
        }
        if (!opensString(at))
            return;
        m_at = at;
        std::vector<std::string> words;
        while (m_at < m_code.size() && m_code[m_at] != '\n' && words.size() < 16) {
            if (opensString(m_at))
                words.push_back(literal());
            else if (m_code[m_at] == ';' && m_language.name != "swift")
                break;
            else
                ++m_at;
        }
        add(std::move(words));
    }

    /// ["rm", "x"].execute()
    void groovyLists()
    {
        std::size_t lists = 0;
        for (std::size_t end = m_code.find("].execute"); end != std::string_view::npos;
             end = m_code.find("].execute", end + 1)) {
            if (++lists > mostStarts)
                return;
            const std::size_t open = m_code.rfind('[', end);
            if (open == std::string_view::npos)
                continue;
            std::vector<std::string> words;
            for (m_at = open; m_at < end;) {
                if (opensString(m_at))
                    words.push_back(literal());
                else
                    ++m_at;
            }
            add(std::move(words));
        }
    }

    void add(std::vector<std::string> words)
    {
        if (words.empty() || words.front().empty() || m_out.size() >= mostStarts)
            return;
        ProcessStart start;
        if (words.size() == 1 || words.front().contains(' '))
            start.text = Gapped(std::move(words.front()));
        else
            for (std::string &word : words)
                start.words.emplace_back(std::move(word));
        m_out.push_back(std::move(start));
    }

    const Language &m_language;
    std::string_view m_code;
    std::vector<ProcessStart> &m_out;
    std::size_t m_at = 0;
};

} // namespace

bool looseLanguage(std::string_view language)
{
    return std::ranges::contains(languages, language, &Language::name);
}

void looseStarts(std::string_view language, std::string_view code, std::vector<ProcessStart> &out)
{
    const auto *found = std::ranges::find(languages, language, &Language::name);
    if (found != languages.end())
        LooseReader(*found, code, out).read();
}

} // namespace portcullis::shell
