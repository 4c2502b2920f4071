// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/node_constraint.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/core/json.h"
#include "sinew/io/asset.h"
#include "sinew/io/gltf/write_morphs.h"
#include "sinew/motion/drivers.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

using test::json_of;

Asset load_text(const Json& json) {
  const std::string text = json.dump();
  return load_bytes("x.gltf", Bytes(as_bytes(text).begin(), as_bytes(text).end()));
}

Asset save_and_load(const Asset& asset, const std::filesystem::path& path) {
  SaveOptions options;
  options.changes.skeleton = true;
  Report report;
  save(asset, path, options, report);
  return load(path);
}

Quat any_turn(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  return Quat(normal(rng), normal(rng), normal(rng), normal(rng)).normalized();
}

Index add(Skeleton& skeleton, const std::string& name, Index parent, const Vec3& translation, const Quat& rotation) {
  Joint joint;
  joint.name = name;
  joint.parent = parent;
  joint.rest.translation = translation;
  joint.rest.rotation = rotation;
  skeleton.joints.push_back(joint);
  return skeleton.size() - 1;
}

struct Arm {
  Asset asset;
  Index fore, hand, twist, aim, turn;
  Skeleton& skeleton() { return asset.character.rig.skeleton; }
};

// An arm with axes at random below the second joint of the fixture, and a helper of each kind that a constraint can
// express.
Arm make_arm(std::mt19937& rng, int roll_axis, double share, int aim_axis) {
  Arm arm;
  Json json = Json::parse(test::make_text_fixture());
  json.erase("extensionsUsed");  // The list is to be made.
  arm.asset = load_text(json);
  Skeleton& skeleton = arm.skeleton();
  arm.fore = add(skeleton, "Fore", 1, {0.1, 1, 0.2}, any_turn(rng));
  arm.hand = add(skeleton, "Hand", arm.fore, {0, 0.8, 0.1}, any_turn(rng));
  arm.twist = add(skeleton, "Twist", arm.fore, {0, 0.4, 0}, any_turn(rng));
  arm.aim = add(skeleton, "Aim", arm.fore, {0.2, 0.3, 0.1}, any_turn(rng));
  arm.turn = add(skeleton, "Turn", 0, {0.2, 0.3, 0.1}, any_turn(rng));
  skeleton.joints[arm.fore].rest.scale.setConstant(1.3);
  Driver driver;
  driver.source = arm.hand;
  driver.share = driver.weight = share;
  driver.kind = Driver::Kind::kAim;
  driver.axis = (aim_axis % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(aim_axis / 2);
  skeleton.joints[arm.aim].driver = driver;
  driver = {};
  driver.source = arm.hand;
  driver.share = share;
  driver.kind = Driver::Kind::kRotationShare;
  skeleton.joints[arm.turn].driver = driver;
  driver.kind = Driver::Kind::kTwistShare;
  driver.axis = skeleton.joints[arm.hand].rest.rotation.conjugate() *
                (skeleton.joints[arm.twist].rest.rotation * ((rng() % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(roll_axis)));
  skeleton.joints[arm.twist].driver = driver;
  return arm;
}

// The formulas of the specification, word for word, from nothing but the JSON.
class SpecEvaluator {
 public:
  explicit SpecEvaluator(const Json& json) : nodes_(json["nodes"]), parent_(nodes_.size(), kNone) {
    for (Index n = 0; n < nodes_.size(); ++n) {
      for (const Json& child : nodes_[n].value("children", Json::array())) parent_[child.get<Index>()] = n;
      rest_.push_back(Quat(Eigen::Map<const Vec4>(list(n, "rotation", {0, 0, 0, 1}).data())));
    }
    now = rest_;
  }

  std::vector<Quat> now;

  Quat target(Index dst) const {
    const Json& constraint = nodes_[dst]["extensions"]["VRMC_node_constraint"]["constraint"];
    const std::string kind = constraint.begin().key();
    const Json& values = constraint.begin().value();
    const auto src = values["source"].get<Index>();
    const double weight = values.value("weight", 1.0);
    const Quat dst_rest = rest_[dst];
    if (kind == "rotation") return dst_rest.slerp(weight, dst_rest * (rest_[src].inverse() * now[src]));
    if (kind == "roll") {
      const Quat delta_src = rest_[src].inverse() * now[src];
      const Quat in_parent = rest_[src] * delta_src * rest_[src].inverse();
      const Quat in_dst = dst_rest.inverse() * in_parent * dst_rest;
      const Vec3 axis = Vec3::Unit(values["rollAxis"].get<std::string>()[0] - 'X');
      const Quat from_to = Quat::FromTwoVectors(axis, in_dst * axis);
      return dst_rest.slerp(weight, dst_rest * from_to.inverse() * in_dst);
    }
    const std::string word = values["aimAxis"];
    const Vec3 axis = (word.starts_with("Positive") ? 1.0 : -1.0) * Vec3::Unit(word.back() - 'X');
    const Quat parent_world = world_quat(parent_[dst]);
    const Vec3 from = parent_world * dst_rest * axis;
    const Vec3 to = (world(src).topRightCorner<3, 1>() - world(dst).topRightCorner<3, 1>()).normalized();
    const Quat from_to = Quat::FromTwoVectors(from, to);
    return dst_rest.slerp(weight, parent_world.inverse() * from_to * parent_world * dst_rest);
  }

 private:
  std::vector<double> list(Index n, const char* key, const std::vector<double>& otherwise) const {
    return nodes_[n].value(key, otherwise);
  }

  Mat4 world(Index n) const {
    if (n == kNone) return Mat4::Identity();
    Transform local;
    local.translation = Eigen::Map<const Vec3>(list(n, "translation", {0, 0, 0}).data());
    local.scale = Eigen::Map<const Vec3>(list(n, "scale", {1, 1, 1}).data());
    local.rotation = now[n];
    return world(parent_[n]) * local.matrix();
  }

  Quat world_quat(Index n) const { return n == kNone ? Quat::Identity() : Quat(world_quat(parent_[n]) * now[n]); }

  const Json& nodes_;
  std::vector<Index> parent_;
  std::vector<Quat> rest_;
};

void expect_as_specified(const Asset& asset, std::mt19937& rng, double tolerance) {
  const Skeleton& skeleton = asset.character.rig.skeleton;
  const motion::Drivers drivers(skeleton);
  for (int trial = 0; trial < 12; ++trial) {
    SpecEvaluator spec(json_of(asset));
    Pose pose;
    for (const Joint& joint : skeleton.joints) {
      pose.local.push_back(joint.rest);
      if (joint.driver) continue;
      pose.local.back().rotation = spec.now[joint.source] = any_turn(rng);
    }
    drivers.apply(pose);
    for (const char* name : {"Twist", "Aim", "Turn"}) {
      const Joint& joint = skeleton.joints[skeleton.find(name)];
      const Quat wanted = spec.target(joint.source);
      EXPECT_LT(rotation_log(wanted.conjugate() * pose.local[skeleton.find(name)].rotation).norm(), tolerance) << name;
    }
  }
}

Json without_extras(const Asset& asset) {
  Json json = json_of(asset);
  for (Json& node : json["nodes"]) node.erase("extras");
  // The buffer goes along, as the document came from a GLB.
  return json;
}

TEST(NodeConstraint, WhatIsWrittenIsByTheSpecificationWhatTheDriversSay) {
  const test::TemporaryFolder folder;
  std::mt19937 rng(31);
  for (int round = 0; round < 6; ++round) {
    Arm arm =
        make_arm(rng, round % 3, std::array{0.5, 1.0, 0.25, 0.0, 0.7, 1.0 / 3}[static_cast<std::size_t>(round)], round);
    const Asset asset = save_and_load(arm.asset, folder / "arm.gltf");
    EXPECT_EQ(json_of(asset)["extensionsUsed"], Json::array({"VRMC_node_constraint"}));
    expect_as_specified(asset, rng, 1e-9);
    // And the constraints alone tell the same.
    const std::string text = without_extras(asset).dump();
    const Asset bare = load_bytes(folder / "bare.gltf", Bytes(as_bytes(text).begin(), as_bytes(text).end()));
    for (const char* name : {"Twist", "Aim", "Turn"}) {
      const Joint& joint = bare.character.rig.skeleton.joints[bare.character.rig.skeleton.find(name)];
      ASSERT_TRUE(joint.driver) << name;
      EXPECT_EQ(joint.role, "helper");
    }
    expect_as_specified(bare, rng, 1e-9);
  }
}

TEST(NodeConstraint, ACharacterWithoutADocumentKeepsItsConstraintsInItsNewOne) {
  std::mt19937 rng(31);
  const Arm arm = make_arm(rng, 0, 0.5, 1);
  Report report;
  Asset bare = arm.asset;
  bare.document.reset();
  bare.format = "obj";
  bare.path = "arm.obj";
  const Asset asset = as_gltf(std::move(bare), report);
  EXPECT_EQ(json_of(asset)["extensionsUsed"], Json::array({"VRMC_node_constraint"}));
  expect_as_specified(asset, rng, 1e-9);
}

Json constraint_at(const Asset& asset, const char* name) {
  const Skeleton& skeleton = asset.character.rig.skeleton;
  const Json& node = json_of(asset)["nodes"][skeleton.joints[skeleton.find(name)].source];
  return node.value("extensions", Json::object()).value("VRMC_node_constraint", Json());
}

TEST(NodeConstraint, DriversItCannotExpressAreNotWritten) {
  std::mt19937 rng(5);
  const auto is_null = [&](auto&& change) {
    Arm arm = make_arm(rng, 1, 0.5, 2);
    change(arm);
    std::vector<Index> nodes(arm.skeleton().size());
    for (Index j = 0; j < nodes.size(); ++j) nodes[j] = j;
    return std::array<bool, 3>{gltf::constraint_json(arm.skeleton(), arm.twist, nodes).is_null(),
                               gltf::constraint_json(arm.skeleton(), arm.aim, nodes).is_null(),
                               gltf::constraint_json(arm.skeleton(), arm.turn, nodes).is_null()};
  };
  using All = std::array<bool, 3>;
  EXPECT_EQ(is_null([](Arm&) {}), (All{false, false, false}));
  EXPECT_EQ(is_null([](Arm& arm) {
              for (const Index j : {arm.twist, arm.aim, arm.turn})
                arm.skeleton().joints[j].driver->share = arm.skeleton().joints[j].driver->weight = 1.5;
            }),
            (All{true, true, true}));
  EXPECT_EQ(is_null([](Arm& arm) {
              for (const Index j : {arm.twist, arm.aim, arm.turn})
                arm.skeleton().joints[j].driver->axis = Vec3(1, 2, 0).normalized();
            }),
            (All{true, true, false}));
  // Another parent: what both have in common is no longer the frame in which the roll is compared.
  EXPECT_EQ(is_null([](Arm& arm) { arm.skeleton().joints[arm.twist].parent = 0; }), (All{true, false, false}));
  EXPECT_EQ(is_null([](Arm& arm) { arm.skeleton().joints[arm.fore].rest.scale = Vec3(1, 2, 1); }),
            (All{false, true, false}));
  EXPECT_EQ(is_null([](Arm& arm) {
              for (const Index j : {arm.twist, arm.aim, arm.turn})
                arm.skeleton().joints[j].driver->kind = Driver::Kind::kDrivenKeys;
            }),
            (All{true, true, true}));
}

TEST(NodeConstraint, OnlyConstraintsOfChangedDriversChange) {
  const test::TemporaryFolder folder;
  std::mt19937 rng(6);
  Arm arm = make_arm(rng, 1, 0.5, 2);
  Json json = json_of(save_and_load(arm.asset, folder / "arm.gltf"));
  // As another program might have written them: other members, a default left out, our extras not there.
  for (Json& node : json["nodes"]) {
    node.erase("extras");
    if (!node.contains("extensions") || !node["extensions"].contains("VRMC_node_constraint")) continue;
    node["extensions"]["VRMC_node_constraint"]["extras"] = {{"note", node["name"]}};
  }
  const std::string text = json.dump();
  Asset asset = load_bytes(folder / "x.gltf", Bytes(as_bytes(text).begin(), as_bytes(text).end()));
  Skeleton& skeleton = asset.character.rig.skeleton;
  const auto same = [&](const Asset& a, const char* name) {
    return constraint_at(a, name).dump() == constraint_at(asset, name).dump();
  };
  const Asset untouched = save_and_load(asset, folder / "untouched.gltf");
  for (const char* name : {"Twist", "Aim", "Turn"}) EXPECT_TRUE(same(untouched, name)) << name;
  EXPECT_EQ(json_of(untouched)["extensionsUsed"], json["extensionsUsed"]);

  skeleton.joints[skeleton.find("Turn")].driver->share = 0.875;
  skeleton.joints[skeleton.find("Aim")].driver.reset();
  const Asset changed = save_and_load(asset, folder / "changed.gltf");
  EXPECT_TRUE(same(changed, "Twist"));
  EXPECT_EQ(constraint_at(changed, "Turn")["constraint"]["rotation"]["weight"], 0.875);
  EXPECT_TRUE(constraint_at(changed, "Aim").is_null());

  // One that no longer means what it meant goes, though its driver stays.
  Asset turned = untouched;
  Skeleton& other = turned.character.rig.skeleton;
  other.joints[other.find("Hand")].rest.rotation = any_turn(rng);
  const Asset moved = save_and_load(turned, folder / "moved.gltf");
  EXPECT_TRUE(constraint_at(moved, "Twist").is_null());
  EXPECT_TRUE(same(moved, "Aim"));

  for (Joint& joint : skeleton.joints) joint.driver.reset();
  const Asset none = save_and_load(asset, folder / "none.gltf");
  for (const char* name : {"Twist", "Aim", "Turn"}) EXPECT_TRUE(constraint_at(none, name).is_null()) << name;
  EXPECT_FALSE(json_of(none).contains("extensionsUsed"));
}

TEST(NodeConstraint, ExtrasWinWhereBothAreThere) {
  const test::TemporaryFolder folder;
  std::mt19937 rng(7);
  Arm arm = make_arm(rng, 1, 0.5, 2);
  Json json = json_of(save_and_load(arm.asset, folder / "arm.gltf"));
  for (Json& node : json["nodes"])
    if (node["name"] == "Turn") node["extensions"]["VRMC_node_constraint"]["constraint"]["rotation"]["weight"] = 0.125;
  const std::string text = json.dump();
  const Asset asset = load_bytes(folder / "x.gltf", Bytes(as_bytes(text).begin(), as_bytes(text).end()));
  const Skeleton& skeleton = asset.character.rig.skeleton;
  EXPECT_EQ(skeleton.joints[skeleton.find("Turn")].driver->share, 0.5);
  // Nobody touched it, so it stays.
  EXPECT_EQ(constraint_at(save_and_load(asset, folder / "y.gltf"), "Turn")["constraint"]["rotation"]["weight"], 0.125);
}

TEST(NodeConstraint, WhatIsNotUnderstoodIsAFindingAndStays) {
  const test::TemporaryFolder folder;
  const Json plain = Json::parse(test::make_text_fixture());
  const Asset first = load_text(plain);
  const Index node = first.character.rig.skeleton.joints.back().source;
  const std::string other = std::to_string(first.character.rig.skeleton.joints.front().source);
  ASSERT_NE(std::to_string(node), other);
  const auto with = [&](const std::string& constraint) {
    Json json = plain;
    json["nodes"][node]["extensions"]["VRMC_node_constraint"] = Json::parse(constraint);
    return json;
  };
  EXPECT_TRUE(load_text(with(R"({"specVersion": "1.0", "constraint": {"rotation": {"source": )" + other + "}}}"))
                  .character.rig.skeleton.joints.back()
                  .driver);
  for (const std::string& bad : std::vector<std::string>{
           R"(7)", R"({})", R"({"specVersion": "1.0"})", R"({"specVersion": "1.0", "constraint": {}})",
           R"({"specVersion": "2.0", "constraint": {"rotation": {"source": )" + other + "}}}",
           R"({"specVersion": "1.0", "constraint": {"roll": {"rollAxis": "Y"}}})",
           R"({"specVersion": "1.0", "constraint": {"roll": {"rollAxis": "W", "source": )" + other + "}}}",
           R"({"specVersion": "1.0", "constraint": {"aim": {"aimAxis": "X", "source": )" + other + "}}}",
           R"({"specVersion": "1.0", "constraint": {"rotation": {"weight": 3, "source": )" + other + "}}}",
           R"({"specVersion": "1.0", "constraint": {"rotation": {"source": 9999}}})",
           R"({"specVersion": "1.0", "constraint": {"rotation": {"source": )" + std::to_string(node) + "}}}",
           R"({"specVersion": "1.0", "constraint": {"rotation": {"source": 0}, "roll": {"source": 0}}})"}) {
    const Json json = with(bad);
    const Asset asset = load_text(json);
    EXPECT_FALSE(asset.character.rig.skeleton.joints.back().driver) << bad;
    EXPECT_TRUE(std::any_of(asset.warnings.begin(), asset.warnings.end(), [](const Finding& finding) {
      return finding.code == "gltf.constraint";
    })) << bad;
    const Asset again = save_and_load(asset, folder / "again.gltf");
    EXPECT_EQ(json_of(again)["nodes"][node]["extensions"].dump(), json["nodes"][node]["extensions"].dump());
  }
}

TEST(NodeConstraint, ACircleIsOpenedWithAFinding) {
  Json json = Json::parse(test::make_text_fixture());
  const Asset plain = load_text(json);
  const Skeleton& skeleton = plain.character.rig.skeleton;
  const Index a = skeleton.joints[skeleton.size() - 1].source, b = skeleton.joints[skeleton.size() - 2].source;
  const auto turns_with = [](Index source) {
    return Json{{"specVersion", "1.0"}, {"constraint", {{"rotation", {{"source", source}}}}}};
  };
  json["nodes"][a]["extensions"]["VRMC_node_constraint"] = turns_with(b);
  json["nodes"][b]["extensions"]["VRMC_node_constraint"] = turns_with(a);
  const Asset asset = load_text(json);
  EXPECT_EQ(std::count_if(asset.warnings.begin(), asset.warnings.end(),
                          [](const Finding& finding) { return finding.code == "gltf.constraint"; }),
            1);
  EXPECT_EQ(motion::Drivers(asset.character.rig.skeleton).order().size(), 1u);
}

}  // namespace
}  // namespace sinew::io
