// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/commands.h"

#include <gtest/gtest.h>

#include "sinew/core/error.h"

namespace sinew::studio {
namespace {

CommandSubject after(Json steps) { return {"my hero.obj", std::move(steps)}; }

TEST(Commands, OneStepIsOneCommand) {
  EXPECT_EQ(make_command(after(Json::array())), "");
  EXPECT_EQ(make_command(
                after({{{"do", "rig"}, {"options", {{"demo_clip", {"auto"}}, {"fingers", "3"}, {"ends", nullptr}}}}})),
            "sinew rig 'my hero.obj' --demo-clip auto --fingers 3 -o 'my hero_rigged.glb'");
  // The options of a method are nested under its id; those of other methods do not count.
  EXPECT_EQ(
      make_command(after(
          {{{"do", "bind"}, {"options", {{"method", "heat"}, {"heat", {{"heat", 2.5}}}, {"keep_springs", false}}}}})),
      "sinew bind 'my hero.obj' --method heat --heat 2.5 --keep-springs=false -o 'my hero_rigged.glb'");
  EXPECT_EQ(make_command(after({{{"do", "weights"}, {"options", {{"smooth", 2}, {"lock", {"A b", "C"}}}}}})),
            "sinew weights 'my hero.obj' --smooth 2 --lock 'A b,C' -o 'my hero_rigged.glb'");
  EXPECT_EQ(make_command(after({{{"do", "skeleton"}, {"options", {{"preset", "unity"}, {"rename", {{"A", "B"}}}}}}})),
            "sinew skeleton 'my hero.obj' --preset unity --rename A=B -o 'my hero_rigged.glb'");
  EXPECT_EQ(make_command(after({{{"do", "clip"}, {"name", "walk"}}})),
            "sinew animate 'my hero.obj' builtin:walk -o 'my hero_rigged.glb'");
}

TEST(Commands, OtherStepsAreRepeatedFromTheRecipe) {
  const std::string again = "sinew rig 'my hero.obj' --session 'my hero.sinew.json' -o 'my hero_rigged.glb'";
  const Json paint = {{"do", "paint"}, {"joint", "A"}, {"pins", ""}}, bind = {{"do", "bind"}};
  EXPECT_EQ(make_command(after({paint})), again);
  EXPECT_EQ(make_command(after({bind, bind})), again);
  EXPECT_EQ(make_command(after({{{"do", "skeleton"}, {"options", {{"remove", {"a,b"}}}}}})), again)
      << "a comma in a name ends a word of a list";
  EXPECT_EQ(make_command(after({{{"do", "skeleton"}, {"options", {{"add", {{"A@B", {1, 2, 3}}}}}}}})), again);
}

TEST(Commands, UsesFollowWhatMakesTheCharacter) {
  const CommandSubject bare{"hero.glb", Json::array()};
  EXPECT_EQ(pose_command(bare, "dqs"), "sinew deform hero.glb --pose hero.pose.json --method dqs -o hero_posed.glb");
  EXPECT_EQ(use_command(bare, "compare", {{"clip", "builtin:walk"}, {"method", "lbs"}, {"other", "dqs"}}),
            "sinew render hero.glb --clip builtin:walk --compare dqs -o hero_compared.png");
  const CommandSubject made{"hero.glb", {{{"do", "clip"}, {"name", "walk"}}}};
  EXPECT_EQ(use_command(made, "check", Json::object()),
            "sinew animate hero.glb builtin:walk -o hero_rigged.glb && sinew check hero_rigged.glb");
  EXPECT_EQ(export_command(made, "glb"), "sinew animate hero.glb builtin:walk -o hero_rigged.glb");
  EXPECT_EQ(export_command(bare, "obj"), "sinew convert hero.glb -o hero_exported.obj");
  EXPECT_EQ(export_command({"", Json::array()}, "report"),
            "sinew make human -o sample.glb && sinew report sample.glb -o sample.html");
  EXPECT_THROW(use_command(bare, "$(rm)", Json::object()), Error);
}

}  // namespace
}  // namespace sinew::studio
