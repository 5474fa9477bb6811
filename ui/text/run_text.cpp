// SPDX-License-Identifier: Apache-2.0
#include "ui/text/run_text.h"

#include "ui/text/visible_text.h"

#include <QCoreApplication>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

namespace portcullis::text {
namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Run", text);
}

QString q(std::string_view text)
{
    return visibleText(text);
}

QString errorName(int number)
{
    return number == 0 ? QString() : QString::fromLocal8Bit(std::strerror(number));
}

struct Sentence {
    const char *code;
    const char *text;
    const char *advice;
};

constexpr std::array planSentences{
    Sentence{
        "no_user", QT_TRANSLATE_NOOP("Run", "The workspace %1 belongs to root, and no command runs as root."),
        QT_TRANSLATE_NOOP("Run", "Give the folder to an ordinary user (chown), or name one in portcullis.run_as.")},
    Sentence{
        "too_many_grants", QT_TRANSLATE_NOOP("Run", "Cutting protected folders out of %1 would need too many rules."),
        QT_TRANSLATE_NOOP("Run", "Move the gateway's data out of the system folders, or grant less in extra_read.")},
    Sentence{"not_listed",
             QT_TRANSLATE_NOOP("Run", "%1 could not be listed, so protected folders cannot be cut out of it."),
             QT_TRANSLATE_NOOP("Run", "Let the runner's user read that folder.")},
    Sentence{"tenant_overlaps",
             QT_TRANSLATE_NOOP("Run", "The tenant's own folder contains %1, which no tenant may reach."),
             QT_TRANSLATE_NOOP("Run", "Move it out of the tenant's folder in the gateway's configuration.")},
    Sentence{"inside_protected", QT_TRANSLATE_NOOP("Run", "extra_read names %1, which lies inside a protected folder."),
             QT_TRANSLATE_NOOP("Run", "Take that path out of extra_read.")},
    Sentence{"backend_missing",
             QT_TRANSLATE_NOOP("Run", "The command was to run in the sandbox, which this version cannot do."),
             QT_TRANSLATE_NOOP(
                 "Run", "Switch the sandbox off in the configuration; nothing falls back to the host by itself.")},
    Sentence{"shutting_down", QT_TRANSLATE_NOOP("Run", "The program is ending."),
             QT_TRANSLATE_NOOP("Run", "Start it again.")},
};

constexpr std::array noteSentences{
    Sentence{
        "link_replaced",
        QT_TRANSLATE_NOOP("Run", "%1 is a link where a folder belongs; an empty private folder stood in its place"),
        nullptr},
    Sentence{"link_refused", QT_TRANSLATE_NOOP("Run", "%1 is a link where a folder belongs; it was left out"), nullptr},
    Sentence{"foreign_owner",
             QT_TRANSLATE_NOOP("Run", "%1 belongs neither to root nor to the operator; it was left out"), nullptr},
    Sentence{"background_killed", QT_TRANSLATE_NOOP("Run", "processes that the command left behind were ended"),
             nullptr},
    Sentence{"kill_forced", QT_TRANSLATE_NOOP("Run", "it did not end when asked (TERM) and was killed"), nullptr},
    Sentence{"memory_exceeded",
             QT_TRANSLATE_NOOP("Run", "it was killed for taking more memory than it may (limits.memory_bytes)"),
             nullptr},
    Sentence{"room_exceeded",
             QT_TRANSLATE_NOOP("Run",
                               "it was killed because less disk space was left than it must leave "
                               "(limits.free_bytes)"),
             nullptr},
    Sentence{"files_exceeded",
             QT_TRANSLATE_NOOP("Run",
                               "it was killed because fewer files could be made than it must leave to others "
                               "(limits.free_bytes)"),
             nullptr},
    Sentence{"guard_lost", QT_TRANSLATE_NOOP("Run", "the guard died; what it left was killed"), nullptr},
    Sentence{
        "leftovers_killed",
        QT_TRANSLATE_NOOP("Run",
                          "runner and guard had died; %1 processes of the command were found at the next start and "
                          "killed"),
        nullptr},
    Sentence{"runner_out_of_sight",
             QT_TRANSLATE_NOOP("Run",
                               "it cannot be seen from here whether its runner lives (it ran in another pid "
                               "namespace), but its time limit has long passed"),
             nullptr},
    Sentence{"output_cut", QT_TRANSLATE_NOOP("Run", "a process still held an output pipe; the rest was not read"),
             nullptr},
    Sentence{"signals_not_covered", QT_TRANSLATE_NOOP("Run", "this kernel's Landlock does not confine signals"),
             nullptr},
    Sentence{"probably_confinement",
             QT_TRANSLATE_NOOP("Run", "probably confinement: %1 is outside what this tenant may reach"), nullptr},
    Sentence{"outcome_not_recorded",
             QT_TRANSLATE_NOOP("Run", "the command ran, but its outcome could not be recorded (%1)"), nullptr},
};

constexpr std::array recordSentences{
    Sentence{
        "cannot_open", QT_TRANSLATE_NOOP("Run", "the record %1 cannot be opened"),
        QT_TRANSLATE_NOOP("Run", "check that the folder exists and is yours, or name another file with --audit-db")},
    Sentence{"locked", QT_TRANSLATE_NOOP("Run", "the record %1 is locked by another program"),
             QT_TRANSLATE_NOOP("Run", "try again; if it stays so, look for a program that holds it (fuser)")},
    Sentence{"full", QT_TRANSLATE_NOOP("Run", "there is no room for the record %1"),
             QT_TRANSLATE_NOOP("Run", "make room on the disk, or prune: portcullis-runner log prune --older-than 30d")},
    Sentence{"read_only", QT_TRANSLATE_NOOP("Run", "the record %1 cannot be written"),
             QT_TRANSLATE_NOOP("Run", "give write permission, or name another file with --audit-db")},
    Sentence{"newer_version", QT_TRANSLATE_NOOP("Run", "the record %1 was written by a newer version of this program"),
             QT_TRANSLATE_NOOP("Run", "use that version, or name another file with --audit-db")},
    Sentence{"corrupt", QT_TRANSLATE_NOOP("Run", "the record %1 is damaged"),
             QT_TRANSLATE_NOOP("Run", "keep a copy of it, then move it away; a new one is made")},
    Sentence{"not_a_record", QT_TRANSLATE_NOOP("Run", "the file %1 is no record of this program"),
             QT_TRANSLATE_NOOP("Run", "leave it as it is, and name the record with --audit-db or PORTCULLIS_AUDIT_DB")},
    Sentence{"replaced", QT_TRANSLATE_NOOP("Run", "the record %1 was moved, removed or replaced while it was in use"),
             QT_TRANSLATE_NOOP("Run", "look who did that; the one that is there now is used from the next command on")},
    Sentence{"not_trusted", QT_TRANSLATE_NOOP("Run", "the record %1 can be changed by others"),
             QT_TRANSLATE_NOOP("Run",
                               "it must belong to you or to root, and neither it nor its folder may be writable by "
                               "group or others: chown, chmod go-w")},
    Sentence{"not_found", QT_TRANSLATE_NOOP("Run", "the record %1 has no such event"),
             QT_TRANSLATE_NOOP("Run", "portcullis-runner log lists what is there")},
    Sentence{"ambiguous", QT_TRANSLATE_NOOP("Run", "the short id fits several events of the record %1"),
             QT_TRANSLATE_NOOP("Run", "give more characters of it")},
    Sentence{"io", QT_TRANSLATE_NOOP("Run", "reading or writing the record %1 failed"),
             QT_TRANSLATE_NOOP("Run", "look at the system's log for errors of the disk")},
};

template <class Table>
const Sentence *findSentence(const Table &table, std::string_view code)
{
    for (const Sentence &sentence : table) {
        if (code == sentence.code)
            return &sentence;
    }
    return nullptr;
}

QString filled(const char *text, const QString &value)
{
    const QString out = tr(text);
    return out.contains(QLatin1String("%1")) ? out.arg(value) : out;
}

RunFailureWords confinementWords(const RunFailure &failure)
{
    RunFailureWords words;
    if (failure.step == "open_working_directory" && failure.errorNumber == ENOENT) {
        words.what = tr("the working directory does not exist, so nothing ran");
        words.why = tr("There is no folder %1.").arg(q(failure.path));
        words.instead = tr("Make it, or name another folder with --cwd.");
        return words;
    }
    if (failure.step == "free_space") {
        words.what = tr("there is too little disk space, so nothing ran");
        words.why = tr("The file system of %1 has less room than a command must leave free (limits.free_bytes).")
                        .arg(q(failure.path));
        words.instead = tr("Make room there; commands of an operator (--origin operator) still run.");
        return words;
    }
    if (failure.step == "free_files") {
        words.what = tr("there is too little room for new files, so nothing ran");
        words.why = tr("The file system of %1 can take fewer new files than a command must leave to others "
                       "(limits.free_bytes).")
                        .arg(q(failure.path));
        words.instead = tr("Remove files there; commands of an operator (--origin operator) still run.");
        return words;
    }
    constexpr std::string_view probe = "probe_";
    if (failure.step.starts_with(probe)) {
        words.what = tr("what this machine can confine could not be found out, so nothing ran");
        words.why = tr("Trying it ended at step \"%1\"").arg(q(std::string_view(failure.step).substr(probe.size())));
        if (failure.errorNumber != 0)
            words.why += QStringLiteral(": ") + errorName(failure.errorNumber);
        words.why += QLatin1Char('.');
        words.instead = tr("Try again. If it stays so, look for what takes all descriptors, memory, processes or "
                           "namespaces of this user: portcullis-runner doctor.");
        return words;
    }
    words.what = tr("confinement could not be set up, so nothing ran");
    words.why = tr("Step \"%1\" failed").arg(q(failure.step));
    if (!failure.path.empty())
        words.why += tr(" on %1").arg(q(failure.path));
    if (failure.errorNumber != 0)
        words.why += QStringLiteral(": ") + errorName(failure.errorNumber);
    words.why += QLatin1Char('.');
    words.instead = failure.step == "open_root" && failure.errorNumber == ENOENT
        ? tr("Make the folder where it is the gateway's data dir or workspace; portcullis-runner doctor says which are "
             "missing and whose they have to be.")
        : tr("portcullis-runner doctor --probe shows what this machine can enforce.");
    return words;
}

} // namespace

RunFailureWords runFailureWords(const RunFailure &failure)
{
    if (failure.kind == RunFailure::Kind::Confinement)
        return confinementWords(failure);
    RunFailureWords words;
    if (failure.kind == RunFailure::Kind::Record) {
        words.what = tr("the decision could not be recorded, so nothing ran");
        words.why = recordFailureLine({.code = failure.step, .path = failure.path, .errorNumber = failure.errorNumber});
        words.instead = tr("Mend the record first; nothing runs unrecorded.");
        return words;
    }
    words.what = tr("the command was allowed but could not be started");
    if (const Sentence *sentence = findSentence(planSentences, failure.step)) {
        words.why = filled(sentence->text, q(failure.path));
        words.instead = tr(sentence->advice);
    } else {
        words.why = tr("Internal step \"%1\" failed.").arg(q(failure.step));
        words.instead = tr("Please report this with the id below.");
    }
    return words;
}

RunFailureWords recordedFailureWords(std::string_view recorded)
{
    RunFailure failure;
    const std::size_t stepEnd = recorded.find(':');
    const std::size_t numberEnd = stepEnd == std::string_view::npos ? stepEnd : recorded.find(':', stepEnd + 1);
    if (stepEnd == 0 || numberEnd == std::string_view::npos)
        return {.what = {}, .why = q(recorded), .instead = {}};
    const char *const last = recorded.data() + numberEnd;
    const auto number = std::from_chars(recorded.data() + stepEnd + 1, last, failure.errorNumber);
    if (number.ec != std::errc() || number.ptr != last)
        return {.what = {}, .why = q(recorded), .instead = {}};
    failure.step = recorded.substr(0, stepEnd);
    failure.path = recorded.substr(numberEnd + 1);
    // The record does not say which kind it was: the steps of planning have names of their own.
    const bool planned = findSentence(planSentences, failure.step) != nullptr;
    failure.kind = planned ? RunFailure::Kind::Plan : RunFailure::Kind::Confinement;
    return runFailureWords(failure);
}

std::vector<std::string_view> runNotes(std::string_view recorded)
{
    const auto isKind = [](std::string_view text) {
        return findSentence(noteSentences, text.substr(0, text.find_first_of(":,"))) != nullptr;
    };
    std::vector<std::string_view> notes;
    while (!recorded.empty()) {
        std::size_t end = recorded.find(',');
        while (end != std::string_view::npos && !isKind(recorded.substr(end + 1)))
            end = recorded.find(',', end + 1);
        notes.push_back(recorded.substr(0, end));
        recorded.remove_prefix(end == std::string_view::npos ? recorded.size() : end + 1);
    }
    return notes;
}

QStringList refusedPaths(std::string_view recordedNotes)
{
    constexpr std::string_view kind = "probably_confinement:";
    QStringList paths;
    for (const std::string_view note : runNotes(recordedNotes)) {
        if (note.starts_with(kind))
            paths.append(q(note.substr(kind.size())));
    }
    return paths;
}

QString runNoteSentence(std::string_view note)
{
    const std::size_t colon = note.find(':');
    const Sentence *sentence = findSentence(noteSentences, note.substr(0, colon));
    if (sentence == nullptr)
        return q(note);
    return filled(sentence->text, colon == std::string_view::npos ? QString() : q(note.substr(colon + 1)));
}

RecordFailureWords recordFailureWords(const RecordFailure &failure)
{
    const Sentence *sentence = findSentence(recordSentences, failure.code);
    if (sentence == nullptr)
        return {.what = tr("the record %1 failed (%2)").arg(q(failure.path), q(failure.code)), .instead = {}};
    QString what = filled(sentence->text, q(failure.path));
    if (failure.errorNumber != 0)
        what += QStringLiteral(" (") + errorName(failure.errorNumber) + QLatin1Char(')');
    if (!failure.owner.empty())
        what += QStringLiteral(": ") + tr("it belongs to %1").arg(q(failure.owner));
    return {.what = what, .instead = tr(sentence->advice)};
}

QString recordFailureLine(const RecordFailure &failure)
{
    const RecordFailureWords words = recordFailureWords(failure);
    return words.instead.isEmpty() ? words.what : words.what + QStringLiteral("; ") + words.instead;
}

QString asSentence(QString words)
{
    if (words.isEmpty())
        return words;
    words[0] = words[0].toUpper();
    return words + u'.';
}

QString recordFailureSentences(const RecordFailure &failure)
{
    const RecordFailureWords words = recordFailureWords(failure);
    return words.instead.isEmpty() ? asSentence(words.what) : asSentence(words.what) + u' ' + asSentence(words.instead);
}

} // namespace portcullis::text
