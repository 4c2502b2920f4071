// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/grades.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/check/check.h"

namespace sinew::studio {
namespace {

constexpr std::size_t kMostReasons = 3;
constexpr auto kLook = std::chrono::milliseconds(100);  // How often a waiting grader looks whether it may go on.

/// What made the verdict, the worst first.
std::string reasons(const pipeline::CheckResult& result) {
  std::string text;
  std::size_t count = 0;
  for (const pipeline::CheckRow& row : result.rows) {
    if (row.verdict == pipeline::CheckVerdict::kPass || count == kMostReasons) continue;
    text += fmt::format("{}{} {}: {}", text.empty() ? "" : "\n", pipeline::verdict_name(row.verdict), row.kind->title,
                        pipeline::check_value_text(row.value, row.kind->unit));
    ++count;
  }
  return text;
}

const char* state_name(FileGrade::State state) {
  constexpr std::array names = {"waiting", "checking", "graded", "bare", "unreadable"};
  return names[static_cast<std::size_t>(state)];
}

}  // namespace

FileGrade grade_file(const std::filesystem::path& path, const Progress& progress) {
  using State = FileGrade::State;
  try {
    const io::Asset asset = io::load(path, {}, progress);
    if (!pipeline::has_rig(asset.character))
      return {State::kBare, "", "The file has no rig. It is rigged when it is opened."};
    const pipeline::CheckResult result = pipeline::check(asset.character, pipeline::check_profile("game"), progress);
    return {State::kGraded, std::string(pipeline::verdict_name(result.verdict)), reasons(result)};
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& problem) {
    return {State::kUnreadable, "", problem.what()};
  } catch (const std::bad_alloc&) {
    return {State::kUnreadable, "", "There is not enough memory for this file."};
  } catch (const std::exception& problem) {
    return {State::kUnreadable, "", fmt::format("Internal error: {}.", problem.what())};
  }
}

Grades::Grades(std::vector<std::filesystem::path> files, std::function<void(const Json&)> changed,
               std::function<bool()> busy)
    : files_(std::move(files)), changed_(std::move(changed)), busy_(std::move(busy)), grades_(files_.size()) {
  for (std::size_t file = 0; file < files_.size(); ++file) lane_.post([this, file] { grade(file); });
}

Grades::~Grades() { progress_.cancel(); }

FileGrade Grades::at(std::size_t file) const {
  const std::lock_guard lock(mutex_);
  return grades_.at(file);
}

Json Grades::json(std::size_t file) const {
  const std::lock_guard lock(mutex_);
  const FileGrade& grade = grades_.at(file);
  return {{"file", file},
          {"state", state_name(grade.state)},
          {"verdict", grade.verdict},
          {"text", grade.text},
          {"done", done_},
          {"of", files_.size()}};
}

void Grades::grade(std::size_t file) {
  while (busy_() && !progress_.cancelled()) std::this_thread::sleep_for(kLook);
  if (progress_.cancelled()) return;
  set(file, {FileGrade::State::kChecking, "", ""});
  try {
    set(file, grade_file(files_[file], progress_));
  } catch (const Cancelled&) {
    // The studio closes.
  }
}

void Grades::set(std::size_t file, FileGrade grade) {
  {
    const std::lock_guard lock(mutex_);
    if (grade.state != FileGrade::State::kChecking) ++done_;
    grades_[file] = std::move(grade);
  }
  changed_(json(file));
}

}  // namespace sinew::studio
