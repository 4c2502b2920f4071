// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The stages that make a character of a scene. `build_asset` calls them in this order.

#include <string>

#include "sinew/io/asset.h"
#include "sinew/io/assimp/scene.h"

namespace sinew::io::assimp {

/// What differs between the formats, beyond what Assimp evens out.
struct FormatTraits {
  bool fbx = false;            ///< Unit and axes are in the file and are left to us.
  bool collada = false;        ///< Unit and axes are in the file and Assimp puts them into the root node.
  bool plain_solid = false;    ///< STL: corners only, no materials.
  bool keep_vertices = false;  ///< The scene has the vertices of the file itself: none are joined.
};
FormatTraits traits_of(const std::filesystem::path& path);

/// How the nodes stand in model space. A node's own frame may be scaled (or mirrored) on the way, so that a character
/// in centimetres gets joints in metres and not joints of scale 0.01:
///
///   model frame of node n = to_model · world[n] · frame[n].
struct Layout {
  Mat4 to_model = Mat4::Identity();  ///< A similarity, with the root node's own transform where that is one.
  std::vector<Mat4> world;           ///< Per node, in the space before `to_model`.
  std::vector<Mat4> frame;           ///< Per node: a uniform scale, perhaps with x turned round; one for a whole tree.
  std::vector<Index> joint;          ///< Per node: its joint, or kNone.
  std::vector<bool> is_root;         ///< Per node: it stands directly in the scene.

  Mat4 model(Index node) const { return to_model * world[node] * frame[node]; }
};

/// Unit and axes: fills `to_model` and `world`, records in the asset what the file says.
Layout lay_out(const Scene& scene, const FormatTraits& traits, Asset& asset);

/// Joints: bones, nodes that clips move, nodes with rigid meshes if anything moves, all their ancestors, and what hangs
/// below bones. Fills `frame` and `joint`.
void build_skeleton(const Scene& scene, Layout& layout, Asset& asset);

/// Parts, vertices joined by position, faces, layers, morphs, weights and skins. Returns the part of each (node, mesh)
/// pair that has faces, for morph clips.
struct PartOfMesh {
  Index node, mesh, part;
};
std::vector<PartOfMesh> build_mesh(const Scene& scene, const Layout& layout, const FormatTraits& traits,
                                   const std::vector<Index>& materials, Asset& asset, const Progress& progress);

void build_clips(const Scene& scene, const Layout& layout, const std::vector<PartOfMesh>& parts, Asset& asset);

/// Materials and pictures, those in the file and those beside it. Call it before `build_mesh`: it settles which of the
/// scene's materials are real. Returns for each of them its number in the character, or kNone.
std::vector<Index> build_materials(const Scene& scene, const FormatTraits& traits, const std::filesystem::path& path,
                                   Asset& asset);

/// All of it.
Asset build_asset(Scene scene, const std::filesystem::path& path, const Progress& progress);

}  // namespace sinew::io::assimp
