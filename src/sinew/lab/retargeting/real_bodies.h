// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Real bodies of one topology: which vertices correspond is known.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sinew/lab/transfer/known_rigs.h"

namespace sinew::lab {

/// A reference and a target whose faces are the same.
struct SameFaces {
  std::string name;
  KnownRig from, to;
  std::vector<Index> same;  ///< Per vertex of the target: that of the reference; kNone where it is not known.
};

/// Vertices of the same texture coordinates in parts of the same name. kNone where several positions share them.
std::vector<Index> same_by_texture(const Mesh& reference, const Mesh& target);

/// Two files of a folder whose vertices have the same texture coordinates; empty if one is missing.
std::optional<SameFaces> textured_pair(const std::filesystem::path& reference, const std::filesystem::path& target,
                                       const Progress& progress);

/// The rigs that MakeHuman has for all its bodies.
enum class MakeHumanRig { kMixamo, kDefault };
std::string makehuman_name(MakeHumanRig rig);

/// MakeHuman's base mesh, and another body of the same faces (`makehuman_base.obj` and `human.zae` in the folder), with
/// one rig for both: joints are where the rig's vertices are, and follow the surface around them to the other body; the
/// weights of both are those of the rig. Empty if a file is missing. \throws Error if the faces differ.
std::optional<SameFaces> makehuman_pair(const std::filesystem::path& folder, MakeHumanRig rig,
                                        const Progress& progress);

/// The target with its arms lowered by 45° from a T-pose, or raised to one, by its own skin. \throws Error if it has no
/// joint that is named as an upper arm.
KnownRig arms_moved(const KnownRig& known);

/// The same surface with other vertices: cut out of a distance field of `cells` cells. Rows are those of the nearest
/// point.
KnownRig remeshed_rig(const KnownRig& known, int cells, const Progress& progress);

}  // namespace sinew::lab
