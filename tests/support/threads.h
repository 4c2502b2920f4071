// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/parallel.h"

namespace sinew::test {

/// Sets the number of threads for one scope.
class Threads {
 public:
  explicit Threads(int count) { set_thread_count(count); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { set_thread_count(0); }
};

}  // namespace sinew::test
