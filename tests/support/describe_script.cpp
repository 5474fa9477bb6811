// SPDX-License-Identifier: Apache-2.0
#include "tests/support/describe_script.h"

namespace portcullis::test {

using namespace shell;

namespace {

std::string describePieces(const std::vector<Piece> &pieces);

std::string visible(const std::string &text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else
            out += c;
    }
    return out;
}

std::string describeParameter(const Parameter &parameter)
{
    std::string out = "${";
    if (parameter.length)
        out += "#";
    if (parameter.indirect)
        out += "!";
    out += parameter.name;
    if (parameter.subscripted)
        out += "[" + describe(parameter.subscript) + "]";
    out += parameter.op + describe(parameter.operand);
    if (parameter.hasSecond)
        out += "|" + describe(parameter.second);
    return out + "}";
}

std::string describePiece(const Piece &piece)
{
    switch (piece.kind) {
    case Piece::Kind::Text:
        return piece.quoted ? "'" + visible(piece.text) + "'" : visible(piece.text);
    case Piece::Kind::Parameter:
        return describeParameter(*piece.parameter);
    case Piece::Kind::CommandSub:
        return "$(" + describe(*piece.script) + ")";
    case Piece::Kind::ProcessIn:
        return "<(" + describe(*piece.script) + ")";
    case Piece::Kind::ProcessOut:
        return ">(" + describe(*piece.script) + ")";
    case Piece::Kind::Arithmetic:
        return "$((" + describePieces(piece.operands) + "))";
    case Piece::Kind::ExtGlob:
        return "glob" + piece.text.substr(0, 1) + "[" + describePieces(piece.operands) + "]";
    }
    return {};
}

std::string describePieces(const std::vector<Piece> &pieces)
{
    std::string out;
    for (const Piece &piece : pieces)
        out += describePiece(piece);
    return out;
}

std::string describeAssign(const Assign &assign)
{
    std::string out = assign.name;
    if (assign.subscripted)
        out += "[" + describe(assign.subscript) + "]";
    out += assign.append ? "+=" : "=";
    if (!assign.array)
        return out + describe(assign.value);
    out += "(";
    for (std::size_t i = 0; i < assign.elements.size(); ++i)
        out += (i == 0 ? "" : " ") + describe(assign.elements[i]);
    return out + ")";
}

std::string describeRedirect(const Redirect &redirect)
{
    std::string out = redirect.fd + redirect.op + "{" + describe(redirect.target);
    if (redirect.body)
        out += "|" + describe(*redirect.body);
    return out + "}";
}

std::string kindName(Command::Kind kind)
{
    switch (kind) {
    case Command::Kind::Simple:
        return "simple";
    case Command::Kind::Group:
        return "group";
    case Command::Kind::Subshell:
        return "subshell";
    case Command::Kind::If:
        return "if";
    case Command::Kind::While:
        return "while";
    case Command::Kind::Until:
        return "until";
    case Command::Kind::For:
        return "for";
    case Command::Kind::ForArith:
        return "forarith";
    case Command::Kind::Select:
        return "select";
    case Command::Kind::Case:
        return "case";
    case Command::Kind::Function:
        return "function";
    case Command::Kind::Test:
        return "test";
    case Command::Kind::Arith:
        return "arith";
    case Command::Kind::Coproc:
        return "coproc";
    }
    return {};
}

void append(std::string &out, const std::string &part)
{
    if (!out.empty() && out.back() != '(')
        out += " ";
    out += part;
}

std::string describeCase(const Command::Case &item)
{
    std::string out;
    for (const Word &pattern : item.patterns)
        out += (out.empty() ? "" : "|") + describe(pattern);
    return out + ") " + describe(*item.body) + item.terminator;
}

std::string describePipeline(const Pipeline &pipeline)
{
    std::string out = pipeline.negated ? "!" : "";
    if (pipeline.timed)
        append(out, "time");
    for (std::size_t i = 0; i < pipeline.commands.size(); ++i) {
        if (i > 0)
            append(out, pipeline.pipesStderr[i - 1] ? "|&" : "|");
        append(out, describe(pipeline.commands[i]));
    }
    return out;
}

std::string describeList(const AndOr &list)
{
    std::string out;
    for (std::size_t i = 0; i < list.pipelines.size(); ++i) {
        if (i > 0)
            out += list.isAnd[i - 1] ? " && " : " || ";
        out += describePipeline(list.pipelines[i]);
    }
    return list.background ? out + " &" : out;
}

} // namespace

std::string describe(const Word &word)
{
    return describePieces(word.pieces);
}

std::string describe(const Command &command)
{
    std::string out;
    if (command.kind != Command::Kind::Simple)
        out = kindName(command.kind) + "(";
    if (!command.name.empty())
        append(out, command.name);
    for (const Assign &assign : command.assigns)
        append(out, describeAssign(assign));
    std::size_t array = 0;
    for (std::size_t i = 0; i < command.words.size(); ++i) {
        if (array < command.assignArgs.size() && command.assignArgs[array].index == i)
            append(out, describeAssign(command.assignArgs[array++].assign));
        else
            append(out, describe(command.words[i]));
    }
    if (command.hasWords && command.words.empty())
        append(out, "in");
    for (std::size_t i = 0; i < command.bodies.size(); ++i) {
        if (command.hasElse && i + 1 == command.bodies.size())
            append(out, "else");
        append(out, "{" + describe(*command.bodies[i]) + "}");
    }
    for (const Command::Case &item : command.cases)
        append(out, describeCase(item));
    if (command.kind != Command::Kind::Simple)
        out += ")";
    for (const Redirect &redirect : command.redirects)
        append(out, describeRedirect(redirect));
    return out;
}

std::string describe(const Script &script)
{
    std::string out;
    for (std::size_t i = 0; i < script.lists.size(); ++i)
        out += (i == 0 ? "" : "; ") + describeList(script.lists[i]);
    return out;
}

} // namespace portcullis::test
