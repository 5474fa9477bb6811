// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/path_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace portcullis::decision {
namespace {

using shell::Invocation;
using shell::Value;

/// Programs whose first operand is a pattern or a script, unless an option gives one.
struct PatternProgram {
    std::string_view name;
    std::string_view valueLetters; ///< short options with a value
    std::string_view patternLetters; ///< of these, the ones whose value is a pattern or script
    std::string_view replacingLetters; ///< options after which no operand is a pattern
};

constexpr std::array patternPrograms{
    PatternProgram{"grep", "efmABCdD", "e", "ef"},
    PatternProgram{"egrep", "efmABCdD", "e", "ef"},
    PatternProgram{"fgrep", "efmABCdD", "e", "ef"},
    PatternProgram{"zgrep", "efmABCdD", "e", "ef"},
    PatternProgram{"rg", "efgmABCtTjMEr", "egr", "ef"},
    PatternProgram{"ag", "ABCGmp", "G", ""},
    PatternProgram{"ack", "ABCm", "", ""},
    PatternProgram{"sed", "efl", "e", "ef"},
    PatternProgram{"awk", "vfFe", "eF", "fe"},
    PatternProgram{"gawk", "vfFe", "eF", "fe"},
    PatternProgram{"mawk", "vfF", "F", "f"},
    PatternProgram{"jq", "fL", "", "f"},
    PatternProgram{"yq", "", "", ""},
    PatternProgram{"tr", "", "", ""},
    PatternProgram{"expr", "", "", ""},
};

/// Options whose value is a message or a pattern for a person's or a search's eyes.
struct MessageOption {
    std::string_view program;
    std::string_view option;
};

constexpr std::array messageOptions{
    MessageOption{"git", "-m"},        MessageOption{"git", "--message"},
    MessageOption{"git", "--grep"},    MessageOption{"git", "--author"},
    MessageOption{"git", "--format"},  MessageOption{"git", "--pretty"},
    MessageOption{"git", "-S"},        MessageOption{"git", "-G"},
    MessageOption{"git", "--trailer"}, MessageOption{"gh", "--body"},
    MessageOption{"gh", "-b"},         MessageOption{"gh", "--title"},
    MessageOption{"gh", "-t"},         MessageOption{"gh", "--notes"},
    MessageOption{"gh", "-n"},         MessageOption{"glab", "--description"},
    MessageOption{"glab", "-d"},       MessageOption{"glab", "--title"},
    MessageOption{"glab", "-m"},       MessageOption{"glab", "--message"},
};

const PatternProgram *patternProgram(std::string_view name)
{
    const auto it = std::ranges::find(patternPrograms, name, &PatternProgram::name);
    return it == patternPrograms.end() ? nullptr : &*it;
}

/// Marks the values of `patternLetters` and the first operand of a pattern program.
void markPatterns(const PatternProgram &program, const std::vector<Value> &args, std::vector<bool> &data)
{
    bool given = false;
    bool options = true;
    std::size_t firstOperand = args.size();
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string_view text = args[i].text;
        if (!options || text.size() < 2 || text[0] != '-') {
            firstOperand = std::min(firstOperand, i);
            continue;
        }
        if (text == "--") {
            options = false;
            continue;
        }
        if (text.starts_with("--")) {
            if (text.starts_with("--regexp") || text.starts_with("--expression") || text.starts_with("--file")
                || text.starts_with("--from-file"))
                given = true;
            if (text.starts_with("--regexp=") || text.starts_with("--expression="))
                data[i] = true;
            continue;
        }
        const std::size_t at = text.find_first_of(program.valueLetters, 1);
        if (at == std::string_view::npos)
            continue;
        given = given || program.replacingLetters.contains(text[at]);
        const std::size_t value = at + 1 < text.size() ? i : i + 1;
        if (program.patternLetters.contains(text[at]) && value < args.size())
            data[value] = true;
        i = value;
    }
    if (!given && firstOperand < args.size())
        data[firstOperand] = true;
}

void markMessages(const Invocation &invocation, std::vector<bool> &data)
{
    for (const MessageOption &message : messageOptions) {
        if (message.program != invocation.name)
            continue;
        for (std::size_t i = 0; i < invocation.args.size(); ++i) {
            const std::string_view text = invocation.args[i].text;
            if (text == message.option && i + 1 < invocation.args.size())
                data[i + 1] = true;
            const bool longOption = message.option.starts_with("--");
            if (text.starts_with(message.option) && text.size() > message.option.size()
                && (!longOption || text[message.option.size()] == '='))
                data[i] = true;
        }
    }
}

/// What `[ a = b ]`, `[ -n a ]` look at as text.
void markCompared(const std::vector<Value> &args, std::vector<bool> &data)
{
    static constexpr std::array<std::string_view, 5> operators{"=", "==", "!=", "<", ">"};
    for (std::size_t i = 0; i + 1 < args.size(); ++i) {
        if (args[i].text == "-n" || args[i].text == "-z") {
            data[i + 1] = true;
        } else if (i > 0 && std::ranges::contains(operators, std::string_view(args[i].text))) {
            data[i - 1] = true;
            data[i + 1] = true;
        }
    }
}

bool isTar(std::string_view name)
{
    return name == "tar" || name == "gtar" || name == "bsdtar";
}

/// `tar cfC a.tar / x` and `tar -cC / x`: letters of one cluster take the following words in order.
void enteredByCluster(const std::vector<Value> &args, std::size_t at, std::vector<Value> &entered)
{
    constexpr std::string_view lettersWithValue = "CfbgTXFHIKLNV";
    std::string_view cluster = args[at].text;
    if (cluster.starts_with('-'))
        cluster.remove_prefix(1);
    std::size_t next = at + 1;
    for (const char letter : cluster) {
        if (letter == 'C' && next < args.size())
            entered.push_back(args[next]);
        if (lettersWithValue.contains(letter))
            ++next;
    }
}

} // namespace

std::vector<bool> dataArguments(const Invocation &invocation)
{
    std::vector<bool> data(invocation.args.size(), false);
    if (const PatternProgram *program = patternProgram(invocation.name))
        markPatterns(*program, invocation.args, data);
    if (invocation.name == "tr" || invocation.name == "expr")
        std::ranges::fill(data, true);
    if (invocation.name == "git" && !invocation.args.empty() && invocation.args.front().text == "grep") {
        static constexpr PatternProgram gitGrep{"git grep", "efmABCO", "e", "ef"};
        std::vector<bool> rest(invocation.args.size() - 1, false);
        markPatterns(gitGrep, {invocation.args.begin() + 1, invocation.args.end()}, rest);
        std::copy(rest.begin(), rest.end(), data.begin() + 1);
    }
    if (invocation.name == "[" || invocation.name == "test")
        markCompared(invocation.args, data);
    markMessages(invocation, data);
    // load("FILE") and load_str("FILE") open a file.
    for (std::size_t i = 0; invocation.name == "yq" && i < data.size(); ++i)
        data[i] = data[i] && !invocation.args[i].text.contains("load");
    return data;
}

bool printsArguments(const Invocation &invocation)
{
    return invocation.name == "echo" || invocation.name == "printf";
}

std::vector<Value> enteredDirectories(const Invocation &invocation)
{
    static constexpr std::array<std::string_view, 12> shortC{"git", "make", "gmake",  "ninja", "meson", "cargo",
                                                             "tar", "gtar", "bsdtar", "pnpm",  "env",   "west"};
    static constexpr std::array<std::string_view, 6> longNames{"--directory", "--cd",     "--chdir",
                                                               "--cwd",       "--prefix", "--work-tree"};
    std::vector<Value> entered;
    const std::vector<Value> &args = invocation.args;
    const bool takesC = std::ranges::contains(shortC, std::string_view(invocation.name));
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string_view text = args[i].text;
        if (isTar(invocation.name) && text.contains('C') && !text.starts_with("--")
            && ((i == 0 && !text.contains('/')) || (text.starts_with('-') && !text.starts_with("-C"))))
            enteredByCluster(args, i, entered);
        else if (takesC && text == "-C" && i + 1 < args.size())
            entered.push_back(args[i + 1]);
        else if (takesC && text.starts_with("-C") && text.size() > 2)
            entered.push_back({std::string(text.substr(2)), {}, {}, false, args[i].span});
        for (const std::string_view name : longNames) {
            if (text == name && i + 1 < args.size())
                entered.push_back(args[i + 1]);
            else if (text.starts_with(name) && text.substr(name.size()).starts_with('='))
                entered.push_back({std::string(text.substr(name.size() + 1)), {}, {}, false, args[i].span});
        }
    }
    return entered;
}

bool readsNamesFromInput(const Invocation &invocation)
{
    static constexpr std::array<std::string_view, 16> programs{"xargs", "parallel", "cpio",   "tar", "curl", "wget",
                                                               "rsync", "sqlite3",  "sftp",   "ed",  "ex",   "gdb",
                                                               "psql",  "mysql",    "aria2c", "pax"};
    const auto reads = [](std::string_view name) { return std::ranges::contains(programs, name); };
    // `wc --files0-from=-`, `git add --pathspec-from-file=-`, abbreviated or not
    const auto listsFiles = [](const Value &word) {
        return word.text.starts_with("--") && word.text.ends_with("=-")
            && (word.text.contains("file") || word.text.contains("from"));
    };
    return reads(invocation.name) || std::ranges::any_of(invocation.via, reads)
        || std::ranges::any_of(invocation.args, listsFiles);
}

std::vector<std::optional<std::string>> allDirectories(const shell::Evaluation &evaluation, const std::string &cwd)
{
    // Words of no single program, times the directories from which they are looked at.
    constexpr std::size_t mostPlaces = 8192;
    const std::size_t words = evaluation.redirections.size() + evaluation.assignments.size();
    const std::size_t most = std::min(mostDirectories, mostPlaces / std::max<std::size_t>(words, 1));
    std::set<std::optional<std::string>> directories{cwd};
    for (const shell::Invocation &invocation : evaluation.invocations) {
        if (directories.size() < most)
            directories.insert(invocation.cwd);
        else if (!directories.contains(invocation.cwd))
            directories.insert(std::nullopt);
    }
    return {directories.begin(), directories.end()};
}

} // namespace portcullis::decision
