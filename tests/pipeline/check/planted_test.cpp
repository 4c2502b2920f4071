// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Eight kinds of faults, planted in five characters: `check` has to find and name them. They exist in two variants, in
// other limbs, of other sizes: what finds the one must find the other.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "sinew/io/asset.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/check/check.h"
#include "sinew/shapes/kinds.h"

namespace sinew::pipeline {
namespace {

using motion::BodyPart;
using motion::Side;

struct Planted {
  const char* name;
  std::vector<const char*> found_as;  // Any of these checks names it.
  std::function<void(Character&, const motion::Recognition&)> plant;
};

using Row = std::vector<Influence>;

void change_rows(Character& character, const std::function<Row(Index, Row)>& change) {
  SkinWeights weights;
  for (Index v = 0; v < character.rig.weights.row_count(); ++v) {
    const auto row = character.rig.weights.row(v);
    weights.add_row(row.empty() ? Row() : change(v, Row(row.begin(), row.end())));
  }
  character.rig.weights = std::move(weights);
}

// Whether a joint is below another, or that one itself.
bool is_below(const Skeleton& skeleton, Index joint, Index top) {
  for (; joint != kNone; joint = skeleton.joints[joint].parent)
    if (joint == top) return true;
  return false;
}

// The outermost part of a limb that has a joint of its own: many simple rigs have no hands or feet.
Index outermost(const motion::Recognition& r, std::initializer_list<BodyPart> parts, Side side) {
  for (const BodyPart part : parts)
    if (const Index joint = r.find(part, side); joint != kNone) return joint;
  return kNone;
}
Index arm_end(const motion::Recognition& r, Side side) {
  return outermost(r, {BodyPart::kHand, BodyPart::kForearm}, side);
}
Index leg_end(const motion::Recognition& r, Side side) {
  return outermost(r, {BodyPart::kFoot, BodyPart::kShin}, side);
}

void plant_bleeding(Character& c, const motion::Recognition& r) {
  const Index hand = arm_end(r, Side::kLeft), thigh = r.find(BodyPart::kThigh, Side::kLeft);
  change_rows(c, [&](Index, Row row) {
    if (!is_below(c.rig.skeleton, row.front().joint, hand)) return row;
    for (Influence& i : row) i.weight *= 0.5F;
    row.push_back({thigh, 0.5F});
    return row;
  });
}

void plant_speckle(Character& c, const motion::Recognition& r) {
  const Index head = r.find(BodyPart::kHead), foot = leg_end(r, Side::kRight);
  change_rows(c, [&](Index v, Row row) {
    return v % 41 == 0 ? Row{{is_below(c.rig.skeleton, row.front().joint, head) ? foot : head, 1.0F}} : row;
  });
}

void plant_swap(Character& c, const motion::Recognition& r) {
  const Index left = r.find(BodyPart::kForearm, Side::kLeft), right = r.find(BodyPart::kForearm, Side::kRight);
  change_rows(c, [&](Index, Row row) {
    for (Influence& i : row) i.joint = i.joint == left ? right : i.joint == right ? left : i.joint;
    return row;
  });
}

void plant_outside(Character& c, const motion::Recognition& r) {
  const Index shin = r.find(BodyPart::kShin, Side::kRight);
  for (Skin& skin : c.rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k)
      if (skin.joints[k] == shin) {
        Mat4 bind = skin.inverse_bind[k].inverse();
        bind.topRightCorner<3, 1>() += 0.35 * c.rig.mesh.size() * r.forward;
        skin.inverse_bind[k] = bind.inverse();
      }
}

// A small box on the head that follows a foot.
void plant_piece(Character& c, const motion::Recognition& r) {
  Rig& rig = c.rig;
  const Index foot = leg_end(r, Side::kLeft);
  Index top = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
    if (r.up.dot(rig.mesh.positions[v]) > r.up.dot(rig.mesh.positions[top])) top = v;
  MeshPart part;
  for (const MeshPart& other : rig.mesh.parts)
    if (other.skin != kNone) part = other;
  part.name = "piece", part.morphs.clear(), part.morph_weights.clear();
  part.first_vertex = rig.mesh.vertex_count(), part.first_face = rig.mesh.face_count();
  part.vertex_count = 8, part.face_count = 6;
  const double side = 0.02 * rig.mesh.size();
  for (int k = 0; k < 8; ++k)
    rig.mesh.positions.push_back(rig.mesh.positions[top] +
                                 side * Vec3((k & 1) - 0.5, ((k >> 1) & 1), ((k >> 2) & 1) - 0.5));
  for (const auto& f :
       {std::array<Index, 4>{0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 4, 6, 2}, {1, 3, 7, 5}})
    rig.mesh.add_face(std::array<Index, 4>{part.first_vertex + f[0], part.first_vertex + f[1], part.first_vertex + f[2],
                                           part.first_vertex + f[3]});
  rig.mesh.parts.push_back(part);
  rig.mesh.normals = {}, rig.mesh.uvs = {}, rig.mesh.colors.clear(), rig.mesh.face_materials.clear();
  for (int k = 0; k < 8; ++k) rig.weights.add_row({{foot, 1.0F}});
}

void plant_jump(Character& c, const motion::Recognition& r) {
  Track track;
  track.path = Track::Path::kRotation;
  track.target = r.find(BodyPart::kUpperArm, Side::kRight);
  for (int k = 0; k < 40; ++k) {
    const double angle = 0.01 * k + (k >= 20 ? 3 : 0);
    track.times_s.push_back(static_cast<float>(k / 30.0));
    for (const double x : {std::sin(angle / 2), 0.0, 0.0, std::cos(angle / 2)})
      track.values.push_back(static_cast<float>(x));
  }
  c.clips = {{"jump", {track}}};
}

std::vector<Planted> planted_faults() {
  return {
      {"unweighted",
       {"weights.empty"},
       [](Character& c, const auto&) { change_rows(c, [](Index v, Row row) { return v % 50 == 0 ? Row() : row; }); }},
      {"bleeding", {"weights.bleeding", "weights.stray"}, plant_bleeding},
      {"speckle", {"weights.noise"}, plant_speckle},
      {"hard",
       {"weights.hard"},
       [](Character& c, const auto&) {
         change_rows(c, [](Index, Row row) { return Row{{row.front().joint, 1.0F}}; });
       }},
      {"swapped", {"weights.sides"}, plant_swap},
      {"piece", {"weights.pieces"}, plant_piece},
      {"outside", {"skeleton.outside", "skeleton.place"}, plant_outside},
      {"jump", {"clips.jumps"}, plant_jump}};
}

// The same kinds once more, in other places and weaker.
void plant_patch_without_weights(Character& c, const motion::Recognition&) {
  const std::vector<Vec3>& positions = c.rig.mesh.positions;
  const Vec3 middle = positions[positions.size() / 3];
  change_rows(
      c, [&](Index v, Row row) { return (positions[v] - middle).norm() < 0.03 * c.rig.mesh.size() ? Row() : row; });
}

void plant_bleeding_foot(Character& c, const motion::Recognition& r) {
  const Index foot = leg_end(r, Side::kRight), other = r.find(BodyPart::kShin, Side::kLeft);
  change_rows(c, [&](Index, Row row) {
    if (!is_below(c.rig.skeleton, row.front().joint, foot)) return row;
    for (Influence& i : row) i.weight *= 0.6F;
    row.push_back({other, 0.4F});
    return row;
  });
}

void plant_rare_speckle(Character& c, const motion::Recognition& r) {
  const Index hand = arm_end(r, Side::kLeft), shin = r.find(BodyPart::kShin, Side::kRight);
  change_rows(c, [&](Index v, Row row) {
    if (v % 97 != 5) return row;
    return Row{{is_below(c.rig.skeleton, row.front().joint, shin) ? hand : shin, 0.8F}, {row.front().joint, 0.2F}};
  });
}

// One arm and one leg only.
void plant_hard_limbs(Character& c, const motion::Recognition& r) {
  const Index arm = r.find(BodyPart::kUpperArm, Side::kLeft), leg = r.find(BodyPart::kThigh, Side::kRight);
  change_rows(c, [&](Index, Row row) {
    const Index joint = row.front().joint;
    if (!is_below(c.rig.skeleton, joint, arm) && !is_below(c.rig.skeleton, joint, leg)) return row;
    return Row{{joint, 1.0F}};
  });
}

void plant_swapped_thighs(Character& c, const motion::Recognition& r) {
  const Index left = r.find(BodyPart::kThigh, Side::kLeft), right = r.find(BodyPart::kThigh, Side::kRight);
  change_rows(c, [&](Index, Row row) {
    for (Influence& i : row) i.joint = i.joint == left ? right : i.joint == right ? left : i.joint;
    return row;
  });
}

void plant_forearm_outside(Character& c, const motion::Recognition& r) {
  const Index forearm = r.find(BodyPart::kForearm, Side::kLeft);
  for (Skin& skin : c.rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k)
      if (skin.joints[k] == forearm) {
        Mat4 bind = skin.inverse_bind[k].inverse();
        bind.topRightCorner<3, 1>() += 0.25 * c.rig.mesh.size() * r.up;
        skin.inverse_bind[k] = bind.inverse();
      }
}

std::vector<Planted> other_planted_faults() {
  std::vector<Planted> faults = planted_faults();
  const std::map<std::string, decltype(Planted::plant)> others = {{"unweighted", plant_patch_without_weights},
                                                                  {"bleeding", plant_bleeding_foot},
                                                                  {"speckle", plant_rare_speckle},
                                                                  {"hard", plant_hard_limbs},
                                                                  {"swapped", plant_swapped_thighs},
                                                                  {"outside", plant_forearm_outside}};
  for (Planted& fault : faults)
    if (const auto other = others.find(fault.name); other != others.end()) fault.plant = other->second;
  return faults;
}

// Whether the fault is in the character now: it is not where a joint that it needs is not recognised.
bool is_planted(const Character& good, const Character& bad) {
  const Rig &old = good.rig, &now = bad.rig;
  for (const Clip& clip : bad.clips)
    for (const Track& track : clip.tracks)
      if (track.target >= now.skeleton.size()) return false;
  bool same = now.weights.row_count() == old.weights.row_count() && bad.clips.size() == good.clips.size();
  same = same && (bad.clips.empty() || bad.clips.front().name == good.clips.front().name);
  for (Index v = 0; v < now.weights.row_count(); ++v) {
    const auto row = now.weights.row(v);
    for (const Influence& i : row)
      if (i.joint >= now.skeleton.size()) return false;
    if (same) same = std::equal(row.begin(), row.end(), old.weights.row(v).begin(), old.weights.row(v).end());
  }
  for (std::size_t s = 0; s < now.skins.size(); ++s)
    for (std::size_t k = 0; k < now.skins[s].inverse_bind.size(); ++k)
      same = same && now.skins[s].inverse_bind[k] == old.skins[s].inverse_bind[k];
  return !same;
}

struct Tally {
  int planted = 0;
  int found = 0;
  void operator+=(const Tally& other) { planted += other.planted, found += other.found; }
};

bool is_named(const CheckResult& result, const CheckResult& before, const Planted& fault) {
  for (const char* id : fault.found_as) {
    const CheckRow* row = result.find(id);
    const CheckRow* old = before.find(id);
    if (row && row->verdict != CheckVerdict::kPass && (!old || row->value > old->value)) return true;
  }
  return false;
}

// Plants all faults and counts those that are found; what is missed is printed.
Tally count_found(const Character& good, const std::string& name,
                  const std::vector<Planted>& faults = planted_faults()) {
  const motion::Recognition roles = motion::recognize(good.rig.skeleton);
  const CheckResult before = check(good, check_profile("game"));
  Tally tally;
  for (const Planted& fault : faults) {
    Character bad = good;
    fault.plant(bad, roles);
    if (!is_planted(good, bad)) {
      std::printf("not planted: %s on %s\n", fault.name, name.c_str());
      continue;
    }
    const CheckResult result = check(bad, check_profile("game"));
    ++tally.planted;
    if (is_named(result, before, fault)) {
      ++tally.found;
      continue;
    }
    std::printf("missed: %s on %s", fault.name, name.c_str());
    for (const char* id : fault.found_as)
      if (const CheckRow* row = result.find(id)) std::printf(", %s %.3g", id, row->value);
    std::printf("\n");
  }
  return tally;
}

TEST(PlantedFaults, AreFoundOnMadeCharacters) {
  Tally tally;
  for (int k = 0; k < 5; ++k) {
    shapes::MakeOptions options;
    options.vertices = 800 + 300 * k;
    options.vary = 0.5;
    options.seed = static_cast<std::uint64_t>(k);
    options.made_pose = k % 2 == 0 ? "a" : "t";
    tally += count_found(shapes::make("human", options).made.character, "human " + std::to_string(k));
  }
  EXPECT_GE(tally.found, 38);
}

TEST(PlantedFaults, AreFoundOnRealCharacters) {
  const char* data = std::getenv("SINEW_DATA");
  if (!data || !*data) GTEST_SKIP() << "set SINEW_DATA to the folder of test characters";
  Tally tally;
  for (const char* name : {"rigged/CesiumMan.glb", "rigged/100Avatars_002_CoolAlien.vrm", "rigged/human-male.glb",
                           "rigged-fbx/Male_Adult_01.fbx", "rigged-fbx/arnaud.fbx"})
    tally += count_found(io::load(std::filesystem::path(data) / name).character, name);
  EXPECT_GE(tally.found, 38);
}

TEST(PlantedFaults, AreFoundInOtherPlacesOnMadeCharacters) {
  Tally tally;
  for (int k = 0; k < 2; ++k) {
    shapes::MakeOptions options;
    options.vertices = 1000;
    options.vary = 0.5;
    options.seed = static_cast<std::uint64_t>(20 + k);
    tally += count_found(shapes::make("human", options).made.character, "human", other_planted_faults());
  }
  EXPECT_GE(tally.found, 15);
}

// Characters of one's own: SINEW_PLANTED="a.glb:b.fbx".
TEST(PlantedFaults, AreFoundOnNamedCharacters) {
  const char* names = std::getenv("SINEW_PLANTED");
  if (!names || !*names) GTEST_SKIP() << "set SINEW_PLANTED to files, with colons between them";
  std::istringstream list(names);
  Tally tally;
  for (std::string name; std::getline(list, name, ':');)
    for (const auto& faults : {planted_faults(), other_planted_faults()}) {
      const Tally here = count_found(io::load(name).character, name, faults);
      std::printf("%s: %d of %d\n", name.c_str(), here.found, here.planted);
      tally += here;
    }
  EXPECT_GT(tally.planted, 0);
  EXPECT_GE(tally.found, 0.95 * tally.planted);
}

}  // namespace
}  // namespace sinew::pipeline
