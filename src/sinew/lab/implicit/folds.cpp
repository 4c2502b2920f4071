// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Deep folds: the fist of a made hand and the squat of a made human, with and without tracking.

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/penetration.h"
#include "sinew/lab/implicit/implicit.h"
#include "sinew/measure/contacts.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/joint_ranges.h"
#include "sinew/pipeline/segment_rig.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

constexpr int kFoldFrames = 30;              ///< From the bind pose to the fold, for methods that remember.
constexpr double kFist = 0.9;                ///< Of the range of a finger joint.
constexpr double kFinger = radians(60);      ///< Range from which on a joint of a hand is one of a finger.
constexpr double kFoldShrink_rel = 0.00025;  ///< Of the size.

/// A rotation vector in model space at binding, per joint.
using Turns = std::map<Index, Vec3>;

Turns fist(const Character& hand) {
  Turns turns;
  for (const auto& [joint, range] : pipeline::joint_ranges(hand))
    if (!range.axes.empty() && range.axes.front().upper_rad >= kFinger)
      turns[joint] = kFist * range.axes.front().upper_rad * range.axes.front().axis;
  return turns;
}

/// The ranges of the table begin with the bend that a squat needs.
Turns squat(Character human) {
  using motion::BodyPart;
  const std::map<BodyPart, double> bends = {{BodyPart::kThigh, 95}, {BodyPart::kShin, 125}, {BodyPart::kFoot, 20}};
  for (Joint& joint : human.rig.skeleton.joints) joint.limits.reset();
  human.clips.clear();
  const auto body = motion::recognize(human.rig.skeleton);
  Turns turns;
  for (const auto& [joint, range] : pipeline::joint_ranges(human))
    if (const auto bend = bends.find(body.roles[joint].part); bend != bends.end() && !range.axes.empty())
      turns[joint] = std::clamp(radians(bend->second), range.axes.front().lower_rad, range.axes.front().upper_rad) *
                     range.axes.front().axis;
  return turns;
}

ModelPose folded(const Skeleton& skeleton, const std::vector<Mat4>& bound, const Turns& turns, double share) {
  ModelPose pose{bound, std::vector<double>(skeleton.size(), 0), {}};
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    if (parent == kNone) continue;
    Mat4 turn = Mat4::Identity();
    if (const auto found = turns.find(j); found != turns.end()) {
      const Mat3 frame = polar(bound[j].topLeftCorner<3, 3>()).rotation;
      turn.topLeftCorner<3, 3>() = rotation_exp(frame.transpose() * (share * found->second)).toRotationMatrix();
    }
    pose.joints[j] = pose.joints[parent] * bound[parent].inverse() * bound[j] * turn;
  }
  return pose;
}

struct FoldMethod {
  const char *name, *id;
  bool tracking = false;
};

void add_fold(const char* name, const Character& character, const Turns& turns, const Progress& progress,
              ResultTable& table) {
  const Rig& rig = character.rig;
  const std::vector<Mat4> bound = deform::bind_frames(rig);
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const std::vector<double> shrink(welding.count(), kFoldShrink_rel * rig.mesh.size());
  Findings warnings;
  const Segmentation segmentation = pipeline::segment_by_weights(rig, warnings, progress);
  for (const FoldMethod& method : {FoldMethod{"lbs", "lbs"}, FoldMethod{"dqs", "dqs"}, FoldMethod{"pbd", "pbd"},
                                   FoldMethod{"implicit", "implicit"}, FoldMethod{"tracking", "implicit", true}}) {
    deform::MethodInputs inputs;
    inputs.segmentation = &segmentation;
    deform::ImplicitOptions tracked;
    tracked.tracking = true;
    const auto deformer = method.tracking ? deform::bind(method.id, rig, tracked, progress, inputs)
                                          : deform::bind(method.id, rig, {}, progress, inputs);
    const auto state = deformer->make_state();
    std::vector<Vec3f> positions(rig.mesh.positions.size());
    for (int frame = deformer->needs_history() ? 0 : kFoldFrames; frame <= kFoldFrames; ++frame) {
      progress.check();
      const ModelPose pose = folded(rig.skeleton, bound, turns, static_cast<double>(frame) / kFoldFrames);
      const double step = 1.0 / 30;
      deformer->deform(*state, {pose, frame * step, frame == 0 ? 0 : step}, {positions, {}, nullptr});
    }
    const measure::Contacts found =
        measure::contacts(with_positions(rig.mesh, positions), welding, shrink, 1, progress);
    table.rows.push_back({name, method.name, std::to_string(turns.size()), std::to_string(found.pairs),
                          std::to_string(found.shrunk), std::to_string(found.vertices),
                          fmt::format("{:.2f}", 1000 * found.depth / rig.mesh.size())});
  }
}

}  // namespace

void implicit_folds(const Progress& progress, Reproduction& result) {
  ResultTable table{"folds",
                    "Deep folds: the fist of a made hand, and the squat of a made human",
                    "Pairs: intersecting triangles, and those left after shrinking by 0.25 thousandths of the size. "
                    "Inside: vertices inside other skin; depth: of the deepest, in thousandths of the size. Tracking "
                    "starts at the bind pose, 30 frames before.",
                    {"fold", "method", "joints", "pairs", "shrunk", "inside", "depth"},
                    {}};
  const Character hand = shapes::make("hand", {}).made.character, human = shapes::make("human", {}).made.character;
  progress.step("folding", 0.3);
  add_fold("fist", hand, fist(hand), progress, table);
  add_fold("squat", human, squat(human), progress, table);
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
