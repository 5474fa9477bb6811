// SPDX-License-Identifier: Apache-2.0
#pragma once

// Secrets are masked before anything is written; nothing is decided on a masked text. Pure and linear in time.
//
// What counts as a secret: tokens that say what they are (AWS, GitHub, GitLab, Slack, OpenAI and Anthropic, Stripe,
// Google, npm, JSON Web Tokens), PEM private keys, values of `Authorization` and cookie headers, passwords in URLs, and
// values whose name says it (`--password`, `API_KEY=`, `telegram.token=`, `"client_secret":`, `mysql -pX`, `curl -u
// user:X`). What does not: references to a secret (`$TOKEN`, `$(pass show x)`), git commits, UUIDs, digests, paths and
// pictures in base64.

#include "runner/record/event.h"
#include "runner/record/known_secrets.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::record {

/// A stretch of the original text and the mark that stands for it.
struct MaskedPart {
    Span original;
    Span mark;
    friend bool operator==(const MaskedPart &, const MaskedPart &) = default;
};

struct Masked {
    std::string text;
    std::vector<MaskedPart> parts; ///< ascending
    [[nodiscard]] bool any() const { return !parts.empty(); }
};

/// Masks a text. A mark is `_MASKED_8_`, `_MASKED_16_`, `_MASKED_32_` …: the length of the secret rounded up to a power
/// of two, so that it is known to have been long or short. Quotes around a secret stay. Masking a masked text changes
/// nothing.
[[nodiscard]] Masked mask(std::string_view text);

/// Masks a command: what `mask` finds in any text, and what its words tell once the shell has read them: arguments and
/// standard input of known programs (`zip -P X`, `chpasswd <<< user:X`), variables (`p=X; export DB_PASSWORD=$p`) and
/// words that are spelled so that no pattern sees them. The work is bounded.
[[nodiscard]] Masked maskCommand(std::string_view command, Dialect dialect);

/// Spans of the original text as spans of the masked one. A span that touches a masked part covers its whole mark.
[[nodiscard]] std::vector<Span> mapSpans(const std::vector<Span> &spans, const std::vector<MaskedPart> &parts);

/// Masks all texts of an event that come from outside; moves its spans, also those in the trace; sets `masked` and
/// `masks`. Twice is the same as once. Returns what was secret in the command, for the texts that come later.
KnownSecrets maskSecrets(Event &event);
/// Masks what is kept of a command's output. Whether there was anything.
bool maskSecrets(Output &output, const KnownSecrets &secrets = {});

} // namespace portcullis::record
