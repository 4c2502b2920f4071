// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/foot_contacts.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/rotation_between.h"

namespace sinew::motion {
namespace {

constexpr double kContactHeight = 0.05;  // In leg lengths, as the next three.
constexpr double kContactSpeed = 0.8;    // Per second.
constexpr double kStraightest = 0.9995;  // Of the leg's length: a straight leg has no plane to bend in.
constexpr double kFade_s = 0.25;         // A correction begins and ends within this time.
constexpr double kGap_s = 0.05, kLeast_s = 0.08;
constexpr double kPointsDown = 0.3;  // Toes whose level part is less than this share of their length point down.

double seconds(const std::vector<float>& times, std::size_t a, std::size_t b) {
  return static_cast<double>(times[b]) - static_cast<double>(times[a]);
}

double smooth(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

Vec3 place_of(const Mat4& m) { return m.topRightCorner<3, 1>(); }

// Rotates a joint in model space, about its own place.
void turn_joint(const Skeleton& skeleton, Index joint, const Quat& turn, const std::vector<Mat4>& model,
                std::vector<Transform>& local) {
  const Index parent = skeleton.joints[joint].parent;
  const Quat above = parent == kNone ? Quat::Identity() : rotation_part(model[parent]);
  local[joint].rotation = (above.conjugate() * turn * above * local[joint].rotation).normalized();
}

bool is_below(const Skeleton& skeleton, Index joint, Index above) {
  while (joint != kNone && joint != above) joint = skeleton.joints[joint].parent;
  return joint == above;
}

class FeetPlanter {
 public:
  FeetPlanter(const BodyFrame& body, Index hips, const std::array<std::vector<Contact>, 2>& contacts,
              const std::vector<float>& times, double ground, std::vector<std::vector<Transform>>& frames)
      : body_(body), hips_(hips), contacts_(contacts), times_(times), ground_(ground), frames_(frames) {}

  FootReport run() {
    FootReport report;
    report.contacts = contacts_;
    for (const std::vector<Transform>& local : frames_) model_.push_back(model_matrices(*body_.skeleton, local));
    for (std::size_t side = 0; side < 2; ++side) {
      if (!body_.legs[side].complete()) report.contacts[side].clear();
      else find_shifts(side);
      report.most_slide_before = std::max(report.most_slide_before, slide(side, nullptr));
    }
    lower_hips();
    for (std::size_t side = 0; side < 2; ++side)
      if (body_.legs[side].complete())
        for (std::size_t f = 0; f < frames_.size(); ++f)
          if (const Vec3 goal = foot(side, f) + shift_[side][f]; (goal - foot_now(side, f)).norm() > 1e-9)
            bend_leg(body_, body_.legs[side], goal, frames_[f]);
    for (std::size_t f = 0; f < frames_.size(); ++f) model_[f] = model_matrices(*body_.skeleton, frames_[f]);
    for (std::size_t side = 0; side < 2; ++side) bend_toes(side);
    for (std::size_t side = 0; side < 2; ++side)
      report.most_slide = std::max(report.most_slide, slide(side, &report.most_height));
    return report;
  }

 private:
  Vec3 foot(std::size_t side, std::size_t f) const { return place_of(model_[f][body_.legs[side].foot]); }
  // Where the end of the shin is, which carries the foot whether the foot is below it in the skeleton or not.
  Vec3 foot_now(std::size_t side, std::size_t f) const {
    const LegJoints& leg = body_.legs[side];
    const Vec3 ankle = transform_point(model_[f][leg.shin].inverse(), foot(side, f));
    return transform_point(model_matrices(*body_.skeleton, frames_[f])[leg.shin], ankle);
  }
  Vec3 ball(std::size_t side, std::size_t f) const {
    const LegJoints& leg = body_.legs[side];
    return transform_point(model_[f][leg.foot] * body_.rest[leg.foot].inverse(), leg.ball);
  }
  double ball_height(std::size_t side) const { return body_.legs[side].ball.dot(body_.up()) - body_.ground; }

  // How far each foot has to be moved in each frame.
  void find_shifts(std::size_t side) {
    std::vector<Vec3>& shift = shift_[side];
    shift.assign(frames_.size(), Vec3::Zero());
    const Vec3 up = body_.up();
    for (const Contact& contact : contacts_[side]) {
      Vec3 mean = Vec3::Zero();
      for (std::size_t f = contact.first; f <= contact.last; ++f) mean += ball(side, f);
      mean /= static_cast<double>(contact.last - contact.first + 1);
      mean += (ground_ + ball_height(side) - mean.dot(up)) * up;
      for (std::size_t f = contact.first; f <= contact.last; ++f) shift[f] = mean - ball(side, f);
    }
    fade(side);
    // No foot below the ground on its way.
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      const double low = (ball(side, f) + shift[f]).dot(up) - ground_ - ball_height(side);
      if (low < 0) shift[f] -= low * up;
    }
  }

  void fade(std::size_t side) {
    std::vector<Vec3>& shift = shift_[side];
    const std::vector<Contact>& contacts = contacts_[side];
    std::vector<Vec3> faded = shift;
    for (std::size_t c = 0; c <= contacts.size() && !contacts.empty(); ++c) {
      const std::size_t begin = c == 0 ? 0 : contacts[c - 1].last,
                        end = c == contacts.size() ? frames_.size() - 1 : contacts[c].first;
      const double gap = std::max(1e-6, seconds(times_, begin, end));
      const double span = std::min(kFade_s, gap);
      for (std::size_t f = begin; f <= end; ++f) {
        if ((c > 0 && f == begin) || (c < contacts.size() && f == end)) continue;
        const double after = c == 0 ? 0 : 1 - smooth(seconds(times_, begin, f) / span);
        const double before = c == contacts.size() ? 0 : 1 - smooth(seconds(times_, f, end) / span);
        faded[f] = Vec3::Zero();
        if (after > 0) faded[f] += after * shift[begin];
        if (before > 0) faded[f] += before * shift[end];
      }
    }
    shift = std::move(faded);
  }

  // Legs that are too short for where their feet must be.
  void lower_hips() {
    std::vector<double> drop(frames_.size(), 0.0);
    for (std::size_t side = 0; side < 2; ++side) {
      if (!body_.legs[side].complete()) continue;
      const LegJoints& leg = body_.legs[side];
      for (std::size_t f = 0; f < frames_.size(); ++f) {
        const Vec3 hip = place_of(model_[f][leg.thigh]), knee = place_of(model_[f][leg.shin]);
        const double length = kStraightest * ((knee - hip).norm() + (foot(side, f) - knee).norm());
        const Vec3 reach = foot(side, f) + shift_[side][f] - hip;
        if (reach.norm() <= length || shift_[side][f].norm() < 1e-9) continue;
        // Straight down until the goal is as far away as the leg is long.
        const double down = -reach.dot(body_.up()), across = (reach + down * body_.up()).norm();
        if (across < length) drop[f] = std::max(drop[f], down - std::sqrt(length * length - across * across));
      }
    }
    const std::vector<double> smoothed = envelope(drop);
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      if (smoothed[f] <= 0) continue;
      const Index parent = body_.skeleton->joints[hips_].parent;
      const Mat4 above = parent == kNone ? Mat4(Mat4::Identity()) : model_[f][parent];
      const Mat4 back = above.inverse();
      if (!back.allFinite()) continue;
      frames_[f][hips_].translation = transform_point(back, place_of(model_[f][hips_]) - smoothed[f] * body_.up());
    }
  }

  // Toes that would point into the ground lie on it, at the height that their tips have at rest.
  void bend_toes(std::size_t side) {
    const LegJoints& leg = body_.legs[side];
    if (!leg.complete() || leg.toes == kNone) return;
    const Vec3 up = body_.up(), tip_at_rest = end_of(leg.toes),
               tip = transform_point(body_.rest[leg.toes].inverse(), tip_at_rest);
    const double least = ground_ + std::max(0.0, tip_at_rest.dot(up) - body_.ground);
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      const Vec3 ball = place_of(model_[f][leg.toes]), toes = transform_point(model_[f][leg.toes], tip) - ball;
      const double height = least - ball.dot(up), length = toes.norm();
      if (toes.dot(up) >= height || std::abs(height) >= length) continue;
      // Along the toes or, where they point straight down, along the foot.
      const Vec3 foot =
          rotation_part(model_[f][leg.foot]) * (body_.rest_rotation[leg.foot].conjugate() * body_.axes.col(2));
      Vec3 along = toes - toes.dot(up) * up;
      along += std::max(0.0, kPointsDown * length - along.norm()) * (foot - foot.dot(up) * up);
      if (!(along.norm() > 1e-3 * length)) continue;
      const Vec3 lying = height * up + std::sqrt(length * length - height * height) * along.normalized();
      turn_joint(*body_.skeleton, leg.toes, rotation_between(toes, lying), model_[f], frames_[f]);
    }
  }

  // Where the bone of a joint ends at rest.
  Vec3 end_of(Index joint) const {
    for (Index j = 0; j < body_.skeleton->size(); ++j)
      if (body_.skeleton->joints[j].parent == joint && (body_.place(j) - body_.place(joint)).norm() > 1e-9)
        return body_.place(j);
    const std::optional<Vec3>& end = body_.skeleton->joints[joint].end_local;
    return end ? transform_point(body_.rest[joint], *end) : body_.place(joint);
  }

  // At least as large as the values everywhere, and smooth.
  std::vector<double> envelope(const std::vector<double>& values) const {
    std::vector<double> highest(values.size(), 0.0), result(values.size(), 0.0);
    constexpr double kWindow_s = 0.15;
    const auto around = [&](std::size_t f, auto&& visit) {
      for (std::size_t g = f; g < values.size() && seconds(times_, f, g) <= kWindow_s; ++g) visit(g);
      for (std::size_t g = f; g-- > 0 && seconds(times_, g, f) <= kWindow_s;) visit(g);
    };
    for (std::size_t f = 0; f < values.size(); ++f)
      around(f, [&](std::size_t g) { highest[f] = std::max(highest[f], values[g]); });
    for (std::size_t f = 0; f < values.size(); ++f) {
      int count = 0;
      around(f, [&](std::size_t g) { result[f] += highest[g], ++count; });
      result[f] /= count;
    }
    return result;
  }

  double slide(std::size_t side, double* most_height) const {
    double most = 0;
    if (!body_.legs[side].complete()) return 0;
    const Vec3 up = body_.up();
    for (const Contact& contact : contacts_[side]) {
      const Vec3 start = ball(side, contact.first);
      for (std::size_t f = contact.first; f <= contact.last; ++f) {
        const Vec3 moved = ball(side, f) - start;
        most = std::max(most, (moved - moved.dot(up) * up).norm() / body_.leg_length);
        const double height = ball(side, f).dot(up) - ground_ - ball_height(side);
        if (most_height) *most_height = std::max(*most_height, std::abs(height) / body_.leg_length);
      }
    }
    return most;
  }

  const BodyFrame& body_;
  Index hips_;
  const std::array<std::vector<Contact>, 2>& contacts_;
  const std::vector<float>& times_;
  double ground_;
  std::vector<std::vector<Transform>>& frames_;
  std::vector<std::vector<Mat4>> model_;
  std::array<std::vector<Vec3>, 2> shift_;
};

}  // namespace

std::vector<Contact> find_contacts(const std::vector<Vec3>& points, const std::vector<float>& times_s, const Vec3& up,
                                   double leg_length) {
  std::vector<Contact> found;
  if (points.size() < 2) return found;
  std::vector<double> heights;
  for (const Vec3& p : points) heights.push_back(p.dot(up));
  std::vector<double> sorted = heights;
  const auto low = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 20);
  std::nth_element(sorted.begin(), low, sorted.end());
  const double highest = *low + kContactHeight * leg_length;
  for (std::size_t f = 0; f < points.size(); ++f) {
    const std::size_t a = f == 0 ? 0 : f - 1, b = std::min(f + 1, points.size() - 1);
    const double speed = (points[b] - points[a]).norm() / std::max(1e-6, seconds(times_s, a, b));
    if (heights[f] > highest || speed > kContactSpeed * leg_length) continue;
    if (!found.empty() && seconds(times_s, found.back().last, f) <= std::max(kGap_s, seconds(times_s, f - 1, f) * 1.01))
      found.back().last = f;
    else found.push_back({f, f});
  }
  std::erase_if(found, [&](const Contact& c) { return seconds(times_s, c.first, c.last) < kLeast_s; });
  return found;
}

void bend_leg(const BodyFrame& body, const LegJoints& leg, const Vec3& goal, std::vector<Transform>& local) {
  const Skeleton& skeleton = *body.skeleton;
  std::vector<Mat4> model = model_matrices(skeleton, local);
  // A foot of a rig for inverse kinematics need not be where its shin ends.
  const bool loose = !is_below(skeleton, leg.foot, leg.shin);
  const Vec3 hip = place_of(model[leg.thigh]), knee = place_of(model[leg.shin]);
  const Vec3 ankle = loose ? transform_point(model[leg.shin] * body.rest[leg.shin].inverse(), body.place(leg.foot))
                           : place_of(model[leg.foot]);
  const Quat foot = rotation_part(model[leg.foot]);
  const Vec3 ankle_in_shin = transform_point(model[leg.shin].inverse(), ankle);
  if (!ankle_in_shin.allFinite()) return;
  const double upper = (knee - hip).norm(), lower = (ankle - knee).norm();
  const Vec3 reach = goal - hip;
  if (!(upper > 0) || !(lower > 0) || !(reach.norm() > 0)) return;
  const double far = std::clamp(reach.norm(), std::abs(upper - lower) + 1e-6 * upper, kStraightest * (upper + lower));
  const Vec3 along = reach.normalized();
  // Towards the knee, across the line to the goal; a straight leg bends forward.
  Vec3 pole = (knee - hip) - (knee - hip).dot((ankle - hip).normalized()) * (ankle - hip).normalized();
  if (pole.norm() < 1e-3 * upper) pole = body.axes.col(2) * upper;
  pole -= pole.dot(along) * along;
  if (!(pole.norm() > 0)) return;
  pole.normalize();
  const double cosine = std::clamp((upper * upper + far * far - lower * lower) / (2 * upper * far), -1.0, 1.0);
  const Vec3 new_knee = hip + upper * (cosine * along + std::sqrt(1 - cosine * cosine) * pole);
  turn_joint(skeleton, leg.thigh, rotation_between(knee - hip, new_knee - hip), model, local);
  model = model_matrices(skeleton, local);
  turn_joint(skeleton, leg.shin,
             rotation_between(transform_point(model[leg.shin], ankle_in_shin) - place_of(model[leg.shin]),
                              hip + far * along - place_of(model[leg.shin])),
             model, local);
  model = model_matrices(skeleton, local);
  if (loose) {
    // It follows the shin by its translation.
    const Index parent = skeleton.joints[leg.foot].parent;
    const Mat4 above = parent == kNone ? Mat4(Mat4::Identity()) : model[parent];
    const Vec3 place = transform_point(above.inverse(), transform_point(model[leg.shin], ankle_in_shin));
    if (place.allFinite()) local[leg.foot].translation = place;
    return;
  }
  turn_joint(skeleton, leg.foot, foot * rotation_part(model[leg.foot]).conjugate(), model, local);
}

FootReport plant_feet(const BodyFrame& body, Index hips, const std::array<std::vector<Contact>, 2>& contacts,
                      const std::vector<float>& times_s, double ground, std::vector<std::vector<Transform>>& frames) {
  return FeetPlanter(body, hips, contacts, times_s, ground, frames).run();
}

}  // namespace sinew::motion
