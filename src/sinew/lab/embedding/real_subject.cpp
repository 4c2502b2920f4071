// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/lab/embedding/real_characters.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/sample.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/play.h"
#include "sinew/pipeline/rig.h"

namespace sinew::lab {

using namespace pipeline;
namespace {

/// A joint that moves less of the skin is no part of the body that one would look for.
constexpr double kLeastSkinShare = 0.002;
/// The skeleton of this file is behind its mesh, by a share of the longest side.
constexpr std::string_view kShiftedFile = "zoo/quadrupeds/Bull_Brown_01.fbx";
constexpr double kShift = 0.074;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// Roots, features of the face and feathers say nothing about the limbs.
bool is_detail(const std::string& name) {
  static constexpr std::array<std::string_view, 9> kWords = {"root",  "eye",   "tongue",  "teeth", "horn",
                                                             "ear_l", "ear_r", "feather", "anchor"};
  const std::string text = lower(name);
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return text.find(word) != text.npos; });
}

int side_of_name(const std::string& name) {
  const std::string text = lower(name);
  for (const std::string_view left : {".l", "_l", " l"})
    if (text.ends_with(left)) return 1;
  for (const std::string_view right : {".r", "_r", " r"})
    if (text.ends_with(right)) return -1;
  if (text.find("left") != text.npos) return 1;
  return text.find("right") != text.npos ? -1 : 0;
}

int side_of_role(const std::string& role) {
  return role.starts_with("left_") ? 1 : role.starts_with("right_") ? -1 : 0;
}

/// Several families of game characters call the wrist a palm, which is not recognized as a hand.
void add_palms(const Skeleton& skeleton, std::vector<std::string>& roles) {
  for (const auto& [role, names] : {std::pair("left_hand", std::array{"Palm.L", "Palm2.L"}),
                                    std::pair("right_hand", std::array{"Palm.R", "Palm2.R"})}) {
    if (std::find(roles.begin(), roles.end(), role) != roles.end()) continue;
    for (const char* name : names)
      if (const Index j = skeleton.find(name); j != kNone) {
        roles[j] = role;
        break;
      }
  }
}

std::vector<std::string> roles_of_joints(const Skeleton& skeleton, const motion::Recognition& known,
                                         const RealCharacter& character) {
  std::vector<std::string> roles(skeleton.joints.size());
  const std::vector<RoleOfJoint>& stated = stated_roles(character.path);
  for (const RoleOfJoint& entry : stated) {
    const Index j = skeleton.find(entry.joint);
    if (j != kNone) roles[j] = entry.role;
  }
  if (!stated.empty()) return roles;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (!known.roles[j].empty()) roles[j] = motion::role_name(known.roles[j]);
  add_palms(skeleton, roles);
  return roles;
}

/// Per joint the weight it has over all vertices, and the sum of their positions.
struct Carried {
  std::vector<double> weight;
  std::vector<Vec3> sum;
};

Carried carried_skin(const Rig& rig) {
  Carried carried{std::vector<double>(rig.skeleton.joints.size(), 0.0),
                  std::vector<Vec3>(rig.skeleton.joints.size(), Vec3::Zero())};
  const auto add = [&](Index joint, double weight, const Vec3& position) {
    carried.weight[joint] += weight;
    carried.sum[joint] += weight * position;
  };
  const SkinWeights weights = rig.weights.normalized();
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      if (part.skin == kNone && part.joint != kNone) add(part.joint, 1, rig.mesh.positions[v]);
      if (part.skin == kNone || v >= weights.row_count()) continue;
      for (const Influence& influence : weights.row(v)) add(influence.joint, influence.weight, rig.mesh.positions[v]);
    }
  return carried;
}

void mark_tips(const Skeleton& skeleton, const std::vector<Index>& taken, std::vector<TrueJoint>& joints) {
  std::vector<char> followed(skeleton.joints.size(), 0);
  for (const Index j : taken)
    for (Index up = skeleton.joints[j].parent; up != kNone; up = skeleton.joints[up].parent) followed[up] = 1;
  for (std::size_t k = 0; k < taken.size(); ++k) joints[k].tip = followed[taken[k]] == 0;
}

std::vector<TrueJoint> true_joints(const Rig& rig, const std::vector<Mat4>& frames,
                                   const std::vector<std::string>& roles) {
  const Carried carried = carried_skin(rig);
  const double least = kLeastSkinShare * rig.mesh.vertex_count();
  std::vector<TrueJoint> joints;
  std::vector<Index> taken;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const std::string& name = rig.skeleton.joints[j].name;
    if (is_detail(name) || (carried.weight[j] < least && roles[j].empty())) continue;
    TrueJoint joint;
    joint.name = name;
    joint.role = roles[j];
    joint.position = frames[j].topRightCorner<3, 1>();
    joint.region = carried.weight[j] > 0 ? Vec3(carried.sum[j] / carried.weight[j]) : joint.position;
    joint.side = roles[j].empty() ? side_of_name(name) : side_of_role(roles[j]);
    joints.push_back(joint);
    taken.push_back(j);
  }
  mark_tips(rig.skeleton, taken, joints);
  return joints;
}

/// Poses a character as its file or one of its clips does, and returns the frames of its joints.
std::vector<Mat4> pose_character(Character& character, const RealCharacter& wanted) {
  Pose pose = rest_pose(character.rig);
  if (std::string_view(wanted.clip) != "rest") {
    const auto clip = std::find_if(character.clips.begin(), character.clips.end(),
                                   [&](const Clip& each) { return each.name.ends_with(wanted.clip); });
    if (clip == character.clips.end())
      throw Error(fmt::format("{} has no clip whose name ends in {}.", wanted.path, wanted.clip));
    pose = motion::sample(character.rig, *clip, wanted.share * clip->duration_s());
  }
  Playback play(character, pose);
  if (!play.next()) throw Error(fmt::format("{} cannot be posed.", wanted.path));
  std::vector<Mat4> frames = play.pose().joints;
  std::vector<Vec3> positions;
  for (const Vec3f& position : play.positions()) positions.push_back(position.cast<double>());
  character.rig.mesh.positions = std::move(positions);
  return frames;
}

Mesh bare_mesh(Character character) {
  // What was skinned and what hung on a joint is known of a bare file, too: by its nodes.
  const std::vector<MeshPart> parts = character.rig.mesh.parts;
  remove_rig(character);
  for (std::size_t p = 0; p < std::min(parts.size(), character.rig.mesh.parts.size()); ++p) {
    character.rig.mesh.parts[p].skin = parts[p].skin;
    character.rig.mesh.parts[p].joint = parts[p].joint;
  }
  return std::move(character.rig.mesh);
}

}  // namespace

const TrueJoint* RealSubject::find_role(const std::string& role) const {
  const auto found = std::find_if(joints.begin(), joints.end(), [&](const TrueJoint& j) { return j.role == role; });
  return found == joints.end() ? nullptr : &*found;
}

RealSubject read_real_character(const std::filesystem::path& folder, const RealCharacter& character) {
  RealSubject subject;
  subject.character = &character;
  Character file = io::load(folder / character.path).character;
  Character bound = gather_parts(file).character;
  const bool has_skeleton = !bound.rig.skeleton.empty();
  motion::Recognition known;
  if (has_skeleton) known = motion::recognize(bound.rig.skeleton);
  const Vec3 extent = bound.rig.mesh.bounds().extent();
  subject.size = is_person(character.body) ? extent.dot(known.up.cwiseAbs()) : extent.maxCoeff();
  const bool posed = *character.clip != 0;
  Character& taken = posed ? file : bound;
  if (has_skeleton) {
    Findings ignored;
    const std::vector<Mat4> frames = posed ? pose_character(taken, character) : binding_matrices(taken.rig, ignored);
    subject.joints = true_joints(taken.rig, frames, roles_of_joints(taken.rig.skeleton, known, character));
    if (character.path == kShiftedFile)
      for (TrueJoint& joint : subject.joints) joint.position += kShift * subject.size * known.forward;
  }
  subject.mesh = bare_mesh(std::move(taken));
  return subject;
}

}  // namespace sinew::lab
