// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/glob.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::rules;

namespace {

Glob one(std::string_view pattern, Glob::Flavour flavour)
{
    const auto globs = Glob::parse(pattern, flavour);
    Q_ASSERT(globs && globs->size() == 1);
    return globs->front();
}

/// `@` in the text is an unknown stretch; `*`, `?` and `[` are active globs.
OpenText open(std::string_view text)
{
    shell::Value value;
    for (const char c : text) {
        if (c == '@') {
            value.gaps.push_back(static_cast<std::uint32_t>(value.text.size()));
            continue;
        }
        if (std::string_view("*?[").contains(c))
            value.globs.push_back(static_cast<std::uint32_t>(value.text.size()));
        value.text.push_back(c);
    }
    return OpenText::of(value);
}

} // namespace

class TstGlob : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void matches_text_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<bool>("path");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("expected");
        QTest::newRow("a literal is itself") << QByteArray("rm") << false << QByteArray("rm") << true;
        QTest::newRow("a literal is no prefix") << QByteArray("rm") << false << QByteArray("rmdir") << false;
        QTest::newRow("case counts") << QByteArray("rm") << false << QByteArray("RM") << false;
        QTest::newRow("a star is any bytes, even none")
            << QByteArray("python*") << false << QByteArray("python") << true;
        QTest::newRow("a star in a name crosses slashes") << QByteArray("a*c") << false << QByteArray("a/b/c") << true;
        QTest::newRow("a star in a path stops at a slash")
            << QByteArray("/a/*") << true << QByteArray("/a/b/c") << false;
        QTest::newRow("two stars do not") << QByteArray("/a/**") << true << QByteArray("/a/b/c") << true;
        QTest::newRow("two stars in front take the root")
            << QByteArray("**/x.sock") << true << QByteArray("/x.sock") << true;
        QTest::newRow("whole components only") << QByteArray("**/x.sock") << true << QByteArray("/ax.sock") << false;
        QTest::newRow("a class") << QByteArray("/dev/sd[a-z]*") << true << QByteArray("/dev/sda1") << true;
        QTest::newRow("a negated class") << QByteArray("[!a]x") << false << QByteArray("ax") << false;
        QTest::newRow("an escaped star") << QByteArray("a\\*") << false << QByteArray("ab") << false;
        QTest::newRow("many stars end in linear time")
            << QByteArray("a*a*a*a*a*a*a*a*a*b") << false << QByteArray(100'000, 'a') << false;
    }
    void matches_text()
    {
        QFETCH(QByteArray, pattern);
        QFETCH(bool, path);
        QFETCH(QByteArray, text);
        QTEST(one(pattern.toStdString(), path ? Glob::Flavour::Path : Glob::Flavour::Name).matches(text.toStdString()),
              "expected");
    }

    void compares_words_with_open_places_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("expected");
        const auto row = [](const char *name, const char *pattern, const char *text, Match match) {
            QTest::newRow(name) << QByteArray(pattern) << QByteArray(text) << static_cast<int>(match);
        };
        row("a shell glob that can be the name", "sudo", "sud[o]", Match::Yes);
        row("a shell glob that cannot", "sudo", "sud[a-n]", Match::No);
        row("question marks", "nc", "n?", Match::Yes);
        row("a shell star against a class", "/dev/sd[a-z]", "/dev/s*", Match::Yes);
        row("a shell star stays in its component", "/etc/passwd", "/*", Match::No);
        row("an unknown stretch where the rule takes anything", "**/.bashrc", "@/.bashrc", Match::Yes);
        row("an unknown component", "/proc/*/environ", "/proc/@/environ", Match::Yes);
        row("an unknown word may be anything", "/etc/passwd", "@", Match::Maybe);
        row("an unknown end", "prod-*", "prod-@", Match::Yes);
        row("a bare star is hardly one file of any folder", "**/docker.sock", "/w/*", Match::Maybe);
        row("nor is a start", "**/containerd.sock", "/w/container*", Match::Maybe);
        row("most of its name is", "**/docker.sock", "/w/dock*.sock", Match::Yes);
        row("a star in a named folder is", "/run/docker.sock", "/run/*", Match::Yes);
        row("a star does not match a leading dot", "**/.bashrc", "/w/*", Match::No);
        row("nor does a folder's", "**/.vim/**", "/w/*/a", Match::No);
        row("a written dot does", "**/.bashrc", "/w/.b*", Match::Yes);
        row("an unknown start", "prod-*", "@-1", Match::Maybe);
        row("an unknown part that cannot help", "prod-1", "dev-@", Match::No);
    }
    void compares_words_with_open_places()
    {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, text);
        const Glob glob = one(pattern.toStdString(), Glob::Flavour::Path);
        QTEST(static_cast<int>(glob.matches(open(text.toStdString()))), "expected");
    }

    void expands_braces()
    {
        const auto globs = Glob::parse("/{a,b{1,2}}/c", Glob::Flavour::Path);
        QVERIFY(globs.has_value());
        std::vector<std::string> sources;
        for (const Glob &glob : *globs)
            sources.push_back(glob.source());
        std::ranges::sort(sources);
        QCOMPARE(sources, (std::vector<std::string>{"/a/c", "/b1/c", "/b2/c"}));
    }

    void refuses_what_it_cannot_read()
    {
        QVERIFY(!Glob::parse("{a,b", Glob::Flavour::Name));
        QVERIFY(!Glob::parse("a}", Glob::Flavour::Name));
        QVERIFY(!Glob::parse("[a", Glob::Flavour::Name));
        QVERIFY(!Glob::parse(std::string(64, 'a'), Glob::Flavour::Name));
        QVERIFY(!Glob::parse("{1,2,3,4}{1,2,3,4}{1,2,3,4}{1,2,3,4}{1,2,3,4}", Glob::Flavour::Name));
    }

    void a_name_behind_an_exclamation_mark_is_taken_out()
    {
        const auto list = NameList::parse({"*", "!git", "!g[h]"});
        QVERIFY(list.has_value());
        QVERIFY(list->matches("curl"));
        QVERIFY(!list->matches("git"));
        QVERIFY(!list->matches("gh"));
    }

    void resolves_paths_lexically_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<QByteArray>("cwd");
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<bool>("expected");
        QTest::newRow("relative to the directory")
            << QByteArray("environ") << QByteArray("/proc/self") << QByteArray("/proc/*/environ") << true;
        QTest::newRow("doubled slashes and dots")
            << QByteArray("/proc//./1/environ") << QByteArray("/") << QByteArray("/proc/1/environ") << true;
        QTest::newRow("parents") << QByteArray("../../proc/1/environ") << QByteArray("/home/a")
                                 << QByteArray("/proc/1/environ") << true;
        QTest::newRow("globs between dots")
            << QByteArray("/pro?/./x/../1/environ") << QByteArray("/") << QByteArray("/proc/1/environ") << true;
        QTest::newRow("unknown directory")
            << QByteArray("docker.sock") << QByteArray("") << QByteArray("**/docker.sock") << true;
        QTest::newRow("another directory")
            << QByteArray("environ") << QByteArray("/home/a") << QByteArray("/proc/*/environ") << false;
    }
    void resolves_paths_lexically()
    {
        QFETCH(QByteArray, word);
        QFETCH(QByteArray, cwd);
        QFETCH(QByteArray, pattern);
        shell::Value value;
        value.text = word.toStdString();
        for (std::size_t at = value.text.find('?'); at != std::string::npos; at = value.text.find('?', at + 1))
            value.globs.push_back(static_cast<std::uint32_t>(at));
        const PathText path = resolvePath(value, cwd.isEmpty() ? std::nullopt : std::optional(cwd.toStdString()));
        const Glob glob = one(pattern.toStdString(), Glob::Flavour::Path);
        QTEST(path.open ? glob.matches(*path.open) == Match::Yes : glob.matches(path.plain), "expected");
    }
};

QTEST_GUILESS_MAIN(TstGlob)
#include "tst_glob.moc"
