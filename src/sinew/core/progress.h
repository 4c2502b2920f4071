// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

namespace sinew {

/// A cheap handle through which a long job reports its progress and learns that it should stop. Copies share one state,
/// so any thread may call `cancel()`. A default-constructed handle has no listener, but can be cancelled.
class Progress {
 public:
  using Listener = std::function<void(std::string_view stage, double fraction)>;

  Progress() = default;
  explicit Progress(Listener listener);

  /// Notifies the listener: `stage` is a few words, `fraction` is in [0, 1]. \throws Cancelled after `cancel()`.
  void step(std::string_view stage, double fraction = 0.0) const;

  /// \throws Cancelled after `cancel()`. Call it in every long loop.
  void check() const;

  void cancel() const { state_->cancelled.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return state_->cancelled.load(std::memory_order_relaxed); }

  /// The lock-free flag, for use in a signal handler.
  std::atomic<bool>& cancel_flag() const { return state_->cancelled; }

 private:
  struct State {
    std::atomic<bool> cancelled{false};
    Listener listener;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace sinew
