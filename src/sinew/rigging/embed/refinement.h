// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/core/template.h"
#include "sinew/rigging/embed/interior.h"
#include "sinew/rigging/embed/medial.h"

namespace sinew::rigging {

struct RefinementOptions {
  int rounds = 10;
  double surface = 15000, length = 0.25, angle = 2, symmetry = 1;  ///< Weights of the four terms below.
};

/// What refinement makes small, and its gradient, for places of the template's joints that take part (those of others
/// are ignored). Over all bones, from the place of a joint's nearest ancestor that takes part to its own, e = q − p,
/// beside the template's bone b:
///
///     surface · S + length · Λ + angle · Θ + symmetry · Y
///
/// S: mean of s² over 10 points of the bone, both ends among them; s is the smaller of the distance to the nearest
/// medial sample and 0.001 + max(0, 0.05 − depth), and counts only above 0.003. Λ = max(½, (1e-4 + |b|²)/(1e-4 + ℓ²))
/// with ℓ = e·b/|b|. Θ = (0.3 + θ/2)³ with θ the angle of e and b, ten times that beyond 90°. Y, of bones with a
/// partner s: max(1.05, ℓ²/(1e-3 + ℓ_s²), ℓ_s²/(1e-3 + ℓ²)).
///
/// After I. Baran, J. Popović, "Automatic rigging and animation of 3D characters", 2007, with the released library's
/// constants. Piecewise smooth: the gradient is that of the branch which is active. May be asked from several threads.
class RefinementObjective {
 public:
  /// `turn`: from the interior's frame to the template's. `template_scale`: that of reduction.h. Refers to the
  /// template, the interior and the samples. \pre places of the template's joints differ from their parents'.
  RefinementObjective(const Template& skeleton_template, const Interior& interior,
                      const std::vector<MedialSample>& samples, const Mat3& turn, double template_scale,
                      const RefinementOptions& options = {});
  ~RefinementObjective();
  RefinementObjective(RefinementObjective&&) noexcept;
  RefinementObjective& operator=(RefinementObjective&&) noexcept;

  double value(const std::vector<Vec3>& places) const;
  /// Value, and the gradient per joint into `gradient`.
  double value(const std::vector<Vec3>& places, std::vector<Vec3>& gradient) const;

  /// A bone, by the joints at its ends, and the numbers of the bones whose terms change when it moves: those that share
  /// a joint with it, and these ones' partners.
  struct Bone {
    Index joint = kNone, parent = kNone;
    std::vector<Index> touched;
  };
  const std::vector<Bone>& bones() const;
  /// The part of the value that comes from some bones.
  double value(const std::vector<Vec3>& places, std::span<const Index> bones) const;
  /// The same, and its gradient into `gradient`.
  double value(const std::vector<Vec3>& places, std::span<const Index> bones, std::vector<Vec3>& gradient) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

struct Refined {
  std::vector<Vec3> places;
  double before = 0, after = 0;
};

/// Rounds of line searches against the gradient: two with all joints, then one per bone with its two joints. A search
/// begins with a step of 5e-4, doubles it while the objective falls and halves it while it does not. The objective
/// never rises.
Refined refine(const RefinementObjective& objective, std::vector<Vec3> places, const RefinementOptions& options = {});

}  // namespace sinew::rigging
