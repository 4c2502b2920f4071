// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/lab/embedding/class_judge.h"
#include "sinew/lab/embedding/embedding.h"
#include "sinew/lab/embedding/real_variants.h"

namespace sinew::lab {
namespace {

constexpr double kSure = 0.9, kDoubtful = 0.3;
// What is asked: the share that is right, or usable for other creatures, and the mean error of joints.
constexpr std::array<double, kBodyClasses> kLeastRight = {0.95, 0.75, 0.60, 0.85, 0.75, 0.80, 0.75};
constexpr double kLeastSureRight = 0.97;
constexpr double kMostPeopleError = 0.022, kMostQuadrupedError = 0.05;

bool is_chosen(const RealCharacter& character, const std::vector<std::string>& only) {
  if (only.empty()) return true;
  const std::string stem = std::filesystem::path(character.path).stem().string();
  return std::any_of(only.begin(), only.end(), [&](const std::string& name) {
    return name == stem || name == character.name() || name == body_class_name(character.body) ||
           (name == "development" && !character.held_out) || (name == "held-out" && character.held_out);
  });
}

/// Reads one after the other, since other programs may be started for some formats.
std::vector<Tried> read_characters(const std::filesystem::path& folder, const ReproduceOptions& options,
                                   const Progress& progress, Reproduction& result, std::string& absent) {
  std::vector<Tried> all;
  for (const RealCharacter& character : real_characters()) {
    if (!is_chosen(character, options.only)) continue;
    progress.step("reading characters",
                  static_cast<double>(all.size()) / static_cast<double>(real_characters().size()));
    if (!std::filesystem::exists(folder / character.path)) {
      absent += fmt::format("{} {}", absent.empty() ? " Missing from the folder:" : ",", character.path);
      continue;
    }
    try {
      all.push_back({read_real_character(folder, character), {}});
    } catch (const Error& error) {
      result.misses.push_back({"reproduce.unreadable", character.name(), error.what()});
    }
  }
  return all;
}

std::vector<std::string> real_row(const Tried& tried) {
  const RealCharacter& character = *tried.subject.character;
  const RealOutcome& o = tried.outcome;
  return {character.name(),
          body_class_name(character.body),
          character.wanted,
          o.result.plan.template_name,
          fmt::format("{:.2f}", o.result.confidence),
          o.has_error() ? fmt::format("{:.1f}", 100 * o.error) : "–",
          o.has_error() ? fmt::format("{} ({:.1f})", o.largest_joint, 100 * o.largest) : "–",
          o.reason.empty() ? verdict_name(o.verdict) : fmt::format("{}: {}", verdict_name(o.verdict), o.reason)};
}

/// Figures of the characters of one class.
struct ClassFigures {
  int count = 0, right = 0, usable = 0, measured = 0;
  int without_truth = 0;  ///< Not among `count`: nothing is known about their joints.
  int sure = 0, sure_not_right = 0, sure_wrong = 0, doubtful = 0, doubtful_not_right = 0;
  double error = 0;

  void add(const RealSubject& subject, const RealOutcome& o) {
    const bool is_right = o.verdict == Verdict::kRight, is_wrong = o.verdict == Verdict::kWrong;
    if (subject.joints.empty()) {
      ++without_truth;
      return;
    }
    ++count;
    right += is_right;
    usable += !is_wrong;
    const double confidence = o.result.fits ? o.result.confidence : 0;
    if (confidence >= kSure) ++sure, sure_not_right += !is_right, sure_wrong += is_wrong;
    if (confidence < kDoubtful) ++doubtful, doubtful_not_right += !is_right;
    if (o.wanted && o.has_error()) ++measured, error += o.error;
  }
  double mean_error() const { return measured > 0 ? error / measured : 0; }
};

using Figures = std::array<ClassFigures, kBodyClasses>;

ResultTable class_table(const std::string& id, const std::string& title, const Figures& figures) {
  ResultTable table{id,
                    title,
                    "Characters without a skeleton in the file are listed above and not counted here.",
                    {"class", "characters", "right", "right or usable", "right %", "error %",
                     "not right at 0.9 or more", "wrong at 0.9 or more", "not right below 0.3", "not counted"},
                    {}};
  for (int c = 0; c < kBodyClasses; ++c) {
    const ClassFigures& f = figures[static_cast<std::size_t>(c)];
    if (f.count == 0) continue;
    table.rows.push_back(
        {body_class_name(static_cast<BodyClass>(c)), fmt::format("{}", f.count), fmt::format("{}", f.right),
         fmt::format("{}", f.usable), fmt::format("{:.0f}", 100.0 * f.right / f.count),
         f.measured > 0 ? fmt::format("{:.1f}", 100 * f.mean_error()) : "–",
         fmt::format("{} of {}", f.sure_not_right, f.sure), fmt::format("{} of {}", f.sure_wrong, f.sure),
         fmt::format("{} of {}", f.doubtful_not_right, f.doubtful), fmt::format("{}", f.without_truth)});
  }
  return table;
}

Json figures_json(const Figures& figures) {
  Json json = Json::object();
  for (int c = 0; c < kBodyClasses; ++c) {
    const ClassFigures& f = figures[static_cast<std::size_t>(c)];
    if (f.count == 0) continue;
    json[body_class_name(static_cast<BodyClass>(c))] = {{"characters", f.count},
                                                        {"right", f.right},
                                                        {"without_truth", f.without_truth},
                                                        {"right_or_usable", f.usable},
                                                        {"error_percent", 100 * f.mean_error()},
                                                        {"sure", f.sure},
                                                        {"sure_not_right", f.sure_not_right},
                                                        {"sure_wrong", f.sure_wrong},
                                                        {"doubtful", f.doubtful},
                                                        {"doubtful_not_right", f.doubtful_not_right}};
  }
  return json;
}

/// Of results that are called sure, nearly all must be right, whatever their class.
void check_confidence(const Figures& figures, Reproduction& result) {
  int sure = 0, not_right = 0;
  for (const ClassFigures& f : figures) sure += f.sure, not_right += f.sure_not_right;
  if (sure - not_right < kLeastSureRight * sure)
    result.misses.push_back({"reproduce.out_of_bounds", "confidence",
                             fmt::format("{} of {} at 0.9 or more are right, where {:.0f} % are required.",
                                         sure - not_right, sure, 100 * kLeastSureRight)});
}

void check_classes(const Figures& figures, Reproduction& result) {
  const auto miss = [&](BodyClass body, std::string text) {
    result.misses.push_back({"reproduce.out_of_bounds", body_class_name(body), std::move(text)});
  };
  for (int c = 0; c < kBodyClasses; ++c) {
    const BodyClass body = static_cast<BodyClass>(c);
    const ClassFigures& f = figures[static_cast<std::size_t>(c)];
    const bool creatures = body == BodyClass::kCreatures;
    const int good = creatures ? f.usable : f.right;
    const double least = kLeastRight[static_cast<std::size_t>(c)];
    if (good < least * f.count)
      miss(body, fmt::format("{} of {} are {}, where {:.0f} % are required.", good, f.count,
                             creatures ? "usable" : "right", 100 * least));
    const double most = is_person(body) ? kMostPeopleError : body == BodyClass::kQuadrupeds ? kMostQuadrupedError : 1;
    if (f.mean_error() > most)
      miss(body, fmt::format("The mean error of joints is {:.1f} %, where at most {:.1f} % is allowed.",
                             100 * f.mean_error(), 100 * most));
    if (f.sure_wrong > 0) miss(body, fmt::format("{} are wrong at a confidence of 0.9 or more.", f.sure_wrong));
  }
}

/// For the ablation, as few as are needed: those whose joints have names, in their bind pose.
std::vector<EmbeddingSubject> ablation_subjects(std::vector<Tried>& all) {
  std::vector<EmbeddingSubject> subjects;
  for (Tried& tried : all) {
    const RealCharacter& character = *tried.subject.character;
    const bool animal = character.body == BodyClass::kQuadrupeds;
    if (!animal && character.body != BodyClass::kUprightPeople) continue;
    if (tried.subject.joints.empty() || !std::string_view(character.path).starts_with("rigged")) continue;
    EmbeddingSubject subject;
    subject.name = character.name();
    subject.kind = character.wanted;
    subject.height = tried.subject.size;
    for (const TrueJoint& joint : tried.subject.joints)
      if (!joint.role.empty()) subject.truth.try_emplace(joint.role, joint.position);
    subject.mesh = std::move(tried.subject.mesh);
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

void add_class_tables(const std::vector<Tried>& all, const ReproduceOptions& options, Reproduction& result) {
  Figures every{}, seen{}, held{};
  for (const Tried& tried : all) {
    const std::size_t c = static_cast<std::size_t>(tried.subject.character->body);
    every[c].add(tried.subject, tried.outcome);
    (tried.subject.character->held_out ? held : seen)[c].add(tried.subject, tried.outcome);
  }
  result.tables.push_back(class_table("classes", "Success by class", every));
  result.tables.push_back(class_table("classes_development", "Success by class: used in development", seen));
  result.tables.push_back(class_table("classes_held_out", "Success by class: held out", held));
  result.metrics["classes"] = figures_json(every);
  result.metrics["classes_development"] = figures_json(seen);
  result.metrics["classes_held_out"] = figures_json(held);
  if (!options.only.empty()) return;
  check_classes(every, result);
  check_confidence(every, result);
}

}  // namespace

std::vector<EmbeddingSubject> embedding_real(const std::filesystem::path& folder, const ReproduceOptions& options,
                                             const Progress& progress, Reproduction& result) {
  std::string absent;
  std::vector<Tried> all = read_characters(folder, options, progress, result, absent);
  progress.step("real characters", 0);
  parallel_for(
      all.size(), [&](std::size_t i) { all[i].outcome = try_real(all[i].subject); }, 1);
  const std::vector<std::string> header = {"character",         "class",  "wanted", "found", "confidence", "error %",
                                           "largest error (%)", "verdict"};
  ResultTable table{"real", "Real characters, bare, used in development", "", header, {}};
  ResultTable held{"real_held_out", "Real characters, bare, held out", "", header, {}};
  ResultTable times{"real_times",
                    "Seconds to find joints: real characters",
                    "Several at a time.",
                    {"character", "vertices", "seconds"},
                    {}};
  for (const Tried& tried : all) {
    (tried.subject.character->held_out ? held : table).rows.push_back(real_row(tried));
    times.rows.push_back({tried.subject.character->name(), fmt::format("{}", tried.subject.mesh.vertex_count()),
                          fmt::format("{:.2f}", tried.outcome.seconds)});
    result.metrics["real"].push_back(real_outcome_json(tried.subject, tried.outcome));
  }
  table.note = "Errors are shares of the height of people, of the longest side of the box of others." + absent;
  result.tables.push_back(std::move(table));
  result.tables.push_back(std::move(held));
  add_class_tables(all, options, result);
  add_reliability_table(all, result);
  if (options.one_hint) add_hinted_tables(all, progress, result);
  if (options.remeshed) add_remeshed_tables(all, options, progress, result);
  if (options.runs > 0) result.times.push_back(std::move(times));
  return ablation_subjects(all);
}

}  // namespace sinew::lab
