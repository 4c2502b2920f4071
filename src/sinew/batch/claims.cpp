// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/batch/claims.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "sinew/core/error.h"

namespace sinew::batch {
namespace {

namespace fs = std::filesystem;

std::string host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

// When a process started, so that another one with the same number is not taken for it; empty if there is none.
std::string start_of(long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return "";
  std::istringstream rest(text.substr(close + 1));
  std::string word, state;
  rest >> state;
  for (int field = 4; field <= 22 && rest >> word; ++field) {
  }
  return state == "Z" ? "" : word;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return text;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
    found.push_back(entry->path());
  return found;
}

}  // namespace

Claims::Claims(const BatchFolder& folder, double stale_s)
    : folder_(folder), stale_s_(stale_s), self_(fmt::format("{} {} {}", host(), ::getpid(), start_of(::getpid()))) {}

// The file appears at its name with all of its text, and never replaces another.
bool Claims::move_in(const std::string& name) const {
  const fs::path target = folder_.claim(name);
  const fs::path temporary = folder_.own / "work" / fmt::format(".claim-{}-{}", host(), ::getpid());
  {
    std::ofstream file(temporary);
    file << self_ << '\n';
    if (!file.flush()) throw Error(fmt::format("{} cannot be written.", temporary.string()));
  }
  const int moved = ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE);
  if (moved == 0) return true;
  if (errno == EEXIST) return false;
  // Some network file systems cannot do that, but a second name works everywhere.
  const bool linked = ::link(temporary.c_str(), target.c_str()) == 0;
  const int problem = errno;
  ::unlink(temporary.c_str());
  if (!linked && problem != EEXIST)
    throw Error(fmt::format("{} cannot be written: {}.", target.string(), std::generic_category().message(problem)));
  return linked;
}

bool Claims::is_dead(const std::string& name, std::string& owner) const {
  struct stat info {};
  if (::stat(folder_.claim(name).c_str(), &info) != 0) return false;
  owner = text_of(folder_.claim(name));
  std::istringstream words(owner);
  std::string on, start;
  long pid = 0;
  words >> on >> pid >> start;
  if (on == host() && pid > 0) return start_of(pid) != start;
  return std::difftime(std::time(nullptr), info.st_mtime) > stale_s_;
}

bool Claims::is_held(const std::string& name) const {
  std::error_code ignored;
  std::string owner;
  return fs::exists(folder_.claim(name), ignored) && !is_dead(name, owner);
}

bool Claims::take(const std::string& name) { return move_in(name) || (remove_dead(name) && move_in(name)); }

// Of several that find a dead claim only one can move it away. If another one has just replaced it by its own, that is
// put back.
bool Claims::remove_dead(const std::string& name) {
  std::string owner;
  if (!is_dead(name, owner)) return false;
  const fs::path away = folder_.own / "work" / fmt::format(".dead-{}-{}-{}", host(), ::getpid(), number_++);
  if (::rename(folder_.claim(name).c_str(), away.c_str()) != 0) return false;
  if (text_of(away) != owner) {
    ::renameat2(AT_FDCWD, away.c_str(), AT_FDCWD, folder_.claim(name).c_str(), RENAME_NOREPLACE);
    return false;
  }
  ::unlink(away.c_str());
  return true;
}

bool Claims::is_stale(const fs::path& path) const {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && std::difftime(std::time(nullptr), info.st_mtime) > stale_s_;
}

// A process claims a row before it makes the folder NAME.PID for it. Files whose names begin with a dot exist for
// moments only.
void Claims::clear_leftovers() {
  for (const fs::path& path : entries(folder_.own / "claims")) remove_dead(path.filename().string());
  for (const fs::path& path : entries(folder_.own / "work")) {
    const std::string name = path.filename().string();
    const bool left = name.front() == '.' ? is_stale(path) : !is_held(name.substr(0, name.rfind('.')));
    std::error_code ignored;
    if (left) fs::remove_all(path, ignored);
  }
}

void Claims::renew(const std::string& name) const { ::utimensat(AT_FDCWD, folder_.claim(name).c_str(), nullptr, 0); }

void Claims::release(const std::string& name) const {
  if (text_of(folder_.claim(name)) == self_) ::unlink(folder_.claim(name).c_str());
}

}  // namespace sinew::batch
