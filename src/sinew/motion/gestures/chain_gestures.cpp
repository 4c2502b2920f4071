// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/gestures/chain_gestures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/core/pose.h"

namespace sinew::motion {
namespace {

constexpr double kChainRate = 30;  // Keys per second.

Index find_named(const Skeleton& skeleton, const std::string& name) {
  for (Index j = 0; j < skeleton.size(); ++j)
    if (skeleton.joints[j].name == name) return j;
  return kNone;
}

/// A body of chains: its axes, and which joints do what.
class ChainBody {
 public:
  explicit ChainBody(const Skeleton& skeleton) : skeleton_(skeleton), rest_(rest_matrices(skeleton)) {
    for (int k = 1; k <= 8 && find_named(skeleton, fmt::format("LeftLeg{}_1", k)) != kNone; ++k) pairs_ = k;
    body_ = find_named(skeleton, "Body");
    head_ = find_named(skeleton, "Head");
    for (int k = 1; find_named(skeleton, fmt::format("Tail{}", k)) != kNone; ++k)
      tail_.push_back(find_named(skeleton, fmt::format("Tail{}", k)));
    if (body_ == kNone || head_ == kNone) return;
    const Index rear = tail_.empty() ? find_named(skeleton, "Abdomen1") : tail_.back();
    forward_ = place(head_) - place(rear == kNone ? body_ : rear);
    // A body that lies along an axis of the model has its up along y, or along z if it is drawn that way.
    up_ = std::abs(forward_.normalized().y()) < 0.9 ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitZ());
    forward_ = (forward_ - forward_.dot(up_) * up_).normalized();
  }

  std::string clip_name() const {
    if (body_ == kNone || head_ == kNone) return {};
    if (pairs_ >= 3) return "walk";
    if (tail_.size() < 3) return {};
    return find_named(skeleton_, "Neck") != kNone ? "slither" : "swim";
  }

  Clip record() {
    const std::string name = clip_name();
    const double duration = name == "walk" ? kCrawl_s : name == "swim" ? kSwim_s : kSlither_s;
    const int last = static_cast<int>(std::lround(duration * kChainRate));
    std::map<Index, Track> tracks;
    for (int frame = 0; frame <= last; ++frame) {
      turns_.clear();
      const double phase = frame / static_cast<double>(last);
      if (name == "walk") crawl(phase);
      else if (name == "swim") swim(phase);
      else slither(phase);
      for (const auto& [joint, turn] : turns_) key(tracks[joint], joint, duration * phase, turn);
    }
    Clip clip;
    clip.name = name;
    for (auto& [joint, track] : tracks) {
      track.path = Track::Path::kRotation;
      track.target = joint;
      clip.tracks.push_back(std::move(track));
    }
    return clip;
  }

 private:
  Vec3 place(Index joint) const { return rest_[joint].topRightCorner<3, 1>(); }

  /// A turn about an axis of the model, after those that the joint has already.
  void turn(Index joint, const Vec3& axis, double degrees) {
    if (joint == kNone) return;
    const Quat more = rotation_exp(radians(degrees) * axis);
    const auto found = turns_.find(joint);
    turns_[joint] = found == turns_.end() ? more : (more * found->second).normalized();
  }

  void crawl(double phase) {
    for (int k = 1; k <= pairs_; ++k)
      for (const bool left : {true, false}) {
        const double side = left ? 1 : -1;
        // Neighbours, and the two of a pair, are in different groups, of which one carries.
        const double step = phase + ((k + (left ? 0 : 1)) % 2 == 0 ? 0.5 : 0.0);
        const double part = step - std::floor(step);
        // In the air it swings forward smoothly. On the ground it goes back at a constant speed, as the ground does.
        const double swing = part < 0.5 ? std::cos(kTwoPi * part) : 4 * part - 3;
        const double lift = std::max(0.0, std::sin(kTwoPi * part));
        const auto joint = [&](int n) {
          return find_named(skeleton_, fmt::format("{}Leg{}_{}", left ? "Left" : "Right", k, n));
        };
        turn(joint(1), forward_, side * 14 * lift);
        turn(joint(1), up_, side * 13 * swing);
        turn(joint(2), forward_, side * 10 * lift);
      }
    turn(head_, up_, 3 * std::sin(kTwoPi * phase));
    turn(find_named(skeleton_, "Abdomen1"), up_, -3 * std::sin(kTwoPi * phase));
  }

  void wave(const std::vector<Index>& chain, double phase, double first_degrees, double last_degrees, double waves) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const double s = chain.size() > 1 ? static_cast<double>(i) / static_cast<double>(chain.size() - 1) : 0;
      const double size = first_degrees + s * (last_degrees - first_degrees);
      turn(chain[i], up_, size * std::sin(kTwoPi * (phase - waves * s)));
    }
  }

  void swim(double phase) {
    turn(head_, up_, -4 * std::sin(kTwoPi * phase));
    turn(find_named(skeleton_, "Spine"), up_, -3 * std::sin(kTwoPi * phase));
    wave(tail_, phase + 0.05, 8, 20, 0.35);
    for (const bool left : {true, false}) {
      const double side = left ? 1 : -1;
      const std::string word = left ? "Left" : "Right";
      turn(find_named(skeleton_, word + "Fin1"), forward_, side * 10 * std::sin(kTwoPi * phase));
      for (int k = 1; k <= 3; ++k)
        turn(find_named(skeleton_, fmt::format("{}Wing{}", word, k)), forward_,
             side * (k == 1 ? 22 : 14) * std::sin(kTwoPi * (phase - 0.12 * (k - 1))));
    }
  }

  void slither(double phase) {
    // From the head backwards; in front of the root a turn moves the head's side of the body, so it goes the other way.
    std::vector<Index> front;
    for (const char* name : {"Head", "Neck", "Chest", "Spine"}) front.push_back(find_named(skeleton_, name));
    wave(front, phase, -14, -20, 0.5);
    wave(tail_, phase - 0.6, 22, 22, 0.6);
  }

  void key(Track& track, Index joint, double time_s, const Quat& turn) const {
    const Index parent = skeleton_.joints[joint].parent;
    Quat frame = Quat::Identity();
    if (parent != kNone) frame = Quat(polar(rest_[parent].topLeftCorner<3, 3>()).rotation);
    const Quat local = (frame.conjugate() * turn * frame * skeleton_.joints[joint].rest.rotation).normalized();
    Eigen::Vector4d q = local.coeffs();
    if (track.values.size() >= 4) {
      double dot = 0;
      for (std::size_t i = 0; i < 4; ++i)
        dot += q[static_cast<Eigen::Index>(i)] * static_cast<double>(track.values[track.values.size() - 4 + i]);
      if (dot < 0) q = -q;
    }
    track.times_s.push_back(static_cast<float>(time_s));
    for (const double value : q) track.values.push_back(static_cast<float>(value));
  }

  const Skeleton& skeleton_;
  std::vector<Mat4> rest_;
  int pairs_ = 0;
  Index body_ = kNone, head_ = kNone;
  std::vector<Index> tail_;
  Vec3 forward_ = Vec3::UnitZ(), up_ = Vec3::UnitY();
  std::map<Index, Quat> turns_;
};

}  // namespace

std::string chain_clip_name(const Skeleton& skeleton) { return ChainBody(skeleton).clip_name(); }

Clip chain_clip(const Skeleton& skeleton) { return ChainBody(skeleton).record(); }

}  // namespace sinew::motion
