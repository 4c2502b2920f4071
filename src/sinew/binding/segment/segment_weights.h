// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>

#include "sinew/binding/binder.h"
#include "sinew/binding/segment/segmentation.h"

namespace sinew::binding {

/// The formula by which the method segment weighs the joints of a bone and its neighbours.
enum class SegmentFormula { kLogOdds, kPaper };
constexpr auto option_words(SegmentFormula) { return std::array{"log-odds", "paper"}; }

/// Options of the method segment.
struct SegmentOptions {
  SegmentFormula formula = SegmentFormula::kLogOdds;
  double blend_width = 0.25;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("formula", "Formula for weights from the position along a bone: log-odds, or that of the paper."),
      self.formula);
    v(Field("blend_width", "How far weights blend across a joint (c in the paper). Larger values are softer.")
          .range(0.02, 2),
      self.blend_width);
  }
};

/// Weights from a segmentation of the subject. A vertex follows the joint of its segment, the joint before and the
/// joint after, with log-odds that are linear in its distance from either end.
///
/// Section 4 of S. Ramírez Flores, A. Susín, "Segmentation-based skinning", 2015. On a straight chain of equal bones
/// its normalised Gaussian of the place along each bone is exactly before : own : after = exp(−t/c²) : 1 :
/// exp(−(1−t)/c²) with t from 0 to 1 along the bone and c the `blend_width`. That form is kept for all bones (`formula`
/// log-odds): distances to the two ends are counted in the shorter of the bones that meet there, so that both sides of
/// a joint agree on one half each and a bone beside a much shorter one keeps nothing of it; t is held to [−1/2, 3/2];
/// an end segment counts in the length of the bone before it. Joints of side branches never get weight. `formula` paper
/// evaluates the Gaussian itself on the three bones, for comparison: between unequal bones it jumps.
///
/// Rows have at most three joints, and at most `max_influences`. Weights are smoothed along the surface in `smooth`
/// rounds, five by default: where bones are bent at rest, the position along them jumps at the border of two regions.
/// Shares below 1e-6 are dropped. Linear. \throws Error if the segmentation does not belong to the mesh and bones of
/// the subject.
SkinWeights segment_weights(const Subject& subject, const Segmentation& segmentation,
                            const SegmentOptions& options = {}, const BindOptions& common = {});

/// The binder `segment`: both steps. Confidence compares the distance of the nearest of all bones with that of the bone
/// that owns the vertex. \throws Error if the mesh has no vertices, and as `bone_tree`.
BindResult bind_by_segments(const Subject& subject, const SegmentOptions& options = {}, const BindOptions& common = {},
                            const Progress& progress = {});

BinderMethod segment_method();

}  // namespace sinew::binding
