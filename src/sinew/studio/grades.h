// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Grades of the files that the studio lists: what `sinew check` with the profile `game` finds of each.

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/progress.h"
#include "sinew/studio/lane.h"

namespace sinew::studio {

/// The grade of one file.
struct FileGrade {
  enum class State {
    kWaiting,
    kChecking,
    kGraded,      ///< `verdict` holds.
    kBare,        ///< There is no rig to check.
    kUnreadable,  ///< `text` tells why.
  };

  State state = State::kWaiting;
  std::string verdict;  ///< "PASS", "CHECK" or "FAIL".
  std::string text;     ///< The worst findings, or the reason.
};

/// Reads a file and checks it, as `sinew check` does. Never throws but Cancelled: a file that cannot be read has that
/// as its grade.
FileGrade grade_file(const std::filesystem::path& path, const Progress& progress = {});

/// Grades files one after another in a thread of its own. What was found is kept. Ends soon when it is destroyed.
class Grades {
 public:
  /// `changed` is called from the thread with a grade that changed, as `json` gives it. `busy`: the next file waits
  /// while this returns true.
  Grades(std::vector<std::filesystem::path> files, std::function<void(const Json& grade)> changed,
         std::function<bool()> busy);
  ~Grades();

  std::size_t size() const { return files_.size(); }
  FileGrade at(std::size_t file) const;
  /// {file, state, verdict, text, done, of}: for the page.
  Json json(std::size_t file) const;

 private:
  void grade(std::size_t file);
  void set(std::size_t file, FileGrade grade);

  const std::vector<std::filesystem::path> files_;
  std::function<void(const Json&)> changed_;
  std::function<bool()> busy_;
  Progress progress_;
  mutable std::mutex mutex_;
  std::vector<FileGrade> grades_;
  std::size_t done_ = 0;
  Lane lane_;  ///< Last, so that it ends first.
};

}  // namespace sinew::studio
