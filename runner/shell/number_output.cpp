// SPDX-License-Identifier: Apache-2.0

// Programs whose output can be nothing but numbers, so that it is no code to an arithmetic expression, and variables
// that are numbers.

#include "runner/shell/evaluator.h"

#include <algorithm>
#include <array>

namespace portcullis::shell {

namespace {

bool isOption(const Value &word)
{
    return word.text.size() > 1 && word.text.front() == '-';
}

/// Options and operands of which nothing may turn out to be another option or more than one word.
bool plain(const Invocation &run)
{
    return std::ranges::all_of(run.args, [](const Value &word) { return word.known() && !word.isPattern(); });
}

std::size_t operands(const Invocation &run)
{
    return static_cast<std::size_t>(std::ranges::count_if(run.args, [](const Value &word) { return !isOption(word); }));
}

bool hasArgument(const Invocation &run, std::string_view text)
{
    return std::ranges::any_of(run.args, [&](const Value &word) { return word.known() && word.text == text; });
}

/// Whether a short option with this letter, or a long one that starts so, is given.
bool hasOption(const Invocation &run, char letter, std::string_view longName)
{
    return std::ranges::any_of(run.args, [&](const Value &word) {
        if (word.text.starts_with("--"))
            return !longName.empty() && word.text.starts_with(longName);
        return isOption(word) && word.text.contains(letter);
    });
}

/// `%` and one of these letters, with digits and marks between and around them, and nothing else.
bool onlyDirectives(std::string_view format, std::string_view letters)
{
    bool directive = false;
    for (const char c : format) {
        if (directive && letters.contains(c))
            directive = false;
        else if (c == '%' && !directive)
            directive = true;
        else if (!std::string_view("0123456789 -.").contains(c))
            return false;
    }
    return !directive;
}

bool dateNumber(const Invocation &run)
{
    const auto format = std::ranges::find_if(run.args, [](const Value &word) { return word.text.starts_with('+'); });
    return format != run.args.end() && format->known()
        && onlyDirectives(std::string_view(format->text).substr(1), "sYmdHMSjuNwVUGgyCIkle");
}

bool printfNumber(const Invocation &run)
{
    std::size_t at = 0;
    if (!run.args.empty() && run.args[0].text == "-v")
        at = 2;
    return at < run.args.size() && run.args[at].known()
        && (onlyDirectives(run.args[at].text, "diu") || run.args[at].text == "%(%s)T");
}

bool statNumber(const Invocation &run)
{
    for (std::size_t i = 0; i + 1 < run.args.size(); ++i) {
        const std::string &option = run.args[i].text;
        if (option == "-c" || option == "-f" || option == "--format" || option == "--printf")
            return run.args[i + 1].known() && onlyDirectives(run.args[i + 1].text, "sabBhiugXYZWzml");
    }
    return std::ranges::any_of(run.args, [](const Value &word) {
        const std::string_view text = word.text;
        return word.known()
            && ((text.starts_with("-c%") && onlyDirectives(text.substr(2), "sabBhiugXYZW"))
                || (text.starts_with("--format=%") && onlyDirectives(text.substr(9), "sabBhiugXYZW"))
                || (text.starts_with("-f%") && onlyDirectives(text.substr(2), "zml")));
    });
}

/// expr(1) that calculates or compares: what only hands an operand on may be any text.
bool exprNumber(const Invocation &run)
{
    return run.args.size() > 1 && std::ranges::none_of(run.args, [](const Value &word) {
               return word.text == "substr" || word.text == "|" || word.text == "&" || word.text.contains("\\(");
           });
}

bool numberProgram(const Invocation &run)
{
    if (run.name == "nproc" || run.name == "pidof")
        return true;
    if (run.name == "wc") // beside a count stands the name of each file
        return plain(run) && operands(run) == 0 && !hasOption(run, '\0', "--files0");
    if (run.name == "grep" || run.name == "egrep" || run.name == "fgrep")
        return plain(run) && hasOption(run, 'c', "--count") && operands(run) <= 2 && !hasOption(run, 'H', "--with-f")
            && !hasOption(run, 'r', "--rec") && !hasOption(run, 'R', "--deref") && !hasOption(run, '\0', "--label");
    if (run.name == "date")
        return dateNumber(run);
    if (run.name == "printf")
        return printfNumber(run);
    if (run.name == "stat")
        return statNumber(run);
    if (run.name == "expr")
        return exprNumber(run);
    if (run.name == "seq")
        return !hasOption(run, 'f', "--f") && !hasOption(run, 's', "--s");
    if (run.name == "id")
        return (hasArgument(run, "-u") || hasArgument(run, "-g")) && !hasOption(run, 'n', "--n");
    if (run.name == "tput")
        return hasArgument(run, "cols") || hasArgument(run, "lines") || hasArgument(run, "colors");
    if (run.name == "pgrep")
        return plain(run) && !hasOption(run, 'l', "--list") && !hasOption(run, 'a', "--list")
            && !hasOption(run, 'd', "--del");
    if (run.name == "git")
        return hasArgument(run, "rev-list") && hasArgument(run, "--count");
    if (run.name == "curl")
        return hasArgument(run, "%{http_code}") && hasArgument(run, "/dev/null") && hasOption(run, 'o', "--output");
    return false;
}

/// Gives what it gets, or less of it, and never a byte of its own.
bool passesOn(const Invocation &run)
{
    if (!plain(run))
        return false;
    if (run.name == "tr")
        return !run.args.empty() && (run.args[0].text == "-d" || run.args[0].text == "-cd");
    if (run.name == "head" || run.name == "tail")
        return std::ranges::all_of(run.args, [](const Value &word) {
            return isOption(word) || word.text.find_first_not_of("0123456789") == std::string::npos;
        });
    return (run.name == "cat" || run.name == "sort" || run.name == "uniq") && operands(run) == 0;
}

} // namespace

bool isIntegerOfTheShell(std::string_view name)
{
    static constexpr std::array<std::string_view, 8> names{"BASHPID", "HISTCMD", "LINENO",  "OPTIND",
                                                           "RANDOM",  "SECONDS", "SRANDOM", "EPOCHSECONDS"};
    return std::ranges::find(names, name) != names.end();
}

bool Evaluator::printsNumbers(std::uint32_t source, std::size_t depth) const
{
    if (source >= m_result.invocations.size() || depth > 8)
        return false;
    const Invocation &run = m_result.invocations[source];
    if (numberProgram(run))
        return true;
    if (!passesOn(run) || !run.redirects.empty())
        return false;
    bool fed = false;
    for (const Flow &flow : m_result.flows) {
        if (flow.to != source)
            continue;
        fed = true;
        if (!printsNumbers(flow.from, depth + 1))
            return false;
    }
    return fed;
}

void Evaluator::noteUnread(const Gapped &code, Span span)
{
    if (m_dialect != Dialect::Bash || m_keysOnly)
        return;
    for (const Gap &gap : code.gaps) {
        if (gap.source == noSource || !spend(m_result.flows.size() / 8 + 8) || printsNumbers(gap.source, 0))
            continue;
        note(DynamicReason::Program, span, code.text);
        return;
    }
}

} // namespace portcullis::shell
