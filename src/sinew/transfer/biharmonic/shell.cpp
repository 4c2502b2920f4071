// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/shell.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::transfer {
namespace {

/// Triangles below this area, in squares of the mesh's size, count as having none.
constexpr double kNoArea = 1e-14;

double corner_area(const geometry::TriangleSurface& s, const std::array<Index, 3>& t) {
  return 0.5 * (s.positions[t[1]] - s.positions[t[0]]).cross(s.positions[t[2]] - s.positions[t[0]]).norm();
}

double squared_distance(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 bone = b - a;
  const double length2 = bone.squaredNorm();
  const double t = length2 > 0 ? std::clamp((p - a).dot(bone) / length2, 0.0, 1.0) : 0;
  return (p - a - t * bone).squaredNorm();
}

MainShell shell_of(const Mesh& mesh, bool all_shells) {
  const geometry::Welding welding = geometry::weld(mesh);
  const geometry::TriangleSurface all = geometry::triangle_surface(mesh, welding);
  const double least = kNoArea * mesh.size() * mesh.size();
  geometry::UnionFind sets(welding.count());
  std::vector<double> areas;
  for (const auto& t : all.triangles) {
    areas.push_back(corner_area(all, t));
    if (areas.back() > least) sets.join(t[0], t[1]), sets.join(t[1], t[2]);
  }
  std::vector<double> area_of(welding.count(), 0);
  for (std::size_t i = 0; i < areas.size(); ++i)
    if (areas[i] > least) area_of[sets.find(all.triangles[i][0])] += areas[i];
  const auto largest = std::max_element(area_of.begin(), area_of.end());
  if (largest == area_of.end() || !(*largest > 0)) throw Error("The mesh has no faces with an area.");
  const auto root = static_cast<Index>(largest - area_of.begin());
  MainShell shell;
  shell.area_share = *largest / std::accumulate(area_of.begin(), area_of.end(), 0.0);
  shell.shells = static_cast<Index>(std::count_if(area_of.begin(), area_of.end(), [](double a) { return a > 0; }));
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &welding);
  std::vector<Index> number(welding.count(), kNone);
  for (std::size_t i = 0; i < areas.size(); ++i) {
    std::array<Index, 3> t = all.triangles[i];
    if (!(areas[i] > least) || (!all_shells && sets.find(t[0]) != root)) continue;
    for (Index& v : t) {
      if (number[v] == kNone) {
        number[v] = static_cast<Index>(shell.vertex.size());
        shell.vertex.push_back(welding.first[v]);
        shell.normals.push_back(normals[welding.first[v]]);
        shell.surface.positions.push_back(all.positions[v]);
      }
      v = number[v];
    }
    shell.surface.triangles.push_back(t);
  }
  for (const Index w : welding.welded) shell.of_vertex.push_back(number[w]);
  return shell;
}

}  // namespace

MainShell main_shell(const Mesh& mesh) { return shell_of(mesh, false); }

MainShell all_shells(const Mesh& mesh) { return shell_of(mesh, true); }

std::vector<NearestBone> nearest_bones(const std::vector<Vec3>& positions,
                                       const std::vector<std::vector<PairedBone>>& bones, bool of_target) {
  std::vector<NearestBone> result(positions.size());
  parallel_for(positions.size(), [&](std::size_t v) {
    double best = std::numeric_limits<double>::infinity();
    for (Index p = 0; p < bones.size(); ++p)
      for (Index b = 0; b < bones[p].size(); ++b) {
        const PairedBone& bone = bones[p][b];
        const double d = of_target ? squared_distance(positions[v], bone.target_a, bone.target_b)
                                   : squared_distance(positions[v], bone.reference_a, bone.reference_b);
        if (d < best) best = d, result[v] = {p, b};
      }
  });
  return result;
}

}  // namespace sinew::transfer
