// SPDX-License-Identifier: Apache-2.0

// `doctor --probe`: break-outs that are really tried, with the walls that this host has.

#include "tests/support/gateway.h"
#include "tests/support/look.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>
#include <QTest>

using namespace portcullis::test;

class TstDoctor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_probe_tries_twenty_break_outs_and_tells_how_each_ended_data() { addWallRows(); }
    void the_probe_tries_twenty_break_outs_and_tells_how_each_ended()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        const Done done = gateway.runner({u"doctor"_s, u"--probe"_s, u"--json"_s});
        const QJsonArray attempts = QJsonDocument::fromJson(done.out).object().value(u"attempts").toArray();
        QCOMPARE(attempts.size(), 20);
        QSet<QString> names;
        for (const QJsonValue &value : attempts) {
            const QJsonObject attempt = value.toObject();
            const QByteArray words = QJsonDocument(attempt).toJson(QJsonDocument::Compact);
            names.insert(attempt.value(u"name").toString());
            QVERIFY2(attempt.value(u"good").toBool() && attempt.value(u"failure").toString().isEmpty(), words);
            QVERIFY2(attempt.value(u"ms").toDouble() > 0, words);
            const bool refused = attempt.value(u"outcome") == u"refused"_s;
            QVERIFY2(refused == (attempt.value(u"errno").toInt() != 0), words);
            // With both walls nothing is left open; without the view, what the threat model names.
            QVERIFY2(refused || (!namespaces && attempt.value(u"documented").toBool()), words);
        }
        QCOMPARE(names.size(), 20);
        QVERIFY(names.contains(u"read_foreign_file"_s) && names.contains(u"read_process_environment"_s));
    }

    void a_break_out_that_works_is_a_problem()
    {
        Gateway gateway;
        gateway.refuseLandlock();
        const Done done = gateway.runner({u"doctor"_s, u"--probe"_s, u"--json"_s});
        QVERIFY2(done.exitCode == 1, done.err.constData());
        int open = 0;
        for (const QJsonValue &attempt : QJsonDocument::fromJson(done.out).object().value(u"attempts").toArray())
            open += attempt.toObject().value(u"good").toBool() ? 0 : 1;
        QVERIFY2(open > 0, done.out.constData());
    }

    void for_people_each_attempt_has_a_line()
    {
        const Gateway gateway;
        const Done done = gateway.runner({u"doctor"_s, u"--probe"_s});
        const QByteArray tail = done.out.mid(done.out.indexOf("Break-out attempts"));
        QCOMPARE(tail.count("\nok "), 20);
        QVERIFY2(!tail.contains("PROBLEM"), tail.constData());
        QVERIFY(tail.contains("refused: Permission denied"));
        // Without being asked nothing is tried.
        QVERIFY(!gateway.runner({u"doctor"_s}).out.contains("Break-out attempts"));
    }

    void a_folder_of_the_gateway_that_is_missing_is_found_before_a_command_fails_for_it()
    {
        const Gateway gateway;
        QVERIFY(!gateway.runner({u"doctor"_s}).out.contains("Folders of the gateway"));
        for (const QString &folder : {gateway.data(), gateway.workspace()}) {
            QVERIFY(QDir().rename(folder, folder + u"-away"_s));
            const Done found = gateway.runner({u"doctor"_s});
            QCOMPARE(found.exitCode, 1);
            QVERIFY2(found.out.contains("PROBLEM  Folders of the gateway are missing\n")
                         && found.out.contains("mkdir -p -m 711 " + folder.toUtf8() + ". "),
                     found.out);
            const Done run = gateway.exec(u"true"_s);
            QCOMPARE(run.exitCode, 71);
            QVERIFY2(run.err.contains("instead: Make the folder") && run.err.contains("portcullis-runner doctor"),
                     run.err);
            QVERIFY(QDir().rename(folder + u"-away"_s, folder));
        }
        QCOMPARE(gateway.exec(u"true"_s).exitCode, 0);
    }

    void a_word_that_nobody_reads_is_refused()
    {
        const Gateway gateway;
        for (const QStringList &words :
             {QStringList{u"doctor"_s, u"extra"_s},
              QStringList{u"check"_s, u"extra"_s, u"--tenant"_s, u"acme"_s, u"--"_s, u"true"_s},
              QStringList{u"exec"_s, u"extra"_s, u"--tenant"_s, u"acme"_s, u"--"_s, u"true"_s}}) {
            const Done done = gateway.runner(words);
            QCOMPARE(done.exitCode, 64);
            QVERIFY2(done.err.contains("'extra' is nothing that " + words.front().toUtf8() + " takes"), done.err);
        }
    }
};

QTEST_GUILESS_MAIN(TstDoctor)
#include "tst_doctor.moc"
