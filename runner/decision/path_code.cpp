// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/path_code.h"

#include "runner/base/hex.h"
#include "runner/base/identifier.h"
#include "runner/base/paths.h"
#include "runner/rules/open_text.h"
#include "runner/rules/sed_script.h"

#include <algorithm>
#include <array>

namespace portcullis::decision {
namespace {

constexpr std::string_view spaces = " \t\r\n";

struct Literal {
    std::size_t start = 0; ///< of the opening quote
    std::size_t end = 0; ///< behind the closing one
    std::string_view text;
};

/// The literal whose opening quote stands at or after `from`.
std::optional<Literal> nextLiteral(std::string_view code, std::size_t from)
{
    const std::size_t open = code.find_first_of("'\"`", from);
    if (open == std::string_view::npos)
        return std::nullopt;
    std::size_t close = open + 1;
    while (close < code.size() && code[close] != code[open])
        close += code[close] == '\\' ? 2 : 1;
    if (close >= code.size())
        return std::nullopt;
    return Literal{open, close + 1, code.substr(open + 1, close - open - 1)};
}

/// Spellings of the directory above the current one, which constants tell: os(3py), pathlib, path of node, …
std::string withParentsSpelledOut(std::string_view code)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> spellings{{
        {"os.path.dirname(os.getcwd())", "'..'"},
        {"path.dirname(process.cwd())", "'..'"},
        {"File.dirname(Dir.pwd)", "'..'"},
        {"dirname(getcwd())", "'..'"},
        {"os.path.pardir", "'..'"},
        {"os.pardir", "'..'"},
        {"Path.cwd().parent", "Path('..')"},
        {"Path().absolute().parent", "Path('..')"},
        {"Path().resolve().parent", "Path('..')"},
        {"Path('..').parent", "Path('../..')"},
        {"Path('../..').parent", "Path('../../..')"},
    }};
    std::string text(code);
    for (const auto &[from, to] : spellings) {
        if (!text.contains(from))
            continue;
        std::string out;
        std::size_t at = 0;
        for (std::size_t next = text.find(from); next != std::string::npos; next = text.find(from, at)) {
            out.append(text, at, next - at).append(to);
            at = next + from.size();
        }
        text = out.append(text, at);
    }
    return text;
}

/// The name of the function that takes the literal at `start` as an argument: the identifier before `(` or a space.
std::string_view callerOf(std::string_view code, std::size_t start)
{
    std::size_t end = start;
    while (end > 0 && (spaces.contains(code[end - 1]) || code[end - 1] == '(' || code[end - 1] == '['))
        --end;
    std::size_t begin = end;
    while (begin > 0 && isIdentifierByte(code[begin - 1]))
        --begin;
    return code.substr(begin, end - begin);
}

/// `opendir D, ".."`: the function stands one word further away.
std::string_view callerBeforeHandle(std::string_view code, std::size_t start)
{
    const std::size_t comma = code.substr(0, start).find_last_not_of(spaces);
    if (comma == std::string_view::npos || code[comma] != ',')
        return {};
    std::size_t at = comma;
    while (at > 0 && (isIdentifierByte(code[at - 1]) || std::string_view("$ \t").contains(code[at - 1])))
        --at;
    const std::string_view words = code.substr(at, comma - at);
    return words.starts_with("opendir") ? std::string_view("opendir") : callerOf(code, at);
}

bool takesPath(std::string_view function)
{
    static constexpr std::array<std::string_view, 37> functions{
        "chdir",    "listdir",      "scandir",  "walk",         "fwalk",     "glob",       "iglob",      "open",
        "opendir",  "opendirSync",  "Path",     "PurePath",     "PosixPath", "join",       "joinpath",   "resolve",
        "readdir",  "readdirSync",  "readFile", "readFileSync", "entries",   "children",   "each_child", "rmtree",
        "copytree", "copy",         "stat",     "statSync",     "exists",    "existsSync", "isdir",      "abspath",
        "realpath", "realpathSync", "catfile",  "catdir",       "Dir"};
    return std::ranges::contains(functions, function);
}

bool joins(std::string_view function)
{
    static constexpr std::array<std::string_view, 5> functions{"join", "joinpath", "resolve", "catfile", "catdir"};
    return std::ranges::contains(functions, function);
}

bool walks(std::string_view function)
{
    return function == "walk" || function == "fwalk" || function == "copytree" || function == "rmtree";
}

/// What stands between two literals of one name: how they are put together, or nothing.
std::optional<std::string_view> connection(std::string_view between, std::string_view language)
{
    if (language == "awk")
        return between.find_first_not_of(" \t") == std::string_view::npos ? std::optional<std::string_view>("")
                                                                          : std::nullopt;
    if (between.size() > 64 || between.find_first_not_of(" \t\r\n(),/+.") != std::string_view::npos)
        return std::nullopt;
    if (between.contains('+') || (between.contains('.') && (language == "perl" || language == "php")))
        return "";
    if (between.contains(',') || between.contains('/'))
        return "/";
    return std::nullopt;
}

/// Python: `{"a"}` in a formatted string is `a`. True when there was one.
bool withConstants(std::string &name)
{
    bool found = false;
    for (std::size_t open = name.find('{'); open != std::string::npos; open = name.find('{', open + 1)) {
        const char quote = open + 1 < name.size() ? name[open + 1] : '\0';
        const std::size_t close = quote == '"' || quote == '\'' ? name.find(quote, open + 2) : std::string::npos;
        if (close == std::string::npos || close + 1 >= name.size() || name[close + 1] != '}')
            continue;
        name = name.substr(0, open) + name.substr(open + 2, close - open - 2) + name.substr(close + 2);
        found = true;
    }
    return found;
}

/// Reads names that several literals make together.
class PathReader
{
public:
    PathReader(std::string_view code, std::string_view language) : m_code(code), m_language(language) { }
    std::vector<CodePath> read();

private:
    void sequence(const Literal &first);
    std::size_t formatted(std::string &name);

    std::string_view m_code;
    std::string_view m_language;
    std::size_t m_at = 0;
    std::vector<CodePath> m_out;
};

std::vector<CodePath> PathReader::read()
{
    constexpr std::size_t mostPaths = 256;
    while (m_out.size() < mostPaths) {
        const std::optional<Literal> first = nextLiteral(m_code, m_at);
        if (!first)
            break;
        m_at = first->end;
        sequence(*first);
    }
    return std::move(m_out);
}

/// Puts literals into `'/a/%s' % 'b'`; how many.
std::size_t PathReader::formatted(std::string &name)
{
    std::size_t count = 0;
    const std::size_t sign = m_code.find_first_not_of(spaces, m_at);
    if (m_language != "python" || sign == std::string_view::npos || m_code[sign] != '%')
        return 0;
    for (std::size_t hole = name.find("%s"); hole != std::string::npos; hole = name.find("%s", hole)) {
        const std::optional<Literal> next = nextLiteral(m_code, m_at);
        if (!next || m_code.substr(m_at, next->start - m_at).find_first_not_of(" \t(,%") != std::string_view::npos)
            break;
        name.replace(hole, 2, next->text);
        hole += next->text.size();
        m_at = next->end;
        ++count;
    }
    return count;
}

void PathReader::sequence(const Literal &first)
{
    std::string_view caller = callerOf(m_code, first.start);
    if (caller.empty())
        caller = callerBeforeHandle(m_code, first.start);
    std::string name = withoutEscapes({std::string(first.text), {}, {}}).text;
    std::size_t parts = withConstants(name) ? 2 : 1;
    bool glued = true; // by nothing but `+`
    parts += formatted(name);
    while (const std::optional<Literal> next = nextLiteral(m_code, m_at)) {
        const auto how = connection(m_code.substr(m_at, next->start - m_at), m_language);
        if (!how || (*how == "/" && !joins(caller) && !caller.ends_with("Path")))
            break;
        glued = glued && how->empty();
        (name += *how) += withoutEscapes({std::string(next->text), {}, {}}).text;
        m_at = next->end;
        ++parts;
    }
    // In Perl `join` puts something between words, not between folders.
    const bool pathCall = takesPath(caller) && !(m_language == "perl" && caller == "join");
    const std::size_t behind = m_code.find_first_not_of(" \t\r\n", m_at);
    const bool more =
        behind != std::string_view::npos && (m_code[behind] == '+' || (m_code[behind] == ',' && joins(caller)));
    if (parts == 1 && joins(caller) && caller == "join" && !more)
        return; // `words.join('..')`
    const bool wanted = pathCall ? name.starts_with("..") || name.starts_with('/') : parts > 1 && glued;
    if (!wanted || (!name.starts_with("..") && !name.starts_with('/')))
        return;
    CodePath path{{std::move(name), {}, {}}, walks(caller)};
    if (more) {
        path.spelling.text += m_code[behind] == ',' ? "/" : "";
        path.spelling.gaps.push_back(static_cast<std::uint32_t>(path.spelling.text.size()));
    }
    m_out.push_back(std::move(path));
}

/// A statement of its own, which is not run only sometimes: `os.chdir(…)` at the start or behind `;` or a new line.
bool standsAlone(std::string_view code, std::size_t at)
{
    while (at > 0 && (isIdentifierByte(code[at - 1]) || std::string_view(".:$").contains(code[at - 1])))
        --at;
    if (at == 0 || code[at - 1] == '\n')
        return true;
    const std::size_t before = code.substr(0, at).find_last_not_of(" \t");
    return before == std::string_view::npos || code[before] == ';';
}

} // namespace

Spelling withoutEscapes(Spelling literal)
{
    if (!literal.plain() || !literal.text.contains('\\'))
        return literal;
    std::string out;
    const std::string_view text = literal.text;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char kind = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
        const bool octal = kind >= '0' && kind <= '7';
        const std::size_t from = i + (octal ? 1 : 2);
        const std::size_t most = octal ? 3 : kind == 'x' ? 2 : kind == 'u' ? 4 : 0;
        int value = 0;
        std::size_t end = from;
        for (; end < text.size() && end < from + most; ++end) {
            const int digit = hexValue(text[end]);
            if (digit < 0 || (octal && digit > 7))
                break;
            value = value * (octal ? 8 : 16) + digit;
        }
        if (most == 0 || end == from || value == 0 || value > 127) {
            out += text[i];
            continue;
        }
        out += static_cast<char>(value);
        i = end - 1;
    }
    literal.text = std::move(out);
    return literal;
}

std::vector<CodeStretch> stretchesOf(const Spelling &code, const std::optional<std::string> &directory)
{
    constexpr std::string_view word = "chdir";
    constexpr std::size_t mostDirectories = 8;
    std::vector<CodeStretch> stretches{{{}, {directory}}};
    std::size_t start = 0;
    for (std::size_t at = code.text.find(word); at != std::string::npos; at = code.text.find(word, at + word.size())) {
        const std::size_t open = code.text.find_first_not_of(" \t(", at + word.size());
        if (open == std::string::npos || (at > 0 && isIdentifierByte(code.text[at - 1])) || open == at + word.size())
            continue;
        const std::optional<Literal> literal =
            std::string_view("'\"`").contains(code.text[open]) ? nextLiteral(code.text, open) : std::nullopt;
        const std::size_t end = literal ? literal->end : open;
        CodeStretch next{{}, stretches.back().directories};
        std::vector<std::optional<std::string>> entered;
        entered.reserve(next.directories.size());
        for (const std::optional<std::string> &from : next.directories)
            entered.push_back(literal && from ? std::optional(paths::normalised(literal->text, *from)) : std::nullopt);
        if (standsAlone(code.text, at))
            next.directories = std::move(entered);
        else if (next.directories.size() < mostDirectories)
            next.directories.insert(next.directories.end(), entered.begin(), entered.end());
        stretches.back().text = code.part(start, end - start);
        start = end;
        stretches.push_back(std::move(next));
    }
    stretches.back().text = code.part(start);
    return stretches;
}

std::vector<CodePath> joinedPaths(std::string_view code, std::string_view language)
{
    return PathReader(withParentsSpelledOut(code), language).read();
}

namespace {

/// Whether no other program of the command can take what this one prints or writes.
bool worksAlone(const shell::Evaluation &evaluation, std::uint32_t invocation)
{
    for (std::size_t i = 0; i < evaluation.invocations.size(); ++i) {
        if (i != invocation && evaluation.invocations[i].name != "cd")
            return false;
    }
    return true;
}

/// Calls that neither open a file nor run anything with what they are given.
constexpr std::array<std::string_view, 58> harmlessCalls{
    "print",     "log",    "error",      "warn",     "info",        "read",        "write",    "close",   "readlines",
    "strip",     "lstrip", "rstrip",     "split",    "replace",     "replaceAll",  "sub",      "join",    "append",
    "insert",    "push",   "len",        "str",      "int",         "sorted",      "set",      "list",    "dict",
    "range",     "format", "startswith", "endswith", "startsWith",  "endsWith",    "includes", "index",   "indexOf",
    "find",      "count",  "lower",      "upper",    "toLowerCase", "toUpperCase", "keys",     "values",  "items",
    "dumps",     "loads",  "stringify",  "parse",    "normpath",    "relpath",     "relative", "dirname", "basename",
    "enumerate", "zip",    "toString",   "match"};
constexpr std::array<std::string_view, 12> keywords{"if",  "for", "while", "return", "in",    "not",
                                                    "and", "or",  "elif",  "with",   "await", "catch"};
constexpr std::array<std::string_view, 7> openingCalls{"open",    "readFileSync", "writeFileSync", "readFile",
                                                       "require", "writeFile",    "read_text"};

} // namespace

bool opensOnlyLiterals(const shell::EmbeddedCode &text, const shell::Evaluation &evaluation)
{
    if ((text.language != "python" && text.language != "node") || !text.text.known()
        || !worksAlone(evaluation, text.invocation))
        return false;
    const std::string_view code = text.text.text;
    for (std::size_t at = 0; at < code.size();) {
        const char c = code[at];
        if (c == '\'' || c == '"' || c == '`') {
            const auto literal = nextLiteral(code, at);
            const bool formatted = at > 0 && std::string_view("fFtT").contains(code[at - 1]);
            if (!literal || c == '`' || formatted || literal->text.contains('\\'))
                return false;
            at = literal->end;
        } else if (c == '#' || c == '\\' || code.substr(at).starts_with("//")
                   || (c == '(' && at > 0 && std::string_view(")]'\"`").contains(code[at - 1]))) {
            return false;
        } else if (isIdentifierByte(c)) {
            const std::size_t begin = at;
            while (at < code.size() && isIdentifierByte(code[at]))
                ++at;
            const std::string_view name = code.substr(begin, at - begin);
            const std::size_t open = std::min(code.find_first_not_of(" \t", at), code.size());
            if (open >= code.size() || code[open] != '(' || std::ranges::contains(keywords, name)
                || std::ranges::contains(harmlessCalls, name))
                continue;
            const std::size_t first = std::min(code.find_first_not_of(" \t", open + 1), code.size());
            const auto literal = nextLiteral(code, first);
            const std::size_t behind = literal ? code.find_first_not_of(" \t", literal->end) : std::string_view::npos;
            if (!std::ranges::contains(openingCalls, name) || !literal || literal->start != first
                || behind == std::string_view::npos || !std::string_view(",)").contains(code[behind]))
                return false;
        } else {
            ++at;
        }
    }
    return true;
}

bool isOpened(std::string_view code, std::size_t quote)
{
    const std::string_view caller = callerOf(code, quote);
    return std::ranges::contains(openingCalls, caller) || caller == "from" || caller == "import";
}

std::vector<std::string> jqModules(std::string_view filter)
{
    std::vector<std::string> names;
    if (!filter.contains("import") && !filter.contains("include"))
        return names;
    constexpr std::size_t most = 64;
    for (std::size_t at = 0; at < filter.size() && names.size() < most;) {
        const std::size_t begin = at;
        while (at < filter.size() && isIdentifierByte(filter[at]))
            ++at;
        const std::string_view word = filter.substr(begin, at - begin);
        if (word != "import" && word != "include" && word != "search") {
            at = std::max(at, begin + 1);
            continue;
        }
        // The key may stand in quotes of its own: `{"search": "x"}`.
        const std::size_t open = std::min(filter.find_first_not_of(" \t\r\n", at), filter.size());
        const std::size_t key = word == "search" ? std::min(filter.find(':', open), filter.size()) : at;
        const std::size_t value = std::min(filter.find_first_not_of(": \t\r\n[", key), filter.size());
        const auto literal = nextLiteral(filter, value);
        if (literal && literal->start == value)
            names.push_back(withoutEscapes({std::string(literal->text), {}, {}}).text);
    }
    return names;
}

std::vector<SedFile> sedFiles(const shell::Value &script)
{
    std::vector<SedFile> files;
    const std::string commands = rules::sedCommands(rules::shownText(script));
    for (std::size_t at = 0; at < commands.size();) {
        const std::size_t end = std::min(commands.find('\n', at), commands.size());
        const std::string_view line = std::string_view(commands).substr(at, end - at);
        at = end + 1;
        if (line.empty() || !std::string_view("rRwWs").contains(line[0]))
            continue;
        const std::size_t space = line[0] == 's' ? line.find("w ", 1) : line.find(' ');
        if (space == std::string_view::npos)
            continue;
        std::string_view name = line.substr(space + (line[0] == 's' ? 2 : 1));
        name = name.substr(0, name.find(rules::unknownMark));
        files.push_back({std::string(name), line[0] != 'r' && line[0] != 'R'});
    }
    return files;
}

} // namespace portcullis::decision
