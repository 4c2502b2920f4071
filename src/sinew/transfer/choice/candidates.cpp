// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/choice/candidates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "sinew/binding/binder.h"
#include "sinew/transfer/match/joint_map.h"
#include "sinew/transfer/match/pair_carriers.h"
#include "sinew/transfer/rays/guides.h"
#include "sinew/transfer/rows.h"
#include "sinew/transfer/surface/closest_point.h"
#include "sinew/transfer/surface/inpaint_transfer.h"
#include "sinew/transfer/warp/warp_transfer.h"

namespace sinew::transfer {
namespace {

/// The same pairs seen from the other side.
Correspondence reversed(const Correspondence& correspondence) {
  Correspondence result = correspondence;
  for (JointPair& pair : result.pairs) std::swap(pair.reference, pair.target);
  result.turn = correspondence.turn.transpose();
  return result;
}

// Rows on the target's joints of the pairs.
SkinWeights rows_on_target(const SkinWeights& of_pairs, const Correspondence& correspondence) {
  std::vector<Index> joint_of;
  for (const JointPair& pair : correspondence.pairs) joint_of.push_back(pair.target);
  return with_joints(of_pairs, joint_of);
}

// Rows of pairs, by the joints of the target. Joints that are in no pair do not occur.
SkinWeights rows_of_pairs(const SkinWeights& rows, const Skeleton& target, const Correspondence& correspondence) {
  std::vector<Index> pair_of(target.joints.size(), 0);
  for (Index p = 0; p < correspondence.pairs.size(); ++p) pair_of[correspondence.pairs[p].target] = p;
  return with_joints(rows, pair_of);
}

// Rows without helpers: the joints that they help get their weight.
SkinWeights without_helpers(const SkinWeights& rows, const Skeleton& skeleton) {
  const std::vector<char> helper = helper_joints(skeleton);
  std::vector<Index> joint_of(helper.size());
  for (Index j = 0; j < helper.size(); ++j)
    joint_of[j] = helper[j] != 0 && skeleton.joints[j].parent != kNone ? joint_of[skeleton.joints[j].parent] : j;
  return with_joints(rows, joint_of);
}

double mean_difference(const SkinWeights& a, const SkinWeights& b) {
  double sum = 0;
  Index count = 0;
  for (Index v = 0; v < b.row_count(); ++v)
    if (!b.row(v).empty()) sum += half_difference(a.row(v), b.row(v)), ++count;
  return count > 0 ? sum / count : 1;
}

SkinWeights bound_to_pairs(const TransferBody& body, const Correspondence& correspondence, bool reference,
                           const Progress& progress) {
  std::vector<char> bound(body.skeleton.joints.size(), 0);
  for (const JointPair& pair : correspondence.pairs) bound[reference ? pair.reference : pair.target] = 1;
  return binding::bind(MethodChoice(binding::binders(), "auto"), {body.mesh, body.skeleton, body.joints, bound}, {},
                       progress)
      .weights;
}

// Tries all candidates on one target.
class CandidateTrial {
 public:
  CandidateTrial(const TransferInput& input, const SkeletonAwareOptions& skeleton, const TransferOptions& common,
                 const Progress& progress)
      : input_(input),
        skeleton_(effective_options(skeleton)),
        common_(common),
        progress_(progress),
        pair_of_(pair_of_joints(input.reference.skeleton, input.correspondence)),
        truth_(with_joints(input.reference.weights, pair_of_)),
        back_(reversed(input.correspondence)) {}

  std::vector<TransferCandidate> run() {
    input_.begin("bind");
    add_bound();
    GuideCache unkept;
    GuideCache& cache = input_.cache == nullptr ? unkept : kept<GuideCache>("skeleton");
    input_.begin("guides");
    const Guides guides =
        cache.make(input_.reference, input_.target, input_.correspondence, {skeleton_.resolution}, progress_);
    const Guides turned{guides.target, guides.reference};
    input_.begin("rays");
    add("skeleton", [&](const Reference& from, const TransferBody& to, const Correspondence& pairs) {
      return transfer_by_skeleton(from, to, pairs, &pairs == &back_ ? turned : guides, skeleton_, common_, progress_);
    });
    input_.begin("weights");
    add("warp", [&](const Reference& from, const TransferBody& to, const Correspondence& pairs) {
      return transfer_by_warp(from, to, pairs, common_, progress_);
    });
    add("closest", [&](const Reference& from, const TransferBody& to, const Correspondence&) {
      return transfer_closest_point(from, to, common_, progress_);
    });
    add("inpaint", [&](const Reference& from, const TransferBody& to, const Correspondence&) {
      return transfer_inpaint(from, to, common_, progress_);
    });
    if (found_.empty()) throw Error("No method can transfer weights to the target.");
    return std::move(found_);
  }

 private:
  using Way = std::function<WeightTransfer(const Reference&, const TransferBody&, const Correspondence&)>;

  template <class T>
  T& kept(const char* key) {
    std::any& value = (*input_.cache)[key];
    if (!value.has_value()) value = T();
    return std::any_cast<T&>(value);
  }

  void add(const char* id, const Way& way) {
    progress_.check();
    try {
      TransferCandidate candidate{id, way(input_.reference, input_.target, input_.correspondence), 0};
      const Reference returning{input_.target,
                                rows_on_target(with_joints(candidate.made.weights, pair_of_), input_.correspondence)};
      const WeightTransfer returned = way(returning, input_.reference, back_);
      candidate.reference_error =
          mean_difference(rows_of_pairs(returned.weights, input_.target.skeleton, input_.correspondence), truth_);
      found_.push_back(std::move(candidate));
    } catch (const Error&) {
      // A method that finds nothing to match is no candidate.
    }
  }

  void add_bound() {
    progress_.check();
    try {
      TransferCandidate candidate{kBoundAnew, {}, 0};
      candidate.made.weights = input_.bind_target
                                   ? input_.bind_target(progress_)
                                   : bound_to_pairs(input_.target, input_.correspondence, false, progress_);
      candidate.made.level.assign(input_.target.mesh.positions.size(), Level::kMatched);
      if (input_.bind_reference) {
        const Skeleton& skeleton = input_.reference.skeleton;
        candidate.reference_error = mean_difference(without_helpers(reference_bound(), skeleton),
                                                    without_helpers(input_.reference.weights, skeleton));
      } else {
        candidate.reference_error = mean_difference(
            with_joints(bound_to_pairs(input_.reference, input_.correspondence, true, progress_), pair_of_), truth_);
      }
      found_.push_back(std::move(candidate));
    } catch (const Error&) {
      // As above.
    }
  }

  // Kept for the next target.
  SkinWeights reference_bound() {
    if (input_.cache == nullptr) return input_.bind_reference(progress_);
    SkinWeights& rows = kept<SkinWeights>(kBoundAnew);
    if (rows.empty()) rows = input_.bind_reference(progress_);
    return rows;
  }

  const TransferInput& input_;
  const SkeletonAwareOptions skeleton_;
  const TransferOptions& common_;
  const Progress& progress_;
  const std::vector<Index> pair_of_;  // Per joint of the reference.
  const SkinWeights truth_;           // Of the reference, of pairs.
  const Correspondence back_;
  std::vector<TransferCandidate> found_;
};

}  // namespace

std::vector<TransferCandidate> transfer_candidates(const TransferInput& input, const SkeletonAwareOptions& skeleton,
                                                   const TransferOptions& common, const Progress& progress) {
  return CandidateTrial(input, skeleton, common, progress).run();
}

double half_difference(std::span<const Influence> a, std::span<const Influence> b) {
  double sum = 0;
  for (const Influence& influence : a) {
    const auto same = std::find_if(b.begin(), b.end(), [&](const Influence& o) { return o.joint == influence.joint; });
    sum += std::abs(static_cast<double>(influence.weight) - (same != b.end() ? static_cast<double>(same->weight) : 0));
  }
  for (const Influence& influence : b)
    if (std::none_of(a.begin(), a.end(), [&](const Influence& o) { return o.joint == influence.joint; }))
      sum += static_cast<double>(influence.weight);
  return 0.5 * sum;
}

}  // namespace sinew::transfer
