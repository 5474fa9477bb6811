// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/foreign_lines.h"
#include "runner/base/identifier.h"

#include "runner/shell/foreign_literals.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace portcullis::shell {

namespace {

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

using MakeVariables = std::map<std::string, std::string, std::less<>>;

/// Replaces $(NAME), ${NAME} and $$; one level.
std::string makeExpanded(std::string_view text, const MakeVariables &variables)
{
    constexpr std::size_t longest = 4096; // variables made of variables must not grow without bound
    std::string out;
    for (std::size_t i = 0; i < text.size() && out.size() < std::max(longest, text.size()); ++i) {
        const bool reference = text[i] == '$' && i + 1 < text.size();
        if (reference && (text[i + 1] == '(' || text[i + 1] == '{')) {
            const std::size_t close = text.find(text[i + 1] == '(' ? ')' : '}', i);
            const auto found =
                close == std::string_view::npos ? variables.end() : variables.find(text.substr(i + 2, close - i - 2));
            if (found != variables.end()) {
                out += found->second;
                i = close;
                continue;
            }
        }
        out += text[i];
        if (reference && text[i + 1] == '$')
            ++i;
    }
    return out;
}

void addText(std::string text, std::vector<ProcessStart> &out)
{
    if (text.find_first_not_of(" \t\n") == std::string::npos || out.size() >= mostStarts)
        return;
    ProcessStart start;
    start.text = Gapped(std::move(text));
    out.push_back(std::move(start));
}

/// $(shell …) anywhere.
void makeShellCalls(std::string_view code, const MakeVariables &variables, std::vector<ProcessStart> &out)
{
    for (std::size_t i = 0; i + 8 < code.size() && out.size() < mostStarts; ++i) {
        const std::string_view rest = code.substr(i);
        if (!rest.starts_with("$(shell ") && !rest.starts_with("${shell "))
            continue;
        const char open = rest[1];
        const char close = open == '(' ? ')' : '}';
        std::size_t end = 8;
        for (int depth = 1; end < rest.size() && depth > 0; ++end)
            depth += rest[end] == open ? 1 : rest[end] == close ? -1 : 0;
        addText(makeExpanded(rest.substr(8, end - 9), variables), out);
    }
}

/// make: recipes behind a tab or behind `target: ;`, `NAME != command`, $(shell …).
void makeRecipes(std::string_view code, std::vector<ProcessStart> &out)
{
    MakeVariables variables;
    for (std::size_t at = 0; at < code.size() && out.size() < mostStarts;) {
        const std::size_t end = std::min(code.find('\n', at), code.size());
        std::string_view line = code.substr(at, end - at);
        at = end + 1;
        const std::size_t equals = line.find('=');
        const std::size_t nameEnd = line.find_first_of(" \t:?+!=");
        if (equals != std::string_view::npos && !line.starts_with('\t') && nameEnd > 0
            && line.substr(nameEnd, equals - nameEnd).find_first_not_of(" \t:?+!") == std::string_view::npos) {
            std::string_view value = line.substr(equals + 1);
            value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
            if (line[equals - 1] == '!')
                addText(makeExpanded(value, variables), out);
            variables.insert_or_assign(std::string(line.substr(0, nameEnd)), makeExpanded(value, variables));
            continue;
        }
        const std::size_t colon = line.find(':');
        const std::size_t recipe = colon == std::string_view::npos ? colon : line.find(';', colon);
        if (!line.starts_with('\t') && recipe == std::string_view::npos)
            continue;
        line.remove_prefix(line.starts_with('\t') ? 1 : recipe + 1);
        line.remove_prefix(std::min(line.find_first_not_of(" \t@+-"), line.size()));
        addText(makeExpanded(line, variables), out);
    }
    makeShellCalls(code, variables, out);
}

/// tcl: exec, spawn and system where a command can stand; open "|…".
void tclCommands(std::string_view code, std::vector<ProcessStart> &out)
{
    bool command = true;
    for (std::size_t i = 0; i < code.size() && out.size() < mostStarts; ++i) {
        const char c = code[i];
        if (c == '\n' || c == ';' || c == '[' || c == '{') {
            command = true;
        } else if (command && isIdentifierByte(c)) {
            command = false;
            std::size_t end = i;
            while (end < code.size() && isIdentifierByte(code[end]))
                ++end;
            const std::string_view name = code.substr(i, end - i);
            const std::size_t from = std::min(code.find_first_not_of(" \t", end), code.size());
            std::string_view rest = code.substr(from, std::min(code.find_first_of("\n;]}", from), code.size()) - from);
            i = end - 1;
            if (name == "open" && (rest.starts_with("\"|") || rest.starts_with("{|") || rest.starts_with('|'))) {
                rest.remove_prefix(rest.find('|') + 1);
                addText(std::string(rest.substr(0, rest.find_first_of("\"}"))), out);
            } else if (name == "exec" || name == "spawn" || name == "system") {
                while (rest.starts_with('-'))
                    rest.remove_prefix(
                        std::min(rest.find_first_not_of(" \t", std::min(rest.find(' '), rest.size())), rest.size()));
                const bool quoted = rest.starts_with('"') && rest.find('"', 1) + 1 == rest.size();
                addText(std::string(quoted ? rest.substr(1, rest.size() - 2) : rest), out);
            }
        } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            command = false;
        }
    }
}

/// perl: the flag ee of s/// evaluates what the replacement gives.
void doublyEvaluated(std::string_view code, std::vector<ProcessStart> &out)
{
    for (std::size_t i = 0; i + 3 < code.size(); ++i) {
        const char delimiter = code[i + 1];
        if (code[i] != 's' || (i > 0 && (isIdentifierByte(code[i - 1]) || code[i - 1] == '$'))
            || !std::string_view("/|!#,{(").contains(delimiter))
            continue;
        const char close = delimiter == '{' ? '}' : delimiter == '(' ? ')' : delimiter;
        std::size_t at = sedSkip(code, i + 2, close);
        at = sedSkip(code, at + (close == delimiter ? 0 : 1), close);
        const std::size_t end = std::min(code.find_first_not_of("msixpodualngcre", at), code.size());
        if (code.substr(at, end - at).contains("ee")) {
            ProcessStart start;
            start.unknownInput = true;
            out.push_back(std::move(start));
            return;
        }
        i = std::max(i, at) - 1;
    }
}

/// vim: past the modifiers and loops that stand before a command, `silent!`, `bufdo`, `g/x/`, `autocmd EVENT PATTERN`.
std::string_view behindModifiers(std::string_view line)
{
    static constexpr std::string_view modifiers[] = {
        "silent", "sil",     "bufdo", "windo", "tabdo",    "argdo",    "cdo",       "ldo",       "vert",
        "noau",   "keepalt", "keepj", "tab",   "vertical", "unsilent", "noautocmd", "keepjumps", "folddoopen"};
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t:%.,$0123456789"), line.size()));
        std::size_t end = 0;
        while (end < line.size() && std::isalpha(static_cast<unsigned char>(line[end])) != 0)
            ++end;
        const std::string_view word = line.substr(0, end);
        const bool repeats = word == "g" || word == "global" || word == "v" || word == "vglobal";
        if (std::ranges::contains(modifiers, word)) {
            line.remove_prefix(end);
            if (line.starts_with('!') && !line.substr(1).starts_with(' ') && !line.substr(1).starts_with('!'))
                return line;
            line.remove_prefix(line.starts_with('!') ? 1 : 0);
        } else if (repeats && end < line.size() && line[end] != ' ') {
            line.remove_prefix(sedSkip(line, end + 1, line[end]));
        } else if (word == "au" || word == "autocmd") {
            for (int words = 0; words < 3; ++words) {
                line.remove_prefix(std::min(line.find(' '), line.size()));
                line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
            }
        } else {
            return line;
        }
    }
}

/// gdb: `pipe COMMAND | PROGRAM`, `| COMMAND | PROGRAM`, and `shell` cut short.
std::string_view gdbCommand(std::string_view line)
{
    if (line.starts_with('|') || line.starts_with("pipe ")) {
        const std::size_t bar = line.find('|', 1);
        return bar == std::string_view::npos ? std::string_view() : line.substr(bar + 1);
    }
    for (const std::string_view start : {"she ", "shel ", "set exec-wrapper "}) {
        if (line.starts_with(start))
            return line.substr(start.size());
    }
    return {};
}

/// Commands in backquotes behind a command of psql, which a shell runs.
void backquoted(std::string_view line, std::vector<ProcessStart> &out)
{
    for (std::size_t open = line.find('`'); open != std::string_view::npos && out.size() < mostStarts;) {
        const std::size_t close = std::min(line.find('`', open + 1), line.size());
        ProcessStart start;
        start.text = Gapped(std::string(line.substr(open + 1, close - open - 1)));
        out.push_back(std::move(start));
        open = close < line.size() ? line.find('`', close + 1) : std::string_view::npos;
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
        if (language == "vim")
            line = behindModifiers(line);
        std::string_view command = language == "gdb" ? gdbCommand(line) : std::string_view();
        for (const std::string_view start : {"!", "\\!", ".shell ", ".system ", "shell ", "r !", "r!", "%!", "w !",
                                             "silent !", "silent! !", "system "}) {
            const bool fits = language == "psql"            ? start == "\\!"
                : language == "sqlite"                      ? start[0] == '.'
                : language == "mysql"                       ? (start == "\\!" || start == "system ")
                : language == "bc" || language == "haskell" ? start == "!"
                                                            : start[0] != '.' && start[0] != '\\' && start != "system ";
            if (fits && line.starts_with(start))
                command = line.substr(start.size());
        }
        if (language == "psql" && line.starts_with('\\'))
            backquoted(line, out);
        if (command.empty())
            continue;
        ProcessStart start;
        start.text = Gapped(std::string(command));
        out.push_back(std::move(start));
    }
}

} // namespace

void lineStarts(std::string_view language, std::string_view code, std::vector<ProcessStart> &out)
{
    static constexpr std::string_view byLine[] = {"vim", "ed", "psql", "sqlite", "mysql", "gdb", "dc", "bc", "haskell"};
    if (language == "sed")
        sedCommands(code, out);
    else if (language == "make")
        makeRecipes(code, out);
    else if (language == "tcl")
        tclCommands(code, out);
    else if (std::ranges::contains(byLine, language))
        commandLines(language, code, out);
    if (language == "perl")
        doublyEvaluated(code, out);
}

} // namespace portcullis::shell
