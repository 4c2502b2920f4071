// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/anchors.h"

#include <gtest/gtest.h>

#include "sinew/rigging/templates/template_file.h"

namespace sinew::rigging {
namespace {

Index named(const Template& t, const std::string& name) {
  for (Index j = 0; j < t.joints.size(); ++j)
    if (t.joints[j].name == name) return j;
  throw Error(name);
}

/// The human template as it would be read off a body of its own shape, with the left leg as a straight column.
struct Read {
  Template t = find_template("human");
  Anatomy anatomy;
  Index thigh = named(t, "LeftThigh"), shin = named(t, "LeftShin"), foot = named(t, "LeftFoot"),
        hips = named(t, "Hips"), spine = named(t, "Spine");

  Read() {
    for (const Template::Joint& joint : t.joints) {
      anatomy.places.push_back(joint.position);
      anatomy.origins.emplace_back(joint.optional ? "" : "section");
    }
    for (Index l = 0; l < t.limbs.size(); ++l) {
      if (t.joints[t.limbs[l].joints.front()].optional) continue;
      FoundLimb found;
      found.limb = l;
      fill(found);
      anatomy.limbs.push_back(std::move(found));
    }
  }

  /// A profile through the limb's joints, from beyond its last.
  void fill(FoundLimb& found) const {
    const std::vector<Index>& joints = t.limbs[found.limb].joints;
    const Vec3 tip = *t.limbs[found.limb].tip;
    std::vector<Vec3> line = {tip};
    for (auto j = joints.rbegin(); j != joints.rend(); ++j) line.push_back(t.joints[*j].position);
    line.push_back(2 * line.back() - line[line.size() - 2]);
    found.profile.step = 0.01;
    double length = 0, s = 0;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      const double bone = (line[i + 1] - line[i]).norm();
      if (i == 1) found.last = length;
      if (i + 2 == line.size()) found.first = found.mouth = length;
      for (; s < length + bone; s += found.profile.step)
        found.profile.slices.push_back({s, line[i] + (s - length) / bone * (line[i + 1] - line[i]), 0.004, 0.03});
      length += bone;
    }
  }

  FoundLimb& limb(Index joint) {
    for (FoundLimb& found : anatomy.limbs)
      for (const Index j : t.limbs[found.limb].joints)
        if (j == joint) return found;
    throw Error("It is in no limb.");
  }
};

TEST(Anchors, NoneChangeNothing) {
  Read read;
  const Anatomy before = read.anatomy;
  anchor_joints(read.t, Mat3::Identity(), {}, read.anatomy);
  EXPECT_EQ(read.anatomy.places, before.places);
  EXPECT_EQ(read.anatomy.origins, before.origins);
}

TEST(Anchors, AJointNearWhereItWasMovesAloneWithinItsLimb) {
  Read read;
  const Anatomy before = read.anatomy;
  const Vec3 knee = before.places[read.shin] + Vec3(0, 0.015, 0.004);
  anchor_joints(read.t, Mat3::Identity(), {{read.shin, knee}}, read.anatomy);
  EXPECT_EQ(read.anatomy.places[read.shin], knee);
  EXPECT_EQ(read.anatomy.origins[read.shin], "hint");
  EXPECT_EQ(read.anatomy.places[read.thigh], before.places[read.thigh]);
  EXPECT_EQ(read.anatomy.places[read.foot], before.places[read.foot]);
  EXPECT_EQ(read.anatomy.places[named(read.t, "Head")], before.places[named(read.t, "Head")]);
}

TEST(Anchors, AKneeThatIsMuchHigherTakesTheThighAlong) {
  // As for trousers whose legs touch: the leg was taken to end at the knee.
  Read read;
  const std::vector<Vec3> truth = read.anatomy.places;
  FoundLimb& leg = read.limb(read.shin);
  const double first = leg.last + 0.55 * (leg.first - leg.last);
  read.anatomy.places[read.thigh] = leg.profile.center(first);
  read.anatomy.places[read.shin] = leg.profile.center(0.5 * (first + leg.last));
  leg.first = leg.mouth = first;
  const double before = (read.anatomy.places[read.thigh] - truth[read.thigh]).norm();
  anchor_joints(read.t, Mat3::Identity(), {{read.shin, truth[read.shin]}}, read.anatomy);
  const double thigh = (read.anatomy.places[read.thigh] - truth[read.shin]).norm();
  const double shin = (truth[read.shin] - read.anatomy.places[read.foot]).norm();
  const double ratio = (truth[read.thigh] - truth[read.shin]).norm() / (truth[read.shin] - truth[read.foot]).norm();
  EXPECT_GT(thigh / shin, ratio / 1.3);
  EXPECT_LT((read.anatomy.places[read.thigh] - truth[read.thigh]).norm(), 0.5 * before);
}

TEST(Anchors, JointsBetweenTwoAnchorsKeepTheirShare) {
  Read read;
  const Index arm = named(read.t, "LeftUpperArm"), elbow = named(read.t, "LeftForearm"),
              hand = named(read.t, "LeftHand");
  const FoundLimb& limb = read.limb(arm);
  const double step = 0.05;
  const Vec3 shoulder = limb.profile.center(limb.first - step), wrist = limb.profile.center(limb.last - step);
  const Vec3 before = read.anatomy.places[elbow];
  anchor_joints(read.t, Mat3::Identity(), {{arm, shoulder}, {hand, wrist}}, read.anatomy);
  // Both went outwards by as much, and so did the elbow.
  EXPECT_NEAR((read.anatomy.places[elbow] - before).norm(), step, 0.01);
}

TEST(Anchors, HipsThatAreMuchHigherTakeTheSpineAndTheThighsAlong) {
  Read read;
  const std::vector<Vec3> truth = read.anatomy.places;
  const Vec3 down(0, -0.12, 0);
  for (const char* name : {"Hips", "LeftThigh", "RightThigh"}) read.anatomy.places[named(read.t, name)] += down;
  const double spine = read.anatomy.places[read.spine].y();
  anchor_joints(read.t, Mat3::Identity(), {{read.hips, truth[read.hips]}}, read.anatomy);
  EXPECT_LT((read.anatomy.places[read.thigh] - truth[read.thigh]).norm(), 0.03);
  EXPECT_GT(read.anatomy.places[read.spine].y(), spine + 0.01);
}

TEST(Anchors, AnOptionalJointBringsThoseBeforeItAlong) {
  Read read;
  const Index tip = named(read.t, "LeftIndex3"), middle = named(read.t, "LeftIndex2");
  anchor_joints(read.t, Mat3::Identity(), {{tip, read.t.joints[tip].position}}, read.anatomy);
  EXPECT_EQ(read.anatomy.origins[tip], "hint");
  EXPECT_EQ(read.anatomy.origins[middle], "derived");
}

TEST(Anchors, ANeckBesideItsLimbLeavesTheHeadInItsPlace) {
  const Template t = find_template("quadruped");
  const Index neck = named(t, "Neck"), head = named(t, "Head");
  Anatomy anatomy;
  for (const Template::Joint& joint : t.joints) {
    anatomy.places.push_back(joint.position);
    anatomy.origins.emplace_back("section");
  }
  for (Index l = 0; l < t.limbs.size(); ++l) {
    FoundLimb found;  // Without a profile, as body plans have them.
    found.limb = l;
    anatomy.limbs.push_back(found);
  }
  const Vec3 before = anatomy.places[head], hint = anatomy.places[neck] - Vec3(0, 0.15, 0.1);
  anchor_joints(t, Mat3::Identity(), {{neck, hint}}, anatomy);
  EXPECT_EQ(anatomy.places[neck], hint);
  EXPECT_EQ(anatomy.places[head], before);
}

TEST(Anchors, TheirDistanceLeavesATolerance) {
  Read read;
  const Vec3 at = read.anatomy.places[read.shin];
  EXPECT_EQ(anchor_distance(read.anatomy, {{read.shin, at + Vec3(0.04, 0, 0)}}, 0.05), 0);
  EXPECT_NEAR(anchor_distance(read.anatomy, {{read.shin, at + Vec3(0.15, 0, 0)}}, 0.05), 0.1, 1e-12);
}

}  // namespace
}  // namespace sinew::rigging
