// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "memory_end.h"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

#include "sinew/jobs/job.h"
#include "sinew/jobs/temporary_files.h"

namespace sinew::app {
namespace {

// All that the end needs exists before: it must not allocate.
struct End {
  int code = 0;
  std::string json;
};
End* nothing_written = nullptr;
End* files_written = nullptr;
std::atomic<int> finished = -1;

void write_text(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

[[noreturn]] void on_terminate() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  // Where unwinding meets a function of a library that must not throw, such as a destructor of TBB at exit, the type is
  // not known yet.
  const bool unknown = type == nullptr && std::uncaught_exceptions() > 0;
  const bool memory =
      type != nullptr && (*type == typeid(std::bad_alloc) || *type == typeid(std::bad_array_new_length));
  if (finished >= 0 && (memory || unknown)) ::_exit(finished);
  if (!memory) std::abort();
  jobs::remove_temporary_files();
  const bool wrote = jobs::wrote_files();
  const End& end = wrote ? *files_written : *nothing_written;
  write_text(STDOUT_FILENO, end.json);
  write_text(STDERR_FILENO, "sinew: ");
  write_text(STDERR_FILENO, wrote ? kNoMemoryWroteFiles : kNoMemoryWroteNothing);
  write_text(STDERR_FILENO, "\n");
  ::_exit(end.code);
}

}  // namespace

void end_well_without_memory(int wrote_nothing, int wrote_files) {
  // Never deleted: values that live as long as the program are destroyed after this file's own.
  nothing_written = new End{wrote_nothing, {}};
  files_written = new End{wrote_files, {}};
  std::set_terminate(on_terminate);
}

void set_finished(int code) { finished = code; }

void set_memory_end_json(const std::string& wrote_nothing, const std::string& wrote_files) {
  nothing_written->json = wrote_nothing;
  files_written->json = wrote_files;
}

}  // namespace sinew::app
