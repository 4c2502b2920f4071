// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/segmentation.h"
#include "sinew/core/skeleton.h"
#include "sinew/core/surface_sample.h"
#include "sinew/core/tissue.h"

namespace sinew::io {

/// The owners of vertices as JSON: the bones, and per vertex its bone and its place along it. docs/commands/segment.md
/// describes the form.
std::string owners_json(const Segmentation& segmentation, const Skeleton& skeleton);

/// The joint that owns each vertex, or kNone, from such a file. \throws Error that names the file if it has another
/// form, another number of vertices, or names unknown joints.
std::vector<Index> read_owners_json(std::span<const std::byte> bytes, const std::filesystem::path& path,
                                    const Skeleton& skeleton, Index vertices);

/// Samples of parts as JSON, by the name of the joint: points and normals in the bind pose, in model space.
std::string samples_json(const PartSamples& samples);

/// \throws Error that names the file if it has another form, or normals without a direction.
PartSamples read_samples_json(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// What each vertex is made of, where it is painted. docs/methods/pbd.md describes the form. \throws Error that names
/// the file if it has another form, another number of vertices, or values out of range.
std::vector<std::optional<Tissue>> read_materials_json(std::span<const std::byte> bytes,
                                                       const std::filesystem::path& path, Index vertices);

}  // namespace sinew::io
