// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/helpers/bend_joints.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/rigging/helpers/twist_joints.h"

namespace sinew::rigging {
namespace {

constexpr double kBellWidth = 0.25;
// Bones that meet at less than this, as a sine, are straight: their bend tells no axis.
constexpr double kStraightSine = 0.09;

/// The joint, its parent and its helper, in model space where the skin lies.
struct BentPlace {
  Index joint = kNone;
  Index parent = kNone;
  Vec3 centre = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  // Of the helper: x along the bend axis, y along the limb, as columns.
};

Vec3 place_of(const std::vector<Mat4>& frames, Index joint) { return frames[joint].topRightCorner<3, 1>(); }

// Where the limb goes on from a joint: to the child that runs on most nearly straight; zero if to none.
Vec3 onward(const Skeleton& skeleton, Index joint, const Vec3& incoming, const std::vector<Mat4>& frames) {
  Vec3 best = Vec3::Zero();
  for (Index j = joint + 1; j < skeleton.size(); ++j) {
    if (skeleton.joints[j].parent != joint || j >= frames.size()) continue;
    const Vec3 bone = place_of(frames, j) - place_of(frames, joint);
    if (bone.norm() > 1e-9 && (best.isZero() || bone.normalized().dot(incoming) > best.dot(incoming)))
      best = bone.normalized();
  }
  return best;
}

BentPlace bent_place(const Skeleton& skeleton, Index joint, const Vec3& bend_axis, const std::vector<Mat4>& frames) {
  BentPlace place;
  place.joint = joint;
  place.parent = skeleton.joints[joint].parent;
  place.centre = place_of(frames, joint);
  Vec3 incoming = place.centre - place_of(frames, place.parent);
  incoming = incoming.norm() > 1e-9 ? Vec3(incoming.normalized()) : Vec3(Vec3::Zero());
  Vec3 outgoing = onward(skeleton, joint, incoming, frames);
  if (outgoing.isZero()) outgoing = incoming;
  if (incoming.isZero()) incoming = outgoing;
  Vec3 along = incoming + outgoing;
  along = along.norm() > 1e-6 ? Vec3(along.normalized()) : Vec3(Vec3::UnitY());
  const Vec3 bent = incoming.cross(outgoing);
  Vec3 axis = bend_axis.isZero() && bent.norm() > kStraightSine ? bent : bend_axis;
  axis -= axis.dot(along) * along;
  axis = axis.norm() > 1e-6 ? Vec3(axis.normalized()) : Vec3(along.unitOrthogonal());
  place.axes.col(0) = axis;
  place.axes.col(1) = along;
  place.axes.col(2) = axis.cross(along);
  return place;
}

// Coefficients of (a·v)² in graded lexical order, times a factor.
std::vector<double> square_of(const Vec3& a, double factor) {
  return {0,
          0,
          0,
          0,
          factor * a.x() * a.x(),
          2 * factor * a.x() * a.y(),
          2 * factor * a.x() * a.z(),
          factor * a.y() * a.y(),
          2 * factor * a.y() * a.z(),
          factor * a.z() * a.z()};
}

// Half of the joint's rotation, seen in the helper's axes, and scales across it. The columns of `axes` are the helper's
// axes in the joint's frame.
Driver bend_driver(Index joint, const Mat3& axes, double growth) {
  Driver driver;
  driver.kind = Driver::Kind::kPolynomial;
  driver.source = joint;
  driver.coefficients.resize(9);
  for (int c = 0; c < 3; ++c)
    driver.coefficients[static_cast<std::size_t>(3 + c)] = {0, 0.5 * axes(0, c), 0.5 * axes(1, c), 0.5 * axes(2, c)};
  driver.coefficients[6] = square_of(axes.col(2), growth);
  driver.coefficients[8] = square_of(axes.col(0), growth);
  return driver;
}

Mat4 rotation_about(const Vec3& centre, const Mat3& linear) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = linear;
  m.topRightCorner<3, 1>() = centre - linear * centre;
  return m;
}

/// The skin near a joint, bent by linear blending: volumes of the cones from the joint over all triangles of which a
/// vertex is shared. Seen from the joint, whatever one of the two bones moves alone keeps its volume, so the skin need
/// not be closed.
class BentSkin {
 public:
  BentSkin(const Rig& rig, const BentPlace& place, const std::vector<char>& shared) : rig_(rig), place_(place) {
    moves_.assign(rig.skeleton.joints.size(), 0);
    for (Index j = 0; j < rig.skeleton.size(); ++j) {
      const Index parent = rig.skeleton.joints[j].parent;
      moves_[j] = j == place.joint || (parent != kNone && moves_[parent] != 0) ? 1 : 0;
    }
    std::vector<char> needed(rig.mesh.positions.size(), 0);
    for (const Triangle& triangle : triangulate(rig.mesh)) {
      if (std::none_of(triangle.vertices.begin(), triangle.vertices.end(), [&](Index v) { return shared[v] != 0; }))
        continue;
      triangles_.push_back(triangle.vertices);
      for (const Index v : triangle.vertices) needed[v] = 1;
    }
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
      if (needed[v] != 0) vertices_.push_back(v);
    positions_ = rig.mesh.positions;
  }

  double volume(double angle_rad, Index helper, double growth) {
    const Vec3 axis = place_.axes.col(0);
    const Mat4 whole = rotation_about(place_.centre, Mat3(Eigen::AngleAxisd(angle_rad, axis)));
    const Mat3 grown =
        place_.axes * Vec3(1, 1, std::exp(growth * angle_rad * angle_rad)).asDiagonal() * place_.axes.transpose();
    const Mat4 half = rotation_about(place_.centre, Mat3(Eigen::AngleAxisd(angle_rad / 2, axis)) * grown);
    for (const Index v : vertices_) {
      const Vec3& p = rig_.mesh.positions[v];
      Vec3 sum = Vec3::Zero();
      double all = 0;
      for (const Influence& influence : rig_.weights.row(v)) {
        if (!(influence.weight > 0) || !std::isfinite(influence.weight)) continue;
        all += influence.weight;
        sum += influence.weight * (influence.joint == helper      ? transform_point(half, p)
                                   : moves_[influence.joint] != 0 ? transform_point(whole, p)
                                                                  : p);
      }
      positions_[v] = all > 0 ? Vec3(sum / all) : p;
    }
    double sum = 0;
    for (const auto& t : triangles_)
      sum += (positions_[t[0]] - place_.centre)
                 .dot((positions_[t[1]] - place_.centre).cross(positions_[t[2]] - place_.centre));
    return sum / 6;
  }

 private:
  const Rig& rig_;
  const BentPlace& place_;
  std::vector<char> moves_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Index> vertices_;
  std::vector<Vec3> positions_;
};

struct SharedWeights {
  float parent = 0, joint = 0;
};

SharedWeights shared_weights(std::span<const Influence> row, const BentPlace& place) {
  SharedWeights shared;
  for (const Influence& influence : row) {
    if (!(influence.weight > 0) || !std::isfinite(influence.weight)) continue;
    if (influence.joint == place.parent) shared.parent += influence.weight;
    else if (influence.joint == place.joint) shared.joint += influence.weight;
  }
  return shared;
}

// Vertices of skins that both joints move.
std::vector<char> shared_vertices(const Rig& rig, const BentPlace& place) {
  std::vector<char> shared(rig.mesh.positions.size(), 0);
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin == kNone) continue;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      const SharedWeights w = shared_weights(rig.weights.row(v), place);
      shared[v] = w.parent > 0 && w.joint > 0 ? 1 : 0;
    }
  }
  return shared;
}

void take_weights(Rig& rig, const BentPlace& place, const std::vector<char>& shared, Index helper,
                  std::span<const float> strength) {
  SkinWeights weights;
  weights.reserve(shared.size(), rig.weights.influence_count() + shared.size() / 8);
  std::vector<Influence> row;
  for (Index v = 0; v < shared.size(); ++v) {
    const auto before = rig.weights.row(v);
    row.assign(before.begin(), before.end());
    if (shared[v] != 0) {
      const SharedWeights w = shared_weights(before, place);
      const double both = static_cast<double>(w.parent) + static_cast<double>(w.joint);
      const double share = strength.empty() ? 1.0 : static_cast<double>(strength[v]);
      const auto half = static_cast<float>(0.5 * share * both * bend_bell(static_cast<double>(w.joint) / both));
      // Of a joint listed twice each entry gives its share.
      for (Influence& influence : row) {
        if (!(influence.weight > 0) || !std::isfinite(influence.weight)) continue;
        if (influence.joint == place.parent)
          influence.weight = std::max(0.0F, influence.weight - half * (influence.weight / w.parent));
        else if (influence.joint == place.joint)
          influence.weight = std::max(0.0F, influence.weight - half * (influence.weight / w.joint));
      }
      row.push_back({helper, 2 * half});
    }
    weights.add_row(row);
  }
  rig.weights = std::move(weights);
}

// In skins that list both joints, or the one and the other, so that at rest the helper does what they do in the mean.
void list_bend_helper(Rig& rig, const BentPlace& place, Index helper) {
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const Mat4 inverse = rest[helper].inverse();
  for (Skin& skin : rig.skins) {
    const auto joint = std::find(skin.joints.begin(), skin.joints.end(), place.joint);
    const auto parent = std::find(skin.joints.begin(), skin.joints.end(), place.parent);
    if (joint == skin.joints.end() || parent == skin.joints.end()) continue;
    const Mat4 sum = rest[place.joint] * skin.inverse_bind[static_cast<std::size_t>(joint - skin.joints.begin())] +
                     rest[place.parent] * skin.inverse_bind[static_cast<std::size_t>(parent - skin.joints.begin())];
    skin.joints.push_back(helper);
    skin.inverse_bind.push_back(inverse * (0.5 * sum));
    rig.skeleton.joints[helper].deforming = true;
  }
}

// The growth at which the volume is that at rest, as near as it may come.
double solve_growth(BentSkin& skin, Index helper, double rest, const BendJointOptions& options) {
  const double sign = rest < 0 ? -1 : 1;
  const auto lacks = [&](double growth) { return sign * (rest - skin.volume(options.angle_rad, helper, growth)) > 0; };
  if (!lacks(0)) return 0;
  if (lacks(options.most_growth)) return options.most_growth;
  double low = 0, high = options.most_growth;
  for (int i = 0; i < 24; ++i) {
    const double middle = 0.5 * (low + high);
    (lacks(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double bend_bell(double s) {
  const double x = 2 * s - 1;
  return std::max(0.0, std::sqrt(1 + kBellWidth * kBellWidth) - std::sqrt(x * x + kBellWidth * kBellWidth));
}

BendJoint add_bend_joint(Rig& rig, Index joint, const Vec3& bend_axis, const std::vector<Mat4>& frames,
                         const BendJointOptions& options, std::span<const float> strength) {
  const std::string name = rig.skeleton.joints[joint].name;
  if (rig.skeleton.joints[joint].parent == kNone)
    throw Error(fmt::format("The joint '{}' has no parent, so nothing bends there.", name));
  const BentPlace place = bent_place(rig.skeleton, joint, bend_axis, frames);
  const std::vector<char> shared = shared_vertices(rig, place);
  BendJoint added;
  added.joint = joint;
  added.vertices = static_cast<Index>(std::count(shared.begin(), shared.end(), 1));
  if (added.vertices == 0)
    throw Error(fmt::format(
        "The joints '{}' and '{}' share no vertices, so a helper joint between them would not move anything.",
        rig.skeleton.joints[place.parent].name, name));
  BentSkin skin(rig, place, shared);
  const double rest = skin.volume(0, kNone, 0);
  const double bent = skin.volume(options.angle_rad, kNone, 0);
  // The helper's axes in the joint's frame, as it turns.
  const Mat3 axes = polar(frames[joint].topLeftCorner<3, 3>()).rotation.transpose() * place.axes;
  Joint helper;
  helper.name = helper_name(rig.skeleton, name, "Bend", 0);
  helper.parent = place.parent;
  helper.rest = rig.skeleton.joints[joint].rest;
  helper.rest.rotation = (helper.rest.rotation * Quat(axes)).normalized();
  helper.rest.scale = Vec3::Ones();
  helper.role = "helper";
  added.helper = rig.skeleton.size();
  rig.skeleton.joints.push_back(std::move(helper));
  list_bend_helper(rig, place, added.helper);
  take_weights(rig, place, shared, added.helper, strength);
  if (options.growth_share > 0) added.growth = options.growth_share * solve_growth(skin, added.helper, rest, options);
  rig.skeleton.joints[added.helper].driver = bend_driver(joint, axes, added.growth);
  if (rest != 0) {
    added.volume_before = bent / rest;
    added.volume_after = skin.volume(options.angle_rad, added.helper, added.growth) / rest;
  }
  return added;
}

}  // namespace sinew::rigging
