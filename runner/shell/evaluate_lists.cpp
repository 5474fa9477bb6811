// SPDX-License-Identifier: Apache-2.0

// Lists, pipelines and compound commands.

#include "runner/shell/evaluator.h"
#include "runner/shell/shell_reader.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

namespace {

/// A word that is one literal text, else nothing.
std::string_view literalWord(const Word &word)
{
    return word.pieces.size() == 1 && word.pieces.front().kind == Piece::Kind::Text
        ? std::string_view(word.pieces.front().text)
        : std::string_view{};
}

/// Commands whose failure nobody counts on: what follows their `&&` is taken to run.
bool surelySucceeds(const Pipeline &pipeline)
{
    static constexpr std::array<std::string_view, 8> names{"cd",   "mkdir",  "true",  ":",
                                                           "echo", "export", "pushd", "set"};
    if (pipeline.commands.size() != 1 || pipeline.negated)
        return false;
    const Command &command = pipeline.commands.front();
    if (command.kind != Command::Kind::Simple)
        return false;
    return command.words.empty() || std::ranges::find(names, literalWord(command.words.front())) != names.end();
}

bool neverFails(const Pipeline &pipeline)
{
    if (pipeline.commands.size() != 1 || pipeline.negated || pipeline.commands.front().kind != Command::Kind::Simple)
        return false;
    const Command &command = pipeline.commands.front();
    if (!command.redirects.empty())
        return false;
    const auto runs = [](const Piece &piece) { return piece.kind == Piece::Kind::CommandSub; };
    if (command.words.empty())
        return std::ranges::none_of(command.assigns,
                                    [&](const Assign &each) { return std::ranges::any_of(each.value.pieces, runs); });
    const std::string_view name = literalWord(command.words.front());
    return name == "true" || name == ":" || name == "echo";
}

/// The status of `true`, `:` and `false`.
std::optional<bool> literalStatus(const Pipeline &pipeline)
{
    if (pipeline.commands.size() != 1 || pipeline.commands.front().kind != Command::Kind::Simple
        || pipeline.commands.front().words.size() != 1 || !pipeline.commands.front().redirects.empty()
        || !pipeline.commands.front().assigns.empty())
        return std::nullopt;
    const std::string_view name = literalWord(pipeline.commands.front().words.front());
    if (name != "true" && name != ":" && name != "false")
        return std::nullopt;
    return (name != "false") != pipeline.negated;
}

/// `[[ … ]]` is no command of POSIX shells: it is not found, and what follows its `&&` does not run.
bool surelyFails(const Pipeline &pipeline, Dialect dialect)
{
    return dialect == Dialect::Sh && pipeline.commands.size() == 1 && !pipeline.negated
        && pipeline.commands.front().kind == Command::Kind::Simple && !pipeline.commands.front().words.empty()
        && literalWord(pipeline.commands.front().words.front()) == "[[";
}

} // namespace

void Evaluator::script(const Script &script)
{
    lists(script.span, script.lists);
}

void Evaluator::lists(Span span, std::span<const AndOr> lists)
{
    if (m_stopped)
        return;
    if (m_depth >= m_limits.nesting) {
        beyondLimits(map(span), {});
        m_unknownRan = true;
        return;
    }
    ++m_depth;
    for (const AndOr &list : lists) {
        if (m_stopped || m_state.ended != ShellState::Ended::No)
            break;
        andOr(list);
    }
    --m_depth;
}

void Evaluator::andOr(const AndOr &list)
{
    if (list.background) {
        const Subshell copy(*this);
        const Gapped lastArgument = m_lastArgument; // a copy of the shell has its own
        const bool outer = std::exchange(m_background, true);
        ++m_pipes;
        for (const Pipeline &each : list.pipelines)
            pipeline(each, true);
        --m_pipes;
        m_background = outer;
        m_lastArgument = lastArgument;
        return;
    }
    ShellState before = m_state;
    pipeline(list.pipelines.front(), false);
    if (list.pipelines.size() == 1)
        return;

    // One pass over the chain: later pipelines see the earlier ones as done; afterwards each may not have run.
    const std::size_t mark = m_variables.mark();
    const std::size_t definitions = m_definitions.size();
    ++m_conditional;
    const auto redefined = [&](const char *name) { return m_functions.contains(std::string(name)); };
    const bool namesAreTheirOwn = m_aliases->empty() && m_lineAliases->empty() && m_disabledBuiltins.empty()
        && !redefined("true") && !redefined("false") && !redefined(":");
    bool sure = true;
    bool sureValues = true; ///< what follows a `cd` that fails is not run
    std::optional<ShellState> skipped;
    std::optional<ShellState> failed; ///< where something stood that seldom fails
    Choices texts;
    for (std::size_t i = 1; i < list.pipelines.size() && !m_stopped; ++i) {
        const bool isAnd = list.isAnd[i - 1];
        const bool spared = (i > 1 && !list.isAnd[i - 2]) || !m_aliases->empty(); // by what stands before it
        if (isAnd && !spared && surelyFails(list.pipelines[i - 1], m_dialect) && !m_functions.contains("[[")) {
            while (i < list.pipelines.size() && list.isAnd[i - 1])
                ++i;
            --i;
            continue;
        }
        const auto status = i == 1 && namesAreTheirOwn ? literalStatus(list.pipelines.front()) : std::nullopt;
        if (status && *status != isAnd) {
            while (i < list.pipelines.size() && list.isAnd[i - 1] == isAnd)
                ++i;
            --i;
            continue;
        }
        sureValues = sureValues && isAnd && neverFails(list.pipelines[i - 1]);
        if (!isAnd || !surelySucceeds(list.pipelines[i - 1])) {
            sure = false;
            if (m_sink != nullptr)
                addChoices(texts, m_sink->text);
        }
        ShellState reached = m_state;
        if (isAnd && !failed && m_state.ended == ShellState::Ended::No && !neverFails(list.pipelines[i - 1]))
            failed = before;
        if (isAnd) {
            if (!sure)
                skipped = skipped ? BranchSet::joined(*skipped, m_state) : m_state;
            if (m_state.ended != ShellState::Ended::No)
                break;
            pipeline(list.pipelines[i], false);
        } else {
            m_state.cwds = before.cwds; // it runs because the one before failed, perhaps a `cd`
            m_state.ended = ShellState::Ended::No;
            pipeline(list.pipelines[i], false);
            m_state = BranchSet::joined(reached, m_state);
        }
        before = std::move(reached);
    }
    if (skipped)
        m_state = BranchSet::joined(m_state, *skipped);
    // What ends the shell behind `cd x &&` does so only where there is that folder.
    if (failed && m_state.ended != ShellState::Ended::No) {
        m_state = *failed;
        sure = false;
    }
    if (m_sink != nullptr && !sure) {
        addChoices(texts, m_sink->text);
        m_sink->text = std::move(texts);
    }
    m_lastArgument = sure ? m_lastArgument : Gapped::unknown();
    if (sureValues)
        m_variables.keep();
    else
        m_variables.weaken(mark);
    for (std::size_t i = sureValues ? m_definitions.size() : definitions; i < m_definitions.size(); ++i) {
        for (Function &function : m_functions[m_definitions[i]])
            function.certain = false;
    }
    --m_conditional;
}

void Evaluator::pipeline(const Pipeline &pipeline, bool background)
{
    if (pipeline.commands.size() == 1) {
        command(pipeline.commands.front());
        return;
    }
    const Input *outerInput = m_input;
    Sink *outerSink = m_sink;
    Input carried;
    const Gapped lastArgument = m_lastArgument;
    m_pipes += background ? 0 : 1;
    for (std::size_t i = 0; i < pipeline.commands.size() && !m_stopped; ++i) {
        const bool last = i + 1 == pipeline.commands.size();
        Sink sink;
        m_sink = last ? outerSink : &sink;
        m_input = i == 0 ? outerInput : &carried;
        if (last && m_lastpipe) {
            command(pipeline.commands[i]);
        } else {
            const Subshell copy(*this);
            command(pipeline.commands[i]);
        }
        if (!last)
            carried = {std::move(sink.text), std::move(sink.producers)};
    }
    if (!m_lastpipe)
        m_lastArgument = lastArgument;
    m_pipes -= background ? 0 : 1;
    m_input = outerInput;
    m_sink = outerSink;
}

void Evaluator::command(const Command &command)
{
    if (m_state.ended != ShellState::Ended::No || !spend(100))
        return;
    if (command.kind == Command::Kind::Simple)
        simple(command);
    else if (command.kind == Command::Kind::Function)
        defineFunction(command);
    else if (command.redirects.empty())
        compound(command);
    else
        withRedirects(command, [&] { compound(command); });
}

bool mayFailToOpen(const Redirection &redirection)
{
    static constexpr std::array<std::string_view, 4> files{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static constexpr std::array<std::string_view, 4> descriptors{"0", "1", "2", "-"};
    if (redirection.op.starts_with("<<"))
        return false;
    if (!redirection.target.known())
        return true;
    const std::string_view target = redirection.target.text;
    const bool descriptor = redirection.op == ">&" || redirection.op == "<&";
    return !std::ranges::contains(descriptor ? descriptors : files, target) && !target.starts_with("/dev/fd/");
}

Sink Evaluator::redirected(const Run &run, const std::function<void()> &body)
{
    const Input *outerInput = m_input;
    Sink *outerSink = m_sink;
    Sink local;
    if (run.hasStdin)
        m_input = &run.stdinText;
    if (run.hidesOutput)
        m_sink = &local;
    if (std::ranges::any_of(run.redirects, mayFailToOpen))
        perhaps(body);
    else
        body();
    m_input = outerInput;
    m_sink = outerSink;
    if (run.hidesOutput)
        wroteRedirects(run, local.text, local.producers.empty() ? noSource : local.producers.back());
    return local;
}

void Evaluator::withRedirects(const Command &command, const std::function<void()> &body)
{
    Run run;
    run.span = map(command.span);
    const std::size_t pending = m_pendingOutputs.size();
    for (const Redirect &each : command.redirects)
        redirect(each, run);
    const Sink local = redirected(run, body);
    pendingOutputs(local.producers.empty() ? noSource : local.producers.back(), pending, local.text);
    std::ranges::move(run.redirects, std::back_inserter(m_result.redirections));
}

void Evaluator::compound(const Command &command)
{
    switch (command.kind) {
    case Command::Kind::Group:
        if (!command.bodies.empty())
            script(*command.bodies.front());
        break;
    case Command::Kind::Subshell: {
        const Subshell copy(*this);
        const Gapped lastArgument = m_lastArgument;
        script(*command.bodies.front());
        m_lastArgument = lastArgument;
        break;
    }
    case Command::Kind::If: {
        script(*command.bodies.front());
        const std::size_t end = command.bodies.size() - (command.hasElse ? 1 : 0);
        for (std::size_t i = 2; i < end; i += 2) {
            const std::size_t mark = m_variables.mark();
            script(*command.bodies[i]);
            m_variables.weaken(mark);
        }
        BranchSet branches(*this);
        for (std::size_t i = 1; i < command.bodies.size(); i += 2) {
            branches.begin();
            script(*command.bodies[i]);
            branches.end();
        }
        if (command.hasElse && command.bodies.size() % 2 == 1) {
            branches.begin();
            script(*command.bodies.back());
            branches.end();
        }
        branches.finish(!command.hasElse);
        break;
    }
    case Command::Kind::While:
    case Command::Kind::Until:
        whileLoop(command);
        break;
    case Command::Kind::For:
    case Command::Kind::Select:
        forLoop(command);
        break;
    case Command::Kind::ForArith:
        for (const Word &word : command.words)
            (void)expandText(word, WordUse::Single);
        repeatBody([&] { script(*command.bodies.front()); });
        break;
    case Command::Kind::Case:
        caseCommand(command);
        break;
    case Command::Kind::Test:
        testCommand(command);
        break;
    case Command::Kind::Arith:
        for (const Word &word : command.words)
            (void)expandText(word, WordUse::Single);
        break;
    case Command::Kind::Coproc:
        coprocess(command);
        break;
    default:
        break;
    }
}

void Evaluator::coprocess(const Command &command)
{
    {
        const Subshell copy(*this);
        const bool outer = std::exchange(m_background, true);
        Input unknown{{Gapped::unknown()}, {}};
        const Input *outerInput = std::exchange(m_input, &unknown);
        Sink *outerSink = std::exchange(m_sink, nullptr);
        script(*command.bodies.front());
        m_sink = outerSink;
        m_input = outerInput;
        m_background = outer;
    }
    // What bash sets when it has started one.
    const std::string name = command.name.empty() ? "COPROC" : command.name;
    Variable descriptors;
    descriptors.choices.push_back(unknownArray());
    storeArray(Gapped(name), std::move(descriptors), map(command.span));
    store(name + "_PID", Variable::of({Gapped::unknown()}), map(command.span), false);
}

void Evaluator::whileLoop(const Command &command)
{
    const Script &condition = *command.bodies.front();
    if (condition.lists.size() == 1 && condition.lists.front().pipelines.size() == 1) {
        const Pipeline &only = condition.lists.front().pipelines.front();
        const std::string_view word = only.commands.size() == 1 && only.commands.front().words.size() == 1
            ? literalWord(only.commands.front().words.front())
            : std::string_view{};
        if (word == ":" || word == "true" || word == "false" || word == "1")
            note(DynamicReason::Loop, map(command.span), std::string(word));
    }
    repeatBody([&] {
        script(condition);
        if (m_state.ended == ShellState::Ended::No && command.bodies.size() > 1)
            script(*command.bodies[1]);
    });
    // A `read` that finds no more line leaves its variables empty.
    const Pipeline &last = condition.lists.back().pipelines.back();
    const auto &words = last.commands.back().words;
    if (last.commands.size() == 1 && !words.empty() && literalWord(words.front()) == "read") {
        for (const Word &word : words) {
            if (detail::isName(literalWord(word)) && literalWord(word) != "read")
                m_variables.edit(referent(literalWord(word)).value_or(std::string(literalWord(word))))
                    .add(Variable::of({Gapped()}));
        }
    }
}

void Evaluator::caseCommand(const Command &command)
{
    for (const Word &word : command.words)
        (void)expandText(word, WordUse::Single);
    bool always = false;
    for (const Command::Case &each : command.cases) {
        for (const Word &pattern : each.patterns) {
            (void)expandText(pattern, WordUse::Pattern);
            always = always || (literalWord(pattern) == "*" && !pattern.pieces.front().quoted);
        }
    }
    BranchSet branches(*this);
    for (std::size_t i = 0; i < command.cases.size() && !m_stopped; ++i) {
        branches.begin();
        for (std::size_t j = i; j < command.cases.size() && j < i + maxChoices; ++j) {
            if (command.cases[j].body)
                script(*command.cases[j].body);
            if (!command.cases[j].terminator.ends_with('&'))
                break;
        }
        branches.end();
    }
    branches.finish(!always);
}

/// Whether a word of `[[ … ]]` between these is a file's name. Bash manual, 6.4
static bool testsFile(std::string_view before, std::string_view after)
{
    static constexpr std::string_view unary = "abcdefghkprsuwxGLNOS";
    const auto compares = [](std::string_view word) { return word == "-nt" || word == "-ot" || word == "-ef"; };
    return (before.size() == 2 && before[0] == '-' && unary.contains(before[1])) || compares(before) || compares(after);
}

void Evaluator::testCommand(const Command &command)
{
    static constexpr std::array<std::string_view, 7> arithmeticOperators{"-eq", "-ne", "-lt", "-le",
                                                                         "-gt", "-ge", "-v"};
    std::vector<std::pair<Gapped, Span>> calculated;
    for (std::size_t i = 0; i < command.words.size(); ++i) {
        const Word &word = command.words[i];
        const auto at = [&](std::size_t index) {
            return index < command.words.size() ? literalWord(command.words[index]) : std::string_view();
        };
        const auto calculates = [&](std::string_view op) {
            return std::ranges::find(arithmeticOperators, op) != arithmeticOperators.end();
        };
        const bool operand = (i > 0 && calculates(at(i - 1))) || (calculates(at(i + 1)) && at(i + 1) != "-v");
        const bool file = testsFile(i > 0 ? at(i - 1) : std::string(), at(i + 1));
        for (Gapped &value : expandText(word, WordUse::Single)) {
            if (file) // looked at as by `< file`
                m_result.redirections.push_back(
                    {"<", {}, Field::fromGapped(value, map(word.span)).value, map(word.span)});
            if (operand)
                calculated.emplace_back(std::move(value), map(word.span));
        }
    }
    for (const auto &[value, span] : calculated) {
        const std::string name = value.text.substr(0, value.text.find('['));
        const Variable *variable = m_variables.find(name, m_level);
        const bool named = value.gaps.empty() || value.gaps.front().offset > name.size();
        evaluateKey(value, span, named && variable != nullptr && variable->associative);
    }
}

} // namespace portcullis::shell
