// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/batch/slurm.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <string_view>
#include <thread>

#include "sinew/batch/child.h"
#include "sinew/core/error.h"
#include "sinew/io/file.h"

namespace sinew::batch {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

fs::path find_program(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  throw Error(
      fmt::format("'{}' is not there. Install Slurm (Debian: slurm-client), or run each part by itself with the "
                  "options 'index' and 'of'.",
                  name));
}

std::string text_in(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// Runs a program of Slurm to its end and returns what it prints. \throws Error if it fails.
std::string ask(const BatchFolder& folder, const std::string& name, const std::vector<std::string>& arguments) {
  const fs::path out = folder.own / "slurm.out", err = folder.own / "slurm.err";
  Child child(find_program(name), arguments, out, err, 60, std::numeric_limits<std::uint64_t>::max());
  for (;;) {
    if (const auto end = child.poll()) {
      if (end->exit == 0) return text_in(out);
      throw Error(fmt::format("'{}' failed: {}", name, text_in(err)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

std::string slurm_script(const BatchFolder& folder, const fs::path& program, std::size_t tasks,
                         const std::string& partition) {
  std::string text = "#!/bin/sh\n#SBATCH --job-name=sinew-batch\n#SBATCH --requeue\n#SBATCH --open-mode=append\n";
  text += fmt::format("#SBATCH --array=0-{}\n", tasks - 1);
  if (!partition.empty()) text += fmt::format("#SBATCH --partition={}\n", partition);
  text += fmt::format("cd {} || exit 2\n", quoted(fs::current_path().string()));
  text += fmt::format("exec {} batch {} --index \"$SLURM_ARRAY_TASK_ID\" --of {} --quiet\n", quoted(program.string()),
                      quoted(fs::absolute(folder.manifest()).string()), tasks);
  return text;
}

bool run_on_slurm(const BatchFolder& folder, const std::string& script, const Progress& progress) {
  const fs::path path = folder.own / "array.sh";
  find_program("sbatch");
  io::AtomicFiles files(io::AtomicFiles::Newcomer::kReplaced);
  files.add(path, script);
  files.commit();
  std::string job = ask(
      folder, "sbatch",
      {"--parsable", fmt::format("--output={}", (fs::absolute(folder.own) / "slurm-%a.log").string()), path.string()});
  job = job.substr(0, job.find(';'));
  try {
    // Finished tasks leave the queue.
    for (;;) {
      const std::string left = ask(folder, "squeue", {"--noheader", "--array", "--job", job, "--format", "%i"});
      if (left.empty()) return true;
      progress.step(fmt::format("job {} of Slurm", job), 0.5);
      for (int k = 0; k < 10; ++k) {
        progress.check();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    }
  } catch (const Cancelled&) {
    ask(folder, "scancel", {job});
    throw;
  } catch (const Error&) {
    return true;  // squeue forgets jobs that ended a while ago and then says that there is no such job.
  }
}

}  // namespace sinew::batch
