// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A scene as it comes from the worker or from a reader of our own: plain lists, in the units and axes of the file,
/// with nothing resolved yet.

#include <string>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/io/file.h"

namespace sinew::io::assimp {

struct SceneNode {
  std::string name;
  Index parent = kNone;  ///< Comes earlier in the list; only the first node has none.
  Mat4 local = Mat4::Identity();
  std::vector<Index> meshes;
};

struct SceneBone {
  Index node = kNone;
  Mat4 offset = Mat4::Identity();  ///< The mesh's own space to the bone's frame at binding.
  std::vector<Index> vertices;
  std::vector<float> weights;  ///< One for each of `vertices`.
};

struct SceneMorph {
  std::string name;
  float weight = 0;
  std::vector<Vec3f> positions;  ///< Where the mesh's vertices are at weight 1; empty when it moves none.
};

struct SceneMesh {
  std::string name;
  Index material = kNone;
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;  ///< Per vertex like all others below, or empty.
  std::vector<Vec2f> uvs;      ///< v grows upwards.
  std::vector<Vec4f> colors;
  std::vector<Index> face_offsets;
  std::vector<Index> face_vertices;
  std::vector<SceneBone> bones;
  std::vector<SceneMorph> morphs;
  bool relative_morphs = false;  ///< COLLADA's RELATIVE: `SceneMorph::positions` are displacements.

  // Only from readers of our own; the worker does not send them.
  std::vector<Index> normal_corners;  ///< Into `normals` for each of `face_vertices`, or kNone; empty: per vertex.
  std::vector<Index> uv_corners;      ///< Likewise.
  std::vector<Index> color_corners;   ///< Likewise.
  std::vector<Index> face_materials;  ///< Per face, or kNone; empty: all have `material`.
};

/// A texture lies in the file (`embedded`, an index), or in another file (`path`), or there is none.
struct SceneTextureUse {
  std::string path;
  Index embedded = kNone;
};

struct SceneMaterial {
  std::string name;
  Vec4f diffuse = Vec4f::Ones();
  Vec3f emissive = Vec3f::Zero();
  float opacity = 1;
  float shininess = -1;  ///< Negative: not said, as for the next two.
  float roughness = -1;
  float metallic = -1;
  std::uint8_t two_sided = 2;  ///< 0 no, 1 yes, 2 not said.
  SceneTextureUse base_color, normal, emission, alpha;
};

/// A picture inside the file. Without bytes it was not one in a picture format.
struct SceneTexture {
  std::string name;
  Bytes bytes;
};

struct SceneKeys {
  std::vector<double> times;  ///< In ticks.
  std::vector<float> values;  ///< The same number for each key.
};

struct SceneChannel {
  Index node = kNone;
  SceneKeys translation, rotation, scale;  ///< xyz, xyzw, xyz.
};

struct SceneMorphChannel {
  std::string target;  ///< Name of a mesh or node.
  SceneKeys weights;
  Index mesh = kNone;  ///< The mesh itself, from readers of our own.
};

struct SceneClip {
  std::string name;
  double ticks_per_second = 0;
  std::vector<SceneChannel> channels;
  std::vector<SceneMorphChannel> morphs;
};

/// What the file says about itself, as far as it is of use. Numbers that are not said are as here.
struct SceneFacts {
  std::string generator;
  std::string format_version;
  double unit_scale = 0;                    ///< FBX: centimetres in a unit.
  std::int32_t up = -1, up_sign = 0;        ///< FBX: 0, 1, 2 for x, y, z, and 1 or −1; so the next two.
  std::int32_t front = -1, front_sign = 0;  ///< Towards the viewer: where a character looks.
  std::int32_t right = -1, right_sign = 0;
  std::uint32_t cameras = 0, lights = 0;
};

struct Scene {
  SceneFacts facts;
  std::vector<SceneNode> nodes;
  std::vector<SceneMesh> meshes;
  std::vector<SceneMaterial> materials;
  std::vector<SceneTexture> textures;
  std::vector<SceneClip> clips;
  bool exact = false;  ///< From a reader of our own: vertices and morph weights are the file's. Never sent.
};

/// The scene as bytes.
Bytes encode(const Scene& scene);

/// The scene of bytes from a process that may have lost its mind: every length, index and count is checked, and no more
/// is allocated than the bytes can fill. \throws Error if anything does not fit.
Scene decode(std::span<const std::byte> bytes);

/// \throws Error if an index or a count does not fit, or a matrix is not finite.
void check_scene(const Scene& scene);

/// Reads a file with Assimp. Crashes, hangs and endless memory are possible: only for a worker.
/// Files beside it may be opened, none outside its folder. \throws Error with Assimp's own words.
Scene import_scene(const std::filesystem::path& path, const Bytes& bytes);

}  // namespace sinew::io::assimp
