// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/names/joint_names.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "sinew/motion/names/joint_tables.h"
#include "sinew/motion/names/joint_words.h"
#include "sinew/motion/names/shape_roles.h"

namespace sinew::motion {
namespace {

constexpr std::array<Side, 2> kBothSides = {Side::kLeft, Side::kRight};

constexpr std::array<const char*, 24> kPartWords = {
    "",        "hips", "spine", "chest", "neck",   "head", "jaw",    "eye",   "ear",  "tail", "shoulder", "upper_arm",
    "forearm", "hand", "thumb", "index", "middle", "ring", "little", "thigh", "shin", "foot", "toes",     "wing"};

bool comes_in_rows(BodyPart part) {
  return part == BodyPart::kTail || part == BodyPart::kWing || (part >= BodyPart::kThumb && part <= BodyPart::kLittle);
}

std::string table_name(const JointTable& table, const TableName& entry, Side side) {
  std::string name = table.prefix;
  if (name == "mixamorig") name += ':';
  for (const char* c = entry.name; *c; ++c) {
    if (*c != '*') name += *c;
    else name += side == Side::kLeft ? table.left : table.right;
  }
  return name;
}

bool has_side(const TableName& entry) { return std::string_view(entry.name).find('*') != std::string_view::npos; }

// Roles by plain name. For tables with a prefix the names are kept without it.
std::unordered_map<std::string, JointRole> lookup_of(const JointTable& table) {
  std::unordered_map<std::string, JointRole> roles;
  JointTable bare = table;
  bare.prefix = "";
  for (const TableName& entry : table.names) {
    if (!has_side(entry)) {
      roles.try_emplace(plain_name(table_name(bare, entry, Side::kMiddle)),
                        JointRole{entry.part, Side::kMiddle, entry.number});
      continue;
    }
    for (const Side side : kBothSides)
      roles.try_emplace(plain_name(table_name(bare, entry, side)), JointRole{entry.part, side, entry.number});
  }
  return roles;
}

// What follows a table's prefix, or nothing. Mixamo numbers its name spaces, Biped's prefix is the figure's name.
std::string after_prefix(const JointTable& table, std::string_view name, const std::string& candidate) {
  const std::string prefix = plain_name(table.prefix);
  if (prefix.empty()) return candidate;
  if (std::string_view(table.id) == "biped") {
    const std::size_t space = candidate.find('_');
    return space == std::string::npos || candidate.front() == '_' ? std::string() : candidate.substr(space + 1);
  }
  if (candidate.starts_with(prefix)) {
    std::size_t at = prefix.size();
    if (prefix == "mixamorig")
      while (at < candidate.size() && (candidate[at] == '_' || (candidate[at] >= '0' && candidate[at] <= '9'))) ++at;
    return candidate.substr(at);
  }
  return prefix == "mixamorig" && name.find("mixamorig") != std::string_view::npos ? candidate : std::string();
}

// The parts every body with four limbs has.
double core_coverage(const std::vector<JointRole>& roles) {
  const auto has = [&](BodyPart part, Side side) {
    return std::any_of(roles.begin(), roles.end(),
                       [&](const JointRole& role) { return role.part == part && role.side == side; });
  };
  int found = 0;
  found += has(BodyPart::kHips, Side::kMiddle);
  found += has(BodyPart::kSpine, Side::kMiddle) || has(BodyPart::kChest, Side::kMiddle);
  found += has(BodyPart::kHead, Side::kMiddle) || has(BodyPart::kNeck, Side::kMiddle);
  for (const Side side : kBothSides)
    for (const BodyPart part :
         {BodyPart::kUpperArm, BodyPart::kForearm, BodyPart::kThigh, BodyPart::kShin, BodyPart::kFoot})
      found += has(part, side);
  return found / 13.0;
}

double named_share(const Skeleton& skeleton, const std::vector<JointRole>& roles) {
  int named = 0, all = 0;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (!joint.deforming || joint.role == "end") continue;
    ++all;
    named += !roles[j].empty();
  }
  return all == 0 ? 0 : named / static_cast<double>(all);
}

std::vector<JointRole> roles_by_table(const Skeleton& skeleton, const JointTable& table) {
  const auto lookup = lookup_of(table);
  std::vector<JointRole> roles(skeleton.joints.size());
  for (Index j = 0; j < skeleton.size(); ++j)
    for (const std::string& candidate : plain_candidates(skeleton.joints[j].name)) {
      const auto found = lookup.find(after_prefix(table, skeleton.joints[j].name, candidate));
      if (found == lookup.end()) continue;
      roles[j] = found->second;
      break;
    }
  return roles;
}

int depth_of(const Skeleton& skeleton, Index joint) {
  int depth = 0;
  for (Index j = skeleton.joints[joint].parent; j != kNone; j = skeleton.joints[j].parent) ++depth;
  return depth;
}

// Gives the parts of a limb to a chain in which names tell only the limb.
void name_limb(std::vector<JointRole>& roles, const std::vector<Index>& chain, const std::array<BodyPart, 4>& parts,
               Side side, bool whole) {
  const auto first_of = [&](BodyPart part) {
    return std::find_if(chain.begin(), chain.end(), [&](Index j) { return roles[j].part == part; }) != chain.end();
  };
  // Rigs with feet below the root do not hang in the order of the leg, but name its parts.
  if (whole && first_of(parts[0]) && first_of(parts[1]) && first_of(parts[2])) return;
  if (whole || !first_of(parts[0])) {
    // "Arm" above "ForeArm" is the upper arm; else parts follow each other as they hang.
    std::size_t next = 0;
    int number = 1;
    for (const Index j : chain) {
      if (roles[j].part == BodyPart::kShoulder) continue;
      roles[j] = {parts[next], side, number};
      if (next + 1 < parts.size() && parts[next + 1] != BodyPart::kNone) ++next;
      else ++number;
    }
    return;
  }
  // "UpLeg" and "Leg": what has no part of its own takes the one that is missing.
  for (const Index j : chain)
    if (roles[j].empty())
      for (const BodyPart part : parts)
        if (part != BodyPart::kNone && !first_of(part)) {
          roles[j] = {part, side, 1};
          break;
        }
}

std::vector<JointRole> roles_by_words(const Skeleton& skeleton) {
  using Limb = WordRole::Limb;
  std::vector<JointRole> roles(skeleton.joints.size());
  std::vector<WordRole> words;
  for (const Joint& joint : skeleton.joints)
    words.push_back(joint.role == "end" ? WordRole() : role_by_words(joint.name));
  for (Index j = 0; j < skeleton.size(); ++j)
    if (words[j].role.part != BodyPart::kNone) roles[j] = words[j].role;
  for (const Side side : kBothSides)
    for (const Limb limb : {Limb::kArm, Limb::kLeg, Limb::kFrontLeg, Limb::kHindLeg, Limb::kWing}) {
      std::vector<Index> chain;
      for (Index j = 0; j < skeleton.size(); ++j)
        if (words[j].limb == limb && words[j].role.side == side) chain.push_back(j);
      std::stable_sort(chain.begin(), chain.end(),
                       [&](Index a, Index b) { return depth_of(skeleton, a) < depth_of(skeleton, b); });
      const bool front = limb == Limb::kArm || limb == Limb::kFrontLeg;
      if (limb == Limb::kWing) {
        for (std::size_t i = 0; i < chain.size(); ++i)
          roles[chain[i]] = {BodyPart::kWing, side, static_cast<int>(i) + 1};
        continue;
      }
      name_limb(roles, chain,
                front
                    ? std::array<BodyPart, 4>{BodyPart::kUpperArm, BodyPart::kForearm, BodyPart::kHand, BodyPart::kNone}
                    : std::array<BodyPart, 4>{BodyPart::kThigh, BodyPart::kShin, BodyPart::kFoot, BodyPart::kToes},
                side, limb == Limb::kFrontLeg || limb == Limb::kHindLeg);
    }
  return roles;
}

bool is_ancestor(const Skeleton& skeleton, Index above, Index joint) {
  for (Index j = joint; j != kNone; j = skeleton.joints[j].parent)
    if (j == above) return true;
  return false;
}

Index common_ancestor(const Skeleton& skeleton, Index a, Index b) {
  for (Index j = a; j != kNone; j = skeleton.joints[j].parent)
    if (is_ancestor(skeleton, j, b)) return j;
  return kNone;
}

// Numbers the joints of each part along their chain.
void renumber(const Skeleton& skeleton, std::vector<JointRole>& roles) {
  std::vector<int> depth;
  for (Index j = 0; j < skeleton.size(); ++j)
    depth.push_back(skeleton.joints[j].parent == kNone ? 0 : depth[skeleton.joints[j].parent] + 1);
  for (std::size_t part = 1; part < kPartWords.size(); ++part)
    for (const Side side : {Side::kMiddle, Side::kLeft, Side::kRight}) {
      std::vector<Index> joints;
      for (Index j = 0; j < skeleton.size(); ++j)
        if (roles[j].part == static_cast<BodyPart>(part) && roles[j].side == side) joints.push_back(j);
      std::stable_sort(joints.begin(), joints.end(), [&](Index a, Index b) { return depth[a] < depth[b]; });
      for (std::size_t i = 0; i < joints.size(); ++i) roles[joints[i]].number = static_cast<int>(i) + 1;
    }
}

// Rigid meshes often bear the name of the joint they hang on. MakeHuman's BVH files have a joint '__UpLeg_L' that only
// leads to the place of 'UpLeg_L'.
void drop_namesakes(const Skeleton& skeleton, std::vector<JointRole>& roles) {
  std::unordered_map<std::string, bool> deforming;
  for (const Joint& joint : skeleton.joints) {
    bool& any = deforming[joint.name];
    any = any || joint.deforming;
  }
  for (Index j = 0; j < skeleton.size(); ++j) {
    const std::string& name = skeleton.joints[j].name;
    if (!skeleton.joints[j].deforming && deforming[name]) roles[j] = {};
    const std::size_t bars = std::min(name.find_first_not_of('_'), name.size());
    if (bars > 0 && bars < name.size() && deforming.count(name.substr(bars)) != 0) roles[j] = {};
  }
}

// Trunks: who is hips, chest and head where names tell only "torso 1, 2, 3" or "neck 1, 2".
void complete_trunk(const Skeleton& skeleton, Recognition& result) {
  renumber(skeleton, result.roles);
  const Index thigh_l = result.find(BodyPart::kThigh, Side::kLeft),
              thigh_r = result.find(BodyPart::kThigh, Side::kRight);
  auto spine = result.chain(BodyPart::kSpine);
  auto neck = result.chain(BodyPart::kNeck);
  if (result.find(BodyPart::kHead) == kNone && neck.size() > 1) result.roles[neck.back()] = {BodyPart::kHead};
  if (thigh_l != kNone && thigh_r != kNone) {
    Index hips = result.find(BodyPart::kHips);
    const bool carries = hips != kNone && is_ancestor(skeleton, hips, thigh_l) && is_ancestor(skeleton, hips, thigh_r);
    if (!carries) {
      Index top = spine.empty() ? result.find(BodyPart::kHead) : spine.front();
      Index common = common_ancestor(skeleton, thigh_l, thigh_r);
      if (common != kNone && top != kNone) common = common_ancestor(skeleton, common, top);
      // A limb or an upper part of the body is no hips, and neither is a root on the ground when there is a better one.
      bool free = common != kNone && (result.roles[common].empty() || result.roles[common].part == BodyPart::kSpine);
      if (free && hips != kNone) {
        const std::vector<Mat4> rest = rest_matrices(skeleton);
        const auto place = [&](Index j) { return Vec3(rest[j].topRightCorner<3, 1>()); };
        const Vec3 between = 0.5 * (place(thigh_l) + place(thigh_r));
        const Index shin = result.find(BodyPart::kShin, Side::kLeft);
        free = shin != kNone && (place(common) - between).norm() < 0.5 * (place(shin) - place(thigh_l)).norm();
      }
      if (free) {
        if (hips != kNone) result.roles[hips] = {};
        result.roles[common] = {BodyPart::kHips};
      }
    }
  }
  renumber(skeleton, result.roles);
  spine = result.chain(BodyPart::kSpine);
  if (result.find(BodyPart::kChest) == kNone && spine.size() > 1) {
    // Where the arms begin; a long row of vertebrae may go on into the neck.
    const Index left = result.find(BodyPart::kUpperArm, Side::kLeft);
    Index chest = spine.back();
    for (const Index j : spine)
      if (left != kNone && is_ancestor(skeleton, j, left)) chest = j;
    const bool longer = chest != spine.back();
    for (const Index j : spine)
      if (longer && is_ancestor(skeleton, chest, j) && j != chest) result.roles[j] = {BodyPart::kNeck};
    result.roles[chest] = {BodyPart::kChest};
  }
  renumber(skeleton, result.roles);
}

// Bodies whose limbs branch (a spider's four legs a side) have parts that do not hang on each other.
bool limbs_are_chains(const Skeleton& skeleton, const Recognition& result) {
  for (const Side side : kBothSides)
    for (const BodyPart part : {BodyPart::kUpperArm, BodyPart::kForearm, BodyPart::kThigh, BodyPart::kShin}) {
      const std::vector<Index> joints = result.chain(part, side);
      for (std::size_t i = 1; i < joints.size(); ++i)
        if (!is_ancestor(skeleton, joints[0], joints[i])) return false;
    }
  return true;
}

Vec3 snapped(const Vec3& direction) {
  Eigen::Index largest = 0;
  const Vec3 unit = direction.normalized();
  if (unit.cwiseAbs().maxCoeff(&largest) < std::cos(0.7)) return unit;
  return (unit[largest] > 0 ? 1.0 : -1.0) * Vec3::Unit(largest);
}

// What kind of body the parts make, by where they are at rest.
void judge_shape(const Skeleton& skeleton, Recognition& result) {
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  const auto place = [&](Index j) { return Vec3(rest[j].topRightCorner<3, 1>()); };
  const auto mean = [&](BodyPart part) {
    return Vec3(0.5 * (place(result.chain(part, Side::kLeft).back()) + place(result.chain(part, Side::kRight).back())));
  };
  const Index hips = result.find(BodyPart::kHips);
  const auto has_both = [&](BodyPart part) {
    return result.find(part, Side::kLeft) != kNone && result.find(part, Side::kRight) != kNone;
  };
  if (hips == kNone || !has_both(BodyPart::kThigh)) return;
  const BodyPart low = has_both(BodyPart::kFoot) ? BodyPart::kFoot : BodyPart::kShin;
  if (!has_both(low)) return;
  const Vec3 feet = mean(low), thighs = mean(BodyPart::kThigh);
  const Vec3 across =
      place(result.find(BodyPart::kThigh, Side::kLeft)) - place(result.find(BodyPart::kThigh, Side::kRight));
  if (!((thighs - feet).norm() > 1e-9) || !(across.norm() > 1e-9)) return;
  Index top = result.find(BodyPart::kHead);
  if (top == kNone) top = result.find(BodyPart::kNeck);
  if (top == kNone) top = result.find(BodyPart::kChest);
  if (top == kNone) return;
  const Index chest =
      result.find(BodyPart::kChest) != kNone ? result.find(BodyPart::kChest) : result.find(BodyPart::kNeck);
  const Vec3 trunk = (chest == kNone || chest == hips ? place(top) : place(chest)) - thighs;
  result.up = snapped(thighs - feet);
  result.left = snapped(across - across.dot(result.up) * result.up);
  result.forward = result.left.cross(result.up);
  result.left = result.up.cross(result.forward).normalized();
  const double height = (thighs - feet).dot(result.up);
  const bool upright = trunk.dot(result.up) > 0.6 * trunk.norm();
  const bool arms = has_both(BodyPart::kUpperArm) && has_both(BodyPart::kForearm);
  if (upright && arms) {
    result.build = Build::kHumanoid;
    return;
  }
  const BodyPart end = has_both(BodyPart::kHand) ? BodyPart::kHand : BodyPart::kForearm;
  if (arms && !upright && (mean(end) - feet).dot(result.up) < 0.45 * height) result.build = Build::kQuadruped;
  else if (has_both(BodyPart::kWing)) result.build = Build::kBird;
  else if (!upright && result.chain(BodyPart::kTail).size() >= 4) result.build = Build::kTailedBiped;
  else if ((arms && !upright) || (!has_both(BodyPart::kUpperArm) && result.find(BodyPart::kTail) != kNone))
    result.build = Build::kBird;
}

JointRole role_of_name(std::string name) {
  JointRole role;
  for (const auto& [word, side] : {std::pair("left_", Side::kLeft), std::pair("right_", Side::kRight)})
    if (name.starts_with(word)) role.side = side, name = name.substr(std::string(word).size());
  if (const std::size_t bar = name.find_last_of('_');
      bar != std::string::npos && bar + 1 < name.size() &&
      name.find_first_not_of("0123456789", bar + 1) == std::string::npos && name.size() - bar <= 4) {
    role.number = std::stoi(name.substr(bar + 1));
    name.resize(bar);
  }
  for (std::size_t part = 1; part < kPartWords.size(); ++part)
    if (name == kPartWords[part]) role.part = static_cast<BodyPart>(part);
  return role.empty() ? JointRole() : role;
}

std::vector<JointRole> roles_of_file(const Skeleton& skeleton) {
  std::vector<JointRole> roles;
  for (const Joint& joint : skeleton.joints) roles.push_back(role_of_name(joint.role));
  return roles;
}

}  // namespace

std::string role_name(const JointRole& role) {
  if (role.empty()) return {};
  std::string name = role.side == Side::kLeft ? "left_" : role.side == Side::kRight ? "right_" : "";
  name += kPartWords[static_cast<std::size_t>(role.part)];
  if (role.number > 1 || comes_in_rows(role.part)) name += fmt::format("_{}", role.number);
  return name;
}

std::string build_name(Build build) {
  constexpr std::array<const char*, 5> kWords = {"unknown", "humanoid", "quadruped", "bird", "tailed biped"};
  return kWords[static_cast<std::size_t>(build)];
}

Index Recognition::find(BodyPart part, Side side, int number) const {
  for (Index j = 0; j < roles.size(); ++j)
    if (roles[j] == JointRole{part, side, number}) return j;
  return kNone;
}

std::vector<Index> Recognition::chain(BodyPart part, Side side) const {
  std::vector<Index> joints;
  for (Index j = find(part, side, 1); j != kNone; j = find(part, side, static_cast<int>(joints.size()) + 1))
    joints.push_back(j);
  return joints;
}

Recognition recognize(const Skeleton& skeleton) {
  Recognition best;
  best.roles.resize(skeleton.joints.size());
  double best_score = 0;
  // What the file itself says of its joints comes first: tables of avatars, and roles that Sinew wrote.
  if (std::vector<JointRole> roles = roles_of_file(skeleton); core_coverage(roles) >= 0.75) {
    best_score = core_coverage(roles) + 0.5 * named_share(skeleton, roles);
    best.table = "roles";
    best.roles = std::move(roles);
  }
  for (const JointTable& table : joint_tables()) {
    std::vector<JointRole> roles = roles_by_table(skeleton, table);
    const double coverage = core_coverage(roles), named = named_share(skeleton, roles);
    const double score = coverage + 0.5 * named;
    if (coverage < 0.75 || !(score > best_score + 1e-9)) continue;
    best_score = score;
    best.table = table.id;
    best.roles = std::move(roles);
  }
  // A table tells more certainly; words tell where no table does.
  if (best.table.empty()) {
    best.roles = roles_by_words(skeleton);
    best.table = "words";
  } else {
    // What the table does not name and words do: tails, ears, wings.
    for (Index j = 0; j < skeleton.size(); ++j) {
      const WordRole word = best.roles[j].empty() && skeleton.joints[j].role != "end"
                                ? role_by_words(skeleton.joints[j].name)
                                : WordRole();
      if (word.role.part == BodyPart::kTail || word.role.part == BodyPart::kEar) best.roles[j] = word.role;
    }
  }
  drop_namesakes(skeleton, best.roles);
  complete_trunk(skeleton, best);
  best.coverage = core_coverage(best.roles);
  best.named = named_share(skeleton, best.roles);
  const bool any =
      std::any_of(best.roles.begin(), best.roles.end(), [](const JointRole& role) { return !role.empty(); });
  if (!any) best.table.clear();
  if (limbs_are_chains(skeleton, best)) judge_shape(skeleton, best);
  return best;
}

void judge_body(const Skeleton& skeleton, Recognition& recognition) {
  renumber(skeleton, recognition.roles);
  recognition.coverage = core_coverage(recognition.roles);
  recognition.named = named_share(skeleton, recognition.roles);
  if (limbs_are_chains(skeleton, recognition)) judge_shape(skeleton, recognition);
}

std::string joint_name(const std::string& table, const JointRole& role) {
  for (const JointTable& known : joint_tables()) {
    if (known.id != table) continue;
    for (const TableName& entry : known.names)
      if (entry.part == role.part && entry.number == role.number && has_side(entry) == (role.side != Side::kMiddle))
        return table_name(known, entry, role.side);
  }
  return {};
}

}  // namespace sinew::motion
