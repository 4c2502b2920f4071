// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/pose_carrier.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/core/rotation.h"

namespace sinew::motion {
namespace {

constexpr double kMostKeys = 1e7;

Mat3 rotation_matrix(const Mat4& m) { return polar(Mat3(m.topLeftCorner<3, 3>())).rotation; }

void put(Transform& local, const Mat4& outer, const Vec3& position) {
  const Mat4 back = outer.inverse();
  if (back.allFinite()) local.translation = transform_point(back, position);
}

template <class Value>
void add_track(Clip& clip, Track::Path path, Index joint, const std::vector<float>& times, const Value& rest,
               const std::vector<Value>& values, bool always, const TrackRules& rules) {
  const double slack = rules.at_rest * std::max(1.0, rest.norm());
  const auto all_near = [&](const Value& value) {
    return std::all_of(values.begin(), values.end(), [&](const Value& v) { return (v - value).norm() <= slack; });
  };
  if (values.empty() || (!always && all_near(rest))) return;
  const bool one = !always && rules.constant_as_one && all_near(values.front());
  Track track;
  track.path = path;
  track.target = joint;
  track.interpolation = rules.interpolation;
  for (std::size_t f = 0; f < (one ? 1 : values.size()); ++f) {
    track.times_s.push_back(times[f]);
    for (Eigen::Index i = 0; i < values[f].size(); ++i) track.values.push_back(static_cast<float>(values[f][i]));
  }
  clip.tracks.push_back(std::move(track));
}

}  // namespace

Vec3 position_in_frame(const Mat4& frame, const Mat4& joint) {
  const Mat4 back = frame.inverse();
  return back.allFinite() ? transform_point(back, joint.topRightCorner<3, 1>()) : Vec3(Vec3::Zero());
}

PoseCarrier::PoseCarrier(const Skeleton& target, std::vector<CarriedJoint> joints, const Mat3& turn)
    : target_(&target), joints_(std::move(joints)), turn_(turn), drivers_(target) {
  for (Index j = 0; j < target.size(); ++j)
    if (target.joints[j].driver) joints_[j] = {};
  std::vector<char> state(joints_.size(), 0);
  for (Index j = 0; j < target.size(); ++j) visit(j, state);
}

void PoseCarrier::visit(Index joint, std::vector<char>& state) {
  if (state[joint] != 0) return;
  state[joint] = 1;
  CarriedJoint& carried = joints_[joint];
  if (const Index parent = target_->joints[joint].parent; parent != kNone) visit(parent, state);
  if (carried.place == CarriedJoint::Place::kAnchored) {
    if (state[carried.anchor_here] == 1) carried.place = CarriedJoint::Place::kRest;
    else visit(carried.anchor_here, state);
  }
  state[joint] = 2;
  order_.push_back(joint);
}

Mat3 PoseCarrier::rotation(const CarriedJoint& joint, const std::vector<Mat4>& source) const {
  const Mat3 whole = turn_ * rotation_matrix(source[joint.source]) * joint.offset;
  if (!(joint.share < 1)) return whole;
  const Mat3 none = turn_ * rotation_matrix(source[joint.other]) * joint.other_offset;
  return slerp(Quat(none), Quat(whole), joint.share).toRotationMatrix();
}

void PoseCarrier::fill(const std::vector<Mat4>& source, const Vec3& shift, Pose& pose) const {
  using Place = CarriedJoint::Place;
  std::vector<Mat4> here(pose.local.size());
  for (const Index j : order_) {
    const Joint& joint = target_->joints[j];
    const Mat4 outer = joint.parent == kNone ? Mat4(Mat4::Identity()) : here[joint.parent];
    const CarriedJoint& carried = joints_[j];
    Transform& local = pose.local[j];
    if (carried.source != kNone) {
      const Mat4& partner = source[carried.source];
      const Vec3 position = partner.topRightCorner<3, 1>();
      local.rotation = Quat(Mat3(rotation_matrix(outer).transpose() * rotation(carried, source))).normalized();
      if (carried.place == Place::kModel)
        put(local, outer, carried.here + carried.moves * (position - shift - carried.there));
      if (carried.place == Place::kAttached) put(local, outer, transform_point(partner, carried.there));
      if (carried.place == Place::kAnchored) {
        const Vec3 moved = position_in_frame(source[carried.anchor], partner) - carried.there;
        put(local, outer, transform_point(here[carried.anchor_here], carried.here + carried.moves * moved));
      }
    }
    Mat4 m = local.matrix();
    m.topLeftCorner<3, 3>() *= joint.shear;
    here[j] = outer * m;
  }
}

std::vector<Transform> PoseCarrier::pose(const std::vector<Mat4>& source, const Vec3& shift) const {
  Pose result;
  for (const Joint& joint : target_->joints) result.local.push_back(joint.rest);
  fill(source, shift, result);
  if (drivers_.empty()) return std::move(result.local);
  // Once more, now that driven joints are where they will be.
  drivers_.apply(result);
  fill(source, shift, result);
  return std::move(result.local);
}

std::vector<float> key_times(const Clip& clip, double least_rate) {
  std::set<float> keys;
  for (const Track& track : clip.tracks)
    if (track.path != Track::Path::kMorphWeights) keys.insert(track.times_s.begin(), track.times_s.end());
  std::vector<float> times;
  for (const float key : keys) {
    const double before = static_cast<double>(times.empty() ? key : times.back()), at = static_cast<double>(key);
    const double steps = std::ceil((at - before) * least_rate - 1e-3);
    if (!(static_cast<double>(times.size()) + steps < kMostKeys)) throw Error("The clip is too long.");
    for (double i = 1; i < steps; ++i) times.push_back(static_cast<float>(before + (at - before) * i / steps));
    if (times.empty() || key > times.back()) times.push_back(key);
  }
  return times;
}

void add_tracks(Clip& clip, const Transform& rest, Index joint, const std::vector<float>& times,
                const std::vector<std::vector<Transform>>& frames, bool always, const TrackRules& rules) {
  std::vector<Vec4> rotations;
  std::vector<Vec3> translations, scales;
  for (const std::vector<Transform>& local : frames) {
    // Of the two quaternions of a rotation the nearer one, so that programs that do not choose interpolate rightly.
    const Vec4 q = local[joint].rotation.coeffs();
    const Vec4 last = rotations.empty() ? Vec4(rest.rotation.coeffs()) : rotations.back();
    rotations.push_back(q.dot(last) < 0 ? Vec4(-q) : q);
    translations.push_back(local[joint].translation);
    scales.push_back(local[joint].scale);
  }
  add_track(clip, Track::Path::kTranslation, joint, times, rest.translation, translations, always, rules);
  add_track(clip, Track::Path::kRotation, joint, times, Vec4(rest.rotation.coeffs()), rotations, false, rules);
  add_track(clip, Track::Path::kScale, joint, times, rest.scale, scales, false, rules);
}

}  // namespace sinew::motion
