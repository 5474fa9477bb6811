// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/known_programs.h"

#include "runner/shell/launcher_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

namespace portcullis::shell {

namespace {

constexpr std::pair<std::string_view, Builtin> builtins[] = {{"echo", Builtin::Echo},
                                                             {"printf", Builtin::Printf},
                                                             {"test", Builtin::Test},
                                                             {"[", Builtin::Test},
                                                             {"cd", Builtin::Cd},
                                                             {"chdir", Builtin::Cd},
                                                             {"pushd", Builtin::Pushd},
                                                             {"popd", Builtin::Popd},
                                                             {"eval", Builtin::Eval},
                                                             {"source", Builtin::Source},
                                                             {".", Builtin::Source},
                                                             {"exec", Builtin::Exec},
                                                             {"exit", Builtin::Exit},
                                                             {"return", Builtin::Return},
                                                             {"logout", Builtin::Other},
                                                             {"set", Builtin::Set},
                                                             {"shift", Builtin::Shift},
                                                             {"shopt", Builtin::Shopt},
                                                             {"alias", Builtin::Alias},
                                                             {"unalias", Builtin::Unalias},
                                                             {"trap", Builtin::Trap},
                                                             {"declare", Builtin::Declare},
                                                             {"typeset", Builtin::Declare},
                                                             {"local", Builtin::Local},
                                                             {"export", Builtin::Export},
                                                             {"readonly", Builtin::Readonly},
                                                             {"unset", Builtin::Unset},
                                                             {"read", Builtin::Read},
                                                             {"mapfile", Builtin::Mapfile},
                                                             {"readarray", Builtin::Mapfile},
                                                             {"getopts", Builtin::Getopts},
                                                             {"let", Builtin::Let},
                                                             {"hash", Builtin::Hash},
                                                             {"complete", Builtin::Complete},
                                                             {"compgen", Builtin::Complete},
                                                             {"command", Builtin::Command},
                                                             {"builtin", Builtin::BuiltinWord}};

constexpr std::string_view otherBuiltins[] = {":",       "true",   "false",    "bg",     "fg",    "jobs", "wait",
                                              "kill",    "disown", "umask",    "ulimit", "times", "type", "help",
                                              "enable",  "break",  "continue", "pwd",    "dirs",  "bind", "caller",
                                              "compopt", "fc",     "history",  "suspend"};

// Programs whose arguments are texts, patterns, files or data of their own.
constexpr std::string_view dataPrograms[] = {"echo",       "printf",    "grep",        "egrep",
                                             "fgrep",      "zgrep",     "rg",          "ag",
                                             "ack",        "man",       "apropos",     "whatis",
                                             "info",       "cat",       "tac",         "ls",
                                             "dir",        "exa",       "eza",         "lsd",
                                             "tree",       "which",     "whereis",     "type",
                                             "hash",       "help",      "head",        "tail",
                                             "less",       "more",      "most",        "bat",
                                             "batcat",     "wc",        "cut",         "tr",
                                             "sort",       "uniq",      "comm",        "diff",
                                             "cmp",        "sdiff",     "colordiff",   "patch",
                                             "cp",         "mv",        "ln",          "rm",
                                             "rmdir",      "mkdir",     "touch",       "chmod",
                                             "chown",      "chgrp",     "stat",        "file",
                                             "readlink",   "realpath",  "basename",    "dirname",
                                             "tee",        "test",      "[",           "jq",
                                             "yq",         "xmllint",   "gh",          "glab",
                                             "hub",        "apt-cache", "dpkg",        "dpkg-query",
                                             "apt",        "apt-get",   "aptitude",    "dnf",
                                             "yum",        "apk",       "pacman",      "brew",
                                             "rpm",        "zypper",    "snap",        "flatpak",
                                             "pip",        "pip3",      "npm",         "gem",
                                             "cargo",      "go",        "systemctl",   "service",
                                             "journalctl", "kill",      "killall",     "pkill",
                                             "pgrep",      "pidof",     "ps",          "top",
                                             "du",         "df",        "date",        "cal",
                                             "seq",        "yes",       "sleep",       "expr",
                                             "md5sum",     "sha1sum",   "sha256sum",   "sha512sum",
                                             "cksum",      "base64",    "xxd",         "od",
                                             "hexdump",    "strings",   "zip",         "unzip",
                                             "gzip",       "gunzip",    "zcat",        "bzip2",
                                             "xz",         "zstd",      "tar",         "curl",
                                             "wget",       "scp",       "rsync",       "ssh",
                                             "docker",     "podman",    "kubectl",     "helm",
                                             "aws",        "gcloud",    "az",          "terraform",
                                             "psql",       "mysql",     "sqlite3",     "redis-cli",
                                             "id",         "groups",    "getent",      "passwd",
                                             "usermod",    "useradd",   "adduser",     "deluser",
                                             "userdel",    "groupadd",  "gpasswd",     "visudo",
                                             "uname",      "hostname",  "locate",      "fold",
                                             "fmt",        "column",    "nl",          "paste",
                                             "join",       "rev",       "shuf",        "split",
                                             "export",     "unset",     "read",        "set",
                                             "alias",      "unalias",   "declare",     "local",
                                             "readonly",   "typeset",   "complete",    "compgen",
                                             "git",        "svn",       "logger",      "wall",
                                             "write",      "mail",      "notify-send", "figlet",
                                             "cowsay",     "spell",     "aspell",      "pandoc",
                                             "install",    "dd",        "shred",       "truncate",
                                             "vim",        "vi",        "nano",        "nvim",
                                             "emacs",      "code",      "ed",          "open",
                                             "xdg-open",   "lsof",      "fuser",       "netstat",
                                             "ss",         "ping",      "dig",         "nslookup",
                                             "host",       "nmap",      "nc",          "ncat",
                                             "make",       "cmake",     "ninja",       "gcc",
                                             "g++",        "cc",        "clang",       "rustc",
                                             "javac",      "tsc",       "pytest",      "jest",
                                             "shellcheck", "shfmt",     "eslint",      "prettier",
                                             "black",      "ruff",      "mypy",        "crontab",
                                             "tldr",       "cheat",     "ctags",       "update-alternatives",
                                             "wait",       "trap",      "pwd",         "true",
                                             "false",      ":",         "apt-mark",    "debconf-set-selections",
                                             "bind",       "fc",        "history",     "enable"};

// Programs that rules refuse or that open the way to others.
constexpr std::string_view wellKnown[] = {
    "apk",      "apt",      "apt-get", "aptitude", "at",        "base64",      "bash",    "batch",    "busybox",
    "capsh",    "chmod",    "chown",   "chroot",   "crontab",   "csh",         "curl",    "dash",     "dd",
    "dnf",      "doas",     "docker",  "env",      "eval",      "exec",        "fdisk",   "fish",     "gcc",
    "git",      "halt",     "insmod",  "iptables", "kill",      "killall",     "kexec",   "ksh",      "kubectl",
    "ln",       "lua",      "masscan", "mkfs",     "mknod",     "modprobe",    "mount",   "mv",       "nc",
    "ncat",     "netcat",   "nmap",    "node",     "nohup",     "npm",         "nsenter", "openssl",  "parted",
    "passwd",   "perl",     "php",     "pip",      "pip3",      "pkexec",      "pkill",   "podman",   "poweroff",
    "printenv", "python",   "python3", "reboot",   "rm",        "rmdir",       "rsync",   "ruby",     "run0",
    "runuser",  "scp",      "setcap",  "setpriv",  "sftp",      "sh",          "shred",   "shutdown", "socat",
    "ssh",      "su",       "sudo",    "sudoedit", "systemctl", "systemd-run", "tar",     "tcpdump",  "tee",
    "telnet",   "truncate", "umount",  "unshare",  "useradd",   "usermod",     "userdel", "visudo",   "wget",
    "wipefs",   "xargs",    "xmrig",   "yum",      "zsh"};

// Programs that run what files say: build tools, task runners, test runners.
constexpr std::string_view scriptRunners[] = {"make",
                                              "gmake",
                                              "cmake",
                                              "ninja",
                                              "just",
                                              "task",
                                              "rake",
                                              "gradle",
                                              "gradlew",
                                              "mvn",
                                              "ant",
                                              "npm",
                                              "npx",
                                              "uv",
                                              "pdm",
                                              "pipenv",
                                              "hatch",
                                              "bunx",
                                              "flask",
                                              "rails",
                                              "django-admin",
                                              "bunx",
                                              "pnpm",
                                              "yarn",
                                              "cargo",
                                              "go",
                                              "tox",
                                              "nox",
                                              "pytest",
                                              "jest",
                                              "vitest",
                                              "mocha",
                                              "bazel",
                                              "meson",
                                              "scons",
                                              "invoke",
                                              "fab",
                                              "ansible-playbook",
                                              "grunt",
                                              "gulp",
                                              "composer",
                                              "bundle",
                                              "poetry",
                                              "tsx",
                                              "ts-node",
                                              "run-parts",
                                              "dpkg-buildpackage",
                                              "mix",
                                              "sbt",
                                              "lein",
                                              "dotnet",
                                              "java"};

constexpr std::string_view unclearShells[] = {"sh",   "ash",    "zsh",   "ksh",  "ksh93", "mksh", "lksh", "pdksh",
                                              "oksh", "loksh",  "yash",  "posh", "fish",  "csh",  "tcsh", "pwsh",
                                              "nu",   "elvish", "xonsh", "rc",   "es",    "sash"};

using Table = std::unordered_map<std::string_view, ProgramInfo>;

Table makeTable()
{
    Table table;
    for (const auto &[name, builtin] : builtins)
        table[name].builtin = builtin;
    for (const std::string_view name : otherBuiltins)
        table[name].builtin = Builtin::Other;
    for (const Launcher &launcher : launcherTable())
        table[launcher.name].launcher = &launcher;
    for (const Interpreter &interpreter : interpreterTable())
        table[interpreter.name].interpreter = &interpreter;
    for (const std::string_view name : dataPrograms)
        table[name].data = true;
    for (const std::string_view name : wellKnown)
        table[name].wellKnown = true;
    for (const std::string_view name : scriptRunners)
        table[name].runsScript = true;
    table["dash"].shell = true;
    table["dash"].dialect = Dialect::Sh;
    for (const std::string_view name : {"bash", "rbash"}) {
        table[name].shell = true;
        table[name].dialect = Dialect::Bash;
    }
    for (const std::string_view name : unclearShells)
        table[name].shell = true;
    return table;
}

} // namespace

const ProgramInfo *programInfo(std::string_view name)
{
    static const Table table = makeTable();
    // `python3.13` runs code as `python` does, whether or not a list above names `python3`.
    const auto runsCode = [&](Table::const_iterator at) {
        return at != table.end() && (at->second.interpreter != nullptr || at->second.shell);
    };
    const auto found = table.find(name);
    if (!runsCode(found)) {
        const auto plain = table.find(withoutVersion(name));
        if (runsCode(plain))
            return &plain->second;
    }
    return found == table.end() ? nullptr : &found->second;
}

std::string_view withoutVersion(std::string_view name)
{
    const std::size_t end = name.find_last_not_of("0123456789.-");
    return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

std::span<const std::string_view> wellKnownPrograms()
{
    return wellKnown;
}

} // namespace portcullis::shell
