// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "sinew/core/workable.h"
#include "sinew/pipeline/bind_parts.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/rig.h"
#include "sinew/pipeline/rig_curves.h"
#include "sinew/rigging/anatomy/finger_count.h"
#include "sinew/rigging/build/trunk_joints.h"

namespace sinew::pipeline {
namespace {

/// A plan of this confidence is not doubtful.
constexpr double kSure = 0.5;

struct SkinnedParts {
  Mesh mesh;
  std::size_t others = 0;  // Parts that have no skin.
};

/// The skinned parts as a mesh of their own; nothing if all parts are skinned, or those that are have fewer than half
/// of the vertices.
std::optional<SkinnedParts> skinned_parts(const Mesh& mesh) {
  std::vector<PartPlan> plan(mesh.parts.size());
  SkinnedParts result;
  std::size_t skinned = 0;
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    if (mesh.parts[p].skin != kNone) {
      skinned += mesh.parts[p].vertex_count;
      continue;
    }
    plan[p] = {PartTreatment::kKeep, "is attached to a joint"};
    ++result.others;
  }
  if (result.others == 0 || 2 * skinned < mesh.vertex_count()) return {};
  result.mesh = chosen_parts(mesh, plan).mesh;
  return result;
}

/// The rig of a character as its clips need it.
motion::OldMotion old_motion(const Character& character) {
  motion::OldMotion old;
  Findings known;  // `gather_parts` has reported them.
  old.frames = binding_matrices(character.rig, known);
  old.rig.skeleton = character.rig.skeleton;
  old.rig.mesh.parts = character.rig.mesh.parts;
  old.clips = character.clips;
  return old;
}

void build_plan(RigPlan& plan, const Character& character) {
  plan.built = rigging::build_skeleton(plan.found.plan, plan.preset);
  if (character.rig.skeleton.empty()) return;
  plan.old = old_motion(character);
  plan.pairs = motion::pair_joints(plan.old.rig.skeleton, plan.built.skeleton);
}

/// Leaves out fingers beyond the number that the options state.
void limit_fingers(RigPlan& plan, const std::string& word) {
  if (word == "auto" || word == "none") return;
  rigging::FewerFingers fewer = rigging::with_finger_count(plan.found.plan, static_cast<Index>(std::stoi(word)));
  Findings& warnings = plan.found.warnings;
  warnings.insert(warnings.end(), fewer.findings.begin(), fewer.findings.end());
  if (fewer.plan.joints.size() == plan.found.plan.joints.size()) return;
  plan.bound = std::exchange(plan.found.plan, std::move(fewer.plan));
  plan.takes = std::move(fewer.takes);
}

}  // namespace

GatherResult gather_parts(Character character) {
  GatherResult result{std::move(character), false, {}};
  Rig& rig = result.character.rig;
  if (rig.skeleton.empty()) return result;
  result.moved = rigging::gather_in_bind_pose(rig, binding_matrices(rig, result.findings));
  if (result.moved)
    result.findings.push_back(
        {"rig.gathered", "",
         "Parts of the mesh were in different poses and are now in the one in which the skin with most vertices was "
         "bound."});
  return result;
}

// Positions that a person gives lie near the mesh, by the same measure as joints of files.
void require_near(const std::map<std::string, Vec3>& positions, const Mesh& mesh, const char* option) {
  Box box;
  for (const Vec3& p : mesh.positions) box.extend(p);
  if (box.empty()) return;
  for (const auto& [name, position] : positions)
    if (!((position - box.center()).norm() <= kFarthestJoint * box.diagonal()))
      throw Error(fmt::format("The option '{}' places '{}' more than {:g} sizes of the mesh away from it.", option,
                              name, kFarthestJoint));
}

rigging::PlanResult plan_body(const Rig& rig, const rigging::RiggerRequest& request,
                              const rigging::RiggerOptions& options, const Progress& progress) {
  rigging::PlanResult whole = rigging::plan_skeleton(rig.mesh, request, options, progress);
  if (whole.fits && whole.confidence >= kSure) return whole;
  const std::optional<SkinnedParts> body = skinned_parts(rig.mesh);
  if (!body) return whole;
  rigging::PlanResult alone = rigging::plan_skeleton(body->mesh, request, options, progress);
  if (!alone.fits || alone.confidence <= whole.confidence) return whole;
  alone.pieces = std::move(whole.pieces);  // Of the whole mesh, which is bound.
  alone.warnings.push_back(
      {"rig.props", "",
       body->others == 1
           ? "One part that was attached to a joint had no skin of its own and is ignored in the search for joints."
           : fmt::format("{} parts that were attached to joints had no skin of their own and are ignored in the search "
                         "for joints.",
                         body->others)});
  return alone;
}

RigPlan plan_rig(const Character& character, const RigOptions& options, const Progress& progress,
                 const StageListener& on_stage) {
  require_workable(character.rig);
  check_rig_options(options);
  if (character.rig.mesh.face_count() == 0) throw Error("The character has no mesh to rig.");
  if (has_rig(character) && !options.replace)
    throw Error(
        "The character has a skeleton or clips of its own. Set the option 'replace' to replace them, or bind the mesh "
        "to "
        "the existing skeleton instead.");
  RigPlan plan;
  plan.preset = preset_of(options);
  rigging::RiggerRequest request = rigger_request(options);
  require_near(request.hints, character.rig.mesh, "hint");
  require_near(request.given, character.rig.mesh, "joint_positions");
  request.on_stage = on_stage;
  progress.step("looking for joints", 0.1);
  plan.found = request.templates.empty() ? rigging::plan_generic_skeleton(character.rig.mesh, on_stage, progress)
                                         : plan_body(character.rig, request, options.rigger, progress);
  place_on_curves(plan.found, character.rig.mesh, request.templates, options, progress);
  plan.found.plan = rigging::with_trunk_joints(std::move(plan.found.plan), plan.preset.spine_joints);
  limit_fingers(plan, options.rigger.fingers);
  build_plan(plan, character);
  return plan;
}

void turn_rig_plan(RigPlan& plan, const Character& turned, const Mat4& turn) {
  plan.found.plan = rigging::turned_plan(std::move(plan.found.plan), turn);
  if (plan.bound) plan.bound = rigging::turned_plan(std::move(*plan.bound), turn);
  build_plan(plan, turned);
}

RigRemoval remove_replaced_rig(Character& character, const RigPlan& plan) {
  RigRemoval removal;
  for (Index p = 0; p < character.rig.mesh.parts.size(); ++p) removal.part_of.push_back(p);
  // Without a skeleton there are only clips of morphs, which stay.
  if (!plan.replaces()) return removal;
  remove_rig(character);
  character.clips.clear();
  for (Index c = 0; c < plan.old.clips.size(); ++c) removal.clips.push_back(c);
  return removal;
}

}  // namespace sinew::pipeline
