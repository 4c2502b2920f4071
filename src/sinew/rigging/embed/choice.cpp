// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/rigging/embed/pose_variants.h"

namespace sinew::rigging {
namespace {

/// Kinds of limbs by the word a user has for them.
const std::map<std::string, std::set<std::string>>& kinds_of_words() {
  static const std::map<std::string, std::set<std::string>> words = {{"arms", {"arm"}},          {"legs", {"leg"}},
                                                                     {"head", {"head", "neck"}}, {"tail", {"tail"}},
                                                                     {"wings", {"wing"}},        {"ears", {"ear"}}};
  return words;
}

/// The template without some joints; indices are made to fit.
Template without_joints(const Template& t, const std::vector<char>& gone) {
  Template result;
  result.version = t.version;
  result.name = t.name;
  std::vector<Index> renamed(t.joints.size(), kNone);
  for (Index j = 0; j < t.joints.size(); ++j) {
    if (gone[j]) continue;
    renamed[j] = static_cast<Index>(result.joints.size());
    result.joints.push_back(t.joints[j]);
  }
  for (Template::Joint& joint : result.joints) {
    if (joint.parent != kNone) joint.parent = renamed[joint.parent];
    if (joint.partner != kNone) joint.partner = renamed[joint.partner];
  }
  for (const Template::Limb& limb : t.limbs) {
    if (gone[limb.joints.front()]) continue;
    result.limbs.push_back(limb);
    for (Index& j : result.limbs.back().joints) j = renamed[j];
  }
  return result;
}

Mat3 signed_permutation(const std::array<int, 3>& axes, const std::array<int, 3>& signs) {
  Mat3 m = Mat3::Zero();
  for (int row = 0; row < 3; ++row) m(row, axes[static_cast<std::size_t>(row)]) = signs[static_cast<std::size_t>(row)];
  return m;
}

Mat3 yaw(int quarters) {
  static const std::array<Mat3, 4> turns = {Mat3::Identity(), signed_permutation({2, 1, 0}, {1, 1, -1}),
                                            signed_permutation({0, 1, 2}, {-1, 1, -1}),
                                            signed_permutation({2, 1, 0}, {-1, 1, 1})};
  return turns[static_cast<std::size_t>(quarters & 3)];
}

/// One search to be made.
struct Attempt {
  std::size_t variant = 0;
  Mat3 turn = Mat3::Identity();
};

/// A template or what is left of it.
struct Variant {
  Template skeleton_template;
  std::vector<Hint> hints;
  std::string without;
  double cost = 0;  ///< Added to its penalty when it is ranked: fewer limbs always fit more easily.
};

class Chooser {
 public:
  Chooser(const Body& body, const std::vector<Template>& templates, const std::vector<std::vector<Hint>>& hints,
          const ChoiceOptions& options, const Progress& progress)
      : body_(body), options_(options), progress_(progress) {
    for (std::size_t t = 0; t < templates.size(); ++t) variants_.push_back({templates[t], hints[t], {}, 0});
  }

  Choice choose() {
    std::vector<Attempt> attempts;
    const auto add_orientations = [&](std::size_t variant, std::size_t first, std::size_t last) {
      const std::vector<Mat3> turns = orientations(variants_[variant].skeleton_template);
      if (options_.keep_orientation) last = std::min<std::size_t>(last, 1);
      for (std::size_t k = first; k < std::min(last, turns.size()); ++k) attempts.push_back({variant, turns[k]});
    };
    const std::size_t whole = variants_.size();
    for (std::size_t v = 0; v < whole; ++v) add_orientations(v, 0, 2);
    run(attempts, kGood);
    if (best() > kGood / 2) {
      attempts.clear();
      for (std::size_t v = 0; v < whole; ++v) add_orientations(v, 2, 24);
      run(attempts, kGood);
    }
    if (best() > kGood / 2) {
      attempts.clear();
      add_pose_variants(whole);
      for (std::size_t v = whole; v < variants_.size(); ++v) add_orientations(v, 0, 4);
      run(attempts, kGood);
    }
    const std::size_t posed = variants_.size();
    if (best() > kGood) {
      attempts.clear();
      for (std::size_t v = 0; v < whole; ++v) add_orientations(v, 0, 24);
      if (!options_.whole_only) add_partial_variants(whole);
      for (std::size_t v = posed; v < variants_.size(); ++v) add_orientations(v, 0, 2);
      run(attempts, kBearable);
    }
    rank();
    return std::move(result_);
  }

 private:
  static constexpr double kGood = 0.12;    // Right fits of made and real characters are below.
  static constexpr double kPosed = 0.02;   // What another pose than the template's costs.
  static constexpr double kMissing = 0.1;  // What a kind of limbs that is not there costs.
  static constexpr std::size_t kLooks = 1000000, kBeamLooks = 40000;
  static constexpr double kBearable = 0.35;  // Beyond it a fit says nothing.

  void add_pose_variants(std::size_t whole) {
    for (std::size_t v = 0; v < whole; ++v)
      for (PoseVariant& posed : pose_variants(variants_[v].skeleton_template)) {
        std::vector<Hint> hints = variants_[v].hints;
        variants_.push_back({std::move(posed.skeleton_template), std::move(hints), {}, kPosed});
      }
  }

  void add_partial_variants(std::size_t whole) {
    for (std::size_t v = 0; v < whole; ++v)
      for (const char* word : {"arms", "legs", "head"})
        if (std::optional<Template> rest = rest_without(variants_[v].skeleton_template, word))
          if (std::optional<std::vector<Hint>> hints = hints_in(*rest, variants_[v]))
            variants_.push_back({*std::move(rest), *std::move(hints), word, kMissing});
  }

  /// The hints of a variant for another that has fewer joints; nothing if it lacks a hinted one: who says where a knee
  /// is means that there are legs.
  static std::optional<std::vector<Hint>> hints_in(const Template& rest, const Variant& whole) {
    std::vector<Hint> hints;
    for (const Hint& hint : whole.hints) {
      const std::string& name = whole.skeleton_template.joints[hint.joint].name;
      Index j = 0;
      while (j < rest.joints.size() && rest.joints[j].name != name) ++j;
      if (j == rest.joints.size()) return {};
      hints.push_back({j, hint.point});
    }
    return hints;
  }

  /// Nothing if the template has no such limbs, or too little is left of it.
  static std::optional<Template> rest_without(const Template& t, const char* word) {
    Template rest = without_limbs(t, {word});
    if (rest.limbs.size() == t.limbs.size() || rest.limbs.size() < 3) return {};
    return rest;
  }

  void run(const std::vector<Attempt>& attempts, double worst) {
    std::vector<Candidate> found(attempts.size());
    SearchOptions options = options_.search;
    options.worst = std::min(options.worst, worst);
    // An entry costs a look at every sphere; so that a search never takes long, large graphs are searched less widely.
    const std::size_t spheres = std::max<std::size_t>(body_.graph.size(), 1);
    options.most_entries = std::min(options.most_entries, kLooks / spheres);
    options.beam = std::min(options.beam, kBeamLooks / spheres);
    options.runner_up = false;
    parallel_for(
        attempts.size(),
        [&](std::size_t i) {
          const Variant& variant = variants_[attempts[i].variant];
          found[i].skeleton_template = variant.skeleton_template;
          found[i].without = variant.without;
          found[i].fit = fit(body_, variant.skeleton_template, attempts[i].turn, variant.hints, options, progress_);
          if (found[i].fit.ok()) found[i].fit.found.penalty += variant.cost;
        },
        1);
    for (Candidate& candidate : found) {
      ++result_.searches;
      result_.entries += candidate.fit.found.entries;
      result_.proven = result_.proven && candidate.fit.found.proven;
      if (candidate.fit.ok()) found_.push_back(std::move(candidate));
    }
  }

  double best() const {
    double least = 1;
    for (const Candidate& candidate : found_) least = std::min(least, candidate.fit.found.penalty);
    return least;
  }

  void rank() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.fit.found.penalty < b.fit.found.penalty; });
    result_.ranked = std::move(found_);
  }

  const Body& body_;
  const ChoiceOptions& options_;
  const Progress& progress_;
  std::vector<Variant> variants_;
  std::vector<Candidate> found_;
  Choice result_;
};

}  // namespace

Template without_limbs(const Template& skeleton_template, const std::vector<std::string>& kinds) {
  const Template& t = skeleton_template;
  std::vector<char> gone(t.joints.size(), 0);
  for (const std::string& word : kinds) {
    const auto known = kinds_of_words().find(word);
    if (known == kinds_of_words().end())
      throw Error(fmt::format(
          "The option 'without' does not know '{}'. It accepts arms, legs, head, tail, wings and ears.", word));
    for (const Template::Limb& limb : t.limbs)
      if (known->second.count(limb.kind) > 0) gone[limb.joints.front()] = 1;
  }
  for (Index j = 0; j < t.joints.size(); ++j)
    if (t.joints[j].parent != kNone && gone[t.joints[j].parent]) gone[j] = 1;
  // A joint that only carried what is gone goes with it: clavicles.
  for (Index j = static_cast<Index>(t.joints.size()); j-- > 0;) {
    bool had = false, has = false;
    for (Index c = j + 1; c < t.joints.size(); ++c)
      if (t.joints[c].parent == j) had = true, has = has || !gone[c];
    if (had && !has && t.joints[j].placement == Template::Placement::kDerived) gone[j] = 1;
  }
  return without_joints(t, gone);
}

std::vector<Mat3> orientations(const Template& skeleton_template) {
  std::vector<Mat3> turns;
  const bool stands = std::any_of(skeleton_template.joints.begin(), skeleton_template.joints.end(),
                                  [](const Template::Joint& joint) { return joint.foot; });
  const Mat3 z_up = signed_permutation({0, 2, 1}, {1, 1, -1});
  for (const Mat3& base : {Mat3(Mat3::Identity()), z_up})
    for (const int quarters : {0, 2, 1, 3}) turns.push_back(yaw(quarters) * base);
  if (stands) return turns;
  std::array<int, 3> axes = {0, 1, 2};
  do {
    for (int bits = 0; bits < 8; ++bits) {
      const Mat3 turn = signed_permutation(axes, {bits & 1 ? -1 : 1, bits & 2 ? -1 : 1, bits & 4 ? -1 : 1});
      if (turn.determinant() < 0) continue;
      if (std::none_of(turns.begin(), turns.end(), [&](const Mat3& known) { return known == turn; }))
        turns.push_back(turn);
    }
  } while (std::next_permutation(axes.begin(), axes.end()));
  return turns;
}

Choice choose(const Body& body, const std::vector<Template>& templates, const std::vector<std::vector<Hint>>& hints,
              const ChoiceOptions& options, const Progress& progress) {
  return Chooser(body, templates, hints, options, progress).choose();
}

}  // namespace sinew::rigging
