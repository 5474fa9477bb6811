// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/policy/policy.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace portcullis::test {

/// A configuration put together in a test: `/srv/gw/data`, home `/home/op`, and what the test adds.
class ConfigurationBuilder
{
public:
    ConfigurationBuilder()
    {
        m_input.home = "/home/op";
        m_input.defaults.stateDir = "/var/lib/portcullis";
    }

    ConfigurationBuilder &gateway(std::string json5)
    {
        m_input.gateway = policy::NamedText{"/etc/gw/config.json", std::move(json5), {}};
        return *this;
    }
    /// The text of policies/<slug>.json.
    ConfigurationBuilder &policyFile(const std::string &slug, std::string json5)
    {
        m_input.policies.push_back({"/etc/gw/policies/" + slug + ".json", std::move(json5), {}});
        return *this;
    }
    /// A policy from its keys alone.
    ConfigurationBuilder &policy(const std::string &slug, const std::string &keys = {})
    {
        return policyFile(slug,
                          "{\"version\": 1, \"tenant\": \"" + slug + "\"" + (keys.empty() ? "" : ", " + keys) + "}");
    }
    ConfigurationBuilder &environment(const std::string &name, std::string value)
    {
        m_input.environment[name] = std::move(value);
        return *this;
    }
    ConfigurationBuilder &folder(std::string name)
    {
        m_input.tenantFolders.push_back(std::move(name));
        return *this;
    }
    ConfigurationBuilder &rules(std::string json)
    {
        m_input.builtinRules.push_back({"rules/test.json", std::move(json), {}});
        return *this;
    }
    policy::ConfigurationInput &input() { return m_input; }

    /// Null when it does not load; then problems() says why.
    std::shared_ptr<const policy::Configuration> load()
    {
        auto loaded = policy::Configuration::load(m_input);
        m_problems = loaded ? (*loaded)->problems() : loaded.error();
        return loaded ? *loaded : nullptr;
    }
    [[nodiscard]] const std::vector<policy::Problem> &problems() const { return m_problems; }
    /// The first problem with this code, or an empty one.
    [[nodiscard]] policy::Problem problem(std::string_view code) const
    {
        const auto found = std::ranges::find(m_problems, code, &policy::Problem::code);
        return found == m_problems.end() ? policy::Problem{} : *found;
    }

private:
    policy::ConfigurationInput m_input;
    std::vector<policy::Problem> m_problems;
};

} // namespace portcullis::test
