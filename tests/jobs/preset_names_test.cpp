// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What rigging names, motion recognises.

#include <gtest/gtest.h>

#include <set>

#include "sinew/motion/names/joint_names.h"
#include "sinew/rigging/build/build_skeleton.h"
#include "sinew/rigging/build/trunk_joints.h"
#include "sinew/rigging/templates/template_file.h"
#include "tests/rigging/plans.h"

namespace sinew::jobs {
namespace {

TEST(PresetNames, AHumanNamedByAnyPresetIsRecognisedWhole) {
  const Template& human = rigging::find_template("human");
  for (const rigging::Preset& preset : rigging::presets()) {
    const rigging::SkeletonPlan plan = rigging::with_trunk_joints(test::plan_of(human), preset.spine_joints);
    const rigging::BuiltSkeleton built = rigging::build_skeleton(plan, preset);
    const motion::Recognition found = motion::recognize(built.skeleton);
    EXPECT_EQ(found.build, motion::Build::kHumanoid) << preset.name;
    EXPECT_EQ(found.coverage, 1) << preset.name << " by " << found.table;
    EXPECT_NE(found.table, "words") << preset.name;
    for (Index j = 0; j < plan.joints.size(); ++j) {
      const std::string& role = plan.joints[j].role;
      if (role == "jaw" || role.ends_with("_eye")) continue;  // Not every table has them.
      EXPECT_EQ(motion::role_name(found.roles[built.joints[j]]), role)
          << preset.name << ": " << built.skeleton.joints[built.joints[j]].name;
    }
  }
}

TEST(PresetNames, OtherBodiesAreRecognisedByTheNamesOfPlain) {
  for (const auto& [name, build] :
       {std::pair("quadruped", motion::Build::kQuadruped), std::pair("bird", motion::Build::kBird)}) {
    const rigging::SkeletonPlan plan = test::plan_of(rigging::find_template(name));
    const motion::Recognition found =
        motion::recognize(rigging::build_skeleton(plan, rigging::find_preset("plain")).skeleton);
    EXPECT_EQ(found.build, build) << name;
    EXPECT_EQ(found.coverage, 1) << name;
  }
}

TEST(PresetNames, PresetsNameTheRolesThatMotionKnows) {
  std::set<std::string> known;
  for (int part = 1; part <= static_cast<int>(motion::BodyPart::kWing); ++part)
    for (const motion::Side side : {motion::Side::kMiddle, motion::Side::kLeft, motion::Side::kRight})
      for (int number = 1; number <= 9; ++number)
        known.insert(motion::role_name({static_cast<motion::BodyPart>(part), side, number}));
  for (const rigging::Preset& preset : rigging::presets())
    for (const auto& [role, name] : preset.names) {
      const std::string plain = role.ends_with("_end") ? role.substr(0, role.size() - 4) : role;
      EXPECT_TRUE(known.contains(plain)) << preset.name << ": " << role;
    }
  for (const Template& each : rigging::templates())
    for (const Template::Joint& joint : each.joints)
      EXPECT_TRUE(joint.role.empty() || known.contains(joint.role)) << each.name << ": " << joint.role;
}

}  // namespace
}  // namespace sinew::jobs
