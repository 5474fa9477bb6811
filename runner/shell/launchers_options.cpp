// SPDX-License-Identifier: Apache-2.0

// Commands that stand in options, settings and environment variables of other programs.

#include "runner/shell/evaluator.h"

#include "runner/shell/git_options.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

namespace {

Gapped tail(const Value &value, std::size_t offset)
{
    Gapped text(value.text.substr(std::min(offset, value.text.size())));
    for (const std::uint32_t gap : value.gaps) {
        if (gap >= offset)
            text.gaps.push_back({gap - static_cast<std::uint32_t>(offset), noSource});
    }
    return text;
}

std::string lower(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

/// Whether a command with an option table of its own runs the value of this option.
bool gitRunsValue(std::string_view option)
{
    static constexpr std::array<std::string_view, 7> options{
        "-x", "--exec", "--extcmd", "-O", "--open-files-in-pager", "-u", "--upload-pack"};
    return std::ranges::find(options, option) != options.end();
}

/// Settings of git whose value is run by a shell.
bool gitCommandKey(const std::string &key)
{
    static constexpr std::array<std::string_view, 14> whole{"core.sshcommand",
                                                            "core.pager",
                                                            "core.editor",
                                                            "core.fsmonitor",
                                                            "core.askpass",
                                                            "core.gitproxy",
                                                            "sequence.editor",
                                                            "diff.external",
                                                            "credential.helper",
                                                            "gpg.program",
                                                            "gpg.ssh.program",
                                                            "gpg.openpgp.program",
                                                            "uploadpack.packobjectshook",
                                                            "interactive.difffilter"};
    static constexpr std::array<std::string_view, 9> ends{
        ".textconv", ".clean", ".smudge", ".process", ".driver", ".cmd", ".uploadpack", ".receivepack", ".helper"};
    return std::ranges::find(whole, key) != whole.end() || key.starts_with("pager.")
        || std::ranges::any_of(ends, [&](std::string_view end) { return key.ends_with(end); });
}

} // namespace

void Evaluator::optionPrograms(const Launcher &launcher, Run &run, std::uint32_t invocation)
{
    std::vector<Value> args;
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.push_back(run.words[i].value);
    const SplitArguments split = splitArguments(launcherOptions(launcher), args);
    const auto listed = [](const std::vector<std::string_view> &names, const std::string &name) {
        return std::ranges::find(names, name) != names.end();
    };
    if (!launcher.verbs.empty() && (split.operands.empty() || !listed(launcher.verbs, split.operands.front().text)))
        return;
    bool given = false;
    for (const GivenOption &option : split.options) {
        if (!option.value)
            continue;
        const Value &value = *option.value;
        if (listed(launcher.textOptions, option.name)) {
            launchText(tail(value, 0), value.span, invocation, run, launcher.name);
            given = true;
        }
        const std::string text = lower(value.text);
        if (option.name == "-o" && (launcher.name == "ssh" || launcher.name == "scp" || launcher.name == "sftp")) {
            for (const std::string_view key : {"proxycommand", "localcommand", "knownhostscommand"}) {
                if (text.starts_with(key))
                    launchText(tail(value, std::min(text.find_first_not_of("= \t", key.size()), text.size())),
                               value.span, invocation, run, launcher.name);
            }
        }
        if (launcher.name == "tar" && option.name == "--checkpoint-action" && text.starts_with("exec="))
            launchText(tail(value, 5), value.span, invocation, run, "tar");
    }
    if (launcher.kind == Launcher::Kind::OptionsOnly && !launcher.behind.empty()) {
        const auto starts = [&](const Field &word) { return std::ranges::contains(launcher.behind, word.value.text); };
        const auto found = std::ranges::find_if(run.words, starts);
        launchWords(run, static_cast<std::size_t>(found - run.words.begin()) + 1, invocation, launcher.name);
    }
    if (launcher.skip > 0 && !given) {
        std::size_t at = split.firstOperand + launcher.skip;
        at += at < args.size() && args[at].text == "--" ? 1 : 0;
        launchWords(run, at + 1, invocation, launcher.name);
    }
    if (launcher.name == "capsh") {
        const auto dashes = std::ranges::find(args, std::string("--"), &Value::text);
        if (dashes != args.end()) {
            Run nested = run;
            nested.words.erase(nested.words.begin() + 1, nested.words.begin() + 2 + (dashes - args.begin()));
            nested.words.front().value.text = "bash";
            launchWords(nested, 0, invocation, "capsh");
        }
    }
}

void Evaluator::gitSetting(std::string_view setting, const Value &word, std::size_t offset, std::uint32_t invocation,
                           const Run &run)
{
    const std::size_t equals = setting.find_first_of("= ");
    if (equals == std::string_view::npos)
        return;
    const std::string key = lower(setting.substr(0, equals));
    const std::size_t at = offset + equals + 1;
    const bool shellAlias =
        key.starts_with("alias.") && word.text.substr(std::min(at, word.text.size())).starts_with('!');
    const bool helper =
        key.ends_with("helper") && word.text.substr(std::min(at, word.text.size())).find_first_of("!/") != 0;
    if (shellAlias || (gitCommandKey(key) && !helper))
        launchText(tail(word, at + (word.text.substr(std::min(at, word.text.size())).starts_with('!') ? 1 : 0)),
                   word.span, invocation, run, "git");
}

void Evaluator::launchOption(std::string_view verb, const Value &value, const Run &run, std::uint32_t invocation)
{
    Gapped text = tail(value, 0);
    if (text.text.empty() && text.known()) // of a variable that nothing here sets
        text = Gapped::unknown();
    if (verb == "difftool") { // the names of two files stand behind it
        text.append(Gapped(" "));
        text.append(Gapped::unknown());
    }
    launchText(text, value.span, invocation, run, "git");
}

bool Evaluator::launchForeach(const Run &run, std::size_t at, std::uint32_t invocation)
{
    const auto skipOptions = [&] {
        while (at < run.words.size() && run.words[at].value.text.starts_with('-'))
            ++at;
    };
    skipOptions();
    if (at >= run.words.size() || run.words[at].value.text != "foreach")
        return false;
    ++at;
    skipOptions();
    if (at >= run.words.size())
        return true;
    // git hands several words to a shell, too, when the first is more than a name: `first "$@"`.
    static constexpr std::string_view special = "|&;<>()$`\\\"' \t\n*?[#~=%";
    const Field &first = run.words[at];
    const bool alone = at + 1 == run.words.size();
    if (!alone && first.value.known() && first.value.text.find_first_of(special) == std::string::npos) {
        Run nested = run;
        launchWords(nested, at, invocation, "git");
        return true;
    }
    Run nested = run;
    for (const char *name : {"name", "sm_path", "path", "displayname", "sha1", "toplevel"})
        nested.assigns.push_back({name, Field::fromGapped(Gapped::unknown(), run.span).value, true, run.span});
    Gapped text = first.gapped();
    std::vector<Gapped> words;
    for (std::size_t i = at; i < run.words.size(); ++i)
        words.push_back(run.words[i].gapped());
    if (!alone)
        text.append(Gapped(" \"$@\""));
    m_via.emplace_back("git");
    shellCode(alone ? first : Field::fromGapped(text, first.value.span), std::nullopt, nested, invocation,
              std::move(words));
    m_via.pop_back();
    return true;
}

void Evaluator::launchGit(const Run &run, std::uint32_t invocation)
{
    std::vector<Value> args;
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.push_back(run.words[i].value);
    std::size_t at = 0;
    for (; at < args.size() && args[at].text.starts_with('-'); ++at) {
        const std::string &option = args[at].text;
        if (option == "-c" && at + 1 < args.size())
            gitSetting(args[at + 1].text, args[at + 1], 0, invocation, run);
        if (option == "-c" || option == "-C" || option == "--git-dir" || option == "--work-tree"
            || option == "--namespace" || option == "--config-env" || option == "--exec-path")
            ++at;
    }
    if (at >= args.size())
        return;
    const std::string &verb = args[at].text;
    const auto text = [&](std::size_t i, std::size_t offset) {
        launchText(tail(args[i], offset), args[i].span, invocation, run, "git");
    };
    if (verb == "bisect" && at + 2 < args.size() && args[at + 1].text == "run") {
        Run nested = run;
        launchWords(nested, at + 3, invocation, "git");
        return;
    }
    if (verb == "submodule" && launchForeach(run, at + 2, invocation))
        return;
    if (verb == "config" && at + 2 < args.size() && args.back().text.starts_with('!')) {
        text(args.size() - 1, 1);
        return;
    }
    if (const OptionTable *table = gitCommandOptions(verb)) {
        for (const GivenOption &option : splitArguments(*table, std::span(args).subspan(at + 1)).options) {
            if (option.value && (option.name == "-c" || option.name == "--config"))
                gitSetting(option.value->text, *option.value, 0, invocation, run);
            else if (option.value && gitRunsValue(option.name))
                launchOption(verb, *option.value, run, invocation);
        }
    }
    static constexpr std::array<std::string_view, 14> withCommand{
        "--exec",         "--upload-pack",   "--receive-pack", "--tree-filter",   "--index-filter",
        "--msg-filter",   "--commit-filter", "--env-filter",   "--parent-filter", "--tag-name-filter",
        "--sendmail-cmd", "--to-cmd",        "--cc-cmd",       "--setup"};
    static constexpr std::array<std::string_view, 6> verbs{"fetch",         "push",       "archive",
                                                           "filter-branch", "send-email", "fetch-pack"};
    const bool opens = std::ranges::find(verbs, verb) != verbs.end();
    for (std::size_t i = at + 1; i < args.size(); ++i) {
        const std::string &word = args[i].text;
        if (word.starts_with("ext::"))
            text(i, 5);
        if (!opens || !word.starts_with('-'))
            continue;
        const std::size_t equals = word.find('=');
        const std::string_view name = std::string_view(word).substr(0, equals);
        if (std::ranges::find(withCommand, name) == withCommand.end())
            continue;
        if (equals != std::string::npos)
            text(i, equals + 1);
        else if (i + 1 < args.size() && !args[i + 1].text.starts_with('-'))
            text(i + 1, 0);
    }
}

void Evaluator::environmentPrograms(const Run &run, std::uint32_t invocation)
{
    static constexpr auto commands = std::to_array<std::string_view>({"GIT_SSH_COMMAND",
                                                                      "GIT_SSH",
                                                                      "GIT_PAGER",
                                                                      "GIT_EDITOR",
                                                                      "GIT_SEQUENCE_EDITOR",
                                                                      "GIT_EXTERNAL_DIFF",
                                                                      "GIT_ASKPASS",
                                                                      "GIT_PROXY_COMMAND",
                                                                      "PAGER",
                                                                      "MANPAGER",
                                                                      "EDITOR",
                                                                      "VISUAL",
                                                                      "BROWSER",
                                                                      "SSH_ASKPASS",
                                                                      "RSYNC_RSH",
                                                                      "LESSOPEN",
                                                                      "BAT_PAGER",
                                                                      "DELTA_PAGER",
                                                                      "GH_PAGER",
                                                                      "SYSTEMD_PAGER",
                                                                      "GH_EDITOR",
                                                                      "KUBE_EDITOR",
                                                                      "SYSTEMD_EDITOR",
                                                                      "SVN_EDITOR",
                                                                      "HGEDITOR",
                                                                      "SVN_SSH",
                                                                      "CVS_RSH",
                                                                      "BORG_RSH",
                                                                      "BORG_PASSCOMMAND",
                                                                      "RESTIC_PASSWORD_COMMAND",
                                                                      "RCLONE_PASSWORD_COMMAND",
                                                                      "CC",
                                                                      "CXX",
                                                                      "CPP",
                                                                      "LD",
                                                                      "AR",
                                                                      "RUSTC",
                                                                      "RUSTC_WRAPPER",
                                                                      "CARGO_BUILD_RUSTC",
                                                                      "CARGO_BUILD_RUSTC_WRAPPER"});
    for (const Assignment &assign : run.assigns) {
        if (std::ranges::find(commands, assign.name) == commands.end())
            continue;
        const bool piped = assign.name == "LESSOPEN" && assign.value.text.starts_with('|');
        const bool opened = m_result.invocations[invocation].opens;
        launchText(tail(assign.value, piped ? 1 : 0), assign.value.span, invocation, run, assign.name);
        m_result.invocations[invocation].opens = opened;
    }
}

} // namespace portcullis::shell
