// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sinew::batch {

/// How a process ended.
struct ChildEnd {
  int exit = -1;   ///< Its code; −1 if a signal ended it.
  int signal = 0;  ///< That ended it.
  bool too_long = false;
  double cpu_s = 0;
  std::uint64_t peak_bytes = 0;
};

/// A process with limits, in a group of its own. It and all that it started end with the object.
class Child {
 public:
  /// Standard output and error go to files. It starts in `folder`, if one is given. \throws Error if it cannot be
  /// started.
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
        const std::filesystem::path& out, const std::filesystem::path& err, double time_s, std::uint64_t memory,
        const std::filesystem::path& folder = {});
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// How it ended, or nothing as long as it runs. Ends it when its time is over.
  std::optional<ChildEnd> poll();

 private:
  pid_t pid_ = -1;
  bool killed_ = false;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace sinew::batch
