// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/biharmonic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/core/hash.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/transfer/biharmonic/distance.h"
#include "sinew/transfer/biharmonic/matcher.h"
#include "sinew/transfer/biharmonic/proxy.h"
#include "sinew/transfer/biharmonic/smooth_map.h"
#include "sinew/transfer/finish_rows.h"
#include "sinew/transfer/surface/cloth_pieces.h"
#include "sinew/transfer/surface/inpainting.h"

namespace sinew::transfer {
namespace {

constexpr std::string_view kSpectrumVersion = "biharmonic spectrum 1";
constexpr double kElsewhere = 0.1;  // Of the root of the area.
/// A best cost above this, squared, is no match: a tenth of the largest that descriptors alone can have, or several
/// times the median, because bodies of very different proportions are unlike everywhere.
constexpr double kNoMatch2 = 0.1, kNoMatchMedians = 4;
constexpr double kSameVertex2 = 1e-12, kShepardEpsilon2 = 1e-10;
constexpr double kUnambiguous = 1.2;
/// A main shell with less of the area does not stand for the body.
constexpr double kLeastShell = 0.8;
constexpr int kCleanRounds = 2;
/// Where each shell is matched by itself, pieces may bend: they can be parts of limbs.
constexpr RigidRules kMatchedPieces = {.tiny = 0, .small = 0.06, .alike = 0.05};
constexpr float kSpreadRowConfidence = 0.4F, kOtherShellConfidence = 0.2F;

Spectrum kept_spectrum(const MainShell& shell, int modes, const PreparedStore* store, const Progress& progress) {
  if (store == nullptr) return laplacian_spectrum(shell.surface, modes, progress);
  Sha256 hash;
  hash.update(std::as_bytes(std::span(kSpectrumVersion)));
  hash.update(std::as_bytes(std::span(&modes, 1)));
  hash.update(std::as_bytes(std::span(shell.surface.positions)));
  hash.update(std::as_bytes(std::span(shell.surface.triangles)));
  const std::string key = hash.hex();
  const auto count = static_cast<Index>(shell.surface.positions.size());
  if (const auto bytes = store->load(key))
    if (auto kept = spectrum_from_bytes(*bytes, count, modes)) return *std::move(kept);
  // Rounded as the kept one is, so that the second run gives the same bytes as the first.
  const std::vector<std::byte> bytes = spectrum_bytes(laplacian_spectrum(shell.surface, modes, progress));
  store->store(key, bytes);
  return *spectrum_from_bytes(bytes, count, modes);
}

Eigen::MatrixXd shell_distances(const MainShell& shell, const std::vector<Index>& sources,
                                const BiharmonicOptions& options, const PreparedStore* store,
                                const Progress& progress) {
  const std::size_t count = shell.surface.positions.size();
  Eigen::MatrixXd distances = count < static_cast<std::size_t>(options.exact_below)
                                  ? exact_distances(shell.surface, sources, progress)
                                  : spectral_distances(kept_spectrum(shell, options.modes, store, progress), sources);
  if (!distances.allFinite()) throw Error("The distances along the surface are not finite.");
  return distances;
}

/// The vertices of a body that are matched, and the connected surface that distances are measured on.
struct MatchedBody {
  MainShell shell;
  std::optional<MainShell> proxy;  // Of a body of many shells.

  const MainShell& domain() const { return proxy ? *proxy : shell; }
};

MatchedBody matched_body(const Mesh& mesh, const char* whose, Findings& findings, const Progress& progress) {
  MatchedBody body{main_shell(mesh), std::nullopt};
  if (body.shell.area_share >= kLeastShell) return body;
  const ClosedProxy proxy = closed_proxy(mesh, progress);
  findings.push_back(
      {"transfer.proxy", "",
       fmt::format("The {} consists of {} connected surfaces, and the largest has {:.0f} % of the area. "
                   "Distances are measured on a closed surface around it, {:.1f} ‰ of its size away.",
                   whose, body.shell.shells, 100 * body.shell.area_share, 1000 * proxy.offset / mesh.size())});
  body.proxy = main_shell(proxy.mesh);
  body.shell = all_shells(mesh);
  return body;
}

// Distances of a body's own vertices: those of the nearest points of the surface that they are measured on.
Eigen::MatrixXd own_distances(const MatchedBody& body, const Eigen::MatrixXd& distances) {
  if (!body.proxy) return distances;
  const geometry::TriangleSurface& surface = body.proxy->surface;
  const geometry::RayScene scene(geometry::TriangleSoup{surface.positions, surface.triangles});
  const std::vector<geometry::ClosestPoint> points = scene.closest_points(body.shell.surface.positions);
  Eigen::MatrixXd own = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(points.size()), distances.cols());
  for (std::size_t v = 0; v < points.size(); ++v)
    for (int k = 0; k < 3; ++k)
      own.row(static_cast<Eigen::Index>(v)) +=
          points[v].barycentric[k] * distances.row(surface.triangles[points[v].triangle][static_cast<std::size_t>(k)]);
  return own;
}

/// Both bodies, their landmarks and the matches between their shells.
struct Matching {
  MatchedBody our_body, their_body;
  const MainShell& ours() const { return our_body.shell; }
  const MainShell& theirs() const { return their_body.shell; }
  Landmarks landmarks;
  std::vector<VertexMatch> matches;  // Per vertex of the target's shell.
  double area = 0;                   // Of the reference's shell.
  Eigen::MatrixXd our_distances;
  geometry::Lists our_rings;
  Findings findings;
};

geometry::Lists surface_rings(const geometry::TriangleSurface& surface) {
  std::vector<std::vector<Index>> rings(surface.positions.size());
  for (const auto& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) rings[t[k]].push_back(t[(k + 1) % 3]), rings[t[k]].push_back(t[(k + 2) % 3]);
  geometry::Lists lists;
  for (auto& ring : rings) {
    std::sort(ring.begin(), ring.end());
    ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
    lists.items.insert(lists.items.end(), ring.begin(), ring.end());
    lists.offsets.push_back(static_cast<Index>(lists.items.size()));
  }
  return lists;
}

double surface_area(const geometry::TriangleSurface& s) {
  double area = 0;
  for (const auto& t : s.triangles)
    area += 0.5 * (s.positions[t[1]] - s.positions[t[0]]).cross(s.positions[t[2]] - s.positions[t[0]]).norm();
  return area;
}

// Descriptors above weighted normals; those of the target rotate with its bones.
Descriptions describe(const Eigen::MatrixXd& distances, const MainShell& shell, const std::vector<NearestBone>& nearest,
                      const std::vector<std::vector<PairedBone>>* turned, double orientation) {
  Descriptions result;
  const Eigen::MatrixXf descriptors = landmark_descriptors(distances);
  result.features.resize(descriptors.rows() + 3, descriptors.cols());
  result.features.topRows(descriptors.rows()) = descriptors;
  const double weight = std::sqrt(orientation / 2);
  for (std::size_t v = 0; v < nearest.size(); ++v) {
    Vec3 normal = shell.normals[v];
    if (turned != nullptr) normal = (*turned)[nearest[v].pair][nearest[v].bone].turn * normal;
    result.features.bottomRows(3).col(static_cast<Eigen::Index>(v)) = (weight * normal).cast<float>();
  }
  result.nearest = nearest;
  result.positions = shell.surface.positions;
  return result;
}

// Fills in the matches, from the distances of each body's own vertices.
void match_shells(Matching& m, const Eigen::MatrixXd& their_distances, const TransferInput& input,
                  const std::vector<std::vector<PairedBone>>& bones, const BiharmonicOptions& options) {
  const bool paper = options.mode == MatchRules::kPaper;
  const double orientation = paper ? 0 : options.orientation_weight;
  const std::vector<NearestBone> our_bones = nearest_bones(m.ours().surface.positions, bones, false);
  const std::vector<NearestBone> their_bones = nearest_bones(m.theirs().surface.positions, bones, true);
  std::vector<char> donor;
  for (const Index v : m.ours().vertex) donor.push_back(input.reference.weights.row(v).empty() ? 0 : 1);
  if (std::find(donor.begin(), donor.end(), 1) == donor.end())
    throw Error("The largest connected surface of the reference has no weights.");
  m.our_rings = surface_rings(m.ours().surface);
  m.area = surface_area(m.our_body.domain().surface);
  m.matches = match_vertices(describe(m.our_distances, m.ours(), our_bones, nullptr, orientation),
                             describe(their_distances, m.theirs(), their_bones, &bones, orientation),
                             input.correspondence, bones, donor, m.our_rings,
                             {.along = paper ? 0 : options.along,
                              .size = input.reference.mesh.size(),
                              .apart = kElsewhere * std::sqrt(m.area),
                              .dilate = !paper});
}

Matching make_matching(const TransferInput& input, const BiharmonicOptions& options, const Progress& progress) {
  const bool paper = options.mode == MatchRules::kPaper;
  Matching m;
  input.begin("modes");
  m.our_body = matched_body(input.reference.mesh, "reference", m.findings, progress);
  m.their_body = matched_body(input.target.mesh, "target", m.findings, progress);
  const MainShell &ours = m.our_body.domain(), &theirs = m.their_body.domain();
  if (input.correspondence.pairs.empty()) throw Error("The characters have no joints in common.");
  const auto bones = paired_bones(input.reference, input.target, input.correspondence);
  const auto count = static_cast<std::size_t>(paper ? 5 : options.landmark_count);
  m.landmarks =
      input.landmarks != nullptr && !input.landmarks->empty()
          ? given_landmarks(*input.landmarks, ours, theirs)
          : propose_landmarks(input.reference, ours, input.target, theirs, input.correspondence, bones, count);
  const Eigen::MatrixXd here = shell_distances(ours, m.landmarks.reference, options, input.store, progress);
  const Eigen::MatrixXd there = shell_distances(theirs, m.landmarks.target, options, input.store, progress);
  input.begin("matching");
  progress.step("matching vertices");
  const Findings doubts =
      check_landmarks(m.landmarks, input.correspondence, nearest_bones(ours.surface.positions, bones, false),
                      nearest_bones(theirs.surface.positions, bones, true), here, there);
  m.findings.insert(m.findings.end(), doubts.begin(), doubts.end());
  m.our_distances = own_distances(m.our_body, here);
  match_shells(m, own_distances(m.their_body, there), input, bones, options);
  return m;
}

std::vector<Influence> blended_row(const SkinWeights& weights, const MainShell& shell,
                                   const std::vector<std::pair<Index, double>>& donors) {
  std::vector<std::pair<Index, double>> all;
  double total = 0;
  for (const auto& [vertex, share] : donors) {
    total += share;
    for (const Influence& influence : weights.row(shell.vertex[vertex]))
      all.emplace_back(influence.joint, share * static_cast<double>(influence.weight));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Influence> row;
  for (std::size_t i = 0, next = 0; i < all.size(); i = next) {
    double weight = 0;
    for (next = i; next < all.size() && all[next].first == all[i].first; ++next) weight += all[next].second;
    row.push_back({all[i].first, static_cast<float>(weight / total)});
  }
  return row;
}

// Eq. 23: by inverse squares of the costs; in the paper's form the next three and the best's distances to them.
std::vector<std::pair<Index, double>> shepard_donors(const Matching& m, const VertexMatch& match, bool paper) {
  std::vector<std::pair<Index, double>> donors;
  if (!paper && match.cost2[0] < kSameVertex2) return {{match.vertex[0], 1.0}};
  for (std::size_t k = 0; k < match.vertex.size() && match.vertex[k] != kNone; ++k) {
    if (!paper) {
      donors.emplace_back(match.vertex[k], 1 / (match.cost2[k] + kShepardEpsilon2));
    } else if (k > 0) {
      const auto difference = m.our_distances.row(match.vertex[k]) - m.our_distances.row(match.vertex[0]);
      donors.emplace_back(match.vertex[k], 1 / std::max(difference.norm(), 1e-9));
    }
  }
  if (donors.empty()) donors.emplace_back(match.vertex[0], 1.0);
  return donors;
}

double cost_ratio(const VertexMatch& match) {
  if (match.cost2[0] < kSameVertex2) return std::numeric_limits<double>::infinity();
  return std::sqrt(match.other_cost2 / match.cost2[0]);
}

float match_trust(const VertexMatch& match) {
  return static_cast<float>(std::clamp((cost_ratio(match) - 1) / (kUnambiguous - 1), 0.0, 1.0));
}

// Two rounds where the match is ambiguous.
SkinWeights cleaned(const SkinWeights& welded, const std::vector<float>& confidence, const Mesh& mesh,
                    const geometry::Welding& welding) {
  const geometry::Lists rings = geometry::one_rings(mesh, &welding);
  geometry::Lists inner;
  for (Index w = 0; w < rings.size(); ++w) {
    if (confidence[welding.first[w]] < 0.5F) inner.items.insert(inner.items.end(), rings[w].begin(), rings[w].end());
    inner.offsets.push_back(static_cast<Index>(inner.items.size()));
  }
  return binding::smoothed(welded, inner, kCleanRounds, 0.5);
}

// The vertex of the mesh at a vertex of the surface that distances are measured on.
Index mesh_vertex(const MatchedBody& body, Index vertex) {
  if (!body.proxy) return body.shell.vertex[vertex];
  const std::vector<Vec3>& places = body.shell.surface.positions;
  const Vec3& at = body.proxy->surface.positions[vertex];
  const auto nearer = [&](const Vec3& a, const Vec3& b) { return (a - at).squaredNorm() < (b - at).squaredNorm(); };
  return body.shell
      .vertex[static_cast<std::size_t>(std::min_element(places.begin(), places.end(), nearer) - places.begin())];
}

// The matches as one smooth map, for the improved rules.
SmoothMap smoothed_matches(const Matching& m, const TransferInput& input, double no_match2, const Progress& progress) {
  RoughMap rough;
  for (const VertexMatch& match : m.matches) {
    rough.donors.push_back(shepard_donors(m, match, false));
    for (auto& [vertex, share] : rough.donors.back()) vertex = m.ours().vertex[vertex];
    rough.trust.push_back(match.cost2[0] <= no_match2 ? static_cast<double>(match_trust(match)) : 0);
  }
  return smooth_map(input.reference, input.target, input.correspondence, m.theirs(), rough, progress);
}

double no_match_limit(const std::vector<VertexMatch>& matches) {
  std::vector<double> costs2;
  for (const VertexMatch& match : matches) costs2.push_back(match.cost2[0]);
  const auto middle = costs2.begin() + static_cast<std::ptrdiff_t>(costs2.size() / 2);
  std::nth_element(costs2.begin(), middle, costs2.end());
  return std::max(kNoMatch2, kNoMatchMedians * *middle);
}

}  // namespace

WeightTransfer transfer_biharmonic(const TransferInput& input, const BiharmonicOptions& options,
                                   const TransferOptions& common, const Progress& progress) {
  const Matching m = make_matching(input, options, progress);
  const Mesh& mesh = input.target.mesh;
  const bool paper = options.mode == MatchRules::kPaper;
  const SkinWeights weights = input.reference.weights.normalized();
  SkinWeights start;
  std::vector<char> known;
  WeightTransfer result;
  double cost = 0;
  const double no_match2 = no_match_limit(m.matches);
  for (const VertexMatch& match : m.matches) cost += std::sqrt(match.cost2[0]);
  const SmoothMap smooth = paper ? SmoothMap{} : smoothed_matches(m, input, no_match2, progress);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Index s = m.theirs().of_vertex[v];
    const bool same = s != kNone && m.matches[s].cost2[0] < kSameVertex2;
    const bool mapped = !paper && !same && smooth.found[v] != 0;
    known.push_back(mapped || (s != kNone && (m.matches[s].cost2[0] <= no_match2 || paper)));
    if (mapped) start.add_row(smooth.row[v]);
    else if (known.back() != 0) start.add_row(blended_row(weights, m.ours(), shepard_donors(m, m.matches[s], paper)));
    else start.add_row({});
  }
  if (std::find(known.begin(), known.end(), 1) == known.end())
    throw Error("No vertex of the target is like one of the reference. Check the landmarks.");
  InpaintResult spread = inpaint(mesh, start, known, progress);
  Index inpainted = 0, copied = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const char how = spread.reached[v];
    inpainted += how == 1, copied += how == 2;
    result.level.push_back(how == 0 ? Level::kMatched : how == 1 ? Level::kInpainted : Level::kCopied);
    const Index s = m.theirs().of_vertex[v];
    result.confidence.push_back(how == 0 && s != kNone ? match_trust(m.matches[s])
                                : how != 2             ? kSpreadRowConfidence
                                                       : kOtherShellConfidence);
  }
  const auto tell = [&](const char* method, Index count, const char* text) {
    if (count > 0) result.fallbacks.push_back({"transfer.unmatched", method, count, text});
  };
  tell("inpaint", inpainted, "Vertices unlike any of the reference received weights spread from surrounding vertices.");
  tell("nearest", copied, "Vertices of other shells received the weights of the nearest vertex.");
  result.fallbacks.insert(result.fallbacks.end(), spread.fallbacks.begin(), spread.fallbacks.end());
  result.warnings = m.findings;
  result.metrics["landmarks"] = m.landmarks.names;
  result.metrics["mean_cost"] = cost / static_cast<double>(m.matches.size());
  const geometry::Welding welding = geometry::weld(mesh);
  SkinWeights rows;
  for (const Index v : welding.first) rows.add_row(spread.weights.row(v));
  Index pieces = 0;
  if (!paper) {
    rows = cleaned(rows, result.confidence, mesh, welding);
    rows = rigid_pieces(rows, mesh, welding, mesh.size(), pieces, m.their_body.proxy ? kMatchedPieces : RigidRules{});
  }
  result.metrics["rigid_pieces"] = pieces;
  finish_rows(result, rows, mesh, welding, common);
  result.regions = unmatched_regions(result, mesh, welding);
  return result;
}

TransferMethod biharmonic_method() {
  return {.id = "biharmonic",
          .name = "biharmonic-distance",
          .when = "Bodies whose surfaces correspond, in any pose, by landmarks and distances along the surface.",
          .options = BiharmonicOptions(),
          .transfer = [](const TransferInput& input, const TransferOptions& common, const AnyOptions& own,
                         const Progress& progress) {
            return transfer_biharmonic(input, own.as<BiharmonicOptions>(), common, progress);
          }};
}

BiharmonicMatch match_biharmonic(const TransferInput& input, const BiharmonicOptions& options,
                                 const Progress& progress) {
  Matching m = make_matching(input, options, progress);
  BiharmonicMatch result;
  for (const Index s : m.theirs().of_vertex) {
    result.best.push_back(s == kNone ? kNone : m.ours().vertex[m.matches[s].vertex[0]]);
    result.cost.push_back(s == kNone ? 0 : std::sqrt(m.matches[s].cost2[0]));
    result.ratio.push_back(s == kNone ? 0 : cost_ratio(m.matches[s]));
  }
  result.landmarks = std::move(m.landmarks);
  for (Index& v : result.landmarks.reference) v = mesh_vertex(m.our_body, v);
  for (Index& v : result.landmarks.target) v = mesh_vertex(m.their_body, v);
  result.findings = std::move(m.findings);
  return result;
}

}  // namespace sinew::transfer
