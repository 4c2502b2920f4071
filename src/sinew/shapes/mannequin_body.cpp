// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/mannequin_body.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace sinew::shapes {
namespace {

constexpr double kBlend = 0.014;      ///< Of the limbs with the trunk and with one another.
constexpr double kHandBlend = 0.007;  ///< Inside a hand, where all is smaller.
constexpr double kHeadBlend = 0.012;
constexpr int kStepsPerKey = 4;
/// Farther off than this a limb adds less than a micrometre to the blend, and a rough distance will do.
constexpr double kFar = 0.15;

/// −k·log Σ exp(−d/k), taken relative to the smallest distance so that nothing overflows.
double blend(std::initializer_list<double> distances, double k) {
  const double least = std::min(distances);
  double sum = 0;
  for (const double d : distances) sum += std::exp((least - d) / k);
  return least - k * std::log(sum);
}

/// A spline through b and c that takes its slopes from a and d (Catmull and Rom).
template <class T>
T spline(const T& a, const T& b, const T& c, const T& d, double t) {
  const T m = 0.5 * (c - a);
  const T n = 0.5 * (d - b);
  const double t2 = t * t;
  const double t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * b + (t3 - 2 * t2 + t) * m + (3 * t2 - 2 * t3) * c + (t3 - t2) * n;
}

/// Calls `make(before, from, to, after, t)` along a row of keys, ends included.
template <class Key, class Make>
void along(const std::vector<Key>& keys, Make&& make) {
  const std::size_t last = keys.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    for (int s = 0; s < kStepsPerKey; ++s) {
      make(keys[i == 0 ? 0 : i - 1], keys[i], keys[i + 1], keys[std::min(last, i + 2)], double(s) / kStepsPerKey);
    }
  }
  make(keys[last], keys[last], keys[last], keys[last], 0.0);
}

double distance_to_box(const Box& box, const Vec3& p) { return (p - p.cwiseMax(box.lower).cwiseMin(box.upper)).norm(); }

Vec3 mix(const Vec3& a, const Vec3& b, double t) { return (1 - t) * a + t * b; }

}  // namespace

std::vector<BodyField::Ball> BodyField::sweep(const std::vector<Ball>& keys) {
  std::vector<Ball> out;
  along(keys, [&](const Ball& a, const Ball& b, const Ball& c, const Ball& d, double t) {
    out.push_back(
        {spline<Vec3>(a.center, b.center, c.center, d.center, t), spline(a.radius, b.radius, c.radius, d.radius, t)});
  });
  return out;
}

std::vector<BodyField::Slice> BodyField::sweep(const std::vector<Slice>& keys) {
  std::vector<Slice> out;
  along(keys, [&](const Slice& a, const Slice& b, const Slice& c, const Slice& d, double t) {
    out.push_back({b.y + t * (c.y - b.y), spline(a.half_width, b.half_width, c.half_width, d.half_width, t),
                   spline(a.half_depth, b.half_depth, c.half_depth, d.half_depth, t), spline(a.z, b.z, c.z, d.z, t)});
  });
  return out;
}

BodyField::Ellipsoid BodyField::ellipsoid(const Vec3& center, const Vec3& radii, const Mat3& axes) {
  return {center, axes, radii};
}

BodyField::BodyField() {
  trunk_ = sweep(std::vector<Slice>{{0.880, 0.090, 0.070, -0.012},
                                    {0.925, 0.140, 0.090, -0.014},
                                    {0.985, 0.147, 0.095, -0.010},
                                    {1.045, 0.135, 0.089, 0.000},
                                    {1.105, 0.127, 0.084, 0.006},
                                    {1.170, 0.132, 0.090, 0.008},
                                    {1.245, 0.146, 0.102, 0.006},
                                    {1.315, 0.154, 0.106, 0.000},
                                    {1.375, 0.142, 0.095, -0.008},
                                    {1.420, 0.108, 0.072, -0.016},
                                    {1.455, 0.064, 0.050, -0.020}});
  muscles_ = {
      ellipsoid({0.070, 1.325, 0.050}, {0.080, 0.062, 0.042}),   // chest
      ellipsoid({0.112, 1.290, -0.045}, {0.046, 0.085, 0.040}),  // back, below the armpit
      ellipsoid({0.074, 0.925, -0.062}, {0.070, 0.072, 0.052}),  // seat
  };
  build_head();
  build_arm();
  build_leg();
}

Box BodyField::around(const std::vector<Ball>& chain) {
  Box box;
  for (const Ball& ball : chain) {
    box.extend(ball.center - Vec3::Constant(ball.radius));
    box.extend(ball.center + Vec3::Constant(ball.radius));
  }
  return box;
}

void BodyField::build_head() {
  neck_ = sweep(std::vector<Ball>{{{0, 1.425, -0.026}, 0.056},
                                  {{0, 1.475, -0.020}, 0.050},
                                  {{0, 1.530, -0.010}, 0.049},
                                  {{0, 1.580, -0.002}, 0.050}});
  head_ = {
      ellipsoid({0, 1.646, -0.012}, {0.077, 0.096, 0.092}),  // skull
      ellipsoid({0, 1.580, 0.028}, {0.053, 0.056, 0.054}),   // jaw
      ellipsoid({0, 1.638, 0.038}, {0.060, 0.072, 0.044}),   // face
      ellipsoid({0, 1.614, 0.089}, {0.012, 0.022, 0.014}),   // nose
  };
}

void BodyField::build_arm() {
  using namespace landmark;
  const auto at = [](double t) { return t <= 1 ? mix(kUpperArm, kForearm, t) : mix(kForearm, kHand, t - 1); };
  const Vec3 front(0, 0, 0.004);
  arm_ = sweep(std::vector<Ball>{{at(0.00), 0.045},
                                 {at(0.17), 0.0535},
                                 {at(0.35), 0.0475},
                                 {at(0.55) + front, 0.0455},
                                 {at(0.80), 0.0385},
                                 {at(1.0), 0.0365},
                                 {at(1.18), 0.0405},
                                 {at(1.40), 0.0375},
                                 {at(1.70), 0.0285},
                                 {at(1.92), 0.0245},
                                 {at(2.05), 0.0250}});
  trapezius_ = sweep(std::vector<Ball>{{{0.010, 1.484, -0.028}, 0.042},
                                       {{0.055, 1.453, -0.026}, 0.046},
                                       {{0.110, 1.425, -0.020}, 0.049},
                                       {{0.160, 1.404, -0.016}, 0.049}});
  // The hand's own axes: along it, across it (the thumb's side), and out of its back.
  const Vec3 along_hand = (kHandEnd - kHand).normalized();
  const Vec3 across = (Vec3::UnitZ() - along_hand.z() * along_hand).normalized();
  const Vec3 back = along_hand.cross(across).normalized();
  Mat3 axes;
  axes << along_hand.transpose(), across.transpose(), back.transpose();
  const auto hand_at = [&](double length, double side, double out) {
    return Vec3(kHand + length * along_hand + side * across + out * back);
  };
  hand_ = {
      ellipsoid(hand_at(0.052, 0.004, 0.000), {0.056, 0.041, 0.0215}, axes),
      ellipsoid(hand_at(0.110, 0.000, 0.005), {0.056, 0.036, 0.0175}, axes),
      ellipsoid(hand_at(0.150, -0.003, 0.011), {0.030, 0.027, 0.0150}, axes),
  };
  thumb_ = sweep(std::vector<Ball>{{hand_at(0.022, 0.022, 0.004), 0.0185},
                                   {hand_at(0.052, 0.046, 0.007), 0.0172},
                                   {hand_at(0.086, 0.059, 0.010), 0.0160}});
  arm_box_ = around(arm_);
  for (const Box& box : {around(trapezius_), around(thumb_), around({{hand_at(0.150, -0.003, 0.011), 0.035}})}) {
    arm_box_.extend(box.lower);
    arm_box_.extend(box.upper);
  }
}

void BodyField::build_leg() {
  using namespace landmark;
  const auto at = [](double t, double x, double z) {
    return Vec3((t <= 1 ? mix(kThigh, kShin, t) : mix(kShin, kFoot, t - 1)) + Vec3(x, 0, z));
  };
  leg_ = sweep(std::vector<Ball>{{at(-0.02, 0.000, 0.000), 0.078},
                                 {at(0.15, 0.004, 0.000), 0.0815},
                                 {at(0.40, 0.003, 0.004), 0.0735},
                                 {at(0.70, 0.000, 0.004), 0.0600},
                                 {at(0.92, 0.000, 0.003), 0.0530},
                                 {at(1.02, 0.000, 0.001), 0.0510},
                                 {at(1.15, 0.000, -0.008), 0.0520},
                                 {at(1.32, 0.002, -0.015), 0.0535},
                                 {at(1.52, 0.001, -0.010), 0.0460},
                                 {at(1.75, 0.000, -0.004), 0.0355},
                                 {at(1.95, 0.000, 0.000), 0.0340}});
  foot_ = sweep(std::vector<Ball>{{{0.113, 0.026, -0.058}, 0.0335},
                                  {{0.114, 0.042, -0.020}, 0.0370},
                                  {{0.118, 0.040, 0.035}, 0.0375},
                                  {{0.123, 0.024, 0.090}, 0.0385},
                                  {{0.127, 0.014, 0.135}, 0.0330},
                                  {{0.127, 0.010, 0.158}, 0.0250}});
  leg_box_ = around(leg_);
  leg_box_.extend(around(foot_).lower);
  leg_box_.extend(around(foot_).upper);
}

double BodyField::distance(const std::vector<Ball>& chain, const Vec3& p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    const Vec3 bone = chain[i + 1].center - chain[i].center;
    const double t = std::clamp((p - chain[i].center).dot(bone) / bone.squaredNorm(), 0.0, 1.0);
    const double radius = (1 - t) * chain[i].radius + t * chain[i + 1].radius;
    least = std::min(least, (p - chain[i].center - t * bone).norm() - radius);
  }
  return least;
}

/// To first order in the distance: k(k − 1)/|∇k| with k = 1 on the surface.
double BodyField::distance(const Ellipsoid& shape, const Vec3& p) {
  const Vec3 scaled = (shape.axes * (p - shape.center)).cwiseQuotient(shape.radii);
  const double k = scaled.norm();
  const double slope = scaled.cwiseQuotient(shape.radii).norm();
  return slope > 0 ? k * (k - 1) / slope : -shape.radii.minCoeff();
}

double BodyField::trunk(const Vec3& p) const {
  constexpr double kCap = 0.03;
  const double y = std::clamp(p.y(), trunk_.front().y, trunk_.back().y);
  std::size_t i = 0;
  while (i + 2 < trunk_.size() && trunk_[i + 1].y <= y) ++i;
  const Slice& a = trunk_[i];
  const Slice& b = trunk_[i + 1];
  const double t = (y - a.y) / (b.y - a.y);
  const Vec3 radii((1 - t) * a.half_width + t * b.half_width, kCap, (1 - t) * a.half_depth + t * b.half_depth);
  return distance(ellipsoid({0, y, (1 - t) * a.z + t * b.z}, radii), p);
}

double BodyField::torso(const Vec3& p) const {
  const Vec3 other(-p.x(), p.y(), p.z());
  double head = distance(neck_, p);
  for (const Ellipsoid& shape : head_) head = blend({head, distance(shape, p)}, kHeadBlend);
  double body = trunk(p);
  for (const Ellipsoid& shape : muscles_) body = blend({body, distance(shape, p), distance(shape, other)}, kHeadBlend);
  return blend({head, body}, kBlend);
}

double BodyField::arm(const Vec3& p) const {
  if (const double far = distance_to_box(arm_box_, p); far > kFar) return far;
  double hand = distance(thumb_, p);
  for (const Ellipsoid& shape : hand_) hand = blend({hand, distance(shape, p)}, kHandBlend);
  return blend({blend({distance(arm_, p), distance(trapezius_, p)}, kHeadBlend), hand}, kHandBlend);
}

double BodyField::leg(const Vec3& p) const {
  if (const double far = distance_to_box(leg_box_, p); far > kFar) return far;
  const double foot = distance(foot_, p);
  // The sole is flat: the foot is cut, softly, by the ground.
  const double sole = -blend({-foot, p.y()}, 0.005);
  return blend({distance(leg_, p), sole}, kBlend);
}

double BodyField::operator()(const Vec3& p) const {
  const Vec3 left(std::abs(p.x()), p.y(), p.z());
  const Vec3 right(-left.x(), p.y(), p.z());
  return blend({torso(left), arm(left), arm(right), leg(left), leg(right)}, kBlend);
}

std::array<double, kLimbCount> BodyField::shares(const Vec3& p, double softness) const {
  const Vec3 other(-p.x(), p.y(), p.z());
  const Vec3 left(std::abs(p.x()), p.y(), p.z());
  const std::array<double, 4> distances = {torso(left), arm(p), arm(other), leg(left)};
  const double least = *std::min_element(distances.begin(), distances.end());
  std::array<double, 4> near{};
  for (std::size_t i = 0; i < near.size(); ++i) near[i] = std::exp((least - distances[i]) / softness);
  // Added up in an order that does not change when left and right do.
  const double sum = near[0] + (near[1] + near[2]) + near[3];
  // The legs lie close together and yet have nothing to do with each other below the crotch.
  constexpr double kBetweenLegs = 0.025;
  const double t = std::clamp((p.x() / kBetweenLegs + 1) / 2, 0.0, 1.0);
  const double on_left = t * t * (3 - 2 * t);
  return {near[0] / sum, near[1] / sum, near[2] / sum, on_left * near[3] / sum, (1 - on_left) * near[3] / sum};
}

Box BodyField::bounds() const {
  Box box;
  box.extend({-0.75, -0.05, -0.20});
  box.extend({0.75, 1.80, 0.22});
  return box;
}

}  // namespace sinew::shapes
