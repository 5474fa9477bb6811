// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/code_names.h"
#include "runner/base/identifier.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace portcullis::rules {

namespace {

// Nobody writes longer texts into a command line by hand, or longer names.
constexpr std::size_t maxText = 64UL * 1024UL;
constexpr std::size_t maxName = 200;

struct Token {
    enum class Kind { Name, String, Mark, Line };
    Kind kind = Kind::Mark;
    std::string_view text; ///< of a string: what is inside its quotes
    std::size_t start = 0;
    std::size_t end = 0;
};

bool isNameByte(char c)
{
    return isIdentifierByte(c) || c == '$' || c == '.';
}

std::vector<Token> tokensOf(std::string_view text)
{
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t start = at;
        const char c = text[at];
        if (c == '\'' || c == '"' || c == '`') {
            for (++at; at < text.size() && text[at] != c; ++at)
                at += text[at] == '\\' ? 1 : 0;
            const std::size_t close = std::min(at, text.size());
            at = std::min(at + 1, text.size());
            tokens.push_back({Token::Kind::String, text.substr(start + 1, close - start - 1), start, at});
        } else if (isNameByte(c)) {
            while (at < text.size() && isNameByte(text[at]))
                ++at;
            tokens.push_back({Token::Kind::Name, text.substr(start, at - start), start, at});
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++at;
        } else {
            ++at;
            tokens.push_back({c == '\n' ? Token::Kind::Line : Token::Kind::Mark, text.substr(start, 1), start, at});
        }
    }
    return tokens;
}

class NameResolver
{
public:
    NameResolver(std::string_view language, std::string_view text)
        : m_python(language == "python"), m_text(text), m_tokens(tokensOf(text))
    {
    }

    std::string resolve()
    {
        for (std::size_t at = 0; at < m_tokens.size(); ++at)
            collect(at);
        std::string out;
        std::size_t copied = 0;
        for (std::size_t at = 0; at < m_tokens.size();) {
            std::size_t next = at;
            const std::optional<std::string> chain = readChain(next);
            if (!chain || isTarget(at, next) || *chain == m_tokens[at].text) {
                ++at;
                continue;
            }
            out.append(m_text, copied, m_tokens[at].start - copied);
            out += *chain;
            copied = m_tokens[next - 1].end;
            at = next;
        }
        if (copied == 0)
            return {};
        out.append(m_text, copied);
        return out;
    }

private:
    [[nodiscard]] bool is(std::size_t at, std::string_view text) const
    {
        return at < m_tokens.size() && m_tokens[at].kind != Token::Kind::String && m_tokens[at].text == text;
    }
    [[nodiscard]] bool isKind(std::size_t at, Token::Kind kind) const
    {
        return at < m_tokens.size() && m_tokens[at].kind == kind;
    }
    [[nodiscard]] bool isName(std::size_t at) const
    {
        return isKind(at, Token::Kind::Name) && !m_tokens[at].text.starts_with('.');
    }

    /// Whether the tokens from `at` to `next` are what is assigned to, imported or named.
    [[nodiscard]] bool isTarget(std::size_t at, std::size_t next) const
    {
        const bool assigned = (is(next, "=") && !is(next + 1, "=")) || m_targets.contains(at);
        return assigned || is(next, ":") || is(at + 1, "as") || (at > 0 && (is(at - 1, "as") || is(at - 1, "import")));
    }

    static std::string module(std::string_view name)
    {
        return std::string(name.starts_with("node:") ? name.substr(5) : name);
    }

    /// `__import__('x')`, `importlib.import_module('x')`, `require('x')`, `import('x')`; `at` moves past it.
    std::optional<std::string> readImport(std::size_t &at) const
    {
        const std::string_view name = m_tokens[at].text;
        const bool imports = m_python ? name == "__import__" || name.ends_with("import_module")
                                      : name == "require" || name == "import" || name.ends_with(".getBuiltinModule");
        if (!imports || !is(at + 1, "(") || !isKind(at + 2, Token::Kind::String) || !is(at + 3, ")"))
            return std::nullopt;
        at += 4;
        return module(m_tokens[at - 2].text);
    }

    /// `getattr(x, 'y')` and `vars(x)['y']` of Python are `x.y`.
    std::optional<std::string> readAttribute(std::size_t &at) const
    {
        const bool get = m_tokens[at].text == "getattr";
        if (!m_python || (!get && m_tokens[at].text != "vars") || !is(at + 1, "("))
            return std::nullopt;
        std::size_t next = at + 2;
        const std::optional<std::string> object = m_depth < 8 ? readNested(next) : std::nullopt;
        if (!object || !is(next, get ? "," : ")"))
            return std::nullopt;
        next += get ? 1 : 2; // past `,`, or past `)` and `[`
        std::string name;
        while (isKind(next, Token::Kind::String) || is(next, "+"))
            name +=
                m_tokens[next].kind == Token::Kind::String ? m_tokens[next++].text : m_tokens[next++].text.substr(1);
        if (name.empty() || (!get && !is(next - 2, "[") && !is(next, "]")) || (get && !is(next, ")")))
            return std::nullopt;
        at = next + 1;
        return *object + "." + name;
    }

    std::optional<std::string> readNested(std::size_t &at) const
    {
        ++m_depth;
        auto chain = readChain(at);
        --m_depth;
        return chain;
    }

    /// A name with what it stands for in front, and attributes behind; `at` moves past it.
    std::optional<std::string> readChain(std::size_t &at) const
    {
        if (!isName(at))
            return std::nullopt;
        std::size_t next = at;
        std::optional<std::string> chain = readImport(next);
        if (!chain)
            chain = readAttribute(next);
        if (!chain) {
            const std::string_view name = m_tokens[at].text;
            const std::size_t dot = std::min(name.find('.'), name.size());
            const auto known = m_names.find(name.substr(0, dot));
            chain = known == m_names.end() ? std::string(name) : known->second + std::string(name.substr(dot));
            ++next;
        }
        if (isKind(next, Token::Kind::Name) && m_tokens[next].text.starts_with('.'))
            *chain += m_tokens[next++].text;
        if (chain->size() > maxName)
            return std::nullopt;
        at = next;
        return chain;
    }

    /// The value of an assignment that is a name and nothing else, or a call without arguments of one.
    std::optional<std::string> readValue(std::size_t at) const
    {
        if (is(at, "await") || is(at, "new"))
            ++at;
        std::optional<std::string> chain = readChain(at);
        if (chain && is(at, "(") && is(at + 1, ")")) {
            *chain += "()";
            at += 2;
        }
        const bool ends = at >= m_tokens.size() || isKind(at, Token::Kind::Line) || is(at, ";") || is(at, ",")
            || is(at, ")") || is(at, "as");
        return ends ? chain : std::nullopt;
    }

    void remember(std::string_view name, std::string full)
    {
        // A name that stands for something longer made of itself would grow without end.
        constexpr std::size_t maxNames = 256;
        if (name != full && !name.contains('.') && full.size() <= maxName && m_names.size() < maxNames
            && full.substr(0, full.find_first_of(".(")) != name)
            m_names.insert_or_assign(std::string(name), std::move(full));
    }

    void collect(std::size_t at)
    {
        if (isName(at) && is(at + 1, "=") && !is(at + 2, "=")) {
            if (const auto value = readValue(at + 2))
                remember(m_tokens[at].text, *value);
        } else if (is(at, "with")) {
            collectWith(at + 1);
        } else if (m_python && is(at, "from") && isName(at + 1) && is(at + 2, "import")) {
            collectNames(at + 3, std::string(m_tokens[at + 1].text) + ".");
        } else if (m_python && is(at, "import") && (at < 2 || !is(at - 2, "from"))) {
            collectNames(at + 1, {});
        } else if (!m_python && is(at, "import")) {
            collectScriptImport(at + 1);
        } else if (!m_python && is(at, "{")) {
            collectDestructuring(at + 1);
        }
    }

    void collectWith(std::size_t at)
    {
        const auto value = readValue(at);
        for (std::size_t end = at; value && end < std::min(at + 8, m_tokens.size()); ++end) {
            if (is(end, "as") && isName(end + 1)) {
                remember(m_tokens[end + 1].text, *value);
                return;
            }
        }
    }

    /// `a as b, c`: Python names behind `import`, each of them an attribute of `prefix`.
    void collectNames(std::size_t at, const std::string &prefix)
    {
        at += is(at, "(") ? 1 : 0;
        while (isName(at)) {
            const std::string full = prefix + std::string(m_tokens[at].text);
            const bool renamed = is(at + 1, "as") && isName(at + 2);
            remember(m_tokens[renamed ? at + 2 : at].text, full);
            at += renamed ? 3 : 1;
            if (!is(at, ","))
                return;
            ++at;
        }
    }

    /// `{a, b: c} = x` and `{a, b as c} from 'x'`.
    void collectDestructuring(std::size_t at)
    {
        std::vector<std::pair<std::string_view, std::string_view>> names; // local name, attribute
        std::vector<std::size_t> places;
        while (isName(at) && names.size() < 64) {
            const bool renamed = (is(at + 1, ":") || is(at + 1, "as")) && isName(at + 2);
            names.emplace_back(m_tokens[renamed ? at + 2 : at].text, m_tokens[at].text);
            places.push_back(renamed ? at + 2 : at);
            at += renamed ? 3 : 1;
            if (!is(at, ","))
                break;
            ++at;
        }
        if (!is(at, "}"))
            return;
        std::optional<std::string> object;
        if (is(at + 1, "="))
            object = readValue(at + 2);
        else if (is(at + 1, "from") && isKind(at + 2, Token::Kind::String))
            object = module(m_tokens[at + 2].text);
        if (!object)
            return;
        for (const auto &[local, attribute] : names)
            remember(local, *object + "." + std::string(attribute));
        m_targets.insert(places.begin(), places.end());
    }

    /// `import x from 'y'` and `import * as x from 'y'`.
    void collectScriptImport(std::size_t at)
    {
        at += is(at, "*") && is(at + 1, "as") ? 2 : 0;
        if (isName(at) && is(at + 1, "from") && isKind(at + 2, Token::Kind::String))
            remember(m_tokens[at].text, module(m_tokens[at + 2].text));
    }

    bool m_python;
    std::string_view m_text;
    std::vector<Token> m_tokens;
    std::map<std::string, std::string, std::less<>> m_names;
    std::set<std::size_t> m_targets; ///< tokens that destructuring assigns to
    mutable int m_depth = 0;
};

} // namespace

std::string withFullNames(std::string_view language, std::string_view text)
{
    if ((language != "python" && language != "node") || text.size() > maxText)
        return {};
    return NameResolver(language, text).resolve();
}

} // namespace portcullis::rules
