// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/rest_pose.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sinew/core/dual_quat.h"
#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/core/rotation_between.h"

namespace sinew::rigging {
namespace {

/// Vertices stay if they are nearer to their new position than this share of the size.
constexpr double kApart = 1e-4;

Mat4 rotation_about(const Mat3& rotation, const Vec3& point) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = rotation;
  m.topRightCorner<3, 1>() = point - rotation * point;
  return m;
}

/// Poses a plan joint by joint, parents first.
class PlanPoser {
 public:
  explicit PlanPoser(const SkeletonPlan& plan)
      : plan_(plan),
        transforms_(plan.joints.size(), Mat4::Identity()),
        aim_(plan.joints.size(), Vec3::Zero()),
        level_(plan.joints.size(), false) {}

  void aim(const std::string& role, const Vec3& direction) {
    if (const Index j = plan_.find_role(role); j != kNone) aim_[j] = direction.normalized();
  }
  // Keeps the rotation it has in the plan.
  void keep_level(const std::string& role) {
    if (const Index j = plan_.find_role(role); j != kNone) level_[j] = true;
  }

  std::vector<Mat4> run() {
    for (Index j = 0; j < plan_.joints.size(); ++j) {
      const Index parent = plan_.joints[j].parent;
      if (parent != kNone) transforms_[j] = transforms_[parent];
      const Vec3 position = transform_point(transforms_[j], plan_.joints[j].position);
      const Mat3 rotated = transforms_[j].topLeftCorner<3, 3>();
      if (level_[j]) {
        transforms_[j] = rotation_about(rotated.transpose(), position) * transforms_[j];
      } else if (const Vec3 along = bone(j); aim_[j] != Vec3::Zero() && along != Vec3::Zero()) {
        const Mat3 rotation = rotation_between(rotated * along, aim_[j]).toRotationMatrix();
        transforms_[j] = rotation_about(rotation, position) * transforms_[j];
      }
    }
    return std::move(transforms_);
  }

 private:
  // Along the limb: to the joint below whose role is next in it, else to the end or the middle of all children.
  Vec3 bone(Index j) const {
    const auto next = [&](const std::string& from, const std::string& to) {
      const std::string& role = plan_.joints[j].role;
      const std::size_t at = role.find(from);
      if (at == std::string::npos || role.size() != at + from.size()) return kNone;
      // Joints for the twist may come between.
      const Index child = plan_.find_role(role.substr(0, at) + to);
      Index above = child;
      while (above != kNone && above != j) above = plan_.joints[above].parent;
      return above == j ? child : kNone;
    };
    const Vec3& here = plan_.joints[j].position;
    for (const auto& [from, to] :
         {std::pair{"upper_arm", "forearm"}, std::pair{"forearm", "hand"}, std::pair{"hand", "middle_1"},
          std::pair{"thigh", "shin"}, std::pair{"shin", "foot"}})
      if (const Index child = next(from, to); child != kNone) return plan_.joints[child].position - here;
    if (plan_.joints[j].end) return *plan_.joints[j].end - here;
    Vec3 sum = Vec3::Zero();
    for (const PlannedJoint& joint : plan_.joints)
      if (joint.parent == j) sum += joint.position - here;
    return sum;
  }

  const SkeletonPlan& plan_;
  std::vector<Mat4> transforms_;
  std::vector<Vec3> aim_;
  std::vector<bool> level_;
};

// T and A are poses of bodies that stand upright: front legs are no arms.
bool stands_upright(const SkeletonPlan& plan) {
  constexpr double kUpright = 0.5;
  const Index hips = plan.find_role("hips");
  for (const char* role : {"head", "neck", "chest"}) {
    const Index top = plan.find_role(role);
    if (hips == kNone || top == kNone) continue;
    const Vec3 trunk = plan.joints[top].position - plan.joints[hips].position;
    return trunk.dot(plan.up) > kUpright * trunk.norm();
  }
  return false;
}

double lowest_foot(const SkeletonPlan& plan, const std::vector<Mat4>* transforms) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const char* role : {"left_foot", "right_foot"}) {
    const Index j = plan.find_role(role);
    if (j == kNone) continue;
    const Vec3 position =
        transforms ? transform_point((*transforms)[j], plan.joints[j].position) : plan.joints[j].position;
    lowest = std::min(lowest, position.dot(plan.up));
  }
  return lowest;
}

// A rigid transform without the normalisation of `dual_quat(Mat4)`: rotation matrices of a plan are exact to rounding.
DualQuat rigid_dual_quat(const Mat4& m) {
  return dual_quat(Quat(Mat3(m.topLeftCorner<3, 3>())), m.topRightCorner<3, 1>());
}

Mat4 blended_matrix(const Vec4& real, const Vec4& dual) {
  const double length = real.norm();
  DualQuat q;
  q.real.coeffs() = real / length;
  q.dual.coeffs() = dual / length;
  return matrix_of(q);
}

Vec3f rotated_normal(const Mat4& transform, const Vec3f& normal) {
  const Mat3 linear = transform.topLeftCorner<3, 3>();
  // The cofactors rotate normals as the inverse transpose does, and need no inverse.
  Mat3 cofactors;
  cofactors.col(0) = linear.col(1).cross(linear.col(2));
  cofactors.col(1) = linear.col(2).cross(linear.col(0));
  cofactors.col(2) = linear.col(0).cross(linear.col(1));
  const Vec3 rotated = cofactors * normal.cast<double>();
  return rotated.norm() > 0 ? Vec3f(rotated.normalized().cast<float>()) : normal;
}

void transform_normals(Mesh& mesh, const std::vector<Mat4>& transforms) {
  CornerLayer<Vec3f>& normals = mesh.normals;
  if (normals.corners.empty()) {
    for (std::size_t v = 0; v < normals.values.size(); ++v)
      if (transforms[v] != Mat4::Identity()) normals.values[v] = rotated_normal(transforms[v], normals.values[v]);
    return;
  }
  // Corners of several vertices may share a normal, and their vertices rotation differently.
  std::map<std::pair<Index, Index>, Index> known;
  std::vector<Vec3f> values;
  for (std::size_t c = 0; c < normals.corners.size(); ++c) {
    if (normals.corners[c] == kNone) continue;
    const Index v = mesh.face_vertices[c];
    const auto [entry, fresh] = known.try_emplace({v, normals.corners[c]}, static_cast<Index>(values.size()));
    if (fresh) values.push_back(rotated_normal(transforms[v], normals.values[normals.corners[c]]));
    normals.corners[c] = entry->second;
  }
  normals.values = std::move(values);
}

// What takes each vertex from its position to the one that joints at `frames` give it.
std::vector<Mat4> transforms_to_frames(const Rig& rig, const std::vector<Mat4>& frames) {
  std::vector<Mat4> transforms(rig.mesh.positions.size(), Mat4::Identity());
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const SkinWeights weights = rig.weights.normalized();
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const auto first = transforms.begin() + part.first_vertex;
    if (part.skin == kNone) {
      if (part.joint == kNone) continue;
      const Mat4 back = rest[part.joint].inverse();
      if (back.allFinite()) std::fill_n(first, part.vertex_count, Mat4(frames[part.joint] * back));
      continue;
    }
    const std::vector<Mat4> bind = inverse_bind_of_part(rig, p);
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count && !weights.empty(); ++v) {
      if (weights.row(v).empty()) continue;
      transforms[v].setZero();
      for (const Influence& i : weights.row(v))
        transforms[v] += static_cast<double>(i.weight) * (frames[i.joint] * bind[i.joint]);
    }
  }
  return transforms;
}

}  // namespace

std::vector<Mat4> transforms_to_pose(const SkeletonPlan& plan, RestPose pose) {
  PlanPoser poser(plan);
  bool any = false;
  for (const auto& [side, sign] : {std::pair{"left_", 1.0}, std::pair{"right_", -1.0}}) {
    const Vec3 out = sign * plan.left;
    const Vec3 arm = pose == RestPose::kT ? out : Vec3(out - plan.up);
    for (const char* part : {"upper_arm", "forearm", "hand"}) {
      poser.aim(std::string(side) + part, arm);
      any = any || plan.find_role(std::string(side) + part) != kNone;
    }
    if (pose != RestPose::kT) continue;
    for (const char* part : {"thigh", "shin"}) {
      poser.aim(std::string(side) + part, -plan.up);
      any = any || plan.find_role(std::string(side) + part) != kNone;
    }
    poser.keep_level(std::string(side) + "foot");
  }
  if (!any || !stands_upright(plan)) return {};
  std::vector<Mat4> transforms = poser.run();
  const double before = lowest_foot(plan, nullptr), after = lowest_foot(plan, &transforms);
  if (std::isfinite(before) && before != after) {
    Mat4 raise = Mat4::Identity();
    raise.topRightCorner<3, 1>() = (before - after) * plan.up;
    for (Mat4& transform : transforms) transform = raise * transform;
  }
  return transforms;
}

SkeletonPlan transformed_plan(SkeletonPlan plan, const std::vector<Mat4>& transforms) {
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    PlannedJoint& joint = plan.joints[j];
    joint.position = transform_point(transforms[j], joint.position);
    if (joint.end) joint.end = transform_point(transforms[j], *joint.end);
    joint.bend_axis = transforms[j].topLeftCorner<3, 3>() * joint.bend_axis;
  }
  return plan;
}

std::vector<Mat4> blended_transforms(const SkinWeights& weights, const std::vector<Mat4>& joint_transforms) {
  std::vector<DualQuat> duals;
  std::vector<char> stays;
  for (const Mat4& transform : joint_transforms) {
    duals.push_back(rigid_dual_quat(transform));
    stays.push_back(transform == Mat4::Identity() ? 1 : 0);
  }
  std::vector<Mat4> transforms(weights.row_count(), Mat4::Identity());
  parallel_for(transforms.size(), [&](std::size_t v) {
    const std::span<const Influence> row = weights.row(static_cast<Index>(v));
    if (std::all_of(row.begin(), row.end(), [&](const Influence& i) { return stays[i.joint] != 0; })) return;
    Vec4 real = Vec4::Zero(), dual = Vec4::Zero();
    for (const Influence& i : row) {
      // Of the two quaternions of a rotation the one on the side of the heaviest joint's.
      const double sign = duals[i.joint].real.coeffs().dot(duals[row[0].joint].real.coeffs()) < 0 ? -1 : 1;
      real += sign * static_cast<double>(i.weight) * duals[i.joint].real.coeffs();
      dual += sign * static_cast<double>(i.weight) * duals[i.joint].dual.coeffs();
    }
    if (real.norm() > 0) transforms[v] = blended_matrix(real, dual);
  });
  return transforms;
}

void transform_vertices(Mesh& mesh, const std::vector<Mat4>& transforms) {
  for (std::size_t v = 0; v < transforms.size(); ++v)
    if (transforms[v] != Mat4::Identity()) mesh.positions[v] = transform_point(transforms[v], mesh.positions[v]);
  transform_normals(mesh, transforms);
  for (MeshPart& part : mesh.parts)
    for (Morph& morph : part.morphs)
      for (Index i = 0; i < part.vertex_count; ++i)
        if (const Mat4& transform = transforms[part.first_vertex + i]; transform != Mat4::Identity())
          morph.deltas[i] = (transform.topLeftCorner<3, 3>() * morph.deltas[i].cast<double>()).cast<float>();
}

bool gather_in_bind_pose(Rig& rig, const std::vector<Mat4>& frames) {
  std::vector<Mat4> transforms = transforms_to_frames(rig, frames);
  const double size = rig.mesh.size();
  bool any = false;
  for (std::size_t v = 0; v < transforms.size(); ++v) {
    const Vec3& p = rig.mesh.positions[v];
    const double distance = (transform_point(transforms[v], p) - p).norm();
    if (distance > kApart * size) any = true;
    else transforms[v] = Mat4::Identity();
  }
  if (any) transform_vertices(rig.mesh, transforms);
  return any;
}

}  // namespace sinew::rigging
