// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The stages of reading a glTF scene into a Character. `read_gltf` calls them in this order.

#include <set>

#include "sinew/io/gltf/document.h"

namespace sinew::io::gltf {

/// The document's nodes as a forest.
struct NodeGraph {
  std::vector<Index> parent;   ///< Per node; kNone for a root.
  std::vector<Index> order;    ///< Nodes of the scene, parents first, as a depth-first walk meets them; then others.
  std::vector<bool> in_scene;  ///< Per node.
  std::vector<Mat4> local;     ///< Per node.
  std::vector<Mat4> world;     ///< Per node.
  std::vector<Index> joint;    ///< Per node: its joint of the skeleton, or kNone.
};

/// \throws Error if a node has two parents or is its own ancestor.
NodeGraph read_nodes(const GltfDocument& document);

/// A node's own transform, from its matrix or its translation, rotation and scale.
Mat4 local_matrix(const Json& node, const std::string& where);

/// Makes the skeleton: every node from the root to the joints of skins, to nodes that clips move and, if anything
/// moves, to rigid meshes; and what hangs below joints. Fills `graph.joint`.
void read_skeleton(const GltfDocument& document, NodeGraph& graph, Character& character);

/// Makes the skins, with bind matrices in the file's own space; returns the matrix that takes this space to model space
/// for each skin (see MeshPart::to_model).
std::vector<Mat4> read_skins(GltfDocument& document, const NodeGraph& graph, Character& character);

/// Makes parts, vertices, faces, layers, morphs and weights. Skins get their bind matrices for model space.
void read_meshes(GltfDocument& document, const NodeGraph& graph, const std::vector<Mat4>& skin_to_model,
                 Character& character, const Progress& progress);

/// Makes the clips.
void read_clips(GltfDocument& document, const NodeGraph& graph, Character& character);

/// Makes materials and pictures.
void read_materials(GltfDocument& document, Character& character);

/// Whether a matrix keeps volumes apart from zero, to working precision.
bool is_invertible(const Mat4& m);

/// A name for element `index` of a kind: its own, or the kind and its number.
std::string name_of(const Json& element, std::string_view kind, std::size_t index);

}  // namespace sinew::io::gltf
