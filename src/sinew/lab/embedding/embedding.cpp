// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/embedding/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "sinew/core/parallel.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::lab {
namespace {

constexpr double kVary = 0.3;
constexpr std::array<const char*, 3> kMemberPoses = {"t", "a", "random"};

// What is asked of made characters.
constexpr double kLeastRightTemplate = 0.95;
constexpr double kMostHumanError = 0.03, kMostError = 0.05;
constexpr double kLeastGeneratedRight = 0.9;

std::string percent_cell(double share) { return fmt::format("{:.1f}", 100 * share + 0.0); }

std::string error_cell(double share, int count) { return count > 0 ? fmt::format("{:.2f}", 100 * share) : "–"; }

double share_of(int part, int all) { return all > 0 ? static_cast<double>(part) / all : 0; }

std::vector<std::string> summary_row(const std::string& name, const EmbeddingSummary& all) {
  return {name,
          fmt::format("{}", all.count),
          percent_cell(share_of(all.right_template, all.count)),
          percent_cell(share_of(all.fits, all.count)),
          percent_cell(share_of(all.warned, all.count)),
          percent_cell(share_of(all.right, all.count)),
          fmt::format("{}", all.silent),
          error_cell(all.mean_error(), all.compared),
          error_cell(all.mean_bend_error(), all.bent),
          error_cell(all.mean_other_error(), all.compared),
          all.worst.empty() ? "–" : fmt::format("{} ({:.1f})", all.worst, 100 * all.worst_error),
          fmt::format("{} in {}", all.outside, all.with_outside),
          fmt::format("{} in {}", all.swapped, all.with_swapped),
          all.details > 0 ? fmt::format("{} ({})", percent_cell(static_cast<double>(all.details_found) / all.details),
                                        error_cell(all.mean_details_error(), static_cast<int>(all.details_found)))
                          : "–"};
}

const std::vector<std::string>& summary_header() {
  static const std::vector<std::string> header = {"kind",
                                                  "characters",
                                                  "right template %",
                                                  "fits %",
                                                  "warned %",
                                                  "right %",
                                                  "wrong, not warned",
                                                  "error %",
                                                  "knees, elbows %",
                                                  "others %",
                                                  "worst character",
                                                  "joints outside",
                                                  "limbs swapped",
                                                  "details found % (error %)"};
  return header;
}

void miss(Reproduction& result, const std::string& where, std::string text) {
  result.misses.push_back({"reproduce.out_of_bounds", where, std::move(text)});
}

void check_made(const std::string& kind, const EmbeddingSummary& all, Reproduction& result) {
  if (all.right_template < kLeastRightTemplate * all.count)
    miss(result, kind,
         fmt::format("{} of {} got the right template, where {:.0f} % are required.", all.right_template, all.count,
                     100 * kLeastRightTemplate));
  if (all.outside > 0)
    miss(result, kind, fmt::format("{} joints of {} characters are outside.", all.outside, all.with_outside));
  if (all.swapped > 0)
    miss(result, kind, fmt::format("{} limbs of {} characters are swapped.", all.swapped, all.with_swapped));
  const double most = kind == "human" ? kMostHumanError : kMostError;
  if (all.mean_other_error() > most)
    miss(result, kind,
         fmt::format("The mean error of joints is {} %, where at most {:.0f} % is allowed.",
                     percent_cell(all.mean_other_error()), 100 * most));
  if (all.mean_bend_error() > kMostError)
    miss(result, kind,
         fmt::format("The mean error of knees and elbows is {} %, where at most {:.0f} % is allowed.",
                     percent_cell(all.mean_bend_error()), 100 * kMostError));
}

void add_times(const std::string& id, const char* what,
               const std::vector<std::pair<std::string, EmbeddingSummary>>& all, const ReproduceOptions& options,
               Reproduction& result) {
  if (options.runs == 0) return;
  ResultTable table{id + "_times",
                    fmt::format("Seconds to find joints: {}", what),
                    fmt::format("On {} threads, without reading, binding and writing.", thread_count()),
                    {"kind", "characters", "mean s", "most s"},
                    {}};
  for (const auto& [name, summary] : all) {
    const double mean = summary.seconds / std::max(summary.count, 1);
    table.rows.push_back({name, fmt::format("{}", summary.count), fmt::format("{:.2f}", mean),
                          fmt::format("{:.2f}", summary.most_seconds)});
    result.timing["table_" + id + "_s"][name] = {{"mean", mean}, {"most", summary.most_seconds}};
  }
  result.times.push_back(std::move(table));
}

/// Which seeds a row of characters has.
std::string seeds_text(const ReproduceOptions& options, int count) {
  return fmt::format("seeds {} to {}", embedding_member(options, 0).seed, embedding_member(options, count - 1).seed);
}

EmbeddingSummary run_members(const std::string& kind, int count, bool generated, const ReproduceOptions& options,
                             const Progress& progress) {
  EmbeddingSummary all;
  for (int i = 0; i < count; ++i) {
    progress.step(generated ? "generated " + kind : kind, static_cast<double>(i) / count);
    const EmbeddingSubject subject = made_embedding_subject(kind, embedding_member(options, i, generated));
    all.add(subject.name, try_embedding(subject));
  }
  return all;
}

}  // namespace

void EmbeddingSummary::add(const std::string& name, const EmbeddingOutcome& outcome) {
  ++count;
  fits += outcome.fits;
  right_template += outcome.right_template;
  warned += outcome.warned;
  right += outcome.right;
  silent += outcome.silent();
  if (outcome.fits) {
    outside += outcome.outside;
    with_outside += outcome.outside > 0;
    swapped += outcome.swapped;
    with_swapped += outcome.swapped > 0;
  }
  if (outcome.compared > 0) {
    ++compared;
    error += outcome.error;
    other_error += outcome.other_error;
    if (outcome.error > worst_error) worst_error = outcome.error, worst = name;
  }
  if (outcome.bends > 0) ++bent, bend_error += outcome.bend_error;
  details += outcome.details;
  details_found += outcome.details_found;
  details_error += outcome.details_error * outcome.details_found;
  seconds += outcome.seconds;
  most_seconds = std::max(most_seconds, outcome.seconds);
  if (!outcome.right) failures.push_back({name, outcome.reason(), outcome.warned});
}

ResultTable failure_table(const std::string& id) {
  return {id, "Those that are not right", "", {"where", "character", "why", "warned"}, {}};
}

void add_failures(const std::string& where, const EmbeddingSummary& all, ResultTable& table) {
  for (const EmbeddingSummary::Failure& failure : all.failures)
    table.rows.push_back({where, failure.name, failure.reason, failure.warned ? "yes" : "no"});
}

Json embedding_json(const EmbeddingSummary& all) {
  Json failures = Json::array();
  for (const EmbeddingSummary::Failure& failure : all.failures)
    failures.push_back({{"character", failure.name}, {"why", failure.reason}, {"warned", failure.warned}});
  return {{"characters", all.count},
          {"right_template", all.right_template},
          {"fits", all.fits},
          {"warned", all.warned},
          {"right", all.right},
          {"wrong_without_warning", all.silent},
          {"error_percent", 100 * all.mean_error()},
          {"bend_error_percent", 100 * all.mean_bend_error()},
          {"other_error_percent", 100 * all.mean_other_error()},
          {"worst", all.worst},
          {"worst_error_percent", 100 * all.worst_error},
          {"joints_outside", all.outside},
          {"limbs_swapped", all.swapped},
          {"details", all.details},
          {"details_found", all.details_found},
          {"details_error_percent", 100 * all.mean_details_error()},
          {"failures", std::move(failures)}};
}

shapes::MakeOptions embedding_member(const ReproduceOptions& options, int place, bool generated) {
  shapes::MakeOptions make;
  make.seed = static_cast<int>((std::int64_t{options.seed} + place) % (std::int64_t{1} << 31));
  make.vary = kVary;
  make.made_pose = kMemberPoses[static_cast<std::size_t>(place) % kMemberPoses.size()];
  make.generated = generated;
  return make;
}

void embedding_made(int count, const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable table{"made", "Made characters, bare", "", summary_header(), {}};
  ResultTable failures = failure_table("made_failures");
  std::vector<std::pair<std::string, EmbeddingSummary>> rows;
  for (const Template& t : rigging::templates()) {
    rows.emplace_back(t.name, run_members(t.name, count, false, options, progress));
    const EmbeddingSummary& all = rows.back().second;
    table.rows.push_back(summary_row(t.name, all));
    result.metrics["made"][t.name] = embedding_json(all);
    check_made(t.name, all, result);
    add_failures(t.name, all, failures);
  }
  table.note = fmt::format(
      "Proportions varied by {}, poses T, A and random in turn, {}; the template was to be found out. Errors are "
      "shares of the height of "
      "a human, of the longest side of the box of others, over joints of the template that are not optional, means of "
      "the characters' means. "
      "Right: right template, every joint inside, no limb swapped, mean error below 6 %. Details are fingers, tails "
      "and ears.",
      kVary, seeds_text(options, count));
  result.metrics["made_seeds"] = {embedding_member(options, 0).seed, embedding_member(options, count - 1).seed};
  result.tables.push_back(std::move(table));
  if (!failures.rows.empty()) result.tables.push_back(std::move(failures));
  add_times("made", "made characters", rows, options, result);
}

void embedding_generated(int count, const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable table{"generated",
                    "Made characters, remeshed as generative models emit them",
                    fmt::format("Noisy, fused, with specks, facing anywhere; {}.", seeds_text(options, count)),
                    summary_header(),
                    {}};
  ResultTable failures = failure_table("generated_failures");
  std::vector<std::pair<std::string, EmbeddingSummary>> rows;
  for (const char* kind : {"human", "quadruped"}) {
    rows.emplace_back(kind, run_members(kind, count, true, options, progress));
    const EmbeddingSummary& all = rows.back().second;
    table.rows.push_back(summary_row(kind, all));
    result.metrics["generated"][kind] = embedding_json(all);
    const std::string where = fmt::format("generated {}", kind);
    add_failures(where, all, failures);
    if (all.right < kLeastGeneratedRight * all.count)
      miss(result, where,
           fmt::format("{} of {} are right, where {:.0f} % are required.", all.right, all.count,
                       100 * kLeastGeneratedRight));
    if (all.silent > 0) miss(result, where, fmt::format("{} are wrong without a warning.", all.silent));
  }
  result.tables.push_back(std::move(table));
  if (!failures.rows.empty()) result.tables.push_back(std::move(failures));
  add_times("generated", "remeshed characters", rows, options, result);
}

Reproduction embedding_experiment(const ReproduceOptions& options, const Progress& progress) {
  if (!options.data.empty() && !std::filesystem::is_directory(options.data))
    throw Error(fmt::format("The folder {} of the option 'data' does not exist.", options.data));
  if (options.data.empty() && options.characters == 0)
    throw Error("There is nothing to try. Set the option 'characters', or specify real ones with the option 'data'.");
  Reproduction result;
  if (options.characters == 0) {
    embedding_real(options.data, options, progress, result);
    return result;
  }
  embedding_made(options.characters, options, progress, result);
  embedding_generated((options.characters + 1) / 2, options, progress, result);
  std::vector<EmbeddingSubject> real;
  if (!options.data.empty()) real = embedding_real(options.data, options, progress, result);
  embedding_ablation((options.characters + 39) / 40, real, options, progress, result);
  return result;
}

}  // namespace sinew::lab
