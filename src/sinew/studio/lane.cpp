// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/lane.h"

#include <utility>

namespace sinew::studio {

Lane::Lane() : thread_([this] { run(); }) {}

Lane::~Lane() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    tasks_.clear();
  }
  wake_.notify_all();
  thread_.join();
}

void Lane::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (ends_) return;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

std::size_t Lane::size() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size() + (busy_ ? 1 : 0);
}

void Lane::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
    if (ends_) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    busy_ = false;
  }
}

}  // namespace sinew::studio
