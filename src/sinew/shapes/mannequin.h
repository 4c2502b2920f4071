// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/character.h"
#include "sinew/core/options.h"

namespace sinew::shapes {

struct MannequinOptions {
  double height = 1.75;
  int vertices = 10000;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("height", "Height of the figure.").in("m").range(0.01, 1000), self.height);
    v(Field("vertices", "About how many vertices.").range(4000, 1000000), self.vertices);
  }
};

/// A stylised clay figure of a person, for demonstrations and tests: one closed surface of quads, exactly mirror-symmetric, in a
/// relaxed A pose on the ground, with a skeleton of 19 joints, smooth weights of at most 4 influences, one material
/// and the clips "wave" (2 s, from rest to rest) and "walk" (1 s, in place, a loop).
/// Joint axes: +Y along the bone, +Z the axis elbows and knees bend about, the right side a true mirror of the left.
/// Linear in the vertices; the same bytes for any number of threads.
/// \throws Error if an option is out of range.
Character mannequin(const MannequinOptions& options = {});

}  // namespace sinew::shapes
