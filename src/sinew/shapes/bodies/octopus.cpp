// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/shapes/bodies/animals.h"
#include "sinew/shapes/surface/drawing.h"
#include "sinew/shapes/variation.h"

namespace sinew::shapes {
namespace {

constexpr int kArms = 8;
constexpr int kArmJoints = 6;

struct Kraken {
  BodyPlan plan;
  Index body, mantle;
  std::array<std::array<Index, kArmJoints>, kArms> arms;
  double girth, thick;
};

void add_octopus_joints(Kraken& k, const Variation& vary) {
  const double reach = vary.factor("reach", 1.5);
  const double tall = vary.factor("tall", 1.5);
  k.body = k.plan.add("Body", kNone, {0, 0.075, 0}, {0, 0.15, 0}, Vec3::UnitX());
  k.mantle = k.plan.add("Mantle", k.body, {0, 0.15, 0}, {0, 0.15 + 0.20 * tall, -0.02}, Vec3::UnitX(), true);
  // Heights along an arm: down to the ground, along it, and up at the tip.
  constexpr std::array<double, kArmJoints + 1> kHeight = {0.075, 0.060, 0.038, 0.026, 0.026, 0.042, 0.075};
  constexpr std::array<double, kArmJoints + 1> kRadius = {0.055, 0.120, 0.195, 0.265, 0.330, 0.385, 0.425};
  for (int a = 0; a < kArms; ++a) {
    // Between the vertices of the body's ring, from the left front to the back.
    const double angle = kTwoPi * (a + 0.25) / kArms;
    const Vec3 out(std::cos(angle), 0, -std::sin(angle));
    const Vec3 bend = out.cross(Vec3::UnitY());
    const double stretch = reach * vary.factor("arm" + std::to_string(a), 1.15);
    const auto place = [&](std::size_t j) {
      return Vec3((kRadius[0] * k.girth + stretch * (kRadius[j] - kRadius[0])) * out + kHeight[j] * Vec3::UnitY());
    };
    Index above = k.body;
    for (int j = 0; j < kArmJoints; ++j) {
      const auto i = static_cast<std::size_t>(j);
      above = k.plan.add("Arm" + std::to_string(a + 1) + "_" + std::to_string(j + 1), above, place(i), place(i + 1),
                         bend, j == kArmJoints - 1);
      k.arms[static_cast<std::size_t>(a)][i] = above;
    }
  }
}

void pose_arms(Kraken& k, const MakeOptions& options, const Variation& dice) {
  if (options.made_pose == "t") return;
  for (std::size_t a = 0; a < kArms; ++a) {
    const std::string name = "arm" + std::to_string(a);
    for (std::size_t j = 1; j < kArmJoints; ++j) {
      // Curl of the tip, and a swing to one side that comes back.
      const double wave = std::sin(1.3 * static_cast<double>(j) + static_cast<double>(a));
      double up = j >= 4 ? 14 : 0;
      double aside = 8 * wave;
      if (options.made_pose == "random") {
        up += dice.amount() * 18 * dice.value(name + " up" + std::to_string(j));
        aside += dice.amount() * 14 * dice.value(name + " aside");
      }
      k.plan.turn(k.arms[a][j], rotation_exp(kRadPerDegree * Vec3(aside, 0, up)));
    }
  }
  if (options.made_pose == "random")
    k.plan.turn(k.mantle, rotation_exp(kRadPerDegree * dice.amount() *
                                       Vec3(14 * dice.value("mantle x"), 0, 14 * dice.value("mantle z"))));
}

Cage octopus_cage(const Kraken& k) {
  Cage cage;
  const double g = k.girth;
  const auto at = [&](Index joint, double t, double r) { return Station{joint, t, round(g * r)}; };
  Station neck = at(k.mantle, 0.02, 0.066);
  neck.other = k.body;
  Station back = at(k.mantle, 0.62, 0.104);
  back.shift = Vec3(0.010, 0, 0);
  const std::vector<Station> stations = {at(k.body, -0.34, 0.050),
                                         at(k.body, -0.18, 0.078),
                                         at(k.body, 0.30, 0.080),
                                         at(k.body, 0.68, 0.072),
                                         neck,
                                         at(k.mantle, 0.22, 0.082),
                                         at(k.mantle, 0.42, 0.100),
                                         back,
                                         at(k.mantle, 0.82, 0.086),
                                         at(k.mantle, 0.95, 0.052)};
  std::vector<Loop> rings;
  for (const Station& station : stations) rings.push_back(add_ring(cage, k.plan, station, circle(16, 0)));
  // Eyes: two bulges left and right of the front.
  for (const std::size_t column : {10U, 14U}) {
    Vec3& p = cage.positions()[rings[3][column]];
    p += 0.030 * g * (p - k.plan.place(k.body)).normalized();
  }
  cage.wall(rings, false, [](Index row, Index column) { return row == 1 && column % 2 == 0; });
  Loop under;
  for (std::size_t i = 0; i < 16; ++i) under.push_back(rings.front()[(18 - i) % 16]);
  cage.close(under, 4, Vec3(0, 0.004, 0), false);
  Loop top;
  for (std::size_t i = 0; i < 16; ++i) top.push_back(rings.back()[(i + 14) % 16]);
  cage.close(top, 4, 0.014 * k.plan.frame(k.mantle).col(1), false);
  for (int a = 0; a < kArms; ++a) {
    const auto& arm = k.arms[static_cast<std::size_t>(a)];
    const Loop root = Cage::hole(rings, 1, 2, 2 * a, 2 * a + 1);
    for (const Index v : root) cage.mixes()[v] = blended(cage.mixes()[v], {{arm[0], 1.0}}, 0.25);
    std::vector<Station> steps;
    for (std::size_t j = 0; j < kArmJoints; ++j) {
      const double r = k.thick * (0.0215 - 0.0028 * static_cast<double>(j));
      if (j > 0) steps.push_back({arm[j], 0, round(r), arm[j - 1]});
      steps.push_back({arm[j], j == 0 ? 0.62 : 0.5, round(r - 0.0012)});
    }
    steps.push_back({arm[kArmJoints - 1], 0.96, round(0.0035)});
    const std::vector<Loop> loops = grow(cage, k.plan, root, steps, circle(4, 45));
    const Loop& tip = loops.back();
    cage.add_quad({tip[0], tip[1], tip[2], tip[3]});
  }
  cage.drop_unused();
  return cage;
}

Drawing draw_octopus(const MakeOptions& options, const Trial& trial) {
  const Variation vary = body_variation(options, trial);
  Kraken k;
  k.girth = vary.factor("girth", 1.3);
  k.thick = vary.factor("thick", 1.3);
  add_octopus_joints(k, vary);
  pose_arms(k, options, pose_dice(options, trial));
  k.plan.settle();
  Drawing drawing;
  drawing.shells.push_back({"Body", octopus_cage(k), matte("Hide", 0.55F, 0.22F, 0.22F)});
  drawing.plan = std::move(k.plan);
  name_all_joints(drawing);
  return drawing;
}

}  // namespace

Made octopus(const MakeOptions& options, const Progress& progress) {
  progress.step("drawing");
  const auto draw = [&](const Trial& trial) { return draw_octopus(options, trial); };
  return finished_untangled(draw, "octopus", options.vertices > 0 ? options.vertices : 8000,
                            options.height > 0 ? options.height : 0.4);
}

}  // namespace sinew::shapes
