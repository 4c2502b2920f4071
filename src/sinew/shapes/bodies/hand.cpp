// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <string>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/shapes/bodies/hand_parts.h"
#include "sinew/shapes/bodies/human.h"
#include "sinew/shapes/surface/drawing.h"
#include "sinew/shapes/variation.h"

namespace sinew::shapes {
namespace {

constexpr double kHigh = 0.28;    ///< Of the plain hand and its forearm.
constexpr double kStump = 0.085;  ///< Of the forearm.

Drawing draw_hand(const MakeOptions& options, const Trial& trial) {
  const double calm = trial.calm;
  const Variation vary = body_variation(options, trial);
  const Variation dice = pose_dice(options, trial);
  const HandShape shape = varied_hand(vary);
  Drawing drawing;
  BodyPlan& plan = drawing.plan;
  const Vec3 wrist = Vec3::Zero();
  const Index fore = plan.add("Forearm", kNone, wrist - Vec3(0, kStump, 0), wrist, -Vec3::UnitZ());
  const HandJoints joints = add_hand(plan, "", fore, wrist, Vec3::UnitY(), Vec3::UnitZ(), shape);
  name_all_joints(drawing);
  if (options.made_pose != "t") {
    for (std::size_t f = 0; f < 5; ++f) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double curl =
            options.made_pose == "a" ? (f == 4 ? 4 : 7) : calm * (15 + 20 * dice.value("finger" + std::to_string(f)));
        plan.turn(joints.fingers[f][k], rotation_exp(Vec3(0, 0, kRadPerDegree * curl * (f == 4 ? 0.4 : 1.0))));
      }
    }
  }
  if (options.made_pose == "random")
    plan.turn(joints.hand,
              rotation_exp(kRadPerDegree * calm * Vec3(12 * dice.value("wrist x"), 0, 35 * dice.value("wrist z"))));
  plan.settle();

  Cage cage;
  const double h = shape.thickness;
  const Profile profile = arm_profile();
  const Loop end = add_ring(cage, plan, {fore, 0, oval(0.026 * h, 0.030 * shape.width)}, profile);
  const std::vector<Station> stations = {{fore, 0.45, oval(0.0235 * h, 0.0285 * shape.width)},
                                         {fore, 0.82, oval(0.0215 * h, 0.0275 * shape.width), joints.hand, 0.12},
                                         {joints.hand, 0, oval(0.0205 * h, 0.0280 * shape.width), fore}};
  const std::vector<Loop> rings = grow(cage, plan, end, stations, profile);
  grow_hand(cage, plan, joints, rings.back(), shape, 1);
  // The cut through the forearm: seen from behind, the ring runs the other way.
  Loop rim;
  for (std::size_t k = 0; k < 10; ++k) rim.push_back(end[(10 - k) % 10]);
  cage.close(rim, 3, -0.004 * plan.frame(fore).col(1), false);
  cage.drop_unused();
  drawing.shells.push_back({"Hand", std::move(cage), matte("Skin", 0.62F, 0.36F, 0.25F)});
  return drawing;
}

}  // namespace

Made hand(const MakeOptions& options, const Progress& progress) {
  progress.step("drawing");
  const int vertices = options.vertices > 0 ? options.vertices : 4000;
  const auto draw = [&](const Trial& trial) { return draw_hand(options, trial); };
  return finished_untangled(draw, "hand", vertices, options.height > 0 ? options.height : kHigh);
}

}  // namespace sinew::shapes
