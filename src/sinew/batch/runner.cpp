// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/batch/runner.h"

#include <fmt/format.h>

#include <chrono>
#include <list>
#include <memory>
#include <thread>

#include "sinew/batch/claims.h"
#include "sinew/batch/row_run.h"
#include "sinew/core/error.h"
#include "sinew/io/file.h"

namespace sinew::batch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(5);
constexpr auto kRenewal = std::chrono::seconds(5);

// The hash of an input, or why it cannot be read: that is a result as well.
std::string hash_of(const Row& row) {
  try {
    return io::describe(row.input, io::read_file(row.input)).sha256;
  } catch (const Error&) {
    return "unreadable";
  }
}

class Runner {
 public:
  Runner(const Manifest& manifest, const BatchFolder& folder, const RunSettings& settings, const Progress& progress)
      : manifest_(manifest),
        folder_(folder),
        settings_(settings),
        progress_(progress),
        claims_(folder, settings.stale_s) {
    for (std::size_t i = settings.index; i < manifest.rows.size(); i += settings.of) ++all_;
  }
  ~Runner() {
    for (const auto& run : running_) claims_.release(run->row().name);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  RunCounts run() {
    claims_.clear_leftovers();
    for (std::size_t i = settings_.index; i < manifest_.rows.size(); i += settings_.of) {
      start(manifest_.rows[i]);
      while (running_.size() >= static_cast<std::size_t>(settings_.processes)) wait();
    }
    while (!running_.empty()) wait();
    return counts_;
  }

 private:
  void start(const Row& row) {
    progress_.check();
    const std::string key = row_key(manifest_, hash_of(row));
    if (is_done(folder_, row, key)) {
      ++counts_.skipped;
      return;
    }
    if (!claims_.take(row.name)) {
      ++counts_.held;
      return;
    }
    if (is_done(folder_, row, key)) {  // Done between the look and the claim.
      claims_.release(row.name);
      ++counts_.skipped;
      return;
    }
    try {
      running_.push_back(std::make_unique<RowRun>(manifest_, folder_, row, key, settings_.program, settings_.threads,
                                                  manifest_.thumbnails));
    } catch (...) {
      claims_.release(row.name);
      throw;
    }
  }

  void wait() {
    for (auto it = running_.begin(); it != running_.end();) {
      if (!(*it)->poll()) {
        ++it;
        continue;
      }
      claims_.release((*it)->row().name);
      it = running_.erase(it);
      ++counts_.done;
      show();
    }
    if (Clock::now() - renewed_ > kRenewal) {
      for (const auto& run : running_) claims_.renew(run->row().name);
      renewed_ = Clock::now();
    }
    progress_.check();
    std::this_thread::sleep_for(kPause);
  }

  void show() const {
    const std::chrono::duration<double> used = Clock::now() - started_;
    const std::size_t ended = counts_.done + counts_.skipped + counts_.held;
    const double rate = static_cast<double>(counts_.done) / used.count();
    const double left_s = rate > 0 ? static_cast<double>(all_ - ended) / rate : 0;
    progress_.step(fmt::format("row {} of {}, {:.2f} a second, {:.0f} s left", ended, all_, rate, left_s),
                   static_cast<double>(ended) / static_cast<double>(std::max<std::size_t>(all_, 1)));
  }

  const Manifest& manifest_;
  const BatchFolder& folder_;
  const RunSettings& settings_;
  const Progress& progress_;
  Claims claims_;
  std::list<std::unique_ptr<RowRun>> running_;
  RunCounts counts_;
  std::size_t all_ = 0;
  Clock::time_point started_ = Clock::now(), renewed_ = Clock::now();
};

}  // namespace

bool is_done(const BatchFolder& folder, const Row& row, const std::string& key) {
  const Json result = read_small_json(folder.result(row.name));
  if (!result.is_object() || result.value("key", "") != key) return false;
  for (const Json& output : result.value("outputs", Json::array())) {
    std::error_code problem;
    const auto bytes = std::filesystem::file_size(folder.output / output.value("file", ""), problem);
    if (problem || bytes != output.value("bytes", std::uint64_t{0})) return false;
  }
  return true;
}

RunCounts run_rows(const Manifest& manifest, const BatchFolder& folder, const RunSettings& settings,
                   const Progress& progress) {
  return Runner(manifest, folder, settings, progress).run();
}

}  // namespace sinew::batch
