// SPDX-License-Identifier: Apache-2.0

// Texts in values that a shell evaluates without anybody writing `eval`: subscripts, arithmetic, prompts.

#include "runner/base/identifier.h"
#include "runner/shell/evaluator.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace portcullis::shell {

Choices Evaluator::evaluateExpansions(const Gapped &text, Span span)
{
    if (text.text.find_first_of("$`") == std::string::npos)
        return {text};
    if (m_depth >= m_limits.nesting) {
        beyondLimits(span, {});
        return {Gapped::unknown()};
    }
    // Read as the body of a here-document: expansions count, quotes do not.
    Gapped document("cat <<PORTCULLIS_END_OF_TEXT\n");
    document.append(text);
    document.append(Gapped("\nPORTCULLIS_END_OF_TEXT\n"));
    const ReadText &read = readGapped(document, Dialect::Bash, span);
    const ReadText *outer = std::exchange(m_text, &read);
    ++m_depth;
    Choices result;
    for (const AndOr &list : read.reading.script.lists) {
        for (const Pipeline &pipeline : list.pipelines) {
            for (const Command &command : pipeline.commands) {
                for (const Redirect &redirect : command.redirects) {
                    if (redirect.body)
                        addChoices(result, expandText(*redirect.body, WordUse::Single));
                }
            }
        }
    }
    --m_depth;
    m_text = outer;
    for (Gapped &value : result)
        value.chopNewlines();
    return result;
}

void Evaluator::evaluateTarget(const Gapped &name, Span span)
{
    noteUnread(name, span);
    const std::size_t open = name.text.find('[');
    if (open != std::string::npos)
        evaluateHidden(Gapped(name.text.substr(open + 1)), span);
}

void Evaluator::evaluateKey(const Gapped &key, Span span, bool associative)
{
    const bool outer = std::exchange(m_keysOnly, m_keysOnly || associative);
    evaluateHidden(key, span);
    m_keysOnly = outer;
}

void Evaluator::evaluateHidden(const Gapped &text, Span span)
{
    noteUnread(text, span);
    if (m_depth + 1 >= m_limits.nesting) {
        beyondLimits(span, {});
        return;
    }
    if (m_hidden == 0)
        m_hiddenNames.clear();
    ++m_hidden;
    ++m_depth;
    if (text.text.find_first_of("$`") != std::string::npos) {
        for (const Gapped &value : evaluateExpansions(text, span)) {
            if (value != text)
                evaluateHidden(value, span);
        }
    } else {
        evaluateNames(text.text, span);
    }
    --m_depth;
    --m_hidden;
}

void Evaluator::evaluateNames(std::string_view text, Span span)
{
    // Names in arithmetic are evaluated in turn: x='a[$(id)]'; ((x))
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && isIdentifierByte(text[end]))
            ++end;
        const std::string name(text.substr(i, end - i));
        i = std::max(end, i + 1);
        if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 || !spend(8)
            || m_hiddenNames.contains(name))
            continue;
        const Variable *variable = m_variables.find(name, m_level);
        if (variable == nullptr)
            continue;
        m_hiddenNames.insert(name);
        const std::vector<Datum> data = variable->choices;
        for (const Datum &datum : data) {
            for (const Gapped &element : datum.elements)
                evaluateHidden(element, span);
        }
    }
}

} // namespace portcullis::shell
