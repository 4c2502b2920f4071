// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sinew::studio {

/// A thread that runs tasks one after another. Tasks handle their own exceptions.
class Lane {
 public:
  Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  /// Drops tasks that wait, and waits for the one that runs.
  ~Lane();

  void post(std::function<void()> task);
  /// Tasks that wait or run.
  std::size_t size() const;

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool busy_ = false;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace sinew::studio
