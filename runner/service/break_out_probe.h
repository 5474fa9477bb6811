// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts confined commands for real and tries to break out of them: what `doctor --probe` shows.

#include "runner/base/result.h"
#include "runner/base/vocabulary.h"
#include "runner/decision/facts.h"

#include <QObject>

#include <cstdint>
#include <memory>
#include <string>

namespace portcullis::service {

/// One attempt and what came of it.
struct AttemptResult {
    std::string name;
    bool refused = false;
    int errnoValue = 0; ///< as the attempt saw it
    bool documented = false; ///< succeeded, but the threat model names it as a gap of this level
    std::string failure; ///< the attempt itself could not be made: step of the guard
    std::int64_t microseconds = 0; ///< start of the guard to its end

    /// Whether this is as it should be.
    [[nodiscard]] bool good() const { return failure.empty() && (refused || documented); }
};

/// Makes a throw-away gateway with two tenants in a temporary folder, plans runs with the ordinary planner and tries
/// every break-out in turn. Harmless: whatever succeeds touches only that folder. Lives in the runner thread.
class BreakOutProbe : public QObject
{
    Q_OBJECT

public:
    struct Settings {
        std::string guardPath;
        std::string resourcesDir;
        decision::HostFacts facts; ///< walls that are not in the facts are not used
    };
    explicit BreakOutProbe(Settings settings, QObject *parent = nullptr);
    ~BreakOutProbe() override;

    void start();

Q_SIGNALS:
    void attempted(const portcullis::service::AttemptResult &result);
    /// Once, at the end; a non-empty text says why the probe itself could not be made.
    void finished(const std::string &failure);

private:
    void next();
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace portcullis::service
