// SPDX-License-Identifier: Apache-2.0

// After the programs' manual pages. What is not here is written by redirection, unpacked (unpacked_files.cpp) or
// written by code (code_writes.cpp), or is left to confinement.

#include "runner/rules/writers.h"

#include <algorithm>
#include <array>

namespace portcullis::rules {

namespace {

using enum WriterOperands;

// Sorted by program.
constexpr std::array writers = std::to_array<Writer>({
    {.program = "aria2c", .options = "-o --out ", .base = "-d --dir "},
    {.program = "autopep8", .operands = All, .onlyWith = "-i --in-place "},
    {.program = "awk", .operands = All, .onlyWith = "-i "},
    {.program = "black", .operands = All, .notWith = "-c --code ", .never = "--check --diff "},
    {.program = "c++", .options = "-o "},
    {.program = "cc", .options = "-o "},
    {.program = "clang", .options = "-o "},
    {.program = "clang++", .options = "-o "},
    {.program = "clang-format", .operands = All, .onlyWith = "-i "},
    {.program = "composite", .operands = Last},
    {.program = "convert", .operands = Last},
    {.program = "cp", .operands = Into, .options = "-t --target-directory "},
    {.program = "csplit", .options = "-f --prefix "},
    {.program = "curl",
     .options = "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --hsts "
                "--etag-save --alt-svc ",
     .base = "--output-dir "},
    {.program = "dd", .operandPrefix = "of="},
    {.program = "ddrescue", .operands = All},
    {.program = "docker",
     .subcommands = "save|export|image save|container export|build|image build|buildx build|run|create",
     .options = "-o --output --cidfile --iidfile --metadata-file "},
    {.program = "docker", .subcommands = "cp|container cp", .operands = Into},
    {.program = "dos2unix", .operands = All},
    {.program = "dot", .options = "-o "},
    {.program = "ed", .operands = All},
    {.program = "emacs", .operands = All},
    {.program = "eslint", .operands = All, .options = "-o --output-file ", .onlyWith = "--fix "},
    {.program = "ex", .operands = All},
    {.program = "fallocate", .operands = All},
    {.program = "ffmpeg", .operands = Last},
    {.program = "find", .options = "-fprint -fprint0 -fprintf -fls "},
    {.program = "g++", .options = "-o "},
    {.program = "gawk", .operands = All, .onlyWith = "-i "},
    {.program = "gcc", .options = "-o "},
    {.program = "git", .subcommands = "archive", .options = "-o --output "},
    {.program = "git", .subcommands = "bundle create", .operands = First},
    {.program = "git", .subcommands = "checkout-index", .prefixes = "--prefix "},
    {.program = "git",
     .subcommands = "checkout|checkout-index|reset|restore|switch|read-tree|stash|pull|merge|rebase|cherry-pick|revert|"
                    "am|apply|clean|rm|mv|sparse-checkout|submodule",
     .folders = "--work-tree ",
     .variables = "GIT_WORK_TREE "},
    {.program = "git", .subcommands = "clone", .operands = Last, .folders = "--separate-git-dir "},
    {.program = "git",
     .subcommands = "config",
     .options = "-f --file ",
     .never = "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list ",
     .leastOperands = 2},
    {.program = "git",
     .subcommands = "diff|log|show|diff-tree|diff-index|diff-files|stash show",
     .options = "--output "},
    {.program = "git", .subcommands = "fast-export", .options = "--export-marks "},
    {.program = "git", .subcommands = "format-patch", .options = "--output ", .folders = "-o --output-directory "},
    {.program = "git", .subcommands = "init", .operands = First, .folders = "--separate-git-dir "},
    {.program = "git", .subcommands = "submodule add", .operands = Last},
    {.program = "git", .subcommands = "worktree add", .operands = First},
    {.program = "go",
     .options = "-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace ",
     .folders = "-outputdir "},
    {.program = "gofmt", .operands = All, .onlyWith = "-w "},
    {.program = "goimports", .operands = All, .onlyWith = "-w "},
    {.program = "gpg", .options = "-o --output "},
    {.program = "gpg2", .options = "-o --output "},
    {.program = "hyperfine", .options = "--export-json --export-csv --export-markdown --output "},
    {.program = "iconv", .options = "-o --output "},
    {.program = "install", .operands = Into, .options = "-t --target-directory "},
    {.program = "isort", .operands = All, .never = "--check --check-only -c --diff "},
    {.program = "ld", .options = "-o "},
    {.program = "ld.bfd", .options = "-o "},
    {.program = "ld.gold", .options = "-o "},
    {.program = "ld.lld", .options = "-o "},
    {.program = "ln", .operands = Into, .options = "-t --target-directory "},
    {.program = "ltrace", .options = "-o --output "},
    {.program = "magick", .operands = Last},
    {.program = "mkdir", .operands = All},
    {.program = "mogrify", .operands = All, .folders = "-path ", .notWith = "-path "},
    {.program = "montage", .operands = Last},
    {.program = "mv", .operands = Into, .options = "-t --target-directory "},
    {.program = "mysqldump", .options = "-r --result-file ", .folders = "-T --tab "},
    {.program = "nano", .operands = All},
    {.program = "nerdctl", .subcommands = "save|export|image save", .options = "-o --output "},
    {.program = "nerdctl", .subcommands = "cp", .operands = Into},
    {.program = "nvim", .operands = All},
    {.program = "objcopy", .operands = Last},
    {.program = "openssl", .options = "-out "},
    {.program = "pandoc", .options = "-o --output "},
    {.program = "patch", .operands = All, .options = "-o --output -r --reject-file ", .notWith = "-o --output "},
    {.program = "perf", .subcommands = "record|stat|trace|sched|lock|mem|c2c|kmem|ftrace", .options = "-o --output "},
    {.program = "perl", .operands = All, .onlyWith = "-i "},
    {.program = "pg_dump", .options = "-f --file "},
    {.program = "pg_dumpall", .options = "-f --file "},
    {.program = "podman",
     .subcommands = "save|export|image save|container export|build|run|create",
     .options = "-o --output --cidfile --iidfile "},
    {.program = "podman", .subcommands = "cp|container cp", .operands = Into},
    {.program = "prettier", .operands = All, .onlyWith = "-w --write "},
    {.program = "psql", .options = "-o --output -L --log-file "},
    {.program = "qpdf", .operands = Last},
    {.program = "rsync", .operands = Into, .folders = "--backup-dir "},
    {.program = "rsync", .options = "--log-file "},
    {.program = "ruby", .operands = All, .onlyWith = "-i "},
    {.program = "ruff", .subcommands = "check", .operands = All, .options = "-o --output-file ", .onlyWith = "--fix "},
    {.program = "ruff", .subcommands = "format", .operands = All, .never = "--check --diff "},
    {.program = "rustc", .options = "-o --out-dir "},
    {.program = "rustfmt", .operands = All, .never = "--check "},
    {.program = "scp", .operands = Into},
    {.program = "script", .operands = First, .options = "-O --log-out -B --log-io -I --log-in -T --log-timing "},
    {.program = "sed", .operands = All, .onlyWith = "-i --in-place "},
    {.program = "shfmt", .operands = All, .onlyWith = "-w --write "},
    {.program = "shred", .operands = All},
    {.program = "shuf", .options = "-o --output "},
    {.program = "sort", .options = "-o --output "},
    {.program = "sox", .operands = Last},
    {.program = "split", .operands = Last},
    {.program = "sponge", .operands = All},
    {.program = "ssh-keygen", .options = "-f ", .never = "-l -y -e -i -B -F -Q -L -Y "},
    {.program = "strace", .options = "-o --output "},
    {.program = "strip", .operands = All, .options = "-o --output-file ", .notWith = "-o --output-file "},
    {.program = "stylelint", .operands = All, .options = "-o --output-file ", .onlyWith = "--fix "},
    {.program = "tee", .operands = All},
    {.program = "time", .options = "-o --output "},
    {.program = "touch", .operands = All},
    {.program = "tree", .options = "-o "},
    {.program = "truncate", .operands = All},
    {.program = "tshark", .options = "-w "},
    {.program = "uniq", .operands = Last},
    {.program = "unix2dos", .operands = All},
    {.program = "valgrind",
     .options = "--log-file --xml-file --callgrind-out-file --cachegrind-out-file --massif-out-file --dhat-out-file "},
    {.program = "vi", .operands = All},
    {.program = "vim", .operands = All, .options = "-w -W --startuptime "},
    {.program = "wget",
     .options = "-O --output-document -o --output-file -a --append-output --save-cookies --rejected-log --hsts-file "},
    {.program = "wget2",
     .options = "-O --output-document -o --output-file -a --append-output --save-cookies --hsts-file "},
    {.program = "xxd", .operands = Last},
    {.program = "yapf", .operands = All, .onlyWith = "-i --in-place "},
    {.program = "yq", .operands = All, .onlyWith = "-i --inplace "},
    {.program = "zip", .operands = First},
});
static_assert(std::ranges::is_sorted(writers, {}, &Writer::program));

} // namespace

std::span<const Writer> allWriters()
{
    return writers;
}

std::span<const Writer> writersOf(std::string_view program)
{
    return std::ranges::equal_range(writers, program, {}, &Writer::program);
}

} // namespace portcullis::rules
