// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>

#include "sinew/io/asset.h"
#include "sinew/lab/transfer/transfer.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/pipeline/bind.h"
#include "sinew/pipeline/transfer.h"

namespace sinew::lab {
namespace {

namespace fs = std::filesystem;

/// Characters with the same joints or joint names. Every one is a reference of every other. The groups were fixed
/// before anything was measured.
struct TransferFamily {
  bool held_out;
  std::array<const char*, 4> files;  ///< The rest is null.
};

constexpr std::array kTransferFamilies = {
    TransferFamily{false,
                   {"zoo/people/Business_Female_04.fbx", "zoo/people/Female_Child_02.fbx",
                    "rigged-fbx/Male_Adult_01.fbx", nullptr}},
    TransferFamily{false,
                   {"zoo/stylised/100Avatars_001_Crimsom.vrm", "rigged/100Avatars_002_CoolAlien.vrm",
                    "zoo/stylised/100Avatars_005_Skull.vrm", "zoo/stylised/100Avatars_011_Teddy.vrm"}},
    TransferFamily{false, {"rigged/VALID_Asian_F_1_Default.glb", "zoo/people/Black_F_1_Casual.glb", nullptr, nullptr}},
    TransferFamily{false, {"zoo/people/Male_Suit.fbx", "zoo/people/Female_Casual.fbx", nullptr, nullptr}},
    TransferFamily{false, {"rigged/Knight.glb", "zoo/stylised/Rogue.glb", nullptr, nullptr}},
    TransferFamily{false, {"zoo/quadrupeds/Cat.fbx", "zoo/quadrupeds/Wolf.fbx", nullptr, nullptr}},
    TransferFamily{
        false, {"zoo/quadrupeds/Apatosaurus.fbx", "zoo/quadrupeds/Triceratops.fbx", "zoo/quadrupeds/Cow.fbx", nullptr}},
    TransferFamily{false, {"zoo/stylised/Avocado.fbx", "zoo/stylised/Banana.fbx", nullptr, nullptr}},
    TransferFamily{false, {"rigged-fbx/arnaud.fbx", "rigged/HVGirl.glb", nullptr, nullptr}},
    TransferFamily{false,
                   {"rigged-fbx/Camel_OneHump_01.fbx", "zoo/quadrupeds/Deer_Roe_Tabby_01.fbx", nullptr, nullptr}},
    TransferFamily{true,
                   {"zoo/people/Construction_Male_03.fbx", "zoo/people/Female_Party_01.fbx",
                    "zoo/people/Male_Adult_05.fbx", "zoo/people/Military_Male_03.fbx"}},
    TransferFamily{true,
                   {"zoo/stylised/100Avatars_003_Jimmy.vrm", "zoo/stylised/100Avatars_009_CactusBoy.vrm",
                    "zoo/stylised/100Avatars_013_Mint.vrm", "zoo/stylised/100Avatars_016_Pumpkin.vrm"}},
    TransferFamily{true, {"zoo/people/AIAN_M_1_Busi.glb", "zoo/people/Hispanic_M_1_Milit.glb", nullptr, nullptr}},
    TransferFamily{true,
                   {"zoo/people/Female_Dress.fbx", "zoo/stylised/KnightCharacter.fbx",
                    "rigged-fbx/Smooth_Male_Shirt.fbx", nullptr}},
    TransferFamily{true, {"zoo/people/Animated_Human.fbx", "zoo/stylised/Zombie.fbx", nullptr, nullptr}},
    TransferFamily{true, {"rigged/human-male.glb", "rigged/human-bunny.glb", nullptr, nullptr}},
    TransferFamily{true, {"zoo/quadrupeds/Llama.fbx", "zoo/quadrupeds/Pug.fbx", "zoo/quadrupeds/Sheep.fbx", nullptr}},
    TransferFamily{true, {"rigged/CesiumMan.glb", "rigged/RiggedFigure.glb", nullptr, nullptr}},
    TransferFamily{true,
                   {"zoo/quadrupeds/Bull_Brown_01.fbx", "zoo/quadrupeds/Goat_Brown_01.fbx",
                    "rigged-fbx/Dog_Beagle_01.fbx", nullptr}},
    TransferFamily{true, {"zoo/fish/Dolphin.fbx", "zoo/fish/Manta_ray.fbx", nullptr, nullptr}},
    TransferFamily{true, {"zoo/birds/bird.fbx", "zoo/birds/Chick.fbx", nullptr, nullptr}}};

constexpr std::array kPairMethods = {"closest", "inpaint", "skeleton", "warp", "auto"};
constexpr std::size_t kPairAuto = 4;
constexpr double kRegretLimit = 0.01;
/// A row is wrong if less than half of it is on the right joints.
constexpr double kWrongRow = 0.5;

/// What one method made of a pair.
struct PairError {
  double half_l1 = std::numeric_limits<double>::infinity();
  double wrong = 0;       ///< Share of wrong rows.
  double confidence = 0;  ///< Mean.
  double seconds = 0;
};

double row_difference(std::span<const Influence> a, std::span<const Influence> b) {
  SkinWeights left, right;
  left.add_row(a), right.add_row(b);
  return measure::weight_agreement(left, right).mean_half_l1;
}

PairError pair_error(const SkinWeights& made, const SkinWeights& truth, const std::vector<Index>& vertices) {
  PairError error{0, 0, 0, 0};
  for (const Index v : vertices) {
    const double difference = row_difference(made.row(v), truth.row(v));
    error.half_l1 += difference / static_cast<double>(vertices.size());
    error.wrong += (difference > kWrongRow ? 1.0 : 0.0) / static_cast<double>(vertices.size());
  }
  return error;
}

struct PairFigures {
  std::array<PairError, kPairMethods.size()> by_method;
  PairError bound;
};

PairFigures pair_figures(pipeline::TransferReference& reference, const Character& target, const Progress& progress) {
  PairFigures figures;
  const SkinWeights truth = target.rig.weights.normalized();
  std::vector<Index> vertices;
  for (std::size_t m = 0; m < kPairMethods.size(); ++m) {
    progress.check();
    pipeline::TransferOptions options;
    options.method = MethodChoice(transfer::methods(), kPairMethods[m]);
    const auto start = std::chrono::steady_clock::now();
    try {
      const pipeline::TransferResult made = pipeline::transfer(reference, target, options, progress);
      figures.by_method[m] = pair_error(made.character.rig.weights, truth, made.vertices);
      for (const float c : made.weights.confidence)
        figures.by_method[m].confidence += static_cast<double>(c) / static_cast<double>(made.vertices.size());
      vertices = made.vertices;
    } catch (const Error&) {
      // Nothing near enough for this method.
    }
    figures.by_method[m].seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  pipeline::BindRequest again;
  again.keep_springs = false;  // What the file has is the truth.
  const auto bound = pipeline::bind(target, again, progress);
  figures.bound = pair_error(bound.character.rig.weights, truth, vertices);
  return figures;
}

bool pair_wanted(const ReproduceOptions& options, const TransferFamily& family, const std::string& reference,
                 const std::string& target) {
  if (options.only.empty()) return true;
  return std::any_of(options.only.begin(), options.only.end(), [&](const std::string& name) {
    return name == (family.held_out ? "held-out" : "development") || name == reference || name == target;
  });
}

/// Means over the pairs of one group.
struct PairSums {
  std::array<double, kPairMethods.size()> error{};
  std::array<int, kPairMethods.size()> count{};
  double bound = 0, best = 0, regret = 0;
  int pairs = 0, overconfident = 0;
};

}  // namespace

Reproduction transfer_pairs(const ReproduceOptions& options, const Progress& progress) {
  if (options.data.empty()) throw Error("This experiment needs real characters. Name their folder with --data.");
  Reproduction result;
  ResultTable table{.id = "pairs",
                    .title = "Weights transferred between characters with the same joints",
                    .note =
                        "Half the sum of differences from the artist's rows, mean over the vertices; 'bind' uses no "
                        "reference. Regret: how far auto is behind the best of all. Wrong: rows of auto that have "
                        "less than half of their weight on the right joints. Confidence of auto, mean.",
                    .header = {"reference → target", "group", "closest", "inpaint", "skeleton", "warp", "bind", "auto",
                               "regret", "wrong", "confidence"},
                    .rows = {}};
  std::array<PairSums, 2> sums;
  const auto figure = [](double x) { return std::isfinite(x) ? fmt::format("{:.3f}", x) : std::string("–"); };
  for (const TransferFamily& family : kTransferFamilies)
    for (const char* from : family.files) {
      if (from == nullptr || !fs::exists(fs::path(options.data) / from)) continue;
      std::optional<pipeline::TransferReference> reference;
      for (const char* to : family.files) {
        if (to == nullptr || to == from || !fs::exists(fs::path(options.data) / to)) continue;
        const std::string source = fs::path(from).stem().string(), target = fs::path(to).stem().string();
        if (!pair_wanted(options, family, source, target)) continue;
        progress.step(fmt::format("{} → {}", source, target));
        if (!reference) reference.emplace(io::load(fs::path(options.data) / from, {}, progress).character);
        const PairFigures figures =
            pair_figures(*reference, io::load(fs::path(options.data) / to, {}, progress).character, progress);
        PairSums& group = sums[family.held_out ? 1 : 0];
        double best = figures.bound.half_l1;
        for (std::size_t m = 0; m < kPairAuto; ++m) best = std::min(best, figures.by_method[m].half_l1);
        const PairError& automatic = figures.by_method[kPairAuto];
        table.rows.push_back({fmt::format("{} → {}", source, target), family.held_out ? "held-out" : "development"});
        for (std::size_t m = 0; m < kPairMethods.size(); ++m) {
          const double error = figures.by_method[m].half_l1;
          if (m == kPairAuto) table.rows.back().push_back(figure(figures.bound.half_l1));
          table.rows.back().push_back(figure(error));
          if (std::isfinite(error)) group.error[m] += error, ++group.count[m];
        }
        table.rows.back().push_back(fmt::format("{:+.3f}", automatic.half_l1 - best));
        table.rows.back().push_back(fmt::format("{:.0f} %", 100 * automatic.wrong));
        table.rows.back().push_back(fmt::format("{:.2f}", automatic.confidence));
        group.bound += figures.bound.half_l1, group.best += best, group.regret += automatic.half_l1 - best;
        ++group.pairs;
        group.overconfident += automatic.wrong >= 0.5 && automatic.confidence >= 0.5 ? 1 : 0;
        Json& times = result.timing["pairs"][source + " → " + target];
        for (std::size_t m = 0; m < kPairMethods.size(); ++m) times[kPairMethods[m]] = figures.by_method[m].seconds;
        result.metrics["pairs"][source + " → " + target] = {{"auto", automatic.half_l1}, {"best", best}};
      }
    }
  if (table.rows.empty()) throw Error(fmt::format("{} has none of the pairs of this experiment.", options.data));
  for (std::size_t g = 0; g < sums.size(); ++g) {
    const PairSums& group = sums[g];
    if (group.pairs == 0) continue;
    const char* name = g == 1 ? "held-out" : "development";
    table.rows.push_back({fmt::format("mean of {} pairs", group.pairs), name});
    for (std::size_t m = 0; m < kPairMethods.size(); ++m) {
      if (m == kPairAuto) table.rows.back().push_back(figure(group.bound / group.pairs));
      table.rows.back().push_back(group.count[m] > 0 ? figure(group.error[m] / group.count[m]) : "–");
    }
    table.rows.back().push_back(fmt::format("{:+.3f}", group.regret / group.pairs));
    table.rows.back().resize(table.header.size());
    result.metrics["regret"][name] = group.regret / group.pairs;
    if (group.regret / group.pairs > kRegretLimit)
      result.misses.push_back({"reproduce.transfer_pairs", name,
                               "The method 'auto' is more than 0.01 behind the best method of each pair on average."});
    if (group.overconfident > 0)
      result.misses.push_back({"reproduce.transfer_pairs", name,
                               fmt::format("{} pairs have half of their rows wrong and a confidence of at least 0.5.",
                                           group.overconfident)});
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace sinew::lab
