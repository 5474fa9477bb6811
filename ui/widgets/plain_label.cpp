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

} // namespace portcullis::ui
