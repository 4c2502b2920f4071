// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <array>
#include <string>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/shapes/bodies/animals.h"
#include "sinew/shapes/surface/drawing.h"
#include "sinew/shapes/variation.h"

namespace sinew::shapes {
namespace {

using Leg = std::array<Index, 4>;  ///< From the trunk to the paw.

struct Beast {
  BodyPlan plan;
  Index hips, spine, chest, neck, head;
  std::array<Index, 4> tail;
  std::array<Leg, 2> front, hind;
  std::array<Index, 2> ears;
  double girth, legs, skull, muzzle, ear;
};

Leg add_leg(BodyPlan& plan, const std::string& prefix, const std::array<const char*, 4>& names, Index parent,
            const std::array<Vec3, 5>& places) {
  Leg leg;
  Index above = parent;
  for (std::size_t k = 0; k < 4; ++k) {
    above = plan.add(prefix + names[k], above, places[k], places[k + 1], Vec3::UnitX(), k == 3);
    leg[k] = above;
  }
  return leg;
}

Leg mirror_leg(BodyPlan& plan, const std::string& prefix, const std::array<const char*, 4>& names, Index parent,
               const Leg& left) {
  Leg leg;
  Index above = parent;
  for (std::size_t k = 0; k < 4; ++k) {
    above = plan.add_mirrored(prefix + names[k], above, left[k]);
    leg[k] = above;
  }
  return leg;
}

void add_beast_trunk(Beast& b, const Variation& vary, double leg_length) {
  const double trunk = vary.factor("trunk length", 1.4);
  const double neck = vary.factor("neck length", 1.7);
  const double skull = b.skull;
  const double h = 0.60 * leg_length;
  const Vec3 side = Vec3::UnitX();
  const Vec3 hips(0, h + 0.035, -0.27 * trunk);
  const Vec3 spine(0, h + 0.045, -0.06 * trunk);
  const Vec3 chest(0, h + 0.030, 0.14 * trunk);
  const Vec3 base(0, h + 0.070, 0.32 * trunk);
  const Vec3 head = base + neck * Vec3(0, 0.185, 0.095);
  b.hips = b.plan.add("Hips", kNone, hips, spine, side);
  b.spine = b.plan.add("Spine", b.hips, spine, chest, side);
  b.chest = b.plan.add("Chest", b.spine, chest, base, side);
  b.neck = b.plan.add("Neck", b.chest, base, head, side);
  b.head = b.plan.add("Head", b.neck, head, head + skull * Vec3(0, -0.050, 0.235), side, true);
  const Vec3 ear = head + skull * Vec3(0.052, 0.055, 0.000);
  b.ears[0] = b.plan.add("LeftEar", b.head, ear, ear + skull * b.ear * Vec3(0.022, 0.085, -0.012), Vec3::UnitX(), true);
  b.ears[1] = b.plan.add_mirrored("RightEar", b.head, b.ears[0]);
  const double tail = vary.factor("tail length", 2.0);
  Vec3 place = hips + Vec3(0, 0.030, -0.125 * b.girth);
  Index above = b.hips;
  for (std::size_t k = 0; k < 4; ++k) {
    const double droop = 0.25 + 0.16 * static_cast<double>(k);
    const Vec3 end = place + tail * 0.085 * Vec3(0, -droop, -1).normalized();
    above = b.plan.add("Tail" + std::to_string(k + 1), above, place, end, side, k == 3);
    b.tail[k] = above;
    place = end;
  }
}

void add_beast_legs(Beast& b, const Variation& vary, double l) {
  constexpr std::array<const char*, 4> kFront = {"UpperArm", "Forearm", "Hand", "HandPaw"};
  constexpr std::array<const char*, 4> kHind = {"Thigh", "Shin", "Foot", "FootPaw"};
  const double w = 0.085 * b.girth * vary.factor("stance", 1.15);
  const Vec3 c = b.plan.place(b.chest);
  const Vec3 h = b.plan.place(b.hips);
  const double paw = vary.factor("paw", 1.2);
  b.front[0] = add_leg(b.plan, "Left", kFront, b.chest,
                       {Vec3(w, 0.535 * l, c.z() + 0.10), Vec3(w + 0.006, 0.345 * l, c.z() + 0.035),
                        Vec3(w + 0.004, 0.155 * l, c.z() + 0.060), Vec3(w + 0.004, 0.036, c.z() + 0.070),
                        Vec3(w + 0.006, 0.030, c.z() + 0.070 + 0.070 * paw)});
  b.front[1] = mirror_leg(b.plan, "Right", kFront, b.chest, b.front[0]);
  b.hind[0] = add_leg(b.plan, "Left", kHind, b.hips,
                      {Vec3(w - 0.004, 0.560 * l, h.z() + 0.010), Vec3(w + 0.006, 0.370 * l, h.z() + 0.085),
                       Vec3(w + 0.004, 0.185 * l, h.z() - 0.060), Vec3(w + 0.004, 0.036, h.z() - 0.030),
                       Vec3(w + 0.006, 0.030, h.z() - 0.030 + 0.070 * paw)});
  b.hind[1] = mirror_leg(b.plan, "Right", kHind, b.hips, b.hind[0]);
}

void pose_beast(Beast& b, const Variation& dice) {
  const double calm = dice.amount();
  const auto turn = [&](Index joint, const Vec3& range) {
    const std::string& name = b.plan.name(joint);
    const Vec3 random(dice.value(name + " x"), dice.value(name + " y"), dice.value(name + " z"));
    b.plan.turn(joint, rotation_exp(kRadPerDegree * calm * range.cwiseProduct(random)));
  };
  turn(b.spine, {14, 6, 12});
  turn(b.chest, {14, 6, 10});
  turn(b.neck, {25, 15, 25});
  turn(b.head, {20, 15, 25});
  for (const Index joint : b.tail) turn(joint, {25, 0, 22});
  for (const std::array<Leg, 2>* pair : {&b.front, &b.hind}) {
    for (const Leg& leg : *pair) {
      turn(leg[0], {4, 4, 26});
      turn(leg[1], {0, 0, 30});
      turn(leg[2], {0, 0, 25});
      turn(leg[3], {0, 0, 20});
    }
  }
}

/// In the frames of the trunk y points to the head, x to the back, z to the left.
std::vector<Station> beast_stations(const Beast& b) {
  const double g = b.girth;
  const double k = b.skull;
  const auto at = [&](Index joint, double t, double wide, double back, double belly) {
    return Station{joint, t, {wide, wide, back, belly}};
  };
  const auto shared = [](Station station, Index other, double share) {
    station.other = other;
    station.share = share;
    return station;
  };
  return {at(b.hips, -0.52, 0.062 * g, 0.060 * g, 0.075 * g),
          at(b.hips, -0.26, 0.098 * g, 0.085 * g, 0.115 * g),
          at(b.hips, 0.10, 0.108 * g, 0.092 * g, 0.128 * g),
          at(b.hips, 0.48, 0.104 * g, 0.090 * g, 0.125 * g),
          shared(at(b.spine, 0.0, 0.100 * g, 0.088 * g, 0.120 * g), b.hips, 0.5),
          at(b.spine, 0.50, 0.106 * g, 0.088 * g, 0.130 * g),
          shared(at(b.chest, 0.05, 0.112 * g, 0.098 * g, 0.140 * g), b.spine, 0.5),
          at(b.chest, 0.34, 0.112 * g, 0.105 * g, 0.148 * g),
          at(b.chest, 0.70, 0.104 * g, 0.100 * g, 0.140 * g),
          shared(at(b.neck, 0.02, 0.085 * g, 0.078 * g, 0.100 * g), b.chest, 0.5),
          at(b.neck, 0.30, 0.066 * g, 0.068 * g, 0.078 * g),
          at(b.neck, 0.66, 0.055 * g, 0.056 * g, 0.056 * g),
          shared(at(b.head, 0.0, 0.060 * k, 0.060 * k, 0.048 * k), b.neck, 0.5),
          at(b.head, 0.18, 0.072 * k, 0.066 * k, 0.050 * k),
          at(b.head, 0.34, 0.070 * k, 0.060 * k, 0.052 * k),
          at(b.head, 0.52, 0.046 * k * b.muzzle, 0.036 * k * b.muzzle, 0.046 * k),
          at(b.head, 0.76, 0.037 * k * b.muzzle, 0.028 * k * b.muzzle, 0.036 * k),
          at(b.head, 0.96, 0.026 * k * b.muzzle, 0.022 * k * b.muzzle, 0.024 * k)};
}

void grow_beast_leg(Cage& cage, const Beast& b, const std::vector<Loop>& trunk, const Leg& leg, bool front,
                    Index trunk_joint, double side) {
  const Index low = front ? 6 : 1;
  const Loop root = side > 0 ? Cage::hole(trunk, low, low + 2, 10, 12) : Cage::hole(trunk, low, low + 2, 8, 6);
  for (const Index v : root) cage.mixes()[v] = blended(cage.mixes()[v], {{leg[0], 1.0}}, 0.30);
  const double m = b.legs;
  const auto at = [&](std::size_t k, double t, double wide, double fore, double behind) {
    return Station{leg[k], t, {m * wide, m * wide, m * fore, m * behind}};
  };
  const auto joined = [&](std::size_t k, double wide, double fore, double behind) {
    Station station = at(k, 0, wide, fore, behind);
    station.other = leg[k - 1];
    return station;
  };
  Station top = at(0, front ? 0.42 : 0.36, front ? 0.040 : 0.046, front ? 0.058 : 0.070, front ? 0.060 : 0.074);
  top.mix = Mix{{trunk_joint, 0.35}, {leg[0], 0.65}};
  top.unturned = 0.4;
  const double p = front ? 1.0 : 0.94;
  const std::vector<Station> stations = {
      top, at(0, 0.75, 0.037, 0.046 * p, 0.047), joined(1, 0.034, 0.037, 0.038), at(1, 0.35, 0.030, 0.032, 0.033),
      at(1, 0.72, 0.024, 0.026, 0.026), joined(2, 0.0225, 0.024, 0.025), at(2, 0.40, 0.020, 0.021, 0.021),
      at(2, 0.78, 0.021, 0.023, 0.022),
      // From here on x points up.
      joined(3, 0.024, 0.030, 0.042), at(3, 0.45, 0.031, 0.026, 0.033), at(3, 0.85, 0.028, 0.018, 0.027)};
  const std::vector<Loop> rings = grow(cage, b.plan, root, stations, circle(8, 225), side);
  cage.close(rings.back(), 2, 0.008 * b.plan.frame(leg[3]).col(1), side < 0);
}

void grow_beast_ear(Cage& cage, const Beast& b, const std::vector<Loop>& trunk, std::size_t i) {
  const double side = i == 0 ? 1 : -1;
  const Loop hole = i == 0 ? Cage::hole(trunk, 12, 13, 1, 2) : Cage::hole(trunk, 12, 13, 5, 4);
  const double k = b.skull;
  const Index ear = b.ears[i];
  // Frames of an ear: y up, z to its outside, x back.
  const std::vector<Station> stations = {{ear, 0.25, {0.022 * k, 0.022 * k, 0.016 * k, 0.016 * k}},
                                         {ear, 0.62, {0.019 * k, 0.019 * k, 0.012 * k, 0.010 * k}},
                                         {ear, 0.98, {0.008 * k, 0.008 * k, 0.006 * k, 0.006 * k}}};
  for (const Index v : hole) cage.mixes()[v] = blended(cage.mixes()[v], {{ear, 1.0}}, 0.2);
  const std::vector<Loop> rings = grow(cage, b.plan, hole, stations, circle(4, 45), side);
  const Loop& tip = rings.back();
  cage.add_quad({tip[0], tip[1], tip[2], tip[3]}, side < 0);
}

void grow_beast_tail(Cage& cage, const Beast& b, const Loop& behind) {
  Loop rim;
  for (std::size_t k = 0; k < 12; ++k) rim.push_back(behind[(12 - k) % 12]);
  const Vec3 out = -0.030 * b.girth * b.plan.frame(b.hips).col(1);
  const std::vector<Index> grid =
      cage.close(rim, 3, out, false, [](Index row, Index column) { return row == 1 && column == 1; });
  const Loop root = {grid[5], grid[6], grid[10], grid[9]};
  for (const Index v : root) cage.mixes()[v] = blended(cage.mixes()[v], {{b.tail[0], 1.0}}, 0.35);
  std::vector<Station> stations;
  for (std::size_t k = 0; k < 4; ++k) {
    const double r = 0.021 - 0.003 * static_cast<double>(k);
    Station joint{b.tail[k], 0, round(r)};
    if (k > 0) {
      joint.other = b.tail[k - 1];
      stations.push_back(joint);
    }
    stations.push_back({b.tail[k], 0.5, round(r - 0.001)});
  }
  stations.push_back({b.tail[3], 0.95, round(0.007)});
  const std::vector<Loop> rings = grow(cage, b.plan, root, stations, circle(4, 0));
  const Loop& tip = rings.back();
  cage.add_quad({tip[0], tip[1], tip[2], tip[3]});
}

Cage beast_cage(const Beast& b) {
  Cage cage;
  std::vector<Loop> rings;
  for (const Station& station : beast_stations(b)) rings.push_back(add_ring(cage, b.plan, station, circle(12, 0)));
  cage.wall(rings, false, [](Index row, Index column) {
    const bool leg =
        (row == 1 || row == 2 || row == 6 || row == 7) && (column == 10 || column == 11 || column == 6 || column == 7);
    const bool ear = row == 12 && (column == 1 || column == 4);
    return leg || ear;
  });
  grow_beast_tail(cage, b, rings.front());
  cage.close(rings.back(), 3, 0.008 * b.plan.frame(b.head).col(1), false);
  for (std::size_t i = 0; i < 2; ++i) {
    grow_beast_ear(cage, b, rings, i);
    grow_beast_leg(cage, b, rings, b.front[i], true, b.chest, i == 0 ? 1 : -1);
    grow_beast_leg(cage, b, rings, b.hind[i], false, b.hips, i == 0 ? 1 : -1);
  }
  cage.drop_unused();
  return cage;
}

Drawing draw_quadruped(const MakeOptions& options, const Trial& trial) {
  const Variation vary = body_variation(options, trial);
  Beast b;
  b.girth = vary.factor("girth", 1.4);
  b.legs = vary.factor("legs", 1.35);
  b.skull = vary.factor("skull", 1.35);
  b.muzzle = vary.factor("muzzle", 1.3);
  b.ear = vary.factor("ear", 1.8);
  const double leg_length = vary.factor("leg length", 1.45);
  add_beast_trunk(b, vary, leg_length);
  b.plan.settle();
  add_beast_legs(b, vary, leg_length);
  if (options.made_pose == "random") pose_beast(b, pose_dice(options, trial));
  b.plan.settle();
  Drawing drawing;
  drawing.shells.push_back({"Body", beast_cage(b), matte("Coat", 0.50F, 0.34F, 0.20F)});
  drawing.plan = std::move(b.plan);
  name_all_joints(drawing);
  return drawing;
}

}  // namespace

Made quadruped(const MakeOptions& options, const Progress& progress) {
  progress.step("drawing");
  const auto draw = [&](const Trial& trial) { return draw_quadruped(options, trial); };
  return finished_untangled(draw, "quadruped", options.vertices > 0 ? options.vertices : 8000,
                            options.height > 0 ? options.height : 0.8);
}

}  // namespace sinew::shapes
