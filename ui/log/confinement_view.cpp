// SPDX-License-Identifier: Apache-2.0
#include "ui/log/confinement_view.h"

#include "runner/replay/recorded_decision.h"
#include "ui/text/decision_text.h"
#include "ui/text/run_text.h"
#include "ui/text/visible_text.h"
#include "ui/widgets/plain_label.h"

#include <QFormLayout>
#include <QLocale>

namespace portcullis::ui {

namespace {

QString hintWords(const record::Event &event)
{
    const QStringList paths = text::refusedPaths(event.note);
    if (paths.isEmpty())
        return {};
    return ConfinementView::tr(
               "The command failed and its output speaks of missing permission. These paths are outside what "
               "it was granted: %1")
        .arg(paths.join(QStringLiteral(", ")));
}

QString timingWords(const record::Event &event)
{
    if (event.startedUs == 0)
        return {};
    if (event.finishedUs < event.startedUs)
        return ConfinementView::tr("started, not ended");
    const double seconds = static_cast<double>(event.finishedUs - event.startedUs) / 1e6;
    if (seconds < 1)
        return ConfinementView::tr("%1 ms").arg(QLocale().toString(seconds * 1000, 'f', 0));
    return ConfinementView::tr("%1 s").arg(QLocale().toString(seconds, 'f', 1));
}

} // namespace

ConfinementView::ConfinementView(QWidget *parent)
    : QWidget(parent), m_form(new QFormLayout(this)), m_state(new PlainLabel)
{
    m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_form->setHorizontalSpacing(16);
    m_form->addRow(m_state);
    m_hint = addRow(tr("Hint"));
    m_where = addRow(tr("Ran on"));
    m_level = addRow(tr("Confinement"));
    m_missing = addRow(tr("Missing"));
    m_policy = addRow(tr("Host policy"));
    m_cwd = addRow(tr("Working directory"));
    m_shell = addRow(tr("Read by"));
    m_timing = addRow(tr("Took"));
    m_error = addRow(tr("Error"));
    m_configuration = addRow(tr("Configuration"));
}

QLabel *ConfinementView::addRow(const QString &label)
{
    auto *value = new PlainLabel;
    m_form->addRow(formLabel(label, value), value);
    return value;
}

void ConfinementView::setRow(QLabel *value, const QString &text)
{
    value->setText(text);
    m_form->setRowVisible(value, !text.isEmpty());
}

void ConfinementView::show(const record::Event &event)
{
    const decision::Decision decision = replay::recordedDecision(event);
    const bool ran = event.outcome != Outcome::NotStarted;
    if (event.kind != record::Kind::Exec) {
        setRow(m_state, tr("This row is no command, so nothing was confined."));
        for (QLabel *row : {m_hint, m_where, m_level, m_missing, m_policy, m_cwd, m_shell, m_timing, m_error})
            setRow(row, {});
        setRow(m_configuration, text::visibleText(event.configDigest));
        return;
    }
    setRow(m_state,
           ran ? QString()
               : tr("Nothing was started, so nothing was confined. This is what would have been in force:"));
    setRow(m_hint, hintWords(event));
    setRow(m_where, decision.backend == Backend::Docker ? tr("sandbox container") : tr("this host"));
    setRow(m_level, decision.levelKnown ? text::levelName(decision.level) : QString());
    QStringList missing;
    for (const std::string &each : decision.missing)
        missing.append(text::missingName(each));
    setRow(m_missing, missing.join(u'\n'));
    setRow(m_policy, text::visibleText(event.mode));
    setRow(m_cwd, text::visibleText(event.cwd));
    setRow(m_shell, text::visibleText(event.shell));
    setRow(m_timing, timingWords(event));
    setRow(m_error, text::visibleText(event.error));
    setRow(m_configuration, text::visibleText(event.configDigest));
}

} // namespace portcullis::ui
