// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// From a plan of a skeleton to a character that has it: names and axes, weights, rest pose, clips.

#include <string>
#include <vector>

#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/rigging/build/build_skeleton.h"
#include "sinew/rigging/rigger.h"
#include "sinew/rigging/templates/preset.h"

namespace sinew::pipeline {

struct RigSettings {
  rigging::Preset preset;
  std::string bind = "auto";           ///< Id of a binder.
  std::vector<std::string> demo_clip;  ///< Names of built-in clips, or "auto".
  bool avatar = false;                 ///< The file shall be a VRM avatar.
  bool keep_mesh = false;              ///< The file holds no mesh: the rest pose cannot change.
};

struct RiggedAsset {
  io::Asset asset;
  io::SaveOptions save;
  rigging::SkeletonPlan plan;       ///< In the pose of the file.
  rigging::BuiltSkeleton skeleton;  ///< The same as the asset's, and which joint of the plan is which.
};

/// Puts all parts of a character into the pose in which they were bound, before a plan is made for it. Returns whether
/// vertices moved.
bool gather_parts(io::Asset& asset, Report& report);

/// Builds the skeleton, takes out the one that is there, binds, makes weights symmetric where the plan is, changes the
/// rest pose, carries clips over and adds built-in ones. `moved` is what `gather_parts` said. Appends to the report's
/// text, metrics, warnings, fallbacks and timing. \throws Error if nothing can be bound, a clip does not fit the body,
/// or an avatar lacks bones that VRM wants.
RiggedAsset apply_rigged(io::Asset asset, const rigging::Rigged& rigged, const RigSettings& settings, bool moved,
                         Report& report, const Progress& progress);

/// Which joints are which bones of VRM 1.0, by their roles. `missing` gets those it wants and that are not there.
io::Humanoid humanoid_of(const Skeleton& skeleton, const std::string& name, std::vector<std::string>& missing);

/// The built-in clip that shows most of a skeleton: walk, flap or exercise.
std::string fitting_clip(const Skeleton& skeleton);

}  // namespace sinew::pipeline
