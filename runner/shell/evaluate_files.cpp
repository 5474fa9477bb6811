// SPDX-License-Identifier: Apache-2.0

// Files with known names that programs write, and those from which they take what they write: copies, downloads,
// filters, compilers.

#include "runner/shell/evaluator.h"

#include "runner/shell/option_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace portcullis::shell {

namespace {

/// Programs that save what an address gives. Options stand with a space behind each.
struct Downloader {
    std::string_view program;
    std::string_view files; ///< options that name the file
    std::string_view folders; ///< options that name its folder
    std::string_view saving; ///< it saves under the address's own name only with one of these; empty: always
};

constexpr std::array downloaders = std::to_array<Downloader>({
    {"aria2c", "-o --out ", "-d --dir ", ""},
    {"axel", "-o --output ", "", ""},
    {"curl", "-o --output ", "--output-dir ", "-O --remote-name --remote-name-all "},
    {"curlie", "-o --output ", "--output-dir ", "-O --remote-name --remote-name-all "},
    {"http", "-o --output ", "", "-d --download "},
    {"https", "-o --output ", "", "-d --download "},
    {"lwp-download", "", "", ""},
    {"wget", "-O --output-document ", "-P --directory-prefix ", ""},
    {"wget2", "-O --output-document ", "-P --directory-prefix ", ""},
    {"xh", "-o --output ", "", "-d --download "},
    {"xhs", "-o --output ", "", "-d --download "},
});
static_assert(std::ranges::is_sorted(downloaders, {}, &Downloader::program));

/// Programs that write, to standard output, to the file of an option or beside it, what is in the files that they are
/// given.
struct Filter {
    std::string_view program;
    std::string_view files; ///< options that name the file which is written
    std::string_view suffixes; ///< a file with one of these is replaced by one without it
    std::string_view usual; ///< the file that is written when no option names one
};

constexpr std::array filters = std::to_array<Filter>({
    {"awk", "", "", ""},
    {"base32", "", "", ""},
    {"base64", "", "", ""},
    {"bunzip2", "", ".bz2 ", ""},
    {"bzcat", "", "", ""},
    {"bzip2", "", ".bz2 ", ""},
    {"c++", "-o ", "", "a.out"},
    {"cat", "", "", ""},
    {"cc", "-o ", "", "a.out"},
    {"clang", "-o ", "", "a.out"},
    {"clang++", "-o ", "", "a.out"},
    {"cut", "", "", ""},
    {"dos2unix", "", "", ""},
    {"envsubst", "", "", ""},
    {"g++", "-o ", "", "a.out"},
    {"gawk", "", "", ""},
    {"gcc", "-o ", "", "a.out"},
    {"grep", "", "", ""},
    {"gunzip", "", ".gz .z .Z ", ""},
    {"gzip", "", ".gz .z .Z ", ""},
    {"head", "", "", ""},
    {"iconv", "-o --output ", "", ""},
    {"jq", "", "", ""},
    {"openssl", "-out ", "", ""},
    {"rev", "", "", ""},
    {"rustc", "-o ", ".rs ", ""},
    {"sed", "", "", ""},
    {"sort", "-o --output ", "", ""},
    {"tac", "", "", ""},
    {"tail", "", "", ""},
    {"tcc", "-o ", "", "a.out"},
    {"tr", "", "", ""},
    {"uniq", "", "", ""},
    {"unxz", "", ".xz .lzma ", ""},
    {"unzstd", "-o ", ".zst ", ""},
    {"xxd", "", "", ""},
    {"xz", "", ".xz .lzma ", ""},
    {"xzcat", "", "", ""},
    {"zcat", "", "", ""},
    {"zstd", "-o ", ".zst ", ""},
    {"zstdcat", "", "", ""},
});
static_assert(std::ranges::is_sorted(filters, {}, &Filter::program));

template <class Row, std::size_t size>
const Row *rowOf(const std::array<Row, size> &table, std::string_view program)
{
    const auto *found = std::ranges::lower_bound(table, program, {}, &Row::program);
    return found != table.end() && found->program == program ? found : nullptr;
}

/// The value of the last of these options.
const Value *givenValue(const SplitArguments &split, std::string_view options)
{
    const Value *value = nullptr;
    for (const GivenOption &option : split.options) {
        if (option.value && listsOption(options, option.name))
            value = &*option.value;
    }
    return value;
}

std::string inside(std::string_view folder, std::string_view name)
{
    return folder.empty() || name.starts_with('/') ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

std::string_view baseOf(std::string_view path)
{
    path = path.substr(0, path.find_last_not_of('/') + 1);
    return path.substr(path.rfind('/') + 1);
}

/// Host and path of an address, without what stands behind them.
std::string_view placeOf(std::string_view address)
{
    address = address.substr(0, address.find_first_of("?#"));
    const std::size_t scheme = address.find("://");
    return scheme == std::string_view::npos ? address : address.substr(scheme + 3);
}

bool hasSuffix(std::string_view name, std::string_view suffixes, std::string_view &plain)
{
    for (std::size_t at = 0; at < suffixes.size();) {
        const std::size_t end = suffixes.find(' ', at);
        const std::string_view suffix = suffixes.substr(at, end - at);
        if (name.size() > suffix.size() && name.ends_with(suffix)) {
            plain = name.substr(0, name.size() - suffix.size());
            return true;
        }
        at = end + 1;
    }
    return false;
}

std::vector<Value> argumentsOf(const Run &run)
{
    std::vector<Value> args;
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.push_back(run.words[i].value);
    return args;
}

} // namespace

bool Evaluator::isDownload(std::uint32_t writer) const
{
    return writer < m_result.invocations.size() && rowOf(downloaders, m_result.invocations[writer].name) != nullptr;
}

std::string Evaluator::fileKey(const Value &file) const
{
    if (file.known())
        return absolute(file.text);
    constexpr std::size_t longest = 256; // of a word that stands for itself
    std::string key = "?";
    const std::size_t start = std::min<std::size_t>(file.span.start, m_raw.size());
    if (file.span.length > longest)
        return key + std::to_string(start);
    std::ranges::copy_if(m_raw.substr(start, file.span.length), std::back_inserter(key),
                         [](char c) { return c != '"'; });
    return key;
}

void Evaluator::editedFiles(std::string_view name, std::uint32_t invocation, const Run &run)
{
    // A text that was shown before may be another one now.
    const bool inPlace = std::ranges::any_of(run.words, [&](const Field &word) {
        return name.starts_with('e') || name.ends_with("vi") || name.ends_with("vim") || name.ends_with("h")
            || name == "truncate" || (word.value.text.starts_with('-') && word.value.text.contains('i'));
    });
    for (std::size_t i = 1; inPlace && i < run.words.size(); ++i) {
        const auto file = m_files.find(absolute(run.words[i].value.text));
        if (file != m_files.end())
            addChoice(file->second.text, Gapped::unknown(invocation));
    }
}

void Evaluator::blockCopy(std::uint32_t invocation, const Run &run)
{
    Value from;
    for (const Field &word : run.words) {
        if (word.value.text.starts_with("if="))
            from = word.from(3).value;
    }
    const auto source = m_files.find(absolute(from.text));
    const bool written = !from.text.empty() && source != m_files.end();
    for (const Field &word : run.words) {
        if (!word.value.known() || !word.value.text.starts_with("of="))
            continue;
        const std::string_view to = std::string_view(word.value.text).substr(3);
        wroteFile(to, {Gapped::unknown()},
                  written && isDownload(source->second.writer) ? source->second.writer : invocation);
        callProgram(from.text.empty() ? std::string() : absolute(to), from);
    }
}

void Evaluator::copiedFiles(const SplitArguments &split, std::uint32_t invocation)
{
    std::vector<Value> sources = split.operands;
    const Value *folder = givenValue(split, "-t --target-directory ");
    if (sources.size() + (folder != nullptr ? 1 : 0) < 2)
        return;
    std::string target = folder != nullptr ? folder->text : sources.back().text;
    if (folder == nullptr)
        sources.pop_back();
    const bool into = folder != nullptr || sources.size() > 1 || target.ends_with('/') || target == ".";
    // Nobody names more of them one by one.
    constexpr std::size_t most = 64;
    for (const Value &each : std::span(sources).first(std::min(sources.size(), most))) {
        const auto source = m_files.find(absolute(each.text));
        const Written content =
            source != m_files.end() ? source->second : Written{{Gapped::unknown(invocation)}, noSource};
        const std::string path = into ? inside(target, baseOf(each.text)) : target;
        callProgram(absolute(path), each);
        wroteFile(path, content.text, content.writer == noSource ? invocation : content.writer);
        if (!into && !baseOf(target).contains('.')) // perhaps a folder
            wroteFile(inside(target, baseOf(each.text)), content.text, content.writer);
    }
}

void Evaluator::downloadedFiles(std::string_view name, const SplitArguments &split, std::uint32_t invocation)
{
    const Downloader &program = *rowOf(downloaders, name);
    const Value *given = givenValue(split, program.folders);
    const std::string folder = given != nullptr ? given->text : std::string();
    bool named = false;
    for (const GivenOption &option : split.options) {
        if (!option.value || !listsOption(program.files, option.name))
            continue;
        named = true;
        if (option.value->known())
            wroteFile(inside(folder, option.value->text), {Gapped::unknown()}, invocation);
        else
            m_files.insert_or_assign(fileKey(*option.value), Written{{Gapped::unknown()}, invocation});
    }
    const auto saves = [&](const GivenOption &option) { return listsOption(program.saving, option.name); };
    if (named || (!program.saving.empty() && std::ranges::none_of(split.options, saves)))
        return;
    // With the folders of the address (wget -x, -r) it lies deeper; both names count.
    for (const Value &address : split.operands) {
        const std::string_view place = placeOf(address.text);
        const std::size_t slash = place.rfind('/');
        if (slash == std::string_view::npos)
            continue;
        const bool index = slash + 1 == place.size();
        const std::string whole = std::string(place) + (index ? "index.html" : "");
        wroteFile(inside(folder, whole.substr(slash + 1)), {Gapped::unknown()}, invocation);
        wroteFile(inside(folder, whole), {Gapped::unknown()}, invocation);
    }
    if (name == "lwp-download" && split.operands.size() > 1)
        wroteFile(split.operands[1].text, {Gapped::unknown()}, invocation);
}

void Evaluator::filteredFiles(std::string_view name, const SplitArguments &split, std::uint32_t invocation)
{
    const Filter &program = *rowOf(filters, name);
    const Value *output = givenValue(split, program.files);
    std::vector<Value> sources = split.operands;
    if (const Value *input = givenValue(split, "-in "))
        sources.push_back(*input);
    for (const Value &operand : sources) {
        const auto source = m_files.find(absolute(operand.text));
        if (!operand.known() || source == m_files.end())
            continue;
        const std::uint32_t writer = source->second.writer;
        addFlow(writer, invocation, false, false);
        if (!isDownload(writer))
            continue;
        std::string_view plain;
        if (output != nullptr)
            wroteFile(output->text, {Gapped::unknown()}, writer);
        else if (hasSuffix(operand.text, program.suffixes, plain))
            wroteFile(plain, {Gapped::unknown()}, writer);
        else if (!program.usual.empty())
            wroteFile(program.usual, {Gapped::unknown()}, writer);
    }
}

void Evaluator::noteFileWrites(std::string_view name, std::uint32_t invocation, const Run &run)
{
    static constexpr std::array<std::string_view, 10> editors{"sed", "perl", "ruby", "ed",    "ex",
                                                              "vi",  "vim",  "nvim", "patch", "truncate"};
    if (std::ranges::contains(editors, name))
        editedFiles(name, invocation, run);
    if (name == "dd")
        blockCopy(invocation, run);
    const bool copies = name == "cp" || name == "mv" || name == "ln" || name == "install";
    const bool fetches = rowOf(downloaders, name) != nullptr;
    const bool filter = !m_files.empty() && rowOf(filters, name) != nullptr;
    const bool takesInput = name == "tee" || name == "sponge";
    if (!copies && !fetches && !filter && !takesInput)
        return;
    const SplitArguments split = splitArguments(optionTable(name), argumentsOf(run));
    if (takesInput) {
        const Input *input = stdinOf(run);
        for (const Value &operand : split.operands)
            wroteFile(operand.text, input != nullptr ? input->text : Choices{Gapped()}, invocation);
    } else if (copies) {
        copiedFiles(split, invocation);
    } else if (fetches) {
        downloadedFiles(name, split, invocation);
    } else {
        filteredFiles(name, split, invocation);
    }
}

} // namespace portcullis::shell
