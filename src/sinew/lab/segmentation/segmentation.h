// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A. Ramírez Flores and A. Susín, "Segmentation-based skinning", Computer Animation and Virtual Worlds, 2015, with its
/// own method: which bone owns which vertex and how long that takes (Table II), what the twist-safe deformer does to a
/// bar (Tables III to V), and what the paper only shows in pictures, measured on made characters whose owners are
/// known.

#include <string_view>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/segmentation.h"
#include "sinew/deform/deformer.h"
#include "sinew/lab/experiments.h"

namespace sinew::lab {

/// The experiment.
Reproduction segmentation_experiment(const ReproduceOptions& options, const Progress& progress);

/// Its parts, each adding tables, metrics and misses. They print nothing that depends on a clock unless they say so.
void segmentation_times(const ReproduceOptions& options, const Progress& progress,
                        Reproduction& result);  ///< Only times.
void segmentation_bar(const ReproduceOptions& options, const Progress& progress, Reproduction& result);
void segmentation_bar_times(const ReproduceOptions& options, const Progress& progress,
                            Reproduction& result);  ///< Only times.
void segmentation_labels(int members, const ReproduceOptions& options, const Progress& progress, Reproduction& result);
void segmentation_shells(const ReproduceOptions& options, const Progress& progress, Reproduction& result);
/// On made humans of about so many vertices each, 0 for the kind's own choice. Figures of those that are fine enough
/// for whole turns
/// (`kTwistVertices`) are held to bounds; on a coarse one straight edges from ring to ring cut through the limb.
void segmentation_twists(const std::vector<int>& vertices, const Progress& progress, Reproduction& result);
inline constexpr int kTwistVertices = 46082;

/// Positions of all vertices in a pose.
std::vector<Vec3> posed_positions(const deform::Deformer& deformer, const Rig& rig, const Pose& pose);

/// The pose of the paper's bar after the first `count` turns: `bar_rotations`, and for each joint the sum of its turns
/// about the bar as its twist, since the second turn (200°) is more than a rotation can say.
Pose bar_pose(const Rig& bar, int count);

/// `closed_form_loss` when every joint's twist about the axis is spread along its bone: what remains is the swing. A
/// twist loses nothing.
double closed_form_twist_safe_loss(double spread, int links, const std::vector<Quat>& rotations,
                                   const Vec3& axis = Vec3::UnitY());

/// What share of its volume the bar loses in a pose by `slbs`, its regions found by `binding::segment`, twist in
/// proportion to the distance along the bone.
double twist_safe_loss(const Rig& bar, const Pose& pose);

/// How far found owners agree with the known ones of a made character: shares of the vertices.
struct LabelAgreement {
  double bones = 0;   ///< The same bone.
  double joints = 0;  ///< A bone of the same joint. At a joint from which several bones go, all move alike.
  /// A bone of a joint that has a fifth or more of the vertex's reference weight: where two joints share a vertex,
  /// which of them owns it is a matter of taste, and bones do not tell.
  double fits = 0;
};
LabelAgreement label_agreement(const Segmentation& known, const SkinWeights& reference, const Segmentation& found);

/// What a method makes of a bone whose far joint turns about it.
struct TwistFigures {
  double least_area = 0;  ///< Of the cross-sections, relative to the same at rest.
  double mean_area = 0;
  double shown_rad = 0;  ///< How far the skin turns from one end of the bone to the other.
  double stretch = 0;    ///< Largest ratio of an edge's length to that at rest.
  double closed_form = 0;  ///< Of a round bar of the bone's length L and the largest radius r of these edges: γ/2 + √(1
                           ///< + γ²/4), γ = θr/L.
};

/// A bone that is twisted by its far joint, and the skin around it.
class TwistedBone {
 public:
  /// `owners` are known owners of the rig's vertices; edges between two of the bone's, at 0 to 1 along it, count.
  TwistedBone(const Rig& rig, const Segmentation& owners, Index joint, Index child, Index sections = 40);

  /// The rest pose but for the child, which turns about the bone by any angle.
  Pose pose(double angle_rad) const;
  TwistFigures measure(const deform::Deformer& deformer, double angle_rad) const;

 private:
  struct Edge {
    Index a, b;
    double length;
  };
  const Rig& rig_;
  Index child_;
  Vec3 start_, end_;
  std::vector<Index> vertices_;
  std::vector<Edge> edges_;
  double radius_ = 0;
  std::vector<double> rest_areas_;
};

}  // namespace sinew::lab
