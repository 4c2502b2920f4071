// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The energies of the report, computed again from the files that it comes with: the meshes of parts, and of the report
// itself only how many of their vertices are skin. Shares no source with the method.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sinew/core/angles.h"
#include "sinew/io/file.h"
#include "sinew/io/part_meshes.h"
#include "sinew/lab/joint_shape/joint_shape.h"
#include "sinew/pipeline/fit_joints.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::lab {
namespace {

/// A part from its file. Its bone ends at the origin, the joint.
struct ExportedPart {
  io::PartMesh mesh;
  Index skin = 0;
  Vec3 far = Vec3::Zero();
  std::vector<char> near_closure{};  ///< Per vertex: of the closure, or at most two triangles from it.
  double radius = 0;                 ///< Of its border.

  ExportedPart(io::PartMesh from, Index skin_vertices, const Vec3& end)
      : mesh(std::move(from)), skin(skin_vertices), far(end) {
    near_closure.assign(mesh.positions.size(), 0);
    for (std::size_t v = skin; v < mesh.positions.size(); ++v) near_closure[v] = 1;
    for (int ring = 0; ring < 3; ++ring) {
      std::set<Index> more;
      for (const auto& t : mesh.triangles)
        if (near_closure[t[0]] != 0 || near_closure[t[1]] != 0 || near_closure[t[2]] != 0)
          more.insert(t.begin(), t.end());
      for (const Index v : more) {
        near_closure[v] = 1;
        if (ring == 0 && v < skin) radius = std::max(radius, (mesh.positions[v] - foot(mesh.positions[v])).norm());
      }
    }
  }

  Vec3 foot(const Vec3& p) const { return std::clamp(p.dot(far) / far.squaredNorm(), 0.0, 1.0) * far; }
};

/// The farthest distance at which a ray from the origin leaves a part, interpolated on closures; −1 without limit.
double way_out(const ExportedPart& part, const Vec3& direction, double reach) {
  double farthest = -1, limit = -1;
  for (const auto& t : part.mesh.triangles) {
    const Vec3 &a = part.mesh.positions[t[0]], &b = part.mesh.positions[t[1]], &c = part.mesh.positions[t[2]];
    const double whole = a.dot(b.cross(c));
    const Vec3 shares = Vec3(direction.dot(b.cross(c)), a.dot(direction.cross(c)), a.dot(b.cross(direction))) / whole;
    if (!(shares.minCoeff() >= 0)) continue;
    const double distance = 1 / shares.sum();
    if (distance > reach || distance <= farthest) continue;
    farthest = distance;
    const bool closes = t[0] >= part.skin || t[1] >= part.skin || t[2] >= part.skin;
    const bool near = part.near_closure[t[0]] != 0 || part.near_closure[t[1]] != 0 || part.near_closure[t[2]] != 0;
    limit = closes ? Vec3(a.norm(), b.norm(), c.norm()).dot(shares) / shares.sum() : near ? distance : -1;
  }
  return limit;
}

double energy(const ExportedPart& part, const ExportedPart& other, int sign, bool held_out) {
  double sum = 0;
  for (int i = 0; i < (held_out ? 19 : 20); ++i) {
    const Eigen::AngleAxisd back(-sign * radians(140) * (i + (held_out ? 0.5 : 0.0)) / 19, Vec3::UnitZ());
    for (std::size_t v = part.skin; v < part.mesh.positions.size(); ++v) {
      const Vec3& p = part.mesh.positions[v];
      if (p.dot(part.far) > 0) continue;  // On the part's own side of the joint.
      const double limit = way_out(other, back * p.normalized(), 3 * std::max(part.radius, other.radius));
      if (limit > 0) sum += std::max(0.0, p.norm() - 1.01 * limit);
    }
  }
  return sum / std::max(part.radius, other.radius);
}

TEST(ExportedParts, HaveTheEnergiesOfTheReport) {
  Character character;
  character.rig = tapered_limb();
  RotationLimits& hinge = character.rig.skeleton.joints[1].limits.emplace();
  hinge.lower_rad = Vec3::Zero(), hinge.upper_rad = Vec3(0, 0, radians(140));
  pipeline::FitJointsOptions options;
  options.joints = {"lower"};
  options.mode = pipeline::JointShapeMode::kPaper;  // Over four rings, which leaves some energy to compare.
  const pipeline::FitJointsResult fitted = pipeline::fit_joints(character, options);
  const Json report = pipeline::joint_figures(fitted, character.rig.skeleton);
  const test::TemporaryFolder folder;
  io::AtomicFiles files;
  io::add_part_meshes(pipeline::part_meshes(fitted, character.rig.skeleton), folder / "parts", files);
  files.commit();
  auto meshes = io::read_part_meshes(folder / "parts", character.rig.skeleton);
  std::map<std::string, Index> skin;
  for (const Json& part : report["by_part"]) skin[part["part"]] = part["skin_vertices"];
  ASSERT_EQ(meshes.size(), 2u);
  const double length = character.rig.skeleton.joints[1].rest.translation.x();
  const ExportedPart upper(meshes.at("upper"), skin.at("upper"), Vec3(-length, 0, 0));
  const ExportedPart lower(meshes.at("lower"), skin.at("lower"), Vec3(length, 0, 0));
  ASSERT_EQ(report["by_joint"].size(), 1u);
  const Json& joint = report["by_joint"][0];
  EXPECT_NEAR(joint["radius"].get<double>(), std::max(upper.radius, lower.radius), 1e-4);
  for (const bool held_out : {false, true}) {
    const double stated = joint[held_out ? "energy_held_out" : "energy"]["post"];
    const double found = energy(upper, lower, 1, held_out) + energy(lower, upper, -1, held_out);
    ASSERT_GT(stated, 1);
    EXPECT_NEAR(found, stated, 0.01 * stated) << held_out;
  }
}

}  // namespace
}  // namespace sinew::lab
