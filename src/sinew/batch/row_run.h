// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "sinew/batch/child.h"
#include "sinew/batch/manifest.h"

namespace sinew::batch {

/// The words of a row's status, from good to bad: "pass", "check" (look at it), "fail" (a gate or a doubtful result),
/// "error" (the input or the recipe is wrong), "died" (a signal, an internal error, too much time or memory).
int severity_of(const std::string& status);

/// Runs the recipe on one row, one step after the other. Steps write to a folder of this process; when all have ended,
/// their files move to the output, and last the result is written. A process that dies before leaves no result.
class RowRun {
 public:
  /// \pre the row is claimed. \throws Error if the first step cannot be started.
  RowRun(const Manifest& manifest, const BatchFolder& folder, const Row& row, std::string key,
         std::filesystem::path program, int threads, bool thumbnail);
  RowRun(const RowRun&) = delete;
  RowRun& operator=(const RowRun&) = delete;
  ~RowRun();

  const Row& row() const { return row_; }
  /// Goes on. True when the row is done.
  bool poll();
  const std::string& status() const { return status_; }

 private:
  void start_step();
  void end_step(const ChildEnd& end);
  void start_thumbnail();
  void finish();
  std::string without_scratch(std::string text) const;

  const Manifest& manifest_;
  const BatchFolder& folder_;
  Row row_;
  std::string key_;
  std::filesystem::path program_;
  int threads_;
  bool thumbnail_;        ///< Wanted.
  bool drawing_ = false;  ///< The steps are done, and the thumbnail is drawn.
  std::filesystem::path scratch_;
  std::size_t step_ = 0;
  std::unique_ptr<Child> child_;
  std::chrono::steady_clock::time_point start_;
  std::string status_ = "pass";
  Json steps_ = Json::array();
  double cpu_s_ = 0;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace sinew::batch
