// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/foreign_code.h"
#include "runner/base/identifier.h"

#include "runner/shell/code_literals.h"
#include "runner/shell/foreign_lines.h"
#include "runner/shell/foreign_literals.h"
#include "runner/shell/foreign_sources.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace portcullis::shell {

namespace {

enum class Shape { Shell, Program, ProgramTwice };

struct Callee {
    std::string_view name;
    Shape shape;
};

// Program: the first argument is the program, the others or a list are its arguments. Twice: execlp(file, argv0, …).
constexpr std::array<Callee, 53> callees{{
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
    {"readpipe", Shape::Shell},
    {"open2", Shape::Shell},
    {"open3", Shape::Shell},
    {"spawnl", Shape::ProgramTwice},
    {"spawnlp", Shape::ProgramTwice},
    {"spawnle", Shape::ProgramTwice},
    {"spawnlpe", Shape::ProgramTwice},
    {"spawnv", Shape::Program},
    {"spawnvp", Shape::Program},
    {"spawnve", Shape::Program},
    {"spawnvpe", Shape::Program},
}};

/// Leads to the list behind the key of an options object, if there is one: `{args: ["x"]}`.
bool enterOptions(Literals &in, std::string_view code)
{
    constexpr std::size_t far = 200;
    const std::size_t key = code.substr(0, std::min(code.size(), in.at() + far)).find("args", in.at());
    if (key == std::string_view::npos)
        return false;
    in.moveTo(key + 4);
    (void)(in.take('"') || in.take('\''));
    (void)in.take(':');
    return in.take('[');
}

/// Past `args=` and the like of a keyword argument.
std::size_t pastKeyword(std::string_view code, std::size_t at)
{
    std::size_t end = at;
    while (end < code.size() && isIdentifierByte(code[end]))
        ++end;
    const bool keyword = end > at && end + 1 < code.size() && code[end] == '=' && code[end + 1] != '=';
    return keyword ? end + 1 : at;
}

/// Into a tuple: `("ls", "-l")`, not `("a" "b")`.
bool tuple(Literals &in)
{
    const std::size_t before = in.at();
    if (in.take('(') && in.string() && in.take(',')) {
        in.moveTo(before);
        return in.take('(');
    }
    in.moveTo(before);
    return false;
}

/// Words of one program, each a literal, that a plain call of a shell's name may have: perl's `system "ls", "-l"`.
ProcessStart shellOrWords(Literals &in, Gapped first)
{
    ProcessStart start;
    std::vector<Gapped> more;
    while (in.take(',')) {
        const auto next = in.string();
        if (!next || !next->known())
            break;
        more.push_back(*next);
    }
    if (more.empty() || !first.known()) {
        start.text = std::move(first);
        return start;
    }
    start.words.push_back(std::move(first));
    std::ranges::move(more, std::back_inserter(start.words));
    return start;
}

std::vector<Gapped> asGapped(const std::vector<std::string> &words)
{
    return {words.begin(), words.end()};
}

std::optional<ProcessStart> callArguments(std::string_view code, std::size_t at, Shape shape, bool templates,
                                          const Constants &constants)
{
    Literals in(code, pastKeyword(code, at), templates, &constants);
    ProcessStart start;
    if (const auto words = in.list()) {
        start.words = asGapped(*words);
        return start;
    }
    const bool bracket = in.take('[') || in.take('{') || tuple(in);
    auto first = in.joinedString();
    if (!first)
        return std::nullopt;
    if (!bracket && shape == Shape::Shell)
        return shellOrWords(in, std::move(*first));
    start.words.push_back(std::move(*first));
    if (in.take(',') && !bracket) {
        const bool object = in.take('{');
        const bool words = object ? enterOptions(in, code) : in.take('[') || !object;
        if (const auto more = in.list())
            std::ranges::move(asGapped(*more), std::back_inserter(start.words));
        else if (words)
            std::ranges::move(in.elements(), std::back_inserter(start.words));
    } else if (bracket) {
        std::ranges::move(in.elements(), std::back_inserter(start.words));
    }
    if (shape == Shape::ProgramTwice && start.words.size() > 1)
        start.words.erase(start.words.begin() + 1);
    if (start.words.size() == 1 && start.words.front().text.contains(' '))
        start.text = std::exchange(start.words, {}).front();
    return start;
}

/// The callee that a name stands for, by its own name or by one that the text gives it.
using Aliases = std::map<std::string_view, const Callee *, std::less<>>;

const Callee *calleeNamed(std::string_view name)
{
    const auto *found = std::ranges::find(callees, name, &Callee::name);
    return found == callees.end() ? nullptr : found;
}

std::string_view wordAt(std::string_view code, std::size_t at)
{
    std::size_t end = at;
    while (end < code.size() && isIdentifierByte(code[end]))
        ++end;
    return code.substr(at, end - at);
}

/// `system as s`, `execSync: e`, `s = os.system`.
void noteAlias(std::string_view code, std::size_t start, std::size_t end, const Callee *callee, Aliases &aliases)
{
    std::size_t at = std::min(code.find_first_not_of(" \t", end), code.size());
    const std::string_view rest = code.substr(at);
    if (rest.starts_with("as ") || rest.starts_with(":")) {
        at = std::min(code.find_first_not_of(" \t", at + (rest[0] == ':' ? 1 : 3)), code.size());
        if (const std::string_view name = wordAt(code, at); !name.empty())
            aliases.emplace(name, callee);
        return;
    }
    if (rest.starts_with('('))
        return;
    constexpr std::size_t longestPath = 64;
    for (const std::size_t name = start;
         start > 0 && name - start < longestPath && (isIdentifierByte(code[start - 1]) || code[start - 1] == '.');)
        --start;
    const std::size_t equals = start == 0 ? std::string_view::npos : code.find_last_not_of(" \t", start - 1);
    if (equals == std::string_view::npos || code[equals] != '=' || equals == 0)
        return;
    const std::size_t last = code.find_last_not_of(" \t", equals - 1);
    std::size_t first = last + 1;
    while (last != std::string_view::npos && first > 0 && isIdentifierByte(code[first - 1]))
        --first;
    if (last != std::string_view::npos && first <= last)
        aliases.emplace(code.substr(first, last + 1 - first), callee);
}

/// Where the arguments of a call begin behind the callee's name, or 0: `f(`, `["f"](`, `getattr(x, "f")(`,
/// `send(:f, `, `method(:f).call(`; `bare`: without parenthesis.
std::size_t argumentsAt(std::string_view code, std::size_t end, bool bare)
{
    std::size_t at = std::min(code.find_first_not_of(" \t", end), code.size());
    std::string_view rest = code.substr(at);
    if (rest.starts_with('('))
        return at + 1;
    for (const std::string_view link : {"\"](", "'](", "\")(", "')(", ").call("}) {
        if (rest.starts_with(link))
            return at + link.size();
    }
    if (bare && rest.starts_with(','))
        return at + 1;
    return bare ? at : 0;
}

bool startsPipe(ProcessStart &start)
{
    // perl and ruby: a pipe only
    const bool words = start.words.size() > 1 && (start.words[0].text == "-|" || start.words[0].text == "|-");
    const bool text = start.text.text.starts_with('|') || start.text.text.ends_with('|');
    if (words)
        start.words.erase(start.words.begin());
    if (words && start.words.size() == 1)
        start.text = std::exchange(start.words, {}).front();
    if (!words) {
        std::erase(start.text.text, '|');
        for (Gap &gap : start.text.gaps)
            gap.offset = std::min(gap.offset, static_cast<std::uint32_t>(start.text.text.size()));
    }
    return words || text;
}

/// Arguments before the program: the mode of spawnl, the handles of open3.
std::size_t argumentsBefore(std::string_view name)
{
    if (name.starts_with("spawnl") || name.starts_with("spawnv"))
        return 1;
    return name == "open2" ? 2 : name == "open3" ? 3 : 0;
}

std::size_t behindCommas(std::string_view code, std::size_t at, std::size_t count)
{
    for (; count > 0; --count)
        at = std::min(code.find_first_of(",\n", at), code.size() - 1) + 1;
    return at;
}

template <class Visit>
void eachName(std::string_view code, bool dashes, const Visit &visit)
{
    for (std::size_t i = 0; i < code.size();) {
        if (!isIdentifierByte(code[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < code.size() && (isIdentifierByte(code[end]) || (dashes && code[end] == '-')))
            ++end;
        visit(i, end);
        i = end;
    }
}

/// node: the method has a name that is put together, `cp["exec" + "Sync"](…)`.
void computedCalls(std::string_view code, const Constants &constants, std::vector<ProcessStart> &out)
{
    for (std::size_t at = code.find('['); at != std::string_view::npos && out.size() < mostStarts;
         at = code.find('[', at + 1)) {
        Literals in(code, at + 1, true, &constants);
        const auto name = in.string();
        const bool joined = name && in.take('+');
        if (!joined)
            continue;
        in.moveTo(at + 1);
        const auto whole = in.joinedString();
        if (!whole || !in.take(']') || !in.take('('))
            continue;
        const Callee *callee = calleeNamed(whole->text);
        if (callee == nullptr && whole->known())
            continue;
        auto start = callArguments(code, in.at(), callee != nullptr ? callee->shape : Shape::Shell, true, constants);
        if (!start)
            start.emplace().from = ProcessStart::From::Unknown;
        out.push_back(std::move(*start));
    }
}

void calls(std::string_view language, std::string_view code, const Constants &constants, std::vector<ProcessStart> &out)
{
    const bool node = language == "node";
    const bool python = language == "python";
    const auto has = [&](std::string_view part) { return code.contains(part); };
    if (node && !has("child_process") && !has("Bun.") && !has("Deno."))
        return;
    if (node)
        computedCalls(code, constants, out);
    const bool subprocess = has("subprocess");
    const bool bare =
        language == "perl" || language == "ruby" || language == "gnuplot" || language == "lisp" || language == "php";
    const auto own = [&](std::string_view name) {
        return (language != "perl" && (name == "open2" || name == "open3"))
            || (python
                && (name == "exec" || name == "execute" || ((name == "run" || name == "call") && !subprocess)
                    || name == "open"));
    };
    const std::vector<Span> literals = inertLiterals(language, code);
    Aliases aliases;
    eachName(code, language == "lisp", [&](std::size_t start, std::size_t end) {
        const std::string_view name = code.substr(start, end - start);
        if (const Callee *callee = calleeNamed(name); callee != nullptr && !own(name))
            noteAlias(code, start, end, callee, aliases);
    });
    eachName(code, language == "lisp", [&](std::size_t begin, std::size_t end) {
        const std::string_view name = code.substr(begin, end - begin);
        const Callee *callee = calleeNamed(name);
        if ((callee != nullptr && own(name)) || insideLiteral(literals, begin, name.size()))
            return;
        if (const auto alias = aliases.find(name); callee == nullptr && alias != aliases.end())
            callee = alias->second;
        std::size_t first = callee == nullptr ? 0 : argumentsAt(code, end, bare);
        if (first == 0 || out.size() >= mostStarts)
            return;
        if (name == "open") // the handle comes first
            first = std::min(code.find_first_of("\"'\n;)", first), code.size());
        else
            first = behindCommas(code, first, argumentsBefore(name));
        const Shape shape = language == "ruby" && name == "spawn" ? Shape::Shell : callee->shape;
        auto start = callArguments(code, first, shape, node, constants);
        for (ProcessStart &outside : outsideStarts(language, code, begin, name, first)) {
            if (!start || outside.from != ProcessStart::From::Unknown)
                out.push_back(std::move(outside));
        }
        if (start && (name != "open" || startsPipe(*start)))
            out.push_back(std::move(*start));
    });
}

/// $`…` of Bun and zx.
void shellTemplates(std::string_view code, const Constants &constants, std::vector<ProcessStart> &out)
{
    if (!code.contains("Bun") && !code.contains("\"bun\"") && !code.contains("'bun'") && !code.contains("zx"))
        return;
    for (std::size_t at = code.find("$`"); at != std::string_view::npos && out.size() < mostStarts;
         at = code.find("$`", at + 2)) {
        Literals in(code, at + 1, true, &constants);
        if (auto text = in.string()) {
            ProcessStart start;
            start.text = std::move(*text);
            out.push_back(std::move(start));
        }
    }
}

/// `…` of perl, ruby and php; qx and %x with any bracket.
void backticks(std::string_view code, const Constants &constants, std::vector<ProcessStart> &out)
{
    for (std::size_t i = 0; i < code.size() && out.size() < mostStarts; ++i) {
        std::size_t open = 0;
        if (code[i] == '`')
            open = i;
        else if ((code.substr(i).starts_with("qx") || code.substr(i).starts_with("%x")) && i + 2 < code.size()
                 && (i == 0 || !isIdentifierByte(code[i - 1])) && !isIdentifierByte(code[i + 2]) && code[i + 2] != ' ')
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
        Literals in(code, open, true, &constants);
        const auto text = code[open] == '`' ? in.string() : std::nullopt;
        start.text = text && (text->known() || constants.perl())
            ? *text
            : Gapped(std::string(code.substr(open + 1, close - open - 1)));
        out.push_back(std::move(start));
        i = close;
    }
}

/// Whether the statement of awk that ends at `end` prints.
bool prints(std::string_view code, std::size_t end)
{
    const std::size_t before = code.find_last_of(";{}\n", end);
    const std::size_t begin = before == std::string_view::npos || before == end ? 0 : before + 1;
    return code.substr(begin, end - begin).contains("print");
}

/// awk: print | "cmd", "cmd" | getline, |& "cmd".
void awkPipes(std::string_view code, const Constants &constants, std::vector<ProcessStart> &out)
{
    for (std::size_t i = 0; i < code.size() && out.size() < mostStarts;) {
        const bool wordStart = isIdentifierByte(code[i]) && (i == 0 || !isIdentifierByte(code[i - 1]));
        if (code[i] != '"' && code[i] != '$' && !wordStart) {
            ++i;
            continue;
        }
        std::size_t before = i;
        while (before > 0 && (code[before - 1] == ' ' || code[before - 1] == '\t' || code[before - 1] == '&'))
            --before;
        const bool into = before > 0 && code[before - 1] == '|' && (before < 2 || code[before - 2] != '|');
        Literals in(code, i, false, &constants);
        auto text = into || code[i] == '"' ? in.joinedString() : in.string();
        std::size_t end = std::max(in.at(), i + 1);
        while (!text && end < code.size() && isIdentifierByte(code[end]))
            ++end;
        if (text && !text->known()) // what follows belongs to the same command
            end = std::min(code.find_first_of("|;{}\"\n", end), code.size());
        in.moveTo(end);
        const bool piped = in.take('|');
        in.take('&');
        const std::size_t next = std::min(code.find_first_not_of(' ', in.at()), code.size());
        const bool from = piped && code.substr(next).starts_with("getline");
        if ((text && (into || from)) || from || (into && prints(code, before - 1))) {
            ProcessStart start;
            start.from = text    ? ProcessStart::From::Code
                : code[i] == '$' ? ProcessStart::From::Input
                                 : ProcessStart::From::Unknown;
            start.text = text ? std::move(*text) : Gapped();
            out.push_back(std::move(start));
        }
        i = end;
    }
}

} // namespace

std::vector<ProcessStart> processStarts(std::string_view language, std::string_view code,
                                        std::span<const std::pair<std::string, std::string>> given)
{
    std::vector<ProcessStart> out;
    if (language == "sed" || language == "make") {
        lineStarts(language, code, out);
        return out;
    }
    lineStarts(language, code, out);
    if (looseLanguage(language)) {
        looseStarts(language, code, out);
        return out;
    }
    if (language == "node" && code.contains("process.binding")) // calls of the engine by number and name
        out.emplace_back().from = ProcessStart::From::Unknown;
    Constants constants;
    for (const auto &[name, value] : given)
        constants.add(name, {value});
    constants.collect(language, code);
    for (std::size_t choice = 0; choice < constants.alternatives(); ++choice) {
        constants.choose(choice);
        calls(language, code, constants, out);
        if (language == "node")
            shellTemplates(code, constants, out);
        if (language == "awk")
            awkPipes(code, constants, out);
        if (language == "perl" || language == "ruby" || language == "php")
            backticks(code, constants, out);
    }
    evaluatedTexts(language, code, constants, out);
    return out;
}

} // namespace portcullis::shell
