// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_writer.h"
#include "runner/record/event.h"

#include <functional>
#include <memory>

namespace portcullis::service {

/// Where the engine writes its events. Answers come by callback in the engine's thread, possibly before the call
/// returns. The seam between an engine that may wait for its own disk (the command line) and one that may not.
class Recorder
{
public:
    using Answer = std::function<void(audit::WriteResult)>;

    Recorder() = default;
    virtual ~Recorder() = default;
    Recorder(const Recorder &) = delete;
    Recorder &operator=(const Recorder &) = delete;

    /// Commits a decision; the command starts only after a good answer.
    virtual void begin(const record::Event &event, Answer answer) = 0;
    virtual void finish(std::int64_t row, const record::Ending &ending, const record::Output &output,
                        Answer answer) = 0;
    /// Keeps a configuration's text once, and says that this engine is alive with it.
    virtual void heartbeat(const audit::Heartbeat &beat, const std::string &canonicalText) = 0;
};

/// Writes in the calling thread: for the command line, whose engine has nothing else to do.
class DirectRecorder final : public Recorder
{
public:
    explicit DirectRecorder(std::unique_ptr<audit::AuditWriter> writer);
    void begin(const record::Event &event, Answer answer) override;
    void finish(std::int64_t row, const record::Ending &ending, const record::Output &output, Answer answer) override;
    void heartbeat(const audit::Heartbeat &beat, const std::string &canonicalText) override;

private:
    std::unique_ptr<audit::AuditWriter> m_writer;
};

} // namespace portcullis::service
