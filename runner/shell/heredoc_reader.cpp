// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell::detail {

/// The word after `<<`. It is not expanded; any quote in it makes the body literal.
bool ShellReader::readDelimiter(Redirect &redirect)
{
    skipBlanks();
    const std::size_t start = m_pos;
    if (bash()) {
        Word scratch; // expansions in the delimiter must be whole but are taken as they are spelled
        if (!readWord(scratch))
            return false;
    } else if (!readDashDelimiter(redirect)) {
        return false;
    }
    std::string delimiter = removeQuotes(m_text.substr(start, m_pos - start), bash(), redirect.bodyQuoted);
    Piece piece;
    piece.quoted = true;
    piece.span = spanFrom(start);
    piece.text = delimiter;
    redirect.target.span = piece.span;
    redirect.target.pieces.push_back(std::move(piece));
    redirect.body = std::make_unique<Word>();
    m_pending.push_back({.body = redirect.body.get(),
                         .delimiter = std::move(delimiter),
                         .quoted = redirect.bodyQuoted,
                         .stripTabs = redirect.op == "<<-"});
    return step();
}

/// In dash `$` and backticks are plain bytes of a delimiter.
bool ShellReader::readDashDelimiter(Redirect &redirect)
{
    const std::size_t start = m_pos;
    std::vector<Piece> scratch;
    for (int c = peek(); !isMeta(c); c = peek()) {
        if (!step())
            return false;
        if (c == '\\')
            readBackslash(scratch);
        else if (c == '\'') {
            if (!readSingleQuoted(scratch))
                return false;
        } else if (c == '"') {
            for (advance(); peek() != '"'; advance()) {
                if (peek() == '\\')
                    advance();
                if (rawAt(m_pos) == -1)
                    return fail();
            }
            advance();
        } else {
            advance();
        }
    }
    redirect.bodyQuoted = false;
    return m_pos > start || fail();
}

bool ShellReader::readPendingDocuments()
{
    if (m_pending.empty())
        return true;
    const std::vector<PendingDocument> documents = std::exchange(m_pending, {});
    const Nesting nesting(m_work, origin(m_pos));
    if (!nesting.ok())
        return false;
    for (const PendingDocument &document : documents) {
        if (bash())
            readDocumentByLines(document);
        else if (document.quoted)
            readDocumentLiterally(document);
        else if (!readDocumentRunning(document))
            return false;
        if (!step())
            return false;
    }
    return true;
}

/// bash, at the parenthesis that closes $(cat <<E): the documents are the lines after this one, and this line goes on.
bool ShellReader::readPendingAhead()
{
    const std::size_t back = m_pos;
    if (m_takenFrom == std::string_view::npos) {
        m_takenFrom = std::min(m_text.find('\n', m_pos), m_text.size());
        m_takenTo = std::min(m_takenFrom + 1, m_text.size());
        m_work.steps += m_takenFrom - std::min(m_takenFrom, m_pos);
    }
    m_pos = m_takenTo;
    const bool read = readPendingDocuments();
    m_takenTo = m_pos;
    m_pos = back;
    return read;
}

/// One line with its newline; of an unquoted document backslash-newline pairs are gone. Leaves the cursor after it.
void ShellReader::readDocumentLine(const PendingDocument &document, MappedText &line)
{
    const auto take = [this, &line] {
        line.bytes += m_text[m_pos];
        line.offsets.push_back(origin(m_pos));
        advance();
    };
    line.bytes.clear();
    line.offsets.clear();
    while (m_pos < m_text.size()) {
        const char c = m_text[m_pos];
        if (c == '\\' && !document.quoted && rawAt(m_pos + 1) == '\n') {
            m_pos += 2;
            m_work.steps += 2;
            continue;
        }
        take();
        if (c == '\n')
            return;
        if (c == '\\' && !document.quoted && m_pos < m_text.size())
            take();
    }
}

/// Finds the end line by line, then looks for expansions in what was found (bash).
void ShellReader::readDocumentByLines(const PendingDocument &document)
{
    const std::size_t start = m_pos;
    MappedText body;
    MappedText line;
    while (m_pos < m_text.size()) {
        const std::size_t lineStart = m_pos;
        readDocumentLine(document, line);
        const std::size_t tabs =
            document.stripTabs ? std::min(line.bytes.find_first_not_of('\t'), line.bytes.size()) : 0;
        const std::string_view text = std::string_view(line.bytes).substr(tabs);
        if (text.starts_with(document.delimiter)) {
            const std::string_view rest = text.substr(document.delimiter.size());
            if (rest.empty() || rest == "\n")
                break;
            // Inside $( ) bash lets the document end at its delimiter when the parenthesis stands on the same line.
            if (bash() && m_commandSubs > 0 && rest.contains(')')) {
                const auto stays = static_cast<std::size_t>(line.offsets.at(tabs + document.delimiter.size()));
                m_pos = lineStart;
                while (origin(m_pos) < stays)
                    ++m_pos;
                break;
            }
        }
        body.bytes += text;
        body.offsets.insert(body.offsets.end(), line.offsets.begin() + static_cast<std::ptrdiff_t>(tabs),
                            line.offsets.end());
    }
    body.offsets.push_back(origin(m_pos));
    document.body->span = spanFrom(start);
    if (document.quoted) {
        addText(document.body->pieces, body.bytes, true, start);
    } else {
        ShellReader reader(m_work, body.bytes, 0, body.offsets);
        reader.readAllQuoted(document.body->pieces);
    }
}

/// Whether the document ends at the cursor, which stands at the start of a line; then the cursor is put after it.
bool ShellReader::atRunningEnd(const PendingDocument &document)
{
    if (!document.quoted)
        peek(); // backslash-newline pairs at the start of the line are gone before the end is looked for
    while (document.stripTabs && rawAt(m_pos) == '\t')
        ++m_pos;
    m_work.steps += document.delimiter.size();
    if (!m_text.substr(std::min(m_pos, m_text.size())).starts_with(document.delimiter))
        return false;
    const std::size_t end = m_pos + document.delimiter.size();
    if (end < m_text.size() && m_text[end] != '\n')
        return false;
    m_pos = std::min(end + 1, m_text.size());
    return true;
}

/// dash, with a quoted delimiter, which may have newlines in it.
void ShellReader::readDocumentLiterally(const PendingDocument &document)
{
    const std::size_t start = m_pos;
    std::string body;
    while (!atRunningEnd(document) && m_pos < m_text.size()) {
        const std::size_t end = nextLine(m_pos);
        body += m_text.substr(m_pos, end - m_pos);
        m_work.steps += end - m_pos;
        m_pos = end;
    }
    document.body->span = spanFrom(start);
    addText(document.body->pieces, body, true, start);
}

/// dash looks for expansions while it looks for the end, so that lines inside of $(…) never end the document.
bool ShellReader::readDocumentRunning(const PendingDocument &document)
{
    const std::size_t start = m_pos;
    std::vector<Piece> &pieces = document.body->pieces;
    bool ended = atRunningEnd(document);
    while (!ended) {
        const int c = peek();
        if (c == -1)
            break;
        if (!step())
            return false;
        if (c == '\n') {
            advance();
            addText(pieces, "\n", true, m_pos - 1);
            ended = atRunningEnd(document);
        } else if (!readQuotedChar(pieces, c, true)) {
            return false;
        }
    }
    document.body->span = spanFrom(start);
    return true;
}

} // namespace portcullis::shell::detail
