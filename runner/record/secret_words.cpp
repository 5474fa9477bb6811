// SPDX-License-Identifier: Apache-2.0
#include "runner/record/secret_words.h"

#include "runner/record/secret_arguments.h"
#include "runner/record/secret_finder.h"
#include "runner/shell/evaluation.h"
#include "runner/shell/option_table.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <string>

namespace portcullis::record {
namespace {

using shell::Invocation;
using shell::Value;

/// Less than a decision may cost: a command that is longer than this tells keeps what the patterns find.
constexpr shell::EvaluationLimits limits{.nesting = 30, .steps = 1'000'000, .invocations = 2'000};
/// A value that is not where it is used (`p=X; run $p`) is looked for in the whole command when it has this length.
constexpr std::size_t shortestElsewhere = 4;

bool contains(const std::vector<std::string_view> &list, std::string_view what)
{
    return std::ranges::find(list, what) != list.end();
}

std::string_view baseName(std::string_view path)
{
    return path.substr(path.find_last_of('/') + 1); // npos + 1 is 0
}

bool isWordCharacter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Text without the shell's quotes and backslashes, and where each byte of it was written.
struct Unquoted {
    std::string text;
    std::vector<std::uint32_t> offsets;
    std::vector<Span> quotes; ///< with their quote characters, ascending; one that is never closed goes to the end

    /// The quotes around a byte of the original, or null.
    [[nodiscard]] const Span *quotesAround(std::uint32_t offset) const
    {
        const auto next = std::ranges::upper_bound(quotes, offset, {}, &Span::start);
        return next != quotes.begin() && std::prev(next)->end() > offset ? &*std::prev(next) : nullptr;
    }

    explicit Unquoted(std::string_view raw)
    {
        char open = '\0';
        for (std::size_t i = 0; i < raw.size(); ++i) {
            const char c = raw[i];
            if (c == '\\' && open != '\'' && i + 1 < raw.size())
                escaped(raw, i);
            else if (open == '\0' && (c == '"' || c == '\'')) {
                open = c;
                quotes.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(raw.size() - i)});
            } else if (open != '\0' && c == open) {
                open = '\0';
                quotes.back().length = static_cast<std::uint32_t>(i + 1) - quotes.back().start;
            } else {
                add(c, i);
            }
        }
    }

private:
    void escaped(std::string_view raw, std::size_t &i)
    {
        ++i;
        add(raw[i], i);
    }
    void add(char c, std::size_t offset)
    {
        text += c;
        offsets.push_back(static_cast<std::uint32_t>(offset));
    }
};

std::string_view partOf(std::string_view value, SecretPart part)
{
    const auto behind = [value](std::string_view mark) {
        const std::size_t at = value.find(mark);
        return at == std::string_view::npos ? std::string_view() : value.substr(at + mark.size());
    };
    switch (part) {
    case SecretPart::Whole:
        return value;
    case SecretPart::BehindColon:
        return behind(":");
    case SecretPart::BehindPercent:
        return behind("%");
    case SecretPart::BehindComma:
        return behind(",");
    case SecretPart::BehindPass:
        return value.starts_with("pass:") ? value.substr(5) : std::string_view();
    case SecretPart::BehindEquals:
        return behind("=");
    case SecretPart::BehindName:
        return value.contains('=') ? behind("=") : value;
    case SecretPart::BehindFourthColon:
        for (int colons = 0; colons < 4; ++colons) {
            const std::size_t at = value.find(':');
            if (at == std::string_view::npos)
                return {};
            value.remove_prefix(at + 1);
        }
        return value;
    }
    return {};
}

struct Tables {
    std::vector<SecretOptions> options = makeSecretOptions();
    std::vector<SecretOperand> operands = makeSecretOperands();
    std::vector<SecretInput> inputs = makeSecretInputs();
};

const Tables &tables()
{
    static const Tables made; // immutable
    return made;
}

class WordSecrets
{
public:
    explicit WordSecrets(std::string_view raw) : m_raw(raw) { }

    std::vector<Span> find(const shell::Evaluation &evaluation)
    {
        for (const shell::Assignment &assignment : evaluation.assignments)
            variable(assignment);
        for (const Invocation &invocation : evaluation.invocations) {
            for (const shell::Assignment &assignment : invocation.assigns)
                variable(assignment);
            words(invocation);
            options(invocation);
            operands(invocation);
            settings(invocation);
            formatted(invocation);
            input(invocation);
            passwordFile(invocation);
        }
        return std::move(m_found);
    }

private:
    /// Whether a value of this name is a secret, by the names and the plausible values that the patterns know.
    static bool isSecretPair(std::string_view name, std::string_view value)
    {
        std::string text = std::string(name) + "='";
        const std::size_t start = text.size();
        for (const char c : value)
            text += c == '\'' || c == '"' || c == '\\' ? '_' : c;
        text += '\'';
        return std::ranges::any_of(findSecrets(text), [&](const Span &span) { return span.start == start; });
    }

    void variable(const shell::Assignment &assignment)
    {
        if (assignment.value.text.size() > 1 && isSecretPair(assignment.name, assignment.value.text))
            take(assignment.value.text, assignment.span);
    }

    /// Words that say what they are once they are read: `--header=Authorization:\ Bearer\ X`. Those that are written as
    /// they are read were seen by the patterns.
    void words(const Invocation &invocation)
    {
        hiddenWord(invocation.program);
        const std::vector<Value> &args = invocation.args;
        for (std::size_t i = 0; i < args.size(); ++i) {
            hiddenWord(args[i]);
            if (i > 0 && (isHidden(args[i - 1]) || isHidden(args[i])) && isSecretOption(args[i - 1].text)
                && !args[i].text.starts_with('-') && isSecretPair(args[i - 1].text, args[i].text))
                take(args[i].text, args[i].span);
        }
    }

    [[nodiscard]] bool isHidden(const Value &word) const { return !raw(word.span).contains(word.text); }

    void hiddenWord(const Value &word)
    {
        if (!isHidden(word))
            return;
        std::string text = word.text;
        for (const std::uint32_t gap : std::views::reverse(word.gaps)) // as a reference would stand there
            text.insert(std::min<std::size_t>(gap, text.size()), 1, '$');
        for (const Span &span : findSecrets(text))
            take(std::string_view(text).substr(span.start, span.length), word.span);
    }

    void options(const Invocation &invocation)
    {
        for (const SecretOptions &entry : tables().options) {
            if (!contains(entry.programs, invocation.name))
                continue;
            if (!entry.verb.empty()
                && std::ranges::none_of(invocation.args, [&](const Value &arg) { return arg.text == entry.verb; }))
                continue;
            if (entry.gluedOnly) {
                gluedOptions(entry, invocation);
                continue;
            }
            shell::OptionTable table = shell::optionTable(invocation.name);
            table.spelledWithValue.insert(table.spelledWithValue.end(), entry.options.begin(), entry.options.end());
            for (const std::string_view option : entry.options) {
                if (option.starts_with("--"))
                    table.longWithValue.push_back(option.substr(2));
            }
            for (const shell::GivenOption &given : shell::splitArguments(table, invocation.args).options) {
                if (given.value && contains(entry.options, given.name))
                    value(*given.value, entry.part);
            }
        }
    }

    void gluedOptions(const SecretOptions &entry, const Invocation &invocation)
    {
        for (const Value &arg : invocation.args) {
            for (const std::string_view option : entry.options) {
                if (arg.text.size() > option.size() && arg.text.starts_with(option)) {
                    take(std::string_view(arg.text).substr(option.size()), arg.span);
                    break;
                }
            }
        }
    }

    void operands(const Invocation &invocation)
    {
        for (const SecretOperand &entry : tables().operands) {
            if (!contains(entry.programs, invocation.name))
                continue;
            shell::OptionTable table = shell::optionTable(invocation.name);
            table.spelledWithValue.insert(table.spelledWithValue.end(), entry.valueOptions.begin(),
                                          entry.valueOptions.end());
            const shell::SplitArguments split = shell::splitArguments(table, invocation.args);
            const bool asked = entry.option.empty()
                || std::ranges::any_of(split.options,
                                       [&](const shell::GivenOption &given) { return given.name == entry.option; });
            const bool named = split.operands.size() > entry.verbs.size()
                && std::ranges::equal(entry.verbs, std::span(split.operands).first(entry.verbs.size()), {}, {},
                                      [](const Value &word) -> std::string_view { return word.text; });
            if (!asked || !named)
                continue;
            const std::size_t at =
                entry.index == lastOperand ? split.operands.size() - 1 : entry.verbs.size() + entry.index;
            if (at < split.operands.size()
                && (entry.index != lastOperand
                    || at >= std::max<std::size_t>(entry.verbs.size(), entry.option.empty() ? 0 : 1)))
                value(split.operands[at], entry.part);
        }
    }

    /// `aws configure set NAME VALUE`, `git config NAME VALUE`: settings by name, whatever the program.
    void settings(const Invocation &invocation)
    {
        bool setting = invocation.name == "nmcli"; // any of its properties
        for (std::size_t i = 0; i + 1 < invocation.args.size(); ++i) {
            const std::string &word = invocation.args[i].text;
            setting = setting || word == "set" || word == "config" || word == "configure" || word == "modify";
            const Value &next = invocation.args[i + 1];
            // `kubectl config set-credentials NAME` says what to do and names no value; `poetry config
            // pypi-token.PLACE`.
            const bool verb = word.starts_with("set-") || word.starts_with("get-") || word.starts_with("delete-");
            const std::string_view name =
                std::string_view(word).substr(0, invocation.name == "poetry" ? word.find('.') : std::string::npos);
            if (setting && !verb && !word.starts_with('-') && !next.text.starts_with('-')
                && isSecretPair(name, next.text))
                take(next.text, next.span);
        }
    }

    /// `printf 'NAME=%s' VALUE`.
    void formatted(const Invocation &invocation)
    {
        if (invocation.name != "printf" || invocation.args.empty())
            return;
        const std::string &format = invocation.args.front().text;
        std::size_t next = 1; // the argument of the next conversion
        for (std::size_t at = format.find('%'); at != std::string::npos && next < invocation.args.size();
             at = format.find('%', at + 2)) {
            if (format.compare(at, 2, "%%") == 0)
                continue;
            const Value &value = invocation.args[next++];
            std::size_t end = at;
            while (end > 0 && (format[end - 1] == '=' || format[end - 1] == ' ' || format[end - 1] == ':'))
                --end;
            std::size_t start = end;
            while (start > 0 && isWordCharacter(format[start - 1]))
                --start;
            if (start < end && end < at && isSecretPair(format.substr(start, end - start), value.text))
                take(value.text, value.span);
        }
    }

    void input(const Invocation &invocation)
    {
        if (!invocation.input)
            return;
        for (const SecretInput &entry : tables().inputs) {
            const bool here = entry.programs.empty() || contains(entry.programs, invocation.name);
            if (!here || !beginsWith(invocation, entry.verbs) || !hasOption(invocation, entry.options))
                continue;
            std::string_view text = invocation.input->text;
            do {
                const std::size_t end = std::min(text.find('\n'), text.size());
                take(partOf(text.substr(0, end), entry.part), invocation.span);
                text.remove_prefix(std::min(end + 1, text.size()));
            } while (entry.allLines && !text.empty());
        }
    }

    static bool beginsWith(const Invocation &invocation, const std::vector<std::string_view> &verbs)
    {
        return invocation.args.size() >= verbs.size()
            && std::ranges::equal(verbs, std::span(invocation.args).first(verbs.size()), {}, {},
                                  [](const Value &word) -> std::string_view { return word.text; });
    }

    /// Long options stand anywhere, also behind the words that name what the program is to do.
    static bool hasOption(const Invocation &invocation, const std::vector<std::string_view> &options)
    {
        if (options.empty() || std::ranges::any_of(invocation.args, [&](const Value &arg) {
                return arg.text.starts_with("--") && contains(options, arg.text);
            }))
            return true;
        const auto split = shell::splitArguments(shell::optionTable(invocation.name), invocation.args);
        return std::ranges::any_of(split.options, [&](const auto &given) { return contains(options, given.name); });
    }

    /// `echo HOST:PORT:DATABASE:USER:SECRET > .pgpass`.
    void passwordFile(const Invocation &invocation)
    {
        const auto isFile = [](const Value &word) { return baseName(word.text) == ".pgpass"; };
        if (std::ranges::none_of(invocation.args, isFile)
            && std::ranges::none_of(invocation.redirects, isFile, &shell::Redirection::target))
            return;
        for (const Value &arg : invocation.args)
            take(partOf(arg.text, SecretPart::BehindFourthColon), arg.span);
        if (invocation.input)
            take(partOf(invocation.input->text, SecretPart::BehindFourthColon), invocation.span);
    }

    void value(const Value &word, SecretPart part)
    {
        if (word.known())
            take(partOf(word.text, part), word.span);
    }

    [[nodiscard]] std::string_view raw(Span span) const
    {
        return span.end() <= m_raw.size() ? m_raw.substr(span.start, span.length) : std::string_view();
    }

    /// A secret that stands in the word at `span`, or that came there from elsewhere in the command.
    void take(std::string_view secret, Span span)
    {
        while (!secret.empty() && secret.back() == '\n')
            secret.remove_suffix(1);
        if (!isSecretValue(secret))
            return;
        const std::optional<Span> found = locate(secret, span);
        if (found)
            m_found.push_back(*found);
        if (found ? isUnlikelyWord(secret) : secret.size() >= shortestElsewhere)
            everywhere(secret);
    }

    /// What is no other word of the command by chance, as `root` may be.
    static bool isUnlikelyWord(std::string_view secret)
    {
        constexpr std::size_t unlikely = 6;
        const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
        return secret.size() >= unlikely && std::ranges::any_of(secret, isDigit)
            && !std::ranges::all_of(secret, isDigit);
    }

    [[nodiscard]] std::optional<Span> locate(std::string_view secret, Span span) const
    {
        const std::string_view word = raw(span);
        const std::size_t plain = word.rfind(secret);
        if (plain != std::string_view::npos)
            return Span{span.start + static_cast<std::uint32_t>(plain), static_cast<std::uint32_t>(secret.size())};
        const Unquoted unquoted(word);
        const std::size_t at = unquoted.text.rfind(secret);
        if (at != std::string::npos) {
            const std::uint32_t first = unquoted.offsets[at];
            const std::uint32_t last = unquoted.offsets[at + secret.size() - 1];
            const bool escaped = first > 0 && word[first - 1] == '\\';
            std::uint32_t start = first - (escaped ? 1 : 0);
            std::uint32_t end = last + 1;
            // `'ab'"cd"ef`: quotes that the secret leaves or enters go with it, or the mark would unbalance the rest.
            const Span *const around = unquoted.quotesAround(first);
            if (const Span *const atEnd = unquoted.quotesAround(last); atEnd != around) {
                start = around ? around->start : start;
                end = atEnd ? atEnd->end() : end;
            }
            return Span{span.start + start, end - start};
        }
        // Written with escapes ($'…'): the whole word, which has little else.
        if (word.contains("$'") && word.size() <= 6 * secret.size())
            return span;
        return std::nullopt;
    }

    void everywhere(std::string_view secret)
    {
        const bool anywhere = isUnlikelyWord(secret);
        for (std::size_t at = m_raw.find(secret); at != std::string_view::npos; at = m_raw.find(secret, at + 1)) {
            const std::size_t end = at + secret.size();
            const bool inWord =
                (at > 0 && isWordCharacter(m_raw[at - 1])) || (end < m_raw.size() && isWordCharacter(m_raw[end]));
            if (anywhere || !inWord)
                m_found.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(secret.size())});
        }
    }

    std::string_view m_raw;
    std::vector<Span> m_found;
};

/// Finds what may be of interest here: most commands are not worth reading twice.
std::string interestingPattern()
{
    std::string pattern = R"re((?i)pass|secret|token|key|auth|cookie|credential|_pwd|bearer)re";
    const auto add = [&pattern](const auto &table) {
        for (const auto &entry : table) {
            for (const std::string_view program : entry.programs)
                pattern.append("|\\b").append(program).append("\\b");
        }
    };
    add(tables().options);
    add(tables().operands);
    add(tables().inputs);
    return pattern;
}

bool isInteresting(std::string_view command)
{
    static const RE2 interesting(interestingPattern(), RE2::Latin1); // immutable
    return RE2::PartialMatch(Unquoted(command).text, interesting);
}

} // namespace

std::vector<Span> findWordSecrets(std::string_view command, Dialect dialect)
{
    if (command.empty() || !isInteresting(command))
        return {};
    shell::EvaluationContext context;
    context.dialect = dialect;
    context.cwd = "/";
    return WordSecrets(command).find(shell::evaluate(command, context, limits));
}

} // namespace portcullis::record
