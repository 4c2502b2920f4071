// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/human.h"

#include <cmath>
#include <string>

#include "sinew/shapes/bodies/hand_parts.h"
#include "sinew/shapes/bodies/human_clips.h"
#include "sinew/shapes/bodies/human_clothes.h"
#include "sinew/shapes/bodies/human_plan.h"
#include "sinew/shapes/surface/drawing.h"
#include "sinew/shapes/variation.h"

namespace sinew::shapes {
namespace {

constexpr int kTrunk = 16;     ///< Vertices round the trunk; 0 on the left, 4 behind, 8 on the right, 12 in front.
constexpr Index kHoleLow = 5;  ///< Rings of the trunk between which the arms grow out.
constexpr Index kHoleHigh = 8;

Vec3 shifted_back(double z) { return {-z, 0, 0}; }  ///< In the frames of the trunk, whose x points back.

/// Rings of trunk, neck and head from the legs up.
std::vector<Station> trunk_stations(const HumanPlan& h) {
  const auto& [hips, spine, chest, neck, head] = h.trunk;
  const double g = h.shape.girth;
  const double s = h.shape.shoulders;
  const double p = h.shape.hips;
  const double b = h.shape.belly;
  const double n = h.shape.neck;
  std::vector<Station> list;
  const auto add = [&](Index joint, double t, double wide, double front, double behind, double forward = 0,
                       double lift = 0, Index other = kNone, double share = 0.5) {
    Station station{joint, t, {g * wide, g * wide, g * behind, g * front}};
    station.shift = shifted_back(forward);
    station.lift = lift;
    station.other = other;
    station.share = share;
    list.push_back(station);
  };
  add(hips, -1.10, 0.150 * p, 0.086, 0.100, -0.004, 0.105);
  add(hips, -0.25, 0.160 * p, 0.094, 0.112, -0.006, 0.035);
  add(hips, 0.55, 0.146 * p, 0.096 * b, 0.092, 0.000, 0.0, spine, 0.35);
  add(spine, 0.18, 0.127, 0.094 * b, 0.080, 0.006, 0, hips, 0.3);
  add(spine, 0.72, 0.132, 0.100 * b, 0.082, 0.004, 0, chest, 0.35);
  add(chest, 0.12, 0.148 * s, 0.108, 0.090, 0.004, 0, spine, 0.3);
  add(chest, 0.40, 0.164 * s, 0.114, 0.102, 0.004);
  add(chest, 0.66, 0.166 * s, 0.098, 0.106, -0.004);
  add(chest, 0.87, 0.152 * s, 0.066, 0.090, -0.014);
  add(chest, 0.985, 0.100 * std::sqrt(s), 0.050 * n, 0.068 * n, -0.014);
  add(neck, 0.12, 0.060 * n, 0.047 * n, 0.055 * n, -0.004, 0, chest, 0.4);
  add(neck, 0.62, 0.054 * n, 0.048 * n, 0.052 * n, 0.000, 0, head, 0.25);
  return list;
}

/// Rings of the head: half-widths and how far in front and behind, by height in head lengths.
struct HeadRing {
  double t, wide, front, behind;
};
constexpr HeadRing kHead[] = {{0.00, 0.054, 0.056, 0.058}, {0.055, 0.058, 0.086, 0.066}, {0.16, 0.066, 0.097, 0.076},
                              {0.30, 0.073, 0.098, 0.086}, {0.45, 0.078, 0.099, 0.094},  {0.60, 0.0805, 0.096, 0.099},
                              {0.74, 0.081, 0.097, 0.100}, {0.88, 0.073, 0.085, 0.093},  {0.975, 0.050, 0.055, 0.064}};

std::vector<Station> head_stations(const HumanPlan& h) {
  std::vector<Station> list;
  const double k = h.shape.head;
  for (const HeadRing& ring : kHead) {
    Station station{h.trunk[4], ring.t, {k * ring.wide, k * ring.wide, k * ring.behind, k * ring.front}};
    station.shift = shifted_back(0.006 * k);
    if (ring.t == 0) station.other = h.trunk[3], station.share = 0.5;
    list.push_back(station);
  }
  return list;
}

/// Nose, eye sockets, chin: pushes of single vertices of the head's rings.
void carve_face(Cage& cage, const HumanPlan& h, const std::vector<Loop>& head) {
  const Mat3& frame = h.plan.frame(h.trunk[4]);
  const double k = h.shape.head;
  const auto push = [&](std::size_t ring, std::size_t column, double forward, double up, double wide = 0) {
    for (const std::size_t c : {column, (24 - column) % 16}) {
      const double side = c == 12 ? 0 : (c > 12 ? 1 : -1);
      cage.positions()[head[ring][c]] += k * (frame * Vec3(-forward, up, side * wide));
      if (column == 12) break;
    }
  };
  push(1, 12, 0.010, 0.000);  // Chin.
  push(2, 12, 0.004, 0.002);
  push(3, 12, 0.006, 0.004);   // Lips.
  push(4, 12, 0.030, -0.012);  // Tip of the nose.
  push(5, 12, 0.010, -0.006);  // Its bridge.
  push(4, 13, 0.002, -0.006);
  push(5, 13, -0.013, 0.002);  // Sockets.
  push(6, 13, 0.006, -0.010);  // Brows.
  push(6, 12, 0.004, -0.008);
  push(2, 14, 0.002, 0.0);
  push(5, 14, -0.006, 0.0);
}

/// An ear: two faces of the side of the head drawn out.
void grow_ear(Cage& cage, const HumanPlan& h, const std::vector<Loop>& rings, Index low, double side) {
  const Loop root = side > 0 ? Cage::hole(rings, low, low + 2, 0, 1) : Cage::hole(rings, low, low + 2, 8, 7);
  const Mat3& frame = h.plan.frame(h.trunk[4]);
  const double k = h.shape.head;
  std::vector<Loop> loops = {root};
  for (const auto& [out, behind, grown] : {std::tuple(0.006, 0.002, 0.86), std::tuple(0.013, 0.010, 1.02)}) {
    Vec3 center = Vec3::Zero();
    for (const Index v : root) center += cage.positions()[v] / static_cast<double>(root.size());
    Loop loop;
    for (const Index v : root) {
      const Vec3 p = center + grown * (cage.positions()[v] - center) + k * (frame * Vec3(behind, 0.002, side * out));
      loop.push_back(cage.add(p, cage.mixes()[v]));
    }
    loops.push_back(std::move(loop));
  }
  cage.wall(loops, side < 0);
  cage.close(loops.back(), 1, Vec3::Zero(), side < 0);
}

std::vector<Station> arm_stations(const HumanPlan& h, const ArmJoints& arm) {
  const auto& [clavicle, upper, fore, hand] = arm;
  const double m = h.shape.arms;
  Station shoulder{upper, 0.02, {0.066 * m, 0.053 * m, 0.060 * m, 0.058 * m}, clavicle};
  shoulder.mix = Mix{{clavicle, 0.45}, {upper, 0.55}};
  Station elbow{fore, 0, oval(0.0375 * m, 0.0385 * m), upper};
  Station wrist{hand.hand, 0, oval(0.0205, 0.0280), fore};
  return {shoulder,
          {upper, 0.20, {0.056 * m, 0.053 * m, 0.055 * m, 0.056 * m}},
          {upper, 0.45, oval(0.046 * m, 0.049 * m)},
          {upper, 0.70, oval(0.041 * m, 0.043 * m)},
          {upper, 0.89, oval(0.038 * m, 0.039 * m), fore, 0.12},
          elbow,
          {fore, 0.12, oval(0.0385 * m, 0.0405 * m), upper, 0.12},
          {fore, 0.34, oval(0.0375 * m, 0.040 * m)},
          {fore, 0.62, oval(0.030 * m, 0.0335 * m)},
          {fore, 0.88, oval(0.0235, 0.0290), hand.hand, 0.12},
          wrist};
}

std::vector<Station> leg_stations(const HumanPlan& h, const LegJoints& leg) {
  const auto& [thigh, shin, foot, toes] = leg;
  const double m = h.shape.legs;
  const Index hips = h.trunk[0];
  // In the frames of a leg z points outwards and x to the front; from the ankle on x points up.
  const auto at = [&](Index joint, double t, double out, double in, double front, double behind) {
    return Station{joint, t, {m * out, m * in, m * front, m * behind}};
  };
  Station hip = at(thigh, 0.085, 0.078, 0.078, 0.088, 0.096);
  hip.mix = Mix{{hips, 0.42}, {thigh, 0.58}};
  hip.unturned = 0.5;
  Station below = at(thigh, 0.24, 0.076, 0.074, 0.084, 0.086);
  below.mix = Mix{{hips, 0.06}, {thigh, 0.94}};
  below.unturned = 0.15;
  Station knee = at(shin, 0, 0.050, 0.049, 0.056, 0.049);
  knee.other = thigh;
  Station above_knee = at(thigh, 0.91, 0.053, 0.052, 0.058, 0.050);
  above_knee.other = shin, above_knee.share = 0.12;
  Station below_knee = at(shin, 0.09, 0.049, 0.048, 0.053, 0.050);
  below_knee.other = thigh, below_knee.share = 0.12;
  Station ankle = at(shin, 0.955, 0.0325, 0.0325, 0.037, 0.040);
  ankle.other = foot, ankle.share = 0.2;
  const double f = h.shape.feet;
  const auto sole = [&](Index joint, double t, double wide, double top, double bottom) {
    return Station{joint, t, {f * wide, f * wide, f * top, f * bottom}};
  };
  Station heel = sole(foot, 0.02, 0.034, 0.042, 0.076);
  heel.other = shin, heel.share = 0.5;
  Station ball = sole(toes, 0, 0.0465, 0.026, 0.0215);
  ball.other = foot;
  return {hip,
          below,
          at(thigh, 0.48, 0.068, 0.066, 0.076, 0.073),
          at(thigh, 0.73, 0.058, 0.056, 0.065, 0.058),
          above_knee,
          knee,
          below_knee,
          at(shin, 0.27, 0.052, 0.050, 0.052, 0.063),
          at(shin, 0.50, 0.045, 0.043, 0.047, 0.056),
          at(shin, 0.76, 0.034, 0.033, 0.038, 0.041),
          ankle,
          heel,
          sole(foot, 0.45, 0.038, 0.040, 0.050),
          sole(foot, 0.78, 0.044, 0.032, 0.033),
          ball,
          sole(toes, 0.50, 0.043, 0.020, 0.0190),
          sole(toes, 0.92, 0.032, 0.014, 0.0165)};
}

std::vector<Loop> grow_arm(Cage& cage, const HumanPlan& h, const std::vector<Loop>& trunk, const ArmJoints& arm,
                           double side) {
  const Loop root =
      side > 0 ? Cage::hole(trunk, kHoleLow, kHoleHigh, -1, 1) : Cage::hole(trunk, kHoleLow, kHoleHigh, 9, 7);
  for (const Index v : root) cage.mixes()[v] = blended(cage.mixes()[v], {{arm.clavicle, 1.0}}, 0.45);
  for (Index row = kHoleLow + 1; row <= kHoleHigh; ++row) {
    for (const int column : {side > 0 ? 14 : 10, side > 0 ? 2 : 6}) {
      Mix& mix = cage.mixes()[trunk[row][static_cast<std::size_t>(column)]];
      mix = blended(mix, {{arm.clavicle, 1.0}}, 0.2);
    }
  }
  const std::vector<Loop> rings = grow(cage, h.plan, root, arm_stations(h, arm), arm_profile(), side);
  grow_hand(cage, h.plan, arm.hand, rings.back(), h.shape.hand, side);
  return rings;
}

std::vector<Loop> grow_leg(Cage& cage, const HumanPlan& h, const Loop& bottom, Index crotch, const LegJoints& leg,
                           double side) {
  Loop root;
  for (int k = 4; k >= -4; --k) {
    const int column = side > 0 ? k : 8 - k;
    root.push_back(bottom[static_cast<std::size_t>((column + kTrunk) % kTrunk)]);
  }
  for (std::size_t k = 1; k + 1 < root.size(); ++k)
    cage.mixes()[root[k]] = blended(cage.mixes()[root[k]], {{leg.thigh, 1.0}}, 0.22);
  root.push_back(crotch);
  const std::vector<Loop> rings = grow(cage, h.plan, root, leg_stations(h, leg), circle(10, -144), side);
  const Loop& tip = rings.back();
  Loop rim;
  for (std::size_t k = 0; k < 10; ++k) rim.push_back(tip[(k + 3) % 10]);
  const Vec3 out = 0.006 * h.shape.feet * h.plan.frame(leg.toes).col(1);
  cage.close(rim, 2, out, side < 0);
  return rings;
}

HumanCage body_cage(const HumanPlan& h) {
  HumanCage body;
  Cage& cage = body.cage;
  const Profile profile = circle(kTrunk, 0);
  std::vector<Loop>& rings = body.trunk;
  for (const Station& station : trunk_stations(h)) rings.push_back(add_ring(cage, h.plan, station, profile));
  const auto face = static_cast<Index>(rings.size());
  body.head = face;
  for (const Station& station : head_stations(h)) rings.push_back(add_ring(cage, h.plan, station, profile));
  carve_face(cage, h, {rings.begin() + face, rings.end()});
  const Index ear = face + 4;
  cage.wall(rings, false, [&](Index row, Index column) {
    const bool arm = row >= kHoleLow && row < kHoleHigh && (column == 15 || column == 0 || column == 7 || column == 8);
    const bool ears = row >= ear && row < ear + 2 && (column == 0 || column == 7);
    return arm || ears;
  });
  grow_ear(cage, h, rings, ear, 1);
  grow_ear(cage, h, rings, ear, -1);
  // The crown: a grid of 4×4 whose corners lie between the axes.
  Loop crown;
  for (std::size_t k = 0; k < kTrunk; ++k) crown.push_back(rings.back()[(k + 14) % kTrunk]);
  const double k = h.shape.head;
  cage.close(crown, 4, 0.016 * k * h.plan.frame(h.trunk[4]).col(1), false);
  for (const double side : {1.0, -1.0}) {
    const bool left = side > 0;
    body.arms[left ? 0 : 1] = grow_arm(cage, h, rings, h.arms[left ? 0 : 1], side);
  }
  const Vec3 front = cage.positions()[rings[0][12]];
  const Vec3 behind = cage.positions()[rings[0][4]];
  const Index crotch =
      cage.add(0.5 * (front + behind) - 0.012 * h.shape.girth * h.plan.frame(h.trunk[0]).col(1), {{h.trunk[0], 1.0}});
  body.legs[0] = grow_leg(cage, h, rings[0], crotch, h.legs[0], 1);
  body.legs[1] = grow_leg(cage, h, rings[0], crotch, h.legs[1], -1);
  return body;
}

/// The skeleton of the same person with the arms lowered, at the size it came out.
Skeleton relaxed_skeleton(const Skeleton& skeleton, const MakeOptions& options) {
  if (options.made_pose == "a") return skeleton;
  Skeleton relaxed = skeleton;
  MakeOptions same = options;
  same.made_pose = "a";
  const Skeleton plain = plan_human(same, {0, 1}).plan.skeleton();
  const Index shin = skeleton.find("LeftShin");
  const double scale = skeleton.joints[shin].rest.translation.norm() / plain.joints[shin].rest.translation.norm();
  for (Index j = 0; j < relaxed.size(); ++j) {
    relaxed.joints[j].rest = plain.joints[j].rest;
    relaxed.joints[j].rest.translation *= scale;
  }
  return relaxed;
}

}  // namespace

Made human(const MakeOptions& options, const Progress& progress) {
  progress.step("drawing");
  const int vertices = options.vertices > 0 ? options.vertices : 10000;
  const double height = options.height > 0 ? options.height : 1.75;
  const auto draw = [&](const Trial& trial) {
    Drawing drawing;
    const HumanPlan h = plan_human(options, trial);
    drawing.plan = h.plan;
    drawing.template_joints = h.template_joints;
    HumanCage body = body_cage(h);
    std::vector<Shell> clothes;
    if (options.clothes) clothes = human_clothes(h, body);
    body.cage.drop_unused();
    drawing.shells.push_back({"Body", std::move(body.cage), matte("Skin", 0.62F, 0.36F, 0.25F)});
    for (Shell& shell : clothes) drawing.shells.push_back(std::move(shell));
    return drawing;
  };
  Made made = finished_untangled(draw, "human", vertices, height);
  made.character.clips = human_clips(relaxed_skeleton(made.character.rig.skeleton, options));
  return made;
}

}  // namespace sinew::shapes
