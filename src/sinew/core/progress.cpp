// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/progress.h"

#include "sinew/core/error.h"

namespace sinew {

Progress::Progress(Listener listener) { state_->listener = std::move(listener); }

void Progress::step(std::string_view stage, double fraction) const {
  check();
  if (state_->listener) state_->listener(stage, fraction);
}

void Progress::check() const {
  if (cancelled()) throw Cancelled();
}

}  // namespace sinew
