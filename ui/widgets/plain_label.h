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

} // namespace portcullis::ui
