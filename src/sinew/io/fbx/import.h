// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The stages that make a scene of an FBX file's objects. `read_fbx` calls them in this order.

#include "sinew/core/error.h"
#include "sinew/io/assimp/scene.h"
#include "sinew/io/fbx/objects.h"
#include "sinew/io/fbx/transform.h"

namespace sinew::io::fbx {

/// A blend shape channel of a mesh. A channel with in-betweens has a morph for each of its shapes.
struct MorphSource {
  Index mesh = kNone;                ///< Of the scene.
  Index channel = kNone;             ///< The object.
  Index first_morph = 0;             ///< Of the mesh.
  std::vector<double> full_weights;  ///< In percent, increasing: where each shape is fully applied.
};

/// A file at work.
struct Import {
  Import(const Record& root, std::uint64_t file_bytes)
      : objects(root), rows_left(std::min<std::uint64_t>(std::uint64_t{1} << 28, (1U << 22) + 64 * file_bytes)) {}

  Objects objects;
  Arrays arrays;
  assimp::Scene scene;
  Findings warnings;
  std::vector<Index> node_of;             ///< Per object: its node of the scene, or kNone.
  std::vector<Index> object_of;           ///< Per node.
  std::vector<NodeTransform> transforms;  ///< Per node.
  std::vector<Index> material_of;         ///< Per object: its material of the scene, or kNone.
  std::vector<MorphSource> morphs;
  /// Vertices, corners and displacements that may still be made. Instances could otherwise ask for any amount.
  std::uint64_t rows_left;

  /// \throws Error if that is more than any real file of this size has.
  void take_rows(std::uint64_t count);
};

/// Unit, axes, generator.
void read_facts(const Record& root, std::uint32_t version, Import& import);

/// Models below the scene, depth first, as nodes; the scene itself is node 0.
void read_nodes(Import& import);

void read_materials(Import& import);

/// Geometries as meshes of their nodes, with skins and blend shapes. Needs nodes and materials.
void read_meshes(Import& import);

/// One geometry without skin and morphs, in its own space. `face_materials` are positions in the materials of a node.
assimp::SceneMesh read_geometry(Index geometry, Import& import);

/// Skins of a geometry: clusters become bones.
void read_skins(Index geometry, Index node, assimp::SceneMesh& mesh, Import& import);

/// Blend shapes of a geometry. `linear` takes displacements to the space of the mesh; `number` is that of the mesh.
void read_shapes(Index geometry, const Mat3& linear, Index number, assimp::SceneMesh& mesh, Import& import);

/// The weights of the morphs of a channel that is at `percent`, one for each of `full_weights`.
std::vector<double> channel_weights(const std::vector<double>& full_weights, double percent);

/// Animation stacks that have curves, as clips. Needs nodes and meshes.
void read_clips(Import& import);

}  // namespace sinew::io::fbx
