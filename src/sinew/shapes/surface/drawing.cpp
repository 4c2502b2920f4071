// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/shapes/surface/assembly.h"
#include "sinew/shapes/surface/patch_grid.h"

namespace sinew::shapes {
namespace {

constexpr std::size_t kMostInfluences = 8;
constexpr std::uint64_t kTrials = 12;
constexpr std::uint64_t kPoseSalt = 0x706f7365;

/// How many quads a side every quad of the cages is cut into, for about `vertices` in all.
Index cuts_for(const Drawing& drawing, int vertices) {
  double quads = 0;
  for (const Shell& shell : drawing.shells) quads += static_cast<double>(shell.cage.quads().size());
  return static_cast<Index>(std::clamp(std::lround(std::sqrt(vertices / std::max(1.0, quads))), 1L, 64L));
}

std::vector<Influence> strongest(const std::vector<double>& dense) {
  std::vector<Influence> row;
  for (std::size_t j = 0; j < dense.size(); ++j)
    if (dense[j] > 1e-4) row.push_back({static_cast<Index>(j), static_cast<float>(dense[j])});
  std::stable_sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  if (row.size() > kMostInfluences) row.resize(kMostInfluences);
  double sum = 0;
  for (const Influence& influence : row) sum += influence.weight;
  for (Influence& influence : row) influence.weight = static_cast<float>(influence.weight / sum);
  return row;
}

/// The rows of the fine vertices: their stencils over the mixes of the cage.
std::vector<std::vector<Influence>> fine_rows(const Cage& cage, const geometry::Stencils& stencils, Index joints) {
  std::vector<std::vector<Influence>> rows(stencils.size());
  parallel_blocks(rows.size(), 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<double> dense(joints);
    for (std::size_t v = begin; v < end; ++v) {
      std::fill(dense.begin(), dense.end(), 0.0);
      for (std::uint32_t k = stencils.offsets[v]; k < stencils.offsets[v + 1]; ++k)
        for (const auto& [joint, share] : cage.mixes()[stencils.vertices[k]])
          dense[joint] += stencils.weights[k] * share;
      rows[v] = strongest(dense);
    }
  });
  return rows;
}

struct Bones {
  std::vector<Segmentation::Segment> segments;
  std::vector<std::array<Vec3, 2>> ends;
  std::vector<std::vector<Index>> of_joint;
};

Bones bones_of(const Skeleton& skeleton) {
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  const std::vector<std::vector<Index>> children = skeleton.children();
  Bones bones;
  bones.of_joint.resize(skeleton.size());
  const auto add = [&](Index joint, Index child, const Vec3& end) {
    bones.of_joint[joint].push_back(static_cast<Index>(bones.segments.size()));
    bones.segments.push_back({joint, child});
    bones.ends.push_back({rest[joint].topRightCorner<3, 1>(), end});
  };
  for (Index j = 0; j < skeleton.size(); ++j) {
    for (const Index child : children[j]) add(j, child, rest[child].topRightCorner<3, 1>());
    if (!children[j].empty()) continue;
    const Vec3 end = skeleton.joints[j].end_local.value_or(Vec3::Zero());
    add(j, kNone, transform_point(rest[j], end));
  }
  return bones;
}

/// Where a point lies along a segment; 0 for one without length.
double along(const std::array<Vec3, 2>& ends, const Vec3& p) {
  const Vec3 direction = ends[1] - ends[0];
  const double square = direction.squaredNorm();
  return square > 0 ? (p - ends[0]).dot(direction) / square : 0.0;
}

Segmentation owners_of(const Mesh& mesh, const SkinWeights& weights, const Skeleton& skeleton) {
  const Bones bones = bones_of(skeleton);
  Segmentation owners;
  owners.segments = bones.segments;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3& p = mesh.positions[v];
    Index best = kNone;
    double least = std::numeric_limits<double>::infinity();
    for (const Index bone : bones.of_joint[weights.row(v).front().joint]) {
      const double t = std::clamp(along(bones.ends[bone], p), 0.0, 1.0);
      const double d = (p - ((1 - t) * bones.ends[bone][0] + t * bones.ends[bone][1])).squaredNorm();
      if (d < least) least = d, best = bone;
    }
    owners.owner.push_back(best);
    owners.along.push_back(static_cast<float>(along(bones.ends[best], p)));
  }
  return owners;
}

void append_shell(Rig& rig, const Shell& shell, Index material, Index cuts) {
  const FineGrid fine = refine(shell.cage, cuts);
  MeshPart part;
  part.name = shell.name;
  part.first_vertex = rig.mesh.vertex_count();
  part.vertex_count = static_cast<Index>(fine.positions.size());
  part.first_face = rig.mesh.face_count();
  part.face_count = static_cast<Index>(fine.quads.size());
  part.skin = 0;
  rig.mesh.positions.insert(rig.mesh.positions.end(), fine.positions.begin(), fine.positions.end());
  for (const std::array<Index, 4>& quad : fine.quads) {
    std::array<Index, 4> moved = quad;
    for (Index& v : moved) v += part.first_vertex;
    rig.mesh.add_face(moved);
    rig.mesh.face_materials.push_back(material);
  }
  for (const std::vector<Influence>& row : fine_rows(shell.cage, fine.stencils, rig.skeleton.size()))
    rig.weights.add_row(row);
  rig.mesh.parts.push_back(std::move(part));
}

/// To the wanted height, standing on y = 0.
void scale_to(Rig& rig, double height) {
  const Box box = rig.mesh.bounds();
  const double scale = height / box.extent().y();
  for (Vec3& p : rig.mesh.positions) p = scale * (p - Vec3(0, box.lower.y(), 0));
  for (Joint& joint : rig.skeleton.joints) {
    if (joint.parent == kNone) joint.rest.translation.y() -= box.lower.y();
    joint.rest.translation *= scale;
    if (joint.end_local) *joint.end_local *= scale;
  }
}

}  // namespace

Made finished(const Drawing& drawing, const std::string& name, int vertices, double height) {
  Made made;
  Character& character = made.character;
  character.name = name;
  Rig& rig = character.rig;
  rig.skeleton = drawing.plan.skeleton();
  const Index cuts = cuts_for(drawing, vertices);
  for (const Shell& shell : drawing.shells) {
    append_shell(rig, shell, static_cast<Index>(character.materials.size()), cuts);
    character.materials.push_back(shell.material);
  }
  scale_to(rig, height);
  for (const Vec3& normal : geometry::vertex_normals(rig.mesh)) rig.mesh.normals.values.push_back(normal.cast<float>());
  rig.skins.push_back(rest_skin("Skin", rig.skeleton));
  made.owners = owners_of(rig.mesh, rig.weights, rig.skeleton);
  for (const auto& [part, joint] : drawing.template_joints) made.template_joints.push_back({part, joint});
  return made;
}

Variation body_variation(const MakeOptions& options, const Trial& trial) {
  return {static_cast<std::uint64_t>(options.seed), trial.calm * options.vary};
}

Variation pose_dice(const MakeOptions& options, const Trial& trial) {
  return {static_cast<std::uint64_t>(options.seed) ^ kPoseSalt ^ (trial.number << 40), trial.calm};
}

void name_all_joints(Drawing& drawing) {
  for (Index j = 0; j < drawing.plan.size(); ++j) drawing.template_joints.emplace_back(drawing.plan.name(j), j);
}

Made finished_untangled(const std::function<Drawing(const Trial&)>& draw, const std::string& name, int vertices,
                        double height) {
  for (Trial trial; trial.number < kTrials; ++trial.number, trial.calm *= 0.85) {
    Made made = finished(draw(trial), name, vertices, height);
    if (geometry::self_intersections(made.character.rig.mesh).inside_parts == 0) return made;
  }
  return finished(draw({kTrials, 0}), name, vertices, height);
}

Material matte(const std::string& name, float r, float g, float b) {
  Material material;
  material.name = name;
  material.base_color = {r, g, b, 1.0F};
  material.roughness = 0.8F;
  return material;
}

}  // namespace sinew::shapes
