// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string>

#include "sinew/core/options.h"
#include "sinew/deform/curves/beam_modes.h"

namespace sinew::deform {

/// How curves get from pose to pose.
enum class InbetweenMode {
  kDriven,  ///< The force follows the joints.
  kDamped,  ///< A constant force with damping. For comparisons.
  kPaper,   ///< A constant force without damping or skeleton, as published.
};
constexpr auto option_words(InbetweenMode) { return std::array{"driven", "damped", "paper"}; }

/// What happens at a pose between two others.
enum class KeyJoin { kAuto, kRest, kFlow };
constexpr auto option_words(KeyJoin) { return std::array{"auto", "rest", "flow"}; }

enum class SkinMaterial { kSkin, kFat, kMuscle, kRubber };
constexpr auto option_words(SkinMaterial) { return std::array{"skin", "fat", "muscle", "rubber"}; }

/// Numbers of a material.
struct MaterialNumbers {
  double youngs_pa = 0, density = 0, thickness_m = 0;

  /// E h² / (12 ρ): the stiffness of a strip of unit length, in m⁴/s². Its width does not matter.
  double strip_stiffness() const { return youngs_pa * thickness_m * thickness_m / (12 * density); }
};
MaterialNumbers material_numbers(SkinMaterial material);

struct CurveMotionOptions {
  InbetweenMode mode = InbetweenMode::kDriven;
  KeyJoin join = KeyJoin::kAuto;
  SkinMaterial material = SkinMaterial::kSkin;
  double youngs = 0, density = 0, thickness = 0;
  CurveEnds ends = CurveEnds::kFree;
  double cutoff = 50;
  int steps = 5;

  MaterialNumbers numbers() const;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("mode",
            "How skin gets from pose to pose: driven follows the joints with the inertia of the material; damped has a "
            "constant force; paper is as published, without damping and skeleton, and can overshoot."),
      self.mode);
    v(Field("join", "What happens at a pose: rest stops there, flow goes through. auto rests if there are only two."),
      self.join);
    v(Field("material", "What the skin is made of. Softer and heavier skin lags behind more."), self.material);
    v(Field("youngs", "Young's modulus of the skin; 0 takes that of the material.").in("Pa").range(0, 1e12),
      self.youngs);
    v(Field("density", "Density of the skin; 0 takes that of the material.").in("kg/m³").range(0, 1e6), self.density);
    v(Field("thickness", "Thickness of the skin; 0 takes that of the material.").in("m").range(0, 10), self.thickness);
    v(Field("curve_ends", "What holds the ends of curves that are not closed."), self.ends);
    v(Field("cutoff", "Modes that turn faster than this in a segment follow the joints exactly.")
          .in("rad")
          .range(0, 1e6),
      self.cutoff);
    v(Field("paper_steps", "Time steps between two poses in the mode paper.").range(1, 100000), self.steps);
  }
};

}  // namespace sinew::deform
