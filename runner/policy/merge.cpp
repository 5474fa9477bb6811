// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/merge.h"

#include <algorithm>
#include <initializer_list>

namespace portcullis::policy {
namespace {

using Value = Sourced<KeyValue>;

const Value *first(std::initializer_list<const LayerValues *> layers, std::size_t key)
{
    for (const LayerValues *layer : layers) {
        const auto found = layer ? layer->find(key) : LayerValues::const_iterator{};
        if (layer && found != layer->end())
            return &found->second;
    }
    return nullptr;
}

const Value *byPrecedence(const Layers &layers, std::size_t key)
{
    return first({layers.environment, layers.tenantAgent, layers.tenant, layers.gatewayAgent, layers.gateway}, key);
}

/// What the operator of the gateway says, without the tenant's policy.
const Value *operatorsValue(const Layers &layers, std::size_t key)
{
    return first({layers.environment, layers.gatewayAgent, layers.gateway}, key);
}

const Value *strictest(const Layers &layers, std::size_t key, const Value &standard)
{
    const KeySpec &spec = keys()[key];
    const Value *base = operatorsValue(layers, key);
    const Value *tenant = first({layers.tenantAgent, layers.tenant}, key);
    const KeyValue &least = base ? base->value : standard.value;
    return tenant && strictness(spec, tenant->value) > strictness(spec, least) ? tenant : base;
}

/// What follows from several keys together.
void settle(Effective &effective)
{
    if (effective.network.value > effective.sandbox.network.value)
        effective.sandbox.network = effective.network;
    if (effective.limits.timeoutSeconds.value > effective.limits.timeoutMaxSeconds.value) {
        // A key that stands somewhere is meant; the default of the other one gives way.
        if (effective.limits.timeoutMaxSeconds.source.layer == Layer::Default)
            effective.limits.timeoutMaxSeconds = effective.limits.timeoutSeconds;
        else
            effective.limits.timeoutSeconds = effective.limits.timeoutMaxSeconds;
    }
}

} // namespace

void merge(const Layers &layers, Effective &effective)
{
    for (std::size_t i = 0; i < keys().size(); ++i) {
        const KeySpec &key = keys()[i];
        const Value *value = key.strictest ? strictest(layers, i, key.load(effective)) : byPrecedence(layers, i);
        if (value)
            key.store(effective, value->value, value->source);
    }
    settle(effective);
}

void warnOfLoosening(const Layers &layers, bool agent, ProblemSink &problems)
{
    const LayerValues *own = agent ? layers.tenantAgent : layers.tenant;
    if (!own)
        return;
    const Effective standard;
    for (const auto &[index, value] : *own) {
        const KeySpec &key = keys()[index];
        const Value *base = key.strictest ? operatorsValue(layers, index) : nullptr;
        const KeyValue least = base ? base->value : key.load(standard).value;
        if (!key.strictest || strictness(key, value.value) >= strictness(key, least))
            continue;
        const config::Place place{.line = value.source.line, .column = value.source.column};
        Problem &problem = problems.warning(ProblemCode::CannotLoosen, place, value.source.pointer);
        problem.found = std::get<std::string>(value.value);
        problem.hint = std::get<std::string>(least);
    }
}

} // namespace portcullis::policy
