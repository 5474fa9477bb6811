// SPDX-License-Identifier: Apache-2.0
#include "runner/record/masking.h"

#include "runner/record/secret_finder.h"
#include "runner/record/secret_words.h"

#include <algorithm>
#include <bit>

namespace portcullis::record {
namespace {

constexpr std::uint32_t smallestClass = 8;

std::string markFor(std::uint32_t length)
{
    return std::string(markStart) + std::to_string(std::max(smallestClass, std::bit_ceil(length))) + '_';
}

Masked maskSpans(std::string_view text, const std::vector<Span> &secrets)
{
    Masked masked;
    std::uint32_t done = 0;
    for (const Span &secret : secrets) {
        masked.text.append(text.substr(done, secret.start - done));
        const std::string mark = markFor(secret.length);
        masked.parts.push_back(
            {secret, {static_cast<std::uint32_t>(masked.text.size()), static_cast<std::uint32_t>(mark.size())}});
        masked.text += mark;
        done = secret.end();
    }
    masked.text.append(text.substr(done));
    return masked;
}

} // namespace

Masked mask(std::string_view text)
{
    return maskSpans(text, findSecrets(text));
}

Masked maskCommand(std::string_view command, Dialect dialect)
{
    std::vector<Span> secrets = findSecrets(command);
    const std::vector<Span> words = findWordSecrets(command, dialect);
    secrets.insert(secrets.end(), words.begin(), words.end());
    return maskSpans(command, merged(std::move(secrets)));
}

std::vector<Span> mapSpans(const std::vector<Span> &spans, const std::vector<MaskedPart> &parts)
{
    std::vector<Span> out;
    out.reserve(spans.size());
    for (const Span &span : spans) {
        std::int64_t newStart = span.start;
        std::int64_t newEnd = span.end();
        for (const MaskedPart &part : parts) {
            const std::int64_t shift = std::int64_t{part.mark.end()} - part.original.end();
            if (span.start >= part.original.end())
                newStart = span.start + shift;
            else if (span.start >= part.original.start)
                newStart = part.mark.start;
            if (span.end() >= part.original.end())
                newEnd = span.end() + shift;
            else if (span.end() > part.original.start)
                newEnd = part.mark.end();
        }
        out.push_back({static_cast<std::uint32_t>(newStart), static_cast<std::uint32_t>(newEnd - newStart)});
    }
    return out;
}

} // namespace portcullis::record
