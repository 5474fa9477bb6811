// SPDX-License-Identifier: Apache-2.0
#pragma once

// Commands that are made to keep the gate busy: each of about 128 KiB, the most that it takes.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::test {

struct HostileCommand {
    const char *name;
    std::string text;
};

/// `make(i)` for i = 0, 1, …, as long as it fits into `bytes`.
[[nodiscard]] inline std::string repeated(std::size_t bytes, const std::function<std::string(std::size_t)> &make)
{
    std::string text;
    for (std::size_t i = 0;; ++i) {
        const std::string more = make(i);
        if (text.size() + more.size() > bytes)
            return text;
        text += more;
    }
}

[[nodiscard]] inline std::vector<HostileCommand> hostileCommands(std::size_t bytes = 128 * 1024 - 64)
{
    const auto same = [bytes](std::string_view text) {
        return repeated(bytes, [text](std::size_t) { return std::string(text); });
    };
    const auto numbered = [bytes](std::string_view before, std::string_view after) {
        return repeated(bytes,
                        [=](std::size_t i) { return std::string(before) + std::to_string(i) + std::string(after); });
    };
    const std::size_t half = bytes / 2;
    return {
        {"one long word", "echo " + std::string(bytes - 8, 'a')},
        {"folders of globs", "ls " + same("*/ ")},
        {"globs", "ls " + same("* ")},
        {"distinct globs", "ls " + numbered("*", "/ ")},
        {"one deep path of globs", "ls " + same("*/")},
        {"plain words", "ls " + numbered("w", " ")},
        {"absolute paths", "cat " + numbered("/a/b", " ")},
        {"paths that go up", "cat " + numbered("../../a", " ")},
        {"the same refused program", same("sudo id;")},
        {"distinct refused programs", numbered("sudo a", ";")},
        {"a pipeline of one program", same("ls|") + "ls"},
        {"downloads into a shell", same("curl x|") + "sh"},
        {"downloads of distinct addresses", numbered("curl http://h", ";")},
        {"changes of directory with redirections", numbered("cd d", ";>x;")},
        {"nested substitutions", repeated(half, [](std::size_t) { return std::string("$("); }) + "ls"},
        {"balanced substitutions",
         "echo " + std::string() + repeated(half, [](std::size_t) { return std::string("$(ls "); })
             + std::string(half / 5, ')')},
        {"nested quotes", same("\"$(echo '")},
        {"back quotes", same("`a`")},
        {"braces", "echo " + same("{a,b}")},
        {"lists in an address", "curl \"http://" + same("{a,b}") + '"'},
        {"ranges", "echo " + same("{1..9} ")},
        {"a huge range", "echo {1..1000000000}"},
        {"here-documents", same("cat <<E\nx\nE\n")},
        {"queued here-documents", "cat " + same("<<E ")},
        {"assignments", numbered("a", "=b;")},
        {"assignments before a program", numbered("a", "=b ") + "env"},
        {"arrays", "a=(" + numbered("e", " ") + "); echo ${a[@]}"},
        {"doubling variables",
         repeated(bytes,
                  [](std::size_t i) {
                      return "v" + std::to_string(i + 1) + "=$v" + std::to_string(i) + "$v" + std::to_string(i) + ";";
                  })},
        {"functions that call each other",
         repeated(bytes,
                  [](std::size_t i) {
                      return "f" + std::to_string(i + 1) + "(){ f" + std::to_string(i) + ";f" + std::to_string(i)
                          + ";};";
                  })
             + "f999"},
        {"conditions", same("if a;then b;fi;")},
        {"cases", "case x in " + same("a|b)c;;") + " esac"},
        {"loops", same("for i in 1 2 3;do ls $i;done;")},
        {"scripts of awk", same("awk 'x';")},
        {"scripts of python", same("python3 -c 'open(\"a\")';")},
        {"literals of python", "python3 -c \"" + same("'..',") + "\""},
        {"launchers", same("env nice ") + "id"},
        {"options", "rm " + same("-r ")},
        {"escapes", "printf '" + same("\\x41") + "' | sh"},
        {"evaluated text", same("eval 'ls';")},
        {"links", numbered("ln -s a l", ";cat l/x;")},
        {"full-width text", same("ｌｓ；")},
        {"bytes", "echo " + std::string(bytes - 8, '\x01')},
    };
}

} // namespace portcullis::test
