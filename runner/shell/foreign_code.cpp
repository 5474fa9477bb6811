// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/foreign_code.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace portcullis::shell {

namespace {

/// More process starts in one text are not followed.
constexpr std::size_t mostStarts = 64;

enum class Shape { Shell, Program, ProgramTwice };

struct Callee {
    std::string_view name;
    Shape shape;
};

// Program: the first argument is the program, the others or a list are its arguments. Twice: execlp(file, argv0, …).
constexpr std::array<Callee, 42> callees{{
    {"system", Shape::Shell},
    {"popen", Shape::Shell},
    {"exec", Shape::Shell},
    {"execSync", Shape::Shell},
    {"shell_exec", Shape::Shell},
    {"passthru", Shape::Shell},
    {"getoutput", Shape::Shell},
    {"getstatusoutput", Shape::Shell},
    {"execute", Shape::Shell},
    {"run", Shape::Shell},
    {"call", Shape::Shell},
    {"check_call", Shape::Shell},
    {"check_output", Shape::Shell},
    {"Popen", Shape::Shell},
    {"proc_open", Shape::Shell},
    {"syscmd", Shape::Shell},
    {"esyscmd", Shape::Shell},
    {"shell-command", Shape::Shell},
    {"capture2", Shape::Shell},
    {"capture2e", Shape::Shell},
    {"capture3", Shape::Shell},
    {"create_subprocess_shell", Shape::Shell},
    {"create_subprocess_exec", Shape::Program},
    {"spawn", Shape::Program},
    {"spawnSync", Shape::Program},
    {"execFile", Shape::Program},
    {"execFileSync", Shape::Program},
    {"execv", Shape::Program},
    {"execvp", Shape::Program},
    {"execve", Shape::Program},
    {"execvpe", Shape::Program},
    {"execl", Shape::ProgramTwice},
    {"execlp", Shape::ProgramTwice},
    {"execle", Shape::ProgramTwice},
    {"execlpe", Shape::ProgramTwice},
    {"posix_spawn", Shape::Program},
    {"posix_spawnp", Shape::Program},
    {"pcntl_exec", Shape::Program},
    {"fork_exec", Shape::Program},
    {"Command", Shape::Program},
    {"pipe", Shape::Shell},
    {"open", Shape::Shell},
}};

bool nameByte(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Reads literals of C-like languages.
class Literals
{
public:
    Literals(std::string_view text, std::size_t at, bool templates) : m_text(text), m_at(at), m_templates(templates) { }

    [[nodiscard]] std::size_t at() const { return m_at; }
    void skip()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)
            ++m_at;
    }
    bool take(char c)
    {
        skip();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    /// A string literal with a prefix like r, b, f, u; nothing when there is none here.
    std::optional<Gapped> string()
    {
        skip();
        std::size_t at = m_at;
        bool raw = false;
        bool formatted = false;
        for (int letters = 0; letters < 2 && at < m_text.size()
             && std::string_view("rRbBfFuU").find(m_text[at]) != std::string_view::npos;
             ++letters, ++at) {
            raw = raw || m_text[at] == 'r' || m_text[at] == 'R';
            formatted = formatted || m_text[at] == 'f' || m_text[at] == 'F';
        }
        if (at >= m_text.size() || (m_text[at] != '"' && m_text[at] != '\'' && (m_text[at] != '`' || !m_templates)))
            return std::nullopt;
        const char quote = m_text[at];
        const bool triple = m_text.substr(at).starts_with(std::string(3, quote));
        const std::string end(triple ? 3 : 1, quote);
        at += end.size();
        Gapped value;
        while (at < m_text.size() && !m_text.substr(at).starts_with(end)) {
            const bool hole = (formatted && m_text[at] == '{') || (quote == '`' && m_text.substr(at).starts_with("${"));
            if (hole) {
                value.appendGap();
                at = std::min(m_text.find('}', at), m_text.size() - 1) + 1;
            } else if (m_text[at] == '\\' && !raw && at + 1 < m_text.size()) {
                at = escape(at + 1, value.text);
            } else {
                value.text += m_text[at++];
            }
        }
        m_at = std::min(at + end.size(), m_text.size());
        return value;
    }

private:
    std::size_t escape(std::size_t at, std::string &out)
    {
        const char c = m_text[at];
        if (c == 'x' && at + 2 < m_text.size()) {
            const std::string digits(m_text.substr(at + 1, 2));
            out += static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
            return at + 3;
        }
        if (c == 'n' || c == 't')
            out += c == 'n' ? '\n' : '\t';
        else if (c != '\n')
            out += c;
        return at + 1;
    }

    std::string_view m_text;
    std::size_t m_at;
    bool m_templates;
};

/// A string that may be made of several (adjacent, or joined by + or .), with a gap for what is no literal.
std::optional<Gapped> joinedString(Literals &in, std::string_view code)
{
    std::optional<Gapped> value = in.string();
    if (!value)
        return std::nullopt;
    for (;;) {
        if (const auto more = in.string()) {
            value->append(*more);
            continue;
        }
        in.skip();
        if (in.at() >= code.size() || std::string_view("),;]}|").find(code[in.at()]) != std::string_view::npos)
            return value;
        if (!(in.take('+') || in.take('.'))) {
            value->appendGap();
            return value;
        }
        const auto more = in.string();
        if (!more) {
            value->appendGap();
            return value;
        }
        value->append(*more);
    }
}

std::optional<ProcessStart> callArguments(std::string_view code, std::size_t at, Shape shape, bool templates)
{
    Literals in(code, at, templates);
    ProcessStart start;
    const bool bracket = in.take('[') || in.take('{');
    auto first = joinedString(in, code);
    if (!first)
        return std::nullopt;
    if (!bracket && shape == Shape::Shell) {
        std::vector<std::string> more;
        while (in.take(',')) {
            const auto next = in.string();
            if (!next || !next->known())
                break;
            more.push_back(next->text);
        }
        if (more.empty() || !first->known()) {
            start.text = std::move(*first);
            return start;
        }
        start.words.push_back(first->text);
        std::ranges::move(more, std::back_inserter(start.words));
        return start;
    }
    start.words.push_back(first->text);
    const bool nested = !bracket && in.take(',') && (in.take('[') || in.take('{'));
    if (nested || bracket) {
        if (nested) {
            if (const auto next = in.string())
                start.words.push_back(next->text);
        }
        while (in.take(',')) {
            const auto next = in.string();
            if (!next)
                break;
            start.words.push_back(next->text);
        }
        return start;
    }
    for (auto next = in.string(); next; next = in.string()) {
        start.words.push_back(next->text);
        if (!in.take(','))
            break;
    }
    if (shape == Shape::ProgramTwice && start.words.size() > 1)
        start.words.erase(start.words.begin() + 1);
    return start;
}

void calls(std::string_view language, std::string_view code, std::vector<ProcessStart> &out)
{
    const bool node = language == "node";
    const bool python = language == "python";
    const bool child = code.find("child_process") != std::string_view::npos
        || code.find("Bun.") != std::string_view::npos || code.find("Deno.") != std::string_view::npos;
    const bool subprocess = code.find("subprocess") != std::string_view::npos;
    for (std::size_t i = 0; i < code.size() && out.size() < mostStarts; ++i) {
        if (!nameByte(code[i]))
            continue;
        std::size_t end = i;
        while (end < code.size() && (nameByte(code[end]) || (language == "lisp" && code[end] == '-')))
            ++end;
        const std::string_view name = code.substr(i, end - i);
        i = end;
        const auto *callee = std::ranges::find(callees, name, &Callee::name);
        if (callee == callees.end())
            continue;
        std::size_t at = end;
        while (at < code.size() && (code[at] == ' ' || code[at] == '\t'))
            ++at;
        const bool paren = at < code.size() && code[at] == '(';
        const bool bare = language == "perl" || language == "ruby" || language == "gnuplot" || language == "lisp"
            || language == "php";
        if (!paren && !bare)
            continue;
        if ((node && !child)
            || (python && ((name == "exec") || ((name == "run" || name == "call") && !subprocess) || name == "open")))
            continue;
        std::size_t first = paren ? at + 1 : at;
        if (name == "open") // the handle comes first
            first = std::min(code.find_first_of("\"'\n;)", first), code.size());
        if (auto start = callArguments(code, first, callee->shape, node)) {
            if (name == "open") {
                // perl and ruby: a pipe only
                const bool words = start->words.size() > 1 && (start->words[0] == "-|" || start->words[0] == "|-");
                const bool text = start->text.text.starts_with('|') || start->text.text.ends_with('|');
                if (!words && !text)
                    continue;
                if (words)
                    start->words.erase(start->words.begin());
                else
                    std::erase(start->text.text, '|');
            }
            out.push_back(std::move(*start));
        }
    }
}

/// `…` of perl, ruby and php; qx and %x with any bracket.
void backticks(std::string_view code, std::vector<ProcessStart> &out)
{
    for (std::size_t i = 0; i < code.size() && out.size() < mostStarts; ++i) {
        std::size_t open = 0;
        if (code[i] == '`')
            open = i;
        else if ((code.substr(i).starts_with("qx") || code.substr(i).starts_with("%x")) && i + 2 < code.size()
                 && (i == 0 || !nameByte(code[i - 1])) && !nameByte(code[i + 2]) && code[i + 2] != ' ')
            open = i + 2;
        else
            continue;
        constexpr std::string_view opening = "({[<";
        constexpr std::string_view closing = ")}]>";
        const std::size_t kind = opening.find(code[open]);
        const std::size_t close = code.find(kind == std::string_view::npos ? code[open] : closing[kind], open + 1);
        if (close == std::string_view::npos)
            return;
        ProcessStart start;
        start.text = Gapped(std::string(code.substr(open + 1, close - open - 1)));
        out.push_back(std::move(start));
        i = close;
    }
}

/// awk: print | "cmd", "cmd" | getline, |& "cmd".
void awkPipes(std::string_view code, std::vector<ProcessStart> &out)
{
    for (std::size_t i = 0; i < code.size() && out.size() < mostStarts;) {
        if (code[i] == '"') {
            Literals in(code, i, false);
            auto text = in.string();
            std::size_t before = i;
            while (before > 0 && (code[before - 1] == ' ' || code[before - 1] == '\t' || code[before - 1] == '&'))
                --before;
            const bool into = before > 0 && code[before - 1] == '|' && (before < 2 || code[before - 2] != '|');
            const bool from = in.take('|') && (in.take('&') || true)
                && code.substr(std::min(in.at(), code.size())).find("getline") < 8;
            if (text && (into || from)) {
                ProcessStart start;
                start.text = std::move(*text);
                out.push_back(std::move(start));
            }
            i = std::max(in.at(), i + 1);
        } else {
            ++i;
        }
    }
}

std::size_t sedSkip(std::string_view code, std::size_t at, char delimiter)
{
    for (; at < code.size() && code[at] != delimiter; ++at) {
        if (code[at] == '\\')
            ++at;
        else if (code[at] == '[') {
            // a bracket expression may hold the delimiter; real ones are short
            const std::string_view near = code.substr(at, 128);
            const std::size_t close = near.find(']', 2);
            if (close != std::string_view::npos && close < near.find(delimiter))
                at += close;
        }
    }
    return std::min(at + 1, code.size());
}

/// sed: the commands `e` and `s///e`.
void sedCommands(std::string_view code, std::vector<ProcessStart> &out)
{
    std::size_t at = 0;
    while (at < code.size() && out.size() < mostStarts) {
        const char c = code[at];
        if (std::isspace(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0
            || std::string_view(";,$!{}~+").find(c) != std::string_view::npos) {
            ++at;
        } else if (c == '/') {
            at = sedSkip(code, at + 1, '/');
        } else if (c == '\\' && at + 1 < code.size()) {
            at = sedSkip(code, at + 2, code[at + 1]);
        } else if (c == 's' || c == 'y') {
            const char delimiter = at + 1 < code.size() ? code[at + 1] : '/';
            at = sedSkip(code, sedSkip(code, at + 2, delimiter), delimiter);
            while (at < code.size() && code[at] != ';' && code[at] != '\n' && code[at] != '}' && code[at] != 'w') {
                if (code[at] == 'e' && c == 's') {
                    ProcessStart start;
                    start.unknownInput = true;
                    out.push_back(std::move(start));
                }
                ++at;
            }
        } else if (std::string_view(":btT").find(c) != std::string_view::npos) {
            // GNU sed 4.9: a label ends at white space and at a semicolon
            at = std::min(code.find_first_not_of(" \t", at + 1), code.size());
            at = std::min(code.find_first_of(" \t\n;}", at), code.size());
        } else if (std::string_view("aicwrWRe").find(c) != std::string_view::npos) {
            const std::size_t stop = std::min(code.find('\n', at), code.size());
            if (c == 'e') {
                ProcessStart start;
                start.text = Gapped(std::string(code.substr(at + 1, stop - at - 1)));
                start.unknownInput = start.text.text.find_first_not_of(' ') == std::string::npos;
                out.push_back(std::move(start));
            }
            at = stop;
        } else {
            ++at;
        }
    }
}

/// make: recipes behind a tab or behind `target: ;`.
void makeRecipes(std::string_view code, std::vector<ProcessStart> &out)
{
    for (std::size_t at = 0; at < code.size() && out.size() < mostStarts;) {
        const std::size_t end = std::min(code.find('\n', at), code.size());
        std::string_view line = code.substr(at, end - at);
        at = end + 1;
        const std::size_t colon = line.find(':');
        const std::size_t recipe = colon == std::string_view::npos ? colon : line.find(';', colon);
        if (!line.starts_with('\t') && recipe == std::string_view::npos)
            continue;
        line.remove_prefix(line.starts_with('\t') ? 1 : recipe + 1);
        line.remove_prefix(std::min(line.find_first_not_of(" \t@+-"), line.size()));
        ProcessStart start;
        for (std::size_t i = 0; i < line.size(); ++i) {
            start.text.text += line[i];
            if (line[i] == '$' && i + 1 < line.size() && line[i + 1] == '$')
                ++i;
        }
        out.push_back(std::move(start));
    }
}

/// Lines of command languages: vim's and ed's `!`, psql's `\!`, sqlite's `.shell`, gdb's `shell`.
void commandLines(std::string_view language, std::string_view code, std::vector<ProcessStart> &out)
{
    for (std::size_t at = 0; at < code.size() && out.size() < mostStarts;) {
        const std::size_t end = std::min(code.find('\n', at), code.size());
        std::string_view line = code.substr(at, end - at);
        at = end + 1;
        line.remove_prefix(std::min(line.find_first_not_of(" \t:"), line.size()));
        std::string_view command;
        for (const std::string_view start : {"!", "\\!", ".shell ", ".system ", "shell ", "r !", "r!", "%!", "w !",
                                             "silent !", "silent! !", "system "}) {
            const bool fits = language == "psql" ? start == "\\!"
                : language == "sqlite"           ? start[0] == '.'
                : language == "mysql"            ? (start == "\\!" || start == "system ")
                                                 : start[0] != '.' && start[0] != '\\' && start != "system ";
            if (fits && line.starts_with(start))
                command = line.substr(start.size());
        }
        if (command.empty())
            continue;
        ProcessStart start;
        start.text = Gapped(std::string(command));
        out.push_back(std::move(start));
    }
}

} // namespace

std::vector<ProcessStart> processStarts(std::string_view language, std::string_view code)
{
    std::vector<ProcessStart> out;
    if (language == "sed") {
        sedCommands(code, out);
        return out;
    }
    if (language == "make") {
        makeRecipes(code, out);
        return out;
    }
    const bool lines = language == "vim" || language == "ed" || language == "psql" || language == "sqlite"
        || language == "mysql" || language == "gdb" || language == "dc";
    if (lines)
        commandLines(language, code, out);
    calls(language, code, out);
    if (language == "awk")
        awkPipes(code, out);
    if (language == "perl" || language == "ruby" || language == "php")
        backticks(code, out);
    return out;
}

} // namespace portcullis::shell
