// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/weights_partners.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sinew/core/error.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/bind_names.h"

namespace sinew::pipeline {
namespace {

/// A mesh whose mirror image lies farther from it than this share of its size has no mirror plane.
constexpr double kMostError = 0.05;
/// Partners by name whose places are farther from each other's mirror image, per size, are doubted.
constexpr double kNameReach = 0.03;

enum class NameSide { kNone, kLeft, kRight };

NameSide side_of_word(const std::string& word) {
  if (word == "left" || word == "l") return NameSide::kLeft;
  if (word == "right" || word == "r") return NameSide::kRight;
  return NameSide::kNone;
}

// The words of a name with the side taken out, and the side. "J_Bip_L_UpperArm", "arm.R", "mixamorig:LeftArm".
std::pair<std::string, NameSide> without_side(const std::string& name) {
  std::string rest;
  NameSide side = NameSide::kNone;
  for (const std::string& word : name_words(name)) {
    if (const NameSide found = side_of_word(word); found != NameSide::kNone && side == NameSide::kNone) {
      side = found;
      rest += "<side> ";
    } else {
      rest += word + " ";
    }
  }
  return {rest, side};
}

void pair_up(std::vector<Index>& partner, Index a, Index b) {
  if (a == kNone || b == kNone || partner[a] != kNone || partner[b] != kNone) return;
  partner[a] = b;
  partner[b] = a;
}

void pair_names(const Skeleton& skeleton, std::vector<Index>& partner) {
  std::map<std::string, std::array<std::vector<Index>, 2>> sides;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const auto [rest, side] = without_side(skeleton.joints[j].name);
    if (side != NameSide::kNone) sides[rest][side == NameSide::kLeft ? 0 : 1].push_back(j);
  }
  for (const auto& [rest, both] : sides)
    if (both[0].size() == 1 && both[1].size() == 1) pair_up(partner, both[0][0], both[1][0]);
}

void pair_roles(const Skeleton& skeleton, const motion::Recognition& known, std::vector<Index>& partner) {
  std::map<std::string, std::vector<Index>> joints;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (!known.roles[j].empty()) joints[motion::role_name(known.roles[j])].push_back(j);
  for (Index j = 0; j < skeleton.size(); ++j) {
    motion::JointRole role = known.roles[j];
    if (role.empty() || joints[motion::role_name(role)].size() != 1) continue;
    if (role.side == motion::Side::kMiddle) {
      pair_up(partner, j, j);
      continue;
    }
    role.side = role.side == motion::Side::kLeft ? motion::Side::kRight : motion::Side::kLeft;
    const auto found = joints.find(motion::role_name(role));
    if (found != joints.end() && found->second.size() == 1) pair_up(partner, j, found->second.front());
  }
}

// From the right joint of a pair to its left one, over all pairs whose sides are known.
Vec3 left_by_joints(const binding::Subject& subject, const motion::Recognition& known,
                    const std::vector<Index>& partner) {
  Vec3 left = Vec3::Zero();
  for (Index j = 0; j < subject.skeleton.size(); ++j) {
    if (partner[j] == kNone || partner[j] == j) continue;
    const bool is_left = known.roles[j].side == motion::Side::kLeft ||
                         without_side(subject.skeleton.joints[j].name).second == NameSide::kLeft;
    if (is_left) left += subject.position(j) - subject.position(partner[j]);
  }
  return left;
}

}  // namespace

std::vector<Index> partners_by_names(const Skeleton& skeleton) {
  std::vector<Index> partner(skeleton.size(), kNone);
  for (Index j = 0; j < skeleton.size(); ++j) pair_up(partner, j, skeleton.joints[j].mirror);
  pair_names(skeleton, partner);
  pair_roles(skeleton, motion::recognize(skeleton), partner);
  return partner;
}

MirrorImage mirror_image(const binding::Subject& subject, const binding::EditSurface& surface) {
  MirrorImage image;
  image.partner = partners_by_names(subject.skeleton);
  Vec3 across = Vec3::Zero(), middle = Vec3::Zero();
  double pairs = 0;
  for (Index j = 0; j < image.partner.size(); ++j) {
    const Index other = image.partner[j];
    if (other == kNone || other <= j) continue;
    Vec3 step = subject.position(j) - subject.position(other);
    if (step.dot(across) < 0) step = -step;
    across += step;
    middle += 0.5 * (subject.position(j) + subject.position(other));
    ++pairs;
  }
  std::vector<binding::MirrorPlane> hints;
  if (across.norm() > 1e-9 * surface.size) {
    const Vec3 normal = across.normalized();
    hints.push_back({normal, normal.dot(middle) / pairs, 0});
  }
  const motion::Recognition known = motion::recognize(subject.skeleton);
  Vec3 left = left_by_joints(subject, known, image.partner);
  if (left.norm() <= 1e-9 * surface.size) left = known.left;
  image.plane = binding::mirror_plane(surface, hints, left);
  if (image.plane.error_rel > kMostError)
    throw Error(
        fmt::format("The mesh has no mirror plane: about the best candidate, a tenth of it is farther than {:.1f} % of "
                    "its size from its mirror image. Mirroring requires a symmetric pose.",
                    100 * image.plane.error_rel));
  // Names may count one side from the shoulder and the other from the hand: places overrule names that do not fit them.
  const std::vector<Index> named = image.partner;
  for (Index j = 0; j < image.partner.size(); ++j) {
    const Index other = named[j];
    if (other == kNone || subject.skeleton.joints[j].mirror == other) continue;
    const double off = (image.plane.reflected(subject.position(j)) - subject.position(other)).norm();
    if (off > kNameReach * surface.size) image.partner[j] = image.partner[other] = kNone;
  }
  for (const Index other : image.partner) image.named += other != kNone ? 1 : 0;
  binding::partners_by_position(subject, image.plane, surface.size, image.partner);
  for (const Index other : image.partner) image.placed += other != kNone ? 1 : 0;
  image.placed -= image.named;
  for (Index j = 0; j < image.partner.size(); ++j) pair_up(image.partner, j, named[j]);
  return image;
}

}  // namespace sinew::pipeline
