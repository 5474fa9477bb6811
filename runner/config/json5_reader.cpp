// SPDX-License-Identifier: Apache-2.0
#include "runner/base/hex.h"
#include "runner/base/utf8.h"
#include "runner/config/json5.h"
#include "runner/config/json5_characters.h"
#include "runner/config/json5_places.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

namespace portcullis::config {
namespace {

/// Recursive descent; the recursion is bounded by maxJsonDepth. A method that answers false has set m_error.
class Reader
{
public:
    explicit Reader(std::string_view text) : m_text(text) { }

    Result<Json, JsonError> read();

private:
    using Code = JsonError::Code;

    [[nodiscard]] bool atEnd() const { return m_pos >= m_text.size(); }
    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return m_pos + ahead < m_text.size() ? m_text[m_pos + ahead] : '\0';
    }
    [[nodiscard]] char32_t character() const { return atEnd() ? 0 : utf8At(m_text, m_pos).code; }
    bool fail(Code code, std::size_t from, std::size_t length);
    bool failHere(std::size_t openedAt);
    bool failBetweenItems(std::size_t openedAt);

    bool skipSpace();
    bool skipComment();
    bool readValue(Json &value, std::size_t depth);
    bool readContainer(Json &value, std::size_t depth);
    bool readMember(Json &value, std::size_t depth);
    bool checkDuplicates(const Json &value);
    bool readKey(std::string &key);
    bool readName(std::string &name);
    bool readString(std::string &text);
    bool readEscape(std::string &text);
    bool readUnicodeEscape(std::string &text);
    std::optional<char32_t> hexDigits(std::size_t offset, std::size_t count) const;
    bool readNumber(Json &value);
    bool readHexNumber(Json &value, std::size_t start, bool negative);
    bool readDecimal(Json &value, std::size_t start, bool negative);
    bool endNumber(std::size_t start);
    bool readWord(Json &value);

    std::string_view m_text;
    std::size_t m_pos = 0;
    std::size_t m_values = 0;
    Places m_places{m_text};
    JsonError m_error;
};

bool Reader::fail(Code code, std::size_t from, std::size_t length)
{
    constexpr std::size_t longest = 40;
    std::size_t end = std::min(m_text.size(), from + std::min(length, longest));
    while (length > longest && end > from && end < m_text.size()
           && (static_cast<unsigned char>(m_text[end]) & 0xC0U) == 0x80)
        --end;
    m_error = {.code = code, .place = m_places.at(from), .found = std::string(m_text.substr(from, end - from))};
    return false;
}

/// Something else was expected here; at the end of the text the place is where the open thing began.
bool Reader::failHere(std::size_t openedAt)
{
    if (atEnd())
        return fail(Code::UnexpectedEnd, openedAt, wordLengthAt(m_text, openedAt));
    return fail(Code::Syntax, m_pos, wordLengthAt(m_text, m_pos));
}

/// After an item: where another one begins, what is wrong is that no comma stands before it.
bool Reader::failBetweenItems(std::size_t openedAt)
{
    const char c = peek();
    const bool begins = !atEnd()
        && (c == '"' || c == '\'' || c == '{' || c == '[' || isDigit(c) || c == '-' || c == '+'
            || startsName(utf8At(m_text, m_pos).code));
    if (!begins)
        return failHere(openedAt);
    std::size_t length = wordLengthAt(m_text, m_pos);
    if (c == '"' || c == '\'') {
        const std::size_t close = m_text.find_first_of(std::string_view(&c, 1), m_pos + 1);
        const std::size_t lineEnd = std::min(m_text.size(), m_text.find_first_of("\r\n", m_pos));
        length = close < lineEnd ? close + 1 - m_pos : length;
    }
    return fail(Code::MissingComma, m_pos, length);
}

Result<Json, JsonError> Reader::read()
{
    if (m_text.size() > maxJsonBytes) {
        m_error.code = Code::TooLarge;
        return failure(m_error);
    }
    if (const std::size_t bad = firstInvalidUtf8(m_text); bad != std::string_view::npos) {
        fail(Code::BadUtf8, bad, utf8At(m_text, bad).length);
        return failure(m_error);
    }
    Json value;
    bool good = skipSpace() && readValue(value, 0) && skipSpace();
    if (good && !atEnd())
        good = failHere(m_pos);
    if (!good)
        return failure(m_error);
    return value;
}

bool Reader::skipSpace()
{
    while (!atEnd()) {
        if (peek() == '/') {
            if (!skipComment())
                return false;
            continue;
        }
        const char c = m_text[m_pos];
        if (static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x80) // nearly always
            return true;
        const Utf8Char next = utf8At(m_text, m_pos);
        if (!isSpace(next.code))
            return true;
        m_pos += next.length;
    }
    return true;
}

bool Reader::skipComment()
{
    const std::size_t end = commentEnd(m_text, m_pos);
    if (end == std::string_view::npos)
        return fail(Code::UnexpectedEnd, m_pos, 2);
    if (end == m_pos)
        return fail(Code::Syntax, m_pos, 1);
    m_pos = end;
    return true;
}

bool Reader::readValue(Json &value, std::size_t depth)
{
    const std::size_t start = m_pos;
    if (++m_values > maxJsonValues)
        return fail(Code::TooLarge, start, 1);
    value.place = m_places.at(start);
    const char c = peek();
    bool good = false;
    if (c == '{' || c == '[') {
        if (depth >= maxJsonDepth)
            return fail(Code::TooDeep, start, 1);
        good = readContainer(value, depth + 1);
    } else if (c == '"' || c == '\'') {
        value.type = Json::Type::String;
        good = readString(value.string);
    } else if (isDigit(c) || c == '+' || c == '-' || c == '.' || c == 'I' || c == 'N') {
        good = readNumber(value);
    } else {
        good = readWord(value);
    }
    value.end = static_cast<std::uint32_t>(m_pos);
    return good;
}

bool Reader::readContainer(Json &value, std::size_t depth)
{
    const std::size_t start = m_pos;
    const bool isObject = peek() == '{';
    const char close = isObject ? '}' : ']';
    value.type = isObject ? Json::Type::Object : Json::Type::Array;
    ++m_pos;
    while (true) {
        if (!skipSpace())
            return false;
        if (peek() == close && !atEnd())
            break;
        if (atEnd())
            return failHere(start);
        if (isObject ? !readMember(value, depth) : !readValue(value.array.emplace_back(), depth))
            return false;
        if (!skipSpace())
            return false;
        if (peek() == ',')
            ++m_pos;
        else if (peek() != close)
            return failBetweenItems(start);
    }
    ++m_pos;
    return !isObject || checkDuplicates(value);
}

bool Reader::readMember(Json &value, std::size_t depth)
{
    Json::Member member;
    const std::size_t start = m_pos;
    member.keyPlace = m_places.at(start);
    if (!readKey(member.key) || !skipSpace())
        return false;
    if (peek() != ':')
        return failHere(start);
    ++m_pos;
    if (!skipSpace())
        return false;
    if (atEnd())
        return failHere(start);
    if (!readValue(member.value, depth))
        return false;
    value.object.push_back(std::move(member));
    return true;
}

/// One sort for each object: comparing each key with all before it would let a hostile file cost quadratic time.
bool Reader::checkDuplicates(const Json &value)
{
    const std::vector<Json::Member> &members = value.object;
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const std::string & { return members[i].key; });
    std::size_t first = members.size();
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (members[order[i]].key == members[order[i - 1]].key)
            first = std::min(first, order[i]);
    }
    if (first == members.size())
        return true;
    m_error = {.code = Code::DuplicateKey, .place = members[first].keyPlace, .found = members[first].key.substr(0, 40)};
    while (!m_error.found.empty() && firstInvalidUtf8(m_error.found) != std::string::npos)
        m_error.found.pop_back();
    return false;
}

bool Reader::readKey(std::string &key)
{
    if (peek() == '"' || peek() == '\'')
        return readString(key);
    return readName(key);
}

bool Reader::readName(std::string &name)
{
    const std::size_t start = m_pos;
    while (!atEnd()) {
        const std::size_t at = m_pos;
        Utf8Char next = utf8At(m_text, m_pos);
        if (next.code == '\\') {
            const std::optional<char32_t> code = peek(1) == 'u' ? hexDigits(m_pos + 2, 4) : std::nullopt;
            if (!code)
                return fail(Code::BadEscape, at, 2);
            next = {.code = *code, .length = 6, .valid = true};
            if (name.empty() ? !startsName(next.code) : !continuesName(next.code))
                return fail(Code::BadEscape, at, 6);
        }
        if (name.empty() ? !startsName(next.code) : !continuesName(next.code))
            break;
        appendUtf8(name, next.code);
        m_pos += next.length;
    }
    return !name.empty() || failHere(start);
}

bool Reader::readString(std::string &text)
{
    const std::size_t start = m_pos;
    const char quote = peek();
    ++m_pos;
    while (!atEnd()) {
        const std::size_t stop = std::min(m_text.size(), m_text.find_first_of(std::string_view("\"'\\\n\r"), m_pos));
        text.append(m_text, m_pos, stop - m_pos);
        m_pos = stop;
        if (atEnd())
            break;
        if (peek() == quote) {
            ++m_pos;
            return true;
        }
        if (peek() == '\n' || peek() == '\r')
            return fail(Code::UnexpectedEnd, start, stop - start);
        if (peek() != '\\')
            text += m_text[m_pos++];
        else if (!readEscape(text))
            return false;
    }
    return fail(Code::UnexpectedEnd, start, m_text.size() - start);
}

bool Reader::readEscape(std::string &text)
{
    const std::size_t start = m_pos;
    if (m_pos + 1 >= m_text.size())
        return fail(Code::UnexpectedEnd, start, 1);
    const Utf8Char next = utf8At(m_text, m_pos + 1);
    constexpr std::string_view letters = "bfnrtv";
    constexpr std::string_view meanings = "\b\f\n\r\t\v";
    if (next.code == 'u')
        return readUnicodeEscape(text);
    m_pos += 1 + next.length;
    if (next.code == 'x') {
        const std::optional<char32_t> code = hexDigits(m_pos, 2);
        if (!code)
            return fail(Code::BadEscape, start, 4);
        appendUtf8(text, *code);
        m_pos += 2;
    } else if (next.code == '\r' || next.code == '\n' || next.code == 0x2028 || next.code == 0x2029) {
        if (next.code == '\r' && peek() == '\n')
            ++m_pos; // a continued line leaves nothing
    } else if (next.code >= '0' && next.code <= '9') {
        if (next.code != '0' || isDigit(peek()))
            return fail(Code::BadEscape, start, 2);
        text += '\0';
    } else if (const std::size_t letter =
                   next.code < 0x80 ? letters.find(static_cast<char>(next.code)) : std::string_view::npos;
               letter != std::string_view::npos) {
        text += meanings[letter];
    } else {
        appendUtf8(text, next.code);
    }
    return true;
}

bool Reader::readUnicodeEscape(std::string &text)
{
    const std::size_t start = m_pos;
    const std::optional<char32_t> first = hexDigits(m_pos + 2, 4);
    if (!first)
        return fail(Code::BadEscape, start, 6);
    m_pos += 6;
    const bool high = *first >= 0xD800 && *first <= 0xDBFF;
    if (!high && (*first < 0xDC00 || *first > 0xDFFF)) {
        appendUtf8(text, *first);
        return true;
    }
    const std::optional<char32_t> second = peek() == '\\' && peek(1) == 'u' ? hexDigits(m_pos + 2, 4) : std::nullopt;
    if (!high || !second || *second < 0xDC00 || *second > 0xDFFF)
        return fail(Code::BadEscape, start, 6);
    appendUtf8(text, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
    m_pos += 6;
    return true;
}

std::optional<char32_t> Reader::hexDigits(std::size_t offset, std::size_t count) const
{
    if (offset + count > m_text.size())
        return std::nullopt;
    char32_t code = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const int digit = hexValue(m_text[offset + i]);
        if (digit < 0)
            return std::nullopt;
        code = (code << 4) | static_cast<char32_t>(digit);
    }
    return code;
}

bool Reader::readNumber(Json &value)
{
    const std::size_t start = m_pos;
    value.type = Json::Type::Number;
    const bool negative = peek() == '-';
    if (negative || peek() == '+')
        ++m_pos;
    bool good = false;
    if (m_text.substr(m_pos).starts_with("Infinity")) {
        m_pos += 8;
        value.number = negative ? -HUGE_VAL : HUGE_VAL;
        good = endNumber(start);
    } else if (m_text.substr(m_pos).starts_with("NaN")) {
        m_pos += 3;
        value.number = std::nan("");
        good = endNumber(start);
    } else if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
        good = readHexNumber(value, start, negative);
    } else {
        good = readDecimal(value, start, negative);
    }
    if (good)
        value.string = m_text.substr(start, m_pos - start);
    return good;
}

bool Reader::readHexNumber(Json &value, std::size_t start, bool negative)
{
    m_pos += 2;
    const std::size_t digits = m_pos;
    double number = 0;
    for (; !atEnd() && hexValue(peek()) >= 0; ++m_pos)
        number = number * 16 + hexValue(peek());
    if (m_pos == digits || !std::isfinite(number))
        return fail(Code::BadNumber, start, m_pos - start + 1);
    value.number = negative ? -number : number;
    return endNumber(start);
}

bool Reader::readDecimal(Json &value, std::size_t start, bool negative)
{
    const auto skipDigits = [this] {
        const std::size_t from = m_pos;
        while (isDigit(peek()))
            ++m_pos;
        return m_pos - from;
    };
    const std::size_t digits = m_pos;
    const bool leadingZero = peek() == '0' && isDigit(peek(1)); // octal in old scripts: refused, never guessed
    std::size_t count = skipDigits();
    if (peek() == '.') {
        ++m_pos;
        count += skipDigits();
    }
    bool good = count > 0 && !leadingZero;
    if (good && (peek() == 'e' || peek() == 'E')) {
        ++m_pos;
        if (peek() == '+' || peek() == '-')
            ++m_pos;
        good = skipDigits() > 0;
    }
    if (good) {
        const auto parsed = std::from_chars(m_text.data() + digits, m_text.data() + m_pos, value.number);
        good = parsed.ec == std::errc();
    }
    if (!good)
        return fail(Code::BadNumber, start, std::max(m_pos - start, wordLengthAt(m_text, start)));
    if (negative)
        value.number = -value.number;
    return endNumber(start);
}

/// A number may not run into a name: `3in` and `1.2.3` are mistakes.
bool Reader::endNumber(std::size_t start)
{
    if (atEnd() || (!continuesName(character()) && peek() != '.' && peek() != '\\'))
        return true;
    return fail(Code::BadNumber, start, m_pos - start + wordLengthAt(m_text, m_pos));
}

bool Reader::readWord(Json &value)
{
    if (atEnd())
        return fail(Code::UnexpectedEnd, m_pos, 0);
    const std::size_t length = wordLengthAt(m_text, m_pos);
    const std::string_view word = m_text.substr(m_pos, length);
    if (word == "true" || word == "false") {
        value.type = Json::Type::Bool;
        value.boolean = word == "true";
    } else if (word != "null") {
        return fail(Code::Syntax, m_pos, length);
    }
    m_pos += length;
    return true;
}

} // namespace

const Json *Json::find(std::string_view key) const
{
    const auto found = std::ranges::find(object, key, &Member::key);
    return found == object.end() ? nullptr : &found->value;
}

Result<Json, JsonError> readJson5(std::string_view text)
{
    return Reader(text).read();
}

} // namespace portcullis::config
