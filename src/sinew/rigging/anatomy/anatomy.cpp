// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/anatomy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/rigging/anatomy/follow.h"

namespace sinew::rigging {
namespace {

/// The joint a limb's ways meet in: the nearest one above that the search places.
Index junction_of(const Template& t, const Template::Limb& limb) {
  Index j = t.joints[limb.joints.front()].parent;
  while (j != kNone && (t.joints[j].placement != Template::Placement::kSearched || t.joints[j].optional))
    j = t.joints[j].parent;
  return j;
}

/// The searched joint at the end of a limb: its last one, or a child of that.
Index leaf_of(const Template& t, const Template::Limb& limb) {
  const Index last = limb.joints.back();
  if (t.joints[last].placement == Template::Placement::kSearched) return last;
  for (Index j = last + 1; j < t.joints.size(); ++j)
    if (t.joints[j].parent == last && t.joints[j].placement == Template::Placement::kSearched) return j;
  return kNone;
}

/// Lengths of a limb in its template.
struct Lengths {
  double beyond = 0;  ///< Last joint to tip.
  double chain = 0;   ///< First joint to last.
  double inside = 0;  ///< From where ways meet to the first joint.

  double all() const { return beyond + chain + inside; }
};

Lengths lengths_of(const Template& t, const Template& searched, const Template::Limb& limb, Index junction) {
  Lengths lengths;
  for (std::size_t k = 1; k < limb.joints.size(); ++k)
    lengths.chain += (t.joints[limb.joints[k]].position - t.joints[limb.joints[k - 1]].position).norm();
  lengths.beyond = limb.tip ? (*limb.tip - t.joints[limb.joints.back()].position).norm() : limb.beyond * lengths.chain;
  lengths.inside = (t.joints[limb.joints.front()].position - searched.joints[junction].position).norm();
  return lengths;
}

/// Growth of the section's area per length, relative.
double growth_rate(const LimbProfile& profile, double s) {
  const double half = 1.5 * profile.step;
  return std::log(profile.area(s + half) / std::max(profile.area(s - half), 1e-12)) / (2 * half);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median area between two distances from the tip.
double usual_area(const LimbProfile& profile, double from, double to) {
  std::vector<double> areas;
  for (const LimbProfile::Slice& slice : profile.slices)
    if (slice.s >= from && slice.s <= to) areas.push_back(slice.area);
  return areas.empty() ? profile.area(0.5 * (from + to)) : median(std::move(areas));
}

/// Where the section grows fastest, near `expected`.
double fastest_growth(const LimbProfile& profile, double expected) {
  double best = expected;
  double best_value = -std::numeric_limits<double>::infinity();
  for (const LimbProfile::Slice& slice : profile.slices) {
    const double off = slice.s / expected - 1;
    if (off < -0.35 || off > 0.3) continue;
    const double half = std::max(1.5 * profile.step, 0.7 * slice.radius);
    const double growth = std::log(profile.area(slice.s + half) / std::max(profile.area(slice.s - half), 1e-12));
    const double value = growth - 4 * off * off;
    if (value > best_value) best_value = value, best = slice.s;
  }
  return best;
}

/// Where a limb opens into the body: before its fastest growth, the place where its section passes what is usual for
/// its upper part by `kOpening`.
double find_mouth(const LimbProfile& profile, double expected, double chain) {
  constexpr double kOpening = 1.6;
  const double peak = fastest_growth(profile, expected);
  const double usual = usual_area(profile, peak - 0.5 * chain, peak - 0.2 * chain);
  double s = peak + profile.radius(peak);
  while (s > 0.5 * expected && profile.area(s) > kOpening * usual) s -= 0.25 * profile.step;
  return s;
}

/// Of the slices between two shares of `expected`, and before `end`, the one of the least value; `expected` itself if
/// there are none.
template <class Value>
double least_slice(const LimbProfile& profile, double expected, double from, double to, double end, Value value) {
  double best = expected;
  double best_value = std::numeric_limits<double>::infinity();
  for (const LimbProfile::Slice& slice : profile.slices) {
    if (slice.s < from * expected || slice.s > to * expected || slice.s > end) continue;
    const double here = value(slice, slice.s / expected - 1);
    if (here < best_value) best_value = here, best = slice.s;
  }
  return best;
}

/// The wrist: the narrowest place after the hand, near `expected`.
double find_wrist(const LimbProfile& profile, double expected, double end) {
  std::size_t next = 0;
  double widest = 0;  // Of all slices up to the one in question.
  return least_slice(profile, expected, 0.55, 1.6, end, [&](const LimbProfile::Slice& slice, double off) {
    for (; next < profile.slices.size() && profile.slices[next].s <= slice.s; ++next)
      widest = std::max(widest, profile.slices[next].area);
    return 0.5 * std::log(slice.area / widest) + 1.5 * off * off;
  });
}

/// The ankle: where the section falls most after the heel, near `expected`.
double find_ankle(const LimbProfile& profile, double expected, double end) {
  return least_slice(profile, expected, 0.55, 1.6, end, [&](const LimbProfile::Slice& slice, double off) {
    return expected * growth_rate(profile, slice.s) + 2 * off * off;
  });
}

/// The narrowest place of the neck before the body, near `expected`.
double find_neck(const LimbProfile& profile, double expected, double end) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  return least_slice(profile, expected, 0.3, kAny, end, [](const LimbProfile::Slice& slice, double off) {
    return 0.5 * std::log(std::max(slice.area, 1e-12)) + 0.5 * off * off;
  });
}

/// How sharply the line from `a` over s to `b` bends, as the sine of half the turn.
double bend_at(const LimbProfile& profile, double s, double a, double b) {
  const Vec3 in = (profile.center(s) - profile.center(a)).normalized();
  const Vec3 out = (profile.center(b) - profile.center(s)).normalized();
  return (out - in).norm() / 2;
}

/// Of a joint between first and last: at its fraction, or where the limb bends most near there.
double find_bend(const LimbProfile& profile, double expected, double reach, double last, double first, bool& bent) {
  double best = expected;
  double best_value = 0.17;  // Less than 20 degrees is no bend.
  bent = false;
  for (const LimbProfile::Slice& slice : profile.slices) {
    if (std::abs(slice.s - expected) > reach) continue;
    const double off = (slice.s - expected) / reach;
    const double value =
        bend_at(profile, slice.s, std::max(last, slice.s - 2.2 * reach), std::min(first, slice.s + 2.2 * reach)) *
        (1 - 0.3 * off * off);
    if (value > best_value) best_value = value, best = slice.s, bent = true;
  }
  return best;
}

class Reader {
 public:
  Reader(const BodyWays& ways, const Template& t, const Fit& fit)
      : ways_(ways), t_(t), searched_(search_template(t)), fit_(fit) {
    result_.places.assign(t.joints.size(), Vec3::Zero());
    result_.origins.assign(t.joints.size(), {});
    junctions_ = fit.places;
  }

  Anatomy read() {
    read_limbs();
    if (meet_between_pairs()) {
      result_.limbs.clear();
      read_limbs();
    }
    follow_limbs();
    return std::move(result_);
  }

 private:
  /// Searches through the body are nearly all of the work. They run on all threads, in three rounds: from where limbs
  /// meet, for the limbs' tips, and from the tips.
  void read_limbs() {
    std::vector<Index> limbs;
    for (Index l = 0; l < t_.limbs.size(); ++l)
      if (!t_.joints[t_.limbs[l].joints.front()].optional && can_be_read(t_.limbs[l])) limbs.push_back(l);
    find_ways(limbs);
    tips_.assign(t_.limbs.size(), kNone);
    in_parallel(limbs, [&](Index l) { tips_[l] = tip_of(t_.limbs[l]); });
    look_inwards(limbs);
    for (const Index l : limbs) result_.limbs.push_back(t_.limbs[l].kind == "stem" ? read_stem(l) : read_limb(l));
  }

  template <class Body>
  static void in_parallel(const std::vector<Index>& limbs, Body&& body) {
    parallel_for(
        limbs.size(), [&](std::size_t i) { body(limbs[i]); }, 1);
  }

  bool can_be_read(const Template::Limb& limb) const {
    return limb.kind == "stem" || (junction_of(t_, limb) != kNone && leaf_of(t_, limb) != kNone);
  }

  /// The joint from which ways to a limb are measured.
  Index way_joint(const Template::Limb& limb) const {
    return limb.kind == "stem" ? limb.joints.back() : junction_of(t_, limb);
  }

  void find_ways(const std::vector<Index>& limbs) {
    std::vector<Index> joints;
    for (const Index l : limbs) {
      const Index joint = way_joint(t_.limbs[l]);
      if (from_.try_emplace(joint).second) joints.push_back(joint);
    }
    in_parallel(joints, [&](Index joint) { from_.at(joint) = ways_.all_from(junctions_[joint]); });
  }

  /// Slices from all tips, and ways between the feet of pairs of legs.
  void look_inwards(const std::vector<Index>& limbs) {
    profiles_.assign(t_.limbs.size(), {});
    between_feet_.assign(t_.limbs.size(), 0);
    std::vector<Index> all = limbs, partners(t_.limbs.size(), kNone);
    for (const Index l : limbs) {
      partners[l] = partner_leg(l);
      if (partners[l] != kNone && l < partners[l]) all.push_back(l);
    }
    parallel_for(
        all.size(),
        [&](std::size_t i) {
          const Index l = all[i];
          const std::vector<float>& from_body = ways_to(t_.limbs[l]);
          if (i < limbs.size()) profiles_[l] = limb_profile(ways_, from_body, tips_[l], 1.4 * from_body[tips_[l]]);
          else between_feet_[l] = foot_to_foot(l, partners[l]);
        },
        1);
    for (const Index l : limbs)
      if (partners[l] != kNone && partners[l] < l) between_feet_[l] = between_feet_[partners[l]];
  }

  Index partner_leg(Index l) const {
    const Index partner = t_.joints[t_.limbs[l].joints.front()].partner;
    if (t_.limbs[l].kind != "leg" || partner == kNone) return kNone;
    for (Index o = 0; o < t_.limbs.size(); ++o)
      if (t_.limbs[o].joints.front() == partner && tips_[o] != kNone && tips_[o] != tips_[l]) return o;
    return kNone;
  }

  /// Legs begin at the crotch, and the shortest way through the body from one foot to the other turns round there:
  /// halfway. 0 if there is no way.
  double foot_to_foot(Index l, Index other) const {
    const Index from = std::min(tips_[l], tips_[other]), to = std::max(tips_[l], tips_[other]);
    // The way over the joint in which the legs meet is one; distances are within a few percent of the truth.
    const double limit =
        1.1 * (double{ways_to(t_.limbs[l])[tips_[l]]} + double{ways_to(t_.limbs[other])[tips_[other]]}) +
        4 * ways_.cell();
    double between = ways_.from(from, limit)[to];
    if (!std::isfinite(between)) between = ways_.from(from)[to];
    return std::isfinite(between) ? between : 0;
  }

  const std::vector<float>& ways_to(const Template::Limb& limb) const { return *from_.at(way_joint(limb)); }

  Index tip_of(const Template::Limb& limb) const {
    if (limb.kind == "stem")
      return limb_tip(ways_, ways_to(limb), fit_.places[limb.joints.front()], 0.75, Vec3::Zero());
    const bool head = limb.kind == "head" || limb.kind == "neck";
    const Vec3 direction =
        head && limb.tip
            ? Vec3(fit_.turn.transpose() * (*limb.tip - t_.joints[limb.joints.back()].position).normalized())
            : Vec3(Vec3::Zero());
    const Lengths lengths = lengths_of(t_, searched_, limb, junction_of(t_, limb));
    const double share = limb.kind == "head" ? 0.3
                         : head              ? (lengths.inside + 0.4 * lengths.chain) / (lengths.inside + lengths.chain)
                         : limb.joints.size() == 1 ? 1.0
                                                   : 0.75;
    return limb_tip(ways_, ways_to(limb), fit_.places[leaf_of(t_, limb)], share, direction, limb.kind == "head");
  }

  /// What the body hangs on, as a hand on its forearm: from its end, where the root is, to its last joint, where it is
  /// narrowest near where that is expected.
  FoundLimb read_stem(Index l) {
    const Template::Limb& limb = t_.limbs[l];
    const Index root = limb.joints.front(), last = limb.joints.back();
    const std::vector<float>& from_body = ways_to(limb);
    FoundLimb found;
    found.limb = l;
    found.tip = tips_[l];
    found.profile = std::move(profiles_[l]);
    const double chain = (t_.joints[last].position - t_.joints[root].position).norm();
    const double beyond = limb.tip ? (*limb.tip - t_.joints[root].position).norm() : limb.beyond * chain;
    const double way = from_body[found.tip];
    const double inside = (searched_.joints[last].position - t_.joints[last].position).norm();
    found.last = find_wrist(found.profile, way * (beyond + chain) / (beyond + chain + inside), way);
    found.first = found.last * beyond / (beyond + chain);
    found.mouth = found.last;
    set(root, found.profile.center(std::max(found.first, 2 * found.profile.step)), "fraction");
    set(last, found.profile.center(found.last), "section");
    return found;
  }

  /// The search may put the joint in which limbs meet into the largest part near there, a big head say. Shoulders and
  /// hips are found all the same, so ways are better taken from between them. False if nothing moved far.
  bool meet_between_pairs() {
    bool moved = false;
    std::map<Index, std::vector<Vec3>> roots;
    for (const FoundLimb& found : result_.limbs) {
      const Template::Limb& limb = t_.limbs[found.limb];
      if (t_.joints[limb.joints.front()].partner != kNone)
        roots[junction_of(t_, limb)].push_back(result_.places[limb.joints.front()]);
    }
    for (const auto& [joint, places] : roots) {
      if (places.size() != 2) continue;
      const Vec3 middle = ways_.center(ways_.nearest(0.5 * (places[0] + places[1])));
      const double reach = std::max(0.03, 0.5 * (places[0] - places[1]).norm());
      if ((middle - junctions_[joint]).norm() < reach) continue;
      junctions_[joint] = middle;
      from_.erase(joint);
      moved = true;
    }
    return moved;
  }

  FoundLimb read_limb(Index l) {
    const Template::Limb& limb = t_.limbs[l];
    const Index leaf = leaf_of(t_, limb);
    const std::vector<float>& from_body = ways_to(limb);
    const Lengths lengths = lengths_of(t_, searched_, limb, junction_of(t_, limb));
    FoundLimb found;
    found.limb = l;
    found.tip = tips_[l];
    found.profile = std::move(profiles_[l]);
    const double scale = from_body[found.tip] / lengths.all();
    found.mouth = find_mouth(found.profile, scale * (lengths.beyond + lengths.chain), scale * lengths.chain);
    if (between_feet_[l] > 0) found.mouth = 0.5 * between_feet_[l];
    find_ends(limb, lengths, scale, leaf != limb.joints.back(), found);
    place_limb(limb, found, leaf);
    return found;
  }

  void find_ends(const Template::Limb& limb, const Lengths& lengths, double scale, bool has_foot,
                 FoundLimb& found) const {
    const LimbProfile& profile = found.profile;
    if (limb.kind == "head") {
      const double way = scale * lengths.all();
      const double neck = find_neck(profile, scale * (lengths.beyond + 0.5 * lengths.chain), way);
      found.mouth = std::max(found.mouth, std::min(neck + 0.3 * way, profile.length()));
      const double width = std::sqrt(profile.area(neck) / kPi);
      found.first = neck;
      while (found.first < found.mouth && profile.area(found.first) < 1.15 * profile.area(neck))
        found.first += 0.25 * profile.step;
      found.last = std::max(0.4 * neck, neck - 0.7 * width);
      return;
    }
    found.first = found.mouth + limb.inset * profile.radius(found.mouth - profile.radius(found.mouth));
    // What the limb's own length says of the rest.
    const double expected = found.first * lengths.beyond / (lengths.beyond + lengths.chain);
    if (limb.kind == "arm") found.last = find_wrist(profile, expected, 0.7 * found.first);
    else if (has_foot) found.last = 0.9 * find_ankle(profile, expected, 0.5 * found.first);
    else found.last = expected;
  }

  void place_limb(const Template::Limb& limb, const FoundLimb& found, Index leaf) {
    const LimbProfile& profile = found.profile;
    const double chain = found.first - found.last;
    // The first joint lies on the limb's own line, not in the middle of the body that the slices run into.
    const double radius = profile.radius(found.mouth);
    const double half = found.mouth - 0.5 * (found.mouth - found.last);
    const Vec3 along =
        (profile.center(found.mouth - 0.5 * radius) - profile.center(std::min(half, found.mouth - radius)))
            .normalized();
    if (limb.kind == "head") set(limb.joints.front(), profile.center(found.first), "section");
    else
      set(limb.joints.front(), profile.center(found.mouth - radius) + (found.first - found.mouth + radius) * along,
          "section");
    if (limb.joints.size() > 1) set(limb.joints.back(), profile.center(found.last), "section");
    for (std::size_t k = 1; k + 1 < limb.joints.size(); ++k) {
      const double expected = found.first - t_.joints[limb.joints[k]].fraction * chain;
      bool bent = false;
      const double s = find_bend(profile, expected, 0.12 * chain, found.last, found.mouth, bent);
      set(limb.joints[k], profile.center(s), bent ? "bend" : "fraction");
    }
    if (leaf != limb.joints.back() && limb.tip) {
      const Vec3& at = t_.joints[leaf].position;
      const double out = (*limb.tip - at).norm();
      const double in = (at - t_.joints[limb.joints.back()].position).norm();
      set(leaf, profile.center(found.last * out / (out + in)), "fraction");
    }
  }

  void follow_limbs() {
    std::vector<Index> anchors;
    for (Index j = 0; j < t_.joints.size(); ++j)
      if (!result_.origins[j].empty()) anchors.push_back(j);
    std::vector<Index> roots;
    for (const FoundLimb& found : result_.limbs)
      roots.push_back(t_.limbs[found.limb].kind == "stem" ? t_.limbs[found.limb].joints.back()
                                                          : t_.limbs[found.limb].joints.front());
    for (Index j = 0; j < t_.joints.size(); ++j) {
      if (!result_.origins[j].empty() || t_.joints[j].optional || roots.size() < 3) continue;
      set(j, moved_along(t_, fit_.turn, result_.places, roots, t_.joints[j].position), "derived");
    }
  }

  void set(Index joint, const Vec3& place, const char* origin) {
    result_.places[joint] = place;
    result_.origins[joint] = origin;
  }

  const BodyWays& ways_;
  const Template& t_;
  Template searched_;
  const Fit& fit_;
  std::vector<Vec3> junctions_;  // Where ways meet, per joint.
  std::map<Index, BodyWays::Field> from_;
  std::vector<Index> tips_;            // Per limb.
  std::vector<LimbProfile> profiles_;  // Per limb.
  std::vector<double> between_feet_;   // Per limb: the way to its partner's foot, or 0.
  Anatomy result_;
};

}  // namespace

Anatomy read_anatomy(const BodyWays& ways, const Template& skeleton_template, const Fit& fit) {
  return Reader(ways, skeleton_template, fit).read();
}

double feet_ahead(const Interior& interior, const Mat3& turn) {
  const Vec3 up = turn.row(1).transpose(), forward = turn.row(2).transpose();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Index v : interior.voxels.solid) {
    const double y = up.dot(interior.voxels.center(v));
    low = std::min(low, y), high = std::max(high, y);
  }
  const double height = high - low;
  double ground = 0, above = 0, ground_count = 0, above_count = 0;
  for (const Index v : interior.voxels.solid) {
    const Vec3 p = interior.voxels.center(v);
    const double y = (up.dot(p) - low) / height;
    if (y < 0.035) ground += forward.dot(p), ++ground_count;
    else if (y > 0.07 && y < 0.13) above += forward.dot(p), ++above_count;
  }
  return ground_count > 0 && above_count > 0 ? (ground / ground_count - above / above_count) / height : 0;
}

double shape_cost(const Template& skeleton_template, const Mat3& turn, const Anatomy& anatomy) {
  constexpr double kLengthShare = 0.15;
  struct Bone {
    Vec3 wanted, found;
  };
  std::vector<Bone> bones;
  double wanted = 0, found = 0;
  for (Index j = 0; j < skeleton_template.joints.size(); ++j) {
    const Template::Joint& joint = skeleton_template.joints[j];
    const auto counts = [&](Index i) {
      return !anatomy.origins[i].empty() && skeleton_template.joints[i].placement != Template::Placement::kDerived;
    };
    Index parent = joint.parent;
    while (parent != kNone && !counts(parent)) parent = skeleton_template.joints[parent].parent;
    if (parent == kNone || !counts(j)) continue;
    bones.push_back({joint.position - skeleton_template.joints[parent].position,
                     turn * (anatomy.places[j] - anatomy.places[parent])});
    wanted += bones.back().wanted.norm();
    found += bones.back().found.norm();
  }
  if (!(found > 0)) return std::numeric_limits<double>::infinity();
  double cost = 0;
  for (const Bone& bone : bones) {
    const double length = std::max(bone.found.norm(), 1e-6);
    const double cosine = bone.wanted.dot(bone.found) / (bone.wanted.norm() * length);
    const double stretch = std::log(length / found * wanted / bone.wanted.norm());
    cost += bone.wanted.norm() / wanted * (1 - cosine + kLengthShare * stretch * stretch);
  }
  return cost;
}

}  // namespace sinew::rigging
