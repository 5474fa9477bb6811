// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/plain_label.h"

namespace portcullis::ui {

PlainLabel::PlainLabel(const QString &text, QWidget *parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    setWordWrap(true);
    setText(text);
}

QLabel *formLabel(const QString &text, QWidget *field)
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setForegroundRole(QPalette::PlaceholderText);
    // A form gives the label of a higher row more room than it needs.
    label->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    field->setAccessibleName(text);
    return label;
}

} // namespace portcullis::ui
