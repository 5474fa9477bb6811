// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/path_zones.h"

#include "runner/base/paths.h"
#include "runner/decision/decision.h"

#include <algorithm>
#include <array>

namespace portcullis::decision {
namespace {

std::vector<std::string> split(std::string_view path)
{
    std::vector<std::string> parts;
    parts.reserve(static_cast<std::size_t>(std::ranges::count(path, '/')) + 1);
    std::size_t at = 0;
    while (at < path.size()) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (end > at)
            parts.emplace_back(path.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

/// Whether the first components of a normalised path, one for each part, can be what the parts name.
bool fits(std::span<const PatternPart> parts, std::string_view path)
{
    for (const PatternPart &part : parts) {
        path.remove_prefix(1);
        const std::string_view component = path.substr(0, path.find('/'));
        if (!partMatches(part, component))
            return false;
        path.remove_prefix(component.size());
    }
    return true;
}

/// True when the zone's path is a prefix of what the pattern can name.
bool reaches(const PathPattern &pattern, const Zone &zone)
{
    const auto parts = std::span(pattern.parts).first(std::min(pattern.parts.size(), zone.depth));
    const auto open = std::ranges::find_if(parts, &PatternPart::anyDepth);
    return (open != parts.end() || parts.size() == zone.depth)
        && fits(parts.first(static_cast<std::size_t>(open - parts.begin())), zone.path);
}

bool extends(const Zone &inner, const Zone &outer)
{
    return inner.depth > outer.depth && paths::isWithin(inner.path, outer.path);
}

/// True when a pattern that reaches `inner` through `outer` cannot mean anything else inside `outer`.
bool pinsDown(const PathPattern &pattern, const Zone &outer, const Zone &inner)
{
    for (std::size_t i = outer.depth; i < inner.depth; ++i) {
        if (i >= pattern.parts.size() || !pattern.parts[i].literal())
            return false;
    }
    return true;
}

/// End of a bracket expression that starts at `open`, or npos when it is not closed.
std::size_t bracketEnd(std::string_view text, std::size_t open)
{
    std::size_t at = open + 1;
    if (at < text.size() && (text[at] == '!' || text[at] == '^'))
        ++at;
    if (at < text.size() && text[at] == ']')
        ++at;
    while (at < text.size() && text[at] != ']') {
        const char kind = text[at] == '[' && at + 1 < text.size() ? text[at + 1] : '\0';
        const std::size_t close = kind == ':' || kind == '.' || kind == '=' ? text.find(std::string{kind, ']'}, at + 2)
                                                                            : std::string_view::npos;
        at = close == std::string_view::npos ? at + 1 : close + 2;
    }
    return at < text.size() ? at : std::string_view::npos;
}

bool bracketMatches(std::string_view body, char c)
{
    // Character classes, equivalence classes and escapes: taken as matching, which can only refuse more.
    if (body.contains("[:") || body.contains("[.") || body.contains("[=") || body.contains('\\'))
        return true;
    const bool negated = body.starts_with('!') || body.starts_with('^');
    if (negated)
        body.remove_prefix(1);
    bool found = false;
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (i + 2 < body.size() && body[i + 1] == '-') {
            found = found || (body[i] <= c && c <= body[i + 2]);
            i += 2;
        } else {
            found = found || body[i] == c;
        }
    }
    return found != negated;
}

/// Matches one pattern item at `at` against one byte; sets the length of the item.
bool itemMatches(const PatternPart &part, std::size_t at, char c, std::size_t &length)
{
    length = 1;
    if (!std::ranges::binary_search(part.globs, static_cast<std::uint32_t>(at)))
        return part.text[at] == c;
    if (part.text[at] == '?')
        return true;
    const std::size_t end = bracketEnd(part.text, at);
    if (end == std::string::npos)
        return part.text[at] == c;
    length = end - at + 1;
    return bracketMatches(std::string_view(part.text).substr(at + 1, end - at - 1), c);
}

bool hasExtGlob(const PatternPart &part)
{
    return std::ranges::any_of(part.globs, [&](std::uint32_t at) {
        const char c = part.text[at];
        return (c != '*' && c != '?' && c != '[') || (at + 1 < part.text.size() && part.text[at + 1] == '(');
    });
}

ZoneAnswer answerFor(const Zone &zone, bool writing)
{
    if (!zone.allowed())
        return {ZoneAnswer::Kind::Protected, zone.kind};
    if (zone.kind == ZoneClass::Shared && writing)
        return {ZoneAnswer::Kind::Protected, ZoneClass::SharedWrite};
    return {ZoneAnswer::Kind::Allowed, zone.kind};
}

} // namespace

Spelling Spelling::part(std::size_t from, std::size_t length) const
{
    Spelling result;
    from = std::min(from, text.size());
    result.text = text.substr(from, length);
    const auto first = static_cast<std::uint32_t>(from);
    const auto end = static_cast<std::uint32_t>(from + result.text.size());
    for (auto gap = std::ranges::lower_bound(gaps, first); gap != gaps.end() && *gap <= end; ++gap)
        result.gaps.push_back(*gap - first);
    for (auto glob = std::ranges::lower_bound(globs, first); glob != globs.end() && *glob < end; ++glob)
        result.globs.push_back(*glob - first);
    return result;
}

void Spelling::prepend(std::string_view prefix)
{
    text.insert(0, prefix);
    const auto shift = static_cast<std::uint32_t>(prefix.size());
    for (std::uint32_t &gap : gaps)
        gap += shift;
    for (std::uint32_t &glob : globs)
        glob += shift;
}

std::string PathPattern::text() const
{
    std::string joined;
    for (const PatternPart &part : parts)
        (joined += '/') += part.text;
    if (open)
        joined += "/…";
    return joined.empty() ? "/" : joined;
}

PathPattern patternOf(const Spelling &spelling, std::string_view base)
{
    PathPattern pattern;
    if (!spelling.text.starts_with('/') || (!spelling.gaps.empty() && spelling.gaps.front() == 0)) {
        for (std::string &part : split(base))
            pattern.parts.push_back({std::move(part), {}});
    }
    std::size_t at = 0;
    while (at <= spelling.text.size()) {
        const std::size_t end = std::min(spelling.text.find('/', at), spelling.text.size());
        Spelling piece = spelling.part(at, end - at);
        // A gap at the very end of a component belongs to it, not to the next one.
        if (!piece.gaps.empty()) {
            pattern.open = true;
            return pattern;
        }
        at = end + 1;
        if (piece.text.empty() || piece.text == ".")
            continue;
        if (piece.text == "..") {
            if (!pattern.parts.empty())
                pattern.parts.pop_back();
            continue;
        }
        pattern.parts.push_back({std::move(piece.text), std::move(piece.globs)});
    }
    return pattern;
}

bool partMatches(const PatternPart &part, std::string_view name)
{
    if (part.literal())
        return part.text == name;
    if (hasExtGlob(part))
        return true;
    std::size_t at = 0;
    std::size_t n = 0;
    std::size_t star = std::string::npos;
    std::size_t starName = 0;
    while (n < name.size()) {
        std::size_t length = 1;
        if (at < part.text.size() && part.text[at] == '*'
            && std::ranges::binary_search(part.globs, static_cast<std::uint32_t>(at))) {
            star = at++;
            starName = n;
        } else if (at < part.text.size() && itemMatches(part, at, name[n], length)) {
            at += length;
            ++n;
        } else if (star != std::string::npos) {
            at = star + 1;
            n = ++starName;
        } else {
            return false;
        }
    }
    while (at < part.text.size() && part.text[at] == '*')
        ++at;
    return at == part.text.size();
}

std::vector<std::string> protectedRoots(const policy::GatewayPaths &paths)
{
    std::vector<std::string> roots;
    for (const std::string *root : {&paths.dataDir, &paths.workspace, &paths.configFile, &paths.environmentFile,
                                    &paths.database, &paths.auditDb, &paths.policiesDir, &paths.stateDir}) {
        if (!root->empty() && !std::ranges::contains(roots, *root))
            roots.push_back(*root);
    }
    return roots;
}

PathZones::PathZones(const policy::GatewayPaths &paths, std::span<const std::string> systemSkills,
                     const ZoneScope &scope)
    : m_roots(protectedRoots(paths)), m_container(scope.container)
{
    constexpr std::size_t usual = 32;
    m_zones.reserve(usual);
    if (!scope.container) {
        addProtected(paths);
        add(paths.runtimeDir, ZoneClass::Shared);
        if (!paths.skillsStore.empty()) {
            for (const std::string &skill : systemSkills)
                add(paths.skillsStore + '/' + skill, ZoneClass::Shared);
        }
    }
    addTenants(paths, scope);
}

void PathZones::add(std::string path, ZoneClass kind)
{
    if (!path.starts_with('/'))
        return;
    path = paths::normalised(path);
    const auto depth = static_cast<std::size_t>(std::ranges::count(path, '/'));
    if (path != "/") // a zone `/` would refuse everything
        m_zones.push_back({std::move(path), depth, kind});
}

void PathZones::addProtected(const policy::GatewayPaths &paths)
{
    add(paths.dataDir, ZoneClass::DataDir);
    add(paths.workspace, ZoneClass::Workspace);
    add(paths.configFile, ZoneClass::ConfigFile);
    add(paths.environmentFile, ZoneClass::EnvironmentFile);
    for (const std::string_view suffix : {"", "-wal", "-shm", "-journal"}) {
        if (!paths.database.empty())
            add(paths.database + std::string(suffix), ZoneClass::Database);
        if (!paths.auditDb.empty())
            add(paths.auditDb + std::string(suffix), ZoneClass::AuditDb);
    }
    add(paths.policiesDir, ZoneClass::Policies);
    add(paths.stateDir, ZoneClass::StateDir);
    for (const std::string &socket : paths.sockets)
        add(socket, ZoneClass::Socket);
}

void PathZones::addTenants(const policy::GatewayPaths &paths, const ZoneScope &scope)
{
    if (!paths.dataDir.empty())
        add(paths.dataDir + "/tenants", ZoneClass::OtherTenant);
    if (!paths.workspace.empty())
        add(paths.workspace + "/tenants", ZoneClass::OtherTenant);
    if (!scope.ownPlaces) {
        std::erase_if(m_zones, [](const Zone &zone) { return zone.kind == ZoneClass::Workspace; });
        add(paths.workspace, ZoneClass::Own);
        return;
    }
    if (!paths.dataDir.empty()) {
        add(paths.tenantDir(scope.tenant), scope.tenantDirUsable ? ZoneClass::Own : ZoneClass::TenantDir);
        if (!scope.bridge)
            add(tenantTmp(paths, scope.tenant), ZoneClass::Own);
    }
    if (!paths.workspace.empty())
        add(paths.tenantWorkspace(scope.tenant), ZoneClass::Own);
}

void PathZones::addAlias(const std::string &root, const std::string &target)
{
    if (target == root || !target.starts_with('/'))
        return;
    std::vector<std::pair<std::string, ZoneClass>> aliases;
    for (const Zone &zone : m_zones) {
        if (paths::isWithin(zone.path, root))
            aliases.emplace_back(target + zone.path.substr(root.size()), zone.kind);
    }
    for (auto &[path, kind] : aliases)
        add(std::move(path), kind);
}

std::optional<PathZones::Passed> PathZones::passedBy(const PathPattern &pattern, const Walk &walk) const
{
    // Names alone of all that there is: `find / -name x` is how one looks for a program.
    if (m_container || pattern.open || (pattern.parts.empty() && !walk.contents))
        return std::nullopt;
    if (classify(pattern, false).kind != ZoneAnswer::Kind::Outside)
        return std::nullopt;
    for (const Zone &zone : m_zones) {
        const std::size_t levels = zone.depth - std::min(zone.depth, pattern.parts.size());
        if (zone.allowed() || levels == 0 || (walk.depth && *walk.depth <= levels))
            continue;
        if (fits(pattern.parts, zone.path))
            return Passed{zone.kind, zone.path};
    }
    return std::nullopt;
}

bool PathZones::hasNamesIn(std::string_view directory) const
{
    return classify(directory, false).kind == ZoneAnswer::Kind::Protected
        || std::ranges::any_of(m_zones, [&](const Zone &zone) { return paths::parentOf(zone.path) == directory; });
}

ZoneAnswer PathZones::classify(std::string_view path, bool writing) const
{
    // Zones that hold one path lie within each other; of two at the same place the refusing one counts.
    const Zone *deepest = nullptr;
    for (const Zone &zone : m_zones) {
        if (!paths::isWithin(path, zone.path))
            continue;
        const bool deeper = !deepest || zone.path.size() > deepest->path.size();
        if (deeper || (zone.path.size() == deepest->path.size() && deepest->allowed()))
            deepest = &zone;
    }
    return deepest ? answerFor(*deepest, writing) : ZoneAnswer{};
}

ZoneAnswer PathZones::classify(const PathPattern &pattern, bool writing) const
{
    const Zone *allowed = nullptr;
    const Zone *refused = nullptr;
    for (const Zone &zone : m_zones) {
        if (!reaches(pattern, zone))
            continue;
        if (zone.allowed()) {
            if (!allowed || zone.depth > allowed->depth)
                allowed = &zone;
            continue;
        }
        const bool excused = std::ranges::any_of(m_zones, [&](const Zone &inner) {
            return inner.allowed() && extends(inner, zone) && reaches(pattern, inner) && pinsDown(pattern, zone, inner);
        });
        if (!excused && (!refused || zone.depth >= refused->depth))
            refused = &zone;
    }
    if (const Zone *zone = refused ? refused : allowed)
        return answerFor(*zone, writing);
    return {};
}

} // namespace portcullis::decision
