// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/command_runner.h"
#include "runner/record/event.h"

#include <QByteArray>
#include <QWidget>

#include <array>
#include <string>

class QLabel;
class QToolButton;

namespace portcullis::ui {

class PlainView;

/// What a command wrote: the kept part of both streams, or the running output of a command of this console. Escape
/// sequences, control and bidi characters are visible tokens, never obeyed.
class OutputView : public QWidget
{
    Q_OBJECT

public:
    explicit OutputView(QWidget *parent = nullptr);

    /// The output that the record has of a row.
    void show(const record::Event &event, const record::Output &output);
    /// Begins with empty streams, to be filled by `append`.
    void begin();
    void append(ports::Channel channel, const QByteArray &bytes);
    /// One line instead of streams, for rows that have no output.
    void showNothing(const QString &reason);

private:
    struct Stream {
        QLabel *title = nullptr;
        PlainView *view = nullptr;
        QToolButton *showAll = nullptr;
        std::string bytes;
        std::int64_t dropped = 0;
        std::string pending; ///< the begun character or line break at the end of what arrived
        std::size_t shown = 0; ///< bytes of a running command that are on show
    };

    void build(Stream &stream, const QString &name);
    void showStream(Stream &stream, bool whole);

    std::array<Stream, 2> m_streams;
    QLabel *m_state;
};

} // namespace portcullis::ui
