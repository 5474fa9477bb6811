// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/path_links.h"

namespace portcullis::decision {

Spelling throughMadeLinks(const Spelling &spelling, const std::vector<MadeLink> &links)
{
    constexpr std::size_t longest = 4096;
    const std::size_t literal = shell::literalBytes(spelling.text, spelling.globs, spelling.gaps);
    if (links.empty() || literal == std::string::npos || spelling.text.size() > longest)
        return spelling;
    const std::optional<std::string> led = shell::ledByLinks(std::string_view(spelling.text).substr(0, literal), links);
    if (!led)
        return spelling;
    Spelling rest = spelling.part(literal);
    rest.prepend(led->empty() && rest.text.empty() ? "/" : *led);
    return rest;
}

} // namespace portcullis::decision
