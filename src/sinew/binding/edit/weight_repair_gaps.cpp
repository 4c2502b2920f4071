// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_repair_gaps.h"

#include <algorithm>
#include <array>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// All shortest ways take the cube of the number of joints; larger skeletons get those along the tree.
constexpr std::size_t kMostForShortcuts = 800;
// At home with bones up to so many times as far as the nearest, and a share of the size more.
constexpr double kHomeFactor = 2, kHomeReach_rel = 0.01;
// A joint nearer than this to a bone lies on it. An end keeps at least this share of its length.
constexpr double kOnBone_rel = 0.02, kLeastEnd = 0.2;
// A bone on the outer side lies more than this (as a cosine) towards the normal.
constexpr double kOutwards = 0.25;
// Normals of a shell are believed if so much of its area has its nearest bone on the inner side.
constexpr double kTrust = 0.75;

}  // namespace

void fit_ends(BoneTree& tree, const EditSurface& surface, const SkinWeights& rows) {
  std::vector<double> reach(tree.bones.size(), 0);
  for (Index w = 0; w < surface.count(); ++w) {
    const auto row = rows.row(w);
    if (row.empty() || row.front().weight < 0.5F) continue;
    for (const Index b : tree.outgoing[row.front().joint]) {
      const Bone& bone = tree.bones[b];
      if (bone.is_end()) reach[b] = std::max(reach[b], bone.direction.dot(surface.positions[w] - bone.a));
    }
  }
  for (std::size_t b = 0; b < tree.bones.size(); ++b) {
    Bone& bone = tree.bones[b];
    if (!bone.is_end() || reach[b] >= bone.length) continue;
    bone.length = std::max(reach[b], kLeastEnd * bone.length);
    bone.b = bone.a + bone.length * bone.direction;
  }
}

SkeletonWays::SkeletonWays(const Subject& subject, const BoneTree& tree, double size) {
  count_ = tree.joints.size();
  place_.assign(subject.skeleton.size(), 0);
  for (std::size_t i = 0; i < count_; ++i) place_[tree.joints[i]] = i;
  const auto at = [&](std::size_t a, std::size_t b) -> std::size_t { return a * count_ + b; };
  std::vector<double> way(count_ * count_, kInfinite);
  const auto join = [&](std::size_t a, std::size_t b, double length) {
    way[at(a, b)] = std::min(way[at(a, b)], length);
    way[at(b, a)] = way[at(a, b)];
  };
  const auto join_on_bone = [&](std::size_t a, const Bone& bone) {
    const BonePoint on = closest_on_bone(bone, subject.position(tree.joints[a]));
    const double along = std::clamp(on.along, 0.0, 1.0) * bone.length;
    join(a, place_[bone.joint], along + on.distance);
    if (!bone.is_end()) join(a, place_[bone.child], bone.length - along + on.distance);
  };
  if (count_ > kMostForShortcuts) {
    walk_tree(subject, tree, way);
    nearest_ends(tree, way);
    return;
  }
  for (std::size_t a = 0; a < count_; ++a) {
    const Index joint = tree.joints[a], parent = tree.parent[joint];
    const Vec3 p = subject.position(joint);
    way[at(a, a)] = 0;
    for (std::size_t b = 0; b < count_; ++b) {
      const Index other = tree.joints[b];
      if (other == parent || tree.parent[other] == parent) join(a, b, (subject.position(other) - p).norm());
    }
    for (const Bone& bone : tree.bones)
      if (bone.joint != joint && bone.child != joint && closest_on_bone(bone, p).distance <= kOnBone_rel * size)
        join_on_bone(a, bone);
  }
  // R. W. Floyd, "Algorithm 97: Shortest path", 1962.
  for (std::size_t k = 0; k < count_; ++k)
    parallel_for(
        count_,
        [&](std::size_t a) {
          if (a == k) return;
          const double first = way[at(a, k)];
          for (std::size_t b = 0; b < count_; ++b) way[at(a, b)] = std::min(way[at(a, b)], first + way[at(k, b)]);
        },
        64);
  nearest_ends(tree, way);
}

// Ways along parents and children alone, in time proportional to the pairs of joints.
void SkeletonWays::walk_tree(const Subject& subject, const BoneTree& tree, std::vector<double>& way) const {
  parallel_for(
      count_,
      [&](std::size_t from) {
        std::vector<std::size_t> open = {from};
        way[from * count_ + from] = 0;
        const auto visit = [&](Index here, Index next) {
          double& length = way[from * count_ + place_[next]];
          if (length < kInfinite) return;
          length = way[from * count_ + place_[here]] + (subject.position(next) - subject.position(here)).norm();
          open.push_back(place_[next]);
        };
        while (!open.empty()) {
          const Index here = tree.joints[open.back()];
          open.pop_back();
          if (tree.parent[here] != kNone) visit(here, tree.parent[here]);
          for (const Index child : tree.children[here]) visit(here, child);
        }
      },
      8);
}

// To a joint: to it or to one of its children, whichever is nearer.
void SkeletonWays::nearest_ends(const BoneTree& tree, const std::vector<double>& way) {
  const auto at = [&](std::size_t a, std::size_t b) -> std::size_t { return a * count_ + b; };
  ways_.assign(count_ * count_, 0);
  parallel_for(
      count_,
      [&](std::size_t to) {
        std::vector<std::size_t> ends = {to};
        for (const Index child : tree.children[tree.joints[to]]) ends.push_back(place_[child]);
        for (std::size_t from = 0; from < count_; ++from) {
          double least = kInfinite;
          for (const std::size_t end : ends) least = std::min(least, way[at(from, end)]);
          ways_[at(from, to)] = least;
        }
      },
      8);
}

double home_gap(const std::vector<Home>& homes, Index joint, const BoneTree& tree, const SkeletonWays& ways) {
  double least = kInfinite;
  for (const Home& home : homes) {
    const Bone& bone = tree.bones[home.bone];
    if (bone.joint == joint) return 0;
    least = std::min(least, home.from_start + ways(bone.joint, joint));
    if (!bone.is_end()) least = std::min(least, bone.length - home.from_start + ways(bone.child, joint));
  }
  return least;
}

double joint_distance(const BoneTree& tree, Index joint, const Vec3& p) {
  double least = kInfinite;
  for (const Index bone : tree.outgoing[joint]) least = std::min(least, closest_on_bone(tree.bones[bone], p).distance);
  return least;
}

std::vector<Index> shell_contacts(const EditSurface& surface, double reach_rel) {
  std::vector<Index> contacts(surface.count(), kNone);
  if (surface.shells < 2 || surface.triangles.empty()) return contacts;
  std::vector<std::size_t> faces(surface.shells, 0);
  for (const auto& triangle : surface.triangles) ++faces[surface.shell[triangle[0]]];
  const auto largest = static_cast<Index>(std::max_element(faces.begin(), faces.end()) - faces.begin());
  // The largest shell apart from the rest: nothing of a vertex's own shell has to be passed over then, but in small
  // ones.
  std::array<std::vector<geometry::TriangleVertices>, 2> triangles;
  for (const auto& triangle : surface.triangles)
    triangles[surface.shell[triangle[0]] == largest ? 0 : 1].push_back(triangle);
  const geometry::RayScene body(geometry::TriangleSoup{surface.positions, triangles[0]});
  const geometry::RayScene rest(geometry::TriangleSoup{surface.positions, triangles[1]});
  const double reach = reach_rel * surface.size;
  parallel_for(
      contacts.size(),
      [&](std::size_t w) {
        const Index own = surface.shell[w];
        const Vec3& p = surface.positions[w];
        const auto take = [&](const geometry::ClosestPoint& hit, std::size_t which) {
          Eigen::Index corner = 0;
          hit.barycentric.maxCoeff(&corner);
          contacts[w] = triangles[which][hit.triangle][static_cast<std::size_t>(corner)];
        };
        const geometry::ClosestPoint near = own == largest ? geometry::ClosestPoint() : body.closest_point(p, reach);
        if (near) take(near, 0);
        const auto other = [&](Index t) { return surface.shell[triangles[1][t][0]] != own; };
        const double left = near ? near.distance : reach;
        const geometry::ClosestPoint hit =
            own == largest ? rest.closest_point(p, left) : rest.closest_point(p, left, other);
        if (hit && hit.distance < left) take(hit, 1);
      },
      256);
  return contacts;
}

Homes find_homes(const EditSurface& surface, const BoneTree& tree) {
  struct Near {
    Index joint;
    double distance;
    double outwards;
    Home home;
  };
  const auto look = [&](Index w, std::vector<Near>& near) {
    near.clear();
    const Vec3& p = surface.positions[w];
    for (const Index joint : tree.joints) {
      Near best{joint, kInfinite, 0, {}};
      for (const Index bone : tree.outgoing[joint]) {
        const BonePoint point = closest_on_bone(tree.bones[bone], p);
        if (point.distance >= best.distance) continue;
        best.distance = point.distance;
        best.home = {bone, std::clamp(point.along, 0.0, 1.0) * tree.bones[bone].length};
        best.outwards = point.distance > 0 ? (point.point - p).dot(surface.normals[w]) / point.distance : 0;
      }
      if (best.distance < kInfinite) near.push_back(best);
    }
  };
  const auto nearest = [](const std::vector<Near>& near, bool ask) {
    const Near* best = nullptr;
    for (const Near& n : near)
      if ((!ask || n.outwards <= kOutwards) && (!best || n.distance < best->distance)) best = &n;
    return best;
  };
  std::vector<char> inner(surface.count(), 0);
  parallel_blocks(surface.count(), 512, [&](std::size_t begin, std::size_t end) {
    std::vector<Near> near;
    for (std::size_t w = begin; w < end; ++w) {
      look(static_cast<Index>(w), near);
      const Near* best = nearest(near, false);
      inner[w] = best && best->outwards <= kOutwards;
    }
  });
  std::vector<double> all(surface.shells, 0), good(surface.shells, 0);
  for (Index w = 0; w < surface.count(); ++w) {
    all[surface.shell[w]] += surface.areas[w];
    if (inner[w]) good[surface.shell[w]] += surface.areas[w];
  }
  Homes homes;
  homes.bones.resize(surface.count());
  homes.nearest.assign(surface.count(), kNone);
  homes.radius.assign(surface.count(), 0);
  parallel_blocks(surface.count(), 512, [&](std::size_t begin, std::size_t end) {
    std::vector<Near> near;
    for (std::size_t i = begin; i < end; ++i) {
      const auto w = static_cast<Index>(i);
      look(w, near);
      const Index shell = surface.shell[w];
      bool ask = good[shell] >= kTrust * all[shell];
      const Near* best = nearest(near, ask);
      if (!best) ask = false, best = nearest(near, false);
      if (!best) continue;
      homes.radius[w] = best->distance;
      homes.nearest[w] = best->joint;
      const double reach = kHomeFactor * best->distance + kHomeReach_rel * surface.size;
      for (const Near& n : near)
        if (n.distance <= reach && (!ask || n.outwards <= kOutwards)) homes.bones[w].push_back(n.home);
    }
  });
  return homes;
}

}  // namespace sinew::binding
