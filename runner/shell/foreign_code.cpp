// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/foreign_code.h"
#include "runner/base/identifier.h"

#include "runner/shell/code_literals.h"
#include "runner/shell/foreign_lines.h"
#include "runner/shell/foreign_literals.h"

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

/// Leads to the list behind the key of an options object: `{args: ["x"]}`.
void enterOptions(Literals &in, std::string_view code)
{
    constexpr std::size_t far = 200;
    const std::size_t key = code.substr(0, std::min(code.size(), in.at() + far)).find("args", in.at());
    if (key == std::string_view::npos)
        return;
    in.moveTo(key + 4);
    (void)(in.take('"') || in.take('\''));
    (void)in.take(':');
    (void)in.take('[');
}

void restOfWords(Literals &in, std::vector<std::string> &words)
{
    for (auto next = in.string(); next; next = in.string()) {
        words.push_back(next->text);
        if (!in.take(','))
            break;
    }
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

std::optional<ProcessStart> callArguments(std::string_view code, std::size_t at, Shape shape, bool templates,
                                          const Constants &constants)
{
    Literals in(code, pastKeyword(code, at), templates, &constants);
    ProcessStart start;
    if (auto words = in.list()) {
        start.words = std::move(*words);
        return start;
    }
    const bool bracket = in.take('[') || in.take('{');
    auto first = bracket ? in.string() : in.joinedString();
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
    if (bracket) {
        if (in.take(','))
            restOfWords(in, start.words);
        return start;
    }
    if (in.take(',')) {
        if (in.take('{'))
            enterOptions(in, code);
        else
            (void)in.take('[');
        if (const auto more = in.list())
            start.words.insert(start.words.end(), more->begin(), more->end());
        else
            restOfWords(in, start.words);
    }
    if (shape == Shape::ProgramTwice && start.words.size() > 1)
        start.words.erase(start.words.begin() + 1);
    if (start.words.size() == 1 && start.words.front().contains(' '))
        start.text = Gapped(std::exchange(start.words, {}).front());
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
    const bool words = start.words.size() > 1 && (start.words[0] == "-|" || start.words[0] == "|-");
    const bool text = start.text.text.starts_with('|') || start.text.text.ends_with('|');
    if (words)
        start.words.erase(start.words.begin());
    else
        std::erase(start.text.text, '|');
    return words || text;
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

void calls(std::string_view language, std::string_view code, const Constants &constants, std::vector<ProcessStart> &out)
{
    const bool node = language == "node";
    const bool python = language == "python";
    const auto has = [&](std::string_view part) { return code.contains(part); };
    if (node && !has("child_process") && !has("Bun.") && !has("Deno."))
        return;
    const bool subprocess = has("subprocess");
    const bool bare =
        language == "perl" || language == "ruby" || language == "gnuplot" || language == "lisp" || language == "php";
    const auto own = [&](std::string_view name) {
        return python && (name == "exec" || ((name == "run" || name == "call") && !subprocess) || name == "open");
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
        const Shape shape = language == "ruby" && name == "spawn" ? Shape::Shell : callee->shape;
        auto start = callArguments(code, first, shape, node, constants);
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
        start.text = text && text->known() ? *text : Gapped(std::string(code.substr(open + 1, close - open - 1)));
        out.push_back(std::move(start));
        i = close;
    }
}

/// awk: print | "cmd", "cmd" | getline, |& "cmd".
void awkPipes(std::string_view code, const Constants &constants, std::vector<ProcessStart> &out)
{
    for (std::size_t i = 0; i < code.size() && out.size() < mostStarts;) {
        const bool wordStart = isIdentifierByte(code[i]) && (i == 0 || !isIdentifierByte(code[i - 1]));
        if (code[i] == '"' || wordStart) {
            Literals in(code, i, false, &constants);
            auto text = in.string();
            std::size_t before = i;
            while (before > 0 && (code[before - 1] == ' ' || code[before - 1] == '\t' || code[before - 1] == '&'))
                --before;
            const bool into = before > 0 && code[before - 1] == '|' && (before < 2 || code[before - 2] != '|');
            const bool piped = in.take('|');
            in.take('&');
            const bool from = piped && code.substr(std::min(in.at(), code.size())).find("getline") < 8;
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
    return out;
}

} // namespace portcullis::shell
