// SPDX-License-Identifier: Apache-2.0
#pragma once

// The constant evaluator behind `evaluate`. Private to runner/shell: one object evaluates one text and is thrown away.
//
// It walks the tree once and follows every way that the shell could take: both branches of a condition, each word of a
// loop, functions where they are called. Values are bounded sets of bytes with unknown stretches. Where it cannot tell,
// it says so (a gap, a note) and goes on with more possibilities, never with fewer. Work is counted in steps; depth is
// counted in scripts, so that input can exhaust neither time nor stack.

#include "runner/shell/ast.h"
#include "runner/shell/draft.h"
#include "runner/shell/evaluation.h"
#include "runner/shell/evaluator_names.h"
#include "runner/shell/known_programs.h"
#include "runner/shell/option_table.h"
#include "runner/shell/pattern.h"
#include "runner/shell/reader.h"
#include "runner/shell/run_state.h"
#include "runner/shell/variables.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace portcullis::shell {

struct LoadedName;
struct ProcessStart;

enum class WordUse { Argument, Assignment, Single, Pattern };

class Leavable;

class Evaluator
{
public:
    Evaluator(const EvaluationContext &context, const EvaluationLimits &limits);
    void run(std::string_view text, Dialect dialect);
    [[nodiscard]] Evaluation take() { return std::move(m_result); }

private:
    friend class BranchSet;
    friend class Leavable;
    friend class Subshell;
    using Lines = std::vector<std::vector<Field>>;

    // evaluate.cpp: texts, budget, notes
    bool spend(std::uint64_t steps);
    void note(DynamicReason reason, Span span, std::string detail);
    /// What runs in `span` is not read, because a limit was reached.
    void beyondLimits(Span span, std::string detail);
    void noteHidden(const Piece &piece);
    void construct(Construct construct, Span span, std::string detail);
    [[nodiscard]] Span map(Span span) const { return m_text->source.map(span); }
    const ReadText &readText(std::string text, Dialect dialect, const TextSource &source,
                             std::vector<std::uint32_t> sources);
    [[nodiscard]] TextSource sourceOf(const Gapped &text, Span span) const;
    const ReadText &readGapped(const Gapped &text, Dialect dialect, Span span);
    void runText(const Gapped &text, Dialect dialect, Span span);
    void runDeferred();
    [[nodiscard]] std::string_view written(Span local) const;

    // evaluate_leaving.cpp: errors after which the shell does not go on where it was
    /// An error may be here, for which bash leaves the line and another shell ends.
    void mayLeave();
    /// The shell may end here.
    void mayEnd();
    void mayReturn();
    void mayBreak();
    /// As `script`, for a whole text: bash goes on with the next line when it left one.
    void wholeText(const Script &script);
    /// Whether an error before this may have left the line.
    [[nodiscard]] bool mayHaveLeft() const;

    // evaluate_lists.cpp: lists, pipelines, compound commands
    void script(const Script &script);
    void lists(Span span, std::span<const AndOr> lists);
    void andOr(const AndOr &list);
    void pipeline(const Pipeline &pipeline, bool background);
    void command(const Command &command);
    void compound(const Command &command);
    void forLoop(const Command &command);
    void whileLoop(const Command &command);
    void coprocess(const Command &command);
    void repeatBody(const std::function<void()> &body);
    void laterRounds(const std::vector<Positional> &first, const std::function<void()> &body);
    void caseCommand(const Command &command);
    void testCommand(const Command &command);
    /// Runs `body` with the input that the redirections of `run` give it; what it prints where they take its output.
    Sink redirected(const Run &run, const std::function<void()> &body);
    void withRedirects(const Command &command, const std::function<void()> &body);
    void addInput(const std::vector<std::uint32_t> &producers);

    // evaluate_simple.cpp: one simple command
    void simple(const Command &command);
    void runLine(const Command &command, std::vector<Field> words, std::size_t pending);
    void redirect(const Redirect &redirect, Run &run);
    void startRun(Run run);
    bool tryFunction(Run &run);
    void callFunction(const std::string &name, const Positional &args, bool certain);
    void callDefinition(const std::string &name, std::size_t which, const Positional &args);
    void defineFunction(const Command &command);
    void uncalledFunctions();

    // evaluate_programs.cpp: names, emission, flows
    void dispatch(Run run);
    void start(const std::string &name, Run &run);
    std::uint32_t add(Invocation invocation);
    [[nodiscard]] std::optional<Choices> outputOf(std::string_view name, const Run &run) const;
    [[nodiscard]] static std::optional<Choices> lookupOutput(std::string_view name, const Run &run);
    [[nodiscard]] static std::optional<Choices> gitFolderOutput(const Run &run);
    [[nodiscard]] static std::size_t loaderProgram(const Run &run);
    std::uint32_t emit(const Run &run, std::string_view name, bool builtin);
    void addFlow(std::uint32_t from, std::uint32_t to, bool asCode, bool asArgument);
    [[nodiscard]] std::uint32_t fileSource(const Value &file);
    [[nodiscard]] Input fileInput(const Value &file);
    /// What a path of a descriptor reads (`/dev/fd/3`, a process substitution, standard input), or null.
    [[nodiscard]] const Input *descriptorInput(std::string_view path, const Run &run) const;
    void closeFlows();
    void flowsInto(std::uint32_t invocation, const Run &run);
    void unknownProgram(Run &run, std::uint32_t invocation);
    void guess(const Run &run);
    /// From now on the path or word `name` starts `program`, when that is a file of the system.
    void callProgram(std::string_view name, const Value &program);
    /// What the command word starts under another name that this text gave it; null when it has none.
    [[nodiscard]] const std::string *calledProgram(const Run &run) const;
    void namedCommandOptions(const Run &run, std::uint32_t invocation);
    void wroteOutput(std::uint32_t invocation, const Run &run);
    [[nodiscard]] const Input *stdinOf(const Run &run) const;
    void wroteRedirects(const Run &run, const Choices &text, std::uint32_t writer);
    void wroteFile(std::string_view path, Choices text, std::uint32_t writer);
    void runFile(const Field &file, std::uint32_t invocation, const Run &run, std::optional<Dialect> shell);
    /// As `runFile`, for each file written in this text that the pattern finds.
    void runFoundFiles(const Field &pattern, std::uint32_t invocation, const Run &run, std::optional<Dialect> shell);
    [[nodiscard]] std::string absolute(std::string_view path) const;
    /// Under which name `m_files` has a file: one whose path is not known goes by what stands in the command.
    [[nodiscard]] std::string fileKey(const Value &file) const;

    // evaluate_files.cpp: files that programs write
    void noteFileWrites(std::string_view name, std::uint32_t invocation, const Run &run);
    void editedFiles(std::string_view name, std::uint32_t invocation, const Run &run);
    void blockCopy(std::uint32_t invocation, const Run &run);
    void copiedFiles(const SplitArguments &split, std::uint32_t invocation);
    void downloadedFiles(std::string_view name, const SplitArguments &split, std::uint32_t invocation);
    /// What a filter or a compiler makes of files that were written before comes from their writers.
    void filteredFiles(std::string_view name, const SplitArguments &split, std::uint32_t invocation);
    /// Whether it is a program that downloads.
    [[nodiscard]] bool isDownload(std::uint32_t writer) const;

    // loaded_files.cpp: `code` for files written before that code (a module, a file) or a program loads by itself
    void loadedFiles(std::string_view language, std::string_view code, std::uint32_t invocation, const Run &run);
    bool loadModule(std::string_view language, const LoadedName &name, std::uint32_t invocation, const Run &run);
    void ownFiles(std::string_view name, const Run &run, std::uint32_t invocation);
    void readOwnFiles(std::string_view name, const Run &run, std::uint32_t invocation);
    void packageScripts(std::string_view program, const Run &run, std::uint32_t invocation);
    bool loadFile(std::string_view language, const std::string &path, std::uint32_t invocation, const Run &run);

    // evaluate_assign.cpp: variables
    void assign(const Assign &assign, bool exported);
    /// An array among the words of `declare` and its like.
    void declareArray(const Assign &assign, const Attributes &attributes);
    /// What the variable holds afterwards.
    void assignTo(const std::string &name, const Assign &assign, Variable value, bool exported);
    void store(std::string_view name, Variable value, Span span, bool exported);
    /// As `store`, for a name that may have a subscript. False when it is no name: then the builtin fails here.
    bool storeInto(const Gapped &target, Variable value, Span span);
    /// As `storeInto`, for builtins that fill an array.
    void storeArray(const Gapped &target, Variable value, Span span);
    /// What an integer variable becomes.
    void calculate(Variable &value, Span span);
    void storeElement(std::string_view name, const Choices &subscripts, const Variable &value, Span span,
                      bool exported);
    /// In the function at hand the name is another variable from here on; `inherits`: with what it holds now.
    void makeLocal(std::string_view name, bool inherits);
    void remark(std::string_view name, const Choices &values, Span span);
    [[nodiscard]] Variable valueOf(const Assign &assign, bool associative);
    void addField(Datum &array, const Field &field, bool associative);
    [[nodiscard]] std::vector<Datum> lookup(std::string_view name, bool *unset = nullptr) const;
    [[nodiscard]] std::vector<Datum> special(std::string_view name, bool *unset) const;

    // evaluate_scopes.cpp: which variable a name means
    /// Where a reference (`declare -n`) leads in the end, perhaps to an element; the name itself when it is none.
    /// Nothing when that cannot be told.
    [[nodiscard]] std::optional<std::string> referent(std::string_view name) const;
    /// As `store`, for a reference that may lead anywhere.
    void storeAnywhere(std::string_view name, const Variable &value, Span span);
    /// `unset NAME`. In bash it takes a variable of a calling function away, so that the one outside shows again.
    void unsetVariable(const std::string &name);
    void unsetElement(const Field &word, const std::string &name);
    /// `reference`: of a reference the reference itself goes.
    void unsetOne(const Field &word, bool reference);
    /// Runs `body`, which writes the variable as it is outside of all functions (`declare -g`).
    void inGlobalScope(const std::string &name, const std::function<void()> &body);
    /// What the name holds outside of the functions and commands that have a variable of their own called so.
    [[nodiscard]] std::vector<Variable *> coveredBy(std::string_view name);
    /// A variable of its own ends; `value` is what the name held outside.
    void uncover(const std::string &name, Variable value);

    // evaluate_hidden.cpp
    /// What the text becomes when its expansions are made, as in double quotes.
    Choices evaluateExpansions(const Gapped &text, Span span);
    /// The text is evaluated as arithmetic.
    void evaluateHidden(const Gapped &text, Span span);
    void evaluateNames(std::string_view text, Span span);
    /// The subscript of a name that is written to.
    void evaluateTarget(const Gapped &name, Span span);
    /// The same for the key of an associative array, which is text, unless the array is perhaps another one.
    void evaluateKey(const Gapped &key, Span span, bool associative);

    // number_output.cpp
    /// A shell evaluates this as arithmetic, name or prompt: what a program or a file may have put there is code.
    void noteUnread(const Gapped &code, Span span);
    /// Whether the invocation writes nothing but numbers.
    [[nodiscard]] bool printsNumbers(std::uint32_t source, std::size_t depth) const;

    // expand_words.cpp
    /// `whole`: an assignment that is an argument; it is not split into fields.
    void expandArgument(const Word &word, Lines &lines, bool whole = false);
    [[nodiscard]] Choices expandText(const Word &word, WordUse use);
    [[nodiscard]] std::vector<Draft> drafts(const std::vector<Piece> &pieces, WordUse use);
    void piece(const Piece &piece, WordUse use, std::vector<Draft> &drafts);
    void addText(Draft &draft, std::string_view text, Mark mark) const;
    void tilde(Draft &draft, WordUse use) const;
    void commandSub(const Piece &piece, std::vector<Draft> &drafts);
    void processSub(const Piece &piece, std::vector<Draft> &drafts);
    void pendingOutputs(std::uint32_t invocation, std::size_t from, const Choices &written);
    [[nodiscard]] Choices capture(const Script &script, std::vector<std::uint32_t> *producers);
    [[nodiscard]] std::vector<Draft> product(const std::vector<Draft> &heads, const std::vector<Draft> &tails);
    [[nodiscard]] std::string separators() const;
    [[nodiscard]] std::vector<std::string> separatorChoices() const; ///< one for each value that IFS may have

    // expand_parameters.cpp
    void parameter(const Piece &piece, WordUse use, std::vector<Draft> &drafts);
    struct Expansion; ///< one alternative of a parameter's value
    [[nodiscard]] std::vector<Expansion> resolve(const Parameter &parameter, Span span);
    /// Adds that a variable of the gateway, which is no tenant's business, may have its value: it comes from there as
    /// from a file called `$NAME`.
    void gatewayVariable(std::string_view name, Span span, std::vector<Expansion> &values);
    /// `${a[@]:from:length}` of an array with gaps.
    static void dropBelow(Expansion &value, std::int64_t from, std::int64_t length);
    static void anyOrder(std::vector<Expansion> &values);
    void subscriptOf(const Parameter &parameter, Span span, std::vector<Expansion> &values);
    [[nodiscard]] std::vector<Draft> namesWith(const Parameter &parameter, bool quoted);
    void indirection(const Parameter &parameter, Span span, std::vector<Expansion> &values);
    [[nodiscard]] std::vector<Draft> operate(const Parameter &parameter, Expansion value, bool quoted, WordUse use,
                                             Span span);
    [[nodiscard]] std::vector<Draft> byDefault(const Parameter &parameter, const Expansion &value, bool quoted,
                                               WordUse use, Span span);
    [[nodiscard]] Gapped transform(const Parameter &parameter, const Gapped &value, Span span);
    [[nodiscard]] Gapped trim(const Gapped &value, const Pattern &pattern, std::string_view op);
    [[nodiscard]] Gapped replace(const Gapped &value, const Pattern &pattern, const Gapped &with, std::string_view op,
                                 Span span);
    [[nodiscard]] Gapped changeCase(const Gapped &value, const Parameter &parameter);
    [[nodiscard]] std::optional<Pattern> patternOf(const Word &word);
    [[nodiscard]] std::optional<std::int64_t> offsetOf(const Word &word);

    // arithmetic.cpp
    [[nodiscard]] std::optional<std::int64_t> arithmetic(const Gapped &expression, Span span);
    [[nodiscard]] Choices arithmeticText(const Piece &piece);
    friend class Arithmetic;

    // builtins.cpp, builtins_variables.cpp
    bool builtin(Builtin builtin, Run &run, std::uint32_t invocation);
    /// The same, where the builtin may fail: then both what it sets and what was before is possible.
    bool doubtfulBuiltin(Builtin which, Run &run, std::uint32_t invocation);
    [[nodiscard]] bool mayFail(Builtin which, const std::string &name, const Run &run) const;
    /// Runs `body`; nothing that it changes is sure.
    void perhaps(const std::function<void()> &body);
    void evalBuiltin(const Run &run, std::uint32_t invocation);
    void sourceBuiltin(const Run &run, std::uint32_t invocation);
    void changeDirectory(const Run &run, Builtin which);
    void setBuiltin(const Run &run);
    void shoptBuiltin(const Run &run);
    void trapBuiltin(const Run &run);
    void shiftBuiltin(const Run &run);
    void declareBuiltin(const Run &run, std::string_view name);
    [[nodiscard]] Attributes attributesOf(const Run &run, std::string_view name, std::size_t &from) const;
    void declareFunction(const std::string &name, const Attributes &attributes);
    void declareOne(const Field &word, const Attributes &attributes);
    void declareValue(const Field &word, const std::string &name, std::size_t end, const Attributes &attributes);
    void takeAttributes(std::string_view name, const Attributes &attributes);
    void declareAttributes(std::string_view name, Span span, const Attributes &attributes);
    void attribute(std::string_view name, const Attributes &attributes);
    void variableBuiltin(Builtin which, Run &run, std::uint32_t invocation);
    void readBuiltin(const Run &run);
    void mapfileBuiltin(const Run &run);
    /// What a builtin reads that was given `-u descriptor`, or standard input.
    [[nodiscard]] const Input *readsFrom(const Run &run, const Field *descriptor) const;
    /// BASH_ALIASES and BASH_CMDS: names and what they stand for.
    void nameTable(std::string_view name, const Variable &value, Span span);
    void hashBuiltin(const Run &run);
    void completeBuiltin(const Run &run);
    void inSubshell(const Field &text, std::string_view via);
    void testBuiltin(const Run &run);
    void unsetBuiltin(const Run &run);
    void printfBuiltin(const Run &run, std::uint32_t invocation);
    void execBuiltin(Run &run, std::uint32_t invocation);
    void endShell(const Run &run, ShellState::Ended how);

    // aliases.cpp
    void aliasBuiltin(const Run &run);
    void unaliasBuiltin(const Run &run);
    void addAlias(const std::string &name, Gapped text);
    [[nodiscard]] Alias aliasOf(std::string_view name) const;
    bool tryAlias(const Run &run);
    [[nodiscard]] Gapped aliasLine(Gapped text, const Command &command) const;

    // constant_output.cpp
    [[nodiscard]] static std::optional<Gapped> echoOutput(const Run &run, Dialect dialect);
    [[nodiscard]] static std::optional<Gapped> printfOutput(std::span<const Field> args, Dialect dialect);

    // launchers.cpp
    void launch(const Launcher &launcher, Run &run, std::uint32_t invocation);
    void launchFind(const Run &run, std::uint32_t invocation);
    void launchXargs(const Run &run, std::uint32_t invocation);
    void launchParallel(const Run &run, std::uint32_t invocation);
    void launchGit(const Run &run, std::uint32_t invocation);
    /// What `git submodule foreach` starts, when the words from `at` on are one. False when they are not.
    bool launchForeach(const Run &run, std::size_t at, std::uint32_t invocation);
    /// The value of an option of `git VERB` that a shell runs.
    void launchOption(std::string_view verb, const Value &value, const Run &run, std::uint32_t invocation);
    void launchWords(Run &run, std::size_t from, std::uint32_t invocation, std::string_view via);
    void launchText(const Gapped &text, Span span, std::uint32_t invocation, const Run &run, std::string_view via,
                    std::optional<Dialect> dialect = {});
    void launchCommand(const Launcher &launcher, Run &run, std::uint32_t invocation);
    /// Where the command starts that stands at `at`: behind words of the launcher's own.
    static std::size_t pastOwnWords(const Launcher &launcher, Run &run, std::size_t at);
    void launchFrom(const Launcher &launcher, Run &run, std::size_t at, bool asText, std::uint32_t invocation);
    /// How the launcher itself takes options; but for those of kind OptionsOnly the first operand ends them.
    [[nodiscard]] static OptionTable launcherOptions(const Launcher &launcher);
    void launchBehind(const Launcher &launcher, Run &run, std::uint32_t invocation);
    void launchApplet(Run &run, std::uint32_t invocation, std::string_view via);
    void launchCMake(Run &run, std::uint32_t invocation);
    void launchTmux(const Run &run, std::uint32_t invocation);
    void tmuxCommands(std::span<const Field> words, const Run &run, std::uint32_t invocation, unsigned depth);
    void tmuxCommand(std::span<const Field> words, const Run &run, std::uint32_t invocation, unsigned depth);
    void launchScreen(Run &run, std::uint32_t invocation);
    /// What a program started now finds in its environment.
    [[nodiscard]] Gapped environmentValue(const Run &run, std::string_view name) const;
    std::size_t splitString(const SplitArguments &split, Run &run, std::size_t at, std::uint32_t invocation);
    /// `word` with `value` in every place of `hole`; unknown when that is too long.
    [[nodiscard]] Field withHole(const Field &word, std::string_view hole, const Gapped &value);
    void optionPrograms(const Launcher &launcher, Run &run, std::uint32_t invocation);
    void gitSetting(std::string_view setting, const Value &word, std::size_t offset, std::uint32_t invocation,
                    const Run &run);
    void runFileOrInput(const Field &file, std::optional<Dialect> dialect, const Run &run, std::uint32_t invocation);
    void environmentPrograms(const Run &run, std::uint32_t invocation);
    void shell(std::string_view name, Run &run, std::uint32_t invocation);
    void shellStdin(std::optional<Dialect> dialect, Run &run, std::uint32_t invocation,
                    const std::vector<Gapped> &args);
    void shellCode(const Field &code, std::optional<Dialect> dialect, const Run &run, std::uint32_t invocation,
                   std::vector<Gapped> args);
    /// A text that the shell of that name runs, which may have another grammar.
    void shellText(std::string_view shell, const Gapped &text, Span span);
    void inChildShell(std::optional<Dialect> dialect, const Run &run, std::vector<Gapped> args,
                      const std::function<void()> &body);

    // interpreters.cpp
    /// Descriptions of containers (compose files, manifests) that the command shows before a program reads them.
    void manifests(std::string_view name, const Run &run, std::uint32_t invocation);
    void interpret(const Interpreter &interpreter, Run &run, std::uint32_t invocation);
    /// Variables of a program text that are set from outside: name and value.
    using Given = std::vector<std::pair<std::string, std::string>>;
    void code(std::string_view language, const Field &text, std::uint32_t invocation, const Run &run,
              const Given &given = {});
    // interpreters_starts.cpp: the processes that code starts
    void startProcess(std::string_view language, ProcessStart &start, const Field &text, std::uint32_t invocation,
                      const Run &run);
    /// What the command shows of a line that the code does not have; lines or words, none when it shows nothing.
    [[nodiscard]] Choices outsideLines(const ProcessStart &start, const Field &text, std::uint32_t invocation,
                                       const Run &run);
    [[nodiscard]] Choices inputLines(const Field &text, std::uint32_t invocation, const Run &run);
    bool operandCode(const Interpreter &interpreter, const SplitArguments &split, std::uint32_t invocation,
                     const Run &run);
    /// `manage.py shell` of a Django project: code behind -c or on standard input.
    void djangoShell(const Interpreter &interpreter, const SplitArguments &split, std::uint32_t invocation,
                     const Run &run);
    /// Lines of ipython that begin with `!` are a shell's.
    void shellLines(const Value &text, std::uint32_t invocation, const Run &run);
    void rubyTool(Run &run, std::uint32_t invocation);
    void makeVariables(const SplitArguments &split, const Run &run, std::uint32_t invocation);
    void shownScripts(const Interpreter &interpreter, const std::vector<Value> &args, std::uint32_t invocation,
                      const Run &run);
    void scriptFile(const Interpreter &interpreter, const Value &file, std::uint32_t invocation, const Run &run);
    /// `language`: it is a program, not the commands of a client like psql.
    void codeInput(const Interpreter &interpreter, std::uint32_t invocation, const Run &run, bool language);
    void scriptOperand(const Interpreter &interpreter, const Value &operand, std::uint32_t invocation, const Run &run);
    void pythonModule(const Value &module, std::uint32_t invocation, const Run &run);
    void launchModule(const Value &module, const std::vector<Value> &args, std::uint32_t invocation, Run &run);
    [[nodiscard]] Field fieldOf(const Value &value, const Run &run);

    const EvaluationContext &m_context;
    const EvaluationLimits &m_limits;
    Evaluation m_result;
    std::string_view m_raw;
    std::deque<ReadText> m_texts;
    const ReadText *m_text = nullptr; ///< the text that is walked
    Dialect m_dialect = Dialect::Bash;
    Variables m_variables;
    ShellState m_state;
    std::map<std::string, std::vector<Function>, std::less<>> m_functions;
    std::vector<std::string> m_definitions; ///< names in order, for subshells and branches
    std::shared_ptr<const Aliases> m_aliases = std::make_shared<const Aliases>();
    std::shared_ptr<const Aliases> m_lineAliases = m_aliases; ///< … when the line or function that is walked was read
    bool m_aliasDoubt = false; ///< the option that bash needs for them may be off
    bool m_expandAliases = false;
    std::set<std::string, std::less<>> m_busyAliases;
    std::vector<std::vector<std::pair<std::string, Variable>>> m_locals; ///< per active function
    std::set<std::string, std::less<>> m_uncovered; ///< an `unset` may have ended one of those before its time
    std::set<std::string, std::less<>> m_fixedFunctions; ///< `readonly -f`: a later definition may be refused
    std::vector<std::shared_ptr<const std::vector<Positional>>> m_callers; ///< … the parameters around it
    std::vector<std::pair<std::string, Variable>> m_temporary; ///< before commands: what they have again afterwards
    Leavable *m_leavable = nullptr; ///< the innermost
    Sink *m_sink = nullptr;
    const Input *m_input = nullptr;
    std::vector<std::string> m_via;
    bool m_fromInterpreter = false;
    bool m_guessed = false;
    bool m_background = false;
    std::uint32_t m_pipes = 0; ///< pipelines and background lists around, inside the innermost function
    std::uint32_t m_conditional = 0;
    std::uint32_t m_nestedCode = 0; ///< texts around that code of another language evaluates
    std::uint32_t m_repeats = 0; ///< inside something that is walked more than once
    std::uint32_t m_level = 0; ///< child shells around
    std::uint32_t m_depth = 0; ///< scripts around
    std::uint32_t m_documents = 0; ///< here-documents around
    std::uint32_t m_hidden = 0; ///< values of variables that are evaluated inside one another
    std::set<std::string, std::less<>> m_hiddenNames; ///< … of which these were
    bool m_keysOnly = false; ///< what is evaluated is a key of an associative array: text to the shell
    std::uint32_t m_selfStarts = 0; ///< starts of a running function inside itself
    std::uint32_t m_selfStartsAside = 0; ///< … in a pipe or in the background
    bool m_stopped = false;
    bool m_hasHidden = false; ///< the raw command has a character that shows nothing
    bool m_wordsLeftOut = false; ///< the last word makes more words than are kept
    bool m_unknownRan = false; ///< an unknown word or text ran, which may have called any function
    bool m_lastpipe = false;
    bool m_localsInherit = false; ///< localvar_inherit
    bool m_exportsAll = false; ///< set -a
    bool m_posix = false;
    bool m_noClobber = false; ///< set -C
    bool m_unsetEnds = false; ///< set -u
    bool m_failureEnds = false; ///< set -e
    bool m_echoEscapes = false; ///< xpg_echo
    bool m_globsFail = false; ///< failglob
    bool m_anyCase = false; ///< nocasematch: patterns may match letters of the other case
    std::map<const Input *, std::string> m_readAs; ///< how `read` took parts of it
    std::size_t m_nextField = 0; ///< where fieldOf looks first
    Gapped m_lastArgument;
    std::deque<Input> m_execInputs; ///< `exec < file`: what standard input is from then on
    std::vector<std::optional<std::string>> m_directories; ///< of pushd
    struct Pending {
        const Script *script;
        const ReadText *text;
    };
    std::vector<Pending> m_pendingOutputs; ///< >(…) of the command at hand
    std::map<std::string, Input, std::less<>> m_processInputs; ///< /dev/fd/N of <(…)
    struct Written {
        Choices text;
        std::uint32_t writer = noSource;
        bool certain = true; ///< written on every way that leads here
    };
    std::map<std::string, Written, std::less<>> m_files; ///< what was written to constant paths
    std::set<std::string, std::less<>> m_loading; ///< … of which these are being read as code
    std::vector<std::string> m_loadFolders; ///< `ruby -I`, `perl -I` of the program at hand
    std::set<std::string, std::less<>> m_disabledBuiltins; ///< `enable -n`
    bool m_childAliases = false; ///< the shell about to start expands aliases
    std::vector<Value> m_sourceFiles; ///< source `firstFileSource + i` is the i-th
    std::map<std::string, Input, std::less<>> m_descriptors; ///< files open for reading, by number
    std::optional<Input> m_bareInput; ///< of the last command without words: what `$(<file)` gives
    std::map<std::string, std::string, std::less<>> m_calledPrograms; ///< see callProgram
    struct Deferred {
        Gapped text;
        Span span;
        Dialect dialect;
        bool anywhere = false; ///< inside of functions too, with their parameters
    };
    std::vector<Deferred> m_deferred; ///< traps: run again with the variables of the end
    std::unordered_multimap<std::size_t, std::uint32_t> m_seen;
    std::set<std::tuple<std::uint32_t, std::uint32_t, bool, bool>> m_seenFlows;
};

} // namespace portcullis::shell
