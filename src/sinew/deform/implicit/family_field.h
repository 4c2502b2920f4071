// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The field that a vertex lives in, in one pose: the parts of the joints that move it, joined by operators. Inline,
/// because it is evaluated a few times for every vertex and frame.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/deform/implicit/field_grid.h"
#include "sinew/deform/implicit/operators.h"
#include "sinew/deform/implicit/support.h"

namespace sinew::deform {

/// A part in one pose.
struct PosedPart {
  const FieldGrid* grid = nullptr;  ///< Null if the pose flattens it: it then has no field.
  Eigen::Matrix3f to_cells = Eigen::Matrix3f::Identity();
  Vec3f offset = Vec3f::Zero();
  float radius = 1;        ///< Of the support, as the function has it.
  float posed_radius = 1;  ///< The same in the pose, where parts may be scaled.
};

/// The value and gradient of one part at a point; the value in radii of its support.
struct PartValue {
  float q = 2;  ///< From 1 on the field is 0.
  Vec3f gradient = Vec3f::Zero();
};

inline bool part_value(const PosedPart& part, const Vec3f& x, PartValue& value) {
  FieldGrid::Node node;
  if (part.grid == nullptr) return false;
  if (!part.grid->look_up(part.to_cells * x + part.offset, node)) return false;
  const float inverse = 1 / part.radius;
  value.q = node[3] * inverse;
  value.gradient = inverse * (part.to_cells.transpose() * Vec3f(node[0], node[1], node[2]));
  return true;
}

inline constexpr std::size_t kMostFamily = 4;

/// The parts that move a vertex.
struct Family {
  std::uint8_t count = 0;
  std::array<std::uint16_t, kMostFamily> parts{};
  std::array<std::int8_t, kMostFamily> above{};  ///< Per part: which of them it is joined to; −1: none.

  friend auto operator<=>(const Family&, const Family&) = default;
};

/// A field at a point.
struct FamilyValue {
  float field = 0;
  Vec3f gradient = Vec3f::Zero();
  float opposed = 0;  ///< 1 where the point is between two members whose skin faces each other, as in a fold.
  int lead = -1;      ///< The member with the largest field; −1 where all are 0.
};

/// 1 below `low`, 0 above `high`, smooth between.
inline float ramp_down(float x, float low, float high) {
  const float t = std::clamp((high - x) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// Fields that are less by more than this have no influence.
inline constexpr float kSoftness = 0.15F;
/// How far a joined field exceeds both of its members where it takes their place.
inline constexpr float kJoined = 0.04F;
/// Cosines between the gradients of two members that face each other, and of two that do not.
inline constexpr float kFacing = 0.6F, kAlong = 0.85F;

/// The parts in one pose, with the operators by which each is joined to its parent.
///
/// The field is not the largest one of the members, because its gradient jumps where another member takes over, and so
/// would the skin. It is the mean of all that are nearly the largest, which is the same where they are equal. Joined
/// fields count as far as they exceed their members: where an operator is a union, its gradient jumps too.
struct PosedFields {
  std::span<const PosedPart> parts;
  std::span<const FieldOperator> operators;  ///< Per part.

  FamilyValue evaluate(const Family& family, const Vec3f& x) const {
    std::array<float, 2 * kMostFamily> f;
    std::array<float, 2 * kMostFamily> share;
    std::array<Vec3f, 2 * kMostFamily> gradient;
    FamilyValue result;
    float top = 0;
    for (std::size_t m = 0; m < family.count; ++m) {
      PartValue value;
      f[m] = 0;
      share[m] = 1;
      gradient[m] = Vec3f::Zero();
      if (!part_value(parts[family.parts[m]], x, value)) continue;
      const Support<float> support = compact_support(value.q, 1.0F);
      f[m] = support.field;
      gradient[m] = support.slope * value.gradient;
      if (f[m] > top) top = f[m], result.lead = static_cast<int>(m);
    }
    if (result.lead < 0) return result;
    std::size_t count = family.count;
    for (std::size_t m = 0; m < family.count; ++m) {
      if (family.above[m] < 0) continue;
      const auto a = static_cast<std::size_t>(family.above[m]);
      const FieldOperator& join = operators[family.parts[m]];
      if (join.kind() == JointOperator::kUnion || f[a] <= 0 || f[m] <= 0) continue;
      const float lengths = std::sqrt(gradient[a].squaredNorm() * gradient[m].squaredNorm());
      if (!(lengths > 0)) continue;
      const Combined<float> joined = join(f[a], f[m], gradient[a].dot(gradient[m]) / lengths);
      const float excess = joined.field - std::max(f[a], f[m]);
      if (!(excess > 0)) continue;
      f[count] = joined.field;
      share[count] = 1 - ramp_down(excess, 0, kJoined);
      share[a] *= 1 - share[count];
      share[m] *= 1 - share[count];
      gradient[count] = joined.by_first * gradient[a] + joined.by_second * gradient[m];
      top = std::max(top, f[count++]);
    }
    soften(family.count, count, top, f, share, gradient, result);
    return result;
  }

 private:
  static void soften(std::size_t members, std::size_t count, float top, const std::array<float, 2 * kMostFamily>& f,
                     const std::array<float, 2 * kMostFamily>& share,
                     const std::array<Vec3f, 2 * kMostFamily>& gradient, FamilyValue& result) {
    std::array<float, 2 * kMostFamily> weight;
    float sum = 1e-20F;
    for (std::size_t m = 0; m < count; ++m) {
      const float near = std::max(0.0F, 1 - (top - f[m]) / kSoftness);
      weight[m] = share[m] * near * near;
      sum += weight[m];
      result.field += weight[m] * f[m];
      result.gradient += weight[m] * gradient[m];
    }
    result.field /= sum;
    result.gradient /= sum;
    for (std::size_t a = 0; a < members; ++a)
      for (std::size_t b = a + 1; b < members; ++b) {
        const float both = std::min(weight[a], weight[b]);
        if (!(both > result.opposed)) continue;
        const float lengths = std::sqrt(gradient[a].squaredNorm() * gradient[b].squaredNorm() + 1e-30F);
        const float facing = ramp_down(gradient[a].dot(gradient[b]) / lengths, kFacing, kAlong);
        result.opposed = std::max(result.opposed, both * facing);
      }
  }
};

}  // namespace sinew::deform
