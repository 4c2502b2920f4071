// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Motion put into a glTF document: clips and poses of its nodes, and for parts that no engine could deform itself, key
/// shapes (morph targets) with an animation of their weights. docs/commands/deform.md describes what the file then
/// holds.

#include <optional>

#include "sinew/io/asset.h"

namespace sinew::io {

/// One shape of a part: its vertices in model space.
struct KeyShape {
  std::string name;
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;  ///< Or empty.
};

/// A part that is no longer skinned: it runs straight from key shape to key shape.
struct MorphPart {
  Index part = kNone;
  std::vector<KeyShape> shapes;    ///< At least one. The first is what a still picture shows.
  std::vector<float> key_times_s;  ///< Rising; fewer than two keys give no animation.
  std::vector<Index> key_shapes;   ///< One per key.
};

/// A part that stays skinned: shapes are added before skinning, each times its weight.
struct CorrectionPart {
  struct Shape {
    std::string name;
    std::vector<Vec3f> offsets;  ///< Per vertex, in model space as bound.
    std::vector<Vec3f> normals;  ///< Changes of normals, or empty.
  };
  Index part = kNone;
  std::vector<Shape> shapes;
  std::vector<float> key_times_s;  ///< Rising; fewer than two keys show a pose, with the weights of the only key.
  std::vector<float> weights;      ///< For each key: those of the part's own morphs, then of `shapes`.
};

/// What moves. Either a clip or a pose, or neither.
struct Motion {
  std::string name;                         ///< Of the animation.
  Index own_clip = kNone;                   ///< The file's own clip that is played, by number; it stays.
  std::optional<Clip> clip;                 ///< A clip to add; for parts and joints of the asset.
  std::optional<Pose> pose;                 ///< Put on the nodes themselves.
  std::vector<MorphPart> parts;             ///< Parts given key shapes.
  std::vector<CorrectionPart> corrections;  ///< Parts that keep their skin; none of `parts`.
  double quantum = 0;  ///< Error in model space that whole numbers in place of floats may add to a key shape.
};

/// How a part with key shapes was written.
struct WrittenMorphs {
  Index part = kNone;
  bool skinned = false;      ///< The part keeps its skin.
  Index targets = 0;         ///< Key shapes, not counting the file's own targets.
  Index sparse_targets = 0;  ///< Of these, how many list only the vertices that move.
  std::string numbers;       ///< "int8", "int16" or "float".
};

struct WithMotion {
  Asset asset;                      ///< As it would be read from the file: nothing is written yet. Save it as it is.
  std::vector<Index> node_of_part;  ///< For each part of the given asset, the node that shows it now.
  Index clip = kNone;               ///< The clip of `asset` that plays the motion; kNone for a pose.
  std::vector<WrittenMorphs> morphs;
  std::vector<std::string> dropped_clips;  ///< The file's clips that move what no longer is skinned.
};

/// The character in a glTF document: itself if it came from glTF, else a new one, read back as if from a file. The new
/// one has several vertices for one where texture coordinates or normals meet: `vertices` then gets, for each of them,
/// the vertex of the given character, and is empty otherwise.
Asset as_gltf(Asset asset, Report& report, std::vector<Index>* vertices = nullptr);

/// Edits the document. Parts without key shapes, materials, pictures, other nodes and clips stay as they are; a part's
/// own targets stay the first, with weight zero: key shapes hold the whole deformation. Joints stay, so that objects
/// attached to them keep moving. Data that are no longer used are removed from the file. \pre `asset.document` is a
/// glTF document (`as_gltf`). \throws Error if a part cannot be written.
WithMotion with_motion(const Asset& asset, const Motion& motion, Report& report);

}  // namespace sinew::io
