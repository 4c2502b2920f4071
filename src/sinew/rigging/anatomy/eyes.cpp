// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/eyes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::rigging {
namespace {

constexpr double kRound = 0.1;          // How far vertices may lie from the sphere, in radii, root of the mean square.
constexpr double kSmallestEye = 0.015;  // Radius, of the head's size.
constexpr double kLargestEye = 0.2;
constexpr double kMirrorMiss = 0.34;  // In radii.
constexpr double kRadiusMiss = 1.15;  // Radii of the two differ by less than this factor.
constexpr Index kLeastFaces = 8;

// The sphere nearest to points by linear least squares: |p|² = 2 c·p + (r² − |c|²). Points relative to their mean.
std::optional<FoundEye> fit_sphere(const std::vector<Vec3>& points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / static_cast<double>(points.size());
  Mat3 moment = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  double square = 0;
  for (const Vec3& p : points) {
    const Vec3 q = p - mean;
    moment += q * q.transpose();
    right += q.squaredNorm() * q;
    square += q.squaredNorm() / static_cast<double>(points.size());
  }
  const double size = moment.trace() / 3;
  if (!(size > 0) || moment.determinant() < 1e-4 * size * size * size) return {};  // Flat, or a line.
  const Vec3 center = 0.5 * (moment.inverse() * right);
  FoundEye eye{mean + center, std::sqrt(square + center.squaredNorm())};
  double miss = 0;
  for (const Vec3& p : points) {
    const double off = (p - eye.center).norm() - eye.radius;
    miss += off * off / static_cast<double>(points.size());
  }
  if (std::sqrt(miss) > kRound * eye.radius) return {};
  return eye;
}

// Whether points lie round more than half of a sphere: their mean is nearer to its centre than that of half a sphere,
// with some room for coarse ones.
bool surrounds(const FoundEye& eye, const std::vector<Vec3>& points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += (p - eye.center) / (eye.radius * static_cast<double>(points.size()));
  return mean.norm() < 0.6;
}

struct HeadPlace {
  Vec3 joint, middle;
  double size;
};

HeadPlace head_place(const SkeletonPlan& plan, const Mesh& mesh) {
  const PlannedJoint& head = plan.joints[plan.find_role("head")];
  HeadPlace place{head.position, head.position, 0};
  if (head.end) {
    place.middle = 0.5 * (head.position + *head.end);
    place.size = (*head.end - head.position).norm();
  }
  if (!(place.size > 0)) {
    place.size = 0.1 * mesh.bounds().extent().maxCoeff();
    place.middle = head.position + 0.5 * place.size * plan.up;
  }
  return place;
}

std::vector<FoundEye> round_shells(const SkeletonPlan& plan, const Mesh& mesh) {
  const HeadPlace head = head_place(plan, mesh);
  const geometry::Welding welding = geometry::weld(mesh);
  const geometry::Components shells = geometry::components(mesh, &welding);
  std::vector<std::vector<Vec3>> points(shells.count);
  for (const Index v : welding.first)
    if (shells.of_vertex[v] != kNone) points[shells.of_vertex[v]].push_back(mesh.positions[v]);
  std::vector<FoundEye> result;
  for (Index s = 0; s < shells.count; ++s) {
    if (shells.faces[s] < kLeastFaces || points[s].size() < kLeastFaces) continue;
    Box box;
    for (const Vec3& p : points[s]) box.extend(p);
    // Cheap tests first: most shells are neither.
    const double across = 0.5 * box.extent().maxCoeff();
    if (across > 1.2 * kLargestEye * head.size || across < 0.8 * kSmallestEye * head.size) continue;
    if ((box.center() - head.middle).norm() > 1.3 * head.size) continue;
    const std::optional<FoundEye> eye = fit_sphere(points[s]);
    if (!eye || eye->radius > kLargestEye * head.size || eye->radius < kSmallestEye * head.size) continue;
    if (surrounds(*eye, points[s]) && (eye->center - head.joint).dot(plan.forward) > 0) result.push_back(*eye);
  }
  return result;
}

}  // namespace

std::optional<std::array<FoundEye, 2>> find_eyes(const SkeletonPlan& plan, const Mesh& mesh) {
  if (plan.find_role("head") == kNone || mesh.face_count() == 0) return {};
  const std::vector<FoundEye> all = round_shells(plan, mesh);
  std::optional<std::array<FoundEye, 2>> best;
  for (const FoundEye& a : all)
    for (const FoundEye& b : all) {
      const double aside = (a.center - plan.mirror_point).dot(plan.left);
      const Vec3 image = a.center - 2 * aside * plan.left;
      const double radius = std::min(a.radius, b.radius);
      if (aside < 0.5 * radius || (image - b.center).norm() > kMirrorMiss * radius) continue;
      if (std::max(a.radius, b.radius) > kRadiusMiss * radius) continue;
      if (!best || radius > std::min((*best)[0].radius, (*best)[1].radius)) best = {{a, b}};
    }
  return best;
}

bool add_eyes(SkeletonPlan& plan, const Mesh& mesh) {
  if (plan.find_role("left_eye") != kNone || plan.find_role("right_eye") != kNone) return false;
  std::optional<std::array<FoundEye, 2>> eyes = find_eyes(plan, mesh);
  if (!eyes) return false;
  if (plan.symmetric) {
    const auto mirrored = [&](const Vec3& p) {
      return Vec3(p - 2 * (p - plan.mirror_point).dot(plan.left) * plan.left);
    };
    (*eyes)[0].center = 0.5 * ((*eyes)[0].center + mirrored((*eyes)[1].center));
    (*eyes)[1].center = mirrored((*eyes)[0].center);
    (*eyes)[0].radius = (*eyes)[1].radius = 0.5 * ((*eyes)[0].radius + (*eyes)[1].radius);
  }
  const Index head = plan.find_role("head");
  const auto first = static_cast<Index>(plan.joints.size());
  for (Index s = 0; s < 2; ++s) {
    PlannedJoint joint;
    joint.name = s == 0 ? "LeftEye" : "RightEye";
    joint.role = s == 0 ? "left_eye" : "right_eye";
    joint.parent = head;
    joint.position = (*eyes)[s].center;
    joint.end = joint.position + (*eyes)[s].radius * plan.forward;
    joint.bend_axis = plan.left;
    joint.partner = first + 1 - s;
    joint.origin = "derived";
    plan.joints.push_back(std::move(joint));
  }
  return true;
}

}  // namespace sinew::rigging
