// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/io/file.h"

namespace sinew::io {

/// A closed part of the skin, or one that a person edited, in the bind pose.
struct PartMesh {
  std::vector<Vec3> positions;
  std::vector<std::array<Index, 3>> triangles;
};

/// Adds meshes of parts, by joint, to a set of files, as JOINT.obj in a folder, which is made if it is missing.
/// Characters that file names cannot have become '_'. \throws Error if the folder cannot be made.
void add_part_meshes(const std::map<std::string, PartMesh>& meshes, const std::filesystem::path& folder,
                     AtomicFiles& files);

/// The meshes of parts in a folder, by joint, of any format that can be read. None for an empty path. \throws Error if
/// the folder or a file cannot be read, if a file is not named after a joint, or if there is none.
std::map<std::string, PartMesh> read_part_meshes(const std::filesystem::path& folder, const Skeleton& skeleton);

}  // namespace sinew::io
