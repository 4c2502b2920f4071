// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/deform.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/io/caches/mdd.h"
#include "sinew/io/caches/pc2.h"
#include "sinew/jobs/make.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/motion/resample.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "sinew/pipeline/play.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class Deform : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    MakeOptions human;
    human.shape.vertices = 2500;
    make({{"human"}, *folder_ / "human.glb", false}, human, {});
    make({{"cylinder"}, *folder_ / "cylinder.glb", false}, {}, {});
    test::write(*folder_ / "strip.glb", test::make_fixture());
  }
  static void TearDownTestSuite() { delete folder_; }

  static DeformJobOptions playing(const std::string& clip, const std::string& method = "lbs") {
    DeformJobOptions options;
    options.clip = clip;
    options.deformer.method.choose(method);
    return options;
  }

  static Report run(const std::string& in, const std::string& out, const DeformJobOptions& options) {
    return deform({{*folder_ / in}, *folder_ / out, true}, options, {});
  }

  // The sentence of a refusal; nothing may have been written.
  static std::string refusal(const std::string& in, const DeformJobOptions& options,
                             const std::string& out = "no.glb") {
    try {
      run(in, out, options);
    } catch (const Error& error) {
      EXPECT_FALSE(fs::exists(*folder_ / out));
      return error.what();
    }
    ADD_FAILURE() << "it was not refused";
    return "";
  }

  static test::TemporaryFolder* folder_;
};

test::TemporaryFolder* Deform::folder_ = nullptr;

TEST_F(Deform, TheFilesOwnClipThroughLinearSkinningIsTheFileItself) {
  const Report report = run("human.glb", "same.glb", playing("walk"));
  EXPECT_EQ(io::read_file(*folder_ / "same.glb"), io::read_file(*folder_ / "human.glb"));
  EXPECT_LE(report.metrics["error_rel"].get<double>(), 1e-6);
  EXPECT_EQ(report.metrics["targets"], 0);
}

TEST_F(Deform, ABuiltInClipIsAddedAndTheOthersStay) {
  const Report report = run("human.glb", "more.glb", playing("exercise"));
  const Character before = io::load(*folder_ / "human.glb").character,
                  after = io::load(*folder_ / "more.glb").character;
  ASSERT_EQ(after.clips.size(), before.clips.size() + 1);
  EXPECT_EQ(after.clips.back().name, "exercise");
  EXPECT_EQ(after.rig.weights, before.rig.weights);
  EXPECT_EQ(run("human.glb", "second.glb", playing("builtin:walk")).metrics["motion"], "walk_2");
}

TEST_F(Deform, CorrectionsKeepTheSkinAndAllClipsAndTheToleranceBetweenFramesToo) {
  const Character before = io::load(*folder_ / "human.glb").character;
  int targets = 0;
  for (const double tolerance : {0.004, 0.0005}) {
    DeformJobOptions options = playing("wave", "dqs");
    options.key_shapes.tolerance = tolerance;
    const Report report = run("human.glb", "shapes.glb", options);
    EXPECT_EQ(report.status, Report::Status::kDone);
    EXPECT_LE(report.metrics["error_rel"].get<double>(), tolerance);
    EXPECT_LE(report.metrics["error_between_frames_rel"].get<double>(), tolerance);
    EXPECT_GT(report.metrics["targets"].get<int>(), targets) << "a stricter tolerance needs more shapes";
    targets = report.metrics["targets"].get<int>();
    EXPECT_EQ(report.metrics["bytes"], fs::file_size(*folder_ / "shapes.glb"));
    const Character after = io::load(*folder_ / "shapes.glb").character;
    EXPECT_EQ(after.rig.weights, before.rig.weights);
    ASSERT_EQ(after.clips.size(), before.clips.size());
    EXPECT_EQ(report.metrics["dropped_clips"], Json::array());
    // The other clip shows what it showed before.
    for (std::size_t c = 0; c < after.clips.size(); ++c) {
      EXPECT_EQ(after.clips[c].name, before.clips[c].name);
      if (after.clips[c].name == "wave") continue;
      const auto shown = [&](const Character& character) {
        return deform::linear_positions(
            character.rig,
            motion::resolve(character.rig.skeleton, motion::sample(character.rig, character.clips[c], 0.4)));
      };
      const std::vector<Vec3> x = shown(before), y = shown(after);
      for (std::size_t v = 0; v < x.size(); ++v) ASSERT_LE((x[v] - y[v]).norm(), 1e-6);
    }
  }
}

TEST_F(Deform, CorrectionWeightsLieBetweenZeroAndOne) {
  run("human.glb", "weights.glb", playing("wave", "dqs"));
  const Character after = io::load(*folder_ / "weights.glb").character;
  bool found = false;
  for (const Track& track : after.clips[0].tracks) {
    if (track.path != Track::Path::kMorphWeights) continue;
    found = true;
    for (const float weight : track.values) EXPECT_TRUE(weight >= 0 && weight <= 1) << weight;
  }
  EXPECT_TRUE(found);
  for (const double weight : after.rig.mesh.parts[0].morph_weights) EXPECT_EQ(weight, 0) << "at rest";
}

TEST_F(Deform, WholeKeyShapesStayWithinTheToleranceAndSayHowFarTheyAre) {
  for (const double tolerance : {0.02, 0.002}) {
    DeformJobOptions options = playing("wave", "dqs");
    options.key_shapes.kind = pipeline::ShapeKind::kWhole;
    options.key_shapes.tolerance = tolerance;
    const Report report = run("human.glb", "shapes.glb", options);
    EXPECT_EQ(report.status, Report::Status::kDone);
    EXPECT_LE(report.metrics["error_rel"].get<double>(), tolerance);
    EXPECT_GT(report.metrics["targets"].get<int>(), 1);
    EXPECT_EQ(report.metrics["bytes"], fs::file_size(*folder_ / "shapes.glb"));
    const Character after = io::load(*folder_ / "shapes.glb").character;
    EXPECT_TRUE(after.rig.skins.empty());
    ASSERT_EQ(after.clips.size(), 1u);
    EXPECT_EQ(after.clips[0].name, "wave");
    ASSERT_EQ(report.metrics["dropped_clips"], Json::array({"walk"}));
  }
}

TEST_F(Deform, ALooserToleranceNeedsFewerShapes) {
  DeformJobOptions options = playing("exercise", "dqs");
  options.key_shapes.max_targets = 4096;
  options.key_shapes.tolerance = 0.001;
  const int strict = run("cylinder.glb", "a.glb", options).metrics["targets"].get<int>();
  options.key_shapes.tolerance = 0.02;
  EXPECT_LT(run("cylinder.glb", "b.glb", options).metrics["targets"].get<int>(), strict);
}

TEST_F(Deform, WhatLinearSkinningShowsAlreadyKeepsItsSkin) {
  DeformJobOptions options = playing("0", "dqs");
  options.key_shapes.tolerance = 1;
  const Report report = run("human.glb", "kept.glb", options);
  EXPECT_EQ(report.metrics["targets"], 0);
  EXPECT_FALSE(io::load(*folder_ / "kept.glb").character.rig.skins.empty());
}

TEST_F(Deform, TooManyShapesAreRefusedAndACacheProposed) {
  DeformJobOptions options = playing("wave", "dqs");
  options.key_shapes.max_targets = 1;
  options.key_shapes.tolerance = 1e-4;
  for (const pipeline::ShapeKind kind : {pipeline::ShapeKind::kSkinned, pipeline::ShapeKind::kWhole}) {
    options.key_shapes.kind = kind;
    const std::string text = refusal("human.glb", options);
    EXPECT_NE(text.find("'max_targets' allows 1"), std::string::npos) << text;
    EXPECT_NE(text.find(".pc2"), std::string::npos) << text;
  }
}

TEST_F(Deform, CachesHoldEveryVertexInFileOrder) {
  DeformJobOptions options = playing("walk");
  options.frames = "3:7";
  options.fps = 20;
  run("human.glb", "walk.pc2", options);
  run("human.glb", "walk.mdd", options);
  const io::PointCache pc2 = io::read_pc2(io::read_file(*folder_ / "walk.pc2"));
  const io::PointCache mdd = io::read_mdd(io::read_file(*folder_ / "walk.mdd"));
  const Character character = io::load(*folder_ / "human.glb").character;
  EXPECT_EQ(pc2.first_frame, 3);
  ASSERT_EQ(pc2.frames(), 5u);
  ASSERT_EQ(pc2.points, character.rig.mesh.vertex_count());
  EXPECT_EQ(pc2.positions, mdd.positions);
  EXPECT_FLOAT_EQ(mdd.times_s[1], 0.2F);
  const Clip& walk = *std::find_if(character.clips.begin(), character.clips.end(),
                                   [](const Clip& clip) { return clip.name == "walk"; });
  for (std::size_t f = 0; f < 5; ++f) {
    const double time = static_cast<double>(f + 3) / 20;
    const std::vector<Vec3> wanted = deform::linear_positions(
        character.rig, motion::resolve(character.rig.skeleton, motion::sample(character.rig, walk, time)));
    for (std::size_t v = 0; v < wanted.size(); v += 17)
      EXPECT_LE((wanted[v] - pc2.positions[f * wanted.size() + v].cast<double>()).norm(), 1e-5);
  }
}

TEST_F(Deform, EachPartGetsACacheOfItsOwn) {
  run("strip.glb", "strip.pc2", playing("0"));
  const Mesh mesh = io::load(*folder_ / "strip.glb").character.rig.mesh;
  ASSERT_GT(mesh.parts.size(), 1u);
  std::size_t found = 0;
  for (const auto& entry : fs::directory_iterator((*folder_ / "strip.glb").parent_path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("strip_") || !name.ends_with(".pc2")) continue;
    const io::PointCache cache = io::read_pc2(io::read_file(entry.path()));
    EXPECT_TRUE(std::any_of(mesh.parts.begin(), mesh.parts.end(),
                            [&](const MeshPart& part) { return part.vertex_count == cache.points; }));
    ++found;
  }
  EXPECT_EQ(found, static_cast<std::size_t>(std::count_if(mesh.parts.begin(), mesh.parts.end(),
                                                          [](const MeshPart& p) { return p.vertex_count > 0; })));
}

TEST_F(Deform, OneFrameGoesToObjWithItsNormals) {
  DeformJobOptions options = playing("walk", "dqs");
  options.frames = "8";
  run("human.glb", "pose.obj", options);
  run("human.glb", "pose.mdd", options);
  const io::PointCache truth = io::read_mdd(io::read_file(*folder_ / "pose.mdd"));
  const Mesh mesh = io::load(*folder_ / "pose.obj").character.rig.mesh;
  ASSERT_EQ(mesh.vertex_count(), truth.points);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    EXPECT_LE((mesh.positions[v] - truth.positions[v].cast<double>()).norm(), 1e-5);
  EXPECT_FALSE(mesh.normals.empty());
  EXPECT_NE(refusal("human.glb", playing("walk"), "all.obj").find("single pose"), std::string::npos);
}

TEST_F(Deform, APoseIsWhatAStillPictureOfTheFileShows) {
  const Skeleton skeleton = io::load(*folder_ / "cylinder.glb").character.rig.skeleton;
  const std::string last = skeleton.joints.back().name;
  const std::string text = R"({"joints": {")" + last + R"(": {"rotation": {"euler_deg": [0, 120, 40]}}}})";
  test::write(*folder_ / "turn.json", io::as_bytes(text));
  for (const char* method : {"lbs", "dqs"}) {
    DeformJobOptions options;
    options.deformer.method.choose(method);
    options.pose = (*folder_ / "turn.json").string();
    const Report report = run("cylinder.glb", "posed.glb", options);
    EXPECT_LE(report.metrics["error_rel"].get<double>(), options.key_shapes.tolerance);
    run("cylinder.glb", "posed.mdd", options);
    const io::PointCache truth = io::read_mdd(io::read_file(*folder_ / "posed.mdd"));
    const Rig rig = io::load(*folder_ / "posed.glb").character.rig;
    const std::vector<Vec3> shown = deform::linear_positions(rig, motion::resolve(rig.skeleton, rest_pose(rig)));
    double worst = 0;
    for (std::size_t v = 0; v < shown.size(); ++v)
      worst = std::max(worst, (shown[v] - truth.positions[v].cast<double>()).norm());
    EXPECT_LE(worst, 1e-3 * rig.mesh.size()) << method;
  }
}

TEST_F(Deform, AClipOfAnotherFileNeedsJointsThatCorrespond) {
  DeformJobOptions options = playing((*folder_ / "human.glb#walk").string());
  MakeOptions human;
  human.shape.vertices = 1500;
  make({{"human"}, *folder_ / "other.glb", true}, human, {});
  const Report report = run("other.glb", "borrowed.glb", options);
  EXPECT_EQ(report.metrics["motion"], "walk_2");
  EXPECT_EQ(report.inputs.size(), 2u);
  EXPECT_NE(refusal("cylinder.glb", options).find("moves no joint"), std::string::npos);
  options.clip = (*folder_ / "human.glb#dance").string();
  EXPECT_NE(refusal("other.glb", options).find("'walk'"), std::string::npos);
}

TEST_F(Deform, RangesOfFramesBecomeClipsOfTheirOwn) {
  DeformJobOptions options = playing("walk");
  options.frames = "5:10";
  const Report report = run("human.glb", "cut.glb", options);
  const Character after = io::load(*folder_ / "cut.glb").character;
  ASSERT_EQ(after.clips.size(), 3u);
  EXPECT_EQ(after.clips.back().name, "walk 5:10");
  EXPECT_NEAR(after.clips.back().duration_s(), 5.0 / 30, 1e-6);
  EXPECT_LE(report.metrics["error_rel"].get<double>(), 1e-6);
}

std::string unknown_method() {
  try {
    DeformJobOptions options;
    options.deformer.method.choose("magic");
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST_F(Deform, WhatIsWrongWithARequestIsASentence) {
  EXPECT_NE(refusal("human.glb", playing("dance")).find("'walk'"), std::string::npos);
  EXPECT_NE(refusal("human.glb", playing("")).find("'clip'"), std::string::npos);
  EXPECT_NE(unknown_method().find("lbs"), std::string::npos);
  EXPECT_NE(refusal("human.glb", playing("walk"), "no.fbx").find(".pc2"), std::string::npos);
  for (const char* frames : {"x", "5:", ":5", "9:3", "0:999", "-1:4", "1:2:3"}) {
    DeformJobOptions options = playing("walk");
    options.frames = frames;
    EXPECT_NE(refusal("human.glb", options).find("'frames'"), std::string::npos) << frames;
  }
  test::write(*folder_ / "plain.obj", io::as_bytes("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
  EXPECT_NE(refusal("plain.obj", playing("walk")).find("no skeleton"), std::string::npos);
}

TEST_F(Deform, JointsWithDriversGetTracksThatOtherProgramsCanPlay) {
  Character character = io::load(*folder_ / "human.glb").character;
  Skeleton& skeleton = character.rig.skeleton;
  const Clip wave = character.clips[0];
  Index source = kNone, driven = kNone;
  for (const Track& track : wave.tracks)
    if (track.path == Track::Path::kRotation && track.values[1] != track.values.end()[-3]) source = track.target;
  if (source == kNone) source = wave.tracks[0].target;
  for (Index j = 0; j < skeleton.size() && driven == kNone; ++j)
    if (std::none_of(wave.tracks.begin(), wave.tracks.end(), [&](const Track& track) { return track.target == j; }))
      driven = j;
  ASSERT_NE(driven, kNone);
  Driver driver;
  driver.source = source;
  skeleton.joints[driven].driver = driver;
  const motion::Player player(character.rig, wave);
  const pipeline::FrameRange frames = pipeline::frame_range(wave.duration_s(), 30);
  const Clip clip = motion::resampled(character.rig, player, frames.times_s, "wave");
  EXPECT_TRUE(validate(clip, skeleton.size(), 1).empty());
  EXPECT_TRUE(std::any_of(clip.tracks.begin(), clip.tracks.end(), [&](const Track& track) {
    return track.target == driven && track.path == Track::Path::kRotation;
  }));
  // Without drivers the new clip shows at every frame what skeleton and drivers did.
  const Pose truth = player.at(frames.times_s[20]);
  const std::vector<Mat4> wanted = motion::resolve(skeleton, truth).joints;
  skeleton.joints[driven].driver.reset();
  const Pose played = motion::sample(character.rig, clip, frames.times_s[20]);
  const std::vector<Mat4> found = model_matrices(skeleton, played.local);
  for (std::size_t j = 0; j < wanted.size(); ++j) EXPECT_LE((wanted[j] - found[j]).norm(), 1e-5) << j;
}

TEST_F(Deform, FramesEndAtTheVeryEndOfTheClip) {
  const pipeline::FrameRange range = pipeline::frame_range(1.01, 10);
  ASSERT_EQ(range.times_s.size(), 12u);
  EXPECT_EQ(range.times_s[10], 1.0);
  EXPECT_EQ(range.times_s[11], 1.01);
  EXPECT_TRUE(range.whole);
  EXPECT_EQ(pipeline::frame_range(1.0, 10).times_s.size(), 11u);
  EXPECT_EQ(pipeline::frame_range(0, 10).times_s.size(), 1u);
  EXPECT_THROW(pipeline::frame_range(1, -3), Error);
  EXPECT_THROW(pipeline::frame_range(1, std::nan("")), Error);
}

TEST_F(Deform, WritesTheSameBytesForAnyNumberOfThreads) {
  DeformJobOptions options = playing("wave", "dqs");
  options.key_shapes.tolerance = 0.01;
  set_thread_count(1);
  run("human.glb", "one.glb", options);
  set_thread_count(2);
  run("human.glb", "two.glb", options);
  set_thread_count(0);
  EXPECT_EQ(io::read_file(*folder_ / "one.glb"), io::read_file(*folder_ / "two.glb"));
}

TEST_F(Deform, MorphsRigidPartsAndOddInterpolationsComeThrough) {
  for (const char* method : {"lbs", "dqs"}) {
    DeformJobOptions options = playing("0", method);
    options.key_shapes.tolerance = 1e-4;
    const Report report = run("strip.glb", "strip_out.glb", options);
    EXPECT_LE(report.metrics["error_rel"].get<double>(), 1e-4) << method;
  }
}

TEST_F(Deform, RealCharactersStayWithinTheTolerance) {
  const char* data = std::getenv("SINEW_DATA");
  if (data == nullptr) GTEST_SKIP() << "SINEW_DATA is not set";
  for (const char* name : {"CesiumMan.glb", "Fox.glb", "HVGirl.glb", "RobotExpressive.glb"}) {
    const fs::path path = fs::path(data) / "rigged" / name;
    if (!fs::exists(path)) continue;
    DeformJobOptions options = playing("0", "dqs");
    options.key_shapes.tolerance = 0.005;
    options.fps = 15;
    const Report report = deform({{path}, *folder_ / "real.glb", true}, options, {});
    EXPECT_LE(report.metrics["error_rel"].get<double>(), 0.005) << name;
  }
}

}  // namespace
}  // namespace sinew::jobs
