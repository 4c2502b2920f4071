// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/curves/curve_template.h"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sinew::rigging {
namespace {

constexpr std::size_t kMostChains = 9;
constexpr double kRootWeight = 0.5, kTipWeight = 0.25, kLengthWeight = 0.5;
constexpr double kMissing = 1, kMissingOptional = 0.15, kSurplus = 0.3;
constexpr int kScaleRounds = 3;
constexpr double kTie = 0.02;  // Of the spread.

/// A limb as a line.
struct LimbLine {
  Vec3 root = Vec3::Zero(), tip = Vec3::Zero();
  double length = 0;
  bool required = true;
};

LimbLine line_of(const Template& t, const Template::Limb& limb) {
  LimbLine line;
  const auto at = [&](Index j) { return t.joints[j].position; };
  const bool stem = limb.kind == "stem";  // It runs towards the body.
  line.root = at(stem ? limb.joints.back() : limb.joints.front());
  const Vec3 last = at(limb.joints.back());
  if (limb.tip) line.tip = *limb.tip;
  else line.tip = last + limb.beyond * (last - at(limb.joints.front()));
  if (stem) {
    line.length = (line.tip - line.root).norm();
  } else {
    for (std::size_t i = 1; i < limb.joints.size(); ++i)
      line.length += (at(limb.joints[i]) - at(limb.joints[i - 1])).norm();
    line.length += (line.tip - last).norm();
  }
  line.required = limb.kind != "ear" && limb.kind != "tail" && !stem;
  return line;
}

LimbLine line_of(const CurveChain& chain) {
  return {chain.nodes.front().position, chain.tip, chain.length() + (chain.tip - chain.nodes.back().position).norm(),
          true};
}

/// Root mean square distance of roots and tips from their mean.
double spread_of(std::span<const LimbLine> lines) {
  Vec3 mean = Vec3::Zero();
  for (const LimbLine& line : lines) mean += (line.root + line.tip) / (2.0 * static_cast<double>(lines.size()));
  double sum = 0;
  for (const LimbLine& line : lines) sum += (line.root - mean).squaredNorm() + (line.tip - mean).squaredNorm();
  return lines.empty() ? 0 : std::sqrt(sum / (2.0 * static_cast<double>(lines.size())));
}

/// The search for the cheapest assignment of chains to the limbs of a template.
class LimbAssignment {
 public:
  LimbAssignment(std::span<const LimbLine> limbs, std::span<const LimbLine> chains, double limb_unit, double chain_unit,
                 double bound)
      : limbs_(limbs), chains_(chains), limb_unit_(limb_unit), chain_unit_(chain_unit), best_(bound) {
    order_.resize(limbs.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return limbs[a].length > limbs[b].length; });
    pair_share_ = 2 / static_cast<double>(std::max<std::size_t>(1, limbs.size() - 1));
    now_.assign(limbs.size(), kNone);
  }

  /// Whether it found one below the bound.
  bool run() {
    extend(0, 0);
    return !found_.empty();
  }
  double cost() const { return best_; }
  const std::vector<Index>& chains() const { return found_; }

 private:
  double apart(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) const {
    return std::min(1.0, std::abs((a - b).norm() / limb_unit_ - (c - d).norm() / chain_unit_));
  }

  double pair_cost(const LimbLine& a, const LimbLine& b, const LimbLine& c, const LimbLine& d) const {
    return kRootWeight * apart(a.root, b.root, c.root, d.root) +
           kTipWeight * (apart(a.root, b.tip, c.root, d.tip) + apart(a.tip, b.root, c.tip, d.root) +
                         apart(a.tip, b.tip, c.tip, d.tip));
  }

  double cost_of(std::size_t step, Index chain) const {
    const LimbLine &limb = limbs_[order_[step]], &line = chains_[chain];
    double cost = kLengthWeight * std::abs(std::log(line.length / chain_unit_ / (limb.length / limb_unit_)));
    for (std::size_t k = 0; k < step; ++k)
      if (const Index other = now_[order_[k]]; other != kNone)
        cost += pair_share_ * pair_cost(limb, limbs_[order_[k]], line, chains_[other]);
    return cost;
  }

  void extend(std::size_t step, double cost) {
    if (step == limbs_.size()) {
      cost += kSurplus * static_cast<double>(chains_.size() - used_count_);
      if (cost < best_) best_ = cost, found_ = now_;
      return;
    }
    if (cost >= best_) return;
    std::array<std::pair<double, Index>, kMostChains> options;
    std::size_t count = 0;
    for (Index c = 0; c < chains_.size(); ++c)
      if (!used_[c]) options[count++] = {cost_of(step, c), c};
    std::sort(options.begin(), options.begin() + static_cast<std::ptrdiff_t>(count));
    const std::size_t limb = order_[step];
    for (std::size_t k = 0; k < count; ++k) {
      now_[limb] = options[k].second, used_[options[k].second] = true, ++used_count_;
      extend(step + 1, cost + options[k].first);
      now_[limb] = kNone, used_[options[k].second] = false, --used_count_;
    }
    extend(step + 1, cost + (limbs_[limb].required ? kMissing : kMissingOptional));
  }

  std::span<const LimbLine> limbs_, chains_;
  double limb_unit_, chain_unit_, best_, pair_share_ = 1;
  std::vector<std::size_t> order_;  // Long limbs first: they differ most.
  std::vector<Index> now_, found_;
  std::array<bool, kMostChains> used_ = {};
  std::size_t used_count_ = 0;
};

/// The rotation and scale from the template to the body, and how far roots and tips are off on average.
struct BodyFit {
  Mat3 turn = Mat3::Identity();
  double scale = 1;
  double off = 0;
};

BodyFit fit_body(std::span<const LimbLine> limbs, std::span<const LimbLine> chains, const std::vector<Index>& of) {
  std::vector<std::pair<Vec3, Vec3>> points;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    if (of[i] == kNone) continue;
    points.emplace_back(limbs[i].root, chains[of[i]].root);
    points.emplace_back(limbs[i].tip, chains[of[i]].tip);
  }
  BodyFit fit;
  if (points.empty()) return fit;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  for (const auto& [p, q] : points)
    from += p / static_cast<double>(points.size()), to += q / static_cast<double>(points.size());
  Mat3 covariance = Mat3::Zero();
  double from_size = 0;
  for (const auto& [p, q] : points) {
    covariance += (q - to) * (p - from).transpose();
    from_size += (p - from).squaredNorm();
  }
  const Eigen::JacobiSVD<Mat3> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 signs(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1);
  fit.turn = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  fit.scale = from_size > 0 ? svd.singularValues().dot(signs) / from_size : 1;
  for (const auto& [p, q] : points)
    fit.off += (q - to - fit.scale * (fit.turn * (p - from))).norm() / static_cast<double>(points.size());
  return fit;
}

/// Per limb: the one on the other side; itself without one.
std::vector<std::size_t> partner_limbs(const Template& t) {
  std::vector<std::size_t> partners;
  for (std::size_t i = 0; i < t.limbs.size(); ++i) {
    const Index other = t.joints[t.limbs[i].joints.front()].partner;
    std::size_t partner = i;
    for (std::size_t k = 0; k < t.limbs.size(); ++k)
      if (other != kNone && t.limbs[k].joints.front() == other) partner = k;
    partners.push_back(partner);
  }
  return partners;
}

/// The chains with the limbs of some pairs exchanged, by bits.
std::vector<Index> exchanged(const std::vector<Index>& chains, const std::vector<std::size_t>& partners,
                             std::size_t bits) {
  std::vector<Index> result = chains;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    if (partners[i] <= i) continue;
    if ((bits >> pair++ & 1U) != 0) std::swap(result[i], result[partners[i]]);
  }
  return result;
}

/// Chooses left and right, and the axes of the body. Distances hardly tell which foreleg belongs to which hind leg, so
/// that each pair is tried both ways.
void choose_sides(const Template& t, std::span<const LimbLine> limbs, std::span<const LimbLine> chains,
                  CurveTemplateMatch& match) {
  const std::vector<std::size_t> partners = partner_limbs(t);
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < partners.size(); ++i) pairs += partners[i] > i ? 1 : 0;
  const std::size_t all = (std::size_t{1} << pairs) - 1;
  BodyFit own = fit_body(limbs, chains, match.chains);
  std::size_t best = 0;
  for (std::size_t bits = 1; bits <= all; ++bits)
    if (const BodyFit fit = fit_body(limbs, chains, exchanged(match.chains, partners, bits)); fit.off < own.off)
      own = fit, best = bits;
  const BodyFit other = fit_body(limbs, chains, exchanged(match.chains, partners, best ^ all));
  match.sides_tie = other.off - own.off < kTie * spread_of(chains);
  const bool swap = match.sides_tie && other.turn.trace() > own.turn.trace();
  match.turn = swap ? other.turn : own.turn;
  match.scale = swap ? other.scale : own.scale;
  match.chains = exchanged(match.chains, partners, swap ? best ^ all : best);
}

/// The best assignment over some units of length: which chains belong to the body is not known before.
std::optional<CurveTemplateMatch> match_template(const Template& t, std::span<const LimbLine> chains, double bound) {
  std::vector<LimbLine> limbs, required;
  for (const Template::Limb& limb : t.limbs) limbs.push_back(line_of(t, limb));
  for (const LimbLine& line : limbs)
    if (line.required) required.push_back(line);
  if (required.size() < 2) return {};
  std::optional<CurveTemplateMatch> best;
  const double needed = static_cast<double>(required.size());
  for (const bool all : {false, true}) {
    const double limb_unit = spread_of(all ? limbs : required);
    double chain_unit = spread_of(chains);
    for (int round = 0; round < kScaleRounds && limb_unit > 0 && chain_unit > 0; ++round) {
      LimbAssignment assignment(limbs, chains, limb_unit, chain_unit, bound * needed);
      if (!assignment.run()) break;
      if (assignment.cost() < bound * needed) {
        bound = assignment.cost() / needed;
        best.emplace();
        best->cost = bound;
        best->chains = assignment.chains();
      }
      std::vector<LimbLine> own, others;
      for (std::size_t i = 0; i < limbs.size(); ++i)
        if (limbs[i].required && assignment.chains()[i] != kNone)
          own.push_back(limbs[i]), others.push_back(chains[assignment.chains()[i]]);
      if (own.size() < 2) break;
      chain_unit = limb_unit * spread_of(others) / std::max(spread_of(own), 1e-300);
    }
  }
  if (!best) return {};
  best->surplus = static_cast<Index>(chains.size());
  for (const Index c : best->chains) best->surplus -= c == kNone ? 0 : 1;
  choose_sides(t, limbs, chains, *best);
  return best;
}

}  // namespace

std::optional<CurveTemplateMatch> choose_template(const CurveSkeleton& skeleton, std::span<const Template> templates,
                                                  double most_cost) {
  std::vector<LimbLine> chains;
  for (const CurveChain& chain : skeleton.limbs) chains.push_back(line_of(chain));
  if (chains.empty() || chains.size() > kMostChains) return {};
  std::optional<CurveTemplateMatch> best;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const double bound = best ? best->cost : most_cost;
    std::optional<CurveTemplateMatch> match = match_template(templates[i], chains, bound);
    if (!match) continue;
    match->index = i;
    best = std::move(match);
  }
  return best;
}

}  // namespace sinew::rigging
