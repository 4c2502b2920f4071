// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/surface_guard.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/mesh/weld_positions.h"

namespace sinew::deform {
namespace {

constexpr int kRounds = 3;
constexpr float kStill = 2e-6F;       // Of the size: corrections below it are none.
constexpr float kLeastArea = 1e-8F;   // Of the square of the size: smaller triangles have no side.
constexpr float kSharpAtRest = 0.5F;  // Cosine of edges that are sharper at rest and cannot become folded.
constexpr float kFlatStart = 0.15F;   // Cosine at the start, from which on an edge shall not be folded,
constexpr float kFolded = 0.05F;      // and the cosine below which it is.
constexpr float kAllFolded = -1.05F;  // The limit of edges that are folded at the start: none.
constexpr float kStretch = 1.05F, kFreeStretch = 1.1F, kNearStretch = 2, kFreeNearStretch = 1.6F;
constexpr float kStrain = 1.0F / 8;   // As in the comparison with the base.
constexpr float kLeastReach = 0.01F;  // Of the size.
constexpr std::size_t kGrain = 1024;

Vec3f area_normal(const std::array<Index, 3>& t, std::span<const Vec3f> at) {
  return (at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]]);
}

// How low the cosine at an edge may become that has this one at the start.
float lowest_cosine(float start) {
  const float t = std::clamp(start / kFlatStart, 0.0F, 1.0F);
  return kAllFolded + (kFolded - kAllFolded) * t * t * (3 - 2 * t);
}

// The largest share of a change of an edge that does not make it longer than allowed. It may be as long at the start.
float edge_share(const Vec3f& from, const Vec3f& step, float allowed) {
  const float a = step.squaredNorm(), b = from.dot(step), c = from.squaredNorm() - allowed * allowed;
  if (a + 2 * b + c <= 0) return 1;
  if (!(c < 0)) return 0;
  return std::clamp((-b + std::sqrt(std::max(0.0F, b * b - a * c))) / a, 0.0F, 1.0F);
}

}  // namespace

SurfaceGuard::SurfaceGuard(const Mesh& mesh)
    : welding_(geometry::weld_positions(mesh, geometry::weld(mesh))),
      size_(static_cast<float>(mesh.size())),
      rings_(geometry::one_rings(mesh, &welding_)) {
  const geometry::TriangleSurface surface = geometry::triangle_surface(mesh, welding_);
  const std::vector<Vec3>& rest = surface.positions;
  for (Index a = 0; a < rings_.size(); ++a)
    for (const Index b : rings_[a]) {
      const double length = (rest[b] - rest[a]).norm();
      ring_lengths_.push_back(static_cast<float>(length));
      if (b > a && length > 1e-7 * mesh.size()) edges_.push_back({a, b}), lengths_.push_back(ring_lengths_.back());
    }
  std::map<std::array<Index, 2>, std::vector<std::pair<Index, bool>>> faces;  // With whether they run from low to high.
  for (const auto& t : surface.triangles) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    const auto number = static_cast<Index>(triangles_.size());
    triangles_.push_back(t);
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = t[k], b = t[(k + 1) % 3];
      faces[{std::min(a, b), std::max(a, b)}].emplace_back(number, a < b);
    }
  }
  const auto normal = [&](Index f) {
    const auto& t = triangles_[f];
    return Vec3((rest[t[1]] - rest[t[0]]).cross(rest[t[2]] - rest[t[0]]));
  };
  for (const auto& [edge, at] : faces) {
    if (at.size() != 2) continue;
    const Hinge hinge{at[0].first, at[1].first, at[0].second == at[1].second ? -1.0F : 1.0F};
    const Vec3 left = normal(hinge.left), right = static_cast<double>(hinge.side) * normal(hinge.right);
    if (left.dot(right) >= static_cast<double>(kSharpAtRest) * left.norm() * right.norm()) hinges_.push_back(hinge);
  }
}

void SurfaceGuard::apply(std::span<const Vec3f> from, std::span<Vec3f> positions, Scratch& scratch,
                         std::span<float> kept) const {
  const std::size_t count = welding_.count();
  scratch.from.resize(count), scratch.step.resize(count), scratch.now.resize(count);
  scratch.kept.assign(count, 1.0F);
  scratch.moved.resize(count);
  parallel_for(
      count,
      [&](std::size_t w) {
        const Index v = welding_.first[w];
        scratch.from[w] = from[v];
        scratch.step[w] = positions[v] - from[v];
        scratch.moved[w] = static_cast<char>(scratch.step[w].squaredNorm() > kStill * kStill * size_ * size_);
      },
      kGrain);
  scratch.from_normals.resize(triangles_.size()), scratch.normals.resize(triangles_.size());
  parallel_for(
      triangles_.size(), [&](std::size_t t) { scratch.from_normals[t] = area_normal(triangles_[t], scratch.from); },
      kGrain);
  scratch.stretch.assign(count, 1.0F);
  float most = 1;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const auto& [a, b] = edges_[e];
    const float stretch = (scratch.from[b] - scratch.from[a]).norm() / lengths_[e];
    scratch.stretch[a] = std::max(scratch.stretch[a], stretch),
    scratch.stretch[b] = std::max(scratch.stretch[b], stretch);
    most = std::max(most, stretch);
  }
  bool any = false;
  for (int round = 0; round < kRounds && lower(scratch, most); ++round) any = true;
  if (!kept.empty())
    for (std::size_t v = 0; v < kept.size(); ++v) kept[v] = scratch.kept[welding_.welded[v]];
  if (!any) return;
  parallel_for(
      positions.size(),
      [&](std::size_t v) {
        const float share = scratch.kept[welding_.welded[v]];
        if (share < 1) positions[v] = from[v] + share * (positions[v] - from[v]);
      },
      kGrain);
}

// One round: from what was kept so far to what may be kept. Whether anything changed.
bool SurfaceGuard::lower(Scratch& scratch, float most_stretch) const {
  parallel_for(
      scratch.now.size(), [&](std::size_t w) { scratch.now[w] = scratch.from[w] + scratch.kept[w] * scratch.step[w]; },
      kGrain);
  parallel_for(
      triangles_.size(), [&](std::size_t t) { scratch.normals[t] = area_normal(triangles_[t], scratch.now); }, kGrain);
  std::vector<Index> harmed;
  std::vector<float> lowered = scratch.kept;
  float largest = 0;
  const auto take = [&](Index w, float share) {
    const float kept = share * scratch.kept[w];
    largest = std::max(largest, scratch.step[w].norm());
    if (kept < lowered[w]) lowered[w] = kept;
    harmed.push_back(w);
  };
  const float least = kLeastArea * size_ * size_;
  for (const Hinge& hinge : hinges_) {
    const auto &s = triangles_[hinge.left], &t = triangles_[hinge.right];
    const bool moves = scratch.moved[s[0]] != 0 || scratch.moved[s[1]] != 0 || scratch.moved[s[2]] != 0 ||
                       scratch.moved[t[0]] != 0 || scratch.moved[t[1]] != 0 || scratch.moved[t[2]] != 0;
    if (!moves) continue;
    const auto cosine = [&](const std::vector<Vec3f>& normals) {
      const float lengths = normals[hinge.left].norm() * normals[hinge.right].norm();
      return lengths > least * least ? hinge.side * normals[hinge.left].dot(normals[hinge.right]) / lengths : 1.0F;
    };
    const float now = cosine(scratch.normals);
    if (now > kFolded) continue;
    const float start = cosine(scratch.from_normals), limit = lowest_cosine(start);
    if (!(now < limit)) continue;
    const float share = std::clamp((start - limit) / (start - now), 0.0F, 1.0F);
    for (const Index w : s) take(w, share);
    for (const Index w : t) take(w, share);
  }
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const auto& [a, b] = edges_[e];
    if (scratch.moved[a] == 0 && scratch.moved[b] == 0) continue;
    const float length = (scratch.now[b] - scratch.now[a]).norm();
    if (length <= kFreeStretch * lengths_[e]) continue;
    const Vec3f start = scratch.from[b] - scratch.from[a];
    const float near = std::max(kNearStretch * std::max(scratch.stretch[a], scratch.stretch[b]), kFreeNearStretch);
    const float stretch = std::min(near, std::max(kStretch * most_stretch, kFreeStretch));
    const float allowed = std::max(stretch * lengths_[e], 1.0001F * start.norm());
    if (length <= allowed) continue;
    const float share = edge_share(start, scratch.now[b] - scratch.now[a] - start, allowed);
    take(a, share), take(b, share);
  }
  if (harmed.empty()) return false;
  scratch.kept.swap(lowered);
  spread(scratch, harmed, 1 / std::max(kLeastReach * size_, largest / kStrain));
  return true;
}

// Nowhere more than what harmed vertices keep plus a slope times the way along edges.
void SurfaceGuard::spread(Scratch& scratch, std::vector<Index>& harmed, float slope) const {
  using Source = std::pair<float, Index>;
  std::priority_queue<Source, std::vector<Source>, std::greater<>> open;
  std::sort(harmed.begin(), harmed.end());
  harmed.erase(std::unique(harmed.begin(), harmed.end()), harmed.end());
  for (const Index w : harmed) open.emplace(scratch.kept[w], w);
  while (!open.empty()) {
    const auto [kept, w] = open.top();
    open.pop();
    if (kept > scratch.kept[w]) continue;
    for (Index i = rings_.offsets[w]; i < rings_.offsets[w + 1]; ++i) {
      const Index u = rings_.items[i];
      const float most = kept + slope * ring_lengths_[i];
      if (!(most < scratch.kept[u])) continue;
      scratch.kept[u] = most;
      open.emplace(most, u);
    }
  }
}

}  // namespace sinew::deform
