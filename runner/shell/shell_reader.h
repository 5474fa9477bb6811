// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inside of the shell reader: one recursive-descent reader over bytes, because what a byte means depends on the
// grammar around it. Every `read…` leaves the cursor after what it read and answers false once the text was not
// understood or a bound was met; then `Work::stop` says where. Depth of recursion is bounded by `Nesting`.

#include "runner/shell/reader.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace portcullis::shell::detail {

/// A $(…) or $((…)) that was read while looking for the end of something around it, kept for the second look.
struct ReadAhead {
    Piece piece;
    std::size_t length = 0;
};

/// What all readers of one `read()` share: bounds and where understanding ended.
struct Work {
    Dialect dialect = Dialect::Bash;
    ReadLimits limits;
    std::uint64_t steps = 0;
    std::uint32_t nesting = 0;
    bool exhausted = false;
    std::optional<ReadStop> stop;
    std::uint32_t skipping = 0; ///< > 0 while only the end of something is looked for
    /// By offset. Without it every level of nesting would be read twice for each level around it.
    std::unordered_map<std::uint32_t, ReadAhead> ahead;
};

/// One level of recursion; not `ok()` past the limit.
class Nesting
{
public:
    Nesting(Work &work, std::uint32_t offset);
    ~Nesting() { --m_work.nesting; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    [[nodiscard]] bool ok() const { return !m_work.exhausted; }

private:
    Work &m_work;
};

/// A text whose bytes come from several places, with the place of each byte in the text that was read first.
struct MappedText {
    std::string bytes;
    std::vector<std::uint32_t> offsets; ///< one for each byte and one for the end
};

/// How a stretch of pieces ends and which quotes hold in it.
struct Stretch {
    enum class Single { Quotes, Matched, Literal };
    char open = 0; ///< counted against `close` when not 0
    char close = 0; ///< 0: the stretch goes to the end of the text
    char second = 0; ///< ends the stretch too, outside of nested `open`
    bool quoted = false; ///< as inside double quotes: expansions only
    /// Matched: bash looks for the closing quote but still expands what is between.
    Single single = Single::Quotes;
    bool doubleIsText = false; ///< `"` has no meaning (dash arithmetic)
};

class ShellReader
{
public:
    /// `offsets` maps bytes of `text` to the first text; when empty, byte i stands at `base + i`.
    ShellReader(Work &work, std::string_view text, std::uint32_t base, std::span<const std::uint32_t> offsets = {});

    /// Reads everything. On failure `script` holds the complete commands before the one that failed.
    bool readAll(Script &script);
    /// As `readAll`; but in dash a list in backticks ends, without an error, at the first token that cannot go on.
    bool readAllOfBackticks(Script &script);
    /// Reads everything as the inside of double quotes in which `"` has no meaning (here-document bodies).
    bool readAllQuoted(std::vector<Piece> &pieces);
    /// Reads everything as the inside of a pattern list.
    bool readAllUnquoted(std::vector<Piece> &pieces);

private:
    struct PendingDocument {
        Word *body = nullptr;
        std::string delimiter;
        bool quoted = false;
        bool stripTabs = false;
    };

    // Cursor (shell_reader.cpp). `peek` steps over backslash-newline pairs, `raw` does not.
    [[nodiscard]] bool bash() const { return m_work.dialect == Dialect::Bash; }
    int peek();
    [[nodiscard]] int peekSecond();
    [[nodiscard]] int rawAt(std::size_t pos) const;
    void advance();
    bool step(std::uint64_t count = 1);
    bool fail();
    void noticeArray();
    [[nodiscard]] std::uint32_t origin(std::size_t pos) const;
    [[nodiscard]] Span spanFrom(std::size_t start) const;
    [[nodiscard]] ShellReader part(std::size_t start, std::size_t end) const;
    [[nodiscard]] std::size_t nextLine(std::size_t pos) const;
    void skipBlanks();
    bool skipNewlines();
    bool readNewline();
    bool expect(char c);
    /// The unquoted literal word at the cursor when it could be a reserved word, else empty.
    std::string bareWord();
    bool takeWord(std::string_view word);

    // Words (word_reader.cpp)
    enum class WordPlace { Plain, CommandStart, ArrayElement, Regex };
    bool readWord(Word &word, WordPlace place = WordPlace::Plain);
    bool readWordPieces(std::vector<Piece> &pieces, WordPlace place = WordPlace::Plain);
    bool readWordPiece(std::vector<Piece> &pieces, int c, WordPlace place, bool &ended);
    bool readStretch(std::vector<Piece> &pieces, const Stretch &stretch);
    bool readStretchQuote(std::vector<Piece> &pieces, const Stretch &stretch, int c, bool &handled);
    bool readSingleQuoted(std::vector<Piece> &pieces);
    bool readMatchedSingle(std::vector<Piece> &pieces);
    bool readAnsiQuoted(std::vector<Piece> &pieces);
    bool readDoubleQuoted(std::vector<Piece> &pieces);
    bool readQuotedChar(std::vector<Piece> &pieces, int c, bool documentBody);
    void readBackslash(std::vector<Piece> &pieces);
    void readQuotedBackslash(std::vector<Piece> &pieces, std::string_view escapable);
    bool readExtGlob(std::vector<Piece> &pieces);
    bool readArrayExtGlob(std::vector<Piece> &pieces);
    bool readRegexGroup(std::vector<Piece> &pieces);
    void addText(std::vector<Piece> &pieces, std::string_view text, bool quoted, std::size_t start);
    void addPlainRun(std::vector<Piece> &pieces, bool quoted);
    [[nodiscard]] bool atProcessSub();
    [[nodiscard]] bool atExtGlob(WordPlace place);

    // Expansions (expansion_reader.cpp, parameter_reader.cpp)
    bool readDollar(std::vector<Piece> &pieces, bool quoted);
    bool readScriptUntilParen(Script &script);
    bool readFunSub(std::vector<Piece> &pieces, bool quoted);
    bool readProcessSub(std::vector<Piece> &pieces);
    bool readBackticks(std::vector<Piece> &pieces, bool quoted);
    bool readBracketArithmetic(std::vector<Piece> &pieces, bool quoted);
    /// `((` in bash: the cursor is after it; what is between is known when true, else it opens two subshells or an
    /// error.
    bool readArithmeticCommand(Piece &piece, std::size_t start, bool &arithmetic);
    bool readDollarParens(std::vector<Piece> &pieces, bool quoted);
    bool readParens(Piece &piece);
    bool readBashArithmetic(Piece &piece, std::size_t start);
    bool readDashArithmetic(Piece &piece, std::size_t start);
    bool takeAhead(std::vector<Piece> &pieces, bool quoted);
    bool skipMatched(char open, char close, bool commandSubs);
    void finishArithmetic(Piece &piece, std::size_t from, std::size_t end);
    bool readParameter(std::vector<Piece> &pieces, bool quoted);
    bool readBracedParameter(Parameter &parameter, bool quoted);
    void readParameterPrefix(Parameter &parameter);
    std::string readParameterName();
    bool readParameterSubscript(Parameter &parameter);
    std::string readParameterOperator();
    bool readParameterOperands(Parameter &parameter, bool quoted);

    // Here-documents (heredoc_reader.cpp)
    bool readDelimiter(Redirect &redirect);
    bool readDashDelimiter(Redirect &redirect);
    bool readPendingDocuments();
    bool readPendingAhead();
    void readDocumentByLines(const PendingDocument &document);
    void readDocumentLiterally(const PendingDocument &document);
    bool readDocumentRunning(const PendingDocument &document);
    void readDocumentLine(const PendingDocument &document, MappedText &line);
    [[nodiscard]] bool atRunningEnd(const PendingDocument &document);

    // Commands (command_reader.cpp)
    bool readList(Script &script, bool whole);
    bool readAndOr(AndOr &list);
    bool readPipeline(Pipeline &pipeline);
    bool readPipelinePrefix(Pipeline &pipeline);
    bool readCommand(Command &command);
    bool readSimple(Command &command);
    bool readAssign(Command &command, bool &found);
    bool notAssign(Command &command, Assign &assign, std::size_t start, bool &found);
    bool readArray(Assign &assign);
    bool readArrayArgument(Command &command, bool &found);
    bool tryRedirect(std::vector<Redirect> &redirects, bool &found);
    bool readRedirectTarget(Redirect &redirect, std::size_t start);
    std::string readRedirectOperator();
    std::size_t redirectPrefixLength();
    bool readRedirects(std::vector<Redirect> &redirects);
    bool atFunctionParens();
    bool readFunctionBody(Command &command, std::string name);
    bool atListEnd();

    // Compound commands (compound_reader.cpp)
    bool readCompound(Command &command, const std::string &word, bool &found);
    bool readBody(Command &command);
    bool readGroup(Command &command);
    bool readSubshellOrArith(Command &command);
    bool readIf(Command &command);
    bool readLoop(Command &command);
    bool readFor(Command &command, Command::Kind kind);
    bool readForArith(Command &command);
    bool readDoGroup(Command &command);
    bool readCase(Command &command);
    bool readCaseItem(Command::Case &item);
    bool readCasePattern(Word &word);
    bool readFunctionKeyword(Command &command);
    bool readCoproc(Command &command);
    bool atCompoundStart();
    bool readTest(Command &command);
    bool failTest();
    bool readTestTerm(Command &command);
    bool readTestOperand(Command &command, bool regex);
    bool readTestBinary(Command &command);
    void addOperator(Command &command, std::string_view text);

    Work &m_work;
    std::string_view m_text;
    std::uint32_t m_base = 0;
    std::span<const std::uint32_t> m_offsets;
    std::size_t m_pos = 0;
    std::vector<PendingDocument> m_pending;
    std::uint32_t m_commandSubs = 0; ///< open $( and <( around the cursor
    std::unordered_set<std::size_t> m_notArithmetic; ///< places where `((` was found to open two subshells
    std::unordered_set<std::size_t> m_notFunSub;
    /// Lines that bash took ahead for a here-document of a closed $(…): from the newline to the first byte after them.
    std::size_t m_takenFrom = std::string_view::npos;
    std::size_t m_takenTo = 0;
    /// bash, after an error in `a=(…)`, throws away what it was reading and goes on at the next line.
    std::size_t m_resumeAt = std::string_view::npos;
    bool m_resumed = false;
};

/// Decodes the inside of $'…'. A NUL ends it, as in bash. Unicode escapes become UTF-8.
[[nodiscard]] std::string decodeAnsi(std::string_view raw);
/// The word without its quotes, as here-document delimiters are compared. `dollarQuotes`: $'…' and $"…" are quotes
/// (bash); to dash the dollar is a byte of the word.
[[nodiscard]] std::string removeQuotes(std::string_view raw, bool dollarQuotes, bool &quoted);

[[nodiscard]] bool isNameStart(int c);
[[nodiscard]] bool isNameChar(int c);
[[nodiscard]] bool isDigit(int c);
[[nodiscard]] bool isMeta(int c); ///< blank, newline, end or one of ; & | ( ) < >
[[nodiscard]] bool isName(std::string_view text);
/// The literal text of a word without expansions.
[[nodiscard]] std::optional<std::string> literal(const Word &word);

} // namespace portcullis::shell::detail
