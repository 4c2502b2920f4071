// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "sinew/binding/auto/auto.h"
#include "sinew/core/rig.h"
#include "sinew/io/asset.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/shapes/kinds.h"
#include "tests/support/damages.h"

namespace sinew::binding {
namespace {

using test::DamagedBody;

struct Patient {
  Skeleton skeleton;
  std::vector<char> bound;
  DamagedBody body;
};

Patient patient_of(const Rig& rig) {
  Patient patient{rig.skeleton, std::vector<char>(rig.skeleton.joints.size(), 0), {}};
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    for (const Influence& i : rig.weights.row(v)) patient.bound[i.joint] = 1;
  patient.body = test::undamaged(rig.mesh, bind_pose_matrices(rig, 0));
  return patient;
}

Patient made_patient(const char* kind, int vertices) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  return patient_of(shapes::make(kind, options).made.character.rig);
}

BindResult bind_body(const Patient& patient, const DamagedBody& body) {
  return bind_auto({body.mesh, patient.skeleton, body.joints, patient.bound}, {}, {});
}

// The number of rows that are not what a binder promises.
Index bad_rows(const BindResult& bound, const Patient& patient, Index vertices) {
  if (bound.weights.row_count() != vertices) return vertices;
  Index bad = 0;
  for (Index v = 0; v < vertices; ++v) {
    double sum = 0;
    bool good = bound.weights.row(v).size() <= 4;
    for (const Influence& i : bound.weights.row(v)) {
      good = good && i.joint < patient.bound.size() && patient.bound[i.joint] != 0 && i.weight > 0;
      sum += static_cast<double>(i.weight);
    }
    if (!good || !(std::abs(sum - 1) < 1e-5)) ++bad;
  }
  return bad;
}

// On vertices that survive, and that a face still uses.
double change(const BindResult& before, const BindResult& after, const DamagedBody& body) {
  std::vector<char> used(body.mesh.vertex_count(), 0);
  for (const Index v : body.mesh.face_vertices) used[v] = 1;
  SkinWeights a, b;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) {
    if (body.source[v] == kNone || used[v] == 0) continue;
    a.add_row(before.weights.row(body.source[v]));
    b.add_row(after.weights.row(v));
  }
  return measure::weight_agreement(a, b).mean_half_l1;
}

void expect_sixteen_survived(const Patient& patient) {
  const BindResult plain = bind_body(patient, patient.body);
  ASSERT_EQ(bad_rows(plain, patient, patient.body.mesh.vertex_count()), 0U);
  ASSERT_EQ(test::damage_names().size(), 16U);
  for (const std::string& name : test::damage_names()) {
    const DamagedBody body = test::damaged(patient.body, patient.skeleton, name, 7);
    const BindResult bound = bind_body(patient, body);
    EXPECT_EQ(bad_rows(bound, patient, body.mesh.vertex_count()), 0U) << name;
    EXPECT_LE(change(plain, bound, body), 0.05) << name;
  }
}

TEST(Damage, AMadeHumanSurvivesAllSixteen) { expect_sixteen_survived(made_patient("human", 3000)); }

TEST(Damage, CesiumManSurvivesAllSixteen) {
  const char* data = std::getenv("SINEW_DATA");
  const std::filesystem::path path = std::filesystem::path(data != nullptr ? data : "") / "rigged" / "CesiumMan.glb";
  if (data == nullptr || !std::filesystem::exists(path)) GTEST_SKIP() << "SINEW_DATA does not name the folder of data.";
  expect_sixteen_survived(patient_of(io::load(path).character.rig));
}

TEST(Damage, RandomDamageLeavesEveryRowValid) {
  const std::uint64_t count = std::getenv("SINEW_LONG") != nullptr ? 1000 : 40;
  const std::array<Patient, 3> patients = {made_patient("human", 600), made_patient("quadruped", 600),
                                           made_patient("octopus", 600)};
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const Patient& patient = patients[seed % patients.size()];
    const DamagedBody body = test::randomly_damaged(patient.body, patient.skeleton, seed);
    EXPECT_EQ(bad_rows(bind_body(patient, body), patient, body.mesh.vertex_count()), 0U) << "seed " << seed;
  }
}

TEST(Damage, OfTheTestHurtsWhatItSays) {
  const Patient patient = made_patient("human", 600);
  for (const std::string& name : test::damage_names()) {
    const DamagedBody body = test::damaged(patient.body, patient.skeleton, name, 7);
    EXPECT_TRUE(validate(body.mesh).empty()) << name;
    EXPECT_EQ(body.source.size(), body.mesh.positions.size()) << name;
    const bool same = body.mesh.positions == patient.body.mesh.positions &&
                      body.mesh.face_vertices == patient.body.mesh.face_vertices && body.joints == patient.body.joints;
    EXPECT_FALSE(same) << name;
  }
}

}  // namespace
}  // namespace sinew::binding
