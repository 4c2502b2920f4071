// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/joint_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/implicit/joint_shape/closure.h"
#include "sinew/deform/implicit/joint_shape/fairing.h"
#include "sinew/deform/implicit/joint_shape/open_part.h"
#include "sinew/deform/implicit/joint_shape/refit.h"
#include "sinew/deform/implicit/part_bones.h"
#include "sinew/deform/implicit/partition.h"

namespace sinew::deform {
namespace {

constexpr std::size_t kLeastVertices = 12, kLeastBorder = 5;
constexpr int kMostSamples = 240, kLeastSamples = 24;  ///< Of all closures of a part, and of one.
constexpr double kRefitTolerance = 0.01;               ///< In radii.
constexpr std::size_t kWorstSamples = 30;              ///< Added to a closure where the function is off.
constexpr double kPostShare = 0.03;  ///< Of the bulge after fairing, that the second fairing may bring back.

std::vector<Mat3> inverse_of(std::span<const Mat3> rotations) {
  std::vector<Mat3> result;
  for (const Mat3& rotation : rotations) result.push_back(rotation.transpose());
  return result;
}

std::vector<double> distances_of(const ClosedPart& part) {
  std::vector<double> distances;
  for (const ClosureVertex& vertex : part.closure) distances.push_back(vertex.distance);
  return distances;
}

void set_distances(ClosedPart& part, const std::vector<double>& distances) {
  for (std::size_t i = 0; i < distances.size(); ++i) part.closure[i].distance = distances[i];
  part.place();
}

class JointShaper {
 public:
  JointShaper(const Rig& rig, const std::map<Index, JointRange>& ranges, const JointShapeOptions& options,
              const Progress& progress, const StageListener& stage)
      : rig_(rig), ranges_(ranges), options_(options), progress_(progress), stage_(stage) {}

  JointShapes run(std::span<const Index> owners) {
    begin("functions", 0);
    surface_ = make_skin_surface(rig_);
    std::vector<Index> of_surface;
    if (!owners.empty())
      for (Index v = 0; v < surface_.size(); ++v) of_surface.push_back(owners[surface_.copies[v].front()]);
    partition_ = make_partition(surface_, rig_.skeleton, options_.body.threshold, of_surface);
    body_ = make_implicit_body(rig_, options_.body, owners, {}, progress_);
    close_parts();
    find_joints();
    begin("fairing", 0.4);
    measure(&BulgeStages::before);
    decide();
    fair();
    measure(&BulgeStages::faired);
    begin("sliding", 0.5);
    slide_joints();
    measure(&BulgeStages::slid);
    begin("second fairing", 0.8);
    post_fair();
    measure(&BulgeStages::post);
    begin("refit", 0.9);
    refit();
    return finish();
  }

 private:
  /// A joint between two parts that both have a hole there.
  struct Pair {
    JointSide parent, child;
    std::vector<Mat3> used, held_out;
    std::size_t report = 0;
    int round = 0;
  };

  void begin(const char* what, double fraction) const {
    progress_.step("joint shapes", fraction);
    if (stage_) stage_(what);
  }

  const ImplicitPart* function_of(Index part) const {
    for (const ImplicitPart& other : body_.parts)
      if (other.joint == partition_.parts[part].joint) return &other;
    return nullptr;
  }

  bool chosen(Index joint) const {
    return options_.joints.empty() ||
           std::find(options_.joints.begin(), options_.joints.end(), joint) != options_.joints.end();
  }

  /// Parts on both sides of joints that may be adjusted.
  std::vector<char> used_parts() const {
    std::vector<char> used(partition_.parts.size(), 0);
    for (std::size_t p = 0; p < used.size(); ++p) {
      const Partition::Part& part = partition_.parts[p];
      if (part.parent != kNone && chosen(part.joint) && ranges_.contains(part.joint)) used[p] = used[part.parent] = 1;
    }
    return used;
  }

  void close_parts() {
    const std::vector<PartBones> bones = bones_of_parts(partition_, surface_, rig_.skeleton, body_.bind);
    const PartCutter cutter(surface_, partition_, bones, body_.bind);
    result_.parts.resize(partition_.parts.size());
    for (const Partition::Part& part : partition_.parts) result_.joints.push_back(part.joint);
    begin("particles", 0.2);
    const std::vector<char> used = used_parts();
    parallel_for(
        result_.parts.size(),
        [&](std::size_t p) {
          progress_.check();
          const ImplicitPart* from = function_of(static_cast<Index>(p));
          if (from == nullptr || used[p] == 0) return;
          std::map<Index, int> peel;
          for (const auto& [joint, rings] : options_.peel)
            for (Index q = 0; q < partition_.parts.size(); ++q) {
              if (partition_.parts[q].joint != joint) continue;
              if (q == p && partition_.parts[q].parent != kNone) peel[partition_.parts[q].parent] = rings;
              if (partition_.parts[q].parent == p) peel[q] = rings;
            }
          ClosedPart& part = result_.parts[p];
          part = cutter.cut(static_cast<Index>(p), peel);
          if (part.fixed_vertices < kLeastVertices) part = {};
          close_holes(part, from->function, options_.particles, options_.seed * 7919 + partition_.parts[p].joint);
        },
        1);
    for (const ClosedPart& part : result_.parts) default_.push_back(distances_of(part));
  }

  /// The hole of a part at the joint with another one: the longest border of those.
  bool side_of(Index part, Index partner, JointSide& side) {
    ClosedPart& closed = result_.parts[part];
    double longest = 0;
    for (Index h = 0; h < closed.holes.size(); ++h)
      for (Index b = 0; b < closed.holes[h].bones.size(); ++b) {
        const PartHole& hole = closed.holes[h];
        if (hole.bones[b].partner != partner || hole.fill == HoleFill::kOpen) continue;
        if (hole.loop.size() < kLeastBorder || !(hole.radius > longest)) continue;
        longest = hole.radius;
        side = {&closed, &function_of(part)->function, h, b};
      }
    return longest > 0;
  }

  void find_joints() {
    for (Index p = 0; p < partition_.parts.size(); ++p) {
      const Index above = partition_.parts[p].parent;
      if (above == kNone) continue;
      JointShapeReport report;
      report.joint = partition_.parts[p].joint;
      report.part = p, report.parent = above;
      const auto range = ranges_.find(report.joint);
      Pair pair;
      if (!chosen(report.joint)) report.reason = kNotChosen;
      else if (range == ranges_.end() || range->second.axes.empty()) report.reason = "the joint does not turn";
      else if (!side_of(above, p, pair.parent)) report.reason = "the part above has no usable hole there";
      else if (!side_of(p, above, pair.child)) report.reason = "the part has no usable hole there";
      if (report.reason.empty()) {
        report.range = range->second.source;
        report.radius = std::max(pair.parent.radius(), pair.child.radius());
        pair.used = rotations_of(range->second, options_.rotations);
        pair.held_out = rotations_of(range->second, options_.rotations, true);
        report.rotations = pair.used.size();
        pair.report = result_.reports.size();
        pairs_.push_back(std::move(pair));
      }
      result_.reports.push_back(std::move(report));
    }
    assign_rounds();
  }

  /// Joints of one round share no part. Thicker joints come first.
  void assign_rounds() {
    std::stable_sort(pairs_.begin(), pairs_.end(), [&](const Pair& a, const Pair& b) {
      return result_.reports[a.report].radius > result_.reports[b.report].radius;
    });
    std::map<const ClosedPart*, int> next;
    for (Pair& pair : pairs_) {
      pair.round = std::max(next[pair.parent.part], next[pair.child.part]);
      next[pair.parent.part] = next[pair.child.part] = pair.round + 1;
      rounds_ = std::max(rounds_, pair.round + 1);
    }
  }

  void measure(double BulgeStages::*stage) {
    parallel_for(
        pairs_.size(),
        [&](std::size_t i) {
          progress_.check();
          JointShapeReport& report = result_.reports[pairs_[i].report];
          report.used.*stage = joint_bulge(pairs_[i].parent, pairs_[i].child, pairs_[i].used, options_.sliding);
          report.held_out.*stage = joint_bulge(pairs_[i].parent, pairs_[i].child, pairs_[i].held_out, options_.sliding);
        },
        1);
  }

  /// Which joints to adjust.
  void decide() {
    for (const Pair& pair : pairs_) {
      JointShapeReport& report = result_.reports[pair.report];
      const double vertices = static_cast<double>(vertices_of(pair.parent) + vertices_of(pair.child));
      const double mean = report.used.before / std::max(1.0, vertices * static_cast<double>(report.rotations));
      const bool needed = !options_.joints.empty() || mean > options_.least_bulge;
      report.fit = needed ? JointFit::kAdjusted : JointFit::kNotNeeded;
    }
  }

  static std::size_t vertices_of(const JointSide& side) {
    return static_cast<std::size_t>(
        std::count_if(side.part->closure.begin(), side.part->closure.end(),
                      [&](const ClosureVertex& v) { return v.hole == side.hole && v.bone == side.bone && v.beyond; }));
  }

  bool adjusts(const Pair& pair) const { return result_.reports[pair.report].fit == JointFit::kAdjusted; }

  void fair() {
    std::vector<std::vector<Index>> holes(result_.parts.size());
    for (const Pair& pair : pairs_)
      if (adjusts(pair))
        for (const JointSide* side : {&pair.parent, &pair.child})
          holes[static_cast<std::size_t>(side->part - result_.parts.data())].push_back(side->hole);
    parallel_for(
        holes.size(),
        [&](std::size_t p) {
          for (const Index h : holes[p]) fair_distances(result_.parts[p], h);
        },
        1);
    for (const ClosedPart& part : result_.parts) faired_.push_back(distances_of(part));
  }

  std::size_t number_of(const JointSide& side) const {
    return static_cast<std::size_t>(side.part - result_.parts.data());
  }

  void slide_joints() {
    for (int round = 0; round < rounds_; ++round)
      parallel_for(
          pairs_.size(),
          [&](std::size_t i) {
            progress_.check();
            if (pairs_[i].round == round && adjusts(pairs_[i])) slide_pair(pairs_[i]);
          },
          1);
    for (const ClosedPart& part : result_.parts) slid_.push_back(distances_of(part));
  }

  void slide_side(const JointSide& side, const SlideTargets& targets, JointShapeReport& report) const {
    const std::vector<double>& faired = faired_[number_of(side)];
    if (!options_.by_picks) {
      slide(*side.part, targets, faired, options_.sliding);
      return;
    }
    const auto history = slide_by_picks(*side.part, targets, faired, options_.sliding,
                                        options_.seed * 104729 + report.joint * 2 + (side.bone & 1U));
    report.picks += static_cast<int>(history.size()) - 1;
  }

  void slide_pair(Pair& pair) {
    JointShapeReport& report = result_.reports[pair.report];
    const std::vector<Mat3> inverse = inverse_of(pair.used);
    double before = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < options_.alternations; ++turn) {
      const std::vector<double> parent = distances_of(*pair.parent.part), child = distances_of(*pair.child.part);
      const SlideTargets of_parent = slide_targets(pair.parent, pair.child, pair.used, options_.sliding);
      double energy = bulge_energy(*pair.parent.part, of_parent, options_.sliding.band);
      slide_side(pair.parent, of_parent, report);
      const SlideTargets of_child = slide_targets(pair.child, pair.parent, inverse, options_.sliding);
      energy += bulge_energy(*pair.child.part, of_child, options_.sliding.band);
      if (options_.stop_early && (!(energy > 0) || energy >= before)) {
        // What this turn changed does not help.
        if (energy >= before) set_distances(*pair.parent.part, parent), set_distances(*pair.child.part, child);
        break;
      }
      slide_side(pair.child, of_child, report);
      ++report.alternations;
      before = energy;
    }
  }

  void blend(const JointSide& side, int rings) {
    const std::size_t p = number_of(side);
    for (std::size_t i = 0; i < side.part->closure.size(); ++i) {
      ClosureVertex& vertex = side.part->closure[i];
      if (vertex.hole != side.hole || vertex.bone != side.bone) continue;
      const double share = slid_share(vertex.ring, rings);
      vertex.distance = (1 - share) * faired_[p][i] + share * slid_[p][i];
    }
    side.part->place();
  }

  void post_fair() {
    for (int round = 0; round < rounds_; ++round)
      parallel_for(
          pairs_.size(),
          [&](std::size_t i) {
            Pair& pair = pairs_[i];
            if (pair.round != round || !adjusts(pair)) return;
            JointShapeReport& report = result_.reports[pair.report];
            for (int rings = options_.post_rings; rings >= 1; --rings) {
              blend(pair.parent, rings), blend(pair.child, rings);
              report.rings = rings;
              if (!options_.fewer_rings) return;
              if (joint_bulge(pair.parent, pair.child, pair.used, options_.sliding) <= kPostShare * report.used.before)
                return;
            }
          },
          1);
    for (const ClosedPart& part : result_.parts) final_.push_back(distances_of(part));
  }

  /// The part's own samples, those beyond ends that are not adjusted, and those of adjusted closures.
  std::vector<SurfaceSample> samples_of(std::size_t p) const {
    const ImplicitPart* from = function_of(static_cast<Index>(p));
    const ClosedPart& part = result_.parts[p];
    std::vector<std::pair<Index, Vec3>> adjusted;  // Holes and joints.
    std::vector<Vec3> others;
    for (const Pair& pair : pairs_)
      for (const JointSide* side : {&pair.parent, &pair.child}) {
        if (side->part != &part) continue;
        if (adjusts(pair)) adjusted.emplace_back(side->hole, side->to_joint().joint);
        else others.push_back(side->to_joint().joint);
      }
    const std::size_t own = from->samples.size() - from->end_samples;
    std::vector<SurfaceSample> samples(from->samples.begin(), from->samples.begin() + static_cast<std::ptrdiff_t>(own));
    for (std::size_t s = own; s < from->samples.size(); ++s) {
      const Vec3& point = from->samples[s].point;
      double nearest = std::numeric_limits<double>::infinity(), other = nearest;
      for (const auto& [hole, joint] : adjusted) nearest = std::min(nearest, (joint - point).norm());
      for (const Vec3& joint : others) other = std::min(other, (joint - point).norm());
      if (!(nearest < other)) samples.push_back(from->samples[s]);
    }
    std::vector<Index> done;
    const int count = std::max(kLeastSamples, std::min(options_.closure_samples,
                                                       kMostSamples / std::max(1, static_cast<int>(adjusted.size()))));
    for (const auto& [hole, joint] : adjusted) {
      if (std::find(done.begin(), done.end(), hole) != done.end()) continue;
      done.push_back(hole);
      const std::vector<Index> triangles = closure_triangles(part, hole);
      const auto more =
          closed_samples(part, triangles, count, samples, options_.seed * 15485863 + from->joint * 31 + hole);
      samples.insert(samples.end(), more.begin(), more.end());
    }
    return samples;
  }

  /// Fits functions to the closures; a part without adjusted holes, or whose new function fails, has its old one.
  void fit_functions() {
    functions_.assign(result_.parts.size(), {});
    samples_.assign(result_.parts.size(), {});
    std::vector<char> changed(result_.parts.size(), 0);
    for (const Pair& pair : pairs_)
      if (adjusts(pair)) changed[number_of(pair.parent)] = changed[number_of(pair.child)] = 1;
    parallel_for(
        result_.parts.size(),
        [&](std::size_t p) {
          progress_.check();
          if (changed[p] == 0) return;
          samples_[p] = samples_of(p);
          functions_[p] = Hrbf::fit(samples_[p]);
          if (functions_[p].ok()) improve(p);
          if (!functions_[p].ok()) samples_[p].clear(), functions_[p] = {};
        },
        1);
  }

  /// Adds samples where the function is off, once.
  void improve(std::size_t p) {
    std::vector<SurfaceSample> more = samples_[p];
    for (const Pair& pair : pairs_)
      for (const JointSide* side : {&pair.parent, &pair.child}) {
        if (!adjusts(pair) || side->part != &result_.parts[p]) continue;
        const auto extra = samples_where_off(functions_[p], result_.parts[p], side->hole, more,
                                             kRefitTolerance * side->radius(), kWorstSamples);
        more.insert(more.end(), extra.begin(), extra.end());
      }
    if (more.size() == samples_[p].size()) return;
    Hrbf better = Hrbf::fit(more);
    if (better.ok()) functions_[p] = std::move(better), samples_[p] = std::move(more);
  }

  const Hrbf& new_function(const JointSide& side) const {
    const Hrbf& fitted = functions_[number_of(side)];
    return fitted.ok() ? fitted : *side.function;
  }

  /// Energies of the surfaces of the functions, with the closures put on them and back.
  void measure_refit() {
    parallel_for(
        pairs_.size(),
        [&](std::size_t i) {
          JointShapeReport& report = result_.reports[pairs_[i].report];
          report.refit_error = 0;
          for (const JointSide* side : {&pairs_[i].parent, &pairs_[i].child})
            if (adjusts(pairs_[i]))
              report.refit_error = std::max(report.refit_error,
                                            refit_error(new_function(*side), *side->part, side->hole) / report.radius);
        },
        1);
    parallel_for(
        result_.parts.size(),
        [&](std::size_t p) {
          const ImplicitPart* from = function_of(static_cast<Index>(p));
          if (from == nullptr || result_.parts[p].empty()) return;
          const Hrbf& function = functions_[p].ok() ? functions_[p] : from->function;
          for (ClosureVertex& vertex : result_.parts[p].closure)
            if (result_.parts[p].holes[vertex.hole].at_joint()) vertex.distance = surface_distance(function, vertex);
          result_.parts[p].place();
        },
        1);
    measure(&BulgeStages::refit);
    for (std::size_t p = 0; p < final_.size(); ++p) set_distances(result_.parts[p], final_[p]);
  }

  void refit() {
    for (int round = 0;; ++round) {
      fit_functions();
      measure_refit();
      bool worse = false;
      for (const Pair& pair : pairs_) {
        JointShapeReport& report = result_.reports[pair.report];
        if (!options_.keep_better || !adjusts(pair) || report.held_out.refit <= report.held_out.before) continue;
        report.fit = JointFit::kKept;
        report.reason = "the new shape would protrude more than the old one";
        worse = true;
        for (const JointSide* side : {&pair.parent, &pair.child}) {
          const std::size_t p = number_of(*side);
          for (std::size_t i = 0; i < final_[p].size(); ++i)
            if (side->part->closure[i].hole == side->hole && side->part->closure[i].bone == side->bone)
              final_[p][i] = default_[p][i];
          set_distances(*side->part, final_[p]);
        }
      }
      if (!worse) return;
    }
  }

  JointShapes finish() {
    for (std::size_t p = 0; p < samples_.size(); ++p)
      if (!samples_[p].empty())
        result_.samples[rig_.skeleton.joints[partition_.parts[p].joint].name] = std::move(samples_[p]);
    return std::move(result_);
  }

  const Rig& rig_;
  const std::map<Index, JointRange>& ranges_;
  const JointShapeOptions& options_;
  const Progress& progress_;
  const StageListener& stage_;
  SkinSurface surface_;
  Partition partition_;
  ImplicitBody body_;
  JointShapes result_;
  std::vector<Pair> pairs_;
  int rounds_ = 0;
  std::vector<std::vector<double>> default_, faired_, slid_, final_;
  std::vector<Hrbf> functions_;
  std::vector<std::vector<SurfaceSample>> samples_;
};

}  // namespace

std::vector<Mat3> rotations_of(const JointRange& range, int per_axis, bool held_out) {
  std::vector<Mat3> rotations;
  for (const RotationRange& axis : range.axes) {
    const double step = (axis.upper_rad - axis.lower_rad) / std::max(1, per_axis - 1);
    for (int i = 0; i < per_axis - (held_out ? 1 : 0); ++i)
      rotations.push_back(
          rotation_exp((axis.lower_rad + step * (i + (held_out ? 0.5 : 0.0))) * axis.axis).toRotationMatrix());
  }
  return rotations;
}

double joint_bulge(const JointSide& parent, const JointSide& child, std::span<const Mat3> rotations,
                   const SlidingOptions& options) {
  const double radius = std::max(parent.radius(), child.radius());
  const SlideTargets of_parent = slide_targets(parent, child, rotations, options);
  const SlideTargets of_child = slide_targets(child, parent, inverse_of(rotations), options);
  return (bulge_energy(*parent.part, of_parent, options.band) + bulge_energy(*child.part, of_child, options.band)) /
         radius;
}

JointShapes fit_joint_shapes(const Rig& rig, const std::map<Index, JointRange>& ranges,
                             const JointShapeOptions& options, std::span<const Index> owners, const Progress& progress,
                             const StageListener& stage) {
  return JointShaper(rig, ranges, options, progress, stage).run(owners);
}

}  // namespace sinew::deform
