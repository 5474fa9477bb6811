// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/vocabulary.h"
#include "runner/decision/decision.h"
#include "runner/decision/request.h"

#include <QByteArray>
#include <QObject>

#include <optional>
#include <string>
#include <vector>

namespace portcullis::ports {

enum class Channel { Out, Err };

/// How a submitted command ended, once and for all.
struct CommandEnd {
    enum class Kind {
        Ran, ///< it was started; `outcome` says how it ended
        Refused, ///< the verdict was deny
        NeedsAsk, ///< the verdict was ask; nothing ran
        NotStarted, ///< it was allowed but could not be started: `error`
        Unrecorded, ///< the decision could not be written, so nothing ran: `error`
        Failed, ///< the engine itself failed: `error`
        NotPossible ///< nothing was decided or recorded: the runner's state says why no command can run now
    };
    Kind kind = Kind::Failed;
    Outcome outcome = Outcome::NotStarted;
    std::optional<int> exitCode;
    std::optional<int> signal;
    /// Step, path and errno, for people who look for the cause. With `Ran`: a sentence about the record of its end.
    std::string error;
};

/// Whether commands can be submitted now, and for whom.
struct RunnerState {
    enum class Obstacle { None, Starting, ReadOnly, NoConfiguration, BadConfiguration, NoRecord };
    Obstacle obstacle = Obstacle::None;
    std::string detail; ///< file and place for the two configuration obstacles
    std::vector<std::string> tenants; ///< slugs, sorted; `master` first
};

/// Decides on commands and runs them. All functions return at once; answers are signals in the thread of this object.
class CommandRunner : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] virtual RunnerState state() const = 0;

    /// Takes a command and returns its id (the one of its row in the record). Exactly one `finished` follows.
    /// No signal about it comes from inside the call. An empty `request.id` or `request.timeUs` is filled in.
    virtual std::string submit(const decision::ExecRequest &request) = 0;

    /// Stops a running command; without effect when it has ended.
    virtual void cancel(const std::string &id) = 0;

Q_SIGNALS:
    void stateChanged();
    void decided(const std::string &id, const portcullis::decision::Decision &decision);
    void started(const std::string &id);
    void output(const std::string &id, portcullis::ports::Channel channel, const QByteArray &bytes);
    void finished(const std::string &id, const portcullis::ports::CommandEnd &end);
};

} // namespace portcullis::ports
