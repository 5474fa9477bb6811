// SPDX-License-Identifier: Apache-2.0
#include "ui/text/problem_text.h"

#include "runner/policy/problem.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <vector>

namespace portcullis::text {
namespace {

using policy::Problem;
using policy::ProblemCode;

constexpr char context[] = "Problem";

struct CodeWords {
    ProblemCode code;
    const char *sentence; ///< %1: found, %2: hint, %3: allowed values
    const char *remedy = ""; ///< %1: file
};

constexpr auto words = std::to_array<CodeWords>({
    {ProblemCode::Syntax, QT_TRANSLATE_NOOP("Problem", "unexpected \"%1\"")},
    {ProblemCode::MissingComma, QT_TRANSLATE_NOOP("Problem", "a comma is missing before %1")},
    {ProblemCode::UnexpectedEnd, QT_TRANSLATE_NOOP("Problem", "the text ends before \"%1\" is closed or complete")},
    {ProblemCode::TooDeep, QT_TRANSLATE_NOOP("Problem", "nested too deeply")},
    {ProblemCode::TooLarge, QT_TRANSLATE_NOOP("Problem", "too large")},
    {ProblemCode::DuplicateKey, QT_TRANSLATE_NOOP("Problem", "the key \"%1\" stands here twice")},
    {ProblemCode::BadUtf8, QT_TRANSLATE_NOOP("Problem", "bytes that are not UTF-8: %1")},
    {ProblemCode::BadNumber, QT_TRANSLATE_NOOP("Problem", "\"%1\" is not a number")},
    {ProblemCode::BadEscape, QT_TRANSLATE_NOOP("Problem", "bad escape \"%1\"")},
    {ProblemCode::WrongType, QT_TRANSLATE_NOOP("Problem", "expected %3, found %1")},
    {ProblemCode::BadValue, QT_TRANSLATE_NOOP("Problem", "\"%1\" is not a value of this key")},
    {ProblemCode::OutOfRange, QT_TRANSLATE_NOOP("Problem", "%1 is out of range")},
    {ProblemCode::UnknownKey, QT_TRANSLATE_NOOP("Problem", "unknown key \"%1\"")},
    {ProblemCode::MisplacedKey,
     QT_TRANSLATE_NOOP("Problem", "the key \"%1\" does not belong here; in a policy its place is \"%2\"")},
    {ProblemCode::GatewayKey,
     QT_TRANSLATE_NOOP("Problem", "the key \"%1\" does not belong in a policy; the gateway's file has it as \"%2\"")},
    {ProblemCode::UnknownGroup, QT_TRANSLATE_NOOP("Problem", "unknown group \"%1\"")},
    {ProblemCode::MissingKey, QT_TRANSLATE_NOOP("Problem", "the key \"%2\" is missing")},
    {ProblemCode::DeprecatedKey, QT_TRANSLATE_NOOP("Problem", "\"%1\" is the old form; write \"%2\"")},
    {ProblemCode::UnsupportedVersion,
     QT_TRANSLATE_NOOP("Problem", "version %1 is not known to this program (it reads %3)")},
    {ProblemCode::NotAbsolute,
     QT_TRANSLATE_NOOP("Problem", "\"%1\" is not an absolute path; it must start with \"/\" or \"~/\"")},
    {ProblemCode::ReservedPath,
     QT_TRANSLATE_NOOP("Problem",
                       "\"%1\" cannot be granted: commands have their own /dev, /proc and /sys; name the "
                       "folders that they need")},
    {ProblemCode::NoSuchPath, QT_TRANSLATE_NOOP("Problem", "\"%1\" does not exist here, so it grants nothing")},
    {ProblemCode::FileGranted,
     QT_TRANSLATE_NOOP("Problem", "\"%1\" is no folder here, so it grants that one file alone")},
    {ProblemCode::NoHome, QT_TRANSLATE_NOOP("Problem", "\"%1\" needs a home folder, and none is known")},
    {ProblemCode::CannotLoosen,
     QT_TRANSLATE_NOOP("Problem", "a tenant policy cannot loosen this key: \"%2\" stays in force instead of \"%1\"")},
    {ProblemCode::TenantMismatch,
     QT_TRANSLATE_NOOP("Problem", "the tenant is \"%1\", but the file is the policy of \"%2\"")},
    {ProblemCode::PolicyLost,
     QT_TRANSLATE_NOOP("Problem",
                       "the policy of \"%1\" is gone, so what the gateway allows holds; the record keeps its texts"),
     QT_TRANSLATE_NOOP(
         "Problem",
         "Look who removed it; portcullis-runner policy revisions lists the texts, and policy publish puts "
         "one back in force.")},
    {ProblemCode::BadSlug,
     QT_TRANSLATE_NOOP(
         "Problem",
         "\"%1\" is not the name of a tenant (lower-case letters, digits, \".\", \"_\" and \"-\", at most 64)")},
    {ProblemCode::DuplicatePolicy, QT_TRANSLATE_NOOP("Problem", "the tenant \"%1\" has two policies")},
    {ProblemCode::NotExemptable, QT_TRANSLATE_NOOP("Problem", "no exemption can answer the check \"%1\" (only %3)")},
    {ProblemCode::DuplicateId, QT_TRANSLATE_NOOP("Problem", "the id \"%1\" is taken")},
    {ProblemCode::UnknownRule, QT_TRANSLATE_NOOP("Problem", "there is no rule \"%1\"")},
    {ProblemCode::CommandAndProgram,
     QT_TRANSLATE_NOOP("Problem", "give either \"command\" or \"program\" with \"args\"")},
    {ProblemCode::BadTime,
     QT_TRANSLATE_NOOP("Problem", "\"%1\" is not a time with a zone such as 2026-12-01T08:00:00Z")},
    {ProblemCode::ExemptionOver, QT_TRANSLATE_NOOP("Problem", "the exemption \"%1\" ended at %2")},
    {ProblemCode::RuleUnknownKey, QT_TRANSLATE_NOOP("Problem", "rule: unknown key \"%2\"")},
    {ProblemCode::RuleMissingKey, QT_TRANSLATE_NOOP("Problem", "rule: the key \"%2\" is missing")},
    {ProblemCode::RuleWrongType, QT_TRANSLATE_NOOP("Problem", "rule: \"%2\" has a value of the wrong type: %1")},
    {ProblemCode::RuleBadPattern, QT_TRANSLATE_NOOP("Problem", "rule: \"%2\" holds a pattern that cannot be read: %1")},
    {ProblemCode::RuleBadGroup, QT_TRANSLATE_NOOP("Problem", "rule: unknown group \"%1\"")},
    {ProblemCode::RuleBadVerdict, QT_TRANSLATE_NOOP("Problem", "rule: \"%1\" is no verdict of a rule (deny or ask)")},
    {ProblemCode::RuleBadValue, QT_TRANSLATE_NOOP("Problem", "rule: \"%1\" is not a value of \"%2\"")},
    {ProblemCode::RuleDuplicateId, QT_TRANSLATE_NOOP("Problem", "rule: the id \"%1\" is taken")},
    {ProblemCode::RuleExampleMissed, QT_TRANSLATE_NOOP("Problem", "rule: it does not match its own example: %1")},
    {ProblemCode::RuleExampleHit, QT_TRANSLATE_NOOP("Problem", "rule: it matches what it says it must not: %1")},
    {ProblemCode::RuleNoCondition,
     QT_TRANSLATE_NOOP("Problem", "rule: it has no condition and would match everything")},
    {ProblemCode::RuleJson, QT_TRANSLATE_NOOP("Problem", "rule file: it cannot be read as JSON: %1")},
    {ProblemCode::NotFound, QT_TRANSLATE_NOOP("Problem", "there is no such file or folder"),
     QT_TRANSLATE_NOOP("Problem", "Check the path.")},
    {ProblemCode::NotReadable, QT_TRANSLATE_NOOP("Problem", "it cannot be read (%1)"),
     QT_TRANSLATE_NOOP("Problem", "Run as the user that the gateway runs as, or make %1 readable for this user.")},
    {ProblemCode::NotRegular, QT_TRANSLATE_NOOP("Problem", "it is not a regular file"),
     QT_TRANSLATE_NOOP("Problem", "Name a file here: a folder, a device or a pipe is none.")},
    {ProblemCode::NotFolder, QT_TRANSLATE_NOOP("Problem", "it is not a folder"),
     QT_TRANSLATE_NOOP("Problem",
                       "Name the folder that holds one file for each tenant; one draft is tried with policy publish "
                       "FILE --message TEXT --dry-run, or with replay --against policy:FILE.")},
    {ProblemCode::NotOurs, QT_TRANSLATE_NOOP("Problem", "it belongs to user %1, who could change what is allowed here"),
     QT_TRANSLATE_NOOP("Problem", "Make it belong to root or to the user that runs this program: chown root %1")},
    {ProblemCode::WritableByOthers, QT_TRANSLATE_NOOP("Problem", "its group or others can write it (mode %1)"),
     QT_TRANSLATE_NOOP("Problem", "Take the right away: chmod go-w %1")},
    {ProblemCode::FileTooLarge, QT_TRANSLATE_NOOP("Problem", "it is too large (%1 bytes)")},
    {ProblemCode::FolderWritableByOthers,
     QT_TRANSLATE_NOOP("Problem",
                       "its group or others can write this folder (mode %1) and put files of their own in it"),
     QT_TRANSLATE_NOOP("Problem", "Take the right away: chmod go-w %1")},
});

const CodeWords *wordsOf(const Problem &problem)
{
    const auto found =
        std::ranges::find_if(words, [&](const CodeWords &entry) { return nameOf(entry.code) == problem.code; });
    return found == words.end() ? nullptr : &*found;
}

QString tr(const char *source)
{
    return QCoreApplication::translate(context, source);
}

/// One pass, so that a `%1` inside a value stays what it is; not every sentence has every place.
QString filled(const QString &sentence, std::initializer_list<QString> values)
{
    QString out;
    for (qsizetype i = 0; i < sentence.size(); ++i) {
        const int number = sentence[i] == u'%' && i + 1 < sentence.size() ? sentence[i + 1].digitValue() : 0;
        if (number < 1 || number > static_cast<int>(values.size())) {
            out += sentence[i];
            continue;
        }
        out += *(values.begin() + number - 1);
        ++i;
    }
    return out;
}

QString joined(const std::vector<std::string> &values)
{
    QStringList shown;
    for (const std::string &value : values)
        shown += visibleText(value);
    return shown.join(QStringLiteral(", "));
}

/// Codes whose sentence says already what hint and allowed values are.
bool saysAll(const Problem &problem)
{
    constexpr std::array complete{ProblemCode::CannotLoosen,       ProblemCode::MissingKey,
                                  ProblemCode::DeprecatedKey,      ProblemCode::TenantMismatch,
                                  ProblemCode::WrongType,          ProblemCode::NotExemptable,
                                  ProblemCode::UnsupportedVersion, ProblemCode::MisplacedKey,
                                  ProblemCode::GatewayKey,         ProblemCode::ExemptionOver};
    return problem.code.starts_with("rule_")
        || std::ranges::any_of(complete, [&](ProblemCode code) { return nameOf(code) == problem.code; });
}

/// Sentences about a value do not name its key: ` (limits.timeout_seconds)` for the pointer `/limits/timeout_seconds`.
QString keyOf(const Problem &problem)
{
    constexpr std::array aboutValues{ProblemCode::WrongType, ProblemCode::BadValue, ProblemCode::OutOfRange};
    if (problem.pointer.empty()
        || std::ranges::none_of(aboutValues, [&](ProblemCode code) { return nameOf(code) == problem.code; }))
        return {};
    QString key = visibleText(problem.pointer.substr(1));
    key.replace(u'/', u'.').replace(QStringLiteral("~1"), QStringLiteral("/"));
    return key.replace(QStringLiteral("~0"), QStringLiteral("~")) + QStringLiteral(": ");
}

/// A word where a value must stand is most often a text without its quotes.
bool lacksQuotes(const Problem &problem)
{
    return problem.code == nameOf(ProblemCode::Syntax) && !problem.found.empty()
        && std::ranges::all_of(problem.found, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
                   || c == '-';
           });
}

/// `rule "id": …` for `rule: …`, where it is known which one.
QString withRule(const Problem &problem, QString sentence)
{
    constexpr std::string_view rules = "/rules/";
    const qsizetype colon = sentence.indexOf(QLatin1String(": "));
    if (problem.code.starts_with("rule_") && problem.pointer.starts_with(rules) && colon > 0)
        sentence.insert(colon, QStringLiteral(" \"%1\"").arg(visibleText(problem.pointer.substr(rules.size()))));
    return sentence;
}

QString besides(const Problem &problem)
{
    if (lacksQuotes(problem))
        return tr(QT_TRANSLATE_NOOP("Problem", "; a text needs quotes"));
    if (problem.code == nameOf(ProblemCode::RuleUnknownKey) && !problem.allowed.empty())
        return tr(QT_TRANSLATE_NOOP("Problem", "; did you mean \"%1\"?")).arg(joined(problem.allowed));
    return {};
}

} // namespace

QString problemSentence(const Problem &problem)
{
    const CodeWords *entry = wordsOf(problem);
    if (!entry)
        return visibleText(problem.code);
    if (problem.code == nameOf(ProblemCode::UnexpectedEnd) && problem.found.empty())
        return tr(QT_TRANSLATE_NOOP("Problem", "it is empty"));
    QString out = keyOf(problem)
        + filled(tr(entry->sentence), {visibleText(problem.found), visibleText(problem.hint), joined(problem.allowed)})
        + besides(problem);
    if (saysAll(problem))
        return withRule(problem, out);
    if (problem.code == nameOf(ProblemCode::OutOfRange) && problem.allowed.size() == 2)
        return out
            + tr(QT_TRANSLATE_NOOP("Problem", " (%1 to %2)"))
                  .arg(visibleText(problem.allowed[0]), visibleText(problem.allowed[1]));
    if (!problem.allowed.empty())
        out += tr(QT_TRANSLATE_NOOP("Problem", " (allowed: %1)")).arg(joined(problem.allowed));
    if (!problem.hint.empty())
        out += tr(QT_TRANSLATE_NOOP("Problem", "; did you mean \"%1\"?")).arg(visibleText(problem.hint));
    return out;
}

QString problemRemedy(const Problem &problem)
{
    const CodeWords *entry = wordsOf(problem);
    return entry && *entry->remedy != '\0' ? filled(tr(entry->remedy), {visibleText(problem.file)}) : QString();
}

QString problemLine(const Problem &problem)
{
    QString out;
    if (!problem.file.empty())
        out += visibleText(problem.file) + u':';
    if (problem.line > 0)
        out += QStringLiteral("%1:%2:").arg(problem.line).arg(problem.column);
    const bool error = problem.severity == Problem::Severity::Error;
    if (!out.isEmpty())
        out += u' ';
    out += error ? tr(QT_TRANSLATE_NOOP("Problem", "error")) : tr(QT_TRANSLATE_NOOP("Problem", "warning"));
    out += QStringLiteral(": ") + problemSentence(problem);
    const QString remedy = problemRemedy(problem);
    return remedy.isEmpty() ? out : out + QStringLiteral(". ") + remedy;
}

std::string problemLines(std::span<const Problem> problems)
{
    std::vector<const Problem *> order;
    for (const Problem &problem : problems)
        order.push_back(&problem);
    std::ranges::stable_sort(order, [](const Problem *a, const Problem *b) {
        return std::tuple(std::string_view(a->file), a->severity != Problem::Severity::Error, a->line)
            < std::tuple(std::string_view(b->file), b->severity != Problem::Severity::Error, b->line);
    });
    std::string out;
    for (const Problem *problem : order)
        out += problemLine(*problem).toStdString() + '\n';
    return out;
}

QString sourceText(const policy::Source &source)
{
    if (source.layer == Layer::Default)
        return tr(QT_TRANSLATE_NOOP("Problem", "default"));
    const QString file = visibleText(source.file);
    return source.line > 0 ? QStringLiteral("%1:%2").arg(file).arg(source.line) : file;
}

} // namespace portcullis::text
