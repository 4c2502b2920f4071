// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Preloaded into a program: allocations fail from the n-th on (SINEW_FAIL_AT=n), either that one alone
// (SINEW_FAIL_HOW=once) or all that are as large (SINEW_FAIL_HOW=on). Only allocations of at least SINEW_FAIL_LEAST
// bytes count. SINEW_FAIL_LOG names a file that is made when it happens, or at the end of the program the number of
// allocations that counted if SINEW_FAIL_AT is 0.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

// The allocator of the C library, under names that this file does not take over.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

struct Plan {
  long at = 0;
  size_t least = 0;
  bool once = true;
  const char* log = nullptr;
  bool ready = false;
};

Plan plan;
std::atomic<long> counted = 0;

// Runs before the program's own code; what was allocated earlier never fails.
__attribute__((constructor)) void read_plan() {
  if (const char* at = getenv("SINEW_FAIL_AT")) plan.at = atol(at);
  if (const char* least = getenv("SINEW_FAIL_LEAST")) plan.least = static_cast<size_t>(atol(least));
  if (const char* how = getenv("SINEW_FAIL_HOW")) plan.once = strcmp(how, "once") == 0;
  plan.log = getenv("SINEW_FAIL_LOG");
  plan.ready = true;
}

void write_log(const char* text, size_t length) {
  if (plan.log == nullptr) return;
  const long file = syscall(SYS_openat, AT_FDCWD, plan.log, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
}

__attribute__((destructor)) void write_count() {
  if (!plan.ready || plan.at != 0) return;
  char text[32];
  const int length = snprintf(text, sizeof text, "%ld", counted.load());
  write_log(text, static_cast<size_t>(length));
}

bool fails(size_t size) {
  if (!plan.ready || size < plan.least) return false;
  const long number = ++counted;
  if (plan.at == 0 || number < plan.at || (plan.once && number > plan.at)) return false;
  if (number == plan.at) write_log("hit", 3);
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

void* malloc(size_t size) { return fails(size) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  // An overflowing product is left to the library, which refuses it.
  return fails(count * size) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) { return fails(size) ? nullptr : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return fails(size) ? nullptr : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, size_t alignment, size_t size) {
  void* const made = memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *result = made;
  return 0;
}

}  // extern "C"
