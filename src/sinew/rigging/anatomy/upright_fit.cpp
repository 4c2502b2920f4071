// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/upright_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/rigging/anatomy/anatomy.h"
#include "sinew/rigging/anatomy/upright.h"
#include "sinew/rigging/embed/choice.h"

namespace sinew::rigging {
namespace {

/// Joints of a template for people.
struct UprightJoints {
  Index hips = kNone, chest = kNone, head = kNone;
  std::array<Index, 2> hands = {kNone, kNone}, toes = {kNone, kNone};  ///< Left, right.

  bool complete() const {
    return hips != kNone && chest != kNone && head != kNone && hands[0] != kNone && hands[1] != kNone &&
           toes[0] != kNone && toes[1] != kNone;
  }
};

UprightJoints joints_of(const Template& t) {
  UprightJoints joints;
  const auto with_role = [&](const char* role) {
    for (Index j = 0; j < t.joints.size(); ++j)
      if (t.joints[j].role == role && t.joints[j].placement == Template::Placement::kSearched) return j;
    return kNone;
  };
  int arms = 0, legs = 0, heads = 0;
  for (const Template::Limb& limb : t.limbs) {
    arms += limb.kind == "arm" ? 1 : 0;
    legs += limb.kind == "leg" ? 1 : 0;
    heads += limb.kind == "head" ? 1 : 0;
  }
  if (arms != 2 || legs != 2 || heads != 1) return joints;
  joints.hips = with_role("hips"), joints.chest = with_role("chest"), joints.head = with_role("head");
  joints.hands = {with_role("left_hand"), with_role("right_hand")};
  joints.toes = {with_role("left_toes"), with_role("right_toes")};
  return joints;
}

/// A body as it stands if `turn` is right.
class Stance {
 public:
  Stance(const Interior& interior, const Mat3& turn) : interior_(interior), turn_(turn) {
    std::vector<double> xs;
    low_ = Vec3::Constant(std::numeric_limits<double>::infinity());
    high_ = -low_;
    for (const Index v : interior.voxels.solid) {
      const Vec3 p = turn * interior.voxels.center(v);
      low_ = low_.cwiseMin(p), high_ = high_.cwiseMax(p);
      xs.push_back(p.x());
    }
    const auto half = xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2);
    std::nth_element(xs.begin(), half, xs.end());
    // The median is off by half a limb where one side has a voxel more; the middle of the box is right if near it.
    const double box = 0.5 * (low_.x() + high_.x());
    middle_ = std::abs(*half - box) < 0.05 * height() ? box : *half;
  }

  double height() const { return high_.y() - low_.y(); }
  double middle() const { return middle_; }
  const Vec3& low() const { return low_; }

  /// Share of the voxels whose image is solid too.
  double mirrored_share() const {
    const geometry::SolidVoxels& voxels = interior_.voxels;
    std::size_t same = 0;
    for (const Index v : voxels.solid) {
      Vec3 p = turn_ * voxels.center(v);
      p.x() = 2 * middle_ - p.x();
      const Vec3 at = (turn_.transpose() * p - voxels.origin) / voxels.cell;
      bool inside = true;
      std::array<Index, 3> c{};
      for (int k = 0; k < 3; ++k) {
        inside = inside && at[k] >= 0 && at[k] < voxels.counts[static_cast<std::size_t>(k)];
        if (inside) c[static_cast<std::size_t>(k)] = static_cast<Index>(at[k]);
      }
      same += inside && voxels.ids[voxels.index(c[0], c[1], c[2])] != kNone ? 1 : 0;
    }
    return static_cast<double>(same) / static_cast<double>(std::max<std::size_t>(voxels.solid.size(), 1));
  }

 private:
  const Interior& interior_;
  Mat3 turn_;
  Vec3 low_, high_;
  double middle_ = 0;
};

/// The orientation with the most similar sides, among those in which the body is higher than a figure is deep.
std::optional<Mat3> most_similar_sides(const Interior& interior, const Template& t, bool keep_orientation) {
  constexpr double kLeast = 0.72;
  std::vector<Mat3> turns = orientations(t);
  if (keep_orientation) turns.resize(1);
  std::optional<Mat3> best;
  double best_share = kLeast;
  // Turned by half, sides are as similar: only one of each two is tried, and feet decide.
  for (std::size_t k = 0; k < turns.size(); ++k) {
    if (k % 4 == 1 || k % 4 == 3) continue;
    const Stance stance(interior, turns[k]);
    // A body that stands as files should have it needs less evidence.
    const double share = stance.mirrored_share() + (k == 0 ? 0.08 : k < 4 ? 0.03 : 0.0);
    if (share > best_share) best_share = share, best = turns[k];
  }
  if (!best || keep_orientation) return best;
  const Mat3 half = Vec3(-1, 1, -1).asDiagonal();
  const double ahead = feet_ahead(interior, *best);
  if (ahead < -0.004) return Mat3(half * *best);
  return best;
}

class UprightFitter {
 public:
  UprightFitter(const Body& body, const BodyWays& ways, const Template& t, const UprightJoints& joints,
                const Mat3& turn)
      : body_(body),
        ways_(ways),
        t_(t),
        joints_(joints),
        turn_(turn),
        stance_(ways.interior(), turn),
        slices_(ways.interior(), turn, stance_.middle()) {}

  std::optional<Fit> fit() {
    Fit result;
    result.turn = turn_;
    result.reduced = reduce(search_template(t_));
    result.places.assign(t_.joints.size(), Vec3::Zero());
    const double height = stance_.height();
    const Vec3 chest = middle_at(stance_.low().y() + chest_height());
    result.places[joints_.chest] = turn_.transpose() * chest;
    result.places[joints_.hips] = turn_.transpose() * middle_at(stance_.low().y() + 0.68 * chest_height());
    const std::vector<float> from_chest = ways_.from(result.places[joints_.chest]);
    for (int k = 0; k < 2; ++k) {
      const int side = k == 0 ? 1 : -1;
      const auto hand = hand_tip(from_chest, side, chest.y());
      const auto toes = toe_tip(side);
      if (!hand || !toes) return {};
      result.places[joints_.hands[static_cast<std::size_t>(k)]] = ways_.center(*hand);
      result.places[joints_.toes[static_cast<std::size_t>(k)]] = ways_.center(*toes);
    }
    result.places[joints_.head] = turn_.transpose() * middle_at(stance_.low().y() + 0.93 * height);
    for (const ReducedTemplate::Joint& joint : result.reduced.joints)
      result.found.match.push_back(nearest_sphere(result.places[joint.full]));
    result.found.terms.assign(result.found.match.size(), {});
    result.found.proven = false;
    return result;
  }

 private:
  /// Arms leave the body where it is widest, between a third and most of its height.
  double chest_height() const {
    const double height = stance_.height();
    double best = 0.7 * height, widest = 0.3 * height;
    for (double y = 0.4 * height; y < 0.86 * height; y += slices_.cell()) {
      const double width = slices_.half_width(stance_.low().y() + y, height);
      if (width > 1.02 * widest) widest = width, best = y;
    }
    return best;
  }

  Vec3 middle_at(double y) const {
    const Vec3 a = slices_.side_center(y, 1, 0, 0.05 * stance_.height());
    const Vec3 b = slices_.side_center(y, -1, 0, 0.05 * stance_.height());
    return {stance_.middle(), y, 0.5 * (a.z() + b.z())};
  }

  std::optional<Index> hand_tip(const std::vector<float>& from_chest, int side, double chest) const {
    const double height = stance_.height();
    std::optional<Index> best;
    float farthest = 0;
    for (Index v = 0; v < ways_.size(); ++v) {
      const Vec3 p = turn_ * ways_.center(v);
      const double out = side * (p.x() - stance_.middle());
      if (out < 0.12 * height || p.y() < stance_.low().y() + 0.25 * height || p.y() > chest + 0.22 * height) continue;
      if (std::isfinite(from_chest[v]) && from_chest[v] > farthest) farthest = from_chest[v], best = v;
    }
    return best;
  }

  std::optional<Index> toe_tip(int side) const {
    const double height = stance_.height();
    std::optional<Index> best;
    double farthest = -std::numeric_limits<double>::infinity();
    for (Index v = 0; v < ways_.size(); ++v) {
      const Vec3 p = turn_ * ways_.center(v);
      const double out = side * (p.x() - stance_.middle());
      if (out < 0.01 * height || out > 0.35 * height || p.y() > stance_.low().y() + 0.05 * height) continue;
      // Forward, and towards the middle of the foot.
      if (p.z() > farthest) farthest = p.z(), best = v;
    }
    return best;
  }

  Index nearest_sphere(const Vec3& place) const {
    Index best = 0;
    for (Index s = 1; s < body_.graph.size(); ++s)
      if ((body_.graph.spheres[s].center - place).norm() < (body_.graph.spheres[best].center - place).norm()) best = s;
    return best;
  }

  const Body& body_;
  const BodyWays& ways_;
  const Template& t_;
  const UprightJoints& joints_;
  Mat3 turn_;
  Stance stance_;
  UprightSlices slices_;
};

}  // namespace

std::optional<Fit> upright_fit(const Body& body, const BodyWays& ways, const Template& skeleton_template,
                               bool keep_orientation) {
  const UprightJoints joints = joints_of(skeleton_template);
  if (!joints.complete() || body.graph.size() == 0) return {};
  const std::optional<Mat3> turn = most_similar_sides(ways.interior(), skeleton_template, keep_orientation);
  if (!turn) return {};
  return UprightFitter(body, ways, skeleton_template, joints, *turn).fit();
}

}  // namespace sinew::rigging
