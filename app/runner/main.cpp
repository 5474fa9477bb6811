// SPDX-License-Identifier: Apache-2.0
#include "app/runner/arguments.h"
#include "app/runner/command_context.h"
#include "app/runner/commands/check_command.h"
#include "app/runner/commands/doctor_command.h"
#include "app/runner/commands/exec_command.h"
#include "app/runner/commands/log_command.h"
#include "app/runner/commands/policy_command.h"
#include "app/runner/commands/replay_command.h"
#include "runner/confinement/open_files.h"
#include "runner/host/locale.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>

#include <csignal>
#include <cstdio>
#include <vector>

namespace {

using namespace portcullis::cli;

std::string describe(const ArgumentError &error)
{
    const std::string near = error.hint.empty() ? "" : "; did you mean " + error.hint + "?";
    switch (error.code) {
    case ArgumentError::Code::UnknownOption:
        return "unknown option " + error.word + (error.hint.empty() ? "" : "; did you mean --" + error.hint + "?");
    case ArgumentError::Code::MissingValue:
        return error.word + " needs a value: " + error.hint;
    case ArgumentError::Code::UnexpectedValue:
        return error.word + ": this option takes no value";
    case ArgumentError::Code::RepeatedOption:
        return error.word + " was given twice";
    case ArgumentError::Code::NotForCommand:
        return error.word + " does not belong to " + error.command
            + (error.hint.empty() ? "" : "; there it is " + error.hint);
    case ArgumentError::Code::UnknownCommand:
        return "unknown command '" + error.word + "'" + near;
    case ArgumentError::Code::NoCommand:
        return "no command";
    }
    return "wrong usage";
}

/// A word that nobody reads was meant for something.
int refuseOperand(CommandContext &context)
{
    const Arguments &arguments = context.arguments();
    context.err(arguments.command + ": '" + arguments.operands.front() + "' is nothing that " + arguments.command
                + " takes" + (arguments.command == "doctor" ? "\n" : "; the command line stands after --\n"));
    return code(Exit::Usage);
}

int run(CommandContext &context)
{
    const std::string &command = context.arguments().command;
    const bool takesOperands = command == "log" || command == "policy" || command == "replay";
    if (!takesOperands && !context.arguments().operands.empty())
        return refuseOperand(context);
    if (command == "exec")
        return execCommand(context);
    if (command == "check")
        return checkCommand(context);
    if (command == "log")
        return logCommand(context);
    if (command == "policy")
        return policyCommand(context);
    if (command == "replay")
        return replayCommand(context);
    return doctorCommand(context);
}

} // namespace

int main(int argc, char **argv)
{
    // The raw words, before Qt looks at any: a command may hold bytes that are no text.
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto arguments = parseArguments(words);
    if (!arguments) {
        const QString what = portcullis::text::visibleText(describe(arguments.error()));
        const std::string message = "portcullis-runner: " + what.toStdString() + " (see --help)\n";
        std::fputs(message.c_str(), stderr);
        return code(Exit::Usage);
    }
    if (arguments->has("version")) {
        std::puts("portcullis-runner " PORTCULLIS_VERSION);
        return code(Exit::Ok);
    }
    if (arguments->has("help")) {
        std::fputs(usage(arguments->command, arguments->operands.empty() ? std::string() : arguments->operands.front())
                       .c_str(),
                   stdout);
        return code(Exit::Ok);
    }
    portcullis::confinement::raiseOpenFiles();
    std::signal(SIGXFSZ, SIG_IGN); // NOLINT(performance-no-int-to-ptr): a write past the limit fails and is told
    portcullis::host::useUtf8Locale();
    int count = 1;
    QCoreApplication application(count, argv);
    CommandContext context(*arguments);
    return run(context);
}
