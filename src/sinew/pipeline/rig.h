// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// From a bare mesh to a character with skeleton, weights and clips.
///
///     sinew::io::Asset asset = sinew::io::load("hero.obj");
///     sinew::pipeline::RigResult result = sinew::pipeline::rig(asset.character);
///
/// `rig` consists of four steps. A program that keeps a document beside the character calls them one by one, and
/// removes the existing rig from its document itself: `gather_parts`, `plan_rig`, `remove_replaced_rig`,
/// `apply_rig_plan`.

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/core/stage_listener.h"
#include "sinew/motion/retarget/carry_clip.h"
#include "sinew/pipeline/rig_options.h"
#include "sinew/rigging/build/build_skeleton.h"

namespace sinew::pipeline {

/// Vertices whose weights were made by one method, for one reason.
struct WeightOrigin {
  std::string method;  ///< Id of a binder, "rigid", "layer", ….
  std::string reason;  ///< A short phrase.
  Index vertices = 0;
};

struct RigResult {
  Character character;
  rigging::SkeletonPlan plan;  ///< In the pose of `character`.
  std::vector<Index> joints;   ///< Per joint of the plan: that of the character's skeleton.
  bool fits = true;            ///< False: no template fits, and the skeleton is a generic one.
  double confidence = 0;       ///< 0 to 1: the margin to the second-best interpretation of the body.
  Json metrics;                ///< Figures of the search for joints.
  std::string binder;          ///< Id of the method that made the weights.
  std::vector<WeightOrigin> origins;
  std::vector<std::uint8_t> origin;        ///< Per vertex: index into `origins`.
  std::optional<Index> mirrored_vertices;  ///< Vertices with the same weights on both sides, if the plan is symmetric.
  rigging::RestPose rest = rigging::RestPose::kKeep;  ///< The rest pose of the result.
  bool moved = false;                                 ///< Whether vertices, normals and morphs have changed.
  std::vector<Index> new_clips;                       ///< Those of `character.clips` that are carried over or built in.
  std::vector<std::string> carried_clips;             ///< Names of existing clips that the new joints play.
  std::vector<std::string> dropped_clips;  ///< Names of existing clips of which nothing could be carried over.
  std::vector<motion::DroppedTracks> dropped_tracks;  ///< Tracks that carried clips lost.
  std::vector<std::string> demo_clips;                ///< Names of built-in clips that were added.
  Findings findings;
  std::vector<Fallback> fallbacks;
};

/// Rigs a character: plans a skeleton for its mesh, builds it with the names and axes of a preset, binds the mesh to
/// it, makes weights symmetric where the body is, changes the rest pose, and adds clips. The mesh keeps its vertices,
/// UVs, materials and morphs. An existing rig is removed if the option 'replace' is set; its clips are carried over to
/// the new joints. The result is the same for any number of threads. \throws Error if there is no mesh or nothing can
/// be bound, if the character has a rig that is not to be replaced, or if an option is wrong; Cancelled.
RigResult rig(const Character& character, const RigOptions& options = {}, const Progress& progress = {},
              const StageListener& on_stage = {});

/// A character with all parts in the pose in which they were bound.
struct GatherResult {
  Character character;
  bool moved = false;  ///< Whether any vertex changed its position.
  Findings findings;
};

/// First step: parts of the mesh can be located in different poses if the character has a skeleton. Call it once: bind
/// matrices stay as they are.
GatherResult gather_parts(Character character);

/// A new rig for a character, and how the existing one relates to it.
struct RigPlan {
  rigging::PlanResult found;
  rigging::Preset preset;
  rigging::BuiltSkeleton built;  ///< The skeleton of `found.plan`, in the pose of the mesh.
  motion::OldMotion old;         ///< The existing rig. Its skeleton is empty if there is none.
  motion::JointPairs pairs;      ///< Between joints of the existing skeleton and of the new one.
  /// With fewer fingers than were found: the plan with all of them, to which the mesh is bound, and per joint of it the
  /// joint of `found.plan` that takes its weights.
  std::optional<rigging::SkeletonPlan> bound;
  std::vector<Index> takes;

  bool replaces() const { return !old.rig.skeleton.empty(); }
};

/// Second step: finds joints for a character whose parts are in one pose, and builds the skeleton. Where the whole mesh
/// is doubtful and the character has skinned parts beside others that are attached rigidly to joints, such as swords
/// and capes, the skinned parts are tried alone; a finding reports it if they give a better result. \throws as `rig`.
RigPlan plan_rig(const Character& character, const RigOptions& options, const Progress& progress = {},
                 const StageListener& on_stage = {});

/// The same plan for the character after it was rotated and moved by `turn`.
void turn_rig_plan(RigPlan& plan, const Character& turned, const Mat4& turn);

/// What remains to be carried over after an existing rig is removed.
struct RigRemoval {
  std::vector<Index> part_of;  ///< Per part of the mesh before: its number now.
  std::vector<Index> clips;    ///< Clips of `RigPlan::old` that are no longer in the character.
};

/// Third step: removes the existing rig from a character, with all clips if it had a skeleton.
RigRemoval remove_replaced_rig(Character& character, const RigPlan& plan);

/// Fourth step: gives the new rig to a character that has none. A built-in clip that does not fit the body is left out,
/// with a finding. \throws Error if nothing can be bound; Cancelled.
RigResult apply_rig_plan(Character character, const RigPlan& plan, const RigRemoval& removal, const RigOptions& options,
                         const Progress& progress = {}, const StageListener& on_stage = {});

/// `rigging::plan_skeleton` for all of a rig's mesh or its skinned parts alone, as in `plan_rig`.
rigging::PlanResult plan_body(const Rig& rig, const rigging::RiggerRequest& request,
                              const rigging::RiggerOptions& options, const Progress& progress = {});

}  // namespace sinew::pipeline
