// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/json.h"

namespace sinew {

/// A file that a run read or wrote.
struct ReportFile {
  std::string path;
  std::string sha256;
  std::uint64_t bytes = 0;
};

/// A case that a method could not handle, and what was done instead.
struct Fallback {
  std::string code;    ///< "weights.empty_row"
  std::string method;  ///< The method that was used instead.
  std::uint64_t count = 0;
  std::string text;
};

/// The report of a run: text for people and JSON for machines. Only `timing` may differ between two equal runs, and
/// `to_json()` can be passed back as a configuration.
struct Report {
  static constexpr int kSchema = 1;

  enum class Status {
    kDone,        ///< Exit code 0.
    kIncomplete,  ///< The result is not what was requested. Exit code 1.
    kUnreadable,  ///< The same, and some of several inputs could not be read. Exit code 2.
  };

  std::string command;
  Json options = Json::object();
  std::vector<ReportFile> inputs;
  std::vector<ReportFile> outputs;
  Status status = Status::kDone;
  Findings warnings;
  std::vector<Fallback> fallbacks;
  Json metrics = Json::object();
  Json timing = Json::object();
  std::string text;  ///< The text for people; not part of the JSON.
  std::string next;  ///< The next useful command. It is printed as the last line.

  void warn(std::string code, std::string where, std::string text) {
    warnings.push_back({std::move(code), std::move(where), std::move(text)});
  }
  void warn(const Findings& findings) { warnings.insert(warnings.end(), findings.begin(), findings.end()); }

  Json to_json() const;
};

/// Adds its lifetime in seconds to `report.timing[stage]`. Results never depend on it.
class StageTimer {
 public:
  StageTimer(Report& report, std::string stage) : report_(report), stage_(std::move(stage)) {}
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer();

 private:
  Report& report_;
  std::string stage_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace sinew
