// SPDX-License-Identifier: Apache-2.0

// Where paths lead, on a real file system.

#include "runner/host/path_answers.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include <unistd.h>

using namespace portcullis;

class TstPathAnswers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void a_path_is_followed_as_the_kernel_would_data();
    void a_path_is_followed_as_the_kernel_would();

private:
    [[nodiscard]] std::string at(const char *below) const { return m_root + below; }

    QTemporaryDir m_folder;
    std::string m_root;
};

void TstPathAnswers::initTestCase()
{
    m_root = std::filesystem::canonical(m_folder.path().toStdString()).string();
    std::filesystem::create_directories(at("/own/src/deep"));
    std::filesystem::create_directories(at("/other"));
    QFile file(QString::fromStdString(at("/other/secret")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const std::pair<const char *, const char *> links[] = {
        {"../other", "/own/relative"}, {"loop2", "/own/loop1"},          {"loop1", "/own/loop2"},
        {"src/deep", "/own/inside"},   {"../other/new", "/own/nowhere"}, {"relative/", "/own/twice"},
    };
    for (const auto &[target, place] : links)
        QCOMPARE(::symlink(target, at(place).c_str()), 0);
    QCOMPARE(::symlink(at("/other").c_str(), at("/own/absolute").c_str()), 0);
}

void TstPathAnswers::a_path_is_followed_as_the_kernel_would_data()
{
    QTest::addColumn<QByteArray>("asked");
    QTest::addColumn<QByteArray>("leads");
    const auto row = [](const char *what, const char *asked, const char *leads) {
        QTest::newRow(what) << QByteArray(asked) << QByteArray(leads);
    };
    row("a plain file", "/other/secret", "/other/secret");
    row("a link", "/own/relative/secret", "/other/secret");
    row("an absolute link", "/own/absolute/secret", "/other/secret");
    row("a link to a link", "/own/twice/secret", "/other/secret");
    row("a new file behind a link", "/own/relative/new", "/other/new");
    row("a new folder behind a link", "/own/relative/a/b", "/other/a/b");
    row("a link to nowhere", "/own/nowhere", "/other/new");
    row("dots behind a link go up from where it leads", "/own/inside/../x", "/own/src/x");
    row("dots behind what does not exist", "/own/none/../x", "/own/x");
    row("dots and doubled slashes", "/own//./src/../x", "/own/x");
    row("below a file", "/other/secret/x", "/other/secret/x");
}

void TstPathAnswers::a_path_is_followed_as_the_kernel_would()
{
    QFETCH(const QByteArray, asked);
    QFETCH(const QByteArray, leads);
    const decision::PathQuestion question{decision::PathQuestion::Kind::Resolve, at(asked.constData())};
    const decision::PathQuestion loop{decision::PathQuestion::Kind::Resolve, at("/own/loop1/x")};
    const auto answers = host::answerQuestions({question, loop});
    QCOMPARE(QByteArray::fromStdString(answers.at(question)), QByteArray::fromStdString(at(leads.constData())));
    QCOMPARE(answers.at(loop), std::string());
}

QTEST_APPLESS_MAIN(TstPathAnswers)
#include "tst_path_answers.moc"
