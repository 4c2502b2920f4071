// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/biharmonic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/shapes/kinds.h"
#include "sinew/transfer/biharmonic/proxy.h"
#include "sinew/transfer/surface/closest_point.h"

namespace sinew::transfer {
namespace {

Character varied_human(int seed, const char* pose, double vary, int vertices = 2500) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  options.seed = seed;
  options.vary = vary;
  options.made_pose = pose;
  return shapes::make("human", options).made.character;
}

/// Two made humans with the same joints, and vertices in the same order.
struct Family {
  Character from, to;
  Reference reference;
  TransferBody target;
  Correspondence pairs;

  Family(Character a, Character b)
      : from(std::move(a)),
        to(std::move(b)),
        reference{{from.rig.mesh, from.rig.skeleton, rest_matrices(from.rig.skeleton)}, from.rig.weights.normalized()},
        target{to.rig.mesh, to.rig.skeleton, rest_matrices(to.rig.skeleton)} {
    std::vector<std::pair<Index, Index>> joints;
    for (Index j = 0; j < from.rig.skeleton.size(); ++j)
      if (from.rig.skeleton.joints[j].deforming) joints.emplace_back(j, j);
    pairs = correspond(from.rig.skeleton, to.rig.skeleton, joints);
  }
  TransferInput input() const { return {reference, target, pairs}; }

  double gross(const BiharmonicMatch& match) const {
    const double limit = 0.05 * from.rig.mesh.size();
    double count = 0;
    for (Index v = 0; v < match.best.size(); ++v)
      count += match.best[v] != kNone &&
               (from.rig.mesh.positions[match.best[v]] - from.rig.mesh.positions[v]).norm() > limit;
    return count / static_cast<double>(match.best.size());
  }
};

BiharmonicOptions quick() {
  BiharmonicOptions options;
  options.modes = 64;
  options.exact_below = 0;
  return options;
}

double mean_half_l1(const SkinWeights& a, const SkinWeights& b) { return measure::weight_agreement(a, b).mean_half_l1; }

TEST(BiharmonicTransfer, ToItselfEveryVertexFindsItselfAndPublishedRulesDoNot) {
  const Family same(varied_human(0, "a", 0), varied_human(0, "a", 0));
  TransferOptions all;
  all.max_influences = 0;
  const BiharmonicMatch match = match_biharmonic(same.input(), quick());
  for (Index v = 0; v < match.best.size(); ++v)
    EXPECT_EQ(same.from.rig.mesh.positions[match.best[v]], same.from.rig.mesh.positions[v]) << v;
  const WeightTransfer made = transfer_biharmonic(same.input(), quick(), all);
  EXPECT_LT(mean_half_l1(made.weights, same.reference.weights), 1e-6);
  BiharmonicOptions paper = quick();
  paper.mode = MatchRules::kPaper;
  EXPECT_GT(mean_half_l1(transfer_biharmonic(same.input(), paper, all).weights, same.reference.weights), 1e-3);
}

TEST(BiharmonicTransfer, FamiliesInOtherPosesAreBelowTheStatedErrorAndClearlyBelowClosestPoints) {
  const Character reference = varied_human(0, "a", 0);
  for (const int seed : {1, 4}) {
    const Family family(reference, varied_human(seed, "t", 0.5));
    ASSERT_EQ(family.from.rig.mesh.vertex_count(), family.to.rig.mesh.vertex_count());
    const WeightTransfer made = transfer_biharmonic(family.input(), quick());
    const double error = mean_half_l1(made.weights, family.reference.weights);
    EXPECT_LT(error, 0.05) << seed;
    EXPECT_LT(error, 0.3 * mean_half_l1(transfer_closest_point(family.reference, family.target, {}).weights,
                                        family.reference.weights))
        << seed;
    EXPECT_LT(family.gross(match_biharmonic(family.input(), quick())), 0.12) << seed;
  }
}

// Every joint's faces as a shell of their own, a little apart: vertices in the order of `Parts::of`.
struct Parts {
  Character character;
  std::vector<Index> of;  // Vertices of the whole character.
};

Parts taken_apart(const Character& whole) {
  Parts parts{whole, {}};
  const Mesh& mesh = whole.rig.mesh;
  std::map<Index, std::vector<Index>> faces;
  for (Index f = 0; f < mesh.face_count(); ++f) faces[whole.rig.weights.row(mesh.face(f)[0])[0].joint].push_back(f);
  Mesh cut;
  SkinWeights rows;
  for (const auto& [joint, own] : faces) {
    std::map<Index, Index> number;
    MeshPart part;
    part.first_vertex = cut.vertex_count(), part.first_face = cut.face_count();
    for (const Index f : own) {
      std::vector<Index> corners(mesh.face(f).begin(), mesh.face(f).end());
      for (Index& v : corners) {
        const auto [at, added] = number.emplace(v, cut.vertex_count());
        if (added) {
          cut.positions.push_back(mesh.positions[v] + 1e-3 * Vec3(joint % 3, joint % 2, joint % 5));
          rows.add_row(whole.rig.weights.row(v));
          parts.of.push_back(v);
        }
        v = at->second;
      }
      cut.add_face(corners);
    }
    part.vertex_count = cut.vertex_count() - part.first_vertex;
    part.face_count = cut.face_count() - part.first_face;
    cut.parts.push_back(part);
  }
  parts.character.rig.mesh = cut;
  parts.character.rig.weights = rows;
  return parts;
}

TEST(BiharmonicTransfer, BodiesOfManyShellsAreMeasuredOnAClosedSurfaceAroundThem) {
  const Character reference = varied_human(0, "a", 0);
  const Parts apart = taken_apart(varied_human(1, "t", 0.5));
  const Family whole(reference, varied_human(1, "t", 0.5)), family(reference, apart.character);
  const WeightTransfer made = transfer_biharmonic(family.input(), quick());
  ASSERT_EQ(made.warnings.front().code, "transfer.proxy");
  SkinWeights truth;
  for (const Index v : apart.of) truth.add_row(family.reference.weights.row(v));
  const double joined = mean_half_l1(transfer_biharmonic(whole.input(), quick()).weights, whole.reference.weights);
  EXPECT_LT(mean_half_l1(made.weights, truth), 2 * joined);
  EXPECT_LT(mean_half_l1(made.weights, truth), 0.08);
  // And onto itself every vertex of every shell finds itself.
  const Family same(apart.character, apart.character);
  TransferOptions all;
  all.max_influences = 0;
  EXPECT_LT(mean_half_l1(transfer_biharmonic(same.input(), quick(), all).weights, same.reference.weights), 0.02);
}

TEST(ClosedProxy, EnclosesAllShellsAndRefusesThoseFarApart) {
  Mesh mesh = taken_apart(varied_human(0, "a", 0)).character.rig.mesh;
  const ClosedProxy proxy = closed_proxy(mesh);
  const geometry::TopologyCounts counts = geometry::topology(proxy.mesh, geometry::weld(proxy.mesh)).total;
  EXPECT_TRUE(counts.encloses());
  EXPECT_EQ(geometry::components(proxy.mesh).count, 1U);
  EXPECT_LT(proxy.offset, 0.01 * mesh.size());
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_LT(proxy.mesh.bounds().lower[axis], mesh.bounds().lower[axis]);
    EXPECT_GT(proxy.mesh.bounds().upper[axis], mesh.bounds().upper[axis]);
  }
  const Index half = mesh.parts[mesh.parts.size() / 2].first_vertex;
  for (Index v = half; v < mesh.vertex_count(); ++v) mesh.positions[v].x() += 20;
  EXPECT_THROW(closed_proxy(mesh), Error);
}

/// A small box in the middle of the head that follows another joint than the skin around it, as teeth do.
void add_block(Character& character, Index joint) {
  Mesh& mesh = character.rig.mesh;
  const Skeleton& skeleton = character.rig.skeleton;
  const Vec3 head = rest_matrices(skeleton)[skeleton.find("Head")].topRightCorner<3, 1>();
  const double up = mesh.bounds().upper.y() - head.y();
  const Index first = mesh.vertex_count();
  for (int i = 0; i < 8; ++i) {
    const Vec3 corner(i % 2 == 0 ? -1 : 1, i / 2 % 2 == 0 ? -1 : 1, i / 4 == 0 ? -1 : 1);
    mesh.positions.push_back(head + Vec3(0, 0.5 * up, 0) + 0.1 * up * corner);
    character.rig.weights.add_row({Influence{joint, 1.0F}});
  }
  for (const std::array<Index, 4>& face :
       {std::array<Index, 4>{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    std::vector<Index> corners;
    for (const Index k : face) corners.push_back(first + k);
    mesh.add_face(corners);
  }
  mesh.normals = {}, mesh.uvs = {};
  mesh.parts.back().vertex_count += 8, mesh.parts.back().face_count += 6;
}

TEST(BiharmonicTransfer, InnerSurfacesKeepTheRowsOfTheirOwn) {
  Character from = varied_human(0, "a", 0), to = varied_human(3, "t", 0.5);
  const Index joint = from.rig.skeleton.find("Neck");
  ASSERT_NE(joint, kNone);
  const Index first = to.rig.mesh.vertex_count();
  add_block(from, joint), add_block(to, joint);
  const Family family(std::move(from), std::move(to));
  const WeightTransfer made = transfer_biharmonic(family.input(), quick());
  for (Index v = first; v < first + 8; ++v) {
    ASSERT_EQ(made.weights.row(v).size(), 1U);
    EXPECT_EQ(made.weights.row(v)[0].joint, joint);
  }
}

TEST(BiharmonicTransfer, WithoutOrientationFrontAndBackAreConfused) {
  const Family family(varied_human(0, "a", 0), varied_human(1, "a", 0.5));
  BiharmonicOptions published = quick();
  published.orientation_weight = published.along = 0;
  BiharmonicOptions oriented = published;
  oriented.orientation_weight = 0.03;
  const double without = family.gross(match_biharmonic(family.input(), published));
  const double with = family.gross(match_biharmonic(family.input(), oriented));
  EXPECT_GT(without, 2 * with);
}

TEST(BiharmonicTransfer, RowsSumToOneAndConstantRowsStayConstant) {
  Character constant = varied_human(0, "a", 0);
  SkinWeights rows;
  for (Index v = 0; v < constant.rig.mesh.vertex_count(); ++v) rows.add_row({{2, 0.75F}, {5, 0.25F}});
  constant.rig.weights = rows;
  const Family family(constant, varied_human(2, "t", 0.5));
  const WeightTransfer made = transfer_biharmonic(family.input(), quick());
  for (Index v = 0; v < made.weights.row_count(); ++v) {
    ASSERT_EQ(made.weights.row(v).size(), 2U);
    EXPECT_NEAR(made.weights.row(v)[0].weight, 0.75F, 1e-5F);
  }
}

TEST(BiharmonicTransfer, SwappedLandmarksAreReported) {
  const Family family(varied_human(0, "a", 0), varied_human(3, "a", 0.5));
  const BiharmonicMatch proposed = match_biharmonic(family.input(), quick());
  EXPECT_TRUE(proposed.findings.empty());
  std::mt19937 random(5);
  const std::size_t count = proposed.landmarks.size();
  std::uniform_int_distribution<std::size_t> pick(0, count - 1);
  int found = 0;
  constexpr int kSwaps = 12;
  for (int i = 0; i < kSwaps; ++i) {
    std::vector<LandmarkPair> given;
    for (std::size_t l = 0; l < count; ++l)
      given.push_back({proposed.landmarks.names[l], family.from.rig.mesh.positions[proposed.landmarks.reference[l]],
                       family.to.rig.mesh.positions[proposed.landmarks.target[l]]});
    const std::size_t a = pick(random), b = (a + 1 + pick(random) % (count - 1)) % count;
    std::swap(given[a].target, given[b].target);
    TransferInput input = family.input();
    input.landmarks = &given;
    found += !match_biharmonic(input, quick()).findings.empty();
  }
  EXPECT_EQ(found, kSwaps);
}

TEST(BiharmonicTransfer, KeptModesGiveTheSameBytes) {
  const Family family(varied_human(0, "a", 0, 1200), varied_human(3, "a", 0.5, 1200));
  std::map<std::string, std::vector<std::byte>> kept;
  int stored = 0;
  const PreparedStore store{.load = [&](const std::string& key) -> std::optional<std::vector<std::byte>> {
                              const auto at = kept.find(key);
                              if (at == kept.end()) return std::nullopt;
                              return at->second;
                            },
                            .store =
                                [&](const std::string& key, std::span<const std::byte> bytes) {
                                  EXPECT_EQ(key.size(), 64U);
                                  kept[key].assign(bytes.begin(), bytes.end());
                                  ++stored;
                                }};
  TransferInput input = family.input();
  input.store = &store;
  set_thread_count(1);
  const WeightTransfer first = transfer_biharmonic(input, quick());
  set_thread_count(0);
  const WeightTransfer second = transfer_biharmonic(input, quick());
  EXPECT_EQ(stored, 2);
  EXPECT_TRUE(first.weights == second.weights);
  EXPECT_EQ(first.confidence, second.confidence);
}

TEST(BiharmonicTransfer, OtherShellsTakeTheRowsOfTheMainOneAndTooFewLandmarksAreRefused) {
  Character two = varied_human(3, "a", 0.5, 1200);
  Mesh& mesh = two.rig.mesh;
  const Index first = mesh.vertex_count();
  const Vec3 head = mesh.bounds().upper;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(0.01, 0, 0), Vec3(0, 0.01, 0)}) mesh.positions.push_back(head + p);
  mesh.add_face(std::vector<Index>{first, first + 1, first + 2});
  mesh.parts.back().vertex_count += 3, mesh.parts.back().face_count += 1;
  mesh.normals = {}, mesh.uvs = {}, mesh.colors.clear(), mesh.face_materials.clear();
  const Family family(varied_human(0, "a", 0, 1200), two);
  const WeightTransfer made = transfer_biharmonic(family.input(), quick());
  for (Index v = first; v < first + 3; ++v) EXPECT_FALSE(made.weights.row(v).empty());
  EXPECT_EQ(made.levels[static_cast<std::size_t>(Level::kCopied)], 3U);
  const std::vector<LandmarkPair> few(3);
  TransferInput input = family.input();
  input.landmarks = &few;
  EXPECT_THROW(transfer_biharmonic(input, quick()), Error);
}

}  // namespace
}  // namespace sinew::transfer
