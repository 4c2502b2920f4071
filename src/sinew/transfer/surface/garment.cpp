// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/garment.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld_within.h"
#include "sinew/transfer/finish_rows.h"
#include "sinew/transfer/relation/relation.h"
#include "sinew/transfer/surface/cloth_match.h"
#include "sinew/transfer/surface/cloth_pieces.h"
#include "sinew/transfer/surface/inpainting.h"
#include "sinew/transfer/surface/nearest.h"

namespace sinew::transfer {
namespace {

constexpr float kSpreadConfidence = 0.4F, kNearestConfidence = 0.2F;
constexpr double kSeam = 1e-6;  // Of the reference's size.

/// How each vertex of the target got its row, before seams and pieces.
struct ClothRows {
  SkinWeights rows;  // Per vertex of the mesh.
  std::vector<Level> level;
  std::vector<float> confidence;
};

ClothRows spread_cloth(const ClothMatch& match, const std::vector<Index>& fixed, const Reference& reference,
                       const Mesh& mesh, const geometry::Welding& welding, WeightTransfer& result,
                       const Progress& progress) {
  std::vector<char> known;
  SkinWeights start;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Index w = welding.welded[v];
    const bool keeps = !fixed.empty() && fixed[v] != kNone;
    known.push_back(keeps || match.matched[w] != 0);
    if (keeps) start.add_row(reference.weights.row(fixed[v]));
    else start.add_row(match.row[w]);
  }
  if (std::find(known.begin(), known.end(), 1) == known.end())
    throw Error(
        "No vertex of the target is near the reference's surface and faces the same way, so there is nothing to "
        "spread. Give both the same position and pose, or use the method 'skeleton'.");
  InpaintResult spread = inpaint(mesh, start, known, progress);
  ClothRows cloth{std::move(spread.weights), {}, {}};
  Index inpainted = 0, copied = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const char how = spread.reached[v];
    const bool keeps = !fixed.empty() && fixed[v] != kNone;
    inpainted += how == 1, copied += how == 2;
    cloth.level.push_back(how == 0 ? Level::kMatched : how == 1 ? Level::kInpainted : Level::kCopied);
    cloth.confidence.push_back(keeps      ? 1.0F
                               : how == 0 ? match.confidence[welding.welded[v]]
                               : how == 1 ? kSpreadConfidence
                                          : kNearestConfidence);
  }
  const auto tell = [&](const char* method, Index count, const char* text) {
    if (count > 0) result.fallbacks.push_back({"transfer.unmatched", method, count, text});
  };
  tell("inpaint", inpainted,
       "Vertices far from the reference, or facing another way, received weights spread from surrounding vertices.");
  tell("nearest", copied, "Shells without any match received the weights of the nearest vertex.");
  result.fallbacks.insert(result.fallbacks.end(), spread.fallbacks.begin(), spread.fallbacks.end());
  return cloth;
}

// Rows of what the seams join: the mean, or that of a vertex that keeps its row.
SkinWeights joined_rows(const ClothRows& cloth, const std::vector<Index>& fixed, const geometry::Welding& joined) {
  std::vector<std::vector<Index>> members(joined.count());
  for (Index v = 0; v < joined.welded.size(); ++v) members[joined.welded[v]].push_back(v);
  SkinWeights rows;
  for (const std::vector<Index>& group : members) {
    const auto kept =
        std::find_if(group.begin(), group.end(), [&](Index v) { return !fixed.empty() && fixed[v] != kNone; });
    const Index first = kept != group.end() ? *kept : group.front();
    const auto same = [&](Index v) {
      const auto a = cloth.rows.row(v), b = cloth.rows.row(first);
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    if (kept != group.end() || std::all_of(group.begin(), group.end(), same)) rows.add_row(cloth.rows.row(first));
    else rows.add_row(mean_row(cloth.rows, group));
  }
  return rows;
}

// Rows of vertices that keep theirs, to the bit.
void keep_rows(WeightTransfer& result, const Reference& reference, const std::vector<Index>& fixed,
               const TransferOptions& options) {
  const SkinWeights& stored = reference.stored.empty() ? reference.weights : reference.stored;
  SkinWeights rows;
  Index kept = 0;
  for (Index v = 0; v < fixed.size(); ++v) {
    const bool keeps =
        fixed[v] != kNone && (!options.max_influences || *options.max_influences == 0 ||
                              stored.row(fixed[v]).size() <= static_cast<std::size_t>(*options.max_influences));
    rows.add_row(keeps ? stored.row(fixed[v]) : result.weights.row(v));
    kept += keeps ? 1 : 0;
  }
  result.weights = std::move(rows);
  result.metrics["unchanged_vertices"] = kept;
}

WeightTransfer transfer_cloth(const Reference& reference, const TransferBody& target, const std::vector<Index>& fixed,
                              const TransferOptions& options, const Progress& progress) {
  const Mesh& mesh = target.mesh;
  const double size = reference.mesh.size();
  progress.step("nearest points of the reference");
  const ReferenceSurface body(reference);
  const geometry::Welding welding = geometry::weld(mesh);
  const ClothMatch match = match_cloth(body, size, mesh, welding);
  progress.check();
  WeightTransfer result;
  ClothRows cloth = spread_cloth(match, fixed, reference, mesh, welding, result, progress);
  // Also within a part: positions that differ by rounding become one position in a file of single precision.
  const geometry::Welding joined = geometry::weld_within(mesh, kSeam * size, true);
  SkinWeights rows = joined_rows(cloth, fixed, joined);
  Index pieces = 0;
  if (fixed.empty()) rows = rigid_pieces(rows, mesh, joined, size, pieces);
  result.level = std::move(cloth.level);
  result.confidence = std::move(cloth.confidence);
  result.metrics = distance_metrics(match.distance, size);
  result.metrics["flipped_vertices"] = match.flipped;
  result.metrics["inner_vertices"] = match.inner;
  result.metrics["rigid_pieces"] = pieces;
  finish_rows(result, rows, mesh, joined, options);
  if (!fixed.empty()) keep_rows(result, reference, fixed, options);
  result.regions = unmatched_regions(result, mesh, joined);
  return result;
}

}  // namespace

WeightTransfer transfer_garment(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                                const Progress& progress) {
  return transfer_cloth(reference, target, {}, options, progress);
}

WeightTransfer transfer_update(const Reference& reference, const TransferBody& target, const TransferOptions& options,
                               const Progress& progress) {
  std::vector<Index> fixed = same_vertices(reference.mesh, target.mesh);
  for (Index& v : fixed)
    if (v != kNone && reference.weights.row(v).empty()) v = kNone;
  return transfer_cloth(reference, target, fixed, options, progress);
}

TransferMethod garment_method() {
  return {.id = "garment",
          .name = "clothes",
          .when = "Clothes, hair and armour over the body they were made for.",
          .options = NoOptions(),
          .transfer = [](const TransferInput& input, const TransferOptions& common, const AnyOptions&,
                         const Progress& progress) {
            input.begin("weights");
            return transfer_garment(input.reference, input.target, common, progress);
          }};
}

TransferMethod update_method() {
  return {.id = "update",
          .name = "edited-mesh",
          .when = "An edited mesh of the same character: vertices that did not move keep their rows.",
          .options = NoOptions(),
          .transfer = [](const TransferInput& input, const TransferOptions& common, const AnyOptions&,
                         const Progress& progress) {
            input.begin("weights");
            return transfer_update(input.reference, input.target, common, progress);
          }};
}

}  // namespace sinew::transfer
