// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/retargeting/real_bodies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/geometry/voxels/marching_cubes.h"
#include "sinew/io/asset.h"
#include "sinew/transfer/surface/reference_surface.h"

namespace sinew::lab {
namespace {

using TextureKey = std::tuple<std::string, float, float>;

// The vertices at each texture coordinate of each part.
std::map<TextureKey, std::vector<Index>> by_texture(const Mesh& mesh) {
  std::map<TextureKey, std::vector<Index>> result;
  for (const MeshPart& part : mesh.parts)
    for (Index f = part.first_face; f < part.first_face + part.face_count; ++f)
      for (Index c = mesh.face_offsets[f]; c < mesh.face_offsets[f + 1]; ++c) {
        const Index v = mesh.face_vertices[c], at = mesh.uvs.corners.empty() ? v : mesh.uvs.corners[c];
        if (at == kNone || at >= mesh.uvs.values.size()) continue;
        std::vector<Index>& vertices = result[{part.name, mesh.uvs.values[at].x(), mesh.uvs.values[at].y()}];
        if (std::find(vertices.begin(), vertices.end(), v) == vertices.end()) vertices.push_back(v);
      }
  return result;
}

bool one_position(const Mesh& mesh, const std::vector<Index>& vertices) {
  return std::all_of(vertices.begin(), vertices.end(),
                     [&](Index v) { return mesh.positions[v] == mesh.positions[vertices.front()]; });
}

/// A joint of an upper arm and the next one along it, by the names of rigs in common use.
std::pair<Index, Index> arm_joints(const Skeleton& skeleton, bool left) {
  constexpr std::array<std::array<const char*, 4>, 5> kNames = {
      {{"mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:RightArm", "mixamorig:RightForeArm"},
       {"LeftArm", "LeftForeArm", "RightArm", "RightForeArm"},
       {"Bip01 L UpperArm", "Bip01 L Forearm", "Bip01 R UpperArm", "Bip01 R Forearm"},
       {"upperarm01.L", "lowerarm01.L", "upperarm01.R", "lowerarm01.R"},
       {"LeftUpperArm", "LeftForearm", "RightUpperArm", "RightForearm"}}};
  for (const auto& names : kNames) {
    const Index arm = skeleton.find(names[left ? 0 : 2]), next = skeleton.find(names[left ? 1 : 3]);
    if (arm != kNone && next != kNone) return {arm, next};
  }
  throw Error("The character has no joint that is named as an upper arm.");
}

}  // namespace

std::vector<Index> same_by_texture(const Mesh& reference, const Mesh& target) {
  const auto ours = by_texture(reference), theirs = by_texture(target);
  std::vector<Index> same(target.vertex_count(), kNone);
  for (const auto& [key, vertices] : theirs) {
    const auto there = ours.find(key);
    if (there == ours.end() || !one_position(reference, there->second) || !one_position(target, vertices)) continue;
    for (const Index v : vertices) same[v] = there->second.front();
  }
  return same;
}

std::optional<SameFaces> textured_pair(const std::filesystem::path& reference, const std::filesystem::path& target,
                                       const Progress& progress) {
  if (!std::filesystem::exists(reference) || !std::filesystem::exists(target)) return std::nullopt;
  const std::string from = reference.stem().string(), to = target.stem().string();
  SameFaces pair{from + " → " + to,
                 bound_alone(io::load(reference, {}, progress).character.rig, from),
                 bound_alone(io::load(target, {}, progress).character.rig, to),
                 {}};
  pair.same = same_by_texture(pair.from.rig.mesh, pair.to.rig.mesh);
  return pair;
}

KnownRig arms_moved(const KnownRig& known) {
  const Skeleton& skeleton = known.rig.skeleton;
  const std::vector<Mat4> frames = rest_matrices(skeleton);
  Pose pose = rest_pose(known.rig);
  for (const bool left : {true, false}) {
    const auto [arm, next] = arm_joints(skeleton, left);
    const Vec3 along = (frames[next] - frames[arm]).topRightCorner<3, 1>();
    const double hangs_rad = std::atan2(-along.y(), std::abs(along.x()));
    const double lower_rad = hangs_rad < radians(25) ? radians(45) : -hangs_rad;
    const Quat turn(Eigen::AngleAxisd(along.x() > 0 ? -lower_rad : lower_rad, Vec3::UnitZ()));
    Quat above = Quat::Identity();
    for (Index j = skeleton.joints[arm].parent; j != kNone; j = skeleton.joints[j].parent)
      above = skeleton.joints[j].rest.rotation * above;
    pose.local[arm].rotation = above.inverse() * turn * above * pose.local[arm].rotation;
  }
  return reposed(known, pose);
}

KnownRig remeshed_rig(const KnownRig& known, int cells, const Progress& progress) {
  geometry::DistanceFieldOptions options;
  options.cells = cells;
  options.band = 3;
  const geometry::TriangleSurface surface =
      geometry::marching_cubes(geometry::distance_field(known.rig.mesh, options, progress));
  KnownRig result = known;
  result.rig.mesh = {};
  result.rig.mesh.positions = surface.positions;
  for (const auto& triangle : surface.triangles) result.rig.mesh.add_face(triangle);
  MeshPart part;
  part.vertex_count = result.rig.mesh.vertex_count(), part.face_count = result.rig.mesh.face_count();
  part.skin = 0;
  result.rig.mesh.parts = {part};
  const transfer::ReferenceSurface original(known.reference());
  result.rig.weights = {};
  for (const geometry::ClosestPoint& point : original.closest_points(surface.positions))
    result.rig.weights.add_row(original.row(point.triangle, point.barycentric));
  return result;
}

}  // namespace sinew::lab
