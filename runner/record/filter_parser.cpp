// SPDX-License-Identifier: Apache-2.0
#include "runner/base/nearest.h"
#include "runner/record/filter_values.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>

namespace portcullis::record {
namespace {

using Code = FilterError::Code;
using Parsed = Result<NodePointer, FilterError>;

constexpr std::size_t maxFilterBytes = 8 * 1024;
constexpr int maxFilterDepth = 64;
constexpr std::int64_t patternMemory = 8 << 20;

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool endsWord(char c)
{
    return isBlank(c) || c == '(' || c == ')';
}

bool isFieldLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Whether a word is a field's name with a colon, mistyped or with characters that do not show: digits may stand in it,
/// and anything where a control or a character outside of ASCII does. Addresses, paths and options with a colon are
/// texts to look for.
bool isMeantAsField(std::string_view word, std::size_t colon)
{
    const std::string_view name = word.substr(0, colon);
    const auto plain = [](char c) { return isFieldLetter(c) || (c >= '0' && c <= '9'); };
    const auto hidden = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte >= 0x7F;
    };
    return colon > 0 && (isFieldLetter(name.front()) || hidden(name.front()))
        && (std::ranges::all_of(name, plain) || std::ranges::any_of(name, hidden));
}

NodePointer share(FilterNode node)
{
    return std::make_shared<const FilterNode>(std::move(node));
}

NodePointer joined(FilterNode::Type type, std::vector<NodePointer> children)
{
    if (children.size() == 1)
        return children.front();
    FilterNode node;
    node.type = type;
    node.children = std::move(children);
    return share(std::move(node));
}

NodePointer wordNode(std::string_view word)
{
    FilterNode node;
    node.type = FilterNode::Type::Word;
    node.texts.push_back({TextMatch::Kind::Exact, lowerAscii(word)});
    return share(std::move(node));
}

/// Recursive descent; depth is bounded by maxFilterDepth.
class Parser
{
public:
    Parser(std::string_view text, const FilterClock &clock) : m_text(text), m_clock(clock) { }

    Parsed parse()
    {
        skipBlanks();
        if (atEnd())
            return NodePointer();
        Parsed node = parseOr(0);
        if (node && !atEnd())
            return fail(Code::UnexpectedParenthesis, m_position, ")");
        return node;
    }

private:
    Parsed parseOr(int depth)
    {
        std::vector<NodePointer> parts;
        do {
            Parsed part = parseAnd(depth);
            if (!part)
                return part;
            parts.push_back(std::move(*part));
        } while (takeKeyword("or"));
        return joined(FilterNode::Type::Or, std::move(parts));
    }

    Parsed parseAnd(int depth)
    {
        std::vector<NodePointer> parts;
        bool more = true;
        while (more) {
            Parsed part = parseTerm(depth);
            if (!part)
                return part;
            parts.push_back(std::move(*part));
            skipBlanks();
            more = takeKeyword("and") || (!atEnd() && m_text[m_position] != ')' && !seesKeyword("or"));
        }
        return joined(FilterNode::Type::And, std::move(parts));
    }

    Parsed parseTerm(int depth)
    {
        skipBlanks();
        const bool minus = !atEnd() && m_text[m_position] == '-' && m_position + 1 < m_text.size()
            && !isBlank(m_text[m_position + 1]) && m_text[m_position + 1] != ')';
        if (minus)
            ++m_position;
        if (!minus && !takeKeyword("not"))
            return parsePlain(depth);
        skipBlanks();
        Parsed inner = parsePlain(depth);
        if (!inner)
            return inner;
        return [&] {
            FilterNode node;
            node.type = FilterNode::Type::Not;
            node.children.push_back(std::move(*inner));
            return share(std::move(node));
        }();
    }

    Parsed parsePlain(int depth)
    {
        if (atEnd() || m_text[m_position] == ')' || seesKeyword("or") || seesKeyword("and") || seesKeyword("not"))
            return fail(Code::MissingTerm, m_position, word());
        switch (m_text[m_position]) {
        case '(':
            return parseGroup(depth);
        case '"': {
            auto text = takeQuoted();
            if (!text)
                return failure(text.error());
            return wordNode(*text);
        }
        case '/':
            if (auto pattern = parsePattern())
                return *pattern;
            break;
        default:
            break;
        }
        return parseWord();
    }

    Parsed parseGroup(int depth)
    {
        const std::size_t open = m_position++;
        if (depth >= maxFilterDepth)
            return fail(Code::TooDeep, open, "(");
        Parsed inner = parseOr(depth + 1);
        if (!inner)
            return inner;
        skipBlanks();
        if (atEnd())
            return fail(Code::OpenParenthesis, open, "(");
        ++m_position; // parseOr stops at the end or at a closing parenthesis only
        return inner;
    }

    /// `/re/`, or nothing when this is a word that begins with a slash.
    std::optional<Parsed> parsePattern()
    {
        std::size_t end = m_position + 1;
        while (end < m_text.size() && m_text[end] != '/')
            end += m_text[end] == '\\' ? 2 : 1;
        const std::string_view inside = m_text.substr(m_position + 1, std::min(end, m_text.size()) - m_position - 1);
        const bool blanks = std::ranges::any_of(inside, isBlank);
        const bool closed = end < m_text.size() && (end + 1 == m_text.size() || endsWord(m_text[end + 1]));
        if (!closed || inside.empty()) {
            // One word such as /etc/passwd; what goes on past a blank was meant as a pattern.
            return blanks && end < m_text.size() ? std::optional<Parsed>(fail(Code::OpenPattern, m_position, inside))
                                                 : std::nullopt;
        }
        std::string source;
        for (std::size_t i = 0; i < inside.size(); ++i) {
            if (inside[i] == '\\' && i + 1 < inside.size() && inside[i + 1] == '/')
                continue; // the escape of the filter language, not of the pattern
            source += inside[i];
        }
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(patternMemory);
        FilterNode node;
        node.type = FilterNode::Type::Pattern;
        node.pattern = std::make_shared<const re2::RE2>(source, options);
        if (!node.pattern->ok())
            return fail(Code::BadPattern, m_position, inside);
        m_position = end + 1;
        return share(std::move(node));
    }

    Parsed parseWord()
    {
        const std::size_t start = m_position;
        std::size_t letters = start;
        while (letters < m_text.size() && isFieldLetter(m_text[letters]))
            ++letters;
        if (letters > start && letters < m_text.size() && m_text[letters] == ':')
            return parseCondition(start, letters);
        const std::string_view text = word();
        if (const std::size_t colon = text.find(':'); colon != std::string_view::npos && isMeantAsField(text, colon))
            return parseCondition(start, start + colon);
        m_position += text.size();
        return wordNode(text);
    }

    Parsed parseCondition(std::size_t start, std::size_t colon)
    {
        const std::string_view name = m_text.substr(start, colon - start);
        const auto field = fromName<Field>(name);
        if (!field)
            return failure(FilterError{Code::UnknownField, start + 1, std::string(name),
                                       std::string(nearestName(lowerAscii(name), Names<Field>::all))});
        FilterNode node = conditionOn(*field);
        m_position = colon;
        do {
            ++m_position; // the colon or comma
            auto value = takeValue();
            if (!value)
                return failure(value.error());
            if (auto added = addValue(node, *value, m_clock); !added)
                return failure(added.error());
        } while (!atEnd() && m_text[m_position] == ',');
        if (node.field == Field::Since || node.field == Field::Until)
            node.field = Field::Time;
        return share(std::move(node));
    }

    Result<RawValue, FilterError> takeValue()
    {
        RawValue value;
        value.column = m_position + 1;
        if (!atEnd() && m_text[m_position] == '"') {
            auto text = takeQuoted();
            if (!text)
                return failure(text.error());
            value.text = std::move(*text);
            value.quoted = true;
            return value;
        }
        const std::size_t start = m_position;
        while (!atEnd() && !endsWord(m_text[m_position]) && m_text[m_position] != ',')
            ++m_position;
        value.text = m_text.substr(start, m_position - start);
        return value;
    }

    Result<std::string, FilterError> takeQuoted()
    {
        const std::size_t open = m_position++;
        std::string text;
        while (!atEnd() && m_text[m_position] != '"') {
            const bool escape = m_text[m_position] == '\\' && m_position + 1 < m_text.size()
                && (m_text[m_position + 1] == '"' || m_text[m_position + 1] == '\\');
            m_position += escape ? 1 : 0;
            text += m_text[m_position++];
        }
        if (atEnd())
            return failure(FilterError{Code::OpenQuote, open + 1, std::string(m_text.substr(open)), {}});
        ++m_position;
        return text;
    }

    [[nodiscard]] bool atEnd() const { return m_position >= m_text.size(); }

    void skipBlanks()
    {
        while (!atEnd() && isBlank(m_text[m_position]))
            ++m_position;
    }

    /// The word at this place, up to a blank or parenthesis.
    [[nodiscard]] std::string_view word() const
    {
        std::size_t end = m_position;
        while (end < m_text.size() && !endsWord(m_text[end]))
            ++end;
        return m_text.substr(m_position, end - m_position);
    }

    [[nodiscard]] bool seesKeyword(std::string_view keyword) const { return word() == keyword; }

    bool takeKeyword(std::string_view keyword)
    {
        skipBlanks();
        if (!seesKeyword(keyword))
            return false;
        m_position += keyword.size();
        return true;
    }

    static Parsed fail(Code code, std::size_t position, std::string_view found)
    {
        return failure(FilterError{code, position + 1, std::string(found), {}});
    }

    std::string_view m_text;
    const FilterClock &m_clock;
    std::size_t m_position = 0;
};

} // namespace

Result<Filter, FilterError> Filter::parse(std::string_view text, const FilterClock &clock)
{
    if (text.size() > maxFilterBytes)
        return failure(FilterError{Code::TooLong, maxFilterBytes + 1, {}, {}});
    auto root = Parser(text, clock).parse();
    if (!root)
        return failure(root.error());
    return Filter(std::move(*root));
}

std::string quotedForFilter(std::string_view text)
{
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@%+=";
    const bool keyword = text == "or" || text == "and" || text == "not";
    // A hyphen inside is plain, one at the front negates; dots in a row are a range.
    const bool safe = !text.empty() && !keyword && text.front() != '-' && !text.contains("..")
        && std::ranges::all_of(text, [&](char c) { return plain.contains(c) || c == '-'; });
    if (safe)
        return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

} // namespace portcullis::record
