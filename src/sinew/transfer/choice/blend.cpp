// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/choice/blend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld_within.h"
#include "sinew/transfer/finish_rows.h"
#include "sinew/transfer/match/pair_carriers.h"
#include "sinew/transfer/rows.h"

namespace sinew::transfer {
namespace {

constexpr double kByReference = 0.3, kByBinding = 0.6, kByNeighbour = 0.2;
/// Rows of a coarse reference change so much from vertex to vertex that a finer target finds little between them.
constexpr double kByCoarseness = 0.5;
constexpr double kLeastError = 0.01;
constexpr double kErrorScale = 0.04;   // Of what is expected.
constexpr double kOutlierScale = 0.2;  // Of differences from the blend.
constexpr int kBlendRounds = 2, kFieldRounds = 2;
constexpr double kSharpness = 1.2;
constexpr double kDust = 1e-4;
constexpr double kDoubtPerDifference = 1.8, kDoubtPerError = 0.6;
constexpr double kDoubtful = 0.5;
constexpr double kSeam = 1e-6;  // Of the target's size: parts that meet get equal rows.

using Row = std::vector<Influence>;
using Rows = std::vector<Row>;  // Per welded vertex.

/// The joints that rows are blended on, and what the joints of both bodies are there.
struct JointSpace {
  bool of_target = false;
  std::vector<Index> from_reference, from_target;
  std::vector<Index> carrier;  // Per joint of the space: the joint that a helper helps, others themselves.
  std::vector<char> alone;     // Joints that only `bind` can give weight.
};

JointSpace joint_space(const TransferInput& input) {
  JointSpace space;
  const Skeleton &reference = input.reference.skeleton, &target = input.target.skeleton;
  const std::vector<JointPair>& pairs = input.correspondence.pairs;
  space.of_target = input.weight_to != nullptr;
  if (!space.of_target) {
    const std::vector<Index> pair_of = pair_of_joints(reference, input.correspondence);
    for (Index j = 0; j < reference.size(); ++j) {
      space.from_reference.push_back(j);
      space.carrier.push_back(pairs[pair_of[j]].reference);
    }
    space.from_target.assign(target.joints.size(), pairs.front().reference);
    for (const JointPair& pair : pairs) space.from_target[pair.target] = pair.reference;
    space.alone.assign(reference.joints.size(), 0);
    return space;
  }
  space.from_reference = *input.weight_to;
  std::vector<char> paired(target.joints.size(), 0), reached(target.joints.size(), 0);
  for (const JointPair& pair : pairs) paired[pair.target] = 1;
  for (const Index j : space.from_reference) reached[j] = 1;
  for (Index j = 0; j < target.size(); ++j) {
    space.from_target.push_back(j);
    // Joints that transfers reach without being pairs are helpers of the reference.
    const Index parent = target.joints[j].parent;
    space.carrier.push_back(reached[j] != 0 && paired[j] == 0 && parent != kNone ? space.carrier[parent] : j);
    space.alone.push_back(reached[j] == 0 ? 1 : 0);
  }
  return space;
}

Rows welded_rows(const SkinWeights& rows, const std::vector<Index>& joint_of, const geometry::Welding& welding) {
  const SkinWeights mapped = with_joints(rows, joint_of);
  Rows result;
  for (const Index v : welding.first) result.emplace_back(mapped.row(v).begin(), mapped.row(v).end());
  return result;
}

void add_to(Row& row, Index joint, double weight) {
  const auto at = std::find_if(row.begin(), row.end(), [&](const Influence& i) { return i.joint == joint; });
  if (at == row.end()) row.push_back({joint, static_cast<float>(weight)});
  else at->weight = static_cast<float>(static_cast<double>(at->weight) + weight);
}

// A bound row with the shares of helpers that another row has.
Row with_helpers(const Row& bound, const Row& other, const JointSpace& space) {
  Row result;
  for (const Influence& influence : bound) {
    double all = 0;
    for (const Influence& i : other)
      if (space.carrier[i.joint] == influence.joint) all += static_cast<double>(i.weight);
    const auto weight = static_cast<double>(influence.weight);
    if (!(all > 0)) add_to(result, influence.joint, weight);
    else
      for (const Influence& i : other)
        if (space.carrier[i.joint] == influence.joint)
          add_to(result, i.joint, weight * static_cast<double>(i.weight) / all);
  }
  return result;
}

// A transferred row with the shares of joints without a partner that a bound row has.
Row with_alone(const Row& row, const Row& bound, const JointSpace& space) {
  double alone = 0;
  for (const Influence& i : bound)
    if (space.alone[i.joint] != 0) alone += static_cast<double>(i.weight);
  if (!(alone > 0)) return row;
  Row result;
  for (const Influence& i : row) add_to(result, i.joint, (1 - alone) * static_cast<double>(i.weight));
  for (const Influence& i : bound)
    if (space.alone[i.joint] != 0) add_to(result, i.joint, static_cast<double>(i.weight));
  return result;
}

Row on_carriers(const Row& row, const JointSpace& space) {
  Row result;
  for (const Influence& i : row) add_to(result, space.carrier[i.joint], static_cast<double>(i.weight));
  return result;
}

// How much rows differ along edges, on average.
double mean_step(const SkinWeights& rows, const Mesh& mesh) {
  double sum = 0, count = 0;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto corners = mesh.face(f);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const auto a = rows.row(corners[k]), b = rows.row(corners[(k + 1) % corners.size()]);
      if (!a.empty() && !b.empty()) sum += half_difference(a, b), count += 1;
    }
  }
  return count > 0 ? sum / count : 0;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// One blend.
class CandidateBlend {
 public:
  CandidateBlend(const TransferInput& input, const std::vector<TransferCandidate>& candidates)
      : input_(input),
        candidates_(candidates),
        space_(joint_space(input)),
        welding_(geometry::weld_within(input.target.mesh, kSeam * input.target.mesh.size(), true)),
        rings_(geometry::one_rings(input.target.mesh, &welding_)) {
    for (const TransferCandidate& candidate : candidates)
      rows_.push_back(welded_rows(candidate.made.weights,
                                  candidate.id == kBoundAnew ? space_.from_target : space_.from_reference, welding_));
    complete_rows();
    for (const Rows& rows : rows_) {
      Rows& plain = plain_.emplace_back(rows.size());
      parallel_for(rows.size(), [&](std::size_t w) { plain[w] = on_carriers(rows[w], space_); });
    }
    expect_errors();
  }

  WeightTransfer run(const TransferOptions& common) {
    std::vector<std::vector<double>> shares(rows_.size(), std::vector<double>(welding_.count(), 0));
    for (std::size_t c = 0; c < rows_.size(); ++c)
      std::fill(shares[c].begin(), shares[c].end(), std::exp(-expected_[c] / kErrorScale));
    Rows blend = blended(shares, plain_);
    std::vector<std::vector<double>> apart(rows_.size());
    for (int round = 0; round <= kBlendRounds; ++round) {
      for (std::size_t c = 0; c < rows_.size(); ++c) apart[c] = smoothed(differences(plain_[c], blend));
      if (round == kBlendRounds) break;
      for (std::size_t c = 0; c < rows_.size(); ++c)
        for (std::size_t w = 0; w < shares[c].size(); ++w)
          shares[c][w] = std::exp(-expected_[c] / kErrorScale - apart[c][w] / kOutlierScale);
      blend = blended(shares, plain_);
    }
    return finished(shares, apart, common);
  }

 private:
  std::size_t find(const char* id) const {
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      if (candidates_[c].id == id) return c;
    return candidates_.size();
  }

  void complete_rows() {
    const std::size_t bound = find(kBoundAnew), skeleton = find("skeleton");
    if (bound == rows_.size()) return;
    const Rows original = rows_[bound];
    for (std::size_t c = 0; c < rows_.size(); ++c)
      parallel_for(original.size(), [&](std::size_t w) {
        if (c != bound) rows_[c][w] = with_alone(rows_[c][w], original[w], space_);
        else if (skeleton < rows_.size()) rows_[c][w] = with_helpers(original[w], rows_[skeleton][w], space_);
      });
  }

  std::vector<double> differences(const Rows& a, const Rows& b) const {
    std::vector<double> result(a.size(), 0);
    parallel_for(a.size(), [&](std::size_t w) { result[w] = half_difference(a[w], b[w]); });
    return result;
  }

  void expect_errors() {
    const std::size_t bound = find(kBoundAnew);
    // Both take the nearest points, so that it says nothing if they agree.
    const auto kin = [](const std::string& a, const std::string& b) {
      const auto near = [](const std::string& id) { return id == "closest" || id == "inpaint"; };
      return near(a) && near(b);
    };
    // What interpolation between the reference's vertices cannot know of a finer target.
    double coarseness = 0;
    if (bound < rows_.size())
      coarseness = std::max(0.0, mean_step(input_.reference.weights, input_.reference.mesh) -
                                     mean_step(candidates_[bound].made.weights, input_.target.mesh));
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      double error = candidates_[c].reference_error;
      if (c != bound) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t o = 0; o < rows_.size(); ++o)
          if (o != c && o != bound && !kin(candidates_[o].id, candidates_[c].id))
            nearest = std::min(nearest, mean_of(differences(plain_[c], plain_[o])));
        error = kByReference * error + kByCoarseness * coarseness;
        if (bound < rows_.size()) error += kByBinding * mean_of(differences(plain_[c], plain_[bound]));
        if (std::isfinite(nearest)) error += kByNeighbour * nearest;
      }
      expected_.push_back(std::max(error, kLeastError));
    }
  }

  Rows blended(std::vector<std::vector<double>>& shares, const std::vector<Rows>& rows) const {
    Rows result(welding_.count());
    parallel_for(result.size(), [&](std::size_t w) {
      double sum = 0;
      for (std::size_t c = 0; c < rows.size(); ++c) sum += rows[c][w].empty() ? 0 : shares[c][w];
      for (std::size_t c = 0; c < rows.size(); ++c) {
        shares[c][w] = sum > 0 && !rows[c][w].empty() ? shares[c][w] / sum : 0;
        for (const Influence& i : rows[c][w])
          if (shares[c][w] > 0) add_to(result[w], i.joint, shares[c][w] * static_cast<double>(i.weight));
      }
    });
    return result;
  }

  std::vector<double> smoothed(std::vector<double> field) const {
    std::vector<double> next(field.size());
    for (int round = 0; round < kFieldRounds; ++round) {
      parallel_for(field.size(), [&](std::size_t w) {
        double sum = 0;
        for (const Index other : rings_[w]) sum += field[other];
        next[w] = rings_[w].empty() ? field[w] : 0.5 * field[w] + 0.5 * sum / static_cast<double>(rings_[w].size());
      });
      std::swap(field, next);
    }
    return field;
  }

  double confidence(const std::vector<std::vector<double>>& shares, const std::vector<std::vector<double>>& apart,
                    std::size_t w) const {
    double error = 0, difference = 0;
    int judges = 0;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      error += shares[c][w] * expected_[c];
      const std::string& id = candidates_[c].id;
      if (id != kBoundAnew && id != "skeleton" && id != "warp") continue;
      difference += apart[c][w];
      ++judges;
    }
    if (judges > 0) difference /= judges;
    return std::clamp(1 - kDoubtPerDifference * difference - kDoubtPerError * error, 0.0, 1.0);
  }

  WeightTransfer finished(std::vector<std::vector<double>>& shares, const std::vector<std::vector<double>>& apart,
                          const TransferOptions& common) {
    Rows blend = blended(shares, rows_);
    SkinWeights welded;
    for (Row& row : blend) {
      double sum = 0;
      for (Influence& i : row) {
        i.weight = static_cast<float>(std::pow(static_cast<double>(i.weight), kSharpness));
        sum += static_cast<double>(i.weight);
      }
      std::erase_if(row, [&](const Influence& i) { return static_cast<double>(i.weight) < kDust * sum; });
      sum = 0;
      for (const Influence& i : row) sum += static_cast<double>(i.weight);
      for (Influence& i : row) i.weight = static_cast<float>(static_cast<double>(i.weight) / sum);
      welded.add_row(row);
    }
    WeightTransfer result;
    double trust = 0;
    for (const Index w : welding_.welded) {
      std::size_t most = 0;
      for (std::size_t c = 1; c < rows_.size(); ++c)
        if (shares[c][w] > shares[most][w]) most = c;
      result.level.push_back(candidates_[most].made.level[welding_.first[w]]);
      result.confidence.push_back(static_cast<float>(confidence(shares, apart, w)));
      trust += static_cast<double>(result.confidence.back());
    }
    finish_rows(result, welded, input_.target.mesh, welding_, common);
    if (space_.of_target) {
      result.target_rows = std::move(result.weights);
      result.weights = with_joints(result.target_rows, reference_joints());
    }
    describe(result, shares);
    if (!result.confidence.empty() && trust < kDoubtful * static_cast<double>(result.confidence.size()))
      result.warnings.push_back(
          {"transfer.disagreement", "",
           "The methods that were tried disagree on most of the target, so its weights are doubtful. Check the joint "
           "map, or use the method that suits the characters."});
    return result;
  }

  // Per joint of the target: the joint of the reference that it has weight from, else that of the joint above.
  std::vector<Index> reference_joints() const {
    std::vector<Index> result(input_.target.skeleton.joints.size(), kNone);
    for (Index j = static_cast<Index>(space_.from_reference.size()); j-- > 0;) result[space_.from_reference[j]] = j;
    for (const JointPair& pair : input_.correspondence.pairs) result[pair.target] = pair.reference;
    for (Index j = 0; j < result.size(); ++j)
      if (const Index parent = input_.target.skeleton.joints[j].parent; result[j] == kNone)
        result[j] = parent != kNone ? result[parent] : input_.correspondence.pairs.front().reference;
    return result;
  }

  void describe(WeightTransfer& result, const std::vector<std::vector<double>>& shares) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      const WeightTransfer& made = candidates_[c].made;
      result.rays += made.rays;
      result.vertex_bones += made.vertex_bones;
      order.emplace_back(-mean_of(shares[c]), c);
      result.metrics["candidates"][candidates_[c].id] = {{"share", mean_of(shares[c])},
                                                         {"expected_error", expected_[c]},
                                                         {"reference_error", candidates_[c].reference_error}};
    }
    std::sort(order.begin(), order.end());
    for (const auto& [share, c] : order)
      if (-share >= 0.005)
        result.choice +=
            fmt::format("{}'{}' ({:.0f} %)", result.choice.empty() ? "" : ", ", candidates_[c].id, -100 * share);
  }

  const TransferInput& input_;
  const std::vector<TransferCandidate>& candidates_;
  const JointSpace space_;
  const geometry::Welding welding_;
  const geometry::Lists rings_;
  std::vector<Rows> rows_, plain_;  // Per candidate: rows of the space, and the same without helpers.
  std::vector<double> expected_;
};

}  // namespace

WeightTransfer blend_candidates(const TransferInput& input, const std::vector<TransferCandidate>& candidates,
                                const TransferOptions& common, const Progress& progress) {
  progress.step("blending");
  return CandidateBlend(input, candidates).run(common);
}

}  // namespace sinew::transfer
