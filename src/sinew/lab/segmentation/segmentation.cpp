// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/segmentation/segmentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "sinew/binding/segment/segment_weights.h"
#include "sinew/binding/segment/segmentation.h"
#include "sinew/core/parallel.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

/// Table II, in seconds, on an Intel Core i3 of 2.1 GHz in Maya 2014. The number of segments is not given.
struct PaperCost {
  const char* name;
  int vertices;
  double segments_s, weights_s;
};
constexpr std::array<PaperCost, 3> kPaperCosts = {
    {{"low", 6488, 0.39, 16.53}, {"middle", 15576, 0.88, 21.45}, {"high", 172974, 32.3, 293.51}}};

constexpr int kMostCostRuns = 9;
constexpr int kMembers = 20;

/// Milliseconds of some runs after a first one that does not count.
struct Spread {
  double median, least, most;
};
template <class Work>
Spread spread_of(int runs, const Work& work) {
  std::vector<double> elapsed;
  for (int i = 0; i <= runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (i > 0) elapsed.push_back(took.count());
  }
  std::sort(elapsed.begin(), elapsed.end());
  return {elapsed[elapsed.size() / 2], elapsed.front(), elapsed.back()};
}

std::string spread_text(const Spread& spread) {
  return fmt::format("{:.2f} ({:.2f}–{:.2f})", spread.median, spread.least, spread.most);
}

Json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"least", spread.least}, {"most", spread.most}};
}

}  // namespace

std::vector<Vec3> posed_positions(const deform::Deformer& deformer, const Rig& rig, const Pose& pose) {
  const ModelPose model = motion::resolve(rig.skeleton, pose);
  const auto state = deformer.make_state();
  std::vector<Vec3f> posed(rig.mesh.positions.size());
  deformer.deform(*state, {model}, {posed, {}, nullptr});
  std::vector<Vec3> positions;
  positions.reserve(posed.size());
  for (const Vec3f& p : posed) positions.push_back(p.cast<double>());
  return positions;
}

void segmentation_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  const int runs = std::min(options.runs, kMostCostRuns);
  ResultTable table{"table_2",
                    "Table II: time for segmentation and weights",
                    "",
                    {"resolution", "vertices paper", "ours", "segments", "segmentation paper s", "ours ms",
                     "weights paper s", "ours ms"},
                    {}};
  std::array<double, 2> vertices{}, segmenting{}, weighting{};  // Of the lowest resolution and of the highest.
  for (const PaperCost& paper : kPaperCosts) {
    progress.check();
    shapes::MakeOptions make;
    make.vertices = paper.vertices;
    const shapes::Made made = shapes::make("human", make).made;
    const Rig& rig = made.character.rig;
    const binding::Subject subject = binding::rest_subject(rig.mesh, rig.skeleton);
    Segmentation found;
    const Spread segments = spread_of(runs, [&] { found = binding::segment(subject); });
    const Spread weights = spread_of(runs, [&] { binding::segment_weights(subject, found); });
    table.rows.push_back({paper.name, fmt::format("{}", paper.vertices), fmt::format("{}", rig.mesh.vertex_count()),
                          fmt::format("{}", found.segments.size()), fmt::format("{:.2f}", paper.segments_s),
                          spread_text(segments), fmt::format("{:.2f}", paper.weights_s), spread_text(weights)});
    result.timing["table_2_ms"].push_back({{"vertices", rig.mesh.vertex_count()},
                                           {"segments", found.segments.size()},
                                           {"segmentation", spread_json(segments)},
                                           {"weights", spread_json(weights)}});
    const std::size_t place = &paper == &kPaperCosts.front() ? 0 : 1;
    vertices[place] = rig.mesh.vertex_count();
    segmenting[place] = segments.median;
    weighting[place] = weights.median;
  }
  table.note = fmt::format(
      "A made human, as near to the paper's numbers of vertices as its cage comes. Medians of {} runs (least–most), {} "
      "threads. From the lowest to the highest the vertices grow {:.1f} times, the time for segmentation {:.1f} times, "
      "for "
      "weights {:.1f} times; in the paper 26.7, 82.8 and 17.8 times.",
      runs, thread_count(), vertices[1] / vertices[0], segmenting[1] / segmenting[0], weighting[1] / weighting[0]);
  result.timing["table_2_growth"] = {{"vertices", vertices[1] / vertices[0]},
                                     {"segmentation", segmenting[1] / segmenting[0]},
                                     {"weights", weighting[1] / weighting[0]}};
  result.times.push_back(std::move(table));
}

Reproduction segmentation_experiment(const ReproduceOptions& options, const Progress& progress) {
  Reproduction result;
  progress.step("bar", 0);
  segmentation_bar(options, progress, result);
  progress.step("twisted forearm", 0.15);
  segmentation_twists({0, kTwistVertices}, progress, result);
  progress.step("shells", 0.3);
  segmentation_shells(options, progress, result);
  progress.step("random poses", 0.35);
  segmentation_labels(kMembers, options, progress, result);
  if (options.runs > 0) {
    progress.step("times", 0.7);
    segmentation_bar_times(options, progress, result);
    segmentation_times(options, progress, result);
  }
  return result;
}

}  // namespace sinew::lab
