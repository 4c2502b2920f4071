// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/helpers_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/core/character.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/deformer.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/measure/joint_sections.h"
#include "sinew/measure/shape.h"
#include "sinew/motion/resolve.h"

namespace sinew::pipeline {
namespace {

// Where a helper harms, its strength decreases by this factor in every round, and less and less within this distance,
// relative to the size.
constexpr double kEase = 0.5;
constexpr double kEaseReach_rel = 0.06;
// After so many rounds of this, the whole helper decreases.
constexpr int kLocalRounds = 8;
constexpr int kWholeRounds = 4;
constexpr double kEaseWhole = 0.6;
// By this the growth of a bend joint decreases in a round.
constexpr double kGrowthStep = 0.25;
// Strengths below the first are 0; of a helper whose mean strength is below the second, too little is left.
constexpr double kLeastStrength = 0.02;
constexpr double kLeastMean = 0.25;
// Of a joint's thin section, what lies within this many radii of its middle is eased.
constexpr double kAroundSection = 1.5;
constexpr Index kPlanes = 12;
// Shapes nearer to each other than this share of the size are the same.
constexpr double kSame = 1e-6;

/// One rotation of a source.
struct Trial {
  Vec3 axis;
  double angle_rad;
  bool twist;

  std::string text() const {
    return fmt::format("a {} by {:.0f}°", twist ? "twist" : "bend", degrees(std::abs(angle_rad)));
  }
};

/// A region in one trial.
struct TrialState {
  SurfaceState surface;
  double curves = 1;  ///< The thinnest curve around bones with twist joints.
  std::vector<measure::JointSection> sections;
};

std::vector<Trial> trials_of(const HelperSubject& subject) {
  std::vector<Trial> trials;
  std::vector<double> twists;
  for (const double degrees : {45.0, 90.0, 180.0})
    if (radians(degrees) <= subject.most_twist_rad + 1e-9) twists.push_back(radians(degrees));
  if (subject.most_twist_rad > 0 && (twists.empty() || twists.back() < subject.most_twist_rad - 1e-9))
    twists.push_back(subject.most_twist_rad);
  for (const Vec3& axis : subject.twist_axes)
    for (const double angle : twists)
      for (const double side : {1.0, -1.0}) trials.push_back({axis, side * (angle - kTwistShortOf_rad), true});
  for (const Vec3& axis : subject.bend_axes)
    for (const double degrees : {45.0, 90.0, 120.0})
      for (const double side : {1.0, -1.0})
        if (radians(degrees) <= subject.most_bend_rad + 1e-9) trials.push_back({axis, side * radians(degrees), false});
  return trials;
}

Pose posed(const Rig& before, const Skeleton& skeleton, Index source, const Trial& trial) {
  Pose pose = rest_pose(before);
  for (Index j = static_cast<Index>(pose.local.size()); j < skeleton.size(); ++j)
    pose.local.push_back(skeleton.joints[j].rest);
  pose.twist_rad.assign(skeleton.size(), 0);
  const Quat turn = rotation_exp(trial.angle_rad * trial.axis);
  pose.local[source].rotation = pose.local[source].rotation * turn;
  // The pose counts turns about the joint's own bone.
  const Vec3 bone = bone_axis(skeleton, source);
  const double expected = trial.twist ? (trial.axis.dot(bone) < 0 ? -trial.angle_rad : trial.angle_rad) : 0;
  const double bounded = twist_angle_rad(turn, bone);
  pose.twist_rad[source] = bounded + kTwoPi * std::round((expected - bounded) / kTwoPi);
  return pose;
}

/// A rig ready to be posed.
class PosedRig {
 public:
  PosedRig(const Rig& before, const Rig& rig)
      : before_(before), skeleton_(rig.skeleton), drivers_(rig.skeleton), deformer_(deform::bind("lbs", rig)) {}

  measure::Shape shape(Index source, const Trial& trial) const {
    measure::Shape result;
    const ModelPose model = motion::resolve(skeleton_, posed(before_, skeleton_, source, trial), drivers_);
    const auto state = deformer_->make_state();
    std::vector<Vec3f> positions(before_.mesh.positions.size());
    deformer_->deform(*state, {model}, {positions, {}, nullptr});
    result.positions.reserve(positions.size());
    for (const Vec3f& p : positions) result.positions.push_back(p.cast<double>());
    result.joints = model.joints;
    result.joints.resize(before_.skeleton.size());
    return result;
  }

 private:
  const Rig& before_;
  Skeleton skeleton_;
  motion::Drivers drivers_;
  std::unique_ptr<deform::Deformer> deformer_;
};

bool has_any(std::span<const Influence> row, const std::vector<char>& joints) {
  return std::any_of(row.begin(), row.end(), [&](const Influence& i) {
    return i.weight > 0 && i.joint < joints.size() && joints[i.joint] != 0;
  });
}

double radius_of(const measure::JointSection& section) { return std::sqrt(section.rest_area / kPi); }

/// What a round finds: the worst harm, and where it is.
struct Verdict {
  std::optional<HelperHarm> harm;
  std::vector<char> marked;  ///< Per vertex of the region.
};

// Which of two harms is reported: sections come before stretch, stretch before folds and intersections.
bool exceeds(const HelperHarm& a, const HelperHarm& b) {
  if (a.figure != b.figure) return a.figure < b.figure;
  switch (a.figure) {
    case SurfaceFigure::kThinnest:
      return a.before.thinnest - a.after.thinnest > b.before.thinnest - b.after.thinnest;
    case SurfaceFigure::kStretch:
      return a.after.stretch / a.before.stretch > b.after.stretch / b.before.stretch;
    case SurfaceFigure::kFolded:
      return a.after.folded - a.before.folded > b.after.folded - b.before.folded;
    default:
      return a.after.cuts - a.before.cuts > b.after.cuts - b.before.cuts;
  }
}

void merge(Verdict& into, Verdict&& from) {
  if (!from.harm) return;
  if (!into.harm || exceeds(*from.harm, *into.harm)) into.harm = std::move(from.harm);
  if (into.marked.empty()) into.marked = std::move(from.marked);
  else
    for (std::size_t v = 0; v < into.marked.size(); ++v) into.marked[v] |= from.marked[v];
}

/// What is the same for every strength.
class Guard {
 public:
  Guard(const Rig& before, const std::vector<HelperSubject>& subjects, const Rig& full, const Progress& progress)
      : before_(before), subjects_(subjects), progress_(progress), base_(before, before) {
    welding_ = geometry::weld_positions(before.mesh, geometry::weld(before.mesh));
    const measure::Shape bound = measure::bound_shape(before);
    const measure::Limbs limbs = measure::limbs(before, bound);
    Rig bare = before;
    bare.mesh.positions = bound.positions;
    if (!limbs.owners.segments.empty()) sections_.emplace(bare, welding_, bound, limbs, kPlanes);
    size_ = before.mesh.size();
    for (const HelperSubject& subject : subjects) add_group(subject, full, bound.positions);
  }

  // What helpers of a rig do, for each subject that is wanted.
  std::vector<Verdict> judge(const Rig& with, const std::vector<char>& wanted) const {
    const PosedRig rig(before_, with);
    struct Job {
      std::size_t subject, trial;
    };
    std::vector<Job> jobs;
    for (std::size_t s = 0; s < subjects_.size(); ++s)
      if (wanted[s] != 0)
        for (std::size_t t = 0; t < groups_[s].trials.size(); ++t) jobs.push_back({s, t});
    std::vector<Verdict> found(jobs.size());
    parallel_for(
        jobs.size(),
        [&](std::size_t i) {
          progress_.check();
          found[i] = compare(groups_[jobs[i].subject], jobs[i].trial, rig);
        },
        1);
    std::vector<Verdict> result(subjects_.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) merge(result[jobs[i].subject], std::move(found[i]));
    return result;
  }

  // Decreases strengths where the surface is worse.
  void ease(std::size_t subject, const std::vector<char>& marked, std::vector<float>& strengths) const {
    const Group& group = groups_[subject];
    std::vector<float> factor(before_.mesh.positions.size(), 1.0F);
    const std::vector<float> near = group.region.easing(marked, kEase, kEaseReach_rel * size_);
    for (std::size_t v = 0; v < near.size(); ++v) factor[group.region.vertices()[v]] = near[v];
    for (std::size_t v = 0; v < strengths.size(); ++v) {
      float& strength = strengths[v];
      strength *= factor[welding_.first[welding_.welded[v]]];
      if (strength < kLeastStrength) strength = 0;
    }
    const std::vector<Index>& rigid = subjects_[subject].rigid;
    std::map<Index, float> least;
    for (std::size_t v = 0; v < rigid.size(); ++v)
      if (rigid[v] != kNone)
        if (const auto [at, fresh] = least.try_emplace(rigid[v], strengths[v]); !fresh)
          at->second = std::min(at->second, strengths[v]);
    for (std::size_t v = 0; v < rigid.size(); ++v)
      if (rigid[v] != kNone) strengths[v] = least[rigid[v]];
  }

  double mean(std::size_t subject, const std::vector<float>& strengths) const {
    const std::vector<Index>& changed = groups_[subject].changed;
    double sum = 0;
    for (const Index v : changed) sum += static_cast<double>(strengths[v]);
    return changed.empty() ? 1 : sum / static_cast<double>(changed.size());
  }

 private:
  struct Group {
    Index source;
    std::vector<char> joints;  ///< Per joint: whether its sections count.
    std::vector<const TwistTrial*> curves;
    std::vector<Trial> trials;
    std::vector<Index> changed;  ///< Vertices whose weights change.
    SurfaceRegion region;
    std::vector<std::vector<Vec3>> shapes;  ///< Vertices of the region without helpers, per trial.
    std::vector<TrialState> states;         ///< The same.
  };

  void add_group(const HelperSubject& subject, const Rig& full, std::span<const Vec3> rest) {
    std::vector<char> joints(before_.skeleton.size(), 0);
    for (const Index j : subject.joints) joints[j] = 1;
    std::vector<char> vertices(before_.mesh.positions.size(), 0);
    std::vector<Index> changed;
    for (Index v = 0; v < before_.mesh.vertex_count(); ++v) {
      const auto was = before_.weights.row(v), now = full.weights.row(v);
      if (!has_any(was, joints) || std::equal(was.begin(), was.end(), now.begin(), now.end())) continue;
      vertices[v] = 1;
      changed.push_back(v);
    }
    Group group{subject.source,
                joints,
                {},
                trials_of(subject),
                std::move(changed),
                SurfaceRegion(before_.mesh, welding_, rest, vertices),
                {},
                {}};
    for (const HelperSubject& other : subjects_)
      if (other.trial != nullptr && other.source == subject.source) group.curves.push_back(other.trial);
    // Wide blends also show at joints farther along a chain.
    for (const Index v : group.changed)
      for (const Influence& influence : before_.weights.row(v)) group.joints[influence.joint] = 1;
    if (group.region.empty()) group.trials.clear();
    group.shapes.resize(group.trials.size());
    group.states.resize(group.trials.size());
    parallel_for(
        group.trials.size(),
        [&](std::size_t t) {
          const measure::Shape shape = base_.shape(group.source, group.trials[t]);
          for (const Index v : group.region.vertices()) group.shapes[t].push_back(shape.positions[v]);
          group.states[t] = measure(group, group.trials[t], shape);
          group.region.add_cuts(shape.positions, group.states[t].surface);
        },
        1);
    groups_.push_back(std::move(group));
  }

  TrialState measure(const Group& group, const Trial& trial, const measure::Shape& shape) const {
    TrialState state;
    state.surface = group.region.measure(shape.positions);
    if (sections_)
      for (const measure::JointSection& section : sections_->measure(shape)) {
        if (group.joints[section.joint] == 0) continue;
        state.sections.push_back(section);
        state.surface.figures.thinnest = std::min(state.surface.figures.thinnest, section.thinnest);
      }
    if (trial.twist)
      for (const TwistTrial* curve : group.curves)
        state.curves = std::min(state.curves, curve->thinnest(shape.positions));
    return state;
  }

  Verdict compare(const Group& group, std::size_t t, const PosedRig& rig) const {
    Verdict verdict;
    const Trial& trial = group.trials[t];
    const measure::Shape shape = rig.shape(group.source, trial);
    const std::vector<Index>& vertices = group.region.vertices();
    bool same = true;
    for (std::size_t v = 0; v < vertices.size() && same; ++v)
      same = (shape.positions[vertices[v]] - group.shapes[t][v]).squaredNorm() <= kSame * kSame * size_ * size_;
    if (same) return verdict;
    const TrialState& before = group.states[t];
    TrialState after = measure(group, trial, shape);
    group.region.add_cuts(shape.positions, after.surface);
    HelperHarm harm{trial.text(), false, SurfaceFigure::kNone, before.surface.figures, after.surface.figures};
    if (after.curves < before.curves - kSectionTolerance)
      harm.before.thinnest = before.curves, harm.after.thinnest = after.curves;
    const double gain = largest_gain(before, after);
    harm.figure = worse_figure(harm.before, harm.after, gain);
    if (harm.figure == SurfaceFigure::kNone) return verdict;
    verdict.harm = harm;
    verdict.marked.assign(vertices.size(), 0);
    const SurfaceAllowance allowance(harm.before, gain);
    group.region.mark_worse(before.surface, after.surface, allowance, shape.positions, verdict.marked);
    if (harm.figure == SurfaceFigure::kThinnest) mark_thin(group, before, after, shape, verdict.marked);
    return verdict;
  }

  // Of the thinnest section at a joint, or along the bones.
  static double largest_gain(const TrialState& before, const TrialState& after) {
    double gain = after.curves - before.curves;
    for (std::size_t i = 0; i < after.sections.size(); ++i)
      gain = std::max(gain, after.sections[i].thinnest - before.sections[i].thinnest);
    return gain;
  }

  static void mark_thin(const Group& group, const TrialState& before, const TrialState& after,
                        const measure::Shape& shape, std::vector<char>& marked) {
    const std::vector<Index>& vertices = group.region.vertices();
    if (after.curves < before.curves - kSectionTolerance) {
      std::vector<char> thin(shape.positions.size(), 0);
      for (const TwistTrial* curve : group.curves)
        curve->mark_thinner(shape.positions, before.curves - kSectionTolerance, thin);
      for (std::size_t v = 0; v < vertices.size(); ++v) marked[v] |= thin[vertices[v]];
    }
    for (const measure::JointSection& section : after.sections)
      if (section.thinnest < before.surface.figures.thinnest - kSectionTolerance)
        for (std::size_t v = 0; v < vertices.size(); ++v)
          if ((shape.positions[vertices[v]] - section.place).norm() < kAroundSection * radius_of(section))
            marked[v] = 1;
  }

  const Rig& before_;
  const std::vector<HelperSubject>& subjects_;
  const Progress& progress_;
  PosedRig base_;
  geometry::Welding welding_;
  double size_ = 1;
  std::optional<measure::JointSections> sections_;
  std::vector<Group> groups_;
};

// What a helper that does harm loses in a round.
void weaken(const Guard& guard, std::size_t subject, const HelperSubject& helper, const std::vector<char>& marked,
            int round, HelperStrength& strength) {
  if (helper.grows && strength.growth > 0) {
    strength.growth -= kGrowthStep;
    return;
  }
  guard.ease(subject, marked, strength.vertices);
  if (round >= kLocalRounds)
    for (float& value : strength.vertices) value *= static_cast<float>(kEaseWhole);
  strength.mean = guard.mean(subject, strength.vertices);
  if (strength.mean < kLeastMean || round + 1 >= kLocalRounds + kWholeRounds)
    strength.vertices.clear(), strength.mean = 0;
}

bool share_joints(const HelperSubject& a, const HelperSubject& b) {
  return std::any_of(a.joints.begin(), a.joints.end(),
                     [&](Index joint) { return std::find(b.joints.begin(), b.joints.end(), joint) != b.joints.end(); });
}

}  // namespace

std::vector<HelperStrength> harmless_strengths(const Rig& before, const std::vector<HelperSubject>& subjects,
                                               const BuildHelpers& build, const Progress& progress) {
  const std::size_t count = subjects.size();
  HelperStrength full;
  full.vertices.assign(before.mesh.positions.size(), 1.0F);
  std::vector<HelperStrength> result(count, full);
  const Guard guard(before, subjects, build(result), progress);
  // A helper is judged again when it or a neighbour has changed: limits of influences tie them to each other.
  std::vector<char> wanted(count, 1);
  std::vector<int> rounds(count, 0);
  while (std::any_of(wanted.begin(), wanted.end(), [](char c) { return c != 0; })) {
    const std::vector<Verdict> verdicts = guard.judge(build(result), wanted);
    std::vector<char> changed(count, 0);
    for (std::size_t s = 0; s < count; ++s) {
      if (!verdicts[s].harm) continue;
      for (std::size_t t = 0; t < count; ++t) {
        // If a helper that is left out looks worse, its neighbours have done it.
        if (t != s && (!result[s].vertices.empty() || !share_joints(subjects[s], subjects[t]))) continue;
        if (result[t].vertices.empty()) continue;
        if (!result[t].harm) result[t].harm = verdicts[s].harm;
        if (t == s) weaken(guard, t, subjects[t], verdicts[s].marked, rounds[t]++, result[t]);
        else result[t].vertices.clear(), result[t].mean = 0;
        changed[t] = 1;
      }
    }
    for (std::size_t s = 0; s < count; ++s)
      if (const Index other = subjects[s].partner;
          other != kNone && result[s].vertices.empty() && changed[s] != 0 && !result[other].vertices.empty()) {
        result[other].vertices.clear(), result[other].mean = 0;
        if (!result[other].harm) result[other].harm = result[s].harm, result[other].harm->on_other_side = true;
        changed[other] = 1;
      }
    for (std::size_t s = 0; s < count; ++s) {
      wanted[s] = changed[s];
      for (std::size_t t = 0; t < count; ++t)
        if (changed[t] != 0 && share_joints(subjects[s], subjects[t])) wanted[s] = 1;
    }
  }
  return result;
}

}  // namespace sinew::pipeline
