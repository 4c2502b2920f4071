// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Shapes between example poses of a character.
///
///     sinew::pipeline::Inbetween between = sinew::pipeline::inbetween(poses, {0.0, 1.0});
///     between.motion->evaluate(0.5, positions);

#include <memory>
#include <optional>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/core/progress.h"
#include "sinew/core/stage_listener.h"
#include "sinew/deform/curves/curve_motion.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/pipeline/pose_set.h"

namespace sinew::pipeline {

struct InbetweenOptions {
  deform::CurveMotionOptions motion;
  geometry::CurveOptions curves;
  std::string skeleton = "auto";
  double body_height = 0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    deform::CurveMotionOptions::visit(self.motion, v);
    geometry::CurveOptions::visit(self.curves, v);
    v(Field("skeleton",
            "What limbs turn about: auto takes the file's own skeleton or makes one, none lets every vertex go "
            "straight.")
          .one_of({"auto", "none"}),
      self.skeleton);
    v(Field("body_height",
            "Height of the body for the inertia of its skin; 0 takes that of the file, or 1.75 m where that is above "
            "10 m or below 10 cm.")
          .in("m")
          .range(0, 1000),
      self.body_height);
  }
};

/// Everything that is needed to show the shapes between poses.
struct Inbetween {
  Character character;  ///< The shape at rest, with skeleton and weights if there is a skeleton.
  CurveSet curves;
  deform::JointPoses joints;
  std::optional<deform::CurveMotion> motion;
  Index rest = kNone;     ///< The pose that is the shape at rest, if it is one of them.
  double confidence = 1;  ///< Of a skeleton that was made.
  double metres = 1;      ///< Per unit of length.
  Findings findings;
};

/// Finds curves and skeleton, and prepares motion through the poses at rising times. A skeleton is made for the pose in
/// which it is surest, of up to four. \throws Error as `CurveMotion` does; Cancelled.
Inbetween inbetween(PoseSet poses, const std::vector<double>& times_s, const InbetweenOptions& options = {},
                    const Progress& progress = {}, const StageListener& on_stage = {});

}  // namespace sinew::pipeline
