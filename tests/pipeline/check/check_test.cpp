// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/check/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/support/made_human.h"
#include "tests/support/threads.h"

namespace sinew::pipeline {
namespace {

using Change = std::function<std::vector<Influence>(Index vertex, std::span<const Influence> row)>;

// A character with other weights.
Character with_rows(Character character, const Change& change) {
  SkinWeights weights;
  for (Index v = 0; v < character.rig.weights.row_count(); ++v)
    weights.add_row(change(v, character.rig.weights.row(v)));
  character.rig.weights = std::move(weights);
  return character;
}

std::vector<Influence> same(std::span<const Influence> row) { return {row.begin(), row.end()}; }

Index joint_of(const Character& character, const char* name) {
  const Index joint = character.rig.skeleton.find(name);
  EXPECT_NE(joint, kNone) << name;
  return joint;
}

CheckVerdict verdict_of(const Character& character, const char* id, const char* profile = "game") {
  const CheckResult result = check(character, check_profile(profile));
  const CheckRow* row = result.find(id);
  EXPECT_NE(row, nullptr) << id;
  return row ? row->verdict : CheckVerdict::kPass;
}

void expect_found(const Character& bad, const char* id) {
  const CheckResult result = check(bad, check_profile("game"));
  const CheckRow* row = result.find(id);
  ASSERT_NE(row, nullptr) << id;
  EXPECT_NE(row->verdict, CheckVerdict::kPass) << id << " is " << row->value;
  EXPECT_NE(result.verdict, CheckVerdict::kPass);
}

TEST(Check, AMadeHumanPasses) {
  Character human = test::made_human();
  human.rig.weights = capped_rows(human.rig.weights, 4);
  const CheckResult result = check(human, check_profile("game"));
  for (const CheckRow& row : result.rows)
    EXPECT_EQ(row.verdict, CheckVerdict::kPass) << row.kind->id << " " << row.value;
  EXPECT_EQ(result.verdict, CheckVerdict::kPass);
  EXPECT_GT(result.rows.size(), 30u);
}

TEST(Check, FindsVerticesWithoutWeights) {
  const Character bad =
      with_rows(test::made_human(), [](Index v, auto row) { return v == 100 ? std::vector<Influence>() : same(row); });
  const CheckResult result = check(bad, check_profile("game"));
  EXPECT_EQ(result.verdict, CheckVerdict::kFail);
  EXPECT_EQ(std::string(result.rows.front().kind->id), "weights.empty");
  EXPECT_EQ(result.rows.front().vertices, std::vector<Index>{100});
}

TEST(Check, FindsWrongSumsAndValues) {
  expect_found(with_rows(test::made_human(),
                         [](Index v, auto row) {
                           auto now = same(row);
                           if (v % 10 == 0) now.front().weight *= 0.5F;
                           return now;
                         }),
               "weights.sums");
  expect_found(with_rows(test::made_human(),
                         [](Index v, auto row) {
                           auto now = same(row);
                           if (v == 5) now.front().weight = std::numeric_limits<float>::quiet_NaN();
                           return now;
                         }),
               "weights.values");
}

TEST(Check, FindsTooManyInfluences) {
  const Character bad = with_rows(test::made_human(), [](Index v, auto row) {
    auto now = same(row);
    if (v != 7) return now;
    now.clear();
    for (Index j = 1; j <= 9; ++j) now.push_back({j, 1.0F / 9});
    return now;
  });
  EXPECT_EQ(verdict_of(bad, "weights.influences"), CheckVerdict::kFail);
  EXPECT_EQ(verdict_of(bad, "weights.influences", "film"), CheckVerdict::kCheck);
}

TEST(Check, FindsSpeckle) {
  const Character human = test::made_human();
  const Index head = joint_of(human, "Head");
  expect_found(
      with_rows(human,
                [&](Index v, auto row) {
                  return v % 97 == 0 && row.front().joint != head ? std::vector<Influence>{{head, 1.0F}} : same(row);
                }),
      "weights.noise");
}

TEST(Check, FindsAHandThatMovesTheThigh) {
  const Character human = test::made_human();
  const Index hand = joint_of(human, "LeftHand"), thigh = joint_of(human, "LeftThigh");
  const Character bad = with_rows(human, [&](Index, auto row) {
    auto now = same(row);
    if (row.front().joint == hand) now = {{hand, 0.5F}, {thigh, 0.5F}};
    return now;
  });
  const CheckResult result = check(bad, check_profile("game"));
  EXPECT_TRUE(result.find("weights.bleeding")->verdict != CheckVerdict::kPass ||
              result.find("weights.stray")->verdict != CheckVerdict::kPass);
}

TEST(Check, FindsSwappedSides) {
  Character human = test::made_human();
  const Skeleton& skeleton = human.rig.skeleton;
  std::vector<Index> other(skeleton.size());
  for (Index j = 0; j < skeleton.size(); ++j) {
    std::string name = skeleton.joints[j].name;
    if (const auto at = name.find("Left"); at != std::string::npos) name.replace(at, 4, "Right");
    else if (const auto right = name.find("Right"); right != std::string::npos) name.replace(right, 5, "Left");
    other[j] = skeleton.find(name) == kNone ? j : skeleton.find(name);
  }
  expect_found(with_rows(human,
                         [&](Index, auto row) {
                           auto now = same(row);
                           for (Influence& i : now) i.joint = other[i.joint];
                           return now;
                         }),
               "weights.sides");
}

TEST(Check, FindsAHardElbow) {
  const Character human = test::made_human();
  expect_found(with_rows(human,
                         [](Index, auto row) {
                           return std::vector<Influence>{{row.front().joint, 1.0F}};
                         }),
               "weights.hard");
}

TEST(Check, FindsALimbWithoutSkin) {
  const Character human = test::made_human();
  const Index shin = joint_of(human, "LeftShin"), thigh = joint_of(human, "LeftThigh");
  expect_found(with_rows(human,
                         [&](Index, auto row) {
                           auto now = same(row);
                           for (Influence& i : now)
                             if (i.joint == shin) i.joint = thigh;
                           return now;
                         }),
               "weights.idle");
}

TEST(Check, FindsAJointOutsideTheSkin) {
  Character bad = test::made_human();
  const Index hand = joint_of(bad, "LeftHand");
  for (Skin& skin : bad.rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k)
      if (skin.joints[k] == hand) skin.inverse_bind[k].topRightCorner<3, 1>() += Vec3(0.5, 0.5, 0.5);
  expect_found(bad, "skeleton.outside");
}

TEST(Check, FindsAWrongUnit) {
  Character bad = test::made_human();
  for (Vec3& p : bad.rig.mesh.positions) p *= 100;
  for (Joint& joint : bad.rig.skeleton.joints) joint.rest.translation *= 100;
  for (Skin& skin : bad.rig.skins)
    for (Mat4& matrix : skin.inverse_bind) matrix.topRightCorner<3, 1>() *= 100;
  EXPECT_EQ(verdict_of(bad, "mesh.size"), CheckVerdict::kFail);
}

TEST(Check, FindsNamesThatTellNothing) {
  Character bad = test::made_human();
  for (Index j = 0; j < bad.rig.skeleton.size(); ++j) bad.rig.skeleton.joints[j].name = fmt::format("bone_{}", j);
  EXPECT_EQ(verdict_of(bad, "skeleton.names"), CheckVerdict::kCheck);
  EXPECT_EQ(verdict_of(bad, "skeleton.names", "vrm"), CheckVerdict::kFail);
}

TEST(Check, FindsAPieceOnTheWrongJoint) {
  Character bad = test::made_human();
  Rig& rig = bad.rig;
  const Index foot = joint_of(bad, "LeftFoot");
  // A hat: four faces above the topmost vertex.
  Index top = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
    if (rig.mesh.positions[v].y() > rig.mesh.positions[top].y()) top = v;
  MeshPart hat = rig.mesh.parts.back();
  hat.name = "hat", hat.morphs.clear(), hat.morph_weights.clear();
  hat.first_vertex = rig.mesh.vertex_count(), hat.first_face = rig.mesh.face_count();
  const Index first = hat.first_vertex;
  const Vec3 at = rig.mesh.positions[top];
  for (const Vec3& offset : {Vec3(0, 0, 0), Vec3(0.05, 0.04, 0), Vec3(-0.05, 0.04, 0), Vec3(0, 0.04, 0.06)})
    rig.mesh.positions.push_back(at + Vec3(0, 0.005, 0) + offset);
  for (const auto& f : {std::array<Index, 3>{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}})
    rig.mesh.add_face(std::array<Index, 3>{first + f[0], first + f[1], first + f[2]});
  hat.vertex_count = 4, hat.face_count = 4;
  rig.mesh.parts.push_back(hat);
  rig.mesh.normals = {}, rig.mesh.uvs = {}, rig.mesh.colors.clear(), rig.mesh.face_materials.clear();
  for (int k = 0; k < 4; ++k) rig.weights.add_row({{foot, 1.0F}});
  ASSERT_TRUE(validate(rig).empty());
  expect_found(bad, "weights.pieces");
}

// Adds a round column that hangs down: a shell of its own. Each ring follows the lowest joint of the chain above it.
void add_column(Character& character, const Vec3& top, double length, double radius, const std::vector<Index>& chain) {
  Rig& rig = character.rig;
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const Index first = rig.mesh.vertex_count();
  constexpr Index kRings = 9, kAround = 8;
  std::vector<Index> cap;
  for (Index k = 0; k < kRings; ++k)
    for (Index i = 0; i < kAround; ++i) {
      const double angle = 2 * kPi * i / kAround;
      const Vec3 at = top + Vec3(radius * std::cos(angle), -length * k / (kRings - 1.0), radius * std::sin(angle));
      Index joint = chain.front();
      for (const Index other : chain)
        if (rest[other](1, 3) > at.y()) joint = other;
      rig.mesh.positions.push_back(at);
      rig.weights.add_row({{joint, 1.0F}});
    }
  for (Index k = 0; k + 1 < kRings; ++k)
    for (Index i = 0; i < kAround; ++i) {
      const Index a = first + kAround * k + i, b = first + kAround * k + (i + 1) % kAround;
      rig.mesh.add_face(std::array<Index, 4>{a, b, b + kAround, a + kAround});
    }
  for (Index i = 0; i < kAround; ++i) cap.push_back(first + kAround * (kRings - 1) + i);
  rig.mesh.add_face(cap);
  std::reverse(cap.begin(), cap.end());
  for (Index& v : cap) v -= kAround * (kRings - 1);
  rig.mesh.add_face(cap);
}

// An arm that hangs against a leg, and a bracelet on the arm; each a shell.
Character hanging_arm(const char* bracelet) {
  Character character;
  Rig& rig = character.rig;
  const auto add_joint = [&](const char* name, Index parent, const Vec3& at) {
    Joint joint;
    joint.name = name, joint.parent = parent, joint.rest.translation = at, joint.deforming = true;
    rig.skeleton.joints.push_back(joint);
    return static_cast<Index>(rig.skeleton.joints.size() - 1);
  };
  const Index hips = add_joint("Hips", kNone, Vec3(0, 1, 0)), spine = add_joint("Spine", hips, Vec3(0, 0.2, 0));
  const Index arm = add_joint("LeftUpperArm", spine, Vec3(0.25, 0.3, 0));
  const Index forearm = add_joint("LeftLowerArm", arm, Vec3(0, -0.35, 0));
  const Index hand = add_joint("LeftHand", forearm, Vec3(0, -0.35, 0));
  const Index thigh = add_joint("LeftUpperLeg", hips, Vec3(0.149, 0, 0));
  const Index shin = add_joint("LeftLowerLeg", thigh, Vec3(0, -0.4, 0));
  const Index foot = add_joint("LeftFoot", shin, Vec3(0, -0.3, 0));
  add_column(character, Vec3(0, 1.55, 0), 0.5, 0.1, {spine});
  add_column(character, Vec3(0.25, 1.52, 0), 0.8, 0.05, {arm, forearm, hand});
  add_column(character, Vec3(0.149, 1.02, 0), 0.8, 0.05, {thigh, shin, foot});
  add_column(character, Vec3(0.25, 1.24, 0), 0.05, 0.053, {joint_of(character, bracelet)});
  MeshPart part;
  part.name = "body", part.skin = 0;
  part.vertex_count = rig.mesh.vertex_count(), part.face_count = rig.mesh.face_count();
  rig.mesh.parts.push_back(part);
  Skin skin;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(rest_matrices(rig.skeleton)[j].inverse());
  }
  rig.skins.push_back(skin);
  EXPECT_TRUE(validate(rig).empty());
  return character;
}

TEST(Check, AHandThatOnlyTouchesALegMayComeAway) {
  EXPECT_EQ(verdict_of(hanging_arm("LeftUpperArm"), "range.gaps"), CheckVerdict::kPass);
  // A bracelet that stays where it is when the arm is raised is a fault.
  EXPECT_NE(verdict_of(hanging_arm("LeftUpperLeg"), "range.gaps"), CheckVerdict::kPass);
}

// Rows that do not sum to 1 hide nothing else.
TEST(Check, FindsBleedingInRowsOfWrongSums) {
  const Character human = test::made_human();
  const Index hand = joint_of(human, "LeftHand"), thigh = joint_of(human, "LeftThigh");
  const Character bad = with_rows(human, [&](Index, auto row) {
    auto now = same(row);
    if (row.front().joint == hand) now = {{hand, 0.45F}, {thigh, 0.45F}};
    return now;
  });
  const CheckResult result = check(bad, check_profile("game"));
  EXPECT_TRUE(result.find("weights.bleeding")->verdict != CheckVerdict::kPass ||
              result.find("weights.stray")->verdict != CheckVerdict::kPass);
}

TEST(Check, FindsAJumpInAClip) {
  Character bad = test::made_human();
  Clip clip{"walk", {}};
  Track track;
  track.path = Track::Path::kRotation;
  track.target = joint_of(bad, "LeftUpperArm");
  for (int k = 0; k < 30; ++k) {
    const double angle = 0.01 * k + (k >= 15 ? 2.9 : 0);
    track.times_s.push_back(static_cast<float>(k / 30.0));
    for (const double x : {std::sin(angle / 2), 0.0, 0.0, std::cos(angle / 2)})
      track.values.push_back(static_cast<float>(x));
  }
  clip.tracks.push_back(track);
  bad.clips = {clip};
  EXPECT_EQ(verdict_of(bad, "clips.jumps"), CheckVerdict::kFail);
  for (std::size_t k = 15; k < 30; ++k)
    bad.clips[0].tracks[0].values[4 * k] = static_cast<float>(std::sin(0.005 * static_cast<double>(k))),
                                      bad.clips[0].tracks[0].values[4 * k + 3] =
                                          static_cast<float>(std::cos(0.005 * static_cast<double>(k)));
  EXPECT_EQ(verdict_of(bad, "clips.jumps"), CheckVerdict::kPass);
}

TEST(Check, ABareMeshFails) {
  Character bare = test::made_human();
  bare.rig.skeleton = {}, bare.rig.weights = {}, bare.rig.skins.clear(), bare.clips.clear();
  for (MeshPart& part : bare.rig.mesh.parts) part.skin = part.joint = kNone;
  EXPECT_EQ(verdict_of(bare, "skeleton.none"), CheckVerdict::kFail);
}

TEST(Check, ABaselineFailsOnlyWhatIsWorse) {
  const Character human = test::made_human();
  const Character bad =
      with_rows(human, [](Index v, auto row) { return v == 100 ? std::vector<Influence>() : same(row); });
  const CheckProfile profile = check_profile("game");
  const CheckResult before = check(bad, profile);
  CheckResult same_again = before;
  judge_by_baseline(same_again, before);
  EXPECT_EQ(same_again.verdict, CheckVerdict::kCheck);
  CheckResult worse = before;
  judge_by_baseline(worse, check(human, profile));
  EXPECT_EQ(worse.verdict, CheckVerdict::kFail);
  EXPECT_EQ(worse.find("weights.empty")->before, 0);
}

TEST(Check, IsTheSameForAnyNumberOfThreads) {
  const Character human = test::made_human();
  const auto values = [&] {
    std::vector<double> list;
    for (const CheckRow& row : check(human, check_profile("game")).rows) list.push_back(row.value);
    return list;
  };
  const test::Threads one(1);
  const std::vector<double> first = values();
  const test::Threads four(4);
  EXPECT_EQ(values(), first);
}

TEST(CheckProfiles, ComeFromFiles) {
  const CheckProfile profile = check_profile_from_json(Json::parse(
      R"({"name": "mine", "based_on": "film", "limits": {"weights.influences": {"fail": 2, "check": null}}})"));
  EXPECT_EQ(profile.name, "mine");
  EXPECT_EQ(profile.limits.at("weights.influences").fail, 2);
  EXPECT_FALSE(profile.limits.at("weights.influences").check.has_value());
  EXPECT_EQ(profile.limits.at("range.stretch").fail, check_profile("film").limits.at("range.stretch").fail);
  for (const char* bad :
       {R"([])", R"({"limits": {"weights.influence": {}}})", R"({"limits": {"weights.sums": {"fail": "x"}}})",
        R"({"limit": {}})", R"({"based_on": "gme"})", R"({"limits": {"weights.sums": {"most": 1}}})"})
    EXPECT_THROW(check_profile_from_json(Json::parse(bad)), Error) << bad;
}

TEST(CheckKinds, AreInTheDocumentation) {
  std::ifstream file(std::filesystem::path(SINEW_SOURCE_DIR) / "docs/commands/check.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const CheckKind& kind : check_kinds()) {
    const auto limit = [&](const std::optional<double>& number) {
      return number ? check_value_text(*number, kind.unit) : std::string("–");
    };
    const std::string line =
        fmt::format("| `{}` | {} | {} | {} |", kind.id, kind.title, limit(kind.game.check), limit(kind.game.fail));
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace sinew::pipeline
