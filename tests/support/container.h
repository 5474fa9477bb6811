// SPDX-License-Identifier: Apache-2.0
#pragma once

// Containers of the Docker engine that the fixture docker/engine keeps for the tests (tests/docker/engine).

#include "tests/support/gateway.h"

#include <QString>
#include <QStringList>

namespace portcullis::test {

/// Why no container can be started; empty when one can. Without the fixture: how to start the engine by hand.
QString whyNoContainer();

/// How a container is started. Without anything said: as `docker run` does, with Docker's own filter of system calls.
struct ContainerOptions {
    QString user{}; ///< `UID:GID`; empty: root
    bool privileged = false;
    bool readOnly = false; ///< nothing can be written but /tmp
    QStringList capabilities{}; ///< more than the usual ones
    QStringList withoutCapabilities{}; ///< fewer; `ALL`: none
    QStringList securityOptions{}; ///< e.g. `seccomp=unconfined`
    QStringList environment{}; ///< NAME=VALUE
};

/// Runs a command in a new container without network, waits for its end. The container has this machine's programs,
/// the built ones and the sources, at their own paths and read-only; everything else is of the image. A shell is its
/// first process, which takes care of orphans. `result` stays empty.
Done runInContainer(const ContainerOptions &options, const QStringList &command);

/// … with the command itself as the first process.
Done runAsFirstProcess(const ContainerOptions &options, const QStringList &command);

} // namespace portcullis::test
