// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/health_source.h"

#include <QHash>
#include <QString>
#include <QWidget>

#include <string>

class QToolButton;

namespace portcullis::ui {

/// The strip below the page: what is recorded, how well commands are confined, what is risky. Each item is a button
/// that opens its finding. The worst comes first; what does not fit in a line goes on in the next.
class StatusStrip : public QWidget
{
    Q_OBJECT

public:
    explicit StatusStrip(ports::HealthSource &health, QWidget *parent = nullptr);

    /// Opens the finding with this id, as its button does.
    void open(const std::string &id);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void rebuild();
    void fitHeight();
    void dress(QToolButton *button, const ports::Finding &finding);

    ports::HealthSource &m_health;
    QHash<QString, QToolButton *> m_buttons;
};

} // namespace portcullis::ui
