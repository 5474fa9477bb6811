// SPDX-License-Identifier: Apache-2.0
#include "runner/host/locale.h"

#include <clocale>
#include <cstdlib>
#include <langinfo.h>
#include <string_view>

namespace portcullis::host {

void useUtf8Locale()
{
    std::setlocale(LC_ALL, "");
    if (std::string_view(::nl_langinfo(CODESET)) == "UTF-8")
        return;
    // LC_ALL has precedence over what is more specific; else only the characters change, and language and formats stay.
    const char *all = std::getenv("LC_ALL");
    ::setenv(all && *all ? "LC_ALL" : "LC_CTYPE", "C.UTF-8", 1);
    if (!std::setlocale(LC_ALL, "")) { // a locale that is named but not installed spoils all
        ::setenv("LC_ALL", "C.UTF-8", 1);
        std::setlocale(LC_ALL, "");
    }
}

} // namespace portcullis::host
