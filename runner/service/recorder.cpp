// SPDX-License-Identifier: Apache-2.0
#include "runner/service/recorder.h"

namespace portcullis::service {

DirectRecorder::DirectRecorder(std::unique_ptr<audit::AuditWriter> writer) : m_writer(std::move(writer)) { }

void DirectRecorder::begin(const record::Event &event, Answer answer)
{
    answer(m_writer->begin(event));
}

void DirectRecorder::finish(std::int64_t row, const record::Ending &ending, const record::Output &output, Answer answer)
{
    answer(m_writer->finish(row, ending, output));
}

void DirectRecorder::heartbeat(const audit::Heartbeat &beat, const std::string &canonicalText)
{
    // Neither is needed for a decision to be complete; a failing record shows itself at the next begin.
    (void)m_writer->storeConfiguration(beat.configDigest, canonicalText, beat.timeUs);
    (void)m_writer->heartbeat(beat);
}

} // namespace portcullis::service
