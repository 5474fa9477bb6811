// SPDX-License-Identifier: Apache-2.0
#pragma once

// Looks at paths from inside of a run, where the text of the command shows none of them.

#include "tests/support/gateway.h"

#include <QFile>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::test {

using namespace Qt::Literals::StringLiterals;

inline bool writeFile(const QString &path, const QByteArray &bytes, mode_t mode = 0644)
{
    QFile file(path);
    const bool written = file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(bytes) == bytes.size();
    file.close();
    return written && ::chmod(QFile::encodeName(path).constData(), mode) == 0;
}

/// The runner as it is, and started where no namespace can be made.
inline void addWallRows()
{
    QTest::addColumn<bool>("namespaces");
    QTest::newRow("both walls") << true;
    QTest::newRow("Landlock alone") << false;
}

/// What a command of `tenant` reports of paths: a line for each attempt, `read TEXT`, `list COUNT`, `write done`,
/// `create done`, or the attempt and `errno N`. Files are read and appended to, folders listed and given an entry.
inline Done lookAt(const Gateway &gateway, const QByteArrayList &paths, const QStringList &options = {},
                   const QString &tenant = u"acme"_s)
{
    const QString workspace = gateway.tenantWorkspace(tenant);
    const bool placed = writeFile(workspace + u"/paths"_s, paths.join('\n'))
        && writeFile(workspace + u"/look.py"_s,
                     "import os\n"
                     "def attempt(name, act):\n"
                     "    try:\n"
                     "        print(name, act())\n"
                     "    except OSError as e:\n"
                     "        print(name, 'errno', e.errno)\n"
                     "def write(path):\n"
                     "    with open(path, 'a') as f:\n"
                     "        f.write('changed')\n"
                     "    return 'done'\n"
                     "for path in open('paths').read().split('\\n'):\n"
                     "    if path.endswith('/'):\n"
                     "        attempt('list', lambda: len(os.listdir(path)))\n"
                     "        attempt('create', lambda: write(path + 'new'))\n"
                     "    else:\n"
                     "        attempt('read', lambda: open(path).read().strip())\n"
                     "        attempt('write', lambda: write(path))\n");
    return placed ? gateway.exec(u"python3 look.py"_s, options, tenant) : Done{};
}

} // namespace portcullis::test
