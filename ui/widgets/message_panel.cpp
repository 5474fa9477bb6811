// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/message_panel.h"

#include "ui/widgets/plain_label.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace portcullis::ui {

namespace {

/// Lines longer than this are hard to read (WCAG 2.2, 1.4.8).
constexpr int lineCharacters = 80;

} // namespace

MessagePanel::MessagePanel(QWidget *parent)
    : QWidget(parent), m_title(new PlainLabel), m_text(new PlainLabel), m_action(new QPushButton)
{
    QFont large = m_title->font();
    large.setBold(true);
    large.setPointSizeF(large.pointSizeF() * 1.2);
    m_title->setFont(large);
    m_title->setAlignment(Qt::AlignHCenter);
    m_text->setAlignment(Qt::AlignHCenter);
    const int width = fontMetrics().averageCharWidth() * lineCharacters;
    m_title->setFixedWidth(width);
    m_text->setFixedWidth(width);

    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addWidget(m_title, 0, Qt::AlignHCenter);
    layout->addWidget(m_text, 0, Qt::AlignHCenter);
    layout->addSpacing(layout->spacing());
    layout->addWidget(m_action, 0, Qt::AlignHCenter);
    layout->addStretch(2);
    connect(m_action, &QPushButton::clicked, this, &MessagePanel::actionRequested);
}

void MessagePanel::say(const QString &title, const QString &text, const QString &action)
{
    m_title->setText(title);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    // An aligned item gets the height of one line, however the text is wrapped.
    for (QLabel *label : {m_title, m_text})
        label->setMinimumHeight(label->heightForWidth(label->width()));
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(text);
}

} // namespace portcullis::ui
