// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig_pose.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"

namespace sinew::pipeline {
namespace {

using rigging::PlannedJoint;
using rigging::SkeletonPlan;

/// Vertices that lie nearer than this share of the size to where they should be stay.
constexpr double kApart = 1e-4;

Mat4 turn_about(const Mat3& turn, const Vec3& point) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = turn;
  m.topRightCorner<3, 1>() = point - turn * point;
  return m;
}

/// Poses a plan joint by joint, parents first.
class PlanPoser {
 public:
  explicit PlanPoser(const SkeletonPlan& plan)
      : plan_(plan),
        moves_(plan.joints.size(), Mat4::Identity()),
        aim_(plan.joints.size(), Vec3::Zero()),
        level_(plan.joints.size(), false) {}

  void aim(const std::string& role, const Vec3& direction) {
    if (const Index j = plan_.find_role(role); j != kNone) aim_[j] = direction.normalized();
  }
  // Keeps the turn it has in the plan.
  void keep_level(const std::string& role) {
    if (const Index j = plan_.find_role(role); j != kNone) level_[j] = true;
  }

  std::vector<Mat4> run() {
    for (Index j = 0; j < plan_.joints.size(); ++j) {
      const Index parent = plan_.joints[j].parent;
      if (parent != kNone) moves_[j] = moves_[parent];
      const Vec3 place = transform_point(moves_[j], plan_.joints[j].position);
      const Mat3 turned = moves_[j].topLeftCorner<3, 3>();
      if (level_[j]) {
        moves_[j] = turn_about(turned.transpose(), place) * moves_[j];
      } else if (const Vec3 along = bone(j); aim_[j] != Vec3::Zero() && along != Vec3::Zero()) {
        const Mat3 turn = Quat::FromTwoVectors(turned * along, aim_[j]).toRotationMatrix();
        moves_[j] = turn_about(turn, place) * moves_[j];
      }
    }
    return std::move(moves_);
  }

 private:
  // Along the limb: to the child whose role is next in it, else to the end or the middle of all children.
  Vec3 bone(Index j) const {
    const auto next = [&](const std::string& from, const std::string& to) {
      const std::string& role = plan_.joints[j].role;
      const std::size_t at = role.find(from);
      if (at == std::string::npos || role.size() != at + from.size()) return kNone;
      const Index child = plan_.find_role(role.substr(0, at) + to);
      return child != kNone && plan_.joints[child].parent == j ? child : kNone;
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
  std::vector<Mat4> moves_;
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

double lowest_foot(const SkeletonPlan& plan, const std::vector<Mat4>* moves) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const char* role : {"left_foot", "right_foot"}) {
    const Index j = plan.find_role(role);
    if (j == kNone) continue;
    const Vec3 place = moves ? transform_point((*moves)[j], plan.joints[j].position) : plan.joints[j].position;
    lowest = std::min(lowest, place.dot(plan.up));
  }
  return lowest;
}

// A rigid move as a dual quaternion: eight numbers.
struct DualQuat {
  Eigen::Vector4d real = Quat::Identity().coeffs(), dual = Eigen::Vector4d::Zero();

  explicit DualQuat(const Mat4& m) {
    const Quat q(Mat3(m.topLeftCorner<3, 3>()));
    const Vec3 t = m.topRightCorner<3, 1>();
    real = q.coeffs();
    dual = 0.5 * (Quat(0, t.x(), t.y(), t.z()) * q).coeffs();
  }
};

Mat4 matrix_of(Eigen::Vector4d real, Eigen::Vector4d dual) {
  const double length = real.norm();
  real /= length;
  dual /= length;
  const Quat q(real[3], real[0], real[1], real[2]), d(dual[3], dual[0], dual[1], dual[2]);
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = q.toRotationMatrix();
  m.topRightCorner<3, 1>() = 2 * (d * q.conjugate()).vec();
  return m;
}

Vec3f turned_normal(const Mat4& move, const Vec3f& normal) {
  const Mat3 linear = move.topLeftCorner<3, 3>();
  // The cofactors turn normals as the inverse transposed does, and need no inverse.
  Mat3 cofactors;
  cofactors.col(0) = linear.col(1).cross(linear.col(2));
  cofactors.col(1) = linear.col(2).cross(linear.col(0));
  cofactors.col(2) = linear.col(0).cross(linear.col(1));
  const Vec3 turned = cofactors * normal.cast<double>();
  return turned.norm() > 0 ? Vec3f(turned.normalized().cast<float>()) : normal;
}

void move_normals(Mesh& mesh, const std::vector<Mat4>& moves) {
  CornerLayer<Vec3f>& normals = mesh.normals;
  if (normals.corners.empty()) {
    for (std::size_t v = 0; v < normals.values.size(); ++v)
      if (moves[v] != Mat4::Identity()) normals.values[v] = turned_normal(moves[v], normals.values[v]);
    return;
  }
  // Corners of several vertices may share a normal, and their vertices turn differently.
  std::map<std::pair<Index, Index>, Index> known;
  std::vector<Vec3f> values;
  for (std::size_t c = 0; c < normals.corners.size(); ++c) {
    if (normals.corners[c] == kNone) continue;
    const Index v = mesh.face_vertices[c];
    const auto [entry, fresh] = known.try_emplace({v, normals.corners[c]}, static_cast<Index>(values.size()));
    if (fresh) values.push_back(turned_normal(moves[v], normals.values[normals.corners[c]]));
    normals.corners[c] = entry->second;
  }
  normals.values = std::move(values);
}

// What takes each vertex from where it lies to where joints at `frames` have it.
std::vector<Mat4> moves_to_frames(const Rig& rig, const std::vector<Mat4>& frames) {
  std::vector<Mat4> moves(rig.mesh.positions.size(), Mat4::Identity());
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const SkinWeights weights = rig.weights.normalized();
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const auto first = moves.begin() + part.first_vertex;
    if (part.skin == kNone) {
      if (part.joint == kNone) continue;
      const Mat4 back = rest[part.joint].inverse();
      if (back.allFinite()) std::fill_n(first, part.vertex_count, Mat4(frames[part.joint] * back));
      continue;
    }
    const std::vector<Mat4> bind = inverse_bind_of_part(rig, p);
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count && !weights.empty(); ++v) {
      if (weights.row(v).empty()) continue;
      moves[v].setZero();
      for (const Influence& i : weights.row(v))
        moves[v] += static_cast<double>(i.weight) * (frames[i.joint] * bind[i.joint]);
    }
  }
  return moves;
}

}  // namespace

std::vector<Mat4> moves_to_pose(const SkeletonPlan& plan, const std::string& pose) {
  PlanPoser poser(plan);
  bool any = false;
  for (const auto& [side, sign] : {std::pair{"left_", 1.0}, std::pair{"right_", -1.0}}) {
    const Vec3 out = sign * plan.left;
    const Vec3 arm = pose == "t" ? out : Vec3(out - plan.up);
    for (const char* part : {"upper_arm", "forearm", "hand"}) {
      poser.aim(std::string(side) + part, arm);
      any = any || plan.find_role(std::string(side) + part) != kNone;
    }
    if (pose != "t") continue;
    for (const char* part : {"thigh", "shin"}) {
      poser.aim(std::string(side) + part, -plan.up);
      any = any || plan.find_role(std::string(side) + part) != kNone;
    }
    poser.keep_level(std::string(side) + "foot");
  }
  if (!any || !stands_upright(plan)) return {};
  std::vector<Mat4> moves = poser.run();
  const double before = lowest_foot(plan, nullptr), after = lowest_foot(plan, &moves);
  if (std::isfinite(before) && before != after) {
    Mat4 raise = Mat4::Identity();
    raise.topRightCorner<3, 1>() = (before - after) * plan.up;
    for (Mat4& move : moves) move = raise * move;
  }
  return moves;
}

SkeletonPlan moved_plan(SkeletonPlan plan, const std::vector<Mat4>& moves) {
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    PlannedJoint& joint = plan.joints[j];
    joint.position = transform_point(moves[j], joint.position);
    if (joint.end) joint.end = transform_point(moves[j], *joint.end);
    joint.bend_axis = moves[j].topLeftCorner<3, 3>() * joint.bend_axis;
  }
  return plan;
}

std::vector<Mat4> blended_moves(const SkinWeights& weights, const std::vector<Mat4>& joint_moves) {
  std::vector<DualQuat> duals;
  std::vector<char> stays;
  for (const Mat4& move : joint_moves) {
    duals.emplace_back(move);
    stays.push_back(move == Mat4::Identity() ? 1 : 0);
  }
  std::vector<Mat4> moves(weights.row_count(), Mat4::Identity());
  parallel_for(moves.size(), [&](std::size_t v) {
    const std::span<const Influence> row = weights.row(static_cast<Index>(v));
    if (std::all_of(row.begin(), row.end(), [&](const Influence& i) { return stays[i.joint] != 0; })) return;
    Eigen::Vector4d real = Eigen::Vector4d::Zero(), dual = Eigen::Vector4d::Zero();
    for (const Influence& i : row) {
      // Of the two quaternions of a turn the one on the side of the heaviest joint's.
      const double sign = duals[i.joint].real.dot(duals[row[0].joint].real) < 0 ? -1 : 1;
      real += sign * static_cast<double>(i.weight) * duals[i.joint].real;
      dual += sign * static_cast<double>(i.weight) * duals[i.joint].dual;
    }
    if (real.norm() > 0) moves[v] = matrix_of(real, dual);
  });
  return moves;
}

void move_vertices(Mesh& mesh, const std::vector<Mat4>& moves) {
  for (std::size_t v = 0; v < moves.size(); ++v)
    if (moves[v] != Mat4::Identity()) mesh.positions[v] = transform_point(moves[v], mesh.positions[v]);
  move_normals(mesh, moves);
  for (MeshPart& part : mesh.parts)
    for (Morph& morph : part.morphs)
      for (Index i = 0; i < part.vertex_count; ++i)
        if (const Mat4& move = moves[part.first_vertex + i]; move != Mat4::Identity())
          morph.deltas[i] = (move.topLeftCorner<3, 3>() * morph.deltas[i].cast<double>()).cast<float>();
}

bool gather_in_bind_pose(Rig& rig, const std::vector<Mat4>& frames) {
  std::vector<Mat4> moves = moves_to_frames(rig, frames);
  const double size = rig.mesh.size();
  bool any = false;
  for (std::size_t v = 0; v < moves.size(); ++v) {
    const Vec3& p = rig.mesh.positions[v];
    const double distance = (transform_point(moves[v], p) - p).norm();
    if (distance > kApart * size) any = true;
    else moves[v] = Mat4::Identity();
  }
  if (any) move_vertices(rig.mesh, moves);
  return any;
}

}  // namespace sinew::pipeline
