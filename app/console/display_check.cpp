// SPDX-License-Identifier: Apache-2.0
#include "app/console/display_check.h"

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

bool namesPlatform(std::span<const std::string> words, std::string_view platformVariable)
{
    return platformOption(words).has_value() || !platformVariable.empty();
}

} // namespace portcullis::console
