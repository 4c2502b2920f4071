// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Bodies and checks for the tests of the binders.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "sinew/binding/binder.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/shapes/kinds.h"
#include "tests/geometry/surfaces.h"

namespace sinew::test {

struct Body {
  Mesh mesh;
  Skeleton skeleton;

  binding::Subject subject() const { return binding::rest_subject(mesh, skeleton); }
};

/// A joint at each place but the last, each the child of the one before; the last place is where the chain ends.
inline void add_chain(Skeleton& skeleton, const std::vector<Vec3>& places) {
  Index parent = kNone;
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    Joint joint;
    joint.name = "j" + std::to_string(skeleton.size());
    joint.parent = parent;
    joint.deforming = true;
    joint.rest.translation = i == 0 ? places[0] : Vec3(places[i] - places[i - 1]);
    if (i + 2 == places.size()) joint.end_local = places[i + 1] - places[i];
    parent = skeleton.size();
    skeleton.joints.push_back(joint);
  }
}

/// A cylinder from z = 0 to 2 about two bones that meet at z = 1.
inline Body two_bone_cylinder(Index layers = 40, Index segments = 24, double radius = 0.2) {
  Body body;
  body.mesh = as_mesh(cylinder(layers, segments, radius, 2));
  add_chain(body.skeleton, {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}});
  return body;
}

inline Rig made_rig(const char* kind, int vertices, bool clothes = false) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  options.clothes = clothes;
  return shapes::make(kind, options).made.character.rig;
}

inline Body made_body(const char* kind, int vertices) {
  Rig rig = made_rig(kind, vertices);
  return {std::move(rig.mesh), std::move(rig.skeleton)};
}

inline void append(Mesh& mesh, const Mesh& more, const Vec3& by = Vec3::Zero()) {
  const Index first = mesh.vertex_count();
  for (const Vec3& p : more.positions) mesh.positions.push_back(p + by);
  for (Index f = 0; f < more.face_count(); ++f) {
    std::vector<Index> face;
    for (const Index v : more.face(f)) face.push_back(first + v);
    mesh.add_face(face);
  }
}

/// A closed block about a centre, with half its length along z before it is turned. Returns its first vertex; the other
/// seven follow.
inline Index add_block(Mesh& mesh, const Vec3& center, double half_length, double half_width,
                       const Mat3& turn = Mat3::Identity()) {
  const Index first = mesh.vertex_count();
  for (int corner = 0; corner < 8; ++corner)
    mesh.positions.push_back(center + turn * Vec3((corner & 1) != 0 ? half_width : -half_width,
                                                  (corner & 2) != 0 ? half_width : -half_width,
                                                  (corner & 4) != 0 ? half_length : -half_length));
  for (const std::array<Index, 4>& side :
       {std::array<Index, 4>{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    std::array<Index, 4> face = side;
    for (Index& v : face) v += first;
    mesh.add_face(face);
  }
  return first;
}

/// The weight of a joint on a vertex.
inline double weight_of(const SkinWeights& weights, Index vertex, Index joint) {
  for (const Influence& influence : weights.row(vertex))
    if (influence.joint == joint) return static_cast<double>(influence.weight);
  return 0;
}

/// What every binder promises of every row.
inline void expect_valid(const binding::BindResult& bound, const binding::Subject& subject, std::size_t most = 4) {
  const Index count = subject.mesh.vertex_count();
  ASSERT_EQ(bound.weights.row_count(), count);
  ASSERT_EQ(bound.origin.size(), count);
  ASSERT_EQ(bound.confidence.size(), count);
  Index bad = 0;
  for (Index v = 0; v < count; ++v) {
    double sum = 0;
    bool good = bound.weights.row(v).size() <= most && bound.origin[v] < bound.origins.size() &&
                bound.confidence[v] >= 0 && bound.confidence[v] <= 1;
    for (const Influence& i : bound.weights.row(v)) {
      good = good && i.joint < subject.bound.size() && subject.bound[i.joint] != 0 && i.weight > 0;
      sum += static_cast<double>(i.weight);
    }
    if (!good || !(std::abs(sum - 1) < 1e-5)) ++bad;
  }
  EXPECT_EQ(bad, 0U) << "rows that are not valid";
}

/// Largest ½ Σ |a − b| of a row.
inline double worst_difference(const SkinWeights& a, const SkinWeights& b) {
  return measure::weight_agreement(a, b).worst_half_l1;
}

}  // namespace sinew::test
