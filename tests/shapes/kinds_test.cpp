// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/motion/resolve.h"

namespace sinew::shapes {
namespace {

/// Few seeds unless SINEW_LONG asks for 200.
int seed_count() { return std::getenv("SINEW_LONG") != nullptr ? 200 : 3; }

bool knows(const std::string& kind, const char* option) {
  const std::vector<std::string> known = options_of(kind);
  return std::find(known.begin(), known.end(), option) != known.end();
}

/// The options of one member of a kind's family.
MakeOptions member(const std::string& kind, int seed) {
  MakeOptions options;
  options.seed = seed;
  if (knows(kind, "vary") && seed > 0) options.vary = kind == "figure" ? 1 : 0.3;
  if (knows(kind, "made_pose")) options.made_pose = seed % 3 == 0 ? "a" : seed % 3 == 1 ? "t" : "random";
  return options;
}

void expect_closed_outward_and_whole(const Mesh& mesh) {
  const geometry::TopologyCounts counts = geometry::topology(mesh, geometry::weld(mesh)).total;
  EXPECT_TRUE(counts.encloses());
  EXPECT_TRUE(counts.manifold());
  EXPECT_EQ(counts.zero_area_faces, 0U);
  EXPECT_EQ(counts.unreferenced_vertices, 0U);
  EXPECT_EQ(counts.render_vertices, counts.vertices);
  EXPECT_EQ(counts.components, 1U);
  EXPECT_GT(geometry::volume(mesh).volume, 0);
  EXPECT_EQ(geometry::self_intersections(mesh).inside_parts, 0U);
}

void expect_true_weights(const std::string& kind, const Made& made) {
  const Rig& rig = made.character.rig;
  ASSERT_EQ(rig.weights.row_count(), rig.mesh.vertex_count());
  // The arm's truth is a formula in which three joints and six helpers take part.
  EXPECT_LE(rig.weights.max_influences(), kind == "arm" ? 9U : 8U);
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) {
    double sum = 0;
    for (const Influence& influence : rig.weights.row(i)) {
      EXPECT_GT(influence.weight, 0);
      sum += static_cast<double>(influence.weight);
    }
    ASSERT_NEAR(sum, 1, 1e-6) << i;
  }
}

void expect_true_owners(const Made& made) {
  const Rig& rig = made.character.rig;
  const Findings found = validate(made.owners, rig.mesh.vertex_count(), rig.skeleton.size());
  EXPECT_TRUE(found.empty()) << found.front().text;
  ASSERT_EQ(made.owners.owner.size(), rig.mesh.vertex_count());
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) {
    ASSERT_LT(made.owners.owner[i], made.owners.segments.size()) << i;
    const Segmentation::Segment& segment = made.owners.segments[made.owners.owner[i]];
    if (segment.child != kNone) {
      EXPECT_EQ(rig.skeleton.joints[segment.child].parent, segment.joint);
    }
    const auto row = rig.weights.row(i);
    ASSERT_TRUE(std::any_of(row.begin(), row.end(),
                            [&](const Influence& influence) {
                              return influence.joint == segment.joint || influence.joint == segment.child;
                            }))
        << "vertex " << i << " of " << rig.skeleton.joints[segment.joint].name;
  }
  for (const Made::TemplateJoint& joint : made.template_joints) EXPECT_LT(joint.joint, rig.skeleton.size());
}

void expect_rest_is_bound(const Rig& rig) {
  const std::vector<Vec3> posed = deform::linear_positions(rig, motion::resolve(rig.skeleton, rest_pose(rig)));
  double worst = 0;
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i)
    worst = std::max(worst, (posed[i] - rig.mesh.positions[i]).norm());
  EXPECT_LT(worst, 1e-6 * rig.mesh.size());
}

TEST(Kinds, EveryMemberIsClosedOutwardWholeAndTrue) {
  for (const auto& kind : kinds().entries()) {
    for (int seed = 0; seed < seed_count(); ++seed) {
      SCOPED_TRACE(kind.id + " of seed " + std::to_string(seed));
      const Made made = make(kind.id, member(kind.id, seed)).made;
      const Findings found = validate(made.character);
      EXPECT_TRUE(found.empty()) << found.front().text;
      expect_closed_outward_and_whole(made.character.rig.mesh);
      for (Index f = 0; f < made.character.rig.mesh.face_count(); ++f)
        ASSERT_EQ(made.character.rig.mesh.face(f).size(), 4U);
      expect_true_weights(kind.id, made);
      expect_true_owners(made);
      expect_rest_is_bound(made.character.rig);
      if (!knows(kind.id, "vary") && !knows(kind.id, "made_pose")) break;  // All members are the same.
    }
  }
}

TEST(Kinds, AFamilySharesItsConnectivity) {
  for (const auto& kind : kinds().entries()) {
    if (kind.id == "figure" || !knows(kind.id, "vary")) continue;  // The figure's limbs are counts of cubes.
    const Made first = make(kind.id, member(kind.id, 0)).made;
    for (int seed = 1; seed < seed_count(); ++seed) {
      SCOPED_TRACE(kind.id + " of seed " + std::to_string(seed));
      const Made other = make(kind.id, member(kind.id, seed)).made;
      EXPECT_EQ(first.character.rig.mesh.face_vertices, other.character.rig.mesh.face_vertices);
      EXPECT_EQ(first.character.rig.skeleton.size(), other.character.rig.skeleton.size());
      EXPECT_NE(first.character.rig.mesh.positions, other.character.rig.mesh.positions);
    }
  }
}

TEST(Kinds, AreTheSameForAnyNumberOfThreads) {
  for (const auto& kind : kinds().entries()) {
    SCOPED_TRACE(kind.id);
    MakeOptions options = member(kind.id, 2);
    options.vertices = 4000;
    set_thread_count(1);
    const Made one = make(kind.id, options).made;
    set_thread_count(2);
    const Made two = make(kind.id, options).made;
    set_thread_count(0);
    EXPECT_EQ(one.character.rig.mesh.positions, two.character.rig.mesh.positions);
    EXPECT_EQ(one.character.rig.mesh.face_vertices, two.character.rig.mesh.face_vertices);
    EXPECT_EQ(one.character.rig.weights, two.character.rig.weights);
    EXPECT_EQ(one.owners.owner, two.owners.owner);
    EXPECT_EQ(one.owners.along, two.owners.along);
  }
}

TEST(Kinds, StandFacingForwardAtTheHeightAskedFor) {
  for (const auto& kind : kinds().entries()) {
    if (!knows(kind.id, "height") || knows(kind.id, "length") || kind.id == "hand") continue;
    SCOPED_TRACE(kind.id);
    MakeOptions options;
    options.vertices = 4000;
    options.height = 0.8;
    const Box box = make(kind.id, options).made.character.rig.mesh.bounds();
    EXPECT_NEAR(box.extent().y(), 0.8, 1e-6);
    EXPECT_NEAR(box.lower.y(), 0, 1e-6);
  }
}

TEST(Kinds, TrianglesKeepVerticesAndTruth) {
  for (const auto& kind : kinds().entries()) {
    SCOPED_TRACE(kind.id);
    MakeOptions options;
    options.vertices = 4000;
    const Made quads = make(kind.id, options).made;
    options.triangles = true;
    const Made cut = make(kind.id, options).made;
    EXPECT_EQ(quads.character.rig.mesh.positions, cut.character.rig.mesh.positions);
    EXPECT_EQ(quads.character.rig.weights, cut.character.rig.weights);
    EXPECT_EQ(cut.character.rig.mesh.face_count(), 2 * quads.character.rig.mesh.face_count());
    EXPECT_TRUE(validate(cut.character).empty());
    expect_closed_outward_and_whole(cut.character.rig.mesh);
  }
}

TEST(Kinds, RefuseOptionsTheyHaveNoUseFor) {
  const auto refused = [](const char* kind, MakeOptions options, const char* flag) {
    try {
      make(kind, options);
      ADD_FAILURE() << kind << " takes " << flag;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(flag), std::string::npos) << error.what();
    }
  };
  MakeOptions options;
  options.clothes = true;
  refused("bar", options, "clothes");
  options = {};
  options.layers = 3;
  refused("figure", options, "layers");
  options = {};
  options.made_pose = "t";
  refused("arm", options, "made_pose");
  options = {};
  options.vary = 2;
  refused("figure", options, "vary");
  options = {};
  options.length = 1;
  options.height = 2;
  refused("bar", options, "length");
  EXPECT_THROW(make("tetrapod", {}), Error);
}

}  // namespace
}  // namespace sinew::shapes
