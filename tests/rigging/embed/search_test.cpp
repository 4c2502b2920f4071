// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/rigging/embed/embedding.h"
#include "sinew/shapes/kinds.h"
#include "tests/rigging/embed/exhaustive_search.h"
#include "tests/rigging/toy_graph.h"

namespace sinew::rigging {
namespace {

using geometry::Random;

Vec3 random_point(Random& random) {
  const double x = random.uniform(), y = random.uniform(), z = random.uniform();
  return {x, y, z};
}

struct Puzzle {
  SphereGraph graph;
  ReducedTemplate reduced;
};

/// Spheres here and there, each joined to near ones; a tree of joints that lie about where some of them are, so that
/// most have an answer.
Puzzle random_puzzle(std::uint64_t seed) {
  Random random(seed);
  const Index count = 8 + random.below(5);
  std::vector<Sphere> spheres;
  for (Index i = 0; i < count; ++i) spheres.push_back({0.8 * random_point(random), 0.015 + 0.08 * random.uniform()});
  std::set<std::pair<Index, Index>> edges;
  for (Index u = 1; u < count; ++u) {
    std::vector<std::pair<double, Index>> before;
    for (Index v = 0; v < u; ++v) before.emplace_back((spheres[u].center - spheres[v].center).norm(), v);
    std::sort(before.begin(), before.end());
    for (std::size_t k = 0; k < std::min<std::size_t>(before.size(), 1 + random.below(2)); ++k)
      edges.insert({before[k].second, u});
  }
  Puzzle puzzle;
  puzzle.graph = test::toy_graph(spheres, {edges.begin(), edges.end()});
  const Index joints = 4 + random.below(3);
  for (Index i = 0; i < joints; ++i) {
    ReducedTemplate::Joint joint;
    joint.full = i;
    joint.position = spheres[random.below(count)].center + 0.1 * (random_point(random) - Vec3::Constant(0.5));
    if (i > 0) {
      joint.parent = random.below(std::min<Index>(i, 3));
      const Vec3 from = puzzle.reduced.joints[joint.parent].position;
      const Vec3 middle = 0.5 * (from + joint.position) + 0.05 * (random_point(random) - Vec3::Constant(0.5));
      joint.bones = {middle - from, joint.position - middle};
      for (const Vec3& bone : joint.bones) joint.length += bone.norm();
      for (const Vec3& bone : joint.bones) joint.shares.push_back(bone.norm() / joint.length);
    }
    puzzle.reduced.joints.push_back(joint);
  }
  for (ReducedTemplate::Joint& joint : puzzle.reduced.joints) {
    const Index own = joint.full;
    joint.leaf = std::none_of(puzzle.reduced.joints.begin(), puzzle.reduced.joints.end(),
                              [&](const ReducedTemplate::Joint& other) { return other.parent == own; });
    joint.foot = joint.leaf && random.below(3) == 0;
    joint.fat = !joint.leaf && random.below(3) == 0;
  }
  for (Index a = 1; a < joints; ++a) {
    for (Index b = 1; b < a; ++b) {
      ReducedTemplate::Joint& left = puzzle.reduced.joints[a];
      ReducedTemplate::Joint& right = puzzle.reduced.joints[b];
      if (!left.leaf || !right.leaf || left.parent != right.parent || left.partner != kNone || right.partner != kNone)
        continue;
      left.partner = b;
      right.partner = a;
    }
  }
  return puzzle;
}

double cost_of(const PenaltyModel& model, const Match& match) {
  double sum = 0;
  for (std::size_t i = 0; i < match.size(); ++i) {
    const auto terms = model.terms(std::span<const Index>(match.data(), i), match[i]);
    if (!terms) return PenaltyModel::kRejected;
    for (const double term : *terms) sum += term;
  }
  return sum;
}

/// Whether a leaf of `a` lies in another extremity than in `b`.
bool differs(const Puzzle& p, const Match& a, const Match& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!p.reduced.joints[i].leaf) continue;
    const Index u = b[p.reduced.joints[i].parent];
    bool near = false;
    for (const Index w : p.graph.path(u, b[i])) {
      if (2 * p.graph.way(u, w) < p.graph.way(u, b[i])) continue;
      const Sphere& s = p.graph.spheres[a[i]];
      const Sphere& t = p.graph.spheres[w];
      near = near || (s.center - t.center).norm() <= std::max(0.1, s.radius + t.radius);
    }
    if (!near) return true;
  }
  return false;
}

/// The cheapest of all matches that differ from one.
double cheapest_other(const PenaltyModel& model, const Puzzle& p, const Match& best, Match& match, double cost,
                      double bound) {
  if (match.size() == p.reduced.joints.size()) return differs(p, match, best) ? cost : bound;
  for (const Index v : model.candidates(static_cast<Index>(match.size()))) {
    const auto terms = model.terms(match, v);
    if (!terms) continue;
    double grown = cost;
    for (const double term : *terms) grown += term;
    if (grown >= bound) continue;
    match.push_back(v);
    bound = cheapest_other(model, p, best, match, grown, bound);
    match.pop_back();
  }
  return bound;
}

TEST(Search, FindsWhatTryingEverythingFinds) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Puzzle p = random_puzzle(seed);
    const SearchResult best = search(p.graph, p.reduced, Mat3::Identity(), {});
    const CheapestMatch all = exhaustive_search(p.graph, p.reduced);
    ASSERT_EQ(best.match.empty(), all.match.empty());
    EXPECT_TRUE(best.proven);
    if (best.match.empty()) {
      EXPECT_LT(best.died_at, p.reduced.joints.size());
      continue;
    }
    ++found;
    EXPECT_EQ(best.died_at, kNone);
    EXPECT_NEAR(best.penalty, all.penalty, 1e-12);
    const PenaltyModel model(p.graph, p.reduced);
    EXPECT_NEAR(cost_of(model, best.match), best.penalty, 1e-12);
    ASSERT_EQ(best.terms.size(), best.match.size());
  }
  EXPECT_GE(found, 60);
}

TEST(Search, RunnerUpIsTheCheapestMatchOfAnotherMeaning) {
  int with = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Puzzle p = random_puzzle(seed);
    const SearchResult best = search(p.graph, p.reduced, Mat3::Identity(), {});
    if (best.match.empty()) continue;
    const double limit = std::min(1.0, 2 * best.penalty + 0.05);
    Match match;
    const double other = cheapest_other(PenaltyModel(p.graph, p.reduced), p, best.match, match, 0, limit);
    if (best.runner_up.empty()) {
      EXPECT_EQ(other, limit);
      continue;
    }
    ++with;
    EXPECT_NEAR(best.runner_up_penalty, other, 1e-12);
    EXPECT_TRUE(differs(p, best.runner_up, best.match));
  }
  EXPECT_GE(with, 20);
}

TEST(Search, LooksOnlyBelowTheWorst) {
  int cut = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Puzzle p = random_puzzle(seed);
    const SearchResult best = search(p.graph, p.reduced, Mat3::Identity(), {});
    if (best.match.empty() || best.penalty < 1e-6) continue;
    SearchOptions options;
    options.worst = best.penalty * 1.0001;
    EXPECT_NEAR(search(p.graph, p.reduced, Mat3::Identity(), {}, options).penalty, best.penalty, 1e-12);
    options.worst = best.penalty * 0.9999;
    EXPECT_TRUE(search(p.graph, p.reduced, Mat3::Identity(), {}, options).match.empty());
    ++cut;
  }
  EXPECT_GE(cut, 20);
}

TEST(Search, ABeamThatHoldsEverythingFindsTheSameAndSaysThatItIsNotProven) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Puzzle p = random_puzzle(seed);
    SearchOptions options;
    options.most_entries = 2;
    const SearchResult beam = search(p.graph, p.reduced, Mat3::Identity(), {}, options);
    const SearchResult best = search(p.graph, p.reduced, Mat3::Identity(), {});
    ASSERT_EQ(beam.match.empty(), best.match.empty());
    EXPECT_NEAR(beam.penalty, best.penalty, 1e-12);
    compared += !beam.proven;
    options.beam = 1;  // May find nothing, but ends and is honest.
    const SearchResult narrow = search(p.graph, p.reduced, Mat3::Identity(), {}, options);
    if (!narrow.match.empty()) {
      EXPECT_GE(narrow.penalty, best.penalty - 1e-12);
    }
  }
  EXPECT_GE(compared, 20);
}

// --- a person of spheres

/// Trunk, head, arms and legs as rows of spheres about where `human_of_18` has them, in the unit frame.
SphereGraph person() {
  std::vector<Sphere> spheres;
  std::vector<std::pair<Index, Index>> edges;
  const auto row = [&](Index from, const Vec3& a, const Vec3& b, int count, double radius) {
    for (int k = 1; k <= count; ++k) {
      const auto number = static_cast<Index>(spheres.size());
      const double t = static_cast<double>(k) / count;
      spheres.push_back({(1 - t) * a + t * b, radius});
      if (from != kNone) edges.push_back({from, number});
      from = number;
    }
    return from;
  };
  const double unit = 0.9 / 1.75;
  const auto at = [&](double x, double y, double z) { return Vec3(unit * x, unit * y, unit * z); };
  const Index hips = row(kNone, at(0, 0.98, 0), at(0, 0.98, 0), 1, 0.075);
  const Index chest = row(hips, at(0, 0.98, 0), at(0, 1.36, 0), 4, 0.07);
  row(chest, at(0, 1.36, 0), at(0, 1.66, 0.02), 3, 0.04);
  for (const double side : {1.0, -1.0}) {
    const Index ankle = row(hips, at(0, 0.95, 0), at(side * 0.11, 0.06, -0.02), 10, 0.035);
    row(ankle, at(side * 0.11, 0.06, -0.02), at(side * 0.12, 0.04, 0.12), 2, 0.025);
    const Index shoulder = row(chest, at(0, 1.36, 0), at(side * 0.18, 1.36, 0), 2, 0.04);
    row(shoulder, at(side * 0.18, 1.36, 0), at(side * 0.72, 1.12, 0), 10, 0.022);
  }
  return test::toy_graph(spheres, edges);
}

struct Person {
  SphereGraph graph = person();
  Template human = test::human_of_18();
  ReducedTemplate reduced = reduce(human);

  Index reduced_named(const std::string& name) const {
    for (Index i = 0; i < reduced.joints.size(); ++i) {
      if (human.joints[reduced.joints[i].full].name == name) return i;
    }
    return kNone;
  }
  Vec3 place(const SearchResult& found, const std::string& name) const {
    return graph.spheres[found.match[reduced_named(name)]].center;
  }
};

TEST(Search, PutsAPersonsLimbsWhereTheyBelong) {
  const Person p;
  const SearchResult found = search(p.graph, p.reduced, Mat3::Identity(), {});
  ASSERT_FALSE(found.match.empty());
  EXPECT_LT(found.penalty, 0.1);
  const double unit = 0.9 / 1.75;
  EXPECT_LT((p.place(found, "LeftHand") - unit * Vec3(0.72, 1.12, 0)).norm(), 0.06);
  EXPECT_LT((p.place(found, "RightHand") - unit * Vec3(-0.72, 1.12, 0)).norm(), 0.06);
  EXPECT_LT((p.place(found, "LeftFoot") - unit * Vec3(0.12, 0.04, 0.12)).norm(), 0.06);
  EXPECT_LT((p.place(found, "Head") - unit * Vec3(0, 1.66, 0)).norm(), 0.06);
  EXPECT_LT(std::abs(p.place(found, "Hips").x()), 0.03);
}

TEST(Search, HintsAreHonoured) {
  const Person p;
  const Index hand = p.reduced_named("LeftHand");
  const Vec3 elbow = 0.9 / 1.75 * Vec3(0.45, 1.24, 0);
  const SearchResult found = search(p.graph, p.reduced, Mat3::Identity(), {{hand, elbow}});
  ASSERT_FALSE(found.match.empty());
  EXPECT_LT((p.place(found, "LeftHand") - elbow).norm(), 0.05);
  EXPECT_GT(found.penalty, search(p.graph, p.reduced, Mat3::Identity(), {}).penalty);
  SearchOptions wide;
  wide.hint_reach = 10;  // No restriction, and more than leaves have otherwise.
  const SearchResult free = search(p.graph, p.reduced, Mat3::Identity(), {{hand, elbow}}, wide);
  EXPECT_LE(free.penalty, search(p.graph, p.reduced, Mat3::Identity(), {}).penalty + 1e-12);
  // Far from everything the three nearest spheres are left: the last ones of the arm.
  const Vec3 tip = 0.9 / 1.75 * Vec3(0.72, 1.12, 0);
  const SearchResult far = search(p.graph, p.reduced, Mat3::Identity(), {{hand, tip + Vec3(0.5, -0.2, 0)}});
  ASSERT_FALSE(far.match.empty());
  EXPECT_LT((p.place(far, "LeftHand") - tip).norm(), 0.12);
}

TEST(Search, SaysAtWhichJointItDiedWithoutAFit) {
  Person p;
  p.reduced.joints[p.reduced_named("RightHand")].length = 10;
  const SearchResult found = search(p.graph, p.reduced, Mat3::Identity(), {});
  ASSERT_TRUE(found.match.empty());
  EXPECT_EQ(found.died_at, p.reduced_named("RightHand"));
  EXPECT_TRUE(found.terms.empty());
  const SearchResult nothing = search(SphereGraph{}, p.reduced, Mat3::Identity(), {});
  EXPECT_TRUE(nothing.match.empty());
  EXPECT_EQ(nothing.died_at, 0U);
}

TEST(Search, IsTheSameForAnyNumberOfThreadsAndManyAtOnce) {
  const Person p;
  set_thread_count(1);
  const SearchResult one = search(p.graph, p.reduced, Mat3::Identity(), {});
  set_thread_count(2);
  std::vector<SearchResult> many(4);
  parallel_for(
      many.size(), [&](std::size_t i) { many[i] = search(p.graph, p.reduced, Mat3::Identity(), {}); }, 1);
  set_thread_count(0);
  for (const SearchResult& other : many) {
    EXPECT_EQ(one.match, other.match);
    EXPECT_EQ(one.penalty, other.penalty);
    EXPECT_EQ(one.terms, other.terms);
    EXPECT_EQ(one.runner_up, other.runner_up);
    EXPECT_EQ(one.runner_up_penalty, other.runner_up_penalty);
    EXPECT_EQ(one.entries, other.entries);
  }
}

TEST(Search, StopsWhenCancelled) {
  const Person p;
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(search(p.graph, p.reduced, Mat3::Identity(), {}, {}, progress), Cancelled);
}

TEST(Search, FindsTheLimbsOfAMadeHuman) {
  for (const char* pose : {"a", "t"}) {
    SCOPED_TRACE(pose);
    shapes::MakeOptions make;
    make.made_pose = pose;
    const shapes::Made made = shapes::make("human", make).made;
    const Body body = make_body(made.character.rig.mesh);
    Person p;
    p.graph = body.graph;
    const SearchResult found = search(p.graph, p.reduced, Mat3::Identity(), {});
    ASSERT_FALSE(found.match.empty());
    EXPECT_TRUE(found.proven);
    const std::vector<Mat4> rest = rest_matrices(made.character.rig.skeleton);
    const auto truth = [&](const std::string& name) -> Vec3 {
      for (const shapes::Made::TemplateJoint& joint : made.template_joints) {
        if (joint.name == name) return body.interior.to_unit(rest[joint.joint].topRightCorner<3, 1>());
      }
      ADD_FAILURE() << name;
      return Vec3::Zero();
    };
    for (const std::string side : {"Left", "Right"}) {
      EXPECT_LT((p.place(found, side + "Hand") - truth(side + "Hand")).norm(), 0.12) << side;
      EXPECT_LT((p.place(found, side + "Foot") - truth(side + "Foot")).norm(), 0.12) << side;
    }
    EXPECT_LT((p.place(found, "Head") - truth("Head")).norm(), 0.12);
  }
}

}  // namespace
}  // namespace sinew::rigging
