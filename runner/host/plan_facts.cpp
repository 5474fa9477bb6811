// SPDX-License-Identifier: Apache-2.0
#include "runner/host/plan_facts.h"

#include "runner/base/paths.h"
#include "runner/config/json5.h"
#include "runner/host/own_cgroups.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include <glob.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::host {
namespace {

std::string realPath(const std::string &path)
{
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
    return real ? std::string(real.get()) : std::string();
}

/// A path whose last parts may not exist yet: the existing head is resolved, the rest kept.
std::string realPathOfHead(const std::string &path)
{
    std::string head = path;
    std::string tail;
    while (head != "/") {
        if (std::string real = realPath(head); !real.empty())
            return real == "/" ? (tail.empty() ? real : tail) : real + tail;
        tail = '/' + std::string(paths::baseName(head)) + tail;
        head = paths::parentOf(head);
    }
    return path;
}

bool isPublicAndRoots(const std::string &path)
{
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0 || info.st_uid != 0)
        return false;
    if (S_ISDIR(info.st_mode))
        return (info.st_mode & S_IROTH) != 0 && (info.st_mode & S_IXOTH) != 0;
    return S_ISREG(info.st_mode) && (info.st_mode & S_IROTH) != 0;
}

std::vector<std::string> expandGlob(const std::string &pattern)
{
    if (pattern.find_first_of("*?[") == std::string::npos)
        return {pattern};
    glob_t found{};
    std::vector<std::string> out;
    if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
        out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    return out;
}

std::vector<std::string> etcEntries(const std::string &resourcesDir)
{
    QFile file(QString::fromStdString(resourcesDir + "/etc-grants.json"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    const auto json = config::readJson5({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    if (!json)
        return {};
    std::vector<std::string> out;
    if (const config::Json *read = json->find("read"); read != nullptr && read->isArray()) {
        for (const config::Json &pattern : read->array) {
            for (std::string &path : expandGlob(pattern.string)) {
                if (isPublicAndRoots(path))
                    out.push_back(std::move(path));
            }
        }
    }
    return out;
}

/// Links are left out: a rule follows what it names, and a link could lead to what is being cut out. The private view
/// copies links, and their targets have rules of their own.
std::vector<std::string> listFolder(const std::string &folder)
{
    std::vector<std::string> out;
    const QDir dir(QString::fromStdString(folder));
    for (const QString &name :
         dir.entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden | QDir::System | QDir::NoSymLinks))
        out.push_back(name.toStdString());
    return out;
}

/// Skills that the configuration names as system skills and that exist in the shared store.
std::vector<std::string> systemSkills(const policy::Effective &effective, const policy::GatewayPaths &gateway)
{
    std::vector<std::string> out;
    for (const std::string &name : effective.systemSkills.value) {
        if (name.empty() || name.contains('/') || name == "." || name == "..")
            continue;
        std::string path = gateway.skillsStore + '/' + name;
        struct stat info{};
        // Only a real folder: a link in the store could lead anywhere.
        if (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
            out.push_back(std::move(path));
    }
    return out;
}

/// Versions of Python that stand where every tenant may use them, where there are shared packages for them.
std::vector<std::string> pythonVersions(const policy::GatewayPaths &gateway)
{
    constexpr std::string_view name = "python";
    std::set<std::string> versions;
    if (::access((gateway.runtimeDir + "/pip").c_str(), F_OK) != 0)
        return {};
    for (const char *pattern : {"/usr/bin/python3.*", "/usr/local/bin/python3.*"}) {
        for (const std::string &path : expandGlob(pattern)) {
            std::string version(paths::baseName(path).substr(name.size()));
            if (version.find_first_not_of("0123456789.") == std::string::npos) // not python3.12-config
                versions.insert(std::move(version));
        }
    }
    return {versions.begin(), versions.end()};
}

std::string firstExecutable(std::initializer_list<const char *> candidates)
{
    for (const char *path : candidates) {
        if (::access(path, X_OK) == 0)
            return path;
    }
    return {};
}

void lookAtWorkspace(plan::PlanFacts &facts, const std::string &workspace)
{
    struct stat info{};
    facts.workspaceExists = ::stat(workspace.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    if (facts.workspaceExists) {
        facts.workspaceUid = info.st_uid;
        facts.workspaceGid = info.st_gid;
    }
}

} // namespace

UserIds findUser(const std::string &nameOrUid)
{
    if (nameOrUid.empty())
        return {};
    std::uint32_t number = 0;
    const char *end = nameOrUid.data() + nameOrUid.size();
    const auto parsed = std::from_chars(nameOrUid.data(), end, number);
    const bool isNumber = parsed.ec == std::errc() && parsed.ptr == end;
    std::array<char, 16384> buffer{};
    passwd entry{};
    passwd *found = nullptr;
    if (isNumber)
        ::getpwuid_r(number, &entry, buffer.data(), buffer.size(), &found);
    else
        ::getpwnam_r(nameOrUid.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr)
        return {found->pw_uid, found->pw_gid};
    return isNumber ? UserIds{number, number} : UserIds{};
}

plan::PlanFacts planFacts(const decision::ExecRequest &request, const policy::Configuration &configuration,
                          const std::string &resourcesDir)
{
    const policy::Effective &effective = configuration.effective(request.tenant, request.agent);
    const policy::GatewayPaths &gateway = configuration.paths();
    plan::PlanFacts facts;
    facts.runnerUid = ::geteuid();
    facts.runnerGid = ::getegid();
    lookAtWorkspace(facts, decision::workspaceOf(configuration, request.tenant));
    const UserIds runAs = findUser(effective.runAs.value);
    facts.runAsUid = runAs.uid;
    facts.runAsGid = runAs.gid;
    if (std::string bash = firstExecutable({"/bin/bash", "/usr/bin/bash"}); !bash.empty())
        facts.bashPath = std::move(bash);
    facts.etcEntries = etcEntries(resourcesDir);
    facts.systemSkills = systemSkills(effective, gateway);
    facts.cgroups = ownCgroups();
    facts.pythonVersions = pythonVersions(gateway);
    for (const std::string &path : plan::protectedPaths(gateway))
        facts.resolved.emplace(path, realPathOfHead(path));
    for (const std::string &path : plan::systemReadPaths(effective))
        facts.resolved.emplace(path, realPath(path));
    for (const std::string &folder : plan::foldersToList(effective, gateway, facts.resolved))
        facts.listings.emplace_back(folder, listFolder(folder));
    return facts;
}

} // namespace portcullis::host
