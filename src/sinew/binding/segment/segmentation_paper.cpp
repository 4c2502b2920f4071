// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segmentation_paper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

namespace sinew::binding {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// A bone as the paper measures it.
struct Measured {
  double along = 0, distance = 0;
  Vec3 away = Vec3::Zero();  ///< From the bone to the vertex.
};

class PaperRegions {
 public:
  PaperRegions(const SegmentationSurface& surface, const BoneTree& tree, double angle_limit_rad)
      : surface_(surface), tree_(tree), least_(std::cos(angle_limit_rad)) {
    labels_.owner.assign(surface.count(), kNone);
    labels_.weak.assign(surface.count(), 0);
    best_.assign(surface.count(), kFar);
    weak_best_.assign(surface.count(), kFar);
    weak_owner_.assign(surface.count(), kNone);
    follow_.resize(tree.bones.size());
    for (std::size_t b = 0; b < tree.bones.size(); ++b)
      if (tree.bones[b].child != kNone) follow_[b] = tree.outgoing[tree.bones[b].child];
  }

  Labels run(const std::vector<Index>& seeds, const Progress& progress) {
    for (Index b = 0; b < tree_.bones.size(); ++b) {
      progress.check();
      grow(b, seeds.empty() ? kNone : seeds[b]);
    }
    for (Index v = 0; v < surface_.count(); ++v)
      if (labels_.owner[v] == kNone && weak_owner_[v] != kNone) {
        labels_.owner[v] = weak_owner_[v];
        labels_.weak[v] = 1;
        ++labels_.weak_count;
      }
    spread();
    take_nearest();
    return std::move(labels_);
  }

 private:
  Measured measure(Index b, Index v) const {
    const Bone& bone = tree_.bones[b];
    const Vec3& p = surface_.positions[v];
    const double along = (p - bone.a).dot(bone.direction) / bone.length;
    const Vec3 on = bone.is_end() ? bone.a : Vec3(bone.a + std::clamp(along, 0.0, 1.0) * (bone.b - bone.a));
    return {along, (p - on).norm(), p - on};
  }

  bool contains(Index b, const Measured& m) const {
    return tree_.bones[b].is_end() ? m.along >= 0 : m.along >= 0 && m.along <= 1;
  }

  bool candidate(Index b, Index v, const Measured& m) const {
    if (contains(b, m)) return true;
    if (!(m.along > 1)) return false;
    return std::none_of(follow_[b].begin(), follow_[b].end(),
                        [&](Index next) { return contains(next, measure(next, v)); });
  }

  bool faces(Index b, Index v, const Measured& m) const {
    return tree_.bones[b].is_end() || surface_.normals[v].dot(m.away) >= least_ * m.distance;
  }

  /// Floods from the seed of every shell, or from the seed by hand alone.
  void grow(Index b, Index by_hand) {
    bool any = false;
    std::vector<char> reached(surface_.count(), 0);
    for (Index shell = 0; shell < surface_.shells(); ++shell) {
      Index seed = kNone;
      double nearest = kFar;
      for (Index i = surface_.shell_offsets[shell]; i < surface_.shell_offsets[shell + 1]; ++i) {
        const Index v = surface_.shell_vertices[i];
        const Measured m = measure(b, v);
        if (by_hand != kNone ? v == by_hand : contains(b, m) && faces(b, v, m) && m.distance < nearest)
          nearest = m.distance, seed = v;
      }
      if (seed == kNone) continue;
      any = true;
      flood(b, seed, reached);
    }
    if (!any) ++labels_.seedless;
  }

  void flood(Index b, Index seed, std::vector<char>& reached) {
    std::vector<Index> queue = {seed};
    reached[seed] = 1;
    while (!queue.empty()) {
      const Index v = queue.back();
      queue.pop_back();
      const Measured m = measure(b, v);
      if (v != seed && !candidate(b, v, m)) continue;
      if (m.distance < weak_best_[v]) weak_best_[v] = m.distance, weak_owner_[v] = b;
      if (faces(b, v, m) && m.distance < best_[v]) best_[v] = m.distance, labels_.owner[v] = b;
      for (const Index w : surface_.rings[v])
        if (reached[w] == 0) reached[w] = 1, queue.push_back(w);
    }
  }

  void spread() {
    using Item = std::pair<double, Index>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    std::vector<double> distance(surface_.count(), kFar);
    for (Index v = 0; v < surface_.count(); ++v)
      if (labels_.owner[v] != kNone) distance[v] = 0, queue.push({0, v});
    while (!queue.empty()) {
      const auto [way, v] = queue.top();
      queue.pop();
      if (way > distance[v]) continue;
      for (const Index w : surface_.rings[v]) {
        const double next = way + (surface_.positions[v] - surface_.positions[w]).norm();
        if (!(next < distance[w])) continue;
        if (labels_.owner[w] == kNone) ++labels_.spread;
        distance[w] = next;
        labels_.owner[w] = labels_.owner[v];
        queue.push({next, w});
      }
    }
  }

  void take_nearest() {
    for (Index v = 0; v < surface_.count(); ++v) {
      if (labels_.owner[v] != kNone) continue;
      double nearest = kFar;
      for (Index b = 0; b < tree_.bones.size(); ++b)
        if (const Measured m = measure(b, v); m.distance < nearest) nearest = m.distance, labels_.owner[v] = b;
      ++labels_.nearest;
    }
  }

  const SegmentationSurface& surface_;
  const BoneTree& tree_;
  double least_;
  std::vector<std::vector<Index>> follow_;
  std::vector<double> best_, weak_best_;
  std::vector<Index> weak_owner_;
  Labels labels_;
};

}  // namespace

Labels paper_regions(const SegmentationSurface& surface, const BoneTree& tree, double angle_limit_rad,
                     const std::vector<Index>& seeds, const Progress& progress) {
  return PaperRegions(surface, tree, angle_limit_rad).run(seeds, progress);
}

}  // namespace sinew::binding
