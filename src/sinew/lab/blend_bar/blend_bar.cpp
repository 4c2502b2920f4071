// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/blend_bar/blend_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "sinew/core/character.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/deformer.h"

namespace sinew::lab {

using namespace pipeline;
namespace {

constexpr std::array<const char*, 2> kMethods = {"lbs", "dqs"};
constexpr std::array<const char*, 2> kMethodNames = {"LBS", "DQS"};
constexpr const char* kElsewhere = "segmentation";

constexpr std::size_t kLbs = 0, kDqs = 1, kSlbs = 2;  // In the paper's rows.

/// How near, in points, our figures must come.
constexpr double kFineBound = 0.02;     // 640 layers to the closed form.
constexpr double kRandomBound = 0.05;   // The same for random bars.
constexpr double kOrderBound = 0.2;     // Of the order of convergence, 2.
constexpr double kSectionBound = 1e-3;  // Between cross-sections, in single precision.
constexpr std::array<int, 4> kLayers = {40, 80, 160, 320};

class BlendBar {
 public:
  BlendBar(const ReproduceOptions& options, const Progress& progress) : options_(options), progress_(progress) {}

  Reproduction run() {
    const Rig rig = bar_rig({});
    result_.metrics["vertices"] = rig.mesh.vertex_count();
    result_.metrics["triangles"] = rig.mesh.face_count();
    losses(rig);
    progress_.step("other cross-sections", 0.3);
    sections();
    progress_.step("finer layers", 0.4);
    convergence();
    progress_.step("random bars", 0.6);
    random_bars();
    progress_.step("times", 0.9);
    if (options_.runs > 0) times(rig);
    return std::move(result_);
  }

 private:
  void expect(bool good, const std::string& where, const std::string& text) {
    if (!good) result_.misses.push_back({"reproduce.out_of_bounds", where, text});
  }

  void losses(const Rig& rig) {
    ResultTable table{
        "table_4",
        "Table IV: volume lost, in percent of 32",
        "Paper: as printed. Closed form: limit of fine layers. 80, 640: our methods on bars of so many layers. "
        "DQS has no loss in the limit.",
        {"turns up to"},
        {}};
    for (const char* name : kMethodNames)
      for (const char* what : {"paper", "closed form", "80", "640"})
        table.header.push_back(fmt::format("{} {}", name, what));
    table.header.insert(table.header.end(), {"SLBS paper", "SLBS ours"});
    BarSetup fine_setup;
    fine_setup.layers = 640;
    const Rig fine = bar_rig(fine_setup);
    for (int row = 1; row <= 6; ++row) {
      const PaperRow& paper = kPaperLosses[static_cast<std::size_t>(row - 1)];
      const std::vector<Quat> rotations = bar_rotations(row);
      std::vector<std::string> cells = {bar_turn_name(row)};
      Json json = {{"turns", row}, {"paper_slbs", paper[kSlbs]}};
      for (std::size_t m = 0; m < kMethods.size(); ++m) {
        const double limit = m == 0 ? closed_form_loss(0.25, 4, rotations) : 0;
        const double ours = bar_loss(rig, rotations, kMethods[m]), finer = bar_loss(fine, rotations, kMethods[m]);
        cells.push_back(fmt::format("{:.3f}", paper[m]));
        for (const double value : {limit, ours, finer}) cells.push_back(bar_percent(value));
        json[kMethods[m]] = {
            {"paper", paper[m]}, {"closed_form", 100 * limit}, {"layers_80", 100 * ours}, {"layers_640", 100 * finer}};
        const std::string where = fmt::format("{} {}", kMethodNames[m], bar_turn_name(row));
        expect(std::abs(finer - limit) * 100 <= kFineBound, where,
               fmt::format("At 640 layers the loss is {} %, the closed form {} %.", bar_percent(finer),
                           bar_percent(limit)));
        expect(std::abs(100 * ours - paper[m]) <= kPaperBounds[m], where,
               fmt::format("The loss is {} %, in the paper {} %.", bar_percent(ours), paper[m]));
      }
      cells.push_back(fmt::format("{:.3f}", paper[kSlbs]));
      cells.emplace_back(kElsewhere);
      table.rows.push_back(std::move(cells));
      result_.metrics["losses_percent"].push_back(std::move(json));
    }
    result_.tables.push_back(std::move(table));
  }

  void sections() {
    ResultTable table{"table_5",
                      "Table V: bars of other cross-sections, volume lost in percent",
                      "",
                      {"turns up to", "LBS 2x1.3", "LBS 3x3", "DQS 2x1.3", "DQS 3x3", "SLBS 2x1.3 paper",
                       "SLBS 3x3 paper", "SLBS ours"},
                      {}};
    BarSetup flat, thick;
    flat.depth = 1.3;
    thick.width = thick.depth = 3;
    const std::array<Rig, 3> rigs = {bar_rig({}), bar_rig(flat), bar_rig(thick)};
    double largest = 0;
    for (int row = 1; row <= 6; ++row) {
      const std::vector<Quat> rotations = bar_rotations(row);
      std::vector<std::string> cells = {bar_turn_name(row)};
      for (const char* method : kMethods) {
        const double square = bar_loss(rigs[0], rotations, method);
        for (std::size_t s = 1; s < rigs.size(); ++s) {
          const double loss = bar_loss(rigs[s], rotations, method);
          largest = std::max(largest, 100 * std::abs(loss - square));
          cells.push_back(bar_percent(loss));
        }
      }
      for (const double printed : kPaperSections[static_cast<std::size_t>(row - 1)])
        cells.push_back(fmt::format("{:.3f}", printed));
      cells.emplace_back(kElsewhere);
      table.rows.push_back(std::move(cells));
    }
    table.note = fmt::format(
        "Weights and turns depend on the height alone, so the loss cannot depend on the section. Largest difference "
        "from the "
        "2x2 bar: {:.1e} points.",
        largest);
    expect(largest <= kSectionBound, "Table V",
           fmt::format("The loss depends on the cross-section by {:.2g} points.", largest));
    result_.metrics["section_difference_points"] = largest;
    result_.tables.push_back(std::move(table));
  }

  void convergence() {
    ResultTable table{"convergence", "Distance to the closed form, in points, and its order", "", {"case"}, {}};
    for (const int layers : kLayers) table.header.push_back(fmt::format("{} layers", layers));
    table.header.emplace_back("order");
    std::vector<Rig> rigs;
    for (const int layers : kLayers) {
      BarSetup setup;
      setup.layers = layers;
      rigs.push_back(bar_rig(setup));
    }
    for (std::size_t m = 0; m < kMethods.size(); ++m)
      for (int row = 1; row <= 6; ++row) {
        const std::vector<Quat> rotations = bar_rotations(row);
        const double limit = m == 0 ? closed_form_loss(0.25, 4, rotations) : 0;
        std::vector<std::string> cells = {fmt::format("{} {}", kMethodNames[m], bar_turn_name(row))};
        // The slope of a line through the logarithms.
        double slope = 0, spread = 0;
        const double middle = std::log2(kLayers.front()) + 0.5 * (kLayers.size() - 1);
        for (std::size_t i = 0; i < kLayers.size(); ++i) {
          const double error = std::abs(bar_loss(rigs[i], rotations, kMethods[m]) - limit);
          const double x = std::log2(kLayers[i]) - middle;
          slope -= x * std::log2(error), spread += x * x;
          cells.push_back(fmt::format("{:.4f}", 100 * error));
        }
        const double order = slope / spread;
        cells.push_back(fmt::format("{:.2f}", order));
        expect(std::abs(order - 2) <= kOrderBound, cells.front(),
               fmt::format("The order of convergence is {:.2f} instead of 2.", order));
        result_.metrics["orders"][kMethods[m]].push_back(order);
        table.rows.push_back(std::move(cells));
      }
    result_.tables.push_back(std::move(table));
  }

  void random_bars() {
    ResultTable table{"random",
                      "Random bars: every inner joint turned at random, 160 layers a link",
                      fmt::format("Seed {}. Table values typed in by hand would not agree with these.", options_.seed),
                      {"bar", "links", "c", "width", "depth", "LBS closed form", "LBS ours", "DQS ours"},
                      {}};
    double largest = 0;
    for (int trial = 1; trial <= 6; ++trial) {
      progress_.check();
      geometry::Random random(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(trial));
      BarSetup setup;
      setup.links = 3 + static_cast<int>(random.below(6));
      setup.layers = 160 * setup.links;
      setup.spread = 0.18 + 0.12 * random.uniform();
      setup.width = 0.5 + 3 * random.uniform();
      setup.depth = 0.5 + 3 * random.uniform();
      std::vector<Quat> rotations(static_cast<std::size_t>(setup.links + 1), Quat::Identity());
      for (int j = 1; j < setup.links; ++j) {
        Vec3 axis(2 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * random.uniform() - 1);
        rotations[static_cast<std::size_t>(j)] = rotation_exp(2.8 * random.uniform() * axis.normalized());
      }
      const Rig rig = bar_rig(setup);
      const double limit = closed_form_loss(setup.spread, setup.links, rotations);
      const double linear = bar_loss(rig, rotations, "lbs"), dual = bar_loss(rig, rotations, "dqs");
      const double miss = 100 * std::max(std::abs(linear - limit), std::abs(dual));
      largest = std::max(largest, miss);
      expect(miss <= kRandomBound, fmt::format("random bar {}", trial),
             fmt::format("Our loss and the closed form differ by {:.3f} points.", miss));
      table.rows.push_back({fmt::format("{}", trial), fmt::format("{}", setup.links),
                            fmt::format("{:.3f}", setup.spread), fmt::format("{:.2f}", setup.width),
                            fmt::format("{:.2f}", setup.depth), bar_percent(limit), bar_percent(linear),
                            bar_percent(dual)});
    }
    result_.metrics["random_difference_points"] = largest;
    result_.tables.push_back(std::move(table));
  }

  void times(const Rig& rig) {
    ResultTable table{
        "table_3",
        "Table III: milliseconds a deformation",
        fmt::format("Paper: Core i3 of 2.1 GHz, vertices not given. Ours: {} vertices, positions only, the least "
                    "(and the median) of {} runs after a warm-up.",
                    rig.mesh.vertex_count(), options_.runs),
        {"turns up to", "DQS paper", "DQS ours", "(median)", "LBS paper", "LBS ours", "(median)", "SLBS paper",
         "SLBS ours"},
        {}};
    for (int row = 1; row <= 6; ++row) {
      const PaperRow& paper = kPaperTimes[static_cast<std::size_t>(row - 1)];
      const auto [dual, dual_median] = time_of(rig, row, "dqs");
      const auto [linear, linear_median] = time_of(rig, row, "lbs");
      const auto ms = [](double value) { return fmt::format("{:.4f}", value); };
      table.rows.push_back({bar_turn_name(row), fmt::format("{:.3f}", paper[kDqs]), ms(dual), ms(dual_median),
                            fmt::format("{:.3f}", paper[kLbs]), ms(linear), ms(linear_median),
                            fmt::format("{:.3f}", paper[kSlbs]), kElsewhere});
      result_.timing["lbs"].push_back(linear);
      result_.timing["dqs"].push_back(dual);
    }
    result_.times.push_back(std::move(table));
  }

  std::pair<double, double> time_of(const Rig& rig, int row, const char* method) const {
    Pose pose = rest_pose(rig);
    const std::vector<Quat> rotations = bar_rotations(row);
    for (std::size_t j = 0; j < rotations.size(); ++j) pose.local[j].rotation = pose.local[j].rotation * rotations[j];
    const ModelPose model = motion::resolve(rig.skeleton, pose);
    Findings warnings;
    const auto deformer = bind_deformer(rig, published_deformer(method), warnings);
    const auto state = deformer->make_state();
    std::vector<Vec3f> posed(rig.mesh.positions.size());
    std::vector<double> elapsed;
    constexpr int kWarmUp = 20;
    for (int i = 0; i < kWarmUp + options_.runs; ++i) {
      const auto start = std::chrono::steady_clock::now();
      deformer->deform(*state, {model}, {posed, {}, nullptr});
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      if (i >= kWarmUp) elapsed.push_back(took.count());
    }
    std::sort(elapsed.begin(), elapsed.end());
    return {elapsed.front(), elapsed[elapsed.size() / 2]};
  }

  const ReproduceOptions& options_;
  const Progress& progress_;
  Reproduction result_;
};

}  // namespace

Reproduction blend_bar(const ReproduceOptions& options, const Progress& progress) {
  return BlendBar(options, progress).run();
}

}  // namespace sinew::lab
