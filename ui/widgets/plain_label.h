// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace portcullis::ui {

/// A label that never takes its text for markup, wraps, and can be selected and copied by mouse and keyboard.
class PlainLabel : public QLabel
{
    Q_OBJECT

public:
    explicit PlainLabel(const QString &text = {}, QWidget *parent = nullptr);
};

/// The subdued name of a row in a form, level with the first line of its text. Also names `field` for screen readers.
[[nodiscard]] QLabel *formLabel(const QString &text, QWidget *field);

} // namespace portcullis::ui
