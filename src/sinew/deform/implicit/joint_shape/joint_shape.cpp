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
constexpr int kMostJudged = 4;
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
              const Progress& progress, const StageListener& stage, const JointJudge& judge)
      : rig_(rig), ranges_(ranges), options_(options), progress_(progress), stage_(stage), judge_(judge) {}

  JointShapes run(std::span<const Index> owners) {
    begin("functions", 0);
    surface_ = make_skin_surface(rig_);
    if (!owners.empty())
      for (Index v = 0; v < surface_.size(); ++v) owners_.push_back(owners[surface_.copies[v].front()]);
    partition_ = make_partition(surface_, rig_.skeleton, options_.body.threshold, owners_);
    body_ = make_implicit_body(rig_, options_.body, owners, {}, progress_);
    close_parts();
    find_joints();
    begin("fairing", 0.4);
    measure_before();
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

  /// Where a part is cut farther out than its function has samples: more of them, and a function with them.
  struct PartSkin {
    std::vector<SurfaceSample> samples;
    Hrbf function;
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
    const PartCutter cutter(surface_, partition_, bones, body_.bind, owners_);
    result_.parts.resize(partition_.parts.size());
    skins_.resize(partition_.parts.size());
    for (const Partition::Part& part : partition_.parts) result_.joints.push_back(part.joint);
    begin("particles", 0.2);
    const std::vector<char> used = used_parts();
    const auto takes_part = [&](std::size_t p) {
      return used[p] != 0 && function_of(static_cast<Index>(p)) != nullptr;
    };
    parallel_for(
        result_.parts.size(),
        [&](std::size_t p) {
          progress_.check();
          if (!takes_part(p)) return;
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
        },
        1);
    const std::size_t most_spread = most_spread_of_part();
    parallel_for(
        result_.parts.size(),
        [&](std::size_t p) {
          progress_.check();
          if (!takes_part(p)) return;
          skins_[p] = skin_of(p, *function_of(static_cast<Index>(p)));
          close_holes(result_.parts[p], closing_function(p), options_.particles,
                      options_.seed * 7919 + partition_.parts[p].joint, most_spread);
        },
        1);
    for (std::size_t p = 0; p < result_.parts.size(); ++p) {
      default_.push_back(distances_of(result_.parts[p]));
      if (skins_[p].function.ok()) default_.back() = on_surface(p, function_of(static_cast<Index>(p))->function);
    }
  }

  /// All, or an equal number in each part if together there are too many.
  std::size_t most_spread_of_part() const {
    std::size_t holes = 0, parts = 0;
    for (const ClosedPart& part : result_.parts) {
      const auto here =
          std::count_if(part.holes.begin(), part.holes.end(), [](const PartHole& hole) { return hole.at_joint(); });
      holes += static_cast<std::size_t>(here);
      parts += here > 0 ? 1 : 0;
    }
    return holes <= kMostSpreadHoles ? holes : std::max<std::size_t>(1, kMostSpreadHoles / parts);
  }

  PartSkin skin_of(std::size_t p, const ImplicitPart& from) const {
    PartSkin skin;
    std::vector<char> sampled(surface_.size(), 0);
    for (const Index v : partition_.parts[p].vertices) sampled[v] = 1;
    skin.samples = skin_samples(result_.parts[p], sampled, from.samples, options_.seed * 6700417 + from.joint);
    if (skin.samples.empty()) return skin;
    std::vector<SurfaceSample> all = from.samples;
    all.insert(all.end(), skin.samples.begin(), skin.samples.end());
    skin.function = Hrbf::fit(all);
    if (!skin.function.ok()) skin = {};
    return skin;
  }

  /// The function that a part is closed by.
  const Hrbf& closing_function(std::size_t p) const {
    return skins_[p].function.ok() ? skins_[p].function : function_of(static_cast<Index>(p))->function;
  }

  /// Distances at which a function has its surface, for the vertices of closures at joints.
  std::vector<double> on_surface(std::size_t p, const Hrbf& function) const {
    std::vector<double> distances;
    for (const ClosureVertex& vertex : result_.parts[p].closure)
      distances.push_back(result_.parts[p].holes[vertex.hole].at_joint() ? surface_distance(function, vertex)
                                                                         : vertex.distance);
    return distances;
  }

  /// The hole of a part at the joint with another one: the longest border of those. Otherwise why there is none.
  std::string side_of(Index part, Index partner, JointSide& side) {
    ClosedPart& closed = result_.parts[part];
    if (function_of(part) == nullptr) return "has no function";
    if (closed.empty()) return "is closed, or has too few vertices";
    std::string reason = "has no border there";
    double longest = 0;
    for (Index h = 0; h < closed.holes.size(); ++h)
      for (Index b = 0; b < closed.holes[h].bones.size(); ++b) {
        const PartHole& hole = closed.holes[h];
        if (hole.bones[b].partner != partner || !(hole.radius > longest)) continue;
        if (hole.loop.size() < kLeastBorder) reason = "has a border of fewer than five vertices there";
        else if (hole.fill == HoleFill::kOpen) reason = "could not be closed there: " + hole.reason;
        else longest = hole.radius, side = {&closed, &closing_function(part), h, b};
      }
    return longest > 0 ? "" : reason;
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
      else if (std::string why = side_of(above, p, pair.parent); !why.empty()) report.reason = "the part above " + why;
      else if (why = side_of(p, above, pair.child); !why.empty()) report.reason = "the part " + why;
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

  /// Of the functions that frames use, which closures are not on where parts were cut farther out.
  void measure_before() {
    std::vector<std::vector<double>> closed;
    for (std::size_t p = 0; p < result_.parts.size(); ++p) {
      closed.push_back(distances_of(result_.parts[p]));
      set_distances(result_.parts[p], default_[p]);
    }
    measure(&BulgeStages::before);
    for (std::size_t p = 0; p < result_.parts.size(); ++p) set_distances(result_.parts[p], closed[p]);
  }

  /// Of a joint that need not be adjusted, at most.
  double least_energy(const Pair& pair) const {
    const double vertices = static_cast<double>(vertices_of(pair.parent) + vertices_of(pair.child));
    return options_.least_bulge * std::max(1.0, vertices * static_cast<double>(pair.used.size()));
  }

  /// Which joints to adjust.
  void decide() {
    for (const Pair& pair : pairs_) {
      JointShapeReport& report = result_.reports[pair.report];
      const bool needed = !options_.joints.empty() || report.used.before > least_energy(pair);
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

  /// The part's own samples, those of its closures at joints, adjusted or not, and those beyond other ends.
  std::vector<SurfaceSample> samples_of(std::size_t p) const {
    const ImplicitPart* from = function_of(static_cast<Index>(p));
    const ClosedPart& part = result_.parts[p];
    std::vector<Index> holes, closed;  // Holes, and joints at them.
    for (const Pair& pair : pairs_)
      for (const JointSide* side : {&pair.parent, &pair.child}) {
        if (side->part != &part) continue;
        closed.push_back(result_.reports[pair.report].joint);
        if (std::find(holes.begin(), holes.end(), side->hole) == holes.end()) holes.push_back(side->hole);
      }
    const std::size_t own = from->samples.size() - from->end_samples;
    std::vector<SurfaceSample> samples(from->samples.begin(), from->samples.begin() + static_cast<std::ptrdiff_t>(own));
    for (std::size_t s = own; s < from->samples.size(); ++s)
      if (std::find(closed.begin(), closed.end(), nearest_joint(p, from->samples[s].point)) == closed.end())
        samples.push_back(from->samples[s]);
    samples.insert(samples.end(), skins_[p].samples.begin(), skins_[p].samples.end());
    const int count = std::max(
        kLeastSamples, std::min(options_.closure_samples, kMostSamples / std::max(1, static_cast<int>(holes.size()))));
    for (const Index hole : holes) {
      const auto more = closed_samples(part, closure_triangles(part, hole), count, samples,
                                       options_.seed * 15485863 + from->joint * 31 + hole);
      samples.insert(samples.end(), more.begin(), more.end());
    }
    return samples;
  }

  /// Of the joints at both ends of a part, the one nearest to a point.
  Index nearest_joint(std::size_t p, const Vec3& point) const {
    Index best = kNone;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t q = 0; q < partition_.parts.size(); ++q) {
      if (q != p && partition_.parts[q].parent != p) continue;
      const Vec3 at = body_.bind[partition_.parts[q].joint].topRightCorner<3, 1>();
      if (const double distance = (at - point).norm(); distance < least)
        least = distance, best = partition_.parts[q].joint;
    }
    return best;
  }

  /// Fits functions to the closures of parts that changed; one with nothing adjusted, or whose new function fails,
  /// has its old one.
  void fit_functions(const std::vector<char>& changed) {
    functions_.resize(result_.parts.size());
    samples_.resize(result_.parts.size());
    std::vector<char> adjusted(result_.parts.size(), 0);
    for (const Pair& pair : pairs_)
      if (adjusts(pair)) adjusted[number_of(pair.parent)] = adjusted[number_of(pair.child)] = 1;
    parallel_for(
        result_.parts.size(),
        [&](std::size_t p) {
          progress_.check();
          if (changed[p] == 0) return;
          samples_[p].clear(), functions_[p] = {};
          if (adjusted[p] == 0) return;
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
        if (side->part != &result_.parts[p]) continue;
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
    return fitted.ok() ? fitted : function_of(static_cast<Index>(number_of(side)))->function;
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
          set_distances(result_.parts[p], on_surface(p, function));
        },
        1);
    measure(&BulgeStages::refit);
    for (std::size_t p = 0; p < final_.size(); ++p) set_distances(result_.parts[p], final_[p]);
  }

  /// The shape of a joint as it was before.
  void restore(const Pair& pair) {
    for (const JointSide* side : {&pair.parent, &pair.child}) {
      const std::size_t p = number_of(*side);
      for (std::size_t i = 0; i < final_[p].size(); ++i)
        if (side->part->closure[i].hole == side->hole && side->part->closure[i].bone == side->bone)
          final_[p][i] = default_[p][i];
      set_distances(*side->part, final_[p]);
    }
  }

  void keep_old(const Pair& pair, std::string reason, std::vector<char>& changed) {
    JointShapeReport& report = result_.reports[pair.report];
    report.fit = JointFit::kKept;
    report.reason = std::move(reason);
    restore(pair);
    changed[number_of(pair.parent)] = changed[number_of(pair.child)] = 1;
  }

  /// Joints that protrude more than before get their old shape. Where that is not enough, because a function changes
  /// as a whole, or where a joint that was good is not any more, all joints of its two parts do.
  bool keep_where_worse(std::vector<char>& changed) {
    bool worse = false;
    for (const Pair& pair : pairs_) {
      const JointShapeReport& report = result_.reports[pair.report];
      const bool own = adjusts(pair);
      if (report.held_out.refit <= report.held_out.before + (own ? 0.0 : least_energy(pair))) continue;
      if (own) keep_old(pair, "the new shape would protrude more than the old one", changed), worse = true;
      else
        for (const Pair& other : pairs_) {
          const bool beside = other.parent.part == pair.parent.part || other.parent.part == pair.child.part ||
                              other.child.part == pair.parent.part || other.child.part == pair.child.part;
          if (!beside || !adjusts(other)) continue;
          keep_old(other, "the joint beside it would protrude more than before", changed);
          worse = true;
        }
    }
    return worse;
  }

  void refit() {
    for (const Pair& pair : pairs_)
      if (!adjusts(pair)) restore(pair);
    std::vector<char> changed(result_.parts.size(), 1);
    do {
      fit_functions(changed);
      measure_refit();
      changed.assign(changed.size(), 0);
    } while ((options_.keep_better && keep_where_worse(changed)) || keep_where_judged(changed));
  }

  /// Joints whose skin is worse than before get their old shape.
  bool keep_where_judged(std::vector<char>& changed) {
    if (!judge_ || judged_ == kMostJudged) return false;
    ++judged_;
    take_samples();
    bool worse = false;
    for (JointVerdict& verdict : judge_(result_))
      for (const Pair& pair : pairs_) {
        if (result_.reports[pair.report].joint != verdict.joint || !adjusts(pair)) continue;
        keep_old(pair, std::move(verdict.reason), changed);
        worse = true;
        break;
      }
    return worse;
  }

  void take_samples() {
    result_.samples.clear(), result_.functions.clear();
    for (std::size_t p = 0; p < samples_.size(); ++p) {
      if (samples_[p].empty()) continue;
      const std::string& name = rig_.skeleton.joints[partition_.parts[p].joint].name;
      result_.samples[name] = samples_[p], result_.functions[name] = functions_[p];
    }
  }

  JointShapes finish() {
    take_samples();
    return std::move(result_);
  }

  const Rig& rig_;
  const std::map<Index, JointRange>& ranges_;
  const JointShapeOptions& options_;
  const Progress& progress_;
  const StageListener& stage_;
  const JointJudge& judge_;
  int judged_ = 0;
  SkinSurface surface_;
  std::vector<Index> owners_;  ///< By vertex of the surface.
  Partition partition_;
  ImplicitBody body_;
  std::vector<PartSkin> skins_;
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
                             const StageListener& stage, const JointJudge& judge) {
  return JointShaper(rig, ranges, options, progress, stage, judge).run(owners);
}

}  // namespace sinew::deform
