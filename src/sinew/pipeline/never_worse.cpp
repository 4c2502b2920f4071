// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/never_worse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <string>

#include "sinew/core/character.h"
#include "sinew/core/text.h"
#include "sinew/measure/joint_volume.h"
#include "sinew/measure/shape.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/range_of_motion.h"

namespace sinew::pipeline {
namespace {

constexpr float kLower = 0.7F;     // Factor on factors where the surface is worse.
constexpr float kNothing = 0.04F;  // Below it a factor becomes 0.
constexpr int kGentleRounds = 16;  // Then factors of harmed vertices become 0 at once,
constexpr int kRounds = 20;        // and then those of all vertices that the pose moves.
constexpr int kIntersectionRounds = 4;
constexpr float kPart = 0.5F;         // As kLower, where skin passes through skin.
constexpr double kStrain = 1.0 / 8;   // The slope of factors stretches the skin by no more than this.
constexpr double kLeastReach = 0.01;  // Of the size.
constexpr double kOtherRest = 0.01;   // Of the size: a rest pose that differs more from the bind pose is tried as well.
constexpr double kNoted = 0.75;       // Joints that keep less are reported,
constexpr std::size_t kNamed = 8;     // so many of them by name.
constexpr double kKeepsAll = 0.999;
constexpr float kTwistStep = 0.25F;
constexpr double kTwistStretch = 1.25, kFreeTwistStretch = 1.3;
constexpr double kVolumeSlack = 0.005;  // Of the volume of a region.
constexpr int kVolumeRounds = 8;
constexpr int kLooks = 4;               // How often poses are looked at again.
constexpr float kOtherFactor = 0.005F;  // By which factors differ from those that were found for a pose.

class Limiter {
 public:
  Limiter(const Rig& rig, const deform::Deformer& base, const deform::Deformer& from, const deform::Deformer& corrected,
          const measure::SurfaceLimits& limits, const Progress& progress, bool keeps_volume, bool thorough)
      : rig_(rig),
        base_(base),
        from_(from),
        corrected_(corrected),
        starts_elsewhere_(&base != &from),
        limits_(limits),
        progress_(progress),
        keeps_volume_(keeps_volume),
        thorough_(thorough),
        rest_(rig.mesh),
        limbs_(measure::limbs(rig, measure::bound_shape(rig))),
        volumes_(rig, rest_.welding(), limbs_),
        whole_(rig.skeleton.size(), 0),
        kept_(rig.skeleton.size(), 0) {}

  CorrectionLimits run() {
    const RangePoses bound(rig_, motion::RangeDetail::kThorough);
    CorrectionLimits result{{rig_.skeleton, bound.start().joints, rig_.mesh.vertex_count()}, {}};
    base_state_ = base_.make_state();
    from_state_ = from_.make_state();
    corrected_state_ = corrected_.make_state();
    if (starts_elsewhere_) from_positions_.resize(rig_.mesh.vertex_count());
    base_positions_.resize(rig_.mesh.vertex_count());
    corrected_positions_.resize(rig_.mesh.vertex_count());
    try_all(bound, false, result.limits);
    const RangePoses rest(rig_, motion::RangeDetail::kThorough, true);
    const bool other_rest = differ(bound.start(), rest.start());
    if (other_rest) try_all(rest, true, result.limits);
    if (thorough_) {
      try_between(bound, result.limits);
      if (other_rest) try_between(rest, result.limits);
      look_again(bound, rest, result.limits);
    }
    for (Index j = 0; j < whole_.size(); ++j)
      if (whole_[j] > 0 && kept_[j] < kKeepsAll * whole_[j]) result.reduced.push_back({j, kept_[j] / whole_[j]});
    return result;
  }

 private:
  bool differ(const ModelPose& a, const ModelPose& b) {
    base_.deform(*base_state_, {a}, {base_positions_, {}, nullptr});
    base_.deform(*base_state_, {b}, {corrected_positions_, {}, nullptr});
    double most = 0;
    for (std::size_t v = 0; v < base_positions_.size(); ++v)
      most = std::max(most, static_cast<double>((base_positions_[v] - corrected_positions_[v]).norm()));
    return most > kOtherRest * rest_.size();
  }

  /// One pose in which the correction was reduced.
  struct Tried {
    motion::RangePose pose;
    bool from_rest = false;
    std::vector<std::pair<Index, float>> lowered;  ///< Welded vertices and their factors.
  };

  void try_all(const RangePoses& range, bool from_rest, deform::PoseLimits& limits) {
    // Skin passes through skin mostly at the main joints; where no joint is known to be one, at any.
    known_ = std::any_of(range.poses().begin(), range.poses().end(),
                         [](const motion::RangePose& pose) { return pose.group != "other"; });
    for (std::size_t i = 0; i < range.poses().size(); ++i) {
      progress_.step("comparing with the base", static_cast<double>(i) / static_cast<double>(range.poses().size()));
      factors_.assign(rest_.welding().count(), 1.0F);
      const motion::RangePose& pose = range.poses()[i];
      const ModelPose model = range.at(pose);
      reduce(pose, model, true);
      tried_.push_back({pose, from_rest, {}});
      for (Index w = 0; w < factors_.size(); ++w)
        if (factors_[w] < 1) tried_.back().lowered.emplace_back(w, factors_[w]);
      keep(pose, model, limits);
    }
  }

  /// Poses half-way between those that were tried, and from the one to start from to the first.
  void try_between(const RangePoses& range, deform::PoseLimits& limits) {
    const std::vector<motion::RangePose>& poses = range.poses();
    for (std::size_t i = 0; i < poses.size(); ++i) {
      progress_.step("comparing between", static_cast<double>(i) / static_cast<double>(poses.size()));
      motion::RangePose pose = poses[i];
      double before = 0;
      for (std::size_t k = i; k-- > 0 && poses[k].joint == pose.joint && before == 0;)
        if (poses[k].axis == pose.axis && poses[k].angle_rad * pose.angle_rad > 0) before = poses[k].angle_rad;
      pose.angle_rad = (before + pose.angle_rad) / 2;
      const ModelPose model = range.at(pose);
      if (interpolated_is_worse(pose, model, limits)) keep(pose, model, limits);
    }
  }

  /// Samples near each other and joints that turn together change each other's factors: looks at poses again in which
  /// factors are not what was found for them, and reduces what is worse there.
  void look_again(const RangePoses& bound, const RangePoses& rest, deform::PoseLimits& limits) {
    for (int round = 0; round < kLooks; ++round) {
      bool changed = false;
      for (Tried& tried : tried_) {
        progress_.check();
        const ModelPose model = (tried.from_rest ? rest : bound).at(tried.pose);
        if (!differs(tried, model, limits)) continue;
        if (!interpolated_is_worse(tried.pose, model, limits, round + 1 == kLooks)) continue;
        keep(tried.pose, model, limits);
        changed = true;
      }
      if (!changed) return;
    }
  }

  /// Whether the factors of a pose are others than those that were found for it.
  bool differs(const Tried& tried, const ModelPose& model, const deform::PoseLimits& limits) {
    take_factors(model, limits);
    std::size_t next = 0;
    for (Index w = 0; w < factors_.size(); ++w) {
      const bool lowered = next < tried.lowered.size() && tried.lowered[next].first == w;
      const float found = lowered ? tried.lowered[next++].second : 1.0F;
      if (std::abs(factors_[w] - found) > kOtherFactor) return true;
    }
    return false;
  }

  void take_factors(const ModelPose& model, const deform::PoseLimits& limits) {
    vertex_factors_.resize(rig_.mesh.vertex_count());
    limits.evaluate(model.joints, scratch_, vertex_factors_);
    factors_.assign(rest_.welding().count(), 1.0F);
    for (Index v = 0; v < vertex_factors_.size(); ++v) factors_[rest_.welding().welded[v]] = vertex_factors_[v];
  }

  /// Whether the interpolated factors leave the pose worse; if so, lowers them.
  bool interpolated_is_worse(const motion::RangePose& pose, const ModelPose& model, const deform::PoseLimits& limits,
                             bool give_up = false) {
    take_factors(model, limits);
    const std::vector<float> before = factors_;
    reduce(pose, model, false);
    if (factors_ == before) return false;
    if (give_up)
      for (Index w = 0; w < factors_.size(); ++w)
        if (factors_[w] < before[w]) factors_[w] = 0;
    return true;
  }

  /// Lowers the factors until the pose is not worse.
  void reduce(const motion::RangePose& pose, const ModelPose& model, bool count) {
    progress_.check();
    base_.deform(*base_state_, {model}, {base_positions_, {}, nullptr});
    if (starts_elsewhere_) from_.deform(*from_state_, {model}, {from_positions_, {}, nullptr});
    corrected_.deform(*corrected_state_, {model}, {corrected_positions_, {}, nullptr});
    const std::vector<Vec3f>& from = starts_elsewhere_ ? from_positions_ : base_positions_;
    const measure::SurfaceCase surface(rest_, base_positions_, from, corrected_positions_, limits_);
    settle(surface);
    if (!surface.empty()) {
      // A smaller correction need not be less harmful, so all is looked at again.
      if (keeps_volume_) {
        keep_volume(pose, surface, from);
        settle(surface);
      }
      if (!known_ || pose.group != "other") part_intersections(surface, from);
    }
    if (count) surface.add_correction(factors_, whole_[pose.joint], kept_[pose.joint]);
  }

  void keep(const motion::RangePose& pose, const ModelPose& model, deform::PoseLimits& limits) const {
    std::vector<Index> vertices;
    std::vector<float> reductions;
    for (Index v = 0; v < rig_.mesh.vertex_count(); ++v)
      if (const float factor = factors_[rest_.welding().welded[v]]; factor < 1)
        vertices.push_back(v), reductions.push_back(1 - factor);
    limits.add(pose.joint, model.joints, std::move(vertices), std::move(reductions));
  }

  // Lowers factors until the pose is not worse.
  void settle(const measure::SurfaceCase& surface) {
    for (int round = 0; round < kRounds + 1; ++round) {
      harmed_.clear();
      if (surface.empty() || surface.find_harm(factors_, harmed_) == 0) return;
      if (round == kRounds) harmed_.assign(surface.moved().begin(), surface.moved().end());
      lower(surface, round >= kGentleRounds ? 0 : kLower);
    }
  }

  void part_intersections(const measure::SurfaceCase& surface, const std::vector<Vec3f>& from) {
    const measure::SurfaceCase::Known known = surface.know_intersections(base_positions_, from, progress_);
    for (int round = 0; round < kIntersectionRounds + 2; ++round) {
      harmed_.clear();
      if (surface.find_intersections(known, factors_, harmed_, progress_) == 0) return;
      if (round > kIntersectionRounds) harmed_.assign(surface.moved().begin(), surface.moved().end());
      lower(surface, round >= kIntersectionRounds ? 0 : kPart);
      settle(surface);
    }
  }

  // The region near the joint shall not be farther from its volume than by the base.
  void keep_volume(const motion::RangePose& pose, const measure::SurfaceCase& surface, const std::vector<Vec3f>& from) {
    const measure::JointVolumes::Region region = volumes_.region(pose.joint, pose.twist);
    if (!(region.rest_volume > 0)) return;
    std::vector<Vec3> positions(rig_.mesh.vertex_count());
    const auto error = [&] { return std::abs(region.volume(positions) / region.rest_volume - 1); };
    for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = base_positions_[v].cast<double>();
    const double allowed = error() + kVolumeSlack;
    for (int round = 0; round <= kVolumeRounds; ++round) {
      for (std::size_t v = 0; v < positions.size(); ++v) {
        const float factor = factors_[rest_.welding().welded[v]];
        positions[v] = (from[v] + factor * (corrected_positions_[v] - from[v])).cast<double>();
      }
      if (error() <= allowed) return;
      for (const Index w : surface.moved()) factors_[w] = round + 1 < kVolumeRounds ? kLower * factors_[w] : 0;
    }
  }

  struct Source {
    float factor;
    Index vertex;

    bool operator>(const Source& other) const {
      return factor != other.factor ? factor > other.factor : vertex > other.vertex;
    }
  };

  // Factors of harmed vertices, and at most these plus a slope times the distance along edges around them.
  void lower(const measure::SurfaceCase& surface, float by) {
    const auto slope = static_cast<float>(1 / std::max(kLeastReach * rest_.size(), surface.largest() / kStrain));
    std::sort(harmed_.begin(), harmed_.end());
    harmed_.erase(std::unique(harmed_.begin(), harmed_.end()), harmed_.end());
    std::priority_queue<Source, std::vector<Source>, std::greater<>> open;
    for (const Index w : harmed_) {
      const float factor = by * factors_[w];
      open.push({factor < kNothing ? 0 : factor, w});
    }
    const auto visit = [&](const Source& from, Index to) {
      const double way = (rest_.positions()[to] - rest_.positions()[from.vertex]).norm();
      const float factor = from.factor + slope * static_cast<float>(way);
      if (factor < factors_[to]) open.push({factor, to});
    };
    while (!open.empty()) {
      const Source source = open.top();
      open.pop();
      if (!(source.factor < factors_[source.vertex])) continue;
      factors_[source.vertex] = source.factor;
      for (const Index u : rest_.rings()[source.vertex]) visit(source, u);
      for (const Index u : links()[source.vertex]) visit(source, u);
    }
  }

  const geometry::Lists& links() {
    if (links_.size() == factors_.size()) return links_;
    std::vector<std::vector<Index>> lists(factors_.size());
    for (const auto& [a, b] : rest_.links()) lists[a].push_back(b), lists[b].push_back(a);
    links_ = {};
    for (const auto& list : lists) {
      links_.items.insert(links_.items.end(), list.begin(), list.end());
      links_.offsets.push_back(static_cast<Index>(links_.items.size()));
    }
    return links_;
  }

  const Rig& rig_;
  const deform::Deformer& base_;
  const deform::Deformer& from_;
  const deform::Deformer& corrected_;
  bool starts_elsewhere_;
  measure::SurfaceLimits limits_;
  const Progress& progress_;
  bool keeps_volume_, thorough_;
  measure::SurfaceAtRest rest_;
  measure::Limbs limbs_;
  measure::JointVolumes volumes_;
  std::vector<double> whole_, kept_;  // Per joint: sums of corrections.
  std::unique_ptr<deform::Deformer::State> base_state_, from_state_, corrected_state_;
  std::vector<Vec3f> base_positions_, from_positions_, corrected_positions_;
  std::vector<float> factors_;  // Of one pose, per welded vertex.
  std::vector<float> vertex_factors_;
  deform::PoseLimits::Scratch scratch_;
  bool known_ = false;
  std::vector<Tried> tried_;
  std::vector<Index> harmed_;
  geometry::Lists links_;
};

}  // namespace

CorrectionLimits limit_correction(const Rig& rig, const deform::Deformer& base, const deform::Deformer& from,
                                  const deform::Deformer& corrected, const measure::SurfaceLimits& limits,
                                  const Progress& progress, bool keep_volume, bool thorough) {
  return Limiter(rig, base, from, corrected, limits, progress, keep_volume, thorough).run();
}

namespace {

// Linear blending draws twisted skin into the axis, where it passes through itself; spread out, it is stretched and
// turned a little more. So faults of all kinds count together, and a spread twist may stretch the skin by a quarter
// more.
bool twist_is_worse(const measure::SurfaceFigures& figures, const measure::SurfaceFigures& base) {
  const measure::SurfaceLimits limits;
  const auto faults = [](const measure::SurfaceFigures& f) { return f.folded + f.flipped + f.intersections; };
  return figures.stretch > std::max(kFreeTwistStretch, kTwistStretch * base.stretch) ||
         faults(figures) > faults(base) + std::max<std::uint64_t>(2, faults(base) / 20) ||
         figures.gap_rel > base.gap_rel + limits.gap_rel;
}

}  // namespace

TwistLimits limit_twists(const Rig& rig, const deform::Deformer& base, std::vector<float> factors,
                         const MakeTwisted& make, const Progress& progress) {
  const RangePoses range(rig, motion::RangeDetail::kThorough);
  const measure::SurfaceAtRest rest(rig.mesh);
  const std::vector<float> before = factors;
  TwistLimits result;
  std::vector<char> open(rig.skeleton.size(), 1);
  std::vector<Vec3f> base_positions(rig.mesh.vertex_count()), positions(rig.mesh.vertex_count());
  const auto base_state = base.make_state();
  for (bool changed = true; changed;) {
    changed = false;
    progress.step("comparing twists with the base", 0);
    const auto deformer = make(factors);
    const auto state = deformer->make_state();
    std::vector<char> worse(rig.skeleton.size(), 0);
    for (std::size_t i = 0; i < range.poses().size(); ++i) {
      const Index joint = range.poses()[i].joint;
      if (!(factors[joint] > 0) || open[joint] == 0 || worse[joint] != 0) continue;
      progress.check();
      const ModelPose pose = range.at(i);
      base.deform(*base_state, {pose}, {base_positions, {}, nullptr});
      deformer->deform(*state, {pose}, {positions, {}, nullptr});
      if (twist_is_worse(rest.figures(positions, true, progress), rest.figures(base_positions, true, progress)))
        worse[joint] = 1;
    }
    for (Index j = 0; j < factors.size(); ++j) {
      open[j] = worse[j];
      if (worse[j] == 0) continue;
      factors[j] = factors[j] > kTwistStep ? factors[j] - kTwistStep : 0;
      changed = true;
    }
  }
  for (Index j = 0; j < factors.size(); ++j)
    if (factors[j] < before[j]) result.reduced.push_back({j, static_cast<double>(factors[j] / before[j])});
  result.factors = std::move(factors);
  return result;
}

Findings describe(std::vector<ReducedJoint> reduced, const Skeleton& skeleton, std::string_view method) {
  std::erase_if(reduced, [](const ReducedJoint& joint) { return joint.kept >= kNoted; });
  if (reduced.empty()) return {};
  std::stable_sort(reduced.begin(), reduced.end(),
                   [](const ReducedJoint& a, const ReducedJoint& b) { return a.kept < b.kept; });
  std::vector<std::string> joints;
  for (std::size_t i = 0; i < std::min(reduced.size(), kNamed); ++i)
    joints.push_back(fmt::format("{} to {:.0f} %", skeleton.joints[reduced[i].joint].name, 100 * reduced[i].kept));
  if (reduced.size() > kNamed) joints.push_back(fmt::format("and {} others less strongly", reduced.size() - kNamed));
  return {
      {"deform.reduced", skeleton.joints[reduced.front().joint].name,
       fmt::format("The correction of {} is reduced near {}, where all of it would make the surface worse than that "
                   "of the base method: {}.",
                   method, count_of(reduced.size(), "joint", "joints"), fmt::join(joints, ", "))}};
}

ModelPose bound_model_pose(const Rig& rig) {
  ModelPose pose = motion::resolve(rig.skeleton, rest_pose(rig));
  Findings warnings;
  pose.joints = binding_matrices(rig, warnings);
  return pose;
}

std::vector<char> moving_joints(const Rig& rig) {
  std::vector<char> moves(rig.skeleton.size(), 0);
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin == kNone || rig.weights.empty()) continue;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
      for (const Influence& influence : rig.weights.row(v))
        if (influence.weight > 1e-3F) moves[influence.joint] = 1;
  }
  return moves;
}

}  // namespace sinew::pipeline
