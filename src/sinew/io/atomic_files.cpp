// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/atomic_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <mutex>

#include "sinew/core/error.h"
#include "sinew/core/hash.h"
#include "sinew/io/descriptor.h"
#include "sinew/io/temporary_files.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

class Reserved {
 public:
  void set(const fs::path& target, bool allowed) {
    const std::lock_guard lock(mutex_);
    if (allowed) paths_.erase(key(target));
    else paths_.insert(key(target));
  }
  bool has(const fs::path& target) {
    const std::lock_guard lock(mutex_);
    return paths_.contains(key(target));
  }

 private:
  static fs::path key(const fs::path& target) {
    std::error_code problem;
    const fs::path whole = fs::absolute(target, problem);
    return (problem ? target : whole).lexically_normal();
  }
  std::mutex mutex_;
  std::set<fs::path> paths_;
};

Reserved& reserved() {
  static Reserved paths;
  return paths;
}

Error write_error(const fs::path& target) {
  return Error(fmt::format("Cannot write {}: {}. Nothing was changed.", target.string(), system_reason()));
}

void write_all(int fd, std::span<const std::byte> bytes, const fs::path& target) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) throw write_error(target);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void flush(int file, const fs::path& target) {
  if (::fsync(file) != 0 && errno != EINVAL && errno != EROFS) throw write_error(target);
}

bool is_there(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

// ".hero.glb.sinew-1f2e-4711-XXXXXX": hidden, with the machine and the process that owns it.
constexpr std::string_view kMark = ".sinew-";

std::string machine() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return sha256_hex(std::as_bytes(std::span(name))).substr(0, 4);
}

std::string temporary_name(const fs::path& target) {
  constexpr std::size_t kMost = 180;  // Names have at most 255 bytes.
  const std::string name =
      "." + target.filename().string().substr(0, kMost) + fmt::format("{}{}-{}-XXXXXX", kMark, machine(), ::getpid());
  return (target.parent_path() / name).string();
}

// True for a temporary file of this machine whose process is no more.
bool is_leftover(const std::string& name, const std::string& here) {
  const auto mark = name.rfind(kMark);
  if (!name.starts_with('.') || mark == std::string::npos) return false;
  const std::string_view rest = std::string_view(name).substr(mark + kMark.size());
  if (!rest.starts_with(here + "-")) return false;
  const std::string_view number = rest.substr(here.size() + 1);
  pid_t process = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), process);
  if (problem != std::errc() || end == number.data() + number.size() || *end != '-' || process <= 1) return false;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

// Moves a file to a place where there must be none, also in a race.
bool move_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // File systems without this kind of move have hard links or neither.
  if (::link(from.c_str(), to.c_str()) != 0) return false;
  ::unlink(from.c_str());
  return true;
}

std::atomic<std::size_t> committed = 0;

// The temporary files of this process, for an end without unwinding.
class Temporaries {
 public:
  void add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_.push_back(name);
  }
  void forget(const fs::path& path) noexcept {
    const std::lock_guard lock(mutex_);
    const auto at = std::find(names_.begin(), names_.end(), path.native());
    if (at != names_.end()) names_.erase(at);
  }
  // A thread in the middle of a change keeps its files; the next run in that folder removes them.
  void remove_all() noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    for (const std::string& name : names_) ::unlink(name.c_str());
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
};

Temporaries& temporaries() {
  static Temporaries files;
  return files;
}

void remove_temporary(const fs::path& path) noexcept {
  ::unlink(path.c_str());
  temporaries().forget(path);
}

void flush_folder(const fs::path& folder) {
  const Descriptor file(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) ::fsync(file.get());
}

}  // namespace

std::size_t committed_files() { return committed; }

void remove_temporary_files() noexcept { temporaries().remove_all(); }

void set_may_replace(const fs::path& target, bool allowed) { reserved().set(target, allowed); }

struct AtomicFiles::Stream::State {
  Descriptor file;
  fs::path target;
  Sha256 hash;
  std::size_t written;  ///< Index of the entry in `written_`.
  std::uint64_t bytes = 0;
};

AtomicFiles::~AtomicFiles() {
  for (const Pending& file : pending_) remove_temporary(file.temporary);
}

void AtomicFiles::clear_leftovers(const fs::path& folder) {
  if (!cleared_.insert(folder).second) return;
  const std::string here = machine();
  std::error_code problem;
  fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem))
    if (is_leftover(entry->path().filename().string(), here)) ::unlink(entry->path().c_str());
}

int AtomicFiles::make_temporary(const fs::path& target) {
  clear_leftovers(target.parent_path());
  pending_.push_back({{}, target, is_there(target)});
  std::string name;
  int file = -1;
  try {
    name = temporary_name(target);
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) throw write_error(target);
    pending_.back().temporary = name;
    temporaries().add(name);
  } catch (...) {
    // Memory may run out between the making of the file and the note of it.
    if (file >= 0) ::unlink(name.c_str()), ::close(file);
    pending_.pop_back();
    throw;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file, 0666 & ~mask);
  return file;
}

void AtomicFiles::add(const fs::path& target, std::span<const std::byte> bytes) {
  const Descriptor file(make_temporary(target));
  written_.push_back({target, sha256_hex(bytes), bytes.size()});
  write_all(file.get(), bytes, target);
  flush(file.get(), target);
}

void AtomicFiles::add(const fs::path& target, std::string_view text) {
  add(target, std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFiles::Stream::write(std::span<const std::byte> bytes) {
  write_all(state_->file.get(), bytes, state_->target);
  state_->hash.update(bytes);
  state_->bytes += bytes.size();
}

AtomicFiles::Stream AtomicFiles::open(const fs::path& target) {
  const int descriptor = make_temporary(target);
  auto state = std::shared_ptr<Stream::State>(new Stream::State{Descriptor(descriptor), target, {}, written_.size()});
  written_.push_back({target, "", 0});
  streams_.push_back(state);
  return Stream(std::move(state));
}

void AtomicFiles::close_streams() {
  for (const auto& stream : streams_) {
    flush(stream->file.get(), stream->target);
    written_[stream->written].sha256 = stream->hash.hex();
    written_[stream->written].bytes = stream->bytes;
  }
  streams_.clear();
}

void AtomicFiles::undo(std::size_t moved) {
  for (std::size_t i = moved; i-- > 0;) {
    Pending& file = pending_[i];
    if (!file.old.empty()) ::rename(file.old.c_str(), file.target.c_str());
    else if (!file.was_there) ::unlink(file.target.c_str());
  }
  for (const Pending& file : pending_) remove_temporary(file.temporary);
  pending_.clear();
}

void AtomicFiles::commit() {
  close_streams();
  // All that needs memory comes before the first move: it may run out, and must not leave half of the files moved.
  for (Pending& file : pending_) {
    file.replaces = (file.was_there || newcomer_ == Newcomer::kReplaced) && !reserved().has(file.target);
    if (file.replaces && pending_.size() > 1) file.old = file.temporary.string() + "-old";
  }
  const fs::path folder = pending_.empty() ? fs::path() : pending_.back().target.parent_path();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    Pending& file = pending_[i];
    if (!file.old.empty() && ::link(file.target.c_str(), file.old.c_str()) != 0) file.old.clear();
    const bool moved = file.replaces ? ::rename(file.temporary.c_str(), file.target.c_str()) == 0
                                     : move_to_new(file.temporary, file.target);
    if (moved) continue;
    const int reason = errno;
    if (!file.old.empty()) ::unlink(file.old.c_str());
    const fs::path target = std::move(file.target);
    undo(i);
    errno = reason;
    throw Error(
        reason == EEXIST
            ? fmt::format("{} already exists: it appeared after this job began. Nothing was changed.", target.string())
            : fmt::format("Cannot move {} into place: {}. Nothing was changed.", target.string(), system_reason()));
  }
  committed += pending_.size();
  for (const Pending& file : pending_) {
    temporaries().forget(file.temporary);
    if (!file.old.empty()) ::unlink(file.old.c_str());
  }
  if (!pending_.empty()) flush_folder(folder);
  pending_.clear();
  for (const fs::path& path : obsolete_) ::unlink(path.c_str());
  obsolete_.clear();
}

}  // namespace sinew::io
