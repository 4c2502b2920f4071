// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/auto_guard.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kFadeFrom = 1.4, kFadeTo = 1.8;  // Inside over straight.
constexpr double kAllowance = 0.004;              // Of the size.
constexpr double kSkip = 0.003;                   // Of the size: what a ray starts beyond.
constexpr double kMostOutwards = 0.1;             // Largest cosine with the normal of a way into the body.
constexpr float kIgnored = 0.002F;                // Smaller weights are not looked at.
constexpr float kStrongShare = 0.3F;
constexpr int kPlacesPerBone = 8;

// A place on a bone, and how far its two ends are along it.
struct BonePlace {
  Vec3 point = Vec3::Zero();
  Index joint = kNone;
  Index child = kNone;
  double to_joint = 0;
  double to_child = 0;
};

struct RowGuard {
  const Subject& body;
  const BoneTree& tree;
  double size;
  geometry::RayScene scene;
  std::vector<Vec3> normals;
  std::vector<Index> column;                   // Per joint: its place in `apart`.
  std::vector<double> apart;                   // BindResult joints × bound joints, along the skeleton.
  std::vector<std::vector<BonePlace>> places;  // Per joint.

  RowGuard(const Subject& b, const BoneTree& t)
      : body(b), tree(t), size(b.mesh.size()), scene(b.mesh), normals(geometry::vertex_normals(b.mesh)) {
    measure_skeleton();
    places.resize(tree.outgoing.size());
    for (const Index joint : tree.joints)
      for (const Index b : tree.outgoing[joint]) {
        const Bone& bone = tree.bones[b];
        for (int i = 0; i < kPlacesPerBone; ++i) {
          const double t = (i + 0.5) / kPlacesPerBone;
          places[joint].push_back(
              {bone.a + t * (bone.b - bone.a), joint, bone.child, t * bone.length, (1 - t) * bone.length});
        }
      }
  }

  double& between(Index a, Index b) { return apart[std::size_t{column[a]} * tree.joints.size() + column[b]]; }
  double between(Index a, Index b) const { return apart[std::size_t{column[a]} * tree.joints.size() + column[b]]; }

  // Parents come before children, so that the way to a joint is the way to its parent and one bone.
  void measure_skeleton() {
    column.assign(tree.parent.size(), kNone);
    for (Index c = 0; c < tree.joints.size(); ++c) column[tree.joints[c]] = c;
    apart.assign(tree.joints.size() * tree.joints.size(), kEndless);
    for (std::size_t c = 0; c < tree.joints.size(); ++c) {
      const Index joint = tree.joints[c], parent = tree.parent[joint];
      between(joint, joint) = 0;
      if (parent == kNone) continue;
      const double bone = (body.position(joint) - body.position(parent)).norm();
      for (std::size_t o = 0; o < c; ++o)
        between(joint, tree.joints[o]) = between(tree.joints[o], joint) = bone + between(parent, tree.joints[o]);
    }
  }

  // From a place along the skeleton to the bones of a joint, which reach to its children.
  double along_skeleton(const BonePlace& place, Index joint) const {
    if (place.joint == joint) return 0;
    const auto from = [&](Index start, double already) {
      double least = between(start, joint);
      for (const Index child : tree.children[joint]) least = std::min(least, between(start, child));
      return already + least;
    };
    const double back = from(place.joint, place.to_joint);
    return place.child == kNone ? back : std::min(back, from(place.child, place.to_child));
  }

  bool sees(Index v, const Vec3& point) const {
    const Vec3 way = point - body.mesh.positions[v];
    const double length = way.norm();
    if (length <= kSkip * size) return true;
    if (way.dot(normals[v]) > kMostOutwards * length) return false;
    return !scene.occluded({body.mesh.positions[v], way / length, kSkip * size, length});
  }

  // The part of a joint's weight that stays.
  double allowed(Index v, const WeightRow& row, float strongest, Index joint) const {
    const Vec3& p = body.mesh.positions[v];
    double straight = kEndless;
    Vec3 nearest = p;
    for (const Index b : tree.outgoing[joint]) {
      const BonePoint found = closest_on_bone(tree.bones[b], p);
      if (found.distance < straight) straight = found.distance, nearest = found.point;
    }
    if (!(straight < kEndless) || sees(v, nearest)) return 1;
    double way = kEndless;
    bool any = false;
    for (const Influence& i : row) {
      if (i.joint != joint && i.weight < kStrongShare * strongest) continue;
      for (const BonePlace& place : places[i.joint]) {
        if (!sees(v, place.point)) continue;
        any = true;
        way = std::min(way, (place.point - p).norm() + along_skeleton(place, joint));
      }
    }
    if (!any) return 1;
    const double ratio = (way - kAllowance * size) / std::max(straight, 1e-9 * size);
    const double t = std::clamp((kFadeTo - ratio) / (kFadeTo - kFadeFrom), 0.0, 1.0);
    return t * t * (3 - 2 * t);
  }

  // How much a row changed.
  double guard(Index v, WeightRow& row, const Influence& owner) const {
    if (row.size() < 2) return 0;
    float strongest = 0;
    for (const Influence& i : row) strongest = std::max(strongest, i.weight);
    RowSum sum;
    double lost = 0;
    for (const Influence& i : row) {
      double keep = i.weight < kIgnored || i.weight == strongest ? 1.0 : allowed(v, row, strongest, i.joint);
      if (i.joint == owner.joint) keep = std::max(keep, static_cast<double>(owner.weight));
      lost += (1 - keep) * static_cast<double>(i.weight);
      sum.add(std::array<Influence, 1>{i}, keep);
    }
    if (lost > 0) row = sum.take();
    return lost;
  }
};

}  // namespace

Index guard_rows(const Subject& body, const BoneTree& tree, std::vector<WeightRow>& rows,
                 const std::vector<Influence>& owners) {
  const RowGuard guard(body, tree);
  std::vector<char> changed(rows.size(), 0);
  parallel_for(
      rows.size(),
      [&](std::size_t v) { changed[v] = guard.guard(static_cast<Index>(v), rows[v], owners[v]) > 0.01 ? 1 : 0; }, 256);
  return static_cast<Index>(std::count(changed.begin(), changed.end(), 1));
}

}  // namespace sinew::binding
