// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/code_writes.h"

#include "runner/base/identifier.h"
#include "runner/rules/line_writes.h"
#include "runner/rules/open_text.h"
#include "runner/rules/sed_script.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace portcullis::rules {

namespace {

using shell::Value;

// No everyday text writes more files or calls more functions that may; no path is longer than this (PATH_MAX).
constexpr std::size_t maxFiles = 64;
constexpr std::size_t maxCalls = 512;
constexpr std::size_t maxArguments = 4096;

struct WriteCall {
    std::string_view language;
    std::string_view name; ///< with a dot: the whole name, else its last part
    std::size_t argument; ///< which one names the file, from 0
    bool byMode = false; ///< only when another argument is a mode that writes
    bool byFlags = false; ///< only with a flag of open(2) that writes
};

constexpr std::array writeCalls = std::to_array<WriteCall>({
    {"python", "open", 0, true},
    {"python", "os.open", 0, false, true},
    {"python", "os.mkdir", 0},
    {"python", "os.makedirs", 0},
    {"python", "os.truncate", 0},
    {"python", "shutil.copy", 1},
    {"python", "shutil.copy2", 1},
    {"python", "shutil.copyfile", 1},
    {"python", "shutil.copytree", 1},
    {"python", "shutil.move", 1},
    {"python", "os.rename", 1},
    {"python", "os.replace", 1},
    {"python", "os.link", 1},
    {"python", "os.symlink", 1},
    {"node", "writeFile", 0},
    {"node", "writeFileSync", 0},
    {"node", "appendFile", 0},
    {"node", "appendFileSync", 0},
    {"node", "createWriteStream", 0},
    {"node", "outputFileSync", 0},
    {"node", "writeTextFile", 0},
    {"node", "writeTextFileSync", 0},
    {"node", "Bun.write", 0},
    {"node", "openSync", 0, true},
    {"node", "openSync", 0, false, true},
    {"node", "truncateSync", 0},
    {"node", "copyFile", 1},
    {"node", "copyFileSync", 1},
    {"node", "cpSync", 1},
    {"node", "renameSync", 1},
    {"node", "rename", 1},
    {"node", "symlinkSync", 1},
    {"node", "linkSync", 1},
    {"ruby", "File.write", 0},
    {"ruby", "IO.write", 0},
    {"ruby", "File.open", 0, true},
    {"ruby", "File.new", 0, true},
    {"ruby", "open", 0, true},
    {"ruby", "File.rename", 1},
    {"ruby", "File.symlink", 1},
    {"ruby", "FileUtils.cp", 1},
    {"ruby", "FileUtils.mv", 1},
    {"ruby", "FileUtils.ln_s", 1},
    {"perl", "sysopen", 1, false, true},
    {"perl", "rename", 1},
    {"perl", "symlink", 1},
    {"perl", "link", 1},
    {"perl", "copy", 1},
    {"perl", "move", 1},
    {"php", "file_put_contents", 0},
    {"php", "fopen", 0, true},
    {"php", "copy", 1},
    {"php", "rename", 1},
    {"php", "symlink", 1},
    {"lua", "io.open", 0, true},
    {"lua", "io.output", 0},
    {"lua", "os.rename", 1},
});

/// Calls that only put a path together, so that their arguments are parts of it.
constexpr std::array<std::string_view, 14> pathCalls{"Path",     "PurePath", "PosixPath", "join",       "expanduser",
                                                     "resolve",  "abspath",  "realpath",  "expandvars", "fspath",
                                                     "normpath", "str",      "String",    "expand_path"};
/// Methods of a path that write it.
constexpr std::array<std::string_view, 6> pathWriters{"write_text", "write_bytes", "touch",
                                                      "symlink_to", "rename",      "hardlink_to"};

bool isNameByte(char c)
{
    return isIdentifierByte(c) || c == '.' || c == '$' || c == ':';
}

std::string_view lastPart(std::string_view name)
{
    const std::size_t dot = name.find_last_of(".:");
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool isQuote(char c)
{
    return c == '\'' || c == '"' || c == '`';
}

/// Offset past a string literal that opens at `at`.
std::size_t pastString(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != quote; ++at)
        at += text[at] == '\\' ? 1 : 0;
    return std::min(at + 1, text.size());
}

/// Offset past a bracket that opens at `at`, with what is nested and quoted in it.
std::size_t pastBracket(std::string_view text, std::size_t at)
{
    int depth = 0;
    while (at < text.size()) {
        if (isQuote(text[at])) {
            at = pastString(text, at);
            continue;
        }
        depth += std::string_view("([{").contains(text[at]) ? 1 : 0;
        depth -= std::string_view(")]}").contains(text[at]) ? 1 : 0;
        ++at;
        if (depth == 0)
            break;
    }
    return at;
}

void addGap(Value &value)
{
    const auto at = static_cast<std::uint32_t>(value.text.size());
    if (value.gaps.empty() || value.gaps.back() != at)
        value.gaps.push_back(at);
}

/// A literal's text; `{…}` and `${…}` in it are unknown where the language fills them.
void addLiteral(Value &value, std::string_view body, bool filled)
{
    for (std::size_t at = 0; at < body.size(); ++at) {
        const char c = body[at];
        if (c == '\\' && at + 1 < body.size()) {
            value.text += body[++at];
        } else if (c == unknownMark) {
            addGap(value);
        } else if (filled && (c == '{' || ((c == '$' || c == '#') && body.substr(at + 1).starts_with('{')))) {
            addGap(value);
            at = std::min(body.find('}', at), body.size());
        } else {
            value.text += c;
        }
    }
}

/// The argument of a call, or the operand of an operator, from `at` on; `at` moves to what ends it.
Value readExpression(std::string_view text, std::size_t &at, std::string_view ends)
{
    Value value;
    std::size_t depth = 0;
    const std::size_t last = std::min(text.size(), at + maxArguments);
    text = text.substr(0, last);
    bool filled = false;
    while (at < text.size() && (depth > 0 || !ends.contains(text[at]))) {
        const char c = text[at];
        if (isQuote(c)) {
            const std::size_t end = pastString(text, at);
            addLiteral(value, text.substr(at + 1, end - at - (end > at + 1 ? 2 : 1)), filled || c == '`');
            filled = false;
            at = end;
            continue;
        }
        if (c == '(') {
            ++depth;
        } else if (c == ')') {
            if (depth-- == 0)
                break;
        } else if ((c == ',' || c == '/') && !value.text.ends_with('/')) {
            value.text += '/';
        } else if (c == '[') {
            at = pastBracket(text, at);
            continue;
        } else if (c == unknownMark) {
            addGap(value);
        } else if (isNameByte(c) && c != '.') {
            const std::size_t start = at;
            while (at < text.size() && isNameByte(text[at]))
                ++at;
            const std::string_view name = text.substr(start, at - start);
            filled = (name == "f" || name == "rf" || name == "fr") && at < text.size() && isQuote(text[at]);
            const bool prefix = name.size() <= 2 && at < text.size() && isQuote(text[at]);
            const bool call = at < text.size() && text[at] == '(';
            if (prefix || (call && std::ranges::contains(pathCalls, lastPart(name))) || name == "new")
                continue;
            addGap(value);
            if (call)
                at = pastBracket(text, at);
            continue;
        }
        ++at;
    }
    return value;
}

class CodeReader
{
public:
    CodeReader(std::string_view language, std::string_view text) : m_language(language), m_text(text) { }

    std::vector<Value> read()
    {
        while (m_at < m_text.size() && m_files.size() < maxFiles && m_calls < maxCalls) {
            const char c = m_text[m_at];
            if (isQuote(c)) {
                m_at = pastString(m_text, m_at);
            } else if (isNameByte(c)) {
                const std::size_t start = m_at;
                while (m_at < m_text.size() && isNameByte(m_text[m_at]))
                    ++m_at;
                word(start, m_text.substr(start, m_at - start));
            } else {
                ++m_at;
            }
        }
        return std::move(m_files);
    }

private:
    /// The arguments behind a name, with or without brackets.
    std::vector<Value> arguments(std::size_t at) const
    {
        const std::string_view text = m_text.substr(0, at + maxArguments);
        at = std::min(text.find_first_not_of(' ', at), text.size());
        const bool bracket = at < text.size() && text[at] == '(';
        std::vector<Value> values;
        if (!bracket && m_language != "perl" && m_language != "ruby" && m_language != "lua")
            return values;
        at += bracket ? 1 : 0;
        while (at < text.size() && values.size() < 4) {
            values.push_back(readExpression(text, at, bracket ? ",)" : ",;\n}"));
            if (at >= text.size() || text[at] != ',')
                break;
            ++at;
        }
        return values;
    }

    void word(std::size_t start, std::string_view name)
    {
        if (m_language == "perl" && name == "open") {
            ++m_calls;
            perlOpen(arguments(m_at));
        }
        for (const WriteCall &call : writeCalls) {
            if (call.language != m_language || (call.name.contains('.') ? name : lastPart(name)) != call.name)
                continue;
            ++m_calls;
            const std::vector<Value> given = arguments(m_at);
            if (given.size() > call.argument && (!call.byMode || writes(given)) && (!call.byFlags || hasWritingFlag()))
                keep(given[call.argument]);
        }
        if (m_language == "python" && name.starts_with('.')
            && (std::ranges::contains(pathWriters, name.substr(1)) || (name == ".open" && opensForWriting())))
            pathBefore(start);
    }

    /// Flags of open(2) among the arguments: names that are no literals.
    bool hasWritingFlag() const
    {
        const std::size_t end = std::min(m_text.find_first_of(";\n", m_at), m_at + maxArguments);
        const std::string_view given = m_text.substr(m_at, end - m_at);
        constexpr std::array<std::string_view, 5> flags{"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"};
        return std::ranges::any_of(flags, [&](std::string_view flag) { return given.contains(flag); });
    }

    bool opensForWriting() const
    {
        const std::vector<Value> given = arguments(m_at);
        return !given.empty() && isMode(given.front());
    }

    static bool isMode(const Value &value)
    {
        return value.text.size() < 8 && value.text.find_first_of("wax+") != std::string::npos;
    }

    static bool writes(const std::vector<Value> &given)
    {
        return std::ranges::any_of(given.begin() + 1, given.end(), isMode);
    }

    /// `open F, ">x"` and `open my $f, ">>", "x"`.
    void perlOpen(const std::vector<Value> &given)
    {
        if (given.size() < 2)
            return;
        const Value &mode = given[1];
        const std::size_t name = mode.text.find_first_not_of("+>< ");
        if (mode.text.find_first_of(">+") > 1)
            return;
        if (given.size() > 2)
            keep(given[2]);
        else if (name != std::string::npos)
            keep(slice(mode, name, mode.text.size()));
    }

    /// `Path('x').write_text(…)`, `(home / 'x').write_text(…)`: the bracket that ends at `end`.
    void pathBefore(std::size_t end)
    {
        if (end == 0 || m_text[end - 1] != ')')
            return;
        ++m_calls;
        int depth = 0;
        for (std::size_t at = end; at > 0 && at + maxArguments > end; --at) {
            depth += m_text[at - 1] == ')' ? 1 : 0;
            depth -= m_text[at - 1] == '(' ? 1 : 0;
            if (depth == 0) {
                std::size_t from = at;
                keep(readExpression(m_text, from, ")"));
                return;
            }
        }
    }

    void keep(const Value &file)
    {
        if (!file.text.empty())
            m_files.push_back(file);
    }

    std::string_view m_language;
    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_calls = 0;
    std::vector<Value> m_files;
};

/// `print … > "file"` of awk: POSIX awk, output statements.
std::vector<Value> awkOutputs(std::string_view text)
{
    std::vector<Value> files;
    bool printing = false;
    int depth = 0;
    for (std::size_t at = 0; at < text.size() && files.size() < maxFiles;) {
        const char c = text[at];
        if (c == '"') {
            at = pastString(text, at);
            continue;
        }
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            const std::size_t start = at;
            while (at < text.size() && isNameByte(text[at]))
                ++at;
            const std::string_view name = text.substr(start, at - start);
            printing = printing || name == "print" || name == "printf";
            continue;
        }
        depth += c == '(' ? 1 : 0;
        depth -= c == ')' ? 1 : 0;
        if (c == ';' || c == '}' || c == '\n') {
            printing = false;
            depth = 0;
        } else if (c == '>' && printing && depth == 0) {
            at = std::min(text.find_first_not_of("> ", at), text.size());
            if (Value file = readExpression(text, at, ";}\n"); !file.text.empty())
                files.push_back(std::move(file));
            continue;
        }
        ++at;
    }
    return files;
}

/// The files of `w`, `W` and of `s///w`.
std::vector<Value> sedOutputs(std::string_view script)
{
    std::vector<Value> files;
    const std::string commands = sedCommands(script);
    for (std::size_t at = 0; at < commands.size() && files.size() < maxFiles;) {
        const std::size_t end = std::min(commands.find('\n', at), commands.size());
        const std::string_view line = std::string_view(commands).substr(at, end - at);
        at = end + 1;
        std::size_t name = std::string_view::npos;
        if (line.starts_with("w ") || line.starts_with("W "))
            name = 2;
        else if (line.starts_with("s ") && line.find("w ") != std::string_view::npos)
            name = line.find("w ") + 2;
        if (name >= line.size() || line.substr(name).starts_with("/dev/std"))
            continue;
        Value file;
        addLiteral(file, line.substr(name), false);
        files.push_back(std::move(file));
    }
    return files;
}

} // namespace

std::vector<Value> filesWrittenBy(const shell::EmbeddedCode &code)
{
    static constexpr std::array<std::string_view, 3> lineLanguages{"ed", "sqlite", "vim"};
    const std::string text = shownText(code.text);
    std::vector<Value> files = code.language == "sed"         ? sedOutputs(text)
        : code.language == "awk"                              ? awkOutputs(text)
        : std::ranges::contains(lineLanguages, code.language) ? filesWrittenByLines(code.language, text)
                                                              : CodeReader(code.language, text).read();
    for (Value &file : files)
        file.span = code.span;
    return files;
}

} // namespace portcullis::rules
