// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this machine can enforce, found out by doing it.

#include "runner/confinement/guard_process.h"
#include "runner/confinement/landlock_abi.h"
#include "runner/confinement/probe_answer.h"

#include <QObject>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace portcullis::confinement {

struct ProbeReport {
    LandlockAbi landlock;
    ProbeAnswer alone = ProbeAnswer::Unknown; ///< Works: a command really ran inside a domain
    ProbeAnswer view = ProbeAnswer::Unknown; ///< Works: a command really ran inside both walls
    std::optional<StartFailure> landlockFailure = std::nullopt;
    std::optional<StartFailure> viewFailure = std::nullopt; ///< the step that failed, also where that is no answer
    std::uint32_t uid = 0; ///< as whom it was tried
};

/// Performs the whole set-up once with Landlock alone and once with both walls, each in a throw-away child that ends
/// instead of executing anything. Some milliseconds; nothing waits. Also prepares the answers of `HostFacts`.
class Probe : public QObject
{
    Q_OBJECT

public:
    /// `uid`, `gid`: as whom commands run; when the runner is root and there is no tenant yet, 65534 will do.
    Probe(GuardLocation guard, std::uint32_t uid, std::uint32_t gid, QObject *parent = nullptr);
    ~Probe() override;

    void start();

Q_SIGNALS:
    void finished(const portcullis::confinement::ProbeReport &report);

private:
    class Private;
    std::unique_ptr<Private> d;
};

/// A break-out that `portcullis-guard --attempt NAME [ARGUMENT]` tries from inside, harmless when it succeeds.
/// It prints one line, `NAME outcome errno` (outcome: refused or succeeded), and exits 0 when refused, 1 when it
/// succeeded.
struct Attempt {
    std::string_view name;
    std::string_view
        argument; ///< `foreign` a foreign file, `pid` the runner's process id, `` none: filled in by the caller
    int expectedErrno = 0; ///< 0: any refusal is right
    bool viewOnly = false; ///< with Landlock alone this is a documented gap
};

/// The break-outs of `doctor --probe`, in the order in which they are shown.
[[nodiscard]] std::span<const Attempt> attempts();

} // namespace portcullis::confinement
