// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The bar of A. Ramírez Flores and A. Susín, "Segmentation-based skinning", Computer Animation and Virtual Worlds,
/// 2015, Tables III to V: how much volume skinning loses in six turns of a bar's joints, one added to the other. The
/// paper says neither how large the bar is nor how finely it is cut nor which weights it has; what is set here was
/// inferred from its volumes (32, 20.8, 72) and agrees with its columns (docs/commands/reproduce.md).

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/lab/experiments.h"
#include "sinew/pipeline/deformer.h"

namespace sinew::lab {

/// A straight bar along +Y of equal links, 2 m each. Link j ends at joint j + 1.
struct BarSetup {
  int links = 4;
  int layers = 80;       ///< In all; a multiple of the links puts a ring at every joint.
  double width = 2;      ///< Along x, m.
  double depth = 2;      ///< Along z, m.
  double spread = 0.25;  ///< c of the Gaussian weights, in links.
};

/// The mesh of `shapes::bar` with alternating diagonals, made as wide and deep as asked, its weights with that spread.
Rig bar_rig(const BarSetup& setup);

/// A turn of the paper's sequence.
struct BarTurn {
  Index joint;
  int axis;  ///< 0 for x, 1 for y, 2 for z.
  double degrees;
};
const std::vector<BarTurn>& bar_turns();
/// "2: jn2 y 200°": what is new after so many turns.
std::string bar_turn_name(int number);

/// As printed in the paper, per number of turns: by linear, dual-quaternion and its own method.
using PaperRow = std::array<double, 3>;
/// Table IV, in percent of the volume.
inline constexpr std::array<PaperRow, 6> kPaperLosses = {{{6.516, 0.026, 0.108},
                                                          {12.236, 0.657, 0.242},
                                                          {16.572, 1.022, 0.303},
                                                          {14.985, 0.941, 1.974},
                                                          {13.938, 0.676, 2.719},
                                                          {13.404, 0.870, 3.934}}};
/// Table III, in milliseconds, on an Intel Core i3 of 2.1 GHz in Maya 2014; the number of vertices is not given.
inline constexpr std::array<PaperRow, 6> kPaperTimes = {{{0.052, 0.062, 0.055},
                                                         {0.041, 0.071, 0.054},
                                                         {0.053, 0.056, 0.053},
                                                         {0.044, 0.054, 0.054},
                                                         {0.055, 0.063, 0.055},
                                                         {0.041, 0.061, 0.056}}};
/// Table V, in percent, by the paper's method: bars of 20.8 and of 72 units of volume.
inline constexpr std::array<std::array<double, 2>, 6> kPaperSections = {
    {{0.092, 0.108}, {0.266, 0.242}, {0.343, 0.303}, {1.967, 1.956}, {2.673, 2.714}, {3.898, 3.943}}};
/// How near, in points, our losses must come to the paper's.
inline constexpr PaperRow kPaperBounds = {1.3, 0.5, 0.25};
/// A share in percent, as all these tables print it.
std::string bar_percent(double share);

/// Rotations away from rest of all joints after the first `count` turns: angles about the same joint add up by axis and
/// are applied in the order x, y, z. (Another order moves the loss by less than 1e-4 points.)
std::vector<Quat> bar_rotations(int count);

/// What share of its volume a straight bar of equal links loses by linear blending, in the limit of fine layers:
/// (4c²/n) Σ (sin²(ψ/2) − (1 − u·Ru)/4) over the joints, R a joint's rotation, ψ its angle, u the bar's axis. It comes
/// from integrating the determinant of the map's derivative over sections that are symmetric about the axis. Dual
/// quaternions lose nothing in that limit.
double closed_form_loss(double spread, int links, const std::vector<Quat>& rotations, const Vec3& axis = Vec3::UnitY());

/// A deformer as published: slbs with twists in proportion to the distance along the bone.
pipeline::DeformerOptions published_deformer(std::string_view method);

/// The same of a mesh, posed by a method of `deform::deformers()`.
double bar_loss(const Rig& rig, const std::vector<Quat>& rotations, std::string_view method);

/// The experiment.
Reproduction blend_bar(const ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::lab
