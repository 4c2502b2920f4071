// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Preloaded into a program: makes the n-th call that changes files fail (SINEW_FAIL_AT=n), by an error of the system
// or, with SINEW_FAIL_HOW=kill, by the end of the process. SINEW_FAIL_LOG names a file that is made when it happens.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<long> calls = 0;

// True if this call is the one that fails.
bool fails() {
  static const char* const at = getenv("SINEW_FAIL_AT");
  if (at == nullptr || ++calls != atol(at)) return false;
  if (const char* log = getenv("SINEW_FAIL_LOG"))
    syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, log, O_CREAT | O_WRONLY, 0600));
  const char* const how = getenv("SINEW_FAIL_HOW");
  if (how != nullptr && strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  errno = ENOSPC;
  return true;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int mkostemp(char* name, int flags) {
  static const auto real = next<int (*)(char*, int)>("mkostemp");
  return fails() ? -1 : real(name, flags);
}

int mkostemp64(char* name, int flags) { return mkostemp(name, flags); }

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (file <= 2) return real(file, bytes, count);
  // Not only nothing, but also half: a short write is no error.
  if (fails()) return -1;
  return real(file, bytes, count > 4096 ? count / 2 : count);
}

int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  return fails() ? -1 : real(file);
}

int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails() ? -1 : real(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static const auto real = next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  return fails() ? -1 : real(from_folder, from, to_folder, to, flags);
}

int link(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("link");
  return fails() ? -1 : real(from, to);
}

int unlink(const char* path) {
  static const auto real = next<int (*)(const char*)>("unlink");
  return fails() ? -1 : real(path);
}

int mkdir(const char* path, mode_t mode) {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  return fails() ? -1 : real(path, mode);
}

}  // extern "C"
