// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/rigger.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

RiggerOptions quick() {
  RiggerOptions options;
  options.fingers = "none";
  return options;
}

RiggerRequest any_template() {
  RiggerRequest request;
  request.templates = templates();
  return request;
}

RiggerRequest only(const char* name) {
  RiggerRequest request;
  request.templates = {find_template(name)};
  return request;
}

bool has_warning(const PlanResult& rigged, const std::string& code) {
  return std::any_of(rigged.warnings.begin(), rigged.warnings.end(),
                     [&](const Finding& finding) { return finding.code == code; });
}

/// Names of joints outside the mesh, by its winding number.
std::string outside_names(const SkeletonPlan& plan, const Mesh& mesh) {
  const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(mesh);
  const geometry::TriangleSoup soup{mesh.positions, triangles};
  const geometry::FastWinding winding(soup, geometry::solid_facing(soup).signs);
  std::string names;
  for (const PlannedJoint& joint : plan.joints)
    if (winding.at(joint.position) <= 0.5) names += " " + joint.name;
  return names;
}

Vec3 place_of(const PlanResult& rigged, const std::string& role) {
  const Index j = rigged.plan.find_role(role);
  if (j != kNone) return rigged.plan.joints[j].position;
  ADD_FAILURE() << "There is no " << role;
  return Vec3::Zero();
}

bool same_bits(const SkeletonPlan& a, const SkeletonPlan& b) {
  if (a.joints.size() != b.joints.size() || a.template_name != b.template_name) return false;
  for (std::size_t j = 0; j < a.joints.size(); ++j) {
    const PlannedJoint &p = a.joints[j], &q = b.joints[j];
    if (p.name != q.name || p.position != q.position || p.parent != q.parent || p.end != q.end ||
        p.bend_axis != q.bend_axis || p.confidence != q.confidence || p.origin != q.origin)
      return false;
  }
  return true;
}

/// A made person that is not its own mirror image, and its plan; made once.
struct Someone {
  shapes::Made made;
  Mesh mesh;
  PlanResult rigged;
};

const Someone& someone() {
  static const Someone one = [] {
    Someone s;
    shapes::MakeOptions options;
    options.vertices = 2500;
    options.seed = 3;
    options.vary = 0.3;
    options.made_pose = "random";
    s.made = shapes::make("human", options).made;
    s.mesh = bare(s.made);
    s.rigged = plan_skeleton(s.mesh, only("human"), quick());
    return s;
  }();
  return one;
}

TEST(Rigger, MadeCharactersGetTheirTemplateAndJointsInsideNearTheTrueOnes) {
  for (const char* kind : {"human", "quadruped", "bird", "hand"}) {
    const shapes::Made made = small_made(kind, 1);
    const Mesh mesh = bare(made);
    const PlanResult rigged = plan_skeleton(mesh, any_template());
    EXPECT_TRUE(rigged.fits) << kind;
    ASSERT_EQ(rigged.plan.template_name, kind);
    const std::map<std::string, double> errors = errors_of(rigged.plan, places_of(made), height_of(mesh));
    EXPECT_GE(errors.size(), 17U) << kind;
    EXPECT_LT(mean_of(errors), 0.05) << kind << ", the worst " << worst_of(errors);
    EXPECT_EQ(outside_names(rigged.plan, mesh), "") << kind;
    EXPECT_FALSE(has_warning(rigged, "rig.doubtful")) << kind << " " << rigged.confidence;
  }
}

TEST(Rigger, APersonThatIsNotItsMirrorImageGetsJointsNearTheTrueOnes) {
  const Someone& one = someone();
  EXPECT_FALSE(one.rigged.plan.symmetric);
  const std::map<std::string, double> errors = errors_of(one.rigged.plan, places_of(one.made), height_of(one.mesh));
  EXPECT_LT(mean_of(errors), 0.05) << "the worst " << worst_of(errors);
  EXPECT_EQ(outside_names(one.rigged.plan, one.mesh), "");
}

TEST(Rigger, SizeAndPlaceDoNotMatter) {
  const Someone& one = someone();
  const Vec3 shift(110, -40, 75);
  const PlanResult moved = plan_skeleton(shifted(one.mesh, shift, 37), only("human"), quick());
  ASSERT_EQ(moved.plan.joints.size(), one.rigged.plan.joints.size());
  for (std::size_t j = 0; j < moved.plan.joints.size(); ++j) {
    const Vec3 back = (moved.plan.joints[j].position - shift) / 37;
    EXPECT_LT((back - one.rigged.plan.joints[j].position).norm(), 1e-4 * height_of(one.mesh))
        << moved.plan.joints[j].name;
  }
}

TEST(Rigger, NumbersOfVerticesAndFacesDoNotMatter) {
  const Someone& one = someone();
  const PlanResult other = plan_skeleton(shuffled(one.mesh, 5), only("human"), quick());
  ASSERT_EQ(other.plan.joints.size(), one.rigged.plan.joints.size());
  for (std::size_t j = 0; j < other.plan.joints.size(); ++j) {
    const double d = (other.plan.joints[j].position - one.rigged.plan.joints[j].position).norm();
    EXPECT_LT(d, 1e-4 * height_of(one.mesh)) << other.plan.joints[j].name;
  }
}

TEST(Rigger, AMirroredBodyGetsTheMirroredSkeletonWithSidesSwapped) {
  const Someone& one = someone();
  const Mat3 mirror(Vec3(-1, 1, 1).asDiagonal());
  const PlanResult mirrored = plan_skeleton(flipped(rotated(one.mesh, mirror)), only("human"), quick());
  ASSERT_EQ(mirrored.plan.joints.size(), one.rigged.plan.joints.size());
  for (const PlannedJoint& joint : one.rigged.plan.joints) {
    if (joint.role.empty()) continue;
    std::string role = joint.role;
    if (role.rfind("left_", 0) == 0) role = "right_" + role.substr(5);
    else if (role.rfind("right_", 0) == 0) role = "left_" + role.substr(6);
    const double d = (mirror * joint.position - place_of(mirrored, role)).norm();
    EXPECT_LT(d, 0.015 * height_of(one.mesh)) << role;
  }
}

TEST(Rigger, IsTheSameForAnyNumberOfThreads) {
  const auto run = [](int count) {
    const Threads threads(count);
    return plan_skeleton(bare(small_made("quadruped", 1)), any_template());
  };
  const PlanResult one = run(1), two = run(2);
  EXPECT_TRUE(same_bits(one.plan, two.plan));
  EXPECT_EQ(one.confidence, two.confidence);
  EXPECT_EQ(one.metrics, two.metrics);
  EXPECT_EQ(one.warnings, two.warnings);
}

TEST(Rigger, FindsOutWhichWayABodyStandsAndFaces) {
  const shapes::Made made = small_made("human");
  const Mesh mesh = bare(made);
  const std::vector<Vec3> turns = {Vec3(0, kPi / 2, 0), Vec3(0, kPi, 0), Vec3(kPi / 2, 0, 0)};
  for (const Vec3& way : turns) {
    const Mat3 turn = rotation_exp(way).toRotationMatrix();
    const PlanResult rigged = plan_skeleton(rotated(mesh, turn), only("human"), quick());
    EXPECT_TRUE(rigged.plan.left.isApprox(turn.col(0), 1e-9)) << way.transpose();
    EXPECT_TRUE(rigged.plan.up.isApprox(turn.col(1), 1e-9)) << way.transpose();
    EXPECT_TRUE(rigged.plan.forward.isApprox(turn.col(2), 1e-9)) << way.transpose();
    Places places = places_of(made);
    for (auto& [name, place] : places) place = turn * place;
    const std::map<std::string, double> errors = errors_of(rigged.plan, places, height_of(mesh));
    EXPECT_LT(mean_of(errors), 0.05) << way.transpose() << ", the worst " << worst_of(errors);
  }
}

TEST(Rigger, AHintMovesItsJointThere) {
  const Someone& one = someone();
  const double scale = 0.9 / height_of(one.mesh);
  const Vec3 wrong = 0.5 * (true_place(one.made, "LeftForearm") + true_place(one.made, "LeftHand"));
  ASSERT_GT(scale * (place_of(one.rigged, "left_hand") - wrong).norm(), 0.05);
  for (const char* name : {"left_hand", "LeftHand"}) {
    RiggerRequest request = only("human");
    request.hints[name] = wrong;
    const PlanResult hinted = plan_skeleton(one.mesh, request, quick());
    EXPECT_LT(scale * (place_of(hinted, "left_hand") - wrong).norm(), 0.05) << name;
    EXPECT_LT(scale * (place_of(hinted, "right_hand") - place_of(one.rigged, "right_hand")).norm(), 0.02) << name;
    EXPECT_EQ(outside_names(hinted.plan, one.mesh), "") << name;
  }
}

TEST(Rigger, GivenPlacesAreKeptToTheLastDigitAndSaidToBeOutsideWhereTheyAre) {
  const Someone& one = someone();
  RiggerRequest request = only("human");
  const Vec3 inside = true_place(one.made, "RightShin");
  const Vec3 outside = true_place(one.made, "Head") + Vec3(0, 0, 0.2 * height_of(one.mesh));
  request.given["right_shin"] = inside;
  request.given["Head"] = outside;
  const PlanResult rigged = plan_skeleton(one.mesh, request, quick());
  EXPECT_LT((place_of(rigged, "right_shin") - inside).norm(), 1e-12 * height_of(one.mesh));
  EXPECT_LT((place_of(rigged, "head") - outside).norm(), 1e-12 * height_of(one.mesh));
  EXPECT_EQ(rigged.plan.joints[rigged.plan.find_role("head")].origin, "given");
  EXPECT_TRUE(has_warning(rigged, "rig.outside"));
  EXPECT_EQ(outside_names(rigged.plan, one.mesh), " Head");
}

TEST(Rigger, GivenPlacesOnASymmetricMeshAreKeptToo) {
  const shapes::Made made = small_made("human");
  const Mesh mesh = bare(made);
  RiggerRequest request = only("human");
  request.given["right_hand"] = true_place(made, "RightHand") + Vec3(0.01, 0.005, 0);
  const PlanResult rigged = plan_skeleton(mesh, request, quick());
  EXPECT_LT((place_of(rigged, "right_hand") - request.given["right_hand"]).norm(), 1e-12);
  EXPECT_EQ(outside_names(rigged.plan, mesh), "");
}

TEST(Rigger, ASymmetricMeshGetsASkeletonThatIsItsOwnMirrorImage) {
  const Mesh mesh = bare(small_made("human"));
  const PlanResult rigged = plan_skeleton(mesh, only("human"), quick());
  EXPECT_TRUE(rigged.plan.symmetric);
  for (const PlannedJoint& joint : rigged.plan.joints) {
    const Index partner = joint.partner == kNone ? rigged.plan.find_role(joint.role) : joint.partner;
    const Vec3& other = rigged.plan.joints[partner].position;
    const double x = 2 * rigged.plan.mirror_point.x() - joint.position.x();
    EXPECT_LT((other - Vec3(x, joint.position.y(), joint.position.z())).norm(), 1e-12) << joint.name;
  }
  RiggerOptions off = quick();
  off.symmetry = "off";
  EXPECT_FALSE(plan_skeleton(mesh, only("human"), off).plan.symmetric);
}

TEST(Rigger, WithoutArmsLeavesNoJointsOfArms) {
  const Someone& one = someone();
  RiggerOptions options = quick();
  options.without = {"arms"};
  options.extras = "rigid";
  const PlanResult rigged = plan_skeleton(one.mesh, only("human"), options);
  EXPECT_EQ(rigged.plan.template_name, "human");
  EXPECT_GE(rigged.plan.joints.size(), 13U);
  for (const PlannedJoint& joint : rigged.plan.joints)
    EXPECT_FALSE(has_any(joint.name, {"Arm", "Forearm", "Hand", "Shoulder"})) << joint.name;
  for (const char* role : {"hips", "head", "left_foot", "right_foot"}) EXPECT_NE(rigged.plan.find_role(role), kNone);
}

TEST(Rigger, AnOctopusIsNotSilentlyTakenForSomethingElse) {
  const Mesh mesh = bare(small_made("octopus"));
  const PlanResult rigged = plan_skeleton(mesh, any_template(), quick());
  EXPECT_TRUE(!rigged.fits || has_warning(rigged, "rig.doubtful"))
      << rigged.plan.template_name << " " << rigged.confidence;
  EXPECT_FALSE(rigged.warnings.empty());
  EXPECT_EQ(outside_names(rigged.plan, mesh), "");
}

TEST(Rigger, ABoxTakesNoMoreVoxelsAndEntriesThanAnyOtherBody) {
  const PlanResult rigged = plan_skeleton(cube(), any_template(), quick());
  EXPECT_FALSE(rigged.fits);
  EXPECT_LT(rigged.metrics["voxels"], 280000);
  EXPECT_LT(rigged.metrics["reading_voxels"], 85000);
  EXPECT_LT(rigged.metrics["search_entries"], 200000);
}

TEST(Rigger, RefusesWhatItCannotUse) {
  const Someone& one = someone();
  EXPECT_THROW(plan_skeleton(one.mesh, {}), Error);
  const Mesh sheet = mesh_of({Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(0, 1, 0)}, {{0, 1, 2}});
  EXPECT_THROW(plan_skeleton(sheet, any_template()), Error);
  EXPECT_THROW(plan_skeleton(Mesh{}, any_template()), Error);
  RiggerOptions finless;
  finless.without = {"fins"};
  EXPECT_THROW(plan_skeleton(one.mesh, any_template(), finless), Error);
  RiggerRequest unknown = only("human");
  unknown.hints["left_flipper"] = Vec3::Zero();
  try {
    plan_skeleton(one.mesh, unknown);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'left_flipper'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("hips"), std::string::npos) << "names that there are";
  }
  RiggerRequest endless = only("human");
  endless.given["hips"] = Vec3(0, std::numeric_limits<double>::quiet_NaN(), 0);
  EXPECT_THROW(plan_skeleton(one.mesh, endless), Error);
}

TEST(Rigger, PeopleOfCapsulesInRandomPosesAreFound) {
  const unsigned first = std::random_device{}();
  int right = 0;
  constexpr int kPeople = 6;
  std::string story;
  for (unsigned k = 0; k < kPeople; ++k) {
    const CapsulePerson person(first + k);
    const PlanResult rigged = plan_skeleton(person.mesh, any_template(), quick());
    const std::map<std::string, double> errors = errors_of(rigged.plan, person.places, height_of(person.mesh));
    const bool good = rigged.plan.template_name == "human" && mean_of(errors) < 0.05;
    right += good ? 1 : 0;
    story += "seed " + std::to_string(first + k) + ": " + rigged.plan.template_name + ", mean error " +
             std::to_string(mean_of(errors)) + ", worst " + worst_of(errors) + ", outside" +
             outside_names(rigged.plan, person.mesh) + "\n";
    EXPECT_EQ(outside_names(rigged.plan, person.mesh), "") << "seed " << first + k;
  }
  EXPECT_GE(right, kPeople - 1) << story;
}

TEST(Rigger, TheReleasedConstantsAloneFindAPersonToo) {
  const shapes::Made made = small_made("human");
  const Mesh mesh = bare(made);
  RiggerOptions options = quick();
  options.compat = true;
  const PlanResult rigged = plan_skeleton(mesh, any_template(), options);
  EXPECT_TRUE(rigged.fits);
  EXPECT_EQ(rigged.plan.template_name, "human");
  const std::map<std::string, double> errors = errors_of(rigged.plan, places_of(made), height_of(mesh));
  EXPECT_LT(mean_of(errors), 0.1) << worst_of(errors);
  EXPECT_EQ(outside_names(rigged.plan, mesh), "");
}

TEST(Rigger, TellsItsStagesInOrder) {
  const Someone& one = someone();
  std::vector<std::string> stages;
  RiggerRequest request = only("human");
  request.on_stage = [&](const char* stage) { stages.push_back(stage); };
  plan_skeleton(one.mesh, request, quick());
  EXPECT_EQ(stages, (std::vector<std::string>{"inside", "search", "joints", "details"}));
}

}  // namespace
TEST(Rigger, FingersOfAHandEndAtTheirTips) {
  const shapes::Made made = small_made("hand", 1);
  RiggerRequest request;
  request.templates = templates();
  const PlanResult rigged = plan_skeleton(bare(made), request);
  ASSERT_EQ(rigged.plan.template_name, "hand");
  for (const PlannedJoint& joint : rigged.plan.joints) {
    if (!joint.name.ends_with("3")) continue;
    ASSERT_TRUE(joint.end.has_value()) << joint.name;
    const Vec3 before = rigged.plan.joints[joint.parent].position;
    EXPECT_LT((*joint.end - joint.position).norm(), 2 * (joint.position - before).norm()) << joint.name;
    EXPECT_GT((*joint.end - joint.position).dot(joint.position - before), 0) << joint.name;
  }
}

TEST(PlanGenericSkeleton, NeedsNoListenerAndReportsToOne) {
  const Mesh& mesh = someone().mesh;
  std::vector<std::string> stages;
  const PlanResult alone = plan_generic_skeleton(mesh);
  const PlanResult heard = plan_generic_skeleton(mesh, [&](const char* stage) { stages.emplace_back(stage); });
  EXPECT_EQ(stages, (std::vector<std::string>{"inside", "joints"}));
  EXPECT_EQ(alone.confidence, 1);
  EXPECT_FALSE(alone.plan.joints.empty());
  EXPECT_TRUE(same_bits(alone.plan, heard.plan));
}

}  // namespace sinew::rigging
