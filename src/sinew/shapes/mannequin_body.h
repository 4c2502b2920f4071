// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The mannequin's build, in metres for a height of 1.75 m: landmarks, the field whose zero set is the skin, and how much each
/// limb has to do with a point.

#include <array>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::shapes {

/// Where the joints of the left side and the middle are.
namespace landmark {
inline const Vec3 kHips{0, 0.955, -0.005};
inline const Vec3 kSpine{0, 1.075, 0.0};
inline const Vec3 kChest{0, 1.225, -0.01};
inline const Vec3 kNeck{0, 1.455, -0.022};
inline const Vec3 kHead{0, 1.555, -0.006};
inline const Vec3 kHeadEnd{0, 1.75, -0.004};
inline const Vec3 kShoulder{0.028, 1.425, -0.012};
inline const Vec3 kUpperArm{0.172, 1.412, -0.016};
inline const Vec3 kForearm{0.362, 1.198, -0.024};
inline const Vec3 kHand{0.527, 1.008, 0.012};
inline const Vec3 kHandEnd{0.640, 0.876, 0.036};
inline const Vec3 kThigh{0.094, 0.925, -0.002};
inline const Vec3 kShin{0.106, 0.500, 0.004};
inline const Vec3 kFoot{0.114, 0.082, -0.028};
inline const Vec3 kFootEnd{0.128, 0.024, 0.150};
}  // namespace landmark

/// The limbs that share the skin between them.
enum Limb { kTorso, kLeftArm, kRightArm, kLeftLeg, kRightLeg, kLimbCount };

/// Shapes put together along the bones: sweeps of spheres for the limbs, of ellipses for the trunk, ellipsoids for what
/// stands out. They flow into one another: −k·log Σ exp(−distance/k) (Ricci's blend with exponentials), which unlike pairwise
/// blends does not depend on an order and so is exactly symmetric.
class BodyField {
 public:
  BodyField();

  /// Nearly the signed distance near the surface. Even in x, bit for bit.
  double operator()(const Vec3& p) const;

  /// How much each limb has to do with a point; they add up to 1. `softness` is the width of the passage, in metres.
  std::array<double, kLimbCount> shares(const Vec3& p, double softness) const;

  /// A box around the zero set.
  Box bounds() const;

 private:
  struct Ball {
    Vec3 center;
    double radius;
  };
  struct Ellipsoid {
    Vec3 center;
    Mat3 axes;
    Vec3 radii;
  };  ///< Axes in rows.
  struct Slice {
    double y;
    double half_width;
    double half_depth;
    double z;
  };

  static std::vector<Ball> sweep(const std::vector<Ball>& keys);
  static std::vector<Slice> sweep(const std::vector<Slice>& keys);
  static Ellipsoid ellipsoid(const Vec3& center, const Vec3& radii, const Mat3& axes = Mat3::Identity());
  static double distance(const std::vector<Ball>& chain, const Vec3& p);
  static double distance(const Ellipsoid& shape, const Vec3& p);
  static Box around(const std::vector<Ball>& chain);
  double trunk(const Vec3& p) const;
  double torso(const Vec3& p) const;
  double arm(const Vec3& p) const;
  double leg(const Vec3& p) const;
  void build_head();
  void build_arm();
  void build_leg();

  std::vector<Slice> trunk_;
  std::vector<Ball> neck_;
  std::vector<Ball> arm_;
  std::vector<Ball> trapezius_;
  std::vector<Ball> thumb_;
  std::vector<Ball> leg_;
  std::vector<Ball> foot_;
  std::vector<Ellipsoid> head_;
  std::vector<Ellipsoid> muscles_;  ///< Of the trunk; the left ones.
  std::vector<Ellipsoid> hand_;
  Box arm_box_;
  Box leg_box_;
};

}  // namespace sinew::shapes
