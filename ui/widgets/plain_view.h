// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/marked_text.h"
#include "ui/widgets/tones.h"

#include <QPlainTextEdit>

namespace portcullis::ui {

/// Read-only text of others in a fixed-width font, never markup, always left to right. Stretches can be marked by an
/// underline on a faint ground. Takes the height of its text up to a number of lines when asked to.
class PlainView : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit PlainView(QWidget *parent = nullptr);

    void setMarked(const MarkedText &marked, Tone tone);
    /// Adds text at the end without moving what is being read.
    void appendAtEnd(const QString &text);
    /// From now on as high as its text, between one line and this many.
    void fitLines(int most);

Q_SIGNALS:
    /// After `fitLines`: whether there are more lines than are seen without scrolling.
    void fitted(bool more);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void fit();
    void drawMarks();

    QList<MarkedText::Stretch> m_marks;
    Tone m_tone = Tone::Quiet;
    int m_mostLines = 0;
};

} // namespace portcullis::ui
