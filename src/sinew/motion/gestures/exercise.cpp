// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/gestures/exercise.h"

#include <Eigen/LU>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/names/joint_words.h"

namespace sinew::motion {
namespace {

constexpr double kExerciseRate = 30;

// How far a joint goes to either side, in degrees: bends about two axes, twist.
struct Ranges {
  double bend_low, bend_high, side_low, side_high, twist_low, twist_high;
};

Ranges ranges_of(BodyPart part) {
  switch (part) {
    case BodyPart::kHips:
      return {-12, 12, -10, 10, -15, 15};
    case BodyPart::kSpine:
    case BodyPart::kChest:
      return {-12, 25, -15, 15, -20, 20};
    case BodyPart::kNeck:
      return {-20, 25, -20, 20, -30, 30};
    case BodyPart::kHead:
      return {-25, 25, -20, 20, -40, 40};
    case BodyPart::kShoulder:
      return {-10, 10, -10, 15, 0, 0};
    case BodyPart::kUpperArm:
      return {-50, 50, -40, 60, -50, 50};
    case BodyPart::kForearm:
      return {0, 125, 0, 0, -70, 70};
    case BodyPart::kHand:
      return {-55, 55, -20, 20, 0, 0};
    case BodyPart::kThumb:
      return {0, 40, 0, 0, 0, 0};
    case BodyPart::kIndex:
    case BodyPart::kMiddle:
    case BodyPart::kRing:
    case BodyPart::kLittle:
      return {0, 75, 0, 0, 0, 0};
    case BodyPart::kThigh:
      return {-75, 20, -10, 30, -25, 25};
    case BodyPart::kShin:
      return {0, 110, 0, 0, 0, 0};
    case BodyPart::kFoot:
      return {-20, 35, -10, 10, 0, 0};
    case BodyPart::kToes:
      return {-30, 15, 0, 0, 0, 0};
    case BodyPart::kTail:
    case BodyPart::kEar:
      return {-25, 25, -25, 25, 0, 0};
    case BodyPart::kWing:
      return {-20, 20, -35, 35, -20, 20};
    case BodyPart::kJaw:
      return {0, 20, 0, 0, 0, 0};
    case BodyPart::kEye:
      return {-15, 15, -20, 20, 0, 0};
    case BodyPart::kNone:
      break;
  }
  return {-30, 30, -30, 30, -45, 45};
}

bool is_finger(BodyPart part) { return part >= BodyPart::kThumb && part <= BodyPart::kLittle; }

// One joint's axes, in the frame in which it turns. Mirror images for the two joints of a pair.
struct Mover {
  Index joint = kNone;
  Vec3 bend, side, twist;
  Ranges ranges{};
};

class Exercise {
 public:
  Exercise(const Skeleton& skeleton, const ExerciseOptions& options)
      : skeleton_(skeleton), options_(options), known_(recognize(skeleton)), rest_(rest_matrices(skeleton)) {}

  Clip run() {
    group_joints();
    if (order_.empty()) throw Error("The skeleton has no deforming joint that the clip 'exercise' could move.");
    std::size_t moves = 0;
    for (const std::string& key : order_)
      for (int kind = 0; kind < 3; ++kind) moves += range_of(groups_[key], kind) ? 1 : 0;
    const double each_s =
        std::min(options_.seconds_per_move, options_.longest_s / static_cast<double>(std::max<std::size_t>(moves, 1)));
    const int frames = std::max(4, static_cast<int>(std::lround(each_s * kExerciseRate)));
    double start_s = 0;
    for (const std::string& key : order_)
      for (int kind = 0; kind < 3; ++kind) {
        if (!range_of(groups_[key], kind)) continue;
        for (int frame = 1; frame <= frames; ++frame)
          put_keys(groups_[key], kind, start_s, each_s, static_cast<double>(frame) / frames);
        start_s += each_s;
      }
    return finished(start_s);
  }

 private:
  static bool range_of(const std::vector<Mover>& movers, int kind) {
    const Ranges& r = movers.front().ranges;
    return kind == 0 ? r.bend_low != r.bend_high : kind == 1 ? r.side_low != r.side_high : r.twist_low != r.twist_high;
  }

  void group_joints() {
    const std::vector<Vec3> bones = bone_axes(skeleton_);
    for (Index j = 0; j < skeleton_.size(); ++j) {
      const Joint& joint = skeleton_.joints[j];
      if (!joint.deforming || joint.role == "end" || joint.driver) continue;
      if (std::abs(rest_[j].topLeftCorner<3, 3>().determinant()) < 1e-30) continue;
      const JointRole& role = known_.roles[j];
      std::string key = fmt::format("joint {}", j);
      const auto [side, rest] = name_without_side(joint.name);
      if (is_finger(role.part)) key = fmt::format("finger {}", role.number);
      else if (!role.empty()) key = role_name({role.part, Side::kMiddle, role.number});
      else if (joint.mirror != kNone) key = fmt::format("pair {}", std::min(j, joint.mirror));
      else if (side != Side::kMiddle) key = "name " + rest;
      if (groups_.find(key) == groups_.end()) order_.push_back(key);
      groups_[key].push_back(mover(j, bones[j], role, role.empty() ? side : role.side));
    }
  }

  Mover mover(Index j, const Vec3& bone, const JointRole& role, Side side) const {
    Mover m;
    m.joint = j;
    m.ranges = ranges_of(role.part);
    const double sign = side == Side::kRight ? -1 : 1;
    const Mat3 frame = polar(rest_[j].topLeftCorner<3, 3>()).rotation;
    const Vec3 along = (frame * bone).normalized();
    const auto across = [&](const Vec3& v) { return Vec3(v - v.dot(along) * along); };
    Vec3 bend = across(known_.left);
    if (bend.norm() < 0.5) bend = sign * across(known_.up);
    // Hinges: an elbow brings the hand forward, a knee the foot back, fingers close towards the palm.
    if (role.part == BodyPart::kForearm) bend = along.cross(known_.forward);
    if (role.part == BodyPart::kShin) bend = along.cross(-known_.forward);
    if (is_finger(role.part)) bend = along.cross(-sign * known_.forward.cross(along));
    if (bend.norm() < 1e-3) bend = across(along.unitOrthogonal());
    bend.normalize();
    m.bend = frame.transpose() * bend;
    m.side = frame.transpose() * (sign * along.cross(bend));
    m.twist = frame.transpose() * (sign * along);
    return m;
  }

  // `t` goes from 0 to 1 during a move.
  void put_keys(const std::vector<Mover>& movers, int kind, double start_s, double each_s, double t) {
    for (const Mover& m : movers) {
      const Ranges& r = m.ranges;
      const Vec3& axis = kind == 0 ? m.bend : kind == 1 ? m.side : m.twist;
      const double low = kind == 0 ? r.bend_low : kind == 1 ? r.side_low : r.twist_low;
      const double high = kind == 0 ? r.bend_high : kind == 1 ? r.side_high : r.twist_high;
      double angle = 0;
      if (low == 0 || high == 0) angle = (low + high) * std::pow(std::sin(kPi * t), 2);
      else angle = (t < 0.5 ? high : low) * std::pow(std::sin(kTwoPi * t), 2);
      Vec3 turn = radians(options_.range) * angle * axis;
      const Joint& joint = skeleton_.joints[m.joint];
      if (joint.limits) turn = turn.cwiseMax(joint.limits->lower_rad).cwiseMin(joint.limits->upper_rad);
      // The limits need not hold the rest pose; between moves the joint rests all the same.
      if (t == 0 || t == 1) turn.setZero();
      Track& track = tracks_[m.joint];
      put(track, start_s, joint.rest.rotation);
      put(track, start_s + each_s * t, (joint.rest.rotation * rotation_exp(turn)).normalized());
    }
  }

  static void put(Track& track, double time_s, const Quat& q) {
    const auto time = static_cast<float>(time_s);
    if (!track.times_s.empty() && time <= track.times_s.back()) return;
    track.times_s.push_back(time);
    for (const double value : q.coeffs()) track.values.push_back(static_cast<float>(value));
  }

  Clip finished(double end_s) {
    Clip clip;
    clip.name = "exercise";
    for (auto& [joint, track] : tracks_) {
      track.path = Track::Path::kRotation;
      track.target = joint;
      // At rest from the beginning and to the end.
      const Quat rest = skeleton_.joints[joint].rest.rotation;
      if (track.times_s.front() > 0) {
        track.times_s.insert(track.times_s.begin(), 0.0F);
        std::vector<float> key;
        for (const double value : rest.coeffs()) key.push_back(static_cast<float>(value));
        track.values.insert(track.values.begin(), key.begin(), key.end());
      }
      put(track, end_s, rest);
      clip.tracks.push_back(std::move(track));
    }
    return clip;
  }

  const Skeleton& skeleton_;
  const ExerciseOptions& options_;
  Recognition known_;
  std::vector<Mat4> rest_;
  std::vector<std::string> order_;  // Groups from the root outwards.
  std::map<std::string, std::vector<Mover>> groups_;
  std::map<Index, Track> tracks_;
};

}  // namespace

Clip exercise(const Skeleton& skeleton, const ExerciseOptions& options) { return Exercise(skeleton, options).run(); }

}  // namespace sinew::motion
