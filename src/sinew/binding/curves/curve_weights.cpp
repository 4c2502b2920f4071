// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/curves/curve_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/binding/heat/heat.h"
#include "sinew/core/curve_measure.h"
#include "sinew/geometry/curves/curves.h"

namespace sinew::binding {
namespace {

constexpr float kCurveConfidence = 0.7F;

double blend_step(double t) {
  const double x = std::clamp(t, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// The curves of a limb from the body outwards, with the bone of each.
struct LimbLine {
  std::vector<Index> curves;
  std::vector<Vec3> centres;
  std::vector<double> radii, along;
  std::vector<Index> joints;  // That own the bones nearest to the centres.
};

Index nearest_joint(const BoneTree& tree, const Vec3& p) {
  Index best = kNone;
  double least = std::numeric_limits<double>::infinity();
  for (const Bone& bone : tree.bones) {
    const double distance = closest_on_bone(bone, p).distance;
    if (distance < least) least = distance, best = bone.joint;
  }
  return best;
}

LimbLine limb_line(const CurveSet& set, const CurveLimb& limb, const Mesh& mesh, const BoneTree& tree) {
  LimbLine line;
  for (auto id = limb.curves.rbegin(); id != limb.curves.rend(); ++id) {
    const Curve& curve = set.curves[*id];
    if (!curve.closed) continue;
    const CurveCentre centre = curve_centre(set.of(curve), mesh.positions, true);
    const double before = line.along.empty() ? 0 : line.along.back();
    line.along.push_back(line.centres.empty() ? 0 : before + (centre.position - line.centres.back()).norm());
    line.curves.push_back(*id);
    line.centres.push_back(centre.position);
    line.radii.push_back(centre.radius);
    line.joints.push_back(nearest_joint(tree, centre.position));
  }
  return line;
}

/// The distance along the line that is nearest to a position, between two of its curves.
double place_between(const LimbLine& line, std::size_t first, std::size_t last, const Vec3& p) {
  double best = std::numeric_limits<double>::infinity(), where = line.along[last];
  for (std::size_t i = std::max<std::size_t>(first, 1); i <= last; ++i) {
    const Vec3 a = line.centres[i - 1], step = line.centres[i] - a;
    const double length = step.squaredNorm();
    const double t = length > 0 ? std::clamp((p - a).dot(step) / length, 0.0, 1.0) : 0;
    const double off = (p - a - t * step).squaredNorm();
    if (off < best) best = off, where = line.along[i - 1] + t * (line.along[i] - line.along[i - 1]);
  }
  return where;
}

/// Where one joint takes over from another.
struct Takeover {
  double along = 0, radius = 0;
  Index joint = kNone;
};

std::vector<Takeover> takeovers(const LimbLine& line, const Subject& subject, const BoneTree& tree) {
  std::vector<Takeover> result;
  for (std::size_t i = 1; i < line.joints.size(); ++i) {
    if (line.joints[i] == line.joints[i - 1]) continue;
    // The joint between the two bones is the one of the lower bone.
    const bool outwards = tree.parent[line.joints[i]] != kNone;
    const Vec3 place = subject.position(outwards ? line.joints[i] : line.joints[i - 1]);
    const std::size_t from = i < 4 ? 0 : i - 4, to = std::min(i + 3, line.joints.size() - 1);
    Takeover takeover = {place_between(line, from, to, place), line.radii[i], line.joints[i]};
    if (!result.empty()) takeover.along = std::max(takeover.along, result.back().along);
    result.push_back(takeover);
  }
  return result;
}

using MixedRow = std::map<Index, double>;

MixedRow row_at(const LimbLine& line, const std::vector<Takeover>& changes, double along, double blend) {
  MixedRow row;
  double left = 1;
  // From the tip inwards: each takes its share of what those beyond it leave.
  for (std::size_t k = changes.size(); k-- > 0;) {
    const double reach = std::max(blend * changes[k].radius, 1e-12);
    const double share = blend_step(0.5 + 0.5 * (along - changes[k].along) / reach);
    row[changes[k].joint] += left * share;
    left *= 1 - share;
  }
  row[line.joints.front()] += left;
  return row;
}

std::vector<Influence> influences(const MixedRow& mixed, std::span<const Influence> heat, double share, int limit) {
  MixedRow sum;
  for (const auto& [joint, weight] : mixed) sum[joint] += share * weight;
  for (const Influence& influence : heat) sum[influence.joint] += (1 - share) * influence.weight;
  std::vector<Influence> row;
  for (const auto& [joint, weight] : sum)
    if (weight > 1e-5) row.push_back({joint, static_cast<float>(weight)});
  cap_row(row, limit);
  return row;
}

}  // namespace

BindResult bind_by_curves(const Subject& subject, const CurveSet& set, const CurveWeightOptions& options,
                          const BindOptions& common, const Progress& progress) {
  BindResult bound = bind_by_heat(subject, {}, common, progress);
  const BoneTree tree = bones_to_bind(subject);
  // Per curve: its row, and how much of it counts; the rest is heat.
  std::vector<MixedRow> rows(set.curves.size());
  std::vector<double> shares(set.curves.size(), 0);
  for (const CurveLimb& limb : set.limbs) {
    const LimbLine line = limb_line(set, limb, subject.mesh, tree);
    if (line.curves.size() < 2) continue;
    const std::vector<Takeover> changes = takeovers(line, subject, tree);
    for (std::size_t i = 0; i < line.curves.size(); ++i) {
      rows[line.curves[i]] = row_at(line, changes, line.along[i], options.blend);
      shares[line.curves[i]] = blend_step(line.along[i] / std::max(2 * line.radii.front(), 1e-12));
    }
  }
  const auto own = static_cast<std::uint8_t>(bound.origins.size());
  bound.origins.push_back({"curves", "a closed curve around a limb runs through the vertex"});
  SkinWeights weights;
  Index covered = 0;
  for (Index v = 0; v < subject.mesh.vertex_count(); ++v) {
    const Index id = set.curve_of[v];
    if (id == kNone || shares[id] <= 0) {
      weights.add_row(bound.weights.row(v));
      continue;
    }
    weights.add_row(influences(rows[id], bound.weights.row(v), shares[id], common.influence_limit()));
    bound.origin[v] = own;
    bound.confidence[v] = kCurveConfidence;
    ++covered;
  }
  bound.weights = std::move(weights);
  bound.metrics["curves"] = set.closed_count();
  bound.metrics["on_curves"] = covered;
  if (covered < subject.mesh.vertex_count())
    bound.fallbacks.push_back(
        {"curves.no_curve", "heat", subject.mesh.vertex_count() - covered,
         "Vertices of the trunk, and those without a closed curve around them, are bound by heat."});
  return bound;
}

BindResult bind_by_curves(const Subject& subject, const CurveWeightOptions& options, const BindOptions& common,
                          const Progress& progress) {
  CurveSet curves;
  try {
    curves = geometry::find_curves(subject.mesh, {}, progress);
  } catch (const Error&) {
    // Without faces there are no curves; heat binds, or throws where nothing can be bound.
    curves.curve_of.assign(subject.mesh.vertex_count(), kNone);
  }
  return bind_by_curves(subject, curves, options, common, progress);
}

namespace {

BindResult bind_subject_by_curves(const Subject& subject, const CurveWeightOptions& options, const BindOptions& common,
                                  const Progress& progress) {
  return bind_by_curves(subject, options, common, progress);
}

}  // namespace

BinderMethod curve_method() {
  return binder_method("curves", "limb-curves",
                       "Whole rings of a limb have one weight. For clean meshes with rings around their limbs.",
                       bind_subject_by_curves);
}

}  // namespace sinew::binding
