// SPDX-License-Identifier: Apache-2.0

// A refused command that another program is made to run.

#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

// Launchers that take words, a text or an option.
constexpr const char *launchers[] = {
    "hatch run test:sudo id",
    "mise x node@20 -- sudo id",
    "mise exec -c 'sudo id'",
    "fnm exec --using=20 sudo id",
    "dotenv -- sudo id",
    "dotenv -e .env -- sudo id",
    "dotenv run -- sudo id",
    "dotenv run sudo id",
    "cargo watch -- sudo id",
    "bazel run --run_under='sudo -n' //a",
    "bazel test --run_under 'sudo -n' //a",
    "meson devenv -C build sudo id",
    "just --command sudo id",
    "tmux new-session -d 'sudo id'",
    "tmux neww 'sudo id'",
    "tmux split-window 'rm -rf build'",
    "tmux run-shell 'sudo id'",
    "tmux if-shell 'sudo id' x",
    "tmux send-keys 'sudo id' Enter",
    "tmux send-keys -t s sudo Space id Enter",
    "tmux -c 'sudo id'",
    "tmux new-session -d -s x \\; send-keys -t x 'sudo id' C-m",
    "tmux new -d -s x ';' run 'sudo id'",
    "tmux set-hook -g after-new-window 'run-shell \"sudo id\"'",
    "tmux display-popup -E 'sudo id'",
    "tmux respawn-pane -k 'sudo id'",
    "tmux pipe-pane 'sudo id'",
    "concurrently 'sudo id'",
    "npx concurrently 'sudo id' 'ls'",
    "nodemon --exec 'sudo id'",
    "nodemon -x 'sudo id' app.js",
    "watchmedo shell-command -c 'sudo id'",
    "watchmedo shell-command --command='sudo id' .",
    "doppler run --command 'sudo id'",
    "doppler run --command='sudo id'",
    "screen -X stuff 'sudo id'",
    "screen -S s -X stuff $'sudo id\\n'",
    "screen -dmS x sh -c 'sudo id'",
    "fish --command='sudo id'",
    "fish -C 'sudo id'",
    "fish -c 'sudo id'",
    "fish --init-command 'sudo id'",
    "sash -c 'sudo id'",
    "ls | entr -s 'sudo id'",
    "ls | entr sudo id",
    "parallel 'sudo id' ::: a",
    "parallel 'rm -rf {}' ::: build",
    "watchexec 'sudo id'",
    "watchexec -- rm -rf build",
    "cross-env A=1 sudo id",
    "cross-env-shell 'sudo id'",
    "cargo watch -s 'sudo id'",
    "asciinema rec -c 'sudo id' x",
    "sops exec-env f 'sudo id'",
    "go test -exec 'sudo -u x' ./...",
    "go build -toolexec 'sudo id' .",
    "nix develop -c sudo id",
    "nix develop --command rm -rf build",
    "gnome-terminal -- sudo id",
    "gnome-terminal -e 'sudo id'",
    "kitty -e sudo id",
    "pee 'sudo id' cat",
    "ts sudo id",
    "tsp rm -rf build",
    "lerna exec -- rm -rf build",
    "lerna exec 'rm -rf build'",
    "pnpm -r exec rm -rf build",
    "pnpm exec rm -rf build",
    "yarn exec rm -rf build",
    "repo forall -c 'sudo id'",
    "infisical run --command='sudo id'",
    "chamber exec x -- sudo id",
    "pm2 start 'sudo id'",
    "zellij run -- sudo id",
    "dtach -n /x sudo id",
    "abduco -c x sudo id",
    "sem 'sudo id'",
    "ansible localhost -m shell -a 'sudo id'",
    "ttyd sudo id",
};

// Interpreters whose code is read loosely.
constexpr const char *languages[] = {
    "tclsh <<< 'exec sudo id'",
    "echo 'exec sudo id' | tclsh",
    "expect -c 'spawn sudo id'",
    "expect -c 'system \"sudo id\"'",
    "bc <<< '!sudo id'",
    "m4 <<< 'syscmd(`sudo id'\"'\"')'",
    "R -e 'system(\"sudo id\")'",
    "Rscript -e 'system(\"sudo id\")'",
    "Rscript -e 'system2(\"rm\", c(\"-rf\", \"build\"))'",
    "octave --eval 'system(\"sudo id\")'",
    "julia -e 'run(`sudo id`)'",
    "groovy -e '\"sudo id\".execute()'",
    "groovy -e '[\"rm\",\"-rf\",\"build\"].execute()'",
    "jshell <<< 'Runtime.getRuntime().exec(\"sudo id\")'",
    "elixir -e 'System.cmd(\"sudo\", [\"id\"])'",
    "elixir -e ':os.cmd(~c\"sudo id\")'",
    "erl -noshell -eval 'os:cmd(\"sudo id\"), halt().'",
    "deno eval 'new Deno.Command(\"sudo\",{args:[\"id\"]}).outputSync()'",
    "deno eval 'new Deno.Command(\"rm\",{args:[\"-rf\",\"build\"]}).outputSync()'",
    "bun -e 'await Bun.$`sudo id`'",
    "bun -e 'import {$} from \"bun\"; await $`sudo id`'",
    "osascript -e 'do shell script \"sudo id\"'",
    "swift -e 'import Foundation; let p = Process(); p.executableURL = URL(fileURLWithPath: \"/usr/bin/sudo\"); "
    "p.arguments = [\"id\"]; try p.run()'",
    "rpm -E '%{lua:os.execute(\"sudo id\")}'",
    "guile -c '(system \"sudo id\")'",
    "guile -c '(system* \"rm\" \"-rf\" \"build\")'",
    "ocaml -e 'Sys.command \"sudo id\"'",
    "ghci -e ':! sudo id'",
    "ghc -e 'System.Process.callCommand \"sudo id\"'",
    "ghc -e 'System.Process.callProcess \"rm\" [\"-rf\",\"build\"]'",
    "racket -e '(system \"sudo id\")'",
    "clojure -e '(clojure.java.shell/sh \"sudo\" \"id\")'",
    "bb '(shell \"sudo id\")'",
    "sbcl --eval '(sb-ext:run-program \"/usr/bin/sudo\" (list \"id\"))'",
    "raku -e 'shell \"sudo id\"'",
    "raku -e 'run <sudo id>'",
    "scala -e 'import sys.process._; \"sudo id\".!'",
    "pwsh -c 'sudo id'",
    "crystal eval '`sudo id`'",
    "swipl -g 'shell(\"sudo id\")' -t halt",
    "janet -e '(os/execute [\"sudo\" \"id\"] :p)'",
    "octave <<E\nsystem(\"sudo id\")\nE",
    "R --no-save <<'E'\nsystem(\"rm -rf build\")\nE",
    "emacs --batch --eval '(call-process \"sudo\" nil nil nil \"id\")'",
};

// Program texts that name the command first, or call by another spelling.
constexpr const char *constants[] = {
    "perl -e 'system qw(sudo id)'",
    "perl -e 'exec qw(rm -rf build)'",
    "perl -e 'exec qw/rm -rf build/'",
    "perl -e '$_=\"sudo id\";system $_'",
    "perl -e 'my $c=\"sudo id\"; system($c)'",
    "perl -e '@c=(\"rm\",\"-rf\",\"build\"); system(@c)'",
    "perl -e 'my @c=qw(rm -rf build); system @c'",
    "awk 'BEGIN{c=\"sudo id\";system(c)}'",
    "awk -v c='sudo id' 'BEGIN{system(c)}'",
    "awk -vc='sudo id' 'BEGIN{system(c)}'",
    "awk 'BEGIN{c=\"sudo id\"; c | getline x}'",
    "awk 'BEGIN{c=\"sudo id\"; print \"x\" | c}'",
    "python3 -c 'import os;c=\"sudo id\";os.system(c)'",
    "python3 -c 'import subprocess;c=[\"rm\",\"-rf\",\"build\"];subprocess.run(c)'",
    "python3 -c 'import subprocess;subprocess.run(args=[\"rm\",\"-rf\",\"build\"])'",
    "python3 -c 'import subprocess;subprocess.run(\"rm -rf build\".split())'",
    "python3 -c 'import os;a=\"su\";b=\"do id\";os.system(a+b)'",
    "python3 -c 'import os;a=\"sudo\";os.system(f\"{a} id\")'",
    "python3 -c 'import os;a=\"sudo\";os.system(\"%s id\" % a)'",
    "ruby -e 'Process.spawn(\"sudo id\")'",
    "ruby -e 'Kernel.send(:system,\"sudo id\")'",
    "ruby -e 'c=\"sudo id\";system(c)'",
    "ruby -e 'c=\"sudo id\";`#{c}`'",
    "ruby -e 'spawn \"sudo id\"'",
    "ruby -e 'system *%w[rm -rf build]'",
    "ruby -e 'exec(*%w(rm -rf build))'",
    "node -e 'const c=\"sudo id\";require(\"child_process\").execSync(c)'",
    "node -e 'const {execSync:e}=require(\"child_process\");e(\"sudo id\")'",
    "node -e 'require(\"child_process\")[\"execSync\"](\"sudo id\")'",
    "node -e 'const a=\"sudo\";require(\"child_process\").execSync(`${a} id`)'",
    "php -r '$c=\"sudo id\";system($c);'",
    "lua -e 'local c=\"sudo id\"; os.execute(c)'",
    "perl -pe 's/x/`sudo id`/ee' f",
};

// Another name for a program, given in the same command.
constexpr const char *names[] = {
    "hash -p /usr/bin/sudo foo; foo id",
    "hash -p /bin/rm foo; foo -rf build",
    "BASH_CMDS[foo]=/bin/rm; foo -rf build",
    "shopt -s expand_aliases\nBASH_ALIASES[s]=sudo\ns id",
    "mapfile -C 'sudo id #' -c 1 x <<< a",
    "f(){ eval \"$2\"; }; mapfile -t -c1 -C f x <<< 'sudo id'",
    "complete -C 'sudo id' x",
    "compgen -C 'sudo id' x",
    "cp /bin/rm foo; ./foo -rf build",
    "ln -s /bin/rm foo && ./foo -rf build",
    "ln -sf \"$(which rm)\" ./foo; ./foo -rf build",
    "install /bin/rm foo; ./foo -rf build",
    "cat /bin/rm > foo; chmod +x foo; ./foo -rf build",
    "ln /usr/bin/sudo x; ./x id",
    "mkdir -p b; cp /usr/bin/sudo b/; b/sudo id",
    "cp /usr/bin/rm /usr/bin/ls out/; out/rm -rf build",
    "PATH=$PWD:$PATH; ln -s /bin/rm foo; foo -rf build",
};

// Multi-call programs, debuggers, build tools.
constexpr const char *tools[] = {
    "coreutils --coreutils-prog=rm -rf build",
    "coreutils --coreutils-prog-shebang=rm -rf build",
    "coreutils rm -rf build",
    "gdb -batch -ex run --args rm -rf build",
    "lldb -- rm -rf build",
    "script -q /dev/null sudo id",
    "script -q /dev/null -- sudo id",
    "cmake -E rm -rf build",
    "cmake -E remove_directory build",
    "cmake -E env A=1 sudo id",
    "cmake -E time sudo id",
    "cmake -E chdir d sudo id",
    "ruby -run -e rm -- -r build",
    "make CC='sudo id'",
    "make 'X=$(shell sudo id)'",
    "make --eval '$(shell sudo id)'",
    "make -f - <<< '$(shell sudo id)'",
    "make -f - <<< 'X != sudo id'",
    "make -f - <<< 'X := $(shell rm -rf build)'",
};

// Other spellings of all of these.
constexpr const char *spellings[] = {
    "tmux 'new-session' -d \"bash -c 'sudo id'\"",
    "tmux new -d -- sudo id",
    "tmux splitw -h -t x 'rm -rf build'",
    "tmux set-option -g status-right '#(sudo id)'",
    "tmux bind-key x run-shell 'sudo id'",
    "byobu new 'sudo id'",
    "npx -y concurrently -k 'npm test' 'sudo id'",
    "concurrently --names a,b 'npm test' 'sudo id'",
    "nodemon --watch src --exec \"sudo id\"",
    "mytool --exec 'sudo id'",
    "mytool --command='sudo id'",
    "pwsh -Command 'sudo id'",
    "pwsh -c 'sudo id'",
    "nu -c 'sudo id'",
    "nu --commands 'sudo id'",
    "xterm -e sudo id",
    "xterm -e 'sudo id'",
    "script -q -c 'sudo id' /dev/null",
    "script /dev/null -qc 'sudo id'",
    "go vet -vettool='sudo x' ./...",
    "entr -rs 'sudo id' < f",
    "python3 -c \"from os import system as s; s('sudo id')\"",
    "python3 -c \"import os; s=os.system; s('sudo id')\"",
    "python3 -c \"import os; getattr(os,'system')('sudo id')\"",
    "python3 -c \"from subprocess import run as r; r(['rm','-rf','build'])\"",
    "node -e \"const cp=require('child_process'); const a=['-rf','build']; cp.spawn('rm', a)\"",
    "node -e \"const {spawn}=require('node:child_process'); spawn('sudo id',{shell:true})\"",
    "perl -e 'my $p=\"sudo\"; system(\"$p id\")'",
    "perl -e 'system(\"su\".\"do id\")'",
    "php -r '$a=\"sudo\"; shell_exec(\"$a id\");'",
    "ruby -e 'Kernel.method(:system).call(\"sudo id\")'",
    "make X='$(shell sudo id)' all",
    "make -f - <<< $'X=sudo\\nall:\\n\\t$(X) id'",
    "echo 'system(\"sudo id\")' | R --no-save",
    "erl -eval 'os:cmd(\"sudo id\").' -s init stop",
    "iex -e 'System.cmd(\"rm\", [\"-rf\", \"build\"])'",
    "ln -s /usr/bin/sudo ~/bin/s; s id",
    "cp $(command -v rm) x && chmod +x x && ./x -rf build",
    "dd if=/bin/rm of=x; ./x -rf build",
    "mv /bin/rm x; ./x -rf build",
    "cp /bin/rm x; cp x y; ./y -rf build",
};

// Lines that code gets from outside: arguments, standard input, the environment; and code that code evaluates.
constexpr const char *outside[] = {
    "ed -s '!sudo id'",
    "gdb -batch -ex '|help x | sudo id'",
    "gdb -batch -ex 'she sudo id'",
    "gdb -batch -ex 'set exec-wrapper sudo' -ex run ls",
    "vim -es -c 'silent !sudo id' -cq",
    "vim -es +'sil!!sudo id' +q",
    "vim -es -c 'bufdo !sudo id' -cq",
    "vim -es -c 'g/^/!sudo id' -cq f",
    "vim -es -c 'au VimLeave * !sudo id' -cq",
    "perl -we 'system q(sudo id)'",
    "perl -E 'system q[sudo id]'",
    "perl -e 'readpipe \"sudo id\"'",
    "perl -e 'open F,\"-|\",\"sudo id\"'",
    "perl -e 'system join \" \",\"sudo\",\"id\"'",
    "perl -e 'system @ARGV' sudo id",
    "perl -e 'system $ARGV[0]' 'sudo id'",
    "perl -e 'system shift' 'sudo id'",
    "perl -e 'exec @ARGV' rm -rf x",
    "perl -ne 'system' <<< 'sudo id'",
    "perl -ne 'system $_' <<< 'sudo id'",
    "echo sudo id | perl -ne 'system $_'",
    "perl -M'POSIX;system \"sudo id\"' -e1",
    "perl '-F`sudo id`' -ane 1",
    "perl -MIPC::Open3 -e 'open3(0,1,2,\"sudo id\")'",
    "perl -e 'eval \"system q(sudo id)\"'",
    "python3 -c 'import sys,subprocess; subprocess.run(sys.argv[1:])' sudo id",
    "python3 -c 'import os,sys; os.system(sys.argv[1])' 'sudo id'",
    "python3 -c 'import os; os.system(input())' <<< 'sudo id'",
    "echo 'sudo id' | python3 -c 'import os,sys; os.system(sys.stdin.read())'",
    "python3 -c 'import subprocess; subprocess.run((\"sudo\",\"id\"))'",
    "python3 -c 'import os; os.spawnlp(os.P_WAIT,\"sudo\",\"sudo\",\"id\")'",
    "python3 -c 'exec(\"import os; os.system(\\\"sudo id\\\")\")'",
    "python3 -c 'eval(\"__import__(\\\"os\\\").system(\\\"sudo id\\\")\")'",
    "python3 -c 'import os; os.system(\"{} id\".format(\"sudo\"))'",
    "python3 -c 'import timeit; timeit.timeit(\"import os; os.system(\\\"sudo id\\\")\",number=1)'",
    "python3 -m timeit 'import os; os.system(\"sudo id\")'",
    "python3 -m code <<< 'import os; os.system(\"sudo id\")'",
    "python3 -m asyncio <<< 'import os; os.system(\"sudo id\")'",
    "python3 -m trace --trace <(echo 'import os; os.system(\"sudo id\")')",
    "C='sudo id' python3 -c 'import os; os.system(os.environ[\"C\"])'",
    "awk '{system($0)}' <<< 'sudo id'",
    "echo 'sudo id' | awk '{system($0)}'",
    "awk '{cmd=\"sudo \"$1; system(cmd)}' f",
    "awk 'BEGIN{system(ARGV[1])}' 'sudo id'",
    "c='sudo id' awk 'BEGIN{system(ENVIRON[\"c\"])}'",
    "awk 'BEGIN{system(sprintf(\"%s id\",\"sudo\"))}'",
    "awk 'BEGIN{system(\"\\163udo id\")}'",
    "awk '{system(c)}' c='sudo id' f",
    "awk '{print | $1}' <<< sudo",
    "awk 'BEGIN{c=\"sudo id\"; c | getline x}'",
    "node -e 'require(\"child_process\")[\"exec\"+\"Sync\"](\"sudo id\")'",
    "node -e 'require(\"child_process\").execSync(process.argv[1])' 'sudo id'",
    "node -e 'require(\"child_process\").execFileSync(process.argv[1],[\"id\"])' sudo",
    "python3 -c 'import sys,os; c=sys.argv[1]; os.system(c)' 'sudo id'",
    "python3 -c 'import os; os.system(\" \".join([\"sudo\",\"id\"]))'",
    "perl -e 'system \"@ARGV\"' sudo id",
    "printf 'ls\\nsudo id\\n' | awk '{system($0)}'",
};

} // namespace

class TstOtherPrograms : public QObject
{
    Q_OBJECT

private:
    static void isRefused()
    {
        QFETCH(QByteArray, command);
        QVERIFY2(!test::refusingRules(command).isEmpty(), command.constData());
    }

private Q_SLOTS:
    void refuses_what_a_launcher_starts_data() { test::addCommandRows(launchers); }
    void refuses_what_a_launcher_starts() { isRefused(); }

    void refuses_what_code_of_a_loosely_read_language_starts_data() { test::addCommandRows(languages); }
    void refuses_what_code_of_a_loosely_read_language_starts() { isRefused(); }

    void refuses_a_process_start_however_code_spells_it_data() { test::addCommandRows(constants); }
    void refuses_a_process_start_however_code_spells_it() { isRefused(); }

    void refuses_a_program_under_another_name_data() { test::addCommandRows(names); }
    void refuses_a_program_under_another_name() { isRefused(); }

    void refuses_what_multi_call_and_build_tools_run_data() { test::addCommandRows(tools); }
    void refuses_what_multi_call_and_build_tools_run() { isRefused(); }

    void refuses_a_line_that_code_gets_from_outside_data() { test::addCommandRows(outside); }
    void refuses_a_line_that_code_gets_from_outside() { isRefused(); }

    void refuses_other_spellings_data() { test::addCommandRows(spellings); }
    void refuses_other_spellings() { isRefused(); }
};

QTEST_GUILESS_MAIN(TstOtherPrograms)
#include "tst_other_programs.moc"
