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

bool Claims::take(const std::string& name) {
  if (move_in(name)) return true;
  std::string owner;
  if (!is_dead(name, owner)) return false;
  // Of several that find a dead claim only one can move it away. If another one has just replaced it by its own, that
  // is put back.
  const fs::path away = folder_.own / "work" / fmt::format(".dead-{}-{}-{}", host(), ::getpid(), number_++);
  if (::rename(folder_.claim(name).c_str(), away.c_str()) != 0) return false;
  if (text_of(away) != owner) {
    ::renameat2(AT_FDCWD, away.c_str(), AT_FDCWD, folder_.claim(name).c_str(), RENAME_NOREPLACE);
    return false;
  }
  ::unlink(away.c_str());
  return move_in(name);
}

void Claims::renew(const std::string& name) const { ::utimensat(AT_FDCWD, folder_.claim(name).c_str(), nullptr, 0); }

void Claims::release(const std::string& name) const {
  if (text_of(folder_.claim(name)) == self_) ::unlink(folder_.claim(name).c_str());
}

}  // namespace sinew::batch
