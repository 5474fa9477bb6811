// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests need to try programs and packages through the built runner.

#include "tests/support/gateway.h"

#include <QFile>
#include <QString>

namespace portcullis::test {

using namespace Qt::Literals::StringLiterals;

/// Where every tenant finds it: what a developer has in a home of their own does not count.
inline bool isInstalled(const QString &program)
{
    return program.isEmpty() || QFile::exists(u"/usr/bin/"_s + program);
}

/// Makes `tiny-VERSION-py3-none-any.whl` in the working directory: a package that pip installs without network.
inline QString wheel(const QString &version)
{
    return u"python3 - <<'END'\n"
           "import zipfile\n"
           "v = '%1'\n"
           "info = f'tiny-{v}.dist-info/'\n"
           "files = {'tiny.py': f'version = \"{v}\"\\n',\n"
           "  info + 'METADATA': f'Metadata-Version: 2.1\\nName: tiny\\nVersion: {v}\\n',\n"
           "  info + 'WHEEL': 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',\n"
           "  info + 'RECORD': ''}\n"
           "with zipfile.ZipFile(f'tiny-{v}-py3-none-any.whl', 'w') as z:\n"
           "  for name, text in files.items(): z.writestr(name, text)\n"
           "END\n"_s.arg(version);
}

inline QString module(const QString &version)
{
    return u"mkdir -p tiny && printf '{\"name\":\"tiny\",\"version\":\"%1\",\"main\":\"i.js\"}' > tiny/package.json "
           "&& echo 'exports.version=\"%1\"' > tiny/i.js\n"_s.arg(version);
}

/// Lets acme install packages, and takes the namespaces from the runner.
inline void allowPackages(Gateway &gateway, bool namespaces)
{
    gateway.setPolicy(u"acme"_s,
                      "{ version: 1, tenant: 'acme', deny_groups: { package_install: false, code_injection: false, "
                      "process_control: false, dangerous_paths: false, reverse_shell: false } }");
    if (!namespaces)
        gateway.refuseNamespaces();
}

} // namespace portcullis::test
