// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/foreign_sources.h"
#include "runner/base/identifier.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace portcullis::shell {

namespace {

using From = ProcessStart::From;

/// Behind the first of `openings` that `rest` starts with, or 0.
std::size_t behind(std::string_view rest, std::initializer_list<std::string_view> openings)
{
    for (const std::string_view each : openings) {
        if (rest.starts_with(each))
            return each.size();
    }
    return 0;
}

ProcessStart from(From where, std::size_t index = 0, std::string_view name = {})
{
    ProcessStart start;
    start.from = where;
    start.index = index;
    start.name = name;
    return start;
}

/// `1]`, `1:]` behind `argv[`, where number `first` is the first argument.
ProcessStart numbered(std::string_view rest, std::size_t first)
{
    std::size_t number = 0;
    std::size_t digits = 0;
    while (digits < rest.size() && digits < 3 && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0)
        number = number * 10 + static_cast<std::size_t>(rest[digits++] - '0');
    const std::string_view after = rest.substr(digits);
    if (digits == 0 || number < first)
        return from(From::Unknown);
    if (after.starts_with(":]"))
        return from(From::Arguments, number - first);
    return after.starts_with(']') ? from(From::Argument, number - first) : from(From::Unknown);
}

std::size_t firstArgument(std::string_view language)
{
    return language == "perl" || language == "ruby" ? 0 : 1;
}

std::string_view identifierAt(std::string_view text)
{
    std::size_t end = 0;
    while (end < text.size() && isIdentifierByte(text[end]))
        ++end;
    return text.substr(0, end);
}

/// A variable of the environment, with or without quotes around its name.
std::optional<ProcessStart> environment(std::string_view rest)
{
    const std::size_t open = behind(rest,
                                    {"ENVIRON[", "$ENV{", "ENV[", "os.environ[", "os.environ.get(", "os.getenv(",
                                     "environ[", "getenv(", "process.env.", "process.env[", "$_ENV["});
    if (open == 0)
        return std::nullopt;
    const std::size_t begin = std::min(rest.find_first_not_of("\"'", open), rest.size());
    return from(From::Environment, 0, identifierAt(rest.substr(begin)));
}

/// awk's sprintf("format", …) and perl's join " ", ….
std::optional<ProcessStart> madeText(std::string_view language, std::string_view rest, const Constants &constants)
{
    const bool joins = language == "perl" && rest.starts_with("join");
    if (!joins && !(language == "awk" && rest.starts_with("sprintf(")))
        return std::nullopt;
    Literals in(rest, joins ? 4 : 7, false, &constants);
    (void)in.take('(');
    const std::vector<Gapped> parts = in.elements();
    ProcessStart start;
    for (std::size_t i = 1; joins && i < parts.size(); ++i) {
        if (i > 1)
            start.text.append(parts.front());
        start.text.append(parts[i]);
    }
    std::size_t next = 1;
    for (std::size_t at = 0; !joins && !parts.empty() && at < parts.front().text.size(); ++at) {
        const std::string &format = parts.front().text;
        if (format[at] != '%') {
            start.text.text += format[at];
            continue;
        }
        at = std::min(format.find_first_of("csdifgxoeu%", at + 1), format.size());
        if (next < parts.size())
            start.text.append(parts[next++]);
        else
            start.text.appendGap();
    }
    if (start.text.text.empty())
        return from(From::Unknown);
    return start;
}

bool readsInput(std::string_view language, std::string_view rest)
{
    if (language == "awk")
        return rest.starts_with('$');
    return behind(rest,
                  {"$_", "<STDIN>", "<>", "input(", "sys.stdin.", "sys.stdin)", "open(0)", "gets", "STDIN.", "$stdin.",
                   "fs.readFileSync(0", "require(\"fs\").readFileSync(0"})
        > 0;
}

/// What one expression is: arguments, standard input, a variable of the environment, or something not known.
std::optional<ProcessStart> outside(std::string_view language, std::string_view rest, const Constants &constants)
{
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n[(*"), rest.size()));
    const bool perl = language == "perl";
    if (perl && (rest.empty() || rest.starts_with(';') || rest.starts_with('}')))
        return from(From::Input); // of $_
    if (auto text = madeText(language, rest, constants))
        return text;
    if (behind(rest, {"@ARGV", "\"@ARGV\"", "ARGV)", "ARGV\n"}) > 0)
        return from(From::Arguments);
    if (perl && identifierAt(rest) == "shift")
        return from(From::Argument);
    const std::size_t argument =
        behind(rest, {"$ARGV[", "\"$ARGV[", "ARGV[", "sys.argv[", "argv[", "process.argv[", "$argv["});
    if (argument > 0)
        return numbered(rest.substr(argument), firstArgument(language));
    if (readsInput(language, rest))
        return from(From::Input);
    if (auto variable = environment(rest))
        return variable;
    // A call of perl and ruby may have no parenthesis, and then a bare word behind the name is no argument.
    const bool word = !rest.empty() && isIdentifierByte(rest.front()) && !perl && language != "ruby";
    if (word || rest.starts_with('$') || rest.starts_with('@'))
        return from(From::Unknown);
    return std::nullopt;
}

std::string_view wordBefore(std::string_view code, std::size_t begin)
{
    const std::size_t last = begin == 0 ? std::string_view::npos : code.find_last_not_of(" \t", begin - 1);
    if (last == std::string_view::npos)
        return {};
    std::size_t first = last + 1;
    while (first > 0 && (isIdentifierByte(code[first - 1]) || code[first - 1] == '.'))
        --first;
    return code.substr(first, last + 1 - first);
}

/// Whether a call of `name` at `begin` starts a process whatever its argument is: `system(x)` of perl, not
/// `app.run(x)`.
bool runsWhatever(std::string_view language, std::string_view code, std::size_t begin, std::string_view name)
{
    static constexpr std::string_view always[] = {
        "system",     "popen",           "Popen",    "check_output", "check_call", "getoutput",
        "readpipe",   "getstatusoutput", "execSync", "execvp",       "spawnSync",  "execlp",
        "execFile",   "execFileSync",    "passthru", "execv",        "execve",     "execvpe",
        "shell_exec", "open2",           "open3",    "spawnvp",      "spawnlp",    "posix_spawn"};
    const std::string_view before = wordBefore(code, begin);
    if (before == "def" || before == "function" || before == "sub")
        return false;
    if (begin > 0 && std::string_view("$@-/").contains(code[begin - 1]))
        return false;
    if (std::ranges::contains(always, name))
        return true;
    return (name == "exec" && (language == "perl" || (language == "node" && !before.ends_with('.'))))
        || ((name == "run" || name == "call") && before.ends_with("subprocess."));
}

/// What `name` is set to where that stands outside: `c = sys.argv[1]`.
void assignedFrom(std::string_view language, std::string_view code, std::string_view name, const Constants &constants,
                  std::vector<ProcessStart> &out)
{
    constexpr std::size_t most = 4;
    std::size_t looks = 64; // nobody sets one name more often; keeps the work linear
    for (std::size_t at = code.find(name); at != std::string_view::npos && out.size() < most && looks > 0;
         at = code.find(name, at + name.size()), --looks) {
        const std::size_t end = at + name.size();
        if ((at > 0 && isIdentifierByte(code[at - 1])) || (end < code.size() && isIdentifierByte(code[end])))
            continue;
        const std::size_t sign = std::min(code.find_first_not_of(" \t)", end), code.size());
        const std::string_view rest = code.substr(sign);
        const bool assigns = rest.size() > 1 && rest[0] == '=' && rest[1] != '=' && rest[1] != '~';
        if (!assigns && !rest.starts_with("in sys.stdin"))
            continue;
        const auto start = outside(language, rest.substr(assigns ? 1 : 3), constants);
        if (rest.starts_with("in sys.stdin"))
            out.push_back(from(From::Input));
        else if (start && start->from != From::Unknown)
            out.push_back(*start);
    }
}

} // namespace

std::vector<ProcessStart> outsideStarts(std::string_view language, std::string_view code, std::size_t begin,
                                        std::string_view name, std::size_t first)
{
    const std::string_view rest = code.substr(std::min(first, code.size()));
    Constants constants;
    constants.collect(language, {});
    if (!runsWhatever(language, code, begin, name))
        return {};
    std::vector<ProcessStart> out;
    auto start = outside(language, rest, constants);
    if (!start)
        return out;
    if (start->from == From::Unknown) {
        std::string_view argument = rest.substr(std::min(rest.find_first_not_of(" \t\n[(*$@"), rest.size()));
        if (argument = identifierAt(argument); !argument.empty())
            assignedFrom(language, code, argument, constants, out);
    }
    const std::size_t argument = std::min(rest.find_first_not_of(" \t("), rest.size());
    if (language == "awk" && start->from == From::Input && !rest.substr(argument).starts_with("$0)"))
        out.push_back(from(From::Unknown)); // a part of a line
    if (out.empty() || start->from == From::Input)
        out.push_back(std::move(*start));
    return out;
}

void evaluatedTexts(std::string_view language, std::string_view code, const Constants &constants,
                    std::vector<ProcessStart> &out)
{
    constexpr std::size_t most = 16;
    const bool python = language == "python";
    const bool bare = language == "perl" || language == "ruby";
    if (!python && !bare && language != "node" && language != "php")
        return;
    for (std::size_t at = 0, found = 0; at < code.size() && found < most;) {
        const std::string_view name = identifierAt(code.substr(at));
        const std::size_t begin = std::exchange(at, at + std::max<std::size_t>(name.size(), 1));
        const bool timed = python && (name == "timeit" || name == "repeat");
        if (!(name == "eval" || (name == "exec" && python) || timed || (name == "Function" && language == "node")))
            continue;
        const std::string_view before = wordBefore(code, begin);
        if (before == "def" || (before.ends_with('.') && !timed && !before.ends_with("builtins.")))
            continue;
        Literals in(code, at, language == "node", &constants);
        if (!in.take('(') && (!bare || code.substr(in.at()).starts_with('{')))
            continue;
        ++found;
        std::optional<Gapped> text = in.joinedString();
        auto start = text ? from(From::Code) : outside(language, code.substr(in.at()), constants);
        if (!start)
            continue;
        start->text = text ? std::move(*text) : Gapped();
        start->code = true;
        out.push_back(std::move(*start));
        at = std::max(at, in.at());
    }
}

} // namespace portcullis::shell
