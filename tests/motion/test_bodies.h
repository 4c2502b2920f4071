// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Small skeletons for tests: a person, a four-legged animal and a bird, with whatever axes their joints are to have.

#include <random>
#include <string>
#include <vector>

#include "sinew/core/skeleton.h"

namespace sinew::test {

struct Place {
  std::string name;
  int parent;
  Vec3 position;
};

inline Quat random_turn(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  return Quat(normal(rng), normal(rng), normal(rng), normal(rng)).normalized();
}

/// Joints at places, their axes along the model's for seed 0, else turned at random.
inline Skeleton skeleton_at(const std::vector<Place>& places, unsigned seed = 0) {
  std::mt19937 rng(seed);
  Skeleton skeleton;
  std::vector<Quat> frames;
  for (const Place& place : places) {
    frames.push_back(seed == 0 ? Quat::Identity() : random_turn(rng));
    Joint joint;
    joint.name = place.name;
    joint.deforming = true;
    joint.rest.rotation = frames.back();
    joint.rest.translation = place.position;
    if (place.parent >= 0) {
      const auto p = static_cast<std::size_t>(place.parent);
      joint.parent = static_cast<Index>(place.parent);
      joint.rest.rotation = (frames[p].conjugate() * frames.back()).normalized();
      joint.rest.translation = frames[p].conjugate() * (place.position - places[p].position);
    }
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

inline void add_pair(std::vector<Place>& places, const std::vector<std::string>& names, int parent,
                     const std::vector<Vec3>& positions) {
  for (const std::string side : {"Left", "Right"}) {
    int above = parent;
    for (std::size_t i = 0; i < names.size(); ++i) {
      Vec3 p = positions[i];
      if (side == "Right") p.x() = -p.x();
      places.push_back({side + names[i], above, p});
      above = static_cast<int>(places.size()) - 1;
    }
  }
}

/// With arms stretched out to the side, or lowered by an angle.
inline std::vector<Place> person(double lowered_rad = 0, double size = 1) {
  std::vector<Place> places = {{"Hips", -1, {0, 0.95, 0}},
                               {"Spine", 0, {0, 1.1, 0}},
                               {"Chest", 1, {0, 1.25, 0}},
                               {"Neck", 2, {0, 1.5, 0}},
                               {"Head", 3, {0, 1.6, 0}}};
  const Vec3 arm(std::cos(lowered_rad), -std::sin(lowered_rad), 0), shoulder(0.18, 1.42, 0);
  add_pair(places, {"Shoulder", "UpperArm", "Forearm", "Hand"}, 2,
           {Vec3(0.04, 1.42, 0), shoulder, shoulder + 0.28 * arm, shoulder + 0.54 * arm});
  add_pair(places, {"Thigh", "Shin", "Foot", "Toes"}, 0,
           {Vec3(0.1, 0.9, 0), Vec3(0.1, 0.48, 0.01), Vec3(0.1, 0.08, -0.01), Vec3(0.1, 0.02, 0.12)});
  for (Place& place : places) place.position *= size;
  return places;
}

inline std::vector<Place> beast() {
  std::vector<Place> places = {{"Hips", -1, {0, 0.6, -0.3}},  {"Spine", 0, {0, 0.62, 0}},  {"Chest", 1, {0, 0.6, 0.25}},
                               {"Neck", 2, {0, 0.7, 0.4}},    {"Head", 3, {0, 0.85, 0.5}}, {"Tail1", 0, {0, 0.6, -0.4}},
                               {"Tail2", 5, {0, 0.55, -0.55}}};
  add_pair(places, {"UpperArm", "Forearm", "Hand", "HandPaw"}, 2,
           {Vec3(0.1, 0.55, 0.3), Vec3(0.1, 0.34, 0.24), Vec3(0.1, 0.14, 0.27), Vec3(0.1, 0.04, 0.28)});
  add_pair(places, {"Thigh", "Shin", "Foot", "FootPaw"}, 0,
           {Vec3(0.1, 0.55, -0.3), Vec3(0.1, 0.34, -0.22), Vec3(0.1, 0.17, -0.36), Vec3(0.1, 0.04, -0.33)});
  return places;
}

inline std::vector<Place> fowl() {
  std::vector<Place> places = {{"Hips", -1, {0, 0.28, -0.06}},
                               {"Chest", 0, {0, 0.3, 0.06}},
                               {"Neck", 1, {0, 0.34, 0.12}},
                               {"Head", 2, {0, 0.44, 0.15}},
                               {"Tail", 0, {0, 0.28, -0.14}}};
  add_pair(places, {"UpperArm", "Forearm", "Hand"}, 1,
           {Vec3(0.05, 0.32, 0.04), Vec3(0.16, 0.3, 0.0), Vec3(0.32, 0.26, -0.02)});
  add_pair(places, {"Thigh", "Shin", "Foot"}, 0,
           {Vec3(0.04, 0.26, -0.04), Vec3(0.04, 0.15, 0.0), Vec3(0.04, 0.02, -0.03)});
  return places;
}

}  // namespace sinew::test
