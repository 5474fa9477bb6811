// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decisions in plain words, for agents, operators and auditors. Source texts are English; programs that install no
// translator speak English, which is what agents are told.

#include "runner/decision/decision.h"

#include <QString>
#include <QStringList>

#include <string_view>

namespace portcullis::text {

[[nodiscard]] QString groupName(Group group); ///< "data exfiltration"
[[nodiscard]] QString checkName(Check check); ///< "deny rules"
[[nodiscard]] QString levelName(Level level); ///< "both walls"
[[nodiscard]] QString missingName(std::string_view missing); ///< "signals" → "signals not covered"
[[nodiscard]] QString dynamicName(DynamicReason reason);
[[nodiscard]] QString verdictName(Verdict verdict); ///< "DENY", never "blocked by user"

/// Everything that a person has to know of a decision, in the order in which it is read.
struct Explanation {
    QString headline; ///< "Denied", "Allowed", "Needs approval"
    QString title; ///< of the rule or check: "Download into shell"
    QString group; ///< name of the group, or empty
    QString why; ///< one or two sentences; empty when allowed
    QString instead; ///< what would work; may be empty
    QStringList also; ///< the other blockers, each in words, and that checks were not reached; empty: nothing else
    QStringList notes; ///< would-deny, missing confinement, dynamic parts, obfuscation, clamped time limit
};
[[nodiscard]] Explanation explain(const decision::Decision &decision);

/// The sentences for a reason code; empty for an unknown one. `detail` is the path, program or value concerned.
[[nodiscard]] QString whySentence(std::string_view code, const QString &detail);
[[nodiscard]] QString insteadSentence(std::string_view code, const QString &detail);
/// A short title for a reason code, where no rule has one: "Data directory", "Host policy".
[[nodiscard]] QString codeTitle(std::string_view code);

/// What is known of the run that a decision was about.
enum class RunTense {
    Foretold, ///< nothing was to run: where it would run is said, unless it is refused
    Past, ///< it ran, or still runs
    Never ///< refused, or it could not be started
};

/// The drawing for a terminal: command with the deciding words underlined, verdict, Why, Instead, Also in the way,
/// Where, Checks. Untrusted text is shown with visible tokens. Ends with a newline.
[[nodiscard]] QString explainForTerminal(std::string_view command, const decision::Decision &decision,
                                         RunTense tense = RunTense::Foretold);

} // namespace portcullis::text
