// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/launcher_table.h"

namespace portcullis::shell {

namespace {

using Kind = Launcher::Kind;

Launcher words(std::string_view name, unsigned skip = 0)
{
    return {.name = name, .kind = Kind::Words, .skip = skip};
}

Launcher verb(std::string_view name, std::string_view needed, unsigned skip = 0)
{
    return {.name = name, .kind = Kind::Words, .skip = skip, .verbs = {needed}};
}

std::vector<Launcher> makeLaunchers()
{
    std::vector<Launcher> table{
        {.name = "env", .assignments = true, .textOptions = {}},
        {.name = "sudo", .assignments = true, .idleOptions = {"-l", "--list", "-v", "-V", "-h", "-e", "--edit"}},
        {.name = "flock", .skip = 1, .textOptions = {"-c", "--command"}},
        {.name = "chrt", .skip = 1, .idleOptions = {"-p", "--pid", "-m", "--max"}},
        {.name = "taskset", .skip = 1, .idleOptions = {"-p", "--pid"}},
        {.name = "prlimit", .idleOptions = {"-p", "--pid"}},
        {.name = "ionice", .idleOptions = {"-p", "--pid", "-P", "-u"}},
        {.name = "script", .kind = Kind::OptionsOnly, .skip = 1, .textOptions = {"-c", "--command"}},
        {.name = "su", .kind = Kind::OptionsOnly, .textOptions = {"-c", "--command", "--session-command"}},
        {.name = "runuser", .textOptions = {"-c", "--command", "--session-command"}},
        {.name = "sg", .kind = Kind::Text, .skip = 1, .textOptions = {"-c"}},
        {.name = "watch", .kind = Kind::Text},
        {.name = "hyperfine",
         .kind = Kind::EachText,
         .textOptions = {"--prepare", "-p", "--setup", "-s", "--cleanup", "-c"}},
        {.name = "dbus-run-session"},
        {.name = "find", .kind = Kind::Find},
        {.name = "fd", .kind = Kind::Find},
        {.name = "fdfind", .kind = Kind::Find},
        {.name = "xargs", .kind = Kind::Xargs},
        {.name = "parallel", .kind = Kind::Parallel},
        {.name = "sem", .kind = Kind::Parallel},
        {.name = "git", .kind = Kind::Git},
        {.name = "busybox", .kind = Kind::Applet},
        {.name = "toybox", .kind = Kind::Applet},
        {.name = "coreutils", .kind = Kind::Applet},
        {.name = "ld.so", .kind = Kind::Loader},
        {.name = "tar",
         .kind = Kind::OptionsOnly,
         .textOptions = {"--to-command", "-I", "--use-compress-program", "--info-script", "-F", "--new-volume-script",
                         "--rsh-command", "--rmt-command"}},
        {.name = "bsdtar", .kind = Kind::OptionsOnly, .textOptions = {"--use-compress-program"}},
        {.name = "rsync", .kind = Kind::OptionsOnly, .textOptions = {"-e", "--rsh"}},
        {.name = "sort", .kind = Kind::OptionsOnly, .textOptions = {"--compress-program"}},
        {.name = "split", .kind = Kind::OptionsOnly, .textOptions = {"--filter"}},
        {.name = "man", .kind = Kind::OptionsOnly, .textOptions = {"-P", "--pager", "-H", "--html"}},
        {.name = "ssh", .kind = Kind::OptionsOnly},
        {.name = "scp", .kind = Kind::OptionsOnly, .textOptions = {"-S"}},
        {.name = "sftp", .kind = Kind::OptionsOnly, .textOptions = {"-S"}},
        {.name = "nc", .kind = Kind::OptionsOnly, .textOptions = {"-e", "-c"}},
        {.name = "ncat", .kind = Kind::OptionsOnly, .textOptions = {"-e", "-c", "--exec", "--sh-exec"}},
        {.name = "nc.traditional", .kind = Kind::OptionsOnly, .textOptions = {"-e", "-c"}},
        {.name = "nix-shell", .kind = Kind::OptionsOnly, .textOptions = {"--run", "--command"}},
        {.name = "tcpdump", .kind = Kind::OptionsOnly, .textOptions = {"-z"}},
        {.name = "logrotate", .kind = Kind::OptionsOnly},
        {.name = "zip", .kind = Kind::OptionsOnly, .textOptions = {"-TT", "--unzip-command"}},
        {.name = "wget", .kind = Kind::OptionsOnly, .textOptions = {"--use-askpass"}},
        {.name = "fzf", .kind = Kind::OptionsOnly, .textOptions = {"--preview"}},
        {.name = "start-stop-daemon", .kind = Kind::OptionsOnly, .textOptions = {"-x", "--exec", "-a", "--startas"}},
        {.name = "capsh", .kind = Kind::OptionsOnly, .textOptions = {"-c"}},
        verb("ip", "netns", 2),
        words("timeout", 1),
        words("chroot", 1),
        words("setuidgid", 1),
        words("s6-setuidgid", 1),
        words("envdir", 1),
        words("envuidgid", 1),
        words("setlock", 1),
        words("faketime", 1),
        words("gosu", 1),
        words("su-exec", 1),
        words("runcon", 0),
    };
    for (const std::string_view name :
         {"nohup",       "nice",        "time",         "gtime",       "stdbuf",    "setsid",
          "nsenter",     "unshare",     "setpriv",      "run0",        "doas",      "pkexec",
          "systemd-run", "strace",      "ltrace",       "valgrind",    "setarch",   "linux32",
          "linux64",     "i386",        "x86_64",       "catchsegv",   "eatmydata", "fakeroot",
          "fakechroot",  "firejail",    "bwrap",        "dbus-launch", "xvfb-run",  "torsocks",
          "torify",      "proxychains", "proxychains4", "tsocks",      "unbuffer",  "rlwrap",
          "chronic",     "ifne",        "numactl",      "cgexec",      "chpst",     "softlimit",
          "daemonize",   "daemon",      "cpulimit",     "choom",       "uclampset", "ssh-agent",
          "trickle",     "nocache",     "minijail0",    "nsjail",      "proot",     "systemd-inhibit",
          "caffeinate",  "dumb-init",   "tini",         "sshpass",     "schedtool", "pexec",
          "systemd-cat", "uftrace",     "heaptrack",    "dtruss",      "truss",     "gtimeout",
          "gnice",       "genv",        "gstdbuf",      "gnohup"})
        table.push_back(words(name));
    addToolLaunchers(table);
    return table;
}

std::vector<Interpreter> makeInterpreters()
{
    using Operand = Interpreter::Operand;
    std::vector<Interpreter> table{
        {.name = "python", .language = "python", .codeOptions = {"-c"}, .scriptOptions = {"-m"}},
        {.name = "perl", .language = "perl", .codeOptions = {"-e", "-E"}, .moduleOptions = {"-M", "-m"}},
        {.name = "ruby", .language = "ruby", .codeOptions = {"-e"}, .moduleOptions = {"-r"}},
        {.name = "php",
         .language = "php",
         .codeOptions = {"-r", "--run", "-B", "-R", "-E"},
         .scriptOptions = {"-f", "--file"}},
        {.name = "deno", .language = "node", .verbs = {"eval"}, .operand = Operand::None, .stdinCode = false},
        {.name = "tclsh", .language = "tcl"},
        {.name = "wish", .language = "tcl"},
        {.name = "expect", .language = "tcl", .codeOptions = {"-c"}},
        {.name = "gnuplot", .language = "gnuplot", .codeOptions = {"-e"}},
        {.name = "emacs",
         .language = "lisp",
         .codeOptions = {"--eval", "--execute"},
         .operand = Operand::None,
         .stdinCode = false},
        {.name = "gdb",
         .language = "gdb",
         .codeOptions = {"-ex", "--eval-command", "-iex", "--ex", "--iex"},
         .operand = Operand::None},
        {.name = "ed", .language = "ed", .operand = Operand::None},
        {.name = "dc", .language = "dc", .codeOptions = {"-e", "--expression"}},
        {.name = "bc", .language = "bc"},
        {.name = "m4", .language = "m4"},
        {.name = "tcc", .language = "c", .scriptOptions = {"-run"}, .operand = Operand::None, .stdinCode = false},
        {.name = "rpm",
         .language = "lua",
         .codeOptions = {"-E", "--eval"},
         .operand = Operand::None,
         .stdinCode = false},
        {.name = "sqlite3", .language = "sqlite", .codeOptions = {"-cmd"}, .operand = Operand::None},
        {.name = "psql", .language = "psql", .codeOptions = {"-c", "--command"}, .operand = Operand::None},
        {.name = "mysql", .language = "mysql", .codeOptions = {"-e", "--execute"}, .operand = Operand::None},
        {.name = "make",
         .language = "make",
         .codeOptions = {"--eval"},
         .scriptOptions = {"-f", "--file", "--makefile"},
         .operand = Operand::None,
         .stdinCode = false},
    };
    for (const std::string_view name : {"node", "nodejs", "bun"})
        table.push_back({.name = name,
                         .language = "node",
                         .codeOptions = {"-e", "--eval", "-p", "--print", "-pe"},
                         .moduleOptions = {"-r", "--require", "--import", "--loader", "--experimental-loader"}});
    for (const std::string_view name : {"lua", "luajit"})
        table.push_back({.name = name, .language = "lua", .codeOptions = {"-e"}, .moduleOptions = {"-l"}});
    for (const std::string_view name : {"awk", "gawk", "mawk", "nawk", "original-awk", "goawk"})
        table.push_back({.name = name,
                         .language = "awk",
                         .codeOptions = {"-e", "--source"},
                         .scriptOptions = {"-f", "--file"},
                         .operand = Operand::Code,
                         .stdinCode = false});
    for (const std::string_view name : {"sed", "gsed"})
        table.push_back({.name = name,
                         .language = "sed",
                         .codeOptions = {"-e", "--expression"},
                         .scriptOptions = {"-f", "--file"},
                         .operand = Operand::Code,
                         .stdinCode = false});
    for (const std::string_view name : {"vim", "vi", "nvim", "ex", "view", "vimdiff", "rvim"})
        table.push_back({.name = name,
                         .language = "vim",
                         .codeOptions = {"-c", "--cmd"},
                         .scriptOptions = {"-S", "-s"},
                         .operand = Operand::None});
    for (const std::string_view name : {"python2", "python3", "pypy", "pypy3", "ipython", "micropython"})
        table.push_back({.name = name, .language = "python", .codeOptions = {"-c"}, .scriptOptions = {"-m"}});
    addLooseInterpreters(table);
    return table;
}

} // namespace

std::span<const Launcher> launcherTable()
{
    static const std::vector<Launcher> table = makeLaunchers();
    return table;
}

std::span<const Interpreter> interpreterTable()
{
    static const std::vector<Interpreter> table = makeInterpreters();
    return table;
}

} // namespace portcullis::shell
