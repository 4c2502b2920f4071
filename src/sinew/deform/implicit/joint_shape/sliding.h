// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/deform/implicit/hrbf.h"
#include "sinew/deform/implicit/joint_shape/closed_part.h"

namespace sinew::deform {

/// Which vertices of a closure count at which rotations.
enum class Activity {
  kNear,    ///< Where the other part's closure is, or what is at most two rings from it.
  kFormula  ///< As printed beside Eq. 10: everywhere, except where the other part's own skin covers the vertex.
};
constexpr auto option_words(Activity) { return std::array{"near", "formula"}; }

struct SlidingOptions {
  double band = 0.01;  ///< Share by which a vertex may protrude before it counts.
  /// Vertices at the near side of the joint do not count, where standing above the other part is normal skin.
  bool own_side_guard = true;
  Activity activity = Activity::kNear;
  double step = 0.2;   ///< κ of Eq. 12; of the stochastic loop.
  double floor = 0.6;  ///< Of the faired distance, below which no vertex goes.
};

/// One side of a joint: a hole of a part, and which of its bones ends there.
struct JointSide {
  ClosedPart* part = nullptr;
  const Hrbf* function = nullptr;
  Index hole = 0;
  Index bone = 0;

  const HoleBone& to_joint() const { return part->holes[hole].bones[bone]; }
  double radius() const { return part->holes[hole].radius; }
};

/// How far each vertex of a closure may be from its foot so that it does not protrude from the other part, at each
/// rotation of that. Since vertices move only along their rays, this stays as it is while the other part does.
struct SlideTargets {
  std::vector<Index> vertices;  ///< Of `ClosedPart::closure`.
  std::vector<double> limits;   ///< Per vertex and rotation; infinite where there is no limit.
  std::size_t rotations = 0;

  double limit(std::size_t i, std::size_t r) const { return limits[i * rotations + r]; }
};

/// Casts rays from the feet against the other part, rotated about the joint. The limit is the farthest hit near the
/// joint; on closures the distance is interpolated between the corners of the triangle instead of taken on its plane,
/// because planes cut the corners of round shapes and two parts that are fitted to each other in turns would both
/// shrink (the nearest vertex by direction, Eq. 11, has the same effect). Vertices × rotations × log triangles.
SlideTargets slide_targets(const JointSide& side, const JointSide& other, std::span<const Mat3> rotations,
                           const SlidingOptions& options);

/// Eq. 10: the sum of what protrudes by more than the band, per rotation.
std::vector<double> bulge_energies(const ClosedPart& part, const SlideTargets& targets, double band);
double bulge_energy(const ClosedPart& part, const SlideTargets& targets, double band);

/// Moves vertices that protrude to the smallest of their limits, not below the floor: what the stochastic loop
/// converges to. `faired` are the distances of all vertices of closures after fairing.
void slide(ClosedPart& part, const SlideTargets& targets, std::span<const double> faired,
           const SlidingOptions& options);

/// The paper's loop with Eq. 12 in units of length: picks rotations by their share of the energy and moves what
/// protrudes there inwards by a share of the excess. Ends when the energy is below a ten-thousandth, or has changed by
/// less than a thousandth over 20 picks. Returns the energy after every pick, the first before any.
std::vector<double> slide_by_picks(ClosedPart& part, const SlideTargets& targets, std::span<const double> faired,
                                   const SlidingOptions& options, std::uint64_t seed, int most_picks = 5000);

}  // namespace sinew::deform
