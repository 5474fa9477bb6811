// SPDX-License-Identifier: Apache-2.0
#pragma once

// What secrets look like, as data. Only for `masking.cpp`.

#include <array>
#include <string_view>

namespace portcullis::record {

/// What a value must be like besides matching, so that ordinary words stay.
enum class Plausible {
    Always, ///< the pattern says enough
    Named, ///< its name says that it is secret: anything but true, false, null …
    Key, ///< its name ends in KEY or TOKEN: no path, no short number
    Random, ///< at least 8 characters with letters and digits
    Long, ///< at least 20 characters with letters and digits
};

struct SecretPattern {
    std::string_view pattern; ///< RE2, Latin-1; every group that takes part is a secret value
    Plausible plausible = Plausible::Always;
};

// One shell value: "…", '…', \"…\" inside another text, a quote that is never closed up to the end of its line, or a
// bare word. In quotes the group is what stands between.
#define PORTCULLIS_VALUE                                                                                               \
    R"re((?:\\"([^"\\]+)\\"|"((?:[^"\\]|\\.)+)"|'([^']+)'|"((?:[^"\\\r\n]|\\.)+)(?:[\r\n]|\z)|'([^'\r\n]+)(?:[\r\n]|\z)|((?:[^\s'"`;|&<>()\\,]|\\.)+)))re"
#define PORTCULLIS_SECRET_NAME                                                                                         \
    R"re((?:password|passwd|passphrase|secret|credentials?|secret[-_]?access[-_]?key|api[-_]?key|access[-_]?key|account[-_]?key|master[-_]?key|secret[-_]?key|private[-_]?key|auth[-_]?key|encryption[-_]?key|signing[-_]?key))re"

inline constexpr std::array secretPatterns{
    // Tokens that say what they are.
    SecretPattern{R"re(\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b)re"},
    SecretPattern{R"re(\b(gh[opusr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}))re"},
    SecretPattern{R"re(\b(gl(?:pat|dt|rt|cbt|ptt|soat|agent)-[A-Za-z0-9_\-]{16,}))re"},
    SecretPattern{R"re(\b(xox[abeoprs]-[A-Za-z0-9\-]{10,}|xapp-[A-Za-z0-9\-]{10,}))re"},
    SecretPattern{R"re(\b(sk-[A-Za-z0-9_\-]{16,}))re", Plausible::Long},
    SecretPattern{R"re(\b([sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{10,}))re"},
    SecretPattern{R"re(\b(AIza[A-Za-z0-9_\-]{35}|ya29\.[A-Za-z0-9_\-]{20,}))re"},
    SecretPattern{R"re(\b(npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_\-]{40,}|hf_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{40,}))re"},
    SecretPattern{R"re(\b(SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|hv[sb]\.[A-Za-z0-9_\-]{20,}))re"},
    SecretPattern{R"re((AGE-SECRET-KEY-1[A-Z0-9]{20,}))re"},
    SecretPattern{R"re(\b(eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?))re"},
    SecretPattern{R"re((?:\b|bot)([0-9]{8,10}:[A-Za-z0-9_\-]{35})\b)re"},
    SecretPattern{R"re(hooks\.slack\.com/services/([A-Za-z0-9/]{16,}))re"},
    SecretPattern{R"re(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----((?s:.*?))(?:-----END|\z))re"},

    // Headers and addresses.
    SecretPattern{
        R"re((?i)\bauthorization\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?([^\s'"\\,;]+))re",
        Plausible::Named},
    SecretPattern{R"re((?i)\bbearer\s+([A-Za-z0-9._~+/\-]{8,}=*))re", Plausible::Random},
    SecretPattern{R"re((?i)\b(?:set-)?cookie:\s*([^'"\r\n]+))re", Plausible::Named},
    SecretPattern{R"re([A-Za-z][A-Za-z0-9+.\-]*://[^\s/@:'"]*:([^\s@/'"]+)@)re", Plausible::Named},
    // A program that takes an address for a path tells it with one slash.
    SecretPattern{
        R"re(\b(?:https?|ftps?|ssh|git|postgres|postgresql|mysql|redis|mongodb|amqps?):/[^\s/@:'"]*:([^\s@/'"]+)@)re",
        Plausible::Named},
    SecretPattern{R"re(:[a-z]?server:[^\s:@/]+:([^\s@:/]+)@)re", Plausible::Named}, // cvs
    SecretPattern{R"re(\bhttps?://([A-Za-z0-9_\-]{8,})@)re", Plausible::Random},
    SecretPattern{R"re((?:\bauth\s*=\s*|(?:Basic|Digest)Auth)\(\s*\\?["'][^"'\\]*\\?["']\s*,\s*\\?["']([^"'\\]+))re",
                  Plausible::Named},

    // Values by their name: name=value, --name value, "name": value, Some-Token: value.
    SecretPattern{R"re((?i)(?:^|[^$A-Za-z0-9_])(?:[A-Za-z0-9_.\-]*)re" PORTCULLIS_SECRET_NAME
                  R"re()\\?["']?=)re" PORTCULLIS_VALUE,
                  Plausible::Named},
    SecretPattern{R"re((?i)(?:^|[^$A-Za-z0-9_])(?:[A-Za-z0-9_.\-]*token)\\?["']?=)re" PORTCULLIS_VALUE, Plausible::Key},
    SecretPattern{
        R"re((?:^|[^$A-Za-z0-9_])(?:[A-Z0-9_]*(?:KEY|PASS|_PWD|SSHPASS|_AUTH|_PAT|_CREDS))=)re" PORTCULLIS_VALUE,
        Plausible::Key},
    SecretPattern{R"re((?:^|[^$A-Za-z0-9])(?:[a-z0-9_.\-]*[_.\-])?pass(?:phrase)?=)re" PORTCULLIS_VALUE,
                  Plausible::Named},
    SecretPattern{R"re((?i)(?:^|\s)--?[a-z0-9_.\-]*)re" PORTCULLIS_SECRET_NAME R"re(\s+)re" PORTCULLIS_VALUE,
                  Plausible::Named},
    SecretPattern{R"re((?i)(?:^|\s)--?(?:[a-z0-9_.\-]*token|pass)\s+)re" PORTCULLIS_VALUE, Plausible::Key},
    SecretPattern{R"re((?i)\\?["'][a-z0-9_.\-]*(?:)re" PORTCULLIS_SECRET_NAME
                  R"re(|token)\\?["']\s*:\s*)re" PORTCULLIS_VALUE,
                  Plausible::Named},
    SecretPattern{R"re((?i)\\?["'][a-z0-9_.\-]*(?:)re" PORTCULLIS_SECRET_NAME
                  R"re(|token)\\?["']\]\s*=\s*)re" PORTCULLIS_VALUE,
                  Plausible::Named},
    SecretPattern{R"re((?i)\b[a-z0-9_.\-]*(?:)re" PORTCULLIS_SECRET_NAME R"re(|token):\s*)re" PORTCULLIS_VALUE,
                  Plausible::Random},
    SecretPattern{R"re((?i)\b[a-z0-9_.\-]*(?:)re" PORTCULLIS_SECRET_NAME
                  R"re(|token)\s+=\s+(?:"((?:[^"\\]|\\.)+)"|'([^']+)'))re",
                  Plausible::Named},
    // Lines of files: INI and .netrc.
    SecretPattern{R"re((?i)(?:^|\n|\\n|["'])[ \t]*[a-z0-9_.\-]*(?:)re" PORTCULLIS_SECRET_NAME
                  R"re(|token)[ \t]+=[ \t]*([A-Za-z0-9+/=_~!@#%^*\-]{8,})[ \t]*(?:$|\r|\n|\\n|["']))re",
                  Plausible::Random},
    SecretPattern{R"re((?i)\b(?:machine\s+\S+|default)\s+(?:(?:login|account)\s+\S+\s+)*password\s+([^\s'"\\]+))re",
                  Plausible::Named},

    // Options of programs that take a secret without naming it.
    SecretPattern{
        R"re((?:^|[\s;|&(/"'])(?:mysql[a-z_]*|mariadb[a-z\-]*|mycli)\s(?:[^|;&\n]*?\s)?-p)re" PORTCULLIS_VALUE,
        Plausible::Named},
    SecretPattern{R"re((?:^|[\s;|&(/"'])sshpass\s+-p\s*)re" PORTCULLIS_VALUE, Plausible::Named},
    SecretPattern{R"re((?:^|[\s;|&(/"'])redis-cli\s(?:[^|;&\n]*?\s)?-a\s+)re" PORTCULLIS_VALUE, Plausible::Named},
    SecretPattern{R"re((?:^|[\s;|&(/"'])ldap[a-z]+\s(?:[^|;&\n]*?\s)?-w\s*)re" PORTCULLIS_VALUE, Plausible::Named},
    SecretPattern{R"re((?:^|[\s;|&(/"'])[a-z]+\s+login\s(?:[^|;&\n]*?\s)?-p[\s=]*)re" PORTCULLIS_VALUE,
                  Plausible::Named},
    SecretPattern{
        R"re((?:^|[\s;|&(/"'])(?:curl|wget|http)\s(?:[^|;&\n]*?\s)?(?:-u|--user|-U|--proxy-user)[\s=]*["']?[^\s:'"]*:([^\s'"]+))re",
        Plausible::Named},
    // A value that is piped into a program which reads its password from there.
    SecretPattern{
        R"re((?:^|[\s;|&(/"'])(?:echo|printf)\s+(?:-[neE]+\s+)*(?:['"]?%s(?:\\n)?['"]?\s+)?)re" PORTCULLIS_VALUE
        R"re(\s*\|\s*(?:sudo\s(?:[^|;&\n]*?\s)?(?:-[A-Za-z]*S|--stdin)|[^|;&\n]*\s--(?:password-stdin|with-token))(?:[\s;|&)"']|$))re",
        Plausible::Named},
    SecretPattern{R"re(\bpass:)re" PORTCULLIS_VALUE, Plausible::Named},
};

#undef PORTCULLIS_VALUE
#undef PORTCULLIS_SECRET_NAME

} // namespace portcullis::record
