// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/generated.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/geometry/voxels/marching_cubes.h"
#include "sinew/shapes/random.h"
#include "sinew/shapes/surface/assembly.h"
#include "sinew/shapes/surface/melted_field.h"

namespace sinew::shapes {
namespace {

constexpr int kGeneratedVertices = 60000;
constexpr double kVerticesPerCell = 1.5;  ///< Of marching cubes, per square of a cell's edge: the mean over directions.
constexpr double kGapRadius_rel = 0.006;
constexpr double kMostGapCells = 4;  ///< The work grows with the third power.
constexpr double kJitterCells = 0.04;

/// A ball with a bump.
struct Speck {
  Vec3 center;
  double radius;
  Vec3 bump;  ///< Its centre.

  double distance(const Vec3& p) const {
    return std::min((p - center).norm() - radius, (p - bump).norm() - 0.7 * radius);
  }
};

/// Balls beside the surface, so far from it and from each other that nothing grows together.
std::vector<Speck> draw_specks(const Mesh& mesh, const geometry::RayScene& scene, double cell, double clearance,
                               Random& random) {
  const double size = mesh.size();
  std::vector<Speck> specks;
  const int wanted = random.integer(4, 9);
  for (int attempt = 0; attempt < 400 && static_cast<int>(specks.size()) < wanted; ++attempt) {
    const Vec3& near = mesh.positions[random.below(mesh.vertex_count())];
    const double radius = random.uniform(1.6, 3) * cell;
    const Vec3 center = near + (clearance + 1.5 * radius + random.uniform(0, 0.03) * size) * random.direction();
    if (scene.closest_point(center).distance < 1.5 * radius + clearance) continue;
    const auto touches = [&](const Speck& other) {
      return (other.center - center).norm() < 1.5 * (other.radius + radius) + clearance;
    };
    if (std::any_of(specks.begin(), specks.end(), touches)) continue;
    specks.push_back({center, radius, center + 0.8 * radius * random.direction()});
  }
  return specks;
}

void add_specks(DistanceField& field, const std::vector<Speck>& specks) {
  for (const Speck& speck : specks) {
    const double reach = 1.5 * speck.radius + 2 * field.cell;
    std::array<Index, 3> first{};
    std::array<Index, 3> last{};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<Eigen::Index>(i);
      const double middle = speck.center[axis] - field.origin[axis];
      first[i] = static_cast<Index>(std::max(0.0, std::floor((middle - reach) / field.cell)));
      last[i] = static_cast<Index>(std::min(field.samples[i] - 1.0, std::ceil((middle + reach) / field.cell)));
    }
    for (Index z = first[2]; z <= last[2]; ++z) {
      for (Index y = first[1]; y <= last[1]; ++y) {
        for (Index x = first[0]; x <= last[0]; ++x) {
          const Vec3 p = field.origin + field.cell * Vec3(x, y, z);
          float& value = field.values[(static_cast<std::size_t>(z) * field.samples[1] + y) * field.samples[0] + x];
          value = std::min(value, static_cast<float>(speck.distance(p)));
        }
      }
    }
  }
}

/// A random order of n things.
std::vector<Index> shuffled(std::size_t n, Random& random) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<Index>(i))]);
  return order;
}

geometry::TriangleSurface shuffled(const geometry::TriangleSurface& surface, Random& random) {
  const std::vector<Index> order = shuffled(surface.positions.size(), random);
  geometry::TriangleSurface result;
  result.positions.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result.positions[order[i]] = surface.positions[i];
  for (const Index triangle : shuffled(surface.triangles.size(), random)) {
    std::array<Index, 3> corners = surface.triangles[triangle];
    for (Index& corner : corners) corner = order[corner];
    std::rotate(corners.begin(), corners.begin() + random.integer(0, 2), corners.end());
    result.triangles.push_back(corners);
  }
  return result;
}

/// Truth of the nearest points of the original.
void carry_truth(const Made& from, const geometry::RayScene& scene, const std::vector<Vec3>& points, Made& to) {
  constexpr int kMost = 8;
  const Rig& rig = from.character.rig;
  const std::vector<Triangle> triangles = triangulate(rig.mesh);
  const std::vector<geometry::ClosestPoint> nearest = scene.closest_points(points);
  to.owners.segments = from.owners.segments;
  std::vector<double> sums(rig.skeleton.size(), 0.0);
  for (const geometry::ClosestPoint& near : nearest) {
    const std::array<Index, 3>& corners = triangles[near.triangle].vertices;
    Eigen::Index strongest = 0;
    near.barycentric.maxCoeff(&strongest);
    const Index chosen = corners[static_cast<std::size_t>(strongest)];
    double along = 0;
    double share = 0;
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t k = 0; k < 3; ++k) {
      const double part = near.barycentric[static_cast<Eigen::Index>(k)];
      for (const Influence& influence : rig.weights.row(corners[k]))
        sums[influence.joint] += part * static_cast<double>(influence.weight);
      if (from.owners.owner[corners[k]] != from.owners.owner[chosen]) continue;
      along += part * static_cast<double>(from.owners.along[corners[k]]);
      share += part;
    }
    to.owners.owner.push_back(from.owners.owner[chosen]);
    to.owners.along.push_back(static_cast<float>(along / share));
    to.character.rig.weights.add_row(normalized_row(sums));
  }
  to.character.rig.weights = cap_influences(to.character.rig.weights, kMost).weights;
}

Facing draw_facing(const std::vector<Vec3>& points, double height, Random& random) {
  constexpr double kQuarter = kPi / 2;
  Facing facing;
  const bool square = random.uniform() < 0.5;
  const double yaw = square ? kQuarter * random.integer(0, 3) : random.uniform(0, 4 * kQuarter);
  const double drawn_height = random.integer(1, 2);
  facing.turn = Quat(Eigen::AngleAxisd(yaw, Vec3::UnitY()));
  Box box;
  for (const Vec3& p : points) box.extend(facing.turn * p);
  facing.scale = (height > 0 ? height : drawn_height) / box.extent().y();
  facing.shift = -facing.scale * box.center();
  return facing;
}

void place_skeleton(const Facing& facing, Skeleton& skeleton) {
  for (Joint& joint : skeleton.joints) {
    if (joint.parent == kNone) {
      joint.rest.translation = facing(joint.rest.translation);
      joint.rest.rotation = (facing.turn * joint.rest.rotation).normalized();
    } else {
      joint.rest.translation *= facing.scale;
    }
    if (joint.end_local) *joint.end_local *= facing.scale;
  }
}

Material grey() {
  Material material;
  material.name = "Generated";
  material.base_color = {0.5F, 0.5F, 0.5F, 1.0F};
  material.roughness = 0.9F;
  return material;
}

Mesh mesh_of(const geometry::TriangleSurface& surface) {
  Mesh mesh;
  mesh.positions = surface.positions;
  for (const std::array<Index, 3>& triangle : surface.triangles) mesh.add_face(triangle);
  mesh.face_materials.assign(mesh.face_count(), 0);
  MeshPart part;
  part.name = "Generated";
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  mesh.parts = {std::move(part)};
  return mesh;
}

/// The cell that gives about so many vertices. How much of the surface survives (inner shells do not, nor do gaps)
/// shows on a coarser grid.
double fitting_cell(const Mesh& mesh, int vertices, const Progress& progress) {
  const int tried = std::max(vertices / 8, std::min(vertices, 6000));
  const double coarse = std::sqrt(kVerticesPerCell * geometry::volume(mesh).area / tried);
  const double gap = std::min(kGapRadius_rel * mesh.size(), kMostGapCells * coarse);
  const auto counted =
      static_cast<double>(geometry::marching_cubes(melted_field(mesh, {coarse, 0, gap, 0}, progress)).positions.size());
  return coarse * std::sqrt(std::max(counted, 1.0) / vertices);
}

}  // namespace

GeneratedMesh generated_mesh(const Mesh& original, const MakeOptions& options, const Progress& progress) {
  Random random(static_cast<std::uint64_t>(options.seed), 1);
  const int vertices = options.vertices > 0 ? options.vertices : kGeneratedVertices;
  const double cell = fitting_cell(original, vertices, progress);
  const double gap = std::min(kGapRadius_rel * original.size(), kMostGapCells * cell);
  const double clearance = gap + 4 * cell;
  const geometry::RayScene scene(original);
  const std::vector<Speck> specks = draw_specks(original, scene, cell, clearance, random);

  progress.step("melting", 0.1);
  double room = 0;
  for (const Speck& speck : specks) {
    const Box box = original.bounds();
    const double beyond =
        std::max((box.lower - speck.center).maxCoeff(), (speck.center - box.upper).maxCoeff()) + 2 * speck.radius;
    room = std::max(room, beyond);
  }
  DistanceField field = melted_field(original, {cell, room, gap, random.next()}, progress);
  add_specks(field, specks);
  progress.step("cutting", 0.7);
  geometry::TriangleSurface surface = shuffled(geometry::marching_cubes(field), random);
  for (Vec3& p : surface.positions) p += kJitterCells * cell * random.direction();

  GeneratedMesh result;
  result.unturned = surface.positions;
  for (Index i = 0; i < surface.positions.size(); ++i) {
    const auto near = [&](const Speck& s) { return s.distance(surface.positions[i]) < 2 * cell; };
    if (std::any_of(specks.begin(), specks.end(), near)) result.specks.push_back(i);
  }
  result.facing = draw_facing(surface.positions, options.height, random);
  for (Vec3& p : surface.positions) p = result.facing(p);
  result.mesh = mesh_of(surface);
  return result;
}

Generated generated(const Made& made, const MakeOptions& options, const Progress& progress) {
  GeneratedMesh remeshed = generated_mesh(made.character.rig.mesh, options, progress);
  Generated result;
  result.specks = std::move(remeshed.specks);
  Character& character = result.made.character;
  character.name = made.character.name;
  character.rig.skeleton = made.character.rig.skeleton;
  result.made.template_joints = made.template_joints;
  carry_truth(made, geometry::RayScene(made.character.rig.mesh), remeshed.unturned, result.made);
  place_skeleton(remeshed.facing, character.rig.skeleton);
  character.rig.mesh = std::move(remeshed.mesh);
  character.rig.mesh.parts.front().skin = 0;
  character.rig.skins = {rest_skin("Generated", character.rig.skeleton)};
  character.materials.push_back(grey());
  return result;
}

}  // namespace sinew::shapes
