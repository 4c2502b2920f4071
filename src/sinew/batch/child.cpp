// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/batch/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <system_error>

#include "sinew/core/error.h"

extern char** environ;

namespace sinew::batch {
namespace {

// Actions and attributes that are freed in any case.
struct SpawnSettings {
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

Child::Child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
             const std::filesystem::path& out, const std::filesystem::path& err, double time_s, std::uint64_t memory,
             const std::filesystem::path& folder)
    : deadline_(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                       std::chrono::duration<double>(time_s))) {
  SpawnSettings settings;
  ::posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&settings.actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_addopen(&settings.actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (!folder.empty()) ::posix_spawn_file_actions_addchdir_np(&settings.actions, folder.c_str());
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  ::posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int problem =
      ::posix_spawn(&pid_, program.c_str(), &settings.actions, &settings.attributes, argv.data(), environ);
  if (problem != 0) {
    pid_ = -1;
    throw Error(fmt::format("{} cannot be started: {}.", program.string(), std::generic_category().message(problem)));
  }
  const rlimit limit{memory, memory};
  ::prlimit(pid_, RLIMIT_DATA, &limit, nullptr);
}

Child::~Child() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::optional<ChildEnd> Child::poll() {
  int status = 0;
  rusage usage{};
  const pid_t ended = ::wait4(pid_, &status, WNOHANG, &usage);
  if (ended == 0) {
    if (!killed_ && std::chrono::steady_clock::now() > deadline_) {
      killed_ = true;
      ::kill(-pid_, SIGKILL);
    }
    return std::nullopt;
  }
  ::kill(-pid_, SIGKILL);  // Whatever it started.
  pid_ = -1;
  ChildEnd end;
  end.too_long = killed_;
  if (WIFEXITED(status)) end.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  end.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  end.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return end;
}

}  // namespace sinew::batch
