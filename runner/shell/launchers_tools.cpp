// SPDX-License-Identifier: Apache-2.0

// Programs that start others in ways of their own: multi-call programs, terminals, debuggers, `cmake -E`.

#include "runner/shell/evaluator.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

namespace {

/// What the operands of one of tmux's commands are.
enum class Operands { Shell, Tmux, Keys, Condition, Named, Setting };

struct TmuxCommand {
    std::string_view name;
    std::string_view alias;
    std::string_view withValue; ///< letters of options with a value
    Operands operands;
};

// tmux(1), 3.5
constexpr std::array<TmuxCommand, 17> tmuxTable{{
    {"new-session", "new", "cefFnstxy", Operands::Shell},
    {"new-window", "neww", "ceFnt", Operands::Shell},
    {"split-window", "splitw", "ceFlpt", Operands::Shell},
    {"respawn-pane", "respawnp", "cet", Operands::Shell},
    {"respawn-window", "respawnw", "cet", Operands::Shell},
    {"run-shell", "run", "cdt", Operands::Shell},
    {"pipe-pane", "pipep", "t", Operands::Shell},
    {"display-popup", "popup", "bcdehsStTwxy", Operands::Shell},
    {"if-shell", "if", "t", Operands::Condition},
    {"send-keys", "send", "cNt", Operands::Keys},
    {"confirm-before", "confirm", "cpt", Operands::Tmux},
    {"command-prompt", "", "IpTt", Operands::Tmux},
    {"set-hook", "", "t", Operands::Named},
    {"bind-key", "bind", "NT", Operands::Named},
    {"set-option", "set", "t", Operands::Setting},
    {"set-window-option", "setw", "t", Operands::Setting},
    {"copy-pipe", "", "", Operands::Shell},
}};

const TmuxCommand *tmuxCommandNamed(std::string_view word)
{
    if (word.empty())
        return nullptr;
    for (const TmuxCommand &each : tmuxTable) {
        if (word == each.name || word == each.alias)
            return &each;
    }
    // Any abbreviation that fits one name.
    constexpr std::size_t shortest = 4;
    const auto begins = [&](const TmuxCommand &each) { return each.name.starts_with(word); };
    const auto found = std::ranges::find_if(tmuxTable, begins);
    return word.size() >= shortest && found != tmuxTable.end() ? &*found : nullptr;
}

/// Text that keys type into a shell. Named keys that do not write a character end the line.
void appendKey(Gapped &typed, const Field &key)
{
    const std::string &name = key.value.text;
    const bool modified = name.size() > 2 && name[1] == '-' && std::string_view("CMS").contains(name[0]);
    static constexpr std::array<std::string_view, 10> others{"Enter", "KPEnter", "Escape", "Up",  "Down",
                                                             "Left",  "Right",   "BSpace", "Tab", "BTab"};
    if (name == "Space")
        typed.append(Gapped(" "));
    else if (modified || std::ranges::contains(others, name))
        typed.append(Gapped("\n"));
    else
        typed.append(key.gapped());
}

Gapped joined(std::span<const Field> words)
{
    Gapped text;
    for (const Field &word : words) {
        if (&word != words.data())
            text.append(Gapped(" "));
        text.append(word.gapped());
    }
    return text;
}

/// The words of a text, with quotes and backslashes as in most command languages.
std::vector<Field> quotedWords(std::string_view text, Span span)
{
    std::vector<Field> words;
    std::string word;
    bool any = false;
    char quote = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ' ';
        const bool blank = c == ' ' || c == '\t' || c == '\n';
        if (quote == 0 && blank) {
            if (any)
                words.push_back(Field::fromGapped(Gapped(std::exchange(word, {})), span));
            any = false;
            continue;
        }
        any = true;
        if (c == quote && quote != 0)
            quote = 0;
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == '\\' && quote != '\'' && i + 1 < text.size())
            word += text[++i];
        else
            word += c;
    }
    return words;
}

} // namespace

void Evaluator::launchTmux(const Run &run, std::uint32_t invocation)
{
    std::span<const Field> words(run.words);
    std::size_t at = 1;
    for (; at < words.size() && words[at].value.text.starts_with('-') && words[at].value.text.size() > 1; ++at) {
        const std::string &option = words[at].value.text;
        if (!std::string_view("cfLST").contains(option.back()))
            continue;
        ++at;
        if (option.back() == 'c' && at < words.size())
            launchText(words[at].gapped(), words[at].value.span, invocation, run, "tmux");
    }
    if (at < words.size())
        tmuxCommands(words.subspan(at), run, invocation, 0);
    for (const Field &word : words) {
        // #(…) in a format is a line for the shell.
        const std::string &text = word.value.text;
        for (std::size_t open = text.find("#("); open != std::string::npos; open = text.find("#(", open + 2)) {
            const std::size_t close = std::min(text.find(')', open), text.size());
            launchText(Gapped(text.substr(open + 2, close - open - 2)), word.value.span, invocation, run, "tmux");
        }
    }
}

void Evaluator::tmuxCommands(std::span<const Field> words, const Run &run, std::uint32_t invocation, unsigned depth)
{
    constexpr unsigned deepest = 4;
    if (depth > deepest) {
        beyondLimits(run.span, "tmux");
        return;
    }
    std::vector<Field> one;
    for (const Field &word : words) {
        const std::string &text = word.value.text;
        const bool ends = text.ends_with(';') && !text.ends_with("\\;");
        if (!ends || text.size() > 1)
            one.push_back(ends ? Field::fromGapped(Gapped(text.substr(0, text.size() - 1)), word.value.span) : word);
        if (ends)
            tmuxCommand(std::exchange(one, {}), run, invocation, depth);
    }
    tmuxCommand(one, run, invocation, depth);
}

void Evaluator::tmuxCommand(std::span<const Field> words, const Run &run, std::uint32_t invocation, unsigned depth)
{
    const TmuxCommand *command = words.empty() ? nullptr : tmuxCommandNamed(words.front().value.text);
    if (command == nullptr)
        return;
    bool asTmux = command->operands == Operands::Tmux;
    bool copyMode = false;
    std::size_t at = 1;
    for (; at < words.size() && words[at].value.text.size() > 1 && words[at].value.text[0] == '-'; ++at) {
        const std::string &option = words[at].value.text;
        if (option == "--") {
            ++at;
            break;
        }
        asTmux = asTmux || (command->name == "run-shell" && option.contains('C'));
        copyMode = copyMode || (command->operands == Operands::Keys && option.contains('X'));
        const std::size_t letter = option.find_first_of(command->withValue, 1);
        at += letter + 1 == option.size() ? 1 : 0;
    }
    std::span<const Field> rest = words.subspan(std::min(at, words.size()));
    if (rest.empty())
        return;
    const Span span = rest.front().value.span;
    const auto shellText = [&](const Gapped &text) { launchText(text, span, invocation, run, "tmux"); };
    const auto tmuxText = [&](std::span<const Field> parts) {
        tmuxCommands(parts.size() == 1 ? quotedWords(parts.front().value.text, span)
                                       : std::vector(parts.begin(), parts.end()),
                     run, invocation, depth + 1);
    };
    switch (command->operands) {
    case Operands::Shell:
        asTmux ? tmuxText(rest) : shellText(joined(rest));
        break;
    case Operands::Tmux:
        tmuxText(rest);
        break;
    case Operands::Named:
        tmuxText(rest.subspan(1));
        break;
    case Operands::Condition:
        shellText(rest.front().gapped());
        for (const Field &word : rest.subspan(1))
            tmuxText(std::span(&word, 1));
        break;
    case Operands::Setting:
        if (rest.size() > 1 && rest.front().value.text.ends_with("-command"))
            shellText(joined(rest.subspan(1)));
        break;
    case Operands::Keys: {
        Gapped typed;
        for (const Field &key : rest.subspan(copyMode ? 1 : 0))
            appendKey(typed, key);
        if (!typed.known() || typed.text.find_first_not_of(" \n") != std::string::npos)
            shellText(typed);
        break;
    }
    }
}

void Evaluator::launchScreen(Run &run, std::uint32_t invocation)
{
    std::size_t at = 1;
    bool message = false;
    for (; at < run.words.size() && run.words[at].value.text.size() > 1 && run.words[at].value.text[0] == '-'; ++at) {
        const std::string &option = run.words[at].value.text;
        if (option.contains('X')) {
            message = true;
            ++at;
            break;
        }
        at += option.size() > 1 && std::string_view("cehpsStT").contains(option.back()) ? 1 : 0;
    }
    if (!message || at >= run.words.size()) {
        launchWords(run, at, invocation, "screen");
        return;
    }
    const std::span<const Field> rest = std::span<const Field>(run.words).subspan(at + 1);
    if (run.words[at].value.text == "stuff" || run.words[at].value.text == "eval") {
        for (const Field &word : rest) {
            std::string text = word.value.text;
            text = text.starts_with("stuff ") ? quotedWords(text.substr(6), word.value.span).front().value.text : text;
            for (std::size_t i = text.find("^M"); i != std::string::npos; i = text.find("^M", i))
                text.replace(i, 2, "\n");
            launchText(word.value.known() ? Gapped(text) : word.gapped(), word.value.span, invocation, run, "screen");
        }
    } else if (run.words[at].value.text == "exec" || run.words[at].value.text == "screen") {
        std::size_t first = at + 1;
        while (first < run.words.size() && run.words[first].value.text.find_first_not_of(".!|-0123456789t") != 0
               && run.words[first].value.text.find_first_not_of(".!|:-0123456789t") == std::string::npos)
            ++first;
        launchWords(run, first, invocation, "screen");
    }
}

void Evaluator::launchApplet(Run &run, std::uint32_t invocation, std::string_view via)
{
    if (run.words.size() > 1) {
        Field &first = run.words[1];
        for (const std::string_view option : {"--coreutils-prog=", "--coreutils-prog-shebang="}) {
            if (first.value.text.starts_with(option))
                first = first.from(option.size());
        }
    }
    launchWords(run, 1, invocation, via);
}

void Evaluator::launchBehind(const Launcher &launcher, Run &run, std::uint32_t invocation)
{
    if (!launcher.textOptions.empty())
        optionPrograms(launcher, run, invocation);
    const auto starts = [&](const Field &word) { return std::ranges::contains(launcher.behind, word.value.text); };
    const auto found = std::ranges::find_if(run.words, starts);
    if (found == run.words.end())
        return;
    const auto at = static_cast<std::size_t>(found - run.words.begin()) + 1;
    const bool oneText = at + 1 == run.words.size() && run.words[at].value.text.contains(' ');
    launchFrom(launcher, run, at, oneText, invocation);
}

void Evaluator::launchCMake(Run &run, std::uint32_t invocation)
{
    // cmake(1), "Run a Command-Line Tool"
    if (run.words.size() < 4 || run.words[1].value.text != "-E")
        return;
    const std::string tool = run.words[2].value.text;
    const Span span = run.words[2].value.span;
    if (tool == "env" || tool == "time" || tool == "rm") {
        launchWords(run, 2, invocation, "cmake");
    } else if (tool == "chdir") {
        launchWords(run, 4, invocation, "cmake");
    } else if (tool == "remove_directory" || tool == "remove") {
        run.words[2] = Field::fromGapped(Gapped("rm"), span);
        if (tool == "remove_directory")
            run.words.insert(run.words.begin() + 3, Field::fromGapped(Gapped("-r"), span));
        launchWords(run, 2, invocation, "cmake");
    }
}

} // namespace portcullis::shell
