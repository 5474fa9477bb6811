// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/plain_tip.h"

namespace portcullis::ui {

QString plainTip(const QString &text)
{
    if (text.isEmpty())
        return {};
    return QStringLiteral("<p style='white-space:pre-wrap'>") + text.toHtmlEscaped() + QStringLiteral("</p>");
}

} // namespace portcullis::ui
