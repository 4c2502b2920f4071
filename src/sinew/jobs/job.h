// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What all commands share: a request, an options struct, a function from both to a report.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/report.h"
#include "sinew/core/skeleton.h"

namespace sinew::jobs {

/// The files of a command. Everything else is in its options struct.
struct JobRequest {
  std::vector<std::filesystem::path> inputs;
  std::optional<std::filesystem::path> output;
  bool force = false;  ///< An existing output may be replaced.
};

/// A command with its options, ready to be set and run.
class BoundCommand {
 public:
  virtual ~BoundCommand() = default;
  virtual OptionList options() = 0;
  virtual Report run(const JobRequest& request, const Progress& progress) = 0;
};

/// A command of the program. The functions are plain: `Report info(const JobRequest&, const InfoOptions&, const
/// Progress&)`.
struct Command {
  std::string group;      ///< "Start", "Improve", "Move", "Deliver", "Lab".
  std::string arguments;  ///< "FILE", "IN -o OUT", for the help text.
  int least_inputs = 1;
  int most_inputs = 1;
  bool has_output = false;
  std::vector<std::string> examples;  ///< Command lines to copy.
  std::function<std::unique_ptr<BoundCommand>()> bind;
};

/// Wraps a job function.
template <class Options>
std::function<std::unique_ptr<BoundCommand>()> binder(Report (*job)(const JobRequest&, const Options&,
                                                                    const Progress&)) {
  class Bound : public BoundCommand {
   public:
    explicit Bound(Report (*function)(const JobRequest&, const Options&, const Progress&)) : job_(function) {}
    OptionList options() override { return OptionList(options_); }
    Report run(const JobRequest& request, const Progress& progress) override {
      Report report = job_(request, options_, progress);
      report.options = OptionList(options_).to_json();
      return report;
    }

   private:
    Report (*job_)(const JobRequest&, const Options&, const Progress&);
    Options options_;
  };
  return [job] { return std::make_unique<Bound>(job); };
}

/// Times stages that follow each other: each ends when the next begins.
class StageClock {
 public:
  explicit StageClock(Report& report) : report_(report) {}
  void begin(const char* stage) {
    timer_.reset();
    timer_.emplace(report_, stage);
  }

 private:
  Report& report_;
  std::optional<StageTimer> timer_;
};

/// Lets models read files outside their own folder, for the whole program; see docs/security.md.
void allow_outside(bool allowed);

/// Whether this process has put files into place.
bool wrote_files();

/// All commands, in the order of the help text.
const Registry<Registered<Command>>& commands();

/// Where the result goes: `-o`, or `NAME_suffix.ending` beside the first input (an empty suffix gives `NAME.ending`).
/// \throws Error if a file is there already that is neither to be replaced (`force`) nor the input itself, or if the
/// folder is not there.
std::filesystem::path output_path(const JobRequest& request, const std::string& suffix, const std::string& ending);

/// Before an input is overwritten: keeps it as `NAME.bak`, or `NAME.bak2`, … where an earlier one differs. Does nothing
/// for any other output.
void keep_backup(const JobRequest& request, const std::filesystem::path& output);

/// The names of some joints of a skeleton.
std::vector<std::string> names_of(const std::vector<Index>& joints, const Skeleton& skeleton);

/// A path as one word of a command line, quoted where a shell would split or expand it. For `Report::next`.
std::string shell_word(const std::filesystem::path& path);

/// The options in a configuration file: a JSON object of options, or a report of the same command. \throws Error if the
/// file cannot be read, is not JSON, or is a report of another command.
Json read_config(const std::filesystem::path& path, const std::string& command);

}  // namespace sinew::jobs
