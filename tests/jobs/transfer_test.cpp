// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/transfer.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/io/file.h"
#include "sinew/jobs/convert.h"
#include "sinew/jobs/make.h"

namespace sinew::jobs {

namespace {

namespace fs = std::filesystem;

class Transfer : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("sinew_transfer_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void make_human(const std::string& name, int vertices, int seed = 0, const std::string& pose = "a") {
    MakeOptions options;
    options.shape.vertices = vertices;
    options.shape.seed = seed;
    options.shape.vary = seed == 0 ? 0 : 0.5;
    options.shape.made_pose = pose;
    make({{"human"}, folder_ / name, true}, options, {});
  }
  void bare(const std::string& from, const std::string& to) { convert({{folder_ / from}, folder_ / to, true}, {}, {}); }

  Report run(const std::string& reference, const std::vector<std::string>& targets, const std::string& out,
             const TransferJobOptions& options = {}) {
    JobRequest request{{folder_ / reference}, folder_ / out, false};
    for (const std::string& target : targets) request.inputs.push_back(folder_ / target);
    return transfer(request, options, {});
  }
  Rig rig_of(const std::string& name) { return io::load(folder_ / name).character.rig; }
  std::string refused(const std::string& reference, const std::vector<std::string>& targets, const std::string& out,
                      const TransferJobOptions& options = {}) {
    try {
      run(reference, targets, out, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  fs::path folder_;
};

// Total variation between rows of two files of the same mesh and skeleton, in the mean.
double mean_difference(const Rig& a, const Rig& b) {
  double sum = 0;
  for (Index v = 0; v < a.weights.row_count(); ++v) {
    std::map<std::string, double> row;
    for (const Influence& i : a.weights.row(v)) row[a.skeleton.joints[i.joint].name] += static_cast<double>(i.weight);
    for (const Influence& i : b.weights.row(v)) row[b.skeleton.joints[i.joint].name] -= static_cast<double>(i.weight);
    for (const auto& [name, difference] : row) sum += 0.5 * std::abs(difference);
  }
  return sum / a.weights.row_count();
}

void expect_full_rows(const Rig& rig) {
  ASSERT_EQ(rig.weights.row_count(), rig.mesh.vertex_count());
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    double sum = 0;
    for (const Influence& i : rig.weights.row(v)) sum += static_cast<double>(i.weight);
    ASSERT_NEAR(sum, 1, 1e-5) << v;
  }
}

TEST_F(Transfer, WeightsOfAHumanFitAnotherOfOtherBuildAndPose) {
  make_human("reference.glb", 2500);
  make_human("truth.glb", 1500, 7, "t");
  TransferJobOptions options;
  const Report report = run("reference.glb", {"truth.glb"}, "out.glb", options);
  const Rig out = rig_of("out.glb"), truth = rig_of("truth.glb");
  expect_full_rows(out);
  EXPECT_EQ(out.skeleton.size(), truth.skeleton.size());
  EXPECT_LT(mean_difference(out, truth), 0.12);
  const Json& target = report.metrics["targets"][0];
  EXPECT_EQ(target["map"].size(), static_cast<std::size_t>(51));
  EXPECT_GT(target["weights"]["mean_confidence"].get<double>(), 0.7);
  EXPECT_GT(target["weights"]["rays"].get<double>(), 1000);
  EXPECT_NE(report.text.find("map"), std::string::npos);
  EXPECT_NE(report.next.find("sinew render"), std::string::npos);
  for (const char* stage : {"read", "map", "guides", "rays", "write"})
    EXPECT_TRUE(report.timing.contains(stage)) << stage;
}

TEST_F(Transfer, TheSameBytesForAnyNumberOfThreads) {
  make_human("reference.glb", 1200);
  make_human("other.glb", 900, 3);
  set_thread_count(1);
  run("reference.glb", {"other.glb"}, "one.glb");
  set_thread_count(2);
  run("reference.glb", {"other.glb"}, "two.glb");
  set_thread_count(0);
  EXPECT_EQ(io::read_file(folder_ / "one.glb"), io::read_file(folder_ / "two.glb"));
}

TEST_F(Transfer, ABareCopyGetsTheVerySkeleton) {
  make_human("reference.glb", 1500);
  bare("reference.glb", "copy.obj");
  const Report report = run("reference.glb", {"copy.obj"}, "out.glb");
  EXPECT_EQ(report.metrics["targets"][0]["skeleton"]["how"], "copied");
  const Rig out = rig_of("out.glb"), reference = rig_of("reference.glb");
  ASSERT_EQ(out.skeleton.size(), reference.skeleton.size());
  const std::vector<Mat4> a = rest_matrices(out.skeleton), b = rest_matrices(reference.skeleton);
  for (Index j = 0; j < out.skeleton.size(); ++j) {
    EXPECT_EQ(out.skeleton.joints[j].name, reference.skeleton.joints[j].name);
    EXPECT_LT((a[j] - b[j]).norm(), 1e-5);
  }
  EXPECT_EQ(out.skins[0].joints, reference.skins[0].joints);
  EXPECT_LT(mean_difference(out, reference), 0.08);
}

TEST_F(Transfer, ABareBodyOfOtherBuildGetsTheReferencesJointsInItsOrder) {
  make_human("reference.glb", 2500);
  make_human("truth.glb", 2500, 4);
  bare("truth.glb", "mesh.obj");
  TransferJobOptions options;
  options.transfer.clips = true;
  const Report report = run("reference.glb", {"mesh.obj"}, "out.glb", options);
  const Json& skeleton = report.metrics["targets"][0]["skeleton"];
  EXPECT_EQ(skeleton["how"], "template");
  EXPECT_EQ(skeleton["template"], "human");
  const Rig out = rig_of("out.glb"), truth = rig_of("truth.glb"), reference = rig_of("reference.glb");
  expect_full_rows(out);
  ASSERT_EQ(out.skeleton.size(), reference.skeleton.size());
  const std::vector<Mat4> a = rest_matrices(out.skeleton), b = rest_matrices(truth.skeleton);
  double sum = 0;
  for (Index j = 0; j < out.skeleton.size(); ++j) {
    EXPECT_EQ(out.skeleton.joints[j].name, reference.skeleton.joints[j].name);
    sum += (a[j] - b[j]).topRightCorner<3, 1>().norm();
  }
  EXPECT_LT(sum / out.skeleton.size(), 0.03 * truth.mesh.size());
  // The reference's clips came along.
  const io::Asset asset = io::load(folder_ / "out.glb");
  EXPECT_EQ(asset.character.clips.size(), io::load(folder_ / "reference.glb").character.clips.size());
}

// The torso of a character, displaced along its normals, as two objects that meet at a seam.
std::string two_piece_vest(const Mesh& mesh) {
  const Box box = mesh.bounds();
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh);
  std::string text;
  Index count = 0;
  for (const bool front : {true, false}) {
    text += front ? "o front\n" : "o back\n";
    std::map<Index, Index> number;
    std::string faces;
    for (Index f = 0; f < mesh.face_count(); ++f) {
      Vec3 middle = Vec3::Zero();
      for (const Index v : mesh.face(f)) middle += mesh.positions[v] / static_cast<double>(mesh.face(f).size());
      const Vec3 at = (middle - box.lower).cwiseQuotient(box.extent());
      if (at.y() < 0.5 || at.y() > 0.8 || std::abs(at.x() - 0.5) > 0.2 || (at.z() > 0.5) != front) continue;
      faces += "f";
      for (const Index v : mesh.face(f)) {
        if (number.try_emplace(v, count + 1).second) {
          const Vec3 q = mesh.positions[v] + 0.01 * normals[v];
          text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", q.x(), q.y(), q.z());
          ++count;
        }
        faces += fmt::format(" {}", number[v]);
      }
      faces += "\n";
    }
    text += faces;
  }
  return text;
}

TEST_F(Transfer, SeparatePartsOfAGarmentHaveEqualRowsAtTheirSeamInTheWrittenFile) {
  make_human("reference.glb", 2500);
  write("vest.obj", two_piece_vest(rig_of("reference.glb").mesh));
  run("reference.glb", {"vest.obj"}, "vest.glb");
  const Rig out = rig_of("vest.glb");
  ASSERT_EQ(out.mesh.parts.size(), 2U);
  expect_full_rows(out);
  std::map<std::array<double, 3>, Index> front;
  for (Index v = 0; v < out.mesh.parts[1].first_vertex; ++v)
    front[{out.mesh.positions[v].x(), out.mesh.positions[v].y(), out.mesh.positions[v].z()}] = v;
  int shared = 0, blended = 0;
  for (Index v = out.mesh.parts[1].first_vertex; v < out.mesh.vertex_count(); ++v) {
    const auto at = front.find({out.mesh.positions[v].x(), out.mesh.positions[v].y(), out.mesh.positions[v].z()});
    if (at == front.end()) continue;
    const auto a = out.weights.row(at->second), b = out.weights.row(v);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << v;
    ++shared, blended += a.size() > 1;
  }
  EXPECT_GT(shared, 10);
  EXPECT_GT(blended, 5);
}

TEST_F(Transfer, SeveralTargetsGoToAFolderAndOneThatFailsIsToldOf) {
  make_human("reference.glb", 1200);
  make_human("lod0.glb", 1000);
  make_human("lod1.glb", 500);
  write("broken.obj", "v 0 0 0\n");
  const Report report = run("reference.glb", {"lod0.glb", "broken.obj", "lod1.glb"}, "out/");
  EXPECT_EQ(report.status, Report::Status::kIncomplete);
  EXPECT_TRUE(fs::exists(folder_ / "out" / "lod0_transferred.glb"));
  EXPECT_TRUE(fs::exists(folder_ / "out" / "lod1_transferred.glb"));
  EXPECT_FALSE(fs::exists(folder_ / "out" / "broken_transferred.glb"));
  EXPECT_NE(report.text.find("failed"), std::string::npos);
  EXPECT_EQ(report.metrics["targets"].size(), 3U);
  EXPECT_EQ(rig_of("out/lod0_transferred.glb").skins[0].joints, rig_of("out/lod1_transferred.glb").skins[0].joints);
}

// A human with a twist joint in the left forearm that has half of its weight.
void add_helper(const fs::path& from, const fs::path& to) {
  io::Asset asset = io::load(from);
  Rig& rig = asset.character.rig;
  const Index forearm = rig.skeleton.find("LeftForearm"), hand = rig.skeleton.find("LeftHand");
  const Index twist = rig.skeleton.size();
  Joint joint;
  joint.name = "LeftForearmTwist";
  joint.parent = forearm;
  joint.role = "helper";
  joint.deforming = true;
  joint.rest.translation = 0.5 * rig.skeleton.joints[hand].rest.translation;
  joint.driver.emplace();
  joint.driver->kind = Driver::Kind::kTwistShare;
  joint.driver->source = hand;
  rig.skeleton.joints.push_back(joint);
  const Mat4 frame = rest_matrices(rig.skeleton)[twist];
  rig.skins[0].joints.push_back(twist);
  rig.skins[0].inverse_bind.push_back(frame.inverse());
  SkinWeights weights;
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    std::vector<Influence> row;
    for (const Influence& i : rig.weights.row(v)) {
      row.push_back({i.joint, i.joint == forearm ? 0.5F * i.weight : i.weight});
      if (i.joint == forearm) row.push_back({twist, 0.5F * i.weight});
    }
    weights.add_row(row);
  }
  rig.weights = weights;
  Report report;
  io::SaveOptions save;
  save.changes.weights = save.changes.skeleton = true;
  save.max_influences = 8;
  io::save(asset, to, save, report);
}

TEST_F(Transfer, HelpersComeAlongWithTheirDriversAndTheRestShapeStays) {
  make_human("plain.glb", 1500);
  add_helper(folder_ / "plain.glb", folder_ / "reference.glb");
  make_human("target.glb", 900, 6, "t");
  bare("plain.glb", "bare.obj");
  const Rig before = rig_of("target.glb");
  run("reference.glb", {"target.glb", "bare.obj"}, "out/");
  for (const char* name : {"out/target_transferred.glb", "out/bare_transferred.glb"}) {
    const Rig out = rig_of(name);
    const Index twist = out.skeleton.find("LeftForearmTwist");
    ASSERT_NE(twist, kNone) << name;
    EXPECT_EQ(out.skeleton.size(), before.skeleton.size() + 1);
    ASSERT_TRUE(out.skeleton.joints[twist].driver.has_value());
    EXPECT_EQ(out.skeleton.joints[out.skeleton.joints[twist].driver->source].name, "LeftHand");
    EXPECT_EQ(out.skeleton.joints[out.skeleton.joints[twist].parent].name, "LeftForearm");
    double share = 0;
    for (Index v = 0; v < out.weights.row_count(); ++v)
      for (const Influence& i : out.weights.row(v)) share += i.joint == twist ? static_cast<double>(i.weight) : 0;
    EXPECT_GT(share, 5) << name;
    // Bound where it rests.
    const std::vector<Mat4> rest = rest_matrices(out.skeleton), unbind = inverse_bind_of_part(out, 0);
    EXPECT_LT((rest[twist] * unbind[twist] - Mat4::Identity()).norm(), 1e-5) << name;
    // Halfway along the forearm.
    const auto place = [&](const char* joint) { return Vec3(rest[out.skeleton.find(joint)].topRightCorner<3, 1>()); };
    const Vec3 bone = place("LeftHand") - place("LeftForearm");
    EXPECT_NEAR((place("LeftForearmTwist") - place("LeftForearm")).dot(bone) / bone.squaredNorm(), 0.5, 1e-3);
  }
  TransferJobOptions options;
  options.transfer.helpers = pipeline::HelperTransfer::kNone;
  run("reference.glb", {"target.glb"}, "none.glb", options);
  EXPECT_EQ(rig_of("none.glb").skeleton.size(), before.skeleton.size());
}

TEST_F(Transfer, JointsOfTheReferenceAreAddedWhereAsked) {
  make_human("reference.glb", 1200);
  make_human("target.glb", 900, 6);
  const Skeleton skeleton = rig_of("reference.glb").skeleton;
  write("map.json", "{\"LeftToes\": null}");
  TransferJobOptions options;
  options.map = (folder_ / "map.json").string();
  options.transfer.joints_from = pipeline::JointsFrom::kReference;
  const Report report = run("reference.glb", {"target.glb"}, "out.glb", options);
  EXPECT_EQ(report.metrics["targets"][0]["added_joints"].size(), 1U);
  EXPECT_EQ(rig_of("out.glb").skeleton.size(), skeleton.size() + 1);
}

TEST_F(Transfer, OnlyTheNamedJointsChange) {
  make_human("reference.glb", 2000);
  make_human("target.glb", 1200, 2);
  const Rig before = rig_of("target.glb");
  TransferJobOptions options;
  std::string forearm;
  for (const Joint& joint : before.skeleton.joints)
    if (joint.name.find("Left") != std::string::npos && joint.name.find("Forearm") != std::string::npos)
      forearm = joint.name;
  ASSERT_FALSE(forearm.empty());
  options.transfer.only = {forearm};
  const Report report = run("reference.glb", {"target.glb"}, "out.glb", options);
  const Rig after = rig_of("out.glb");
  expect_full_rows(after);
  Index changed = 0;
  const Index joint = before.skeleton.find(forearm);
  const auto weight = [&](const Rig& rig, Index v) {
    for (const Influence& i : rig.weights.row(v))
      if (i.joint == joint) return i.weight;
    return 0.0F;
  };
  for (Index v = 0; v < before.weights.row_count(); ++v) {
    const auto a = before.weights.row(v), b = after.weights.row(v);
    const bool same = std::equal(a.begin(), a.end(), b.begin(), b.end());
    changed += same ? 0 : 1;
    EXPECT_TRUE(same || weight(before, v) > 0 || weight(after, v) > 0) << v;
  }
  EXPECT_GT(changed, 10U);
  EXPECT_LT(changed, before.weights.row_count() / 3);
  EXPECT_EQ(report.metrics["targets"][0]["changed_vertices"], changed);
}

TEST_F(Transfer, VerticesThatHaveWeightsKeepThem) {
  make_human("reference.glb", 1500);
  make_human("target.glb", 900, 2);
  io::Asset asset = io::load(folder_ / "target.glb");
  Rig& rig = asset.character.rig;
  SkinWeights some;
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    if (v % 3 == 0) some.add_row({});
    else some.add_row(rig.weights.row(v));
  rig.weights = some;
  Report saved;
  io::SaveOptions save;
  save.changes.weights = true;
  io::save(asset, folder_ / "holes.glb", save, saved);
  TransferJobOptions options;
  options.transfer.keep_existing = true;
  const Report report = run("reference.glb", {"holes.glb"}, "out.glb", options);
  const Rig out = rig_of("out.glb"), before = rig_of("holes.glb");
  expect_full_rows(out);
  Index kept = 0;
  for (Index v = 0; v < before.weights.row_count(); ++v) {
    const auto a = before.weights.row(v), b = out.weights.row(v);
    if (a.empty()) continue;
    ++kept;
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << v;
  }
  EXPECT_EQ(report.metrics["targets"][0]["kept_vertices"], kept);
}

TEST_F(Transfer, AMapIsHeededAndColoursTellTheLevels) {
  make_human("reference.glb", 900);
  make_human("target.glb", 600, 1);
  const Skeleton skeleton = rig_of("reference.glb").skeleton;
  write("map.json", "{\"" + skeleton.joints.back().name + "\": null}");
  TransferJobOptions options;
  options.map = (folder_ / "map.json").string();
  options.debug_colors = true;
  const Report report = run("reference.glb", {"target.glb"}, "out.glb", options);
  EXPECT_EQ(report.metrics["targets"][0]["map"].size(), static_cast<std::size_t>(50));
  const Mesh mesh = rig_of("out.glb").mesh;
  ASSERT_EQ(mesh.colors.size(), mesh.positions.size());
  EXPECT_GT(mesh.colors[0].y(), mesh.colors[0].x());  // Green: matched.
}

TEST_F(Transfer, WrongRequestsAreRefusedAndWriteNothing) {
  make_human("reference.glb", 600);
  make_human("target.glb", 600, 1);
  bare("reference.glb", "bare.obj");
  write("list.json", "[1, 2]");
  write("wrong.json", R"({"Hipz": "Hips"})");
  write("points.obj", "v 0 0 0\n");
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::vector<std::string> before = names();
  EXPECT_NE(refused("bare.obj", {"target.glb"}, "out.glb").find("has no skin"), std::string::npos);
  EXPECT_NE(refused("reference.glb", {"points.obj"}, "out.glb").find("no mesh"), std::string::npos);
  EXPECT_NE(refused("reference.glb", {"reference.glb"}, "out.glb").find("both the reference and a target"),
            std::string::npos);
  EXPECT_NE(refused("reference.glb", {"target.glb"}, "target.glb.obj").find("cannot hold"), std::string::npos);
  EXPECT_NE(refused("reference.glb", {"target.glb"}, "bare.obj").find("already exists"), std::string::npos);
  EXPECT_NE(refused("reference.glb", {"target.glb", "bare.obj"}, "out.glb").find("single file"), std::string::npos);
  EXPECT_NE(refused("reference.glb", {"target.glb", "bare.obj"}, "a/b/").find("does not exist"), std::string::npos);
  TransferJobOptions options;
  options.map = (folder_ / "list.json").string();
  EXPECT_NE(refused("reference.glb", {"target.glb"}, "out.glb", options).find("JSON object"), std::string::npos);
  options.map = (folder_ / "wrong.json").string();
  EXPECT_NE(refused("reference.glb", {"target.glb"}, "out.glb", options).find("Did you mean 'Hips'?"),
            std::string::npos);
  options.map = "";
  options.transfer.only = {"Hipz"};
  EXPECT_NE(refused("reference.glb", {"target.glb"}, "out.glb", options).find("Did you mean 'Hips'?"),
            std::string::npos);
  options.transfer.only = {"Hips"};
  EXPECT_NE(refused("reference.glb", {"bare.obj"}, "out.glb", options).find("'only'"), std::string::npos);
  options.transfer.only = {};
  options.transfer.weights.max_influences = 65;
  EXPECT_NE(refused("reference.glb", {"target.glb"}, "out.glb", options).find("'max_influences'"), std::string::npos);
  EXPECT_EQ(names(), before);
}

}  // namespace
}  // namespace sinew::jobs
