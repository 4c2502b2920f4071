// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace sinew::rigging {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr std::size_t kLeastHinted = 3;       ///< Spheres a hint leaves at least.
constexpr std::size_t kRunnerUpPops = 20000;  ///< Entries looked at for the runner-up, in all.
constexpr std::size_t kQuickBeam = 10;
constexpr std::size_t kBlamed = 8;        ///< Spheres per joint that are asked why nothing fits.
constexpr double kLeastDifference = 0.1;  ///< Joints nearer than this mean the same.

/// Per joint and sphere of its parent: what the joint may lie on and what that costs by itself; and the least of it
/// together with all that hangs on the joint. Filled when first asked.
class CostTables {
 public:
  struct Option {
    double cost = 0;
    Index sphere = kNone;
  };

  CostTables(const SphereGraph& graph, const ReducedTemplate& reduced, const Mat3& turn, const std::vector<Hint>& hints,
             const SearchOptions& options)
      : graph_(graph),
        reduced_(reduced),
        model_(graph, reduced, turn, options.weights, options.fat_candidates),
        worst_(std::min(options.worst, 1.0)),
        children_(reduced.joints.size()),
        rows_(reduced.joints.size() * std::max<std::size_t>(graph.spheres.size(), 1)),
        filled_(rows_.size(), 0),
        least_(rows_.size(), -1) {
    for (Index i = 0; i < reduced.joints.size(); ++i) {
      if (reduced.joints[i].parent != kNone) children_[reduced.joints[i].parent].push_back(i);
      const std::span<const Index> candidates = model_.candidates(i);
      candidates_.emplace_back(candidates.begin(), candidates.end());
    }
    for (const Hint& hint : hints) candidates_[hint.joint] = near_hint(hint, options.hint_reach);
  }

  const PenaltyModel& model() const { return model_; }
  double worst() const { return worst_; }

  /// By rising cost, then number. `u`: of the parent; 0 for the root.
  const std::vector<Option>& row(Index joint, Index u) {
    const std::size_t place = at(joint, u);
    if (!filled_[place]) {
      filled_[place] = 1;
      for (const Index v : candidates_[joint]) {
        const double cost = model_.fixed(joint, u, v, worst_);
        if (cost != PenaltyModel::kRejected) rows_[place].push_back({cost, v});
      }
      std::sort(rows_[place].begin(), rows_[place].end(), [](const Option& a, const Option& b) {
        return a.cost != b.cost ? a.cost < b.cost : a.sphere < b.sphere;
      });
    }
    return rows_[place];
  }

  bool allowed(Index joint, Index v) const { return joint != barred_joint_ || !barred_[v]; }

  /// From now on the joint may not lie where it means the same as in a match. kNone: anywhere.
  void bar(Index joint, const Match& match) {
    barred_joint_ = joint;
    std::fill(least_.begin(), least_.end(), -1);
    if (joint == kNone) return;
    const Index v = match[joint], u = match[reduced_.joints[joint].parent];
    barred_.assign(graph_.spheres.size(), 0);
    for (const Index w : graph_.path(u, v)) {
      if (graph_.way(u, w) >= 0.5F * graph_.way(u, v)) bar_around(graph_.spheres[w]);
    }
  }

  /// The least that the joint and all that hangs on it cost by themselves.
  double least(Index joint, Index u) {
    const std::size_t place = at(joint, u);
    if (least_[place] >= 0) return least_[place];
    double best = kEndless;
    for (const Option& option : row(joint, u)) {
      if (option.cost >= best) break;
      if (allowed(joint, option.sphere)) best = std::min(best, option.cost + below(joint, option.sphere));
    }
    return least_[place] = best;
  }

  /// The same of all that hangs on a joint on sphere v.
  double below(Index joint, Index v) {
    double sum = 0;
    for (const Index child : children_[joint]) sum += least(child, v);
    return sum;
  }

  /// Why a joint has no place, or none that is cheap enough: it itself, or a joint that hangs on it, whichever costs
  /// most where all together cost least. If nothing fits below it, the last joint that has no place over its cheapest
  /// spheres.
  Index blamed(Index joint, Index u) {
    double least_cost = kEndless;
    Option best;
    for (const Option& option : row(joint, u)) {
      if (option.cost >= least_cost) break;
      if (!allowed(joint, option.sphere)) continue;
      const double cost = option.cost + below(joint, option.sphere);
      if (cost < least_cost) least_cost = cost, best = option;
    }
    if (best.sphere == kNone) return last_without_place(joint, u);
    Index costliest = joint;
    double most = best.cost;
    for (const Index child : children_[joint]) {
      if (const double cost = least(child, best.sphere); cost > most) most = cost, costliest = child;
    }
    return costliest == joint ? joint : blamed(costliest, best.sphere);
  }

 private:
  std::size_t at(Index joint, Index u) const { return joint * graph_.spheres.size() + u; }

  void bar_around(const Sphere& place) {
    for (std::size_t v = 0; v < barred_.size(); ++v) {
      const Sphere& sphere = graph_.spheres[v];
      const double reach = std::max(sphere.radius + place.radius, kLeastDifference);
      if ((sphere.center - place.center).norm() <= reach) barred_[v] = 1;
    }
  }

  Index last_without_place(Index joint, Index u) {
    Index last = joint;
    std::size_t asked = 0;
    for (const Option& option : row(joint, u)) {
      if (!allowed(joint, option.sphere)) continue;
      if (++asked > kBlamed) break;
      for (const Index child : children_[joint]) {
        if (least(child, option.sphere) < kEndless) continue;
        last = std::max(last, last_without_place(child, option.sphere));
        break;
      }
    }
    return last;
  }

  std::vector<Index> near_hint(const Hint& hint, double reach) const {
    std::vector<std::pair<double, Index>> by_distance;
    for (const Index v : model_.body()) by_distance.emplace_back((graph_.spheres[v].center - hint.point).norm(), v);
    std::sort(by_distance.begin(), by_distance.end());
    std::vector<Index> result;
    for (const auto& [distance, v] : by_distance) {
      if (distance <= reach || result.size() < kLeastHinted) result.push_back(v);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  const SphereGraph& graph_;
  const ReducedTemplate& reduced_;
  PenaltyModel model_;
  double worst_;
  std::vector<std::vector<Index>> children_;
  std::vector<std::vector<Index>> candidates_;
  std::vector<std::vector<Option>> rows_;
  std::vector<std::uint8_t> filled_;
  std::vector<double> least_;  ///< −1 where not known.
  Index barred_joint_ = kNone;
  std::vector<std::uint8_t> barred_;  ///< Per sphere.
};

/// One best-first search.
class BestFirst {
 public:
  struct Limits {
    double worst = 1;
    std::size_t most_entries = 0, beam = 0;  ///< No beam: the search gives up instead.
    std::size_t most_pops = std::numeric_limits<std::size_t>::max();
  };

  BestFirst(CostTables& tables, const ReducedTemplate& reduced, const Limits& limits, const Progress& progress)
      : tables_(tables),
        reduced_(reduced),
        limits_(limits),
        progress_(progress),
        joints_(static_cast<Index>(reduced.joints.size())) {
    open_.resize(joints_ + 1);
    for (Index depth = 0; depth <= joints_; ++depth) {
      for (Index j = depth; j < joints_; ++j) {
        const Index parent = reduced.joints[j].parent;
        if (parent == kNone || parent < depth) open_[depth].push_back(j);
      }
    }
  }

  /// The cheapest match; empty if there is none below the limit.
  Match run() {
    begin();
    const Entry quick = follow_beam(kQuickBeam);
    const Match quick_match = quick.depth == joints_ ? match_of(quick.node) : Match{};
    // What costs more than a narrow beam found need not be queued. A little room for rounding.
    if (!quick_match.empty()) limits_.worst = std::min(limits_.worst, quick.priority + 1e-12);
    begin();
    while (!queue_.empty()) {
      const Entry entry = pop();
      if (entry.depth == joints_) return match_of(entry.node);
      if (++pops > limits_.most_pops) return {};
      if (pops % 256 == 1) progress_.check();
      if (Entry ready = entry; make_ready(ready)) {
        if (!queue_.empty() && later(ready, queue_.front())) push(ready);
        else expand(ready, [this](const Entry& child) { push(child); });
      }
      if (queue_.size() <= limits_.most_entries) continue;
      proven = false;
      const Entry found = follow_beam(limits_.beam);
      return found.depth == joints_ ? match_of(found.node) : quick_match;
    }
    return {};
  }

  /// The bound of a match from its open joints on; infinite if one of them has no place.
  double bound(std::span<const Index> match) {
    placed_.match.assign(match.begin(), match.end());
    tables_.model().mark_used(placed_);
    double sum = 0;
    for (const Index joint : open_[match.size()]) sum += least_against_placed(joint);
    return sum;
  }

  std::size_t entries = 0, pops = 0;
  bool proven = true;
  Index died_at = kNone;

 private:
  /// A partial match: one more sphere than its parent's.
  struct Node {
    std::uint32_t parent = kNone;
    Index sphere = kNone;
    std::uint32_t bounds = kNone;  ///< In `bounds_`: of its open joints, once they are known.
    double cost = 0;
  };
  struct Entry {
    double priority = 0;
    std::uint32_t node = 0;
    Index depth = 0;     ///< Joints matched.
    bool ready = false;  ///< Its own bounds are known.
  };

  static bool later(const Entry& a, const Entry& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    return a.depth != b.depth ? a.depth < b.depth : a.node > b.node;
  }

  void push(const Entry& entry) {
    queue_.push_back(entry);
    std::push_heap(queue_.begin(), queue_.end(), later);
  }

  Entry pop() {
    std::pop_heap(queue_.begin(), queue_.end(), later);
    const Entry entry = queue_.back();
    queue_.pop_back();
    return entry;
  }

  Match match_of(std::uint32_t node) const {
    Match match;
    for (; nodes_[node].parent != kNone; node = nodes_[node].parent) match.push_back(nodes_[node].sphere);
    std::reverse(match.begin(), match.end());
    return match;
  }

  void place(std::uint32_t node) {
    if (node == placed_node_) return;
    placed_node_ = node;
    placed_.match = match_of(node);
    tables_.model().mark_used(placed_);
  }

  Index parent_sphere(Index joint) const {
    const Index parent = reduced_.joints[joint].parent;
    return parent == kNone ? 0 : placed_.match[parent];
  }

  double least_against_placed(Index joint) {
    double best = kEndless;
    for (const CostTables::Option& option : tables_.row(joint, parent_sphere(joint))) {
      if (option.cost >= best) break;
      if (!tables_.allowed(joint, option.sphere)) continue;
      const double alone = option.cost + tables_.below(joint, option.sphere);
      if (alone < best)
        best = std::min(best, alone + tables_.model().moving(placed_, joint, option.sphere, best - alone));
    }
    return best;
  }

  /// The placed match, so long, could not grow because of a joint or what hangs on it.
  void died(Index depth, Index joint) {
    if (died_at != kNone && depth <= deepest_) return;
    deepest_ = depth;
    died_at = tables_.blamed(joint, parent_sphere(joint));
  }

  /// Finds the entry's own bounds; false if it cannot be completed below the limit.
  bool make_ready(Entry& entry) {
    place(entry.node);
    if (entry.ready) return true;
    const auto offset = static_cast<std::uint32_t>(bounds_.size());
    double priority = nodes_[entry.node].cost;
    for (const Index joint : open_[entry.depth]) {
      bounds_.push_back(least_against_placed(joint));
      priority += bounds_.back();
      if (priority < limits_.worst) continue;
      const auto most = std::max_element(bounds_.begin() + offset, bounds_.end());
      died(entry.depth, open_[entry.depth][static_cast<std::size_t>(most - bounds_.begin()) - offset]);
      bounds_.resize(offset);
      return false;
    }
    nodes_[entry.node].bounds = offset;
    entry.priority = std::max(entry.priority, priority);
    entry.ready = true;
    return true;
  }

  /// Gives the next joint every sphere that stays below the limit. \pre the entry is ready and placed.
  template <class Take>
  void expand(const Entry& entry, Take&& take) {
    const Node from = nodes_[entry.node];
    const Index joint = entry.depth;
    double others = 0;
    for (std::size_t k = 0; k < open_[joint].size(); ++k) {
      if (open_[joint][k] != joint) others += bounds_[from.bounds + k];
    }
    bool any = false;
    for (const CostTables::Option& option : tables_.row(joint, parent_sphere(joint))) {
      const double room = limits_.worst - from.cost - others - option.cost;
      if (room <= 0) break;
      if (!tables_.allowed(joint, option.sphere)) continue;
      const double below = tables_.below(joint, option.sphere);
      if (below >= room) continue;
      const double moving = tables_.model().moving(placed_, joint, option.sphere, room - below);
      if (moving == PenaltyModel::kRejected) continue;
      const double cost = from.cost + option.cost + moving;
      const auto node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({entry.node, option.sphere, kNone, cost});
      ++entries;
      any = true;
      take({std::max(entry.priority, cost + others + below), node, joint + 1, false});
    }
    if (!any) died(joint, joint);
  }

  void begin() {
    nodes_.assign(1, {});
    bounds_.clear();
    queue_.assign(1, {});
    placed_node_ = kNone;
    entries = 0;
  }

  /// Joint by joint the best partial matches, from those in the queue on. The cheapest whole match; one of no depth if
  /// there is none.
  Entry follow_beam(std::size_t width) {
    std::vector<std::vector<Entry>> levels(joints_ + 1);
    for (const Entry& entry : queue_) levels[entry.depth].push_back(entry);
    queue_.clear();
    const auto earlier = [](const Entry& a, const Entry& b) { return later(b, a); };
    for (Index depth = 0; depth < joints_; ++depth) {
      std::vector<Entry>& level = levels[depth];
      std::sort(level.begin(), level.end(), earlier);
      level.resize(std::min(level.size(), width));
      progress_.check();
      for (Entry& entry : level) {
        if (make_ready(entry)) expand(entry, [&](const Entry& child) { levels[depth + 1].push_back(child); });
      }
    }
    const auto best = std::min_element(levels[joints_].begin(), levels[joints_].end(), earlier);
    return best == levels[joints_].end() ? Entry{} : *best;
  }

  CostTables& tables_;
  const ReducedTemplate& reduced_;
  Limits limits_;
  const Progress& progress_;
  Index joints_;
  std::vector<std::vector<Index>> open_;  ///< Per depth: joints not matched whose parent is.
  std::vector<Node> nodes_;
  std::vector<double> bounds_;
  std::vector<Entry> queue_;  ///< A heap.
  PenaltyModel::Placed placed_;
  std::uint32_t placed_node_ = kNone;
  Index deepest_ = 0;
};

void fill_terms(const PenaltyModel& model, SearchResult& result) {
  result.penalty = 0;
  result.terms.clear();
  for (std::size_t i = 0; i < result.match.size(); ++i) {
    const std::span<const Index> before(result.match.data(), i);
    result.terms.push_back(model.terms(before, result.match[i]).value_or(PenaltyModel::Terms{}));
    for (const double term : result.terms.back()) result.penalty += term;
  }
}

void find_runner_up(CostTables& tables, const ReducedTemplate& reduced, const SearchOptions& options,
                    const Progress& progress, SearchResult& result) {
  BestFirst::Limits limits;
  limits.worst = std::min(tables.worst(), 2 * result.penalty + 0.05);
  limits.most_entries = options.most_entries;
  limits.most_pops = kRunnerUpPops;
  for (Index joint = 0; joint < reduced.joints.size(); ++joint) {
    if (!reduced.joints[joint].leaf) continue;
    tables.bar(joint, result.match);
    BestFirst search(tables, reduced, limits, progress);
    SearchResult found;
    found.match = search.run();
    if (!found.match.empty()) {
      fill_terms(tables.model(), found);
      result.runner_up = found.match;
      result.runner_up_penalty = limits.worst = found.penalty;
    }
    if (search.pops >= limits.most_pops) break;
    limits.most_pops -= search.pops;
  }
  tables.bar(kNone, {});
}

}  // namespace

SearchResult search(const SphereGraph& graph, const ReducedTemplate& reduced, const Mat3& turn,
                    const std::vector<Hint>& hints, const SearchOptions& options, const Progress& progress) {
  CostTables tables(graph, reduced, turn, hints, options);
  BestFirst::Limits limits;
  limits.worst = tables.worst();
  limits.most_entries = options.most_entries;
  limits.beam = options.beam;
  BestFirst best(tables, reduced, limits, progress);
  SearchResult result;
  result.match = best.run();
  result.proven = best.proven;
  result.entries = best.entries;
  if (result.match.empty()) {
    result.died_at = best.died_at;
    return result;
  }
  fill_terms(tables.model(), result);
  if (options.runner_up) find_runner_up(tables, reduced, options, progress, result);
  if (!result.runner_up.empty() && result.runner_up_penalty < result.penalty) {  // The best was not proven.
    std::swap(result.match, result.runner_up);
    result.runner_up_penalty = result.penalty;
    fill_terms(tables.model(), result);
  }
  return result;
}

}  // namespace sinew::rigging
