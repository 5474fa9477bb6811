// SPDX-License-Identifier: Apache-2.0
#include "ui/log/explain_view.h"

#include "runner/base/uuid.h"
#include "runner/replay/recorded_decision.h"
#include "ui/log/check_strip.h"
#include "ui/models/log_cells.h"
#include "ui/models/marked_text.h"
#include "ui/text/action_text.h"
#include "ui/text/decision_text.h"
#include "ui/text/visible_text.h"
#include "ui/widgets/marks.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_view.h"

#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace portcullis::ui {

namespace {

constexpr int commandLines = 6;
constexpr int mostCommandLines = 40; ///< when all of it was asked for

QString joinedHeadline(const text::Explanation &words)
{
    QString line = words.headline;
    if (!words.title.isEmpty())
        line += QStringLiteral(" · ") + words.title;
    if (!words.group.isEmpty())
        line += QStringLiteral(" (") + words.group + u')';
    return line;
}

} // namespace

ExplainView::ExplainView(QWidget *parent)
    : QWidget(parent)
    , m_command(new PlainView)
    , m_showAll(new QToolButton)
    , m_sign(new QLabel)
    , m_headline(new PlainLabel)
    , m_id(new QToolButton)
    , m_form(new QFormLayout)
    , m_why(new PlainLabel)
    , m_instead(new PlainLabel)
    , m_also(new PlainLabel)
    , m_notes(new PlainLabel)
    , m_result(new PlainLabel)
    , m_checks(new CheckStrip)
{
    m_command->setAccessibleName(tr("Command"));
    m_command->fitLines(commandLines);
    m_showAll->setText(tr("Show all of the command"));
    m_showAll->setToolButtonStyle(Qt::ToolButtonTextOnly);
    connect(m_showAll, &QToolButton::clicked, this, [this] { showCommand(true); });
    connect(m_command, &PlainView::fitted, this, [this](bool more) {
        m_moreLines = more;
        offerAll();
    });

    QFont large = m_headline->font();
    large.setBold(true);
    large.setPointSizeF(large.pointSizeF() * 1.15);
    m_headline->setFont(large);
    m_headline->setAccessibleName(tr("Verdict"));
    m_id->setAutoRaise(true);
    m_id->setToolTip(tr("Copy the whole identifier"));
    connect(m_id, &QToolButton::clicked, this, &ExplainView::copyIdRequested);

    auto *head = new QHBoxLayout;
    head->addWidget(m_sign, 0, Qt::AlignTop);
    head->addWidget(m_headline, 1);
    head->addWidget(m_id, 0, Qt::AlignTop);

    m_form->setRowWrapPolicy(QFormLayout::DontWrapRows);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_form->setHorizontalSpacing(16);
    m_form->addRow(formLabel(tr("Why"), m_why), m_why);
    m_form->addRow(formLabel(tr("Instead"), m_instead), m_instead);
    m_form->addRow(formLabel(tr("Also in the way"), m_also), m_also);
    m_form->addRow(formLabel(tr("Result"), m_result), m_result);
    m_form->addRow(formLabel(tr("Notes"), m_notes), m_notes);
    m_form->addRow(formLabel(tr("Checks"), m_checks), m_checks);

    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_command);
    layout->addWidget(m_showAll, 0, Qt::AlignLeft);
    layout->addLayout(head);
    layout->addLayout(m_form);
    layout->addStretch(1);
}

void ExplainView::show(const record::Event &event)
{
    m_event = event;
    showCommand(false);
    showWords();
}

void ExplainView::showCommand(bool whole)
{
    m_whole = whole;
    m_command->fitLines(whole ? mostCommandLines : commandLines);
    const MarkedText marked =
        markedText(m_event.command, m_event.spans, whole ? Excerpt::whole() : Excerpt{.countBlanks = true});
    m_hiddenBytes = marked.hiddenBytes;
    m_command->setMarked(marked, toneOf(m_event.verdict));
    offerAll();
}

void ExplainView::offerAll()
{
    m_showAll->setVisible(!m_whole && (m_hiddenBytes > 0 || m_moreLines));
}

void ExplainView::setRow(QLabel *value, const QString &text)
{
    value->setText(text);
    m_form->setRowVisible(value, !text.isEmpty());
}

/// A row that is no command has no verdict: it says who did what, and why.
void ExplainView::showAction()
{
    m_sign->clear();
    m_headline->setText(text::actionWords(m_event));
    for (QLabel *row : {m_instead, m_also, m_result, m_notes})
        setRow(row, {});
    setRow(m_why, text::visibleText(m_event.reason));
    m_form->setRowVisible(m_checks, false);
}

void ExplainView::showWords()
{
    const QString shortForm = text::visibleText(shortId(m_event.id));
    m_id->setText(tr("id %1").arg(shortForm));
    m_id->setAccessibleName(tr("Copy identifier, its short form is %1").arg(shortForm));
    m_command->setVisible(!m_event.command.empty());
    if (m_event.kind != record::Kind::Exec) {
        showAction();
        return;
    }
    const decision::Decision decision = replay::recordedDecision(m_event);
    const text::Explanation words = text::explain(decision);
    const bool allowed = m_event.verdict == Verdict::Allow;
    const int side = QFontMetrics(m_headline->font()).height();
    m_sign->setPixmap(markIcon(markOf(m_event.verdict), toneColor(toneOf(m_event.verdict), palette()))
                          .pixmap(QSize(side, side), devicePixelRatio()));
    m_headline->setText(joinedHeadline(words));
    setRow(m_why, words.why);
    setRow(m_instead, words.instead);
    const QString nothingElse = allowed ? QString() : tr("nothing else");
    setRow(m_also, words.also.isEmpty() ? nothingElse : words.also.join(u'\n'));
    const QString meaning = cellTip(m_event, ExecLogModel::Result);
    const QString result = resultWords(m_event) + (meaning.isEmpty() ? QString() : u'\n' + meaning);
    setRow(m_result, allowed ? result : QString());
    setRow(m_notes, words.notes.join(u'\n'));
    m_checks->setTrace(decision.trace);
    m_form->setRowVisible(m_checks, !decision.trace.empty());
}

void ExplainView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_event.id.empty())
        showWords();
}

} // namespace portcullis::ui
