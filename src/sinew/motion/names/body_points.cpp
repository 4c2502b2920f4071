// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/names/body_points.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/core/angles.h"

namespace sinew::motion {
namespace {

constexpr double kYawStep_rad = 4 * kRadPerDegree;
constexpr int kYawSteps = 11;  // To either side.
constexpr double kMuchMoreMirrored = 1.25;

Vec3 position(const Mat4& m) { return m.topRightCorner<3, 1>(); }

// A mesh that is attached to a joint belongs to the joint: at the same place, where the joint has no other mesh, or
// where it moves a skin and the mesh is a prop.
void give_meshes_to_joints(const Skeleton& skeleton, const std::vector<Mat4>& rest, BodyPoints& points) {
  const std::vector<std::vector<Index>> children = skeleton.children();
  const std::vector<double> own = points.mass;
  for (Index j = skeleton.size(); j-- > 0;) {
    const Index parent = skeleton.joints[j].parent;
    if (parent == kNone || own[j] == 0 || skeleton.joints[j].deforming) continue;
    const bool same_place = (position(rest[j]) - position(rest[parent])).norm() < 1e-9;
    const bool is_mesh = children[j].empty() && skeleton.joints[parent].parent != kNone &&
                         (own[parent] == 0 || skeleton.joints[parent].deforming);
    if (!same_place && !is_mesh) continue;
    points.mass[parent] += points.mass[j];
    points.moved[parent] += points.moved[j];
    points.mass[j] = 0;
  }
}

void find_masses(const Rig& rig, const std::vector<Mat4>& rest, BodyPoints& points) {
  points.mass.assign(rig.skeleton.joints.size(), 0.0);
  points.moved.assign(rig.skeleton.joints.size(), Vec3::Zero());
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    for (const Influence& i : rig.weights.row(v)) {
      points.mass[i.joint] += static_cast<double>(i.weight);
      points.moved[i.joint] += static_cast<double>(i.weight) * rig.mesh.positions[v];
    }
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin != kNone || part.joint == kNone) continue;
    points.mass[part.joint] += part.vertex_count;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
      points.moved[part.joint] += rig.mesh.positions[v];
  }
  give_meshes_to_joints(rig.skeleton, rest, points);
  points.weighted = std::any_of(points.mass.begin(), points.mass.end(), [](double m) { return m > 0; });
}

void keep_joints(const Skeleton& skeleton, BodyPoints& points) {
  points.kept.assign(skeleton.joints.size(), points.weighted ? 0 : 1);
  for (Index j = skeleton.size(); j-- > 0;) {
    if (points.mass[j] > 0) points.kept[j] = 1;
    if (!points.weighted && skeleton.joints[j].role == "end") points.kept[j] = 0;
    const Index parent = skeleton.joints[j].parent;
    if (points.kept[j] != 0 && parent != kNone) points.kept[parent] = 1;
  }
}

// Where joints were when the skin was bound. Bind matrices of joints that move nothing are often meaningless: such
// joints are placed by those below, or else above them.
std::vector<Mat4> bound_frames(const Rig& rig, const std::vector<Mat4>& rest, const std::vector<double>& mass) {
  const Skeleton& skeleton = rig.skeleton;
  std::vector<Mat4> frames = rest;
  std::vector<char> bound(frames.size(), 0);
  for (const Skin& skin : rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const Index j = skin.joints[k];
      const Mat4 bind = skin.inverse_bind[k].inverse();
      if (bound[j] != 0 || !(mass[j] > 0) || !bind.allFinite()) continue;
      frames[j] = bind;
      bound[j] = 1;
    }
  for (Index j = skeleton.size(); j-- > 0;) {
    const Index parent = skeleton.joints[j].parent;
    if (bound[j] == 0 || parent == kNone || bound[parent] != 0) continue;
    const Mat4 back = rest[j].inverse();
    if (!back.allFinite()) continue;
    frames[parent] = frames[j] * back * rest[parent];
    bound[parent] = 1;
  }
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    if (bound[j] != 0 || parent == kNone) continue;
    const Mat4 back = rest[parent].inverse();
    if (back.allFinite()) frames[j] = frames[parent] * back * rest[j];
  }
  return frames;
}

// The rotation by quarter turns that brings points nearest to where others are: skins may be bound with another axis
// up.
Mat3 quarter_turn(const std::vector<Vec3>& from, const std::vector<Vec3>& to, const std::vector<double>& mass) {
  Vec3 from_middle = Vec3::Zero(), to_middle = Vec3::Zero();
  double count = 0;
  for (std::size_t j = 0; j < from.size(); ++j)
    if (mass[j] > 0) from_middle += from[j], to_middle += to[j], ++count;
  if (count == 0) return Mat3::Identity();
  Mat3 moments = Mat3::Zero();
  for (std::size_t j = 0; j < from.size(); ++j)
    if (mass[j] > 0) moments += (to[j] - to_middle / count) * (from[j] - from_middle / count).transpose();
  Mat3 best = Mat3::Identity();
  double most = -1e300;
  for (int x = 0; x < 6; ++x)
    for (int y = 0; y < 6; ++y) {
      if (x / 2 == y / 2) continue;
      Mat3 turn;
      turn.col(0) = (x % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(x / 2);
      turn.col(1) = (y % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(y / 2);
      turn.col(2) = turn.col(0).cross(turn.col(1));
      // Of equal ones that without a turn.
      const double fit = (turn.transpose() * moments).trace() + (turn.isIdentity() ? 1e-9 * moments.norm() : 0);
      if (fit > most) most = fit, best = turn;
    }
  return best;
}

// Whether bind matrices tell where most of the body was bound.
bool is_mostly_skinned(const Rig& rig) {
  Index skinned = 0, rigid = 0;
  for (const MeshPart& part : rig.mesh.parts) (part.skin != kNone ? skinned : rigid) += part.vertex_count;
  return skinned > rigid;
}

// From model space to the own space of the largest skinned mesh, in which it was modelled upright and symmetric.
Mat4 space_of_skin(const Rig& rig) {
  const MeshPart* largest = nullptr;
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone && (!largest || part.vertex_count > largest->vertex_count)) largest = &part;
  return largest ? Mat4(largest->to_model.inverse()) : Mat4(Mat4::Identity());
}

/// Places of joints, and the turn about +Y that makes them most symmetric.
struct Candidate {
  std::vector<Vec3> places;
  Mat3 turn = Mat3::Identity();
  Index mirrored = 0;
};

Index most_mirrored(const std::vector<Vec3>& places, const std::vector<char>& kept) {
  double middle = 0;
  return std::max(mirrored_joints(places, kept, 0, middle), mirrored_joints(places, kept, 2, middle));
}

Candidate candidate(const std::vector<Mat4>& frames, const Mat3& turn, const std::vector<char>& kept) {
  Candidate best;
  for (const Mat4& frame : frames) best.places.push_back(turn * position(frame));
  best.turn = turn;
  best.mirrored = most_mirrored(best.places, kept);
  const std::vector<Vec3> straight = best.places;
  double least = kMuchMoreMirrored * best.mirrored;
  for (int step = 1; step <= kYawSteps; ++step)
    for (const double sign : {1.0, -1.0}) {
      const Mat3 yaw = Eigen::AngleAxisd(sign * step * kYawStep_rad, Vec3::UnitY()).toRotationMatrix();
      std::vector<Vec3> places;
      for (const Vec3& p : straight) places.push_back(yaw * p);
      const Index mirrored = most_mirrored(places, kept);
      if (!(mirrored > least)) continue;
      least = mirrored;
      best = {std::move(places), yaw * turn, mirrored};
    }
  return best;
}

// A foot without weights on one side is still a foot. Joints that move nothing are kept where the joint on the other
// side, of the same parent, is kept and has no partner yet.
void keep_partners(const Skeleton& skeleton, BodyPoints& points) {
  Box box;
  for (std::size_t j = 0; j < points.places.size(); ++j)
    if (points.kept[j] != 0) box.extend(points.places[j]);
  const double near = 0.03 * box.diagonal();
  double middle_x = 0, middle_z = 0;
  const Index along_x = mirrored_joints(points.places, points.kept, 0, middle_x),
              along_z = mirrored_joints(points.places, points.kept, 2, middle_z);
  const int axis = along_z > along_x ? 2 : 0;
  const double middle = axis == 0 ? middle_x : middle_z;
  const std::vector<char> kept = points.kept;
  for (std::size_t a = 0; a < kept.size(); ++a) {
    Vec3 mirrored = points.places[a];
    if (kept[a] == 0 || std::abs(mirrored[axis] - middle) < near) continue;
    mirrored[axis] = 2 * middle - mirrored[axis];
    std::size_t partner = kept.size();
    bool has_partner = false;
    for (std::size_t b = 0; b < kept.size(); ++b) {
      if ((points.places[b] - mirrored).norm() >= near) continue;
      has_partner = has_partner || kept[b] != 0;
      if (skeleton.joints[b].parent == skeleton.joints[a].parent && skeleton.joints[b].role != "end") partner = b;
    }
    if (!has_partner && partner < kept.size()) points.kept[partner] = 1;
  }
}

}  // namespace

Index mirrored_joints(const std::vector<Vec3>& places, const std::vector<char>& kept, int axis, double& middle) {
  std::vector<double> values;
  Box box;
  for (std::size_t j = 0; j < places.size(); ++j)
    if (kept[j] != 0) values.push_back(places[j][axis]), box.extend(places[j]);
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  middle = values[values.size() / 2];
  Index pairs = 0;
  for (std::size_t a = 0; a < places.size(); ++a) {
    Vec3 mirrored = places[a];
    if (kept[a] == 0 || std::abs(mirrored[axis] - middle) < 0.02 * box.diagonal()) continue;
    mirrored[axis] = 2 * middle - mirrored[axis];
    for (std::size_t b = 0; b < places.size(); ++b)
      if (kept[b] != 0 && (places[b] - mirrored).norm() < 0.03 * box.diagonal()) {
        ++pairs;
        break;
      }
  }
  return pairs;
}

BodyPoints body_points(const Rig& rig) {
  BodyPoints points;
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  find_masses(rig, rest, points);
  keep_joints(rig.skeleton, points);
  Mat4 space = Mat4::Identity();
  Candidate best = candidate(rest, Mat3::Identity(), points.kept);
  if (const Mat4 back = space_of_skin(rig); is_mostly_skinned(rig) && back.allFinite()) {
    std::vector<Mat4> bound = bound_frames(rig, rest, points.mass);
    std::vector<Vec3> at_rest, at_bind;
    for (std::size_t j = 0; j < rest.size(); ++j) {
      bound[j] = back * bound[j];
      at_rest.push_back(position(rest[j]));
      at_bind.push_back(position(bound[j]));
    }
    Candidate other = candidate(bound, quarter_turn(at_bind, at_rest, points.mass), points.kept);
    if (other.mirrored > best.mirrored) best = std::move(other), space = back;
  }
  points.places = std::move(best.places);
  for (std::size_t j = 0; j < rest.size(); ++j)
    points.moved[j] =
        best.turn * (space.topLeftCorner<3, 3>() * points.moved[j] + points.mass[j] * space.topRightCorner<3, 1>());
  if (points.weighted) keep_partners(rig.skeleton, points);
  return points;
}

}  // namespace sinew::motion
