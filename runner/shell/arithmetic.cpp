// SPDX-License-Identifier: Apache-2.0

// Constant arithmetic: bash manual, 6.5. What is not constant is no number, and every name that it assigns is unknown.

#include "runner/base/identifier.h"
#include "runner/shell/evaluator.h"

#include <algorithm>
#include <cctype>

namespace portcullis::shell {

namespace {

bool nameStart(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::int64_t wrap(std::uint64_t value)
{
    return static_cast<std::int64_t>(value);
}

} // namespace

class Arithmetic
{
public:
    Arithmetic(Evaluator &evaluator, std::string_view text, Span span, unsigned depth)
        : m_evaluator(evaluator), m_text(text), m_span(span), m_depth(depth)
    {
    }

    std::optional<std::int64_t> whole()
    {
        const auto value = comma();
        skip();
        return m_failed || m_at != m_text.size() ? std::nullopt : std::optional(value);
    }

private:
    void skip()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)
            ++m_at;
    }
    bool take(std::string_view op)
    {
        skip();
        if (!m_text.substr(m_at).starts_with(op))
            return false;
        m_at += op.size();
        return true;
    }
    std::int64_t fail()
    {
        m_failed = true;
        m_at = m_text.size();
        return 0;
    }

    std::int64_t comma()
    {
        std::int64_t value = ternary();
        while (!m_failed && take(","))
            value = ternary();
        return value;
    }

    std::int64_t ternary()
    {
        if (++m_depth > 40 || !m_evaluator.spend(4))
            return fail();
        std::int64_t value = binary(0);
        if (!m_failed && take("?")) {
            const std::int64_t yes = ternary();
            if (!take(":"))
                return fail();
            const std::int64_t no = ternary();
            value = value != 0 ? yes : no;
        }
        --m_depth;
        return value;
    }

    /// The binary operator at the cursor of at least this strength; longest spelling first.
    std::pair<std::string_view, int> binaryOperator()
    {
        struct Operator {
            std::string_view text;
            int strength;
        };
        static constexpr Operator operators[] = {{"**", 11}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7},
                                                 {"==", 6},  {"!=", 6}, {"&&", 2}, {"||", 1}, {"*", 10},
                                                 {"/", 10},  {"%", 10}, {"+", 9},  {"-", 9},  {"<", 7},
                                                 {">", 7},   {"&", 5},  {"^", 4},  {"|", 3}};
        skip();
        for (const Operator &each : operators) {
            if (m_text.substr(m_at).starts_with(each.text))
                return {each.text, each.strength};
        }
        return {{}, -1};
    }

    std::int64_t binary(int least)
    {
        std::int64_t left = unary();
        while (!m_failed) {
            const auto [op, strength] = binaryOperator();
            if (strength < 0 || strength < least)
                return left;
            m_at += op.size();
            if (++m_depth > 60)
                return fail();
            const std::int64_t right = binary(op == "**" ? strength : strength + 1);
            --m_depth;
            left = apply(op, left, right);
        }
        return left;
    }

    std::int64_t apply(std::string_view op, std::int64_t left, std::int64_t right)
    {
        const auto a = static_cast<std::uint64_t>(left);
        const auto b = static_cast<std::uint64_t>(right);
        if (op == "+")
            return wrap(a + b);
        if (op == "-")
            return wrap(a - b);
        if (op == "*")
            return wrap(a * b);
        if (op == "/" || op == "%") {
            if (right == 0 || (right == -1 && left == INT64_MIN))
                return fail();
            return op == "/" ? left / right : left % right;
        }
        if (op == "**") {
            if (right < 0 || right > 63)
                return fail();
            std::uint64_t result = 1;
            for (std::int64_t i = 0; i < right; ++i)
                result *= a;
            return wrap(result);
        }
        if (op == "<<")
            return wrap(a << (b & 63U));
        if (op == ">>")
            return left >> (b & 63U);
        if (op == "<")
            return left < right ? 1 : 0;
        if (op == ">")
            return left > right ? 1 : 0;
        if (op == "<=")
            return left <= right ? 1 : 0;
        if (op == ">=")
            return left >= right ? 1 : 0;
        if (op == "==")
            return left == right ? 1 : 0;
        if (op == "!=")
            return left != right ? 1 : 0;
        if (op == "&")
            return wrap(a & b);
        if (op == "^")
            return wrap(a ^ b);
        if (op == "|")
            return wrap(a | b);
        if (op == "&&")
            return left != 0 && right != 0 ? 1 : 0;
        return left != 0 || right != 0 ? 1 : 0;
    }

    std::int64_t unary()
    {
        if (++m_depth > 80)
            return fail();
        skip();
        std::int64_t value = 0;
        if (take("++") || take("--"))
            return fail();
        if (take("!"))
            value = unary() == 0 ? 1 : 0;
        else if (take("~"))
            value = ~unary();
        else if (take("-"))
            value = wrap(0 - static_cast<std::uint64_t>(unary()));
        else if (take("+"))
            value = unary();
        else
            value = primary();
        --m_depth;
        return value;
    }

    std::int64_t primary()
    {
        skip();
        if (take("(")) {
            const std::int64_t value = comma();
            return take(")") ? value : fail();
        }
        if (m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])) != 0)
            return number();
        if (m_at < m_text.size() && nameStart(m_text[m_at]))
            return variable();
        return fail();
    }

    std::int64_t number()
    {
        std::size_t end = m_at;
        while (end < m_text.size() && (isIdentifierByte(m_text[end]) || m_text[end] == '#' || m_text[end] == '@'))
            ++end;
        std::string_view digits = m_text.substr(m_at, end - m_at);
        m_at = end;
        unsigned base = 10;
        if (const std::size_t hash = digits.find('#'); hash != std::string_view::npos) {
            base = 0;
            for (const char c : digits.substr(0, hash)) {
                if (c < '0' || c > '9' || base > 64)
                    return fail();
                base = base * 10 + static_cast<unsigned>(c - '0');
            }
            digits.remove_prefix(hash + 1);
        } else if (digits.starts_with("0x") || digits.starts_with("0X")) {
            base = 16;
            digits.remove_prefix(2);
        } else if (digits.size() > 1 && digits[0] == '0') {
            base = 8;
        }
        std::uint64_t value = 0;
        for (const char c : digits) {
            unsigned digit = 64;
            if (c >= '0' && c <= '9')
                digit = static_cast<unsigned>(c - '0');
            else if (c >= 'a' && c <= 'z')
                digit = static_cast<unsigned>(c - 'a') + 10;
            else if (c >= 'A' && c <= 'Z')
                digit = static_cast<unsigned>(c - 'A') + (base <= 36 ? 10 : 36);
            if (digit >= base)
                return fail();
            value = value * base + digit;
        }
        return wrap(value);
    }

    std::int64_t variable()
    {
        std::size_t end = m_at;
        while (end < m_text.size() && isIdentifierByte(m_text[end]))
            ++end;
        const std::string name(m_text.substr(m_at, end - m_at));
        m_at = end;
        skip();
        const std::string_view rest = m_text.substr(m_at);
        if (rest.starts_with("[") || rest.starts_with("++") || rest.starts_with("--"))
            return fail();
        for (const std::string_view op : {"<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|="}) {
            if (!rest.starts_with(op))
                continue;
            m_at += op.size();
            const std::int64_t old = value(name);
            const std::int64_t right = ternary();
            return set(name, apply(op.substr(0, op.size() - 1), old, right));
        }
        if (rest.starts_with("=") && !rest.starts_with("==")) {
            ++m_at;
            return set(name, ternary());
        }
        return value(name);
    }

    std::int64_t set(const std::string &name, std::int64_t value)
    {
        if (!m_failed)
            m_evaluator.store(name, Variable::of({Gapped(std::to_string(value))}), m_span, false);
        return value;
    }

    std::int64_t value(const std::string &name)
    {
        const auto data = m_evaluator.lookup(name);
        if (data.size() != 1)
            return fail();
        if (!data.front().set || data.front().elements.empty())
            return 0;
        const Gapped &text = data.front().elements.front();
        if (!text.known() || m_depth > 20)
            return fail();
        if (text.text.empty())
            return 0;
        Arithmetic inner(m_evaluator, text.text, m_span, m_depth + 10);
        const auto result = inner.whole();
        return result ? *result : fail();
    }

    Evaluator &m_evaluator;
    std::string_view m_text;
    Span m_span;
    std::size_t m_at = 0;
    unsigned m_depth;
    bool m_failed = false;
};

std::optional<std::int64_t> Evaluator::arithmetic(const Gapped &expression, Span span)
{
    if (!spend(expression.text.size() + 4))
        return std::nullopt;
    evaluateHidden(expression, span);
    if (expression.known()) {
        if (expression.text.find_first_not_of(" \t\n") == std::string::npos)
            return 0;
        Arithmetic parser(*this, expression.text, span, 0);
        if (const auto value = parser.whole())
            return value;
    }
    const std::string &text = expression.text;
    if (text.find('=') == std::string::npos && text.find("++") == std::string::npos
        && text.find("--") == std::string::npos)
        return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!nameStart(text[i]) || (i > 0 && isIdentifierByte(text[i - 1])))
            continue;
        std::size_t end = i;
        while (end < text.size() && isIdentifierByte(text[end]))
            ++end;
        const std::string name = text.substr(i, end - i);
        const std::string target = referent(name).value_or(name);
        m_variables.edit(target.substr(0, target.find('['))).add(Variable::of({Gapped::unknown()}));
        spend(20);
        i = end;
    }
    return std::nullopt;
}

Choices Evaluator::arithmeticText(const Piece &piece)
{
    if (m_dialect == Dialect::Sh && piece.text.find_first_of("#,\"'") != std::string::npos
        && piece.text.find_first_of("$`") == std::string::npos) {
        mayLeave();
        if (m_documents == 0)
            m_state.ended = ShellState::Ended::Exit; // no expression to a POSIX shell: an error that ends it
        return {Gapped::unknown()};
    }
    Choices result;
    for (const Draft &draft : drafts(piece.operands, WordUse::Single)) {
        const Gapped expression = draft.gapped();
        const auto value = arithmetic(expression, map(piece.span));
        if (!value || m_dialect == Dialect::Sh)
            mayLeave();
        addChoice(result, value ? Gapped(std::to_string(*value)) : Gapped::unknown());
    }
    return result;
}

} // namespace portcullis::shell
