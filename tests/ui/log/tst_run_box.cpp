// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_runner.h"
#include "ui/log/run_box.h"

#include <QLabel>
#include <QLineEdit>
#include <QTest>

using namespace portcullis;
using portcullis::test::ScriptedRunner;
using portcullis::ui::RunBox;

class TstRunBox : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_runner = std::make_unique<ScriptedRunner>();
        m_runner->current = {};
        m_runner->current.tenants = {"master", "acme"};
        m_box = std::make_unique<RunBox>(*m_runner);
    }
    void cleanup()
    {
        m_box.reset();
        m_runner.reset();
    }

    void enter_during_a_run_says_that_nothing_was_run()
    {
        type(QStringLiteral("sleep 9"));
        type(QStringLiteral("id"));
        QCOMPARE(m_runner->requests.size(), 1);
        QVERIFY2(status().startsWith(QStringLiteral("Not run")), qPrintable(status()));
        QVERIFY2(status().contains(QStringLiteral("sleep 9")), qPrintable(status()));
    }

    void an_outcome_names_its_command_while_another_stands_in_the_box()
    {
        type(QStringLiteral("make all"));
        ports::CommandEnd end;
        end.kind = ports::CommandEnd::Kind::Ran;
        end.exitCode = 0;
        Q_EMIT m_runner->finished(ScriptedRunner::lastId(), end);
        QCOMPARE(status(), QStringLiteral("exit 0"));
        command()->setText(QStringLiteral("rm x"));
        QCOMPARE(status(), QStringLiteral("exit 0 – for: make all"));
        command()->setText(QStringLiteral("make all"));
        QCOMPARE(status(), QStringLiteral("exit 0"));
        type(QStringLiteral("rm x"));
        QCOMPARE(m_runner->requests.size(), 2);
        QVERIFY2(!status().contains(QStringLiteral("make all")), qPrintable(status()));
    }

    void a_long_command_is_named_shortly_and_with_nothing_hidden()
    {
        type(QStringLiteral("echo \u202e") + QString(500, u'x'));
        command()->setText(QStringLiteral("id"));
        QVERIFY2(status().contains(QStringLiteral("echo <U+202E>xx")) && status().size() < 100, qPrintable(status()));
    }

private:
    [[nodiscard]] QLineEdit *command() const
    {
        for (QLineEdit *line : m_box->findChildren<QLineEdit *>()) {
            if (line->accessibleName() == QStringLiteral("Command to run"))
                return line;
        }
        return nullptr;
    }
    [[nodiscard]] QString status() const
    {
        for (const QLabel *label : m_box->findChildren<QLabel *>()) {
            if (label->accessibleName() == QStringLiteral("What became of the command"))
                return label->text();
        }
        return {};
    }
    void type(const QString &text) const
    {
        command()->setText(text);
        QTest::keyClick(command(), Qt::Key_Return);
    }

    std::unique_ptr<ScriptedRunner> m_runner;
    std::unique_ptr<RunBox> m_box;
};

QTEST_MAIN(TstRunBox)
#include "tst_run_box.moc"
