// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/body_frame.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sinew/motion/names/shape_roles.h"

namespace sinew::motion {
namespace {

// Where the foot rolls off: the toes' joint, else the end of the foot, else the foot's own joint.
Vec3 ball_of(const BodyFrame& body, const LegJoints& leg) {
  if (leg.toes != kNone) return body.place(leg.toes);
  const Joint& foot = body.skeleton->joints[leg.foot];
  for (Index j = 0; j < body.skeleton->size(); ++j)
    if (body.skeleton->joints[j].parent == leg.foot && (body.place(j) - body.place(leg.foot)).norm() > 1e-9)
      return body.place(j);
  return foot.end_local ? transform_point(body.rest[leg.foot], *foot.end_local) : body.place(leg.foot);
}

void find_legs(BodyFrame& body) {
  double length = 0;
  int count = 0;
  for (const Side side : {Side::kLeft, Side::kRight}) {
    LegJoints& leg = body.legs[side == Side::kLeft ? 0 : 1];
    leg.thigh = body.find(BodyPart::kThigh, side);
    leg.shin = body.find(BodyPart::kShin, side);
    leg.foot = body.find(BodyPart::kFoot, side);
    leg.toes = body.find(BodyPart::kToes, side);
    if (!leg.complete()) continue;
    leg.ball = ball_of(body, leg);
    length +=
        (body.place(leg.thigh) - body.place(leg.shin)).norm() + (body.place(leg.shin) - body.place(leg.foot)).norm();
    ++count;
  }
  if (count > 0 && length > 0) body.leg_length = length / count;
}

}  // namespace

Quat rotation_part(const Mat4& m) { return Quat(polar(Mat3(m.topLeftCorner<3, 3>())).rotation).normalized(); }

BodyFrame body_frame(const Rig& rig) {
  const Skeleton& skeleton = rig.skeleton;
  BodyFrame body;
  body.skeleton = &skeleton;
  body.recognition = recognize(skeleton);
  if (body.recognition.build == Build::kUnknown) {
    Recognition shape = recognize_by_shape(rig);
    if (shape.build != Build::kUnknown && shape.coverage > body.recognition.coverage)
      body.recognition = std::move(shape);
  }
  body.rest = rest_matrices(skeleton);
  for (const Mat4& m : body.rest) body.rest_rotation.push_back(rotation_part(m));
  body.axes.col(0) = body.recognition.left;
  body.axes.col(1) = body.recognition.up;
  body.axes.col(2) = body.recognition.forward;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (Index j = 0; j < skeleton.size(); ++j) {
    low = std::min(low, body.place(j).dot(body.up()));
    high = std::max(high, body.place(j).dot(body.up()));
  }
  if (high > low) body.leg_length = 0.5 * (high - low);
  find_legs(body);
  body.ground = low;
  double sole = std::numeric_limits<double>::infinity();
  for (const LegJoints& leg : body.legs)
    if (leg.complete()) sole = std::min({sole, leg.ball.dot(body.up()), body.place(leg.foot).dot(body.up())});
  if (sole < std::numeric_limits<double>::infinity()) body.ground = sole;
  return body;
}

}  // namespace sinew::motion
