// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// `pipeline::rig` for a character that keeps its document: what `sinew rig` and the studio share.

#include <filesystem>
#include <optional>
#include <string>

#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/core/stage_listener.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/rig.h"

namespace sinew::studio {

struct AssetRig {
  io::Asset asset;             ///< With the new rig.
  pipeline::RigResult result;  ///< Without its character, which is that of the asset.
  io::SaveOptions save;        ///< What has to be written.
  std::string preset;
  bool carries_clips = false;    ///< The asset had clips of joints.
  Mat4 turn = Mat4::Identity();  ///< Stood the body up: from the coordinates as read to those of the result.
};

/// Brings all parts of an asset that was just read into one pose. Returns whether any position changed.
/// \throws Error if it has no mesh, or a rig that is not to be replaced.
bool prepare_to_rig(io::Asset& asset, bool replace, Report& report);

/// Rigs an asset after `prepare_to_rig`, which returned `moved`. A glTF document is edited, so that what Sinew does not
/// know of it stays. `stand` and `placement` as for `turns_to_stand`. \throws as `pipeline::rig`.
AssetRig rig_asset(io::Asset asset, bool moved, const pipeline::RigOptions& options, const std::string& stand,
                   const io::PlacementOptions& placement, Report& report, const Progress& progress = {},
                   const StageListener& on_stage = {});

/// The table of bones of an avatar; nothing for other files. \throws Error if a .vrm file would lack bones.
std::optional<io::Humanoid> humanoid_table(const io::Asset& asset, const std::filesystem::path& output, Report& report);

}  // namespace sinew::studio
