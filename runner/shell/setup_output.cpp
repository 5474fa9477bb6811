// SPDX-License-Identifier: Apache-2.0

// Programs whose output is their own, fixed text for a shell.

#include "runner/shell/setup_output.h"

#include <algorithm>
#include <array>

namespace portcullis::shell {

namespace {

struct SetupText {
    std::string_view program;
    std::string_view first; ///< first argument, or empty: none
    /// More arguments of this kind may follow: names of shells, plain words and options.
    bool more = true;
};

constexpr std::array<SetupText, 51> setupTexts{{
    {"ssh-agent", "", false},
    {"ssh-agent", "-s", false},
    {"ssh-agent", "-k", false},
    {"dircolors", "", false},
    {"dircolors", "-b", false},
    {"dircolors", "--sh", false},
    {"pyenv", "init"},
    {"pyenv", "virtualenv-init"},
    {"rbenv", "init"},
    {"nodenv", "init"},
    {"goenv", "init"},
    {"jenv", "init"},
    {"plenv", "init"},
    {"direnv", "hook"},
    {"brew", "shellenv"},
    {"fnm", "env"},
    {"opam", "env"},
    {"conda", "shell.bash"},
    {"conda", "shell.posix"},
    {"mamba", "shell"},
    {"micromamba", "shell"},
    {"starship", "init"},
    {"zoxide", "init"},
    {"atuin", "init"},
    {"mise", "activate"},
    {"rtx", "activate"},
    {"fzf", "--bash"},
    {"thefuck", "--alias"},
    {"luarocks", "path"},
    {"kubectl", "completion"},
    {"helm", "completion"},
    {"minikube", "completion"},
    {"kind", "completion"},
    {"docker", "completion"},
    {"podman", "completion"},
    {"gh", "completion"},
    {"glab", "completion"},
    {"npm", "completion"},
    {"pnpm", "completion"},
    {"deno", "completions"},
    {"rustup", "completions"},
    {"poetry", "completions"},
    {"pip", "completion"},
    {"pip3", "completion"},
    {"uv", "generate-shell-completion"},
    {"just", "--completions"},
    {"golangci-lint", "completion"},
    {"hugo", "completion"},
    {"flux", "completion"},
    {"argocd", "completion"},
    {"stern", "--completion"},
}};

bool plainWord(const Value &word)
{
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.=_-";
    return word.known() && !word.isPattern() && word.text.find_first_not_of(allowed) == std::string::npos;
}

} // namespace

bool printsSetup(const Invocation &invocation)
{
    const auto named = [&](const SetupText &each) { return each.program == invocation.name; };
    if (std::ranges::none_of(setupTexts, named) || !std::ranges::all_of(invocation.args, plainWord))
        return false;
    // By its own name or from a system folder: another file may print anything.
    static constexpr std::array<std::string_view, 5> folders{"/usr/", "/bin/", "/opt/homebrew/bin/",
                                                             "/home/linuxbrew/.linuxbrew/bin/", "/snap/bin/"};
    const std::string_view spelled = invocation.program.text;
    if (spelled != invocation.name
        && std::ranges::none_of(folders, [&](std::string_view folder) { return spelled.starts_with(folder); }))
        return false;
    const std::string_view first = invocation.args.empty() ? std::string_view() : invocation.args.front().text;
    return std::ranges::any_of(setupTexts, [&](const SetupText &each) {
        return named(each) && each.first == first && (each.more || invocation.args.size() <= 1);
    });
}

} // namespace portcullis::shell
