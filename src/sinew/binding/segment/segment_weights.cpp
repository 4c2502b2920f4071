// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segment_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::binding {
namespace {

constexpr int kMostSegmentJoints = 3;
constexpr int kUsualRounds = 5;
constexpr double kLeastSegmentShare = 1e-6;
constexpr double kLeastLogOdds = -14;  // Less than the logarithm of that share.

// A segment's three joints, and what their weights depend on.
struct SegmentBlend {
  Index before = kNone, own = kNone, after = kNone;  // Joints; kNone where there is none.
  double before_rate = 0, after_rate = 0;            // How fast their log-odds fall along the segment.
  const Bone* bone = nullptr;
  const Bone* incoming = nullptr;  // The bone before, or null.
  const Bone* outgoing = nullptr;  // The one after that goes on most nearly in the same direction, or null.
};

// The bone that goes on from `b`: of those that begin where it ends, the one whose direction is nearest; lower ones
// first.
const Bone* best_following(const BoneTree& tree, Index b, bool ends_too) {
  const Bone* best = nullptr;
  for (const Bone& other : tree.bones) {
    if (tree.incoming[other.joint] != b || (other.is_end() && !ends_too)) continue;
    if (best == nullptr || other.direction.dot(tree.bones[b].direction) > best->direction.dot(tree.bones[b].direction))
      best = &other;
  }
  return best;
}

SegmentBlend blend_of(const BoneTree& tree, Index b, double width) {
  const Bone& bone = tree.bones[b];
  SegmentBlend blend;
  blend.bone = &bone;
  blend.own = bone.joint;
  const double c2 = width * width;
  if (tree.incoming[bone.joint] != kNone) {
    blend.incoming = &tree.bones[tree.incoming[bone.joint]];
    blend.before = blend.incoming->joint;
    const double unit = bone.is_end() ? blend.incoming->length : std::min(bone.length, blend.incoming->length);
    blend.before_rate = bone.length / (c2 * unit);
  }
  if (bone.is_end()) return blend;
  blend.after = bone.child;
  const Bone* next = best_following(tree, b, false);
  blend.outgoing = next != nullptr ? next : best_following(tree, b, true);
  // Where joints lie on one place, the one that the next bone hangs on takes over.
  if (tree.outgoing[bone.child].empty() && blend.outgoing != nullptr) blend.after = blend.outgoing->joint;
  const double unit = next != nullptr ? std::min(bone.length, next->length) : bone.length;
  blend.after_rate = bone.length / (c2 * unit);
  return blend;
}

using SegmentRow = std::array<Influence, kMostSegmentJoints>;

// Turns log-odds of the three joints into weights; −∞ is no weight.
SegmentRow soft_max(const SegmentBlend& blend, double before, double own, double after) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  if (blend.before == kNone) before = kNever;
  if (blend.after == kNone) after = kNever;
  const double top = std::max({before, own, after});
  // The largest share is 1, so that what is below the least one need not be computed.
  const auto share_of = [&](double odds) {
    const double under = odds - top;
    return under == 0 ? 1.0 : under < kLeastLogOdds ? 0.0 : std::exp(under);
  };
  std::array<double, 3> share = {share_of(before), share_of(own), share_of(after)};
  const double all = share[0] + share[1] + share[2];
  for (double& s : share) s = s < kLeastSegmentShare * all ? 0.0 : s;
  const double sum = share[0] + share[1] + share[2];
  return {Influence{blend.before, static_cast<float>(share[0] / sum)},
          Influence{blend.own, static_cast<float>(share[1] / sum)},
          Influence{blend.after, static_cast<float>(share[2] / sum)}};
}

SegmentRow log_odds_row(const SegmentBlend& blend, double along) {
  const double t = std::clamp(along, -0.5, 1.5);
  return soft_max(blend, -t * blend.before_rate, 0.0, -(1 - t) * blend.after_rate);
}

// Eq. 2 of the paper, its factor left out, which cancels.
SegmentRow paper_row(const SegmentBlend& blend, double along, const Vec3& p, double width) {
  const auto gauss = [&](double x) { return -(x - 0.5) * (x - 0.5) / (2 * width * width); };
  const auto on = [&](const Bone* bone) {
    return bone == nullptr ? 0.0 : gauss((p - bone->a).dot(bone->direction) / bone->length);
  };
  SegmentBlend known = blend;
  if (blend.outgoing == nullptr) known.after = kNone;
  return soft_max(known, on(blend.incoming), gauss(along), on(blend.outgoing));
}

// The blend of each segment of the segmentation.
std::vector<SegmentBlend> blends_of(const BoneTree& tree, const Segmentation& segmentation, double width) {
  std::map<std::pair<Index, Index>, Index> bone_of;
  for (Index b = 0; b < tree.bones.size(); ++b) bone_of[{tree.bones[b].joint, tree.bones[b].child}] = b;
  std::vector<SegmentBlend> blends;
  for (const Segmentation::Segment& segment : segmentation.segments) {
    const auto found = bone_of.find({segment.joint, segment.child});
    blends.push_back(found == bone_of.end() ? SegmentBlend{} : blend_of(tree, found->second, width));
  }
  for (const Index owner : segmentation.owner)
    if (owner >= blends.size() || blends[owner].bone == nullptr)
      throw Error("The segmentation belongs to another skeleton or to other joints. Segment the character again.");
  return blends;
}

SkinWeights raw_segment_weights(const Subject& subject, const Segmentation& segmentation,
                                const std::vector<SegmentBlend>& blends, const std::vector<Index>& vertices,
                                const SegmentOptions& options) {
  std::vector<SegmentRow> rows(vertices.size());
  const bool paper = options.formula == SegmentFormula::kPaper;
  parallel_for(rows.size(), [&](std::size_t i) {
    const Index v = vertices[i];
    const SegmentBlend& blend = blends[segmentation.owner[v]];
    const auto along = static_cast<double>(segmentation.along[v]);
    rows[i] =
        paper ? paper_row(blend, along, subject.mesh.positions[v], options.blend_width) : log_odds_row(blend, along);
  });
  SkinWeights weights;
  weights.reserve(rows.size(), kMostSegmentJoints * rows.size());
  for (const SegmentRow& row : rows) weights.add_row(row);
  return weights;
}

// Per vertex: the distance of the nearest bone over that of its own.
std::vector<float> confidence_of(const Subject& subject, const BoneTree& tree, const Segmentation& segmentation) {
  std::vector<float> confidence(subject.mesh.positions.size(), 1.0F);
  const double least = 1e-9 * subject.mesh.size();
  parallel_for(confidence.size(), [&](std::size_t v) {
    const Vec3& p = subject.mesh.positions[v];
    double nearest = std::numeric_limits<double>::infinity();
    const auto distance = [&](const Bone& bone) { return competing_distance(bone, closest_on_bone(bone, p).distance); };
    for (const Bone& bone : tree.bones) nearest = std::min(nearest, distance(bone));
    const double own = distance(tree.bones[segmentation.owner[v]]);
    if (own > nearest + least) confidence[v] = static_cast<float>(nearest / own);
  });
  return confidence;
}

Json statistics_of(const Segmentation& segmentation) {
  const Segmentation::Statistics& s = segmentation.statistics;
  return {{"segments", segmentation.segments.size()},
          {"seedless", s.seedless},
          {"fragments", s.fragments},
          {"merged_fragments", s.merged_fragments},
          {"merged_vertices", s.merged_vertices},
          {"weak", s.weak},
          {"spread", s.spread},
          {"nearest", s.nearest}};
}

void tell_fallbacks(const Segmentation::Statistics& s, std::vector<Fallback>& fallbacks) {
  const auto tell = [&](const char* code, const char* method, Index count, const char* text) {
    if (count > 0) fallbacks.push_back({code, method, count, fmt::format(fmt::runtime(text), count)});
  };
  tell("segment.weak", "nearest bone in reach", s.weak,
       "Vertices that face away from every bone in reach and follow the nearest of them: {}.");
  tell("segment.spread", "neighbours along the surface", s.spread,
       "Vertices that no bone reached and that follow their neighbours along the surface: {}.");
  tell("segment.nearest", "nearest bone", s.nearest,
       "Vertices on shells that no bone reached and that follow the nearest bone: {}.");
}

}  // namespace

SkinWeights segment_weights(const Subject& subject, const Segmentation& segmentation, const SegmentOptions& options,
                            const BindOptions& common) {
  const Index count = subject.mesh.vertex_count();
  if (segmentation.owner.size() != count || segmentation.along.size() != count)
    throw Error(fmt::format("The segmentation has {} vertices, but the mesh has {}. Segment the character again.",
                            segmentation.owner.size(), count));
  const BoneTree tree = bone_tree(subject);
  const std::vector<SegmentBlend> blends = blends_of(tree, segmentation, options.blend_width);
  const int limit = common.influence_limit();
  const int most = limit > 0 ? std::min(kMostSegmentJoints, limit) : kMostSegmentJoints;
  const int rounds = common.smooth.value_or(kUsualRounds);
  if (rounds == 0) {
    std::vector<Index> all(count);
    for (Index v = 0; v < count; ++v) all[v] = v;
    SkinWeights weights = raw_segment_weights(subject, segmentation, blends, all, options);
    return most < kMostSegmentJoints ? capped_rows(weights, most) : weights;
  }
  const geometry::Welding welding = geometry::weld(subject.mesh);
  SkinWeights raw;
  geometry::Lists rings;
  parallel_for(
      2,
      [&](std::size_t task) {
        if (task == 0) rings = geometry::one_rings(subject.mesh, &welding);
        else raw = raw_segment_weights(subject, segmentation, blends, welding.first, options);
      },
      1);
  return smoothed_on_mesh(raw, rings, rounds, most, welding);
}

BindResult bind_by_segments(const Subject& subject, const SegmentOptions& options, const BindOptions& common,
                            const Progress& progress) {
  if (subject.mesh.positions.empty()) throw Error("The mesh has no vertices, so there is nothing to bind.");
  BindResult bound;
  progress.step("segmenting", 0.1);
  const Segmentation segmentation = segment(subject, {}, progress);
  progress.step("weighting", 0.7);
  bound.weights = segment_weights(subject, segmentation, options, common);
  bound.origins = {{"segment", "requested"}};
  bound.origin.assign(subject.mesh.positions.size(), 0);
  bound.confidence = confidence_of(subject, bone_tree(subject), segmentation);
  tell_fallbacks(segmentation.statistics, bound.fallbacks);
  bound.metrics["segmentation"] = statistics_of(segmentation);
  return bound;
}

BinderMethod segment_method() {
  return binder_method("segment", "segmentation",
                       "For clear limbs around their bones. Fast, with at most three joints per vertex.",
                       bind_by_segments);
}

}  // namespace sinew::binding
