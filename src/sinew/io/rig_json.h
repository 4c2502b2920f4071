// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// NAME.rig.json: joints, bind matrices and sparse weights by the names of the meshes and the numbers of their
/// vertices, so that a rig gets back into the scene its mesh came from. The schema is described in
/// docs/formats/text.md.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/io/asset.h"

namespace sinew::io {

/// The data of a rig for one mesh.
struct RigMesh {
  struct Entry {
    Index vertex = 0;  ///< Of the mesh, from 0.
    Influence influence;
  };
  std::string name;
  Index vertex_count = 0;
  Index skin = kNone;   ///< Of `RigFile::skins`.
  Index joint = kNone;  ///< The joint to which a rigid mesh is attached.
  std::optional<Mat4> to_model;
  bool has_weights = false;
  std::vector<Entry> weights;  ///< By rising vertex.
};

/// A rig without its mesh.
struct RigFile {
  std::string name;
  Skeleton skeleton;
  std::vector<Skin> skins;
  std::vector<RigMesh> meshes;
};

/// The rig of a character as text. Weights and transforms read back as the same numbers.
std::string write_rig_json(const Character& character);

/// Reads a rig. Joints may come in any order; they are sorted so that parents come first, and otherwise keep their
/// order. \throws Error with the location in the file for invalid data: joints that do not exist or are named twice,
/// cycles of parents, counts that differ, values that are not numbers. A driver of an unknown kind is kept (kOpaque);
/// `apply_rig` and `read_rig` have a finding for each (rig.driver).
RigFile read_rig_json(std::span<const std::byte> bytes, const std::string& file_name);

/// Applies the skeleton, skins and weights of a rig to the mesh of an asset, and replaces existing ones. Meshes are
/// matched by name, those of one name in order; one mesh on both sides is a match whatever the names. Meshes without a
/// partner get a finding (rig.unmatched_mesh). Tracks of clips go to the joint of the same name, or are dropped
/// (finding rig.dropped_tracks). \throws Error if the number of vertices of a mesh differs from that in the rig, or if
/// no mesh matches.
void apply_rig(Asset& asset, const RigFile& rig);

/// As a file format: reading gives a character with skeleton and skins and no mesh; it keeps the file, so that writing
/// it again changes nothing. Writing needs a skeleton.
Asset read_rig(const std::filesystem::path& path, Bytes bytes, const Progress& progress);
void write_rig(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options, AtomicFiles& files,
               Report& report);

/// The rig file an asset was read from, to be put on another asset with `apply_rig`.
class RigDocument : public Document {
 public:
  Bytes bytes;
  RigFile rig;
};

}  // namespace sinew::io
