// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/launcher_table.h"

namespace portcullis::shell {

namespace {

using Kind = Launcher::Kind;

void addTerminals(std::vector<Launcher> &table)
{
    table.push_back({.name = "tmux", .kind = Kind::Tmux});
    table.push_back({.name = "tmate", .kind = Kind::Tmux});
    table.push_back({.name = "byobu", .kind = Kind::Tmux});
    table.push_back({.name = "screen", .kind = Kind::Screen});
    table.push_back({.name = "zellij", .verbs = {"run", "r", "edit"}, .valueOptions = {"-n", "--name", "-d", "--cwd"}});
    table.push_back({.name = "abduco", .skip = 1, .valueOptions = {"-e"}});
    table.push_back({.name = "dtach", .skip = 1, .valueOptions = {"-e", "-r"}});
    table.push_back({.name = "ttyd", .valueOptions = {"-p", "--port", "-i", "-c", "-u", "-g", "-s", "-w", "-t", "-b"}});
    table.push_back({.name = "gotty", .valueOptions = {"-p", "--port", "-a", "-c"}});
    // These take one text or the rest of the line behind the same option.
    for (const std::string_view name : {"xterm", "uxterm", "urxvt", "rxvt", "st", "konsole", "alacritty", "kitty",
                                        "x-terminal-emulator", "lxterminal", "qterminal", "aterm", "eterm"})
        table.push_back({.name = name, .kind = Kind::Behind, .behind = {"-e"}});
    for (const std::string_view name : {"gnome-terminal", "mate-terminal", "ptyxis", "kgx", "wezterm"})
        table.push_back({.name = name, .kind = Kind::Behind, .textOptions = {"-e", "--command"}, .behind = {"--"}});
    for (const std::string_view name : {"xfce4-terminal", "terminator", "tilix"})
        table.push_back({.name = name, .kind = Kind::Behind, .textOptions = {"-e", "--command"}, .behind = {"-x"}});
    table.push_back({.name = "foot", .valueOptions = {"-T", "--title", "-a", "-t", "-D", "-o", "-c"}});
}

void addWatchers(std::vector<Launcher> &table)
{
    table.push_back({.name = "entr", .textFlags = {"-s"}});
    table.push_back({.name = "nodemon",
                     .kind = Kind::OptionsOnly,
                     .textOptions = {"--exec", "-x"},
                     .valueOptions = {"-w", "--watch", "-e", "--ext", "-i", "--ignore", "--delay", "-d", "--signal"}});
    table.push_back({.name = "watchmedo",
                     .kind = Kind::OptionsOnly,
                     .textOptions = {"-c", "--command"},
                     .valueOptions = {"-p", "--patterns", "-i", "--ignore-patterns", "-d", "--directory"}});
    table.push_back({.name = "watchexec",
                     .kind = Kind::Text,
                     .valueOptions = {"-w", "-W", "-e", "--exts", "-f", "-i", "-s", "-d", "-E", "-o", "--watch"}});
    table.push_back({.name = "reflex", .textFlags = {"-s"}, .valueOptions = {"-r", "-g", "-R", "-G", "-d"}});
    table.push_back({.name = "onchange", .kind = Kind::Behind, .behind = {"--"}});
    // Programs that start another one to see, fetch or unlock something.
    const std::vector<std::string_view> svn{"--diff-cmd", "--diff3-cmd", "--merge-cmd", "--editor-cmd"};
    table.push_back({.name = "svn", .kind = Kind::OptionsOnly, .textOptions = svn});
    table.push_back({.name = "helm", .kind = Kind::OptionsOnly, .textOptions = {"--post-renderer"}});
    table.push_back({.name = "aria2c",
                     .kind = Kind::OptionsOnly,
                     .textOptions = {"--on-download-start", "--on-download-pause", "--on-download-stop",
                                     "--on-download-complete", "--on-download-error", "--on-bt-download-complete"}});
    table.push_back({.name = "restic", .kind = Kind::OptionsOnly, .textOptions = {"--password-command"}});
    table.push_back({.name = "rclone", .kind = Kind::OptionsOnly, .textOptions = {"--password-command"}});
    table.push_back({.name = "borg", .kind = Kind::OptionsOnly, .textOptions = {"--rsh"}});
    table.push_back({.name = "gpg", .kind = Kind::OptionsOnly, .textOptions = {"--photo-viewer"}});
    table.push_back({.name = "delta", .kind = Kind::OptionsOnly, .textOptions = {"--pager"}});
    table.push_back({.name = "bat", .kind = Kind::OptionsOnly, .textOptions = {"--pager"}});
    for (const char *name : {"mysql", "mariadb"})
        table.push_back({.name = name, .kind = Kind::OptionsOnly, .textOptions = {"--pager"}});
    table.push_back({.name = "chokidar", .kind = Kind::OptionsOnly, .textOptions = {"-c", "--command"}});
    table.push_back({.name = "concurrently",
                     .kind = Kind::EachText,
                     .valueOptions = {"-n", "--names", "-c", "--prefix-colors", "-p", "--prefix", "-m", "-s", "-l",
                                      "--max-processes", "--success", "--restart-tries", "--restart-after"}});
    table.push_back(
        {.name = "pm2", .kind = Kind::EachText, .verbs = {"start"}, .valueOptions = {"--name", "-n", "-i"}});
    for (const std::string_view name : {"foreman", "honcho"})
        table.push_back({.name = name, .verbs = {"run"}, .valueOptions = {"-f", "-e", "--env"}});
    for (const std::string_view name : {"pee", "mispipe", "start-server-and-test", "rush", "poop"})
        table.push_back({.name = name, .kind = Kind::EachText});
    for (const std::string_view name :
         {"ts", "tsp", "nq", "fq", "retry", "cronic", "run-one", "run-this-one", "multitime", "mangohud", "gamemoderun",
          "prime-run", "optirun", "primusrun", "wsl", "xe", "memusage", "catatonit", "systemd-nspawn"})
        table.push_back({.name = name});
    for (const std::string_view name : {"logsave", "lckdo", "with-lock-ex", "envchain"})
        table.push_back({.name = name, .skip = 1});
    table.push_back({.name = "asciinema",
                     .kind = Kind::OptionsOnly,
                     .textOptions = {"-c", "--command"},
                     .valueOptions = {"-t", "--title", "-i", "--idle-time-limit", "-e", "--env"}});
    table.push_back({.name = "ttyrec", .kind = Kind::OptionsOnly, .textOptions = {"-e"}});
    table.push_back({.name = "termtosvg", .kind = Kind::OptionsOnly, .textOptions = {"-c", "--command"}});
    table.push_back(
        {.name = "bpftrace", .kind = Kind::OptionsOnly, .textOptions = {"-c"}, .valueOptions = {"-e", "-p"}});
}

void addDebuggers(std::vector<Launcher> &table)
{
    for (const std::string_view name : {"gdb", "rust-gdb", "gdb-multiarch", "cgdb", "ddd", "nemiver"})
        table.push_back({.name = name, .kind = Kind::Behind, .behind = {"--args"}});
    for (const std::string_view name : {"lldb", "rust-lldb", "py-spy", "dlv"})
        table.push_back({.name = name, .kind = Kind::Behind, .behind = {"--"}});
    table.push_back({.name = "perf",
                     .verbs = {"stat", "record", "trace", "mem", "c2c", "lock", "sched", "kvm"},
                     .valueOptions = {"-e", "-o", "-C", "-F", "-r", "-c", "-g", "--call-graph", "-I", "-D"}});
    table.push_back({.name = "rr", .verbs = {"record"}});
    table.push_back({.name = "trace-cmd", .verbs = {"record"}, .valueOptions = {"-e", "-o", "-p", "-g", "-l", "-n"}});
    table.push_back({.name = "go", .kind = Kind::OptionsOnly, .textOptions = {"-exec", "-toolexec", "-vettool"}});
    table.push_back({.name = "cmake", .kind = Kind::CMake});
}

void addRunners(std::vector<Launcher> &table)
{
    for (const std::string_view name :
         {"poetry", "pipenv", "uv", "rye", "hatch", "pdm", "op", "volta", "pixi", "teller", "toolbox"})
        table.push_back({.name = name, .verbs = {"run"}});
    for (const std::string_view name : {"conda", "mamba", "micromamba"})
        table.push_back({.name = name, .verbs = {"run"}, .valueOptions = {"-n", "--name", "-p", "--prefix", "--cwd"}});
    for (const std::string_view name : {"doppler", "infisical"})
        table.push_back({.name = name,
                         .verbs = {"run"},
                         .textOptions = {"--command"},
                         .valueOptions = {"-p", "--project", "-c", "--config", "--env", "--path", "--projectId", "-t",
                                          "--token", "--scope"}});
    for (const std::string_view name : {"bundle", "asdf", "rbenv", "pyenv", "nodenv", "yarn", "devenv"})
        table.push_back({.name = name, .verbs = {"exec", "x"}, .textOptions = {"-c", "--command"}});
    for (const std::string_view name : {"mise", "rtx"})
        table.push_back({.name = name, .kind = Kind::Behind, .textOptions = {"-c", "--command"}, .behind = {"--"}});
    table.push_back({.name = "pnpm", .verbs = {"exec", "dlx"}, .textFlags = {"-c", "--shell-mode"}});
    // Of node and of python: the command stands behind the options, or behind `run`.
    table.push_back({.name = "dotenv", .valueOptions = {"-e", "-c", "-v", "-f", "--file", "-q", "--quote"}});
    table.push_back({.name = "dotenvx", .verbs = {"run"}, .valueOptions = {"-f", "--env-file", "-e", "--env"}});
    table.push_back({.name = "lerna", .kind = Kind::Text, .verbs = {"exec"}, .valueOptions = {"--scope", "--ignore"}});
    for (const std::string_view name : {"aws-vault", "chamber", "direnv", "nvm"})
        table.push_back({.name = name, .skip = 1, .verbs = {"exec"}});
    table.push_back({.name = "fnm", .verbs = {"exec"}, .valueOptions = {"--using", "--fnm-dir", "--log-level"}});
    table.push_back({.name = "rustup", .skip = 1, .verbs = {"run"}});
    table.push_back({.name = "sops", .kind = Kind::Text, .skip = 1, .verbs = {"exec-env", "exec-file"}});
    table.push_back({.name = "npm", .verbs = {"exec", "x"}, .textOptions = {"-c", "--call"}});
    for (const std::string_view name : {"npx", "bunx", "pnpx"})
        table.push_back({.name = name,
                         .textOptions = {"-c", "--call"},
                         .valueOptions = {"-p", "--package", "-w", "--workspace", "--cache", "--registry"}});
    for (const std::string_view name : {"cross-env", "env-cmd"})
        table.push_back({.name = name, .assignments = true, .valueOptions = {"-f", "-e"}});
    table.push_back({.name = "cross-env-shell", .kind = Kind::Text, .assignments = true});
    table.push_back({.name = "cargo",
                     .kind = Kind::OptionsOnly,
                     .verbs = {"watch"},
                     .textOptions = {"-s", "--shell"},
                     .valueOptions = {"-x", "--exec", "-w", "--watch", "-i", "--ignore"},
                     .behind = {"--"}});
    for (const std::string_view name : {"bazel", "bazelisk", "blaze"})
        table.push_back({.name = name, .kind = Kind::OptionsOnly, .textOptions = {"--run_under"}});
    table.push_back({.name = "meson", .verbs = {"devenv"}, .valueOptions = {"-C", "-w", "--workdir", "--dump-format"}});
    table.push_back({.name = "just", .kind = Kind::Behind, .behind = {"-c", "--command"}});
    table.push_back({.name = "bacon", .kind = Kind::Behind, .behind = {"--"}});
    for (const std::string_view name : {"nix", "flox", "guix", "distrobox"})
        table.push_back({.name = name, .kind = Kind::Behind, .behind = {"-c", "--command", "--"}});
    for (const std::string_view name : {"repo", "mr"})
        table.push_back({.name = name, .kind = Kind::OptionsOnly, .textOptions = {"-c"}});
    table.push_back({.name = "flatpak-spawn"});
    for (const std::string_view name : {"ansible", "ansible-console"})
        table.push_back({.name = name,
                         .kind = Kind::OptionsOnly,
                         .textOptions = {"-a", "--args"},
                         .valueOptions = {"-m", "--module-name", "-i", "--inventory", "-u", "--user", "-e"}});
}

} // namespace

void addToolLaunchers(std::vector<Launcher> &table)
{
    addTerminals(table);
    addWatchers(table);
    addDebuggers(table);
    addRunners(table);
}

} // namespace portcullis::shell
