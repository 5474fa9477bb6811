// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/command_runner.h"

#include <QList>

namespace portcullis::test {

/// Takes commands and runs none: the test emits the answers.
class ScriptedRunner : public ports::CommandRunner
{
    Q_OBJECT

public:
    ScriptedRunner();

    [[nodiscard]] ports::RunnerState state() const override { return current; }
    std::string submit(const decision::ExecRequest &request) override;
    void cancel(const std::string &id) override { cancelled.append(id); }

    [[nodiscard]] static std::string lastId() { return "0193776c-ffff-7000-8000-000000000001"; }

    ports::RunnerState current;
    QList<decision::ExecRequest> requests;
    QList<std::string> cancelled;
};

} // namespace portcullis::test
