// SPDX-License-Identifier: Apache-2.0
#include "ui/text/filter_text.h"

#include "ui/text/visible_text.h"

#include <QCoreApplication>

namespace portcullis::text {

namespace {

using Code = record::FilterError::Code;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::text::Filter)
};

QString sentence(Code code, const QString &found)
{
    switch (code) {
    case Code::UnknownField:
        return Words::tr("There is no field \"%1\". To look for text with a colon, put it in quotes.").arg(found);
    case Code::UnknownValue:
        return Words::tr("\"%1\" is not a value of this field.").arg(found);
    case Code::MissingValue:
        return Words::tr("A value is missing after the colon.");
    case Code::BadNumber:
        return Words::tr("\"%1\" is not a number.").arg(found);
    case Code::BadDuration:
        return Words::tr("\"%1\" is not a duration such as 30s, 2h or 3d.").arg(found);
    case Code::BadTime:
        return Words::tr("\"%1\" is not a time such as 2026-10-03, 14:00 or today.").arg(found);
    case Code::BadRange:
        return Words::tr("The range \"%1\" ends before it begins.").arg(found);
    case Code::NotComparable:
        return Words::tr("This field has no order: \"<\", \">\" and \"..\" do not apply.");
    case Code::BadPattern:
        return Words::tr("The pattern \"%1\" cannot be read.").arg(found);
    case Code::OpenQuote:
        return Words::tr("A closing quote is missing.");
    case Code::OpenPattern:
        return Words::tr("The closing / of the pattern is missing.");
    case Code::OpenParenthesis:
        return Words::tr("A closing parenthesis is missing.");
    case Code::UnexpectedParenthesis:
        return Words::tr("This parenthesis closes nothing.");
    case Code::MissingTerm:
        return Words::tr("Something to look for is missing here.");
    case Code::TooDeep:
        return Words::tr("Parentheses are nested too deeply.");
    case Code::TooLong:
        return Words::tr("The filter is too long.");
    }
    return {};
}

} // namespace

QString filterErrorSentence(const record::FilterError &error)
{
    QString text = sentence(error.code, visibleText(error.found));
    if (!error.allowed.empty()) {
        QStringList names;
        for (const std::string &name : error.allowed)
            names.append(QString::fromStdString(name));
        text += u' ' + Words::tr("It takes %1.").arg(names.join(QStringLiteral(", ")));
    }
    if (!error.nearest.empty())
        text += u' ' + Words::tr("Did you mean \"%1\"?").arg(visibleText(error.nearest));
    return text;
}

} // namespace portcullis::text
