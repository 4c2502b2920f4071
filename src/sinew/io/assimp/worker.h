// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Work that may die, in a process of its own: whatever it does to itself, the caller gets its result or a sentence.

#include <cstdint>
#include <functional>
#include <string>

#include "sinew/core/progress.h"
#include "sinew/io/file.h"

namespace sinew::io {

struct WorkerLimits {
  double wall_s = 60;                                       ///< The worker is killed after this long.
  double cpu_s = 60;                                        ///< Of computing; rounded up to whole seconds.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;      ///< Beyond what the caller has mapped when it starts.
  std::uint64_t max_result_bytes = std::uint64_t{1} << 30;  ///< A worker that says more is taken for broken.
};

/// What a file of that size may cost: 1 GiB and 64 times the file, at most 32 GiB; a minute of computing and 5 s for
/// each MiB, twice that by the clock.
WorkerLimits limits_for_file(std::uint64_t file_bytes);

/// Forks, runs `job` in the child, and returns what it returned. An Error that the job throws is thrown here. The child
/// cannot write files, hears nothing from and says nothing to the terminal, and is gone when this returns. The job must
/// not use other threads of the program, nor locks that they may hold; it may allocate.
///
/// The memory limit is not set in builds with sanitizers, which map far more than they use.
/// \param who begins the sentences: "Assimp, which reads this format,".
/// \throws Error when the job crashes, ends early, runs out of time or memory, or says too much; Cancelled as soon as
/// `progress` is cancelled.
Bytes run_worker(const std::string& who, const std::function<Bytes()>& job, const WorkerLimits& limits,
                 const Progress& progress = {});

/// The hidden first argument with which a program is started as a worker.
constexpr const char* kWorkerVerb = "--serve-reader";

/// The program that can be started as a worker: one that calls `serve_reader` if its first argument is `kWorkerVerb`.
/// Call it before other threads run. Without such a program, as in a library inside another program, readers fork,
/// which is safe as long as no other thread of the program holds a lock that the reader needs.
void set_worker_program(const std::string& path);
bool has_worker_program();

/// As `run_worker`, but starts the program of `set_worker_program` by `posix_spawn` and hands it `request`. \throws as
/// `run_worker`, or Error if the program cannot be started.
Bytes run_worker_program(const std::string& who, const Bytes& request, const WorkerLimits& limits,
                         const Progress& progress = {});

/// The other end of `run_worker_program`: reads the request, runs the job within the limits, and ends the process.
[[noreturn]] void serve_worker(const std::function<Bytes(const Bytes& request)>& job);

}  // namespace sinew::io
