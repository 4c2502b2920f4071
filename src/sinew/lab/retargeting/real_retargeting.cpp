// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "sinew/lab/retargeting/family.h"
#include "sinew/lab/retargeting/real_bodies.h"
#include "sinew/transfer/biharmonic/biharmonic.h"
#include "sinew/transfer/rows.h"

namespace sinew::lab {
namespace {

namespace fs = std::filesystem;

constexpr int kRealPoses = 10, kRemeshedCells = 192;
constexpr double kRealGross = 0.05, kRealGrossLimit = 0.12, kRealError = 0.05, kRealPosed = 0.005;
/// How much of the error by closest points may remain where rest poses differ.
constexpr double kBelowClosest = 0.5;

/// Modes of surfaces are computed once for all methods and targets.
struct KeptModes {
  std::map<std::string, std::vector<std::byte>> kept;
  transfer::PreparedStore store{[this](const std::string& key) -> std::optional<std::vector<std::byte>> {
                                  const auto at = kept.find(key);
                                  if (at == kept.end()) return std::nullopt;
                                  return at->second;
                                },
                                [this](const std::string& key, std::span<const std::byte> bytes) {
                                  kept[key].assign(bytes.begin(), bytes.end());
                                }};
};

// Per joint of the reference: the target's of the same name, or that of the next joint above.
std::vector<Index> joints_by_name(const Skeleton& from, const Skeleton& to) {
  std::vector<Index> result;
  for (Index j = 0; j < from.size(); ++j) {
    Index same = kNone;
    for (Index up = j; up != kNone && same == kNone; up = from.joints[up].parent) same = to.find(from.joints[up].name);
    result.push_back(same == kNone ? 0 : same);
  }
  return result;
}

/// One target of a pair.
struct RealTarget {
  const char* name;
  KnownRig known;
  bool posed;  // Its rest pose differs from the reference's.
  bool whole;  // Its vertices are those of the pair.
};

struct RealFigures {
  std::vector<double> error, posed;
  double gross = -1;  // Negative: not known.
  double known = -1;  // Error if corresponding vertices had equal rows.
};

double gross_share_of(const SameFaces& pair, const transfer::TransferInput& input, const Progress& progress) {
  const transfer::BiharmonicMatch match = transfer::match_biharmonic(input, {}, progress);
  const Mesh& mesh = pair.from.rig.mesh;
  double gross = 0, all = 0;
  for (Index v = 0; v < match.best.size(); ++v) {
    if (match.best[v] == kNone || pair.same[v] == kNone) continue;
    all += 1;
    gross += (mesh.positions[match.best[v]] - mesh.positions[pair.same[v]]).norm() > kRealGross * mesh.size() ? 1 : 0;
  }
  return all > 0 ? gross / all : -1;
}

RealFigures figures_of(const SameFaces& pair, const RealTarget& target, const transfer::PreparedStore& store,
                       const Progress& progress) {
  const transfer::Reference reference = pair.from.reference();
  const transfer::TransferBody body = target.known.side();
  const transfer::Correspondence pairs = pairs_by_name(pair.from, target.known);
  transfer::TransferInput input{reference, body, pairs};
  input.store = &store;
  const std::vector<Index> joint_of = joints_by_name(pair.from.rig.skeleton, target.known.rig.skeleton);
  const SkinWeights truth = target.known.rig.weights.normalized();
  RealFigures figures;
  for (const NamedTransfer& way : compared_methods()) {
    progress.check();
    const SkinWeights made =
        transfer::with_joints(transfer::transfer(way.method, input, {}, progress).weights, joint_of);
    figures.error.push_back(mean_difference_of(made, truth));
    figures.posed.push_back(
        posed_difference(target.known.rig.mesh, target.known.rig.skeleton, made, truth, kRealPoses));
  }
  if (!target.whole) return figures;
  figures.gross = gross_share_of(pair, input, progress);
  SkinWeights same, own;
  for (Index v = 0; v < truth.row_count(); ++v) {
    if (pair.same[v] == kNone) continue;
    same.add_row(reference.weights.row(pair.same[v])), own.add_row(truth.row(v));
  }
  figures.known = mean_difference_of(transfer::with_joints(same, joint_of), own);
  return figures;
}

std::vector<SameFaces> real_pairs(const ReproduceOptions& options, const Progress& progress) {
  const fs::path data = options.data;
  const auto chosen = [&](const std::string& name) {
    return options.only.empty() || std::any_of(options.only.begin(), options.only.end(), [&](const std::string& only) {
             return name.find(only) != std::string::npos;
           });
  };
  std::vector<SameFaces> pairs;
  const auto add = [&](std::optional<SameFaces> pair) {
    if (pair) pairs.push_back(std::move(*pair));
  };
  for (const MakeHumanRig rig : {MakeHumanRig::kMixamo, MakeHumanRig::kDefault})
    if (chosen(makehuman_name(rig))) add(makehuman_pair(data / "makehuman", rig, progress));
  for (const char* other : {"Hispanic_M_1_Milit", "Black_F_1_Casual", "AIAN_M_1_Busi"})
    if (chosen(other))
      add(textured_pair(data / "rigged" / "VALID_Asian_F_1_Default.glb",
                        data / "zoo" / "people" / fmt::format("{}.glb", other), progress));
  return pairs;
}

}  // namespace

void retarget_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable table{.id = "real",
                    .title = "Real bodies of one topology",
                    .note =
                        "Half the sum of differences from the target's own rows, mean; the same between rows of "
                        "corresponding vertices; share of vertices matched farther than 5 % of the size from the "
                        "truth; root mean square of positions over ten random poses, in thousandths of the size.",
                    .header = {"pair", "target"},
                    .rows = {}};
  for (const NamedTransfer& way : compared_methods()) table.header.emplace_back(way.name);
  for (const char* column : {"same vertex", "gross", "posed, closest", "posed, skeleton", "posed, biharmonic"})
    table.header.emplace_back(column);
  const auto miss = [&](bool missed, const SameFaces& pair, const char* what) {
    if (missed) result.misses.push_back({"reproduce.retargeting", pair.name, what});
  };
  for (const SameFaces& pair : real_pairs(options, progress)) {
    KeptModes modes;
    const KnownRig moved = arms_moved(pair.to);
    for (const RealTarget& target :
         {RealTarget{"as it is", pair.to, false, true}, RealTarget{"arms moved", moved, true, true},
          RealTarget{"moved, 30 %", decimated_rig(moved, 0.3), true, false},
          RealTarget{"moved, remeshed", remeshed_rig(moved, kRemeshedCells, progress), true, false}}) {
      const RealFigures figures = figures_of(pair, target, modes.store, progress);
      std::vector<std::string> row = {pair.name, target.name};
      for (const double error : figures.error) row.push_back(fmt::format("{:.4f}", error));
      row.push_back(figures.known < 0 ? "" : fmt::format("{:.4f}", figures.known));
      row.push_back(figures.gross < 0 ? "" : fmt::format("{:.1f} %", 100 * figures.gross));
      for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{3}})
        row.push_back(fmt::format("{:.2f}", 1000 * figures.posed[i]));
      table.rows.push_back(std::move(row));
      miss(figures.error[3] > kRealError, pair, "The mean error of the method 'biharmonic' exceeds 0.05.");
      miss(figures.gross > kRealGrossLimit, pair, "More than 12 % of the vertices are matched with a distant one.");
      miss(figures.posed[3] > kRealPosed, pair, "Posed positions differ by more than 0.5 % of the size.");
      miss(target.posed && !(figures.error[3] < kBelowClosest * figures.error[0]), pair,
           "The error of the method 'biharmonic' is not below half of that of closest points where rest poses differ.");
    }
  }
  if (table.rows.empty() && !options.only.empty()) return;
  if (table.rows.empty()) throw Error(fmt::format("{} has none of the characters of this experiment.", options.data));
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
