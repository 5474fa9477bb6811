// SPDX-License-Identifier: Apache-2.0

// Runs a fuzz target over inputs: files, folders of files, and .jsonl files of whose lines the command counts.

#include "tests/fuzz/property.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstdio>

extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

namespace {

void run(const QByteArray &input)
{
    const QByteArray exact(input.constData(), input.size()); // of its own size, so that a sanitizer sees its end
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(exact.constData()),
                           static_cast<std::size_t>(exact.size()));
}

QByteArray commandOf(const QByteArray &line)
{
    const QJsonObject entry = QJsonDocument::fromJson(line).object();
    if (entry.contains(u"base64"))
        return QByteArray::fromBase64(entry[u"base64"].toString().toLatin1());
    return entry[entry.contains(u"command") ? u"command" : u"text"].toString().toUtf8();
}

/// How many inputs a file holds; 0 when it cannot be read.
int runFile(const QString &path)
{
    // The last line before a crash names the input.
    std::printf("%s\n", qPrintable(path));
    std::fflush(stdout);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    if (!path.endsWith(QLatin1String(".jsonl"))) {
        run(file.readAll());
        return 1;
    }
    int count = 0;
    while (!file.atEnd()) {
        std::printf("line %d\n", ++count);
        std::fflush(stdout);
        run(commandOf(file.readLine()));
    }
    return count;
}

int runAll(const QString &path)
{
    const QDir folder(path);
    if (!folder.exists())
        return runFile(path);
    int count = 0;
    for (const QString &name : folder.entryList(QDir::Files | QDir::Hidden, QDir::Name))
        count += runFile(folder.filePath(name));
    return count;
}

} // namespace

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    run({}); // libFuzzer begins with nothing too
    for (int i = 1; i < argc; ++i) {
        if (const int count = runAll(QString::fromLocal8Bit(argv[i])); count > 0)
            std::printf("%s: %d inputs\n", argv[i], count);
        else
            return std::fprintf(stderr, "%s: no input\n", argv[i]), 1;
    }
    return argc > 1 ? 0 : 64;
}
