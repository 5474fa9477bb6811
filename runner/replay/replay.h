// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recorded commands decided again, by the one evaluator that runs decide with. Pure: the configurations come in, and a
// command that cannot be decided again honestly says so instead of giving a guess.

#include "runner/base/result.h"
#include "runner/base/vocabulary.h"
#include "runner/decision/decision.h"
#include "runner/policy/policy.h"
#include "runner/record/event.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace portcullis::replay {

/// Why a recorded command cannot be decided again.
enum class Obstacle {
    NoCommand, ///< an edit, a pruning, another replay: nothing was decided
    NoHostFacts, ///< the row does not say what the machine could do
    Masked, ///< a secret was masked where a rule looks, or where the recorded verdict came from
    TenantGone, ///< the configuration does not know the tenant
    PolicyBroken, ///< the tenant's policy does not load there
    ConfigurationGone, ///< asked for the configuration in force then, and the record does not keep it
    PathUnanswered, ///< the configuration asks where a path leads, and nobody asked that then
};

/// How the answer differs. Loosened: deny→ask, deny→allow, ask→allow.
enum class Change { Unchanged, ChangedReason, Loosened, Tightened };

/// What makes the difference.
enum class Cause {
    Policy, ///< the configuration
    Host, ///< the facts that were assumed: with those of the record nothing would differ
    Engine, ///< this version: it decides differently with the configuration of then
};

/// The answer of one side, as far as a comparison goes.
struct Side {
    Verdict verdict = Verdict::Deny;
    std::string check; ///< what decided; empty when allowed
    std::string group;
    std::string rule;
    std::string title; ///< of the rule
    std::string code; ///< reason code where no rule decided
    std::string configDigest;
};
[[nodiscard]] Side sideOf(const decision::Decision &decision);
/// The verdict that the record holds.
[[nodiscard]] Side recordedSide(const record::Event &event);
[[nodiscard]] Change compare(const Side &before, const Side &after);

/// The configuration that decides this event, or why there is none. Called from several threads at once.
using ConfigurationFor =
    std::function<Result<std::shared_ptr<const policy::Configuration>, Obstacle>(const record::Event &event)>;
using ChangeFacts = std::function<decision::HostFacts(decision::HostFacts recorded)>;

/// What is compared with what.
struct Plan {
    ConfigurationFor against{};
    ConfigurationFor baseline{}; ///< null: the stored verdict
    ConfigurationFor recorded{}; ///< the configuration in force then; null: causes are not told apart from the engine's
    ChangeFacts assume{}; ///< null: host facts as recorded; both sides get the same
};

/// One recorded command with both answers. `before` and `after` mean something without an obstacle only.
struct Row {
    record::Event event;
    Side before;
    Side after;
    Change change = Change::Unchanged;
    Cause cause = Cause::Policy; ///< of a change
    std::optional<Obstacle> obstacle;
};

/// The request of a recorded command, as it was made. The time is that of then, and so is what had expired.
[[nodiscard]] decision::ExecRequest requestOf(const record::Event &event);

/// Decides one event again. Total; any thread.
[[nodiscard]] Row replay(record::Event event, const Plan &plan);

/// The sum of many rows.
struct Totals {
    std::int64_t replayed = 0; ///< all rows, also those that could not be decided again
    std::array<std::int64_t, 4> changes{}; ///< by Change
    std::array<std::array<std::int64_t, 3>, 3> matrix{}; ///< [before][after], by Verdict
    std::map<Obstacle, std::int64_t> obstacles;
    std::int64_t byHost = 0; ///< changes whose cause is the host
    std::int64_t byEngine = 0; ///< changes whose cause is the engine
    std::int64_t oldestUs = 0; ///< times of the events, 0 without any
    std::int64_t newestUs = 0;
    std::set<std::string> digestsBefore;
    std::set<std::string> digestsAfter;

    void add(const Row &row);
    [[nodiscard]] std::int64_t of(Change change) const { return changes.at(static_cast<std::size_t>(change)); }
    [[nodiscard]] std::int64_t notReplayable() const;
};

} // namespace portcullis::replay

namespace portcullis {
template <>
struct Names<replay::Obstacle> {
    static constexpr std::array<std::string_view, 7> all{"no_command",     "no_host_facts", "masked",
                                                         "tenant_gone",    "policy_broken", "configuration_gone",
                                                         "path_unanswered"};
};
template <>
struct Names<replay::Change> {
    static constexpr std::array<std::string_view, 4> all{"unchanged", "changed_reason", "loosened", "tightened"};
};
template <>
struct Names<replay::Cause> {
    static constexpr std::array<std::string_view, 3> all{"policy", "host", "engine"};
};
} // namespace portcullis
