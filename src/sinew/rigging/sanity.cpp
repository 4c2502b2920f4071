// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/sanity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace sinew::rigging {
namespace {

/// Joints in the frame of the body: x to its left, y up from the ground, z forward.
class PlanFrame {
 public:
  PlanFrame(const SkeletonPlan& plan, const Mesh& mesh) : plan_(plan) {
    axes_ << plan.left.transpose(), plan.up.transpose(), plan.forward.transpose();
    low_ = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 high = -low_;
    for (const Vec3& p : mesh.positions) {
      const Vec3 q = axes_ * p;
      low_ = low_.cwiseMin(q), high = high.cwiseMax(q);
    }
    size_ = high - low_;
  }

  double height() const { return size_.y(); }
  double longest() const { return size_.maxCoeff(); }

  Index joint(const std::string& role) const { return plan_.find_role(role); }
  std::optional<Vec3> at(const std::string& role) const {
    const Index j = joint(role);
    if (j == kNone) return {};
    Vec3 p = axes_ * plan_.joints[j].position;
    p.y() -= low_.y();
    return p;
  }

 private:
  const SkeletonPlan& plan_;
  Mat3 axes_;
  Vec3 low_, size_;
};

/// Collects what is measured.
class Checks {
 public:
  explicit Checks(const PlanFrame& frame) : frame_(frame) {}

  void check(const char* what, double value, double least, double most, std::initializer_list<std::string> roles) {
    ++result_.checked;
    if (value >= least && value <= most) return;
    ImplausibleProportion found{what, value, least, most, {}};
    for (const std::string& role : roles)
      if (const Index j = frame_.joint(role); j != kNone) found.joints.push_back(j);
    result_.implausible.push_back(std::move(found));
  }

  SanityResult take() { return std::move(result_); }

 private:
  const PlanFrame& frame_;
  SanityResult result_;
};

/// Joints of one side, in order from the body outwards.
struct Chain {
  std::array<Vec3, 3> at;
  double length() const { return upper() + (at[2] - at[1]).norm(); }
  double upper() const { return (at[1] - at[0]).norm(); }
};

std::optional<Chain> chain(const PlanFrame& frame, const std::string& side, const std::array<const char*, 3>& roles) {
  Chain result;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::optional<Vec3> p = frame.at(side + roles[k]);
    if (!p) return {};
    result.at[k] = *p;
  }
  return result;
}

constexpr std::array<const char*, 3> kArm = {"_upper_arm", "_forearm", "_hand"};
constexpr std::array<const char*, 3> kLeg = {"_thigh", "_shin", "_foot"};

void check_limb_ratios(Checks& checks, const Chain& arm, const Chain& leg, const std::string& side) {
  checks.check("arm length over leg length", arm.length() / leg.length(), 0.48, 1.6, {side + "_hand", side + "_foot"});
  checks.check("thigh length over leg length", leg.upper() / leg.length(), 0.36, 0.69, {side + "_shin"});
  checks.check("upper arm length over arm length", arm.upper() / arm.length(), 0.3, 0.72, {side + "_forearm"});
}

/// Bounds of people, figures and toys, in heights of the body.
SanityResult check_human(const PlanFrame& frame) {
  Checks checks(frame);
  const double h = frame.height();
  std::array<std::optional<Chain>, 2> arms, legs;
  const std::array<std::string, 2> sides = {"left", "right"};
  for (std::size_t s = 0; s < 2; ++s) {
    arms[s] = chain(frame, sides[s], kArm);
    legs[s] = chain(frame, sides[s], kLeg);
    if (!arms[s] || !legs[s]) return checks.take();
  }
  const double thigh = 0.5 * (legs[0]->at[0].y() + legs[1]->at[0].y()) / h;
  const double shoulder = 0.5 * (arms[0]->at[0].y() + arms[1]->at[0].y()) / h;
  const double leg = 0.5 * (legs[0]->length() + legs[1]->length()) / h;
  const double arm = 0.5 * (arms[0]->length() + arms[1]->length()) / h;
  const double apart = (legs[0]->at[0] - legs[1]->at[0]).norm() / h;
  const double shoulders = (arms[0]->at[0] - arms[1]->at[0]).norm() / h;
  checks.check("thigh height", thigh, 0.2, 0.66, {"left_thigh", "right_thigh"});
  checks.check("shoulder height", shoulder, 0.44, 0.85, {"left_upper_arm", "right_upper_arm"});
  checks.check("shoulder above thigh", shoulder - thigh, 0.165, 0.49, {"left_thigh", "right_thigh"});
  checks.check("leg length", leg, 0.14, 0.63, {"left_foot", "right_foot"});
  checks.check("arm length", arm, 0.19, 0.46, {"left_hand", "right_hand"});
  checks.check("distance between thighs", apart, 0.06, 0.29, {"left_thigh", "right_thigh"});
  checks.check("distance between shoulders", shoulders, 0.1, 0.5, {"left_upper_arm", "right_upper_arm"});
  checks.check("shoulders over thighs", shoulders / std::max(apart, 1e-9), 0.9, 4, {"left_thigh", "right_thigh"});
  for (std::size_t s = 0; s < 2; ++s) {
    check_limb_ratios(checks, *arms[s], *legs[s], sides[s]);
    checks.check("ankle height", legs[s]->at[2].y() / h, -0.02, 0.14, {sides[s] + "_foot"});
    if (const std::optional<Vec3> toes = frame.at(sides[s] + "_toes"))
      checks.check("foot length", (*toes - legs[s]->at[2]).norm() / h, 0, 0.2, {sides[s] + "_toes"});
    const double side = s == 0 ? 1 : -1;
    checks.check("side of the leg", side * (legs[s]->at[0].x() - legs[1 - s]->at[0].x()) / h, 0.02, 1,
                 {sides[s] + "_thigh"});
    checks.check("side of the arm", side * (arms[s]->at[0].x() - arms[1 - s]->at[0].x()) / h, 0.05, 1,
                 {sides[s] + "_upper_arm"});
  }
  checks.check("left over right leg", std::log(legs[0]->length() / legs[1]->length()), -0.3, 0.3, {"left_shin"});
  checks.check("left over right arm", std::log(arms[0]->length() / arms[1]->length()), -0.3, 0.3, {"left_forearm"});
  const std::optional<Vec3> neck = frame.at("neck"), head = frame.at("head"), hips = frame.at("hips");
  if (neck && head) {
    checks.check("neck height", neck->y() / h, 0.56, 0.88, {"neck"});
    checks.check("head height", head->y() / h, 0.49, 0.92, {"head"});
    checks.check("head above neck", (head->y() - neck->y()) / h, 0, 0.12, {"head"});
    checks.check("neck above shoulders", neck->y() / h - shoulder, -0.05, 0.185, {"neck"});
    const double middle = 0.5 * (arms[0]->at[0].x() + arms[1]->at[0].x());
    checks.check("neck off the middle", std::abs(neck->x() - middle) / h, 0, 0.04, {"neck"});
    checks.check("head off the middle", std::abs(head->x() - middle) / h, 0, 0.05, {"head"});
  }
  if (hips) checks.check("hips above thighs", hips->y() / h - thigh, -0.07, 0.12, {"hips"});
  return checks.take();
}

/// Bounds of animals on four legs: heights in heights of the back, lengths in trunks (hip joints to shoulder joints).
SanityResult check_quadruped(const PlanFrame& frame) {
  Checks checks(frame);
  const auto middle = [&](const std::string& role) -> std::optional<Vec3> {
    const std::optional<Vec3> left = frame.at("left_" + role), right = frame.at("right_" + role);
    if (!left || !right) return {};
    return Vec3(0.5 * (*left + *right));
  };
  const std::optional<Vec3> shoulder = middle("upper_arm"), hip = middle("thigh");
  const std::optional<Vec3> hips = frame.at("hips"), neck = frame.at("neck"), head = frame.at("head");
  if (!shoulder || !hip || !hips || !neck || !head) return checks.take();
  const double trunk = shoulder->z() - hip->z();
  // Hips joints are about 0.8 of the back's height in artists' skeletons.
  const double back = std::max(hips->y(), shoulder->y()) / 0.8;
  checks.check("trunk length over back height", trunk / back, 0.45, 1.0, {"left_thigh", "left_upper_arm"});
  checks.check("trunk length over body length", trunk / frame.longest(), 0.13, 0.6, {"left_thigh", "left_upper_arm"});
  checks.check("shoulder height", shoulder->y() / back, 0.45, 0.85, {"left_upper_arm", "right_upper_arm"});
  checks.check("hip height", hip->y() / back, 0.45, 0.95, {"left_thigh", "right_thigh"});
  if (!(trunk > 0)) return checks.take();
  checks.check("neck ahead of the hips", (neck->z() - hip->z()) / trunk, 0.75, 1.5, {"neck"});
  checks.check("head ahead of the hips", (head->z() - hip->z()) / trunk, 0.95, 3.1, {"head"});
  for (const std::string side : {"left", "right"}) {
    const std::optional<Vec3> elbow = frame.at(side + "_forearm"), stifle = frame.at(side + "_shin");
    const std::optional<Vec3> hock = frame.at(side + "_foot"), wrist = frame.at(side + "_hand");
    if (!elbow || !stifle || !hock || !wrist) continue;
    checks.check("elbow along the trunk", (elbow->z() - hip->z()) / trunk, 0.65, 1.2, {side + "_forearm"});
    checks.check("wrist along the trunk", (wrist->z() - hip->z()) / trunk, 0.65, 1.25, {side + "_hand"});
    checks.check("stifle along the trunk", (stifle->z() - hip->z()) / trunk, -0.32, 0.3, {side + "_shin"});
    checks.check("hock along the trunk", (hock->z() - hip->z()) / trunk, -0.5, 0.2, {side + "_foot"});
    checks.check("order of the hind leg", hock->y() - stifle->y(), -std::numeric_limits<double>::infinity(), 0,
                 {side + "_foot"});
  }
  return checks.take();
}

}  // namespace

SanityResult check_proportions(const SkeletonPlan& plan, const Mesh& mesh) {
  const PlanFrame frame(plan, mesh);
  if (!(frame.height() > 0)) return {};
  if (plan.template_name == "human") return check_human(frame);
  if (plan.template_name == "quadruped") return check_quadruped(frame);
  return {};
}

double most_confidence(const SanityResult& sanity) {
  // Of results with at most one broken bound 23 of 23 were right, of those with more 2 of 7.
  constexpr std::array<double, 5> kMost = {1.0, 0.95, 0.6, 0.4, 0.25};
  const std::size_t broken = sanity.implausible.size();
  return broken < kMost.size() ? kMost[broken] : 0.15;
}

}  // namespace sinew::rigging
