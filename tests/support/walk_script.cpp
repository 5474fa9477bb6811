// SPDX-License-Identifier: Apache-2.0
#include "tests/support/walk_script.h"

namespace portcullis::test {

using namespace shell;

namespace {

class Walk
{
public:
    void visit(const Script &script)
    {
        for (const AndOr &list : script.lists) {
            for (const Pipeline &pipeline : list.pipelines) {
                for (const Command &command : pipeline.commands)
                    visit(command);
            }
        }
    }

    std::vector<const Command *> found;

private:
    void visit(const Command &command)
    {
        found.push_back(&command);
        for (const Assign &assign : command.assigns)
            visit(assign);
        for (const Word &word : command.words)
            visit(word);
        for (const auto &[index, assign] : command.assignArgs)
            visit(assign);
        for (const std::unique_ptr<Script> &body : command.bodies)
            visit(*body);
        for (const Command::Case &item : command.cases) {
            for (const Word &pattern : item.patterns)
                visit(pattern);
            if (item.body)
                visit(*item.body);
        }
        for (const Redirect &redirect : command.redirects) {
            visit(redirect.target);
            if (redirect.body)
                visit(*redirect.body);
        }
    }

    void visit(const Assign &assign)
    {
        visit(assign.subscript);
        visit(assign.value);
        for (const Word &element : assign.elements)
            visit(element);
    }

    void visit(const Word &word) { visit(word.pieces); }

    void visit(const std::vector<Piece> &pieces)
    {
        for (const Piece &piece : pieces) {
            if (piece.script)
                visit(*piece.script);
            if (piece.parameter) {
                visit(piece.parameter->subscript);
                visit(piece.parameter->operand);
                visit(piece.parameter->second);
            }
            visit(piece.operands);
        }
    }
};

} // namespace

std::vector<const Command *> allCommands(const Script &script)
{
    Walk walk;
    walk.visit(script);
    return walk.found;
}

std::string literalText(const Word &word)
{
    std::string text;
    for (const Piece &piece : word.pieces) {
        if (piece.kind == Piece::Kind::Text)
            text += piece.text;
    }
    return text;
}

std::vector<std::string> callWords(const Script &script)
{
    std::vector<std::string> words;
    for (const Command *command : allCommands(script)) {
        if (command->kind != Command::Kind::Simple || command->words.empty())
            continue;
        bool known = true;
        for (const Piece &piece : command->words.front().pieces)
            known = known && piece.kind == Piece::Kind::Text;
        if (known)
            words.push_back(literalText(command->words.front()));
    }
    return words;
}

} // namespace portcullis::test
