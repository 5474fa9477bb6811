// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stretches of a text after which the evaluator knows less than inside of them. Each lives as long as its stretch is
// walked. Private to runner/shell.

#include "runner/shell/evaluator.h"

namespace portcullis::shell {

/// A stretch that may be left in the middle: a line of a text by an error (bash goes on with the next), a function by
/// `return`, a round of a loop by `break` and `continue`, a process when it ends.
class Leavable
{
public:
    enum class Kind { Line, Function, Round, Process };
    Leavable(Evaluator &evaluator, Kind kind);
    ~Leavable();
    Leavable(const Leavable &) = delete;
    Leavable &operator=(const Leavable &) = delete;
    /// It may be left here.
    void leave();
    /// The innermost of its kind that this is or stands in; null when there is none in this process.
    [[nodiscard]] Leavable *innermost(Kind kind);
    [[nodiscard]] Kind kind() const { return m_kind; }
    [[nodiscard]] Leavable *outer() const { return m_outer; }
    [[nodiscard]] bool left() const { return m_left; }

private:
    void tellValues();

    Evaluator &m_evaluator;
    Kind m_kind;
    Leavable *m_outer;
    Sink *m_sink;
    std::size_t m_functions; ///< active ones where it starts
    std::size_t m_temporary;
    std::size_t m_number = 0; ///< among those of the variables
    std::size_t m_definitions = 0; ///< those before are sure
    bool m_left = false;
    std::optional<ShellState> m_state; ///< where it may be left
    Choices m_texts; ///< what was printed until then
};

/// A stretch that runs in a copy of the shell: what it does to variables and directory is undone.
class Subshell
{
public:
    explicit Subshell(Evaluator &evaluator);
    ~Subshell();
    Subshell(const Subshell &) = delete;
    Subshell &operator=(const Subshell &) = delete;

private:
    Evaluator &m_evaluator;
    Leavable m_leavable;
    std::size_t m_mark;
    std::size_t m_definitions;
    ShellState m_state;
    std::shared_ptr<const Aliases> m_aliases;
};

/// Stretches of which one runs (or none).
class BranchSet
{
public:
    explicit BranchSet(Evaluator &evaluator);
    void begin();
    void end();
    void finish(bool none);
    /// Of two ways the shell could have come here.
    [[nodiscard]] static ShellState joined(const ShellState &a, const ShellState &b);

private:
    Evaluator &m_evaluator;
    ShellState m_base;
    Choices m_baseText;
    std::size_t m_definitions;
    std::size_t m_mark = 0;
    std::vector<Variables::Delta> m_deltas;
    std::vector<ShellState> m_states;
    Choices m_texts;
};

} // namespace portcullis::shell
