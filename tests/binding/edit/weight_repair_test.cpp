// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_repair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "sinew/binding/edit/weight_repair_compare.h"
#include "sinew/core/parallel.h"
#include "sinew/shapes/kinds.h"

namespace sinew::binding {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Kind {
  const char* name;
  const char* thigh;   // Whose weights are planted …
  const char* finger;  // … on this joint and all below it.
  bool clothes = false;
  bool generated = false;
};

const std::vector<Kind>& kinds_to_try() {
  static const std::vector<Kind> kinds = {{"human", "LeftThigh", "LeftIndex1"},
                                          {"human", "RightThigh", "LeftHand", true},
                                          {"human", "LeftThigh", "LeftHand", false, true},
                                          {"quadruped", "", ""},
                                          {"bird", "", ""},
                                          {"octopus", "", ""}};
  return kinds;
}

std::string label(const Kind& kind) {
  return std::string(kind.name) + (kind.clothes ? " with clothes" : "") + (kind.generated ? " generated" : "");
}

// Made once each.
const Rig& rig_of(const Kind& kind) {
  static std::map<std::string, Rig> rigs;
  const auto [at, fresh] = rigs.try_emplace(label(kind));
  if (!fresh) return at->second;
  shapes::MakeOptions options;
  options.vertices = kind.generated ? 12000 : 4000;
  options.clothes = kind.clothes;
  options.generated = kind.generated;
  return at->second = shapes::make(kind.name, options).made.character.rig;
}

// What was planted, and what it was planted in.
struct Planted {
  SkinWeights weights;
  std::vector<char> marked;
};

template <class Plant>
Planted plant(const Rig& rig, Plant&& spoil) {
  Planted planted;
  planted.marked.assign(rig.weights.row_count(), 0);
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    std::vector<Influence> row(rig.weights.row(v).begin(), rig.weights.row(v).end());
    planted.marked[v] = spoil(v, row) ? 1 : 0;
    planted.weights.add_row(row);
  }
  return planted;
}

Subject subject_of(const Rig& rig) { return rest_subject(rig.mesh, rig.skeleton); }

Repaired repair(const Rig& rig, const SkinWeights& weights, const std::vector<Index>& locked = {}) {
  return repaired(weights, subject_of(rig), edit_surface(rig.mesh, weights), edit_scope(rig, locked));
}

void expect_found(const Rig& rig, const Planted& planted, const std::string& what) {
  SCOPED_TRACE(what);
  const Repaired result = repair(rig, planted.weights);
  Index all = 0, found = 0, good = 0, touched = 0;
  for (Index v = 0; v < planted.marked.size(); ++v) {
    const bool flagged = result.faults.of_vertex[v] != Fault::kNone;
    if (planted.marked[v]) ++all, found += flagged;
    else ++good, touched += flagged;
    const auto own = planted.weights.row(v), now = result.weights.row(v);
    ASSERT_TRUE(flagged || std::equal(own.begin(), own.end(), now.begin(), now.end()));
    double sum = 0;
    for (const Influence& influence : now) {
      ASSERT_TRUE(std::isfinite(influence.weight) && influence.weight > 0);
      sum += static_cast<double>(influence.weight);
    }
    ASSERT_NEAR(sum, 1, 1e-4);
  }
  ASSERT_GT(all, 0U);
  EXPECT_GE(found, 0.95 * all);
  EXPECT_LE(touched, 0.01 * good);
}

// Two joints with skin, as far from each other as can be.
std::pair<Index, Index> far_joints(const Rig& rig) {
  std::vector<Index> rows(rig.skeleton.size(), 0);
  for (Index v = 0; v < rig.weights.row_count(); ++v) ++rows[rig.weights.row(v).front().joint];
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  std::pair<Index, Index> best(kNone, kNone);
  double farthest = 0;
  for (Index a = 0; a < rig.skeleton.size(); ++a)
    for (Index b = 0; b < rig.skeleton.size(); ++b) {
      const double distance = (rest[a].topRightCorner<3, 1>() - rest[b].topRightCorner<3, 1>()).norm();
      if (rows[a] >= 10 && rows[b] >= 10 && distance > farthest) farthest = distance, best = {a, b};
    }
  return best;
}

TEST(WeightRepair, FindsNothingInGoodRigs) {
  for (const Kind& kind : kinds_to_try()) {
    const Rig& rig = rig_of(kind);
    const Faults faults =
        find_faults(rig.weights, subject_of(rig), edit_surface(rig.mesh, rig.weights), edit_scope(rig));
    EXPECT_GE(faults.vertices[0], 0.995 * rig.mesh.vertex_count()) << label(kind);
  }
}

TEST(WeightRepair, FindsUnweightedHorns) {
  for (const Kind& kind : kinds_to_try()) {
    const Rig& rig = rig_of(kind);
    const double top = rig.mesh.bounds().upper.y() - 0.04 * rig.mesh.size();
    expect_found(rig,
                 plant(rig,
                       [&](Index v, std::vector<Influence>& row) {
                         if (rig.mesh.positions[v].y() < top) return false;
                         row.clear();
                         return true;
                       }),
                 label(kind));
  }
}

TEST(WeightRepair, FindsRowsThatAreNoNumbersNegativeOrOfAWrongSum) {
  for (const Kind& kind : kinds_to_try()) {
    const Rig& rig = rig_of(kind);
    std::mt19937 dice(7);
    expect_found(rig,
                 plant(rig,
                       [&](Index, std::vector<Influence>& row) {
                         const float wrong = dice() % 2 ? 0.6F : 1.7F;
                         switch (dice() % 40) {
                           case 0:
                             row[dice() % row.size()].weight = kNan;
                             return true;
                           case 1:
                             row[0].weight = std::numeric_limits<float>::infinity();
                             return true;
                           case 2:
                             row.push_back({row[0].joint == 0 ? 1U : 0U, -0.25F});
                             return true;
                           case 3:
                           case 4:
                             for (Influence& i : row) i.weight *= wrong;
                             return true;
                           default:
                             return false;
                         }
                       }),
                 label(kind));
  }
}

TEST(WeightRepair, FindsThighWeightsOnFingersAndTheLikeInOtherBodies) {
  for (const Kind& kind : kinds_to_try()) {
    const Rig& rig = rig_of(kind);
    Index from = rig.skeleton.find(kind.thigh), onto = rig.skeleton.find(kind.finger);
    if (*kind.thigh == '\0') std::tie(from, onto) = far_joints(rig);
    ASSERT_NE(from, kNone);
    ASSERT_NE(onto, kNone);
    std::vector<char> below(rig.skeleton.size(), 0);
    for (Index j = 0; j < below.size(); ++j) {
      const Index parent = rig.skeleton.joints[j].parent;
      below[j] = j == onto || (parent != kNone && below[parent]);
    }
    for (const float share : {0.3F, 0.7F, 1.0F}) {
      // Specks that float beside a generated body have nothing round them to be judged by if all of them is wrong.
      if (kind.generated && share == 1.0F) continue;
      expect_found(rig,
                   plant(rig,
                         [&](Index v, std::vector<Influence>& row) {
                           if (!below[rig.weights.row(v).front().joint]) return false;
                           for (Influence& i : row) i.weight *= 1 - share;
                           row.push_back({from, share});
                           return true;
                         }),
                   label(kind) + " " + std::to_string(share));
    }
  }
}

// A few vertices that seem to be near the joint do not excuse a whole hand: a splinter from it reaches the thigh.
TEST(WeightRepair, FindsStrayPatchesOfWhichAFewVerticesAreNearTheJoint) {
  Rig rig = rig_of({"human", "", ""});
  const Index thigh = rig.skeleton.find("RightThigh"), hand = rig.skeleton.find("LeftHand");
  Index root = kNone;
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    if (rig.weights.row(v).front().joint == hand && root == kNone) root = v;
  ASSERT_NE(root, kNone);
  const Vec3 at = rig.mesh.positions[root], middle = rest_subject(rig.mesh, rig.skeleton).position(thigh);
  MeshPart& part = rig.mesh.parts.back();
  ASSERT_EQ(part.first_vertex + part.vertex_count, rig.mesh.vertex_count());
  const Index first = rig.mesh.vertex_count();
  for (const Vec3& p : {Vec3(at + Vec3(2e-4, 0, 0)), Vec3(middle - Vec3(0, 0.1, 0))}) {
    rig.mesh.positions.push_back(p);
    rig.weights.add_row({{hand, 1.0F}});
  }
  rig.mesh.add_face(std::array<Index, 3>{root, first, first + 1});
  part.vertex_count += 2, part.face_count += 1;
  rig.mesh.normals = {}, rig.mesh.uvs = {}, rig.mesh.colors.clear(), rig.mesh.face_materials.clear();
  expect_found(rig,
               plant(rig,
                     [&](Index v, std::vector<Influence>& row) {
                       if (rig.weights.row(v).front().joint != hand) return false;
                       for (Influence& i : row) i.weight *= 0.5F;
                       row.push_back({thigh, 0.5F});
                       return true;
                     }),
               "human with a splinter");
}

TEST(WeightRepair, MendsWithTheRowsThatWereThere) {
  const Rig& rig = rig_of({"human", "", ""});
  const Index thigh = rig.skeleton.find("LeftThigh"), finger = rig.skeleton.find("LeftIndex2");
  const Planted planted = plant(rig, [&](Index v, std::vector<Influence>& row) {
    if (rig.weights.row(v).front().joint != finger) return false;
    for (Influence& i : row) i.weight *= 0.6F;
    row.push_back({thigh, 0.4F});
    return true;
  });
  const Repaired result = repair(rig, planted.weights);
  EXPECT_GT(result.pruned, 0U);
  for (Index v = 0; v < planted.marked.size(); ++v)
    for (const Influence& influence : result.weights.row(v)) {
      double truth = 0;
      for (const Influence& i : rig.weights.row(v))
        truth += i.joint == influence.joint ? static_cast<double>(i.weight) : 0;
      ASSERT_NEAR(static_cast<double>(influence.weight), truth, 1e-5);
    }
}

TEST(WeightRepair, DoesNotJudgeOrChangeLockedJoints) {
  const Rig& rig = rig_of({"human", "", ""});
  const Index thigh = rig.skeleton.find("LeftThigh"), hand = rig.skeleton.find("LeftHand");
  const Planted planted = plant(rig, [&](Index v, std::vector<Influence>& row) {
    if (rig.weights.row(v).front().joint != hand) return false;
    for (Influence& i : row) i.weight *= 0.5F;
    row.push_back({thigh, 0.5F});
    return true;
  });
  const Repaired result = repair(rig, planted.weights, {thigh});
  EXPECT_EQ(result.weights, planted.weights);
}

TEST(WeightRepair, IsTheSameForAnyNumberOfThreads) {
  const Rig& rig = rig_of({"human", "", "", true});
  std::mt19937 dice(3);
  const Planted planted = plant(rig, [&](Index, std::vector<Influence>& row) {
    if (dice() % 20 != 0) return false;
    row[0].weight = kNan;
    return true;
  });
  std::vector<SkinWeights> results;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    results.push_back(repair(rig, planted.weights).weights);
  }
  set_thread_count(0);
  EXPECT_EQ(results[0], results[1]);
}

// A repair is judged by how much posed edges stretch: planting a fault is worse everywhere, taking it out nowhere.
TEST(WeightRepair, RegionsAreWorseWithAFaultAndNotWithout) {
  const Rig& rig = rig_of(kinds_to_try().front());
  const auto [joint, other] = far_joints(rig);
  const Planted planted = plant(rig, [own = joint, wrong = other](Index, std::vector<Influence>& row) {
    if (row.front().joint != own) return false;
    row = {{wrong, 1.0F}};
    return true;
  });
  const EditSurface surface = edit_surface(rig.mesh, rig.weights);
  const SkinWeights good = welded_rows(surface, rig.weights), bad = welded_rows(surface, planted.weights);
  std::vector<char> changed(surface.count(), 0);
  for (Index v = 0; v < planted.marked.size(); ++v)
    if (planted.marked[v]) changed[surface.welding.welded[v]] = 1;
  ASSERT_NE(std::count(changed.begin(), changed.end(), 1), 0);
  EXPECT_EQ(regions_made_worse(good, bad, changed, subject_of(rig), surface), changed);
  const std::vector<char> mended = regions_made_worse(bad, good, changed, subject_of(rig), surface);
  EXPECT_EQ(std::count(mended.begin(), mended.end(), 1), 0);
}

}  // namespace
}  // namespace sinew::binding
