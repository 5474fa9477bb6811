// SPDX-License-Identifier: Apache-2.0

// Files that describe containers: compose files and manifests. Where the command itself has written one, or shows it by
// `<(…)`, its text is known to the rules as code in the language `manifest`.

#include "runner/shell/evaluator.h"

#include <algorithm>
#include <array>

namespace portcullis::shell {

namespace {

bool takesManifests(std::string_view name)
{
    static constexpr std::array<std::string_view, 10> programs{
        "docker", "docker-compose", "podman", "podman-compose", "nerdctl", "kubectl", "oc", "k3s", "microk8s", "helm"};
    return std::ranges::contains(programs, name);
}

/// The value of a word that is an option with its value glued, else the whole word.
std::size_t valueOffset(std::string_view word)
{
    if (word.starts_with("--"))
        return std::min(word.find('='), word.size() - 1) + 1;
    return word.starts_with("-f") && word.size() > 2 ? 2 + (word[2] == '=' ? 1U : 0U) : 0;
}

} // namespace

void Evaluator::manifests(std::string_view name, const Run &run, std::uint32_t invocation)
{
    if ((m_files.empty() && m_processInputs.empty()) || !takesManifests(name))
        return;
    const auto add = [&](const Choices &texts, Span span) {
        for (const Gapped &text : texts) {
            if (!text.text.empty() && spend(text.text.size() * 2 + 20))
                m_result.code.push_back({"manifest", Field::fromGapped(text, span).value, invocation, span});
        }
    };
    const auto look = [&](const std::string &path, Span span) {
        if (const auto process = m_processInputs.find(path); process != m_processInputs.end())
            add(process->second.text, span);
        else if (const auto written = m_files.find(absolute(path)); written != m_files.end())
            add(written->second.text, span);
    };
    bool compose = name.ends_with("-compose");
    for (const Field &word : run.words) {
        const Value &value = word.value;
        compose = compose || value.text == "compose";
        const std::size_t offset = valueOffset(value.text);
        if (value.known() && offset < value.text.size())
            look(value.text.substr(offset), value.span);
    }
    // What compose reads by itself.
    static constexpr std::array<const char *, 6> usual{"compose.yaml",          "compose.yml",
                                                       "docker-compose.yml",    "docker-compose.yaml",
                                                       "compose.override.yaml", "docker-compose.override.yml"};
    if (compose) {
        for (const char *file : usual)
            look(file, run.words.front().value.span);
    }
}

} // namespace portcullis::shell
