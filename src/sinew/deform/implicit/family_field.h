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
  /// Per member: the cosine between its gradient and that of the member that it is joined to; kNoCosine: none.
  std::array<float, kMostFamily> cosines{};
  std::array<float, kMostFamily> joins{};  ///< Per member: how far its operator applies, from 0 to 1.
};
inline constexpr float kNoCosine = 2;

/// 1 below `low`, 0 above `high`, smooth between.
inline float ramp_down(float x, float low, float high) {
  const float t = std::clamp((high - x) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// Fields that are less by several times this have no influence.
inline constexpr float kSoftness = 0.05F;
/// Fields of both members up to which operators fade in, so that they do not begin at once where a vertex starts.
inline constexpr float kJoinedFrom = 0.05F;
/// How far a joined field exceeds the members before it takes their place.
inline constexpr float kJoined = 0.02F;
/// Between the largest field and those of two members in a fold, up to which a point is between them. The gradient
/// turns from the one to the other within `kSoftness`; vertices that started there would walk along the crease.
inline constexpr float kFoldWidth = 0.1F;
/// Cosines between the gradients of two members that face each other, and of two that do not.
inline constexpr float kFacing = 0.6F, kAlong = 0.85F;

/// The parts in one pose, with the operators by which each is joined to its parent.
///
/// The field is not the largest one of the members, because its gradient jumps where another member takes over, and so
/// would the skin. It is a soft maximum, which never falls where a member rises: vertices that walk along its gradient
/// find the value that they look for. (A mean of the largest ones falls where one more becomes nearly as large.) Joined
/// fields count as far as they exceed it: where an operator is a union, its gradient jumps too.
struct PosedFields {
  std::span<const PosedPart> parts;
  std::span<const FieldOperator> operators;  ///< Per part.

  /// With `held`, operators open as far as they did there, by its angles between gradients: the field then rises along
  /// its gradient, which does not know of changes of these angles.
  FamilyValue evaluate(const Family& family, const Vec3f& x, const FamilyValue* held = nullptr) const {
    std::array<float, kMostFamily> f;
    std::array<Vec3f, kMostFamily> gradient;
    FamilyValue result;
    result.cosines.fill(kNoCosine);
    float top = 0;
    for (std::size_t m = 0; m < family.count; ++m) {
      PartValue value;
      f[m] = 0;
      gradient[m] = Vec3f::Zero();
      if (!part_value(parts[family.parts[m]], x, value)) continue;
      const Support<float> support = compact_support(value.q, 1.0F);
      f[m] = support.field;
      gradient[m] = support.slope * value.gradient;
      if (f[m] > top) top = f[m], result.lead = static_cast<int>(m);
    }
    if (result.lead < 0) return result;
    unite_softly(family.count, top, f, gradient, result);
    for (std::size_t m = 0; m < family.count; ++m) {
      if (family.above[m] < 0) continue;
      const auto a = static_cast<std::size_t>(family.above[m]);
      const FieldOperator& join = operators[family.parts[m]];
      if (join.kind() == JointOperator::kUnion || f[a] <= 0 || f[m] <= 0) continue;
      if (held != nullptr) {
        result.cosines[m] = held->cosines[m], result.joins[m] = held->joins[m];
      } else if (const float lengths = std::sqrt(gradient[a].squaredNorm() * gradient[m].squaredNorm()); lengths > 0) {
        result.cosines[m] = gradient[a].dot(gradient[m]) / lengths;
        result.joins[m] = 1 - ramp_down(std::min(f[a], f[m]), 0, kJoinedFrom);
      }
      if (result.cosines[m] == kNoCosine || !(result.joins[m] > 0)) continue;
      const Combined<float> joined = join(f[a], f[m], result.cosines[m]);
      const float excess = joined.field - result.field;
      if (!(excess > 0)) continue;
      const float sum = excess + kJoined, share = result.joins[m] * excess * (sum + kJoined) / (sum * sum);
      result.field += result.joins[m] * excess * excess / sum;
      result.gradient += share * (joined.by_first * gradient[a] + joined.by_second * gradient[m] - result.gradient);
    }
    return result;
  }

 private:
  /// τ log(1 + Σ (exp(f / τ) − 1)): one field alone remains as it is, and fields of 0 do not count.
  static void unite_softly(std::size_t members, float top, const std::array<float, kMostFamily>& f,
                           const std::array<Vec3f, kMostFamily>& gradient, FamilyValue& result) {
    std::array<float, kMostFamily> weight;
    const float none = std::exp(-top / kSoftness);
    float sum = none;
    for (std::size_t m = 0; m < members; ++m) {
      weight[m] = f[m] > 0 ? (f[m] < top ? std::exp((f[m] - top) / kSoftness) : 1.0F) : none;
      sum += weight[m] - none;
      result.gradient += weight[m] * gradient[m];
    }
    result.field = top + kSoftness * std::log(sum);
    result.gradient /= sum;
    for (std::size_t a = 0; a < members; ++a)
      for (std::size_t b = a + 1; b < members; ++b) {
        const float both = ramp_down(top - std::min(f[a], f[b]), 0, kFoldWidth);
        if (!(both > result.opposed)) continue;
        const float lengths = std::sqrt(gradient[a].squaredNorm() * gradient[b].squaredNorm() + 1e-30F);
        const float facing = ramp_down(gradient[a].dot(gradient[b]) / lengths, kFacing, kAlong);
        result.opposed = std::max(result.opposed, both * facing);
      }
  }
};

}  // namespace sinew::deform
