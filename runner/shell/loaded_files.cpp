// SPDX-License-Identifier: Apache-2.0

// Files that the command has written before and that a program then runs without being told to: a module of the folder
// that code imports, a Makefile, a conftest.py, the scripts of a package.json.

#include "runner/shell/evaluator.h"

#include "runner/shell/foreign_files.h"
#include "runner/shell/foreign_literals.h"
#include "runner/shell/make_goals.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

namespace {

/// What a program reads in the folder where it starts, by itself.
struct OwnFiles {
    std::string_view program;
    /// Empty: one that is not read; only where it came from counts. `just` is read as `make`, but whole.
    std::string_view language;
    std::string_view files; ///< each with a space behind
};

constexpr std::array ownFileTable = std::to_array<OwnFiles>({
    {"bmake", "make", "BSDmakefile makefile Makefile "},
    {"bundle", "ruby", "Gemfile "},
    {"cmake", "", "CMakeLists.txt "},
    {"eslint", "node", "eslint.config.js eslint.config.mjs eslint.config.cjs .eslintrc.js .eslintrc.cjs "},
    {"fab", "python", "fabfile.py "},
    {"gmake", "make", "GNUmakefile makefile Makefile "},
    {"gradle", "groovy", "settings.gradle build.gradle "},
    {"grunt", "node", "Gruntfile.js "},
    {"gulp", "node", "gulpfile.js "},
    {"inv", "python", "tasks.py "},
    {"invoke", "python", "tasks.py "},
    {"jest", "node", "jest.config.js jest.config.cjs jest.config.mjs "},
    {"just", "just", "justfile Justfile .justfile "},
    {"make", "make", "GNUmakefile makefile Makefile "},
    {"meson", "", "meson.build "},
    {"nox", "python", "noxfile.py "},
    {"pytest", "python", "conftest.py "},
    {"rake", "ruby", "rakefile Rakefile rakefile.rb Rakefile.rb "},
    {"scons", "python", "SConstruct "},
    {"task", "", "Taskfile.yml Taskfile.yaml "},
    {"tox", "", "tox.ini "},
    {"vite", "node", "vite.config.js vite.config.mjs vite.config.ts "},
    {"vitest", "node", "vitest.config.js vitest.config.ts vite.config.js vite.config.ts "},
    {"webpack", "node", "webpack.config.js "},
});
static_assert(std::ranges::is_sorted(ownFileTable, {}, &OwnFiles::program));

bool isTest(std::string_view path)
{
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name == "conftest.py" || (name.starts_with("test_") && name.ends_with(".py")) || name.ends_with("_test.py");
}

/// The word behind -C or a long option of that meaning, else nothing.
std::string folderOf(const Run &run)
{
    for (std::size_t i = 1; i + 1 < run.words.size(); ++i) {
        const std::string &word = run.words[i].value.text;
        if (word == "-C" || word == "--directory" || word == "--prefix" || word == "--cwd")
            return run.words[i + 1].value.text + "/";
    }
    return {};
}

/// The names of the scripts that a package manager runs for these words; none when it runs no script by name.
std::vector<std::string> scriptNames(std::string_view program, const Run &run)
{
    static constexpr std::array<std::string_view, 4> own{"test", "start", "stop", "restart"};
    static constexpr std::array<std::string_view, 5> installs{"install", "i", "ci", "add", "publish"};
    std::vector<std::string> words;
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        if (!run.words[i].value.text.starts_with('-'))
            words.push_back(run.words[i].value.text);
    }
    if (words.empty())
        return {};
    if (std::ranges::contains(installs, words.front()))
        return {"preinstall", "install", "postinstall", "prepare", "prepublish", "prepublishOnly"};
    std::string name;
    if ((words.front() == "run" || words.front() == "run-script") && words.size() > 1)
        name = words[1];
    else if (words.front() == "t" || words.front() == "tst")
        name = "test";
    else if (std::ranges::contains(own, words.front()) || program != "npm")
        name = words.front();
    if (name.empty())
        return {};
    return {"pre" + name, name, "post" + name};
}

} // namespace

bool Evaluator::loadFile(std::string_view language, const std::string &path, std::uint32_t invocation, const Run &run)
{
    constexpr std::uint32_t deepest = 8;
    const std::string whole = absolute(path);
    const auto written = m_files.find(whole);
    if (written == m_files.end() || !m_loading.insert(whole).second)
        return written != m_files.end();
    addFlow(written->second.writer, invocation, true, false);
    const Choices texts = written->second.text;
    if (m_nestedCode >= deepest)
        beyondLimits(run.span, path);
    ++m_nestedCode;
    for (const Gapped &text : texts) {
        if (text.text.empty() || language.empty())
            note(DynamicReason::Script, run.span, path);
        else if (m_nestedCode <= deepest)
            code(language == "just" ? "make" : language,
                 Field::fromGapped(language == "make" ? neededRules(text, run) : text, run.span), invocation, run);
    }
    --m_nestedCode;
    m_loading.erase(whole);
    return true;
}

bool Evaluator::loadModule(std::string_view language, const LoadedName &name, std::uint32_t invocation, const Run &run)
{
    if (m_files.empty())
        return false;
    // Perl and ruby look where the program starts only when they are told to.
    const bool here = name.file || name.name.starts_with('.') || name.name.starts_with('/')
        || (language != "perl" && language != "ruby");
    std::vector<std::string> folders = m_loadFolders;
    if (here)
        folders.emplace_back();
    bool found = false;
    for (const std::string &file : filesOf(language, name)) {
        for (const std::string &folder : folders) {
            if (spend(file.size() + 20))
                found = loadFile(language, folder.empty() || file.starts_with('/') ? file : folder + "/" + file,
                                 invocation, run)
                    || found;
        }
    }
    return found;
}

void Evaluator::loadedFiles(std::string_view language, std::string_view code, std::uint32_t invocation, const Run &run)
{
    if (m_files.empty() || !spend(code.size()))
        return;
    for (const LoadedName &name : loadedNames(language, code))
        loadModule(language, name, invocation, run);
}

void Evaluator::ownFiles(std::string_view name, const Run &run, std::uint32_t invocation)
{
    if (m_files.empty())
        return;
    const bool opens = m_result.invocations[invocation].opens;
    readOwnFiles(name, run, invocation);
    // Beside what these files start it does its own work: `npm install` installs.
    m_result.invocations[invocation].opens = opens;
}

void Evaluator::readOwnFiles(std::string_view name, const Run &run, std::uint32_t invocation)
{
    if (name == "npm" || name == "pnpm" || name == "yarn" || name == "bun")
        packageScripts(name, run, invocation);
    const auto *const row = std::ranges::lower_bound(ownFileTable, name, {}, &OwnFiles::program);
    const bool tests = name == "pytest" || name == "unittest";
    if (tests) {
        std::vector<std::string> paths;
        for (const auto &[path, written] : m_files) {
            if (spend(path.size()) && isTest(path))
                paths.push_back(path);
        }
        for (const std::string &path : paths)
            loadFile("python", path, invocation, run);
    }
    if (tests || row == ownFileTable.end() || row->program != name)
        return;
    const std::string folder = folderOf(run);
    for (std::size_t at = 0; at < row->files.size();) {
        const std::size_t end = row->files.find(' ', at);
        loadFile(row->language, folder + std::string(row->files.substr(at, end - at)), invocation, run);
        at = end + 1;
    }
}

void Evaluator::packageScripts(std::string_view program, const Run &run, std::uint32_t invocation)
{
    const auto written = m_files.find(absolute(folderOf(run) + "package.json"));
    const std::vector<std::string> names = scriptNames(program, run);
    if (written == m_files.end() || names.empty())
        return;
    addFlow(written->second.writer, invocation, true, false);
    const Choices texts = written->second.text;
    for (const Gapped &text : texts) {
        const std::size_t scripts = text.text.find("\"scripts\"");
        if (!text.known() || scripts == std::string::npos) {
            note(DynamicReason::Script, run.span, std::string(program));
            continue;
        }
        Literals in(text.text, scripts + 9, false);
        if (!in.take(':') || !in.take('{') || !spend(text.text.size()))
            continue;
        do {
            const std::optional<Gapped> name = in.string();
            const std::optional<Gapped> line = name && in.take(':') ? in.string() : std::nullopt;
            if (!line)
                break;
            std::string key = std::string(program) + ' ' + name->text;
            if (!std::ranges::contains(names, name->text) || !m_loading.insert(key).second)
                continue;
            launchText(*line, run.span, invocation, run, program);
            m_loading.erase(key);
        } while (in.take(','));
    }
}

} // namespace portcullis::shell
