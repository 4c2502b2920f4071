// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/reader_process.h"

#include <cstring>

#include "sinew/io/assimp/reader.h"

namespace sinew::jobs {

void use_own_program_as_reader(int argc, const char* const* argv) {
  if (argc == 2 && std::strcmp(argv[1], io::kWorkerVerb) == 0) io::serve_reader();
  // The link leads to the program even if its file was replaced meanwhile.
  io::set_worker_program("/proc/self/exe");
}

}  // namespace sinew::jobs
