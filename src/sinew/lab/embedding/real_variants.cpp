// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/embedding/real_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/shapes/bodies/generated.h"

namespace sinew::lab {
namespace {

constexpr int kRemeshedVertices = 60000;
/// Remeshed characters of each class, ten in all; as `BodyClass` counts.
constexpr std::array<int, kBodyClasses> kRemeshedOfClass = {4, 2, 0, 2, 1, 1, 0};
constexpr double kLeastHinted = 0.9, kMostRemeshedLoss = 0.1;

bool is_right(const RealOutcome& outcome) { return outcome.verdict == Verdict::kRight; }

/// Of other creatures less is asked: that they are usable.
bool is_enough(const RealSubject& subject, const RealOutcome& outcome) {
  return is_right(outcome) || (subject.character->body == BodyClass::kCreatures && outcome.verdict == Verdict::kUsable);
}

std::string verdict_text(const RealOutcome& o) {
  if (o.result.metrics.contains("refused")) return "refused: " + o.result.metrics["refused"].get<std::string>();
  return o.reason.empty() ? verdict_name(o.verdict) : fmt::format("{}: {}", verdict_name(o.verdict), o.reason);
}

std::string hint_text(const std::map<std::string, Vec3>& hint) { return hint.empty() ? "none" : hint.begin()->first; }

/// Of a class, every k-th character that can be taken, so that kits of one maker do not fill the row.
std::vector<std::size_t> spread(const std::vector<std::size_t>& from, int count) {
  std::vector<std::size_t> taken;
  for (int k = 0; k < count && k < static_cast<int>(from.size()); ++k)
    taken.push_back(from[static_cast<std::size_t>(k) * from.size() / static_cast<std::size_t>(count)]);
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  return taken;
}

std::vector<std::size_t> characters_to_remesh(const std::vector<Tried>& all) {
  std::vector<std::size_t> chosen;
  for (int c = 0; c < kBodyClasses; ++c) {
    std::vector<std::size_t> of_class;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const RealSubject& subject = all[i].subject;
      if (subject.character->body == static_cast<BodyClass>(c) && !subject.joints.empty() &&
          *subject.character->clip == 0)
        of_class.push_back(i);
    }
    const std::vector<std::size_t> some = spread(of_class, kRemeshedOfClass[static_cast<std::size_t>(c)]);
    chosen.insert(chosen.end(), some.begin(), some.end());
  }
  return chosen;
}

}  // namespace

std::map<std::string, Vec3> one_hint(const RealSubject& subject, const RealOutcome& outcome) {
  const auto at = [&](const std::string& role) {
    return std::map<std::string, Vec3>{{role, subject.find_role(role)->position}};
  };
  const ComparedJoint* worst = nullptr;
  const auto off = [](const ComparedJoint& joint) {
    return joint.found ? joint.error : std::numeric_limits<double>::infinity();
  };
  for (const ComparedJoint& joint : outcome.compared)
    if (!joint.role.ends_with("_end") && (joint.found || joint.role != "tail_1") &&
        (worst == nullptr || off(joint) > off(*worst)))
      worst = &joint;
  if (worst != nullptr) return at(worst->role);
  for (const char* end : {"left_hand", "left_foot", "head"})
    if (subject.find_role(end) != nullptr) return at(end);
  return {};
}

void add_reliability_table(const std::vector<Tried>& all, Reproduction& result) {
  constexpr std::array<double, 7> kBounds = {0, 0.15, 0.3, 0.5, 0.7, 0.9, 1.0001};
  ResultTable table{"reliability",
                    "Confidence and success",
                    "A calibrated confidence is near the share that is right.",
                    {"confidence", "results", "mean confidence", "right", "usable", "wrong", "right %"},
                    {}};
  for (std::size_t b = 0; b + 1 < kBounds.size(); ++b) {
    int count = 0;
    std::array<int, 3> of{};
    double sum = 0;
    for (const Tried& tried : all) {
      const double confidence = tried.outcome.result.fits ? tried.outcome.result.confidence : 0;
      if (tried.outcome.verdict == Verdict::kUnverified || confidence < kBounds[b] || confidence >= kBounds[b + 1])
        continue;
      ++count;
      sum += confidence;
      ++of[static_cast<std::size_t>(tried.outcome.verdict)];
    }
    if (count == 0) continue;
    table.rows.push_back({fmt::format("{:.2f} to {:.2f}", kBounds[b], std::min(1.0, kBounds[b + 1])),
                          fmt::format("{}", count), fmt::format("{:.2f}", sum / count), fmt::format("{}", of[0]),
                          fmt::format("{}", of[1]), fmt::format("{}", of[2]),
                          fmt::format("{:.0f}", 100.0 * of[0] / count)});
  }
  result.tables.push_back(std::move(table));
}

void add_hinted_tables(const std::vector<Tried>& all, const Progress& progress, Reproduction& result) {
  std::vector<const Tried*> failures;
  for (const Tried& tried : all)
    if (!tried.subject.joints.empty() && !is_enough(tried.subject, tried.outcome)) failures.push_back(&tried);
  std::vector<RealOutcome> again(failures.size());
  progress.step("one hint", 0);
  parallel_for(
      failures.size(),
      [&](std::size_t i) {
        const auto hint = one_hint(failures[i]->subject, failures[i]->outcome);
        again[i] = hint.empty() ? failures[i]->outcome : try_real(failures[i]->subject, hint);
      },
      1);
  ResultTable table{"one_hint",
                    "Real characters that are not right, with one hint",
                    "The hint is the true position of the joint that is missing or farthest off.",
                    {"character", "class", "without", "hint", "with"},
                    {}};
  std::array<int, kBodyClasses> count{}, good{};
  for (const Tried& tried : all) {
    const auto c = static_cast<std::size_t>(tried.subject.character->body);
    if (tried.subject.joints.empty()) continue;
    ++count[c];
    good[c] += is_enough(tried.subject, tried.outcome) ? 1 : 0;
  }
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const RealSubject& subject = failures[i]->subject;
    table.rows.push_back({subject.character->name(), body_class_name(subject.character->body),
                          verdict_text(failures[i]->outcome), hint_text(one_hint(subject, failures[i]->outcome)),
                          verdict_text(again[i])});
    good[static_cast<std::size_t>(subject.character->body)] += is_enough(subject, again[i]) ? 1 : 0;
  }
  ResultTable classes{"classes_one_hint",
                      "Success by class with at most one hint",
                      "Other creatures are counted if they are usable.",
                      {"class", "characters", "right", "%"},
                      {}};
  int sum = 0, right = 0;
  for (std::size_t c = 0; c < count.size(); ++c) {
    sum += count[c], right += good[c];
    if (count[c] == 0) continue;
    classes.rows.push_back({body_class_name(static_cast<BodyClass>(c)), fmt::format("{}", count[c]),
                            fmt::format("{}", good[c]), fmt::format("{:.0f}", 100.0 * good[c] / count[c])});
    result.metrics["classes_one_hint"][body_class_name(static_cast<BodyClass>(c))] = {{"characters", count[c]},
                                                                                      {"right", good[c]}};
  }
  result.tables.push_back(std::move(table));
  result.tables.push_back(std::move(classes));
  if (right < kLeastHinted * sum)
    result.misses.push_back({"reproduce.out_of_bounds", "one_hint",
                             fmt::format("{} of {} are right with one hint, where {:.0f} % are required.", right, sum,
                                         100 * kLeastHinted)});
}

RealSubject remeshed_subject(const RealSubject& subject, int seed) {
  shapes::MakeOptions options;
  options.vertices = kRemeshedVertices;
  options.seed = seed;
  shapes::GeneratedMesh generated = shapes::generated_mesh(subject.mesh, options);
  RealSubject result = subject;
  result.mesh = std::move(generated.mesh);
  for (TrueJoint& joint : result.joints) {
    joint.position = generated.facing(joint.position);
    joint.region = generated.facing(joint.region);
  }
  result.size = subject.size * generated.facing.scale;
  return result;
}

void add_remeshed_tables(const std::vector<Tried>& all, const ReproduceOptions& options, const Progress& progress,
                         Reproduction& result) {
  ResultTable table{"remeshed",
                    "Real characters remeshed like the output of a generative model",
                    "Fused, noisy, about 120,000 triangles, turned about the vertical, 1 or 2 high.",
                    {"character", "class", "triangles", "error %", "error % remeshed", "verdict", "verdict remeshed"},
                    {}};
  const std::vector<std::size_t> chosen = characters_to_remesh(all);
  int clean = 0, right = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Tried& tried = all[chosen[k]];
    progress.step("remeshed characters", static_cast<double>(k) / static_cast<double>(chosen.size()));
    const RealSubject subject = remeshed_subject(tried.subject, options.seed + static_cast<int>(k));
    const RealOutcome outcome = try_real(subject);
    clean += is_enough(tried.subject, tried.outcome) ? 1 : 0;
    right += is_enough(subject, outcome) ? 1 : 0;
    table.rows.push_back({subject.character->name(), body_class_name(subject.character->body),
                          fmt::format("{}", subject.mesh.face_count()),
                          fmt::format("{:.1f}", 100 * tried.outcome.error), fmt::format("{:.1f}", 100 * outcome.error),
                          verdict_text(tried.outcome), verdict_text(outcome)});
  }
  result.metrics["remeshed"] = {{"characters", chosen.size()}, {"right", right}, {"right_clean", clean}};
  result.tables.push_back(std::move(table));
  if (clean - right > kMostRemeshedLoss * static_cast<double>(chosen.size()))
    result.misses.push_back(
        {"reproduce.out_of_bounds", "remeshed",
         fmt::format("{} of {} remeshed characters are right, where {} are before it.", right, chosen.size(), clean)});
}

}  // namespace sinew::lab
