// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/anchors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sinew/rigging/anatomy/follow.h"

namespace sinew::rigging {
namespace {

constexpr double kProportion =
    1.25;                       // How much longer or shorter than the template's a bone may be than its neighbour.
constexpr double kNear = 0.05;  // An anchor this far outside a limb still tells where along it the joint is.

/// The place of a profile that is nearest to a point.
struct Along {
  double s = 0;
  double distance = std::numeric_limits<double>::infinity();
};

Along nearest_along(const LimbProfile& profile, const Vec3& point) {
  Along best;
  for (std::size_t i = 0; i + 1 < profile.slices.size(); ++i) {
    const Vec3 a = profile.slices[i].center, way = profile.slices[i + 1].center - a;
    const double length = way.squaredNorm();
    const double t = length > 0 ? std::clamp((point - a).dot(way) / length, 0.0, 1.0) : 0.0;
    if (const double d = (a + t * way - point).norm(); d < best.distance)
      best = {profile.slices[i].s + t * profile.step, d};
  }
  return best;
}

double ratio_of(const Template& t, const std::vector<Index>& joints, std::size_t middle) {
  double upper = 0, lower = 0;
  for (std::size_t k = 1; k < joints.size(); ++k)
    (k <= middle ? upper : lower) += (t.joints[joints[k]].position - t.joints[joints[k - 1]].position).norm();
  return lower > 0 ? upper / lower : 0;
}

/// One limb whose joints are laid out again along its profile.
class LimbLayout {
 public:
  LimbLayout(const Template& t, const Mat3& turn, const FoundLimb& found, const Anatomy& anatomy)
      : t_(t), turn_(turn), found_(found), joints_(t.limbs[found.limb].joints) {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      places_.push_back(anatomy.places[joints_[k]]);
      const double s = k == 0                    ? found.first
                       : k + 1 == joints_.size() ? found.last
                                                 : nearest_along(found.profile, places_.back()).s;
      before_.push_back(s);
    }
    // A joint of a sharply bent limb may be near another stretch of it.
    for (std::size_t k = 1; k < before_.size(); ++k) before_[k] = std::min(before_[k], before_[k - 1]);
    after_ = before_;
    known_.assign(joints_.size(), 0);
  }

  /// False if the anchors do not lie along the profile.
  bool lay_out(const Anchors& anchors) {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const auto anchor = anchors.find(joints_[k]);
      if (anchor == anchors.end()) continue;
      const Along along = nearest_along(found_.profile, anchor->second);
      // The first joint may be well inside the body, beside the middle of its slices.
      if (k > 0 && along.distance > found_.profile.radius(along.s) + kNear) return false;
      after_[k] = along.s;
      places_[k] = anchor->second;
      known_[k] = 1;
    }
    for (std::size_t k = 0, last = std::numeric_limits<std::size_t>::max(); k < joints_.size(); ++k) {
      if (known_[k] == 0) continue;
      if (last < k && after_[k] >= after_[last]) return false;
      last = k;
    }
    move_last();
    move_first();
    spread();
    return true;
  }

  const std::vector<Vec3>& places() const { return places_; }
  double last() const { return after_.back(); }

 private:
  std::size_t nearest_known(bool from_body) const {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const std::size_t k = from_body ? i : known_.size() - 1 - i;
      if (known_[k] != 0) return k;
    }
    return 0;
  }

  /// Wrist and ankle are found by the limb's section and stay, unless an anchor is beyond them.
  void move_last() {
    if (known_.back() != 0) return;
    const std::size_t k = nearest_known(false);
    const double most = 0.75 * after_[k];
    if (after_.back() > most && before_[k] > 0) after_.back() = std::min(most, before_.back() * after_[k] / before_[k]);
  }

  /// The crotch may be too low, or the armpit too far out: bones at an anchor then have no proportion.
  void move_first() {
    if (known_.front() != 0) return;
    const std::size_t k = nearest_known(true);
    const double lower = after_[k] - after_.back();
    double upper = after_.front() - after_[k];
    if (const double usual = lower * ratio_of(t_, joints_, k); usual > 0)
      upper = upper < usual / kProportion || upper > usual * kProportion ? usual : upper;
    else upper = std::max(upper, 0.5 * (before_.front() - before_[k]));
    const double moved = after_[k] + upper - after_.front();
    if (std::abs(moved) < found_.profile.step) return;
    after_.front() += moved;
    if (moved < 0 && after_.front() < found_.mouth) {
      places_.front() = found_.profile.center(after_.front());
      return;
    }
    // Beyond the limb's mouth slices run into the middle of the body, and so the template tells the direction.
    const Vec3 direction = t_.joints[joints_.front()].position - t_.joints[joints_[k]].position;
    places_.front() = places_[k] + upper * (turn_.transpose() * direction.normalized());
  }

  void spread() {
    for (std::size_t k = 1; k + 1 < joints_.size(); ++k) {
      if (known_[k] != 0) continue;
      const std::size_t a = k - 1;  // Laid out already.
      std::size_t b = k + 1;
      while (b + 1 < joints_.size() && known_[b] == 0) ++b;
      const double span = before_[a] - before_[b];
      const double share = span > 0 ? (before_[a] - before_[k]) / span : 0.5;
      const double s = after_[a] + share * (after_[b] - after_[a]);
      if (std::abs(s - before_[k]) < 1e-9) continue;
      places_[k] = s < found_.mouth ? Vec3(found_.profile.center(s) + places_[k] - found_.profile.center(before_[k]))
                                    : Vec3(places_[a] + share * (end_of(b) - places_[a]));
      after_[k] = s;
    }
    if (joints_.size() > 1 && known_.back() == 0) places_.back() = end_of(joints_.size() - 1);
  }

  Vec3 end_of(std::size_t k) const {
    return known_[k] != 0 || after_[k] == before_[k] ? places_[k] : found_.profile.center(after_[k]);
  }

  const Template& t_;
  const Mat3& turn_;
  const FoundLimb& found_;
  const std::vector<Index>& joints_;
  std::vector<Vec3> places_;
  std::vector<double> before_, after_;  // Distances from the tip.
  std::vector<char> known_;
};

class Anchoring {
 public:
  Anchoring(const Template& t, const Mat3& turn, const Anchors& anchors, Anatomy& anatomy)
      : t_(t), turn_(turn), anchors_(anchors), all_(anchors), before_(anatomy), result_(anatomy) {
    limb_of_.assign(t.joints.size(), kNone);
    for (const FoundLimb& found : anatomy.limbs)
      for (const Index j : t.limbs[found.limb].joints) limb_of_[j] = found.limb;
  }

  void run() {
    carry_limbs();
    for (const FoundLimb& found : before_.limbs) move_limb(found);
    move_trunk();
    for (const auto& [joint, place] : anchors_) {
      result_.places[joint] = place;
      result_.origins[joint] = "hint";
    }
    place_parents();
  }

 private:
  bool placed(Index joint) const { return !before_.origins[joint].empty(); }

  /// The anchored joint of the trunk that a limb is attached to, if any.
  std::optional<Index> anchored_parent(Index first) const {
    Index j = t_.joints[first].parent;
    while (j != kNone && all_.count(j) == 0 && t_.joints[j].placement == Template::Placement::kDerived)
      j = t_.joints[j].parent;
    if (j == kNone || anchors_.count(j) == 0 || limb_of_[j] != kNone || !placed(j)) return {};
    return j;
  }

  /// Lengths of the body relative to the template's.
  double scale() const {
    double wanted = 0, found = 0;
    for (Index j = 0; j < t_.joints.size(); ++j) {
      const Index parent = t_.joints[j].parent;
      if (parent == kNone || !placed(j) || !placed(parent)) continue;
      wanted += (t_.joints[j].position - t_.joints[parent].position).norm();
      found += (before_.places[j] - before_.places[parent]).norm();
    }
    return wanted > 0 ? found / wanted : 1;
  }

  void carry_limbs() {
    const double size = scale();
    for (const FoundLimb& found : before_.limbs) {
      const std::vector<Index>& joints = t_.limbs[found.limb].joints;
      if (std::any_of(joints.begin(), joints.end(), [&](Index j) { return anchors_.count(j) > 0; })) continue;
      const std::optional<Index> parent = anchored_parent(joints.front());
      if (!parent) continue;
      const Vec3 at = anchors_.at(*parent), way = at - before_.places[*parent];
      const Vec3 expected =
          at + size * (turn_.transpose() * (t_.joints[joints.front()].position - t_.joints[*parent].position));
      const Vec3 stays = before_.places[joints.front()], goes = stays + way;
      if ((goes - expected).norm() < (stays - expected).norm() - kNear) all_[joints.front()] = goes;
    }
  }

  void move_limb(const FoundLimb& found) {
    const std::vector<Index>& joints = t_.limbs[found.limb].joints;
    if (std::none_of(joints.begin(), joints.end(), [&](Index j) { return all_.count(j) > 0; })) return;
    if (found.profile.slices.size() < 2 || t_.limbs[found.limb].kind == "stem")
      return drag_limb(joints, t_.limbs[found.limb].kind);
    LimbLayout layout(t_, turn_, found, before_);
    if (!layout.lay_out(all_)) return drag_limb(joints, t_.limbs[found.limb].kind);
    for (std::size_t k = 0; k < joints.size(); ++k) result_.places[joints[k]] = layout.places()[k];
    for (FoundLimb& limb : result_.limbs)
      if (limb.limb == found.limb) limb.last = layout.last();
    move_beyond(joints.back(), found, layout.last());
  }

  double length_of(const std::vector<Index>& joints) const {
    double length = 0;
    for (std::size_t k = 1; k < joints.size(); ++k)
      length += (before_.places[joints[k]] - before_.places[joints[k - 1]]).norm();
    return length;
  }

  /// Where an anchor is beside the limb that was found, by half its length or more, the limb is not the one that was
  /// meant: all its joints follow their neighbours, the nearer the more. Otherwise its ends stay, and joints between
  /// them follow. There is but one head and one tail.
  void drag_limb(const std::vector<Index>& joints, const std::string& kind) {
    double farthest = 0;
    for (const Index j : joints)
      if (const auto anchor = all_.find(j); anchor != all_.end())
        farthest = std::max(farthest, (anchor->second - before_.places[j]).norm());
    const bool ends_stay = kind == "neck" || kind == "tail" || farthest < 0.5 * length_of(joints);
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const bool is_end = k == 0 || k + 1 == joints.size();
      if (ends_stay && is_end && all_.count(joints[k]) == 0) continue;
      result_.places[joints[k]] += dragged(joints, k);
    }
  }

  Vec3 dragged(const std::vector<Index>& joints, std::size_t k) const {
    Vec3 sum = Vec3::Zero();
    double weight = 0;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const auto anchor = all_.find(joints[i]);
      const double steps = std::abs(static_cast<double>(i) - static_cast<double>(k));
      const Vec3 way = anchor == all_.end() ? Vec3(Vec3::Zero()) : Vec3(anchor->second - before_.places[joints[i]]);
      const bool end = i == 0 || i + 1 == joints.size();
      if (anchor == all_.end() && !(end && i != k)) continue;
      const double w = 1 / (steps * steps + 1e-6);
      sum += w * way, weight += w;
    }
    return weight > 0 ? Vec3(sum / weight) : Vec3(Vec3::Zero());
  }

  /// Toes beyond an ankle, for instance.
  void move_beyond(Index last, const FoundLimb& found, double s) {
    if (!(found.last > 0) || s == found.last) return;
    for (Index j = last + 1; j < t_.joints.size(); ++j) {
      if (t_.joints[j].parent != last || !placed(j) || limb_of_[j] != kNone) continue;
      const double at = nearest_along(found.profile, before_.places[j]).s;
      result_.places[j] = found.profile.center(at * s / found.last);
    }
  }

  void move_trunk() {
    std::vector<Index> roots;
    for (const FoundLimb& found : before_.limbs) {
      const Template::Limb& limb = t_.limbs[found.limb];
      roots.push_back(limb.kind == "stem" ? limb.joints.back() : limb.joints.front());
    }
    for (const auto& [joint, place] : anchors_) {
      if (limb_of_[joint] != kNone || !placed(joint)) continue;
      result_.places[joint] = place;
      roots.push_back(joint);
    }
    if (roots.size() < 3) return;
    for (Index j = 0; j < t_.joints.size(); ++j) {
      if (!placed(j) || limb_of_[j] != kNone || anchors_.count(j) > 0 || is_beyond_limb(j)) continue;
      const Vec3& at = t_.joints[j].position;
      result_.places[j] +=
          moved_along(t_, turn_, result_.places, roots, at) - moved_along(t_, turn_, before_.places, roots, at);
    }
  }

  bool is_beyond_limb(Index j) const {
    return std::any_of(before_.limbs.begin(), before_.limbs.end(), [&](const FoundLimb& found) {
      return t_.limbs[found.limb].kind != "stem" && t_.limbs[found.limb].joints.back() == t_.joints[j].parent;
    });
  }

  /// An optional joint such as a finger may be anchored without those before it: they go between.
  void place_parents() {
    for (const auto& [joint, place] : anchors_) {
      std::vector<Index> missing;
      Index j = t_.joints[joint].parent;
      for (; j != kNone && result_.origins[j].empty(); j = t_.joints[j].parent) missing.push_back(j);
      if (j == kNone) continue;
      const Vec3 from = result_.places[j];
      const auto count = static_cast<double>(missing.size());
      for (std::size_t k = 0; k < missing.size(); ++k) {
        result_.places[missing[k]] = place + (static_cast<double>(k) + 1) / (count + 1) * (from - place);
        result_.origins[missing[k]] = "derived";
      }
    }
  }

  const Template& t_;
  const Mat3& turn_;
  const Anchors& anchors_;
  Anchors all_;  // With the first joints of limbs that go along with the trunk.
  const Anatomy before_;
  Anatomy& result_;
  std::vector<Index> limb_of_;
};

}  // namespace

void anchor_joints(const Template& skeleton_template, const Mat3& turn, const Anchors& anchors, Anatomy& anatomy) {
  if (!anchors.empty()) Anchoring(skeleton_template, turn, anchors, anatomy).run();
}

double anchor_distance(const Anatomy& anatomy, const Anchors& anchors, double tolerance) {
  double sum = 0;
  for (const auto& [joint, place] : anchors)
    if (!anatomy.origins[joint].empty()) sum += std::max(0.0, (anatomy.places[joint] - place).norm() - tolerance);
  return sum;
}

}  // namespace sinew::rigging
