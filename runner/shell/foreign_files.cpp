// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/foreign_files.h"

#include "runner/base/identifier.h"
#include "runner/shell/foreign_literals.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

namespace portcullis::shell {

namespace {

constexpr std::string_view blanks = " \t";

// What short programs use of the languages' own libraries. A module that is missing here is marked, no more.
constexpr std::array<std::string_view, 112> pythonModules{
    "__future__",  "_thread",      "abc",        "argparse",   "array",       "ast",       "asyncio",
    "atexit",      "base64",       "binascii",   "bisect",     "builtins",    "bz2",       "calendar",
    "cmath",       "cmd",          "code",       "codecs",     "collections", "colorsys",  "compileall",
    "concurrent",  "configparser", "contextlib", "copy",       "csv",         "ctypes",    "curses",
    "dataclasses", "datetime",     "decimal",    "difflib",    "dis",         "email",     "encodings",
    "ensurepip",   "enum",         "errno",      "fcntl",      "filecmp",     "fileinput", "fnmatch",
    "fractions",   "ftplib",       "functools",  "gc",         "getpass",     "gettext",   "glob",
    "grp",         "gzip",         "hashlib",    "heapq",      "hmac",        "html",      "http",
    "importlib",   "inspect",      "io",         "ipaddress",  "itertools",   "json",      "keyword",
    "linecache",   "locale",       "logging",    "lzma",       "math",        "mimetypes", "multiprocessing",
    "numbers",     "operator",     "os",         "pathlib",    "pickle",      "pkgutil",   "platform",
    "pprint",      "pty",          "pwd",        "queue",      "random",      "re",        "resource",
    "secrets",     "select",       "shlex",      "shutil",     "signal",      "site",      "socket",
    "sqlite3",     "ssl",          "stat",       "statistics", "string",      "struct",    "subprocess",
    "sys",         "sysconfig",    "tarfile",    "tempfile",   "textwrap",    "threading", "time",
    "timeit",      "tomllib",      "traceback",  "typing",     "unicodedata", "unittest",  "urllib"};
constexpr std::array<std::string_view, 13> morePythonModules{"uuid",  "venv",   "warnings", "wave", "weakref",
                                                             "xml",   "xmlrpc", "zipfile",  "zlib", "zoneinfo",
                                                             "types", "turtle", "profile"};
constexpr std::array<std::string_view, 44> nodeModules{"assert",       "async_hooks",
                                                       "buffer",       "child_process",
                                                       "cluster",      "console",
                                                       "constants",    "crypto",
                                                       "dgram",        "dns",
                                                       "domain",       "diagnostics_channel",
                                                       "events",       "fs",
                                                       "http",         "http2",
                                                       "https",        "inspector",
                                                       "module",       "net",
                                                       "os",           "path",
                                                       "perf_hooks",   "process",
                                                       "punycode",     "querystring",
                                                       "readline",     "repl",
                                                       "stream",       "string_decoder",
                                                       "sys",          "test",
                                                       "timers",       "tls",
                                                       "trace_events", "tty",
                                                       "url",          "util",
                                                       "v8",           "vm",
                                                       "wasi",         "worker_threads",
                                                       "zlib",         "sea"};
constexpr std::array<std::string_view, 34> rubyModules{
    "abbrev",   "base64",  "benchmark", "bigdecimal", "bundler",      "cgi",   "csv",         "date",     "delegate",
    "digest",   "English", "erb",       "etc",        "fileutils",    "find",  "forwardable", "io",       "ipaddr",
    "json",     "logger",  "matrix",    "net",        "open-uri",     "open3", "openssl",     "optparse", "ostruct",
    "pathname", "pp",      "prime",     "psych",      "securerandom", "set",   "shellwords"};
constexpr std::array<std::string_view, 11> moreRubyModules{
    "socket", "stringio", "strscan", "tempfile", "time", "timeout", "tmpdir", "uri", "weakref", "yaml", "zlib"};
constexpr std::array<std::string_view, 44> perlModules{
    "strict",  "warnings",  "utf8",     "feature", "constant", "integer", "bigint",   "bignum", "bigrat",
    "bytes",   "charnames", "encoding", "fields",  "locale",   "open",    "overload", "re",     "sort",
    "subs",    "vars",      "version",  "Carp",    "Config",   "Cwd",     "Data",     "Digest", "Encode",
    "English", "Errno",     "Exporter", "Fcntl",   "File",     "FindBin", "Getopt",   "Hash",   "HTTP",
    "IO",      "IPC",       "List",     "Math",    "MIME",     "POSIX",   "Scalar",   "Socket"};
constexpr std::array<std::string_view, 9> morePerlModules{"Storable", "Sys",     "Term", "Text",        "Tie",
                                                          "Time",     "Unicode", "JSON", "experimental"};

bool isIn(std::span<const std::string_view> names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

/// The first part of a name that its parts stand behind: `os` of os.path, `File` of File::Path.
std::string_view firstPart(std::string_view name, std::string_view separators)
{
    return name.substr(0, name.find_first_of(separators));
}

std::string_view identifierAt(std::string_view text)
{
    return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, isIdentifierByte) - text.begin()));
}

std::string_view behindBlanks(std::string_view text, std::string_view skipped = blanks)
{
    return text.substr(std::min(text.find_first_not_of(skipped), text.size()));
}

/// Whether a statement can begin here.
bool beginsStatement(std::string_view code, std::size_t at)
{
    const std::size_t last = at == 0 ? std::string_view::npos : code.find_last_not_of(blanks, at - 1);
    return last == std::string_view::npos || std::string_view("\n;:{}(").contains(code[last]);
}

/// The literal that stands here, in brackets or not; nothing for anything else, which is not known.
std::string_view literalAt(std::string_view text)
{
    text = behindBlanks(text, " \t(");
    if (text.empty() || !std::string_view("'\"`").contains(text.front()))
        return {};
    return text.substr(1, text.find(text.front(), 1) - 1);
}

bool pythonLoads(std::string_view word, std::string_view rest, bool begins)
{
    if (word == "__import__" || word == "import_module" || word == "run_path" || word == "run_module")
        return rest.starts_with('(') && !isOwnModule("python", literalAt(rest));
    if (!begins || (word != "import" && word != "from"))
        return false;
    for (std::string_view names = behindBlanks(rest); !names.empty();) {
        if (names.starts_with('.') || !isOwnModule("python", identifierAt(names)))
            return true;
        const std::size_t comma = names.find_first_of(",;\n");
        if (word == "from" || comma == std::string_view::npos || names[comma] != ',')
            return false;
        names = behindBlanks(names.substr(comma + 1));
    }
    return false;
}

bool nodeLoads(std::string_view word, std::string_view rest, bool begins)
{
    if (word == "require" || (word == "import" && rest.starts_with('(')))
        return rest.starts_with('(') && !isOwnModule("node", literalAt(rest));
    if (!begins || word != "import")
        return false;
    const std::string_view line = rest.substr(0, rest.find_first_of(";\n"));
    const std::size_t quote = line.find_first_of("'\"");
    return quote != std::string_view::npos && !isOwnModule("node", literalAt(line.substr(quote)));
}

bool perlLoads(std::string_view word, std::string_view rest, bool begins)
{
    if (!begins || (word != "use" && word != "no" && word != "require" && word != "do"))
        return false;
    rest = behindBlanks(rest);
    if (word == "do" || rest.starts_with('\'') || rest.starts_with('"'))
        return !rest.starts_with('{') && !rest.empty();
    const std::string_view name = identifierAt(rest);
    const bool number = !name.empty() && (std::string_view("0123456789").contains(name.front()) || name == "v5");
    return !number && !name.starts_with("v5") && !isOwnModule("perl", name);
}

bool startsLoading(std::string_view language, std::string_view word, std::string_view rest, bool begins)
{
    const auto isCall = [&](std::string_view opening) {
        return begins && !rest.empty() && opening.contains(behindBlanks(rest).substr(0, 1));
    };
    if (language == "python")
        return pythonLoads(word, rest, begins);
    if (language == "node")
        return nodeLoads(word, rest, begins);
    if (language == "perl")
        return perlLoads(word, rest, begins);
    if (language == "ruby")
        return (word == "require_relative" || word == "load")
            ? isCall("('\"")
            : word == "require" && isCall("('\"") && !isOwnModule("ruby", literalAt(rest));
    if (language == "php")
        return word == "include" || word == "include_once"
            || ((word == "require" || word == "require_once") && isCall("('\"$_"));
    if (language == "lua")
        return word == "dofile" || word == "loadfile" || word == "require";
    return language == "tcl" && word == "source" && begins;
}

/// The modules of `a, b.c as d` or of `a` alone.
void addPythonModules(std::string_view names, bool list, std::vector<LoadedName> &out)
{
    while (!names.empty()) {
        names.remove_prefix(std::min(names.find_first_not_of('.'), names.size())); // of this package
        std::size_t end = 0;
        while (end < names.size() && (isIdentifierByte(names[end]) || names[end] == '.'))
            ++end;
        if (end > 0)
            out.push_back({std::string(names.substr(0, end)), false});
        const std::size_t comma = names.find_first_of(",;\n");
        if (!list || comma == std::string_view::npos || names[comma] != ',')
            return;
        names = behindBlanks(names.substr(comma + 1));
    }
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::ranges::find(words, word) != words.end();
}

/// The literal of a call `word("x")` or `word 'x'`.
void addLiteral(std::string_view rest, bool file, std::vector<LoadedName> &out)
{
    if (const std::string_view name = literalAt(rest); !name.empty())
        out.push_back({std::string(name), file});
}

void addLoaded(std::string_view language, std::string_view word, std::string_view rest, bool begins,
               std::vector<LoadedName> &out)
{
    constexpr std::size_t longest = 4096; // of a list of modules, or a path
    rest = rest.substr(0, longest);
    if (language == "python") {
        if (begins && (word == "import" || word == "from"))
            addPythonModules(behindBlanks(rest), word == "import", out);
        else if (isOneOf(word, {"__import__", "import_module", "run_module"}))
            addLiteral(rest, false, out);
        else if (isOneOf(word, {"run_path", "execfile"}))
            addLiteral(rest, true, out);
        else if (isOneOf(word, {"exec", "eval", "compile"}) && behindBlanks(rest, " \t(").starts_with("open("))
            addLiteral(behindBlanks(rest, " \t(").substr(4), true, out);
    } else if (language == "node") {
        if (isOneOf(word, {"require", "fork", "Worker"}) || (word == "import" && rest.starts_with('(')))
            addLiteral(rest, true, out);
        else if (begins && isOneOf(word, {"import", "export"}))
            addLiteral(rest.substr(std::min(rest.find_first_of("'\";\n"), rest.size())), true, out);
    } else if (language == "perl") {
        if (isOneOf(word, {"do", "require"}) && !literalAt(rest).empty())
            addLiteral(rest, true, out);
        else if (begins && isOneOf(word, {"use", "require", "no"}))
            out.push_back(
                {std::string(behindBlanks(rest).substr(0, behindBlanks(rest).find_first_of(" \t;\n"))), false});
    } else if (language == "ruby") {
        if (isOneOf(word, {"require_relative", "load", "require"}))
            addLiteral(rest, word != "require", out);
    } else if (language == "php") {
        if (isOneOf(word, {"include", "include_once", "require", "require_once"}))
            addLiteral(rest, true, out);
    } else if (language == "lua") {
        if (isOneOf(word, {"dofile", "loadfile", "require"}))
            addLiteral(rest, word != "require", out);
    } else if (language == "tcl" && word == "source" && begins) {
        const std::string_view name = behindBlanks(rest);
        out.push_back({std::string(name.substr(0, name.find_first_of(" \t;\n"))), true});
    }
}

std::string withSlashes(std::string_view name, std::string_view separator)
{
    std::string path;
    for (std::size_t at = 0; at < name.size();) {
        const bool separates = name.substr(at).starts_with(separator);
        path += separates ? '/' : name[at];
        at += separates ? separator.size() : 1;
    }
    return path;
}

} // namespace

bool isOwnModule(std::string_view language, std::string_view module)
{
    if (language == "python")
        return isIn(pythonModules, firstPart(module, ".")) || isIn(morePythonModules, firstPart(module, "."));
    if (language == "node")
        return module.starts_with("node:") || module.ends_with(".json") || isIn(nodeModules, firstPart(module, "/"));
    if (language == "ruby")
        return isIn(rubyModules, firstPart(module, "/")) || isIn(moreRubyModules, firstPart(module, "/"));
    if (language == "perl")
        return isIn(perlModules, firstPart(module, ":=")) || isIn(morePerlModules, firstPart(module, ":="));
    return false;
}

bool loadsOtherCode(std::string_view language, std::string_view code)
{
    for (std::size_t at = 0; at < code.size();) {
        const std::string_view word = identifierAt(code.substr(at));
        if (word.empty()) {
            ++at;
            continue;
        }
        const bool name = at > 0 && std::string_view("$@%").contains(code[at - 1]);
        if (!name && startsLoading(language, word, code.substr(at + word.size()), beginsStatement(code, at)))
            return true;
        at += word.size();
    }
    return false;
}

std::vector<LoadedName> loadedNames(std::string_view language, std::string_view code)
{
    // No text of a command has more of them.
    constexpr std::size_t most = 256;
    std::vector<LoadedName> names;
    for (std::size_t at = 0; at < code.size() && names.size() < most;) {
        const std::string_view word = identifierAt(code.substr(at));
        if (!word.empty())
            addLoaded(language, word, code.substr(at + word.size()), beginsStatement(code, at), names);
        at += std::max<std::size_t>(word.size(), 1);
    }
    return names;
}

std::vector<std::string> filesOf(std::string_view language, const LoadedName &loaded)
{
    struct Suffixes {
        std::string_view language;
        std::string_view separator; ///< between the parts of a module's name
        std::array<std::string_view, 5> suffixes;
    };
    static constexpr std::array<Suffixes, 5> table{{{"python", ".", {".py", "/__init__.py", "/__main__.py"}},
                                                    {"node", "/", {".js", ".mjs", ".cjs", ".ts", "/index.js"}},
                                                    {"perl", "::", {".pm"}},
                                                    {"ruby", "/", {".rb"}},
                                                    {"lua", ".", {".lua"}}}};
    std::vector<std::string> paths;
    if (loaded.file)
        paths.push_back(loaded.name);
    const auto *const row = std::ranges::find(table, language, &Suffixes::language);
    if (row == table.end() || (loaded.file && language == "perl"))
        return paths;
    const std::string stem = loaded.file
        ? loaded.name
        : withSlashes(loaded.name.substr(0, loaded.name.find_first_of("= ,")), row->separator);
    for (const std::string_view suffix : row->suffixes) {
        if (suffix.empty())
            break;
        paths.push_back(stem + std::string(suffix));
        if (const std::size_t part = stem.find('/'); language == "python" && !loaded.file && part != std::string::npos)
            paths.push_back(stem.substr(0, part) + std::string(suffix));
    }
    return paths;
}

std::vector<std::string> savedDownloads(std::string_view language, std::string_view code)
{
    struct Call {
        std::string_view name;
        std::size_t file; ///< which argument names it
        bool byMode = false; ///< only when the next one is a mode that writes
    };
    static constexpr std::array<Call, 11> calls{{{"urlretrieve", 1},
                                                 {"getstore", 1},
                                                 {"mirror", 1},
                                                 {"copy", 1},
                                                 {"open", 0, true},
                                                 {"fopen", 0, true},
                                                 {"write", 0},
                                                 {"writeFile", 0},
                                                 {"writeFileSync", 0},
                                                 {"createWriteStream", 0},
                                                 {"file_put_contents", 0}}};
    constexpr std::size_t most = 64;
    std::vector<std::string> files;
    if (!code.contains("://") && !code.contains("urlretrieve") && !code.contains("getstore"))
        return files;
    for (std::size_t at = 0, looks = 0; at < code.size() && looks < most;) {
        const std::string_view word = identifierAt(code.substr(at));
        at += std::max<std::size_t>(word.size(), 1);
        const auto *const call = std::ranges::find(calls, word, &Call::name);
        if (word.empty() || call == calls.end())
            continue;
        ++looks;
        constexpr std::size_t longest = 4096; // of an address and a path
        Literals in(code.substr(0, std::min(code.size(), at + longest)), at, language == "node");
        if (!in.take('(') && language != "perl" && language != "ruby")
            continue;
        std::vector<Gapped> given = in.elements();
        const std::string_view near = code.substr(at, longest);
        if (const std::size_t comma = near.find(','); given.size() == 1 && call->file == 1 && comma < near.size())
            given.emplace_back(std::string(literalAt(near.substr(comma + 1)))); // behind an address that is no literal
        const bool writes =
            !call->byMode || (given.size() > 1 && given[1].text.find_first_of("wax") != std::string::npos);
        if (writes && call->file < given.size() && given[call->file].known() && !given[call->file].text.empty())
            files.push_back(given[call->file].text);
    }
    return files;
}

} // namespace portcullis::shell
