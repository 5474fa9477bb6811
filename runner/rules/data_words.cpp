// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/data_words.h"

#include "runner/rules/program_table.h"

#include <algorithm>
#include <array>

namespace portcullis::rules {

namespace {

struct DataProgram {
    std::string_view program;
    DataOperands operands;
    std::string_view replacedBy; ///< options that carry the pattern instead of the first operand
    std::string_view options; ///< options whose value is text
};

// Sorted by program. Only programs for which a word that looks like a path is commonly something else.
constexpr std::array dataPrograms = std::to_array<DataProgram>({
    {":", DataOperands::All, "", ""},
    {"[", DataOperands::All, "", ""},
    {"ag", DataOperands::First, "", ""},
    {"apropos", DataOperands::All, "", ""},
    {"awk", DataOperands::First, "-f --file ", "-F -v --field-separator --assign "},
    {"banner", DataOperands::All, "", ""},
    {"basename", DataOperands::All, "", ""},
    {"cowsay", DataOperands::All, "", ""},
    {"curl", DataOperands::None, "", "-H --header -A --user-agent -e --referer -X --request -u --user -w --write-out "},
    {"cut", DataOperands::None, "", "-d -f -c -b --delimiter --fields --characters --bytes "},
    {"date", DataOperands::All, "", "-d --date "},
    {"dirname", DataOperands::All, "", ""},
    {"echo", DataOperands::All, "", ""},
    {"egrep", DataOperands::First, "-e -f --regexp --file ", "-e --regexp "},
    {"expr", DataOperands::All, "", ""},
    {"false", DataOperands::All, "", ""},
    {"fgrep", DataOperands::First, "-e -f --regexp --file ", "-e --regexp "},
    {"figlet", DataOperands::All, "", ""},
    {"find", DataOperands::None, "",
     "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -printf "},
    {"gawk", DataOperands::First, "-f --file ", "-F -v --field-separator --assign "},
    {"gh", DataOperands::None, "", "-b -t -q -n -F -f "},
    {"git", DataOperands::None, "", "-m --message --grep --author --format --pretty -S -G --since --until --date "},
    {"grep", DataOperands::First, "-e -f --regexp --file ", "-e --regexp "},
    {"help", DataOperands::All, "", ""},
    {"hub", DataOperands::None, "", "-m --message "},
    {"info", DataOperands::All, "", ""},
    {"jq", DataOperands::First, "-f --from-file ", "--arg --argjson "},
    {"logger", DataOperands::All, "", ""},
    {"man", DataOperands::All, "", ""},
    {"mawk", DataOperands::First, "-f ", "-F -v "},
    {"notify-send", DataOperands::All, "", ""},
    {"printf", DataOperands::All, "", ""},
    {"rg", DataOperands::First, "-e -f --regexp --file ", "-e --regexp -g --glob "},
    {"say", DataOperands::All, "", ""},
    {"sed", DataOperands::First, "-e -f --expression --file ", "-e --expression "},
    {"seq", DataOperands::All, "", ""},
    {"sort", DataOperands::None, "", "-k -t --key --field-separator "},
    {"test", DataOperands::All, "", ""},
    {"tr", DataOperands::All, "", ""},
    {"true", DataOperands::All, "", ""},
    {"type", DataOperands::All, "", ""},
    {"whatis", DataOperands::All, "", ""},
    {"whereis", DataOperands::All, "", ""},
    {"which", DataOperands::All, "", ""},
    {"yes", DataOperands::All, "", ""},
    {"yq", DataOperands::First, "", ""},
    {"zgrep", DataOperands::First, "-e -f --regexp --file ", "-e --regexp "},
});
static_assert(std::ranges::is_sorted(dataPrograms, {}, &DataProgram::program));

// Options that take text whatever the program is: nobody calls a file option so.
constexpr std::string_view dataOptions =
    "--message --body --title --comment --notes --description --subject --grep --label --annotation ";

} // namespace

const shell::OptionTable *subcommandOptions(std::string_view program)
{
    // All subcommands together: letters that take a value in one of them and matter to a rule.
    static const shell::OptionTable git{
        .program = "git",
        .shortWithValue = "mFbBtGSL",
        .longWithValue = {"message",     "file",         "author",        "date",
                          "grep",        "branch",       "depth",         "reference",
                          "upload-pack", "receive-pack", "exec",          "extcmd",
                          "since",       "until",        "config",        "template",
                          "origin",      "remote",       "onto",          "strategy",
                          "format",      "output",       "tree-filter",   "index-filter",
                          "msg-filter",  "env-filter",   "commit-filter", "separate-git-dir",
                          "export-marks"},
        .longFlags = {"force", "all", "amend", "no-edit", "verify", "no-verify", "quiet", "verbose"}};
    static const shell::OptionTable containers{
        .program = "docker",
        .shortWithValue = "vepuwhlamcfo",
        .longWithValue = {"volume",       "env",       "publish",  "name",         "user",
                          "workdir",      "network",   "net",      "pid",          "ipc",
                          "uts",          "userns",    "cap-add",  "cap-drop",     "device",
                          "mount",        "label",     "hostname", "security-opt", "entrypoint",
                          "memory",       "cpus",      "env-file", "file",         "tag",
                          "build-arg",    "platform",  "restart",  "target",       "cgroupns",
                          "volumes-from", "add-host",  "dns",      "tmpfs",        "ulimit",
                          "runtime",      "group-add", "filter",   "format",       "device-cgroup-rule",
                          "output",       "cidfile",   "iidfile",  "metadata-file"},
        .longFlags = {"privileged", "rm", "detach", "interactive", "tty", "init", "read-only", "pull", "no-cache",
                      "env-host"}};
    if (program == "git")
        return &git;
    static constexpr std::array<std::string_view, 6> likeDocker{"docker",         "podman",         "nerdctl",
                                                                "docker-compose", "podman-compose", "buildah"};
    return std::ranges::contains(likeDocker, program) ? &containers : nullptr;
}

bool givesOption(const shell::SplitArguments &split, std::string_view options)
{
    return std::ranges::any_of(split.options,
                               [&](const shell::GivenOption &option) { return listsOption(options, option.name); });
}

DataOperands dataOperands(std::string_view program, const shell::SplitArguments &split)
{
    const DataProgram *known = rowOf(dataPrograms, program);
    if (!known)
        return DataOperands::None;
    if (known->operands == DataOperands::First && givesOption(split, known->replacedBy))
        return DataOperands::None;
    return known->operands;
}

bool takesData(std::string_view program, std::string_view option)
{
    const DataProgram *known = rowOf(dataPrograms, program);
    return (known && listsOption(known->options, option)) || listsOption(dataOptions, option);
}

} // namespace portcullis::rules
