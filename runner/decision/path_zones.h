// SPDX-License-Identifier: Apache-2.0
#pragma once

// The places of a gateway as zones of a path tree, and the question which of them a path, or a pattern that a shell
// expands to paths, can name. Lexical: nothing here looks at a file system.

#include "runner/decision/path_walks.h"
#include "runner/policy/policy.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::decision {

/// A stretch of a word with the positions at which bytes are unknown or are active glob characters.
struct Spelling {
    std::string text;
    std::vector<std::uint32_t> gaps; ///< as in shell::Value
    std::vector<std::uint32_t> globs;

    [[nodiscard]] Spelling part(std::size_t from, std::size_t length = std::string::npos) const;
    [[nodiscard]] bool plain() const { return gaps.empty() && globs.empty(); }
    /// Puts known text before it.
    void prepend(std::string_view prefix);
};

/// One component of a path pattern.
struct PatternPart {
    std::string text;
    std::vector<std::uint32_t> globs; ///< offsets of active glob characters in `text`

    [[nodiscard]] bool literal() const { return globs.empty(); }
    /// `**`, which stands for any number of components in shells and programs that know it.
    [[nodiscard]] bool anyDepth() const { return globs.size() >= 2 && text == "**"; }
};

/// A path with globs, absolute and normalised (`..` cancelled lexically). When a component is not known the path ends
/// before it and is `open`.
struct PathPattern {
    std::vector<PatternPart> parts;
    bool open = false;

    [[nodiscard]] std::string text() const; ///< for messages
};

/// Normalises `spelling`, put after `base` (absolute) when it is relative.
[[nodiscard]] PathPattern patternOf(const Spelling &spelling, std::string_view base);

/// True when a component pattern can match this name. A leading dot needs no literal dot: `shopt -s dotglob` exists.
[[nodiscard]] bool partMatches(const PatternPart &part, std::string_view name);

/// What kind of place a zone is; the name is the stable word in traces and exemptions.
enum class ZoneClass {
    DataDir,
    Workspace,
    ConfigFile,
    EnvironmentFile,
    Database,
    AuditDb,
    Policies,
    StateDir,
    Socket,
    OtherTenant,
    TenantDir, ///< the own tenant directory while it must not be used
    SharedWrite, ///< writing into what is shared read-only
    Own, ///< may be named: own directories
    Shared, ///< may be named for reading: runtime packages, system skills
};

struct Zone {
    std::string path; ///< absolute, normalised
    std::size_t depth = 0; ///< number of its components
    ZoneClass kind = ZoneClass::DataDir;

    [[nodiscard]] bool allowed() const { return kind == ZoneClass::Own || kind == ZoneClass::Shared; }
};

/// What a path names: nothing of interest, a place that may be named, or a protected place.
struct ZoneAnswer {
    enum class Kind { Outside, Allowed, Protected };
    Kind kind = Kind::Outside;
    ZoneClass zone = ZoneClass::Own;
};

/// For whom the zones are made.
struct ZoneScope {
    std::string tenant;
    bool ownPlaces = true; ///< false: a master run in the main workspace
    bool tenantDirUsable = false;
    bool bridge = false; ///< origin mcp_bridge: no temporary directory below D
    bool container = false; ///< only other tenants' directories matter; nothing else exists there
};

/// The roots whose links, when followed, give a second spelling of zones.
[[nodiscard]] std::vector<std::string> protectedRoots(const policy::GatewayPaths &paths);

class PathZones
{
public:
    PathZones(const policy::GatewayPaths &paths, std::span<const std::string> systemSkills, const ZoneScope &scope);

    /// As protectedRoots() says.
    [[nodiscard]] const std::vector<std::string> &roots() const { return m_roots; }
    /// Adds the zones at and below `root` under the place where `root` really is.
    void addAlias(const std::string &root, const std::string &target);

    /// The deepest place that the pattern can name. `writing`: the path is the target of an output redirection.
    [[nodiscard]] ZoneAnswer classify(const PathPattern &pattern, bool writing) const;

    /// The same for one path, absolute and normalised: the deepest zone that holds it.
    [[nodiscard]] ZoneAnswer classify(std::string_view path, bool writing) const;

    /// The protected place that a program comes to when it goes through the tree below this path, which lies above it.
    /// Nothing for paths that are in a zone themselves, and for a mere listing of the whole machine.
    struct Passed {
        ZoneClass zone = ZoneClass::DataDir;
        std::string path;
    };
    [[nodiscard]] std::optional<Passed> passedBy(const PathPattern &pattern, const Walk &walk) const;

    /// True when a single name in this directory (absolute, normalised) is, or lies in, a place of interest.
    [[nodiscard]] bool hasNamesIn(std::string_view directory) const;

private:
    void add(std::string path, ZoneClass kind);
    void addProtected(const policy::GatewayPaths &paths);
    void addTenants(const policy::GatewayPaths &paths, const ZoneScope &scope);

    std::vector<Zone> m_zones;
    std::vector<std::string> m_roots;
    bool m_container = false;
};

} // namespace portcullis::decision

namespace portcullis {
template <>
struct Names<decision::ZoneClass> {
    static constexpr std::array<std::string_view, 14> all{
        "data_dir",  "workspace", "config_file",  "environment_file", "database", "audit_db", "policies",
        "state_dir", "socket",    "other_tenant", "tenant_dir",       "shared",   "own",      "shared_read"};
};
} // namespace portcullis
