// SPDX-License-Identifier: Apache-2.0
#include "describe_evaluation.h"

#include <QStringList>

#include <algorithm>

namespace portcullis::test {

using namespace shell;

EvaluationContext testContext(Dialect dialect)
{
    EvaluationContext context;
    context.dialect = dialect;
    context.cwd = "/srv/w";
    context.variables = {{"HOME", "/srv/w"}, {"PATH", "/usr/bin:/bin"}};
    return context;
}

Evaluation evaluated(std::string_view text, Dialect dialect)
{
    return evaluate(text, testContext(dialect));
}

QString describe(const Value &value)
{
    std::string text;
    std::size_t gap = 0;
    for (std::size_t i = 0; i <= value.text.size(); ++i) {
        bool open = false;
        for (; gap < value.gaps.size() && value.gaps[gap] == i; ++gap)
            open = true;
        if (open)
            text += "<?>";
        if (i < value.text.size())
            text += value.text[i];
    }
    const QString result = QString::fromStdString(text);
    return result.isEmpty() || result.contains(u' ') || result.contains(u'\n') ? u'\'' + result + u'\'' : result;
}

QString programs(const Evaluation &evaluation)
{
    QStringList all;
    for (const Invocation &invocation : evaluation.invocations) {
        QString line = invocation.guessed ? QStringLiteral("~") : QString();
        line += describe(invocation.program);
        for (const Value &arg : invocation.args)
            line += u' ' + describe(arg);
        if (!all.contains(line))
            all += line;
    }
    return all.join(QStringLiteral("; "));
}

QString flows(const Evaluation &evaluation)
{
    const auto name = [&](std::uint32_t index) {
        const std::string &known = evaluation.invocations[index].name;
        return known.empty() ? QStringLiteral("?") : QString::fromStdString(known);
    };
    QStringList all;
    for (const Flow &flow : evaluation.flows) {
        all += name(flow.from) + QStringLiteral(" -> ") + name(flow.to)
            + (flow.asCode ? QStringLiteral(" code") : QString())
            + (flow.asArgument ? QStringLiteral(" argument") : QString());
    }
    for (const FileFlow &flow : evaluation.fileFlows) {
        all += u'<' + describe(flow.file) + QStringLiteral(" -> ") + name(flow.to)
            + (flow.asArgument ? QStringLiteral(" argument") : QString());
    }
    all.sort();
    all.removeDuplicates();
    return all.join(QStringLiteral("; "));
}

QString reasons(const Evaluation &evaluation)
{
    QStringList all;
    for (const DynamicNote &note : evaluation.dynamic) {
        const std::string_view name = nameOf(note.reason);
        all += QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    all.sort();
    all.removeDuplicates();
    return all.join(u' ');
}

bool has(const Evaluation &evaluation, Construct construct)
{
    return std::ranges::any_of(evaluation.constructs,
                               [&](const ConstructUse &use) { return use.construct == construct; });
}

bool starts(const Evaluation &evaluation, std::string_view name)
{
    return std::ranges::any_of(evaluation.invocations,
                               [&](const Invocation &invocation) { return invocation.name == name; });
}

} // namespace portcullis::test
