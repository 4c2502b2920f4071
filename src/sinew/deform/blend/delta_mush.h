// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <optional>

#include "sinew/deform/deformer.h"
#include "sinew/deform/pose_limits.h"

namespace sinew::deform {

struct DeltaMushOptions {
  bool enabled = false;
  int rounds = 5;
  double strength = 0.5;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("delta_mush", "Smooth the deformed surface and restore its detail (delta mush)."), self.enabled);
    v(Field("delta_mush_rounds", "Rounds of smoothing. More rounds reach further and flatten more.").range(1, 200),
      self.rounds);
    v(Field("delta_mush_strength", "How far a vertex moves towards the mean of its neighbours in one round.")
          .range(0, 1),
      self.strength);
  }
};

/// Applies delta mush after another deformer: J. Mancewicz, M. Derksen, H. Rijpkema, C. Wilson, "Delta Mush: smoothing
/// deformations while preserving detail", 2014. The rest surface is smoothed once, and the lost detail is stored per
/// vertex in a frame of the smoothed surface. Each frame smooths the deformed surface in the same way and adds the
/// detail again. Each round moves a vertex towards the mean of its ring by `strength`.
///
/// The method works on welded vertices, so seams are closed in the result, even where the deformer opened them. The
/// rest pose gives the rest surface, and a rigid motion moves it rigidly. Normals rotate with the frames, so creases
/// stay. Active morphs count as part of the rest surface. A vertex whose ring spans no plane, because it is isolated or
/// collapsed in a frame, stays where the deformer puts it. Linear in edges and rounds. `limits` reduce by the pose how
/// far vertices move: a factor of 0 leaves a vertex where the deformer puts it.
std::unique_ptr<Deformer> bind_delta_mush(std::unique_ptr<Deformer> inner, const Rig& rig,
                                          const DeltaMushOptions& options, const Progress& progress = {},
                                          std::optional<PoseLimits> limits = {});

}  // namespace sinew::deform
