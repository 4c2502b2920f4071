// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/limb_scene.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/mesh/section.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::rigging {

struct LimbScene::Parts {
  explicit Parts(const Mesh& mesh)
      : rays(mesh), surface(geometry::triangle_surface(mesh, geometry::weld(mesh))), cutter(surface) {}
  geometry::RayScene rays;
  geometry::TriangleSurface surface;
  geometry::SectionCutter cutter;

  Vec3 normal(Index triangle) const {
    const auto& t = surface.triangles[triangle];
    return (surface.positions[t[1]] - surface.positions[t[0]]).cross(surface.positions[t[2]] - surface.positions[t[0]]);
  }
};

LimbScene::LimbScene(const Mesh& mesh) : parts_(std::make_unique<const Parts>(mesh)) {}
LimbScene::LimbScene(LimbScene&&) noexcept = default;
LimbScene::~LimbScene() = default;

std::optional<LimbCentre> LimbScene::centre(const Vec3& origin, const Vec3& direction, LimbDepth depth,
                                            const std::optional<Vec3>& bone) const {
  const Vec3 along = direction.normalized();
  const std::vector<geometry::RayHit> hits = parts_->rays.all_hits({origin, along});
  if (hits.empty()) return {};
  // A solid ends where as many surfaces were left as entered; so a sleeve and the arm in it are one.
  double from = hits.front().t, to = hits.back().t;
  if (depth == LimbDepth::kFront) {
    int inside = 0;
    bool entered = false;
    for (const geometry::RayHit& hit : hits) {
      inside += parts_->normal(hit.triangle).dot(along) < 0 ? 1 : -1;
      entered = entered || inside > 0;
      if (entered && inside <= 0 && hit.t > from) {
        to = hit.t;
        break;
      }
    }
  }
  LimbCentre result;
  result.point = origin + 0.5 * (from + to) * along;
  result.radius = 0.5 * (to - from);
  if (!bone || !(bone->norm() > 0) || !(result.radius > 0)) return result;
  const Vec3 axis = bone->normalized();
  for (int round = 0; round < 2; ++round) {
    const double step = result.radius;
    const geometry::Section section = parts_->cutter.cut(result.point - step * axis, result.point + step * axis, 0.5);
    // Sections of the trunk, or of two limbs that are fused, are no guide.
    if (section.loops.empty() || !section.surrounded || section.max_radius > 4 * result.radius) break;
    result.point = section.centroid;
    const auto largest = std::max_element(section.loops.begin(), section.loops.end(), [](const auto& a, const auto& b) {
      return std::abs(a.area) < std::abs(b.area);
    });
    result.outline = largest->points;
  }
  return result;
}

}  // namespace sinew::rigging
