// SPDX-License-Identifier: Apache-2.0

// What must hold for every command, tried on all field cases with the shipped rules: spelling never matters, wrapping
// never helps, text that is only said is no deed, and characters that look alike never loosen.

#include "tests/support/decision_setup.h"
#include "tests/support/field_cases.h"

#include <QRandomGenerator>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <array>

using namespace Qt::StringLiterals;
using namespace portcullis;
using test::FieldCase;

namespace {

QByteArray singleQuoted(QByteArray text)
{
    return '\'' + text.replace('\'', "'\\''") + '\'';
}

/// A command of plain words whose first is a program: what quoting cannot turn into something else.
bool isPlain(const QByteArray &command)
{
    static const QRegularExpression plain(u"^[a-z][a-z0-9_.-]*( [A-Za-z0-9_./:@%+,-]+)*$"_s);
    static const QRegularExpression word(u"^(if|for|while|until|case|select|function|time|coproc|declare|typeset|local|"
                                         "export|readonly|alias|let)$"_s);
    const QString text = QString::fromUtf8(command);
    return plain.match(text).hasMatch() && !word.match(text.section(u' ', 0, 0)).hasMatch();
}

QByteArray escaped(const QByteArray &word)
{
    QByteArray out;
    for (const char c : word)
        out.append('\\').append(c);
    return out;
}

QByteArray requoted(const QByteArray &word, int way)
{
    const qsizetype middle = word.size() / 2;
    switch (way) {
    case 0:
        return '\'' + word + '\'';
    case 1:
        return '"' + word + '"';
    case 2:
        return escaped(word);
    case 3:
        return word.left(middle) + "''" + word.mid(middle);
    case 4:
        return word.left(middle) + "\\\n" + word.mid(middle);
    default:
        return '"' + word.left(middle) + "\"'" + word.mid(middle) + '\'';
    }
}
constexpr int quotingWays = 6;

QByteArray respelled(const QByteArray &command, int way)
{
    QByteArrayList words = command.split(' ');
    for (QByteArray &word : words)
        word = requoted(word, way);
    return words.join(' ');
}

/// Something that runs a command as it stands, on lines of its own so that comments and here-documents end.
struct Wrapper {
    const char *before;
    const char *after;
    bool asText = false; ///< the command is one quoted argument
    bool givesInput = false; ///< its standard input is shown: what waits for names there gets none
};
constexpr std::array wrappers{
    Wrapper{"( ", "\n)"},
    Wrapper{"{ ", "\n}"},
    Wrapper{"true && { ", "\n}"},
    Wrapper{"if true; then ", "\nfi"},
    Wrapper{"while true; do ", "\nbreak; done"},
    Wrapper{"case x in x) ", "\n;; esac"},
    Wrapper{"wrapped() { ", "\n}; wrapped"},
    Wrapper{"echo \"$( ", "\n)\""},
    Wrapper{"{ ", "\n} > out.txt 2>&1 &"},
    Wrapper{"eval ", "", true},
    Wrapper{"SHELL -c ", "", true},
    Wrapper{"env A=1 SHELL -c ", "", true},
    Wrapper{"timeout 5 nice -n 5 SHELL -c ", "", true},
    Wrapper{"nohup setsid SHELL -ec ", " </dev/null", true, true},
    Wrapper{"find . -maxdepth 0 -exec SHELL -c ", " ';'", true},
    Wrapper{"echo x | xargs -n1 SHELL -c ", "", true, true},
    Wrapper{"trap ", " EXIT", true},
    Wrapper{"command exec SHELL -c ", "", true},
    Wrapper{"SHELL <<< ", "", true, true},
};

/// Whether the wrapper would make another command of it: here-strings are bash's, `find` has its own `{}`, and `local`
/// fails outside of a function.
bool changesMeaning(const FieldCase &entry, const Wrapper &wrapper)
{
    const QByteArray before(wrapper.before);
    return (entry.dialect != Dialect::Bash && before.contains("<<<"))
        || (wrapper.givesInput && entry.command.startsWith("xargs"))
        || (before.startsWith("find") && entry.command.contains("{}"))
        || (before.contains("()") && entry.command.contains("local "));
}

QByteArray wrapped(const FieldCase &entry, const Wrapper &wrapper)
{
    const QByteArray shell = entry.dialect == Dialect::Bash ? "bash" : "sh";
    return QByteArray(wrapper.before).replace("SHELL", shell)
        + (wrapper.asText ? singleQuoted(entry.command) : entry.command) + wrapper.after;
}

QByteArray describe(const FieldCase &entry, const QByteArray &changed, const decision::Decision &decision)
{
    return changed + "\n    of: " + entry.command + "\n    got: " + test::summary(decision);
}

} // namespace

class TstProperties : public QObject
{
    Q_OBJECT

    std::vector<FieldCase> m_cases;
    std::shared_ptr<const policy::Configuration> m_configuration;
    quint32 m_seed = 0;

    [[nodiscard]] decision::Decision decide(const QByteArray &command, Dialect dialect) const
    {
        return test::decideFieldCase(*m_configuration, command, dialect);
    }

    /// Fails with the first commands for which something did not hold.
    static void report(const QByteArrayList &broken, qsizetype tried)
    {
        QVERIFY2(tried >= 200, "too few cases for this to mean anything");
        constexpr qsizetype shown = 20;
        QVERIFY2(broken.isEmpty(),
                 (QByteArray::number(broken.size()) + " of " + QByteArray::number(tried) + ":\n"
                  + broken.first(std::min(shown, broken.size())).join('\n'))
                     .constData());
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_configuration = test::fieldConfiguration();
        QVERIFY(m_configuration);
        m_cases = test::readFieldCases();
#ifdef __SANITIZE_ADDRESS__ // five times slower; the other builds try them all
        std::vector<FieldCase> some;
        for (std::size_t i = 0; i < m_cases.size(); i += 5)
            some.push_back(m_cases[i]);
        m_cases = std::move(some);
#endif
        m_seed = static_cast<quint32>(qEnvironmentVariableIntValue("PORTCULLIS_SEED"));
        m_seed = m_seed == 0 ? 20261130 : m_seed;
        qInfo("seed %u", m_seed);
    }

    void quoting_the_words_differently_changes_nothing()
    {
        QByteArrayList broken;
        qsizetype tried = 0;
        for (const FieldCase &entry : m_cases) {
            if (!isPlain(entry.command))
                continue;
            const QByteArray wanted = test::summary(decide(entry.command, entry.dialect));
            for (int way = 0; way < quotingWays; ++way) {
                const QByteArray changed = respelled(entry.command, way);
                const decision::Decision decision = decide(changed, entry.dialect);
                ++tried;
                if (test::summary(decision) != wanted)
                    broken += describe(entry, changed, decision) + ", wanted: " + wanted;
            }
        }
        report(broken, tried);
    }

    void no_wrapper_allows_what_is_refused()
    {
        QByteArrayList broken;
        qsizetype tried = 0;
        for (const FieldCase &entry : m_cases) {
            if (entry.verdict != u"deny")
                continue;
            for (const Wrapper &wrapper : wrappers) {
                if (changesMeaning(entry, wrapper))
                    continue;
                const QByteArray changed = wrapped(entry, wrapper);
                const decision::Decision decision = decide(changed, entry.dialect);
                ++tried;
                // A shell that cannot read the whole says so and runs nothing of it.
                const bool unreadable = std::ranges::contains(decision.dynamic, DynamicReason::Syntax);
                if (decision.verdict == Verdict::Allow && !unreadable)
                    broken += describe(entry, changed, decision);
            }
        }
        report(broken, tried);
    }

    void what_is_only_said_is_not_refused()
    {
        QByteArrayList broken;
        qsizetype tried = 0;
        for (const FieldCase &entry : m_cases) {
            if (entry.verdict != u"deny")
                continue;
            for (const QByteArray &sayer : {"echo "_ba, "git commit -m "_ba, "grep -rn -e "_ba}) {
                const QByteArray changed =
                    sayer + singleQuoted(entry.command) + (sayer.startsWith("grep") ? " src" : "");
                const decision::Decision decision = decide(changed, entry.dialect);
                ++tried;
                if (decision.verdict == Verdict::Deny)
                    broken += describe(entry, changed, decision);
            }
        }
        report(broken, tried);
    }

    void characters_that_look_alike_or_do_not_show_never_loosen()
    {
        QRandomGenerator random(m_seed);
        QByteArrayList broken;
        qsizetype tried = 0;
        for (const FieldCase &entry : m_cases) {
            const QString command = QString::fromUtf8(entry.command);
            if (entry.verdict != u"deny" || command.toUtf8() != entry.command || command.isEmpty())
                continue;
            const qsizetype at = random.bounded(command.size());
            QString fullWidth = command;
            if (const char16_t c = fullWidth[at].unicode(); c > 0x20 && c < 0x7f)
                fullWidth[at] = QChar(char16_t(c + 0xfee0));
            QString hidden = command;
            hidden.insert(at, QChar(0x200b));
            for (const QString &changed : {fullWidth, hidden}) {
                const decision::Decision decision = decide(changed.toUtf8(), entry.dialect);
                ++tried;
                if (decision.verdict == Verdict::Allow)
                    broken += describe(entry, changed.toUtf8(), decision);
            }
        }
        report(broken, tried);
    }
};

QTEST_GUILESS_MAIN(TstProperties)
#include "tst_properties.moc"
