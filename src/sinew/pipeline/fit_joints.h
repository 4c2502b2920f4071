// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/result_table.h"
#include "sinew/core/stage_listener.h"
#include "sinew/deform/implicit/joint_shape/joint_shape.h"
#include "sinew/io/part_meshes.h"

namespace sinew::pipeline {

enum class JointShapeMode { kImproved, kPaper };
constexpr auto option_words(JointShapeMode) { return std::array{"improved", "paper"}; }

struct FitJointsOptions {
  JointShapeMode mode = JointShapeMode::kImproved;
  std::vector<std::string> joints;
  std::map<std::string, double> peel;  ///< Rings by joint.
  int rotations = 20;
  int alternations = 3;
  int post_rings = 4;
  bool own_side_guard = true;
  deform::Activity activity = deform::Activity::kNear;
  double least_bulge = 0.002;
  bool check_bends = true;
  int seed = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field(
          "mode",
          "Rules of the shapes: improved, or as published in the paper, by a random loop and always over four rings."),
      self.mode);
    v(Field("joints",
            "Joints to adjust: elbow, wrist, knee, … on both sides, or joints by name. Default: all that bulge.")
          .as("NAME,…"),
      self.joints);
    v(Field("peel",
            "Rings of triangles to remove from both parts of a joint before they are closed. Default: as many as are "
            "needed where a part is cut beyond its joint, up to two.")
          .as("JOINT=RINGS,…")
          .range(0, 20),
      self.peel);
    v(Field("rotations", "Rotations tried about each axis of a joint.").range(2, 200), self.rotations);
    v(Field("alternations", "How often the two parts of a joint are fitted to each other, at most.").range(1, 50),
      self.alternations);
    v(Field("post_rings", "Rings of triangles over which the fitted shape begins at its part.").range(1, 20),
      self.post_rings);
    v(Field("own_side_guard", "Leave out what is on a part's own side of the joint, where it is normal skin."),
      self.own_side_guard);
    v(Field("activity", "What counts as protruding: near the other part's closure, or by the formula of the paper."),
      self.activity);
    v(Field("least_bulge", "Mean protrusion, in radii of the limb, from which on a joint is adjusted.").range(0, 1),
      self.least_bulge);
    v(Field("check_bends",
            "Keep the old shape of joints whose bent skin would stick out more, or lie deeper in other skin, than "
            "before; not with the mode paper."),
      self.check_bends);
    v(Field("seed", "Seed of the particles that close the parts.").range(0, 2147483647), self.seed);
  }
};

using io::PartMesh;

struct FitJointsResult {
  deform::JointShapes shapes;
  PartSamples samples;  ///< For `DeformerOptions::samples`.
  Findings findings;
  std::size_t joints = 0, adjusted = 0, not_needed = 0, kept = 0, skipped = 0;
  std::size_t holes = 0;            ///< At joints.
  std::size_t by_particles = 0;     ///< Of them, closed without the last resort.
  std::vector<std::string> edited;  ///< Joints whose shape a person edited.
};

/// Shapes the parts of implicit skinning at joints (`deform::fit_joint_shapes`). Joints in `edited` get the shape of
/// these meshes, in the bind pose, instead. \throws Error for a character without weights, or options and meshes that
/// name unknown joints; Cancelled.
FitJointsResult fit_joints(const Character& character, const FitJointsOptions& options = {},
                           const std::map<std::string, PartMesh>& edited = {}, const Progress& progress = {},
                           const StageListener& stage = {});

/// Whether a hole was closed without the last resort.
inline bool closed_by_particles(const deform::PartHole& hole) {
  return hole.fill != deform::HoleFill::kOpen && hole.fill != deform::HoleFill::kPatch;
}

/// The closed mesh of a part, by the name of its joint, of all parts that have one.
std::map<std::string, PartMesh> part_meshes(const FitJointsResult& result, const Skeleton& skeleton);

/// One row per joint: what became of it, and its bulge energy by stage.
ResultTable joint_table(const FitJointsResult& result, const Skeleton& skeleton);
/// The same with everything that is known, and the holes that were not closed by particles.
Json joint_figures(const FitJointsResult& result, const Skeleton& skeleton);

}  // namespace sinew::pipeline
