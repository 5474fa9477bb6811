// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/option_table.h"

#include <algorithm>

namespace portcullis::shell {

namespace {

class Splitter
{
public:
    Splitter(const OptionTable &table, std::span<const Value> args) : m_table(table), m_args(args)
    {
        m_result.firstOperand = args.size();
    }

    SplitArguments split()
    {
        for (; m_at < m_args.size(); ++m_at) {
            const Value &word = m_args[m_at];
            if (!m_optionsEnded && startsUnknown(word))
                m_result.unknownWord = true;
            if (m_optionsEnded || !isOption(word)) {
                if (m_table.firstWordCluster && m_at == 0 && word.known() && !word.text.empty()) {
                    cluster(word, 0);
                    continue;
                }
                operand(word);
                continue;
            }
            if (word.text == "--") {
                m_optionsEnded = true;
                if (m_result.operands.empty())
                    m_result.firstOperand = m_at + 1;
                continue;
            }
            if (word.text.starts_with("--"))
                longOption(word, 2);
            else if (m_table.singleDashLong
                     || (word.text.size() > 2 && spelled(word.text.substr(0, word.text.find('=')))))
                longOption(word, 1);
            else
                cluster(word, 1);
        }
        return std::move(m_result);
    }

private:
    static bool startsUnknown(const Value &word)
    {
        return !word.gaps.empty() && word.gaps.front() <= 1 && (word.gaps.front() == 0 || word.text.starts_with('-'));
    }

    [[nodiscard]] static bool isOption(const Value &word) { return word.text.size() > 1 && word.text[0] == '-'; }

    [[nodiscard]] bool spelled(std::string_view option) const
    {
        return std::ranges::find(m_table.spelledWithValue, option) != m_table.spelledWithValue.end();
    }

    void operand(const Value &word)
    {
        if (m_result.operands.empty())
            m_result.firstOperand = std::min(m_result.firstOperand, m_at);
        m_result.operands.push_back(word);
        m_optionsEnded = m_optionsEnded || m_table.stopAtOperand;
    }

    /// The rest of a word from `offset` on, as a value of its own.
    static Value rest(const Value &word, std::size_t offset)
    {
        Value value;
        value.text = word.text.substr(offset);
        value.quotedData = word.quotedData;
        value.span = word.span;
        for (const std::uint32_t gap : word.gaps) {
            if (gap >= offset)
                value.gaps.push_back(gap - static_cast<std::uint32_t>(offset));
        }
        for (const std::uint32_t glob : word.globs) {
            if (glob >= offset)
                value.globs.push_back(glob - static_cast<std::uint32_t>(offset));
        }
        return value;
    }

    std::optional<Value> following()
    {
        if (m_at + 1 >= m_args.size())
            return std::nullopt;
        return m_args[++m_at];
    }

    /// The full name of an abbreviation that only one known name begins with.
    [[nodiscard]] std::string completed(std::string_view name) const
    {
        std::string_view found;
        bool several = false;
        for (const auto *names : {&m_table.longWithValue, &m_table.longFlags}) {
            for (const std::string_view each : *names) {
                if (each == name)
                    return std::string(name);
                if (each.starts_with(name)) {
                    several = several || !found.empty();
                    found = each;
                }
            }
        }
        return std::string(several || found.empty() || m_table.singleDashLong ? name : found);
    }

    void longOption(const Value &word, std::size_t dashes)
    {
        const std::size_t equals = word.text.find('=');
        const std::string_view written =
            std::string_view(word.text).substr(dashes, equals == std::string::npos ? equals : equals - dashes);
        const std::string name = completed(written);
        GivenOption option;
        option.name = std::string(dashes, '-') + name;
        option.span = word.span;
        if (equals != std::string::npos)
            option.value = rest(word, equals + 1);
        else if (std::ranges::find(m_table.longWithValue, name) != m_table.longWithValue.end() || spelled(option.name))
            option.value = following();
        m_result.options.push_back(std::move(option));
    }

    void cluster(const Value &word, std::size_t from)
    {
        const bool dashless = from == 0;
        for (std::size_t i = from; i < word.text.size(); ++i) {
            const char letter = word.text[i];
            GivenOption option;
            option.name = std::string("-") + letter;
            option.span = word.span;
            const bool takes = m_table.shortWithValue.find(letter) != std::string_view::npos || spelled(option.name);
            const bool may = m_table.shortOptionalValue.find(letter) != std::string_view::npos;
            const bool glued = i + 1 < word.text.size() || (!word.gaps.empty() && word.gaps.back() > i);
            if (takes && dashless) {
                option.value = following();
            } else if ((takes || may) && glued) {
                // getopt keeps the `=` of `-o=x`; programs that do not are few
                option.value = rest(word, i + 1);
                i = word.text.size();
            } else if (takes) {
                option.value = following();
            }
            m_result.options.push_back(std::move(option));
        }
    }

    const OptionTable &m_table;
    std::span<const Value> m_args;
    SplitArguments m_result;
    std::size_t m_at = 0;
    bool m_optionsEnded = false;
};

} // namespace

SplitArguments splitArguments(const OptionTable &table, std::span<const Value> args)
{
    return Splitter(table, args).split();
}

bool listsOption(std::string_view options, std::string_view name)
{
    for (std::size_t at = options.find(name); at != std::string_view::npos; at = options.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || options[at - 1] == ' ') && end < options.size() && options[end] == ' ')
            return true;
    }
    return false;
}

} // namespace portcullis::shell
