// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Skins and blend shapes.

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/io/fbx/import.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io::fbx {
namespace {

using assimp::SceneBone;
using assimp::SceneMesh;
using assimp::SceneMorph;

std::optional<Mat4> affine_matrix(const Record& record, std::string_view name, Arrays& arrays) {
  const std::vector<double> numbers = arrays.reals(record.child_value(name));
  if (numbers.size() != 16) return std::nullopt;
  Mat4 m = Eigen::Map<const Mat4>(numbers.data());  // Column by column, as Eigen has it.
  m.row(3) << 0, 0, 0, 1;
  if (!m.allFinite()) return std::nullopt;
  return m;
}

// Where a node was when the skin was attached, by the file's bind poses; nothing if they do not list it.
std::optional<Mat4> bind_pose_of(Index node, Import& import) {
  const Objects& objects = import.objects;
  const std::int64_t id = objects[import.object_of[node]].id;
  for (const Object& pose : objects.all()) {
    if (pose.kind != "Pose" || pose.type != "BindPose") continue;
    for (const Record& entry : pose.record->children) {
      const Value* target = entry.name == "PoseNode" ? entry.child_value("Node") : nullptr;
      if (target != nullptr && target->integer() == id) return affine_matrix(entry, "Matrix", import.arrays);
    }
  }
  return std::nullopt;
}

Mat4 world_of(Index node, const Import& import) {
  Mat4 world = Mat4::Identity();
  for (Index n = node; n != kNone; n = import.scene.nodes[n].parent) world = import.scene.nodes[n].local * world;
  return world;
}

// From the mesh's node to the bone, both as they were at binding. The file states it; where it states only where the
// bone was, the mesh was where the bind pose, or else its node, says.
Mat4 bone_offset(const Record& cluster, Index mesh_node, Index bone_node, Import& import) {
  if (const auto offset = affine_matrix(cluster, "Transform", import.arrays)) return *offset;
  const auto mesh = bind_pose_of(mesh_node, import);
  const auto bone = affine_matrix(cluster, "TransformLink", import.arrays);
  Mat4 offset = bone.value_or(world_of(bone_node, import)).inverse() * (mesh ? *mesh : world_of(mesh_node, import));
  offset.row(3) << 0, 0, 0, 1;
  return offset.allFinite() ? offset : Mat4(Mat4::Identity());
}

void read_cluster(Index cluster, Index node, SceneMesh& mesh, Import& import, std::uint64_t& lost) {
  const Record& record = *import.objects[cluster].record;
  const std::vector<Index> models = import.objects.children(cluster, "Model");
  const Index bone_node = models.empty() ? kNone : import.node_of[models.front()];
  if (bone_node == kNone) return;
  const std::vector<std::int64_t> vertices = import.arrays.integers(record.child_value("Indexes"));
  const std::vector<double> weights = import.arrays.reals(record.child_value("Weights"));
  if (vertices.size() != weights.size())
    throw Error(fmt::format("The skin of '{}' lists {} vertices and {} weights for '{}'.", to_utf8(mesh.name),
                            vertices.size(), weights.size(), to_utf8(import.scene.nodes[bone_node].name)));
  auto bone = std::find_if(mesh.bones.begin(), mesh.bones.end(),
                           [&](const SceneBone& known) { return known.node == bone_node; });
  if (bone == mesh.bones.end()) {
    mesh.bones.emplace_back().node = bone_node;
    bone = mesh.bones.end() - 1;
    bone->offset = bone_offset(record, node, bone_node, import);
  }
  import.take_rows(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i] < 0 || vertices[i] >= static_cast<std::int64_t>(mesh.positions.size())) {
      ++lost;
      continue;
    }
    bone->vertices.push_back(static_cast<Index>(vertices[i]));
    bone->weights.push_back(static_cast<float>(weights[i]));
  }
}

SceneMorph read_shape(Index shape, const Mat3& linear, const SceneMesh& mesh, Import& import, std::uint64_t& lost) {
  const Record& record = *import.objects[shape].record;
  const std::vector<std::int64_t> vertices = import.arrays.integers(record.child_value("Indexes"));
  const std::vector<double> moves = import.arrays.reals(record.child_value("Vertices"));
  if (moves.size() != 3 * vertices.size())
    throw Error(fmt::format("The shape '{}' lists {} vertices and {} coordinates.", to_utf8(import.objects[shape].name),
                            vertices.size(), moves.size()));
  SceneMorph morph;
  if (vertices.empty()) return morph;
  import.take_rows(mesh.positions.size());
  morph.positions.assign(mesh.positions.size(), Vec3f::Zero());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i] < 0 || vertices[i] >= static_cast<std::int64_t>(mesh.positions.size())) {
      ++lost;
      continue;
    }
    const Vec3 move(moves[3 * i], moves[3 * i + 1], moves[3 * i + 2]);
    if (move.allFinite()) morph.positions[static_cast<std::size_t>(vertices[i])] = (linear * move).cast<float>();
  }
  return morph;
}

// The shapes of a channel and where each is fully applied, by increasing weight.
std::vector<std::pair<double, Index>> shapes_of(Index channel, Import& import) {
  const std::vector<Index> shapes = import.objects.children(channel, "Geometry", "Shape");
  const std::vector<double> full = import.arrays.reals(import.objects[channel].record->child_value("FullWeights"));
  std::vector<std::pair<double, Index>> result;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const bool stated = s < full.size() && std::isfinite(full[s]) && full[s] > 1e-9;
    result.emplace_back(stated ? full[s] : 100.0 * static_cast<double>(s + 1) / static_cast<double>(shapes.size()),
                        shapes[s]);
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return result;
}

void warn_of_lost(std::uint64_t lost, const char* code, const SceneMesh& mesh, Import& import) {
  if (lost > 0)
    import.warnings.push_back(
        {code, to_utf8(mesh.name), fmt::format("{} entries for vertices that do not exist are left out.", lost)});
}

}  // namespace

void read_skins(Index geometry, Index node, SceneMesh& mesh, Import& import) {
  std::uint64_t lost = 0;
  for (const Index skin : import.objects.children(geometry, "Deformer", "Skin"))
    for (const Index cluster : import.objects.children(skin, "Deformer", "Cluster"))
      read_cluster(cluster, node, mesh, import, lost);
  warn_of_lost(lost, "fbx.weights", mesh, import);
}

std::vector<double> channel_weights(const std::vector<double>& full_weights, double percent) {
  std::vector<double> weights(full_weights.size(), 0.0);
  if (weights.empty()) return weights;
  // Between two shapes both count; before the first and after the last that one alone.
  const auto above = std::upper_bound(full_weights.begin(), full_weights.end(), percent);
  const auto next = static_cast<std::size_t>(above - full_weights.begin());
  if (next == 0 || next == weights.size()) {
    const std::size_t only = next == 0 ? 0 : next - 1;
    weights[only] = percent / full_weights[only];
    return weights;
  }
  const double share = (percent - full_weights[next - 1]) / (full_weights[next] - full_weights[next - 1]);
  weights[next - 1] = 1 - share;
  weights[next] = share;
  return weights;
}

void read_shapes(Index geometry, const Mat3& linear, Index number, SceneMesh& mesh, Import& import) {
  std::uint64_t lost = 0;
  mesh.relative_morphs = true;
  for (const Index deformer : import.objects.children(geometry, "Deformer", "BlendShape"))
    for (const Index channel : import.objects.children(deformer, "Deformer", "BlendShapeChannel")) {
      const Object& object = import.objects[channel];
      MorphSource source;
      source.mesh = number;
      source.channel = channel;
      source.first_morph = static_cast<Index>(mesh.morphs.size());
      for (const auto& [full, shape] : shapes_of(channel, import)) {
        SceneMorph morph = read_shape(shape, linear, mesh, import, lost);
        morph.name = object.name.empty() ? import.objects[shape].name : object.name;
        if (import.objects.children(channel, "Geometry", "Shape").size() > 1) morph.name += fmt::format("@{}", full);
        source.full_weights.push_back(full);
        mesh.morphs.push_back(std::move(morph));
      }
      const Value* stated = object.record->child_value("DeformPercent");
      const double percent =
          import.objects.properties(channel).number("DeformPercent", stated ? stated->number().value_or(0) : 0);
      const std::vector<double> weights = channel_weights(source.full_weights, percent);
      for (std::size_t m = 0; m < weights.size(); ++m)
        mesh.morphs[source.first_morph + m].weight = static_cast<float>(weights[m]);
      import.morphs.push_back(std::move(source));
    }
  warn_of_lost(lost, "fbx.shapes", mesh, import);
}

}  // namespace sinew::io::fbx
