// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/made_links.h"

#include "runner/base/paths.h"

#include <algorithm>

namespace portcullis::shell {
namespace {

constexpr std::size_t mostLinks = 64;
constexpr int mostSteps = 40; ///< as the kernel, path_resolution(7)

/// The words of `ln -s` in their roles.
struct LinkWords {
    std::vector<const Value *> targets;
    const Value *place = nullptr; ///< name or directory; null: the current directory
    bool directory = false; ///< `place` can only be a directory (-t, a slash at its end)
    bool name = false; ///< `place` is never a directory (-T)
};

std::optional<LinkWords> linkWords(const Invocation &invocation)
{
    if ((invocation.name != "ln" && invocation.name != "cp") || !invocation.cwd)
        return std::nullopt;
    LinkWords words;
    bool symbolic = false;
    for (std::size_t i = 0; i < invocation.args.size(); ++i) {
        const std::string_view text = invocation.args[i].text;
        if (text.size() < 2 || text[0] != '-') {
            words.targets.push_back(&invocation.args[i]);
            continue;
        }
        const bool letters = text[1] != '-';
        symbolic = symbolic || text == "--symbolic" || text == "--symbolic-link" || (letters && text.contains('s'));
        words.name = words.name || text == "--no-target-directory" || (letters && text.contains('T'));
        if (letters && text.ends_with('t') && i + 1 < invocation.args.size()) {
            words.place = &invocation.args[++i];
            words.directory = true;
        }
    }
    if (!symbolic || words.targets.empty())
        return std::nullopt;
    if (words.place == nullptr && words.targets.size() > 1) {
        words.place = words.targets.back();
        words.targets.pop_back();
        words.directory = words.targets.size() > 1 || words.place->text.ends_with('/');
    }
    return words;
}

class LinkCollector
{
public:
    void add(const Invocation &invocation);
    std::vector<MadeLink> take() { return std::move(m_links); }

private:
    void make(const Value &target, std::string place);
    [[nodiscard]] std::string followed(const std::string &path) const
    {
        const std::optional<std::string> led = ledByLinks(path, m_links);
        return led ? paths::normalised(*led) : paths::normalised(path);
    }

    std::vector<MadeLink> m_links;
};

void LinkCollector::make(const Value &target, std::string place)
{
    if (m_links.size() >= mostLinks)
        return;
    std::string folder = followed(paths::parentOf(place));
    std::string leads = paths::normalised(target.text, folder);
    m_links.push_back({std::move(place), std::move(leads), std::move(folder), target.span});
}

void LinkCollector::add(const Invocation &invocation)
{
    const std::optional<LinkWords> words = linkWords(invocation);
    if (!words || (words->place != nullptr && (!words->place->known() || words->place->isPattern())))
        return;
    const std::string place = paths::normalised(words->place != nullptr ? words->place->text : ".", *invocation.cwd);
    for (const Value *target : words->targets) {
        if (!target->known() || target->isPattern())
            continue;
        const bool directoryOnly = words->place == nullptr || words->directory;
        if (!directoryOnly)
            make(*target, place);
        const std::string name(paths::baseName(paths::normalised(target->text, *invocation.cwd)));
        if (!words->name && !name.empty())
            make(*target, paths::normalised(name, place));
    }
}

} // namespace

std::vector<MadeLink> madeLinks(const Evaluation &evaluation)
{
    LinkCollector collector;
    for (const Invocation &invocation : evaluation.invocations)
        collector.add(invocation);
    return collector.take();
}

std::size_t literalBytes(std::string_view text, const std::vector<std::uint32_t> &globs,
                         const std::vector<std::uint32_t> &gaps)
{
    std::size_t literal = text.size();
    for (const std::vector<std::uint32_t> *marks : {&globs, &gaps}) {
        if (!marks->empty())
            literal = std::min<std::size_t>(literal, text.rfind('/', marks->front()));
    }
    return literal;
}

std::optional<std::string> ledByLinks(std::string_view path, const std::vector<MadeLink> &links, bool followLast)
{
    std::string prefix; // empty: the root
    bool changed = false;
    int steps = 0;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view part = path.substr(at, end - at);
        at = end + 1;
        if (part == "..")
            prefix.erase(prefix.empty() ? 0 : prefix.rfind('/'));
        else if (!part.empty() && part != ".")
            (prefix += '/') += part;
        if (end == path.size() && !followLast)
            break;
        for (auto link = links.begin(); link != links.end() && steps < mostSteps;) {
            if (link->place != prefix || link->target == prefix) {
                ++link;
                continue;
            }
            prefix = link->target == "/" ? std::string() : link->target;
            changed = true;
            ++steps;
            link = links.begin();
        }
    }
    return changed ? std::optional(std::move(prefix)) : std::nullopt;
}

} // namespace portcullis::shell
