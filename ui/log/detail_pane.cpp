// SPDX-License-Identifier: Apache-2.0
#include "ui/log/detail_pane.h"

#include "runner/record/event_json.h"
#include "ui/log/confinement_view.h"
#include "ui/log/explain_view.h"
#include "ui/log/output_view.h"
#include "ui/models/marked_text.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_view.h"

#include <QHBoxLayout>
#include <QJsonDocument>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace portcullis::ui {

namespace {

QScrollArea *scrolling(QWidget *content)
{
    auto *area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(content);
    // Text scrolls by keyboard without a stop of its own in the tab order for the area around it.
    area->setFocusPolicy(Qt::ClickFocus);
    return area;
}

} // namespace

DetailPane::DetailPane(QWidget *parent)
    : QWidget(parent)
    , m_hidden(new PlainLabel(tr("The filter hides this row: it is not in the table above.")))
    , m_stack(new QStackedWidget)
    , m_tabs(new QTabWidget)
    , m_explain(new ExplainView)
    , m_output(new OutputView)
    , m_confinement(new ConfinementView)
    , m_raw(new PlainView)
{
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(scrolling(m_explain), tr("E&xplain"));
    m_tabs->addTab(m_output, tr("&Output"));
    m_tabs->addTab(scrolling(m_confinement), tr("Co&nfinement"));
    m_raw->setAccessibleName(tr("The row as JSON"));
    m_tabs->addTab(m_raw, tr("Ra&w"));
    connect(m_tabs, &QTabWidget::currentChanged, this, &DetailPane::showRaw);
    m_tabs->setCornerWidget(navigation(), Qt::TopRightCorner);
    m_tabs->setAccessibleName(tr("Details of the chosen row"));

    auto *hint = new QLabel(tr("Choose a row to see why it was decided so."));
    hint->setAlignment(Qt::AlignCenter);
    hint->setForegroundRole(QPalette::PlaceholderText);
    hint->setWordWrap(true);
    m_stack->addWidget(hint);
    m_stack->addWidget(m_tabs);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_hidden);
    layout->addWidget(m_stack, 1);
    m_hidden->hide();
    connect(m_explain, &ExplainView::copyIdRequested, this, &DetailPane::copyIdRequested);
}

QWidget *DetailPane::navigation()
{
    auto *widget = new QWidget;
    auto *layout = new QHBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    const auto add = [&](const QString &text, const QString &tip, Qt::ArrowType arrow, ports::Direction direction) {
        auto *button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setAutoRaise(true);
        button->setArrowType(arrow);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        connect(button, &QToolButton::clicked, this, [this, direction] { Q_EMIT denialRequested(direction); });
        layout->addWidget(button);
    };
    add(tr("Previous denial"), tr("Previous denial (Alt+Left, or P in the table)"), Qt::LeftArrow,
        ports::Direction::Older);
    add(tr("Next denial"), tr("Next denial (Alt+Right, or N in the table)"), Qt::RightArrow, ports::Direction::Newer);
    return widget;
}

void DetailPane::show(const ports::LogDetail &detail)
{
    if (!detail.event) {
        showNothing();
        return;
    }
    m_event = *detail.event;
    m_eventId = m_event.id;
    m_explain->show(m_event);
    m_confinement->show(m_event);
    showOutput(detail);
    showRaw();
    m_stack->setCurrentWidget(m_tabs);
}

void DetailPane::showOutput(const ports::LogDetail &detail)
{
    const bool running = m_event.outcome == Outcome::Running;
    if (running && m_following == m_eventId && m_outputOf == m_eventId)
        return; // it is on show while it arrives
    m_outputOf = m_eventId;
    if (m_event.kind != record::Kind::Exec)
        m_output->showNothing(tr("This row is no command, so there is no output."));
    else if (m_event.outcome == Outcome::NotStarted)
        m_output->showNothing(tr("The command was not run."));
    else if (running)
        m_output->showNothing(tr("The command is running; its output is recorded when it ends."));
    else
        m_output->show(m_event, detail.output);
}

/// Laid out only while somebody looks at it: a row can be a hundred kilobytes of JSON.
void DetailPane::showRaw()
{
    if (m_tabs->currentIndex() != Raw || m_eventId.empty())
        return;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(record::toJson(m_event)));
    m_raw->setMarked(markedText(document.toJson().toStdString(), {}, Excerpt::whole()), Tone::Quiet);
}

void DetailPane::showNothing()
{
    m_eventId.clear();
    m_event = {};
    m_hidden->hide();
    m_stack->setCurrentIndex(0);
}

void DetailPane::setHiddenByFilter(bool hidden)
{
    m_hidden->setVisible(hidden);
}

void DetailPane::beginOutput(const std::string &eventId)
{
    m_following = eventId;
    m_outputOf = eventId;
    m_output->begin();
}

void DetailPane::appendOutput(const std::string &eventId, ports::Channel channel, const QByteArray &bytes)
{
    if (eventId == m_following && eventId == m_outputOf)
        m_output->append(channel, bytes);
}

void DetailPane::openTab(Tab tab)
{
    m_tabs->setCurrentIndex(tab);
}

void DetailPane::takeFocus()
{
    m_tabs->setFocus(Qt::ShortcutFocusReason);
}

void DetailPane::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT left();
    else
        QWidget::keyPressEvent(event);
}

} // namespace portcullis::ui
