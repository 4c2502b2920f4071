// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/skeleton_aware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/transfer/finish_rows.h"
#include "sinew/transfer/rays/vertex_caster.h"
#include "sinew/transfer/surface/inpainting.h"

namespace sinew::transfer {
namespace {

constexpr std::size_t kGrain = 64;
constexpr double kManyUnmatched = 0.1;  // Of the vertices.
constexpr std::array<double, kLevels> kTrust = {1, 0.8, 0.7, 0.4, 0.2};

// Rows and what is known of them, per welded vertex of the target.
struct CastRows {
  std::vector<Cast> casts;
  std::vector<Level> level;  // kCopied where nothing was found.
  std::vector<std::uint32_t> sizes;
  std::vector<std::vector<Influence>> blocks;  // Of kGrain rows each.
  std::uint64_t rays = 0, vertex_bones = 0;

  explicit CastRows(std::size_t count)
      : casts(count), level(count, Level::kCopied), sizes(count, 0), blocks((count + kGrain - 1) / kGrain) {}

  bool matched(std::size_t i) const { return casts[i].matched; }

  SkinWeights weights() const {
    SkinWeights result;
    result.reserve(sizes.size(), 8 * sizes.size());
    for (std::size_t b = 0, i = 0; b < blocks.size(); ++b)
      for (std::size_t first = 0; i < std::min((b + 1) * kGrain, sizes.size()); first += sizes[i++])
        result.add_row(std::span(blocks[b]).subspan(first, sizes[i]));
    return result;
  }
};

CastRows cast_all(const ReferenceSkin& skin, const std::vector<std::vector<CastBone>>& bones, Index joints,
                  const TransferBody& target, const geometry::Welding& welding, const SkinWeights& guides,
                  const SkeletonAwareOptions& options, const Progress& progress) {
  const std::vector<Vec3> normals = geometry::vertex_normals(target.mesh, &welding);
  const double size = target.mesh.size();
  CastRows rows(welding.count());
  std::vector<std::uint64_t> rays(rows.blocks.size(), 0), vertex_bones(rows.blocks.size(), 0);
  parallel_blocks(welding.count(), kGrain, [&](std::size_t begin, std::size_t end) {
    progress.check();
    VertexCaster caster(skin, bones, joints, size, options);
    const std::size_t block = begin / kGrain;
    for (std::size_t i = begin; i < end; ++i) {
      const Index v = welding.first[i];
      const CastVertex vertex{target.mesh.positions[v], normals[v], guides.row(v)};
      Cast cast = caster.cast(vertex, options.cone_rad, options.cap_reach);
      vertex_bones[block] += cast.bones;
      rays[block] += cast.rays;
      Level level = Level::kMatched;
      if (!cast.matched && options.cone_rad > 0) {
        cast = caster.cast(vertex, std::min(2 * options.cone_rad, kPi / 2), false);
        rays[block] += cast.rays;
        level = Level::kWidened;
      }
      rows.casts[i] = cast;
      if (!cast.matched) continue;
      rows.level[i] = cast.moved ? Level::kInside : level;
      const std::size_t before = rows.blocks[block].size();
      caster.append_row(rows.blocks[block]);
      rows.sizes[i] = static_cast<std::uint32_t>(rows.blocks[block].size() - before);
    }
  });
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) rows.rays += rays[b], rows.vertex_bones += vertex_bones[b];
  return rows;
}

// Rows of welded vertices for all of them: those that found nothing from those around.
SkinWeights fill_unmatched(const Mesh& mesh, const geometry::Welding& welding, CastRows& rows,
                           const Progress& progress) {
  const SkinWeights cast = rows.weights();
  const auto found = static_cast<std::size_t>(
      std::count_if(rows.casts.begin(), rows.casts.end(), [](const Cast& c) { return c.matched; }));
  if (found == rows.casts.size()) return cast;
  if (found == 0)
    throw Error(
        "No vertex of the target has a matching position on the reference, so nothing can be transferred. Check that "
        "the joints of both are mapped correctly and are inside their meshes.");
  std::vector<char> known;
  for (const Index w : welding.welded) known.push_back(rows.matched(w) ? 1 : 0);
  const InpaintResult filled = inpaint(mesh, binding::unwelded(cast, welding), known, progress);
  SkinWeights result;
  for (std::size_t w = 0; w < rows.casts.size(); ++w) {
    const Index v = welding.first[w];
    result.add_row(rows.matched(w) ? cast.row(static_cast<Index>(w)) : filled.weights.row(v));
    if (!rows.matched(w)) rows.level[w] = filled.reached[v] == 1 ? Level::kInpainted : Level::kCopied;
  }
  return result;
}

// How far a row can be trusted: by how it was made, how many rays met something, and how alike the places were.
float confidence(const Cast& cast, Level level) {
  const double trust = kTrust[static_cast<std::size_t>(level)];
  if (!cast.matched) return static_cast<float>(trust);
  return static_cast<float>(trust * std::min(1.0, 2 * cast.hits) * std::min(1.0, 2 * cast.similarity));
}

void tell_fallbacks(WeightTransfer& result) {
  const auto tell = [&](Level level, const char* code, const char* method, const char* text) {
    const Index count = result.levels[static_cast<std::size_t>(level)];
    if (count > 0) result.fallbacks.push_back({code, method, count, text});
  };
  tell(Level::kWidened, "transfer.widened", "skeleton",
       "Vertices whose rays hit almost nothing were cast again with a cone of twice the angle.");
  tell(
      Level::kInside, "transfer.inside", "skeleton",
      "For vertices whose bones are outside the reference's skin, rays were cast from inside the skin near the bones.");
  tell(Level::kInpainted, "transfer.inpainted", "inpaint",
       "Vertices without a match received weights spread along the surface from surrounding vertices.");
  tell(Level::kCopied, "transfer.copied", "nearest",
       "Vertices of shells without any match received the weights of the nearest vertex that has one.");
  const Index unmatched = result.levels[3] + result.levels[4];
  if (unmatched > kManyUnmatched * static_cast<double>(result.level.size()))
    result.warnings.push_back(
        {"transfer.unmatched", "",
         fmt::format("{} of {} vertices have no match on the reference; their weights are estimated from surrounding "
                     "vertices. Check the joint map, and check that the bones are inside the skin.",
                     unmatched, result.level.size())});
}

WeightTransfer described(const CastRows& rows, const geometry::Welding& welding) {
  WeightTransfer result;
  double hits = 0, alike = 0;
  std::size_t matched = 0;
  for (const Cast& cast : rows.casts) {
    hits += cast.hits;
    if (!cast.matched) continue;
    alike += cast.similarity;
    ++matched;
  }
  for (const Index w : welding.welded) {
    result.level.push_back(rows.level[w]);
    result.hits.push_back(static_cast<float>(rows.casts[w].hits));
    result.confidence.push_back(confidence(rows.casts[w], rows.level[w]));
  }
  result.rays = rows.rays;
  result.vertex_bones = rows.vertex_bones;
  const auto mean = [](double sum, std::size_t count) { return count > 0 ? sum / static_cast<double>(count) : 0.0; };
  result.metrics = Json{{"rays", rows.rays},
                        {"vertex_bones", rows.vertex_bones},
                        {"mean_hits", mean(hits, rows.casts.size())},
                        {"mean_similarity", mean(alike, matched)}};
  return result;
}

void check_rows(const SkinWeights& rows, const Mesh& mesh, const char* what) {
  if (rows.row_count() == mesh.vertex_count()) return;
  throw Error(fmt::format("The {} have {} rows for {} vertices. Provide one row for each vertex.", what,
                          rows.row_count(), mesh.vertex_count()));
}

}  // namespace

WeightTransfer transfer_by_skeleton(const Reference& reference, const TransferBody& target,
                                    const Correspondence& correspondence, const Guides& guides,
                                    const SkeletonAwareOptions& options, const TransferOptions& common,
                                    const Progress& progress) {
  check_rows(reference.weights, reference.mesh, "weights of the reference");
  check_rows(guides.reference, reference.mesh, "guide weights of the reference");
  check_rows(guides.target, target.mesh, "guide weights of the target");
  progress.step("reference", 0);
  const ReferenceSkin skin(reference, guides.reference);
  const auto bones = cast_bones(reference, target, correspondence, options.directions, skin.scene());
  const geometry::Welding welding = geometry::weld(target.mesh);
  progress.step("rays", 0);
  CastRows rows = cast_all(skin, bones, reference.skeleton.size(), target, welding, guides.target, options, progress);
  progress.step("weights", 0);
  const SkinWeights weights = fill_unmatched(target.mesh, welding, rows, progress);
  WeightTransfer result = described(rows, welding);
  finish_rows(result, weights, target.mesh, welding, common);
  Index outside = 0;
  for (const std::vector<CastBone>& of_pair : bones)
    for (const CastBone& bone : of_pair) outside += bone.path.leaves_the_skin() ? 1 : 0;
  result.metrics["bones_outside"] = outside;
  result.metrics["turned_shells"] = skin.turned_shells();
  tell_fallbacks(result);
  return result;
}

SkeletonAwareOptions effective_options(const SkeletonAwareOptions& options) {
  if (options.mode == CastRules::kImproved) return options;
  SkeletonAwareOptions published = options;
  published.rays = 128;
  published.cone_rad = radians(30);
  published.exponent = 3;
  published.similarity = Similarity::kCanberra;
  published.candidates = Candidates::kBlend;
  published.cap_reach = false;
  return published;
}

TransferMethod skeleton_aware_method() {
  constexpr const char* kId = "skeleton";
  const auto run = [](const TransferInput& input, const TransferOptions& common, const AnyOptions& own,
                      const Progress& progress) {
    const SkeletonAwareOptions options = effective_options(own.as<SkeletonAwareOptions>());
    GuideCache unkept;
    GuideCache* cache = &unkept;
    if (input.cache != nullptr) {
      std::any& kept = (*input.cache)[kId];
      if (!kept.has_value()) kept = GuideCache();
      cache = &std::any_cast<GuideCache&>(kept);
    }
    input.begin("guides");
    const Guides guides =
        cache->make(input.reference, input.target, input.correspondence, {options.resolution}, progress);
    input.begin("rays");
    return transfer_by_skeleton(input.reference, input.target, input.correspondence, guides, options, common, progress);
  };
  return {.id = kId,
          .name = "skeleton-aware",
          .when = "Characters that differ in build, pose and topology.",
          .options = SkeletonAwareOptions(),
          .transfer = run};
}

}  // namespace sinew::transfer
