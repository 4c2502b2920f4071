// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Biovision Hierarchy: a skeleton and one clip in text, without a mesh. Motion libraries such as CMU's are stored so.

#include <filesystem>

#include "sinew/io/asset.h"

namespace sinew::io {

/// Reads a skeleton and its motion. Every joint has channels of its own, in any order; the channel that is listed first
/// rotates last. The rest pose has the offsets and no rotations. A position channel replaces the offset, as in Blender;
/// where a joint below a root has positions that are 0 in all frames and an offset that is not, the offset stays. The
/// clip has the name of the file and one key per frame. The format states no unit and no axes. The cost is linear.
/// \throws Error with the line if the file is not BVH, is cut short, or has values that are not numbers.
Asset read_bvh(const std::filesystem::path& path, Bytes bytes, const Progress& progress);

/// Writes the joints that deform the mesh, with all above them, and the first clip of the character. If no joint
/// deforms a mesh, all are written. Joint axes are those of model space at rest, so that the rest pose of the file is
/// that of the character. Joints that move against their parents have position channels. Scale is applied to positions
/// and otherwise lost. \pre every track of the clip has one key or shares its times with all longer ones, which are
/// evenly spaced (`motion::resampled`). \throws Error if there is no skeleton or no clip.
void write_bvh(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options, AtomicFiles& files,
               Report& report);

}  // namespace sinew::io
