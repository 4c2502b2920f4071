// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The field that a vertex lives in, in one pose: the parts of the joints that move it, joined by operators. Inline,
/// because it is evaluated a few times for every vertex and frame.

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
  int lead = -1;  ///< The member with the largest field; −1 where all are 0.
};

/// The parts in one pose, with the operators by which each is joined to its parent.
struct PosedFields {
  std::span<const PosedPart> parts;
  std::span<const FieldOperator> operators;  ///< Per part.

  FamilyValue evaluate(const Family& family, const Vec3f& x) const {
    std::array<float, kMostFamily> f;
    std::array<Vec3f, kMostFamily> gradient;
    FamilyValue result;
    for (std::size_t m = 0; m < family.count; ++m) {
      PartValue value;
      f[m] = 0;
      gradient[m] = Vec3f::Zero();
      if (!part_value(parts[family.parts[m]], x, value)) continue;
      const Support<float> support = compact_support(value.q, 1.0F);
      f[m] = support.field;
      gradient[m] = support.slope * value.gradient;
      if (f[m] <= result.field) continue;
      result = {f[m], gradient[m], static_cast<int>(m)};
    }
    for (std::size_t m = 0; m < family.count; ++m) {
      if (family.above[m] < 0) continue;
      const auto a = static_cast<std::size_t>(family.above[m]);
      const FieldOperator& join = operators[family.parts[m]];
      if (join.kind() == JointOperator::kUnion || f[a] <= 0 || f[m] <= 0) continue;
      const float lengths = std::sqrt(gradient[a].squaredNorm() * gradient[m].squaredNorm());
      if (!(lengths > 0)) continue;
      const Combined<float> joined = join(f[a], f[m], gradient[a].dot(gradient[m]) / lengths);
      if (joined.field <= result.field) continue;
      result.field = joined.field;
      result.gradient = joined.by_first * gradient[a] + joined.by_second * gradient[m];
    }
    return result;
  }
};

}  // namespace sinew::deform
