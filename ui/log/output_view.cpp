// SPDX-License-Identifier: Apache-2.0
#include "ui/log/output_view.h"

#include "ui/models/marked_text.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_view.h"

#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace portcullis::ui {

namespace {

// A megabyte is laid out only when somebody asks for it.
constexpr Excerpt firstLook{.head = 16 * 1024, .tail = 48 * 1024, .around = 0};

/// Of a running command as much is shown as the record keeps.
constexpr std::size_t mostLive = 1 << 20;

/// How many bytes at the end belong to a character or line break that has only begun.
std::size_t begunBytes(std::string_view bytes)
{
    if (bytes.ends_with('\r'))
        return 1;
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if ((byte & 0xC0U) == 0x80U)
            continue;
        const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

} // namespace

OutputView::OutputView(QWidget *parent) : QWidget(parent), m_state(new PlainLabel)
{
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_state);
    build(m_streams[0], tr("Standard output"));
    build(m_streams[1], tr("Standard error"));
    layout->setStretch(2, 3);
    layout->setStretch(5, 2);
    layout->addStretch(0);
}

void OutputView::build(Stream &stream, const QString &name)
{
    stream.title = new QLabel(name);
    stream.title->setForegroundRole(QPalette::PlaceholderText);
    stream.view = new PlainView;
    stream.view->setAccessibleName(name);
    stream.title->setBuddy(stream.view);
    stream.showAll = new QToolButton;
    stream.showAll->setText(tr("Show all of it"));
    stream.showAll->setAccessibleName(tr("Show all of: %1").arg(name));
    connect(stream.showAll, &QToolButton::clicked, this, [this, &stream] { showStream(stream, true); });
    auto *column = static_cast<QVBoxLayout *>(layout());
    column->addWidget(stream.title);
    column->addWidget(stream.view);
    column->addWidget(stream.showAll, 0, Qt::AlignLeft);
}

void OutputView::show(const record::Event &event, const record::Output &output)
{
    m_streams[0].bytes = output.out;
    m_streams[0].dropped = output.outDropped;
    m_streams[1].bytes = output.err;
    m_streams[1].dropped = output.errDropped;
    for (Stream &stream : m_streams) {
        stream.pending.clear();
        showStream(stream, false);
    }
    const std::int64_t dropped = output.outDropped + output.errDropped;
    QString state = tr("%1 written").arg(QLocale().formattedDataSize(event.outputBytes));
    if (dropped > 0)
        state += tr(", %1 of it not kept").arg(QLocale().formattedDataSize(dropped));
    m_state->setText(output.out.empty() && output.err.empty() ? tr("The command wrote nothing.") : state);
}

void OutputView::showStream(Stream &stream, bool whole)
{
    const MarkedText text = markedText(stream.bytes, {}, whole ? Excerpt::whole() : firstLook);
    stream.view->setMarked(text, Tone::Quiet);
    const bool any = !stream.bytes.empty();
    stream.title->setVisible(any);
    stream.view->setVisible(any);
    stream.showAll->setVisible(text.hiddenBytes > 0);
}

void OutputView::begin()
{
    for (Stream &stream : m_streams) {
        stream.bytes.clear();
        stream.pending.clear();
        stream.shown = 0;
        showStream(stream, false);
    }
    m_state->setText(tr("Running …"));
}

void OutputView::append(ports::Channel channel, const QByteArray &bytes)
{
    Stream &stream = m_streams.at(static_cast<std::size_t>(channel));
    if (stream.shown >= mostLive)
        return;
    std::string text = stream.pending + bytes.first(std::min<qsizetype>(bytes.size(), mostLive)).toStdString();
    const std::size_t whole = text.size() - std::min(begunBytes(text), text.size());
    stream.pending = text.substr(whole);
    text.erase(whole);
    stream.shown += text.size();
    stream.title->show();
    stream.view->show();
    stream.view->appendAtEnd(markedText(text, {}, Excerpt::whole()).text);
    if (stream.shown >= mostLive)
        m_state->setText(tr("Running … more output than is shown here"));
}

void OutputView::showNothing(const QString &reason)
{
    for (Stream &stream : m_streams) {
        stream.bytes.clear();
        showStream(stream, false);
    }
    m_state->setText(reason);
}

} // namespace portcullis::ui
