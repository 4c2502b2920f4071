// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/binder.h"

#include <gtest/gtest.h>

#include "sinew/binding/auto/auto.h"
#include "sinew/binding/heat/heat.h"
#include "sinew/binding/voxel/voxel.h"
#include "tests/binding/heat_bodies.h"

namespace sinew::binding {
namespace {

// A binder as a program might add one.
struct ToyOptions {
  int joint = 0;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("joint", "The joint that all vertices follow.").range(0, 3), self.joint);
  }
};

BindResult bind_toy(const Subject& subject, const ToyOptions& options, const BindOptions&, const Progress&) {
  BindResult result;
  result.origins = {{"toy", "requested"}};
  for (std::size_t v = 0; v < subject.mesh.positions.size(); ++v) {
    result.weights.add_row({{static_cast<Index>(options.joint), 1.0F}});
    result.origin.push_back(0);
    result.confidence.push_back(1);
  }
  return result;
}

MethodChoice toy(int joint) {
  if (binders().ids().back() != "toy") binders().add(binder_method("toy", "one-given-joint", "For tests.", bind_toy));
  return MethodChoice(binders(), "toy", ToyOptions{joint});
}

TEST(Binders, AProgramCanAddOneAndBindWithIt) {
  const test::Body body = test::two_bone_cylinder();
  const BindResult result = bind(toy(1), body.subject());
  test::expect_valid(result, body.subject());
  for (Index v = 0; v < result.weights.row_count(); ++v) EXPECT_EQ(result.weights.row(v).front(), (Influence{1, 1.0F}));
}

TEST(Binders, OptionsOutOfRangeAreRefusedByName) {
  const test::Body body = test::two_bone_cylinder();
  const auto refusal = [&](const MethodChoice& method, const BindOptions& common) -> std::string {
    try {
      bind(method, body.subject(), common);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal(toy(4), {}).find("joint"), std::string::npos);
  EXPECT_NE(refusal(MethodChoice(binders(), "voxel", VoxelOptions{.resolution = 2}), {}).find("resolution"),
            std::string::npos);
  BindOptions common;
  common.max_influences = 65;
  EXPECT_NE(refusal(MethodChoice(binders(), "heat"), common).find("max_influences"), std::string::npos);
}

TEST(Binders, OptionsOfAnotherMethodAreRefused) {
  const test::Body body = test::two_bone_cylinder();
  EXPECT_THROW(bind(MethodChoice(binders(), "voxel", HeatOptions{}), body.subject()), Error);
}

TEST(Binders, AnUnknownMethodIsNamed) { EXPECT_THROW(MethodChoice(binders(), "segmemt"), Error); }

TEST(Binders, AutoHasTheOptionsOfTheMethodsItUses) {
  MethodChoice method(binders(), "automatic");
  EXPECT_EQ(method.id(), "auto");
  const OptionList list = method.options().list();
  ASSERT_NE(list.find("resolution"), nullptr);
  list.find("resolution")->set(64);
  list.find("heat")->set(2.5);
  EXPECT_EQ(method.options().as<AutoOptions>().voxel.resolution, 64);
  EXPECT_EQ(method.options().as<AutoOptions>().heat.heat, 2.5);
}

TEST(Binders, TheChosenMethodAndItsOptionsDecide) {
  const test::Body body = test::two_bone_cylinder();
  const Subject subject = body.subject();
  VoxelOptions options;
  options.resolution = 32;
  options.falloff = 0.8;
  EXPECT_EQ(bind(MethodChoice(binders(), "voxel", options), subject).weights, bind_by_voxels(subject, options).weights);
  EXPECT_EQ(bind(MethodChoice(binders(), "heat"), subject).weights, bind_by_heat(subject).weights);
}

}  // namespace
}  // namespace sinew::binding
