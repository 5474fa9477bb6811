// SPDX-License-Identifier: Apache-2.0

// `doctor --probe`: break-outs that are really tried, with the walls that this host has.

#include "tests/support/gateway.h"
#include "tests/support/look.h"

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
};

QTEST_GUILESS_MAIN(TstDoctor)
#include "tst_doctor.moc"
