// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/match/joint_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "sinew/core/options.h"
#include "sinew/core/text.h"
#include "sinew/motion/names/joint_words.h"
#include "sinew/transfer/match/joint_body.h"
#include "sinew/transfer/match/joint_chains.h"

namespace sinew::transfer {
namespace {

using motion::BodyPart;
using motion::JointRole;

/// Children that lie farther apart than this, as directions from their parents (cosine), are no partners by place.
constexpr double kSameWay = 0.5;
/// Nor are those whose bones, measured by the bodies, differ by more than this factor.
constexpr double kSameLength = 3;

/// How sure a pair is.
enum Strength { kPlace, kRole, kName, kGiven };
constexpr std::array<const char*, 4> kWords = {"place", "role", "name", "given"};

struct Candidate {
  Index reference, target;
  Strength strength;
};

// Words of letters, in lower case: "p_l_upLeg_twist0" is p, l, up, leg, twist.
std::vector<std::string> letter_words(std::string_view name) {
  std::vector<std::string> words(1);
  char before = 0;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    const bool capital = std::isupper(u) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
    if ((std::isalpha(u) == 0 || capital) && !words.back().empty()) words.emplace_back();
    if (std::isalpha(u) != 0) words.back() += static_cast<char>(std::tolower(u));
    before = c;
  }
  return words;
}

bool named_as_helper(std::string_view name) {
  static constexpr std::array<const char*, 14> kHelperWords = {
      "twist", "twst",   "roll",  "helper", "hlp", "corrective", "correction",
      "corr",  "muscle", "bulge", "driven", "fix", "twistbone",  "adjust"};
  const std::vector<std::string> words = letter_words(name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return std::any_of(kHelperWords.begin(), kHelperWords.end(), [&](const char* known) { return word == known; });
  });
}

// Letters and digits alone, without name space and the prefix of Mixamo's.
std::string bare_name(std::string_view name) {
  std::string bare;
  for (const char c : motion::plain_name(name))
    if (c != '_') bare += c;
  constexpr std::string_view kMixamo = "mixamorig";
  return bare.starts_with(kMixamo) && bare.size() > kMixamo.size() ? bare.substr(kMixamo.size()) : bare;
}

bool is_trunk(BodyPart part) { return part == BodyPart::kSpine || part == BodyPart::kChest; }

bool comes_in_row(BodyPart part) {
  return part == BodyPart::kSpine || part == BodyPart::kTail || part == BodyPart::kWing ||
         (part >= BodyPart::kThumb && part <= BodyPart::kLittle);
}

/// One mapping on its way.
class Mapper {
 public:
  Mapper(const JointBody& reference, const JointBody& target)
      : r_(reference),
        t_(target),
        partner_(reference.count(), kNone),
        owner_(target.count(), kNone),
        left_out_(reference.count(), 0),
        strength_(reference.count(), kPlace) {
    turn_ = r_.axes() * t_.axes().transpose();
  }

  void take_given(const std::map<std::string, std::string>& given);
  void by_names();
  void by_roles();
  void drop_contradictions();
  void by_places();
  JointMap result();

 private:
  bool free(Index r, Index t) const {
    return r_.counts[r] != 0 && t_.counts[t] != 0 && partner_[r] == kNone && owner_[t] == kNone && left_out_[r] == 0;
  }
  bool sides_agree(Index r, Index t) const { return r_.side_of(r) * t_.side_of(t) >= 0; }
  bool trees_agree(const Candidate& a, const Candidate& b) const {
    return r_.above(a.reference, b.reference) == t_.above(a.target, b.target) &&
           r_.above(b.reference, a.reference) == t_.above(b.target, a.target);
  }
  bool may_pair(Index r, Index t, bool between = false) const;
  void set(Index r, Index t, Strength strength) {
    partner_[r] = t;
    owner_[t] = r;
    strength_[r] = strength;
  }
  bool offer(Index r, Index t, bool between);
  std::vector<Candidate> all() const;
  bool mapped_below(const JointBody& body, const std::vector<Index>& partner, Index joint) const;
  std::vector<Index> open_children(const JointBody& body, const std::vector<Index>& partner, Index joint) const;
  std::vector<Index> open_chain(const JointBody& body, Index joint) const;
  bool pair_between(Index r);
  bool pair_below(Index r);
  bool pair_chains(Index r, Index child_r, Index child_t);
  double cost(Index r, Index child_r, Index child_t) const;
  Vec3 end_of(const JointBody& body, const std::vector<Index>& chain) const;
  Index nearest_in_space(Index joint) const;

  const JointBody& r_;
  const JointBody& t_;
  Mat3 turn_;
  std::vector<Index> partner_;  // Per joint of the reference.
  std::vector<Index> owner_;    // Per joint of the target.
  std::vector<char> left_out_;  // Joints of the reference that shall have none.
  std::vector<Strength> strength_;
  Findings warnings_;
};

Index joint_named(const Skeleton& skeleton, const std::string& name, const char* whose) {
  if (const Index found = skeleton.find(name); found != kNone) return found;
  std::vector<std::string> known;
  for (const Joint& joint : skeleton.joints) known.push_back(joint.name);
  throw Error(fmt::format("The map names a joint '{}' that the {} does not have.{} `sinew info` lists its joints.",
                          name, whose, did_you_mean(name, known)));
}

void Mapper::take_given(const std::map<std::string, std::string>& given) {
  for (const auto& [from, to] : given) {
    const Index r = joint_named(r_.side.skeleton, from, "reference");
    if (to.empty()) {
      left_out_[r] = 1;
      continue;
    }
    const Index t = joint_named(t_.side.skeleton, to, "target");
    if (owner_[t] != kNone)
      throw Error(fmt::format("The map assigns '{}' of the target to two joints of the reference, '{}' and '{}'.", to,
                              r_.name(owner_[t]), from));
    set(r, t, kGiven);
  }
  const std::vector<Candidate> pairs = all();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t k = i + 1; k < pairs.size(); ++k)
      if (!trees_agree(pairs[i], pairs[k]))
        throw Error(
            fmt::format("The map is inconsistent: the hierarchy of '{}' and '{}' in the reference differs from that of "
                        "'{}' and '{}' in the target.",
                        r_.name(pairs[i].reference), r_.name(pairs[k].reference), t_.name(pairs[i].target),
                        t_.name(pairs[k].target)));
}

std::vector<Candidate> Mapper::all() const {
  std::vector<Candidate> pairs;
  for (Index r = 0; r < r_.count(); ++r)
    if (partner_[r] != kNone) pairs.push_back({r, partner_[r], strength_[r]});
  return pairs;
}

void Mapper::by_names() {
  const auto numbered = [](const JointBody& body) {
    std::unordered_map<std::string, std::vector<Index>> joints;
    for (Index j = 0; j < body.count(); ++j)
      if (body.counts[j] != 0) joints[bare_name(body.name(j))].push_back(j);
    return joints;
  };
  const auto of_reference = numbered(r_), of_target = numbered(t_);
  for (Index r = 0; r < r_.count(); ++r) {
    if (r_.counts[r] == 0) continue;
    const std::string name = bare_name(r_.name(r));
    const auto here = of_reference.find(name), there = of_target.find(name);
    // A name that comes several times tells nothing, unless it does so as often on both.
    if (there == of_target.end() || here->second.size() != there->second.size()) continue;
    const auto turn = std::find(here->second.begin(), here->second.end(), r) - here->second.begin();
    const Index t = there->second[static_cast<std::size_t>(turn)];
    const JointRole &role = r_.known.roles[r], &other = t_.known.roles[t];
    // "LeftLeg" is the thigh of one program and the shin of another.
    if (!role.empty() && !other.empty() && role.part != other.part) continue;
    if (free(r, t) && sides_agree(r, t)) set(r, t, kName);
  }
}

void Mapper::by_roles() {
  for (Index r = 0; r < r_.count(); ++r) {
    const JointRole& role = r_.known.roles[r];
    if (role.empty() || partner_[r] != kNone) continue;
    const bool row = role.number > 1 || comes_in_row(role.part);
    // Rows of other lengths are matched by place.
    if (row && r_.known.chain(role.part, role.side).size() != t_.known.chain(role.part, role.side).size()) continue;
    const Index t = t_.known.find(role.part, role.side, role.number);
    if (t != kNone && free(r, t)) set(r, t, kRole);
  }
}

void Mapper::drop_contradictions() {
  for (;;) {
    const std::vector<Candidate> pairs = all();
    std::vector<int> conflicts(pairs.size(), 0);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      for (std::size_t k = i + 1; k < pairs.size(); ++k)
        if (!trees_agree(pairs[i], pairs[k])) ++conflicts[i], ++conflicts[k];
    std::size_t worst = pairs.size();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (conflicts[i] == 0 || pairs[i].strength == kGiven) continue;
      if (worst == pairs.size() || conflicts[i] > conflicts[worst] ||
          (conflicts[i] == conflicts[worst] && pairs[i].strength <= pairs[worst].strength))
        worst = i;
    }
    if (worst == pairs.size()) return;
    const Candidate& gone = pairs[worst];
    partner_[gone.reference] = kNone;
    owner_[gone.target] = kNone;
    warnings_.push_back(
        {"transfer.map_dropped", r_.name(gone.reference),
         fmt::format("'{}' of the reference and '{}' of the target match by {}, but their positions in the hierarchy "
                     "differ. They are not treated as partners; the option 'map' can override this.",
                     r_.name(gone.reference), t_.name(gone.target), kWords[gone.strength])});
  }
}

// Between joints that have partners a joint may do the work of one with a role, though its own name does not tell.
bool Mapper::may_pair(Index r, Index t, bool between) const {
  if (!free(r, t) || !sides_agree(r, t)) return false;
  const JointRole &role = r_.known.roles[r], &other = t_.known.roles[t];
  if (between ? role.empty() || other.empty() : role.empty() && other.empty()) return true;
  if (is_trunk(role.part) && is_trunk(other.part)) return true;
  return role.part == other.part && role.side == other.side;
}

bool Mapper::offer(Index r, Index t, bool between) {
  if (!may_pair(r, t, between)) return false;
  const Candidate candidate{r, t, kPlace};
  for (const Candidate& other : all())
    if (!trees_agree(candidate, other)) return false;
  set(r, t, kPlace);
  return true;
}

bool Mapper::mapped_below(const JointBody& body, const std::vector<Index>& partner, Index joint) const {
  if (partner[joint] != kNone) return true;
  return std::any_of(body.below[joint].begin(), body.below[joint].end(),
                     [&](Index child) { return mapped_below(body, partner, child); });
}

// Children without partners in all that hangs on them.
std::vector<Index> Mapper::open_children(const JointBody& body, const std::vector<Index>& partner, Index joint) const {
  std::vector<Index> open;
  for (const Index child : body.below[joint])
    if (!mapped_below(body, partner, child)) open.push_back(child);
  return open;
}

// A joint and what goes on from it, to a leaf or where it branches.
std::vector<Index> Mapper::open_chain(const JointBody& body, Index joint) const {
  std::vector<Index> chain = {joint};
  while (body.below[chain.back()].size() == 1) chain.push_back(body.below[chain.back()].front());
  return chain;
}

// What lies between a joint and the next above it that has a partner.
bool Mapper::pair_between(Index r) {
  const auto path = [](const JointBody& body, const std::vector<Index>& partner, Index joint, Index& top) {
    std::vector<Index> between;
    for (top = body.counting_above(joint); top != kNone && partner[top] == kNone; top = body.counting_above(top))
      between.push_back(top);
    std::reverse(between.begin(), between.end());
    return between;
  };
  Index top_r = kNone, top_t = kNone;
  const Index t = partner_[r];
  const std::vector<Index> of_reference = path(r_, partner_, r, top_r), of_target = path(t_, owner_, t, top_t);
  if (top_r == kNone || top_t == kNone || partner_[top_r] != top_t) return false;
  const auto row = [](const JointBody& body, const std::vector<Index>& joints, Index top, Index end) {
    std::vector<Vec3> places;
    for (const Index j : joints) places.push_back(body.side.position(j));
    return joint_row(joints, places, body.side.position(top), body.side.position(end));
  };
  bool any = false;
  for (const auto& [a, b] : pair_rows(row(r_, of_reference, top_r, r), row(t_, of_target, top_t, t),
                                      [this](Index x, Index y) { return may_pair(x, y, true); }))
    any = offer(a, b, true) || any;
  return any;
}

double Mapper::cost(Index r, Index child_r, Index child_t) const {
  const Vec3 a = (r_.side.position(child_r) - r_.side.position(r)) / r_.size;
  const Vec3 b = turn_ * (t_.side.position(child_t) - t_.side.position(partner_[r])) / t_.size;
  const double refused = std::numeric_limits<double>::infinity();
  // What branches off to a side is no partner of what does so in the middle.
  if (!may_pair(child_r, child_t) || r_.side_of(child_r) != t_.side_of(child_t)) return refused;
  if (!(a.norm() > 0) || !(b.norm() > 0)) return a.norm() == b.norm() ? 0 : refused;
  const double ratio = a.norm() / b.norm();
  if (a.dot(b) < kSameWay * a.norm() * b.norm() || ratio > kSameLength || ratio < 1 / kSameLength) {
    // What names tell is enough.
    if (r_.known.roles[child_r].empty()) return refused;
  }
  return (a - b).norm() / (a.norm() + b.norm());
}

Vec3 Mapper::end_of(const JointBody& body, const std::vector<Index>& chain) const {
  const Vec3 last = body.side.position(chain.back());
  const Index above = chain.size() > 1 ? chain[chain.size() - 2] : body.counting_above(chain.back());
  return above == kNone ? last : Vec3(2 * last - body.side.position(above));
}

bool Mapper::pair_chains(Index r, Index child_r, Index child_t) {
  const std::vector<Index> a = open_chain(r_, child_r), b = open_chain(t_, child_t);
  const auto row = [this](const JointBody& body, const std::vector<Index>& chain, Index top) {
    std::vector<Vec3> places;
    for (const Index j : chain) places.push_back(body.side.position(j));
    return joint_row(chain, places, body.side.position(top), end_of(body, chain));
  };
  bool any = false;
  for (const auto& [x, y] :
       pair_rows(row(r_, a, r), row(t_, b, partner_[r]), [this](Index p, Index q) { return may_pair(p, q); }))
    any = offer(x, y, false) || any;
  return any;
}

// What hangs on a pair and has no partner yet: those that go the same way.
bool Mapper::pair_below(Index r) {
  struct Offer {
    double cost;
    Index reference, target;
  };
  std::vector<Offer> offers;
  for (const Index a : open_children(r_, partner_, r))
    for (const Index b : open_children(t_, owner_, partner_[r]))
      if (const double price = cost(r, a, b); std::isfinite(price)) offers.push_back({price, a, b});
  std::stable_sort(offers.begin(), offers.end(), [](const Offer& x, const Offer& y) { return x.cost < y.cost; });
  bool any = false;
  std::vector<char> used_r(r_.count(), 0), used_t(t_.count(), 0);
  for (const Offer& o : offers) {
    if (used_r[o.reference] != 0 || used_t[o.target] != 0) continue;
    used_r[o.reference] = used_t[o.target] = 1;
    any = pair_chains(r, o.reference, o.target) || any;
  }
  return any;
}

void Mapper::by_places() {
  if (all().empty()) {
    // Nothing tells: the first joint of both, by the number of joints below.
    const auto weight = [](const JointBody& body, Index top) {
      Index joints = 0;
      for (Index j = 0; j < body.count(); ++j) joints += body.counts[j] != 0 && body.above(top, j) ? 1 : 0;
      return joints;
    };
    const auto largest = [&](const JointBody& body) {
      Index best = kNone;
      for (const Index top : body.tops)
        if (best == kNone || weight(body, top) > weight(body, best)) best = top;
      return best;
    };
    const Index r = largest(r_), t = largest(t_);
    if (r == kNone || t == kNone || !may_pair(r, t)) return;
    set(r, t, kPlace);
  }
  for (bool any = true; any;) {
    any = false;
    for (const Candidate& pair : all()) any = pair_between(pair.reference) || any;
    for (const Candidate& pair : all()) any = pair_below(pair.reference) || any;
  }
}

// The joint with a partner whose bone upwards, or itself, is nearest.
Index Mapper::nearest_in_space(Index joint) const {
  const Vec3 place = r_.side.position(joint);
  Index best = kNone;
  double nearest = std::numeric_limits<double>::infinity();
  for (Index r = 0; r < r_.count(); ++r) {
    if (partner_[r] == kNone) continue;
    const double distance = (r_.side.position(r) - place).norm();
    if (distance < nearest - 1e-9 * r_.size) nearest = distance, best = r;
  }
  return best;
}

JointMap Mapper::result() {
  JointMap map;
  map.warnings = std::move(warnings_);
  map.correspondence.turn = turn_;
  std::vector<Candidate> pairs = all();
  if (pairs.size() < 2)
    throw Error(
        fmt::format("{} of the reference's joints could be matched with the target's by name, role or position. "
                    "Specify the pairs with the option 'map': {{\"reference joint\": \"target joint\", …}}.",
                    pairs.empty() ? "None" : "Only one"));
  for (const Candidate& pair : pairs) map.joints.push_back({pair.reference, pair.target, kWords[pair.strength]});
  // Parents first, in the body.
  std::vector<Index> number(r_.count(), kNone);
  const auto depth = [this](Index joint) {
    int steps = 0;
    for (Index j = r_.parent[joint]; j != kNone; j = r_.parent[j]) ++steps;
    return steps;
  };
  bool in_order = true;
  for (const Candidate& pair : pairs)
    for (Index j = r_.parent[pair.reference]; j != kNone; j = r_.parent[j])
      in_order = in_order && (partner_[j] == kNone || j < pair.reference);
  if (!in_order)
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](const Candidate& a, const Candidate& b) { return depth(a.reference) < depth(b.reference); });
  for (const Candidate& pair : pairs) {
    Index above = r_.parent[pair.reference];
    while (above != kNone && partner_[above] == kNone) above = r_.parent[above];
    number[pair.reference] = static_cast<Index>(map.correspondence.pairs.size());
    map.correspondence.pairs.push_back({pair.reference, pair.target, above == kNone ? kNone : number[above]});
  }
  for (Index r = 0; r < r_.count(); ++r) {
    if (r_.counts[r] != 0 && partner_[r] == kNone) map.reference_alone.push_back(r);
    Index heir = r;
    while (heir != kNone && partner_[heir] == kNone) heir = r_.parent[heir];
    if (heir == kNone) heir = nearest_in_space(r);
    map.heir.push_back(partner_[heir]);
  }
  for (Index t = 0; t < t_.count(); ++t)
    if (t_.counts[t] != 0 && owner_[t] == kNone) map.target_alone.push_back(t);
  return map;
}

}  // namespace

std::vector<char> helper_joints(const Skeleton& skeleton) {
  const bool flagged =
      std::any_of(skeleton.joints.begin(), skeleton.joints.end(), [](const Joint& joint) { return joint.deforming; });
  std::vector<char> helpers(skeleton.joints.size(), 0), carries(skeleton.joints.size(), 0);
  for (Index j = skeleton.size(); j-- > 0;) {
    const Joint& joint = skeleton.joints[j];
    const bool told = joint.role == "helper" || joint.driver.has_value();
    const bool idle = joint.role == "end" || joint.role == "control" || joint.role == "socket";
    helpers[j] = told || (joint.role.empty() && carries[j] == 0 && named_as_helper(joint.name)) ? 1 : 0;
    const bool matters = helpers[j] == 0 && !idle && (joint.deforming || !flagged);
    if (joint.parent != kNone && (matters || carries[j] != 0)) carries[joint.parent] = 1;
  }
  return helpers;
}

std::vector<char> primary_joints(const Skeleton& skeleton, const std::vector<char>& moves_skin,
                                 const std::vector<char>& helpers) {
  const Index count = skeleton.size();
  std::vector<char> primary(count, 0), above(count, 0), helper_below(count, 0);
  std::vector<int> branches(count, 0);  // Children with primary joints in or below them.
  for (Index j = count; j-- > 0;) {
    primary[j] = moves_skin[j] != 0 && helpers[j] == 0 ? 1 : 0;
    const Index parent = skeleton.joints[j].parent;
    if (parent == kNone) continue;
    if (primary[j] != 0 || branches[j] > 0) ++branches[parent];
    if (moves_skin[j] != 0 && helpers[j] != 0) helper_below[parent] = 1;
  }
  const std::vector<char> own = primary;
  for (Index j = 0; j < count; ++j) {
    const Index parent = skeleton.joints[j].parent;
    above[j] = parent != kNone && (own[parent] != 0 || above[parent] != 0) ? 1 : 0;
    if (helpers[j] != 0) continue;
    if ((above[j] != 0 && branches[j] > 0) || helper_below[j] != 0) primary[j] = 1;
  }
  // Where two branches part.
  for (Index j = 0; j < count; ++j)
    if (branches[j] > 1 && helpers[j] == 0) primary[j] = 1;
  return primary;
}

JointMap map_joints(const TransferBody& reference, const std::vector<char>& reference_counts,
                    const TransferBody& target, const std::vector<char>& target_counts,
                    const std::map<std::string, std::string>& given) {
  const JointBody r(reference, reference_counts), t(target, target_counts);
  Mapper mapper(r, t);
  mapper.take_given(given);
  mapper.by_names();
  mapper.by_roles();
  mapper.drop_contradictions();
  mapper.by_places();
  return mapper.result();
}

}  // namespace sinew::transfer
