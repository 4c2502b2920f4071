// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sinew/binding/edit/weight_edit_mirror.h"
#include "sinew/binding/edit/weight_repair.h"
#include "sinew/core/character.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/measure/posed_agreement.h"
#include "sinew/pipeline/weights_compare.h"

namespace sinew::pipeline {

/// The direction in which weights are copied from one side of a character to the other.
enum class MirrorDirection { kLeftToRight, kRightToLeft };
constexpr auto option_words(MirrorDirection) { return std::array{"left-to-right", "right-to-left"}; }

/// The operations on weights. All but the limit of influences run in the order of `order`.
struct EditWeightsOptions {
  bool repair = false;
  bool fill = false;
  std::optional<MirrorDirection> mirror;
  bool symmetrize = false;
  std::optional<int> smooth;
  std::optional<double> prune;
  std::optional<int> max_influences;  ///< 0 means no limit. If empty, as many as the longest row has, at least 4.
  std::vector<std::string> lock;
  std::vector<std::string> order;  ///< Names of `operations`. Requested operations that it does not name run last.

  static std::vector<std::string> operations() { return {"repair", "fill", "mirror", "symmetrize", "smooth", "prune"}; }

  /// Whether any operation is requested.
  bool any() const;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("repair",
            "Repair only invalid rows: empty, not finite, not summing to 1, or with weights on joints that are far "
            "away."),
      self.repair);
    v(Field("fill", "Compute missing rows from the rows around them."), self.fill);
    v(Field("mirror", "Copy the weights of one side to the other."), self.mirror);
    v(Field("symmetrize", "Replace both sides by their mean, about the mirror plane of the mesh."), self.symmetrize);
    v(Field("smooth", "Number of rounds of smoothing along the surface.").range(0, 1000), self.smooth);
    v(Field("prune", "Remove weights below this share of a row.").range(0, 0.5), self.prune);
    v(Field("max_influences",
            "Maximum number of joints that move one vertex, applied smoothly as the last step; 0 means no limit. "
            "Default: as many as the longest row of the file has, at least 4.")
          .range(0, 64),
      self.max_influences);
    v(Field("lock", "Joints whose weights do not change.").as("JOINT,…"), self.lock);
    v(Field("order", "Operations in the order in which they run. Default: the order in which the options are given.")
          .as("NAME,…")
          .one_of(operations()),
      self.order);
  }
};

/// Where missing rows came from: how many by each source, and how many are still missing.
struct FillCounts {
  std::array<Index, binding::kFilledByCount> vertices = {};  ///< By `binding::FilledBy`.
  Index left = 0;

  Index all() const;
};

struct RepairEdit {
  std::array<Index, binding::kFaultCount> faults = {};  ///< By `binding::Fault`.
  Index scaled = 0;                                     ///< Rows that only had to be scaled.
  Index pruned = 0;                                     ///< Rows that lost wrong joints and kept the rest.
  FillCounts filled;
  std::vector<Index> joints_not_judged;  ///< Joints whose skin is far from them on purpose.
  Index kept = 0;                        ///< Rows with a fault that stay, because repair would make them worse.

  Index all() const;
};

struct FillEdit {
  FillCounts filled;
};

struct MirrorEdit {
  bool both = false;  ///< Whether both sides became their mean.
  Index changed = 0;  ///< Vertices with a row from the other side.
  Index alone = 0;    ///< Vertices without a counterpart on the other side.
  binding::MirrorPlane plane;
  Index partners_by_name = 0;
  Index partners_by_position = 0;
  std::vector<Index> joints_without_partner;  ///< Joints with weights that have no partner.
};

struct SmoothEdit {
  int rounds = 0;
};

struct PruneEdit {
  double threshold = 0;
  std::size_t removed = 0;
};

/// The limit of influences, at the end.
struct CapEdit {
  int influences = 0;
  Index rows = 0;  ///< Rows that had more influences.
  double largest_share = 0;
  double mean_share = 0;
  Index filled_by_locks = 0;                     ///< Rows in which locked joints left no room for others.
  std::optional<measure::PosedAgreement> posed;  ///< How far the limit moves vertices; empty if no row had more.
};

/// The result of one operation.
using WeightEdit = std::variant<RepairEdit, FillEdit, MirrorEdit, SmoothEdit, PruneEdit, CapEdit>;

struct EditWeightsResult {
  Character character;
  std::vector<WeightEdit> edits;  ///< In the order in which they ran.
  WeightChanges changes;
  std::vector<Fallback> fallbacks;
  Findings findings;
};

/// Returns whether there is a skin with weights to edit.
bool has_skin_weights(const Rig& rig);

/// Edits the weights of a character. The requested operations run in order; then rows are limited to `max_influences`
/// and scaled to the sum 1. Rows that no operation changes keep their weights, apart from their sum. \throws Error if
/// there are no weights, no valid row to start from, an unknown joint, no mirror plane, or an operation in `order` that
/// is not requested; Cancelled.
EditWeightsResult edit_weights(const Character& character, const EditWeightsOptions& options,
                               const Progress& progress = {});

}  // namespace sinew::pipeline
