// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace sinew::deform {

/// How the fields of two bones are joined.
enum class JointOperator { kAuto, kUnion, kBlend, kBulge };
constexpr auto option_words(JointOperator) { return std::array{"auto", "union", "blend", "bulge"}; }

/// A combined field, and its derivatives by the two fields with the opening held constant.
template <class T>
struct Combined {
  T field;
  T by_first;
  T by_second;
};

/// The larger field: a crease where two bones meet.
template <class T>
Combined<T> unite(T f1, T f2) {
  return f1 >= f2 ? Combined<T>{f1, T(1), T(0)} : Combined<T>{f2, T(0), T(1)};
}

/// The gradient-controlled blend of O. Gourmel et al., "A gradient-based implicit blend", 2013, with circular arcs. The
/// opening `h` is tan θ in [0, 1]: 1 is the union, bit for bit, and 0 the roundest blend. The arcs close at the field
/// 0.7, so that nothing blends deep inside. Continuous with its derivatives. Symmetric. Never below the union.
template <class T>
Combined<T> blend(T f1, T f2, T h);

/// Bulge in contact: the arc is replaced by η = 1 − m e^{1 − 1/ξ} (1 − ξ) / c, which raises the field beside folds;
/// c is the largest value of its factor, and `strength` m ≤ ½. Union where both fields exceed 0.55. Found by bisection.
template <class T>
Combined<T> bulge(T f1, T f2, T h, T strength);

/// A function of the angle between two gradients that gives the opening of a blend. The argument is the cosine of the
/// angle; papers plot the angle itself. Piecewise between three knots, all of whose derivatives vanish at the knots.
struct OpeningCurve {
  std::array<double, 3> cosines{};
  std::array<double, 3> openings{};

  double at_cosine(double cosine) const;
  double at_angle(double angle_rad) const;
};

/// Union in folds from 53° on, and a round blend where the skin is bent outwards: the default. On a limb bent by 90°
/// and 110° no triangles intersect after shrinking; with `elbow_opening` 3 and 63 pairs do. Unions alone leave lumps at
/// the outside of elbows and knees.
OpeningCurve fold_opening();
/// Of public implementations for elbows and knees.
OpeningCurve elbow_opening();
/// The same for fingers, which blend over a wider range of angles.
OpeningCurve finger_opening();
/// Contact with a bulge beside it.
OpeningCurve bulge_opening();

/// An operator that is ready to be evaluated many times: the opening is tabulated over the cosine.
class FieldOperator {
 public:
  FieldOperator() = default;  ///< The union.
  FieldOperator(JointOperator kind, const OpeningCurve& curve, double strength);

  JointOperator kind() const { return kind_; }

  /// `cosine` is that of the angle between the gradients of the two fields.
  Combined<float> operator()(float f1, float f2, float cosine) const;

 private:
  static constexpr std::size_t kSteps = 128;
  JointOperator kind_ = JointOperator::kUnion;
  float strength_ = 0;
  std::array<float, kSteps + 1> openings_{};
};

}  // namespace sinew::deform
