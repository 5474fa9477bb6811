// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/host_class.h"

#include "runner/rules/open_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace portcullis::rules {

namespace {

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

std::string percentDecoded(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned byte = 0;
        if (text[at] == '%' && at + 2 < text.size()
            && std::from_chars(text.data() + at + 1, text.data() + at + 3, byte, 16).ptr == text.data() + at + 3) {
            out.push_back(static_cast<char>(byte));
            at += 2;
        } else {
            out.push_back(text[at]);
        }
    }
    return out;
}

/// The dots and digits of wide East Asian text as ASCII: resolvers read them so (UTS #46).
std::string narrowed(std::string_view text)
{
    constexpr std::array<std::string_view, 3> dots{"\xE3\x80\x82", "\xEF\xBC\x8E", "\xEF\xBD\xA1"};
    constexpr std::string_view digits = "\xEF\xBC";
    std::string out;
    while (!text.empty()) {
        const auto starts = [text](std::string_view dot) { return text.starts_with(dot); };
        const auto third = static_cast<unsigned char>(text.size() > 2 ? text[2] : 0);
        std::size_t length = 3;
        if (std::ranges::any_of(dots, starts))
            out.push_back('.');
        else if (text.starts_with(digits) && third >= 0x90 && third <= 0x99)
            out.push_back(static_cast<char>('0' + third - 0x90));
        else
            out.append(text, 0, length = 1);
        text.remove_prefix(length);
    }
    return out;
}

std::optional<std::uint64_t> number(std::string_view text)
{
    int base = 10;
    if (text.starts_with("0x")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text.front() == '0') {
        base = 8;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// IPv4 as inet_aton(3) reads it: one to four numbers, the last one fills the remaining bytes.
std::optional<std::uint32_t> ipv4(std::string_view text)
{
    std::array<std::uint64_t, 4> parts{};
    std::size_t count = 0;
    for (std::size_t from = 0; from <= text.size(); ++count) {
        const std::size_t dot = std::min(text.find('.', from), text.size());
        const auto part = number(text.substr(from, dot - from));
        if (!part || count == parts.size())
            return std::nullopt;
        parts[count] = *part;
        from = dot + 1;
    }
    std::uint64_t address = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        if (parts[i] > 255)
            return std::nullopt;
        address |= parts[i] << (24 - 8 * i);
    }
    const std::uint64_t last = parts[count - 1];
    if (last >= std::uint64_t{1} << (8 * (5 - count)))
        return std::nullopt;
    return static_cast<std::uint32_t>(address | last);
}

std::optional<HostClass> classOf(std::uint32_t address)
{
    const auto within = [address](std::uint32_t net, int bits) { return ((address ^ net) >> (32 - bits)) == 0; };
    if (within(0x7F000000, 8) || within(0, 8))
        return HostClass::Loopback;
    if (within(0x0A000000, 8) || within(0xAC100000, 12) || within(0xC0A80000, 16) || within(0x64400000, 10))
        return HostClass::Private;
    if (within(0xA9FE0000, 16))
        return HostClass::LinkLocal;
    return std::nullopt;
}

/// A dotted address whose later part is unknown: what its known numbers say.
std::optional<HostClass> classOfStart(std::string_view text)
{
    const std::size_t unknown = text.find(unknownMark);
    if (unknown == std::string_view::npos)
        return std::nullopt;
    const auto addressLike = [](char c) { return c == '.' || c == unknownMark || (c >= '0' && c <= '9'); };
    if (!std::ranges::all_of(text.substr(unknown), addressLike))
        return std::nullopt;
    std::uint32_t address = 0;
    std::size_t known = 0;
    for (std::size_t from = 0; known < 4; ++known) {
        const std::size_t dot = text.find('.', from);
        if (dot >= unknown)
            break;
        const auto part = number(text.substr(from, dot - from));
        if (!part || *part > 255)
            return std::nullopt;
        address |= static_cast<std::uint32_t>(*part) << (24 - 8 * known);
        from = dot + 1;
    }
    // One number settles 127/8 and 10/8; the other networks need two.
    const std::uint32_t first = address >> 24;
    return known >= 2 || (known == 1 && (first == 127 || first == 10)) ? classOf(address) : std::nullopt;
}

using Groups = std::vector<std::uint16_t>;

/// The 16-bit groups on one side of `::`; a dotted address at the end gives two.
std::optional<Groups> ipv6Groups(std::string_view text)
{
    Groups groups;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t colon = std::min(text.find(':', from), text.size());
        const std::string_view part = text.substr(from, colon - from);
        if (part.contains('.')) {
            const auto address = ipv4(part);
            if (!address || colon != text.size())
                return std::nullopt;
            groups.push_back(static_cast<std::uint16_t>(*address >> 16));
            groups.push_back(static_cast<std::uint16_t>(*address & 0xFFFF));
        } else {
            std::uint16_t group = 0;
            const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), group, 16);
            if (part.empty() || error != std::errc{} || end != part.data() + part.size())
                return std::nullopt;
            groups.push_back(group);
        }
        from = colon + 1;
    }
    return groups;
}

std::optional<HostClass> classOfIpv6(std::string_view text)
{
    text = text.substr(0, text.find('%'));
    const std::size_t gap = text.find("::");
    auto front = ipv6Groups(text.substr(0, gap));
    const auto back = gap == std::string_view::npos ? std::optional(Groups{}) : ipv6Groups(text.substr(gap + 2));
    if (!front || !back || front->size() + back->size() > 8 || (gap == std::string_view::npos && front->size() != 8))
        return std::nullopt;
    front->resize(8 - back->size());
    front->insert(front->end(), back->begin(), back->end());
    const Groups &groups = *front;
    const auto zeros = [&](std::size_t count) {
        return std::all_of(groups.begin(), groups.begin() + static_cast<int>(count), [](auto g) { return g == 0; });
    };
    if (zeros(7) && groups[7] <= 1)
        return HostClass::Loopback;
    if ((zeros(5) && groups[5] == 0xFFFF) || (zeros(6) && groups[6] != 0) || (groups[0] == 0x64 && groups[1] == 0xFF9B))
        return classOf(static_cast<std::uint32_t>(groups[6]) << 16 | groups[7]);
    if ((groups[0] & 0xFFC0) == 0xFE80)
        return HostClass::LinkLocal;
    if ((groups[0] & 0xFE00) == 0xFC00)
        return HostClass::Private;
    return std::nullopt;
}

std::optional<HostClass> classOfName(std::string_view name)
{
    using enum HostClass;
    // Names that resolve to this machine, its container host or a metadata service wherever they are asked.
    static constexpr std::array<std::pair<std::string_view, HostClass>, 16> names{
        {{"localhost", Loopback},
         {"localhost.localdomain", Loopback},
         {"ip6-localhost", Loopback},
         {"ip6-loopback", Loopback},
         {"localtest.me", Loopback},
         {"lvh.me", Loopback},
         {"vcap.me", Loopback},
         {"nip.io", Loopback},
         {"sslip.io", Loopback},
         {"xip.io", Loopback},
         {"host.docker.internal", Private},
         {"gateway.docker.internal", Private},
         {"host.containers.internal", Private},
         {"kubernetes.default.svc", Private},
         {"metadata.google.internal", LinkLocal},
         {"instance-data", LinkLocal}}};
    for (const auto &[known, where] : names) {
        if (name == known
            || (name.size() > known.size() && name.ends_with(known) && name[name.size() - known.size() - 1] == '.'))
            return where;
    }
    return std::nullopt;
}

/// The hosts of a curl URL with `{a,b}` and `[1-9]` (curl manual, URL); a range stands as an unknown part. Of more
/// than there may be the first ones, and one of which nothing is known for the others. The longer they are, the fewer:
/// so the work is in step with the length.
class UrlGlobs
{
public:
    explicit UrlGlobs(std::string_view host) : m_host(host)
    {
        constexpr std::size_t mostHosts = 64;
        constexpr std::size_t mostBytes = 64 * 1024;
        m_most = std::clamp<std::size_t>(mostBytes / std::max<std::size_t>(host.size(), 1), 1, mostHosts);
    }

    std::vector<std::string> expand()
    {
        for (std::size_t at = 0; at < m_host.size();) {
            const std::size_t glob = std::min(m_host.find_first_of("{[", at), m_host.size());
            append(m_host.substr(at, glob - at));
            at = glob < m_host.size() ? expandGlob(glob) : glob;
        }
        if (m_cut)
            m_hosts.emplace_back(1, unknownMark);
        return std::move(m_hosts);
    }

private:
    void append(std::string_view text)
    {
        for (std::string &host : m_hosts)
            host += text;
    }

    /// The one at `open`; returns where the text goes on.
    std::size_t expandGlob(std::size_t open)
    {
        const bool list = m_host[open] == '{';
        const std::size_t end = std::min(m_host.find(list ? '}' : ']', open), m_host.size()); // a path may cut it off
        if (list)
            expandList(m_host.substr(open + 1, end - open - 1));
        else
            append({&unknownMark, 1});
        return end + 1;
    }

    void expandList(std::string_view list)
    {
        std::vector<std::string_view> parts;
        const std::size_t most = m_most / m_hosts.size();
        for (std::size_t from = 0; from <= list.size();) {
            const std::size_t comma = std::min(list.find(',', from), list.size());
            if (parts.size() == most) {
                m_cut = true;
                break;
            }
            parts.push_back(list.substr(from, comma - from));
            from = comma + 1;
        }
        if (parts.size() == 1)
            return append(parts.front());
        std::vector<std::string> longer;
        longer.reserve(m_hosts.size() * parts.size());
        for (const std::string &start : m_hosts) {
            for (const std::string_view part : parts)
                (longer.emplace_back(start)) += part;
        }
        m_hosts = std::move(longer);
    }

    std::string_view m_host;
    std::size_t m_most = 1;
    std::vector<std::string> m_hosts{std::string()};
    bool m_cut = false; ///< there are others
};

} // namespace

std::optional<HostClass> hostClass(std::string_view host)
{
    std::string name = lowered(narrowed(percentDecoded(host)));
    if (name.starts_with('[') && name.ends_with(']'))
        return classOfIpv6(std::string_view(name).substr(1, name.size() - 2));
    if (name.contains(':'))
        return classOfIpv6(name);
    if (name.ends_with('.'))
        name.pop_back();
    if (const auto address = ipv4(name))
        return classOf(*address);
    if (const auto start = classOfStart(name))
        return start;
    return classOfName(name);
}

std::vector<std::string> hostsOf(std::string_view target)
{
    constexpr std::string_view file = "file:";
    if (std::ranges::equal(target.substr(0, file.size()), file, {}, [](char c) { return c | 0x20; }))
        return {}; // RFC 8089: whatever host it names, the file is read here
    const std::size_t scheme = target.find("://");
    if (scheme != std::string_view::npos && scheme < target.find_first_of("/?#"))
        target.remove_prefix(scheme + 3);
    while (target.starts_with('/'))
        target.remove_prefix(1);
    target = target.substr(0, target.find_first_of("/?#\\"));
    if (const std::size_t at = target.rfind('@'); at != std::string_view::npos)
        target.remove_prefix(at + 1);
    if (target.starts_with('[') && target.substr(0, target.find(']')).contains(':'))
        return {std::string(target.substr(0, target.find(']') + 1))};
    // More than one colon is a bare IPv6 address; one separates the port. HTTPie reads `:8080` as localhost.
    if (target.starts_with(':'))
        return {"localhost"};
    std::vector<std::string> hosts = UrlGlobs(target).expand();
    for (std::string &host : hosts) {
        const std::size_t colon = host.find(':');
        if (colon != std::string::npos && host.find(':', colon + 1) == std::string::npos)
            host.resize(colon);
    }
    return hosts;
}

} // namespace portcullis::rules
