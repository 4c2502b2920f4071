// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The program: reads the command line, calls a job, prints its report. Exit codes are in
// docs/commands/exit-codes-and-reports.md.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "command_line.h"
#include "help.h"
#include "memory_end.h"
#include "print.h"
#include "sinew/core/error.h"
#include "sinew/core/finding_level.h"
#include "sinew/core/isa.h"
#include "sinew/core/parallel.h"
#include "sinew/jobs/job.h"
#include "sinew/jobs/texture_folder.h"

namespace sinew::app {
namespace {

enum Exit { kDone = 0, kNotAsAsked = 1, kWrongRequest = 2, kInternal = 3, kCancelled = 130 };

std::atomic<bool>* cancel_flag = nullptr;

// How long a job has to notice that it is cancelled; 0 for commands that have to end their own processes first.
std::atomic<unsigned> patience_s = 0;

extern "C" void on_interrupt(int) {
  // The first one asks; the second one does not wait.
  if (!cancel_flag || cancel_flag->exchange(true)) ::_exit(kCancelled);
  ::alarm(patience_s);
}

// A stage without a look at the flag, or a read that waits for another program. Files are complete whenever a process
// ends; what is temporary is removed by the next run in that folder.
extern "C" void on_patience_end(int) {
  constexpr std::string_view kText = "sinew: Cancelled.\n";
  [[maybe_unused]] const ssize_t wrote = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(kCancelled);
}

void set_up_signals(const Progress& progress, unsigned patience) {
  static const Progress kept = progress;  // The handler may run until the very end.
  cancel_flag = &kept.cancel_flag();
  patience_s = patience;
  std::signal(SIGALRM, on_patience_end);
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

// SINEW_ISA pins the instruction set, so that results of two machines can be compared.
void pin_isa() {
  const char* const word = std::getenv("SINEW_ISA");
  if (!word) return;
  try {
    set_isa(word);
  } catch (const Error& problem) {
    throw Error(fmt::format("The environment variable SINEW_ISA: {}", problem.what()));
  }
}

// Commands whose finished parts stay, whatever happens to the rest.
bool keeps_parts(const std::string& command) { return command == "batch" || command == "mcp"; }

// Commands that start others, and end them when they are cancelled.
bool runs_processes(const std::string& command) { return keeps_parts(command) || command == "studio"; }

std::string cancelled_text(const std::string& command) {
  if (command == "batch") return "Cancelled. The finished rows are kept; the same command again does the rest.";
  if (command == "mcp") return "Cancelled. Files of finished calls are kept.";
  return "Cancelled; nothing was written.";
}

int run(const CommandLine& line) {
  pin_isa();
  set_thread_count(line.common.threads);
  jobs::allow_outside(line.common.allow_outside);
  jobs::set_texture_folder(line.common.textures);
  const Progress progress = make_progress(line.common);
  constexpr unsigned kPatience = 3;
  set_up_signals(progress, runs_processes(line.command) ? 0 : kPatience);
  Report report = line.bound->run(line.request, progress);
  if (report.command.empty()) report.command = line.command;
  if (has_level(report.warnings, FindingLevel::kDoubt) && report.status == Report::Status::kDone)
    report.status = Report::Status::kIncomplete;
  end_progress();
  try {
    print_report(report, line.common);
  } catch (const Error& problem) {
    if (report.outputs.empty() && !keeps_parts(line.command)) throw;
    print_error(fmt::format("sinew: {} The files of the result are complete.", problem.what()));
    return report.status == Report::Status::kUnreadable ? kWrongRequest : kNotAsAsked;
  }
  if (report.status == Report::Status::kUnreadable) return kWrongRequest;
  if (report.status != Report::Status::kDone) return kNotAsAsked;
  return line.common.strict && has_level(report.warnings, FindingLevel::kWarning) ? kNotAsAsked : kDone;
}

int run_words(int argc, const char* const* argv, CommonFlags& common, std::string& command) {
  const CommandLine line = parse_command_line(argc, argv, common);
  command = line.command;
  if (common.json)
    set_memory_end_json(failure_json(command, "internal", kNoMemoryWroteNothing),
                        failure_json(command, "internal", kNoMemoryWroteFiles));
  switch (line.ask) {
    case CommandLine::Ask::kVersion:
      print_out("sinew " SINEW_VERSION "\n");
      return kDone;
    case CommandLine::Ask::kHelp:
      print_out(command.empty() ? program_help() : command_help(command, line.bound->options()));
      return kDone;
    case CommandLine::Ask::kHelpMarkdown:
      print_out(options_markdown(line.bound->options(), line.names_method));
      return kDone;
    case CommandLine::Ask::kRun:
      break;
  }
  return run(line);
}

int fail(int code, const std::string& kind, const std::string& text, const CommonFlags& common,
         const std::string& command) {
  end_progress();
  if (common.json) {
    try {
      print_out(failure_json(command, kind, text));
    } catch (const std::exception&) {
      // Standard output is what failed; standard error still tells.
    }
  }
  print_error("sinew: " + text);
  return code;
}

}  // namespace

int program(int argc, const char* const* argv) {
  // Both come back as an error of write(2), which leaves old files as they were.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Before there is a job to cancel, nothing was written, and the program can simply end.
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  end_well_without_memory(kInternal, kNotAsAsked);
  CommonFlags common;
  std::string command;
  try {
    return run_words(argc, argv, common, command);
  } catch (const Error& problem) {
    return fail(kWrongRequest, "request", with_flags(problem.what()), common, command);
  } catch (const Cancelled&) {
    return fail(kCancelled, "cancelled", cancelled_text(command), common, command);
  } catch (const std::bad_alloc&) {
    if (jobs::wrote_files()) return fail(kNotAsAsked, "internal", kNoMemoryWroteFiles, common, command);
    return fail(kInternal, "internal", kNoMemoryWroteNothing, common, command);
  } catch (const std::exception& problem) {
    return fail(kInternal, "internal",
                fmt::format("Internal error: {}. Please report it and attach the input.", problem.what()), common,
                command);
  }
}

}  // namespace sinew::app
