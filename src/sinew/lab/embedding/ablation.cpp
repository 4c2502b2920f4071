// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <map>
#include <utility>

#include "sinew/lab/embedding/embedding.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::lab {
namespace {

/// One summary per kind of made character and one for all real ones, for each trial.
using AblationRow = std::map<std::string, EmbeddingSummary>;
constexpr const char* kRealColumn = "real";

std::string ablation_cell(const EmbeddingSummary& all) {
  return fmt::format("{} of {}{}", all.right, all.count, all.silent > 0 ? fmt::format(", {} silent", all.silent) : "");
}

}  // namespace

std::vector<EmbeddingTrial> embedding_ablations() {
  rigging::RiggerOptions plain;
  plain.fingers = "none";
  std::vector<EmbeddingTrial> trials = {{"all nine", {}, plain}};
  for (std::size_t k = 0; k < rigging::kPenalties; ++k) {
    rigging::PenaltyWeights weights;
    weights.gamma[k] = 0;
    trials.push_back({fmt::format("without {}", rigging::penalty_names()[k]), weights, plain});
  }
  rigging::RiggerOptions compat = plain;
  compat.compat = true;
  trials.push_back({"compat", {}, compat});
  return trials;
}

void embedding_ablation(int count, const std::vector<EmbeddingSubject>& real, const ReproduceOptions& options,
                        const Progress& progress, Reproduction& result) {
  const std::vector<EmbeddingTrial> trials = embedding_ablations();
  std::vector<AblationRow> rows(trials.size());
  std::vector<std::string> columns;
  const auto try_all = [&](const EmbeddingSubject& subject, const std::string& column, double share) {
    for (std::size_t k = 0; k < trials.size(); ++k) {
      progress.step("without a penalty", share);
      rows[k][column].add(subject.name, try_embedding(subject, trials[k]));
    }
  };
  const double steps = static_cast<double>(rigging::templates().size()) * count + static_cast<double>(real.size());
  int done = 0;
  for (const Template& t : rigging::templates()) {
    columns.push_back(t.name);
    for (int i = 0; i < count; ++i)
      try_all(made_embedding_subject(t.name, embedding_member(options, i)), t.name, done++ / steps);
  }
  if (!real.empty()) columns.emplace_back(kRealColumn);
  for (const EmbeddingSubject& subject : real) try_all(subject, kRealColumn, done++ / steps);

  ResultTable table{"ablation",
                    "Characters that are right without one of the penalties",
                    "The first of the made characters above, and the real ones whose joints are known. A penalty that "
                    "is left out rejects nothing "
                    "either. Silent: wrong, and without a warning. compat: the released library's constants.",
                    {"penalties"},
                    {}};
  for (const std::string& column : columns) table.header.push_back(column);
  for (const std::string& column : columns) table.header.push_back(column + " error %");
  for (std::size_t k = 0; k < trials.size(); ++k) {
    std::vector<std::string> row = {trials[k].name};
    for (const std::string& column : columns) {
      row.push_back(ablation_cell(rows[k][column]));
      result.metrics["ablation"][trials[k].name][column] = embedding_json(rows[k][column]);
    }
    for (const std::string& column : columns) row.push_back(fmt::format("{:.2f}", 100 * rows[k][column].mean_error()));
    table.rows.push_back(std::move(row));
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
