// SPDX-License-Identifier: Apache-2.0
#include "app/console/console_options.h"

#include <map>
#include <set>
#include <string_view>

namespace portcullis::console {

namespace {

Result<std::string, OptionError> valueOf(std::span<const std::string> words, std::size_t &at,
                                         std::string_view inlineValue, bool hasInline)
{
    if (hasInline)
        return std::string(inlineValue);
    if (at + 1 >= words.size())
        return failure(OptionError{OptionError::Code::NoValue, words[at]});
    return words[++at];
}

} // namespace

Result<ConsoleOptions, OptionError> parseOptions(std::span<const std::string> words)
{
    ConsoleOptions options;
    const std::map<std::string_view, std::string *> values{{"--config", &options.config},
                                                           {"--policies", &options.policies},
                                                           {"--data-dir", &options.dataDir},
                                                           {"--audit-db", &options.auditDb}};
    std::set<std::string, std::less<>> seen;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (!word.starts_with("-"))
            return failure(OptionError{OptionError::Code::NotAnOption, std::string(word)});
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const bool hasInline = equals != std::string_view::npos;
        const auto target = values.find(name);
        if (target == values.end() && name != "--read-only")
            return failure(OptionError{OptionError::Code::Unknown, std::string(word)});
        if (!seen.emplace(name).second)
            return failure(OptionError{OptionError::Code::Repeated, std::string(name)});
        if (target == values.end()) {
            if (hasInline)
                return failure(OptionError{OptionError::Code::UnexpectedValue, std::string(name)});
            options.readOnly = true;
            continue;
        }
        auto value = valueOf(words, i, hasInline ? word.substr(equals + 1) : std::string_view{}, hasInline);
        if (!value)
            return failure(value.error());
        *target->second = std::move(*value);
    }
    return options;
}

std::string describe(const OptionError &error)
{
    switch (error.code) {
    case OptionError::Code::Unknown:
        return "unknown option " + error.word;
    case OptionError::Code::NoValue:
        return error.word + " needs a value";
    case OptionError::Code::UnexpectedValue:
        return error.word + " takes no value";
    case OptionError::Code::Repeated:
        return error.word + " was given twice";
    case OptionError::Code::NotAnOption:
        break;
    }
    return "unexpected word " + error.word;
}

std::string usage()
{
    return "usage: portcullis [OPTION]…\n"
           "\n"
           "The operator console: shows the commands of AI agents as they are decided, run and recorded.\n"
           "\n"
           "  --config FILE     the gateway's configuration (else GOCLAW_CONFIG, else ~/.goclaw/config.json)\n"
           "  --policies DIR    the tenants' policies (else beside the configuration)\n"
           "  --data-dir DIR    the gateway's data directory (else from the configuration)\n"
           "  --audit-db FILE   the record (else from the configuration, else the default place)\n"
           "  --read-only       look only: run nothing, write nothing\n"
           "  --version, --help\n"
           "\n"
           "Everything here can also be done without a window: see portcullis-runner --help.\n";
}

} // namespace portcullis::console
