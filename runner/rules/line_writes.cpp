// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/line_writes.h"

#include "runner/base/identifier.h"
#include "runner/rules/open_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace portcullis::rules {

namespace {

using shell::Value;

// No everyday text writes more files.
constexpr std::size_t maxFiles = 64;
constexpr std::string_view blanks = " \t\r";

/// A file name as it stands in the text, with its gaps.
Value fileName(std::string_view text)
{
    Value value;
    for (const char c : text) {
        if (c == unknownMark)
            value.gaps.push_back(static_cast<std::uint32_t>(value.text.size()));
        else
            value.text += c;
    }
    return value;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t from = text.find_first_not_of(blanks);
    if (from == std::string_view::npos)
        return {};
    return text.substr(from, text.find_last_not_of(blanks) + 1 - from);
}

void keep(std::vector<Value> &files, std::string_view name)
{
    if (!name.empty() && files.size() < maxFiles)
        files.push_back(fileName(name));
}

/// Past the addresses that stand before a command: `1,$`, `.;+2`, `/x/,'a`.
std::string_view behindAddresses(std::string_view line)
{
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t:0123456789,.;$%+-"), line.size()));
        if (line.starts_with('/') || line.starts_with('?')) {
            const std::size_t end = line.find(line[0], 1);
            line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
        } else if (line.starts_with('\'') && line.size() > 1) {
            line.remove_prefix(2);
        } else {
            return line;
        }
    }
}

void editorLine(std::string_view language, std::string_view line, std::vector<Value> &files)
{
    static constexpr std::array<std::string_view, 2> ofEd{"w", "W"};
    static constexpr std::array<std::string_view, 23> ofVim{
        "w",     "wr",     "wri", "writ", "write",  "wq", "x",     "xi",  "xit",       "exi", "exit",  "sav",
        "savea", "saveas", "up",  "upda", "update", "wn", "wnext", "mks", "mksession", "mkv", "mkview"};
    line = behindAddresses(line);
    for (const std::string_view modifier :
         {"silent! ", "silent ", "sil! ", "sil ", "keepalt ", "noautocmd ", "noau "}) {
        if (language == "vim" && line.starts_with(modifier))
            line = behindAddresses(line.substr(modifier.size()));
    }
    std::size_t end = 0;
    while (end < line.size() && std::isalpha(static_cast<unsigned char>(line[end])) != 0)
        ++end;
    const std::string_view word = line.substr(0, end);
    std::string_view rest = line.substr(end);
    if (language == "ed" && (std::ranges::contains(ofEd, word) || word == "wq")) {
        rest = trimmed(rest);
        if (!rest.starts_with('!'))
            keep(files, rest);
        return;
    }
    const bool redirects = word == "redi" || word == "redir";
    if (language != "vim" || (!redirects && !std::ranges::contains(ofVim, word)))
        return;
    rest.remove_prefix(rest.starts_with('!') ? 1 : 0);
    rest = trimmed(rest.substr(0, rest.find('|')));
    while (rest.starts_with("++"))
        rest = trimmed(rest.substr(std::min(rest.find(' '), rest.size())));
    if (redirects && !rest.starts_with('>'))
        return;
    rest = trimmed(rest.substr(std::min(rest.find_first_not_of("!>"), rest.size())));
    std::string name;
    for (std::size_t at = 0; at < rest.size(); ++at) {
        at += rest[at] == '\\' && at + 1 < rest.size() ? 1 : 0;
        name += rest[at];
    }
    if (!rest.starts_with('!'))
        keep(files, name);
}

std::vector<Value> editorFiles(std::string_view language, std::string_view text)
{
    std::vector<Value> files;
    const std::string_view ends = language == "vim" ? "\n|" : "\n";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(ends, at), text.size());
        editorLine(language, text.substr(at, end - at), files);
        at = end + 1;
    }
    return files;
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

/// The string literal, or bare word, that follows.
std::string_view nextName(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t("), text.size()));
    if (text.starts_with('\'') || text.starts_with('"')) {
        const std::size_t end = text.find(text[0], 1);
        return end == std::string_view::npos ? std::string_view() : text.substr(1, end - 1);
    }
    return text.substr(0, text.find_first_of(" \t\r\n;"));
}

/// Offsets behind a word of SQL.
std::vector<std::size_t> behindWord(std::string_view text, std::string_view word)
{
    std::vector<std::size_t> out;
    for (std::size_t at = text.find(word); at != std::string_view::npos && out.size() < maxFiles;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isIdentifierByte(text[at - 1])) && (end == text.size() || !isIdentifierByte(text[end])))
            out.push_back(end);
    }
    return out;
}

std::vector<Value> sqlFiles(std::string_view text)
{
    std::vector<Value> files;
    const std::string small = lowered(text);
    for (const std::size_t at : behindWord(small, "writefile"))
        keep(files, nextName(text.substr(at)));
    for (const std::string_view verb : {"vacuum", "attach"}) {
        for (const std::size_t at : behindWord(small, verb)) {
            std::string_view rest = text.substr(at);
            for (const std::string_view between : {"database", "main", "into"}) {
                const std::size_t from = std::min(rest.find_first_not_of(" \t\n"), rest.size());
                if (lowered(rest.substr(from, between.size())) == between)
                    rest.remove_prefix(from + between.size());
            }
            const std::size_t quote = rest.find_first_not_of(" \t\n");
            if (quote != std::string_view::npos && (rest[quote] == '\'' || rest[quote] == '"'))
                keep(files, nextName(rest.substr(quote)));
        }
    }
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(text.substr(at, end - at));
        at = end + 1;
        const std::size_t gap = line.find(' ');
        if (!line.starts_with('.') || gap == std::string_view::npos)
            continue;
        static constexpr std::array<std::string_view, 9> writers{".output", ".once",  ".save", ".backup", ".log",
                                                                 ".trace",  ".clone", ".open", ".excel"};
        if (!std::ranges::contains(writers, line.substr(0, gap)))
            continue;
        const std::string_view name = trimmed(line.substr(line.find_last_of(blanks)));
        if (!name.starts_with('|') && name != "off" && name != "stdout" && name != "stderr")
            keep(files, nextName(name));
    }
    return files;
}

bool changes(std::string_view sql)
{
    const std::string small = lowered(sql);
    return std::ranges::any_of(std::array<std::string_view, 11>{"insert", "update", "delete", "create", "drop", "alter",
                                                                "replace", "vacuum", "reindex", ".import", ".restore"},
                               [&](std::string_view verb) { return !behindWord(small, verb).empty(); });
}

} // namespace

std::vector<Value> filesWrittenByLines(std::string_view language, std::string_view text)
{
    return language == "sqlite" ? sqlFiles(text) : editorFiles(language, text);
}

std::vector<Value> databaseWrites(const shell::Invocation &invocation, const shell::SplitArguments &split)
{
    std::vector<Value> files;
    if (split.operands.empty())
        return files;
    bool changed = invocation.input && changes(shownText(*invocation.input));
    for (const Value &sql : std::span(split.operands).subspan(1)) {
        const std::string text = shownText(sql);
        changed = changed || changes(text);
        for (Value &file : sqlFiles(text)) {
            file.span = sql.span;
            files.push_back(std::move(file));
        }
    }
    const bool readOnly = std::ranges::contains(split.options, "-readonly", &shell::GivenOption::name);
    if (changed && !readOnly)
        files.push_back(split.operands.front());
    return files;
}

} // namespace portcullis::rules
