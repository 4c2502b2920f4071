// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/upright.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "sinew/geometry/spatial/distance_field.h"

namespace sinew::rigging {

UprightSlices::UprightSlices(const Interior& interior, const Mat3& turn, double middle_x)
    : cell_(interior.voxels.cell), middle_(middle_x) {
  low_ = std::numeric_limits<double>::infinity();
  double high = -low_, reach = 0;
  for (const Index v : interior.voxels.solid) {
    const Vec3 p = turn * interior.voxels.center(v);
    low_ = std::min(low_, p.y()), high = std::max(high, p.y());
    reach = std::max(reach, std::abs(p.x() - middle_));
  }
  low_ -= 0.5 * cell_;
  levels_ = static_cast<std::size_t>(std::lround((high + 0.5 * cell_ - low_) / cell_));
  half_ = std::lround(reach / cell_) + 1;
  const auto width = static_cast<std::size_t>(2 * half_ + 1);
  depth_.assign(levels_ * width, 0);
  center_.assign(levels_ * width, 0);
  for (const Index v : interior.voxels.solid) {
    const Vec3 p = turn * interior.voxels.center(v);
    const auto column = static_cast<std::size_t>(std::lround((p.x() - middle_) / cell_) + half_);
    const std::size_t at = level(p.y()) * width + column;
    depth_[at] += static_cast<float>(cell_);
    center_[at] += static_cast<float>(p.z());
  }
  for (std::size_t i = 0; i < depth_.size(); ++i)
    if (depth_[i] > 0) center_[i] /= depth_[i] / static_cast<float>(cell_);
}

std::size_t UprightSlices::level(double y) const {
  const double at = std::floor((y - low_) / cell_);
  return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(levels_ - 1)));
}

double UprightSlices::columns(std::size_t level, long x) const {
  return std::labs(x) > half_
             ? 0
             : depth_[level * static_cast<std::size_t>(2 * half_ + 1) + static_cast<std::size_t>(x + half_)];
}

double UprightSlices::fill(double y, double half_width, double reach) const {
  const std::size_t at = level(y);
  const long inner = std::lround(half_width / cell_), outer = std::lround(reach / cell_);
  double middle = std::numeric_limits<double>::infinity(), most = 0;
  for (long x = -outer; x <= outer; ++x) {
    if (std::labs(x) <= inner) middle = std::min(middle, columns(at, x));
    most = std::max(most, columns(at, x));
  }
  return most > 0 ? middle / most : 0;
}

double UprightSlices::half_width(double y, double reach) const {
  const std::size_t at = level(y);
  const long outer = std::lround(reach / cell_);
  long left = 0, right = 0;
  while (left < outer && columns(at, left + 1) > 0) ++left;
  while (right < outer && columns(at, -right - 1) > 0) ++right;
  return 0.5 * cell_ * static_cast<double>(left + right + (columns(at, 0) > 0 ? 1 : 0));
}

double UprightSlices::area(double y, double reach) const {
  const std::size_t at = level(y);
  const long outer = std::lround(reach / cell_);
  double sum = columns(at, 0);
  for (long x = 1; x <= outer && columns(at, x) > 0; ++x) sum += columns(at, x);
  for (long x = -1; x >= -outer && columns(at, x) > 0; --x) sum += columns(at, x);
  return sum * cell_;
}

Vec3 UprightSlices::side_center(double y, int side, double from, double to) const {
  const std::size_t at = level(y);
  const auto width = static_cast<std::size_t>(2 * half_ + 1);
  double sum = 0, sum_x = 0, sum_z = 0;
  for (long x = std::lround(from / cell_); x <= std::lround(to / cell_); ++x) {
    const long column = side * x;
    const double depth = columns(at, column);
    if (!(depth > 0)) continue;
    sum += depth;
    sum_x += depth * static_cast<double>(column) * cell_;
    sum_z += depth * center_[at * width + static_cast<std::size_t>(column + half_)];
  }
  if (!(sum > 0)) return {middle_ + side * 0.5 * (from + to), y, 0};
  return {middle_ + sum_x / sum, y, sum_z / sum};
}

namespace {

/// Joints of a body with two arms, two legs and a head, in the turned frame.
class UprightReader {
 public:
  UprightReader(const Interior& interior, const Template& t, const Mat3& turn, bool searched, Anatomy& anatomy)
      : interior_(interior), t_(t), turn_(turn), searched_(searched), anatomy_(anatomy) {}

  void correct() {
    for (const Template::Limb& limb : t_.limbs) {
      if (limb.kind == "arm" && limb.joints.size() >= 2) arms_.push_back(&limb);
      if (limb.kind == "leg" && limb.joints.size() == 3) legs_.push_back(&limb);
      if (limb.kind == "head" && limb.joints.size() == 2) head_ = &limb;
    }
    if (arms_.size() != 2 || legs_.size() != 2 || !head_ || !placed()) return;
    const double arms = 0.5 * (at(arms_[0]->joints[0]).x() + at(arms_[1]->joints[0]).x());
    const double legs = 0.5 * (at(legs_[0]->joints[2]).x() + at(legs_[1]->joints[2]).x());
    // Feet that were taken for one do not tell where the middle is.
    const double middle = std::abs(arms - legs) < 0.03 ? 0.5 * (arms + legs) : arms;
    slices_.emplace(interior_, turn_, middle);
    shoulders_ = 0.5 * (at(arms_[0]->joints[0]).y() + at(arms_[1]->joints[0]).y()) - slices_->low();
    if (searched_ && !stands()) return;
    correct_legs();
    correct_head();
    for (const Template::Limb* leg : legs_) part_toes(*leg, middle);
    for (const Template::Limb* arm : arms_) correct_clavicle(*arm);
  }

 private:
  Vec3 at(Index joint) const { return turn_ * anatomy_.places[joint]; }
  void put(Index joint, const Vec3& place, const char* origin) {
    anatomy_.places[joint] = turn_.transpose() * place;
    anatomy_.origins[joint] = origin;
  }

  bool placed() const {
    for (const std::vector<const Template::Limb*>& limbs : {arms_, legs_, {head_}})
      for (const Template::Limb* limb : limbs)
        for (const Index j : limb->joints)
          if (anatomy_.origins[j].empty()) return false;
    return true;
  }

  /// Feet on the ground, below the shoulders, both legs nearly straight.
  bool stands() const {
    const double height = slices_->height();
    for (const Template::Limb* leg : legs_) {
      const Vec3 thigh = at(leg->joints[0]), knee = at(leg->joints[1]), ankle = at(leg->joints[2]);
      if (ankle.y() - slices_->low() > 0.2 * height) return false;
      if (knee.y() < ankle.y() || thigh.y() < knee.y()) return false;
      const double slant = std::hypot(thigh.x() - ankle.x(), thigh.z() - ankle.z());
      if (slant > 0.6 * (thigh.y() - ankle.y())) return false;
    }
    return shoulders_ > 0.3 * height;
  }

  /// The lowest height from which on slices are as deep in the middle as beside it.
  double waisted_up_to(double from, double to) const {
    const double height = slices_->height();
    constexpr double kFull = 0.8;
    const auto fill = [&](double y) { return slices_->fill(slices_->low() + y, 0.008 * height, 0.14 * height); };
    // A trunk may be waisted too: what counts is its own shape.
    std::vector<double> trunk;
    for (double y = to; y < 0.92 * shoulders_; y += slices_->cell()) trunk.push_back(fill(y));
    std::sort(trunk.begin(), trunk.end());
    const double full = kFull * (trunk.empty() ? 1 : std::clamp(trunk[trunk.size() / 2], 0.5, 1.0));
    double last = from;
    for (double y = from; y < to; y += slices_->cell())
      if (fill(y) < full) last = y + slices_->cell();
    return last;
  }

  void correct_legs() {
    const double height = slices_->height();
    // Bounds, as shares of the shoulders' height, of what people, figures and toys have.
    constexpr double kLeast = 0.35, kMost = 0.72;
    const double crotch = waisted_up_to(0.1 * height, kMost * shoulders_);
    const bool seen = crotch >= kLeast * shoulders_ && crotch <= (kMost - 0.02) * shoulders_;
    if (!seen && searched_) return;
    // Of twelve sources the joint is 0.01 to 0.08 of the height above the crotch.
    const double wanted = std::min(1.08 * std::max(crotch, 0.25 * shoulders_), 0.68 * shoulders_);
    const Vec3 before = between_thighs();
    for (const Template::Limb* leg : legs_) {
      correct_ankle(*leg);
      move_leg(*leg, slices_->low() + wanted);
    }
    move_trunk(before);
  }

  Vec3 between_thighs() const { return 0.5 * (at(legs_[0]->joints[0]) + at(legs_[1]->joints[0])); }

  /// Joints of the trunk follow the thighs, those near the shoulders least.
  void move_trunk(const Vec3& before) {
    const Vec3 now = between_thighs();
    const double top = shoulders_ + slices_->low();
    for (Index j = 0; j < t_.joints.size(); ++j) {
      if (anatomy_.origins[j] != "derived" || t_.joints[j].partner != kNone || !(top > before.y())) continue;
      const Vec3 p = at(j);
      const double share = std::clamp((top - p.y()) / (top - before.y()), 0.0, 1.0);
      put(j, p + share * (now - before), "derived");
    }
  }

  /// An ankle that is too low, too high or far from the leg above it goes to where most have it.
  void correct_ankle(const Template::Limb& leg) {
    constexpr double kLowest = 0.035, kHighest = 0.1, kUsual = 0.055, kShin = 0.1, kFar = 0.035, kReach = 0.14;
    const double height = slices_->height();
    const int side = side_of(leg);
    const Vec3 ankle = at(leg.joints[2]);
    const Vec3 shin = slices_->side_center(slices_->low() + kShin * height, side, 0, kReach * height);
    const double y = (ankle.y() - slices_->low()) / height;
    const double off = std::hypot(ankle.x() - shin.x(), ankle.z() - shin.z()) / height;
    if (searched_ && y > kLowest && y < kHighest && off < kFar) return;
    const Vec3 here = slices_->side_center(slices_->low() + kUsual * height, side, 0, kReach * height);
    put(leg.joints[2], {0.5 * (here.x() + shin.x()), here.y(), 0.7 * shin.z() + 0.3 * here.z()}, "section");
    put_toes(leg);
  }

  int side_of(const Template::Limb& leg) const { return t_.joints[leg.joints[0]].position.x() > 0 ? 1 : -1; }

  /// The foremost point of a foot below its ankle, within the length of a foot.
  Vec3 foot_tip(const Vec3& ankle, int side) const {
    constexpr double kLength = 0.12, kSole = 0.02;
    const double height = slices_->height();
    Vec3 tip = slices_->side_center(slices_->low() + kSole * height, side, 0, 0.14 * height);
    const Vec3 start(tip.x(), tip.y(), ankle.z());
    for (double z = kLength; z > 0; z -= 0.25 * slices_->cell() / height) {
      tip = start + Vec3(0, 0, z * height);
      if (geometry::sample(interior_.depth, turn_.transpose() * tip) < 0) break;
    }
    return tip;
  }

  /// Toes, two thirds of the way from the ankle to the tip of the foot. A leg that is not connected with its foot may
  /// have been read up to a hand.
  void put_toes(const Template::Limb& leg) {
    constexpr double kLongest = 0.2;
    for (FoundLimb& found : anatomy_.limbs) {
      if (&t_.limbs[found.limb] != &leg || found.profile.empty()) continue;
      const Vec3 ankle = at(leg.joints[2]);
      Vec3 tip = turn_ * found.profile.slices.front().center;
      if ((tip - ankle).norm() > kLongest * slices_->height()) {
        tip = foot_tip(ankle, side_of(leg));
        found.profile.slices.front().center = turn_.transpose() * tip;
      }
      for (Index j = leg.joints[2] + 1; j < t_.joints.size(); ++j)
        if (t_.joints[j].parent == leg.joints[2] && !anatomy_.origins[j].empty())
          put(j, ankle + 0.65 * (tip - ankle), "fraction");
    }
  }

  /// The tip of a foot that touches the other one is in front of its own ankle.
  void part_toes(const Template::Limb& leg, double middle) {
    for (FoundLimb& found : anatomy_.limbs) {
      if (&t_.limbs[found.limb] != &leg || found.profile.empty()) continue;
      const Vec3 ankle = at(leg.joints[2]);
      Vec3 tip = turn_ * found.profile.slices.front().center;
      const int side = side_of(leg);
      if (side * (tip.x() - middle) >= 0.4 * side * (ankle.x() - middle)) continue;
      tip.x() = ankle.x();
      found.profile.slices.front().center = turn_.transpose() * tip;
    }
  }

  /// A collarbone begins near the height of its shoulder. Where head and trunk are one, proportions may put it into the
  /// face.
  void correct_clavicle(const Template::Limb& arm) {
    constexpr double kAbove = 0.04, kBelow = 0.1, kShare = 0.2;
    const Index clavicle = t_.joints[arm.joints[0]].parent;
    if (clavicle == kNone || t_.joints[clavicle].partner == kNone || anatomy_.origins[clavicle].empty()) return;
    const double height = slices_->height();
    const Vec3 shoulder = at(arm.joints[0]), now = at(clavicle);
    const double above = (now.y() - shoulder.y()) / height;
    if (above < kAbove && above > -kBelow) return;
    const Vec3 middle = 0.5 * (at(arms_[0]->joints[0]) + at(arms_[1]->joints[0]));
    put(clavicle, middle + kShare * (shoulder - middle), "derived");
  }

  void move_leg(const Template::Limb& leg, double y) {
    const double height = slices_->height();
    const Vec3 ankle = at(leg.joints[2]);
    const int side = side_of(leg);
    const double reach = 0.14 * height;
    const Vec3 below = slices_->side_center(y - 0.08 * height, side, 0, reach);
    const Vec3 here = slices_->side_center(y, side, 0, reach);
    put(leg.joints[0], {below.x(), y, 0.5 * (below.z() + here.z())}, "section");
    const double share = t_.joints[leg.joints[1]].fraction;
    const double knee_y = y + share * (ankle.y() - y);
    const Vec3 knee = slices_->side_center(knee_y, side, 0, reach);
    put(leg.joints[1], {knee.x(), knee_y, knee.z()}, "fraction");
  }

  /// The narrowest slice above the shoulders, not counting arms.
  double narrowest() const {
    const double height = slices_->height();
    const double arms = 0.4 * std::abs(at(arms_[0]->joints[0]).x() - at(arms_[1]->joints[0]).x());
    double best = shoulders_, best_area = std::numeric_limits<double>::infinity();
    for (double y = shoulders_; y < std::min(shoulders_ + 0.1 * height, 0.95 * height); y += slices_->cell()) {
      const double area = slices_->area(slices_->low() + y, std::max(arms, 0.03 * height));
      if (area > 0 && area < 0.999 * best_area) best_area = area, best = y;
    }
    return best;
  }

  void correct_head() {
    const double height = slices_->height();
    const Vec3 neck = at(head_->joints[0]), head = at(head_->joints[1]);
    const double above = neck.y() - slices_->low() - shoulders_, between = head.y() - neck.y();
    constexpr double kLowest = -0.04, kHighest = 0.12, kLongest = 0.08;
    if (above > kLowest * height && above < kHighest * height && between < kLongest * height) return;
    const double y = narrowest();
    const double reach = 0.3 * std::abs(at(arms_[0]->joints[0]).x() - at(arms_[1]->joints[0]).x());
    const auto middle_at = [&](double h) {
      const Vec3 left = slices_->side_center(slices_->low() + h, 1, 0, reach);
      const Vec3 right = slices_->side_center(slices_->low() + h, -1, 0, reach);
      return Vec3(0.5 * (left.x() + right.x()), slices_->low() + h, 0.5 * (left.z() + right.z()));
    };
    const double head_length = height - y;
    put(head_->joints[0], middle_at(y - std::min(0.015 * height, 0.1 * head_length)), "section");
    put(head_->joints[1], middle_at(y + std::min(0.025 * height, 0.17 * head_length)), "section");
  }

  const Interior& interior_;
  const Template& t_;
  const Mat3& turn_;
  bool searched_;
  Anatomy& anatomy_;
  std::vector<const Template::Limb*> arms_, legs_;
  const Template::Limb* head_ = nullptr;
  std::optional<UprightSlices> slices_;
  double shoulders_ = 0;  // Height above the ground.
};

}  // namespace

void correct_upright(const Interior& interior, const Template& skeleton_template, const Mat3& turn, bool searched,
                     Anatomy& anatomy) {
  UprightReader(interior, skeleton_template, turn, searched, anatomy).correct();
}

}  // namespace sinew::rigging
