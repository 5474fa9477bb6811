// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/vocabulary.h"

#include <QList>
#include <QObject>

#include <string>

namespace portcullis::ports {

/// What a finding is about: does the machine protect, does it record, does it run commands?
enum class FindingCategory { Protects, Records, Runs };

enum class Severity { Good, Note, Warning, Problem };

/// One thing that was looked at on this machine, as `doctor` reports it. The texts are ready for people (plain text).
struct Finding {
    std::string id; ///< stable, e.g. `record`, `walls`, `host_policy`
    FindingCategory category = FindingCategory::Protects;
    Severity severity = Severity::Good;
    std::string label; ///< few words for the status strip, e.g. "both walls (Landlock 7)"
    std::string title; ///< one line
    std::string tried; ///< what was looked at or tried
    std::string happened; ///< what came of it
    std::string todo; ///< what to do; empty when nothing
    bool onStrip = false; ///< shown in the strip below the page
};

/// The state of protection, record and runner. Returns at once; `changed` says when to look again.
class HealthSource : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] virtual QList<Finding> findings() const = 0;
    /// Looks again at everything that can change while the program runs.
    virtual void refresh() = 0;

Q_SIGNALS:
    void changed();
};

} // namespace portcullis::ports

namespace portcullis {
template <>
struct Names<ports::FindingCategory> {
    static constexpr std::array<std::string_view, 3> all{"protects", "records", "runs"};
};
template <>
struct Names<ports::Severity> {
    static constexpr std::array<std::string_view, 4> all{"good", "note", "warning", "problem"};
};
} // namespace portcullis
