// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

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

/// Puts delta mush behind another deformer: J. Mancewicz, M. Derksen, H. Rijpkema, C. Wilson, "Delta Mush: smoothing
/// deformations while preserving detail", 2014. The rest surface is smoothed once, and what was lost is kept per vertex
/// in a frame of the smoothed surface; each frame smooths the deformed surface in the same way and puts it back. Each
/// round moves a vertex towards the mean of its ring by `strength`.
///
/// Works on welded vertices, so seams are closed in the result, also where the deformer opened them. The rest pose
/// gives the rest surface, and a rigid motion moves it rigidly. Normals turn with the frames, so that creases stay.
/// Active morphs count as rest. A vertex whose ring spans no plane (isolated, or collapsed in a frame) stays where the
/// deformer puts it. Linear in the edges and rounds.
std::unique_ptr<Deformer> bind_delta_mush(std::unique_ptr<Deformer> inner, const Rig& rig,
                                          const DeltaMushOptions& options, const Progress& progress = {});

}  // namespace sinew::deform
