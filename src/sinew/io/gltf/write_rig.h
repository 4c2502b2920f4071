// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Edits of a document: what Sinew changed of a character, and nothing else.

#include "sinew/io/gltf/editor.h"

namespace sinew::io::gltf {

/// Puts a new root above the scene that moves it as `asset.placement` says. Returns its node; kNone if nothing moved.
Index write_placement(DocumentEditor& editor, const Asset& asset);

/// Says by translation, rotation and scale what a joint's node says by a matrix, which no clip may move, if they can
/// say it.
void make_animatable(Json& node, const Joint& joint);

/// Makes the nodes of joints the file does not have, and brings the others to the skeleton's names, parents and rest
/// transforms. Returns the node of each joint. `placement` is the node of joint 0 when that is the placement.
/// A fresh document has none of the nodes that joints name as their source.
std::vector<Index> write_joints(DocumentEditor& editor, const Asset& asset, Index placement, bool fresh);

/// Puts the nodes of rigid parts under the joints they hang on, at the place where they are.
void hang_rigid_parts(DocumentEditor& editor, const Asset& asset, const GltfDocument& document,
                      const std::vector<Index>& node_of_joint, bool fresh);

/// Gives a mesh of its own to every part that shares one with another part but no longer agrees with it: in positions,
/// in weights as the skin numbers its joints, or in new colours.
void separate_instances(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                        bool colors_changed = false);

/// Writes the skins of all parts: joints and bind matrices. A part whose coordinates lie otherwise than another's gets
/// a skin of its own.
void write_skins(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                 const std::vector<Index>& node_of_joint);

/// Writes the rows of all skinned parts as sets of four joints and weights. Rows of floats that sum to 1, to within
/// their rounding, are written to the bit; others are made to sum to exactly 1.
void write_weights(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                   const SaveOptions& options, Report& report);

/// Writes the positions of all parts.
void write_positions(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts);

/// Writes normals, tangents and the positions of morphs of all parts. Tangents rotate with the surface around them.
/// Compressed tangents, and what morphs say of normals, leave the file: they would no longer fit, and readers make
/// their own.
void write_shape(DocumentEditor& editor, const Asset& asset, const GltfDocument& document, Report& report);

/// Writes the morphs of parts that have none in the document, with their names and weights.
void write_new_morphs(DocumentEditor& editor, const Asset& asset, const GltfDocument& document);

/// Writes the vertex colours of all parts.
void write_colors(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts);

/// Appends clips as animations.
void write_clips(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
                 const std::vector<Index>& node_of_joint);

/// Appends those clips of the character that are named by number.
void write_some_clips(DocumentEditor& editor, const Asset& asset, const std::vector<Index>& clips,
                      const std::vector<PartSource>& parts, const std::vector<Index>& node_of_joint);

/// Writes the tracks that clips of the document got behind those they had (SaveOptions::longer_clips) as channels of
/// their animations. A channel that moves the same thing gives way to the new one; all others stay as they are. \throws
/// Error for a clip that is no animation of the document, or a track of a joint that is no node of it.
void write_longer_clips(DocumentEditor& editor, const Asset& asset,
                        const std::vector<std::pair<Index, std::size_t>>& clips, const std::vector<PartSource>& parts,
                        const std::vector<Index>& node_of_joint);

/// All of a character that `build_document` has left out: joints, constraints, skins, clips, the humanoid and weights.
void write_all(DocumentEditor& editor, const Asset& asset, const GltfDocument& document, const SaveOptions& options,
               Report& report);

/// Vertex of the whole mesh for an element of a block.
inline Index mesh_vertex(const MeshPart& part, const VertexBlock& block, Index element) {
  return part.first_vertex + (block.mesh_vertex.empty() ? block.first_vertex + element : block.mesh_vertex[element]);
}

}  // namespace sinew::io::gltf
