// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/extras.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/rigging/anatomy/branches.h"
#include "sinew/rigging/build/role.h"

namespace sinew::rigging {
namespace {

constexpr double kDiameters = 1.2;  // Of a chain per joint.
constexpr double kStub = 3.5;       // Not so many mean radii long: a single joint.
constexpr double kMostJoints = 6;
constexpr double kInside = 0.5;       // How far the first joint lies inside, in radii there.
constexpr double kAlike = 0.2;        // Least agreement of ways and places with a limb of the template, of 1.
constexpr double kApart = 0.03;       // Mirror images lie so near to each other, or
constexpr double kApartRel = 0.25;    // so near for their length.
constexpr double kSlenderChain = 4;   // Least length of a chain in mean radii,
constexpr double kLongOnLimb = 0.3;   // On an arm or a leg of a person, in the interior's frame.
constexpr double kSlenderPair = 2.5;  // of one of two mirror images this; of a tail,
constexpr double kSlenderTail = 2;    // which leaves the rear, this.
constexpr double kUnlike = 1.35;      // Lengths of mirror images differ by less than this factor.

// One chain to be: a line in model space.
struct Chain {
  BranchLine line;
  Index joint = kNone;         // Of the plan: what it hangs on.
  Index fork_of = kNone;       // Chain.
  Index partner = kNone;       // Chain.
  Index limb = kNone;          // Of the template.
  std::vector<Index> joints;   // Of the plan, once added,
  std::vector<double> places;  // and where along the line.
};

bool is_hand_or_foot(std::string_view role) {
  constexpr std::array<std::string_view, 11> kWords = {"hand",   "foot", "toe",    "paw",    "thumb", "index",
                                                       "middle", "ring", "little", "finger", "eye"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return role.find(word) != std::string_view::npos; });
}

double mean_width(const BranchLine& line) {
  double sum = 0;
  for (const double w : line.widths) sum += w;
  return line.widths.empty() ? 0 : sum / static_cast<double>(line.widths.size());
}

class ExtraPlanner {
 public:
  ExtraPlanner(SkeletonPlan& plan, const Interior& interior, const Template& skeleton_template)
      : plan_(plan), interior_(interior), template_(skeleton_template) {}

  void take(const std::vector<Protrusion>& found) {
    const PlanBones explained = plan_bones(plan_, interior_);
    std::vector<Index> as(found.size(), kNone);
    for (Index i = 0; i < found.size(); ++i) {
      const Protrusion& p = found[i];
      const Index joint = explained.joints[p.bone];
      if (is_hand_or_foot(plan_.joints[joint].role)) continue;
      Chain chain;
      chain.joint = joint;
      chain.fork_of = p.fork_of;
      for (const Vec3& q : p.line) chain.line.points.push_back(interior_.to_model(q));
      for (const double r : p.radii) chain.line.radii.push_back(r / interior_.scale);
      for (const double w : p.widths) chain.line.widths.push_back(w / interior_.scale);
      chain.line.length = p.length / interior_.scale;
      if (p.fork_of == kNone) chain.joint = on_trunk(chain, joint);
      as[i] = static_cast<Index>(chains.size());
      chains.push_back(std::move(chain));
    }
    for (Chain& chain : chains)
      if (chain.fork_of != kNone) chain.fork_of = as[chain.fork_of];
  }

  void add() {
    pair_up();
    drop_bulges();
    mirror_single();
    if (plan_.symmetric) make_symmetric();
    match_limbs();
    for (Chain& chain : chains) reach_inside(chain);
    Index number = 0;
    for (Index i = 0; i < chains.size(); ++i) {
      if (!chains[i].joints.empty()) continue;
      const Index partner = chains[i].partner;
      if (chains[i].limb != kNone) {
        add_limb(chains[i]);
        continue;
      }
      ++number;
      const std::string name = fmt::format("Extra{}", number);
      if (partner == kNone || chains[partner].limb != kNone) {
        add_chain(chains[i], name, joint_count(chains[i]));
        continue;
      }
      const std::size_t joints = joint_count(chains[std::min(i, partner)]);
      add_chain(chains[i], side(chains[i]) + name, joints);
      add_chain(chains[partner], side(chains[partner]) + name, joints);
      link(chains[i], chains[partner]);
    }
    link_limbs();
  }

  std::vector<Chain> chains;

 private:
  double off_plane(const Vec3& p) const { return (p - plan_.mirror_point).dot(plan_.left); }
  Vec3 mirrored(const Vec3& p) const { return p - 2 * off_plane(p) * plan_.left; }
  const char* side(const Chain& chain) const {
    return off_plane(chain.line.at(0.5 * chain.line.length)) > 0 ? "Left" : "Right";
  }
  Vec3 body_frame(const Vec3& way) const { return {way.dot(plan_.left), way.dot(plan_.up), way.dot(plan_.forward)}; }

  bool is_central(const Chain& chain) const {
    const double s = 0.5 * chain.line.length;
    return std::abs(off_plane(chain.line.at(s))) <= std::max(chain.line.width(0), 0.2 * s);
  }

  // What leaves a thigh in the middle of the body leaves the hips: a tail hangs close to the legs.
  Index on_trunk(const Chain& chain, Index joint) const {
    if (!is_central(chain)) return joint;
    while (plan_.joints[joint].parent != kNone && parse_role(plan_.joints[joint].role).side != BodySide::kMiddle)
      joint = plan_.joints[joint].parent;
    return joint;
  }

  // Bellies, udders and humps are no limbs: away from the head and the tail a chain must be slender, and what hangs
  // down in the middle of a body on four legs must not be there at all.
  bool is_bulge(const Chain& chain) const {
    const Role role = parse_role(plan_.joints[chain.joint].role);
    if (role.is("head") || chain.fork_of != kNone) return false;
    const Vec3 root = chain.line.points.front(), way = chain.line.points.back() - root;
    const bool central = chain.partner == kNone && is_central(chain);
    const bool rear = role.is("hips") && (root - plan_.joints[chain.joint].position).dot(plan_.forward) < 0;
    const bool under =
        is_animal() && central && !rear && !role.is("neck") && way.dot(plan_.up) < 0.3 * chain.line.length;
    const double least = rear && central ? kSlenderTail : chain.partner != kNone ? kSlenderPair : kSlenderChain;
    // A symmetric animal has nothing on one leg alone.
    const bool alone =
        is_animal() && plan_.symmetric && chain.partner == kNone && !central && role.side != BodySide::kMiddle;
    return under || alone || is_worn(chain, role) || chain.line.length < least * mean_width(chain.line);
  }

  // What a person has on an arm or a leg is worn or held: a lock of hair over the shoulder, a cuff, a strap. Wings and
  // such are longer.
  bool is_worn(const Chain& chain, const Role& role) const {
    return template_.name == "human" && role.side != BodySide::kMiddle &&
           chain.line.length * interior_.scale < kLongOnLimb;
  }

  bool is_animal() const {
    return plan_.find_role("left_hand_2") != kNone || template_.plan || template_.name == "bird";
  }

  // An ear or a horn that was found on one side alone, because the grid cut off the other.
  void mirror_single() {
    if (!plan_.symmetric || !is_animal()) return;
    const std::size_t count = chains.size();
    for (Index i = 0; i < count; ++i) {
      if (chains[i].partner != kNone || chains[i].fork_of != kNone || is_central(chains[i])) continue;
      if (plan_.joints[chains[i].joint].partner != kNone) continue;
      Chain image = chains[i];
      for (Vec3& p : image.line.points) p = mirrored(p);
      image.partner = i;
      chains[i].partner = static_cast<Index>(chains.size());
      chains.push_back(std::move(image));
    }
  }

  void drop_bulges() {
    std::vector<Index> as(chains.size(), kNone);
    std::vector<Chain> kept;
    for (Index i = 0; i < chains.size(); ++i) {
      if (is_bulge(chains[i])) continue;
      as[i] = static_cast<Index>(kept.size());
      kept.push_back(std::move(chains[i]));
    }
    for (Chain& chain : kept) {
      if (chain.fork_of != kNone) chain.fork_of = as[chain.fork_of];
      if (chain.partner != kNone) chain.partner = as[chain.partner];
    }
    chains = std::move(kept);
  }

  // How far two are from being mirror images; nothing below 0.
  double mismatch(const Chain& a, const Chain& b) const {
    const double shorter = std::min(a.line.length, b.line.length), longer = std::max(a.line.length, b.line.length);
    if (longer > kUnlike * shorter) return -1;
    double worst = 0;
    for (const double t : {0.0, 0.5, 1.0}) {
      const Vec3 p = a.line.at(t * a.line.length), q = b.line.at(t * b.line.length);
      if (off_plane(p) * off_plane(q) > 0 && t > 0) return -1;
      worst = std::max(worst, (mirrored(p) - q).norm());
    }
    const bool apart = std::abs(off_plane(a.line.at(0.5 * a.line.length))) > 0.5 * a.line.width(0.5 * a.line.length);
    return apart && worst <= std::max(kApart / interior_.scale, kApartRel * shorter) ? worst : -1;
  }

  void pair_up() {
    std::vector<std::tuple<double, Index, Index>> pairs;
    for (Index i = 0; i < chains.size(); ++i)
      for (Index j = i + 1; j < chains.size(); ++j)
        if (const double worst = mismatch(chains[i], chains[j]); worst >= 0) pairs.emplace_back(worst, i, j);
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [worst, i, j] : pairs) {
      if (chains[i].partner != kNone || chains[j].partner != kNone) continue;
      chains[i].partner = j;
      chains[j].partner = i;
    }
  }

  void make_symmetric() {
    for (Index i = 0; i < chains.size(); ++i) {
      BranchLine& line = chains[i].line;
      const Index other = chains[i].partner;
      if (other == kNone) {
        // In the plane if all of it nearly is.
        bool central = true;
        for (std::size_t k = 0; k < line.points.size(); ++k)
          central = central && std::abs(off_plane(line.points[k])) <= std::max(line.widths[k], line.widths.front());
        if (central)
          for (Vec3& p : line.points) p -= off_plane(p) * plan_.left;
      } else if (i < other) {
        BranchLine& there = chains[other].line;
        const std::vector<Vec3> own = line.points;
        for (std::size_t k = 0; k < own.size(); ++k) {
          const double t = own.size() > 1 ? static_cast<double>(k) / static_cast<double>(own.size() - 1) : 0;
          line.points[k] = 0.5 * (own[k] + mirrored(there.at(t * there.length)));
        }
        const Index partner = plan_.joints[chains[i].joint].partner;
        chains[other].joint = partner != kNone ? partner : chains[i].joint;
        there = line;
        for (Vec3& p : there.points) p = mirrored(p);
      }
    }
  }

  bool lacks(const Template::Limb& limb) const {
    return !limb.joints.empty() && std::all_of(limb.joints.begin(), limb.joints.end(), [&](Index j) {
      const Template::Joint& joint = template_.joints[j];
      return std::none_of(plan_.joints.begin(), plan_.joints.end(), [&](const PlannedJoint& there) {
        return there.name == joint.name || (!joint.role.empty() && there.role == joint.role);
      });
    });
  }

  // How well a chain could be a limb of the template, at most 1; 0 if it cannot.
  double likeness(const Chain& chain, const Template::Limb& limb) const {
    const Template::Joint& first = template_.joints[limb.joints.front()];
    if (chain.fork_of != kNone || first.parent == kNone) return 0;
    const Template::Joint& parent = template_.joints[first.parent];
    const Index from = plan_.find_role(parent.role);
    if (from == kNone) return 0;
    if (chain.joint != from && plan_.joints[chain.joint].parent != from && plan_.joints[from].parent != chain.joint)
      return 0;
    const Vec3 root = chain.line.points.front(), tip = chain.line.points.back();
    const double aside = off_plane(chain.line.at(0.5 * chain.line.length));
    const bool central = is_central(chain);
    if (first.partner == kNone ? !central : central || aside * first.position.x() <= 0) return 0;
    const Vec3 end = limb.tip ? *limb.tip : template_.joints[limb.joints.back()].position;
    const auto cosine = [](const Vec3& a, const Vec3& b) {
      const double size = a.norm() * b.norm();
      return size > 0 ? a.dot(b) / size : 0.0;
    };
    const double way = cosine(body_frame(tip - root), end - first.position);
    const double place = cosine(body_frame(root - plan_.joints[from].position), first.position - parent.position);
    // A tail may be held anywhere; what leaves the rear of the hips in the middle is one.
    if (limb.kind == "tail" && place > 0 && (tip - root).dot(plan_.forward) < 0.3 * chain.line.length)
      return std::max(kAlike, 0.5 * (way + place));
    return 0.5 * (way + place);
  }

  void match_limbs() {
    std::vector<std::tuple<double, Index, Index>> fits;  // Best first.
    for (Index l = 0; l < template_.limbs.size(); ++l) {
      if (!lacks(template_.limbs[l])) continue;
      for (Index c = 0; c < chains.size(); ++c) {
        // Two that look alike: the longer one.
        const double size = chains[c].line.length * interior_.scale;
        const double fit = likeness(chains[c], template_.limbs[l]);
        if (fit >= kAlike) fits.emplace_back(-(fit + size), l, c);
      }
    }
    std::sort(fits.begin(), fits.end());
    std::vector<bool> used(template_.limbs.size(), false);
    for (const auto& [cost, l, c] : fits) {
      if (used[l] || chains[c].limb != kNone) continue;
      used[l] = true;
      chains[c].limb = l;
    }
  }

  void reach_inside(Chain& chain) const {
    BranchLine& line = chain.line;
    double inset = kInside;
    if (chain.limb != kNone) inset = std::max(inset, template_.limbs[chain.limb].inset);
    const Vec3 inwards = -line.direction(0, std::max(line.width(0), 0.2 * line.length));
    double step = inset * line.radii.front();
    const auto outside = [&](double way) {
      return geometry::sample(interior_.depth, interior_.to_unit(line.points.front() + way * inwards)) >
             -interior_.voxels.cell;
    };
    while (step > 1e-3 * line.length && outside(step)) step *= 0.5;
    if (outside(step)) return;
    // The steps stay even: the whole line is laid again.
    BranchLine longer;
    longer.length = line.length + step;
    const std::size_t parts = line.points.size();
    for (std::size_t i = 0; i <= parts; ++i) {
      const double s = longer.length * static_cast<double>(i) / static_cast<double>(parts) - step;
      longer.points.push_back(s < 0 ? Vec3(line.points.front() - s * inwards) : line.at(s));
      longer.widths.push_back(line.width(s));
      const auto k = static_cast<std::size_t>(std::clamp(s / line.length, 0.0, 1.0) * static_cast<double>(parts - 1));
      longer.radii.push_back(line.radii[std::min(k, parts - 1)]);
    }
    line = std::move(longer);
  }

  static std::size_t joint_count(const Chain& chain) {
    const double width = std::max(mean_width(chain.line), 1e-9 * chain.line.length);
    if (chain.line.length < kStub * width) return 1;
    return static_cast<std::size_t>(
        std::clamp(std::round(chain.line.length / (2 * kDiameters * width)), 2.0, kMostJoints));
  }

  Index parent_of(const Chain& chain) const {
    if (chain.fork_of == kNone) return chain.joint;
    const Chain& stem = chains[chain.fork_of];
    if (stem.joints.empty()) return chain.joint;
    // The last joint before the place of the stem that is nearest to the fork.
    const Vec3 root = chain.line.points.front();
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < stem.line.points.size(); ++k) {
      const double gap = (stem.line.points[k] - root).norm();
      if (gap < least) {
        least = gap;
        best = stem.line.length * static_cast<double>(k) / static_cast<double>(stem.line.points.size() - 1);
      }
    }
    std::size_t k = 0;
    while (k + 1 < stem.joints.size() && stem.places[k + 1] <= best) ++k;
    return stem.joints[k];
  }

  Vec3 bend_axis(const Chain& chain) const {
    const Vec3 way = chain.line.points.back() - chain.line.points.front();
    const double aside = way.dot(plan_.left) / std::max(way.norm(), 1e-300);
    if (std::abs(aside) < 0.8) return plan_.left;
    return aside > 0 ? plan_.forward : Vec3(-plan_.forward);
  }

  Index add_joint(Chain& chain, std::string name, double place, bool last) {
    PlannedJoint joint;
    joint.name = std::move(name);
    joint.parent = chain.joints.empty() ? parent_of(chain) : chain.joints.back();
    joint.position = chain.line.at(place);
    joint.bend_axis = bend_axis(chain);
    joint.origin = "extra";
    joint.confidence = 0.8;
    if (last) joint.end = chain.line.points.back();
    plan_.joints.push_back(std::move(joint));
    chain.joints.push_back(static_cast<Index>(plan_.joints.size() - 1));
    chain.places.push_back(place);
    return chain.joints.back();
  }

  void add_chain(Chain& chain, const std::string& name, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      add_joint(chain, fmt::format("{}_{}", name, k + 1),
                chain.line.length * static_cast<double>(k) / static_cast<double>(count), k + 1 == count);
  }

  void add_limb(Chain& chain) {
    const Template::Limb& limb = template_.limbs[chain.limb];
    const double whole = chain.line.length / (1 + std::max(0.0, limb.beyond));
    for (std::size_t k = 0; k < limb.joints.size(); ++k) {
      const Template::Joint& joint = template_.joints[limb.joints[k]];
      const double place = limb.joints.size() == 1 ? 0 : whole * joint.fraction;
      const Index j = add_joint(chain, joint.name, place, k + 1 == limb.joints.size());
      plan_.joints[j].role = joint.role;
      plan_.joints[j].limits = joint.limits;
      if (k == 0) plan_.joints[j].parent = plan_.find_role(template_.joints[joint.parent].role);
    }
  }

  void link(const Chain& a, const Chain& b) {
    for (std::size_t k = 0; k < a.joints.size() && k < b.joints.size(); ++k) {
      plan_.joints[a.joints[k]].partner = b.joints[k];
      plan_.joints[b.joints[k]].partner = a.joints[k];
    }
  }

  void link_limbs() {
    for (const Chain& a : chains)
      for (const Chain& b : chains)
        if (a.limb != kNone && b.limb != kNone &&
            template_.joints[template_.limbs[a.limb].joints.front()].partner == template_.limbs[b.limb].joints.front())
          link(a, b);
  }

  SkeletonPlan& plan_;
  const Interior& interior_;
  const Template& template_;
};

}  // namespace

PlanBones plan_bones(const SkeletonPlan& plan, const Interior& interior) {
  PlanBones result;
  std::vector<bool> leaf(plan.joints.size(), true);
  for (const PlannedJoint& joint : plan.joints)
    if (joint.parent != kNone) leaf[joint.parent] = false;
  const auto add = [&](Index joint, const Vec3& a, const Vec3& b) {
    result.bones.push_back({{interior.to_unit(a), interior.to_unit(b)}});
    result.joints.push_back(joint);
  };
  for (Index j = 0; j < plan.joints.size(); ++j) {
    const PlannedJoint& joint = plan.joints[j];
    if (joint.parent != kNone) add(joint.parent, plan.joints[joint.parent].position, joint.position);
    // A joint with children may have an end as well: a head with eyes.
    if (leaf[j] || joint.end) add(j, joint.position, joint.end.value_or(joint.position));
  }
  return result;
}

Findings add_extras(SkeletonPlan& plan, const Interior& interior, const std::string& mode,
                    const Template& skeleton_template) {
  if (plan.joints.empty()) return {};
  return add_extras(plan, interior, mode, skeleton_template, protrusions(interior, plan_bones(plan, interior).bones));
}

Findings add_extras(SkeletonPlan& plan, const Interior& interior, const std::string& mode,
                    const Template& skeleton_template, const std::vector<Protrusion>& found) {
  ExtraPlanner planner(plan, interior, skeleton_template);
  planner.take(found);
  if (planner.chains.empty()) return {};
  if (mode != "rigid") {
    planner.add();
    return {};
  }
  Findings findings;
  for (const Chain& chain : planner.chains) {
    const std::string& name = plan.joints[chain.joint].name;
    findings.push_back({"rigging.extras_rigid", name,
                        fmt::format("A part {:.2g} m long protrudes from the body at {} and is attached rigidly. Set "
                                    "the option 'extras' to 'chains' to give it joints.",
                                    chain.line.length, name)});
  }
  return findings;
}

}  // namespace sinew::rigging
