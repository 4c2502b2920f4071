// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// A method takes one registry entry: its options, help and JSON come with it. Toys are registered and used through the
// program.

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "program.h"
#include "sinew/binding/binder.h"
#include "sinew/core/json.h"
#include "sinew/deform/blend/lbs.h"
#include "sinew/deform/deformer.h"
#include "sinew/io/asset.h"
#include "sinew/io/caches/pc2.h"
#include "sinew/io/file.h"
#include "sinew/transfer/method.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::app {
namespace {

enum class Axis { kX, kY };
constexpr auto option_words(Axis) { return std::array{"x", "y"}; }

struct LiftOptions {
  double lift_height = 0.5;
  Axis lift_axis = Axis::kY;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("lift_height", "How far the skin is lifted.").in("m").range(0, 10), self.lift_height);
    v(Field("lift_axis", "The direction."), self.lift_axis);
  }
};

/// Linear skinning, lifted.
class Lift : public deform::Deformer {
 public:
  Lift(const Rig& rig, const LiftOptions& options) : linear_(deform::bind_lbs(rig)), options_(options) {}
  std::unique_ptr<State> make_state() const override { return linear_->make_state(); }
  void deform(State& state, const deform::FrameInput& input, const deform::FrameOutput& output) const override {
    linear_->deform(state, input, output);
    for (Vec3f& p : output.positions)
      p[options_.lift_axis == Axis::kX ? 0 : 1] += static_cast<float>(options_.lift_height);
  }

 private:
  std::unique_ptr<Deformer> linear_;
  LiftOptions options_;
};

struct OneJointOptions {
  std::string only_joint = "Joint0";

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("only_joint", "The joint that moves everything."), self.only_joint);
  }
};

SkinWeights rows_of(Index joint, Index count) {
  SkinWeights rows;
  for (Index v = 0; v < count; ++v) rows.add_row({{joint, 1.0F}});
  return rows;
}

binding::BindResult bind_to_one(const binding::Subject& subject, const OneJointOptions& options,
                                const binding::BindOptions&, const Progress&) {
  binding::BindResult result;
  const Index count = subject.mesh.vertex_count();
  result.weights = rows_of(subject.skeleton.find(options.only_joint), count);
  result.origins = {{"toy-one", "requested"}};
  result.origin.assign(count, 0);
  result.confidence.assign(count, 1.0F);
  return result;
}

transfer::WeightTransfer transfer_to_one(const transfer::TransferInput& input, const transfer::TransferOptions&,
                                         const AnyOptions& own, const Progress&) {
  transfer::WeightTransfer result;
  const Index count = input.target.mesh.vertex_count();
  result.weights = rows_of(input.reference.skeleton.find(own.as<OneJointOptions>().only_joint), count);
  result.level.assign(count, transfer::Level::kMatched);
  result.confidence.assign(count, 1.0F);
  result.levels[0] = count;
  return result;
}

void register_toys() {
  static const bool once = [] {
    deform::deformers().add({
        .id = "toy-lift",
        .name = "lifted",
        .when = "Only in tests.",
        .options = LiftOptions{},
        .bind = [](const Rig& rig, const deform::MethodInputs&, const AnyOptions& options,
                   const Progress&) { return std::make_unique<Lift>(rig, options.as<LiftOptions>()); },
    });
    binding::binders().add(
        binding::binder_method<OneJointOptions>("toy-one", "one joint", "Only in tests.", bind_to_one));
    transfer::methods().add({.id = "toy-one",
                             .name = "one joint",
                             .when = "Only in tests.",
                             .options = OneJointOptions{},
                             .transfer = transfer_to_one});
    return true;
  }();
  (void)once;
}

struct Outcome {
  int code = 0;
  std::string out, error;
};

Outcome sinew(std::vector<std::string> words) {
  register_toys();
  words.insert(words.begin(), "sinew");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Outcome run;
  run.code = program(static_cast<int>(arguments.size()), arguments.data());
  run.out = ::testing::internal::GetCapturedStdout();
  run.error = ::testing::internal::GetCapturedStderr();
  return run;
}

class ToyMethods : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = sinew({"make", "bar", "-o", path("bar.glb")});
    ASSERT_EQ(made.code, 0) << made.error;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::vector<Vec3f> frame(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"deform", path("bar.glb"), "--clip", "exercise", "--frames", "0",
                                      "-o",     path("out.pc2"), "--force"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome run = sinew(words);
    EXPECT_EQ(run.code, 0) << run.error;
    return io::read_pc2(io::read_file(path("out.pc2"))).positions;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ToyMethods, ADeformerPlaysThroughTheProgramWithItsOwnOptions) {
  const std::vector<Vec3f> linear = frame({}), lifted = frame({"--method", "toy-lift"}),
                           far = frame({"--method", "lifted", "--lift-height", "2", "--lift-axis", "x"});
  ASSERT_FALSE(linear.empty());
  for (std::size_t v = 0; v < linear.size(); ++v) {
    EXPECT_NEAR(lifted[v].y() - linear[v].y(), 0.5F, 1e-5F);
    EXPECT_NEAR(far[v].x() - linear[v].x(), 2.0F, 1e-5F);
  }
}

// All vertices of a written file on one joint.
void expect_all_on(const std::string& path, const std::string& joint) {
  const Rig rig = io::load(path).character.rig;
  ASSERT_GT(rig.weights.row_count(), 0u);
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    ASSERT_EQ(rig.weights.row(v).size(), 1u);
    EXPECT_EQ(rig.skeleton.joints[rig.weights.row(v)[0].joint].name, joint);
  }
}

TEST_F(ToyMethods, ABinderBindsThroughTheProgramWithItsOwnOptions) {
  const Outcome run =
      sinew({"bind", path("bar.glb"), "--method", "toy-one", "--only-joint", "Joint1", "-o", path("b.glb")});
  ASSERT_EQ(run.code, 0) << run.error;
  expect_all_on(path("b.glb"), "Joint1");
}

TEST_F(ToyMethods, ATransferRunsThroughTheProgramWithItsOwnOptions) {
  ASSERT_EQ(sinew({"make", "bar", "--layers", "30", "-o", path("other.glb")}).code, 0);
  const Outcome run = sinew({"transfer", path("bar.glb"), path("other.glb"), "--method", "toy-one", "--only-joint",
                             "Joint1", "-o", path("t.glb")});
  ASSERT_EQ(run.code, 0) << run.error;
  expect_all_on(path("t.glb"), "Joint1");
}

TEST_F(ToyMethods, TheReportNestsTheOptionsAndCanBePassedBackAsAConfiguration) {
  const Outcome run = sinew({"deform", path("bar.glb"), "--clip", "exercise", "--frames", "0", "-o", path("a.pc2"),
                             "--method", "toy-lift", "--lift-height", "3", "--json"});
  ASSERT_EQ(run.code, 0) << run.error;
  const Json options = Json::parse(run.out)["options"];
  EXPECT_EQ(options["method"], "toy-lift");
  EXPECT_EQ(options["toy-lift"]["lift_height"], 3.0);
  EXPECT_EQ(options["toy-lift"]["lift_axis"], "y");
  EXPECT_FALSE(options.contains("pbd"));
  test::write(folder_ / "again.json", io::as_bytes(run.out));
  const Outcome again = sinew({"deform", path("bar.glb"), "--config", path("again.json"), "-o", path("b.pc2")});
  ASSERT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(io::read_file(path("a.pc2")), io::read_file(path("b.pc2")));
}

TEST_F(ToyMethods, HelpShowsTheOptionsOfTheChosenMethodOnly) {
  const Outcome chosen = sinew({"deform", "--method", "toy-lift", "--help"});
  EXPECT_EQ(chosen.code, 0);
  EXPECT_NE(chosen.out.find("--lift-height"), std::string::npos);
  EXPECT_EQ(chosen.out.find("--sweeps"), std::string::npos);
  const Outcome plain = sinew({"deform", "--help"});
  EXPECT_NE(plain.out.find("toy-lift"), std::string::npos);
  EXPECT_EQ(plain.out.find("--lift-height"), std::string::npos);
}

TEST_F(ToyMethods, AnOptionThatTheChosenMethodLacksIsRefusedByName) {
  const Outcome run =
      sinew({"deform", path("bar.glb"), "--clip", "exercise", "--lift-height", "1", "-o", path("no.pc2")});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.error.find("'--lift-height' is an option of toy-lift"), std::string::npos) << run.error;
  EXPECT_NE(run.error.find("--method toy-lift"), std::string::npos) << run.error;
  EXPECT_FALSE(std::filesystem::exists(path("no.pc2")));
  const Outcome wrong =
      sinew({"deform", path("bar.glb"), "--clip", "exercise", "--method", "toy-lift", "--lift-axis", "z"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.error.find("option '--lift-axis'"), std::string::npos) << wrong.error;
}

}  // namespace
}  // namespace sinew::app
