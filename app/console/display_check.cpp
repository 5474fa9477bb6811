// SPDX-License-Identifier: Apache-2.0
#include "app/console/display_check.h"

#include <algorithm>
#include <array>
#include <optional>

namespace portcullis::console {

namespace {

/// The value of Qt's -platform option, which also answers to two dashes; of several the last one counts, as in Qt.
std::optional<std::string_view> platformOption(std::span<const std::string> words)
{
    std::optional<std::string_view> value;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string_view word = words[i];
        if (word.starts_with("--"))
            word.remove_prefix(1);
        if (word == "-platform" && i + 1 < words.size())
            value = words[++i];
        else if (word.starts_with("-platform="))
            value = word.substr(word.find('=') + 1);
    }
    return value;
}

/// Options with a value in the next word, see QGuiApplication and QApplication; -display, -name and -visual are of the
/// xcb platform.
constexpr std::array<std::string_view, 16> valueOptions{
    "-platform", "-platformpluginpath", "-platformtheme", "-plugin",       "-qwindowgeometry",
    "-geometry", "-qwindowicon",        "-icon",          "-qwindowtitle", "-title",
    "-style",    "-stylesheet",         "-display",       "-name",         "-visual",
    "-session"};
constexpr std::array<std::string_view, 5> flagOptions{"-reverse", "-nograb", "-dograb", "-sync", "-widgetcount"};

/// A platform value is a list of `plugin:parameter:…` joined by `;`, of which Qt takes the first that works.
bool listsVnc(std::string_view value)
{
    while (!value.empty()) {
        const std::string_view entry = value.substr(0, value.find(';'));
        std::string name(entry.substr(0, entry.find(':')));
        for (char &letter : name) {
            if (letter >= 'A' && letter <= 'Z')
                letter = static_cast<char>(letter - 'A' + 'a');
        }
        if (name == "vnc")
            return true;
        value.remove_prefix(std::min(entry.size() + 1, value.size()));
    }
    return false;
}

} // namespace

bool asksForVnc(std::span<const std::string> words, std::string_view platformVariable)
{
    const auto option = platformOption(words);
    return listsVnc(option.value_or(platformVariable)) || listsVnc(platformVariable);
}

std::vector<std::string> withoutQtOptions(std::span<const std::string> words)
{
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string_view name = words[i];
        if (name.starts_with("--"))
            name.remove_prefix(1);
        const std::size_t equals = name.find('=');
        const bool hasValue = std::ranges::contains(valueOptions, name.substr(0, equals));
        if (hasValue && equals == std::string_view::npos)
            ++i;
        if (!hasValue && !std::ranges::contains(flagOptions, name))
            rest.push_back(words[i]);
    }
    return rest;
}

bool namesPlatform(std::span<const std::string> words, std::string_view platformVariable)
{
    return platformOption(words).has_value() || !platformVariable.empty();
}

} // namespace portcullis::console
