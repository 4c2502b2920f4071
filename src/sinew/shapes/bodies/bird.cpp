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

struct Fowl {
  BodyPlan plan;
  Index hips, chest, neck, head, tail;
  std::array<std::array<Index, 3>, 2> wings;
  std::array<std::array<Index, 3>, 2> legs;
  double girth, skull, chord, beak;
};

void add_bird_joints(Fowl& b, const Variation& vary) {
  const double trunk = vary.factor("trunk length", 1.25);
  const double neck = vary.factor("neck length", 1.7);
  const double leg = vary.factor("leg length", 1.5);
  const double span = vary.factor("span", 1.5);
  const double h = 0.19 * leg;
  const Vec3 side = Vec3::UnitX();
  const Vec3 hips(0, h + 0.060, -0.060 * trunk);
  const Vec3 chest(0, h + 0.082, 0.020 * trunk);
  const Vec3 base(0, h + 0.125, 0.100 * trunk);
  const Vec3 head = base + neck * Vec3(0, 0.085, 0.028);
  b.hips = b.plan.add("Hips", kNone, hips, chest, side);
  b.chest = b.plan.add("Chest", b.hips, chest, base, side);
  b.neck = b.plan.add("Neck", b.chest, base, head, side);
  b.head = b.plan.add("Head", b.neck, head, head + b.skull * Vec3(0, 0.006, 0.075), side, true);
  const Vec3 tail = hips + Vec3(0, 0.010, -0.070 * trunk);
  b.tail = b.plan.add("Tail", b.hips, tail, tail + vary.factor("tail", 1.5) * Vec3(0, 0.012, -0.13), side, true);
  const Vec3 shoulder(0.048 * b.girth, chest.y() + 0.028, chest.z() + 0.010);
  const Vec3 elbow = shoulder + span * Vec3(0.120, 0.012, -0.012);
  const Vec3 wrist = elbow + span * Vec3(0.130, 0.000, 0.022);
  const Vec3 tip = wrist + span * Vec3(0.150, -0.006, -0.030);
  const Vec3 up = Vec3::UnitY();
  auto& left = b.wings[0];
  left[0] = b.plan.add("LeftUpperArm", b.chest, shoulder, elbow, up);
  left[1] = b.plan.add("LeftForearm", left[0], elbow, wrist, up);
  left[2] = b.plan.add("LeftHand", left[1], wrist, tip, up, true);
  auto& right = b.wings[1];
  right[0] = b.plan.add_mirrored("RightUpperArm", b.chest, left[0]);
  right[1] = b.plan.add_mirrored("RightForearm", right[0], left[1]);
  right[2] = b.plan.add_mirrored("RightHand", right[1], left[2]);
  const Vec3 hip(0.036 * b.girth, hips.y() - 0.022, hips.z() + 0.012);
  const Vec3 knee = hip + Vec3(0.004, -0.072 * leg, 0.026);
  const Vec3 ankle(hip.x() + 0.004, 0.016, hip.z() + 0.004);
  auto& leg_left = b.legs[0];
  leg_left[0] = b.plan.add("LeftThigh", b.hips, hip, knee, side);
  leg_left[1] = b.plan.add("LeftShin", leg_left[0], knee, ankle, side);
  leg_left[2] = b.plan.add("LeftFoot", leg_left[1], ankle, ankle + Vec3(0.006, -0.006, 0.058), side, true);
  auto& leg_right = b.legs[1];
  leg_right[0] = b.plan.add_mirrored("RightThigh", b.hips, leg_left[0]);
  leg_right[1] = b.plan.add_mirrored("RightShin", leg_right[0], leg_left[1]);
  leg_right[2] = b.plan.add_mirrored("RightFoot", leg_right[1], leg_left[2]);
}

/// Wings down from the spread and a little folded.
void lower_wings(Fowl& b) {
  for (std::size_t i = 0; i < 2; ++i) {
    const double side = i == 0 ? 1 : -1;
    b.plan.turn_model(b.wings[i][0], {0, side * 5 * kRadPerDegree, -side * 15 * kRadPerDegree});
    b.plan.turn(b.wings[i][1], rotation_exp(Vec3(0, 0, -radians(10))));
    b.plan.turn(b.wings[i][2], rotation_exp(Vec3(0, 0, radians(12))));
  }
}

void pose_bird(Fowl& b, const Variation& dice) {
  const auto turn = [&](Index joint, const Vec3& range) {
    const std::string& name = b.plan.name(joint);
    const Vec3 random(dice.value(name + " x"), dice.value(name + " y"), dice.value(name + " z"));
    b.plan.turn(joint, rotation_exp(kRadPerDegree * dice.amount() * range.cwiseProduct(random)));
  };
  turn(b.neck, {25, 15, 25});
  turn(b.head, {25, 15, 20});
  turn(b.tail, {12, 0, 18});
  for (std::size_t i = 0; i < 2; ++i) {
    turn(b.wings[i][0], {35, 12, 18});
    turn(b.wings[i][1], {12, 8, 22});
    turn(b.wings[i][2], {15, 8, 22});
    turn(b.legs[i][0], {4, 4, 18});
    turn(b.legs[i][1], {0, 0, 18});
    turn(b.legs[i][2], {0, 0, 15});
  }
}

/// From the tip of the tail to the face. In the frames of the trunk y points to the head, x up, z to the left; the
/// tail's own frame points the other way, so it is measured along the hips'.
std::vector<Station> body_stations(const Fowl& b) {
  const double g = b.girth;
  const double k = b.skull;
  const auto at = [&](Index joint, double t, double wide, double up, double down) {
    return Station{joint, t, {wide, wide, up, down}};
  };
  const auto shared = [](Station station, Index other, double share) {
    station.other = other;
    station.share = share;
    return station;
  };
  return {at(b.hips, -0.52, 0.030 * g, 0.020 * g, 0.022 * g),
          at(b.hips, -0.10, 0.052 * g, 0.042 * g, 0.052 * g),
          at(b.hips, 0.30, 0.062 * g, 0.054 * g, 0.066 * g),
          shared(at(b.hips, 0.70, 0.066 * g, 0.057 * g, 0.072 * g), b.chest, 0.3),
          shared(at(b.chest, 0.10, 0.065 * g, 0.056 * g, 0.074 * g), b.hips, 0.3),
          at(b.chest, 0.50, 0.058 * g, 0.050 * g, 0.070 * g),
          at(b.chest, 0.86, 0.042 * g, 0.040 * g, 0.054 * g),
          shared(at(b.neck, 0.20, 0.030 * g, 0.032 * g, 0.034 * g), b.chest, 0.3),
          at(b.neck, 0.58, 0.025 * g, 0.026 * g, 0.026 * g),
          shared(at(b.head, -0.06, 0.029 * k, 0.032 * k, 0.028 * k), b.neck, 0.5),
          at(b.head, 0.22, 0.036 * k, 0.035 * k, 0.031 * k),
          at(b.head, 0.58, 0.033 * k, 0.031 * k, 0.028 * k),
          at(b.head, 0.84, 0.020 * k, 0.018 * k, 0.017 * k)};
}

void grow_bird_tail(Cage& cage, const Fowl& b, const Loop& behind) {
  // In the tail's frame y points back, z to the left, x down: the ring runs the other way.
  Loop root;
  for (std::size_t k = 0; k < 12; ++k) root.push_back(behind[(12 - k) % 12]);
  for (const Index v : root) cage.mixes()[v] = blended(cage.mixes()[v], {{b.tail, 1.0}}, 0.4);
  const double g = b.girth;
  const std::vector<Station> stations = {{b.tail, 0.10, oval(0.030 * g, 0.012 * g)},
                                         {b.tail, 0.45, oval(0.042 * g, 0.008 * g)},
                                         {b.tail, 0.80, oval(0.055 * g, 0.006 * g)},
                                         {b.tail, 0.98, oval(0.050 * g, 0.004 * g)}};
  const std::vector<Loop> rings = grow(cage, b.plan, root, stations, circle(12, 0));
  Loop rim;
  for (std::size_t k = 0; k < 12; ++k) rim.push_back(rings.back()[(k + 11) % 12]);
  cage.close(rim, 2, 0.004 * b.plan.frame(b.tail).col(1), false);
}

void grow_wing(Cage& cage, const Fowl& b, const std::vector<Loop>& trunk, std::size_t i) {
  const double side = i == 0 ? 1 : -1;
  const auto& wing = b.wings[i];
  const Loop root = i == 0 ? Cage::hole(trunk, 3, 5, 11, 13) : Cage::hole(trunk, 3, 5, 7, 5);
  for (const Index v : root) cage.mixes()[v] = blended(cage.mixes()[v], {{wing[0], 1.0}}, 0.3);
  const double c = b.chord;
  // Frames of a wing: y to its tip, z up, x to the front.
  const auto at = [&](std::size_t k, double t, double thick, double front, double behind) {
    return Station{wing[k], t, {thick, thick, c * front, c * behind}};
  };
  Station top = at(0, 0.22, 0.017, 0.036, 0.050);
  top.unturned = 0.6;
  top.mix = Mix{{b.chest, 0.4}, {wing[0], 0.6}};
  Station elbow = at(1, 0, 0.010, 0.026, 0.095);
  elbow.other = wing[0];
  Station wrist = at(2, 0, 0.008, 0.022, 0.095);
  wrist.other = wing[1];
  const std::vector<Station> stations = {top,
                                         at(0, 0.60, 0.012, 0.030, 0.080),
                                         elbow,
                                         at(1, 0.50, 0.009, 0.024, 0.098),
                                         wrist,
                                         at(2, 0.35, 0.0065, 0.020, 0.082),
                                         at(2, 0.70, 0.005, 0.016, 0.055),
                                         at(2, 0.97, 0.0035, 0.009, 0.020)};
  const std::vector<Loop> rings = grow(cage, b.plan, root, stations, circle(8, 225), side);
  cage.close(rings.back(), 2, 0.004 * b.plan.frame(wing[2]).col(1), side < 0);
}

void grow_bird_leg(Cage& cage, const Fowl& b, const std::vector<Loop>& trunk, std::size_t i) {
  const double side = i == 0 ? 1 : -1;
  const auto& leg = b.legs[i];
  const Loop hole = i == 0 ? Cage::hole(trunk, 1, 2, 10, 11) : Cage::hole(trunk, 1, 2, 8, 7);
  for (const Index v : hole) cage.mixes()[v] = blended(cage.mixes()[v], {{leg[0], 1.0}}, 0.3);
  Station knee{leg[1], 0, round(0.0095), leg[0]};
  Station ankle{leg[2], 0, {0.008, 0.008, 0.009, 0.012}, leg[1]};
  Station top{leg[0], 0.66, round(0.0155)};
  top.unturned = 0.4;
  const std::vector<Station> stations = {top,
                                         knee,
                                         {leg[1], 0.35, round(0.0068)},
                                         {leg[1], 0.78, round(0.0062)},
                                         ankle,
                                         {leg[2], 0.35, {0.015, 0.015, 0.006, 0.0085}},
                                         {leg[2], 0.75, {0.024, 0.024, 0.0045, 0.007}},
                                         {leg[2], 1.0, {0.022, 0.022, 0.003, 0.0055}}};
  const std::vector<Loop> rings = grow(cage, b.plan, hole, stations, circle(4, 225), side);
  const Loop& tip = rings.back();
  cage.add_quad({tip[0], tip[1], tip[2], tip[3]}, side < 0);
}

void grow_beak(Cage& cage, const Fowl& b, const Loop& face) {
  const Vec3 along = b.plan.frame(b.head).col(1);
  const std::vector<Index> grid = cage.close(face, 3, 0.006 * b.skull * along, false,
                                             [](Index row, Index column) { return row == 1 && column == 1; });
  const Loop root = {grid[5], grid[6], grid[10], grid[9]};
  const double k = b.skull;
  const std::vector<Station> stations = {{b.head, 1.00, {0.009 * k, 0.009 * k, 0.008 * k, 0.008 * k}},
                                         {b.head, 1.0 + 0.35 * b.beak, {0.007 * k, 0.007 * k, 0.006 * k, 0.006 * k}},
                                         {b.head, 1.0 + 0.62 * b.beak, {0.002 * k, 0.002 * k, 0.002 * k, 0.002 * k}}};
  const std::vector<Loop> rings = grow(cage, b.plan, root, stations, circle(4, 0));
  const Loop& tip = rings.back();
  cage.add_quad({tip[0], tip[1], tip[2], tip[3]});
}

Cage bird_cage(const Fowl& b) {
  Cage cage;
  std::vector<Loop> rings;
  for (const Station& station : body_stations(b)) rings.push_back(add_ring(cage, b.plan, station, circle(12, 0)));
  cage.wall(rings, false, [](Index row, Index column) {
    const bool wing = (row == 3 || row == 4) && (column == 11 || column == 0 || column == 5 || column == 6);
    const bool leg = row == 1 && (column == 10 || column == 7);
    return wing || leg;
  });
  grow_bird_tail(cage, b, rings.front());
  grow_beak(cage, b, rings.back());
  for (std::size_t i = 0; i < 2; ++i) {
    grow_wing(cage, b, rings, i);
    grow_bird_leg(cage, b, rings, i);
  }
  cage.drop_unused();
  return cage;
}

Drawing draw_bird(const MakeOptions& options, const Trial& trial) {
  const Variation vary = body_variation(options, trial);
  Fowl b;
  b.girth = vary.factor("girth", 1.35);
  b.skull = vary.factor("skull", 1.35);
  b.chord = vary.factor("chord", 1.3);
  b.beak = vary.factor("beak", 2.0);
  add_bird_joints(b, vary);
  if (options.made_pose != "t") lower_wings(b);
  if (options.made_pose == "random") pose_bird(b, pose_dice(options, trial));
  b.plan.settle();
  Drawing drawing;
  drawing.shells.push_back({"Body", bird_cage(b), matte("Feathers", 0.30F, 0.42F, 0.52F)});
  drawing.plan = std::move(b.plan);
  name_all_joints(drawing);
  return drawing;
}

}  // namespace

Made bird(const MakeOptions& options, const Progress& progress) {
  progress.step("drawing");
  const auto draw = [&](const Trial& trial) { return draw_bird(options, trial); };
  return finished_untangled(draw, "bird", options.vertices > 0 ? options.vertices : 6000,
                            options.height > 0 ? options.height : 0.5);
}

}  // namespace sinew::shapes
