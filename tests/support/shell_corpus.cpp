// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shell_corpus.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace portcullis::test {

namespace {

std::vector<std::string> strings(const QJsonValue &value)
{
    std::vector<std::string> out;
    for (const QJsonValue &item : value.toArray())
        out.push_back(item.toString().toStdString());
    return out;
}

} // namespace

std::vector<std::string> startedTexts()
{
    std::vector<std::string> texts;
    QFile file(QStringLiteral(PORTCULLIS_TEST_DATA_DIR "/shell/started.jsonl"));
    if (!file.open(QIODevice::ReadOnly))
        return texts;
    while (!file.atEnd()) {
        const QJsonObject entry = QJsonDocument::fromJson(file.readLine()).object();
        if (!entry.isEmpty())
            texts.push_back(entry[u"text"].toString().toStdString());
    }
    return texts;
}

std::vector<ShellText> shellCorpus()
{
    std::vector<ShellText> texts;
    QFile file(QStringLiteral(PORTCULLIS_TEST_DATA_DIR "/shell/oracle.jsonl"));
    if (!file.open(QIODevice::ReadOnly))
        return texts;
    while (!file.atEnd()) {
        const QJsonObject entry = QJsonDocument::fromJson(file.readLine()).object();
        if (entry.isEmpty())
            continue;
        ShellText text;
        text.kind = entry[u"kind"].toString().toStdString();
        text.text = entry.contains(u"base64")
            ? QByteArray::fromBase64(entry[u"base64"].toString().toLatin1()).toStdString()
            : entry[u"text"].toString().toStdString();
        text.ran = strings(entry[u"ran"]);
        text.mayNotRun = strings(entry[u"mayNotRun"]);
        text.unclearSyntax = strings(entry[u"unclearSyntax"]);
        texts.push_back(std::move(text));
    }
    return texts;
}

} // namespace portcullis::test
