// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/inside.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::rigging {
namespace {

double radius_near(const Body& body, const Vec3& place) {
  double nearest = std::numeric_limits<double>::infinity(), radius = 0;
  for (const Sphere& sphere : body.graph.spheres)
    if (const double d = (sphere.center - place).squaredNorm(); d < nearest) nearest = d, radius = sphere.radius;
  return radius;
}

Vec3 nearest_sample(const Body& body, const Vec3& place) {
  double nearest = std::numeric_limits<double>::infinity();
  Vec3 best = place;
  for (const MedialSample& sample : body.samples)
    if (const double d = (sample.point - place).squaredNorm(); d < nearest) nearest = d, best = sample.point;
  return best;
}

/// Brings points into a mesh.
class Puller {
 public:
  explicit Puller(const Mesh& mesh)
      : triangles_(geometry::triangle_vertices(mesh)),
        soup_{mesh.positions, triangles_},
        winding_(soup_, geometry::solid_facing(soup_).signs) {}

  bool inside(const Vec3& p) const { return winding_.at(p) > 0.5; }

  /// Into the middle of what lies behind the nearest surface; if that is not inside, as far towards a point as need be.
  Vec3 pulled(const Vec3& p, const Vec3& towards) {
    if (!scene_) scene_.emplace(soup_);  // Most bodies have no joint outside.
    const geometry::ClosestPoint nearest = scene_->closest_point(p);
    if (const Vec3 way = nearest.point - p; nearest && way.norm() > 0) {
      const Vec3 direction = way.normalized();
      const geometry::RayHit back = scene_->nearest_hit({nearest.point, direction, 1e-4 * way.norm() + 1e-9});
      const Vec3 middle = nearest.point + (back ? 0.5 * back.t : way.norm()) * direction;
      if (inside(middle)) return middle;
    }
    return moved(p, towards);
  }

  /// A point that is moved towards another as far as need be to be inside.
  Vec3 moved(const Vec3& p, const Vec3& towards) const {
    constexpr int kSteps = 16;
    if (inside(p)) return p;
    for (int k = 1; k <= kSteps; ++k)
      if (const Vec3 q = p + (k / (kSteps + 1.0)) * (towards - p); inside(q)) return q;
    for (const double almost : {0.97, 0.99})
      if (const Vec3 q = p + almost * (towards - p); inside(q)) return q;
    return p;
  }

 private:
  std::vector<geometry::TriangleVertices> triangles_;
  geometry::TriangleSoup soup_;
  std::optional<geometry::RayScene> scene_;
  geometry::FastWinding winding_;
};

}  // namespace

void keep_inside(const Body& body, const Template& skeleton_template, Anatomy& anatomy,
                 const std::vector<char>& fixed) {
  constexpr double kLeastDepth = 0.006;
  for (Index j = 0; j < skeleton_template.joints.size(); ++j) {
    if (anatomy.origins[j].empty() || fixed[j]) continue;
    Vec3& place = anatomy.places[j];
    const double depth = -geometry::sample(body.interior.depth, place);
    if (depth >= std::min(kLeastDepth, 0.2 * radius_near(body, place)) && depth > 0.5 * body.interior.voxels.cell)
      continue;
    place = nearest_sample(body, place);
  }
}

void pull_inside(SkeletonPlan& plan, const Mesh& mesh) {
  Puller puller(mesh);
  const auto mirrored = [&](const Vec3& p) { return Vec3(p - 2 * plan.left.dot(p - plan.mirror_point) * plan.left); };
  for (Index j = 0; j < plan.joints.size(); ++j) {
    PlannedJoint& joint = plan.joints[j];
    const bool paired = plan.symmetric && joint.partner != kNone && plan.joints[joint.partner].origin != "given";
    if (joint.origin == "given" || (paired && joint.partner < j) || puller.inside(joint.position)) continue;
    const Vec3 towards = joint.parent == kNone ? mesh.bounds().center() : plan.joints[joint.parent].position;
    joint.position = puller.pulled(joint.position, towards);
    if (paired) plan.joints[joint.partner].position = mirrored(joint.position);
    else if (plan.symmetric) joint.position = puller.moved(0.5 * (joint.position + mirrored(joint.position)), towards);
  }
}

}  // namespace sinew::rigging
