// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/helpers_select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

namespace sinew::pipeline {
namespace {

using motion::BodyPart;
using motion::JointRole;
using motion::Side;

// What comes next along the body.
constexpr std::array<std::pair<BodyPart, BodyPart>, 15> kNextParts = {{{BodyPart::kShoulder, BodyPart::kUpperArm},
                                                                       {BodyPart::kUpperArm, BodyPart::kForearm},
                                                                       {BodyPart::kForearm, BodyPart::kHand},
                                                                       {BodyPart::kThigh, BodyPart::kShin},
                                                                       {BodyPart::kShin, BodyPart::kFoot},
                                                                       {BodyPart::kFoot, BodyPart::kToes},
                                                                       {BodyPart::kHips, BodyPart::kSpine},
                                                                       {BodyPart::kHips, BodyPart::kChest},
                                                                       {BodyPart::kSpine, BodyPart::kSpine},
                                                                       {BodyPart::kSpine, BodyPart::kChest},
                                                                       {BodyPart::kSpine, BodyPart::kNeck},
                                                                       {BodyPart::kChest, BodyPart::kChest},
                                                                       {BodyPart::kChest, BodyPart::kNeck},
                                                                       {BodyPart::kNeck, BodyPart::kNeck},
                                                                       {BodyPart::kNeck, BodyPart::kHead}}};

// Words for parts beside those that role_name gives.
constexpr std::array<std::pair<const char*, const char*>, 9> kOtherWords = {{{"elbow", "forearm"},
                                                                             {"lowerarm", "forearm"},
                                                                             {"wrist", "hand"},
                                                                             {"knee", "shin"},
                                                                             {"calf", "shin"},
                                                                             {"lowerleg", "shin"},
                                                                             {"upperleg", "thigh"},
                                                                             {"ankle", "foot"},
                                                                             {"clavicle", "shoulder"}}};

// A twist joint on a bone lies nearer to it than this share of its length, and not nearer to its ends than the other.
constexpr double kOnBone = 0.05;
constexpr double kApartFromEnds = 0.1;
// A joint that comes before the next part of the body but farther than this along the way there is its beginning: a
// wrist.
constexpr double kAlmostThere = 0.75;

std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// The names by which a role may be called, without separators.
std::vector<std::string> names_of_role(JointRole role) {
  std::vector<std::string> names;
  const JointRole whole = role;
  for (const bool side : {true, false})
    for (const bool number : {true, false}) {
      role = whole;
      if (!side) role.side = Side::kMiddle;
      if (!number) role.number = 1;
      std::string name = motion::role_name(role);
      // Parts that come in rows have a number though it is 1.
      if (!number)
        while (!name.empty() && (name.back() == '_' || std::isdigit(static_cast<unsigned char>(name.back())) != 0))
          name.pop_back();
      names.push_back(plain(name));
    }
  return names;
}

std::string part_of_word(const std::string& word) {
  std::string result = plain(word);
  // The hips are the pelvis, a hip is the joint of the thigh.
  if (result.ends_with("hip")) return result.replace(result.size() - 3, 3, "thigh");
  for (const auto& [other, part] : kOtherWords)
    if (const auto at = result.find(other); at != std::string::npos)
      return result.replace(at, std::string(other).size(), part);
  return result;
}

std::string known_parts(const motion::Recognition& recognition, const Skeleton& skeleton, const std::string& word) {
  std::set<std::string> parts;
  for (const JointRole& role : recognition.roles)
    if (!role.empty()) parts.insert(names_of_role(role).back());
  std::vector<std::string> known(parts.begin(), parts.end());
  for (const auto& [other, part] : kOtherWords)
    if (parts.contains(part)) known.emplace_back(other);
  for (const Joint& joint : skeleton.joints) known.push_back(joint.name);
  if (!parts.empty())
    return fmt::format("It has {}. Names of joints are accepted as well.{}", fmt::join(parts, ", "),
                       did_you_mean(word, known));
  std::vector<std::string> names;
  for (const Joint& joint : skeleton.joints)
    if (joint.deforming && names.size() < 12) names.push_back(joint.name);
  return fmt::format("No part of the body is recognized by its name. Specify names of joints, such as {}.{}",
                     fmt::join(names, ", "), did_you_mean(word, known));
}

// Per joint the sum of its weights in skins.
std::vector<double> joint_weights(const Rig& rig) {
  std::vector<double> sums(rig.skeleton.joints.size(), 0);
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin == kNone) continue;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
      for (const Influence& influence : rig.weights.row(v))
        if (influence.weight > 0) sums[influence.joint] += influence.weight;
  }
  return sums;
}

bool comes_next(const JointRole& role, const JointRole& before) {
  if (role.side != before.side) return false;
  if (role.part == before.part && role.number != before.number + 1) return false;
  return std::find(kNextParts.begin(), kNextParts.end(), std::pair{before.part, role.part}) != kNextParts.end();
}

// Joints next below one that move something or are a part of the body.
std::vector<Index> next_below(const Rig& rig, const motion::Recognition& recognition, Index joint,
                              const std::vector<double>& weights) {
  const auto children = rig.skeleton.children();
  std::vector<Index> found, open = children[joint];
  while (!open.empty()) {
    const Index j = open.front();
    open.erase(open.begin());
    if (rig.skeleton.joints[j].driver) continue;
    if (weights[j] > 0 || !recognition.roles[j].empty()) found.push_back(j);
    else open.insert(open.end(), children[j].begin(), children[j].end());
  }
  return found;
}

// Places at rest, for what lies where.
Vec3 rest_place(const std::vector<Mat4>& rest, Index joint) { return rest[joint].topRightCorner<3, 1>(); }

// A joint that twists the bone already: it moves skin, hangs on the bone's first joint and lies along the bone.
Index twist_joint_on(const Rig& rig, const rigging::TwistBone& bone, const std::vector<double>& weights) {
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const Vec3 start = rest_place(rest, bone.joint), link = rest_place(rest, bone.child) - start;
  for (Index j = bone.joint + 1; j < rig.skeleton.size(); ++j) {
    const Joint& joint = rig.skeleton.joints[j];
    if (joint.parent != bone.joint || j == bone.child) continue;
    const bool driven = joint.driver && joint.driver->kind == Driver::Kind::kTwistShare;
    const Vec3 away = rest_place(rest, j) - start;
    const double at = away.dot(link) / link.squaredNorm();
    const bool lies_on =
        at > kApartFromEnds && at < 1 - kApartFromEnds && (away - at * link).norm() < kOnBone * link.norm();
    if (driven || (lies_on && weights[j] > 0)) return j;
  }
  return kNone;
}

// Whether the next part of the body comes only well after this joint, which then is one of several along the bone.
bool lies_between(const Rig& rig, const motion::Recognition& recognition, Index joint, Index child) {
  if (recognition.roles[joint].empty() || comes_next(recognition.roles[child], recognition.roles[joint])) return false;
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const Vec3 start = rest_place(rest, joint);
  for (Index j = child + 1; j < rig.skeleton.size(); ++j) {
    if (!comes_next(recognition.roles[j], recognition.roles[joint])) continue;
    for (Index above = rig.skeleton.joints[j].parent; above != kNone; above = rig.skeleton.joints[above].parent)
      if (above == child)
        return (rest_place(rest, child) - start).norm() < kAlmostThere * (rest_place(rest, j) - start).norm();
  }
  return false;
}

// Upper arms and thighs: by the body, or by name where the body is not known.
bool is_turned_at_its_root(BodyPart part, const std::string& name) {
  if (part != BodyPart::kNone) return part == BodyPart::kUpperArm || part == BodyPart::kThigh;
  const std::string word = plain(name);
  const std::array<const char*, 4> words = {"upperarm", "thigh", "upperleg", "upleg"};
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word.find(w) != std::string::npos; });
}

// Where a chain goes on: by the body, else where most weight lies at the joint and below.
Index next_joint(const Rig& rig, const motion::Recognition& recognition, Index joint,
                 const std::vector<double>& weights) {
  const std::vector<Index> candidates = next_below(rig, recognition, joint, weights);
  for (const Index j : candidates)
    if (comes_next(recognition.roles[j], recognition.roles[joint])) return j;
  std::vector<double> below = weights;
  for (Index j = rig.skeleton.size(); j-- > 0;)
    if (rig.skeleton.joints[j].parent != kNone) below[rig.skeleton.joints[j].parent] += below[j];
  Index best = kNone;
  for (const Index j : candidates)
    if (best == kNone || below[j] > below[best]) best = j;
  return best;
}

}  // namespace

std::vector<Index> joints_of_words(const Rig& rig, const motion::Recognition& recognition,
                                   const std::vector<std::string>& words, const std::string& option) {
  std::set<Index> joints;
  for (const std::string& word : words) {
    std::vector<Index> found;
    for (Index j = 0; j < rig.skeleton.size(); ++j)
      if (rig.skeleton.joints[j].name == word) found.push_back(j);
    if (found.empty()) {
      const std::string part = part_of_word(word);
      for (Index j = 0; j < rig.skeleton.size(); ++j) {
        if (recognition.roles[j].empty()) continue;
        const std::vector<std::string> names = names_of_role(recognition.roles[j]);
        if (std::find(names.begin(), names.end(), part) != names.end()) found.push_back(j);
      }
    }
    if (found.empty())
      throw Error(fmt::format("The option '{}' names '{}', which the skeleton does not have. {}", option, word,
                              known_parts(recognition, rig.skeleton, word)));
    joints.insert(found.begin(), found.end());
  }
  return {joints.begin(), joints.end()};
}

rigging::TwistBone twist_bone(const Rig& rig, const motion::Recognition& recognition, Index joint) {
  const std::vector<double> weights = joint_weights(rig);
  const std::string& name = rig.skeleton.joints[joint].name;
  if (weights[joint] == 0)
    throw Error(fmt::format("The joint '{}' moves no vertices, so a twist along its bone would have no effect.", name));
  rigging::TwistBone bone;
  bone.joint = joint;
  bone.child = next_joint(rig, recognition, joint, weights);
  if (bone.child == kNone)
    throw Error(fmt::format("No joint follows '{}', so it has no bone to twist. Specify its parent instead.", name));
  bone.near = is_turned_at_its_root(recognition.roles[joint].part, name);
  const Index there =
      lies_between(rig, recognition, joint, bone.child) ? bone.child : twist_joint_on(rig, bone, weights);
  if (there != kNone)
    throw Error(fmt::format(
        "The bone of '{}' already has a twist joint: '{}'. Omit the bone, or start from a file without that joint.",
        name, rig.skeleton.joints[there].name));
  return bone;
}

Vec3 bend_axis(const Rig& rig, const motion::Recognition& recognition, Index joint, const std::vector<Mat4>& frames) {
  const BodyPart part = recognition.roles[joint].part;
  const Index parent = rig.skeleton.joints[joint].parent;
  if (parent == kNone || (part != BodyPart::kForearm && part != BodyPart::kShin)) return Vec3::Zero();
  const Vec3 along = (rest_place(frames, joint) - rest_place(frames, parent)).normalized();
  const Vec3 towards = part == BodyPart::kForearm ? recognition.forward : Vec3(-recognition.forward);
  const Vec3 axis = along.cross(towards);
  return axis.norm() > 0.3 ? Vec3(axis.normalized()) : Vec3(Vec3::Zero());
}

}  // namespace sinew::pipeline
