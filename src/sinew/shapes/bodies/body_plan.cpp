// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/body_plan.h"

#include <cassert>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"

namespace sinew::shapes {
Mat3 bone_frame(const Vec3& along, const Vec3& bend) {
  const Vec3 y = along.normalized();
  const Vec3 x = y.cross(bend).normalized();
  Mat3 frame;
  frame << x, y, x.cross(y);
  return frame;
}

Index BodyPlan::add(const std::string& name, Index parent, const Vec3& place, const Vec3& end, const Vec3& bend,
                    bool leaf) {
  Planned joint;
  joint.name = name;
  joint.parent = parent;
  joint.place = place;
  joint.frame = bone_frame(end - place, bend);
  joint.length = (end - place).norm();
  joint.leaf = leaf;
  joints_.push_back(std::move(joint));
  return size() - 1;
}

Index BodyPlan::add_mirrored(const std::string& name, Index parent, Index left) {
  const Mat3 flip = Vec3(-1, 1, 1).asDiagonal();
  Planned joint = joints_[left];
  joint.name = name;
  joint.parent = parent;
  joint.place.x() = -joint.place.x();
  // So that equal turns about +Z bend both sides alike.
  const Mat3 turned = Vec3(1, 1, -1).asDiagonal();
  joint.frame = flip * joint.frame * turned;
  joint.roll = turned * joint.roll * turned;
  joint.mirror = left;
  joints_[left].mirror = size();
  joints_.push_back(std::move(joint));
  return size() - 1;
}

void BodyPlan::lay_sections(Index joint, const Vec3& z) {
  const Mat3& frame = joints_[joint].frame;
  joints_[joint].roll = frame.transpose() * bone_frame(frame.col(1), z);
}

void BodyPlan::turn(Index joint, const Quat& rotation) { joints_[joint].turn = joints_[joint].turn * rotation; }

void BodyPlan::turn_model(Index joint, const Vec3& rotation_rad) {
  turn(joint, rotation_exp(joints_[joint].frame.transpose() * rotation_rad));
}

Index BodyPlan::find(std::string_view name) const {
  for (Index j = 0; j < size(); ++j)
    if (joints_[j].name == name) return j;
  return kNone;
}

void BodyPlan::settle() {
  frames_.resize(joints_.size());
  before_.resize(joints_.size());
  places_.resize(joints_.size());
  for (Index j = 0; j < size(); ++j) {
    const Planned& joint = joints_[j];
    Mat3 before = joint.frame;
    Vec3 place = joint.place;
    if (joint.parent != kNone) {
      const Planned& above = joints_[joint.parent];
      const Mat3 moved = frames_[joint.parent] * above.frame.transpose();
      before = moved * joint.frame;
      place = places_[joint.parent] + moved * (joint.place - above.place);
    }
    before_[j] = before;
    frames_[j] = before * joint.turn.toRotationMatrix();
    places_[j] = place;
  }
}

Skeleton BodyPlan::skeleton() const {
  Skeleton skeleton;
  for (Index j = 0; j < size(); ++j) {
    const Planned& planned = joints_[j];
    Joint joint;
    joint.name = planned.name;
    joint.parent = planned.parent;
    joint.deforming = true;
    joint.mirror = planned.mirror;
    const bool root = planned.parent == kNone;
    const Mat3 above = root ? Mat3(Mat3::Identity()) : frames_[planned.parent];
    const Vec3 origin = root ? Vec3(Vec3::Zero()) : places_[planned.parent];
    joint.rest.translation = above.transpose() * (places_[j] - origin);
    joint.rest.rotation = Quat(Mat3(above.transpose() * frames_[j])).normalized();
    if (planned.leaf) joint.end_local = Vec3(0, planned.length, 0);
    skeleton.joints.push_back(std::move(joint));
  }
  return skeleton;
}

Section scaled(const Section& section, double factor) {
  return {factor * section.z_plus, factor * section.z_minus, factor * section.x_plus, factor * section.x_minus};
}

Profile circle(Index count, double first_deg) {
  Profile profile;
  for (Index i = 0; i < count; ++i) {
    const double angle = kTwoPi * (static_cast<double>(i) / count + first_deg / 360);
    profile.emplace_back(std::cos(angle), std::sin(angle));
  }
  return profile;
}

Profile between(const Profile& a, const Profile& b, double t) {
  assert(a.size() == b.size());
  Profile out;
  for (std::size_t i = 0; i < a.size(); ++i) out.emplace_back((1 - t) * a[i] + t * b[i]);
  return out;
}

Loop add_ring(Cage& cage, const BodyPlan& plan, const Station& station, const Profile& profile, double side) {
  const Profile& outline = station.profile ? *station.profile : profile;
  Quat frame(plan.section_frame(station.joint));
  if (station.unturned > 0) frame = frame.slerp(station.unturned, Quat(plan.unturned_section_frame(station.joint)));
  Mix mix = {{station.joint, 1.0}};
  if (station.other != kNone) {
    frame = frame.slerp(station.share, Quat(plan.section_frame(station.other)));
    mix = blended(mix, {{station.other, 1.0}}, station.share);
  }
  if (station.mix) mix = *station.mix;
  const Vec3 shift(station.shift.x(), station.shift.y(), side * station.shift.z());
  const Vec3 local = shift + Vec3(0, station.t * plan.length(station.joint), 0);
  const Vec3 center = plan.place(station.joint) +
                      (station.unturned > 0 ? frame.toRotationMatrix() : plan.section_frame(station.joint)) * local;
  const double grown = 6 / (4 + 2 * std::cos(kTwoPi / static_cast<double>(outline.size())));
  Loop ring;
  for (const Vec2& p : outline) {
    const Section& s = station.section;
    const double z = p.x() * (p.x() > 0 ? s.z_plus : s.z_minus);
    const double x = p.y() * (p.y() > 0 ? s.x_plus : s.x_minus);
    ring.push_back(cage.add(center + frame * Vec3(grown * x, station.lift * std::abs(p.x()), side * grown * z), mix));
  }
  return ring;
}

std::vector<Loop> grow(Cage& cage, const BodyPlan& plan, const Loop& root, const std::vector<Station>& stations,
                       const Profile& profile, double side) {
  std::vector<Loop> rings = {root};
  for (const Station& station : stations) rings.push_back(add_ring(cage, plan, station, profile, side));
  cage.wall(rings, side < 0);
  return rings;
}

}  // namespace sinew::shapes
