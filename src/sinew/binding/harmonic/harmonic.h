// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/binder.h"
#include "sinew/binding/pinned.h"

namespace sinew::binding {

/// Options of the method harmonic.
struct HarmonicOptions {
  int resolution = 64;
  double focus = 3;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("solid_resolution",
            "Voxels along the longest side of the mesh. Fewer are used where they would be more than 20,000 in all.")
          .range(16, 160),
      self.resolution);
    v(Field("bone_focus",
            "How much better the body conducts near bones. 0 gives harmonic weights, which hardly leave the bones; "
            "larger values keep wider parts around a bone with it.")
          .range(0, 4),
      self.focus);
  }
};

/// The binder `harmonic`: quasi-harmonic weights inside the body. Each joint's weight w solves div(σ ∇w) = 0 in the
/// solid voxels of the mesh (`geometry::solid_voxels`), is 1 along its own bones and 0 along those of others, and no
/// flux leaves the skin. The equation is of second order, and its matrix on voxels an M-matrix, so that weights are
/// within [0, 1], sum to 1 and have no extrema away from bones, without any constraint: after Y. Wang, J. Solomon,
/// "Fast quasi-harmonic weights for geometric data interpolation", 2021.
///
/// Their method optimises a tensor σ for smoothness, which takes dozens of solves. This one does not: σ is a number,
/// d^−focus, where d is the distance to the nearest bone inside the body. Around a straight bone w then leaves 1 like
/// d^focus: from 2 on it is smooth on the bone, as biharmonic weights are, where a harmonic function (σ = 1) has a
/// spike that is as thin as the voxels. On 11 painted characters a focus of 0, 1, 2, 3, 4 is 0.239, 0.217, 0.205,
/// 0.199, 0.197 from the artists in half L1, and 3 is the nearest in poses. Steps between surfaces that only come near
/// are closed (`geometry::VoxelLeaks`).
///
/// `pins` are boundary values as well, at the voxels of their vertices, and come out unchanged. Rows are interpolated
/// between voxels. Shells that nothing solid connects to a bone conduct from what they sit on, across a thin layer. One
/// sparse LDLᵀ of at most 20,000 voxels for all joints. The same bytes for any number of threads. \throws Error if no
/// joint is bound or the mesh has no faces; Cancelled.
BindResult bind_quasi_harmonic(const Subject& subject, const HarmonicOptions& options,
                               const std::vector<PinnedRow>& pins, const BindOptions& common = {},
                               const Progress& progress = {});
BindResult bind_by_harmonics(const Subject& subject, const HarmonicOptions& options = {},
                             const BindOptions& common = {}, const Progress& progress = {});

BinderMethod harmonic_method();
PinnedBinderMethod pinned_harmonic_method();

}  // namespace sinew::binding
