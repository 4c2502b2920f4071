// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Prepared data in a glTF file: `sinew deform --prepared-output`.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/io/file.h"
#include "sinew/io/prepared_data.h"
#include "sinew/jobs/deform.h"
#include "sinew/jobs/make.h"
#include "tests/support/environment.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class PreparedOutput : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    const test::Environment off("SINEW_CACHE", "off");
    make({{"cylinder"}, *folder_ / "plain.glb", false}, {}, {});
    DeformJobOptions options = implicit();
    options.prepared_output = (*folder_ / "prepared.glb").string();
    first_ = new Run(play("plain.glb", "first.pc2", options));
  }
  static void TearDownTestSuite() {
    delete first_;
    delete folder_;
  }

  struct Run {
    Report report;
    io::Bytes frames;
    bool prepared = false;  ///< The functions of the parts were computed.
  };

  static DeformJobOptions implicit() {
    DeformJobOptions options;
    options.clip = "exercise";
    options.frames = "0:4";
    options.deformer.method.choose("implicit");
    return options;
  }

  static Run play(const std::string& in, const std::string& out, const DeformJobOptions& options) {
    Run run;
    const Progress progress([&](std::string_view step, double) { run.prepared |= step == "implicit surfaces"; });
    run.report = deform({{*folder_ / in}, *folder_ / out, true}, options, progress);
    run.frames = io::read_file(*folder_ / out);
    return run;
  }

  static bool warns(const Report& report) {
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [](const Finding& finding) { return finding.code == "gltf.prepared"; });
  }

  const test::Environment off_{"SINEW_CACHE", "off"};
  static test::TemporaryFolder* folder_;
  static Run* first_;
};

test::TemporaryFolder* PreparedOutput::folder_ = nullptr;
PreparedOutput::Run* PreparedOutput::first_ = nullptr;

TEST_F(PreparedOutput, GivesTheSameFramesWithoutPreparingAgain) {
  EXPECT_TRUE(first_->prepared);
  EXPECT_EQ(first_->report.metrics["prepared_from_file"], 0);
  const Run again = play("prepared.glb", "again.pc2", implicit());
  EXPECT_FALSE(again.prepared);
  EXPECT_GE(again.report.metrics["prepared_from_file"].get<int>(), 2);  // Functions and limits.
  EXPECT_EQ(again.frames, first_->frames);
  EXPECT_FALSE(warns(again.report));
}

TEST_F(PreparedOutput, TheCharacterIsTheSame) {
  const Rig before = io::load(*folder_ / "plain.glb").character.rig,
            after = io::load(*folder_ / "prepared.glb").character.rig;
  EXPECT_EQ(before.mesh.positions, after.mesh.positions);
  EXPECT_EQ(before.skeleton.size(), after.skeleton.size());
}

TEST_F(PreparedOutput, DamagedDataIsReportedAndComputedAgain) {
  Findings findings;
  const auto pieces = io::stored_prepared(io::load(*folder_ / "prepared.glb"), findings);
  ASSERT_FALSE(pieces.empty());
  ASSERT_TRUE(findings.empty());
  io::Bytes bytes = io::read_file(*folder_ / "prepared.glb");
  const auto at = std::search(bytes.begin(), bytes.end(), pieces[0].bytes.begin(), pieces[0].bytes.end());
  ASSERT_NE(at, bytes.end());
  *(at + static_cast<std::ptrdiff_t>(pieces[0].bytes.size() / 2)) ^= std::byte{1};
  test::write(*folder_ / "damaged.glb", bytes);
  const Run again = play("damaged.glb", "again.pc2", implicit());
  EXPECT_TRUE(again.prepared);
  EXPECT_TRUE(warns(again.report));
  EXPECT_EQ(again.frames, first_->frames);
}

TEST_F(PreparedOutput, DataForOtherOptionsIsNotUsed) {
  DeformJobOptions options = implicit();
  options.deformer.method.options().list().find("part_samples")->set(40);
  const Run other = play("prepared.glb", "other.pc2", options);
  EXPECT_TRUE(other.prepared);
  EXPECT_TRUE(warns(other.report));
  EXPECT_EQ(other.frames, play("plain.glb", "other.pc2", options).frames);
}

TEST_F(PreparedOutput, DataOfSeveralMethodsIsKeptTogetherAndStoredOnce) {
  DeformJobOptions options = implicit();
  options.prepared_output = (*folder_ / "twice.glb").string();
  play("prepared.glb", "again.pc2", options);
  EXPECT_LE(fs::file_size(*folder_ / "twice.glb"), fs::file_size(*folder_ / "prepared.glb") + 64);
  options.deformer.method.choose("pbd");
  play("prepared.glb", "again.pc2", options);
  Findings findings;
  const auto pieces = io::stored_prepared(io::load(*folder_ / "twice.glb"), findings);
  const auto of = [&](const std::string& method) {
    return std::count_if(pieces.begin(), pieces.end(), [&](const auto& piece) { return piece.method == method; });
  };
  EXPECT_GE(of("implicit"), 2);
  EXPECT_GE(of("pbd"), 1);
}

TEST_F(PreparedOutput, DeliveredMotionDoesNotCarryIt) {
  play("prepared.glb", "walk.glb", implicit());
  Findings findings;
  EXPECT_TRUE(io::stored_prepared(io::load(*folder_ / "walk.glb"), findings).empty());
  EXPECT_LT(fs::file_size(*folder_ / "walk.glb"), fs::file_size(*folder_ / "prepared.glb") / 2);
}

TEST_F(PreparedOutput, WhatCannotBeStoredIsASentenceAndNothingIsWritten) {
  const auto refused = [&](DeformJobOptions options, const std::string& file) {
    options.prepared_output = (*folder_ / file).string();
    EXPECT_THROW(play("plain.glb", "no.pc2", options), Error);
    EXPECT_FALSE(fs::exists(*folder_ / "no.pc2"));
    EXPECT_FALSE(fs::exists(*folder_ / file));
  };
  refused(implicit(), "no.obj");
  DeformJobOptions plain = implicit();
  plain.deformer.method.choose("lbs");
  refused(plain, "no.glb");
  DeformJobOptions moved = implicit();
  moved.placement.height = 2;
  refused(moved, "no.glb");
}

}  // namespace
}  // namespace sinew::jobs
