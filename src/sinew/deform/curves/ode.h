// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/curves/curve_motion_options.h"
#include "sinew/deform/deformer.h"

namespace sinew::deform {

struct OdeOptions {
  SkinMaterial material = SkinMaterial::kSkin;
  double inertia = 1;
  double hold = 0;
  double body_height = 0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("material", "What the skin is made of. Softer and heavier skin lags behind more."), self.material);
    v(Field("inertia", "How strongly skin is left behind where the body accelerates; 0 disables it.").range(0, 100),
      self.inertia);
    v(Field(
          "hold",
          "How fast the flesh below brings a loop of skin of 0.6 m back, for any loop of that length; 0 takes that of "
          "the material.")
          .in("rad/s")
          .range(0, 10000),
      self.hold);
    v(Field("body_height",
            "Height of the body for the inertia of its skin; 0 takes that of the file, or 1.75 m where that is above "
            "10 m or below 10 cm.")
          .in("m")
          .range(0, 1000),
      self.body_height);
  }
};

/// Skin with inertia on top of dual-quaternion skinning: every curve around a limb or the trunk is an elastic line,
/// held by the flesh below it, that is left behind where its body accelerates. Each mode is critically damped and
/// solved exactly over a frame, so that any frame rate is stable. Depends on the frames before. Linear in vertices and
/// modes. Examples of shapes, where given, are met in their poses. \throws Error as `bind_dqs`.
std::unique_ptr<Deformer> bind_ode(const Rig& rig, const OdeOptions& options, const Progress& progress = {},
                                   std::span<const std::vector<Vec3>> examples = {});

/// The registry entry.
DeformerMethod ode_method();

}  // namespace sinew::deform
