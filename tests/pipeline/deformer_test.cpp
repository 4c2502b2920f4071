// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/deformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sinew/core/parallel.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/deform/pbd/pbd_store.h"
#include "sinew/io/cache.h"
#include "sinew/shapes/kinds.h"
#include "tests/support/environment.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::pipeline {
namespace {

namespace fs = std::filesystem;

/// A limb, and a cache of its own for each test.
class PreparedBody : public testing::Test {
 protected:
  PreparedBody() : rig_(shapes::make("cylinder", {}).made.character.rig) { options_.tets = 600; }

  std::unique_ptr<deform::Deformer> bind(const Progress& progress = {}) const {
    Findings warnings;
    return bind_deformer(rig_, unguarded("pbd", options_), warnings, progress);
  }

  /// Limits of the correction are kept apart from bodies.
  static DeformerOptions unguarded(const char* method, const AnyOptions& options) {
    DeformerOptions chosen = deformer(method, options);
    chosen.never_worse = false;
    return chosen;
  }

  /// The bits of all positions in a bent and twisted pose.
  std::vector<std::uint32_t> bent(const deform::Deformer& deformer) const {
    std::vector<Transform> local;
    for (const Joint& joint : rig_.skeleton.joints) {
      local.push_back(joint.rest);
      local.back().rotation = local.back().rotation * rotation_exp(Vec3(0.4, 0.9, 0.2));
    }
    const ModelPose pose{model_matrices(rig_.skeleton, local), {}, {}};
    std::vector<Vec3f> positions(rig_.mesh.positions.size());
    const auto state = deformer.make_state();
    deformer.deform(*state, {pose}, {positions, {}, nullptr});
    std::vector<std::uint32_t> bits;
    for (const Vec3f& p : positions)
      for (const float x : p) bits.push_back(std::bit_cast<std::uint32_t>(x));
    return bits;
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    if (!fs::exists(folder_ / "cache")) return found;
    for (const auto& file : fs::directory_iterator(folder_ / "cache")) found.push_back(file.path());
    return found;
  }

  test::TemporaryFolder folder_;
  test::Environment cache_{"SINEW_CACHE", (folder_ / "cache").string()};
  Rig rig_;
  deform::PbdOptions options_;
};

TEST_F(PreparedBody, GivesTheSameBytesWithAndWithoutTheCache) {
  std::vector<std::uint32_t> without;
  {
    const test::Environment off("SINEW_CACHE", "off");
    without = bent(*bind());
  }
  EXPECT_TRUE(entries().empty());
  const std::vector<std::uint32_t> first = bent(*bind());
  ASSERT_EQ(entries().size(), 1u);
  const io::Bytes kept = io::read_file(entries()[0]);
  set_thread_count(1);
  const std::vector<std::uint32_t> second = bent(*bind());
  set_thread_count(0);
  EXPECT_EQ(first, without);
  EXPECT_EQ(second, without);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(io::read_file(entries()[0]), kept);
}

// An entry that holds another sound body shows that it is used.
TEST_F(PreparedBody, IsTakenFromTheCacheWhenItIsThere) {
  const std::vector<std::uint32_t> before = bent(*bind());
  ASSERT_EQ(entries().size(), 1u);
  const io::Cache cache(folder_ / "cache");
  const std::string key = entries()[0].stem().string();
  auto body = deform::read_pbd_body(cache.load(key).value(), rig_.mesh.vertex_count(), rig_.skeleton.size());
  ASSERT_TRUE(body);
  std::fill(body->free.begin(), body->free.end(),
            0);  // So nothing moves but what pbd starts from.
  ASSERT_TRUE(cache.store(key, deform::write_pbd_body(*body)));
  const std::vector<std::uint32_t> poisoned = bent(*bind());
  EXPECT_NE(poisoned, before);
  Findings warnings;
  EXPECT_EQ(poisoned, bent(*bind_deformer(rig_, deformer("lbs"), warnings)));
}

TEST_F(PreparedBody, ADamagedEntryIsMadeAnew) {
  const std::vector<std::uint32_t> before = bent(*bind());
  ASSERT_EQ(entries().size(), 1u);
  const io::Bytes kept = io::read_file(entries()[0]);
  io::Bytes damaged = kept;
  damaged[damaged.size() / 2] ^= std::byte{1};
  test::write(entries()[0], damaged);
  EXPECT_EQ(bent(*bind()), before);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(io::read_file(entries()[0]), kept);
  // Whole, but no body.
  const io::Cache cache(folder_ / "cache");
  ASSERT_TRUE(cache.store(entries()[0].stem().string(), io::as_bytes("something else")));
  EXPECT_EQ(bent(*bind()), before);
  EXPECT_EQ(io::read_file(entries()[0]), kept);
}

TEST_F(PreparedBody, WhateverChangesItHasAnotherKeyAndNothingElseHas) {
  const Rig original = rig_;
  const deform::PbdOptions usual = options_;
  std::size_t expected = 0;
  const auto expect_new = [&](bool another, const char* what) {
    bind();
    expected += another ? 1 : 0;
    EXPECT_EQ(entries().size(), expected) << what;
    rig_ = original;
    options_ = usual;
  };
  expect_new(true, "the first");
  options_.tets = 500;
  expect_new(true, "tetrahedra");
  options_.area = deform::PbdArea::kBody;
  expect_new(true, "area");
  rig_.mesh.positions[5].x() += 1e-9;
  expect_new(true, "a position");
  std::reverse(rig_.mesh.face_vertices.begin(), rig_.mesh.face_vertices.begin() + rig_.mesh.face_offsets[1]);
  expect_new(true, "a face");
  rig_.weights = {};
  for (Index v = 0; v < original.weights.row_count(); ++v) {
    std::vector<Influence> row(original.weights.row(v).begin(), original.weights.row(v).end());
    if (v == 3) row = {{rig_.skins[0].joints[0], 0.5F}, {rig_.skins[0].joints[1], 0.5F}};
    rig_.weights.add_row(row);
  }
  expect_new(true, "weights");
  rig_.skins[0].inverse_bind[1](0, 3) += 1e-6;
  expect_new(true, "a bind matrix");
  rig_.skeleton.joints.back().end_local = Vec3(0, 0.123, 0);
  expect_new(true, "an end");
  rig_.skeleton.joints[0].name = "other";
  rig_.mesh.parts[0].name = "other";
  options_.sweeps = 3;
  options_.material = deform::PbdMaterial::kSprings;
  options_.base = deform::PbdBase::kLbs;
  expect_new(false, "names, and what the solver is told");
}

TEST_F(PreparedBody, CancelledWorkKeepsNothing) {
  for (const char* stage : {"tetrahedra", "weights inside", "riders"}) {
    Progress* handle = nullptr;
    Progress progress([&](std::string_view now, double) {
      if (now == stage) handle->cancel();
    });
    handle = &progress;
    EXPECT_THROW(bind(progress), Cancelled) << stage;
    EXPECT_TRUE(entries().empty()) << stage;
  }
}

TEST_F(PreparedBody, AFolderThatCannotBeWrittenIsNoError) {
  test::write(folder_ / "file", io::as_bytes("a file"));
  const std::vector<std::uint32_t> with = bent(*bind());
  const test::Environment nowhere("SINEW_CACHE", (folder_ / "file").string());
  Findings warnings;
  EXPECT_EQ(bent(*bind_deformer(rig_, unguarded("pbd", options_), warnings)), with);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(PreparedBody, LimitsAreKeptAndGiveTheSameBytes) {
  Findings first_findings, second_findings;
  const std::vector<std::uint32_t> first = bent(*bind_deformer(rig_, deformer("pbd", options_), first_findings));
  const std::size_t kept = entries().size();
  EXPECT_GT(kept, 1u);
  EXPECT_EQ(bent(*bind_deformer(rig_, deformer("pbd", options_), second_findings)), first);
  EXPECT_EQ(entries().size(), kept);
  EXPECT_EQ(first_findings, second_findings);
  for (const auto& entry : entries()) {
    io::Bytes damaged = io::read_file(entry);
    damaged[damaged.size() / 2] ^= std::byte{1};
    test::write(entry, damaged);
  }
  EXPECT_EQ(bent(*bind_deformer(rig_, deformer("pbd", options_), second_findings)), first);
}

TEST_F(PreparedBody, OtherMethodsKeepNothing) {
  for (const char* method : {"lbs", "dqs"}) {
    Findings warnings;
    bind_deformer(rig_, deformer(method), warnings);
  }
  EXPECT_TRUE(entries().empty());
}

TEST_F(PreparedBody, ARigWithoutWeightsIsRefusedAsBefore) {
  options_.base = deform::PbdBase::kLbs;
  rig_.weights = {};
  EXPECT_THROW(bind(), Error);
  EXPECT_TRUE(entries().empty());
}

}  // namespace
}  // namespace sinew::pipeline
