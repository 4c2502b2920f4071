// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/inbetween.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sinew/core/error.h"
#include "sinew/io/caches/pc2.h"
#include "sinew/jobs/deform.h"
#include "sinew/jobs/make.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

/// A made human, its mesh in two poses as OBJ files, and a file that is no pose of it.
class InbetweenJob : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    poses_ = new test::TemporaryFolder;
    MakeOptions human;
    human.shape.vertices = 2500;
    make({{"human"}, *poses_ / "human.glb", false}, human, {});
    for (const auto& [frame, name] : {std::pair("0", "a.obj"), std::pair("8", "b.obj")}) {
      DeformJobOptions deformed;
      deformed.clip = "walk";
      deformed.frames = frame;
      deform({{*poses_ / "human.glb"}, *poses_ / name, true}, deformed, {});
    }
    make({{"cylinder"}, *poses_ / "other.obj", false}, {}, {});
  }
  static void TearDownTestSuite() { delete poses_; }

  static Report run(const std::vector<fs::path>& inputs, const std::string& out, InbetweenJobOptions options = {}) {
    std::vector<fs::path> paths;
    for (const fs::path& input : inputs) paths.push_back(*poses_ / input.string());
    return inbetween({paths, *poses_ / out, true}, options, {});
  }

  static std::string refusal(const std::vector<fs::path>& inputs, const std::string& out,
                             const InbetweenJobOptions& options = {}) {
    try {
      run(inputs, out, options);
    } catch (const Error& error) {
      EXPECT_FALSE(fs::exists(*poses_ / out));
      return error.what();
    }
    ADD_FAILURE() << "it was not refused";
    return "";
  }

  static test::TemporaryFolder* poses_;
};

test::TemporaryFolder* InbetweenJob::poses_ = nullptr;

TEST_F(InbetweenJob, WritesACharacterWithJointsAndAClip) {
  const Report report = run({"a.obj", "b.obj"}, "between.glb");
  EXPECT_LT(report.metrics["written_error"].get<double>(), 1e-3);
  EXPECT_EQ(report.metrics["coverage"], 1.0);
  const io::Asset asset = io::load(*poses_ / "between.glb");
  ASSERT_EQ(asset.character.clips.size(), 1U);
  EXPECT_EQ(asset.character.clips[0].name, "inbetween");
  EXPECT_NEAR(asset.character.clips[0].duration_s(), 1, 1e-6);
  EXPECT_GT(asset.character.rig.skeleton.size(), 10U);
}

TEST_F(InbetweenJob, ACacheHasThePosesAtItsEnds) {
  InbetweenJobOptions options;
  options.times = {"0", "0.5"};
  options.fps = 20;
  run({"a.obj", "b.obj"}, "between.pc2", options);
  const io::PointCache cache = io::read_pc2(io::read_file(*poses_ / "between.pc2"));
  ASSERT_EQ(cache.times_s.size(), 11U);
  const Mesh b = io::load(*poses_ / "b.obj").character.rig.mesh;
  ASSERT_EQ(cache.points, b.vertex_count());
  for (Index v = 0; v < b.vertex_count(); ++v)
    EXPECT_LT((cache.positions[10 * b.vertex_count() + v].cast<double>() - b.positions[v]).norm(), 1e-5);
}

TEST_F(InbetweenJob, WritesAMeshForEachFrame) {
  InbetweenJobOptions options;
  options.fps = 4;
  run({"a.obj", "b.obj"}, "frame_%04d.obj", options);
  for (const char* name : {"frame_0000.obj", "frame_0004.obj"}) EXPECT_TRUE(fs::exists(*poses_ / name)) << name;
  EXPECT_FALSE(fs::exists(*poses_ / "frame_0005.obj"));
}

TEST_F(InbetweenJob, RefusesWhatIsNoPoseAndWhatCannotBeWritten) {
  EXPECT_NE(refusal({"a.obj", "other.obj"}, "no.glb").find("other.obj is not a pose of a.obj"), std::string::npos);
  EXPECT_NE(refusal({"a.obj", "b.obj"}, "no.fbx").find(".pc2"), std::string::npos);
  EXPECT_NE(refusal({"a.obj"}, "no.glb").find("morph"), std::string::npos);
  InbetweenJobOptions options;
  options.times = {"0", "1", "2"};
  EXPECT_NE(refusal({"a.obj", "b.obj"}, "no.glb", options).find("3 times"), std::string::npos);
  options.times = {"1", "0"};
  EXPECT_NE(refusal({"a.obj", "b.obj"}, "no.glb", options).find("rise"), std::string::npos);
  options.times = {"0", "soon"};
  EXPECT_NE(refusal({"a.obj", "b.obj"}, "no.glb", options).find("'soon'"), std::string::npos);
}

TEST_F(InbetweenJob, ExampleShapesAreTakenInTheirPoses) {
  fs::create_directory(*poses_ / "shapes");
  // A shape with a belly, in a pose of the walk.
  const io::Asset b = io::load(*poses_ / "b.obj");
  io::Asset swollen = b;
  for (Vec3& p : swollen.character.rig.mesh.positions) {
    if (p.z() > 0 && std::abs(p.x()) < 0.2) p.z() += 0.06 * std::exp(-60 * std::pow(p.y() - 1.1, 2));
  }
  io::SaveOptions save;
  save.changes.positions = true;
  Report report;
  io::save(swollen, *poses_ / "shapes/belly.obj", save, report);
  DeformJobOptions options;
  options.clip = "walk";
  options.frames = "8";
  options.deformer.method.choose("ode");
  options.deformer.method.options().list().find("inertia")->set(0.0);
  options.part_files.poses = (*poses_ / "shapes").string();
  deform({{*poses_ / "human.glb"}, *poses_ / "with.obj", true}, options, {});
  const Mesh with = io::load(*poses_ / "with.obj").character.rig.mesh;
  double near = 0, far = 0;
  for (Index v = 0; v < with.vertex_count(); ++v) {
    const double swelling = (swollen.character.rig.mesh.positions[v] - b.character.rig.mesh.positions[v]).norm();
    if (swelling < 0.02) continue;
    near += (with.positions[v] - swollen.character.rig.mesh.positions[v]).norm();
    far += (with.positions[v] - b.character.rig.mesh.positions[v]).norm();
  }
  EXPECT_LT(near, 0.6 * far);
  options.deformer.method.choose("lbs");
  EXPECT_THROW(deform({{*poses_ / "human.glb"}, *poses_ / "with2.obj", true}, options, {}), Error);
}

}  // namespace
}  // namespace sinew::jobs
