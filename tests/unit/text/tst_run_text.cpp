// SPDX-License-Identifier: Apache-2.0
#include "ui/text/run_text.h"

#include <QTest>

#include <cerrno>

using namespace portcullis::text;

namespace {

using Notes = std::vector<std::string_view>;

} // namespace

class TstRunText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void notes_of_a_run_are_told_apart()
    {
        QCOMPARE(runNotes(""), Notes{});
        QCOMPARE(runNotes("kill_forced"), Notes{"kill_forced"});
        QCOMPARE(runNotes("background_killed,probably_confinement:/etc/shadow,memory_exceeded"),
                 (Notes{"background_killed", "probably_confinement:/etc/shadow", "memory_exceeded"}));
        QCOMPARE(runNotes("link_replaced:/srv/a,b/c,kill_forced"), (Notes{"link_replaced:/srv/a,b/c", "kill_forced"}));
        QCOMPARE(runNotes("of_a_later_version:/x,y"), Notes{"of_a_later_version:/x,y"});
    }

    void a_refused_path_is_found_behind_other_notes()
    {
        QCOMPARE(refusedPaths("background_killed,probably_confinement:/etc/shadow,probably_confinement:/x\u202E"),
                 (QStringList{QStringLiteral("/etc/shadow"), QStringLiteral("/x<U+202E>")}));
        QCOMPARE(refusedPaths("background_killed"), QStringList{});
    }

    void too_little_room_is_told_with_the_place_and_the_key()
    {
        const RunFailureWords words = runFailureWords(
            {.kind = RunFailure::Kind::Confinement, .step = "free_space", .errorNumber = ENOSPC, .path = "/srv/w"});
        QVERIFY(words.why.contains(QStringLiteral("/srv/w"))
                && words.why.contains(QStringLiteral("limits.free_bytes")));
        QVERIFY(!words.what.isEmpty() && !words.instead.isEmpty());
    }

    void a_failure_of_the_record_says_what_to_do_data()
    {
        QTest::addColumn<QByteArray>("code");
        for (const char *code : {"cannot_open", "locked", "full", "read_only", "newer_version", "corrupt",
                                 "not_a_record", "replaced", "io"})
            QTest::addRow("%s", code) << QByteArray(code);
    }

    void a_failure_of_the_record_says_what_to_do()
    {
        QFETCH(QByteArray, code);
        const RecordFailure failure{.code = code.toStdString(), .path = "/srv/audit.db"};
        const RecordFailureWords words = recordFailureWords(failure);
        QVERIFY(words.what.contains(QStringLiteral("/srv/audit.db")) && !words.instead.isEmpty());
        QCOMPARE(recordFailureLine(failure), words.what + QStringLiteral("; ") + words.instead);
        const QString sentences = recordFailureSentences(failure);
        QVERIFY2(sentences.front().isUpper() && sentences.endsWith(u'.'), qPrintable(sentences));
    }
};

QTEST_GUILESS_MAIN(TstRunText)
#include "tst_run_text.moc"
