// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/foreign_literals.h"
#include "runner/base/identifier.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace portcullis::shell {

std::vector<std::string> blankSeparated(std::string_view text)
{
    std::vector<std::string> words;
    for (std::size_t at = 0; (at = text.find_first_not_of(" \t\n", at)) != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

void Constants::add(std::string name, std::vector<std::string> value)
{
    constexpr std::size_t longest = 4096; // constants made of constants must not grow without bound
    std::size_t bytes = 0;
    for (const std::string &word : value)
        bytes += word.size();
    if (bytes > longest)
        return;
    auto &values = m_values[std::move(name)];
    if (values.size() < most && std::ranges::find(values, value) == values.end())
        values.push_back(std::move(value));
}

const std::vector<std::string> *Constants::find(std::string_view name) const
{
    const auto found = m_values.find(name);
    return found == m_values.end() ? nullptr : &found->second[std::min(m_choice, found->second.size() - 1)];
}

const Gapped *Constants::findPart(std::string_view name) const
{
    const auto found = m_parts.find(name);
    return found == m_parts.end() ? nullptr : &found->second;
}

std::size_t Constants::alternatives() const
{
    std::size_t count = 1;
    for (const auto &[name, values] : m_values)
        count = std::max(count, values.size());
    return count;
}

namespace {

/// Past the sign of an assignment at `at`, or 0: `=`, `:=`, `<-`, not `==`, `=>`, `=~`.
std::size_t afterAssignment(std::string_view code, std::size_t at)
{
    at = std::min(code.find_first_not_of(" \t", at), code.size());
    const std::string_view rest = code.substr(at);
    if (rest.starts_with(":=") || rest.starts_with("<-"))
        return at + 2;
    if (!rest.starts_with('=') || (rest.size() > 1 && std::string_view("=>~").contains(rest[1])))
        return 0;
    return at + 1;
}

std::optional<std::vector<std::string>> bracketed(Literals &in)
{
    if (!(in.take('[') || in.take('(') || in.take('{')))
        return std::nullopt;
    std::vector<std::string> words;
    while (const auto word = in.string()) {
        words.push_back(word->text);
        if (!in.take(','))
            break;
    }
    if (words.empty())
        return std::nullopt;
    return words;
}

} // namespace

void Constants::collect(std::string_view language, std::string_view code)
{
    constexpr std::size_t mostNames = 64;
    m_language = language;
    for (std::size_t i = 0; i < code.size() && m_values.size() < mostNames;) {
        if (!isIdentifierByte(code[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < code.size() && isIdentifierByte(code[end]))
            ++end;
        const std::string_view name = code.substr(i, end - i);
        i = end;
        const std::size_t from = afterAssignment(code, end);
        if (from == 0)
            continue;
        Literals in(code, from, language == "node", this);
        std::optional<std::vector<std::string>> value = in.list();
        if (!value) {
            if (auto text = in.joinedString(); text && text->known())
                value = std::vector{std::move(text->text)};
            else if (!text)
                value = bracketed(in);
            else
                m_parts.insert_or_assign(std::string(name), std::move(*text));
        }
        if (value)
            add(std::string(name), std::move(*value));
    }
}

void Literals::skip()
{
    while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)
        ++m_at;
}

bool Literals::take(char c)
{
    skip();
    if (m_at >= m_text.size() || m_text[m_at] != c)
        return false;
    ++m_at;
    return true;
}

std::string_view Literals::nameAt(std::size_t at, std::size_t *end) const
{
    if (at < m_text.size() && (m_text[at] == '$' || m_text[at] == '@' || m_text[at] == '*'))
        ++at;
    std::size_t stop = at;
    while (stop < m_text.size() && isIdentifierByte(m_text[stop]))
        ++stop;
    *end = stop;
    return m_text.substr(at, stop - at);
}

std::size_t Literals::hole(std::size_t at, bool formatted, char quote, Gapped &value) const
{
    const std::string_view rest = m_text.substr(at);
    const bool braced = (formatted && rest.starts_with('{')) || (quote == '`' && rest.starts_with("${"))
        || (quote != '\'' && m_constants != nullptr && rest.starts_with("#{"));
    const bool perl = m_constants != nullptr && m_constants->perl();
    const bool plain = (quote == '"' || (perl && quote == '`')) && m_constants != nullptr && rest.starts_with('$');
    if (perl && quote != '\'' && (rest.starts_with("$&") || rest.starts_with("@ARGV") || rest.starts_with("@_"))) {
        value.appendGap();
        return at + (rest.starts_with("@ARGV") ? 5 : 2);
    }
    if (!braced && !plain)
        return 0;
    const std::size_t open = braced ? rest.find('{') + 1 : 0;
    std::size_t end = 0;
    const std::string_view name = nameAt(at + open, &end);
    const std::vector<std::string> *constant =
        m_constants != nullptr && !name.empty() ? m_constants->find(name) : nullptr;
    const bool fits =
        constant != nullptr && constant->size() == 1 && (!braced || (end < m_text.size() && m_text[end] == '}'));
    const Gapped *part = constant == nullptr ? partNamed(name) : nullptr;
    if (fits)
        value.append(Gapped(constant->front()));
    else if (part != nullptr)
        value.append(*part);
    else if (plain && (!perl || end <= at + 1))
        return 0;
    else
        value.appendGap();
    return braced ? std::min(m_text.find('}', at), m_text.size() - 1) + 1 : end;
}

const Gapped *Literals::partNamed(std::string_view name) const
{
    return m_constants != nullptr && !name.empty() ? m_constants->findPart(name) : nullptr;
}

std::optional<Gapped> Literals::quoteOperator()
{
    // perlop(1), "Quote and Quote-like Operators"
    if (m_constants == nullptr || !m_constants->perl() || m_at >= m_text.size() || m_text[m_at] != 'q')
        return std::nullopt;
    std::size_t open = m_at + (m_text.substr(m_at).starts_with("qq") ? 2 : 1);
    if (open < m_text.size() && isIdentifierByte(m_text[open]))
        return std::nullopt;
    open = std::min(m_text.find_first_not_of(" \t", open), m_text.size());
    if (open >= m_text.size() || std::string_view("=,;)").contains(m_text[open]))
        return std::nullopt;
    constexpr std::string_view opening = "({[<";
    constexpr std::string_view closing = ")}]>";
    const std::size_t kind = opening.find(m_text[open]);
    const std::size_t close = m_text.find(kind == std::string_view::npos ? m_text[open] : closing[kind], open + 1);
    if (close == std::string_view::npos)
        return std::nullopt;
    m_at = close + 1;
    return Gapped(std::string(m_text.substr(open + 1, close - open - 1)));
}

std::optional<Gapped> Literals::string()
{
    skip();
    if (auto quoted = quoteOperator())
        return quoted;
    std::size_t at = m_at;
    bool raw = false;
    bool formatted = false;
    for (int letters = 0; letters < 2 && at < m_text.size() && std::string_view("rRbBfFuU").contains(m_text[at]);
         ++letters, ++at) {
        raw = raw || m_text[at] == 'r' || m_text[at] == 'R';
        formatted = formatted || m_text[at] == 'f' || m_text[at] == 'F';
    }
    if (at >= m_text.size() || (m_text[at] != '"' && m_text[at] != '\'' && (m_text[at] != '`' || !m_templates))) {
        std::size_t end = 0;
        const std::string_view name = m_constants != nullptr ? nameAt(m_at, &end) : std::string_view();
        const std::vector<std::string> *constant = name.empty() ? nullptr : m_constants->find(name);
        const bool called = end < m_text.size() && (m_text[end] == '(' || m_text[end] == '[');
        const Gapped *part = constant == nullptr && !called ? partNamed(name) : nullptr;
        if (part == nullptr && (constant == nullptr || constant->size() != 1 || called))
            return std::nullopt;
        m_at = end;
        if (part != nullptr)
            return *part;
        return Gapped(constant->front());
    }
    const char quote = m_text[at];
    const bool triple = m_text.substr(at).starts_with(std::string(3, quote));
    const std::string end(triple ? 3 : 1, quote);
    at += end.size();
    Gapped value;
    while (at < m_text.size() && !m_text.substr(at).starts_with(end)) {
        if (const std::size_t past = hole(at, formatted, quote, value); past > 0)
            at = past;
        else if (m_text[at] == '\\' && !raw && at + 1 < m_text.size())
            at = escape(at + 1, value.text);
        else
            value.text += m_text[at++];
    }
    m_at = std::min(at + end.size(), m_text.size());
    return value;
}

std::size_t Literals::escape(std::size_t at, std::string &out)
{
    const char c = m_text[at];
    if (c == 'x' && at + 2 < m_text.size()) {
        const std::string digits(m_text.substr(at + 1, 2));
        out += static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
        return at + 3;
    }
    if (c >= '0' && c <= '7') {
        const std::size_t end = std::min({m_text.find_first_not_of("01234567", at), at + 3, m_text.size()});
        out += static_cast<char>(std::strtoul(std::string(m_text.substr(at, end - at)).c_str(), nullptr, 8));
        return end;
    }
    if (c == 'n' || c == 't')
        out += c == 'n' ? '\n' : '\t';
    else if (c != '\n')
        out += c;
    return at + 1;
}

void Literals::substitute(Gapped &value)
{
    // "%s id" % name, or % (name, …)
    const bool several = take('(');
    std::size_t from = 0;
    for (std::optional<Gapped> part = string(); part && part->known(); part = string()) {
        const std::size_t hole = value.text.find("%s", from);
        if (hole == std::string::npos)
            break;
        value.text.replace(hole, 2, part->text);
        from = hole + part->text.size();
        if (!several || !take(','))
            break;
    }
}

void Literals::format(Gapped &value)
{
    // "{} {}".format(a, b)
    for (const Gapped &part : elements()) {
        const std::size_t open = value.text.find('{');
        const std::size_t close = value.text.find('}', open == std::string::npos ? 0 : open);
        if (open == std::string::npos || close == std::string::npos)
            break;
        Gapped filled(value.text.substr(0, open));
        filled.gaps = value.gaps;
        filled.append(part);
        filled.append(Gapped(value.text.substr(close + 1)));
        value = std::move(filled);
    }
    if (!take(')') || value.text.contains('{'))
        value.appendGap();
}

void Literals::join(Gapped &value)
{
    // " ".join(["a", "b"])
    const Gapped between = value;
    value = Gapped();
    const bool bracket = take('[') || take('(');
    for (const Gapped &part : elements()) {
        if (!value.text.empty() || !value.known())
            value.append(between);
        value.append(part);
    }
    if (!bracket || !(take(']') || take(')')) || !take(')'))
        value.appendGap();
}

std::vector<Gapped> Literals::elements()
{
    constexpr std::size_t most = 256;
    std::vector<Gapped> found;
    skip();
    while (m_at < m_text.size() && !std::string_view(")]}").contains(m_text[m_at]) && found.size() < most) {
        std::optional<Gapped> next = joinedString();
        if (!next) {
            found.push_back(Gapped::unknown());
            break;
        }
        found.push_back(std::move(*next));
        const bool more = take(',');
        skip();
        if (more)
            continue;
        if (!found.back().known() && m_at < m_text.size() && !std::string_view(")]}").contains(m_text[m_at]))
            found.push_back(Gapped::unknown());
        break;
    }
    return found;
}

bool Literals::method(Gapped &value)
{
    constexpr std::string_view formatting = ".format(";
    constexpr std::string_view joining = ".join(";
    constexpr unsigned deepest = 8;
    const std::string_view rest = m_text.substr(m_at);
    const bool formats = rest.starts_with(formatting);
    const bool dots = m_constants != nullptr && m_constants->perl(); // perl: the operator that joins, and a function
    if (!value.known() || dots || m_nesting >= deepest || !(formats || rest.starts_with(joining)))
        return false;
    m_at += formats ? formatting.size() : joining.size();
    ++m_nesting;
    if (formats)
        format(value);
    else
        join(value);
    --m_nesting;
    return true;
}

std::optional<Gapped> Literals::joinedString()
{
    std::optional<Gapped> value = string();
    if (!value)
        return std::nullopt;
    for (;;) {
        const std::size_t before = m_at;
        skip();
        // A line of awk ends a statement.
        const bool ends =
            m_constants != nullptr && m_constants->awk() && m_text.substr(before, m_at - before).contains('\n');
        if (ends || m_at >= m_text.size() || std::string_view(",;)]}|").contains(m_text[m_at]))
            return value;
        if (method(*value))
            continue;
        if (const auto more = string()) {
            value->append(*more);
            continue;
        }
        if (value->known() && take('%')) {
            substitute(*value);
            return value;
        }
        const auto more = take('+') || take('.') ? string() : std::nullopt;
        if (!more) {
            value->appendGap();
            return value;
        }
        value->append(*more);
    }
}

std::optional<std::vector<std::string>> Literals::list()
{
    skip();
    std::size_t at = m_at;
    if (m_text.substr(at).starts_with('*'))
        ++at;
    const std::string_view rest = m_text.substr(at);
    if ((rest.starts_with("qw") || rest.starts_with("%w")) && rest.size() > 3 && !isIdentifierByte(rest[2])) {
        at += rest[2] == ' ' ? 3 : 2;
        constexpr std::string_view opening = "({[<";
        constexpr std::string_view closing = ")}]>";
        const std::size_t kind = opening.find(m_text[at]);
        const std::size_t close = m_text.find(kind == std::string_view::npos ? m_text[at] : closing[kind], at + 1);
        if (close == std::string_view::npos)
            return std::nullopt;
        m_at = close + 1;
        return blankSeparated(m_text.substr(at + 1, close - at - 1));
    }
    std::size_t end = 0;
    const std::string_view name = nameAt(m_at, &end);
    const std::vector<std::string> *constant =
        m_constants != nullptr && !name.empty() ? m_constants->find(name) : nullptr;
    if (constant == nullptr || constant->size() < 2)
        return std::nullopt;
    m_at = end;
    return *constant;
}

} // namespace portcullis::shell
