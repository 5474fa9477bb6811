// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/decision/decision.h"

#include <QWidget>

namespace portcullis::ui {

/// The checks of a decision in their order, each as sign and word: what passed, what refused, what was only noted.
class CheckStrip : public QWidget
{
    Q_OBJECT

public:
    explicit CheckStrip(QWidget *parent = nullptr);

    void setTrace(const std::vector<decision::TraceEntry> &trace);

protected:
    void changeEvent(QEvent *event) override;

private:
    void rebuild();

    std::vector<decision::TraceEntry> m_trace;
};

} // namespace portcullis::ui
