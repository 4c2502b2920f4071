// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/heat/visibility.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/mesh/weld_within.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {
namespace {

constexpr double kWeldRel = 1e-6;
constexpr double kNearestRel = 1e-4;  // Distances count as at least this.
constexpr double kStartRel = 2e-5;    // What rays leave out at their start.

bool uses_vertex_twice(const std::array<Index, 3>& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// Like the diagonal of the box, but the same however the body is turned.
double turned_size(std::span<const Vec3> positions) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : positions) mean += p / static_cast<double>(positions.size());
  double farthest = 0;
  for (const Vec3& p : positions) farthest = std::max(farthest, (p - mean).norm());
  return 2 * farthest;
}

// Weighted by angle, which does not depend on how the surface is cut into triangles.
std::vector<Vec3> outward_normals(const geometry::TriangleSurface& s) {
  std::vector<Vec3> normals(s.positions.size(), Vec3::Zero());
  for (const auto& t : s.triangles) {
    const std::array<Vec3, 3> p = {s.positions[t[0]], s.positions[t[1]], s.positions[t[2]]};
    const Vec3 n = (p[1] - p[0]).cross(p[2] - p[0]);
    const double length = n.norm();
    if (!(length > 0)) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 a = p[(k + 1) % 3] - p[k], b = p[(k + 2) % 3] - p[k];
      normals[t[k]] += std::atan2(a.cross(b).norm(), a.dot(b)) / length * n;
    }
  }
  for (Vec3& n : normals) {
    const double length = n.norm();
    if (length > 1e-9) n /= length;
    else n.setZero();
  }
  return normals;
}

void number_shells(BoundSurface& skin) {
  geometry::UnionFind sets(skin.surface.positions.size());
  std::vector<char> used(skin.surface.positions.size(), 0);
  for (const auto& t : skin.surface.triangles) {
    sets.join(t[0], t[1]), sets.join(t[1], t[2]);
    for (const Index v : t) used[v] = 1;
  }
  skin.shell.assign(skin.surface.positions.size(), kNone);
  for (Index v = 0; v < skin.shell.size(); ++v)
    if (used[v] != 0) skin.shell[v] = sets.find(v) == v ? skin.shells++ : skin.shell[sets.find(v)];
}

// One vertex after another asks for its bones.
class Seer {
 public:
  Seer(const BoundSurface& skin, const BoneTree& tree, const SightOptions& options)
      : skin_(skin),
        tree_(tree),
        options_(options),
        scene_(geometry::TriangleSoup{skin.surface.positions, skin.surface.triangles}),
        clear_cosine_(std::cos(options.clear_angle_rad)),
        hidden_cosine_(std::cos(options.hidden_angle_rad)) {}

  struct Answer {
    std::vector<std::pair<Index, double>> joints;  // How well each is seen, times how near it is.
    double distance = 0;
    Sight sight = Sight::kHidden;
  };

  // The nearest joints as far as they are seen, or with `blind` the nearest.
  Answer ask(Index v, bool blind, std::vector<std::pair<double, Index>>& order) const {
    const Vec3& p = skin_.surface.positions[v];
    order.clear();
    double least = std::numeric_limits<double>::infinity();
    for (Index b = 0; b < tree_.bones.size(); ++b) {
      const Bone& bone = tree_.bones[b];
      order.emplace_back(competing_distance(bone, closest_on_bone(bone, p).distance), b);
      least = std::min(least, order.back().first);
    }
    const double tie = options_.tie_rel * skin_.size;
    Answer answer;
    answer.distance = std::max(least, kNearestRel * skin_.size);
    for (const auto& [distance, b] : order) {
      const Bone& bone = tree_.bones[b];
      double share = distance == least ? 1 : smooth_step(1 - (distance - least) / tie);
      if (share > 0 && !blind) {
        const BonePoint at = closest_on_bone(bone, p);
        share *= clarity_of(v, at.point, at.distance);
      }
      if (!(share > 0)) continue;
      const auto same = std::find_if(answer.joints.begin(), answer.joints.end(),
                                     [&](const auto& item) { return item.first == bone.joint; });
      if (same == answer.joints.end()) answer.joints.emplace_back(bone.joint, share);
      else same->second = std::max(same->second, share);
    }
    if (!answer.joints.empty()) answer.sight = blind ? Sight::kAssumed : Sight::kSeen;
    std::sort(answer.joints.begin(), answer.joints.end());
    return answer;
  }

 private:
  double clarity_of(Index v, const Vec3& target, double distance) const {
    if (distance <= kNearestRel * skin_.size) return 1;
    const Vec3& p = skin_.surface.positions[v];
    const Vec3 way = target - p;
    double clarity = 1;
    if (!skin_.normals[v].isZero())
      clarity =
          smooth_step((-skin_.normals[v].dot(way) / distance - hidden_cosine_) / (clear_cosine_ - hidden_cosine_));
    if (!(clarity > 0)) return 0;
    // The ray begins a little on its way, so as not to meet the triangles round the vertex.
    const geometry::Ray ray{p, way, std::min(0.01, kStartRel * skin_.size / distance), 1};
    if (!scene_.occluded(ray)) return clarity;
    const std::vector<geometry::RayHit> hits = scene_.all_hits(ray);
    const double allowed = options_.gap_rel * skin_.size / distance;
    double outside = 0, left_at = 0, last = -1;
    int depth = 1, last_sign = 0;
    for (const geometry::RayHit& hit : hits) {
      const auto& t = skin_.surface.triangles[hit.triangle];
      const Vec3& a = skin_.surface.positions[t[0]];
      const Vec3 normal = (skin_.surface.positions[t[1]] - a).cross(skin_.surface.positions[t[2]] - a);
      const int sign = normal.dot(way) > 0 ? -1 : 1;
      // A ray through a common edge meets both of its triangles.
      if (sign == last_sign && (hit.t - last) * distance < 1e-6 * skin_.size) continue;
      last = hit.t, last_sign = sign;
      if (depth == 1 && sign < 0) left_at = hit.t;
      if (depth == 0 && sign > 0) outside += hit.t - left_at;
      depth = std::max(0, depth + sign);
    }
    if (depth == 0) outside += 1 - left_at;
    return clarity * smooth_step(2 - outside / allowed);
  }

  const BoundSurface& skin_;
  const BoneTree& tree_;
  const SightOptions& options_;
  geometry::RayScene scene_;
  double clear_cosine_, hidden_cosine_;
};

double strength_of(const Seer::Answer& answer) {
  double sum = 0;
  for (const auto& item : answer.joints) sum += item.second;
  return sum;
}

}  // namespace

BoundSurface bound_surface(const Mesh& mesh) {
  for (const Vec3& p : mesh.positions)
    if (!p.allFinite())
      throw Error("The mesh has a vertex position that is not finite. Repair the mesh before you bind it.");
  BoundSurface skin;
  skin.size = turned_size(mesh.positions);
  skin.welding = geometry::weld_within(mesh, kWeldRel * skin.size, true);
  skin.surface = geometry::triangle_surface(mesh, skin.welding);
  std::erase_if(skin.surface.triangles, uses_vertex_twice);
  if (!skin.surface.triangles.empty()) {
    const geometry::Facing facing = geometry::solid_facing({skin.surface.positions, skin.surface.triangles});
    for (std::size_t t = 0; t < facing.signs.size(); ++t)
      if (facing.signs[t] < 0) std::swap(skin.surface.triangles[t][1], skin.surface.triangles[t][2]);
  }
  skin.normals = outward_normals(skin.surface);
  number_shells(skin);
  return skin;
}

BoneTree bones_to_bind(const Subject& subject) {
  BoneTree tree = bone_tree(subject);
  const auto children = subject.skeleton.children();
  for (Bone& bone : tree.bones) {
    const Index joint = bone.joint;
    if (!bone.is_end() || tree.parent[joint] != kNone || !tree.children[joint].empty()) continue;
    if (subject.skeleton.joints[joint].end_local || !children[joint].empty()) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Index other : tree.joints) {
      const double distance = (subject.position(other) - bone.a).norm();
      if (distance > 1e-3 * bone.length) nearest = std::min(nearest, distance);
    }
    if (nearest / 2 >= bone.length) continue;
    bone.length = nearest / 2;
    bone.b = bone.a + bone.length * bone.direction;
  }
  return tree;
}

NearestJoints nearest_joints(const BoundSurface& skin, const BoneTree& tree, const SightOptions& options,
                             const Progress& progress) {
  const Seer seer(skin, tree, options);
  const std::size_t count = skin.surface.positions.size();
  std::vector<Seer::Answer> answers(count);
  const auto ask_all = [&](auto&& which) {
    parallel_blocks(count, 512, [&](std::size_t begin, std::size_t end) {
      progress.check();
      std::vector<std::pair<double, Index>> order;
      for (std::size_t v = begin; v < end; ++v) which(static_cast<Index>(v), order);
    });
  };
  ask_all([&](Index v, auto& order) {
    answers[v] = seer.ask(v, skin.shell[v] == kNone, order);
    if (skin.shell[v] == kNone) answers[v].sight = Sight::kDetached;
  });

  std::vector<double> members(skin.shells, 0), seen(skin.shells, 0);
  for (std::size_t v = 0; v < count; ++v) {
    if (skin.shell[v] == kNone) continue;
    members[skin.shell[v]] += 1;
    seen[skin.shell[v]] += std::min(1.0, strength_of(answers[v]));
  }
  NearestJoints result;
  std::vector<char> blind(skin.shells, 0);
  for (Index s = 0; s < skin.shells; ++s) {
    blind[s] = !(seen[s] > 0) || seen[s] < options.least_seen * members[s] ? 1 : 0;
    if (blind[s] != 0) ++result.assumed_shells;
  }
  if (result.assumed_shells > 0)
    ask_all([&](Index v, auto& order) {
      if (skin.shell[v] != kNone && blind[skin.shell[v]] != 0) answers[v] = seer.ask(v, true, order);
    });

  for (const Seer::Answer& answer : answers) {
    const double strength = strength_of(answer);
    for (const auto& [joint, share] : answer.joints) {
      result.joints.items.push_back(joint);
      result.shares.push_back(share / strength);
    }
    result.joints.offsets.push_back(static_cast<Index>(result.joints.items.size()));
    result.strength.push_back(strength);
    result.distance.push_back(answer.distance);
    result.sight.push_back(answer.sight);
  }
  return result;
}

}  // namespace sinew::binding
