// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/helpers_measure.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/core/character.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/motion/resolve.h"

namespace sinew::pipeline {
namespace {

constexpr Index kTwistSections = 40;
// Planes that cut more than this times what the middle one of all cuts go through the trunk.
constexpr double kTrunk = 2.5;
// Curves of less than this share of the largest are buttons and seams.
constexpr double kSmallCurve = 0.2;

std::vector<Vec3> shape_in(const deform::Deformer& deformer, const Rig& rig, const Pose& pose) {
  const ModelPose model = motion::resolve(rig.skeleton, pose);
  const auto state = deformer.make_state();
  std::vector<Vec3f> posed(rig.mesh.positions.size());
  deformer.deform(*state, {model}, {posed, {}, nullptr});
  std::vector<Vec3> positions(posed.size());
  for (std::size_t v = 0; v < posed.size(); ++v) positions[v] = posed[v].cast<double>();
  return positions;
}

Pose rest_with_morphs(const Rig& rig, const Skeleton& skeleton) {
  Pose pose = rest_pose(rig);
  for (Index j = static_cast<Index>(pose.local.size()); j < skeleton.size(); ++j)
    pose.local.push_back(skeleton.joints[j].rest);
  pose.twist_rad.assign(skeleton.size(), 0);
  return pose;
}

}  // namespace

TwistTrial::TwistTrial(const Rig& before, const TwistKnowledge& knowledge, const rigging::TwistBone& bone,
                       double angle_rad)
    : before_(before),
      bone_(bone),
      angle_rad_(angle_rad - kTwistShortOf_rad),
      axis_(twist_axis(before.skeleton, bone)) {
  const std::vector<Mat4> rest = rest_matrices(before.skeleton);
  start_ = rest[bone.joint].topRightCorner<3, 1>();
  end_ = rest[bone.child].topRightCorner<3, 1>();
  // A near joint's twist is the same as one of the far joint about the bone, but for the skin between them, and that is
  // what the twist-safe deformer spreads.
  rigging::TwistBone far = bone;
  far.near = false;
  safe_ = shape_in(*knowledge.safe, before, twisted(before.skeleton, bone.child, twist_axis(before.skeleton, far)));
  for (Index v = 0; v < before.mesh.vertex_count(); ++v) {
    const auto row = before.weights.row(v);
    if (knowledge.shell[v] != kNone && knowledge.rigid_on[knowledge.shell[v]] != kNone) continue;
    if (std::any_of(row.begin(), row.end(), [&](const Influence& i) { return i.joint == bone.joint && i.weight > 0; }))
      vertices_.push_back(v);
  }
  const auto linear = deform::bind("lbs", before);
  const Pose pose = rest_with_morphs(before, before.skeleton);
  cut_curves(shape_in(*linear, before, pose));
}

void TwistTrial::cut_curves(const std::vector<Vec3>& rest) {
  Mesh mesh = before_.mesh;
  mesh.positions = rest;
  welding_ = geometry::weld_positions(before_.mesh, geometry::weld(before_.mesh));
  const geometry::TriangleSurface surface = geometry::triangle_surface(mesh, welding_);
  const geometry::SectionCutter cutter(surface);
  const std::vector<double> parameters = geometry::even_parameters(kTwistSections);
  const std::vector<geometry::Section> sections = cutter.cut(start_, end_, parameters);
  std::vector<double> areas;
  for (const geometry::Section& section : sections)
    if (section.surrounded) areas.push_back(std::abs(section.area));
  if (areas.empty()) return;
  std::sort(areas.begin(), areas.end());
  for (const geometry::Section& section : sections)
    if (section.surrounded && std::abs(section.area) <= kTrunk * areas[areas.size() / 2]) add_curves(surface, section);
}

void TwistTrial::add_curves(const geometry::TriangleSurface& surface, const geometry::Section& section) {
  const Vec3 normal = (end_ - start_).normalized();
  const auto height = [&](Index v) { return (surface.positions[v] - section.origin).dot(normal); };
  std::vector<std::array<Crossing, 2>> pieces;
  std::map<std::pair<Index, Index>, Index> at_edge;
  std::vector<std::pair<Index, Index>> joined;
  for (const auto& t : surface.triangles) {
    const std::array<double, 3> h = {height(t[0]), height(t[1]), height(t[2])};
    const int above = (h[0] >= 0) + (h[1] >= 0) + (h[2] >= 0);
    if (above == 0 || above == 3 || t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    std::size_t alone = 0;
    while ((h[alone] >= 0) != (above == 1)) ++alone;
    std::array<Crossing, 2> piece;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t other = (alone + 1 + i) % 3;
      piece[i] = {t[alone], t[other], h[alone] / (h[alone] - h[other])};
      const auto number = static_cast<Index>(pieces.size());
      const auto [place, fresh] = at_edge.try_emplace(std::minmax(piece[i].a, piece[i].b), number);
      if (!fresh) joined.emplace_back(place->second, number);
    }
    if (above != 1) std::swap(piece[0], piece[1]);
    pieces.push_back(piece);
  }
  geometry::UnionFind curves(pieces.size());
  for (const auto& [a, b] : joined) curves.join(a, b);
  std::map<Index, Curve> found;
  for (Index i = 0; i < pieces.size(); ++i) found[curves.find(i)].pieces.push_back(pieces[i]);
  double largest = 0;
  for (auto& [root, curve] : found) {
    curve.area = area(curve, surface.positions);
    const Crossing& c = curve.pieces.front().front();
    const Vec3 p = (1 - c.at) * surface.positions[c.a] + c.at * surface.positions[c.b];
    const double near = 1e-9 * before_.mesh.size();
    const bool round = std::any_of(section.loops.begin(), section.loops.end(), [&](const geometry::SectionLoop& loop) {
      return loop.surrounds &&
             std::any_of(loop.points.begin(), loop.points.end(), [&](const Vec3& q) { return (p - q).norm() <= near; });
    });
    if (!round) curve.area = 0;
    largest = std::max(largest, std::abs(curve.area));
  }
  for (auto& [root, curve] : found)
    if (std::abs(curve.area) > kSmallCurve * largest) curves_.push_back(std::move(curve));
}

std::vector<Vec3> TwistTrial::welded(const std::vector<Vec3>& posed) const {
  std::vector<Vec3> positions(welding_.first.size());
  for (std::size_t w = 0; w < positions.size(); ++w) positions[w] = posed[welding_.first[w]];
  return positions;
}

double TwistTrial::thinnest(const std::vector<Vec3>& posed) const {
  const std::vector<Vec3> positions = welded(posed);
  double least = 1;
  for (const Curve& curve : curves_) least = std::min(least, std::max(0.0, area(curve, positions) / curve.area));
  return least;
}

void TwistTrial::mark_thinner(const std::vector<Vec3>& posed, double limit, std::vector<char>& marked) const {
  const std::vector<Vec3> positions = welded(posed);
  for (const Curve& curve : curves_) {
    if (area(curve, positions) / curve.area >= limit) continue;
    for (const auto& piece : curve.pieces)
      for (const Crossing& c : piece) marked[welding_.first[c.a]] = marked[welding_.first[c.b]] = 1;
  }
}

double TwistTrial::area(const Curve& curve, const std::vector<Vec3>& positions) const {
  const Vec3 normal = (end_ - start_).normalized();
  const auto point = [&](const Crossing& c) {
    return Vec3((1 - c.at) * positions[c.a] + c.at * positions[c.b] - start_);
  };
  double sum = 0;
  for (const auto& piece : curve.pieces) sum += 0.5 * normal.dot(point(piece[0]).cross(point(piece[1])));
  return sum;
}

Pose TwistTrial::twisted(const Skeleton& skeleton, Index joint, const Vec3& axis) const {
  Pose pose = rest_with_morphs(before_, skeleton);
  const Quat turn = rotation_exp(angle_rad_ * axis);
  pose.local[joint].rotation = pose.local[joint].rotation * turn;
  // The pose counts turns about the joint's own bone.
  const Vec3 bone = bone_axis(skeleton, joint);
  const double expected = axis.dot(bone) < 0 ? -angle_rad_ : angle_rad_, bounded = twist_angle_rad(turn, bone);
  pose.twist_rad[joint] = bounded + kTwoPi * std::round((expected - bounded) / kTwoPi);
  return pose;
}

TwistFigures TwistTrial::measure(const Rig& rig) const {
  const auto linear = deform::bind("lbs", rig);
  const Pose pose = twisted(rig.skeleton, bone_.near ? bone_.joint : bone_.child, axis_);
  const std::vector<Vec3> posed = shape_in(*linear, rig, pose);
  TwistFigures result;
  double squares = 0;
  for (const Index v : vertices_) {
    const double distance = (posed[v] - safe_[v]).norm();
    squares += distance * distance;
    result.max_rel = std::max(result.max_rel, distance);
  }
  const double size = rig.mesh.size();
  result.rms_rel = vertices_.empty() ? 0 : std::sqrt(squares / static_cast<double>(vertices_.size())) / size;
  result.max_rel /= size;
  result.thinnest = thinnest(posed);
  return result;
}

}  // namespace sinew::pipeline
