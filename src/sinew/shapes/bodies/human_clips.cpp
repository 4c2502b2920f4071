// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/human_clips.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"

namespace sinew::shapes {
namespace {

constexpr double kFramesPerSecond = 24;

/// Turns by joint name, as rotation vectors in degrees about the model's axes where the joint stands at rest, and how
/// far the hips go.
struct Gesture {
  std::map<std::string, Vec3> turns;
  Vec3 hips = Vec3::Zero();
};

/// 0 before `from`, 1 after `to`, smooth between.
double ease(double t, double from, double to) {
  const double x = std::clamp((t - from) / (to - from), 0.0, 1.0);
  return x * x * x * (x * (6 * x - 15) + 10);
}

/// One turn after another, as one.
Vec3 then(const Vec3& first_degrees, const Vec3& second_degrees) {
  return rotation_log(rotation_exp(kRadPerDegree * second_degrees) * rotation_exp(kRadPerDegree * first_degrees)) /
         kRadPerDegree;
}

/// Keys a gesture that changes over time.
class Recorder {
 public:
  explicit Recorder(const Skeleton& skeleton) : skeleton_(skeleton), frames_(rest_matrices(skeleton)) {
    scale_ = place("LeftThigh").y() / 0.93;
    for (const std::string side : {"Left", "Right"}) {
      const Vec3 ankle = place(side + "Foot");
      const Vec3 ball = place(side + "Toes");
      const double length = ball.z() - ankle.z();
      const Vec3 ahead(0, 0, length);
      const auto on_ground = [](const Vec3& p) { return Vec3(p.x(), 0, p.z()); };
      soles_.push_back({skeleton.find(side + "Foot"),
                        {on_ground(ankle - 0.30 * ahead), on_ground(ankle - 0.42 * ahead) + Vec3(0, 0.1 * length, 0),
                         on_ground(ball), on_ground(ball + 0.42 * ahead)}});
    }
  }

  /// The way the right forearm points at rest.
  Vec3 right_forearm() const { return (place("RightHand") - place("RightForearm")).normalized(); }

  Clip record(const std::string& name, double duration_s, const std::function<Gesture(double)>& at) const {
    Clip clip;
    clip.name = name;
    std::map<Index, Track> turns;
    Track hips;
    hips.path = Track::Path::kTranslation;
    hips.target = skeleton_.find("Hips");
    const int last = static_cast<int>(std::lround(duration_s * kFramesPerSecond));
    for (int frame = 0; frame <= last; ++frame) {
      const auto time = static_cast<float>(frame / kFramesPerSecond);
      std::vector<Transform> pose = posed(at(time), hips.target);
      pose[hips.target].translation.y() -= lowest_of_soles(pose);
      hips.times_s.push_back(time);
      for (const double value : pose[hips.target].translation) hips.values.push_back(static_cast<float>(value));
      for (const auto& [joint, turn] : at(time).turns) {
        Track& track = turns[skeleton_.find(joint)];
        track.path = Track::Path::kRotation;
        track.target = skeleton_.find(joint);
        track.times_s.push_back(time);
        for (const double value : pose[track.target].rotation.coeffs())
          track.values.push_back(static_cast<float>(value));
      }
    }
    clip.tracks.push_back(std::move(hips));
    for (auto& [joint, track] : turns) clip.tracks.push_back(std::move(track));
    return clip;
  }

 private:
  std::vector<Transform> posed(const Gesture& gesture, Index hips) const {
    std::vector<Transform> pose;
    for (const Joint& joint : skeleton_.joints) pose.push_back(joint.rest);
    pose[hips].translation += scale_ * gesture.hips;
    for (const auto& [name, degrees] : gesture.turns) {
      const Index joint = skeleton_.find(name);
      assert(joint != kNone);
      const Quat frame(Mat3(frames_[joint].topLeftCorner<3, 3>()));
      pose[joint].rotation =
          (pose[joint].rotation * frame.conjugate() * rotation_exp(kRadPerDegree * degrees) * frame).normalized();
    }
    return pose;
  }

  /// Height of the lowest point of both soles.
  double lowest_of_soles(const std::vector<Transform>& pose) const {
    const std::vector<Mat4> model = model_matrices(skeleton_, pose);
    double lowest = std::numeric_limits<double>::infinity();
    for (const Sole& sole : soles_) {
      const Mat4 moved = model[sole.foot] * frames_[sole.foot].inverse();
      for (const Vec3& point : sole.points) lowest = std::min(lowest, transform_point(moved, point).y());
    }
    return lowest;
  }

  struct Sole {
    Index foot;
    std::vector<Vec3> points;  ///< Heel, ball and toes where they touch the ground at rest.
  };

  Vec3 place(const std::string& joint) const {
    const Index index = skeleton_.find(joint);
    assert(index != kNone);
    return frames_[index].topRightCorner<3, 1>();
  }

  const Skeleton& skeleton_;
  std::vector<Mat4> frames_;  ///< Joint to model at rest.
  double scale_ = 1;          ///< Relative to a grown person.
  std::vector<Sole> soles_;
};

/// The right arm goes up, the hand waves, the body leans a little.
Gesture wave(double time, const Vec3& forearm) {
  const double up = ease(time, 0.0, 0.55) * (1 - ease(time, 1.45, 2.0));
  const double swing = std::sin(kTwoPi * 1.75 * (time - 0.5)) * ease(time, 0.4, 0.65) * (1 - ease(time, 1.35, 1.6));
  Gesture g;
  g.hips = {0.012 * up, 0, 0};
  g.turns["Hips"] = {0, 0, -1.5 * up};
  g.turns["Spine"] = {0, -4 * up, 3 * up};
  g.turns["Chest"] = {0, -4 * up, 3 * up + 1.0 * swing};
  g.turns["Neck"] = {0, 0, -3 * up};
  g.turns["Head"] = {0, -4 * up, -5 * up - 1.5 * swing};
  g.turns["RightShoulder"] = {0, 0, -14 * up};
  g.turns["RightUpperArm"] = {0, 0, -36 * up};
  // The palm hangs towards the thigh; forearm and hand turn it to the front.
  g.turns["RightForearm"] = then(forearm * (58 * up), {0, 0, (-84 + 20 * swing) * up});
  g.turns["RightHand"] = then(forearm * (24 * up), {0, 0, 14 * swing * up});
  g.turns["LeftUpperArm"] = {0, 0, -22 * up};
  g.turns["LeftForearm"] = {-12 * up, 0, 0};
  // The feet stay where they are while the hips lean and shift.
  g.turns["LeftThigh"] = g.turns["RightThigh"] = {0, 0, 0.7 * up};
  g.turns["LeftFoot"] = g.turns["RightFoot"] = {0, 0, 0.8 * up};
  return g;
}

/// One leg of a walk at a phase in [0, 1): 0 when the heel comes down in front.
void step(Gesture& g, const std::string& side, double phase) {
  const double angle = kTwoPi * phase;
  const double thigh = -24 * std::cos(angle) - 4;
  // Straight while it carries; bent as it swings through.
  const double bend =
      8 + 46 * std::exp(-std::pow((phase - 0.74) / 0.13, 2)) + 8 * std::exp(-std::pow((phase - 0.14) / 0.09, 2));
  const double push = std::exp(-std::pow((phase - 0.55) / 0.10, 2));
  g.turns[side + "Thigh"] = {thigh, 0, 0};
  g.turns[side + "Shin"] = {bend, 0, 0};
  g.turns[side + "Foot"] = {24 * push - 6 * std::cos(angle) - 6, 0, 0};
}

void swing_arm(Gesture& g, const std::string& side, double sign, double phase) {
  const double swing = std::cos(kTwoPi * phase);
  g.turns[side + "Shoulder"] = {0, 0, -3 * sign};
  // First down to the side, then to and fro.
  g.turns[side + "UpperArm"] = then({0, 0, -36 * sign}, {20 * swing + 2, 0, 0});
  g.turns[side + "Forearm"] = {-18 + 12 * swing, 0, 0};
}

Gesture walk(double time) {
  const double phase = time - std::floor(time);
  const double angle = kTwoPi * phase;
  Gesture g;
  g.hips = {0.012 * std::sin(angle), 0, 0};
  g.turns["Hips"] = {3, -7 * std::cos(angle), 2.5 * std::sin(angle)};
  g.turns["Spine"] = {0, 5 * std::cos(angle), -2 * std::sin(angle)};
  g.turns["Chest"] = {1, 8 * std::cos(angle), -1.5 * std::sin(angle)};
  g.turns["Neck"] = {-2, -3 * std::cos(angle), 0};
  g.turns["Head"] = {-2, -3 * std::cos(angle), 0.5 * std::sin(angle)};
  const double opposite = phase < 0.5 ? phase + 0.5 : phase - 0.5;
  step(g, "Left", phase);
  step(g, "Right", opposite);
  swing_arm(g, "Left", 1, phase);
  swing_arm(g, "Right", -1, opposite);
  return g;
}

}  // namespace

std::vector<Clip> human_clips(const Skeleton& relaxed) {
  const Recorder recorder(relaxed);
  const Vec3 forearm = recorder.right_forearm();
  return {recorder.record("wave", 2, [&](double time) { return wave(time, forearm); }),
          recorder.record("walk", 1, walk)};
}

}  // namespace sinew::shapes
