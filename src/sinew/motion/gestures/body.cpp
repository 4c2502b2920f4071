// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/gestures/body.h"

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/core/pose.h"
#include "sinew/core/rotation_between.h"

namespace sinew::motion {
namespace {

// Slow motions need fewer keys; between those of quick ones a foot would go through the ground.
double keys_per_second(double duration_s) { return duration_s < 1.5 ? 60 : 30; }

// What a part hangs on, nearest first.
std::vector<BodyPart> superiors(BodyPart part) {
  switch (part) {
    case BodyPart::kShin:
      return {BodyPart::kThigh};
    case BodyPart::kFoot:
      return {BodyPart::kShin, BodyPart::kThigh};
    case BodyPart::kToes:
      return {BodyPart::kFoot, BodyPart::kShin};
    case BodyPart::kForearm:
      return {BodyPart::kUpperArm};
    case BodyPart::kHand:
      return {BodyPart::kForearm, BodyPart::kUpperArm};
    case BodyPart::kThigh:
    case BodyPart::kTail:
    case BodyPart::kSpine:
      return {BodyPart::kHips};
    case BodyPart::kChest:
      return {BodyPart::kSpine, BodyPart::kHips};
    case BodyPart::kHead:
      return {BodyPart::kNeck, BodyPart::kChest, BodyPart::kSpine, BodyPart::kHips};
    case BodyPart::kUpperArm:
      return {BodyPart::kShoulder, BodyPart::kChest, BodyPart::kSpine, BodyPart::kHips};
    case BodyPart::kEar:
      return {BodyPart::kHead};
    default:
      return {BodyPart::kChest, BodyPart::kSpine, BodyPart::kHips};
  }
}

bool moves(BodyPart part) {
  return part != BodyPart::kNone && part != BodyPart::kEye && part != BodyPart::kJaw &&
         !(part >= BodyPart::kThumb && part <= BodyPart::kLittle);
}

// Turns `from` towards `to` until they are `tolerance_deg` apart.
Quat towards(const Vec3& from, const Vec3& to, double tolerance_deg) {
  const Quat whole = rotation_between(from, to);
  const double angle = Quat::Identity().angularDistance(whole);
  if (angle <= radians(tolerance_deg)) return Quat::Identity();
  return slerp(Quat::Identity(), whole, 1 - radians(tolerance_deg) / angle);
}

}  // namespace

Vec3 then(const Vec3& first_degrees, const Vec3& second_degrees) {
  return rotation_log(rotation_exp(kRadPerDegree * second_degrees) * rotation_exp(kRadPerDegree * first_degrees)) /
         kRadPerDegree;
}

Body::Body(const Skeleton& skeleton, const Recognition& recognition, bool spread_wings)
    : skeleton_(skeleton), recognition_(recognition), rest_(rest_matrices(skeleton)), spread_wings_(spread_wings) {
  Mat3 axes;
  axes << recognition.left, recognition.up, recognition.forward;
  axes_ = Quat(axes).normalized();
  add_nodes();
  find_soles();
  find_stance();
  find_anchors();
}

Quat Body::to_model(const Vec3& degrees) const { return rotation_exp(axes_ * (kRadPerDegree * degrees)); }

Index Body::parent_node(Index joint, const JointRole& role) const {
  if (role.part == BodyPart::kHips) return kNone;
  const std::vector<BodyPart> wanted = superiors(role.part);
  const auto fits = [&](const JointRole& other) {
    if (other.part == role.part && other.side == role.side) return other.number < role.number;
    return std::find(wanted.begin(), wanted.end(), other.part) != wanted.end() &&
           (other.side == role.side || other.side == Side::kMiddle);
  };
  for (Index j = skeleton_.joints[joint].parent; j != kNone; j = skeleton_.joints[j].parent) {
    const auto found = node_of_.find(role_name(recognition_.roles[j]));
    if (found != node_of_.end() && fits(recognition_.roles[j])) return found->second;
  }
  // Not above it in the tree: feet moved by targets, limbs under control joints.
  if (role.number > 1) {
    const auto before = node_of_.find(role_name({role.part, role.side, role.number - 1}));
    if (before != node_of_.end()) return before->second;
  }
  for (const BodyPart part : wanted)
    for (const Side side : {role.side, Side::kMiddle}) {
      const std::vector<Index> chain = recognition_.chain(part, side);
      if (chain.empty()) continue;
      const auto found = node_of_.find(role_name(recognition_.roles[chain.back()]));
      if (found != node_of_.end()) return found->second;
    }
  return node_of_.empty() ? kNone : 0;
}

void Body::add_nodes() {
  constexpr std::array<BodyPart, 16> kOrder = {
      BodyPart::kHips,  BodyPart::kSpine,    BodyPart::kChest,    BodyPart::kNeck,    BodyPart::kHead, BodyPart::kEar,
      BodyPart::kTail,  BodyPart::kShoulder, BodyPart::kUpperArm, BodyPart::kForearm, BodyPart::kHand, BodyPart::kWing,
      BodyPart::kThigh, BodyPart::kShin,     BodyPart::kFoot,     BodyPart::kToes};
  const std::vector<Vec3> bones = bone_axes(skeleton_);
  for (const BodyPart part : kOrder)
    for (const Side side : {Side::kMiddle, Side::kLeft, Side::kRight})
      for (const Index joint : recognition_.chain(part, side)) {
        if (!moves(part) || skeleton_.joints[joint].driver) continue;
        const JointRole& role = recognition_.roles[joint];
        Node node;
        node.joint = joint;
        node.role = role_name(role);
        node.parent = parent_node(joint, role);
        node.place = rest_[joint].topRightCorner<3, 1>();
        node.child = node.place + rest_[joint].topLeftCorner<3, 3>() *
                                      bones[joint].cwiseQuotient(skeleton_.joints[joint].rest.scale.cwiseMax(1e-9));
        node_of_[node.role] = static_cast<Index>(nodes_.size());
        nodes_.push_back(node);
      }
  // A bone of the body ends where the next part begins, which need not be its joint's first child.
  Index before = kNone;
  for (Index n = 0; n < nodes_.size(); ++n) {
    const BodyPart part = recognition_.roles[nodes_[n].joint].part;
    if (part != BodyPart::kHips && part != BodyPart::kSpine && part != BodyPart::kChest && part != BodyPart::kNeck &&
        part != BodyPart::kHead)
      continue;
    if (before != kNone && (nodes_[n].place - nodes_[before].place).norm() > 1e-9)
      nodes_[before].child = nodes_[n].place;
    before = n;
  }
  const auto ends_at = [&](const char* part, const char* next) {
    for (const std::string side : {"left_", "right_"})
      if (has(side + part) && has(side + next))
        nodes_[node_of_[side + part]].child = nodes_[node_of_[side + next]].place;
  };
  ends_at("upper_arm", "forearm"), ends_at("forearm", "hand"), ends_at("shoulder", "upper_arm");
  ends_at("thigh", "shin"), ends_at("shin", "foot"), ends_at("foot", "toes");
}

std::vector<std::string> Body::limb(bool front, Side side) const {
  std::vector<std::string> roles;
  const auto add = [&](BodyPart part) {
    for (const Index j : recognition_.chain(part, side))
      if (has(role_name(recognition_.roles[j]))) roles.push_back(role_name(recognition_.roles[j]));
  };
  if (front) add(BodyPart::kUpperArm), add(BodyPart::kForearm), add(BodyPart::kHand);
  else add(BodyPart::kThigh), add(BodyPart::kShin), add(BodyPart::kFoot);
  if (!front && recognition_.build != Build::kHumanoid) add(BodyPart::kToes);
  return roles;
}

void Body::find_soles() {
  const bool four = recognition_.build == Build::kQuadruped;
  const bool on_toes = recognition_.build != Build::kHumanoid;
  const Vec3 up = recognition_.up, ahead = recognition_.forward;
  std::vector<std::vector<std::string>> legs;
  for (const Side side : {Side::kLeft, Side::kRight}) {
    legs.push_back(limb(false, side));
    if (four) legs.push_back(limb(true, side));
  }
  double hips = 0, lowest = std::numeric_limits<double>::infinity();
  int count = 0;
  for (const auto& leg : legs) {
    if (leg.size() < 2) continue;
    hips += nodes_[node_of_.at(leg.front())].place.dot(up), ++count;
    for (const std::string& role : leg) lowest = std::min(lowest, nodes_[node_of_.at(role)].place.dot(up));
    const std::string toes = leg.front().substr(0, leg.front().find('_') + 1) + "toes";
    if (has(toes)) lowest = std::min(lowest, nodes_[node_of_.at(toes)].place.dot(up));
  }
  if (count == 0) return;
  hips /= count;
  // Files stand on height 0 as a rule; else the ground is a little below the lowest joint.
  leg_length_ = std::max(hips - lowest, 1e-9);
  ground_ = lowest >= -0.02 * leg_length_ && lowest < 0.3 * leg_length_ ? 0.0 : lowest - 0.03 * leg_length_;
  leg_length_ = hips - ground_;
  // Toes with a joint stay on the ground while the foot rolls over the ball.
  const auto bending_toes = [&](const std::string& role) {
    return !on_toes && has(role.substr(0, role.find('_') + 1) + "toes");
  };
  for (const auto& leg : legs) {
    if (leg.size() < 2) continue;
    const Index end = node_of_.at(leg.back());
    const auto on_ground = [&](const Vec3& p) { return Vec3(p + (ground_ - p.dot(up)) * up); };
    const Vec3 ankle = nodes_[end].place;
    Vec3 ball = nodes_[end].child;
    const double length = std::clamp((ball - ankle).dot(ahead), 0.08 * leg_length_, 0.3 * leg_length_);
    ball = ankle + length * ahead;
    if (on_toes && has(leg.front().substr(0, leg.front().find('_') + 1) + "toes"))
      soles_.push_back({end, {on_ground(ankle)}});
    else if (four) soles_.push_back({end, {on_ground(ankle)}});
    else
      soles_.push_back(
          {end,
           {on_ground(ankle - 0.30 * length * ahead), on_ground(ankle - 0.42 * length * ahead) + 0.1 * length * up,
            on_ground(ball), on_ground(ball + (bending_toes(leg.front()) ? 0.0 : 0.42) * length * ahead)}});
  }
}

FootShape Body::foot(const std::string& role) const {
  FootShape shape;
  const auto found = node_of_.find(role);
  if (found == node_of_.end() || nodes_.empty()) return shape;
  const Node& node = nodes_[found->second];
  const auto own = [&](const Vec3& v) { return Vec3(axes_.conjugate() * v / leg_length_); };
  shape.place = own(node.stance_place - nodes_.front().stance_place);
  for (const Sole& sole : soles_) {
    if (sole.node != found->second || sole.points.size() < 4) continue;
    shape.heel = own(node.stance * sole.points[0] - node.stance_place);
    shape.ball = own(node.stance * sole.points[3] - node.stance_place);
    shape.toes = sole.points[2] == sole.points[3];
  }
  return shape;
}

void Body::find_stance() {
  const bool person = recognition_.build == Build::kHumanoid;
  const bool bird = recognition_.build == Build::kBird && spread_wings_;
  for (Node& node : nodes_) {
    const Rigid carried = node.parent == kNone ? Rigid() : nodes_[node.parent].stance;
    node.stance_place = carried * node.place;
    Quat turned = carried.rotation;
    const double side = recognition_.roles[node.joint].side == Side::kLeft    ? 1
                        : recognition_.roles[node.joint].side == Side::kRight ? -1
                                                                              : 0;
    const auto bring = [&](const Vec3& direction, double tolerance_deg) {
      const Vec3 bone = turned * (node.child - node.place);
      if (bone.norm() > 1e-9) turned = towards(bone, axes_ * direction, tolerance_deg) * turned;
    };
    const JointRole& role = recognition_.roles[node.joint];
    if (person) {
      const Vec3 down = Vec3(side, -1, 0).normalized();
      if (role.part == BodyPart::kSpine || role.part == BodyPart::kChest) bring(Vec3::UnitY(), 20);
      if (role.part == BodyPart::kNeck) bring(Vec3::UnitY(), 32);
      if (role.part == BodyPart::kShoulder) bring(Vec3(side, 0.1, 0), 25);
      if (role.part == BodyPart::kUpperArm) bring(down, 0);
      if (role.part == BodyPart::kForearm) bring(Vec3(0.7 * side, -1, 0.2), 12);
      if (role.part == BodyPart::kHand && role.number == 1) bring(Vec3(0.7 * side, -1, 0.2), 25);
      if (role.part == BodyPart::kThigh) bring(Vec3(0.05 * side, -1, 0.04), 3);
      if (role.part == BodyPart::kShin) bring(Vec3(0.04 * side, -1, -0.06), 4);
      if (role.part == BodyPart::kFoot) turned = Quat::Identity(), bring(Vec3(0.1 * side, -0.5, 0.87), 28);
    }
    if (bird && role.part == BodyPart::kUpperArm) bring(Vec3(side, 0.1, 0), 5);
    if (bird && (role.part == BodyPart::kForearm || role.part == BodyPart::kHand)) bring(Vec3(side, 0, -0.15), 8);
    node.stance = {turned, node.stance_place - turned * node.place};
  }
}

void Body::find_anchors() {
  const Index count = skeleton_.size();
  anchor_.assign(count, kNone);
  std::vector<Index> own(count, kNone);
  for (Index n = 0; n < nodes_.size(); ++n) own[nodes_[n].joint] = n;
  // Joints above all parts are carried by what carries all parts below them; kNone twice means nothing does.
  constexpr Index kNothing = kNone - 1;
  std::vector<Index> below(count, kNothing);
  const auto common = [&](Index a, Index b) {
    if (a == kNothing) return b;
    if (b == kNothing) return a;
    for (Index x = a; x != kNone; x = nodes_[x].parent)
      for (Index y = b; y != kNone; y = nodes_[y].parent)
        if (x == y) return x;
    return kNone;
  };
  for (Index j = count; j-- > 0;) {
    const Index up = own[j] != kNone ? nodes_[own[j]].parent : below[j];
    const Index parent = skeleton_.joints[j].parent;
    if (parent != kNone) below[parent] = common(below[parent], up);
  }
  std::vector<bool> under(count, false);
  for (Index j = 0; j < count; ++j) {
    const Index parent = skeleton_.joints[j].parent;
    under[j] = own[j] != kNone || (parent != kNone && under[parent]);
    if (own[j] != kNone) anchor_[j] = own[j];
    else if (parent != kNone && under[parent]) anchor_[j] = anchor_[parent];
    else if (below[j] != kNothing) anchor_[j] = below[j];
    else anchor_[j] = parent == kNone ? kNone : anchor_[parent];
  }
}

Vec3 Body::direction(const std::string& role) const {
  const auto found = node_of_.find(role);
  if (found == node_of_.end()) return -Vec3::UnitY();
  const Node& node = nodes_[found->second];
  return (axes_.conjugate() * (node.stance.rotation * (node.child - node.place))).normalized();
}

void Body::follow(Index n, const Gesture& gesture, std::vector<Rigid>& moved) const {
  const Node& node = nodes_[n];
  Rigid carried = node.parent == kNone ? Rigid() : moved[node.parent];
  if (node.parent == kNone) carried.translation += leg_length_ * (axes_ * gesture.shift);
  const auto turn = gesture.turns.find(node.role);
  moved[n] = turn == gesture.turns.end() ? carried : carried * Rigid::about(to_model(turn->second), node.stance_place);
}

// Two-bone inverse kinematics: the first joint swings the leg, the second bends it, those between it and the foot keep
// the turns of the gesture.
void Body::step(const std::string& role, const Gesture& gesture, std::vector<Rigid>& moved) const {
  std::vector<Index> chain;
  for (const bool front : {false, true})
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const std::vector<std::string> roles = limb(front, side);
      if (roles.size() < 3 || roles.back() != role) continue;
      for (const std::string& r : roles) chain.push_back(node_of_.at(r));
    }
  if (chain.empty()) return;
  const Gesture::Step& step = gesture.steps.at(role);
  const Node &top = nodes_[chain[0]], &middle = nodes_[chain[1]], &end = nodes_[chain.back()];
  // Where the foot is with the middle joint held: the turns between them alone.
  Rigid between;
  for (std::size_t i = 2; i + 1 < chain.size(); ++i) {
    const auto turn = gesture.turns.find(nodes_[chain[i]].role);
    if (turn != gesture.turns.end())
      between = between * Rigid::about(to_model(turn->second), nodes_[chain[i]].stance_place);
  }
  const Rigid carried = top.parent == kNone ? Rigid() : moved[top.parent];
  const Vec3 origin = carried * top.stance_place;
  const Vec3 upper = middle.stance_place - top.stance_place, lower = between * end.stance_place - middle.stance_place;
  const double a = upper.norm(), b = lower.norm();
  const Quat flat = to_model(step.turn);
  const Vec3 target = end.stance_place + leg_length_ * (axes_ * step.shift);
  Vec3 reach = target - origin;
  const double distance = std::clamp(reach.norm(), std::abs(a - b) + 1e-6 * (a + b), (a + b) * (1 - 1e-5));
  reach.normalize();
  // It bends to the side to which it is bent in the stance; a straight one as a knee or an elbow does.
  const Vec3 straight = (end.stance_place - top.stance_place).normalized();
  Vec3 hint = upper - upper.dot(straight) * straight;
  const bool front = role.find("hand") != std::string::npos || role.find("forearm") != std::string::npos;
  if (hint.norm() < 0.03 * a) hint = (front ? -1.0 : 1.0) * recognition_.forward;
  hint = carried.rotation * hint;
  hint = (hint - hint.dot(reach) * reach).normalized();
  const double along = (a * a - b * b + distance * distance) / (2 * distance);
  const double aside = std::sqrt(std::max(0.0, a * a - along * along));
  const Vec3 knee = origin + along * reach + aside * hint;
  const Vec3 foot = origin + distance * reach;
  const auto placed = [](const Quat& rotation, const Vec3& from, const Vec3& to) {
    return Rigid{rotation, to - rotation * from};
  };
  const Quat first = rotation_between(carried.rotation * upper, knee - origin) * carried.rotation;
  moved[chain[0]] = placed(first, top.stance_place, origin);
  const Quat second = rotation_between(first * lower, foot - knee) * first;
  moved[chain[1]] = placed(second, middle.stance_place, knee);
  for (std::size_t i = 2; i + 1 < chain.size(); ++i) follow(chain[i], gesture, moved);
  moved[chain.back()] = placed(flat, end.stance_place, foot);
  for (Index n = chain.back() + 1; n < nodes_.size(); ++n)
    if (nodes_[n].parent == chain.back()) follow(n, gesture, moved);
}

double Body::lowest(const std::vector<Rigid>& whole) const {
  double height = std::numeric_limits<double>::infinity();
  for (const Sole& sole : soles_)
    for (const Vec3& point : sole.points)
      height = std::min(height, (whole[sole.node] * point).dot(recognition_.up) - ground_);
  return soles_.empty() ? 0.0 : height;
}

// From rest to where each part is.
std::vector<Rigid> Body::posed(const Gesture& gesture) const {
  std::vector<Rigid> moved(nodes_.size());
  for (Index n = 0; n < nodes_.size(); ++n) follow(n, gesture, moved);
  for (const auto& [role, unused] : gesture.steps) step(role, gesture, moved);
  for (Index n = 0; n < nodes_.size(); ++n) moved[n] = moved[n] * nodes_[n].stance;
  double raise = gesture.lift * leg_length_;
  if (gesture.grounded) raise -= lowest(moved);
  for (Rigid& part : moved) part.translation += raise * recognition_.up;
  return moved;
}

std::vector<Transform> Body::locals(const std::vector<Rigid>& whole) const {
  std::vector<Transform> local;
  for (Index j = 0; j < skeleton_.size(); ++j) {
    const Joint& joint = skeleton_.joints[j];
    local.push_back(joint.rest);
    const Index parent = joint.parent;
    const Index above = parent == kNone ? kNone : anchor_[parent];
    if (anchor_[j] == above || joint.driver) continue;
    const Rigid own = anchor_[j] == kNone ? Rigid() : whole[anchor_[j]];
    const Rigid carried = above == kNone ? Rigid() : whole[above];
    const Mat4 frame = parent == kNone ? Mat4(Mat4::Identity()) : rest_[parent];
    if (std::abs(frame.determinant()) < 1e-30) continue;
    const Rigid relative = carried.inverse() * own;
    const Mat4 back = frame.inverse();
    const Mat3 turn = back.topLeftCorner<3, 3>() * relative.rotation.toRotationMatrix() * frame.topLeftCorner<3, 3>();
    local[j].rotation = (Quat(polar(turn).rotation) * joint.rest.rotation).normalized();
    local[j].translation = transform_point(back, relative * Vec3(rest_[j].topRightCorner<3, 1>()));
  }
  return local;
}

double Body::clearance(const std::vector<Transform>& local) const {
  const std::vector<Mat4> model = model_matrices(skeleton_, local);
  double height = std::numeric_limits<double>::infinity();
  for (const Sole& sole : soles_) {
    const Index joint = nodes_[sole.node].joint;
    const Mat4 moved = model[joint] * rest_[joint].inverse();
    for (const Vec3& point : sole.points)
      height = std::min(height, transform_point(moved, point).dot(recognition_.up) - ground_);
  }
  return soles_.empty() ? 0.0 : height;
}

// Turns back what goes beyond a joint's limits. True if anything did.
bool Body::keep_limits(std::vector<Transform>& local) const {
  bool changed = false;
  for (Index j = 0; j < skeleton_.size(); ++j) {
    const Joint& joint = skeleton_.joints[j];
    if (!joint.limits) continue;
    const Vec3 turn = rotation_log(delta_rotation(joint.rest, local[j]));
    const Vec3 kept = turn.cwiseMax(joint.limits->lower_rad).cwiseMin(joint.limits->upper_rad);
    if (kept == turn) continue;
    local[j].rotation = (joint.rest.rotation * rotation_exp(kept)).normalized();
    changed = true;
  }
  return changed;
}

// Moves the hips until the lowest sole is `height` above the ground.
void Body::settle(std::vector<Transform>& local, double height) const {
  if (nodes_.empty()) return;
  const Index hips = nodes_.front().joint, parent = skeleton_.joints[hips].parent;
  const Vec3 raise = (height - clearance(local)) * recognition_.up;
  const Mat3 frame =
      parent == kNone ? Mat3(Mat3::Identity()) : Mat3(model_matrices(skeleton_, local)[parent].topLeftCorner<3, 3>());
  if (std::abs(frame.determinant()) > 1e-30) local[hips].translation += frame.inverse() * raise;
}

Clip Body::record(const std::string& name, double duration_s, const std::function<Gesture(double)>& at) const {
  const int last = std::max(1, static_cast<int>(std::lround(duration_s * keys_per_second(duration_s))));
  std::vector<Track> turns(skeleton_.joints.size()), shifts(skeleton_.joints.size());
  std::vector<bool> turned(skeleton_.joints.size(), false), shifted(skeleton_.joints.size(), false);
  const double small = 1e-4 * leg_length_;
  for (int frame = 0; frame <= last; ++frame) {
    const double time_s = duration_s * frame / last;
    const Gesture gesture = at(time_s);
    std::vector<Transform> local = locals(posed(gesture));
    if (keep_limits(local) && gesture.grounded) settle(local, gesture.lift * leg_length_);
    for (Index j = 0; j < local.size(); ++j) {
      const Transform& rest = skeleton_.joints[j].rest;
      const double scale = skeleton_.joints[j].parent == kNone
                               ? 1.0
                               : rest_[skeleton_.joints[j].parent].topLeftCorner<3, 3>().colwise().norm().maxCoeff();
      turned[j] = turned[j] || local[j].rotation.angularDistance(rest.rotation) > 1e-5;
      shifted[j] = shifted[j] || scale * (local[j].translation - rest.translation).norm() > small;
      turns[j].times_s.push_back(static_cast<float>(time_s));
      shifts[j].times_s.push_back(static_cast<float>(time_s));
      Eigen::Vector4d q = local[j].rotation.coeffs();
      // Neighbouring keys on the same side, for players that do not look.
      const auto& before = turns[j].values;
      if (before.size() >= 4) {
        double dot = 0;
        for (std::size_t i = 0; i < 4; ++i)
          dot += q[static_cast<Eigen::Index>(i)] * static_cast<double>(before[before.size() - 4 + i]);
        if (dot < 0) q = -q;
      }
      for (const double value : q) turns[j].values.push_back(static_cast<float>(value));
      for (const double value : local[j].translation) shifts[j].values.push_back(static_cast<float>(value));
    }
  }
  Clip clip;
  clip.name = name;
  for (Index j = 0; j < skeleton_.size(); ++j) {
    turns[j].path = Track::Path::kRotation;
    shifts[j].path = Track::Path::kTranslation;
    turns[j].target = shifts[j].target = j;
    if (shifted[j]) clip.tracks.push_back(std::move(shifts[j]));
    if (turned[j]) clip.tracks.push_back(std::move(turns[j]));
  }
  return clip;
}

}  // namespace sinew::motion
