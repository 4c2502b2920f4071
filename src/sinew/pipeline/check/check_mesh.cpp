// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/text.h"
#include "sinew/pipeline/check/check_parts.h"

namespace sinew::pipeline {
namespace {

// Sizes of characters that no program has trouble with.
constexpr double kLeastSize = 0.1, kMostSize = 10;  // m

double share(std::uint64_t count, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}

void check_space(const CheckInput& input, CheckRows& rows) {
  const double size = input.facts.mesh.bounds.diagonal();
  rows.add("mesh.size", size > 0 ? std::max(size / kMostSize, kLeastSize / size) : 0,
           fmt::format("The character is {:.3g} m large.", size));
  const SpaceGuess& space = input.facts.mesh.space;
  const bool lies = space.up != "+y" && space.up_confidence == SpaceGuess::Confidence::kHigh;
  rows.add("mesh.up", lies ? 1 : 0, fmt::format("Up is probably {}; glTF has +y.", space.up));
}

// The distance of a point from the nearest vertex.
double distance_from_skin(const Mesh& mesh, const Vec3& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& v : mesh.positions) least = std::min(least, (v - p).squaredNorm());
  return std::sqrt(least);
}

void check_outside(const CheckInput& input, CheckRows& rows) {
  double worst = 0;
  Index joint = kNone;
  if (input.skin)
    for (const Index j : input.facts.skeleton.outside) {
      const double rel = distance_from_skin(input.character.rig.mesh, input.skin->subject.position(j)) / input.size;
      if (rel > worst) worst = rel, joint = j;
    }
  CheckRow& row = rows.add("skeleton.outside", worst,
                           joint == kNone ? "Every joint that moves skin is inside it or near it."
                                          : fmt::format("'{}' is outside the skin.", input.joint_name(joint)),
                           joint == kNone ? "" : input.joint_name(joint));
  row.joint = joint;
}

// How far each joint is from the nearest vertex on which it has at least a quarter, or the most it has anywhere.
void check_place(const CheckInput& input, CheckRows& rows) {
  const Rig& rig = input.character.rig;
  const CheckedSkin& skin = *input.skin;
  std::vector<float> most(rig.skeleton.size(), 0);
  for (Index v = 0; v < skin.rows.row_count(); ++v)
    for (const Influence& i : skin.rows.row(v)) most[i.joint] = std::max(most[i.joint], i.weight);
  std::vector<double> nearest(rig.skeleton.size(), std::numeric_limits<double>::infinity());
  for (Index v = 0; v < skin.rows.row_count(); ++v)
    for (const Influence& i : skin.rows.row(v))
      if (i.weight >= 0.25F || i.weight >= most[i.joint])
        nearest[i.joint] =
            std::min(nearest[i.joint], (skin.surface.positions[v] - skin.subject.position(i.joint)).norm());
  Index worst = kNone;
  for (Index j = 0; j < nearest.size(); ++j) {
    // A root on the ground below its character is usual.
    if (most[j] < 0.05F || rig.skeleton.joints[j].parent == kNone || !std::isfinite(nearest[j])) continue;
    if (worst == kNone || nearest[j] > nearest[worst]) worst = j;
  }
  CheckRow& row =
      rows.add("skeleton.place", worst == kNone ? 0 : nearest[worst] / input.size,
               worst == kNone ? "" : fmt::format("'{}' is far from the skin that it moves.", input.joint_name(worst)),
               worst == kNone ? "" : input.joint_name(worst));
  row.joint = worst;
}

void check_names(const CheckInput& input, CheckRows& rows) {
  const motion::Recognition& found = input.recognition;
  const bool limbs = found.build == motion::Build::kHumanoid || found.build == motion::Build::kQuadruped;
  // Creatures of other kinds have names, too: only names that tell nothing at all are a fault.
  const bool anonymous = !limbs && found.named < 0.1;
  rows.add("skeleton.names",
           limbs       ? 1 - found.coverage
           : anonymous ? 1
                       : 0,
           limbs       ? fmt::format("The names are those of a {}, {:.0f} % of the main parts are found.",
                                     motion::build_name(found.build), 100 * found.coverage)
           : anonymous ? "The names of joints tell nothing, so that clips of other characters do not fit."
                       : "The names are those of another creature.");
  std::map<std::string, Index> seen;
  std::uint64_t doubled = 0;
  std::string first;
  for (const Joint& joint : input.character.rig.skeleton.joints)
    if (joint.deforming && seen[joint.name]++ > 0) ++doubled, first = first.empty() ? joint.name : first;
  rows.add("skeleton.doubled_names", static_cast<double>(doubled),
           fmt::format("{} the name of another.", count_of(doubled, "joint has", "joints have")), first);
}

// Lengths do not depend on the pose, so that a skeleton at rest in a stride is symmetric as well.
void check_bone_lengths(const CheckInput& input, CheckRows& rows) {
  const Skeleton& skeleton = input.character.rig.skeleton;
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  double worst = 0;
  Index joint = kNone;
  const auto length = [&](Index j) {
    return (rest[j] - rest[skeleton.joints[j].parent]).topRightCorner<3, 1>().norm();
  };
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index other = input.partner[j];
    if (other == kNone || other <= j || !skeleton.joints[j].deforming || !skeleton.joints[other].deforming) continue;
    const Index a = skeleton.joints[j].parent, b = skeleton.joints[other].parent;
    if (a == kNone || b == kNone || (a != b && input.partner[a] != b)) continue;
    const double left = length(j), right = length(other);
    if (std::max(left, right) < 0.02 * input.size) continue;
    const double differs = std::abs(left - right) / std::max(left, right);
    if (differs > worst) worst = differs, joint = j;
  }
  CheckRow& row =
      rows.add("skeleton.symmetry", worst,
               joint == kNone ? "Left and right bones are equally long."
                              : fmt::format("The bones to '{}' and '{}' differ in length.", input.joint_name(joint),
                                            input.joint_name(input.partner[joint])),
               joint == kNone ? "" : input.joint_name(joint));
  row.joint = joint;
}

}  // namespace

void check_mesh(const CheckInput& input, CheckRows& rows) {
  const Mesh& mesh = input.character.rig.mesh;
  const geometry::TopologyCounts& counts = input.facts.mesh.topology.total;
  check_space(input, rows);
  std::vector<Index> inside;
  for (const Index p : input.facts.mesh.inside_out)
    for (Index v = 0; v < mesh.parts[p].vertex_count; ++v) inside.push_back(mesh.parts[p].first_vertex + v);
  CheckRow& row = rows.add(
      "mesh.inside_out", share(inside.size(), mesh.positions.size()),
      fmt::format("{} closed and inside out.", count_of(input.facts.mesh.inside_out.size(), "part is", "parts are")),
      input.facts.mesh.inside_out.empty() ? "" : mesh.parts[input.facts.mesh.inside_out.front()].name);
  row.vertices = std::move(inside);
  rows.add("mesh.facing", share(counts.inconsistent_edges, counts.edges),
           fmt::format("{} two faces that run along it in the same direction.",
                       count_of(counts.inconsistent_edges, "edge has", "edges have each")));
  rows.add("mesh.manifold", share(counts.nonmanifold_edges, counts.edges),
           fmt::format("{} more than two faces.", count_of(counts.nonmanifold_edges, "edge has", "edges have")));
  rows.add("mesh.faces", share(counts.zero_area_faces + counts.duplicate_faces, counts.faces),
           fmt::format("{} faces without area, {} doubled.", counts.zero_area_faces, counts.duplicate_faces));
}

void check_skeleton(const CheckInput& input, CheckRows& rows) {
  const SkeletonHealth& health = input.facts.skeleton;
  rows.add("skeleton.joints", static_cast<double>(health.deforming),
           fmt::format("{} joints deform the skin.", health.deforming));
  rows.add("skeleton.bind", static_cast<double>(health.bind_singular),
           fmt::format("{} no inverse.", count_of(health.bind_singular, "bind matrix has", "bind matrices have")));
  rows.add("skeleton.rest", health.bind_skin_rel,
           "The file stores another pose than the one in which the skin was bound.");
  std::vector<Index> odd = health.mirrored;
  odd.insert(odd.end(), health.uneven_scale.begin(), health.uneven_scale.end());
  odd.insert(odd.end(), health.collapsed.begin(), health.collapsed.end());
  std::sort(odd.begin(), odd.end());
  odd.erase(std::unique(odd.begin(), odd.end()), odd.end());
  rows.add("skeleton.scale", static_cast<double>(odd.size()),
           fmt::format("{} a mirrored, uneven or zero scale.", count_of(odd.size(), "joint has", "joints have")),
           odd.empty() ? "" : input.joint_name(odd.front()));
  check_outside(input, rows);
  if (input.skin) check_place(input, rows);
  check_names(input, rows);
  check_bone_lengths(input, rows);
}

}  // namespace sinew::pipeline
