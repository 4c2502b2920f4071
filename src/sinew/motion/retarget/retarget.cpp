// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/retarget.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/resample.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/retarget/retarget_pose.h"
#include "sinew/motion/sample.h"

namespace sinew::motion {
namespace {

constexpr double kLeastRate = 30;          // Keys per second, where the source has fewer.
constexpr double kPath_s = 0.5;            // The way is the mean over this time to either side.
constexpr double kLoop_s = 0.3;            // The end of a loop blends into its beginning within this time.
constexpr double kStandsOnGround = 0.1;    // In leg lengths: a rest pose this near to height 0 stands on the ground.
constexpr double kFeetBelowGround = 0.25;  // In leg lengths.
constexpr double kLowestShare = 0.05;      // Of all frames: those in which feet are lowest.

std::pair<double, double> trimmed_part(const Clip& clip, const std::vector<std::string>& trim) {
  const double length = clip.duration_s();
  if (trim.empty()) return {0, length};
  std::vector<double> times;
  for (const std::string& word : trim) {
    char* end = nullptr;
    times.push_back(std::strtod(word.c_str(), &end));
    if (word.empty() || *end != '\0' || !std::isfinite(times.back())) times.push_back(-1), times.push_back(-1);
  }
  if (times.size() != 2 || times[0] < 0 || !(times[1] > times[0]) || times[0] >= length)
    throw Error(fmt::format("The option 'trim' takes two times such as 0.5,2 within the clip, which is {:.2f} s long.",
                            length));
  return {times[0], std::min(times[1], length)};
}

double largest_turn(const Pose& a, const Pose& b) {
  double most = 0;
  for (std::size_t j = 0; j < a.local.size(); ++j)
    most = std::max(most, a.local[j].rotation.angularDistance(b.local[j].rotation));
  return most;
}

double mean_turn(const Pose& a, const Pose& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.local.size(); ++j) sum += a.local[j].rotation.angularDistance(b.local[j].rotation);
  return a.local.empty() ? 0 : sum / static_cast<double>(a.local.size());
}

// When the motion begins: after the first key, where that is nearly the rest pose and the next key is far from it.
// Motion capture is often published with such a frame, from which the body would jump. In CMU's files it is a T pose
// that differs from the rest pose by 21° at a few joints.
double start_of_motion(const Rig& source, const Clip& clip) {
  constexpr double kFrame_s = 0.1, kAtRest_rad = 0.6, kMeanAtRest_rad = 0.1, kJump_rad = 0.5, kTimesUsual = 5;
  const std::vector<float> keys = key_times(clip);
  if (keys.size() < 3 || static_cast<double>(keys[1] - keys[0]) > kFrame_s) return 0;
  const auto pose = [&](std::size_t k) { return sample(source, clip, static_cast<double>(keys[k])); };
  const Pose first = pose(0), second = pose(1);
  const double jump = largest_turn(first, second);
  const Pose rest = rest_pose(source);
  const bool alone = largest_turn(first, rest) < kAtRest_rad && mean_turn(first, rest) < kMeanAtRest_rad &&
                     jump > kJump_rad && jump > kTimesUsual * largest_turn(second, pose(2));
  return alone ? static_cast<double>(keys[1]) : 0;
}

// The times of the source at which the new clip has keys.
std::vector<double> retarget_times(const Clip& clip, double start, const RetargetOptions& options) {
  auto [begin, end] = trimmed_part(clip, options.trim);
  if (options.trim.empty()) begin = start;
  std::vector<double> times;
  if (options.fps) {
    for (const double t : even_times(end - begin, *options.fps)) times.push_back(begin + t);
    return times;
  }
  // Of the part alone, with its ends.
  Clip part;
  Track& ends = part.tracks.emplace_back();
  ends.path = Track::Path::kRotation;
  ends.times_s = {static_cast<float>(begin), static_cast<float>(end)};
  for (const Track& track : clip.tracks)
    for (const float t : track.times_s)
      if (static_cast<double>(t) > begin && static_cast<double>(t) < end) ends.times_s.push_back(t);
  for (const float t : key_times(part, kLeastRate))
    if (times.empty() || static_cast<double>(t) - times.back() >= 1e-5) times.push_back(static_cast<double>(t));
  return times;
}

/// Everything about one clip that is being made.
class ClipRetargeter {
 public:
  ClipRetargeter(const Rig& source, const Clip& clip, const Rig& target, const JointMap& map, const BodyFrame& from,
                 const BodyFrame& to, const RetargetOptions& options)
      : source_(source),
        clip_(clip),
        target_(target),
        from_(from),
        to_(to),
        options_(options),
        poser_(from, to, map, options.mirrored),
        drivers_(source.skeleton) {}

  Retargeted run() {
    Retargeted result;
    read_source();
    const double ground = ground_of_source();
    for (const std::vector<Mat4>& model : models_) frames_.push_back(poser_.pose(model, ground));
    models_.clear();
    for (std::vector<Transform>& local : frames_) poser_.attach_loose_ends(local);
    if (options_.feet == Feet::kOn && poser_.leader() != kNone)
      result.feet = plant_feet(to_, poser_.leader(), contacts_, times_, to_.ground, frames_);
    treat_way();
    if (options_.loop) close_loop();
    for (std::vector<Transform>& local : frames_) poser_.attach_loose_ends(local);
    result.clip.name = clip_.name;
    add_joint_tracks(result.clip);
    add_morphs(result.clip);
    result.scale = poser_.scale();
    result.findings = std::move(findings_);
    return result;
  }

 private:
  void read_source() {
    const double start = start_of_motion(source_, clip_);
    const std::vector<double> times = retarget_times(clip_, start, options_);
    if (times.front() == start && start > 0)
      findings_.push_back({"animate.rest_frame", clip_.name,
                           "Its first frame is nearly the rest pose, far from the next one, and is left out."});
    for (const double t : times) {
      times_.push_back(static_cast<float>(t - times.front()));
      const Pose pose = sample(source_, clip_, t);
      morphs_.push_back(pose.morph_weights);
      models_.push_back(resolve(source_.skeleton, pose, drivers_).joints);
    }
    for (std::size_t side = 0; side < 2; ++side) {
      const LegJoints& leg = from_.legs[side];
      if (!leg.complete()) continue;
      std::vector<Vec3> balls;
      const Mat4 unrest = from_.rest[leg.foot].inverse();
      for (const std::vector<Mat4>& model : models_)
        balls.push_back(transform_point(model[leg.foot] * unrest, leg.ball));
      contacts_[options_.mirrored ? 1 - side : side] = find_contacts(balls, times_, from_.up(), from_.leg_length);
      std::vector<double> heights;
      for (const Vec3& ball : balls) heights.push_back(ball.dot(from_.up()) - leg.ball.dot(from_.up()));
      std::sort(heights.begin(), heights.end());
      lowest_.push_back(heights[static_cast<std::size_t>(kLowestShare * static_cast<double>(heights.size()))]);
    }
  }

  // Motion capture often rests with its hips at the origin. Then the ground is where the feet are lowest.
  double ground_of_source() const {
    if (lowest_.empty()) return 0;
    const double lowest = *std::min_element(lowest_.begin(), lowest_.end());
    // Or it rests on the ground and moves about the origin, as in MakeHuman's files: feet are not below the ground.
    const bool below = lowest < -kFeetBelowGround * from_.leg_length;
    return std::abs(from_.ground) < kStandsOnGround * from_.leg_length && !below ? 0 : lowest;
  }

  Mat4 above_leader(std::size_t f) const {
    Mat4 m = Mat4::Identity();
    for (Index j = to_.skeleton->joints[poser_.leader()].parent; j != kNone; j = to_.skeleton->joints[j].parent) {
      Mat4 local = frames_[f][j].matrix();
      local.topLeftCorner<3, 3>() *= to_.skeleton->joints[j].shear;
      m = local * m;
    }
    return m;
  }
  void shift_leader(std::size_t f, const Vec3& shift) {
    const Mat3 back = above_leader(f).topLeftCorner<3, 3>().inverse();
    if (back.allFinite()) frames_[f][poser_.leader()].translation += back * shift;
  }

  // The way over the ground, without the swaying of each step.
  std::vector<Vec3> way() const {
    std::vector<Vec3> places, result;
    const Vec3 up = to_.up();
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      const Vec3 moved =
          transform_point(above_leader(f), frames_[f][poser_.leader()].translation) - to_.place(poser_.leader());
      places.push_back(moved - moved.dot(up) * up);
    }
    for (std::size_t f = 0; f < places.size(); ++f) {
      const auto at = [&](std::size_t i) { return static_cast<double>(times_[i]); };
      const double reach = std::min({kPath_s, at(f) - at(0), at(places.size() - 1) - at(f)});
      Vec3 sum = places[f];
      double count = 1;
      for (std::size_t g = f; g-- > 0 && at(f) - at(g) <= reach + 1e-6;) sum += places[g], ++count;
      for (std::size_t g = f + 1; g < places.size() && at(g) - at(f) <= reach + 1e-6; ++g) sum += places[g], ++count;
      result.push_back(sum / count);
    }
    return result;
  }

  void treat_way() {
    if (options_.root_motion == RootMotion::kKeep || poser_.leader() == kNone) return;
    root_ = poser_.leader();
    while (to_.skeleton->joints[root_].parent != kNone) root_ = to_.skeleton->joints[root_].parent;
    if (options_.root_motion == RootMotion::kToRoot && root_ == poser_.leader())
      throw Error(fmt::format("The character has no joint above '{}' that could travel. Choose another root motion.",
                              to_.skeleton->joints[root_].name));
    const std::vector<Vec3> path = way();
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      shift_leader(f, -path[f]);
      if (options_.root_motion == RootMotion::kToRoot) frames_[f][root_].translation += path[f];
    }
  }

  void close_loop() {
    const double length = static_cast<double>(times_.back());
    const double window = std::min(kLoop_s, 0.3 * length);
    if (!(window > 0)) return;
    const auto place = [&](std::size_t f) {
      return transform_point(above_leader(f), frames_[f][poser_.leader()].translation);
    };
    Vec3 gap = poser_.leader() == kNone ? Vec3(Vec3::Zero()) : Vec3(place(0) - place(frames_.size() - 1));
    const Vec3 up = to_.up();
    if (options_.root_motion != RootMotion::kInPlace) gap = gap.dot(up) * up;
    for (std::size_t f = 1; f < frames_.size(); ++f) {
      const double x = std::clamp(1 - (length - static_cast<double>(times_[f])) / window, 0.0, 1.0);
      const double share = x * x * (3 - 2 * x);
      if (share == 0) continue;
      if (poser_.leader() != kNone) shift_leader(f, share * gap);
      for (Index j = 0; j < to_.skeleton->size(); ++j)
        frames_[f][j].rotation = slerp(frames_[f][j].rotation, frames_[0][j].rotation, share);
    }
  }

  void add_joint_tracks(Clip& clip) const {
    for (Index j = 0; j < to_.skeleton->size(); ++j)
      if (!to_.skeleton->joints[j].driver)
        add_tracks(clip, to_.skeleton->joints[j].rest, j, times_, frames_, j == poser_.leader());
  }

  void add_morphs(Clip& clip) const {
    for (const Track& moved : clip_.tracks) {
      if (moved.path != Track::Path::kMorphWeights) continue;
      const MeshPart& part = source_.mesh.parts[moved.target];
      for (Index p = 0; p < target_.mesh.parts.size(); ++p) {
        if (target_.mesh.parts[p].name != part.name || target_.mesh.parts[p].morphs.size() != part.morphs.size())
          continue;
        Track track;
        track.path = Track::Path::kMorphWeights;
        track.target = p;
        track.times_s = times_;
        for (const auto& weights : morphs_)
          for (const double w : weights[moved.target]) track.values.push_back(static_cast<float>(w));
        clip.tracks.push_back(std::move(track));
        break;
      }
    }
  }

  const Rig& source_;
  const Clip& clip_;
  const Rig& target_;
  const BodyFrame& from_;
  const BodyFrame& to_;
  const RetargetOptions& options_;
  PoseRetargeter poser_;
  Drivers drivers_;
  Findings findings_;
  std::vector<float> times_;
  std::vector<std::vector<Mat4>> models_;                 // Of the source, per frame.
  std::vector<std::vector<std::vector<double>>> morphs_;  // Of the source, per frame.
  std::array<std::vector<Contact>, 2> contacts_;          // Of the target's sides.
  std::vector<double> lowest_;                            // Per foot: how low it comes against rest.
  std::vector<std::vector<Transform>> frames_;
  Index root_ = kNone;
};

}  // namespace

Retargeted retarget(const Rig& source, const Clip& clip, const Rig& target,
                    const std::map<std::string, std::string>& map, const RetargetOptions& options) {
  if (source.skeleton.empty()) throw Error("The source of the motion has no skeleton.");
  if (target.skeleton.empty()) throw Error("The character has no skeleton. Make one with `sinew rig`.");
  const BodyFrame from = body_frame(source), to = body_frame(target);
  JointMap joints = map_joints(from, to, map);
  if (joints.mapped() == 0)
    throw Error(
        "No joint of the source corresponds to a joint of the character. Name pairs of joints with the option 'map'.");
  Retargeted result = ClipRetargeter(source, clip, target, joints, from, to, options).run();
  result.map = std::move(joints);
  return result;
}

}  // namespace sinew::motion
