#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks on the source tree that a compiler does not make: lint.py CHECK ROOT [CLANG_FORMAT].

layers   direct includes follow app -> ui -> ui_models -> text -> runner_core <- runner <- app
pure     runner_core has no files, processes, threads, timers, network, SQL, clock or environment
spdx     every source file names its licence in its first lines
sizes    no source file over 500 lines (tables of data are named below)
words    no absolute path of a build machine in tracked files
controls docs/controls.md names files, functions and tests that exist, and no claim is called true without a test
format   clang-format has nothing to change
"""
import os
import re
import subprocess
import sys

CORE = ["base", "shell", "rules", "config", "policy", "decision", "plan", "record", "replay", "wire", "ports"]
EFFECTS = ["resources", "confinement", "host", "audit", "docker", "vfs", "service", "bridge"]

# Order inside the core: a folder includes itself and what stands left of it in one of these chains.
CORE_MAY = {
    "base": [], "shell": ["base"], "config": ["base"], "wire": ["base", "config"],
    "rules": ["base", "shell", "config"],
    "policy": ["base", "shell", "config", "rules"],
    "decision": ["base", "shell", "config", "rules", "policy"],
    "plan": ["base", "shell", "config", "rules", "policy", "decision"],
    "record": ["base", "shell", "config"],
    "replay": ["base", "shell", "config", "rules", "policy", "decision", "record"],
    "ports": ["base", "shell", "config", "rules", "policy", "decision", "plan", "record", "replay"],
}
EFFECT_MAY = {
    "resources": [], "confinement": [], "audit": [], "host": ["confinement", "resources"],
    "service": ["resources", "confinement", "host", "audit", "docker", "vfs"], "docker": ["confinement"], "vfs": ["confinement"],
    "bridge": ["service", "resources"],
}
# The owner of a file descriptor needs nothing of its folder; every effect may use it.
FOR_ALL_EFFECTS = {"runner/confinement/unique_fd.h"}
IMPURE = re.compile(
    r'#include\s*<(Q(Process|File|FileInfo|Dir|SaveFile|TemporaryFile|TemporaryDir|Thread|Timer|Settings|Network\w*|Local\w*|Tcp\w*|Sql\w*)'
    r'|QtNetwork.*|QtSql.*|unistd\.h|fcntl\.h|sys/.*|filesystem|fstream|thread|dirent\.h)>')
IMPURE_CALL = re.compile(r'\b(system_clock::now|steady_clock::now|currentDateTime|currentMSecsSinceEpoch|std::getenv|qgetenv|getenv\()')
BIG_TABLES = {"runner/shell/option_table_data.cpp", "tests/unit/decision/tst_truth_table.cpp"}


def sources(root, *folders, suffixes=(".h", ".cpp")):
    for folder in folders:
        for path, dirs, files in os.walk(os.path.join(root, folder)):
            dirs[:] = [d for d in dirs if d not in ("build", ".git")]
            for name in sorted(files):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(path, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def may_include(path, target):
    """Whether the file at `path` may include the project header `target`."""
    source, header = path.split("/"), target.split("/")
    if source[0] in ("app", "tests"):
        return source[0] == "tests" or header[0] != "tests"
    if header[0] == "tests":
        return False
    if source[0] == "runner":
        if header[0] != "runner":
            return False
        if source[1] in CORE:
            return header[1] == source[1] or header[1] in CORE_MAY[source[1]]
        return (header[1] in CORE or header[1] == source[1] or header[1] in EFFECT_MAY.get(source[1], [])
                or target in FOR_ALL_EFFECTS)
    if source[0] == "ui":
        if header[0] == "runner":
            return header[1] in CORE
        if header[0] != "ui":
            return False
        order = {"text": 0, "models": 1}
        return order.get(header[1], 2) <= order.get(source[1], 2)
    return True


def check_layers(root):
    for path in sources(root, "runner", "ui", "app"):
        for number, line in enumerate(read(root, path).splitlines(), 1):
            found = re.match(r'#include "((?:runner|ui|app|tests)/[^"]+)"', line)
            if found and not may_include(path, found[1]):
                yield f"{path}:{number}: {found[1]} is not below this layer"


STRING = re.compile(r'"(?:\\.|[^"\\])*"')


def check_pure(root):
    for path in sources(root, *[f"runner/{folder}" for folder in CORE]):
        for number, line in enumerate(read(root, path).splitlines(), 1):
            if IMPURE.search(line) or IMPURE_CALL.search(STRING.sub('""', line).split("//")[0]):
                yield f"{path}:{number}: an effect in the pure core: {line.strip()}"


def check_spdx(root):
    for path in sources(root, "runner", "ui", "app", "tests", "cmake", suffixes=(".h", ".cpp", ".cmake", "CMakeLists.txt", ".py")):
        if "SPDX-License-Identifier: Apache-2.0" not in "".join(read(root, path).splitlines(True)[:3]):
            yield f"{path}:1: no SPDX line"


def check_sizes(root):
    for path in sources(root, "runner", "ui", "app", "tests"):
        lines = read(root, path).count("\n")
        if lines > 500 and path not in BIG_TABLES:
            yield f"{path}: {lines} lines, more than 500"


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False).stdout
    return [line for line in out.splitlines() if line]


def check_words(root):
    forbidden = re.compile(re.escape(os.path.realpath(root)) + r"(/|\b)")
    for path in tracked(root):
        try:
            text = read(root, path)
        except (UnicodeDecodeError, OSError):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if forbidden.search(line):
                yield f"{path}:{number}: an absolute path of this machine"


CONTROLS = "docs/controls.md"
# How well a row of it stands: those that are shown by a test, and the others.
SHOWN = {"true", "fails closed", "covered"}
STATES = SHOWN | {"in part", "untested", "not yet", "missing"}
CODE_NAME = re.compile(r"((?:app|runner|ui|resources)/[\w./-]+)(?:: ([\w, ]+))?$")
TEST_NAME = re.compile(r"(unit|component|confinement|docker|ui|system)/(tst_\w+)::(\w+)$")


def test_text(root, kind, name):
    """The text of tests/KIND/…/NAME.cpp and of the tables of its own that it includes, or None."""
    for path in sources(root, f"tests/{kind}", suffixes=(f"{name}.cpp",)):
        if os.path.basename(path) == f"{name}.cpp":
            text = read(root, path)
            tables = re.findall(rf'#include "(tests/{kind}/[\w./]+)"', text)
            return "\n".join([text] + [read(root, table) for table in tables])
    return None


def wrong_name(root, name):
    """What is wrong with the name of a file, a function or a test between back quotes, or None."""
    if found := TEST_NAME.match(name):
        text = test_text(root, found[1], found[2])
        if text is None:
            return "no such test program"
        return None if re.search(rf"\bvoid (\w+::)?{found[3]}\(\)", text) else "no such test function"
    if found := CODE_NAME.match(name):
        if not os.path.exists(os.path.join(root, found[1])):
            return "no such file"
        missing = [word for word in (found[2] or "").split(", ")
                   if word and not re.search(rf"\b{word}\b", read(root, found[1]))]
        return f"no {missing[0]} in that file" if missing else None
    return None


def check_controls(root):
    for number, line in enumerate(read(root, CONTROLS).splitlines(), 1):
        for name in re.findall(r"`([^`]+)`", line):
            if wrong := wrong_name(root, name):
                yield f"{CONTROLS}:{number}: {name}: {wrong}"
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or cells[-1] == "state" or set(cells[-1]) <= set("- "):
            continue
        tests = [found for name in re.findall(r"`([^`]+)`", cells[-2]) if (found := TEST_NAME.match(name))]
        if cells[-1] not in STATES:
            yield f"{CONTROLS}:{number}: the state {cells[-1]} is not known"
        if cells[-1] in SHOWN and not tests:
            yield f"{CONTROLS}:{number}: no test, and yet {cells[-1]}"
        texts = [test_text(root, found[1], found[2]) or "" for found in tests]
        for row in re.findall(r'"([^"]+)"', cells[-2]):
            if not any(f'"{row}"' in text for text in texts):
                yield f'{CONTROLS}:{number}: "{row}": no such row in the tests of this line'


def check_format(root, clang_format):
    paths = list(sources(root, "runner", "ui", "app", "tests"))
    for start in range(0, len(paths), 50):
        out = subprocess.run([clang_format, "--dry-run", "-Werror", *paths[start:start + 50]], cwd=root,
                             capture_output=True, text=True, check=False)
        for line in out.stderr.splitlines():
            if "error:" in line:
                yield line


def main():
    check, root = sys.argv[1], sys.argv[2]
    findings = list(globals()[f"check_{check}"](root, *sys.argv[3:]))
    for finding in findings:
        print(finding)
    print(f"lint {check}: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
