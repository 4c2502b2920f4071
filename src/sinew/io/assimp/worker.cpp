// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/assimp/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "sinew/core/error.h"
#include "sinew/io/text/text_scanner.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SINEW_WORKER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SINEW_WORKER_SANITIZED 1
#endif
#endif

namespace sinew::io {
namespace {

using WorkerClock = std::chrono::steady_clock;

// What the child says: one of these, the length of the rest, the rest.
enum class Verdict : std::uint8_t { kResult = 1, kError = 2, kOutOfMemory = 3 };
constexpr std::size_t kHeaderBytes = 1 + sizeof(std::uint64_t);

std::string reason_of(int error) { return std::generic_category().message(error); }

// The words of a job, which may quote a broken file: one line of text that any terminal and JSON can take.
std::string one_line(std::string_view words) {
  constexpr std::size_t kMost = 600;
  const bool cut = words.size() > kMost;
  words = words.substr(0, kMost);
  if (cut)  // Not inside a character.
    while (!words.empty() && (static_cast<unsigned char>(words.back()) & 0x80U) != 0) words.remove_suffix(1);
  std::string text = to_utf8(words);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  return cut ? text + " …" : text;
}

// Address space of this process, without allocating.
[[maybe_unused]] std::uint64_t mapped_bytes() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 64> text{};
  const ssize_t got = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  return got > 0 ? std::strtoull(text.data(), nullptr, 10) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void set_limit(__rlimit_resource which, std::uint64_t value, std::uint64_t grace = 0) {
  const rlimit limit = {value, value + grace};
  ::setrlimit(which, &limit);
}

void confine(const WorkerLimits& limits) {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, 0);
  // The first limit sends a signal that tells what it is about, the second one kills.
  set_limit(RLIMIT_CPU, static_cast<std::uint64_t>(std::max(1.0, std::ceil(limits.cpu_s))), 5);
#ifndef SINEW_WORKER_SANITIZED
  set_limit(RLIMIT_AS, mapped_bytes() + limits.memory_bytes);
#endif
}

bool say(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t wrote = ::write(fd, at, std::min(size, std::size_t{1} << 20));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    at += wrote;
    size -= static_cast<std::size_t>(wrote);
  }
  return true;
}

void say_verdict(int fd, Verdict verdict, const void* data, std::uint64_t size) {
  say(fd, &verdict, 1) && say(fd, &size, sizeof size) && say(fd, data, size);
}

// Runs a job and tells the result. \pre the descriptor 3 is the pipe to the parent.
[[noreturn]] void serve(const std::function<Bytes()>& job, const WorkerLimits& limits) {
  confine(limits);
  // The last reserve, so that a sentence can be said when memory has run out.
  void* reserve = std::malloc(1 << 16);
  try {
    const Bytes result = job();
    say_verdict(3, Verdict::kResult, result.data(), result.size());
  } catch (const Error& error) {
    say_verdict(3, Verdict::kError, error.what(), std::strlen(error.what()));
  } catch (const std::bad_alloc&) {
    std::free(reserve);
    say_verdict(3, Verdict::kOutOfMemory, nullptr, 0);
  } catch (const std::exception& error) {
    const std::string text = fmt::format("It cannot be read: {}.", error.what());
    say_verdict(3, Verdict::kError, text.data(), text.size());
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

// The child must not outlive the program that waits for it.
void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

// All that a forked child does. Handlers of the program and of test frames must not answer for it.
[[noreturn]] void child(int fd, const std::function<Bytes()>& job, const WorkerLimits& limits, pid_t parent) {
  die_with(parent);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGXCPU, SIGPIPE})
    ::signal(number, SIG_DFL);
  // Ctrl-C reaches the whole group; the caller decides what it means.
  ::signal(SIGINT, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) ::dup2(nothing, standard);
  ::dup2(fd, 3);
  ::close_range(4, ~0U, 0);
  serve(job, limits);
}

/// What a started program gets before its task.
struct RequestHead {
  std::int64_t parent = 0;
  WorkerLimits limits;
};

struct WorkerDescriptor {
  int fd = -1;
  WorkerDescriptor() = default;
  WorkerDescriptor(const WorkerDescriptor&) = delete;
  WorkerDescriptor& operator=(const WorkerDescriptor&) = delete;
  ~WorkerDescriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// A file without a name that holds the request.
void fill_request(WorkerDescriptor& file, const std::string& who, const Bytes& request, const WorkerLimits& limits) {
  file.fd = ::memfd_create("sinew-request", MFD_CLOEXEC);
  const RequestHead head = {static_cast<std::int64_t>(::getpid()), limits};
  if (file.fd < 0 || !say(file.fd, &head, sizeof head) || !say(file.fd, request.data(), request.size()) ||
      ::lseek(file.fd, 0, SEEK_SET) != 0)
    throw Error(fmt::format("{} could not be started: {}.", who, reason_of(errno)));
}

int spawn_worker(const std::string& program, int request, int result, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  // To numbers above all that are used below first, because one of these could be an argument.
  constexpr int kRequest = 100, kResult = 101;
  ::posix_spawn_file_actions_adddup2(&actions, request, kRequest);
  ::posix_spawn_file_actions_adddup2(&actions, result, kResult);
  ::posix_spawn_file_actions_adddup2(&actions, kRequest, 0);
  ::posix_spawn_file_actions_adddup2(&actions, kResult, 3);
  for (const int standard : {1, 2}) ::posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigemptyset(&all);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGXCPU, SIGPIPE})
    ::sigaddset(&all, number);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string name = "sinew", verb = kWorkerVerb;
  char* arguments[] = {name.data(), verb.data(), nullptr};
  const int problem = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return problem;
}

std::string& program_path() {
  static std::string path;
  return path;
}

class Worker {
 public:
  Worker(const std::string& who, const std::function<Bytes()>& job, const WorkerLimits& limits)
      : who_(who), limits_(limits), begin_(WorkerClock::now()) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw Error(fmt::format("{} could not be started: {}.", who, reason_of(errno)));
    const pid_t self = ::getpid();
    // Text that waits in the streams belongs to the parent; the child leaves without writing it.
    pid_ = ::fork();
    if (pid_ == 0) child(ends[1], job, limits, self);
    const int error = errno;
    ::close(ends[1]);
    fd_ = ends[0];
    if (pid_ < 0) {
      ::close(fd_);
      throw Error(fmt::format("{} could not be started: {}.", who, reason_of(error)));
    }
  }
  Worker(const std::string& who, const std::string& program, const Bytes& request, const WorkerLimits& limits)
      : who_(who), limits_(limits), begin_(WorkerClock::now()) {
    WorkerDescriptor file, writing;
    fill_request(file, who, request, limits);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw Error(fmt::format("{} could not be started: {}.", who, reason_of(errno)));
    writing.fd = ends[1];
    fd_ = ends[0];
    if (const int problem = spawn_worker(program, file.fd, writing.fd, pid_); problem != 0) {
      ::close(fd_);
      throw Error(fmt::format("{} could not be started: {}.", who, reason_of(problem)));
    }
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    ::close(fd_);
    if (!ended_) end();
  }

  Bytes result(const Progress& progress) {
    Bytes message;
    std::uint64_t expected = kHeaderBytes;
    while (message.size() < expected && receive(message, expected, progress)) {
      if (message.size() < kHeaderBytes || expected > kHeaderBytes) continue;
      std::uint64_t size = 0;
      std::memcpy(&size, message.data() + 1, sizeof size);
      if (size > limits_.max_result_bytes)
        throw Error(fmt::format("{} produced more than {} MiB from the file, which is more than any character needs.",
                                who_, limits_.max_result_bytes >> 20));
      expected += size;
    }
    if (message.size() < expected) throw Error(last_words());
    const auto verdict = static_cast<Verdict>(message.front());
    message.erase(message.begin(), message.begin() + kHeaderBytes);
    if (verdict == Verdict::kOutOfMemory) throw Error(memory_sentence());
    if (verdict == Verdict::kError) throw Error(one_line(as_text(message)));
    if (verdict != Verdict::kResult) throw Error(last_words());
    return message;
  }

 private:
  double elapsed_s() const { return std::chrono::duration<double>(WorkerClock::now() - begin_).count(); }

  std::string time_sentence(double limit) const {
    return fmt::format("{} did not finish within {:g} s and was stopped.", who_, limit);
  }
  std::string memory_sentence() const {
    return fmt::format("{} needed more memory for the file than the {} MiB that it may use.", who_,
                       limits_.memory_bytes >> 20);
  }

  // Takes what there is; false at the end of the stream. Never asks for more than is expected.
  bool receive(Bytes& message, std::uint64_t expected, const Progress& progress) {
    progress.check();
    if (elapsed_s() > limits_.wall_s) throw Error(time_sentence(limits_.wall_s));
    pollfd wait = {fd_, POLLIN, 0};
    if (::poll(&wait, 1, 20) <= 0) return true;
    const std::size_t have = message.size();
    message.resize(have + std::min<std::uint64_t>(expected - have, std::uint64_t{1} << 20));
    const ssize_t got = ::read(fd_, message.data() + have, message.size() - have);
    message.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
  }

  // Kills it if it still runs, and takes its status.
  int end() {
    ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    return status;
  }

  // Why the stream ended too early. The child is dying or dead; it gets a moment to finish that by itself.
  std::string last_words() {
    int status = 0;
    pid_t reaped = 0;
    for (int turn = 0; turn < 1000 && (reaped = ::waitpid(pid_, &status, WNOHANG)) == 0; ++turn)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (reaped == 0) status = end();
    ended_ = true;
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (number == SIGXCPU) return time_sentence(limits_.cpu_s);
    if (number == SIGKILL) return fmt::format("{} was killed by the system, most likely because memory ran out.", who_);
    if (number != 0)
      return fmt::format(
          "{} crashed on the file ({}). The file may be damaged; another program may be able to open "
          "it and save it again.",
          who_, ::strsignal(number));
    return fmt::format("{} stopped without a result. The file may be damaged.", who_);
  }

  std::string who_;
  WorkerLimits limits_;
  WorkerClock::time_point begin_;
  pid_t pid_ = -1;
  int fd_ = -1;
  bool ended_ = false;
};

}  // namespace

WorkerLimits limits_for_file(std::uint64_t file_bytes) {
  WorkerLimits limits;
  limits.memory_bytes = std::min((std::uint64_t{1} << 30) + 64 * file_bytes, std::uint64_t{32} << 30);
  limits.max_result_bytes = limits.memory_bytes;
  limits.cpu_s = 60 + 5 * static_cast<double>(file_bytes) / (1 << 20);
  limits.wall_s = 2 * limits.cpu_s;
  return limits;
}

Bytes run_worker(const std::string& who, const std::function<Bytes()>& job, const WorkerLimits& limits,
                 const Progress& progress) {
  progress.check();
  return Worker(who, job, limits).result(progress);
}

Bytes run_worker_program(const std::string& who, const Bytes& request, const WorkerLimits& limits,
                         const Progress& progress) {
  progress.check();
  return Worker(who, program_path(), request, limits).result(progress);
}

void set_worker_program(const std::string& path) { program_path() = path; }

bool has_worker_program() { return !program_path().empty(); }

void serve_worker(const std::function<Bytes(const Bytes& request)>& job) {
  // Ctrl-C reaches the whole group; the caller decides what it means.
  ::signal(SIGINT, SIG_IGN);
  RequestHead head;
  Bytes request;
  struct stat status = {};
  if (::fstat(0, &status) != 0 || static_cast<std::size_t>(status.st_size) < sizeof head ||
      ::pread(0, &head, sizeof head, 0) != static_cast<ssize_t>(sizeof head))
    ::_exit(1);
  die_with(static_cast<pid_t>(head.parent));
  request.resize(static_cast<std::size_t>(status.st_size) - sizeof head);
  for (std::size_t at = 0; at < request.size();) {
    const ssize_t got = ::pread(0, request.data() + at, request.size() - at, static_cast<off_t>(sizeof head + at));
    if (got <= 0) ::_exit(1);
    at += static_cast<std::size_t>(got);
  }
  serve([&] { return job(request); }, head.limits);
}

}  // namespace sinew::io
