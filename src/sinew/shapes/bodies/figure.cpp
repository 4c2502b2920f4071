// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sinew/geometry/mesh/subdivide.h"
#include "sinew/shapes/random.h"
#include "sinew/shapes/surface/assembly.h"

namespace sinew::shapes {
namespace {

using LatticePoint = std::array<int, 3>;

/// Counts of cubes. One cube is one unit; the sole is at y = 0 and the middle at x = 0.
struct FigureCubes {
  int width = 3;
  int trunk = 4;
  int arm = 5;
  int leg = 5;
  int head = 2;

  double half_width() const { return 0.5 * width; }
  double crotch() const { return leg; }
  double top() const { return leg + trunk; }
  double crown() const { return leg + trunk + head; }
  double arm_height() const { return top() - 0.5; }
  double leg_x() const { return 0.5 * (width - 1); }
  double elbow() const { return half_width() + 0.5 * arm; }
  double tip() const { return half_width() + arm; }
  double knee() const { return 0.5 * leg; }
  double hips() const { return crotch() + 0.5; }
  double spine() const { return crotch() + 0.2 + 0.3 * trunk; }
  double chest() const { return crotch() + 0.2 + 0.55 * trunk; }
};

FigureCubes draw_figure_cubes(const MakeOptions& options) {
  FigureCubes cubes;
  if (options.vary <= 0) return cubes;
  Random random(static_cast<std::uint64_t>(options.seed));
  const auto drawn = [&](int plain, int low, int high) {
    return static_cast<int>(std::lround(plain + options.vary * (random.integer(low, high) - plain)));
  };
  cubes.arm = drawn(cubes.arm, 3, 8);
  cubes.leg = drawn(cubes.leg, 3, 8);
  cubes.trunk = drawn(cubes.trunk, 3, 6);
  // Odd, so that the head has a middle to stand on.
  cubes.width = 3 + 2 * (drawn(0, 0, 1) > 0 ? 1 : 0);
  return cubes;
}

std::set<LatticePoint> figure_cubes(const FigureCubes& c) {
  std::set<LatticePoint> cubes;
  for (int x = 0; x < c.width; ++x)
    for (int y = 0; y < c.trunk; ++y) cubes.insert({x, c.leg + y, 0});
  for (int y = 0; y < c.leg; ++y) {
    cubes.insert({0, y, 0});
    cubes.insert({c.width - 1, y, 0});
  }
  for (int i = 1; i <= c.arm; ++i) {
    cubes.insert({-i, c.leg + c.trunk - 1, 0});
    cubes.insert({c.width - 1 + i, c.leg + c.trunk - 1, 0});
  }
  for (int i = 0; i < c.head; ++i) cubes.insert({c.width / 2, c.leg + c.trunk + i, 0});
  return cubes;
}

/// The quads between a cube and no cube, with the lattice's corners as vertices.
Mesh figure_cage(const FigureCubes& c) {
  const std::set<LatticePoint> cubes = figure_cubes(c);
  std::map<LatticePoint, Index> corners;
  std::vector<std::array<LatticePoint, 4>> quads;
  for (const LatticePoint& cube : cubes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (int side = 0; side < 2; ++side) {
        LatticePoint beyond = cube;
        beyond[axis] += side == 0 ? -1 : 1;
        if (cubes.count(beyond)) continue;
        std::array<LatticePoint, 4> quad;
        const std::array<std::array<int, 2>, 4> round = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
        for (std::size_t i = 0; i < 4; ++i) {
          quad[i] = cube;
          quad[i][axis] += side;
          quad[i][(axis + 1) % 3] += round[i][0];
          quad[i][(axis + 2) % 3] += round[i][1];
          corners.emplace(quad[i], 0);
        }
        if (side == 0) std::reverse(quad.begin(), quad.end());
        quads.push_back(quad);
      }
    }
  }
  Mesh mesh;
  for (auto& [corner, vertex] : corners) {
    vertex = mesh.vertex_count();
    mesh.positions.emplace_back(corner[0] - c.half_width(), corner[1], corner[2] - 0.5);
  }
  for (const std::array<LatticePoint, 4>& quad : quads) {
    std::array<Index, 4> face{};
    for (std::size_t i = 0; i < 4; ++i) face[i] = corners.at(quad[i]);
    mesh.add_face(face);
  }
  return mesh;
}

int figure_steps(int vertices, Index quads) {
  if (vertices <= 0) return 3;
  int best = 1;
  for (int k = 1; k <= 7; ++k) {
    const auto off = [&](int steps) { return std::abs(std::log(quads * std::pow(4.0, steps) / vertices)); };
    if (off(k) < off(best)) best = k;
  }
  return best;
}

enum FigureJoint : Index {
  kFigureHips,
  kFigureSpine,
  kFigureChest,
  kFigureHead,
  kFigureLeftUpperArm,
  kFigureLeftForearm,
  kFigureRightUpperArm,
  kFigureRightForearm,
  kFigureLeftThigh,
  kFigureLeftShin,
  kFigureRightThigh,
  kFigureRightShin,
  kFigureJoints,
};

std::vector<PlacedJoint> figure_joints(const FigureCubes& c) {
  const Vec3 side = Vec3::UnitX();
  const Vec3 forward = -Vec3::UnitY();
  std::vector<PlacedJoint> joints = {
      {"Hips", kNone, {0, c.hips(), 0}, {0, c.spine(), 0}, side, false, ""},
      {"Spine", kFigureHips, {0, c.spine(), 0}, {0, c.chest(), 0}, side, false, ""},
      {"Chest", kFigureSpine, {0, c.chest(), 0}, {0, c.top(), 0}, side, false, ""},
      {"Head", kFigureChest, {0, c.top(), 0}, {0, c.crown(), 0}, side, true, ""},
  };
  for (const double sign : {1.0, -1.0}) {
    const std::string name = sign > 0 ? "Left" : "Right";
    const Vec3 shoulder(sign * c.half_width(), c.arm_height(), 0);
    const Vec3 elbow(sign * c.elbow(), c.arm_height(), 0);
    const Vec3 tip(sign * c.tip(), c.arm_height(), 0);
    const auto upper = static_cast<Index>(joints.size());
    joints.push_back({name + "UpperArm", kFigureChest, shoulder, elbow, forward, false, ""});
    joints.push_back({name + "Forearm", upper, elbow, tip, forward, true, ""});
  }
  for (const double sign : {1.0, -1.0}) {
    const std::string name = sign > 0 ? "Left" : "Right";
    const double x = sign * c.leg_x();
    const auto thigh = static_cast<Index>(joints.size());
    joints.push_back({name + "Thigh", kFigureHips, {x, c.crotch(), 0}, {x, c.knee(), 0}, side, false, ""});
    joints.push_back({name + "Shin", thigh, {x, c.knee(), 0}, {x, 0, 0}, side, true, ""});
  }
  return joints;
}

/// How much of a point belongs to the arms, the legs, the head.
struct FigureShares {
  double arms = 0;
  double legs = 0;
  double head = 0;
};

FigureShares figure_shares(const FigureCubes& c, const Vec3& p) {
  FigureShares s;
  s.arms = smooth_passage((std::abs(p.x()) - c.half_width()) / 0.6);
  s.legs = smooth_passage((c.crotch() - p.y()) / 0.6);
  // The shoulders reach as high as the neck and yet do not turn with the head.
  s.head = smooth_passage((p.y() - c.top() - 0.1) / 0.4) * smooth_passage((0.9 - std::abs(p.x())) / 0.4);
  return s;
}

std::vector<Influence> figure_row(const FigureCubes& c, const Vec3& p) {
  const FigureShares s = figure_shares(c, p);
  std::vector<double> w(kFigureJoints, 0.0);
  const double beyond_elbow = smooth_passage((std::abs(p.x()) - c.elbow()) / 0.6);
  const Index arm = p.x() > 0 ? kFigureLeftUpperArm : kFigureRightUpperArm;
  w[arm] += s.arms * (1 - beyond_elbow);
  w[arm + 1] += s.arms * beyond_elbow;
  const double below_knee = smooth_passage((c.knee() - p.y()) / 0.6);
  const double left = smooth_passage(p.x() / 0.5);
  w[kFigureLeftThigh] += s.legs * left * (1 - below_knee);
  w[kFigureLeftShin] += s.legs * left * below_knee;
  w[kFigureRightThigh] += s.legs * (1 - left) * (1 - below_knee);
  w[kFigureRightShin] += s.legs * (1 - left) * below_knee;
  const double body = 1 - s.arms - s.legs;
  w[kFigureHead] += body * s.head;
  const double above_spine = smooth_passage((p.y() - c.spine()) / 0.5);
  const double above_chest = smooth_passage((p.y() - c.chest()) / 0.5);
  const double trunk = body * (1 - s.head);
  w[kFigureHips] += trunk * (1 - above_spine);
  w[kFigureSpine] += trunk * above_spine * (1 - above_chest);
  w[kFigureChest] += trunk * above_spine * above_chest;
  return normalized_row(w);
}

Index figure_owner(const FigureCubes& c, const Vec3& p) {
  const FigureShares s = figure_shares(c, p);
  const Index side = p.x() > 0 ? 0 : 2;
  if (s.arms > 0.5) return kFigureLeftUpperArm + side + (std::abs(p.x()) > c.elbow() ? 1 : 0);
  if (s.legs > 0.5) return kFigureLeftThigh + side + (p.y() < c.knee() ? 1 : 0);
  if (s.head > 0.5) return kFigureHead;
  if (p.y() < c.spine()) return kFigureHips;
  return p.y() < c.chest() ? kFigureSpine : kFigureChest;
}

}  // namespace

Made figure(const MakeOptions& options, const Progress& progress) {
  const FigureCubes cubes = draw_figure_cubes(options);
  const Mesh cage = figure_cage(cubes);
  progress.check();
  Mesh mesh = geometry::subdivide(cage, geometry::SubdivisionScheme::kCatmullClark,
                                  figure_steps(options.vertices, cage.face_count()))
                  .mesh;
  std::vector<PlacedJoint> joints = figure_joints(cubes);
  Segmentation owners;
  for (Index joint = 0; joint < kFigureJoints; ++joint) {
    const bool leaf = joints[joint].leaf;
    owners.segments.push_back({joint, leaf ? kNone : joint + 1});
  }
  std::vector<std::vector<Influence>> rows;
  for (const Vec3& p : mesh.positions) {
    const Index owner = figure_owner(cubes, p);
    const Vec3 bone = joints[owner].end - joints[owner].place;
    owners.owner.push_back(owner);
    owners.along.push_back(static_cast<float>((p - joints[owner].place).dot(bone) / bone.squaredNorm()));
    rows.push_back(figure_row(cubes, p));
  }
  const Box box = mesh.bounds();
  const double scale = (options.height > 0 ? options.height : 1.75) / box.extent().y();
  const auto placed = [&](const Vec3& p) { return Vec3(scale * (p - Vec3(0, box.lower.y(), 0))); };
  for (Vec3& p : mesh.positions) p = placed(p);
  for (PlacedJoint& joint : joints) joint.place = placed(joint.place), joint.end = placed(joint.end);
  add_smooth_normals(mesh);
  return assemble("figure", std::move(mesh), place_joints(joints), rows, std::move(owners), {0.30F, 0.45F, 0.40F});
}

}  // namespace sinew::shapes
