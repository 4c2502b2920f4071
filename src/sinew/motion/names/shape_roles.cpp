// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/names/shape_roles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/motion/names/body_points.h"

namespace sinew::motion {
namespace {

constexpr double kOffPlane = 0.01;     // Of the size: joints nearer to the plane of symmetry are on it.
constexpr double kGroundShare = 0.14;  // Of the height: limbs that end lower stand on the ground.
constexpr double kFootSlope = 0.8;     // A bone that goes forward by more than this share of its descent is a foot's.
constexpr double kLeastLimb = 0.2;     // Of the height: shorter branches are no legs or arms.

/// A branch of the tree: its joints along the longest way, from the body outwards.
struct Branch {
  std::vector<Index> chain;
  double length = 0;  // From the joint it hangs on.
  Vec3 middle = Vec3::Zero();
  Index count = 0;  // Joints in all.
  Vec3 tip = Vec3::Zero();
  double lowest = 0;
};

struct LimbPair {
  Index attach = kNone;
  std::array<Branch, 2> sides;
  double length() const { return 0.5 * (sides[0].length + sides[1].length); }
  double lowest() const { return std::max(sides[0].lowest, sides[1].lowest); }
  Vec3 base = Vec3::Zero();  // Between the first joints of both sides.
};

/// The joints of a limb: where it begins, its middle and its end.
struct LimbJoints {
  std::size_t first = 0, middle = 0, last = 0;
};

class ShapeReader {
 public:
  explicit ShapeReader(const Rig& rig) : ShapeReader(rig, body_points(rig)) {}

  Recognition run() {
    Recognition result;
    if (choose_legs()) {
      find_forward();
      name_trunk();
      name_limbs();
      result.table = "shape";
    }
    result.roles = roles_;
    return result;
  }

 private:
  ShapeReader(const Rig& rig, BodyPoints points)
      : skeleton_(rig.skeleton),
        places_(std::move(points.places)),
        mass_(std::move(points.mass)),
        moved_(std::move(points.moved)),
        weighted_(points.weighted),
        kept_(std::move(points.kept)) {
    for (const Joint& joint : skeleton_.joints) parent_.push_back(joint.parent);
    // A root that moves nothing may be anywhere, even below the ground.
    for (Index j = 0; j < skeleton_.size(); ++j)
      if (kept_[j] != 0 && (!weighted_ || mass_[j] > 0)) box_.extend(place(j));
    find_plane();
    find_children();
    adopt_feet();
    find_pairs();
    roles_.resize(skeleton_.joints.size());
  }

  const Vec3& place(Index j) const { return places_[j]; }
  // A joint that moves no skin itself, such as those of control rigs.
  bool is_control(Index j) const { return weighted_ && mass_[j] == 0 && !children_[j].empty(); }
  double height() const { return std::max(1e-12, box_.extent().y()); }
  double share_of_height(double y) const { return (y - box_.lower.y()) / height(); }

  void find_children() {
    children_.assign(skeleton_.joints.size(), {});
    for (Index j = 0; j < skeleton_.size(); ++j)
      if (kept_[j] != 0 && parent_[j] != kNone) children_[parent_[j]].push_back(j);
  }

  // Rigs for inverse kinematics have their feet below the root. Here they belong to the shins that end above them.
  void adopt_feet() {
    bool any = false;
    for (Index j = 0; j < skeleton_.size(); ++j) {
      const Index root = parent_[j];
      if (kept_[j] == 0 || root == kNone || share_of_height(place(j).y()) > kGroundShare ||
          std::abs(off_plane(place(j))) < kOffPlane * box_.diagonal() ||
          std::abs(off_plane(place(root))) > 0.05 * height() || share_of_height(place(root).y()) > 0.25)
        continue;
      Index shin = kNone;
      double nearest = 1;
      for (Index leaf = 0; leaf < skeleton_.size(); ++leaf) {
        if (leaf == j || kept_[leaf] == 0 || !children_[leaf].empty() || is_below(leaf, j)) continue;
        const Vec3 apart = place(leaf) - place(j);
        // Shins of animals slope.
        const double aside = std::hypot(apart.x(), apart.z()) / std::max(0.2 * height(), 0.7 * apart.y());
        if (off_plane(place(leaf)) * off_plane(place(j)) <= 0 || apart.y() < 0.08 * height() ||
            apart.y() > 0.5 * height() || aside >= nearest)
          continue;
        nearest = aside;
        shin = leaf;
      }
      if (shin == kNone) continue;
      parent_[j] = shin;
      any = true;
    }
    if (any) find_children();
  }

  // The body is symmetric along x or, where more joints have a partner that way, along z.
  void find_plane() {
    Index most = 0;
    for (const int axis : {0, 2}) {
      double middle = 0;
      const Index pairs = mirrored_joints(places_, kept_, axis, middle);
      if (axis == 0 || pairs > most + most / 4) most = pairs, across_ = axis, middle_ = middle;
    }
  }

  double off_plane(const Vec3& p) const { return p[across_] - middle_; }

  Branch branch(Index root, Index attach) const {
    Branch result;
    std::vector<Index> below = {root};
    std::vector<double> far(skeleton_.joints.size(), 0);
    far[root] = (place(root) - place(attach)).norm();
    Index end = root;
    result.lowest = place(root).y();
    for (std::size_t i = 0; i < below.size(); ++i) {
      const Index j = below[i];
      result.middle += place(j);
      result.lowest = std::min(result.lowest, place(j).y());
      if (far[j] > far[end]) end = j;
      for (const Index child : children_[j]) {
        far[child] = far[j] + (place(child) - place(j)).norm();
        below.push_back(child);
      }
    }
    result.count = static_cast<Index>(below.size());
    result.middle /= static_cast<double>(below.size());
    result.length = far[end];
    result.tip = place(end);
    for (Index j = end; j != attach; j = parent_[j]) result.chain.push_back(j);
    std::reverse(result.chain.begin(), result.chain.end());
    return result;
  }

  // Branches of one joint that mirror each other.
  void find_pairs() {
    for (Index m = 0; m < skeleton_.size(); ++m) {
      if (kept_[m] == 0 || children_[m].size() < 2) continue;
      std::vector<Branch> branches;
      for (const Index child : children_[m]) branches.push_back(branch(child, m));
      std::vector<char> used(branches.size(), 0);
      for (std::size_t a = 0; a < branches.size(); ++a) {
        std::size_t best = branches.size();
        double least = 0.35 * box_.diagonal();
        for (std::size_t b = 0; b < branches.size(); ++b) {
          if (a == b || used[a] != 0 || used[b] != 0 || !mirrors(branches[a], branches[b])) continue;
          Vec3 tip = branches[a].tip, middle = branches[a].middle;
          tip[across_] = 2 * middle_ - tip[across_];
          middle[across_] = 2 * middle_ - middle[across_];
          const double apart = (tip - branches[b].tip).norm() + (middle - branches[b].middle).norm();
          if (apart < least) least = apart, best = b;
        }
        if (best == branches.size()) continue;
        used[a] = used[best] = 1;
        const Vec3 base = 0.5 * (place(branches[a].chain.front()) + place(branches[best].chain.front()));
        pairs_.push_back({m, {branches[a], branches[best]}, base});
      }
    }
  }

  bool mirrors(const Branch& a, const Branch& b) const {
    const double x = off_plane(a.middle), y = off_plane(b.middle), least = kOffPlane * box_.diagonal();
    if (!(x > least && y < -least)) return false;
    const double ratio = a.length / std::max(1e-12, b.length);
    return ratio > 0.7 && ratio < 1.43 && a.count <= 2 * b.count + 1 && b.count <= 2 * a.count + 1;
  }

  bool is_below(Index joint, Index above) const {
    for (Index j = joint; j != kNone; j = parent_[j])
      if (j == above) return true;
    return false;
  }

  bool has_hand(const LimbPair& pair) const {
    for (const Branch& side : pair.sides) {
      bool branched = false;
      for (const Index j : side.chain) branched = branched || children_[j].size() >= 4;
      if (!branched) return false;
    }
    return true;
  }

  bool choose_legs() {
    std::vector<const LimbPair*> standing, others;
    for (const LimbPair& pair : pairs_) {
      if (pair.length() < kLeastLimb * height()) continue;
      const bool down = pair.sides[0].tip.y() < place(pair.attach).y();
      if (share_of_height(pair.lowest()) < kGroundShare && down && pair.sides[0].chain.size() >= 2)
        standing.push_back(&pair);
      else others.push_back(&pair);
    }
    const auto longer = [](const LimbPair* a, const LimbPair* b) { return a->length() > b->length(); };
    std::stable_sort(standing.begin(), standing.end(), longer);
    std::stable_sort(others.begin(), others.end(), longer);
    if (standing.empty()) return false;
    legs_ = standing.front();
    for (std::size_t i = 1; i < standing.size(); ++i) {
      const Vec3 apart = standing[i]->base - legs_->base;
      const double level = std::hypot(apart.x(), apart.z());
      if (arms_ || standing[i]->length() < 0.55 * legs_->length() || level < 0.25 * legs_->length()) continue;
      arms_ = standing[i];
      four_legs_ = true;
    }
    if (four_legs_ && has_more_legs(standing)) return false;
    const LimbPair* best = nullptr;
    for (const LimbPair* pair : others)
      if (!arms_ && pair->sides[0].chain.size() >= 2 && !is_below(legs_->attach, pair->sides[0].chain.front()) &&
          (!best || (has_hand(*pair) && !has_hand(*best))))
        best = pair;
    if (!arms_) arms_ = best;
    return true;
  }

  // Whether a third pair stands apart from those that were chosen: a spider's or an insect's.
  bool has_more_legs(const std::vector<const LimbPair*>& standing) const {
    const auto foot = [](const LimbPair& pair) { return Vec3(0.5 * (pair.sides[0].tip + pair.sides[1].tip)); };
    return std::any_of(standing.begin(), standing.end(), [&](const LimbPair* pair) {
      const auto is_apart = [&](const LimbPair* other) {
        return level(foot(*pair) - foot(*other)).norm() > 0.3 * other->length();
      };
      return pair->length() > 0.55 * legs_->length() && is_apart(legs_) && is_apart(arms_);
    });
  }

  // How far along a limb each of its joints is. A foot is level, so that legs are measured by how far they go down.
  std::vector<double> distances(const Branch& branch, bool leg) const {
    std::vector<double> along(branch.chain.size(), 0);
    for (std::size_t i = 1; i < branch.chain.size(); ++i) {
      const Vec3 bone = place(branch.chain[i]) - place(branch.chain[i - 1]);
      along[i] = along[i - 1] + (leg ? std::max(0.0, -bone.y()) + 0.1 * bone.norm() : bone.norm());
    }
    return along;
  }

  // A penalty for joints along a bone. Those that divide it evenly are twist joints.
  double joints_between(const Branch& branch, std::size_t from, std::size_t to) const {
    const Vec3 start = place(branch.chain[from]), bone = place(branch.chain[to]) - start;
    bool even = true;
    for (std::size_t i = from + 1; i < to; ++i) {
      const double share = static_cast<double>(i - from) / static_cast<double>(to - from);
      even = even && (place(branch.chain[i]) - start - share * bone).norm() < 0.04 * bone.norm();
    }
    return (even ? 0.04 : 0.15) * static_cast<double>(to - from - 1);
  }

  double limb_score(const Branch& branch, const std::vector<double>& along, const LimbJoints& joints, bool leg) const {
    const double upper = along[joints.middle] - along[joints.first], lower = along[joints.last] - along[joints.middle];
    if (!(upper > 0) || !(lower > 0)) return -1e6;
    for (const std::size_t i : {joints.first, joints.middle, joints.last})
      if (is_control(branch.chain[i])) return -1e3;
    for (std::size_t i = joints.first + 1; leg && i <= joints.last; ++i) {
      const Vec3 bone = place(branch.chain[i]) - place(branch.chain[i - 1]);
      if (std::hypot(bone.x(), bone.z()) > -kFootSlope * bone.y()) return -1e3;  // A bone of the foot.
    }
    double score = (upper + lower) / std::max(1e-12, along.back()) - 0.6 * std::abs(std::log(upper / lower));
    // Bones in one piece are likelier than bones with joints along them, except for rows of twist joints.
    score -= joints_between(branch, joints.first, joints.middle) + joints_between(branch, joints.middle, joints.last);
    // Behind the ankle there are the toes.
    if (leg && joints.last + 2 == branch.chain.size()) score += 0.25;
    // A hand has fingers, which may begin at a joint of their own.
    const std::vector<Index>& below = children_[branch.chain[joints.last]];
    const Vec3 wrist = place(branch.chain[joints.last]);
    const double forearm = (wrist - place(branch.chain[joints.middle])).norm();
    if (below.size() >= 3 ||
        (below.size() == 1 && children_[below[0]].size() >= 4 && (place(below[0]) - wrist).norm() < 0.5 * forearm))
      score += 0.4;
    return score;
  }

  // Along a limb, the joints that divide it into two long bones of similar length, on both sides alike.
  std::array<LimbJoints, 2> limb_joints(const LimbPair& pair, bool leg) const {
    std::array<LimbJoints, 2> result;
    // One side may have a joint more at its end.
    const std::size_t fewest = std::min(pair.sides[0].chain.size(), pair.sides[1].chain.size());
    const bool alike = std::max(pair.sides[0].chain.size(), pair.sides[1].chain.size()) <= fewest + 2 && fewest >= 3;
    std::array<std::vector<double>, 2> along = {distances(pair.sides[0], leg), distances(pair.sides[1], leg)};
    for (std::size_t s = 0; s < 2; ++s) {
      const std::size_t n = alike ? fewest : pair.sides[s].chain.size();
      result[s] = {0, std::min<std::size_t>(1, n - 1), std::min<std::size_t>(2, n - 1)};
      double most = -1e5;
      for (std::size_t a = 0; a + 2 < n; ++a)
        for (std::size_t b = a + 1; b + 1 < n; ++b)
          for (std::size_t c = b + 1; c < n; ++c) {
            const LimbJoints joints{a, b, c};
            double score = limb_score(pair.sides[s], along[s], joints, leg);
            if (alike) score += limb_score(pair.sides[1 - s], along[1 - s], joints, leg);
            if (score > most) most = score, result[s] = joints;
          }
      if (!leg) skip_wrist(pair.sides[s], result[s]);
    }
    return result;
  }

  // A joint just before the hand that moves little is a wrist.
  void skip_wrist(const Branch& arm, LimbJoints& joints) const {
    if (!weighted_ || joints.last + 1 >= arm.chain.size()) return;
    const Index wrist = arm.chain[joints.last], hand = arm.chain[joints.last + 1];
    const double forearm = (place(wrist) - place(arm.chain[joints.middle])).norm();
    if (children_[wrist].size() == 1 && children_[hand].size() < 3 && mass_[hand] > 2 * mass_[wrist] &&
        (place(hand) - place(wrist)).norm() < 0.4 * forearm)
      ++joints.last;
  }

  // Whether a bone leads from the middle of the body to its side, or up: the leg begins below it.
  bool goes_aside(const Branch& leg, std::size_t from) const {
    const Vec3 bone = place(leg.chain[from + 1]) - place(leg.chain[from]);
    return std::abs(bone[across_]) > 0.9 * bone.norm() || bone.y() > 0.2 * bone.norm();
  }

  // Legs of animals: all bones are long, and they are named in order. Long rows begin with a shoulder blade or a joint
  // of the hips, which may hang on others that lead to the side.
  std::array<LimbJoints, 2> ordered_joints(const LimbPair& pair, bool front) const {
    std::array<LimbJoints, 2> result;
    for (std::size_t s = 0; s < 2; ++s) {
      const std::size_t n = pair.sides[s].chain.size();
      std::size_t first = n >= (front ? 5U : 6U) ? 1 : 0;
      for (std::size_t i = 0; i + 3 < n && i < 3; ++i)
        if (goes_aside(pair.sides[s], i)) first = std::max(first, i + 1);
      result[s] = {first, std::min(first + 1, n - 1), std::min(first + 2, n - 1)};
    }
    return result;
  }

  Vec3 level(Vec3 v) const {
    v.y() = 0;
    v[across_] = 0;
    return v;
  }

  // The toes, or else the middle of what a foot moves, or else its last joint.
  Vec3 foot_middle(const Branch& leg, std::size_t ankle) const {
    const Vec3 toes = leg.tip - place(leg.chain[ankle]);
    if (level(toes).norm() > 0.03 * height()) return leg.tip;
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    for (std::size_t i = ankle; i < leg.chain.size(); ++i) sum += moved_[leg.chain[i]], mass += mass_[leg.chain[i]];
    // Without a joint of its own, a foot moves with the shin, whose middle says nothing.
    const bool low = mass > 0 && share_of_height(sum.y() / mass) < 0.08;
    return mass > 0 && (low || ankle + 1 < leg.chain.size()) ? Vec3(sum / mass) : leg.tip;
  }

  // Birds, and others whose trunk is not upright, have their heads far in front of their legs: toes may point anywhere.
  Vec3 lean_of_head() const {
    const std::vector<Index> chain = neck_chain(arms_ ? arms_->attach : legs_->attach);
    if (chain.empty()) return Vec3::Zero();
    const Index head = chain[head_of(chain)];
    const Vec3 from = legs_->base;
    const Vec3 reach = (mass_[head] > 0 ? Vec3(moved_[head] / mass_[head]) : place(head)) - from;
    const Vec3 lean = level(reach);
    return lean.norm() > 0.6 * std::max(0.0, reach.y()) ? lean : Vec3(Vec3::Zero());
  }

  // Where feet point, or else knees; animals go where the front legs are.
  void find_forward() {
    up_ = Vec3::UnitY();
    Vec3 feet = Vec3::Zero(), knees = Vec3::Zero();
    const std::array<LimbJoints, 2> joints = limb_joints(*legs_, true);
    for (std::size_t s = 0; s < 2; ++s) {
      const Branch& side = legs_->sides[s];
      const auto at = [&](std::size_t i) { return place(side.chain[i]); };
      feet += foot_middle(side, joints[s].last) - at(joints[s].last);
      knees += at(joints[s].middle) - 0.5 * (at(joints[s].first) + at(joints[s].last));
    }
    forward_ = level(feet);
    if (const Vec3 lean = lean_of_head(); !four_legs_ && lean.norm() > 0) forward_ = lean;
    if (four_legs_) {
      // A skeleton usually begins at the hips.
      const bool front_is_root = is_below(legs_->attach, arms_->attach),
                 hind_is_root = is_below(arms_->attach, legs_->attach);
      const Vec3 along = level(arms_->base - legs_->base);
      const bool swapped = front_is_root != hind_is_root ? front_is_root : along.dot(forward_) < 0;
      if (swapped) std::swap(arms_, legs_);
      forward_ = swapped ? Vec3(-along) : along;
    }
    if (forward_.norm() < 0.02 * height()) forward_ = level(knees);
    if (forward_.norm() < 1e-3 * height()) forward_ = across_ == 0 ? Vec3::UnitZ() : Vec3::UnitX();
    forward_.normalize();
    left_ = up_.cross(forward_);
  }

  void name(Index joint, BodyPart part, Side side, int number) {
    if (roles_[joint].empty()) roles_[joint] = {part, side, number};
  }

  // On the plane: a child that is not part of a pair of limbs, whose branch reaches furthest along a direction.
  Index middle_child(Index joint, const Vec3& direction) const {
    Index best = kNone;
    double furthest = 0;
    const double extent = std::max(height(), 0.5 * box_.extent()[2 - across_]);  // Some animals are long and low.
    for (const Index child : children_[joint]) {
      const Branch b = branch(child, joint);
      bool paired = false;
      for (const LimbPair& pair : pairs_)
        for (const Branch& side : pair.sides) paired = paired || (pair.attach == joint && side.chain.front() == child);
      double reach = (b.tip - place(joint)).dot(direction);
      // A joint at the place of the one above it reaches as far as what it moves.
      for (const Index j : b.chain)
        if (mass_[j] > 0) reach = std::max(reach, (moved_[j] / mass_[j] - place(joint)).dot(direction));
      if (paired || std::abs(off_plane(place(child))) > 0.05 * extent || reach < 0.02 * height()) continue;
      // Heads are heavier than what hangs beside them.
      double score = reach;
      for (const Index j : b.chain) score += weighted_ ? height() * mass_[j] : 0;
      if (score < furthest) continue;
      furthest = score;
      best = child;
    }
    return best;
  }

  void name_trunk() {
    Index hips = legs_->attach;
    const Index above = skeleton_.joints[hips].parent;
    const bool pelvis = above != kNone && mass_[above] > 0 && children_[above].size() <= 3 &&
                        (place(above) - place(hips)).norm() < 0.25 * legs_->length() &&
                        share_of_height(place(above).y()) > 0.3;
    if (pelvis) hips = above;
    Index top = hips;
    std::vector<Index> spine;
    if (arms_) {
      top = arms_->attach;
      for (Index j = top; j != kNone && !is_below(hips, j); j = skeleton_.joints[j].parent) spine.push_back(j);
      std::reverse(spine.begin(), spine.end());
    }
    std::vector<Index> above_arms = neck_chain(top);
    if (four_legs_) part_at_front_legs(spine, above_arms);
    if (const Index moving = is_control(hips) ? moving_hips(hips, spine) : kNone; moving != kNone) {
      name(moving, BodyPart::kHips, Side::kMiddle, 1);
      std::erase(spine, moving);
    } else {
      name(hips, BodyPart::kHips, Side::kMiddle, 1);
    }
    // Some programs attach the arms to the neck.
    const bool from_neck = !above_arms.empty() && head_of(above_arms) == 0 && spine.size() >= 3;
    if (from_neck && !four_legs_) {
      name(spine.back(), BodyPart::kNeck, Side::kMiddle, 1);
      spine.pop_back();
    }
    for (std::size_t i = 0; i < spine.size(); ++i)
      name(spine[i], i + 1 == spine.size() && i > 0 ? BodyPart::kChest : BodyPart::kSpine, Side::kMiddle,
           static_cast<int>(i) + 1);
    name_head(above_arms);
    if (four_legs_ || !arms_) name_tail(hips);
  }

  // Where the legs hang on a joint that moves nothing: the joint in the middle of the body that moves skin about the
  // same place or, if that joint holds four legs, the first one of a trunk that begins at the hind legs.
  Index moving_hips(Index control, const std::vector<Index>& spine) const {
    Index best = kNone;
    double nearest = 0.03 * height();
    const auto is_aside = [&](const Vec3& p) { return std::abs(off_plane(p)) > kOffPlane * box_.diagonal(); };
    for (Index j = 0; j < skeleton_.size(); ++j) {
      if (kept_[j] == 0 || !(mass_[j] > 0) || is_aside(place(j)) || is_aside(moved_[j] / mass_[j])) continue;
      if (const double apart = (place(j) - place(control)).norm(); apart < nearest) nearest = apart, best = j;
    }
    if (best != kNone || !four_legs_ || spine.empty() || arms_->attach != control) return best;
    const Vec3 first = place(spine.front());
    const bool behind = std::abs((first - legs_->base).dot(forward_)) < std::abs((first - arms_->base).dot(forward_));
    return behind ? spine.front() : kNone;
  }

  // The neck of an animal begins in front of its front legs. These may be attached behind, in the middle of the body,
  // or in front, to the neck.
  void part_at_front_legs(std::vector<Index>& spine, std::vector<Index>& neck) const {
    const auto joints = ordered_joints(*arms_, true);
    Vec3 legs = Vec3::Zero();
    for (std::size_t s = 0; s < 2; ++s)
      for (const std::size_t i : {joints[s].first, joints[s].middle, joints[s].last})
        legs += place(arms_->sides[s].chain[i]) / 6;
    const auto ahead = [&](Index j) { return (place(j) - legs).dot(forward_); };
    const double trunk = (arms_->base - legs_->base).dot(forward_);
    const bool from_behind = ahead(arms_->attach) < -0.25 * trunk;
    while (from_behind && neck.size() > 2 && head_of(neck) > 1 && ahead(neck.front()) < 0) {
      spine.push_back(neck.front());
      neck.erase(neck.begin());
    }
    if (spine.size() >= 2 && ahead(spine.back()) > 0.25 * trunk) {
      neck.insert(neck.begin(), spine.back());
      spine.pop_back();
    }
  }

  std::vector<Index> neck_chain(Index top) const {
    std::vector<Index> chain;
    const Vec3 direction = four_legs_ ? Vec3(up_ + forward_) : up_;
    for (Index j = middle_child(top, direction); j != kNone; j = middle_child(j, direction)) chain.push_back(j);
    return chain;
  }

  // The head moves more than what may be attached to it; a row of two is neck and head, unless the first moves nearly
  // all.
  std::size_t head_of(const std::vector<Index>& chain) const {
    if (!weighted_ || chain.size() < 2) return chain.size() - 1;
    double most = 0;
    std::size_t heaviest = 1;
    for (std::size_t i = 1; i < chain.size(); ++i)
      if (mass_[chain[i]] > most) most = mass_[chain[i]], heaviest = i;
    // Necks of animals are long and heavy.
    if (four_legs_) return heaviest;
    if (mass_[chain[0]] > 2.5 * most) return 0;
    std::size_t head = 1;
    while (mass_[chain[head]] < 0.35 * most) ++head;
    return head;
  }

  void name_head(const std::vector<Index>& chain) {
    if (chain.empty()) return;
    const std::size_t head = head_of(chain);
    for (std::size_t i = 0; i < head; ++i) name(chain[i], BodyPart::kNeck, Side::kMiddle, static_cast<int>(i) + 1);
    name(chain[head], BodyPart::kHead, Side::kMiddle, 1);
  }

  void name_tail(Index hips) {
    int number = 0;
    for (Index j = middle_child(hips, -forward_); j != kNone && roles_[j].empty();
         j = middle_child(j, Vec3(-forward_ - 0.2 * up_)))
      name(j, BodyPart::kTail, Side::kMiddle, ++number);
  }

  Side side_of(const LimbPair& pair, std::size_t side) const {
    const Vec3 apart = pair.sides[side].middle - pair.sides[1 - side].middle;
    return apart.dot(left_) > 0 ? Side::kLeft : Side::kRight;
  }

  void name_limbs() {
    const auto legs = four_legs_ ? ordered_joints(*legs_, false) : limb_joints(*legs_, true);
    for (std::size_t s = 0; s < 2; ++s) {
      const std::vector<Index>& leg = legs_->sides[s].chain;
      const Side side = side_of(*legs_, s);
      name(leg[legs[s].first], BodyPart::kThigh, side, 1);
      name(leg[legs[s].middle], BodyPart::kShin, side, 1);
      name(leg[legs[s].last], BodyPart::kFoot, side, 1);
      if (legs[s].last + 1 < leg.size()) name(leg[legs[s].last + 1], BodyPart::kToes, side, 1);
    }
    if (!arms_) return;
    const auto arms = four_legs_ ? ordered_joints(*arms_, true) : limb_joints(*arms_, false);
    for (std::size_t s = 0; s < 2; ++s) {
      const std::vector<Index>& arm = arms_->sides[s].chain;
      const Side side = side_of(*arms_, s);
      name(arm[arms[s].first], BodyPart::kUpperArm, side, 1);
      name(arm[arms[s].middle], BodyPart::kForearm, side, 1);
      name(arm[arms[s].last], BodyPart::kHand, side, 1);
      if (arms[s].first > 0) name(arm[arms[s].first - 1], BodyPart::kShoulder, side, 1);
      if (!four_legs_) name_fingers(arm[arms[s].last], side);
    }
  }

  // Five rows of two or three joints: the thumb begins nearest to the wrist, the others follow from it.
  void name_fingers(Index hand, Side side) {
    std::vector<Branch> fingers;
    for (const Index child : children_[hand])
      if (Branch b = branch(child, hand); b.chain.size() >= 2 && b.chain.size() <= 3) fingers.push_back(std::move(b));
    if (fingers.size() != 5) return;
    Vec3 along = Vec3::Zero();
    for (const Branch& finger : fingers) along += finger.tip - place(hand);
    const auto base = [&](const Branch& finger) {
      return (place(finger.chain[0]) - place(hand)).dot(along.normalized());
    };
    std::size_t thumb = 0;
    for (std::size_t i = 1; i < 5; ++i)
      if (base(fingers[i]) < base(fingers[thumb])) thumb = i;
    const Vec3 start = place(fingers[thumb].chain[0]);
    std::swap(fingers[0], fingers[thumb]);
    std::sort(fingers.begin() + 1, fingers.end(), [&](const Branch& a, const Branch& b) {
      return (place(a.chain[0]) - start).norm() < (place(b.chain[0]) - start).norm();
    });
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t k = 0; k < fingers[i].chain.size(); ++k)
        name(fingers[i].chain[k], static_cast<BodyPart>(static_cast<int>(BodyPart::kThumb) + static_cast<int>(i)), side,
             static_cast<int>(k) + 1);
  }

  const Skeleton& skeleton_;
  std::vector<Vec3> places_;
  std::vector<double> mass_;  // Vertices that a joint moves.
  std::vector<Vec3> moved_;   // The sum of their positions.
  bool weighted_ = false;
  std::vector<char> kept_;
  std::vector<Index> parent_;  // As in the skeleton, but for feet that belong to a shin.
  std::vector<std::vector<Index>> children_;
  Box box_;
  int across_ = 0;  // The axis from right to left, or from left to right.
  double middle_ = 0;
  std::vector<LimbPair> pairs_;
  const LimbPair* legs_ = nullptr;  // Of four legs: the hind ones.
  const LimbPair* arms_ = nullptr;
  bool four_legs_ = false;
  Vec3 up_ = Vec3::UnitY(), forward_ = Vec3::UnitZ(), left_ = Vec3::UnitX();
  std::vector<JointRole> roles_;
};

}  // namespace

Recognition recognize_by_shape(const Rig& rig) {
  Recognition result;
  result.roles.resize(rig.skeleton.joints.size());
  if (rig.skeleton.empty()) return result;
  result = ShapeReader(rig).run();
  judge_body(rig.skeleton, result);
  return result;
}

}  // namespace sinew::motion
