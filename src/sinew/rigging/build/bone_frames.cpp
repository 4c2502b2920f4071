// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/bone_frames.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/rotation_between.h"
#include "sinew/rigging/build/role.h"

namespace sinew::rigging {
namespace {

constexpr double kBentSine = 0.1;    // About 6°: a limb that is straighter does not tell its plane.
constexpr double kSureSine = 0.342;  // 20°: bent so much it is bent on purpose.

bool is_trunk(const Role& role) {
  return role.side == BodySide::kMiddle &&
         (role.is("hips") || role.is("spine") || role.is("chest") || role.is("neck") || role.is("head"));
}

bool is_long_finger(const Role& role) {
  return role.is("index") || role.is("middle") || role.is("ring") || role.is("little");
}

bool follows_in_limb(const Role& upper, const Role& lower) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kPairs = {{{"shoulder", "upper_arm"},
                                                                          {"upper_arm", "forearm"},
                                                                          {"forearm", "hand"},
                                                                          {"thigh", "shin"},
                                                                          {"shin", "foot"},
                                                                          {"foot", "toes"}}};
  return std::any_of(kPairs.begin(), kPairs.end(),
                     [&](const auto& pair) { return upper.is(pair.first) && lower.is(pair.second); });
}

bool is_arm(const Role& role) { return role.is("shoulder") || role.is("upper_arm") || role.is("forearm"); }

// The part of `v` at right angles to the unit vector `y`, of unit length; zero where there is next to none.
Vec3 perpendicular(const Vec3& v, const Vec3& y) {
  const Vec3 rest = v - v.dot(y) * y;
  return rest.norm() > 0.05 * v.norm() && rest.norm() > 1e-12 ? Vec3(rest.normalized()) : Vec3(Vec3::Zero());
}

// `v`, turned as little as takes `from` to `to`; about `about` where they are opposite.
Vec3 carried(const Vec3& v, const Vec3& from, const Vec3& to, const Vec3& about) {
  if (from.dot(to) < -1 + 1e-9) return Eigen::AngleAxisd(kPi, about) * v;
  return rotation_between(from, to) * v;
}

class FrameBuilder {
 public:
  explicit FrameBuilder(const SkeletonPlan& plan) : plan_(plan), next_(next_joints(plan)) {
    for (const PlannedJoint& joint : plan.joints) roles_.push_back(parse_role(joint.role));
    for (Index j = 0; j < plan.joints.size(); ++j) sides_.push_back(side_of(j));
    for (Index j = 0; j < plan.joints.size(); ++j) along_.push_back(bone(j));
    front_legs_ = on_front_legs();
  }

  std::vector<Mat3> run() {
    frames_.resize(plan_.joints.size());
    for (Index j = 0; j < plan_.joints.size(); ++j) {
      const Vec3 y = along_[j], z = bend(j, y);
      frames_[j] << y.cross(z), y, z;
    }
    if (plan_.symmetric) mirror_right_sides();
    return std::move(frames_);
  }

 private:
  const Vec3& place(Index j) const { return plan_.joints[j].position; }
  Index parent(Index j) const { return plan_.joints[j].parent; }
  Vec3 mirrored(const Vec3& v) const { return v - 2 * v.dot(plan_.left) * plan_.left; }

  BodySide side_of(Index j) const {
    if (roles_[j].side != BodySide::kMiddle) return roles_[j].side;
    const Index k = plan_.joints[j].partner;
    if (k == kNone) return BodySide::kMiddle;
    return (place(j) - place(k)).dot(plan_.left) >= 0 ? BodySide::kLeft : BodySide::kRight;
  }

  // The direction of a joint's bone; parents are done before.
  Vec3 bone(Index j) const {
    Vec3 way = Vec3::Zero();
    if (next_[j] != kNone) way = place(next_[j]) - place(j);
    else if (plan_.joints[j].end) way = *plan_.joints[j].end - place(j);
    else if (parent(j) != kNone) way = place(j) - place(parent(j));
    if (way.norm() > 1e-9) return way.normalized();
    return parent(j) != kNone ? along_[parent(j)] : plan_.up.normalized();
  }

  bool on_front_legs() const {
    const Index hips = plan_.find_role("hips"), chest = plan_.find_role("chest");
    if (hips == kNone || chest == kNone) return false;
    const Vec3 trunk = place(chest) - place(hips);
    if (!(trunk.dot(plan_.up) < 0.6 * trunk.norm())) return false;
    for (const char* side : {"left_", "right_"}) {
      const Index upper = plan_.find_role(std::string(side) + "upper_arm");
      const Index fore = plan_.find_role(std::string(side) + "forearm");
      if (upper == kNone || fore == kNone) continue;
      const Vec3 limb = place(fore) - place(upper) + along_[fore] * (place(fore) - place(upper)).norm();
      if (!(limb.dot(plan_.up) < -0.7 * limb.norm())) return false;
    }
    return true;
  }

  Vec3 bend(Index j, const Vec3& y) const {
    if (const Vec3 given = perpendicular(plan_.joints[j].bend_axis, y); given != Vec3::Zero()) return given;
    for (const Vec3& candidate : {in_plane(j, y), usual(j, y), plan_.left, plan_.forward, plan_.up})
      if (const Vec3 found = perpendicular(candidate, y); found != Vec3::Zero()) return found;
    return Vec3(y.unitOrthogonal());
  }

  // The normal of the plane in which a limb is bent, of its upper and lower joint alike.
  Vec3 in_plane(Index j, const Vec3& y) const {
    const Role& role = roles_[j];
    Vec3 upper, lower;
    if ((role.is("forearm") || role.is("shin")) && parent(j) != kNone) {
      upper = along_[parent(j)], lower = y;
    } else if ((role.is("upper_arm") || role.is("thigh")) && next_[j] != kNone) {
      upper = y, lower = along_[next_[j]];
    } else {
      return Vec3::Zero();
    }
    const Vec3 normal = upper.cross(lower);
    const double sine = upper.dot(lower) > 0 ? normal.norm() : 1;
    if (!(sine > kBentSine && normal.norm() > 1e-6)) return Vec3::Zero();
    return sine < kSureSine && normal.dot(usual(j, y)) < 0 ? Vec3(-normal) : normal;
  }

  // What the left side would bend about, of the right side the mirror image turned round.
  Vec3 usual(Index j, const Vec3& y) const {
    if (sides_[j] != BodySide::kRight) return of_left_side(j, y);
    return -mirrored(of_left_side(j, mirrored(y)));
  }

  // In the left's frame: `y` is that of the left side, and so is what is looked up.
  Vec3 of_left_side(Index j, const Vec3& y) const {
    const Role& role = roles_[j];
    const bool finger = is_long_finger(role), hand = role.is("hand"), thumb = role.is("thumb");
    if ((is_arm(role) || hand) && front_legs_)
      return role.is("forearm") || role.is("upper_arm") ? Vec3(-plan_.left) : plan_.left;
    if (role.side == BodySide::kMiddle && (is_arm(role) || hand || finger)) return -plan_.left;  // A hand by itself.
    if (finger || hand)
      if (const Vec3 knuckles = across_knuckles(j); knuckles != Vec3::Zero()) return knuckles;
    if (finger || hand) return carried(-plan_.forward, plan_.left, y, plan_.up);
    if (thumb) return of_thumb(j, y);
    if (is_arm(role)) return carried(-plan_.up, plan_.left, y, plan_.up);
    if (role.is("thigh") || role.is("shin")) return carried(plan_.left, -plan_.up, y, plan_.left);
    if (role.part.empty() && parent(j) != kNone && roles_[parent(j)].part.empty()) {
      const Mat3& above = frames_[parent(j)];
      const Vec3 z = sides_[j] == BodySide::kRight ? Vec3(-mirrored(above.col(2))) : Vec3(above.col(2));
      const Vec3 from = sides_[j] == BodySide::kRight ? mirrored(above.col(1)) : Vec3(above.col(1));
      return carried(z, from, y, z);
    }
    return std::abs(y.dot(plan_.left)) < 0.95 ? plan_.left : plan_.up;
  }

  Vec3 on_left(const Vec3& v, Index j) const { return sides_[j] == BodySide::kRight ? mirrored(v) : v; }

  // From the index to the little finger, of the hand that a joint belongs to; zero where they are not there.
  Vec3 across_knuckles(Index j) const {
    const std::string side = sides_[j] == BodySide::kRight ? "right_" : sides_[j] == BodySide::kLeft ? "left_" : "";
    const auto knuckle = [&](const char* finger) { return plan_.find_role(side + finger + "_1"); };
    Index first = knuckle("index"), last = knuckle("little");
    if (first == kNone) first = knuckle("middle");
    if (last == kNone) last = knuckle("ring");
    if (last == kNone) last = knuckle("middle");
    if (first == kNone || last == kNone || first == last) return Vec3::Zero();
    return on_left(place(last) - place(first), j);
  }

  // A thumb bends over the palm: about the direction in which the hand points, turned towards the palm's side as made
  // hands have it.
  Vec3 of_thumb(Index j, const Vec3& y) const {
    Index hand = j;
    while (hand != kNone && !roles_[hand].is("hand")) hand = parent(hand);
    if (hand == kNone) return plan_.forward;
    const Vec3 along = on_left(along_[hand], j);
    Vec3 across = across_knuckles(hand);
    if (across == Vec3::Zero())
      across = roles_[j].side == BodySide::kMiddle ? Vec3(-plan_.left)
                                                   : carried(-plan_.forward, plan_.left, along, plan_.up);
    across = perpendicular(across, along);
    const Vec3 palm = across.cross(along);  // Where the fingers close to.
    const Vec3 flat = palm + 0.75 * across;
    const Vec3 axis = flat.cross(along);
    return perpendicular(axis, y) == Vec3::Zero() ? across : axis;
  }

  // Bit for bit the left's frame, mirrored: what follows the same rule agrees only to rounding.
  void mirror_right_sides() {
    for (Index j = 0; j < plan_.joints.size(); ++j) {
      const Index k = plan_.joints[j].partner;
      if (sides_[j] != BodySide::kRight || k == kNone || sides_[k] != BodySide::kLeft) continue;
      Mat3 image;
      image << mirrored(frames_[k].col(0)), mirrored(frames_[k].col(1)), -mirrored(frames_[k].col(2));
      if ((image.col(1) - frames_[j].col(1)).norm() < 1e-6) frames_[j] = image;
    }
  }

  const SkeletonPlan& plan_;
  std::vector<Index> next_;
  std::vector<Role> roles_;
  std::vector<BodySide> sides_;
  std::vector<Vec3> along_;
  std::vector<Mat3> frames_;
  bool front_legs_ = false;
};

}  // namespace

std::vector<Index> next_joints(const SkeletonPlan& plan) {
  const auto& joints = plan.joints;
  std::vector<Role> roles;
  std::vector<std::vector<Index>> children(joints.size());
  for (Index j = 0; j < joints.size(); ++j) {
    roles.push_back(parse_role(joints[j].role));
    if (joints[j].parent != kNone) children[joints[j].parent].push_back(j);
  }
  std::vector<Index> next(joints.size(), kNone);
  for (Index j = 0; j < joints.size(); ++j) {
    const auto apart = [&](Index c) { return (joints[c].position - joints[j].position).norm() > 1e-9; };
    const auto find = [&](auto&& test) {
      const auto found =
          std::find_if(children[j].begin(), children[j].end(), [&](Index c) { return apart(c) && test(c); });
      return found == children[j].end() ? kNone : *found;
    };
    const Role& role = roles[j];
    const auto follows = [&](Index c) {
      const bool same_side = roles[c].side == role.side && !role.part.empty();
      const bool same_part = roles[c].part == role.part;
      return (same_side && (same_part || follows_in_limb(role, roles[c]))) || (is_trunk(role) && is_trunk(roles[c]));
    };
    next[j] = find(follows);
    for (const char* finger : {"middle", "index", "ring", "little"})
      if (next[j] == kNone && role.is("hand")) next[j] = find([&](Index c) { return roles[c].is(finger); });
    // Eyes, ears and jaws do not go on with a head, nor a tail or thighs with hips.
    if (next[j] != kNone || is_trunk(role)) continue;
    if (children[j].size() == 1) next[j] = find([](Index) { return true; });
    if (next[j] != kNone || joints[j].end || joints[j].parent == kNone) continue;
    const Vec3 coming = (joints[j].position - joints[joints[j].parent].position).normalized();
    double best = 0.5;
    for (const Index c : children[j]) {
      const double straight = apart(c) ? coming.dot((joints[c].position - joints[j].position).normalized()) : -1;
      if (straight > best + 1e-9) best = straight, next[j] = c;
    }
  }
  return next;
}

std::vector<Mat3> bone_frames(const SkeletonPlan& plan) { return FrameBuilder(plan).run(); }

}  // namespace sinew::rigging
