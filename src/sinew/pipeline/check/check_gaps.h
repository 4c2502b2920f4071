// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/pipeline/check/check_parts.h"

namespace sinew::pipeline {

/// Places where two shells touch at rest and belong together: the skeleton connects them there by a short way. A hand
/// that hangs against a trouser leg touches it too, but comes away when the arm is raised, and is left out.
class ShellGaps {
 public:
  /// Vertices times bones; nothing for a single shell. \pre the input has a skin.
  explicit ShellGaps(const CheckInput& input);

  /// How far the shells come apart at most, relative to the size. `posed` has one entry per vertex. Linear.
  double widest_rel(const std::vector<Vec3>& posed) const;

 private:
  struct Link {
    Index a = 0, b = 0;
    double length = 0;
  };
  std::vector<Link> links_;
  double size_ = 0;
};

}  // namespace sinew::pipeline
