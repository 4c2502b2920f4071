// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/joint_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

namespace sinew::motion {
namespace {

// In leg lengths: joints below partners that are nearer to each other than this are one.
constexpr double kSamePlace = 0.05;

bool is_chain(BodyPart part) {
  return part == BodyPart::kNeck || part == BodyPart::kTail || part == BodyPart::kWing ||
         (part >= BodyPart::kThumb && part <= BodyPart::kLittle);
}

// Spine and chest from the hips up, in order, with joints among them whose names say nothing.
std::vector<Index> trunk_of(const BodyFrame& body) {
  std::vector<Index> named = body.recognition.chain(BodyPart::kSpine), way;
  for (const Index j : body.recognition.chain(BodyPart::kChest)) named.push_back(j);
  if (named.empty()) return named;
  const Index hips = body.find(BodyPart::kHips);
  Index j = named.back();
  for (; j != kNone && j != hips; j = body.skeleton->joints[j].parent) way.push_back(j);
  if (j == kNone) return named;
  std::reverse(way.begin(), way.end());
  return way;
}

class Mapper {
 public:
  Mapper(const BodyFrame& source, const BodyFrame& target)
      : source_(source),
        target_(target),
        map_{std::vector<JointSource>(target.skeleton->joints.size()), {}, {}},
        used_(source.skeleton->joints.size(), 0),
        fixed_(target.skeleton->joints.size(), 0) {
    // Drivers move their joints; ends move nothing.
    for (Index j = 0; j < target.skeleton->size(); ++j)
      if (target.skeleton->joints[j].driver || target.skeleton->joints[j].role == "end") fixed_[j] = 1;
  }

  void by_user(const std::map<std::string, std::string>& given) {
    for (const auto& [from, to] : given) {
      const Index s = existing(*source_.skeleton, from, "source");
      used_[s] = 1;
      if (to.empty()) continue;
      const Index t = existing(*target_.skeleton, to, "character");
      fixed_[t] = 0;
      put(t, {s, kNone, 1, "map"});
    }
  }

  void by_role() {
    for (Index t = 0; t < target_.skeleton->size(); ++t) {
      const JointRole& role = target_.recognition.roles[t];
      if (role.empty() || is_chain(role.part) || role.part == BodyPart::kSpine || role.part == BodyPart::kChest)
        continue;
      pair(source_.find(role.part, role.side, role.number), t, "role");
    }
    chain(trunk_of(source_), trunk_of(target_), source_.find(BodyPart::kHips));
    for (const Side side : {Side::kMiddle, Side::kLeft, Side::kRight})
      for (int part = 0; part <= static_cast<int>(BodyPart::kWing); ++part)
        if (const auto p = static_cast<BodyPart>(part); is_chain(p))
          chain(source_.recognition.chain(p, side), target_.recognition.chain(p, side), kNone);
  }

  void by_name() {
    std::map<std::string, Index> free;
    for (Index s = 0; s < source_.skeleton->size(); ++s)
      if (used_[s] == 0) free.try_emplace(source_.skeleton->joints[s].name, s);
    for (Index t = 0; t < target_.skeleton->size(); ++t)
      if (const auto found = free.find(target_.skeleton->joints[t].name);
          found != free.end() && used_[found->second] == 0)
        pair(found->second, t, "name");
  }

  // Joints below partners at the same place, parents first.
  void by_place() {
    const Mat3 turn = target_.axes * source_.axes.transpose();
    for (Index t = 0; t < target_.skeleton->size(); ++t) {
      const Index above = target_.skeleton->joints[t].parent;
      if (!is_free(t) || above == kNone || map_.sources[above].joint == kNone || map_.sources[above].share < 1)
        continue;
      const Index partner = map_.sources[above].joint;
      const Vec3 offset = (target_.place(t) - target_.place(above)) / target_.leg_length;
      Index best = kNone;
      double least = kSamePlace;
      for (Index s = partner + 1; s < source_.skeleton->size(); ++s) {
        if (used_[s] != 0 || source_.skeleton->joints[s].parent != partner) continue;
        const Vec3 other = turn * (source_.place(s) - source_.place(partner)) / source_.leg_length;
        if (const double apart = (other - offset).norm(); apart < least) least = apart, best = s;
      }
      pair(best, t, "shape");
    }
  }

  JointMap finish() {
    for (Index s = 0; s < source_.skeleton->size(); ++s)
      if (used_[s] == 0) map_.unmapped_sources.push_back(s);
    for (Index t = 0; t < target_.skeleton->size(); ++t)
      if (is_free(t)) map_.unmapped_targets.push_back(t);
    return std::move(map_);
  }

 private:
  static Index existing(const Skeleton& skeleton, const std::string& name, const char* whose) {
    const Index joint = skeleton.find(name);
    if (joint != kNone) return joint;
    std::vector<std::string> known;
    for (const Joint& j : skeleton.joints) known.push_back(j.name);
    throw Error(fmt::format("The map of joints names '{}', which the {} does not have.{}", name, whose,
                            did_you_mean(name, known)));
  }

  bool is_free(Index t) const { return fixed_[t] == 0 && map_.sources[t].joint == kNone; }
  void put(Index t, JointSource source) {
    if (source.joint != kNone) used_[source.joint] = 1;
    map_.sources[t] = std::move(source);
  }
  void pair(Index s, Index t, const char* by) {
    if (s != kNone && used_[s] == 0 && is_free(t)) put(t, {s, kNone, 1, by});
  }

  // The joints of a chain take the motion at the same share of the other chain. `base` is what the chain hangs on.
  void chain(const std::vector<Index>& from, const std::vector<Index>& to, Index base) {
    if (from.empty() || to.empty()) return;
    const double ratio = static_cast<double>(from.size()) / static_cast<double>(to.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (!is_free(to[i])) continue;
      const double at = static_cast<double>(i + 1) * ratio;
      const auto upper = static_cast<std::size_t>(std::ceil(at - 1e-9));
      const double share = at - static_cast<double>(upper - 1);
      JointSource source{from[upper - 1], kNone, 1, from.size() == to.size() ? "role" : "chain"};
      if (share < 1 - 1e-9) source.before = upper >= 2 ? from[upper - 2] : base, source.share = share;
      if (source.before == kNone) source.share = 1;
      put(to[i], std::move(source));
    }
    for (const Index s : from) used_[s] = 1;
  }

  const BodyFrame& source_;
  const BodyFrame& target_;
  JointMap map_;
  std::vector<char> used_;   // Per joint of the source.
  std::vector<char> fixed_;  // Per joint of the target.
};

}  // namespace

Index JointMap::mapped() const {
  Index count = 0;
  for (const JointSource& source : sources) count += source.joint != kNone;
  return count;
}

JointMap map_joints(const BodyFrame& source, const BodyFrame& target, const std::map<std::string, std::string>& given) {
  Mapper mapper(source, target);
  mapper.by_user(given);
  mapper.by_role();
  mapper.by_name();
  mapper.by_place();
  return mapper.finish();
}

}  // namespace sinew::motion
